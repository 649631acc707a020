//! What a detector over a trace is: a description of itself, and functions called for operations and accesses.

use std::sync::Arc;

use events::{Access, Event, OpSet, StrId, Symbols, ThreadId, VarId, Variable};
use findings::Rule;

use crate::evidence::Out;
use crate::may_access::MayAccess;
use crate::shared::births::Births;
use crate::shared::found::Found;
use crate::shared::held::{Held, HeldLock};
use crate::shared::history::History;
use crate::shared::lockset::LockSets;
use crate::shared::order::Order;
use crate::shared::ranges::Ranges;
use crate::shared::running::Tests;
use crate::shared::spans::Spans;
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
    /// The operations it asks for; it is not called for others.
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
    /// Of the accesses only those that are [news](Found::news) to the history.
    pub news: bool,
    /// An access from [another place](Found::new_places) is shown as well.
    pub places: bool,
    /// Of the accesses only those that are new and those to shared variables that it has not
    /// [laid to rest](History::lay_to_rest). (Only one detector can do so.)
    pub rests: bool,
    /// What a thread does [once more](crate::shared::repeats), just as before, tells it nothing.
    pub once: bool,
    /// It may be shown the accesses of a whole [`Span`] at its end, and asks for no operation that there is in one. Goes
    /// with [`full`](Self::full) and not with [`hand_over`](Self::hand_over) or [`history`](Self::history).
    pub waits: bool,
}

impl Uses {
    /// Nothing.
    pub const NONE: Uses = Uses {
        full: false,
        hand_over: false,
        history: false,
        news: false,
        places: false,
        rests: false,
        once: false,
        waits: false,
    };

    /// Whether it sees all accesses.
    pub const fn all_accesses(&self) -> bool {
        !self.news && !self.rests
    }
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
    /// Which uses of stale values the code is searched for.
    pub stale_uses: StaleUses,
    /// What blocks may access besides what they do, if the code is known. Of no account to the papers.
    pub may_access: Option<Arc<MayAccess>>,
}

/// What a stale value has to be used for to be told; each takes in those before it. All but the first only let somebody
/// see an old value, and are of low confidence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum StaleUses {
    /// It is written back, or beside where it was read.
    #[default]
    Written,
    /// It is printed or logged.
    Printed,
    /// It is returned.
    Returned,
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
        Self {
            paper: false,
            refinements: Refinements::ALL,
            views_per_lock: 256,
            stale_uses: StaleUses::default(),
            may_access: None,
        }
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
    pub history: &'a mut History,
    /// What was new about them.
    pub found: &'a Found,
    pub(crate) ranges: &'a Ranges,
    pub(crate) tests: &'a Tests,
    pub(crate) births: &'a Births,
    /// The number in the trace of the stretch's operation, from 0, or what it would have, and of its first access.
    pub(crate) number: u64,
    pub(crate) first: u64,
    /// The address of that access, since counting would cost time at every access; 0 if all accesses of the stretch
    /// stand for one.
    pub(crate) address: usize,
}

/// An event of the current stretch and its number in the trace, from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct At {
    /// The event.
    pub event: Event,
    /// Its number.
    pub number: u64,
}

impl Now<'_> {
    /// An access of the stretch as an event: one of those handed out, not a copy.
    #[inline]
    pub fn at(&self, access: &Access) -> At {
        let before = match self.address {
            0 => 0,
            first => (std::ptr::from_ref(access) as usize - first) / size_of::<Access>(),
        };
        At { event: access.event(self.thread), number: self.first + before as u64 }
    }

    /// The operation of the stretch.
    #[inline]
    pub fn at_operation(&self, event: &Event) -> At {
        At { event: *event, number: self.number }
    }

    /// The test that the thread of the stretch belongs to.
    pub fn test(&self) -> Option<StrId> {
        self.tests.of(self.thread)
    }

    /// What a variable is. (A part of an array range has an id that the symbols do not know.)
    pub fn variable(&self, var: VarId) -> Variable {
        self.ranges.variable(var, self.symbols)
    }
}

/// A run of stretches that lies in the past, with what each of them was made with.
pub struct Span<'a> {
    /// The accesses of all of them.
    pub accesses: &'a [Access],
    /// Which stretch each access belongs to, and what that was made with.
    pub spans: &'a Spans,
    /// What there is at its end; the number of its first event.
    pub(crate) end: Now<'a>,
    /// The locks held at a moment that was asked for.
    pub(crate) locks: Vec<HeldLock>,
}

impl Span<'_> {
    /// The moment of an access, by its number in the span, as far as a span can tell: orders are those at its end.
    pub fn now(&mut self, number: usize) -> Now<'_> {
        let of = self.spans.of();
        let stretch = of.get(number).copied().unwrap_or(0);
        // The first access of the stretch.
        let start = of.partition_point(|&other| other < stretch);
        let end = &mut self.end;
        let (mut thread, mut held, mut first) = (end.thread, end.held, end.first);
        if let Some(moment) = self.spans.moments().get(usize::from(stretch)) {
            (thread, held) = (moment.thread, moment.held);
            first += u64::from(moment.events);
            self.spans.locks(moment, &mut self.locks);
        }
        Now {
            symbols: end.symbols,
            thread,
            held,
            locks: &self.locks,
            sets: end.sets,
            full: end.full,
            hand_over: end.hand_over,
            history: end.history,
            found: end.found,
            ranges: end.ranges,
            tests: end.tests,
            births: end.births,
            number: first,
            first,
            address: self.accesses.get(start..).map_or(0, |accesses| accesses.as_ptr() as usize),
        }
    }
}

/// A detector over a trace.
pub trait Detector {
    /// Looks at an operation that is no plain access.
    fn operation(&mut self, _event: &Event, _now: &mut Now<'_>, _out: &mut Out) {}

    /// Looks at plain accesses of one thread, between which nothing else happens to it.
    fn accesses(&mut self, _accesses: &[Access], _now: &mut Now<'_>, _out: &mut Out) {}

    /// Looks at some of the accesses: those that are new in the sense that its [`Uses`] say.
    fn some(&mut self, accesses: &[Access], which: &[u32], now: &mut Now<'_>, out: &mut Out) {
        for &i in which {
            if let Some(access) = accesses.get(i as usize) {
                self.accesses(std::slice::from_ref(access), now, out);
            }
        }
    }

    /// Looks at the accesses of a span, if it [waits](Uses::waits) for them.
    fn span(&mut self, _span: &mut Span<'_>, _out: &mut Out) {}

    /// The trace has ended.
    fn finish(&mut self, _end: &mut Now<'_>, _out: &mut Out) {}

    /// Shows each table of state by variable, so that it can grow, forget and split.
    fn vars(&mut self, _each: &mut dyn FnMut(&mut dyn VarState)) {}
}
