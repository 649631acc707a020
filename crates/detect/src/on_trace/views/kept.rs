//! The views that were collected, by thread and lock.
//!
//! A block that is over waits in a queue. On a trace with ever new views, looking one up is mostly waiting for memory;
//! the look-ups of many blocks, begun one right after the other, wait together.

use events::{Lock, LockId, ObjectId, SiteId, ThreadId};
use rustc_hash::FxHashMap;

use super::moments::{Moment, Moments};
use super::table::{Full, Table, hash};
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

impl Left {
    #[inline(always)]
    fn count(&mut self, full: Full) {
        match full {
            Full::No => {}
            Full::Views => self.views_per_lock += 1,
            Full::Memory => self.memory += 1,
        }
    }
}

/// Blocks in the queue at most.
const QUEUE: usize = 64;

/// Tables that are found without hashing; a power of two.
const FRONT: usize = 1024;

/// There are never so many threads that this is one.
const NOT_IN_FRONT: (ThreadId, LockId, u32) = (ThreadId(u32::MAX), LockId(0), 0);

/// Where in front a table is.
#[inline(always)]
fn in_front(thread: ThreadId, lock: LockId) -> usize {
    (lock.index() + thread.index() * 67) % FRONT
}

/// A block that is over.
#[derive(Clone, Copy)]
pub(super) struct Closed {
    pub(super) table: u32,
    pub(super) site: SiteId,
    pub(super) locks: LockSet,
    pub(super) moment: Moment,
}

struct Queued {
    block: Closed,
    hash: u32,
    start: usize,
    end: usize,
}

/// The views so far.
pub(super) struct Kept {
    views_per_lock: usize,
    /// What was not.
    pub(super) left: Left,
    pub(super) moments: Moments,
    pub(super) tables: Vec<Option<Table>>,
    /// Of each table whether its blocks are still looked at. Apart, because every block asks for it.
    full: Vec<Full>,
    spare: Vec<u32>,
    /// The table of a thread and a lock, and in front of it a small one of those used last.
    table_of: FxHashMap<(ThreadId, LockId), u32>,
    front: Box<[(ThreadId, LockId, u32)]>,
    /// The tables of each lock, in the order in which they came.
    tables_of: FxHashMap<LockId, Vec<u32>>,
    /// The lock that an object is.
    lock_of: FxHashMap<ObjectId, LockId>,
    queue: Vec<Queued>,
    queued: Vec<u64>,
    views: usize,
    uses: usize,
}

impl Kept {
    pub(super) fn new(views_per_lock: usize) -> Self {
        Self {
            views_per_lock,
            left: Left::default(),
            moments: Moments::new(KNOWLEDGE),
            tables: Vec::new(),
            full: Vec::new(),
            spare: Vec::new(),
            table_of: FxHashMap::default(),
            front: vec![NOT_IN_FRONT; FRONT].into(),
            tables_of: FxHashMap::default(),
            lock_of: FxHashMap::default(),
            queue: Vec::new(),
            queued: Vec::new(),
            views: 0,
            uses: 0,
        }
    }

    /// The table of a thread and a lock, and whether its blocks are worth collecting; if not, one is counted as left.
    #[inline]
    pub(super) fn table(&mut self, thread: ThreadId, lock: LockId, now: &Now<'_>) -> (u32, bool) {
        let front = self.front[in_front(thread, lock)];
        let table = if (front.0, front.1) == (thread, lock) {
            front.2
        } else {
            let table = match self.table_of.get(&(thread, lock)) {
                Some(&table) => table,
                None => self.new_table(thread, lock, now),
            };
            self.front[in_front(thread, lock)] = (thread, lock, table);
            table
        };
        let full = self.full[table as usize];
        self.left.count(full);
        (table, full == Full::No)
    }

    #[cold]
    fn new_table(&mut self, thread: ThreadId, lock: LockId, now: &Now<'_>) -> u32 {
        let row = Some(Table::new(thread, lock, now.test()));
        let table = match self.spare.pop() {
            Some(table) => {
                self.tables[table as usize] = row;
                self.full[table as usize] = Full::No;
                table
            }
            None => {
                self.tables.push(row);
                self.full.push(Full::No);
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

    /// Keeps the view of a block: its uses, sorted, with codes in the upper half and sites in the lower. The block's
    /// knowledge is taken over.
    #[inline]
    pub(super) fn add(&mut self, block: Closed, uses: &[u64]) {
        let start = self.queued.len();
        self.queued.extend_from_slice(uses);
        let hash = hash(uses.iter().map(|used| (used >> 32) as u32));
        self.queue.push(Queued { block, hash, start, end: self.queued.len() });
        if self.queue.len() >= QUEUE {
            self.drain();
        }
    }

    /// Works the queue off.
    pub(super) fn drain(&mut self) {
        let mut touched = 0;
        for Queued { block, hash, .. } in &self.queue {
            touched ^= self.tables[block.table as usize].as_ref().map_or(0, |table| table.touch(*hash));
        }
        for Queued { block, hash, .. } in &self.queue {
            touched ^= self.tables[block.table as usize].as_ref().map_or(0, |table| table.touch_view(*hash));
        }
        // Or the loads would be left out.
        std::hint::black_box(touched);
        let (mut queue, queued) = (std::mem::take(&mut self.queue), std::mem::take(&mut self.queued));
        for Queued { block, hash, start, end } in queue.drain(..) {
            self.keep(block, hash, &queued[start..end]);
            self.moments.release(block.moment.begin);
        }
        self.queue = queue;
        self.queued = queued;
        self.queued.clear();
    }

    fn keep(&mut self, block: Closed, hash: u32, uses: &[u64]) {
        let Some(table) = &mut self.tables[block.table as usize] else { return };
        let full = &mut self.full[block.table as usize];
        if *full == Full::No {
            table.was_under(block.locks);
            let begin = block.moment.begin;
            if let Some(view) = table.find(hash, uses) {
                if view.last.begin != begin {
                    self.moments.release(view.last.begin);
                    self.moments.share(begin);
                }
                view.last = block.moment;
                return;
            }
            let all_uses = self.uses + uses.len();
            if table.views.len() >= self.views_per_lock {
                *full = Full::Views;
            } else if self.views >= VIEWS || all_uses > USES {
                *full = Full::Memory;
            } else {
                self.views += 1;
                self.uses = all_uses;
                self.moments.share(begin);
                self.moments.share(begin);
                table.insert(hash, uses, block.site, block.locks, block.moment);
            }
        }
        self.left.count(*full);
    }

    /// The sets of locks under which the blocks of a table were, if all are known.
    pub(super) fn held(&self, table: u32) -> Option<&[LockSet]> {
        let all = self.full.get(table as usize) == Some(&Full::No);
        self.tables.get(table as usize)?.as_ref()?.held().filter(|_| all)
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

    /// Nobody will use the lock again: its views are forgotten, for which the queue must be empty. The threads that
    /// used it, with their tables.
    pub(super) fn forget(&mut self, lock: LockId) -> Vec<(ThreadId, u32)> {
        let mut gone = Vec::new();
        for table in self.tables_of.remove(&lock).unwrap_or_default() {
            let Some(row) = self.tables[table as usize].take() else { continue };
            for view in &row.views {
                self.moments.release(view.first.begin);
                self.moments.release(view.last.begin);
            }
            self.views -= row.views.len();
            self.uses -= row.uses();
            self.table_of.remove(&(row.thread, lock));
            self.front[in_front(row.thread, lock)] = NOT_IN_FRONT;
            self.spare.push(table);
            gone.push((row.thread, table));
        }
        gone
    }
}
