//! Sets of locks as small numbers.
//!
//! Equal sets have equal ids, so comparing two is comparing two integers. What is needed all the time is remembered in
//! direct-mapped caches: intersections (at accesses), and sets with a lock more or less (at lock operations). A program
//! with nested locks has more pairs of sets than a cache has room for; there each set's **sign**, a word with a bit for
//! each lock, mostly tells at once that two sets have nothing in common or that neither holds the other.

use events::{LockId, SiteId};
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

const CACHE: usize = 1 << 14;

/// A remembered result for two numbers.
#[derive(Clone, Copy)]
struct Cached {
    a: u32,
    b: u32,
    result: u32,
}

/// Remembered results; a new one takes the place of an old one.
struct Cache(Box<[Cached]>);

impl Cache {
    /// There are never so many sets that `u32::MAX` is one.
    fn new() -> Self {
        Self(vec![Cached { a: u32::MAX, b: 0, result: 0 }; CACHE].into())
    }

    #[inline(always)]
    fn slot(a: u32, b: u32) -> usize {
        (a.wrapping_mul(0x9e37_79b1) ^ b.wrapping_mul(0x85eb_ca6b)) as usize >> 16 & (CACHE - 1)
    }

    #[inline(always)]
    fn get(&self, a: u32, b: u32) -> Option<LockSet> {
        let cached = self.0[Self::slot(a, b)];
        (cached.a == a && cached.b == b).then_some(LockSet(cached.result))
    }

    fn put(&mut self, a: u32, b: u32, result: LockSet) {
        self.0[Self::slot(a, b)] = Cached { a, b, result: result.0 };
    }
}

/// All lock sets of one analysis.
pub struct LockSets {
    sets: Vec<Box<[LockId]>>,
    /// By the same numbers.
    signs: Vec<u64>,
    /// Whether every lock so far has a bit of its own, so that signs tell everything.
    signs_are_exact: bool,
    index: FxHashMap<Box<[LockId]>, LockSet>,
    intersections: Cache,
    with: Cache,
    without: Cache,
    /// A place where each lock was taken, by its id: noted only when a set is new, so that it costs nothing.
    examples: Vec<Option<SiteId>>,
    /// Kept for its room; empty.
    room: Vec<LockId>,
}

impl Default for LockSets {
    fn default() -> Self {
        let empty: Box<[LockId]> = Box::new([]);
        Self {
            sets: vec![empty.clone()],
            signs: vec![0],
            signs_are_exact: true,
            index: FxHashMap::from_iter([(empty, LockSet::EMPTY)]),
            intersections: Cache::new(),
            with: Cache::new(),
            without: Cache::new(),
            examples: Vec::new(),
            room: Vec::new(),
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

    /// The sign of a set.
    #[inline(always)]
    pub fn sign(&self, set: LockSet) -> u64 {
        self.signs[set.0 as usize]
    }

    /// Whether every lock of `a` is in `b`.
    #[inline(always)]
    pub fn is_within(&self, a: LockSet, b: LockSet) -> bool {
        a == b || self.sign(a) & !self.sign(b) == 0 && (self.signs_are_exact || self.is_smaller(a, b))
    }

    /// Whether every lock of `a` is in `b`, which is another set.
    #[inline(never)]
    fn is_smaller(&self, a: LockSet, b: LockSet) -> bool {
        let (a, b) = (self.locks(a), self.locks(b));
        a.len() < b.len() && {
            let mut rest = b.iter();
            a.iter().all(|lock| rest.any(|other| other == lock))
        }
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
        // Locks are numbered one after the other, so a program with few of them has a bit for each.
        self.signs_are_exact &= locks.last().is_none_or(|last| last.0 < 64);
        self.signs.push(locks.iter().fold(0, |sign, lock| sign | 1 << (lock.0 % 64)));
        self.index.insert(locks.into(), set);
        set
    }

    /// The same for what was put together in `room`, which is given back.
    fn intern_room(&mut self, mut room: Vec<LockId>) -> LockSet {
        let set = self.intern(&room);
        room.clear();
        self.room = room;
        set
    }

    /// The set with one lock more.
    #[inline]
    pub fn with(&mut self, set: LockSet, lock: LockId) -> LockSet {
        self.with.get(set.0, lock.0).unwrap_or_else(|| self.with_slowly(set, lock))
    }

    /// The same, if it is known without a change to anything.
    #[inline(always)]
    pub fn known_with(&self, set: LockSet, lock: LockId) -> Option<LockSet> {
        self.with.get(set.0, lock.0)
    }

    /// The same for a lock that is taken at a place, which becomes an example of where that is done.
    #[inline]
    pub fn with_taken(&mut self, set: LockSet, lock: LockId, site: SiteId) -> LockSet {
        self.with.get(set.0, lock.0).unwrap_or_else(|| {
            self.note_example(lock, site);
            self.with_slowly(set, lock)
        })
    }

    /// A place where a lock was taken once; perhaps another lock that had the same id.
    pub fn example(&self, lock: LockId) -> Option<SiteId> {
        self.examples.get(lock.index()).copied().flatten()
    }

    #[cold]
    fn note_example(&mut self, lock: LockId, site: SiteId) {
        if self.examples.len() <= lock.index() {
            self.examples.resize(lock.index() + 1, None);
        }
        self.examples[lock.index()] = Some(site);
    }

    /// The set without a lock.
    #[inline]
    pub fn without(&mut self, set: LockSet, lock: LockId) -> LockSet {
        self.without.get(set.0, lock.0).unwrap_or_else(|| self.without_slowly(set, lock))
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
        if self.sign(a) & self.sign(b) == 0 {
            return LockSet::EMPTY;
        }
        if self.is_within(a, b) {
            return a;
        }
        if self.is_within(b, a) {
            return b;
        }
        self.intersections.get(a.0, b.0).unwrap_or_else(|| self.intersect_slowly(a, b))
    }

    /// Whether no lock is in both sets.
    #[inline]
    pub fn disjoint(&mut self, a: LockSet, b: LockSet) -> bool {
        self.intersect(a, b).is_empty()
    }

    #[cold]
    fn intersect_slowly(&mut self, a: LockSet, b: LockSet) -> LockSet {
        let mut room = std::mem::take(&mut self.room);
        room.extend(self.locks(a).iter().copied().filter(|&lock| self.contains(b, lock)));
        let result = self.intern_room(room);
        self.intersections.put(a.0, b.0, result);
        result
    }

    #[cold]
    fn with_slowly(&mut self, set: LockSet, lock: LockId) -> LockSet {
        let mut result = set;
        if let Err(at) = self.locks(set).binary_search(&lock) {
            let mut room = std::mem::take(&mut self.room);
            room.extend_from_slice(self.locks(set));
            room.insert(at, lock);
            result = self.intern_room(room);
        }
        self.with.put(set.0, lock.0, result);
        result
    }

    #[cold]
    fn without_slowly(&mut self, set: LockSet, lock: LockId) -> LockSet {
        let mut result = set;
        if let Ok(at) = self.locks(set).binary_search(&lock) {
            let mut room = std::mem::take(&mut self.room);
            room.extend_from_slice(self.locks(set));
            room.remove(at);
            result = self.intern_room(room);
        }
        self.without.put(set.0, lock.0, result);
        result
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

    #[test]
    fn sets_whose_signs_are_alike_are_told_apart() {
        let mut sets = LockSets::default();
        let set = |sets: &mut LockSets, locks: &[u32]| {
            let locks: Vec<LockId> = locks.iter().copied().map(LockId).collect();
            sets.intern(&locks)
        };
        // Locks 64 apart have the same bit.
        let all: Vec<Vec<u32>> = vec![
            vec![],
            vec![1],
            vec![65],
            vec![1, 65],
            vec![1, 2],
            vec![2, 65],
            vec![1, 2, 65],
            vec![2],
            vec![66],
            vec![1, 66],
            vec![1, 2, 129],
            vec![1, 65, 129],
        ];
        for a in &all {
            for b in &all {
                let (x, y) = (set(&mut sets, a), set(&mut sets, b));
                assert_eq!(sets.is_within(x, y), a.iter().all(|lock| b.contains(lock)), "{a:?} in {b:?}");
                let both: Vec<u32> = a.iter().copied().filter(|lock| b.contains(lock)).collect();
                let expected = set(&mut sets, &both);
                assert_eq!(sets.intersect(x, y), expected, "{a:?} and {b:?}");
            }
        }
    }
}
