//! Many stretches at once.
//!
//! Who goes from stretch to stretch guesses wrong at nearly every one, for nothing foretells how many accesses it has; and
//! each access waits for memory in turn. A **span** is a run of stretches whose operations are plain locks and blocks, so
//! that nothing but the locks held and the full order changes in it. Here stands what each stretch of the span at hand was
//! made with: its **moment**. With these, all accesses can be looked at in one loop without a guess.
//!
//! What a thread knows of the others is copied into a table whenever it has changed. With more than [`WIDEST`] threads that
//! would cost too much.

use events::{LockId, ThreadId};

use super::held::{Held, HeldLock, Holders};
use super::order::Order;

/// Stretches of a span at the most.
pub const LONGEST: usize = 256;

/// Threads at the most with which it pays to copy what one of them knows.
const WIDEST: usize = 64;

/// Locks taken after which those are forgotten that nobody holds.
const MANY_TAKEN: usize = 1 << 12;

/// Numbers of stretches are put down so many at a time.
const STEP: usize = 8;

/// What a stretch is made with.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Who.
    pub thread: ThreadId,
    /// Its own time in the full order.
    pub time: u32,
    /// The locks held.
    pub held: Held,
    /// Where in the table stands what the thread knows.
    row: u32,
    /// The lock taken last: its number among those taken and one, or 0.
    taken: u32,
    /// How many events of the span come before its first access.
    pub events: u32,
}

/// A lock that was taken, and which one the thread had taken before: as in [`Moment`].
#[derive(Clone, Copy, Debug)]
struct Taken {
    held: HeldLock,
    outer: u32,
}

#[derive(Clone, Copy, Debug)]
struct Thread {
    taken: u32,
    /// Where in the table stands what it knows, and [since when](Order::version); nowhere if that is 0.
    row: u32,
    version: u32,
}

/// The span at hand.
#[derive(Default)]
pub struct Spans {
    threads: Vec<Thread>,
    taken: Vec<Taken>,
    moments: Vec<Moment>,
    /// For each access the number of its stretch. Longer than what counts.
    of: Vec<u16>,
    accesses: usize,
    events: u32,
    /// What threads know of each other: rows of the same width.
    known: Vec<u32>,
    /// Threads whose rows stand there.
    copied: Vec<ThreadId>,
}

impl Spans {
    /// Makes room for `n` threads.
    pub fn grow(&mut self, n: usize) {
        if self.threads.len() < n {
            self.threads.resize(n, Thread { taken: 0, row: 0, version: 0 });
        }
    }

    /// The next span begins.
    pub fn begin(&mut self) {
        if self.taken.len() > MANY_TAKEN {
            self.forget_given_up();
        }
        self.moments.clear();
        self.known.clear();
        for thread in self.copied.drain(..) {
            self.threads[thread.index()].version = 0;
        }
        (self.accesses, self.events) = (0, 0);
    }

    /// A thread has taken a lock: the last one of these.
    #[inline(always)]
    pub fn take(&mut self, thread: ThreadId, locks: &[HeldLock]) {
        let me = &mut self.threads[thread.index()];
        if let Some(&held) = locks.last() {
            self.taken.push(Taken { held, outer: me.taken });
            me.taken = self.taken.len() as u32;
        }
    }

    /// A thread has given up the lock that it had taken last.
    #[inline(always)]
    pub fn give(&mut self, thread: ThreadId) {
        let me = &mut self.threads[thread.index()];
        me.taken = before(&self.taken, me.taken).map_or(0, |taken| taken.outer);
    }

    /// Whether this lock is the one that a thread took last.
    #[inline(always)]
    pub fn is_last(&self, thread: ThreadId, lock: LockId) -> bool {
        before(&self.taken, self.threads[thread.index()].taken).is_some_and(|taken| taken.held.lock == lock)
    }

    /// What a thread holds has changed otherwise.
    pub fn step(&mut self, thread: ThreadId, holders: &Holders) {
        self.threads[thread.index()].taken = 0;
        let locks = holders.locks(thread);
        for upto in 1..=locks.len() {
            self.take(thread, &locks[..upto]);
        }
    }

    /// Forgets locks that nobody holds.
    #[cold]
    fn forget_given_up(&mut self) {
        let old = std::mem::take(&mut self.taken);
        let mut held = Vec::new();
        for me in self.threads.iter_mut().filter(|me| me.taken != 0) {
            held_from(&old, me.taken, &mut held);
            me.taken = 0;
            for &held in &held {
                self.taken.push(Taken { held, outer: me.taken });
                me.taken = self.taken.len() as u32;
            }
        }
    }

    /// The next stretch of the span, perhaps with an operation, which the order knows of, and with so many accesses.
    #[inline(always)]
    pub fn stretch(&mut self, thread: ThreadId, held: Held, operation: bool, accesses: usize, full: &Order) {
        if self.threads[thread.index()].version != full.version(thread) {
            self.copy(thread, full);
        }
        let Thread { row, taken, .. } = self.threads[thread.index()];
        let number = self.moments.len() as u16;
        let events = self.events + u32::from(operation);
        self.moments.push(Moment { thread, time: full.time(thread), held, row, taken, events });
        self.events = events + accesses as u32;
        fill(&mut self.of, self.accesses, self.accesses + accesses, number);
        self.accesses += accesses;
    }

    /// How many events the span has so far.
    pub fn events(&self) -> u32 {
        self.events
    }

    #[inline(never)]
    fn copy(&mut self, thread: ThreadId, full: &Order) {
        let (width, row) = (self.width(), self.known.len());
        let me = &mut self.threads[thread.index()];
        if me.version == 0 {
            self.copied.push(thread);
        }
        (me.row, me.version) = (row as u32, full.version(thread));
        let known = full.known(thread);
        self.known.extend_from_slice(known.get(..width).unwrap_or(known));
        self.known.resize(row + width, 0);
        // A thread's own past comes before what it does now. Nobody has the last column.
        self.known[row + thread.index()] = u32::MAX;
        self.known[row + width - 1] = 0;
    }

    fn width(&self) -> usize {
        self.threads.len() + 1
    }

    /// Whether there are so few threads that times can be kept.
    pub fn can_keep_times(&self) -> bool {
        self.threads.len() <= WIDEST
    }

    /// How many stretches the span has so far.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.moments.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.moments.is_empty()
    }

    /// What each stretch of the span is made with.
    #[inline(always)]
    pub fn moments(&self) -> &[Moment] {
        &self.moments
    }

    /// For each access of the span the number of its stretch.
    #[inline(always)]
    pub fn of(&self) -> &[u16] {
        self.of.get(..self.accesses).unwrap_or_default()
    }

    /// The time of a thread up to which its events come before a stretch; 0 for a number that no thread has.
    #[inline(always)]
    pub fn known(&self, moment: &Moment, thread: u32) -> u32 {
        let column = (thread as usize).min(self.threads.len());
        self.known.get(moment.row as usize + column).copied().unwrap_or(0)
    }

    /// Puts the locks held at a moment into a list, in the order in which they were taken.
    pub fn locks(&self, moment: &Moment, locks: &mut Vec<HeldLock>) {
        held_from(&self.taken, moment.taken, locks);
    }
}

#[inline(always)]
fn before(taken: &[Taken], at: u32) -> Option<&Taken> {
    taken.get((at as usize).wrapping_sub(1))
}

/// Fills a list with what a thread holds that has taken this lock last.
fn held_from(taken: &[Taken], last: u32, locks: &mut Vec<HeldLock>) {
    locks.clear();
    let mut next = last;
    while let Some(one) = before(taken, next) {
        locks.push(one.held);
        next = one.outer;
    }
    locks.reverse();
}

/// Puts down a number for the accesses from one to another, and perhaps for some that follow.
#[inline(always)]
fn fill(of: &mut Vec<u16>, from: usize, to: usize, number: u16) {
    if of.len() < to + STEP {
        of.resize(2 * (to + STEP), 0);
    }
    let mut at = from;
    // Mostly once; how many there are cannot be foretold.
    while let Some(some) = of.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<STEP>()) {
        *some = [number; STEP];
        at += STEP;
        if at >= to {
            break;
        }
    }
}
