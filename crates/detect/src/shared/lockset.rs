//! Sets of locks as small numbers.
//!
//! Equal sets have equal ids, so comparing two is comparing two integers, and the two operations that detectors need
//! on every access, intersection and disjointness, are remembered in a direct-mapped cache.

use events::LockId;
use rustc_hash::FxHashMap;

/// An interned set of locks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LockSet(pub u32);

impl LockSet {
    /// The set without any lock.
    pub const EMPTY: LockSet = LockSet(0);

    /// Whether the set has no lock.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

const CACHE: usize = 1 << 12;

/// A remembered intersection. Slot 0 of a fresh cache says ∅ ∩ ∅ = ∅, which is true.
#[derive(Clone, Copy, Default)]
struct Cached {
    a: u32,
    b: u32,
    result: u32,
}

#[inline(always)]
fn slot(a: u32, b: u32) -> usize {
    (a.wrapping_mul(0x9e37_79b1) ^ b.wrapping_mul(0x85eb_ca6b)) as usize >> 16 & (CACHE - 1)
}

/// All lock sets of one analysis.
pub struct LockSets {
    sets: Vec<Box<[LockId]>>,
    index: FxHashMap<Box<[LockId]>, LockSet>,
    cache: Box<[Cached]>,
    /// Remembered sets with one lock more: set, lock, result.
    more: Box<[Cached]>,
}

impl Default for LockSets {
    fn default() -> Self {
        let empty: Box<[LockId]> = Box::new([]);
        Self {
            sets: vec![empty.clone()],
            index: FxHashMap::from_iter([(empty, LockSet::EMPTY)]),
            cache: vec![Cached::default(); CACHE].into(),
            // No set has this number.
            more: vec![Cached { a: u32::MAX, b: 0, result: 0 }; CACHE].into(),
        }
    }
}

impl LockSets {
    /// The locks of a set, in the order of their ids.
    pub fn locks(&self, set: LockSet) -> &[LockId] {
        &self.sets[set.0 as usize]
    }

    /// How many different sets there have been.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Never: the empty set is always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Whether a lock is in a set.
    pub fn contains(&self, set: LockSet, lock: LockId) -> bool {
        self.locks(set).binary_search(&lock).is_ok()
    }

    /// The set of these locks, which must be in the order of their ids and without doubles.
    pub fn intern(&mut self, locks: &[LockId]) -> LockSet {
        debug_assert!(locks.is_sorted_by(|a, b| a < b));
        if let Some(&set) = self.index.get(locks) {
            return set;
        }
        let set = LockSet(self.sets.len() as u32);
        self.sets.push(locks.into());
        self.index.insert(locks.into(), set);
        set
    }

    /// The set with one lock more.
    #[inline]
    pub fn with(&mut self, set: LockSet, lock: LockId) -> LockSet {
        let slot = slot(set.0, lock.0);
        let cached = self.more[slot];
        if cached.a == set.0 && cached.b == lock.0 {
            return LockSet(cached.result);
        }
        let result = self.with_slowly(set, lock);
        self.more[slot] = Cached { a: set.0, b: lock.0, result: result.0 };
        result
    }

    #[cold]
    fn with_slowly(&mut self, set: LockSet, lock: LockId) -> LockSet {
        match self.locks(set).binary_search(&lock) {
            Ok(_) => set,
            Err(at) => {
                let mut locks = self.locks(set).to_vec();
                locks.insert(at, lock);
                self.intern(&locks)
            }
        }
    }

    /// The set without a lock.
    pub fn without(&mut self, set: LockSet, lock: LockId) -> LockSet {
        match self.locks(set).binary_search(&lock) {
            Err(_) => set,
            Ok(at) => {
                let mut locks = self.locks(set).to_vec();
                locks.remove(at);
                self.intern(&locks)
            }
        }
    }

    /// The locks in both sets.
    #[inline]
    pub fn intersect(&mut self, a: LockSet, b: LockSet) -> LockSet {
        if a == b || a.is_empty() {
            return a;
        }
        if b.is_empty() {
            return b;
        }
        let slot =
            (a.0.wrapping_mul(0x9e37_79b1) ^ b.0.wrapping_mul(0x85eb_ca6b)) as usize >> 8 & (CACHE - 1);
        let cached = self.cache[slot];
        if cached.a == a.0 && cached.b == b.0 {
            return LockSet(cached.result);
        }
        let result = self.intersect_slowly(a, b);
        self.cache[slot] = Cached { a: a.0, b: b.0, result: result.0 };
        result
    }

    /// Whether no lock is in both sets.
    #[inline]
    pub fn disjoint(&mut self, a: LockSet, b: LockSet) -> bool {
        self.intersect(a, b).is_empty()
    }

    #[cold]
    fn intersect_slowly(&mut self, a: LockSet, b: LockSet) -> LockSet {
        let locks: Vec<LockId> =
            self.locks(a).iter().copied().filter(|&lock| self.contains(b, lock)).collect();
        self.intern(&locks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_have_equal_ids() {
        let mut sets = LockSets::default();
        let a = sets.with(LockSet::EMPTY, LockId(3));
        let ab = sets.with(a, LockId(1));
        let b = sets.with(LockSet::EMPTY, LockId(1));
        assert_eq!(sets.with(b, LockId(3)), ab);
        assert_eq!(sets.without(ab, LockId(3)), b);
        assert_eq!(sets.without(b, LockId(1)), LockSet::EMPTY);
    }

    #[test]
    fn intersections_are_right_also_from_the_cache() {
        let mut sets = LockSets::default();
        let ab = sets.intern(&[LockId(1), LockId(2)]);
        let bc = sets.intern(&[LockId(2), LockId(3)]);
        let c = sets.intern(&[LockId(3)]);
        for _ in 0..2 {
            let b = sets.intersect(ab, bc);
            assert_eq!(sets.locks(b), [LockId(2)]);
            assert!(sets.disjoint(ab, c));
            assert!(!sets.disjoint(c, bc));
            assert!(sets.disjoint(LockSet::EMPTY, LockSet::EMPTY));
        }
    }
}
