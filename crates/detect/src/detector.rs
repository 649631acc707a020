//! What a detector over a trace is: a description of itself, and a function called for every event.

use events::{Event, OpSet, Symbols, ThreadId, VarId, Variable};
use findings::Rule;

use crate::evidence::Out;
use crate::shared::held::{Held, HeldLock};
use crate::shared::history::History;
use crate::shared::lockset::LockSets;
use crate::shared::order::Order;
use crate::shared::ranges::Ranges;
use crate::shared::vars::VarState;

/// Everything there is to know about a detector before it runs. `--help`, `explain` and the docs come from here.
#[derive(Debug)]
pub struct Spec {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line: how it finds what it finds.
    pub about: &'static str,
    /// A few paragraphs for `explain`: the paper, what it means, what it can miss, when it is wrong.
    pub explain: &'static str,
    /// The rules it reports.
    pub rules: &'static [Rule],
    /// The operations it asks for; it is not called for stretches that have none of them.
    pub ops: OpSet,
    /// What it needs of what is shared.
    pub uses: Uses,
    /// Makes one.
    pub new: fn(&Options) -> Box<dyn Detector>,
}

/// Which of the shared computations a detector needs; what nobody needs is not computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Uses {
    /// [`Now::full`].
    pub full: bool,
    /// [`Now::hand_over`].
    pub hand_over: bool,
    /// [`Now::history`]; needs the hand-over order too.
    pub history: bool,
    /// Of the accesses only those that are [news](History::news) to the history. It is called with
    /// [`event`](Detector::event) for each of them and for each other operation that it asked for, and never with a
    /// stretch.
    pub news: bool,
    /// An access from another place is news as well.
    pub places: bool,
}

impl Uses {
    /// Nothing.
    pub const NONE: Uses = Uses { full: false, hand_over: false, history: false, news: false, places: false };
}

/// What the user can choose about the detectors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The papers' definitions, without our refinements.
    pub paper: bool,
    /// Which of Atomizer's refinements are on.
    pub refinements: Refinements,
    /// Distinct views kept for each thread and lock.
    pub views_per_lock: usize,
}

/// Atomizer's refinements, sections 4.3 and 4.4: the steps of its Figure 18.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refinements {
    /// A re-entrant acquire or release moves both ways.
    pub reentrant: bool,
    /// So does an operation on a lock that one thread uses.
    pub thread_local: bool,
    /// So does one on a lock that was handed over once, to a second thread.
    pub thread_local_2: bool,
    /// So does one on a lock that is only taken under some other lock.
    pub protected: bool,
    /// Reads of data whose writes are protected move both ways under the lock.
    pub write_protected: bool,
}

impl Refinements {
    /// All of them.
    pub const ALL: Self = Self {
        reentrant: true,
        thread_local: true,
        thread_local_2: true,
        protected: true,
        write_protected: true,
    };
    /// The basic algorithm.
    pub const NONE: Self = Self {
        reentrant: false,
        thread_local: false,
        thread_local_2: false,
        protected: false,
        write_protected: false,
    };
}

impl Default for Options {
    fn default() -> Self {
        Self { paper: false, refinements: Refinements::ALL, views_per_lock: 256 }
    }
}

/// The moment at which a stretch of events happens: one thread, and neither its locks nor any order change after the
/// stretch's first event, which is already taken into account here.
pub struct Now<'a> {
    /// The names behind the ids.
    pub symbols: &'a Symbols,
    /// The thread of the stretch.
    pub thread: ThreadId,
    /// The locks it holds, as sets.
    pub held: Held,
    /// The locks it holds, in the order in which they were taken.
    pub locks: &'a [HeldLock],
    /// All lock sets.
    pub sets: &'a mut LockSets,
    /// Program order and locks, start, join, volatile, signal.
    pub full: &'a Order,
    /// The same without locks; without anything but program order in the papers' mode.
    pub hand_over: &'a Order,
    /// Who accessed what; the accesses of the stretch are already in it.
    pub history: &'a History,
    pub(crate) ranges: &'a Ranges,
    /// The number in the trace of the stretch's first event, from 0.
    pub(crate) number: u64,
    /// The address of that event, since counting would cost time at every event; 0 if all events of the stretch
    /// stand for that one.
    pub(crate) address: usize,
}

impl Now<'_> {
    /// The number of an event of the stretch in the trace, from 0.
    pub fn number(&self, event: &Event) -> u64 {
        if self.address == 0 {
            return self.number;
        }
        self.number + ((std::ptr::from_ref(event) as usize - self.address) / size_of::<Event>()) as u64
    }

    /// What a variable is. (A part of an array range has an id that the symbols do not know.)
    pub fn variable(&self, var: VarId) -> Variable {
        self.ranges.variable(var, self.symbols)
    }
}

/// A detector over a trace.
pub trait Detector {
    /// Looks at one event.
    fn event(&mut self, event: &Event, now: &mut Now<'_>, out: &mut Out);

    /// Looks at a stretch of events. Worth writing by hand only where something can be kept in registers.
    fn stretch(&mut self, events: &[Event], now: &mut Now<'_>, out: &mut Out) {
        for event in events {
            self.event(event, now, out);
        }
    }

    /// The trace has ended.
    fn finish(&mut self, _end: &mut Now<'_>, _out: &mut Out) {}

    /// Shows each table of state by variable, so that it can grow, forget and split.
    fn vars(&mut self, _each: &mut dyn FnMut(&mut dyn VarState)) {}
}
