//! Which accesses move both ways: Atomizer's lock sets (section 4.1, Figure 13; section 4.4, Figure 15).
//!
//! | state | what has happened |
//! |---|---|
//! | Thread-Local | one thread has accessed the variable |
//! | Thread-Local (2) | a second thread has taken it over, and nobody else has accessed it since |
//! | Read-Shared | a further thread (or the first one again) has read it, and nobody has written it since |
//! | Shared-Modified | it has been written after that, or the further thread wrote |
//!
//! In the first three states every access moves both ways and nothing is refined. On entering Shared-Modified both
//! lock sets start with the locks of the thread that enters. From then on
//!
//! - *access-protecting*, A: locks held at every access; a write moves both ways if one of A is held;
//! - *write-protecting*, W ⊇ A: locks held at every write; a read moves both ways if one of W is held. Without the
//!   refinement of section 4.4 it is A that decides here too, and A is then the one candidate set of Figure 14.
//!
//! An access that the sets do not protect is a non-mover: it may be a benign race (Figure 14, not Figure 11).
//! A lock held in read mode protects reads only.
//!
//! Volatile variables go the same way but for Thread-Local (2): what the second thread does counts. That a volatile
//! variable hands things over does not make it less protected by a lock that is held wherever it is used. In the papers'
//! mode no operation on one moves.

use std::collections::HashMap;

use events::{Access, ThreadId, VarId};
use rustc_hash::FxBuildHasher;

use crate::shared::held::Held;
use crate::shared::history::History;
use crate::shared::lockset::{LockSet, LockSets};
use crate::shared::vars::{Glance, PerVar, VarState};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Unused,
    ThreadLocal(ThreadId),
    ThreadLocal2(ThreadId),
    ReadShared,
    SharedModified { access: LockSet, write: LockSet },
}

#[derive(Clone, Copy)]
struct Row {
    state: State,
    /// The generation of the shared history that the state belongs to.
    generation: u32,
}

const _: () = assert!(size_of::<Row>() <= 16, "one row for each variable of the program");

impl Glance for Row {
    #[inline(always)]
    fn glance(&self) -> u32 {
        self.generation
    }
}

/// The lock sets of every variable.
pub(super) struct Variables {
    rows: PerVar<Row>,
    volatile: Volatile,
    write_protected: bool,
}

impl Variables {
    /// No access yet. `write_protected`: whether section 4.4 holds.
    pub(super) fn new(write_protected: bool) -> Self {
        let rows = PerVar::new(Row { state: State::Unused, generation: 0 });
        Self { rows, volatile: Volatile::default(), write_protected }
    }

    /// Takes an access into account. Whether it moves both ways.
    #[inline]
    pub(super) fn access(
        &mut self,
        var: VarId,
        me: ThreadId,
        write: bool,
        held: Held,
        history: &mut History,
        sets: &mut LockSets,
    ) -> bool {
        let row = self.rows.at(var);
        // Only this thread has accessed the variable, so nobody can have handed it over either.
        if row.state == State::ThreadLocal(me) {
            return true;
        }
        let generation = history.generation(var);
        if row.generation != generation {
            *row = Row { state: State::ThreadLocal(me), generation };
            return true;
        }
        let locks = held.protecting(write);
        match &mut row.state {
            State::SharedModified { access, write: writes } => {
                let before = (*access, *writes);
                *access = sets.intersect(*access, locks);
                if write {
                    *writes = sets.intersect(*writes, locks);
                }
                if before != (*access, *writes) {
                    history.change_to(var);
                }
                if (*access == *writes) & !access.is_empty() {
                    // As long as nobody comes without these locks, nothing changes any more, and all moves both ways.
                    history.lay_to_rest(var, *access);
                }
                if write || !self.write_protected {
                    !access.is_empty()
                } else {
                    !sets.disjoint(*writes, locks)
                }
            }
            State::ReadShared if !write => true,
            State::ThreadLocal(owner) | State::ThreadLocal2(owner) if *owner == me => true,
            State::ThreadLocal(_) => {
                row.state = State::ThreadLocal2(me);
                history.change_to(var);
                true
            }
            State::ThreadLocal2(_) if !write => {
                row.state = State::ReadShared;
                history.change_to(var);
                true
            }
            State::ThreadLocal2(_) | State::ReadShared => {
                history.change_to(var);
                row.state = State::SharedModified { access: locks, write: locks };
                !locks.is_empty()
            }
            State::Unused => {
                row.state = State::ThreadLocal(me);
                true
            }
        }
    }

    /// Takes a volatile access into account. Whether it moves both ways.
    pub(super) fn volatile(
        &mut self,
        var: VarId,
        me: ThreadId,
        write: bool,
        held: Held,
        sets: &mut LockSets,
    ) -> bool {
        let state = self.volatile.0.entry(var).or_insert(State::Unused);
        let locks = held.protecting(write);
        match state {
            State::Unused => {
                *state = State::ThreadLocal(me);
                true
            }
            State::ThreadLocal(owner) if *owner == me => true,
            State::SharedModified { access, write: writes } => {
                *access = sets.intersect(*access, locks);
                if write {
                    *writes = sets.intersect(*writes, locks);
                }
                if write || !self.write_protected {
                    !access.is_empty()
                } else {
                    !sets.disjoint(*writes, locks)
                }
            }
            _ if write => {
                *state = State::SharedModified { access: locks, write: locks };
                !locks.is_empty()
            }
            _ => {
                *state = State::ReadShared;
                true
            }
        }
    }

    /// Whether every write of the variable was under some common lock, so that only its reads lack one.
    pub(super) fn writes_are_protected(&self, var: VarId) -> bool {
        matches!(self.rows.get(var).state, State::SharedModified { write, .. } if !write.is_empty())
    }

    /// The tables, so that they can grow, forget and split.
    pub(super) fn tables(&mut self, each: &mut dyn FnMut(&mut dyn VarState)) {
        each(&mut self.rows);
        each(&mut self.volatile);
    }
}

/// The states of volatile variables: most variables are none.
#[derive(Default)]
struct Volatile(HashMap<VarId, State, FxBuildHasher>);

impl VarState for Volatile {
    fn grow(&mut self, _: usize) {}

    fn forget(&mut self, var: VarId) {
        self.0.remove(&var);
    }

    fn copy(&mut self, from: VarId, to: VarId) {
        if let Some(&state) = self.0.get(&from) {
            self.0.insert(to, state);
        }
    }

    fn touch(&self, _: &[Access]) -> u32 {
        0
    }
}
