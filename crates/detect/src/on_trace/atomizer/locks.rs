//! Which lock operations move both ways: Atomizer's treatment of redundant locking (section 4.3).
//!
//! A lock goes through the states of a variable, without Read-Shared: Thread-Local, Thread-Local (2), Shared. In the
//! first two its operations move both ways. A shared lock has a candidate set of *other* locks, held at every
//! operation on it since it became shared; while one of them is left, the lock is protected and its operations move
//! both ways. Releases count as well as acquires: in a chain of locks that is taken hand over hand the outer lock goes
//! first, and then two threads do meet at the inner one.
//!
//! Each step can be switched off; a step that is off leaves out its state (Thread-Local (2)) or its verdict. What is
//! held in read mode protects only what is taken in read mode.

use events::{LockId, ThreadId};

use crate::Refinements;
use crate::shared::history::History;
use crate::shared::lockset::{LockSet, LockSets};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Unused,
    ThreadLocal(ThreadId),
    ThreadLocal2(ThreadId),
    Shared(LockSet),
}

/// The state of every lock.
pub(super) struct Locks {
    rows: Vec<State>,
    refinements: Refinements,
}

impl Locks {
    /// No operation yet.
    pub(super) fn new(refinements: Refinements) -> Self {
        Self { rows: Vec::new(), refinements }
    }

    /// Takes an operation on a lock into account; `held` are the locks that protect it, and it may be among them
    /// itself. Whether the operation moves both ways.
    #[inline]
    pub(super) fn operation(
        &mut self,
        lock: LockId,
        me: ThreadId,
        held: LockSet,
        (sets, history): (&mut LockSets, &mut History),
    ) -> bool {
        if self.rows.len() <= lock.index() {
            self.rows.resize(lock.index() + 1, State::Unused);
        }
        let on = self.refinements;
        match &mut self.rows[lock.index()] {
            State::Shared(candidates) => {
                let fewer = sets.intersect(*candidates, held);
                if fewer != *candidates {
                    *candidates = fewer;
                    history.change();
                }
                on.protected && !candidates.is_empty()
            }
            State::ThreadLocal(owner) if *owner == me => on.thread_local,
            State::ThreadLocal2(owner) if *owner == me => true,
            _ => {
                history.change();
                self.meet(lock, me, held, sets)
            }
        }
    }

    /// Another thread comes, or the first one.
    #[cold]
    fn meet(&mut self, lock: LockId, me: ThreadId, held: LockSet, sets: &mut LockSets) -> bool {
        let on = self.refinements;
        let row = &mut self.rows[lock.index()];
        match *row {
            State::Unused if on.thread_local || on.thread_local_2 => {
                *row = State::ThreadLocal(me);
                on.thread_local
            }
            State::ThreadLocal(_) if on.thread_local_2 => {
                *row = State::ThreadLocal2(me);
                true
            }
            _ => {
                let candidates = sets.without(held, lock);
                *row = State::Shared(candidates);
                on.protected && !candidates.is_empty()
            }
        }
    }
}
