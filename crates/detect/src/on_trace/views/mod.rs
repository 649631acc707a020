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
//!   A block that writes has no read view: what it reads it uses itself. Nor has one that ends with waiting: it expects what
//!   it has read to change, one variable at a time. And what is read and written in one block is not
//!   written apart: counting up and taking out are complete by themselves.
//! - Two overlaps must diverge in two fields of one object (or static fields of one class): what different objects hold
//!   under one lock seldom has to fit together, nor do elements of an array. What a collection of the library holds has to fit
//!   the fields of any object, but only where both are read.
//! - A lock that is only taken under a certain other one is left out: its blocks are parts of the other one's.
//! - Two overlaps that diverge count only if a block with the maximal view can come between a block with the one
//!   and a block with the other, as far as the hand-over order goes (see `compare`).
//!
//! A conflict is a maximal view, another thread (and kind), and the overlaps that diverge. Its **subject** is the
//! fields of all overlaps of that thread that diverge from another one: `{x}`, `{y}` and `{z}` against `{x, y, z}` is one
//! finding about x, y and z, not three about pairs, and what else the maximal view holds does not matter. Conflicts
//! with the same fields are one finding; its count is the number of conflicts. One about fewer fields that the same blocks
//! use apart is a part of that finding (see `heard`), with `--paper` as well.
//!
//! What it costs is bounded: distinct views for each thread and lock, views and elements in all, the size of a view,
//! the sets of fields reported, the steps taken for comparing. Each bound that is met leaves a gap. Under a lock with
//! more sets of fields in conflict than are reported, views are maximal among those looked at.
//!
//! What it misses: variables that no thread uses together (the paper's Figure 7 and section 3.4); volatile variables;
//! by default also a block that reads one variable and writes another (each of its views has one element), fields
//! that are written once before another thread looks, elements of an array that have to fit a field, and two counters that
//! have to fit each other. It is wrong where a thread uses variables together
//! although they need not fit together, and where a branch not taken would have completed a view.
//!
//! Views are compared at the end of the trace; those of a lock whose object dies, at once, so that memory follows the
//! live heap.

mod branches;
mod collect;
mod compare;
mod elements;
#[cfg(test)]
mod examples;
mod heard;
mod kept;
mod moments;
mod story;
mod table;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use events::{Access, Event, Op, OpSet};
use findings::Rule;
use rustc_hash::FxHashSet;

use self::collect::Collector;
use self::compare::{Group, Kind, Scratch, VIEW_SIZE};
use self::heard::AllHeard;
use self::kept::VIEWS;
use self::story::Teller;
use crate::shared::lockset::LockSet;
use crate::shared::vars::VarState;
use crate::{At, Detector, MayAccess, Now, Options, Out, Spec, Subject, Uses, VariableKind};

/// The detector.
pub static SPEC: Spec = Spec {
    name: "views",
    about: "high-level races: variables used together under a lock here, and one after the other there",
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
blocks that start, join, a volatile variable or a queue put in order are no conflict, only fields of one object have to fit \
together, what a block reads counts only if it writes nothing and does not wait, and what it reads and writes anew is not written apart. With \
--paper the views of \
all locks are compared, whatever the kind of access and the order, as in the paper. Where the code is given too \
(raddle run --check), a block that would have used more on another branch is taken to use it. Where the same blocks use \
fewer fields and more fields apart, that is one finding, about the more.",
    rules: &[Rule::HighLevelRace],
    ops: OpSet::ACCESS
        .and(OpSet::LOCK)
        .and(OpSet::WAIT)
        .and(OpSet::VOLATILE)
        .and(OpSet::SIGNAL)
        .and(OpSet::THREAD)
        .and(OpSet::FREE),
    uses: Uses { full: false, hand_over: true, history: true, once: true, ..Uses::NONE },
    new: |options| Box::new(Views::new(options)),
};

/// Sets of fields that are reported for one lock.
const SETS_PER_LOCK: usize = 32;
/// Sets of fields that are reported.
const SETS: usize = 1024;
/// Views of each thread that are looked at first: if they alone give too many sets of fields, the others are left.
const SAMPLE: usize = 64;
/// Steps that are taken for comparing.
const STEPS: u64 = 200_000_000;
/// Steps that a lock brings along when it dies: there may be any number of such locks.
const STEPS_PER_DEAD_LOCK: u64 = 1000;

struct Views {
    paper: bool,
    views_per_lock: usize,
    collected: Collector,
    /// The sets of fields reported so far.
    subjects: FxHashSet<Vec<VariableKind>>,
    group: Group,
    scratch: Scratch,
    may_access: Option<Arc<MayAccess>>,
    /// How many steps are left.
    steps: u64,
    /// Locks that were left because of [`SETS`] and because of [`STEPS`].
    over_sets: u64,
    over_steps: u64,
}

impl Views {
    fn new(options: &Options) -> Self {
        Self {
            paper: options.paper,
            views_per_lock: options.views_per_lock,
            collected: Collector::new(options.paper, options.views_per_lock),
            subjects: FxHashSet::default(),
            group: Group::default(),
            scratch: Scratch::default(),
            may_access: options.may_access.clone().filter(|_| !options.paper),
            steps: STEPS,
            over_sets: 0,
            over_steps: 0,
        }
    }

    /// Compares the views of some tables with each other.
    fn compare(&mut self, mut tables: Vec<u32>, at: Option<At>, now: &mut Now<'_>, out: &mut Out) {
        let row = |table: u32| self.collected.kept.tables[table as usize].as_ref();
        tables.sort_by_key(|&table| row(table).map(|row| (row.thread, row.lock)));
        let (Some(first), Some(last)) = (tables.first(), tables.last()) else { return };
        if row(*first).map(|row| row.thread) == row(*last).map(|row| row.thread) {
            return;
        }
        if self.steps == 0 {
            self.over_steps += 1;
            return;
        }
        if self.subjects.len() >= SETS {
            self.over_sets += 1;
            return;
        }
        if !self.paper && self.is_protected(&tables, now) {
            return;
        }
        let mut group = std::mem::take(&mut self.group);
        let row = |table: u32| self.collected.kept.tables[table as usize].as_ref();
        let many = tables.iter().filter_map(|&table| row(table)).any(|row| row.views.len() > SAMPLE);
        if self.paper || !many || !self.sample(&tables, &mut group) {
            self.gather(&tables, usize::MAX, &mut group);
        }
        self.report(&group, at, now, out);
        self.group = group;
    }

    /// Whether all blocks under the lock of these tables were under another one, too: whoever holds that one is alone with
    /// this one, and blocks under it are no views of their own.
    fn is_protected(&self, tables: &[u32], now: &mut Now<'_>) -> bool {
        let mut common: Option<LockSet> = None;
        for &table in tables {
            let Some(held) = self.collected.kept.held(table) else { return false };
            for &held in held {
                common = Some(common.map_or(held, |common| now.sets.intersect(common, held)));
            }
        }
        common.is_some_and(|common| now.sets.locks(common).len() > 1)
    }

    /// Fills a group with some views of each table. Whether these alone give more sets of fields than are reported
    /// for one lock: on a trace with ever new views that spares comparing nearly all of them.
    fn sample(&mut self, tables: &[u32], group: &mut Group) -> bool {
        self.gather(tables, SAMPLE, group);
        let Self { collected, subjects, scratch, steps, paper, .. } = self;
        let mut new = FxHashSet::default();
        let fields = (!*paper).then_some(&collected.elements);
        group.conflicts((&collected.kept.moments, fields), scratch, steps, |group, conflict| {
            let kinds = collected.kinds(group, conflict);
            if !subjects.contains(&kinds) {
                new.insert(kinds);
            }
            new.len() <= SETS_PER_LOCK
        });
        new.len() > SETS_PER_LOCK
    }

    /// Reports the conflicts in a group.
    fn report(&mut self, group: &Group, at: Option<At>, now: &Now<'_>, out: &mut Out) {
        let Self { collected, subjects, scratch, steps, paper, may_access, .. } = self;
        let (mut new, mut room) = (0, true);
        let fields = (!*paper).then_some(&collected.elements);
        let order = (&collected.kept.moments, fields);
        let mut all = AllHeard::default();
        let whole = group.conflicts(order, scratch, steps, |group, conflict| {
            if let Some(may) = may_access
                && branches::explain(may, collected, group, conflict, now.symbols)
            {
                return true;
            }
            let kinds = collected.kinds(group, conflict);
            if !subjects.contains(&kinds) {
                if subjects.len() >= SETS || !*paper && new >= SETS_PER_LOCK {
                    room = false;
                    return false;
                }
                subjects.insert(kinds.clone());
                new += 1;
            }
            all.add(kinds, conflict, group, &collected.kept.tables);
            true
        });
        let teller = Teller { tables: &collected.kept.tables, elements: &collected.elements, now };
        for (kinds, heard) in all.whole(now.symbols) {
            teller.tell_all(group, &Subject::Kinds(kinds), &heard, at, out);
        }
        if !whole {
            *(if room { &mut self.over_steps } else { &mut self.over_sets }) += 1;
        }
    }

    /// The first views of some tables as sets of elements, without what is left out.
    fn gather(&mut self, tables: &[u32], most: usize, group: &mut Group) {
        group.clear();
        let kinds: &[Kind] = if self.paper { &[Kind::Any] } else { &[Kind::Read, Kind::Write, Kind::Set] };
        let mut set = Vec::new();
        for &number in tables {
            let Some(table) = &self.collected.kept.tables[number as usize] else { continue };
            for &kind in kinds {
                for (i, view) in table.views.iter().take(most).enumerate() {
                    set.clear();
                    let elements = &self.collected.elements;
                    let is_written =
                        |element: u32| elements.is_split(element) || elements.get(element).written;
                    let writes = |code: u32| code & 1 == 1 && is_written(code >> 1);
                    if kind == Kind::Read && table.codes(view).any(writes) {
                        continue;
                    }
                    let (mut split, mut last) = (false, None);
                    for code in table.codes(view) {
                        let (element, write) = (code >> 1, code & 1 == 1);
                        // Sorted: what was read and written comes twice, first as read.
                        let was_read = last.replace(element) == Some(element);
                        let counts = match kind {
                            Kind::Any => true,
                            Kind::Read => !write,
                            Kind::Write => write,
                            Kind::Set => write && !was_read,
                        };
                        if elements.is_split(element) {
                            split = true;
                            if counts {
                                elements.parts(element, &mut set);
                            }
                        } else if counts && (self.paper || elements.get(element).written) {
                            set.push(element);
                        }
                    }
                    if split {
                        set.sort_unstable();
                        set.retain(|&element| self.paper || elements.get(element).written);
                    }
                    set.dedup();
                    if set.len() > VIEW_SIZE {
                        self.collected.kept.left.view_size += 1;
                        continue;
                    }
                    let thread = table.thread.0;
                    let origin = (number, i as u32);
                    group.add(
                        (thread, kind),
                        &set,
                        (view.first, view.last),
                        origin,
                        &self.collected.kept.moments,
                    );
                }
            }
        }
    }

    fn gaps(&self, out: &mut Out) {
        let left = self.collected.kept.left;
        let views_per_lock = self.views_per_lock;
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
            left.views_per_lock,
        );
        gap(
            "blocks not looked at by views",
            format!("more than {VIEWS} views, or too many variables in them, to be kept"),
            left.memory,
        );
        gap(
            "blocks not looked at by views",
            format!("more than {VIEW_SIZE} variables in one block"),
            left.view_size,
        );
        gap(
            "locks whose views were not all compared",
            format!("more than {SETS_PER_LOCK} sets of fields conflict under one lock, or {SETS} in all"),
            self.over_sets,
        );
        gap(
            "locks whose views were not all compared",
            "too many views share variables: comparing them would take too long".to_owned(),
            self.over_steps,
        );
        gap(
            "moments whose order views did not keep",
            "too many threads know too much of each other: ordered blocks may be reported".to_owned(),
            self.collected.kept.moments.dropped,
        );
    }
}

impl Detector for Views {
    fn operation(&mut self, event: &Event, now: &mut Now<'_>, out: &mut Out) {
        self.collected.meet(now.thread);
        self.collected.step(event, now);
        if let Op::Free { object } = event.op
            && !self.paper
            && let Some(lock) = self.collected.kept.lock_of(object)
        {
            self.collected.kept.drain();
            self.steps = (self.steps + STEPS_PER_DEAD_LOCK).min(STEPS);
            self.compare(self.collected.kept.tables_of(lock), Some(now.at_operation(event)), now, out);
            self.collected.forget(lock);
        }
    }

    fn accesses(&mut self, accesses: &[Access], now: &mut Now<'_>, _out: &mut Out) {
        self.collected.meet(now.thread);
        self.collected.accesses(now.thread, accesses, now);
    }

    fn finish(&mut self, end: &mut Now<'_>, out: &mut Out) {
        self.collected.finish();
        let tables = self.collected.kept.tables();
        if self.paper {
            self.compare(tables.concat(), None, end, out);
        } else {
            // Those with few views come first, so that as little as possible is left out when a limit is met.
            for tables in tables {
                self.compare(tables, None, end, out);
            }
        }
        self.gaps(out);
    }

    fn vars(&mut self, each: &mut dyn FnMut(&mut dyn VarState)) {
        each(&mut self.collected.elements);
    }
}
