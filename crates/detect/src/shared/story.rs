//! What is known of one variable beyond what every access looks at: which accesses are remembered, and what a new one
//! means among them.
//!
//! Two hand-overs that only locks order start a variable of an object afresh as well. **Publishing**: the object was
//! made, filled and left where another thread found it, under a lock. When a second thread comes to a variable that is
//! one thread's, which has filled it or found it in turn, with no lock that this one always had, the first access comes
//! before in the full order, and the second thread has not had the variable yet, then it is taken over, provided that
//! the object cannot have been known to the second thread all along (nobody has got the variable by a hand-over), or
//! that all accesses so far had a lock in common. **Taking away**: all accesses had a lock in common, and a thread that
//! has taken order from all others makes one without any lock, as after taking a list out of a shared place. That is a
//! pair of rivals only with what another thread does afterwards; and it can happen once. Neither needs the time of the
//! last access, which the history does not know: if that one was unordered, two accesses race in this very run, and
//! `fasttrack` sees them. What is missed: a lock that was forgotten where nobody comes back.
//!
//! **Not** here: whether an access is new at all, which the [history](super::history) tells without a look here.

use events::{SiteId, ThreadId, VarId};

use super::lockset::{LockSet, LockSets};
use super::marks::Asked;
use super::notes::{ALWAYS_NEWS, MET, MIXED, Notes, PAIRED, RESTS, WRITTEN};
use super::order::{Epoch, Order};
use super::pasts::{Among, KEPT, Past, Pasts};
use super::vars::Glance;

const NOBODY: u32 = u32::MAX;

/// What happens around accesses.
pub struct Scene<'a> {
    /// The hand-over order.
    pub order: &'a Order,
    /// The full order.
    pub full: Asked<'a>,
    /// Whether a variable can be published and taken away: an object's can, what is static cannot; none can in the
    /// papers' mode.
    pub can_move: &'a dyn Fn(VarId) -> bool,
}

/// Threads for which it is remembered where theirs begin.
const STARTS: usize = 8;

/// A read or a write. Times begin at 1: 0 is none.
#[derive(Clone, Copy, Debug)]
struct Half {
    time: u32,
    site: u32,
    locks: u32,
}

impl Half {
    const NONE: Half = Half { time: 0, site: 0, locks: 0 };

    fn is(&self, time: u32, locks: LockSet) -> bool {
        (self.time == time) & (self.locks == locks.0)
    }
}

/// Somebody got the variable by a hand-over, so that others may have known the object all along.
const HANDED_OVER: u8 = 1;
/// It was taken away since then.
const TAKEN_AWAY: u8 = 2;

/// How a variable that starts afresh got to its thread: who has had it since the last hand-over, and flags.
type Way = (u16, u8);

/// The bit of a thread among those that have had a variable.
fn bit(thread: u32) -> u16 {
    1 << (thread % 16)
}

#[derive(Clone, Copy, Debug)]
enum Last {
    /// Not shared: the last read and write of the only thread; when it came, in the full order and the hand-over order;
    /// a bit for each thread that has had the variable before since the last hand-over, by its number modulo 16; and
    /// [`HANDED_OVER`] and [`TAKEN_AWAY`].
    Alone { thread: u32, read: Half, write: Half, came: [u32; 2], had_by: u16, flags: u8 },
    /// Shared: the locks that all accesses since the last fresh start had in common, those that all had since a second
    /// thread came, that thread's first one included, and where in `more` those of some threads were last found to begin;
    /// and where one was last found that was unordered: likely so again.
    Among { common: LockSet, since: LockSet, starts: [u16; STARTS], unordered: u8, taken_away: bool },
}

/// The remembered accesses of one variable: a cache line, since a row that lies across two costs twice.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Story {
    last: Last,
    /// Of a shared variable all that is remembered, by thread; of another one what is not in the two halves.
    more: Pasts,
}

const _: () = assert!(size_of::<Story>() == 64);

impl Glance for Story {
    #[inline(always)]
    fn glance(&self) -> u32 {
        self.more.count() as u32
    }
}

impl Story {
    /// No access yet.
    pub const NEW: Story = Story {
        last: Last::Alone {
            thread: NOBODY,
            read: Half::NONE,
            write: Half::NONE,
            came: [0; 2],
            had_by: 0,
            flags: 0,
        },
        more: Pasts::NONE,
    };

    /// All that is remembered.
    pub fn all(&self) -> impl Iterator<Item = Past> + use<> {
        self.halves().into_iter().flatten().chain(self.more.all())
    }

    /// Whether nobody but this thread has accessed the variable since it started afresh.
    pub fn is_of(&self, me: ThreadId) -> bool {
        matches!(self.last, Last::Alone { thread, .. } if thread == NOBODY || thread == me.0)
    }

    /// Whether the variable is its only thread's, which has made just such an access at this time.
    #[inline(always)]
    pub fn has(&self, access: &Past) -> bool {
        match &self.last {
            Last::Alone { thread, read, write, .. } => {
                let (time, locks) = (access.epoch.time, access.locks);
                (*thread == access.epoch.thread.0)
                    & (write.is(time, locks) | !access.write & read.is(time, locks))
            }
            Last::Among { .. } => false,
        }
    }

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
        let Last::Alone { thread, read, write, .. } = self.last else { return [None, None] };
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
    pub fn add(
        &mut self,
        (var, access): (VarId, Past),
        notes: &mut Notes,
        scene: &mut Scene<'_>,
        sets: &mut LockSets,
    ) -> Option<Past> {
        let (me, order) = (access.epoch.thread, scene.order);
        let rival = match self.last {
            Last::Among { common, .. } => {
                notes.wrote_while_shared(access.write);
                if self.is_one_more(&access, common, notes, order.stamp()) {
                    return None;
                }
                self.among_others((var, access), common, notes, scene, sets)
            }
            Last::Alone { thread, .. } if thread == me.0 => {
                self.alone(access, sets);
                None
            }
            Last::Alone { thread: NOBODY, .. } => {
                self.begin(&access, (0, 0), scene);
                None
            }
            Last::Alone { thread, read, write, had_by, flags, .. } => {
                notes.flags |= MET;
                // The last access comes after all others of its thread.
                let last = Epoch { thread: ThreadId(thread), time: read.time.max(write.time) };
                if order.before(last, me) {
                    self.start_afresh(&access, (0, HANDED_OVER), notes, scene);
                    None
                } else if self.is_published_to(&access, scene, sets) && (scene.can_move)(var) {
                    self.start_afresh(&access, (had_by | bit(thread), flags), notes, scene);
                    None
                } else {
                    let common = self.share(access.locks, notes, sets);
                    notes.wrote_while_shared(access.write);
                    self.among_others((var, access), common, notes, scene, sets)
                }
            }
        };
        notes.note(me.0, access.write, access.locks, order.stamp());
        rival
    }

    /// Whether these locks, at least one, are what all accesses since a second thread came had in common.
    pub fn is_under(&self, locks: LockSet) -> bool {
        matches!(self.last, Last::Among { since, .. } if since == locks) && !locks.is_empty()
    }

    /// Whether all accesses were under these very locks, at least one, and the variable was written while shared.
    #[inline(always)]
    pub fn is_under_the_same(&self, locks: LockSet, notes: &Notes) -> bool {
        match &self.last {
            Last::Among { common, .. } => {
                (notes.flags & (WRITTEN | MIXED) == WRITTEN) & (*common == locks) & !locks.is_empty()
            }
            Last::Alone { .. } => false,
        }
    }

    /// Whether an access under these locks teaches a lock-set detector nothing: see
    /// [`Found::news`](super::found::Found::news).
    #[inline(always)]
    pub fn is_settled(&self, locks: LockSet, notes: &Notes, sets: &LockSets) -> bool {
        match &self.last {
            // What all had in common is part of what all had since.
            Last::Among { common, since, .. } => {
                (notes.flags & (WRITTEN | ALWAYS_NEWS) == WRITTEN)
                    & !common.is_empty()
                    & sets.is_within(*since, locks)
            }
            Last::Alone { .. } => false,
        }
    }

    fn start_afresh(&mut self, access: &Past, way: Way, notes: &mut Notes, scene: &mut Scene<'_>) {
        notes.start_afresh(MET);
        *self = Story::NEW;
        self.begin(access, way, scene);
    }

    /// The first access since the fresh start.
    fn begin(&mut self, access: &Past, way: Way, scene: &mut Scene<'_>) {
        self.set_half(access);
        if let Last::Alone { came, had_by, flags, .. } = &mut self.last {
            *came = [scene.full.mark(access.epoch.thread).time, access.epoch.time];
            (*had_by, *flags) = way;
        }
    }

    /// Whether another thread finds the variable where its only thread has left it: see the head of this file.
    #[cold]
    fn is_published_to(&self, access: &Past, scene: &Scene<'_>, sets: &mut LockSets) -> bool {
        let Last::Alone { thread, write, came: [in_full, in_hand_over], had_by, flags, .. } = self.last
        else {
            return false;
        };
        // Who has only looked at it did not fill it.
        if write.time == 0 && had_by == 0 {
            return false;
        }
        let me = access.epoch.thread;
        let of = |time: u32| Epoch { thread: ThreadId(thread), time };
        if had_by & bit(me.0) != 0 || !scene.full.before(of(in_full), me) {
            return false;
        }
        let common = self.common_alone(sets);
        let is_new = flags & HANDED_OVER == 0 && !scene.order.before(of(in_hand_over), me);
        sets.disjoint(common, access.locks) && (is_new || !common.is_empty())
    }

    /// Whether an access without a lock takes the variable away from those who had one in common.
    #[cold]
    fn is_taken_away_by(&self, me: ThreadId, scene: &Scene<'_>) -> bool {
        let Last::Among { taken_away: false, .. } = self.last else { return false };
        let mut others = self.more.iter().map(|old| old.epoch.thread);
        let first = others.next();
        // Of one thread's variable, what is published says whether it changes hands.
        let was_shared = self.more.iter().any(|old| Some(old.epoch.thread) != first);
        was_shared
            && first.into_iter().chain(others).all(|other| other == me || scene.full.has_heard_of(me, other))
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
            if self.more.count() >= KEPT {
                self.more.remove_first();
            }
            self.more.push(&old);
        }
        self.set_half(&access);
    }

    /// A second thread has come, with these locks. Returns the locks that all accesses before had in common.
    fn share(&mut self, since: LockSet, notes: &mut Notes, sets: &mut LockSets) -> LockSet {
        let common = self.common_alone(sets);
        let halves = self.halves();
        halves.iter().flatten().for_each(|half| self.more.push(half));
        if self.more.iter().any(|access| access.locks != common) {
            notes.flags |= MIXED;
        }
        notes.share();
        let taken_away = matches!(self.last, Last::Alone { flags, .. } if flags & TAKEN_AWAY != 0);
        self.last = Last::Among { common, since, starts: [0; STARTS], unordered: 0, taken_away };
        common
    }

    /// The locks that all accesses to a variable that is not shared had in common.
    fn common_alone(&self, sets: &mut LockSets) -> LockSet {
        let all = self.more.iter().chain(self.halves().into_iter().flatten());
        all.map(|access| access.locks).reduce(|a, b| sets.intersect(a, b)).unwrap_or(LockSet::EMPTY)
    }

    /// Puts an access to a shared variable down without looking at the others, if that will do: it is under the very
    /// locks, at least one, of all others, and some other thread has accessed the variable since any time last changed.
    /// Nobody knows of a time that has not ended, so that access is unordered with this one; and there is no rival.
    #[inline(always)]
    fn is_one_more(&mut self, access: &Past, common: LockSet, notes: &mut Notes, stamp: u32) -> bool {
        let me = access.epoch.thread.0;
        let under_the_same = (notes.flags & MIXED == 0) & (common == access.locks) & !common.is_empty();
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
        (var, access): (VarId, Past),
        common: LockSet,
        notes: &mut Notes,
        scene: &mut Scene<'_>,
        sets: &mut LockSets,
    ) -> Option<Past> {
        let mut first_rival = None;
        let (me, order) = (access.epoch.thread, scene.order);
        self.more.sort_in();
        let first = self.start(me);
        if let Among::New { count, replaces } = self.more.compare(&access, first, sets) {
            if self.all_before(me, order) {
                self.start_afresh(&access, (0, HANDED_OVER), notes, scene);
                return None;
            }
            if notes.flags & PAIRED == 0 && sets.disjoint(common, access.locks) {
                let rivals = self.more.iter().filter(|old| {
                    old.epoch.thread != me
                        && (old.write || access.write)
                        && sets.disjoint(old.locks, access.locks)
                        && !order.before(old.epoch, me)
                });
                first_rival = rivals.max_by_key(|old| (old.write, old.epoch.time));
                let can_take_away = first_rival.is_some() & access.locks.is_empty() & !common.is_empty();
                if can_take_away && self.is_taken_away_by(me, scene) && (scene.can_move)(var) {
                    self.start_afresh(&access, (u16::MAX, HANDED_OVER | TAKEN_AWAY), notes, scene);
                    return None;
                }
                if first_rival.is_some() {
                    notes.flags |= PAIRED;
                }
            }
            self.more.insert(access, first, count, replaces, sets);
        }
        if let Last::Among { common, since, .. } = &mut self.last {
            if *common != access.locks {
                notes.flags |= MIXED;
                *common = sets.intersect(*common, access.locks);
            }
            let fewer = sets.intersect(*since, access.locks);
            if *since != fewer {
                notes.flags &= !RESTS;
                *since = fewer;
            }
        }
        first_rival
    }

    /// Where the accesses of a thread to a shared variable begin, or would.
    #[inline(always)]
    fn start(&mut self, me: ThreadId) -> usize {
        let Last::Among { starts, .. } = &mut self.last else { return 0 };
        let guess = &mut starts[me.index() % STARTS];
        let start = self.more.start(me, usize::from(*guess));
        *guess = start as u16;
        start
    }

    fn all_before(&mut self, me: ThreadId, order: &Order) -> bool {
        let Last::Among { unordered, .. } = &mut self.last else { return false };
        if self.more.get(usize::from(*unordered)).is_some_and(|old| !order.before(old.epoch, me)) {
            return false;
        }
        match self.more.iter().position(|old| !order.before(old.epoch, me)) {
            Some(at) => {
                *unordered = at as u8;
                false
            }
            None => true,
        }
    }
}
