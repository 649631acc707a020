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
    /// What was held before it was taken: locks are mostly given up in reverse order.
    pub(super) before: Held,
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

    /// A thread takes a lock in exclusive mode.
    #[inline(always)]
    pub fn acquire(&mut self, thread: ThreadId, lock: LockId, site: SiteId, sets: &mut LockSets) {
        self.threads[thread.index()].take(lock, Mode::Exclusive, site, sets);
    }

    /// A thread gives a lock up.
    #[inline(always)]
    pub fn release(&mut self, thread: ThreadId, lock: LockId, sets: &mut LockSets) {
        self.threads[thread.index()].give(lock, sets);
    }

    /// Takes a lock operation into account; others change nothing.
    pub fn step(&mut self, event: &Event, sets: &mut LockSets) {
        let thread = &mut self.threads[event.thread.index()];
        match event.op {
            Op::Acquire { lock, mode, .. } => thread.take(lock, mode, event.site, sets),
            Op::Woken { lock } => thread.take(lock, Mode::Exclusive, event.site, sets),
            Op::Release { lock, .. } | Op::Wait { lock } => thread.give(lock, sets),
            _ => {}
        }
    }
}

impl Thread {
    #[inline]
    fn take(&mut self, lock: LockId, mode: Mode, site: SiteId, sets: &mut LockSets) {
        let before = self.held;
        self.locks.push(HeldLock { lock, mode, site, before });
        self.held.all = sets.with_taken(before.all, lock, site);
        if mode == Mode::Exclusive {
            // Mostly nothing is held in read mode.
            let same = before.all == before.exclusive;
            self.held.exclusive = if same { self.held.all } else { sets.with(before.exclusive, lock) };
        }
    }

    #[inline]
    fn give(&mut self, lock: LockId, sets: &mut LockSets) {
        match self.locks.last() {
            Some(held) if held.lock == lock => {
                self.held = held.before;
                self.locks.pop();
            }
            _ => self.give_out_of_order(lock, sets),
        }
    }

    #[cold]
    fn give_out_of_order(&mut self, lock: LockId, sets: &mut LockSets) {
        let Some(at) = self.locks.iter().rposition(|held| held.lock == lock) else { return };
        self.locks.remove(at);
        let later = self.locks[at..].iter_mut().map(|held| &mut held.before);
        for held in later.chain([&mut self.held]) {
            held.all = sets.without(held.all, lock);
            held.exclusive = sets.without(held.exclusive, lock);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::ThreadId;

    #[test]
    fn locks_given_up_in_any_order_leave_the_right_sets() {
        let (mut holders, mut sets) = (Holders::default(), LockSets::default());
        holders.grow(1);
        let thread = ThreadId(0);
        let mut step = |op| {
            holders.step(&Event { thread, site: SiteId(0), op }, &mut sets);
            let held = holders.held(thread);
            (sets.locks(held.all).to_vec(), sets.locks(held.exclusive).to_vec())
        };
        let [a, b, c] = [LockId(0), LockId(1), LockId(2)];
        let acquire = |lock, mode| Op::Acquire { lock, mode, tries: false };
        step(acquire(a, Mode::Exclusive));
        assert_eq!(step(acquire(b, Mode::Read)), (vec![a, b], vec![a]));
        step(acquire(c, Mode::Exclusive));
        assert_eq!(step(Op::Release { lock: a, mode: Mode::Exclusive }), (vec![b, c], vec![c]));
        assert_eq!(step(Op::Wait { lock: c }), (vec![b], vec![]));
        assert_eq!(step(Op::Release { lock: b, mode: Mode::Read }), (vec![], vec![]));
        assert_eq!(step(Op::Woken { lock: c }), (vec![c], vec![c]));
    }
}
