//! Which locks each thread holds, and since where.

use events::{Event, LockId, Mode, Op, SiteId, ThreadId};

use super::lockset::{LockSet, LockSets};

/// One lock that a thread holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeldLock {
    /// Which.
    pub lock: LockId,
    /// How.
    pub mode: Mode,
    /// Where it was taken.
    pub site: SiteId,
}

/// The locks of one thread as sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    /// All of them: what protects a read.
    pub all: LockSet,
    /// Those held alone: what protects a write. A lock held in read mode protects reads only.
    pub exclusive: LockSet,
}

impl Held {
    /// No lock.
    pub const NONE: Held = Held { all: LockSet::EMPTY, exclusive: LockSet::EMPTY };

    /// What protects an access.
    #[inline(always)]
    pub fn protecting(self, write: bool) -> LockSet {
        if write { self.exclusive } else { self.all }
    }
}

#[derive(Clone, Debug)]
struct Thread {
    held: Held,
    locks: Vec<HeldLock>,
}

/// The locks of every thread.
#[derive(Default)]
pub struct Holders {
    threads: Vec<Thread>,
}

impl Holders {
    /// Makes room for `n` threads.
    pub fn grow(&mut self, n: usize) {
        if self.threads.len() < n {
            self.threads.resize(n, Thread { held: Held::NONE, locks: Vec::new() });
        }
    }

    /// What a thread holds, as sets.
    #[inline(always)]
    pub fn held(&self, thread: ThreadId) -> Held {
        self.threads[thread.index()].held
    }

    /// What a thread holds, in the order in which it was taken.
    #[inline(always)]
    pub fn locks(&self, thread: ThreadId) -> &[HeldLock] {
        &self.threads[thread.index()].locks
    }

    /// Takes a lock operation into account; others change nothing.
    pub fn step(&mut self, event: &Event, sets: &mut LockSets) {
        let thread = &mut self.threads[event.thread.index()];
        match event.op {
            Op::Acquire { lock, mode } => thread.take(HeldLock { lock, mode, site: event.site }, sets),
            Op::Woken { lock } => {
                thread.take(HeldLock { lock, mode: Mode::Exclusive, site: event.site }, sets)
            }
            Op::Release { lock, .. } | Op::Wait { lock } => thread.give(lock, sets),
            _ => {}
        }
    }
}

impl Thread {
    fn take(&mut self, taken: HeldLock, sets: &mut LockSets) {
        self.locks.push(taken);
        self.held.all = sets.with(self.held.all, taken.lock);
        if taken.mode == Mode::Exclusive {
            self.held.exclusive = sets.with(self.held.exclusive, taken.lock);
        }
    }

    fn give(&mut self, lock: LockId, sets: &mut LockSets) {
        if let Some(at) = self.locks.iter().rposition(|held| held.lock == lock) {
            self.locks.remove(at);
            self.held.all = sets.without(self.held.all, lock);
            self.held.exclusive = sets.without(self.held.exclusive, lock);
        }
    }
}
