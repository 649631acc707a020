//! Accesses to shared variables that are known to be remembered already.
//!
//! A program with nested locks uses a variable under dozens of lock sets, and the [notes](super::notes) on it speak of one
//! set only. Whether an access under another set is like an earlier one then means reading the whole list of those that
//! are remembered, a dozen cache lines. Here it is one look.
//!
//! A new entry takes the place of an old one, so not finding an access means nothing.

use events::VarId;

use super::lockset::LockSet;
use super::order::Epoch;

/// All that makes an access like another one. Threads and generations with numbers too large have no entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Key {
    var: u32,
    /// The locks, shifted by one, and whether it writes.
    how: u32,
    time: u32,
    thread: u16,
    generation: u16,
}

const _: () = assert!(size_of::<Key>() == 16);

/// Nobody's: generations begin at 1.
const NO_KEY: Key = Key { var: 0, how: 0, time: 0, thread: 0, generation: 0 };

impl Key {
    /// That of an access to a variable in a generation.
    #[inline(always)]
    pub fn new(var: VarId, generation: u32, epoch: Epoch, locks: LockSet, write: bool) -> Option<Self> {
        Some(Self {
            var: var.0,
            how: locks.0 << 1 | u32::from(write),
            time: epoch.time,
            thread: u16::try_from(epoch.thread.0).ok()?,
            generation: u16::try_from(generation).ok()?,
        })
    }

    #[inline(always)]
    fn slot(self) -> usize {
        let mixed = (u64::from(self.var) << 32 | u64::from(self.how)) ^ u64::from(self.thread) << 48;
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOTS.trailing_zeros())) as usize
    }
}

/// A megabyte: what four threads do to two fields of 64 objects under all pairs of their locks.
const SLOTS: usize = 1 << 16;

/// What is known.
#[derive(Default)]
pub struct Known(Vec<Key>);

impl Known {
    /// Whether such an access is known to be remembered.
    #[inline(always)]
    pub fn has(&self, key: Key) -> bool {
        self.0.get(key.slot()) == Some(&key)
    }

    /// From now on it is.
    pub fn add(&mut self, key: Key) {
        // Most programs have no use for it.
        if self.0.is_empty() {
            self.0 = vec![NO_KEY; SLOTS];
        }
        self.0[key.slot()] = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::ThreadId;

    #[test]
    fn an_access_that_differs_in_anything_is_not_known() {
        let key = |var, generation, thread, time, locks, write| {
            let epoch = Epoch { thread: ThreadId(thread), time };
            Key::new(VarId(var), generation, epoch, LockSet(locks), write)
        };
        let mut known = Known::default();
        let one = key(7, 1, 2, 3, 4, true).expect("small numbers");
        assert!(!known.has(one));
        known.add(one);
        assert!(known.has(one));
        let others = [
            key(8, 1, 2, 3, 4, true),
            key(7, 2, 2, 3, 4, true),
            key(7, 1, 3, 3, 4, true),
            key(7, 1, 2, 4, 4, true),
            key(7, 1, 2, 3, 5, true),
            key(7, 1, 2, 3, 4, false),
        ];
        for other in others.into_iter().flatten() {
            assert!(!known.has(other), "{other:?}");
        }
        assert_eq!(key(7, 1, 1 << 16, 3, 4, true), None, "a thread that has no entry");
        assert_eq!(key(7, 1 << 16, 2, 3, 4, true), None, "a generation that has no entry");
    }
}
