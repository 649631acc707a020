//! Who accessed each variable, for the detectors that reason with lock sets and views.
//!
//! Three things come from here. A variable's **generation**: it goes up when an access comes, in the hand-over order,
//! after *all* earlier ones and one of those was another thread's; whoever keeps state for the variable starts afresh
//! then. Its **rivals**: for an access, an earlier one since the last fresh start that is unordered in the hand-over
//! order, has no lock in common, and one of the two writes. And whether it is **paired**: some access has had a rival.
//!
//! Not every access is kept, but what is left out makes no difference: an access is dropped for a later one of the
//! same thread that has no lock it has not and writes if it writes, for whatever is a rival of the first is one of
//! the second. One thing is bounded: of a thread that uses a variable under ever new locks the last [`KEPT`] accesses
//! stay; a rival among older ones is missed.
//!
//! The hand-over order gives a thread a new time whenever it gives *or takes* order. So an access with a time, locks
//! and kind that are there already changes nothing, and that is the fast path: no order is looked up, nothing stored.
//! A row alone tells for the one thread of a variable that is not shared, and for the first [`NOTED`] threads of one
//! that is, as long as nobody's time changes and all hold the same locks.

use events::{Access, SiteId, ThreadId, VarId};

use rustc_hash::FxHashMap;

use super::held::Held;
use super::lockset::{LockSet, LockSets};
use super::order::{Epoch, Order};
use super::pasts::Pasts;
use super::vars::{Glance, PerVar, VarState};

pub use super::pasts::{KEPT, Past};

const NOBODY: u32 = u32::MAX;

/// A read or a write. Times begin at 1: 0 is none.
#[derive(Clone, Copy, Debug)]
struct Half {
    time: u32,
    site: u32,
    locks: u32,
}

impl Half {
    const NONE: Half = Half { time: 0, site: 0, locks: 0 };

    #[inline(always)]
    fn is(&self, time: u32, locks: LockSet) -> bool {
        (self.time == time) & (self.locks == locks.0)
    }
}

/// How many threads the notes of a shared variable have room for.
pub const NOTED: u32 = 64;

/// Which threads have accessed a shared variable under these locks since any thread's time last changed.
#[derive(Clone, Copy, Debug)]
struct Notes {
    locks: u32,
    stamp: u32,
    /// Who at all, and who wrote; a bit each. (Halves, so that a row needs no alignment to eight.)
    touched: [u32; 2],
    wrote: [u32; 2],
}

impl Notes {
    const NONE: Notes = Notes { locks: 0, stamp: 0, touched: [0; 2], wrote: [0; 2] };

    #[inline(always)]
    fn tell(&self, me: u32, write: bool, locks: LockSet, stamp: u32) -> bool {
        let word = |bits: [u32; 2]| bits[me as usize / 32 % 2];
        let bits = if write { word(self.wrote) } else { word(self.touched) };
        (me < NOTED) & (self.locks == locks.0) & (self.stamp == stamp) & (bits >> (me % 32) & 1 == 1)
    }

    /// Whether they are of these locks and this stamp, have room for a thread, and another one is in them.
    #[inline(always)]
    fn has_another(&self, me: u32, locks: LockSet, stamp: u32) -> bool {
        let bit = |word: u32| if me / 32 == word { 1 << (me % 32) } else { 0 };
        let others = self.touched[0] & !bit(0) | self.touched[1] & !bit(1);
        (me < NOTED) & (self.locks == locks.0) & (self.stamp == stamp) & (others != 0)
    }

    fn note(&mut self, me: u32, write: bool, locks: LockSet, stamp: u32) {
        if me >= NOTED {
            return;
        }
        if self.locks != locks.0 || self.stamp != stamp {
            *self = Notes { locks: locks.0, stamp, ..Notes::NONE };
        }
        let bit = 1 << (me % 32);
        self.touched[me as usize / 32] |= bit;
        if write {
            self.wrote[me as usize / 32] |= bit;
        }
    }
}

#[derive(Clone, Copy)]
enum Last {
    /// Not shared: the last read and write of the only thread.
    Alone { thread: u32, read: Half, write: Half },
    /// Shared: the locks that all accesses since the last fresh start had in common, and a summary.
    Among { common: LockSet, notes: Notes },
}

/// Written since it became shared.
const WRITTEN: u8 = 1;
/// Some access had a rival since it started afresh.
const PAIRED: u8 = 2;
/// Two threads have ever accessed it.
const MET: u8 = 4;
/// Not all accesses since it started afresh were under the very same locks.
const MIXED: u8 = 8;

/// What is known of one variable: a cache line, since a row that lies across two costs twice.
#[derive(Clone)]
#[repr(align(64))]
struct Row {
    generation: u32,
    last: Last,
    /// [`WRITTEN`], [`PAIRED`], [`MET`], [`MIXED`].
    flags: u8,
    /// Where in `more` one was last found that was unordered: likely so again.
    unordered: u8,
    /// A bit for each place from which it was accessed, if anybody minds.
    places: u16,
    /// Of a shared variable all that is remembered, by thread; of another one what is not in the two halves.
    more: Pasts,
}

const _: () = assert!(size_of::<Row>() == 64);

impl Glance for Row {
    #[inline(always)]
    fn glance(&self) -> u32 {
        self.generation
    }
}

/// The history of every variable.
pub struct History {
    rows: PerVar<Row>,
    /// Which accesses of the current stretch were news, and which were at a new place, if anybody minds places.
    news: Vec<u32>,
    new_places: Vec<u32>,
    places: bool,
    /// Of each paired variable the pair that was seen first since it started afresh.
    pairs: FxHashMap<VarId, (Past, Past)>,
}

impl Default for History {
    fn default() -> Self {
        Self {
            rows: PerVar::new(Row::NEW),
            news: Vec::new(),
            new_places: Vec::new(),
            places: false,
            pairs: FxHashMap::default(),
        }
    }
}

impl History {
    /// From now on [`new_places`](Self::new_places) is kept.
    pub fn mind_places(&mut self) {
        self.places = true;
    }

    /// The accesses of the current stretch, by their place in it, from which a lock-set detector can learn. It can not
    /// from an access just like an earlier one of the same thread; nor, once two threads have used the variable
    /// and one has written it since, from one under the very locks, at least one, that were held at every access so
    /// far.
    #[inline(always)]
    pub fn news(&self) -> &[u32] {
        &self.news
    }

    /// The news, and those accesses besides that are at a place from which the variable was not accessed yet. (Some
    /// places may be taken for others: there are sixteen bits for them.)
    #[inline(always)]
    pub fn new_places(&self) -> &[u32] {
        &self.new_places
    }

    /// The current stretch has no access.
    #[inline(always)]
    pub fn no_news(&mut self) {
        self.news.clear();
        self.new_places.clear();
    }

    /// Takes the accesses of a stretch of a thread into account.
    #[inline]
    pub fn stretch(
        &mut self,
        me: ThreadId,
        accesses: &[Access],
        held: Held,
        order: &Order,
        sets: &mut LockSets,
    ) {
        let (time, stamp) = (order.time(me), order.stamp());
        self.no_news();
        for (i, access) in accesses.iter().enumerate() {
            let write = access.writes();
            let locks = held.protecting(write);
            let row = self.rows.at(access.var);
            let known = match &row.last {
                Last::Alone { thread, read, write: wrote } => {
                    (*thread == me.0) & (wrote.is(time, locks) | !write & read.is(time, locks))
                }
                Last::Among { notes, .. } => notes.tell(me.0, write, locks, stamp),
            };
            let place = 1 << (access.site().0.wrapping_mul(0x9e37_79b1) >> 28);
            let old_place = !self.places | (row.places & place != 0);
            if known & old_place {
                continue;
            }
            let news = !known && {
                let (settled, generation) = (row.is_settled(locks), row.generation);
                let past = Past { epoch: Epoch { thread: me, time }, site: access.site(), locks, write };
                if let Some(rival) = row.news(past, order, sets) {
                    self.pairs.insert(access.var, (rival, past));
                }
                !settled || row.generation != generation
            };
            if news {
                self.news.push(i as u32);
            }
            if self.places && (news || !old_place) {
                self.new_places.push(i as u32);
                row.places |= place;
            }
        }
    }

    /// How often the variable's state has started afresh; never 0.
    #[inline(always)]
    pub fn generation(&self, var: VarId) -> u32 {
        self.rows.get(var).generation
    }

    /// Whether two threads have accessed the variable without order since it last started afresh.
    #[inline(always)]
    pub fn is_shared(&self, var: VarId) -> bool {
        matches!(self.rows.get(var).last, Last::Among { .. })
    }

    /// Whether the variable was written since (and by the access with which) it became shared.
    #[inline(always)]
    pub fn written_while_shared(&self, var: VarId) -> bool {
        self.rows.get(var).flags & WRITTEN != 0
    }

    /// Whether some access to the variable has had a rival since it last started afresh. While it has not, there is
    /// no need to ask for one.
    #[inline(always)]
    pub fn is_paired(&self, var: VarId) -> bool {
        self.rows.get(var).flags & PAIRED != 0
    }

    /// The first pair of rivals since the variable last started afresh, if it [is paired](Self::is_paired).
    pub fn pair(&self, var: VarId) -> Option<(Past, Past)> {
        self.pairs.get(&var).copied().filter(|_| self.is_paired(var))
    }

    /// Whether any thread but this one has ever accessed the variable.
    pub fn met_others(&self, var: VarId, thread: ThreadId) -> bool {
        let row = self.rows.get(var);
        let only = |me: u32| me == NOBODY || me == thread.0;
        row.flags & MET != 0 || !matches!(row.last, Last::Alone { thread, .. } if only(thread))
    }

    /// What is remembered of every thread since the variable started afresh, the current thread's among them.
    pub fn accesses(&self, var: VarId) -> impl Iterator<Item = Past> {
        let row = self.rows.get(var);
        row.halves().into_iter().flatten().chain(row.more.all())
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
    ) -> Option<Past> {
        self.accesses(var)
            .filter(|other| other.epoch.thread != me && (write || other.write))
            .filter(|other| !order.before(other.epoch, me) && sets.disjoint(other.locks, locks))
            .max_by_key(|other| (other.write, other.epoch.time))
    }
}

impl Row {
    const NEW: Row = Row {
        generation: 1,
        last: Last::Alone { thread: NOBODY, read: Half::NONE, write: Half::NONE },
        flags: 0,
        places: 0,
        unordered: 0,
        more: Pasts::NONE,
    };

    fn set_half(&mut self, access: &Past) {
        let half = Half { time: access.epoch.time, site: access.site.0, locks: access.locks.0 };
        match &mut self.last {
            Last::Alone { thread, write, .. } if access.write => {
                (*thread, *write) = (access.epoch.thread.0, half);
            }
            Last::Alone { thread, read, .. } => (*thread, *read) = (access.epoch.thread.0, half),
            Last::Among { .. } => {}
        }
    }

    /// The last write and the last read of a variable that is not shared.
    fn halves(&self) -> [Option<Past>; 2] {
        let Last::Alone { thread, read, write } = self.last else { return [None, None] };
        [(write, true), (read, false)].map(|(half, write)| {
            (half.time != 0).then_some(Past {
                epoch: Epoch { thread: ThreadId(thread), time: half.time },
                site: SiteId(half.site),
                locks: LockSet(half.locks),
                write,
            })
        })
    }

    /// An access that is not known to be just like an earlier one. Its rival, if that makes the first pair.
    #[inline(never)]
    fn news(&mut self, access: Past, order: &Order, sets: &mut LockSets) -> Option<Past> {
        let me = access.epoch.thread;
        match self.last {
            Last::Among { common, .. } => {
                self.wrote(access.write);
                if self.is_one_more(&access, order.stamp()) {
                    return None;
                }
                return self.among_others(access, common, order, sets);
            }
            Last::Alone { thread, .. } if thread == me.0 => self.alone(access, sets),
            Last::Alone { thread: NOBODY, .. } => self.set_half(&access),
            Last::Alone { thread, read, write } => {
                self.flags |= MET;
                // The last access comes after all others of its thread.
                let last = Epoch { thread: ThreadId(thread), time: read.time.max(write.time) };
                if order.before(last, me) {
                    self.start_afresh(&access);
                } else {
                    let common = self.share(sets);
                    self.wrote(access.write);
                    return self.among_others(access, common, order, sets);
                }
            }
        }
        None
    }

    /// Whether an access under these locks teaches a lock-set detector nothing: see [`History::news`].
    #[inline(always)]
    fn is_settled(&self, locks: LockSet) -> bool {
        match &self.last {
            Last::Among { common, .. } => {
                (self.flags & (WRITTEN | MIXED) == WRITTEN) & (*common == locks) & !locks.is_empty()
            }
            Last::Alone { .. } => false,
        }
    }

    fn wrote(&mut self, write: bool) {
        if write {
            self.flags |= WRITTEN;
        }
    }

    fn start_afresh(&mut self, access: &Past) {
        *self = Row { generation: self.generation + 1, flags: MET, ..Row::NEW };
        self.set_half(access);
    }

    /// Another access of the only thread.
    fn alone(&mut self, access: Past, sets: &mut LockSets) {
        let [write, read] = self.halves();
        let is_known = |old: Past| old.epoch == access.epoch && access.yields_to(&old, sets);
        if self.more.iter().chain(write).any(is_known) {
            return;
        }
        self.more.retain(|old| !old.yields_to(&access, sets));
        if let Some(read) = read
            && access.write
            && read.yields_to(&access, sets)
            && let Last::Alone { read, .. } = &mut self.last
        {
            *read = Half::NONE;
        }
        let old = if access.write { write } else { read };
        if let Some(old) = old
            && !old.yields_to(&access, sets)
        {
            if self.more.len() >= KEPT {
                self.more.remove_first();
            }
            self.more.push(&old);
        }
        self.set_half(&access);
    }

    /// A second thread has come. Returns the locks that all accesses so far had in common.
    fn share(&mut self, sets: &mut LockSets) -> LockSet {
        let halves = self.halves();
        halves.iter().flatten().for_each(|half| self.more.push(half));
        let common = self.more.iter().map(|access| access.locks).reduce(|a, b| sets.intersect(a, b));
        let common = common.unwrap_or(LockSet::EMPTY);
        if self.more.iter().any(|access| access.locks != common) {
            self.flags |= MIXED;
        }
        self.last = Last::Among { common, notes: Notes::NONE };
        common
    }

    /// Puts an access to a shared variable down without looking at the others, if that will do: it is under the very
    /// locks, at least one, of all others, and some other thread has accessed the variable since any time last changed.
    /// Nobody knows of a time that has not ended, so that access is unordered with this one; and there is no rival.
    #[inline(always)]
    fn is_one_more(&mut self, access: &Past, stamp: u32) -> bool {
        let me = access.epoch.thread.0;
        let Last::Among { common, notes } = &mut self.last else { return false };
        let under_the_same = (self.flags & MIXED == 0) & (*common == access.locks) & !access.locks.is_empty();
        if !under_the_same || !notes.has_another(me, access.locks, stamp) {
            return false;
        }
        notes.note(me, access.write, access.locks, stamp);
        self.more.put_late(access);
        true
    }

    /// An access to a shared variable. Its rival, if that makes the first pair.
    fn among_others(
        &mut self,
        access: Past,
        common: LockSet,
        order: &Order,
        sets: &mut LockSets,
    ) -> Option<Past> {
        let mut first_rival = None;
        let me = access.epoch.thread;
        self.more.sort_in();
        let (first, count) = self.more.of(me);
        let known = self.more.some(first, count).any(|old| {
            old.epoch.time == access.epoch.time
                && (old.write || !access.write)
                && (old.locks == access.locks || sets.intersect(old.locks, access.locks) == old.locks)
        });
        if !known {
            if self.all_before(me, order) {
                self.start_afresh(&access);
                return None;
            }
            if self.flags & PAIRED == 0 && sets.disjoint(common, access.locks) {
                let rivals = self.more.iter().filter(|old| {
                    old.epoch.thread != me
                        && (old.write || access.write)
                        && sets.disjoint(old.locks, access.locks)
                        && !order.before(old.epoch, me)
                });
                first_rival = rivals.max_by_key(|old| (old.write, old.epoch.time));
                if first_rival.is_some() {
                    self.flags |= PAIRED;
                }
            }
            self.more.insert(access, first, count, sets);
        }
        if let Last::Among { common, notes } = &mut self.last {
            if *common != access.locks {
                self.flags |= MIXED;
                *common = sets.intersect(*common, access.locks);
            }
            notes.note(me.0, access.write, access.locks, order.stamp());
        }
        first_rival
    }

    fn all_before(&mut self, me: ThreadId, order: &Order) -> bool {
        if self.more.get(usize::from(self.unordered)).is_some_and(|old| !order.before(old.epoch, me)) {
            return false;
        }
        match self.more.iter().position(|old| !order.before(old.epoch, me)) {
            Some(at) => {
                self.unordered = at as u8;
                false
            }
            None => true,
        }
    }
}

impl VarState for History {
    fn touch(&self, accesses: &[Access]) -> u32 {
        self.rows.touch(accesses)
    }

    fn grow(&mut self, n: usize) {
        self.rows.grow(n);
    }

    fn forget(&mut self, var: VarId) {
        let generation = self.rows.at(var).generation + 1;
        *self.rows.at(var) = Row { generation, ..Row::NEW };
        self.pairs.remove(&var);
    }

    fn copy(&mut self, from: VarId, to: VarId) {
        self.rows.copy(from, to);
        if let Some(pair) = self.pairs.get(&from).copied() {
            self.pairs.insert(to, pair);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::held::Holders;
    use crate::shared::order::Edges;

    /// The history, lock sets and order after a written trace; one event a stretch.
    fn after(text: &str) -> (History, LockSets, Order) {
        let trace = events::text::parse("test", text).unwrap_or_else(|e| panic!("{e}"));
        let (mut history, mut sets, mut order) =
            (History::default(), LockSets::default(), Order::new(Edges::HandOver));
        let mut holders = Holders::default();
        order.grow(trace.symbols.threads.len(), trace.symbols.locks.len());
        holders.grow(trace.symbols.threads.len());
        history.grow(trace.symbols.variables().len());
        for event in &trace.events {
            holders.step(event, &mut sets);
            order.step(event);
            let access = event.op.access().map(|(var, write)| Access::new(var, event.site, write));
            let held = holders.held(event.thread);
            history.stretch(event.thread, access.as_slice(), held, &order, &mut sets);
        }
        (history, sets, order)
    }

    const X: VarId = VarId(0);

    fn kept(text: &str) -> Vec<(u32, bool, usize)> {
        let (history, sets, _) = after(text);
        let mut kept: Vec<_> = history
            .accesses(X)
            .map(|access| (access.epoch.thread.0, access.write, sets.locks(access.locks).len()))
            .collect();
        kept.sort_unstable();
        kept
    }

    #[test]
    fn an_ordered_access_by_another_thread_starts_afresh() {
        let (history, ..) = after("a write x\na fork b\nb write x\n");
        assert_eq!((history.generation(X), history.is_shared(X)), (2, false));
        assert!(history.met_others(X, ThreadId(1)), "that another thread was there is not forgotten");
    }

    #[test]
    fn an_unordered_access_shares() {
        let (history, ..) = after("a fork b\na read x\nb read x\n");
        assert_eq!((history.generation(X), history.is_shared(X)), (1, true));
        assert!(!history.written_while_shared(X) && !history.is_paired(X));
        let (history, ..) = after("a fork b\na read x\nb write x\n");
        assert!(history.written_while_shared(X) && history.is_paired(X));
    }

    #[test]
    fn a_thread_that_comes_back_after_all_others_starts_afresh() {
        let (history, ..) = after("a fork b\na write x\nb write x\nb end\na join b\na write x\n");
        assert_eq!((history.generation(X), history.is_shared(X), history.is_paired(X)), (2, false, false));
    }

    #[test]
    fn a_write_stands_for_the_reads_under_the_same_locks() {
        assert_eq!(kept("a read x\na write x\na read x\n"), [(0, true, 0)]);
    }

    #[test]
    fn accesses_under_other_locks_are_kept_unless_one_holds_less() {
        let text = "a acquire m\na write x\na release m\na acquire n\na write x\na release n\n";
        assert_eq!(kept(text), [(0, true, 1), (0, true, 1)]);
        assert_eq!(kept(&format!("{text}a write x\n")), [(0, true, 0)]);
        assert_eq!(kept(&format!("a write x\n{text}")), [(0, true, 0)], "at the same time");
        assert_eq!(kept(&format!("a write x\na vwrite v\n{text}")).len(), 3, "later, so they may matter");
    }

    #[test]
    fn the_same_holds_among_others() {
        let text = "b write x\na acquire m\na write x\na release m\na acquire n\na write x\na release n\n";
        assert_eq!(kept(text), [(0, true, 0), (1, true, 1), (1, true, 1)]);
        assert_eq!(kept(&format!("{text}a write x\n")), [(0, true, 0), (1, true, 0)]);
    }

    #[test]
    fn ever_new_locks_do_not_fill_the_memory() {
        let text: String = (0..100).map(|i| format!("a acquire m{i}\na write x\na release m{i}\n")).collect();
        assert!(kept(&text).len() <= KEPT + 2);
        assert!(kept(&format!("b write x\n{text}")).len() <= KEPT + 1);
    }

    #[test]
    fn a_rival_is_unordered_disjoint_and_conflicting() {
        let (history, mut sets, order) = after("a write x\na acquire m\na read x\nb read y\n");
        let b = ThreadId(1);
        let m = sets.with(LockSet::EMPTY, events::LockId(0));
        let mut rival = |write, locks| history.rival(X, b, write, locks, &order, &mut sets);
        assert!(rival(false, LockSet::EMPTY).is_some_and(|rival| rival.write));
        assert!(rival(true, m).is_some());
        assert!(history.rival(X, ThreadId(0), true, LockSet::EMPTY, &order, &mut sets).is_none());
    }

    #[test]
    fn a_forgotten_variable_starts_afresh() {
        let (mut history, ..) = after("a write x\nb write x\n");
        history.forget(X);
        assert_eq!((history.generation(X), history.is_shared(X)), (2, false));
        assert!(!history.met_others(X, ThreadId(0)));
    }
}
