//! The distinct views of one thread under one lock.

use events::{LockId, SiteId, ThreadId};

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
    /// A number plus one; 0 is free.
    slots: Vec<u32>,
    used: usize,
}

impl Slots {
    /// The number that is `same`.
    #[inline]
    pub(super) fn find(&self, hash: u32, same: impl Fn(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at] != 0 {
            let number = self.slots[at] - 1;
            if same(number) {
                return Some(number);
            }
            at = (at + 1) & mask;
        }
        None
    }

    /// Adds a number that is not there yet.
    pub(super) fn insert(&mut self, number: u32, hash_of: impl Fn(u32) -> u32) {
        if self.used * 2 >= self.slots.len() {
            let longer = vec![0; (self.slots.len() * 2).max(16)];
            for old in std::mem::replace(&mut self.slots, longer) {
                if old != 0 {
                    self.put(old, hash_of(old - 1));
                }
            }
        }
        self.used += 1;
        self.put(number + 1, hash_of(number));
    }

    fn put(&mut self, entry: u32, hash: u32) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
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
    /// Whether blocks are still looked at.
    pub(super) full: Full,
    pub(super) views: Vec<View>,
    codes: Vec<u32>,
    sites: Vec<SiteId>,
    slots: Slots,
}

impl Table {
    pub(super) fn new(thread: ThreadId, lock: LockId) -> Self {
        Self {
            thread,
            lock,
            full: Full::No,
            views: Vec::new(),
            codes: Vec::new(),
            sites: Vec::new(),
            slots: Slots::default(),
        }
    }

    /// The view with just these uses, which are sorted and have their codes in the upper half.
    #[inline]
    pub(super) fn find(&mut self, hash: u32, uses: &[u64]) -> Option<&mut View> {
        let same = |number: u32| {
            let view = &self.views[number as usize];
            view.hash == hash
                && view.len as usize == uses.len()
                && self.codes(view).iter().zip(uses).all(|(&code, &used)| u64::from(code) == used >> 32)
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
        let (start, len) = (self.codes.len() as u32, uses.len() as u32);
        self.codes.extend(uses.iter().map(|used| (used >> 32) as u32));
        self.sites.extend(uses.iter().map(|&used| SiteId(used as u32)));
        let number = self.views.len() as u32;
        self.views.push(View { hash, start, len, site, locks, first: moment, last: moment });
        if self.views.len() == FEW + 1 {
            for number in 0..number {
                self.slots.insert(number, |number| self.views[number as usize].hash);
            }
        }
        if self.views.len() > FEW {
            self.slots.insert(number, |number| self.views[number as usize].hash);
        }
    }

    /// The uses of a view, sorted.
    #[inline(always)]
    pub(super) fn codes(&self, view: &View) -> &[u32] {
        &self.codes[view.start as usize..][..view.len as usize]
    }

    /// How many uses all views have together.
    pub(super) fn uses(&self) -> usize {
        self.codes.len()
    }

    /// Where a view has a use.
    pub(super) fn site(&self, view: &View, code: u32) -> Option<SiteId> {
        let at = self.codes(view).binary_search(&code).ok()?;
        Some(self.sites[view.start as usize + at])
    }
}
