//! `views`: variables that one thread uses together and another one apart (high-level data races).
//!
//! Artho, Havelund, Biere, *High-level data races* (2003), section 3. A **view** is the set of variables that a thread
//! accesses in one block. V(t) are the views of a thread, M(t) those that are contained in no other. What V(t) has in
//! common with a maximal view of another thread, its overlaps, must form a chain: of any two, one contains the other.
//!
//! With `--paper` that is all: V(t) holds the views under all locks together, reads and writes are alike, constants
//! and volatile variables count. By default, as `DETECTORS.md` fixes it:
//! - Only views under the same lock are compared. An access belongs to the open block of each lock that is held.
//! - The elements of a view are variables in one *generation*: once an access comes after all earlier ones in the
//!   hand-over order, the variable counts as a new one.
//! - A variable (in that generation) that was never written after a second thread had used it is in no view. This
//!   leaves out what one thread alone uses, too. Writes outside any block count here.
//! - Reads and writes are apart (Dias, Pessanha, Lourenço, *Precise detection of atomicity violations*, 2012, section
//!   5.1, with the kinds stripped before intersecting): each view is a read view and a write view; compared are the
//!   write views of a thread with maximal read and write views of others, and its read views with maximal write views.
//! - Two overlaps that diverge count only if a block with the maximal view can come between a block with the one
//!   and a block with the other, as far as the hand-over order goes (see `compare`).
//!
//! A conflict is a maximal view, another thread (and kind), and the overlaps that diverge. Its **subject** is the
//! fields of all overlaps of that thread that diverge from another one: `{x}`, `{y}` and `{z}` against `{x, y, z}` is one
//! finding about x, y and z, not three about pairs, and what else the maximal view holds does not matter. Conflicts
//! with the same fields are one finding; its count is the number of conflicts.
//!
//! What it costs is bounded: distinct views for each thread and lock, views and elements in all, the size of a view,
//! the sets of fields reported, the steps taken for comparing. Each bound that is met leaves a gap.
//!
//! What it misses: variables that no thread uses together (the paper's Figure 7 and section 3.4); volatile variables;
//! by default also a block that reads one variable and writes another (each of its views has one element), and fields
//! that are written once before another thread looks. It is wrong where a thread uses variables together
//! although they need not fit together, and where a branch not taken would have completed a view.
//!
//! Views are compared at the end of the trace; those of a lock whose object dies, at once, so that memory follows the
//! live heap.

mod compare;
mod elements;
mod moments;
mod story;
mod table;
#[cfg(test)]
mod tests;

use events::{Event, Lock, LockId, ObjectId, Op, OpSet, SiteId, ThreadId, VarId};
use findings::Rule;
use rustc_hash::{FxHashMap, FxHashSet};

use self::compare::{Group, Kind, Scratch, VIEW_SIZE};
use self::elements::Elements;
use self::moments::{Knowledge, Moment, Moments};
use self::story::Teller;
use self::table::{Table, code, hash};
use crate::shared::lockset::LockSet;
use crate::shared::vars::VarState;
use crate::{Detector, Now, Options, Out, Spec, Subject, Uses, VariableKind};

/// The detector.
pub static SPEC: Spec = Spec {
    name: "views",
    about: "compares which variables threads use together under a lock and which one after the other",
    explain: "\
From Artho, Havelund and Biere, High-level data races (2003).

A view is the set of variables that a thread uses in one block, from taking a lock to giving it up. If one thread \
uses x and y in one block, they probably belong together: another thread that uses x in one block and y in the next \
can be interrupted in between, and then sees, or leaves behind, values that do not fit together, although every \
single access is protected. A thread may well use only a part of what belongs together, as long as its parts form \
a chain, each containing the one before.

It misses variables that no thread ever uses together, volatile variables, variables of which a block reads one \
and writes the other, and variables that were written only before a second thread used them: those are taken for \
constants. It may be wrong where a thread uses variables together without need, and where the code would have used \
more of them had it taken another branch.

By default views are compared only under the same lock, two threads that only read do not disturb each other, \
and blocks that start, join, a volatile variable or a queue put in order are no conflict. With --paper the views of \
all locks are compared, whatever the kind of access and the order, as in the paper.",
    rules: &[Rule::HighLevelRace],
    ops: OpSet::ACCESS
        .and(OpSet::LOCK)
        .and(OpSet::WAIT)
        .and(OpSet::VOLATILE)
        .and(OpSet::SIGNAL)
        .and(OpSet::THREAD)
        .and(OpSet::FREE),
    uses: Uses { full: false, hand_over: true, history: true },
    new: |options| Box::new(Views::new(options)),
};

/// What is kept and done at most.
#[derive(Clone, Copy)]
struct Limits {
    /// Distinct views of a thread under a lock.
    views_per_lock: usize,
    /// Views in all.
    views: usize,
    /// Uses of elements in all views, and elements.
    uses: usize,
    /// What threads knew of each other, in numbers.
    knowledge: usize,
    /// Sets of fields that are reported for one lock.
    sets_per_lock: usize,
    /// Sets of fields that are reported.
    sets: usize,
    /// Steps for comparing.
    steps: u64,
}

/// What the limits left out.
#[derive(Clone, Copy, Default)]
struct Left {
    over_views_per_lock: u64,
    over_memory: u64,
    over_view_size: u64,
    over_sets: u64,
    over_steps: u64,
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

struct Views {
    paper: bool,
    limits: Limits,
    left: Left,
    elements: Elements,
    moments: Moments,
    threads: Vec<Thread>,
    stamp: u64,
    tables: Vec<Option<Table>>,
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
    subjects: FxHashSet<Vec<VariableKind>>,
    group: Group,
    scratch: Scratch,
    steps: u64,
}

impl Views {
    fn new(options: &Options) -> Self {
        let limits = Limits {
            views_per_lock: options.views_per_lock,
            views: 2_000_000,
            uses: 8_000_000,
            knowledge: 16_000_000,
            sets_per_lock: 64,
            sets: 4096,
            steps: 200_000_000,
        };
        Self {
            paper: options.paper,
            limits,
            left: Left::default(),
            elements: Elements::default(),
            moments: Moments::new(limits.knowledge),
            threads: Vec::new(),
            stamp: 0,
            tables: Vec::new(),
            spare_tables: Vec::new(),
            table_of: FxHashMap::default(),
            tables_of: FxHashMap::default(),
            lock_of: FxHashMap::default(),
            spare_uses: Vec::new(),
            views: 0,
            uses: 0,
            subjects: FxHashSet::default(),
            group: Group::default(),
            scratch: Scratch::default(),
            steps: limits.steps,
        }
    }

    /// An event that is no plain access.
    fn step(&mut self, event: &Event, now: &mut Now<'_>, out: &mut Out) {
        match event.op {
            Op::Acquire { lock, .. } | Op::Woken { lock } => self.open(event.thread, lock, event.site, now),
            Op::Release { lock, .. } | Op::Wait { lock } => self.close(event.thread, lock, now),
            Op::VolatileRead { var, .. } | Op::VolatileWrite { var, .. } if self.paper => {
                let write = matches!(event.op, Op::VolatileWrite { .. });
                self.access(event.thread, var, write, event.site, now);
            }
            Op::VolatileRead { .. }
            | Op::VolatileWrite { .. }
            | Op::Signal { .. }
            | Op::Observe { .. }
            | Op::Fork { .. }
            | Op::Join { .. } => self.order_changed(event.thread),
            Op::Free { object } if !self.paper => {
                if let Some(lock) = self.lock_of.remove(&object) {
                    self.lock_died(lock, event, now, out);
                }
            }
            _ => {}
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
        let collecting = self.tables[table as usize].as_ref().is_some_and(|table| !table.full);
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
                let knowledge =
                    *row.knowledge.get_or_insert_with(|| self.moments.keep(now.hand_over.snapshot(thread)));
                block.begin = self.moments.share(knowledge);
            }
            block.uses = self.spare_uses.pop().unwrap_or_default();
            self.stamp += 1;
            row.stamp = self.stamp;
            row.collecting += 1;
        } else {
            self.left.over_views_per_lock += 1;
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
            self.left.over_view_size += 1;
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
        if table.views.len() >= self.limits.views_per_lock {
            table.full = true;
            self.left.over_views_per_lock += 1;
            return;
        }
        let uses = self.uses + block.uses.len();
        if self.views >= self.limits.views || uses.max(self.elements.len()) > self.limits.uses {
            table.full = true;
            self.left.over_memory += 1;
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
                if block.uses.len() >= 2 * VIEW_SIZE + 2 {
                    row.collecting -= usize::from(shrink(block));
                    self.left.over_view_size += u64::from(!block.collecting);
                }
            }
        }
    }

    /// Nobody will use the lock again: its views are compared and forgotten.
    #[cold]
    fn lock_died(&mut self, lock: LockId, event: &Event, now: &mut Now<'_>, out: &mut Out) {
        let tables = self.tables_of.remove(&lock).unwrap_or_default();
        self.compare(tables.clone(), Some(event), now, out);
        for table in tables {
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

    /// Compares the views of some tables with each other.
    fn compare(&mut self, mut tables: Vec<u32>, event: Option<&Event>, now: &mut Now<'_>, out: &mut Out) {
        let row = |table: u32| self.tables[table as usize].as_ref();
        tables.sort_by_key(|&table| row(table).map(|row| (row.thread, row.lock)));
        let (Some(first), Some(last)) = (tables.first(), tables.last()) else { return };
        if row(*first).map(|row| row.thread) == row(*last).map(|row| row.thread) {
            return;
        }
        if self.steps == 0 {
            self.left.over_steps += 1;
            return;
        }
        let mut group = std::mem::take(&mut self.group);
        group.clear();
        self.gather(&tables, &mut group);
        let (mut new, mut sets_left) = (0, true);
        let teller = Teller { tables: &self.tables, elements: &self.elements, now };
        let (subjects, limits, paper) = (&mut self.subjects, self.limits, self.paper);
        let whole = group.conflicts(&self.moments, &mut self.scratch, &mut self.steps, |group, conflict| {
            let all = group.elements(group.seen(conflict.maximal));
            let mut kinds: Vec<VariableKind> = compare::select(all, &conflict.diverging)
                .map(|element| self.elements.get(element).kind)
                .collect();
            kinds.sort_unstable();
            kinds.dedup();
            if !subjects.contains(&kinds) {
                if subjects.len() >= limits.sets || !paper && new >= limits.sets_per_lock {
                    sets_left = false;
                    return false;
                }
                subjects.insert(kinds.clone());
                new += 1;
            }
            let subject = Subject::Kinds(kinds);
            if out.wants(Rule::HighLevelRace, &subject, teller.now)
                && let Some(evidence) = teller.tell(group, conflict, subject)
            {
                out.add(evidence, event, teller.now);
            }
            true
        });
        if !whole {
            *(if sets_left { &mut self.left.over_steps } else { &mut self.left.over_sets }) += 1;
        }
        self.group = group;
    }

    /// The views of some tables as sets of elements, without what is left out.
    fn gather(&mut self, tables: &[u32], group: &mut Group) {
        let kinds: &[Kind] = if self.paper { &[Kind::Any] } else { &[Kind::Read, Kind::Write] };
        let mut set = Vec::new();
        for &number in tables {
            let Some(table) = &self.tables[number as usize] else { continue };
            for &kind in kinds {
                for (i, view) in table.views.iter().enumerate() {
                    set.clear();
                    let mut split = false;
                    for &code in table.codes(view) {
                        let (element, write) = (code >> 1, code & 1 == 1);
                        let counts = match kind {
                            Kind::Any => true,
                            Kind::Read => !write && self.elements.get(element).written,
                            Kind::Write => write && self.elements.get(element).written,
                        };
                        if self.elements.is_split(element) {
                            split = true;
                            if kind == Kind::Any || write == (kind == Kind::Write) {
                                self.elements.parts(element, &mut set);
                            }
                        } else if counts {
                            set.push(element);
                        }
                    }
                    if split {
                        set.sort_unstable();
                        set.retain(|&element| self.paper || self.elements.get(element).written);
                    }
                    set.dedup();
                    if set.len() > VIEW_SIZE {
                        self.left.over_view_size += 1;
                        continue;
                    }
                    let thread = table.thread.0;
                    let origin = (number, i as u32);
                    group.add((thread, kind), &set, (view.first, view.last), origin, &self.moments);
                }
            }
        }
    }

    fn gaps(&self, out: &mut Out) {
        let Limits { views_per_lock, views, sets_per_lock, sets, .. } = self.limits;
        let left = self.left;
        let mut gap = |what: &str, why: String, count: u64| {
            if count > 0 {
                out.gap(what, why, count);
            }
        };
        gap(
            "blocks not looked at by views",
            format!(
                "a thread had more than {views_per_lock} distinct views under one lock; what it used together or apart \
                 only in later blocks under that lock was not compared"
            ),
            left.over_views_per_lock,
        );
        gap(
            "blocks not looked at by views",
            format!("more than {views} views, or too many variables in them, to be kept"),
            left.over_memory,
        );
        gap(
            "blocks not looked at by views",
            format!("more than {VIEW_SIZE} variables in one block"),
            left.over_view_size,
        );
        gap(
            "locks whose views were not all compared",
            format!("more than {sets_per_lock} sets of fields conflict under one lock, or {sets} in all"),
            left.over_sets,
        );
        gap(
            "locks whose views were not all compared",
            "too many views share variables: comparing them would take too long".to_owned(),
            left.over_steps,
        );
        gap(
            "moments whose order views did not keep",
            "too many threads know too much of each other: ordered blocks may be reported".to_owned(),
            self.moments.dropped,
        );
    }
}

/// Sorts the uses of a block and keeps each once.
fn tidy(uses: &mut Vec<u64>) {
    uses.sort_unstable();
    uses.dedup_by_key(|used| *used >> 32);
}

/// Makes room in a long block. Whether it had to be given up.
#[cold]
fn shrink(block: &mut Open) -> bool {
    tidy(&mut block.uses);
    if block.uses.len() > VIEW_SIZE {
        block.collecting = false;
        block.uses = Vec::new();
    }
    !block.collecting
}

impl Detector for Views {
    fn event(&mut self, event: &Event, now: &mut Now<'_>, out: &mut Out) {
        self.stretch(std::slice::from_ref(event), now, out);
    }

    fn stretch(&mut self, events: &[Event], now: &mut Now<'_>, out: &mut Out) {
        let thread = now.thread;
        if thread.index() >= self.threads.len() {
            self.threads.resize_with(thread.index() + 1, Thread::default);
        }
        let mut rest = events;
        if let Some((first, accesses)) = events.split_first()
            && !first.op.is_access()
        {
            self.step(first, now, out);
            rest = accesses;
        }
        for event in rest {
            match event.op {
                Op::Read { var } => self.access(thread, var, false, event.site, now),
                Op::Write { var } => self.access(thread, var, true, event.site, now),
                _ => {}
            }
        }
    }

    fn finish(&mut self, end: &mut Now<'_>, out: &mut Out) {
        for thread in 0..self.threads.len() {
            while let Some(block) = self.threads[thread].open.last() {
                let lock = block.lock;
                self.close(ThreadId(thread as u32), lock, end);
            }
        }
        let tables_of = std::mem::take(&mut self.tables_of);
        if self.paper {
            self.compare(tables_of.into_values().flatten().collect(), None, end, out);
        } else {
            let views = |tables: &[u32]| -> usize {
                tables
                    .iter()
                    .filter_map(|&table| self.tables[table as usize].as_ref())
                    .map(|t| t.views.len())
                    .sum()
            };
            let mut locks: Vec<(usize, LockId, Vec<u32>)> =
                tables_of.into_iter().map(|(lock, tables)| (views(&tables), lock, tables)).collect();
            // The cheap ones first: what is left out when the limits are met is then the least.
            locks.sort_unstable();
            for (_, _, tables) in locks {
                self.compare(tables, None, end, out);
            }
        }
        self.gaps(out);
    }

    fn vars(&mut self, each: &mut dyn FnMut(&mut dyn VarState)) {
        each(&mut self.elements);
    }
}
