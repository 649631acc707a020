//! What every access looks at of a variable: half a cache line that tells whether the access is like an earlier one.
//!
//! A thread's bit says that it has accessed the variable under these very locks since any thread's time in the
//! hand-over order last changed (the **stamp**). So one look answers for all threads that go by the same locks, and in
//! every other case [`Story`](super::story::Story) knows more.

use super::lockset::LockSet;
use super::vars::Glance;

/// Written since it became shared.
pub const WRITTEN: u8 = 1;
/// Some access had a rival since it started afresh.
pub const PAIRED: u8 = 2;
/// Two threads have ever accessed it.
pub const MET: u8 = 4;
/// Not all accesses since it started afresh were under the very same locks.
pub const MIXED: u8 = 8;
/// Two threads have accessed it without order since it started afresh.
pub const SHARED: u8 = 16;
/// Nobody has to look at accesses under the locks that all had since it became shared, as long as all are.
pub const RESTS: u8 = 32;

/// Nobody minds further places from which it is accessed.
pub const ENOUGH_PLACES: u8 = 64;

/// Some detector leaves accesses out, so it may have to see what others need not.
pub const ALWAYS_NEWS: u8 = 128;

/// How many threads there is room for.
pub const NOTED: u32 = 64;

/// The notes on one variable.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub struct Notes {
    /// Under which locks, and since when.
    locks: u32,
    stamp: u32,
    /// Who read or wrote, and who wrote; a bit each.
    bits: [[u32; 2]; 2],
    /// How often the variable has started afresh; never 0.
    pub generation: u32,
    /// A bit for each place from which it was accessed, if anybody minds.
    pub places: u16,
    /// [`WRITTEN`], [`PAIRED`], [`MET`], [`MIXED`], [`SHARED`], [`RESTS`], [`ENOUGH_PLACES`],
    /// [`ALWAYS_NEWS`].
    pub flags: u8,
    /// Whether it is accessed in what [repeats](super::repeats).
    pub repeats: bool,
}

const _: () = assert!(size_of::<Notes>() == 32, "two a cache line");

impl Glance for Notes {
    #[inline(always)]
    fn glance(&self) -> u32 {
        self.generation
    }
}

/// A thread, as notes know it: which bit is its own.
#[derive(Clone, Copy)]
pub struct Bit {
    word: usize,
    bit: u32,
}

impl Bit {
    /// None for threads for which there is no room.
    #[inline(always)]
    pub fn of(thread: u32) -> Self {
        let bit = if thread < NOTED { 1 << (thread % 32) } else { 0 };
        Self { word: thread as usize / 32 % 2, bit }
    }
}

impl Notes {
    /// Nothing is noted. (Stamps begin at 1.)
    pub const NEW: Notes =
        Notes { locks: 0, stamp: 0, bits: [[0; 2]; 2], generation: 1, places: 0, flags: 0, repeats: false };

    /// Whether a thread is known to have made such an access.
    #[inline(always)]
    pub fn tell(&self, me: Bit, write: bool, locks: LockSet, stamp: u32) -> bool {
        let bits = self.bits[usize::from(write)][me.word];
        (self.locks == locks.0) & (self.stamp == stamp) & (bits & me.bit != 0)
    }

    /// Whether another thread is known to have accessed the variable under these locks, and there is room for this one.
    #[inline(always)]
    pub fn has_another(&self, me: u32, locks: LockSet, stamp: u32) -> bool {
        let me = Bit::of(me);
        let mut touched = self.bits[0];
        touched[me.word] &= !me.bit;
        (me.bit != 0) & (self.locks == locks.0) & (self.stamp == stamp) & (touched[0] | touched[1] != 0)
    }

    /// Whether only what is not noted is worth a look: the variable is one thread's, or rests.
    #[inline(always)]
    pub fn is_quiet(&self) -> bool {
        self.flags & (SHARED | RESTS) != SHARED
    }

    /// Notes an access.
    #[inline(always)]
    pub fn note(&mut self, me: u32, write: bool, locks: LockSet, stamp: u32) {
        if (self.locks != locks.0) | (self.stamp != stamp) {
            (self.locks, self.stamp, self.bits) = (locks.0, stamp, [[0; 2]; 2]);
        }
        let me = Bit::of(me);
        self.bits[0][me.word] |= me.bit;
        self.bits[1][me.word] |= if write { me.bit } else { 0 };
    }

    /// Forgets everything but the generation, which is the next one.
    pub fn start_afresh(&mut self, flags: u8) {
        *self = Notes { generation: self.generation + 1, flags, ..Notes::NEW };
    }

    /// A second thread has come. What happened before does not count: a detector learns from an access to a shared
    /// variable even if there was one just like it when the variable was its only thread's.
    pub fn share(&mut self) {
        *self = Notes {
            generation: self.generation,
            places: self.places,
            flags: self.flags | SHARED,
            ..Notes::NEW
        };
    }

    /// An access comes to a shared variable.
    #[inline(always)]
    pub fn wrote_while_shared(&mut self, write: bool) {
        self.flags |= if write { WRITTEN } else { 0 };
    }
}
