//! The last accesses of each variable by each thread, for the detectors that reason with lock sets and views.
//!
//! Two things come from here. A variable's **generation**: it goes up when an access by another thread comes, in the
//! hand-over order, after *all* earlier accesses; whoever keeps state for the variable starts afresh then. And its
//! **rivals**: for an access, an earlier one that is unordered in the hand-over order, has no lock in common, and one
//! of the two writes.
//!
//! For each thread the last read and the last write are kept, not older ones under other locks.

use events::{SiteId, ThreadId, VarId};

use super::held::Held;
use super::lockset::{LockSet, LockSets};
use super::order::{Epoch, Order};
use super::vars::{PerVar, VarState};

const NOBODY: u32 = u32::MAX;
const NEVER: u32 = u32::MAX;

/// One remembered access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// When.
    pub epoch: Epoch,
    /// Where.
    pub site: SiteId,
    /// The locks that protected it.
    pub locks: LockSet,
    /// Whether it wrote.
    pub write: bool,
}

/// The last read and write of one thread.
#[derive(Clone, Copy, Debug)]
struct Last {
    thread: u32,
    /// The time of the later of the two.
    time: u32,
    read_time: u32,
    write_time: u32,
    read_site: u32,
    read_locks: u32,
    write_site: u32,
    write_locks: u32,
}

impl Last {
    const NONE: Last = Last {
        thread: NOBODY,
        time: 0,
        read_time: 0,
        write_time: 0,
        read_site: NEVER,
        read_locks: 0,
        write_site: NEVER,
        write_locks: 0,
    };

    #[inline(always)]
    fn update(&mut self, time: u32, site: SiteId, locks: LockSet, write: bool) {
        self.time = time;
        if write {
            (self.write_time, self.write_site, self.write_locks) = (time, site.0, locks.0);
        } else {
            (self.read_time, self.read_site, self.read_locks) = (time, site.0, locks.0);
        }
    }

    fn accesses(self) -> impl Iterator<Item = Access> {
        let thread = ThreadId(self.thread);
        let write = (self.write_site != NEVER).then(|| Access {
            epoch: Epoch { thread, time: self.write_time },
            site: SiteId(self.write_site),
            locks: LockSet(self.write_locks),
            write: true,
        });
        let read = (self.read_site != NEVER).then(|| Access {
            epoch: Epoch { thread, time: self.read_time },
            site: SiteId(self.read_site),
            locks: LockSet(self.read_locks),
            write: false,
        });
        write.into_iter().chain(read)
    }
}

/// What is known of one variable.
#[derive(Clone)]
struct Row {
    /// The last access of all.
    last: Last,
    generation: u32,
    /// Whether it was written since it became shared.
    written: bool,
    /// The other threads' last accesses; there are some just when the variable is shared.
    others: Option<Box<Vec<Last>>>,
}

/// The history of every variable.
pub struct History {
    rows: PerVar<Row>,
}

impl Default for History {
    fn default() -> Self {
        Self { rows: PerVar::new(Row { last: Last::NONE, generation: 1, written: false, others: None }) }
    }
}

impl History {
    /// Takes an access into account.
    #[inline]
    pub fn access(&mut self, var: VarId, me: ThreadId, site: SiteId, write: bool, held: Held, order: &Order) {
        let row = self.rows.at(var);
        let time = order.time(me);
        let locks = held.protecting(write);
        if row.last.thread == me.0 && row.others.is_none() {
            row.last.update(time, site, locks, write);
            return;
        }
        row.meet(me, order);
        row.last.update(time, site, locks, write);
        row.written |= write && row.others.is_some();
    }

    /// How often the variable's state has started afresh; never 0.
    #[inline(always)]
    pub fn generation(&self, var: VarId) -> u32 {
        self.rows.get(var).generation
    }

    /// Whether two threads have accessed the variable without order since it last started afresh.
    #[inline(always)]
    pub fn is_shared(&self, var: VarId) -> bool {
        self.rows.get(var).others.is_some()
    }

    /// Whether the variable was written since (and by the access with which) it became shared.
    #[inline(always)]
    pub fn written_while_shared(&self, var: VarId) -> bool {
        self.rows.get(var).written
    }

    /// The last reads and writes of every thread since the variable started afresh, the current thread's among them.
    pub fn accesses(&self, var: VarId) -> impl Iterator<Item = Access> {
        let row = self.rows.get(var);
        std::iter::once(row.last)
            .filter(|last| last.thread != NOBODY)
            .chain(row.others.iter().flat_map(|others| others.iter().copied()))
            .flat_map(Last::accesses)
    }

    /// An earlier access of another thread that conflicts with one that `me` makes now: one of them writes, they are
    /// unordered, and no lock protects both. A write is preferred.
    pub fn rival(
        &self,
        var: VarId,
        me: ThreadId,
        write: bool,
        locks: LockSet,
        order: &Order,
        sets: &mut LockSets,
    ) -> Option<Access> {
        self.accesses(var)
            .filter(|other| other.epoch.thread != me && (write || other.write))
            .filter(|other| !order.before(other.epoch, me) && sets.disjoint(other.locks, locks))
            .max_by_key(|other| (other.write, other.epoch.time))
    }
}

impl Row {
    /// Another thread comes, or one of several comes back.
    fn meet(&mut self, me: ThreadId, order: &Order) {
        if self.last.thread == NOBODY {
            self.last.thread = me.0;
            return;
        }
        let last = Epoch { thread: ThreadId(self.last.thread), time: self.last.time };
        let others = self.others.as_deref().map_or(&[][..], Vec::as_slice);
        let ordered = order.before(last, me)
            && others.iter().all(|o| order.before(Epoch { thread: ThreadId(o.thread), time: o.time }, me));
        if ordered {
            self.generation += 1;
            self.written = false;
            self.others = None;
            self.last = Last { thread: me.0, ..Last::NONE };
        } else if self.last.thread != me.0 {
            let others = self.others.get_or_insert_default();
            let mine = others.iter().position(|o| o.thread == me.0);
            let mine = match mine {
                Some(at) => others.swap_remove(at),
                None => Last { thread: me.0, ..Last::NONE },
            };
            others.push(std::mem::replace(&mut self.last, mine));
        }
    }
}

impl VarState for History {
    fn grow(&mut self, n: usize) {
        self.rows.grow(n);
    }

    fn forget(&mut self, var: VarId) {
        let generation = self.rows.at(var).generation + 1;
        self.rows.forget(var);
        self.rows.at(var).generation = generation;
    }

    fn copy(&mut self, from: VarId, to: VarId) {
        self.rows.copy(from, to);
    }
}
