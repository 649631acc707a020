//! Collects the views of every thread under every lock while the trace goes by.
//!
//! Every access under a lock is noted once for each open block: a stamp kept with the variable says whether it has
//! been already, so that a repeated access costs one comparison and no look-up. With no lock held, or in blocks that
//! are not looked at any more, only writes cost anything: they may show that a variable is no constant.

use events::{Access, Event, LockId, Op, OpSet, SiteId, ThreadId, VarId};

use super::compare::{Conflict, Group, VIEW_SIZE, select};
use super::elements::Elements;
use super::kept::{Closed, Kept};
use super::moments::{Knowledge, Moment};
use super::table::code;
use crate::shared::lockset::LockSet;
use crate::{Now, VariableKind};

/// Elements that are told apart: variables, each in any number of generations.
const ELEMENTS: usize = 8_000_000;

/// A block that is not over.
struct Open {
    lock: LockId,
    table: u32,
    /// Whether its uses are collected.
    collecting: bool,
    site: SiteId,
    locks: LockSet,
    begin: Knowledge,
    /// Codes in the upper half, sites in the lower; some may be there more than once.
    uses: Vec<u64>,
}

#[derive(Default)]
struct Thread {
    open: Vec<Open>,
    /// How many of them are collecting.
    collecting: usize,
    /// Under which number accesses are noted now: a new one whenever a block opens, because what was used before has
    /// to be noted for it again, and whenever the hand-over order may change, because generations may.
    stamp: u64,
    /// What it knows of the others, if that was kept since it last changed.
    knowledge: Option<Knowledge>,
    /// Its time in the hand-over order after its last operation: giving a lock up may be the first to change it.
    time: u32,
}

/// Watches the blocks of every thread.
pub(super) struct Collector {
    paper: bool,
    pub(super) elements: Elements,
    pub(super) kept: Kept,
    threads: Vec<Thread>,
    stamp: u64,
    spare_uses: Vec<Vec<u64>>,
}

impl Collector {
    pub(super) fn new(paper: bool, views_per_lock: usize) -> Self {
        Self {
            paper,
            elements: Elements::default(),
            kept: Kept::new(views_per_lock),
            threads: Vec::new(),
            stamp: 0,
            spare_uses: Vec::new(),
        }
    }

    /// Makes room for a thread.
    #[inline(always)]
    pub(super) fn meet(&mut self, thread: ThreadId) {
        if thread.index() >= self.threads.len() {
            self.threads.resize_with(thread.index() + 1, Thread::default);
        }
    }

    /// An event that changes locks or order.
    pub(super) fn step(&mut self, event: &Event, now: &Now<'_>) {
        if event.op.kind().meets(OpSet::LOCK.and(OpSet::WAIT)) && now.hand_over.minds(event.op) {
            self.order_changed(event.thread);
        }
        match event.op {
            Op::Acquire { lock, .. } | Op::Woken { lock } => self.open(event.thread, lock, event.site, now),
            Op::Release { lock, .. } | Op::Wait { lock } => self.close(event.thread, lock),
            Op::VolatileRead { var, .. } if self.paper => {
                self.access(event.thread, var, false, event.site, now);
            }
            Op::VolatileWrite { var, .. } if self.paper => {
                self.access(event.thread, var, true, event.site, now);
            }
            Op::VolatileRead { .. }
            | Op::VolatileWrite { .. }
            | Op::Signal { .. }
            | Op::Observe { .. }
            | Op::Fork { .. }
            | Op::Join { .. } => self.order_changed(event.thread),
            _ => {}
        }
        self.threads[event.thread.index()].time = now.hand_over.time(event.thread);
    }

    /// Accesses of one thread, all under the same locks.
    pub(super) fn accesses(&mut self, thread: ThreadId, accesses: &[Access], now: &Now<'_>) {
        let row = &mut self.threads[thread.index()];
        if row.collecting == 0 {
            // Whether a variable is no constant changes only at an access that is new to the history.
            let new = now.found.unknown.get().iter().filter_map(|&i| accesses.get(i as usize));
            for access in new.filter(|access| access.writes()) {
                self.elements.wrote(access.var, now);
            }
            return;
        }
        // An object may have changed hands in the middle of a block.
        for access in now.found.unknown.get().iter().filter_map(|&i| accesses.get(i as usize)) {
            self.elements.renew(access.var, now);
        }
        // Nearly always there is one block, and it is not long.
        if let [block] = &mut row.open[..]
            && block.uses.len() + accesses.len() <= 2 * VIEW_SIZE
        {
            for access in accesses {
                if let Some(element) = self.elements.note(access.var, access.writes(), row.stamp, now) {
                    block.uses.push(used(element, access.writes(), access.site()));
                }
            }
            return;
        }
        for access in accesses {
            self.access(thread, access.var, access.writes(), access.site(), now);
        }
    }

    fn order_changed(&mut self, thread: ThreadId) {
        let thread = &mut self.threads[thread.index()];
        if let Some(knowledge) = thread.knowledge.take() {
            self.kept.moments.release(knowledge);
        }
        self.stamp += 1;
        thread.stamp = self.stamp;
    }

    fn open(&mut self, thread: ThreadId, lock: LockId, site: SiteId, now: &Now<'_>) {
        let (table, mut collecting) = self.kept.table(thread, lock, now);
        if collecting && self.elements.len() > ELEMENTS {
            self.kept.left.memory += 1;
            collecting = false;
        }
        let row = &mut self.threads[thread.index()];
        let (mut begin, mut uses) = (Knowledge::NOTHING, Vec::new());
        if collecting {
            if !self.paper {
                let moments = &mut self.kept.moments;
                let knowledge =
                    *row.knowledge.get_or_insert_with(|| moments.keep(now.hand_over.known_shared(thread)));
                begin = moments.share(knowledge);
            }
            uses = self.spare_uses.pop().unwrap_or_default();
            self.stamp += 1;
            row.stamp = self.stamp;
            row.collecting += 1;
        }
        row.open.push(Open { lock, table, collecting, site, locks: now.held.all, begin, uses });
    }

    fn close(&mut self, thread: ThreadId, lock: LockId) {
        let row = &mut self.threads[thread.index()];
        let Some(at) = row.open.iter().rposition(|block| block.lock == lock) else { return };
        let mut block = row.open.remove(at);
        if !block.collecting {
            return;
        }
        row.collecting -= 1;
        tidy(&mut block.uses);
        if block.uses.is_empty() || block.uses.len() > VIEW_SIZE {
            self.kept.left.view_size += u64::from(!block.uses.is_empty());
            self.kept.moments.release(block.begin);
        } else {
            let moment = Moment { begin: block.begin, end: row.time };
            let Open { table, site, locks, .. } = block;
            self.kept.add(Closed { table, site, locks, moment }, &block.uses);
        }
        block.uses.clear();
        self.spare_uses.push(block.uses);
    }

    /// An access, whatever is open.
    fn access(&mut self, thread: ThreadId, var: VarId, write: bool, site: SiteId, now: &Now<'_>) {
        let row = &mut self.threads[thread.index()];
        if row.collecting == 0 {
            if write {
                self.elements.wrote(var, now);
            }
            return;
        }
        let Some(element) = self.elements.note(var, write, row.stamp, now) else { return };
        let used = used(element, write, site);
        for block in &mut row.open {
            if block.collecting {
                block.uses.push(used);
                if block.uses.len() > 2 * VIEW_SIZE && !shrink(block) {
                    self.kept.moments.release(block.begin);
                    row.collecting -= 1;
                    self.kept.left.view_size += 1;
                }
            }
        }
    }

    /// The trace has ended, and with it every block.
    pub(super) fn finish(&mut self) {
        for thread in 0..self.threads.len() {
            while let Some(block) = self.threads[thread].open.last() {
                let lock = block.lock;
                self.close(ThreadId(thread as u32), lock);
            }
        }
        self.kept.drain();
    }

    /// Nobody will use the lock again.
    pub(super) fn forget(&mut self, lock: LockId) {
        for (thread, table) in self.kept.forget(lock) {
            let thread = &mut self.threads[thread.index()];
            for block in thread.open.iter_mut().filter(|block| block.table == table && block.collecting) {
                block.collecting = false;
                thread.collecting -= 1;
                self.kept.moments.release(block.begin);
            }
        }
    }

    /// The fields that a conflict is about.
    pub(super) fn kinds(&self, group: &Group, conflict: &Conflict) -> Vec<VariableKind> {
        let all = group.elements(group.seen(conflict.maximal));
        let mut kinds: Vec<VariableKind> =
            select(all, &conflict.diverging).map(|element| self.elements.get(element).kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }
}

/// A use of an element as a number that sorts by element.
#[inline(always)]
fn used(element: u32, write: bool, site: SiteId) -> u64 {
    u64::from(code(element, write)) << 32 | u64::from(site.0)
}

/// Sorts the uses of a block and keeps each once.
fn tidy(uses: &mut Vec<u64>) {
    if uses.len() > 8 {
        uses.sort_unstable();
    } else {
        // Most blocks are short, and then the library's sort spends more on choosing how than on sorting.
        for i in 1..uses.len() {
            let mut at = i;
            while at > 0 && uses[at - 1] > uses[at] {
                uses.swap(at - 1, at);
                at -= 1;
            }
        }
    }
    if uses.windows(2).any(|pair| pair[0] >> 32 == pair[1] >> 32) {
        uses.dedup_by_key(|used| *used >> 32);
    }
}

/// Makes room in a long block, or gives it up: false.
#[cold]
fn shrink(block: &mut Open) -> bool {
    tidy(&mut block.uses);
    if block.uses.len() > VIEW_SIZE {
        block.collecting = false;
        block.uses = Vec::new();
    }
    block.collecting
}
