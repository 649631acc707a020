//! Who accessed each variable, for the detectors that reason with lock sets and views.
//!
//! Three things come from here. A variable's **generation**: it goes up when an access comes, in the hand-over order,
//! after *all* earlier ones and one of those was another thread's, and when an object changes hands under a lock (see
//! [story](super::story)); whoever keeps state for the variable starts afresh then. Its **rivals**: for an access, an earlier one since the last fresh start that is unordered in the hand-over
//! order, has no lock in common, and one of the two writes. And whether it is **paired**: some access has had a rival.
//!
//! Not every access is kept, but what is left out makes no difference: an access is dropped for a later one of the
//! same thread that has no lock it has not and writes if it writes, for whatever is a rival of the first is one of
//! the second. One thing is bounded: of a thread that uses a variable under ever new locks the last [`KEPT`] accesses
//! stay; a rival among older ones is missed.
//!
//! The hand-over order gives a thread a new time whenever it gives *or takes* order. So an access with a time, locks
//! and kind that are there already changes nothing, and that is the fast path: no order is looked up, nothing stored.
//! The [notes](super::notes) on a variable tell in one look, for the first [`NOTED`](super::notes::NOTED) threads, as long
//! as nobody's time changes and all hold the same locks; of a shared variable under many sets of locks
//! [`Known`](super::known) tells, mostly; its [story](super::story) tells in all other cases.

use events::{Access, ThreadId, VarId};

use rustc_hash::FxHashMap;

use super::found::Found;
use super::held::Held;
use super::known::Known;
use super::lockset::{LockSet, LockSets};
use super::notes::{ALWAYS_NEWS, Bit, ENOUGH_PLACES, MET, MIXED, Notes, PAIRED, RESTS, SHARED, WRITTEN};
use super::order::Order;
use super::story::Story;
use super::vars::{PerVar, VarState};

pub use super::pasts::{KEPT, Past};
pub use super::story::Scene;

/// The history of every variable.
pub struct History {
    notes: PerVar<Notes>,
    stories: PerVar<Story>,
    known: Known,
    places: bool,
    rests: bool,
    /// How often something happened to a variable that is accessed in what repeats.
    changes: u64,
    /// Of each paired variable the pair that was seen first since it started afresh.
    pairs: FxHashMap<VarId, (Past, Past)>,
}

impl Default for History {
    fn default() -> Self {
        Self {
            notes: PerVar::new(Notes::NEW),
            stories: PerVar::new(Story::NEW),
            known: Known::default(),
            places: false,
            rests: false,
            changes: 0,
            pairs: FxHashMap::default(),
        }
    }
}

impl History {
    /// Finds [`Found::new_places`] only if somebody minds places, and [`Found::awake`] only if somebody lays to rest.
    pub fn new(places: bool, rests: bool) -> Self {
        Self { places, rests, ..Self::default() }
    }

    /// Finds the accesses of a stretch of a thread that may be new; mostly there are none. They have to be
    /// [taken in](Self::take_in) before the next stretch.
    #[inline(always)]
    pub fn look(&self, me: ThreadId, accesses: &[Access], held: Held, stamp: u32, found: &mut Found) {
        found.clear();
        match (self.places, self.rests) {
            (false, false) => self.look_for::<false, false>(me, accesses, held, stamp, found),
            (true, false) => self.look_for::<true, false>(me, accesses, held, stamp, found),
            (false, true) => self.look_for::<false, true>(me, accesses, held, stamp, found),
            (true, true) => self.look_for::<true, true>(me, accesses, held, stamp, found),
        }
    }

    /// Takes those accesses of a stretch into account that may be new.
    pub fn take_in(
        &mut self,
        me: ThreadId,
        accesses: &[Access],
        held: Held,
        scene: &mut Scene<'_>,
        sets: &mut LockSets,
        found: &mut Found,
    ) {
        for at in 0..found.unknown.get().len() {
            let i = found.unknown.get()[at];
            if let Some(access) = accesses.get(i as usize) {
                self.access(i, me, access, held, scene, sets, found);
            }
        }
    }

    /// Finds the accesses that notes do not tell about. No branch depends on what an access is. It does no harm that an
    /// access is not taken into account before the next one is looked at: one that is like an earlier one stays so, and
    /// [`access`](Self::access) looks again at the others.
    #[inline(always)]
    fn look_for<const PLACES: bool, const RESTS: bool>(
        &self,
        me: ThreadId,
        accesses: &[Access],
        held: Held,
        stamp: u32,
        found: &mut Found,
    ) {
        let me = Bit::of(me.0);
        found.unknown.fill(accesses.iter().map(|access| {
            let notes = self.notes.get(access.var);
            let write = access.writes();
            let known = notes.tell(me, write, held.protecting(write), stamp);
            let old_place = !PLACES | (notes.places & place_bit(access) != 0);
            !(known & old_place & (!RESTS | notes.is_quiet()))
        }));
    }

    /// Takes an access into account that may be new.
    #[allow(clippy::too_many_arguments, reason = "all that an access is")]
    fn access(
        &mut self,
        i: u32,
        me: ThreadId,
        access: &Access,
        held: Held,
        scene: &mut Scene<'_>,
        sets: &mut LockSets,
        found: &mut Found,
    ) {
        let order = scene.order;
        let write = access.writes();
        let (epoch, stamp, locks) = (order.epoch(me), order.stamp(), held.protecting(write));
        let notes = self.notes.at(access.var);
        let before = (notes.flags, notes.generation, notes.repeats);
        let (mut news, mut place_is_news) = (false, false);
        let noted = notes.tell(Bit::of(me.0), write, locks, stamp);
        // A detector that leaves some out may have to see what is known.
        let in_many_ways = notes.flags & (SHARED | MIXED | ALWAYS_NEWS) == SHARED | MIXED;
        let known =
            noted || in_many_ways && self.known.has(access.var, notes.generation, epoch, locks, write);
        let (quiet, rests) = (known & notes.is_quiet(), notes.flags & RESTS != 0);
        if !known {
            let past = Past { epoch, site: access.site(), locks, write };
            let story = self.stories.at(access.var);
            if story.has(&past) {
                notes.note(me.0, write, locks, stamp);
            } else {
                let generation = notes.generation;
                let same = story.is_under_the_same(locks, notes);
                let settled = same || story.is_settled(locks, notes, sets);
                if let Some(rival) = story.add((access.var, past), notes, scene, sets) {
                    self.pairs.insert(access.var, (rival, past));
                }
                place_is_news = !same || notes.generation != generation;
                news = !settled || notes.generation != generation;
                if in_many_ways && notes.generation == generation {
                    self.known.add(access.var, generation, epoch, locks, write);
                }
            }
        }
        // What rests goes on to rest unless this access has woken it.
        let stays_at_rest = rests && notes.flags & RESTS != 0;
        if !(quiet || stays_at_rest) {
            found.awake.push(i);
        }
        if news {
            found.news.push(i);
        }
        let same = (notes.flags, notes.generation) == (before.0, before.1);
        self.changes += u64::from(before.2 & (news | !same));
        if self.places && (place_is_news || notes.places & place_bit(access) == 0) {
            found.new_places.push(i);
            notes.places |= place_bit(access);
        }
    }

    /// A detector that looks at [`Found::awake`] has no use for further accesses to a variable under these locks and
    /// perhaps others, as long as all are under them. (There may be one such detector.) Without effect unless these are
    /// the locks that all accesses had in common since a second thread came.
    pub fn lay_to_rest(&mut self, var: VarId, locks: LockSet) {
        if self.stories.get(var).is_under(locks) {
            self.notes.at(var).flags |= RESTS;
        }
    }

    /// A detector that is content with [`Found::news`] leaves some accesses to a variable out, so that it may learn
    /// from others that tell nothing to those who do not. Holds until the variable starts afresh.
    pub fn leaves_some_out(&mut self, var: VarId) {
        self.notes.at(var).flags |= ALWAYS_NEWS;
        self.change();
    }

    /// Something happened that may make news of what was none before: see [`repeats`](super::repeats).
    pub fn change(&mut self) {
        self.changes += 1;
    }

    /// The same, if it concerns nobody but those who access this variable.
    #[inline]
    pub fn change_to(&mut self, var: VarId) {
        self.changes += u64::from(self.notes.get(var).repeats);
    }

    /// How often that was.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// From now on it is a [change](Self::change) if anything new happens to these variables.
    pub fn minds_changes_of(&mut self, accesses: &[Access]) {
        for access in accesses {
            self.notes.at(access.var).repeats = true;
        }
    }

    /// A detector has no use for further places from which a variable is accessed, as long as its generation is this
    /// one. (There may be one such detector.)
    pub fn enough_places(&mut self, var: VarId, generation: u32) {
        let notes = self.notes.at(var);
        if notes.generation == generation {
            notes.flags |= ENOUGH_PLACES;
            notes.places = u16::MAX;
        }
    }

    /// Whether that is so now.
    #[inline(always)]
    pub fn has_all_places(&self, var: VarId) -> bool {
        self.notes.get(var).flags & ENOUGH_PLACES != 0
    }

    /// Brings into the cache what new accesses need besides what [`touch`](VarState::touch) brings.
    pub fn touch_stories(&self, accesses: &[Access]) -> u32 {
        self.stories.touch(accesses)
    }

    /// How often the variable's state has started afresh; never 0.
    #[inline(always)]
    pub fn generation(&self, var: VarId) -> u32 {
        self.notes.get(var).generation
    }

    /// Whether two threads have accessed the variable without order since it last started afresh.
    #[inline(always)]
    pub fn is_shared(&self, var: VarId) -> bool {
        self.notes.get(var).flags & SHARED != 0
    }

    /// Whether the variable was written since (and by the access with which) it became shared.
    #[inline(always)]
    pub fn written_while_shared(&self, var: VarId) -> bool {
        self.notes.get(var).flags & WRITTEN != 0
    }

    /// Whether some access to the variable has had a rival since it last started afresh. While it has not, there is
    /// no need to ask for one.
    #[inline(always)]
    pub fn is_paired(&self, var: VarId) -> bool {
        self.notes.get(var).flags & PAIRED != 0
    }

    /// The first pair of rivals since the variable last started afresh, if it [is paired](Self::is_paired).
    pub fn pair(&self, var: VarId) -> Option<(Past, Past)> {
        self.pairs.get(&var).copied().filter(|_| self.is_paired(var))
    }

    /// Whether any thread but this one has ever accessed the variable.
    pub fn met_others(&self, var: VarId, thread: ThreadId) -> bool {
        self.notes.get(var).flags & MET != 0 || !self.stories.get(var).is_of(thread)
    }

    /// What is remembered of every thread since the variable started afresh, the current thread's among them.
    pub fn accesses(&self, var: VarId) -> impl Iterator<Item = Past> {
        self.stories.get(var).all()
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

/// The bit of the place of an access.
#[inline(always)]
fn place_bit(access: &Access) -> u16 {
    1 << (access.site().0.wrapping_mul(0x9e37_79b1) >> 28)
}

impl VarState for History {
    fn touch(&self, accesses: &[Access]) -> u32 {
        self.notes.touch(accesses)
    }

    fn grow(&mut self, n: usize) {
        self.notes.grow(n);
        self.stories.grow(n);
    }

    fn forget(&mut self, var: VarId) {
        self.notes.at(var).start_afresh(0);
        self.stories.forget(var);
        self.pairs.remove(&var);
    }

    fn copy(&mut self, from: VarId, to: VarId) {
        self.changes += u64::from(self.notes.get(from).repeats);
        self.notes.copy(from, to);
        self.stories.copy(from, to);
        if let Some(pair) = self.pairs.get(&from).copied() {
            self.pairs.insert(to, pair);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::held::Holders;
    use crate::shared::marks::{Asked, Marks};
    use crate::shared::order::Edges;

    /// The history, lock sets and order after a written trace; one event a stretch.
    fn after(text: &str) -> (History, LockSets, Order) {
        let trace = events::text::parse("test", text).unwrap_or_else(|e| panic!("{e}"));
        let (mut history, mut sets, mut order, mut marks) =
            (History::default(), LockSets::default(), Order::new(Edges::HandOver), Marks::default());
        let mut holders = Holders::default();
        order.grow(trace.symbols.threads.len(), trace.symbols.locks.len());
        marks.grow(trace.symbols.threads.len(), trace.symbols.locks.len());
        let can_move = |var| trace.symbols.variables().get(var).object.is_some();
        holders.grow(trace.symbols.threads.len());
        history.grow(trace.symbols.variables().len());
        for event in &trace.events {
            holders.step(event, &mut sets);
            order.step(event);
            marks.step(event);
            let access = event.op.access().map(|(var, write)| Access::new(var, event.site, write));
            let held = holders.held(event.thread);
            let mut scene = Scene { order: &order, full: Asked::Marks(&mut marks), can_move: &can_move };
            let (accesses, mut found) = (access.as_slice(), Found::default());
            history.look(event.thread, accesses, held, order.stamp(), &mut found);
            history.take_in(event.thread, accesses, held, &mut scene, &mut sets, &mut found);
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
