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
//! 3. `earliest` of a thread is the least number that any open transaction reaches there, its own one included.
//! 4. *Known*: once there is an edge from number n of thread u into thread t, every open transaction that reaches that
//!    number reaches t, now and later: what reaches n anew does so through one that already does. So n and all lower
//!    numbers of u have nothing to tell to t any more, and an operation of t says all that theirs would. `known`
//!    remembers the last of these for a few threads each; to forget one costs time and nothing else.

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

/// An open transaction that reaches a thread.
#[derive(Clone, Copy, Debug)]
struct Reached {
    /// The thread of the open transaction.
    by: u32,
    /// The first number it reaches.
    first: u32,
    how: Edge,
}

#[derive(Clone, Debug)]
struct Thread {
    /// The current transaction, or the next one outside all blocks.
    number: u32,
    /// The open transaction's number: the current one, or never.
    begun: u32,
    /// The open transactions of other threads that reach this one, by thread.
    reached: Vec<Reached>,
    /// The other threads that this one's open transaction reaches.
    reaches: Vec<u32>,
}

/// The state of all threads.
#[derive(Default)]
pub(super) struct Reach {
    threads: Vec<Thread>,
    /// Apart from the rest, because every access asks for it.
    earliest: Vec<u32>,
    /// For each thread some other threads and the highest number of theirs that it knows.
    known: Vec<[(u32, u32); KNOWN]>,
}

impl Reach {
    /// Makes room for `n` threads.
    pub fn grow(&mut self, n: usize) {
        if self.threads.len() < n {
            let fresh = Thread { number: 1, begun: NEVER, reached: Vec::new(), reaches: Vec::new() };
            self.threads.resize(n, fresh);
            self.earliest.resize(n, NEVER);
            self.known.resize(n, [(0, 0); KNOWN]);
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

    /// Whether an edge from the stamp's transaction has anything to tell to a thread. Not if it is the thread's own, if
    /// no open transaction reaches it (or is it), or if the thread knows it.
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
        row.begun = row.number;
        let earliest = &mut self.earliest[thread as usize];
        *earliest = (*earliest).min(row.begun);
    }

    /// Ends it: nothing can be closed in it any more, and whoever reaches it reaches what it does.
    pub fn finish(&mut self, thread: u32) {
        let row = &mut self.threads[thread as usize];
        let begun = std::mem::replace(&mut row.begun, NEVER);
        row.number = next(row.number);
        if self.earliest[thread as usize] == begun {
            self.find_earliest(thread);
        }
        if !self.threads[thread as usize].reaches.is_empty() {
            self.leave(thread);
        }
    }

    fn leave(&mut self, thread: u32) {
        let mut reaches = std::mem::take(&mut self.threads[thread as usize].reaches);
        for &other in &reaches {
            let reached = &mut self.threads[other as usize].reached;
            if let Ok(at) = reached.binary_search_by_key(&thread, |entry| entry.by) {
                let gone = reached.remove(at);
                if self.earliest[other as usize] == gone.first {
                    self.find_earliest(other);
                }
            }
        }
        reaches.clear();
        self.threads[thread as usize].reaches = reaches;
    }

    fn find_earliest(&mut self, thread: u32) {
        let row = &self.threads[thread as usize];
        self.earliest[thread as usize] =
            row.reached.iter().map(|entry| entry.first).fold(row.begun, u32::min);
    }

    /// Whether an edge from `source` would close a cycle in the open transaction of `thread`; if so, how that reached
    /// the source's thread.
    pub fn closes(&self, source: Stamp, thread: u32) -> Option<Edge> {
        if self.threads[thread as usize].begun == NEVER {
            return None;
        }
        let reached = &self.threads[source.thread as usize].reached;
        let at = reached.binary_search_by_key(&thread, |entry| entry.by).ok()?;
        (reached[at].first <= source.number).then_some(reached[at].how)
    }

    /// Adds an edge from `source`, another thread's transaction, into the current transaction of `to`'s thread. It
    /// must not close a cycle.
    ///
    /// Outside all blocks each operation is a transaction of its own, but they share a number until one of them is
    /// reached anew: `fresh` says that this operation has no number of its own yet, and is taken back when it gets one.
    pub fn add(&mut self, source: Stamp, to: Stamp, target: Option<Target>, fresh: &mut bool) {
        let from = &self.threads[source.thread as usize];
        let how = Edge { from: source, to, target };
        // By index: the lists of other threads change meanwhile, that of the source's thread does not.
        let count = from.reached.len();
        if from.begun <= source.number {
            self.reach(source.thread, how, fresh);
        }
        for i in 0..count {
            let entry = self.threads[source.thread as usize].reached[i];
            if entry.first <= source.number {
                self.reach(entry.by, how, fresh);
            }
        }
        self.known[to.thread as usize][source.thread as usize % KNOWN] = (source.thread, source.number);
    }

    /// The open transaction of thread `by` reaches the current transaction of `how.to`'s thread.
    fn reach(&mut self, by: u32, how: Edge, fresh: &mut bool) {
        let to = how.to.thread;
        let row = &mut self.threads[to as usize];
        if by == to || row.reached.binary_search_by_key(&by, |entry| entry.by).is_ok() {
            // It reached the thread before, so it reaches what the thread does now.
            return;
        }
        if row.begun == NEVER && *fresh {
            row.number = next(row.number);
            *fresh = false;
        }
        let first = row.number;
        self.set(by, to, first, how);
        for i in 0..self.threads[to as usize].reaches.len() {
            let further = self.threads[to as usize].reaches[i];
            let reached = &self.threads[further as usize].reached;
            if let Ok(at) = reached.binary_search_by_key(&to, |entry| entry.by) {
                let entry = reached[at];
                self.set(by, further, entry.first, entry.how);
            }
        }
    }

    /// Notes a first number, unless a lower one is known.
    fn set(&mut self, by: u32, thread: u32, first: u32, how: Edge) {
        debug_assert_ne!(by, thread, "a cycle that was not cut");
        let reached = &mut self.threads[thread as usize].reached;
        match reached.binary_search_by_key(&by, |entry| entry.by) {
            Ok(at) if reached[at].first <= first => return,
            Ok(at) => (reached[at].first, reached[at].how) = (first, how),
            Err(at) => {
                reached.insert(at, Reached { by, first, how });
                self.threads[by as usize].reaches.push(thread);
            }
        }
        let earliest = &mut self.earliest[thread as usize];
        *earliest = (*earliest).min(first);
    }
}

/// The next number. A thread would need two thousand million blocks to run out of them.
fn next(number: u32) -> u32 {
    number.saturating_add(1).min(NEVER - 1)
}
