//! Accesses to shared variables that are known to be remembered already.
//!
//! A program with nested locks uses a variable under dozens of lock sets, and the [notes](super::notes) on it speak of one
//! set only. Whether an access under another set is like an earlier one then means reading the whole list of those that
//! are remembered, a dozen cache lines. Here it is one line for all that a thread does under one set of locks, as long as
//! those are few variables.
//!
//! What is new takes the place of something old, so not finding an access means nothing.

use events::VarId;

use super::lockset::LockSet;
use super::order::Epoch;

/// A variable in a generation, and in what ways it was accessed: [`READ`], [`WRITTEN`].
#[derive(Clone, Copy, Debug)]
struct Accessed {
    var: u32,
    generation_and_ways: u32,
}

const READ: u32 = 1;
const WRITTEN: u32 = 2;
const WAYS: u32 = READ | WRITTEN;

/// Generations from here on have no room, and 0 is no generation.
const GENERATIONS: u32 = u32::MAX >> 2;

/// No variable has this number.
const NOTHING: Accessed = Accessed { var: u32::MAX, generation_and_ways: 0 };

/// Variables in a line.
const PER_LINE: usize = 6;

/// What a thread has accessed under a set of locks at a time.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Line {
    thread: u32,
    time: u32,
    locks: u32,
    /// Which one goes next.
    oldest: u32,
    accessed: [Accessed; PER_LINE],
}

const _: () = assert!(size_of::<Line>() == 64);

impl Line {
    /// Nobody's: times begin at 1.
    const NEW: Line = Line { thread: 0, time: 0, locks: 0, oldest: 0, accessed: [NOTHING; PER_LINE] };

    #[inline(always)]
    fn is(&self, epoch: Epoch, locks: LockSet) -> bool {
        (self.thread == epoch.thread.0) & (self.time == epoch.time) & (self.locks == locks.0)
    }

    #[inline(always)]
    fn has(&self, var: VarId, generation: u32, way: u32) -> bool {
        let same = |accessed: &Accessed| {
            (accessed.var == var.0)
                & (accessed.generation_and_ways >> 2 == generation)
                & (accessed.generation_and_ways & way != 0)
        };
        self.accessed.iter().fold(false, |found, accessed| found | same(accessed))
    }

    fn add(&mut self, var: VarId, generation: u32, way: u32) {
        let at = self.accessed.iter().position(|accessed| accessed.var == var.0);
        let at = at.unwrap_or_else(|| {
            let oldest = self.oldest as usize % PER_LINE;
            self.oldest = oldest as u32 + 1;
            oldest
        });
        let accessed = &mut self.accessed[at];
        let same = accessed.var == var.0 && accessed.generation_and_ways >> 2 == generation;
        let ways = if same { accessed.generation_and_ways & WAYS } else { 0 };
        *accessed = Accessed { var: var.0, generation_and_ways: generation << 2 | ways | way };
    }
}

/// Two megabytes, of which only what is used is ever touched.
const LINES: usize = 1 << 15;

/// What is known.
#[derive(Default)]
pub struct Known(Vec<Line>);

/// A read tells nothing that a write has not told.
#[inline(always)]
fn ways(write: bool) -> (u32, u32) {
    if write { (WRITTEN, WAYS) } else { (WAYS, READ) }
}

impl Known {
    /// Where accesses at this time under these locks are, or would be. One of two lines that lie side by side.
    #[inline(always)]
    fn lines(epoch: Epoch, locks: LockSet) -> [usize; 2] {
        let both = u64::from(epoch.thread.0) << 32 | u64::from(locks.0);
        let line = (both.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - LINES.trailing_zeros())) as usize;
        [line, line ^ 1]
    }

    /// Whether such an access is known to be remembered.
    #[inline(always)]
    pub fn has(&self, var: VarId, generation: u32, epoch: Epoch, locks: LockSet, write: bool) -> bool {
        let in_line = |at: usize| {
            let line = self.0.get(at).filter(|line| line.is(epoch, locks));
            line.is_some_and(|line| line.has(var, generation, ways(write).0))
        };
        let [first, second] = Self::lines(epoch, locks);
        in_line(first) || in_line(second)
    }

    /// From now on it is.
    pub fn add(&mut self, var: VarId, generation: u32, epoch: Epoch, locks: LockSet, write: bool) {
        if generation > GENERATIONS {
            return;
        }
        // Most programs have no use for it.
        if self.0.is_empty() {
            self.0 = vec![Line::NEW; LINES];
        }
        let [first, second] = Self::lines(epoch, locks);
        let at = if self.0[first].is(epoch, locks) {
            first
        } else if self.0[second].is(epoch, locks) {
            second
        } else {
            // What was first so far is second now.
            self.0[second] = self.0[first];
            let (thread, time, locks) = (epoch.thread.0, epoch.time, locks.0);
            self.0[first] = Line { thread, time, locks, ..Line::NEW };
            first
        };
        self.0[at].add(var, generation, ways(write).1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::ThreadId;

    fn epoch(thread: u32, time: u32) -> Epoch {
        Epoch { thread: ThreadId(thread), time }
    }

    #[test]
    fn an_access_that_differs_in_anything_is_not_known() {
        let mut known = Known::default();
        let has = |known: &Known, var, generation, thread, time, locks, write| {
            known.has(VarId(var), generation, epoch(thread, time), LockSet(locks), write)
        };
        assert!(!has(&known, 7, 1, 2, 3, 4, false));
        known.add(VarId(7), 1, epoch(2, 3), LockSet(4), false);
        assert!(has(&known, 7, 1, 2, 3, 4, false));
        assert!(!has(&known, 7, 1, 2, 3, 4, true), "it only read");
        known.add(VarId(7), 1, epoch(2, 3), LockSet(4), true);
        assert!(has(&known, 7, 1, 2, 3, 4, true));
        assert!(!has(&known, 8, 1, 2, 3, 4, true));
        assert!(!has(&known, 7, 2, 2, 3, 4, true));
        assert!(!has(&known, 7, 1, 3, 3, 4, true));
        assert!(!has(&known, 7, 1, 2, 4, 4, true));
        assert!(!has(&known, 7, 1, 2, 3, 5, true));
    }

    #[test]
    fn a_write_makes_reads_known_too() {
        let mut known = Known::default();
        known.add(VarId(0), 1, epoch(0, 1), LockSet(1), true);
        assert!(known.has(VarId(0), 1, epoch(0, 1), LockSet(1), false));
    }

    #[test]
    fn what_was_done_in_an_earlier_generation_does_not_count() {
        let mut known = Known::default();
        known.add(VarId(0), 1, epoch(0, 1), LockSet(1), true);
        known.add(VarId(0), 2, epoch(0, 1), LockSet(1), false);
        assert!(!known.has(VarId(0), 2, epoch(0, 1), LockSet(1), true));
        assert!(!known.has(VarId(0), 1, epoch(0, 1), LockSet(1), true), "one entry a variable");
    }

    #[test]
    fn of_many_variables_the_last_ones_are_known() {
        let mut known = Known::default();
        for var in 0..20 {
            known.add(VarId(var), 1, epoch(0, 1), LockSet(1), true);
            for (back, earlier) in (0..=var).rev().enumerate() {
                let expected = back < PER_LINE;
                assert_eq!(known.has(VarId(earlier), 1, epoch(0, 1), LockSet(1), true), expected);
            }
        }
    }
}
