//! The full order as far as few ask about it: which of the moments that somebody has **marked** come before what a
//! thread does next.
//!
//! [`Order`](super::order::Order) tells every time at which a thread gives order away from the next one, since any access may
//! lie between them; so every lock that changes hands tells its next holder something new. Here a thread's time passes
//! only when it gives away a moment that was marked. Where nothing is marked, everybody soon knows everything; and what is
//! known is one vector that all share. So taking a lock or giving it up is comparing two pointers, while a run in which
//! every moment is marked would be slower than with that order.
//!
//! A thread's first moment counts as marked: so there is an answer to who has taken any order from whom.

use std::cmp::Ordering;
use std::rc::Rc;

use events::{ChannelId, Event, LockId, Mode, Op, ThreadId, VarId};
use rustc_hash::FxHashMap;

use super::order::{Epoch, Order};
use super::times::Times;

/// For each thread the time up to which its marked moments are known.
type Known = Rc<Times>;

#[derive(Debug)]
struct Thread {
    time: u32,
    /// Whether a moment at this time was marked.
    marked: bool,
    known: Known,
}

#[derive(Debug)]
struct Lock {
    /// Given by whoever held it alone last, and who that was.
    alone: Option<Known>,
    by: ThreadId,
    /// Given by readers since then.
    readers: Option<Known>,
}

/// The marked moments up to the current event.
#[derive(Default)]
pub struct Marks {
    threads: Vec<Thread>,
    locks: Vec<Lock>,
    channels: FxHashMap<ChannelId, Known>,
    volatiles: FxHashMap<VarId, Known>,
}

/// Who is asked about the full order.
pub enum Asked<'a> {
    /// The marks.
    Marks(&'a mut Marks),
    /// The order itself, where it is kept anyway: every moment of it counts as marked.
    Order(&'a Order),
}

impl Asked<'_> {
    /// Marks what a thread does now.
    pub fn mark(&mut self, thread: ThreadId) -> Epoch {
        match self {
            Asked::Marks(marks) => marks.mark(thread),
            Asked::Order(order) => order.epoch(thread),
        }
    }

    /// Whether a marked moment comes before a thread's next event.
    pub fn before(&self, mark: Epoch, thread: ThreadId) -> bool {
        match self {
            Asked::Marks(marks) => marks.before(mark, thread),
            Asked::Order(order) => order.before(mark, thread),
        }
    }

    /// Whether a thread has taken any order from another one.
    pub fn has_heard_of(&self, thread: ThreadId, other: ThreadId) -> bool {
        match self {
            Asked::Marks(marks) => marks.known(other, thread) > 0,
            Asked::Order(order) => order.known(thread).get(other.index()).is_some_and(|&time| time > 0),
        }
    }
}

impl Marks {
    /// Makes room for threads and locks.
    pub fn grow(&mut self, threads: usize, locks: usize) {
        if self.threads.len() < threads {
            let known = Known::default();
            self.threads.resize_with(threads, || Thread { time: 1, marked: true, known: known.clone() });
        }
        if self.locks.len() < locks {
            self.locks.resize_with(locks, || Lock { alone: None, by: ThreadId(0), readers: None });
        }
    }

    fn mark(&mut self, thread: ThreadId) -> Epoch {
        let row = &mut self.threads[thread.index()];
        row.marked = true;
        Epoch { thread, time: row.time }
    }

    fn before(&self, mark: Epoch, thread: ThreadId) -> bool {
        mark.thread == thread || mark.time <= self.known(mark.thread, thread)
    }

    fn known(&self, of: ThreadId, to: ThreadId) -> u32 {
        self.threads[to.index()].known.get(of.index())
    }

    /// A thread takes a lock in exclusive mode.
    #[inline(always)]
    pub fn acquire(&mut self, me: ThreadId, lock: LockId) {
        let Lock { alone, by, readers } = &self.locks[lock.index()];
        let known = &self.threads[me.index()].known;
        // Without a short cut: whose lock it was is hard to foretell.
        let told = (*by == me) | alone.as_ref().is_none_or(|alone| Rc::ptr_eq(alone, known));
        if !told | readers.is_some() {
            self.take_over(me, lock);
        }
    }

    #[inline(never)]
    fn take_over(&mut self, me: ThreadId, lock: LockId) {
        let Lock { alone, readers, .. } = &self.locks[lock.index()];
        for given in alone.iter().chain(readers) {
            join(&mut self.threads[me.index()].known, given);
        }
    }

    /// A thread gives up a lock that it held alone. It has taken all earlier gifts over.
    #[inline(always)]
    pub fn release(&mut self, me: ThreadId, lock: LockId) {
        let Thread { marked, known, .. } = &self.threads[me.index()];
        let Lock { alone, by, readers } = &mut self.locks[lock.index()];
        let same = alone.as_ref().is_some_and(|alone| Rc::ptr_eq(alone, known));
        *by = me;
        if *marked | !same | readers.is_some() {
            self.leave(me, lock);
        }
    }

    #[inline(never)]
    fn leave(&mut self, me: ThreadId, lock: LockId) {
        let alone = Some(self.give(me));
        self.locks[lock.index()] = Lock { alone, by: me, readers: None };
    }

    /// Takes an event into account. Taking order comes before the event, giving it after.
    pub fn step(&mut self, event: &Event) {
        let me = event.thread;
        let mut take = |thread: ThreadId, given: &Known| join(&mut self.threads[thread.index()].known, given);
        match event.op {
            Op::Acquire { lock, mode: Mode::Read, .. } => {
                self.locks[lock.index()].alone.iter().for_each(|given| take(me, given));
            }
            Op::VolatileRead { var, .. } => {
                self.volatiles.get(&var).into_iter().for_each(|given| take(me, given))
            }
            Op::Observe { on } => self.channels.get(&on).into_iter().for_each(|given| take(me, given)),
            Op::Acquire { lock, mode: Mode::Exclusive, .. } | Op::Woken { lock } => self.acquire(me, lock),
            Op::Release { lock, mode: Mode::Exclusive } | Op::Wait { lock } => self.release(me, lock),
            Op::Release { lock, mode: Mode::Read } => {
                let given = self.give(me);
                join(self.locks[lock.index()].readers.get_or_insert_default(), &given);
            }
            Op::VolatileWrite { var, .. } => {
                let given = self.give(me);
                join(self.volatiles.entry(var).or_default(), &given);
            }
            Op::Signal { on } => {
                let given = self.give(me);
                join(self.channels.entry(on).or_default(), &given);
            }
            Op::Fork { child } => {
                let given = self.give(me);
                join(&mut self.threads[child.index()].known, &given);
            }
            Op::Join { child } => {
                let given = self.give(child);
                join(&mut self.threads[me.index()].known, &given);
            }
            _ => {}
        }
    }

    /// The object of this variable is gone.
    pub fn forget(&mut self, var: VarId) {
        self.volatiles.remove(&var);
    }

    fn give(&mut self, thread: ThreadId) -> Known {
        let row = &mut self.threads[thread.index()];
        if row.marked {
            Rc::make_mut(&mut row.known).set(thread.index(), row.time);
            (row.time, row.marked) = (row.time + 1, false);
        }
        row.known.clone()
    }
}

/// Raises what is known to what is known elsewhere. Of two vectors that say the same the one at the lower address stays,
/// so that soon all have the same one.
fn join(mine: &mut Known, theirs: &Known) {
    if Rc::ptr_eq(mine, theirs) {
        return;
    }
    let (less, more) = mine.compare(theirs);
    match (less, more) {
        (false, false) if Rc::as_ptr(mine).cmp(&Rc::as_ptr(theirs)) != Ordering::Greater => {}
        (false, true) => {}
        (_, false) => mine.clone_from(theirs),
        (true, true) => Rc::make_mut(mine).raise_all(theirs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::order::{Edges, Order};
    use events::SiteId;

    /// Numbers without any order.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, n: u64) -> u32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 33) % n) as u32
        }
    }

    const THREADS: u64 = 4;

    /// An operation that is possible: a lock is held by one thread alone, or by some in read mode.
    fn roll(dice: &mut Dice, me: ThreadId, locks: &mut [Vec<(ThreadId, Mode)>]) -> Option<Op> {
        let which = dice.below(locks.len() as u64);
        let (lock, holders) = (LockId(which), &mut locks[which as usize]);
        let mine = holders.iter().position(|&(thread, _)| thread == me);
        Some(match dice.below(10) {
            0..5 => match mine {
                Some(at) => Op::Release { lock, mode: holders.remove(at).1 },
                None => {
                    let mode = if dice.below(3) == 0 { Mode::Read } else { Mode::Exclusive };
                    if !holders.iter().all(|&(_, held)| mode == Mode::Read && held == Mode::Read) {
                        return None;
                    }
                    holders.push((me, mode));
                    Op::Acquire { lock, mode, tries: false }
                }
            },
            5 => Op::VolatileRead { var: VarId(dice.below(2)), update: false },
            6 if dice.below(3) == 0 => Op::VolatileWrite { var: VarId(dice.below(2)), update: false },
            7 => Op::Observe { on: ChannelId(0) },
            8 if dice.below(6) == 0 => Op::Signal { on: ChannelId(0) },
            9 if dice.below(20) == 0 => Op::Fork { child: ThreadId(dice.below(THREADS)) },
            _ => return None,
        })
    }

    #[test]
    fn marked_moments_are_ordered_as_in_the_full_order() {
        let (mut yes, mut no, mut shared) = (0, 0, 0);
        for seed in 0..300 {
            let mut dice = Dice(seed);
            let (mut order, mut marks) = (Order::new(Edges::Full), Marks::default());
            let mut locks = vec![Vec::new(); 3];
            order.grow(THREADS as usize, locks.len());
            marks.grow(THREADS as usize, locks.len());
            let mut marked = Vec::new();
            for _ in 0..120 {
                let me = ThreadId(dice.below(THREADS));
                if dice.below(12) == 0 {
                    marked.push((order.epoch(me), marks.mark(me)));
                }
                let Some(op) = roll(&mut dice, me, &mut locks) else { continue };
                let event = Event { thread: me, site: SiteId(0), op };
                order.step(&event);
                marks.step(&event);
                for thread in (0..THREADS as u32).map(ThreadId) {
                    for &(epoch, mark) in &marked {
                        let before = order.before(epoch, thread);
                        assert_eq!(
                            marks.before(mark, thread),
                            before,
                            "{mark:?} and {thread:?}, seed {seed}"
                        );
                        *(if before { &mut yes } else { &mut no }) += 1;
                    }
                    for other in (0..THREADS as u32).map(ThreadId).filter(|&other| other != thread) {
                        let heard = Asked::Order(&order).has_heard_of(thread, other);
                        assert_eq!(
                            Asked::Marks(&mut marks).has_heard_of(thread, other),
                            heard,
                            "seed {seed}"
                        );
                    }
                    shared += u32::from(Rc::ptr_eq(
                        &marks.threads[thread.index()].known,
                        &marks.threads[me.index()].known,
                    ));
                }
            }
        }
        assert!(yes > 10_000 && no > 10_000 && shared > 10_000, "{yes} {no} {shared}");
    }

    #[test]
    fn where_nothing_is_marked_all_soon_share_what_they_know() {
        let (mut dice, mut marks) = (Dice(7), Marks::default());
        marks.grow(8, 16);
        for _ in 0..2000 {
            let (me, lock) = (ThreadId(dice.below(8)), LockId(dice.below(16)));
            marks.acquire(me, lock);
            marks.release(me, lock);
        }
        assert!(marks.threads.iter().all(|thread| Rc::ptr_eq(&thread.known, &marks.threads[0].known)));
    }
}
