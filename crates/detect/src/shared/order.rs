//! The two orders of events, each computed once for all detectors.
//!
//! *Full order*: program order, locks (release → acquire), start, join, volatile (write → later read), signal →
//! observe. *Hand-over order*: the same without lock edges, but with those of waiting. Who waits at a lock comes after
//! whoever gives it up meanwhile and has written something since it took a lock: somebody has to see to it that a waiting
//! thread goes on, and has changed what it waits for. (The trace does not tell who that was.) And it comes before whoever
//! takes the lock meanwhile, if it has itself written something, as each thread does that counts itself in at a barrier; who
//! merely finds that there is nothing to do tells nobody. Of very many threads
//! that wait at one lock only the last [`WAITERS`] count.
//!
//! Each thread has a time that goes up whenever it gives order away, so an access is known by its epoch: thread and
//! time. (In the hand-over order it goes up also when the thread learns something new; the history relies on that.)
//! What a thread knows of the others is a vector that is shared until it has to change: giving order away is
//! O(1), taking it is O(1) when nothing new comes and O(threads) otherwise.
//!
//! Measured against tree clocks (Mathur et al., 2022), ns per lock operation, random partners: 8 threads 20 : 100,
//! 64 threads 20 : 650, 1000 threads 150 : 12 500, 5000 threads 1250 : 65 000; threads in groups of four with locks of
//! their own, 5000 threads 900 : 1450. On these synthetic
//! traces a plain loop over a vector beats a walk over a tree; threads that never leave a small group were not tried.

use std::rc::Rc;

use events::{ChannelId, Event, LockId, Mode, Op, ThreadId, VarId};
use rustc_hash::FxHashMap;

use super::ended::{Ended, SHORT};

/// Which edges an order has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edges {
    /// All of them.
    Full,
    /// All but those of locks; waiting at one counts.
    HandOver,
    /// Program order only: the hand-over order as the papers have it.
    None,
}

/// A moment of a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Epoch {
    /// The thread.
    pub thread: ThreadId,
    /// Its time.
    pub time: u32,
}

/// What a thread knew when it gave order away.
#[derive(Clone, Debug)]
struct Given {
    by: Epoch,
    /// With its own time, once somebody has taken over just that.
    known: Rc<Vec<u32>>,
}

/// What whoever comes next takes over: all that was given so far.
#[derive(Clone, Debug, Default)]
enum Taken {
    #[default]
    Nothing,
    /// One gift that includes all earlier ones.
    One(Given),
    /// The union of several.
    Many(Rc<Vec<u32>>),
}

#[derive(Clone, Debug)]
struct Thread {
    time: u32,
    /// For each other thread the time up to which its events come before this thread's next one.
    known: Rc<Vec<u32>>,
    /// Goes up whenever that changes; never 0.
    version: u32,
    /// Whether it has written anything since it last took a lock.
    wrote: bool,
}

#[derive(Clone, Debug, Default)]
struct Lock {
    /// Given by those who held it alone.
    alone: Taken,
    /// Given by readers since then.
    readers: Taken,
}

/// Threads that count among those that wait at one lock: every operation on it looks at all of them.
const WAITERS: usize = 32;

/// A thread that waits at a lock.
#[derive(Clone, Debug)]
struct Waiter {
    thread: ThreadId,
    /// What it gave when it began, to those who take the lock.
    gave: Taken,
    /// What it will take over when it goes on.
    takes: Taken,
}

/// One of the two orders, up to the current event.
pub struct Order {
    edges: Edges,
    stamp: u32,
    threads: Vec<Thread>,
    locks: Vec<Lock>,
    channels: FxHashMap<ChannelId, Taken>,
    volatiles: FxHashMap<VarId, Taken>,
    /// In the hand-over order, who waits at each lock.
    waiting: FxHashMap<LockId, Vec<Waiter>>,
    ended: Ended,
    spare: Spare,
}

/// Vectors that nobody needs any more, to be filled again: a lock that changes hands allocates nothing.
#[derive(Default)]
struct Spare(Vec<Rc<Vec<u32>>>);

impl Spare {
    const MOST: usize = 64;

    fn keep(&mut self, taken: Taken) {
        if let Taken::One(Given { known, .. }) = taken
            && self.0.len() < Self::MOST
            && Rc::strong_count(&known) == 1
        {
            self.0.push(known);
        }
    }

    /// Raises what a thread knows to what is known elsewhere, in a new vector if somebody else holds the old one.
    fn raise_all(&mut self, known: &mut Rc<Vec<u32>>, others: &[u32]) {
        if let Some(mine) = Rc::get_mut(known) {
            raise_all(mine, others);
            return;
        }
        let mut fresh = self.0.pop().unwrap_or_default();
        let new = Rc::make_mut(&mut fresh);
        new.clear();
        new.extend_from_slice(known);
        raise_all(new, others);
        *known = fresh;
    }
}

fn raise(known: &mut Vec<u32>, thread: ThreadId, time: u32) {
    if known.len() <= thread.index() {
        known.resize(thread.index() + 1, 0);
    }
    let entry = &mut known[thread.index()];
    *entry = (*entry).max(time);
}

fn raise_all(known: &mut Vec<u32>, others: &[u32]) {
    if known.len() < others.len() {
        known.resize(others.len(), 0);
    }
    for (mine, &theirs) in known.iter_mut().zip(others) {
        *mine = (*mine).max(theirs);
    }
}

impl Order {
    /// The order before the first event.
    pub fn new(edges: Edges) -> Self {
        Self {
            edges,
            stamp: 1,
            threads: Vec::new(),
            locks: Vec::new(),
            channels: FxHashMap::default(),
            volatiles: FxHashMap::default(),
            waiting: FxHashMap::default(),
            ended: Ended::default(),
            spare: Spare::default(),
        }
    }

    /// Makes room for threads and locks.
    pub fn grow(&mut self, threads: usize, locks: usize) {
        if self.threads.len() < threads {
            let nothing = Rc::new(Vec::new());
            self.threads.resize_with(threads, || Thread {
                time: 1,
                known: nothing.clone(),
                version: 1,
                wrote: false,
            });
        }
        if self.edges == Edges::Full && self.locks.len() < locks {
            self.locks.resize_with(locks, Lock::default);
        }
    }

    /// The current time of a thread.
    #[inline(always)]
    pub fn time(&self, thread: ThreadId) -> u32 {
        self.threads[thread.index()].time
    }

    /// Changes whenever any thread's time does.
    #[inline(always)]
    pub fn stamp(&self) -> u32 {
        self.stamp
    }

    /// The current epoch of a thread.
    #[inline(always)]
    pub fn epoch(&self, thread: ThreadId) -> Epoch {
        Epoch { thread, time: self.time(thread) }
    }

    /// Whether what happened in an epoch comes before the thread's next event.
    #[inline(always)]
    pub fn before(&self, epoch: Epoch, thread: ThreadId) -> bool {
        epoch.thread == thread
            || self.threads[thread.index()]
                .known
                .get(epoch.thread.index())
                .is_some_and(|&time| epoch.time <= time)
    }

    /// For each thread the time up to which its events come before this thread's next one. The thread's own entry
    /// says nothing; entries beyond the end are 0.
    #[inline(always)]
    pub fn known(&self, thread: ThreadId) -> &[u32] {
        &self.threads[thread.index()].known
    }

    /// Changes whenever that does; never 0.
    #[inline(always)]
    pub fn version(&self, thread: ThreadId) -> u32 {
        self.threads[thread.index()].version
    }

    /// What the thread knows, to be kept: it never changes.
    pub fn known_shared(&self, thread: ThreadId) -> Rc<Vec<u32>> {
        self.threads[thread.index()].known.clone()
    }

    /// Whether taking or giving up a lock can change this order now.
    #[inline(always)]
    pub fn minds_locks(&self) -> bool {
        self.edges == Edges::Full || !self.waiting.is_empty()
    }

    /// A thread that holds a lock has made some accesses, perhaps after it took one.
    #[inline(always)]
    pub fn accesses(&mut self, thread: ThreadId, took: bool, writes: impl Iterator<Item = bool>) {
        if self.edges == Edges::HandOver {
            let wrote = &mut self.threads[thread.index()].wrote;
            // To the end: which access is the first that writes cannot be foretold.
            *wrote = writes.fold(*wrote & !took, |wrote, writes| wrote | writes);
        }
    }

    /// Whether an operation can change this order.
    #[inline(always)]
    pub fn minds(&self, op: Op) -> bool {
        match op {
            Op::Acquire { .. } | Op::Release { .. } => self.minds_locks(),
            Op::Wait { .. } | Op::Woken { .. } => self.edges != Edges::None,
            Op::VolatileRead { .. }
            | Op::VolatileWrite { .. }
            | Op::Signal { .. }
            | Op::Observe { .. }
            | Op::Fork { .. }
            | Op::Join { .. } => self.edges != Edges::None,
            _ => false,
        }
    }

    /// Takes an event into account. Taking order comes before the event, giving it after.
    pub fn step(&mut self, event: &Event) {
        if !self.minds(event.op) {
            return;
        }
        let me = event.thread;
        match event.op {
            Op::Acquire { lock, .. } | Op::Release { lock, .. } | Op::Wait { lock } | Op::Woken { lock }
                if self.edges == Edges::HandOver =>
            {
                self.at_waiters(me, lock, event.op);
            }
            Op::Acquire { lock, mode, .. } => self.lock(me, lock, mode),
            Op::Woken { lock } => self.lock(me, lock, Mode::Exclusive),
            Op::Release { lock, mode } => self.unlock(me, lock, mode),
            Op::Wait { lock } => self.unlock(me, lock, Mode::Exclusive),
            Op::VolatileRead { var, .. } => {
                if let Some(taken) = self.volatiles.get_mut(&var) {
                    let news = self.threads[me.index()].take(me, taken, &mut self.spare);
                    self.learnt(me, news);
                }
            }
            Op::VolatileWrite { var, .. } => {
                let given = self.give(me);
                self.volatiles.entry(var).or_default().add(given);
            }
            Op::Observe { on } => {
                if let Some(taken) = self.channels.get_mut(&on) {
                    let news = self.threads[me.index()].take(me, taken, &mut self.spare);
                    self.learnt(me, news);
                }
            }
            Op::Signal { on } => {
                let given = self.give(me);
                self.channels.entry(on).or_default().add(given);
            }
            Op::Fork { child } => {
                let given = self.give(me);
                let news = self.threads[child.index()].take(child, &mut Taken::One(given), &mut self.spare);
                self.learnt(child, news);
            }
            Op::Join { child } => {
                let mut given = self.give(child);
                if let Some(known) = self.ended.known(child) {
                    given.known = known;
                }
                let news = self.threads[me.index()].take(me, &mut Taken::One(given), &mut self.spare);
                self.learnt(me, news);
            }
            _ => {}
        }
    }

    /// A thread does nothing any more. What it knew is for those alone who join it.
    pub fn end(&mut self, thread: ThreadId) {
        self.ended.put(thread, &mut self.threads[thread.index()].known);
    }

    /// The object of these variables is gone.
    pub fn forget(&mut self, var: VarId) {
        self.volatiles.remove(&var);
    }

    /// A thread takes a lock in exclusive mode: what [`step`](Self::step) does in the full order.
    #[inline(always)]
    pub fn acquire(&mut self, me: ThreadId, lock: LockId) {
        self.lock(me, lock, Mode::Exclusive);
    }

    /// A thread gives up a lock that it held alone, likewise.
    #[inline(always)]
    pub fn release(&mut self, me: ThreadId, lock: LockId) {
        self.unlock(me, lock, Mode::Exclusive);
    }

    #[inline]
    fn lock(&mut self, me: ThreadId, lock: LockId, mode: Mode) {
        let lock = &mut self.locks[lock.index()];
        let thread = &mut self.threads[me.index()];
        thread.take(me, &mut lock.alone, &mut self.spare);
        if mode == Mode::Exclusive {
            thread.take(me, &mut lock.readers, &mut self.spare);
        }
    }

    #[inline]
    fn unlock(&mut self, me: ThreadId, lock: LockId, mode: Mode) {
        let given = self.give(me);
        let lock = &mut self.locks[lock.index()];
        match mode {
            Mode::Exclusive => {
                // Its holder took everything over, so this gift includes all earlier ones.
                self.spare.keep(std::mem::replace(&mut lock.alone, Taken::One(given)));
                lock.readers = Taken::Nothing;
            }
            Mode::Read => lock.readers.add(given),
        }
    }

    /// An operation on a lock at which others may be waiting.
    #[cold]
    fn at_waiters(&mut self, me: ThreadId, lock: LockId, op: Op) {
        if let Op::Woken { .. } = op
            && let Some(waiters) = self.waiting.get_mut(&lock)
        {
            let mine = waiters.iter().position(|waiter| waiter.thread == me);
            let mut takes = mine.map_or(Taken::Nothing, |mine| waiters.remove(mine).takes);
            if waiters.is_empty() {
                self.waiting.remove(&lock);
            }
            let news = self.threads[me.index()].take(me, &mut takes, &mut self.spare);
            self.learnt(me, news);
        }
        match op {
            Op::Acquire { .. } | Op::Woken { .. } => {
                let mut news = false;
                for waiter in self.waiting.get_mut(&lock).into_iter().flatten() {
                    news |= self.threads[me.index()].take(me, &mut waiter.gave, &mut self.spare);
                }
                self.learnt(me, news);
            }
            _ => {
                let waits = matches!(op, Op::Wait { .. });
                let wrote = self.threads[me.index()].wrote;
                let heard = wrote && self.waiting.contains_key(&lock);
                if !(waits || heard) {
                    return;
                }
                let given = wrote.then(|| self.give(me));
                let waiters = self.waiting.entry(lock).or_default();
                if let Some(given) = &given {
                    waiters.iter_mut().for_each(|waiter| waiter.takes.add(given.clone()));
                }
                if waits {
                    if waiters.len() >= WAITERS {
                        waiters.remove(0);
                    }
                    let gave = given.map_or(Taken::Nothing, Taken::One);
                    waiters.push(Waiter { thread: me, gave, takes: Taken::Nothing });
                }
            }
        }
    }

    fn give(&mut self, thread: ThreadId) -> Given {
        let row = &mut self.threads[thread.index()];
        let given = Given { by: Epoch { thread, time: row.time }, known: row.known.clone() };
        row.time += 1;
        self.stamp = self.stamp.wrapping_add(1);
        given
    }

    /// A thread has taken order, perhaps with something new in it. (No lock is in the hand-over order.)
    fn learnt(&mut self, thread: ThreadId, news: bool) {
        if news && self.edges != Edges::Full {
            self.threads[thread.index()].time += 1;
            self.stamp = self.stamp.wrapping_add(1);
        }
    }
}

impl Given {
    /// All that whoever takes it knows then, to be shared by all who knew nothing else.
    fn whole(&mut self) -> Rc<Vec<u32>> {
        let Epoch { thread, time } = self.by;
        if self.known.get(thread.index()).is_none_or(|&known| known < time) {
            raise(Rc::make_mut(&mut self.known), thread, time);
        }
        self.known.clone()
    }

    fn includes(&self, other: Epoch) -> bool {
        self.by.thread == other.thread && self.by.time >= other.time
            || self.known.get(other.thread.index()).is_some_and(|&time| other.time <= time)
    }

    fn includes_all(&self, all: &[u32]) -> bool {
        all.iter()
            .enumerate()
            .all(|(i, &time)| time == 0 || self.includes(Epoch { thread: ThreadId(i as u32), time }))
    }
}

impl Taken {
    fn add(&mut self, given: Given) {
        match self {
            Taken::Nothing => *self = Taken::One(given),
            Taken::One(old) if given.includes(old.by) => *self = Taken::One(given),
            Taken::One(old) => {
                let mut all = (*old.known).clone();
                raise(&mut all, old.by.thread, old.by.time);
                raise_all(&mut all, &given.known);
                raise(&mut all, given.by.thread, given.by.time);
                *self = Taken::Many(Rc::new(all));
            }
            // Whoever read before writing, as an atomic update does, has taken all of it over.
            Taken::Many(all) if given.includes_all(all) => *self = Taken::One(given),
            Taken::Many(all) => {
                let all = Rc::make_mut(all);
                raise_all(all, &given.known);
                raise(all, given.by.thread, given.by.time);
            }
        }
    }
}

impl Thread {
    /// Whether there was anything new.
    #[inline]
    fn take(&mut self, me: ThreadId, taken: &mut Taken, spare: &mut Spare) -> bool {
        let news = match taken {
            Taken::Nothing => false,
            // Who knows the giver's epoch knows all that the giver knew then.
            Taken::One(given) => given.by.thread != me && self.knew(given.by.thread.index()) < given.by.time,
            Taken::Many(all) => {
                all.iter().enumerate().any(|(i, &time)| i != me.index() && time > self.knew(i))
            }
        };
        if news {
            self.learn(me, taken, spare);
            self.version = self.version.wrapping_add(1).max(1);
        }
        news
    }

    #[inline(never)]
    fn learn(&mut self, me: ThreadId, taken: &mut Taken, spare: &mut Spare) {
        match taken {
            Taken::Nothing => {}
            Taken::One(given) if self.knows_less(me, &given.known) => self.known = given.whole(),
            Taken::One(given) => {
                spare.raise_all(&mut self.known, &given.known);
                raise(Rc::make_mut(&mut self.known), given.by.thread, given.by.time);
            }
            Taken::Many(all) if self.knows_less(me, all) => self.known = all.clone(),
            Taken::Many(all) => spare.raise_all(&mut self.known, all),
        }
    }

    /// Whether all that the thread knows is known there, and is so much that it pays to share one vector.
    fn knows_less(&self, me: ThreadId, others: &[u32]) -> bool {
        // What a thread knows of itself says nothing.
        let other = |i: usize| others.get(i).copied().unwrap_or(0);
        others.len() > SHORT
            && self.known.iter().enumerate().all(|(i, &time)| time <= other(i) || i == me.index())
    }

    fn knew(&self, thread: usize) -> u32 {
        self.known.get(thread).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An order after the events of a written trace.
    fn order(edges: Edges, text: &str) -> Order {
        let trace = events::text::parse("test", text).unwrap_or_else(|e| panic!("{e}"));
        let mut order = Order::new(edges);
        order.grow(trace.symbols.threads.len(), trace.symbols.locks.len());
        for event in &trace.events {
            order.step(event);
            let took = matches!(event.op, Op::Acquire { .. } | Op::Woken { .. });
            order.accesses(event.thread, took, event.op.access().into_iter().map(|(_, write)| write));
        }
        order
    }

    /// The full order by the book: for each thread all that comes before its next event, copied at every step.
    struct Slow {
        clocks: Vec<Vec<u32>>,
        given: FxHashMap<u32, Vec<u32>>,
    }

    impl Slow {
        fn give(&mut self, thread: usize) -> Vec<u32> {
            let given = self.clocks[thread].clone();
            self.clocks[thread][thread] += 1;
            given
        }

        fn take(&mut self, thread: usize, given: &[u32]) {
            let own = self.clocks[thread][thread];
            self.clocks[thread].iter_mut().zip(given).for_each(|(mine, &time)| *mine = (*mine).max(time));
            self.clocks[thread][thread] = own;
        }
    }

    #[test]
    fn of_many_threads_everything_is_known_that_was_given_whoever_has_ended() {
        const THREADS: usize = 3 * SHORT;
        let mut seed = 5u64;
        let mut roll = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        let mut order = Order::new(Edges::Full);
        order.grow(THREADS, 1);
        let clock = |thread| (0..THREADS).map(|i| u32::from(i == thread)).collect();
        let mut slow = Slow { clocks: (0..THREADS).map(clock).collect(), given: FxHashMap::default() };
        let (mut ended, mut yes, mut no) = (Vec::new(), 0, 0);
        for step in 0..6000 {
            let me = roll(THREADS);
            let thread = ThreadId(me as u32);
            if ended.contains(&me) {
                continue;
            }
            let on = ChannelId(roll(3) as u32);
            let op = match roll(30) {
                0..12 => {
                    let given = slow.give(me);
                    let all = slow.given.entry(on.0).or_insert_with(|| vec![0; THREADS]);
                    all.iter_mut().zip(given).for_each(|(all, time)| *all = (*all).max(time));
                    Op::Signal { on }
                }
                12..26 => {
                    let given = slow.given.get(&on.0).cloned().unwrap_or_default();
                    slow.take(me, &given);
                    Op::Observe { on }
                }
                26..29 if !ended.is_empty() => {
                    let child = ended[roll(ended.len())];
                    let given = slow.give(child);
                    slow.take(me, &given);
                    Op::Join { child: ThreadId(child as u32) }
                }
                _ => {
                    if step > 1000 {
                        ended.push(me);
                        order.end(thread);
                    }
                    continue;
                }
            };
            order.step(&Event { thread, site: events::SiteId(0), op });
            assert_eq!(order.time(thread), slow.clocks[me][me], "step {step}");
            for other in (0..THREADS).filter(|&other| other != me) {
                let time = slow.clocks[me][other];
                let other = ThreadId(other as u32);
                assert!(time == 0 || order.before(Epoch { thread: other, time }, thread), "step {step}");
                assert!(!order.before(Epoch { thread: other, time: time + 1 }, thread), "step {step}");
                *(if time == 0 { &mut no } else { &mut yes }) += 1;
            }
        }
        assert!(yes > 10_000 && no > 10_000 && ended.len() > 50, "{yes} {no} {}", ended.len());
    }

    /// Whether the first event of the first thread in the trace comes before what the second thread does at its end.
    fn ordered(edges: Edges, text: &str) -> bool {
        order(edges, text).before(Epoch { thread: ThreadId(0), time: 1 }, ThreadId(1))
    }

    #[test]
    fn fork_orders_the_child_after_the_parent() {
        for edges in [Edges::Full, Edges::HandOver] {
            assert!(ordered(edges, "a read x\na fork b\n"));
            assert!(!ordered(edges, "a read x\nb read x\na fork c\n"));
        }
    }

    #[test]
    fn what_the_parent_does_after_the_fork_is_not_ordered() {
        let order = order(Edges::Full, "a fork b\na read x\n");
        assert!(!order.before(order.epoch(ThreadId(0)), ThreadId(1)));
    }

    #[test]
    fn join_orders_the_joiner_after_the_child() {
        for edges in [Edges::Full, Edges::HandOver] {
            assert!(ordered(edges, "a read x\nb read x\na end\nb join a\n"));
        }
    }

    #[test]
    fn a_lock_orders_only_in_the_full_order() {
        let text = "a acquire m\na release m\nb acquire m\n";
        assert!(ordered(Edges::Full, text));
        assert!(!ordered(Edges::HandOver, text));
        assert!(!ordered(Edges::Full, "a acquire m\na release m\nb acquire n\n"));
    }

    #[test]
    fn waiting_gives_the_lock_and_waking_takes_it() {
        assert!(ordered(Edges::Full, "a acquire m\na wait m\nb acquire m\n"));
        assert!(ordered(
            Edges::Full,
            "a read x\nb acquire m\nb wait m\na acquire m\na write y\na release m\nb woken m\n"
        ));
        assert!(
            !ordered(
                Edges::HandOver,
                "a read x\nb acquire m\nb wait m\na acquire m\na release m\nb woken m\n"
            ),
            "who changes nothing lets nobody go on"
        );
    }

    #[test]
    fn waiting_is_a_hand_over_from_whoever_gives_the_lock_up_meanwhile_and_to_whoever_takes_it() {
        let last = "b acquire m\nb release m\n";
        let counted = "a acquire m\na write x\na wait m\n";
        assert!(ordered(Edges::HandOver, &format!("{counted}{last}")));
        assert!(
            !ordered(Edges::HandOver, &format!("a write x\n{}{last}", counted.replace("a write x\n", ""))),
            "it has told nobody that it waits"
        );
        assert!(ordered(
            Edges::HandOver,
            "a read x\nb acquire m\nb wait m\na acquire m\na write y\na release m\nb woken m\n"
        ));
        assert!(
            !ordered(
                Edges::HandOver,
                "a read x\nb acquire m\nb wait m\na acquire m\na release m\nb woken m\n"
            ),
            "who changes nothing lets nobody go on"
        );
        assert!(
            !ordered(Edges::HandOver, &format!("{counted}a woken m\na release m\n{last}")),
            "it waits no more"
        );
        assert!(!ordered(
            Edges::HandOver,
            "a acquire m\na write y\na release m\nb acquire m\nb wait m\nc acquire m\nc write y\nc release m\nb woken m\n"
        ));
        assert!(!ordered(Edges::HandOver, &format!("{counted}b acquire n\nb release n\n")));
        assert!(!ordered(Edges::None, &format!("{counted}{last}")));
    }

    #[test]
    fn readers_order_writers_and_not_each_other() {
        assert!(!ordered(Edges::Full, "a acquire m read\na release m read\nb acquire m read\n"));
        assert!(ordered(Edges::Full, "a acquire m read\na release m read\nb acquire m\n"));
        assert!(ordered(Edges::Full, "a acquire m\na release m\nb acquire m read\n"));
        assert!(ordered(
            Edges::Full,
            "a acquire m read\nb read x\nc acquire m read\na release m read\nc release m read\nb acquire m\n"
        ));
    }

    #[test]
    fn a_volatile_read_takes_all_earlier_writes() {
        for edges in [Edges::Full, Edges::HandOver] {
            assert!(ordered(edges, "a vwrite v\nb read x\nc vwrite v\nd vwrite v\nb vread v\n"));
            assert!(!ordered(edges, "a vwrite v\nb vwrite v\n"), "a write takes nothing");
            assert!(!ordered(edges, "a vwrite v\nb vread w\n"));
        }
    }

    #[test]
    fn an_atomic_update_passes_everything_on() {
        assert!(ordered(
            Edges::Full,
            "a vwrite v\nb read x\nc vwrite v\nd vread v update\nd vwrite v update\nb vread v\n"
        ));
    }

    #[test]
    fn an_observation_takes_all_earlier_signals() {
        for edges in [Edges::Full, Edges::HandOver] {
            assert!(ordered(edges, "a signal s\nb read x\nc signal s\nb observe s\n"));
            assert!(!ordered(edges, "b observe s\na signal s\n"));
        }
    }

    #[test]
    fn order_is_passed_on_by_third_parties() {
        assert!(ordered(
            Edges::Full,
            "a acquire m\na release m\nb read x\nc acquire m\nc vwrite v\nb vread v\n"
        ));
    }

    #[test]
    fn the_papers_order_has_no_edges() {
        assert!(!ordered(Edges::None, "a fork b\na vwrite v\nb vread v\na signal s\nb observe s\n"));
    }

    #[test]
    fn in_the_hand_over_order_time_passes_when_something_is_learnt() {
        let before = order(Edges::HandOver, "b read x\na vwrite v\n");
        let after = order(Edges::HandOver, "b read x\na vwrite v\nb vread v\n");
        assert_ne!(before.time(ThreadId(0)), after.time(ThreadId(0)));
        assert_ne!(before.stamp(), after.stamp());
        let again = order(Edges::HandOver, "b read x\na vwrite v\nb vread v\nb vread v\n");
        assert_eq!((again.time(ThreadId(0)), again.stamp()), (after.time(ThreadId(0)), after.stamp()));
    }

    #[test]
    fn a_freed_variable_gives_no_order() {
        let mut order = order(Edges::Full, "a vwrite A@1.v\nb read x\n");
        order.forget(VarId(0));
        let read = Op::VolatileRead { var: VarId(0), update: false };
        order.step(&Event { thread: ThreadId(1), site: events::SiteId(0), op: read });
        assert!(!order.before(Epoch { thread: ThreadId(0), time: 1 }, ThreadId(1)));
    }
}
