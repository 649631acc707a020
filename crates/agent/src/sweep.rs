//! Which numbered objects have died, so that whoever reads can forget them. Objects that have a place for their number are
//! many, and nothing that costs something for each of them (weak references, tags) would do: now and then, when many
//! numbers have been given since the last time, the heap is walked, and numbers that nobody has any more are dead.
//!
//! A walk stops the program and goes through all of the heap, however little of it is numbered. So it is not done again
//! before the program has had [`SHARE`] times as long for itself: with a large heap the dead are found late.
//!
//! Numbers are given in blocks, and a block is looked at once its thread has used it up. Any `long` in a numbered object
//! that looks like a number counts as one: at worst an object that is dead counts as alive.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

/// Numbers of a block.
pub const BLOCK: u64 = 1024;
const WORDS: usize = (BLOCK / 64) as usize;
/// The heap is not walked for fewer numbers.
const LEAST: u64 = 1 << 18;
/// Of the program's time at most one part in so many goes into walks.
const SHARE: u32 = 20;

/// What is known of the numbers of one block, a bit each.
#[derive(Clone, Default)]
struct Block {
    alive: [u64; WORDS],
    /// Those that have been told to be dead.
    gone: [u64; WORDS],
}

/// The blocks that have been used up, and when to look at them.
pub struct Sweep {
    blocks: Mutex<FxHashMap<u64, Block>>,
    /// Numbers in blocks that were used up since the last look.
    given: AtomicU64,
    due: AtomicU64,
    /// The agent's start, and how many nanoseconds after it the next walk may be.
    start: Instant,
    rests: AtomicU64,
}

impl Default for Sweep {
    fn default() -> Self {
        Self {
            blocks: Mutex::default(),
            given: AtomicU64::new(0),
            due: AtomicU64::new(LEAST),
            start: Instant::now(),
            rests: AtomicU64::new(0),
        }
    }
}

/// The block of a number and its place there. Numbers begin with 1.
fn place(number: u64) -> (u64, usize, u64) {
    let (block, within) = ((number - 1) / BLOCK, (number - 1) % BLOCK);
    (block, (within / 64) as usize, 1 << (within % 64))
}

impl Sweep {
    /// A thread has given so many numbers of the block that begins with this one, and gives no more.
    pub fn used_up(&self, first: u64, used: u64) {
        if first == 0 || used == 0 {
            return;
        }
        let mut block = Block::default();
        for (word, from) in block.gone.iter_mut().zip((0..).step_by(64)) {
            // Those that nobody got are not there to die.
            let given = used.saturating_sub(from).min(64);
            *word = u64::MAX.checked_shl(given as u32).unwrap_or(0);
        }
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.insert(place(first).0, block);
        self.given.fetch_add(used, Ordering::Relaxed);
    }

    /// Is it time to look?
    pub fn is_due(&self) -> bool {
        self.given.load(Ordering::Relaxed) >= self.due.load(Ordering::Relaxed)
            && self.start.elapsed() >= Duration::from_nanos(self.rests.load(Ordering::Relaxed))
    }

    /// The program has stood still for so long.
    fn rest_after(&self, walk: Duration) {
        let next = self.start.elapsed().saturating_add(walk.saturating_mul(SHARE));
        self.rests.store(u64::try_from(next.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Looks, unless somebody else does: `walk` calls its argument with each number that it meets. The numbers that have
    /// died since the last time.
    pub fn look(&self, walk: impl FnOnce(&mut dyn FnMut(i64)) -> bool) -> Vec<i64> {
        let mut blocks = match self.blocks.try_lock() {
            Ok(blocks) => blocks,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Vec::new(),
        };
        self.given.store(0, Ordering::Relaxed);
        let begun = Instant::now();
        let whole = walk(&mut |number| {
            if let Ok(number @ 1..) = u64::try_from(number) {
                let (block, word, bit) = place(number);
                if let Some(word) = blocks.get_mut(&block).and_then(|block| block.alive.get_mut(word)) {
                    *word |= bit;
                }
            }
        });
        self.rest_after(begun.elapsed());
        let (mut dead, mut alive) = (Vec::new(), 0);
        blocks.retain(|number, block| {
            let mut left = 0;
            for (at, (is_alive, gone)) in block.alive.iter_mut().zip(&mut block.gone).enumerate() {
                // A walk that failed has seen nothing.
                let mut died = if whole { !*is_alive & !*gone } else { 0 };
                *gone |= died;
                left += (!*gone).count_ones();
                *is_alive = 0;
                while died != 0 {
                    let bit = u64::from(died.trailing_zeros());
                    died &= died - 1;
                    dead.push((number * BLOCK + at as u64 * 64 + bit + 1) as i64);
                }
            }
            alive += u64::from(left);
            left > 0
        });
        self.due.store(LEAST.max(alive), Ordering::Relaxed);
        dead.sort_unstable();
        dead
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_has_any_more_is_dead_once() {
        let sweep = Sweep::default();
        sweep.used_up(1, BLOCK);
        sweep.used_up(BLOCK + 1, BLOCK);
        let living = |numbers: &'static [i64]| {
            move |mark: &mut dyn FnMut(i64)| {
                numbers.iter().for_each(|number| mark(*number));
                true
            }
        };
        // Numbers of blocks that are in use, and what is no number, do not count.
        let dead = sweep.look(living(&[1, 64, 65, 1024, 1025, 2048, 2049, 0, -5, i64::MAX]));
        assert_eq!(dead.len() as u64, 2 * BLOCK - 6);
        assert!(!dead.contains(&1) && !dead.contains(&65) && !dead.contains(&2048) && dead.contains(&2047));
        assert_eq!(sweep.look(living(&[1, 64, 65, 1024, 2048])), [1025]);
        assert_eq!(sweep.look(living(&[1, 64, 65, 1024])), [2048]);
        assert_eq!(sweep.look(living(&[])), [1, 64, 65, 1024]);
        assert!(sweep.look(living(&[])).is_empty());
    }

    #[test]
    fn after_a_long_walk_there_is_none_for_a_while() {
        let sweep = Sweep::default();
        for block in 0..=LEAST / BLOCK {
            sweep.used_up(1 + block * BLOCK, BLOCK);
        }
        assert!(sweep.is_due());
        sweep.rest_after(Duration::from_secs(60));
        assert!(!sweep.is_due());
        sweep.rest_after(Duration::ZERO);
        assert!(sweep.is_due());
    }

    #[test]
    fn a_walk_that_fails_kills_nobody() {
        let sweep = Sweep::default();
        sweep.used_up(1, BLOCK);
        assert!(sweep.look(|_| false).is_empty());
        assert_eq!(sweep.look(|_| true).len() as u64, BLOCK);
    }

    #[test]
    fn numbers_that_nobody_got_do_not_die() {
        let sweep = Sweep::default();
        sweep.used_up(1, 66);
        assert_eq!(sweep.look(|_| true), (1..=66).collect::<Vec<i64>>());
        sweep.used_up(BLOCK + 1, 64);
        assert_eq!(sweep.look(|_| true).len(), 64);
    }

    #[test]
    fn it_is_time_when_many_numbers_were_given() {
        let sweep = Sweep::default();
        for block in 0..LEAST / BLOCK {
            assert!(!sweep.is_due());
            sweep.used_up(block * BLOCK + 1, BLOCK);
        }
        assert!(sweep.is_due());
        let all = 1..=LEAST as i64;
        assert!(
            sweep
                .look(|mark| {
                    all.for_each(mark);
                    true
                })
                .is_empty()
        );
        // All live: next time when there are as many more, however many there are.
        sweep.rest_after(Duration::ZERO);
        for block in LEAST / BLOCK..3 * LEAST / BLOCK {
            sweep.used_up(block * BLOCK + 1, BLOCK);
        }
        assert!(sweep.is_due());
        let all = 1..=3 * LEAST as i64;
        assert!(
            sweep
                .look(|mark| {
                    all.for_each(mark);
                    true
                })
                .is_empty()
        );
        sweep.rest_after(Duration::ZERO);
        for block in 3 * LEAST / BLOCK..5 * LEAST / BLOCK {
            sweep.used_up(block * BLOCK + 1, BLOCK);
        }
        assert!(!sweep.is_due());
    }
}
