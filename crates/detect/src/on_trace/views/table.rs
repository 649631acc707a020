//! The distinct views of one thread under one lock.

use events::{LockId, SiteId, StrId, ThreadId};

use super::moments::Moment;
use crate::shared::lockset::LockSet;

/// A use of an element in a view: the element and whether it was written.
#[inline(always)]
pub(super) fn code(element: u32, write: bool) -> u32 {
    element << 1 | u32::from(write)
}

/// A hash of numbers, for [`Slots`].
#[inline(always)]
pub(super) fn hash(numbers: impl Iterator<Item = u32>) -> u32 {
    let mut hash = 0_u64;
    for number in numbers {
        hash = (hash.rotate_left(5) ^ u64::from(number)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    (hash >> 32) as u32
}

/// Numbers found by hash, with open addressing; what they stand for is kept by the caller.
#[derive(Default)]
pub(super) struct Slots {
    /// A hash in the upper half, a number plus one in the lower; 0 is free.
    slots: Vec<u64>,
    used: usize,
}

impl Slots {
    /// The number that has this hash and is `same`.
    #[inline]
    pub(super) fn find(&self, hash: u32, same: impl Fn(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return None;
            }
            let number = (slot as u32).wrapping_sub(1);
            if slot >> 32 == u64::from(hash) && same(number) {
                return Some(number);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a number that is not there yet.
    pub(super) fn insert(&mut self, hash: u32, number: u32) {
        if self.used * 2 >= self.slots.len() {
            let longer = vec![0; (self.slots.len() * 2).max(16)];
            for old in std::mem::replace(&mut self.slots, longer) {
                if old != 0 {
                    self.put(old);
                }
            }
        }
        self.used += 1;
        self.put(u64::from(hash) << 32 | u64::from(number + 1));
    }

    /// Looks where [`find`](Self::find) will look.
    #[inline(always)]
    pub(super) fn touch(&self, hash: u32) -> u64 {
        let mask = self.slots.len().wrapping_sub(1);
        self.slots.get(hash as usize & mask).copied().unwrap_or(0)
    }

    /// Empties it, and keeps its memory if that is not much.
    pub(super) fn clear(&mut self) {
        if self.slots.len() > 1024 {
            self.slots = Vec::new();
        }
        self.slots.fill(0);
        self.used = 0;
    }

    fn put(&mut self, entry: u64) {
        let mask = self.slots.len() - 1;
        let mut at = (entry >> 32) as usize & mask;
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = entry;
    }
}

/// One distinct view. Where and under which locks is that of its first block.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    hash: u32,
    start: u32,
    len: u32,
    /// Where the block began.
    pub(super) site: SiteId,
    /// The locks held then.
    pub(super) locks: LockSet,
    /// Its first block.
    pub(super) first: Moment,
    /// Its last block so far.
    pub(super) last: Moment,
}

/// Below this many views they are searched one by one.
const FEW: usize = 8;

/// Whether a view could not be kept: then no block of the thread under this lock is looked at any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Full {
    /// There is room.
    No,
    /// There are too many views in this table.
    Views,
    /// There are too many views in all.
    Memory,
}

/// The distinct views of one thread under one lock.
pub(super) struct Table {
    pub(super) thread: ThreadId,
    pub(super) lock: LockId,
    /// The test in which they met.
    pub(super) test: Option<StrId>,
    pub(super) views: Vec<View>,
    /// Of each view what it uses, sorted: codes in the upper half, sites in the lower.
    uses: Vec<u64>,
    slots: Slots,
    /// The sets of locks under which its blocks were, the lock itself among them.
    held: Vec<LockSet>,
}

/// Sets of locks that a table tells apart.
const HELD: usize = 64;

impl Table {
    pub(super) fn new(thread: ThreadId, lock: LockId, test: Option<StrId>) -> Self {
        Self {
            thread,
            lock,
            test,
            views: Vec::new(),
            uses: Vec::new(),
            slots: Slots::default(),
            held: Vec::new(),
        }
    }

    /// A block was under these locks.
    #[inline(always)]
    pub(super) fn was_under(&mut self, locks: LockSet) {
        if self.held.last() != Some(&locks) && self.held.len() <= HELD && !self.held.contains(&locks) {
            self.held.push(locks);
        }
    }

    /// The sets of locks under which its blocks were; none if there were too many.
    pub(super) fn held(&self) -> Option<&[LockSet]> {
        (self.held.len() <= HELD).then_some(&self.held)
    }

    /// Looks where [`find`](Self::find) will look.
    #[inline(always)]
    pub(super) fn touch(&self, hash: u32) -> u64 {
        self.slots.touch(hash)
    }

    /// Looks at what [`find`](Self::find) will look at then: one of the views with this hash.
    #[inline(always)]
    pub(super) fn touch_view(&self, hash: u32) -> u64 {
        let view = self.slots.find(hash, |_| true).and_then(|number| self.views.get(number as usize));
        view.and_then(|view| self.uses.get(view.start as usize)).copied().unwrap_or(0)
    }

    /// The view with just these uses, which are sorted and have their codes in the upper half.
    #[inline]
    pub(super) fn find(&mut self, hash: u32, uses: &[u64]) -> Option<&mut View> {
        let same = |number: u32| {
            let view = &self.views[number as usize];
            view.hash == hash
                && view.len as usize == uses.len()
                && self.used(view).iter().zip(uses).all(|(known, used)| known >> 32 == used >> 32)
        };
        let found = if self.views.len() <= FEW {
            (0..self.views.len() as u32).find(|&number| same(number))
        } else {
            self.slots.find(hash, same)
        };
        found.map(|number| &mut self.views[number as usize])
    }

    /// Adds a view that is not there yet: its uses are sorted, with codes in the upper and sites in the lower half.
    pub(super) fn insert(&mut self, hash: u32, uses: &[u64], site: SiteId, locks: LockSet, moment: Moment) {
        let (start, len) = (self.uses.len() as u32, uses.len() as u32);
        self.uses.extend_from_slice(uses);
        let number = self.views.len() as u32;
        self.views.push(View { hash, start, len, site, locks, first: moment, last: moment });
        if self.views.len() == FEW + 1 {
            // Who has that many views will have more.
            self.views.reserve(8 * FEW);
            self.uses.reserve(32 * FEW);
            for (number, view) in self.views.iter().enumerate() {
                self.slots.insert(view.hash, number as u32);
            }
        } else if self.views.len() > FEW {
            self.slots.insert(hash, number);
        }
    }

    #[inline(always)]
    fn used(&self, view: &View) -> &[u64] {
        &self.uses[view.start as usize..][..view.len as usize]
    }

    /// The uses of a view, sorted, as codes.
    #[inline(always)]
    pub(super) fn codes(&self, view: &View) -> impl Iterator<Item = u32> {
        self.used(view).iter().map(|used| (used >> 32) as u32)
    }

    /// How many uses all views have together.
    pub(super) fn uses(&self) -> usize {
        self.uses.len()
    }

    /// Where a view has a use.
    pub(super) fn site(&self, view: &View, code: u32) -> Option<SiteId> {
        let used = self.used(view);
        let at = used.binary_search_by_key(&code, |used| (used >> 32) as u32).ok()?;
        Some(SiteId(used[at] as u32))
    }
}
