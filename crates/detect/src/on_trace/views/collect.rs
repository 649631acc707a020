//! Collects the views of every thread under every lock while the trace goes by.
//!
//! Every access under a lock is noted once for each open block: a stamp kept with the variable says whether it has
//! been already, so that a repeated access costs one comparison and no look-up. With no lock held, or in blocks that
//! are not looked at any more, only writes cost anything: they may show that a variable is no constant.

use events::{Event, Lock, LockId, ObjectId, Op, SiteId, ThreadId, VarId};
use rustc_hash::FxHashMap;

use super::compare::VIEW_SIZE;
use super::elements::Elements;
use super::moments::{Knowledge, Moment, Moments};
use super::table::{Full, Table, code, hash};
use crate::Now;
use crate::shared::lockset::LockSet;

/// Views in all that are kept.
pub(super) const VIEWS: usize = 2_000_000;
/// Uses of variables that are kept in all views together.
const USES: usize = 8_000_000;
/// What threads knew of each other, in numbers.
const KNOWLEDGE: usize = 16_000_000;

/// How many blocks were not looked at, by reason.
#[derive(Clone, Copy, Default)]
pub(super) struct Left {
    /// Too many distinct views of one thread under one lock.
    pub(super) views_per_lock: u64,
    /// Too many views or uses in all.
    pub(super) memory: u64,
    /// Too many variables in the block.
    pub(super) view_size: u64,
}

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
}

/// The views so far.
pub(super) struct Collector {
    paper: bool,
    pub(super) views_per_lock: usize,
    pub(super) left: Left,
    pub(super) elements: Elements,
    pub(super) moments: Moments,
    pub(super) tables: Vec<Option<Table>>,
    threads: Vec<Thread>,
    stamp: u64,
    spare_tables: Vec<u32>,
    /// The table of a thread and a lock.
    table_of: FxHashMap<(ThreadId, LockId), u32>,
    /// The tables of each lock, in the order in which they came.
    tables_of: FxHashMap<LockId, Vec<u32>>,
    /// The lock that an object is.
    lock_of: FxHashMap<ObjectId, LockId>,
    spare_uses: Vec<Vec<u64>>,
    views: usize,
    uses: usize,
}

impl Collector {
    pub(super) fn new(paper: bool, views_per_lock: usize) -> Self {
        Self {
            paper,
            views_per_lock,
            left: Left::default(),
            elements: Elements::default(),
            moments: Moments::new(KNOWLEDGE),
            tables: Vec::new(),
            threads: Vec::new(),
            stamp: 0,
            spare_tables: Vec::new(),
            table_of: FxHashMap::default(),
            tables_of: FxHashMap::default(),
            lock_of: FxHashMap::default(),
            spare_uses: Vec::new(),
            views: 0,
            uses: 0,
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
        match event.op {
            Op::Acquire { lock, .. } | Op::Woken { lock } => self.open(event.thread, lock, event.site, now),
            Op::Release { lock, .. } | Op::Wait { lock } => self.close(event.thread, lock, now),
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
    }

    /// The accesses among these events, all of one thread under the same locks.
    pub(super) fn accesses(&mut self, thread: ThreadId, events: &[Event], now: &Now<'_>) {
        if self.threads[thread.index()].collecting == 0 {
            for event in events {
                if let Op::Write { var } = event.op {
                    self.elements.wrote(var, now);
                }
            }
            return;
        }
        for event in events {
            match event.op {
                Op::Read { var } => self.access(thread, var, false, event.site, now),
                Op::Write { var } => self.access(thread, var, true, event.site, now),
                _ => {}
            }
        }
    }

    fn order_changed(&mut self, thread: ThreadId) {
        let thread = &mut self.threads[thread.index()];
        if let Some(knowledge) = thread.knowledge.take() {
            self.moments.release(knowledge);
        }
        self.stamp += 1;
        thread.stamp = self.stamp;
    }

    fn open(&mut self, thread: ThreadId, lock: LockId, site: SiteId, now: &Now<'_>) {
        let table = match self.table_of.get(&(thread, lock)) {
            Some(&table) => table,
            None => self.new_table(thread, lock, now),
        };
        let full = self.tables[table as usize].as_ref().map_or(Full::Memory, |table| table.full);
        let collecting = full == Full::No;
        let row = &mut self.threads[thread.index()];
        let mut block = Open {
            lock,
            table,
            collecting,
            site,
            locks: now.held.all,
            begin: Knowledge::NOTHING,
            uses: Vec::new(),
        };
        if collecting {
            if !self.paper {
                let knowledge = *row
                    .knowledge
                    .get_or_insert_with(|| self.moments.keep(now.hand_over.known_shared(thread)));
                block.begin = self.moments.share(knowledge);
            }
            block.uses = self.spare_uses.pop().unwrap_or_default();
            self.stamp += 1;
            row.stamp = self.stamp;
            row.collecting += 1;
        } else if full == Full::Views {
            self.left.views_per_lock += 1;
        } else {
            self.left.memory += 1;
        }
        row.open.push(block);
    }

    #[cold]
    fn new_table(&mut self, thread: ThreadId, lock: LockId, now: &Now<'_>) -> u32 {
        let row = Some(Table::new(thread, lock));
        let table = match self.spare_tables.pop() {
            Some(table) => {
                self.tables[table as usize] = row;
                table
            }
            None => {
                self.tables.push(row);
                self.tables.len() as u32 - 1
            }
        };
        self.table_of.insert((thread, lock), table);
        self.tables_of.entry(lock).or_default().push(table);
        if let Lock::Of(object) = *now.symbols.locks.get(lock) {
            self.lock_of.insert(object, lock);
        }
        table
    }

    fn close(&mut self, thread: ThreadId, lock: LockId, now: &Now<'_>) {
        let row = &mut self.threads[thread.index()];
        let Some(at) = row.open.iter().rposition(|block| block.lock == lock) else { return };
        let mut block = row.open.remove(at);
        if !block.collecting {
            return;
        }
        row.collecting -= 1;
        tidy(&mut block.uses);
        if block.uses.len() > VIEW_SIZE {
            self.left.view_size += 1;
        } else if !block.uses.is_empty() {
            self.keep(&block, now.hand_over.time(thread));
        }
        self.moments.release(block.begin);
        block.uses.clear();
        self.spare_uses.push(block.uses);
    }

    /// Keeps the view of a block that is over.
    fn keep(&mut self, block: &Open, end: u32) {
        let Some(table) = &mut self.tables[block.table as usize] else { return };
        let hash = hash(block.uses.iter().map(|used| (used >> 32) as u32));
        let begin = block.begin;
        if let Some(view) = table.find(hash, &block.uses) {
            if view.last.begin != begin {
                self.moments.release(view.last.begin);
                view.last.begin = self.moments.share(begin);
            }
            view.last.end = end;
            return;
        }
        if table.views.len() >= self.views_per_lock {
            table.full = Full::Views;
            self.left.views_per_lock += 1;
            return;
        }
        let uses = self.uses + block.uses.len();
        if self.views >= VIEWS || uses.max(self.elements.len()) > USES {
            table.full = Full::Memory;
            self.left.memory += 1;
            return;
        }
        self.views += 1;
        self.uses = uses;
        self.moments.share(begin);
        self.moments.share(begin);
        table.insert(hash, &block.uses, block.site, block.locks, Moment { begin, end });
    }

    /// A plain access.
    #[inline(always)]
    fn access(&mut self, thread: ThreadId, var: VarId, write: bool, site: SiteId, now: &Now<'_>) {
        let row = &mut self.threads[thread.index()];
        if row.collecting == 0 {
            if write {
                self.elements.wrote(var, now);
            }
            return;
        }
        let Some(element) = self.elements.note(var, write, row.stamp, now) else { return };
        let used = u64::from(code(element, write)) << 32 | u64::from(site.0);
        for block in &mut row.open {
            if block.collecting {
                block.uses.push(used);
                if block.uses.len() > 2 * VIEW_SIZE && !shrink(block) {
                    self.moments.release(block.begin);
                    row.collecting -= 1;
                    self.left.view_size += 1;
                }
            }
        }
    }

    /// The block of a lock that was open at the end of the trace, and so on until none is.
    pub(super) fn close_all(&mut self, now: &Now<'_>) {
        for thread in 0..self.threads.len() {
            while let Some(block) = self.threads[thread].open.last() {
                let lock = block.lock;
                self.close(ThreadId(thread as u32), lock, now);
            }
        }
    }

    /// The lock that an object is, if anybody ever took it.
    pub(super) fn lock_of(&mut self, object: ObjectId) -> Option<LockId> {
        self.lock_of.remove(&object)
    }

    /// The tables of a lock.
    pub(super) fn tables_of(&self, lock: LockId) -> Vec<u32> {
        self.tables_of.get(&lock).cloned().unwrap_or_default()
    }

    /// The tables of every lock; first those of the locks with the fewest views.
    pub(super) fn tables(&self) -> Vec<Vec<u32>> {
        let views = |&table: &u32| self.tables[table as usize].as_ref().map_or(0, |table| table.views.len());
        let mut locks: Vec<(usize, LockId, &Vec<u32>)> = self
            .tables_of
            .iter()
            .map(|(&lock, tables)| (tables.iter().map(views).sum(), lock, tables))
            .collect();
        locks.sort_unstable();
        locks.into_iter().map(|(_, _, tables)| tables.clone()).collect()
    }

    /// Nobody will use the lock again: its views are forgotten.
    pub(super) fn forget(&mut self, lock: LockId) {
        for table in self.tables_of.remove(&lock).unwrap_or_default() {
            let Some(row) = self.tables[table as usize].take() else { continue };
            let thread = &mut self.threads[row.thread.index()];
            for block in thread.open.iter_mut().filter(|block| block.table == table && block.collecting) {
                block.collecting = false;
                thread.collecting -= 1;
                self.moments.release(block.begin);
            }
            for view in &row.views {
                self.moments.release(view.first.begin);
                self.moments.release(view.last.begin);
            }
            self.views -= row.views.len();
            self.uses -= row.uses();
            self.table_of.remove(&(row.thread, lock));
            self.spare_tables.push(table);
        }
    }
}

/// Sorts the uses of a block and keeps each once.
fn tidy(uses: &mut Vec<u64>) {
    uses.sort_unstable();
    uses.dedup_by_key(|used| *used >> 32);
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
