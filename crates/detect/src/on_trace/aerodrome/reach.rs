//! Which transactions come after which open ones: the transaction graph, as far as it can still matter.
//!
//! The transactions of a thread are **numbered** in program order. An open transaction reaches another one if a path
//! of edges leads there; whoever reaches number n of a thread reaches all later numbers too, by program order. So for
//! each open transaction and each thread the **first** number reached says everything, and an edge from number n of
//! thread u closes a cycle in an open transaction T just when T's first number in u is at most n.
//!
//! Edges always lead into the current transaction of a thread. That is why nothing more has to be kept:
//! - a cycle can only be closed in an open transaction, so what finished ones reach is of no use;
//! - a finished transaction gets no new edge, so if no open one reaches it now, none ever will, and all that is known
//!   about it (a stamp at a variable or lock) is dead.
//!
//! What holds after every event:
//! 1. *Closed*: if A and T are open and A reaches T, then A's first numbers are at most T's.
//! 2. *No cycle*: no open transaction reaches another one that reaches it. (The detector cuts the transaction in two
//!    where a cycle would close.)
//! 3. `earliest` of a thread is at most the least number that any open transaction reaches there, its own included.
//! 4. *Known*: once there is an edge from number n of thread u into thread t, every open transaction that reaches that
//!    number reaches t, now and later: what reaches n anew does so through one that already does. So n and all lower
//!    numbers of u have nothing to tell to t any more, and an operation of t says all that theirs would. `known`
//!    remembers the last of these for a few threads each; to forget one costs time and nothing else.
//!
//! First numbers are kept twice: with the open transaction (`followers`) and with the thread reached (`ancestors`).
//! A transaction that ends drops the former; the latter go when somebody next looks through them. So to end costs
//! nothing for each follower, and an edge costs at most a look at the ancestors of both sides, plus the followers of
//! the transaction for each ancestor that it gets anew.

use std::rc::Rc;

use crate::evidence::Target;

/// No number: nothing is reached, no transaction is open.
const NEVER: u32 = u32::MAX;
/// For how many other threads the highest known number is remembered.
const KNOWN: usize = 8;
/// Where the site of a stamp is not known.
pub(super) const NO_SITE: u32 = u32::MAX;

/// A remembered operation: its transaction, and what is needed to show it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stamp {
    pub thread: u32,
    pub number: u32,
    pub site: u32,
    pub locks: u32,
}

impl Stamp {
    /// No operation. Numbers start at 1, so this one is always dead.
    pub const NONE: Stamp = Stamp { thread: 0, number: 0, site: NO_SITE, locks: 0 };
}

/// The edge by which a thread was first reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub from: Stamp,
    pub to: Stamp,
    pub target: Option<Target>,
}

/// A thread that an open transaction reaches.
#[derive(Clone, Debug)]
struct Follower {
    thread: u32,
    /// The first number it reaches there.
    first: u32,
    /// Shared by all that got it from the same edge.
    how: Rc<Edge>,
}

/// An open transaction of another thread that reaches this one.
#[derive(Clone, Copy, Debug)]
struct Ancestor {
    thread: u32,
    /// The number of the transaction; if that is not open any more, this entry says nothing.
    begun: u32,
    /// The first number that it reaches.
    first: u32,
}

#[derive(Clone, Debug)]
struct Thread {
    /// The current transaction, or the next one outside all blocks.
    number: u32,
    ancestors: Vec<Ancestor>,
    /// Of the open transaction; each thread once.
    followers: Vec<Follower>,
}

/// Numbered marks on threads; all are wiped off at once by going to the next number.
#[derive(Default)]
struct Marks {
    current: u32,
    marks: Vec<(u32, u32)>,
}

impl Marks {
    fn wipe(&mut self) {
        self.current = self.current.wrapping_add(1);
        if self.current == 0 {
            self.marks.fill((0, 0));
            self.current = 1;
        }
    }

    fn put(&mut self, thread: u32, value: u32) {
        self.marks[thread as usize] = (self.current, value);
    }

    fn get(&self, thread: u32) -> Option<u32> {
        let (mark, value) = self.marks[thread as usize];
        (mark == self.current).then_some(value)
    }
}

/// The state of all threads.
#[derive(Default)]
pub(super) struct Reach {
    threads: Vec<Thread>,
    /// For each thread its open transaction's number, which is its current one, or never. Apart from the rest, as
    /// `earliest` is, because it is asked for so often.
    begun: Vec<u32>,
    earliest: Vec<u32>,
    /// For each thread some other threads and the highest number of theirs that it knows.
    known: Vec<[(u32, u32); KNOWN]>,
    marks: Marks,
    /// Kept for its room.
    anew: Vec<u32>,
}

impl Reach {
    /// Makes room for `n` threads.
    pub fn grow(&mut self, n: usize) {
        if self.threads.len() < n {
            let fresh = Thread { number: 1, ancestors: Vec::new(), followers: Vec::new() };
            self.threads.resize(n, fresh);
            self.begun.resize(n, NEVER);
            self.earliest.resize(n, NEVER);
            self.known.resize(n, [(0, 0); KNOWN]);
            self.marks.marks.resize(n, (0, 0));
        }
    }

    /// How many threads there is room for.
    pub fn len(&self) -> usize {
        self.threads.len()
    }

    /// The number of a thread's current transaction.
    #[inline(always)]
    pub fn number(&self, thread: u32) -> u32 {
        self.threads[thread as usize].number
    }

    /// Whether an edge from the stamp's transaction may have anything to tell to a thread. Not if it is the thread's
    /// own, if no open transaction reaches it (or is it), or if the thread knows it.
    #[inline(always)]
    pub fn concerns(&self, stamp: Stamp, thread: u32) -> bool {
        stamp.thread != thread
            && stamp.number >= self.earliest[stamp.thread as usize]
            && !self.is_known(stamp, thread)
    }

    #[inline]
    fn is_known(&self, stamp: Stamp, thread: u32) -> bool {
        let (whom, number) = self.known[thread as usize][stamp.thread as usize % KNOWN];
        whom == stamp.thread && stamp.number <= number
    }

    /// Opens a transaction.
    pub fn begin(&mut self, thread: u32) {
        let row = &mut self.threads[thread as usize];
        row.number = next(row.number);
        self.begun[thread as usize] = row.number;
        let earliest = &mut self.earliest[thread as usize];
        *earliest = (*earliest).min(row.number);
    }

    /// Ends it: nothing can be closed in it any more, and whoever reaches it reaches what it does.
    pub fn finish(&mut self, thread: u32) {
        let row = &mut self.threads[thread as usize];
        let begun = std::mem::replace(&mut self.begun[thread as usize], NEVER);
        row.number = next(row.number);
        row.followers.clear();
        if self.earliest[thread as usize] == begun {
            self.look_through(thread);
        }
    }

    /// Drops the ancestors that have ended, and finds the earliest number anew.
    fn look_through(&mut self, thread: u32) {
        let mut ancestors = std::mem::take(&mut self.threads[thread as usize].ancestors);
        let mut earliest = self.begun[thread as usize];
        ancestors.retain(|ancestor| {
            let open = self.begun[ancestor.thread as usize] == ancestor.begun;
            if open {
                earliest = earliest.min(ancestor.first);
            }
            open
        });
        self.earliest[thread as usize] = earliest;
        self.threads[thread as usize].ancestors = ancestors;
    }

    /// Whether an edge from `source` would close a cycle in the open transaction of `thread`; if so, how that reached
    /// the source's thread.
    pub fn closes(&self, source: Stamp, thread: u32) -> Option<Edge> {
        let mut followers = self.threads[thread as usize].followers.iter();
        let follower = followers.find(|follower| follower.thread == source.thread)?;
        (follower.first <= source.number).then_some(*follower.how)
    }

    /// Adds an edge from `source`, another thread's transaction, into the current transaction of `to`'s thread. It
    /// must not close a cycle.
    ///
    /// Outside all blocks each operation is a transaction of its own, but they share a number until one of them is
    /// reached anew: `fresh` says that this operation has no number of its own yet, and is taken back when it gets one.
    pub fn add(&mut self, source: Stamp, to: Stamp, target: Option<Target>, fresh: &mut bool) {
        self.look_through(source.thread);
        self.known[to.thread as usize][source.thread as usize % KNOWN] = (source.thread, source.number);
        let from = &self.threads[source.thread as usize];
        if source.number < self.earliest[source.thread as usize] {
            return;
        }
        self.marks.wipe();
        for ancestor in &self.threads[to.thread as usize].ancestors {
            if self.begun[ancestor.thread as usize] == ancestor.begun {
                self.marks.put(ancestor.thread, 0);
            }
        }
        self.marks.put(to.thread, 0);
        let own = (self.begun[source.thread as usize] <= source.number).then_some(source.thread);
        let reaching = from.ancestors.iter().filter(|ancestor| ancestor.first <= source.number);
        let marks = &self.marks;
        self.anew.clear();
        self.anew.extend(
            own.into_iter().chain(reaching.map(|by| by.thread)).filter(|&by| marks.get(by).is_none()),
        );
        if !self.anew.is_empty() {
            let how = Rc::new(Edge { from: source, to, target });
            for i in 0..self.anew.len() {
                self.reach(self.anew[i], &how, fresh);
            }
        }
    }

    /// The open transaction of thread `by` reaches the thread of `how.to` for the first time, in its current
    /// transaction, and with it what that reaches.
    fn reach(&mut self, by: u32, how: &Rc<Edge>, fresh: &mut bool) {
        let to = &mut self.threads[how.to.thread as usize];
        if self.begun[how.to.thread as usize] == NEVER && *fresh {
            to.number = next(to.number);
            *fresh = false;
        }
        let first = to.number;
        let followers = std::mem::take(&mut to.followers);
        self.follow(by, Follower { thread: how.to.thread, first, how: how.clone() });
        if !followers.is_empty() {
            self.marks.wipe();
            for (at, mine) in self.threads[by as usize].followers.iter().enumerate() {
                self.marks.put(mine.thread, at as u32);
            }
            for theirs in &followers {
                match self.marks.get(theirs.thread) {
                    None => self.follow(by, theirs.clone()),
                    Some(at) => self.follow_earlier(by, at as usize, theirs.clone()),
                }
            }
        }
        self.threads[how.to.thread as usize].followers = followers;
    }

    /// A thread that an open transaction did not reach so far.
    fn follow(&mut self, by: u32, follower: Follower) {
        debug_assert_ne!(by, follower.thread, "a cycle that was not cut");
        let begun = self.begun[by as usize];
        let (thread, first) = (follower.thread, follower.first);
        self.threads[by as usize].followers.push(follower);
        let ancestors = &self.threads[thread as usize].ancestors;
        if ancestors.len() == ancestors.capacity() {
            self.look_through(thread);
        }
        self.threads[thread as usize].ancestors.push(Ancestor { thread: by, begun, first });
        let earliest = &mut self.earliest[thread as usize];
        *earliest = (*earliest).min(first);
    }

    /// A thread that it did reach, perhaps at a lower number now.
    fn follow_earlier(&mut self, by: u32, at: usize, follower: Follower) {
        let mine = &mut self.threads[by as usize].followers[at];
        if mine.first <= follower.first {
            return;
        }
        let (thread, first) = (follower.thread, follower.first);
        *mine = follower;
        let begun = self.begun[by as usize];
        let ancestors = self.threads[thread as usize].ancestors.iter_mut();
        for ancestor in ancestors.filter(|a| (a.thread, a.begun) == (by, begun)) {
            ancestor.first = first;
        }
        let earliest = &mut self.earliest[thread as usize];
        *earliest = (*earliest).min(first);
    }
}

#[cfg(debug_assertions)]
impl Reach {
    /// Checks what must hold after every event, where there are few enough threads for that.
    pub fn check(&self) {
        if self.len() > 16 {
            return;
        }
        let first = |by: usize, thread: usize| {
            let followers = &self.threads[by].followers;
            followers.iter().find(|follower| follower.thread as usize == thread).map_or(NEVER, |f| f.first)
        };
        for by in (0..self.len()).filter(|&by| self.begun[by] != NEVER) {
            for thread in (0..self.len()).filter(|&thread| thread != by) {
                let reached = first(by, thread);
                assert!(self.earliest[thread] <= reached, "earliest");
                let is_ancestor = self.threads[thread].ancestors.iter().any(|ancestor| {
                    (ancestor.thread as usize, ancestor.begun, ancestor.first)
                        == (by, self.begun[by], reached)
                });
                assert_eq!(is_ancestor, reached != NEVER, "kept twice");
                if reached <= self.begun[thread] && reached != NEVER && self.begun[thread] != NEVER {
                    assert_eq!(first(thread, by), NEVER, "no cycle");
                    assert!((0..self.len()).all(|other| first(by, other) <= first(thread, other)), "closed");
                }
            }
            assert!(self.earliest[by] <= self.begun[by], "earliest");
            assert_eq!(self.begun[by], self.threads[by].number, "the open one is the current one");
        }
    }
}

/// The next number. A thread would need two thousand million blocks to run out of them.
fn next(number: u32) -> u32 {
    number.saturating_add(1).min(NEVER - 1)
}
