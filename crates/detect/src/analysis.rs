//! One pass over a trace for any number of detectors.
//!
//! The pass cuts the events into stretches: one thread, and nothing but plain accesses after the first event. What all
//! detectors share (locks held, the two orders, the history of accesses) is brought up to date once for each stretch;
//! then every detector that asked for some of its operations sees it.

use events::check::Checker;
use events::{Event, Mode, ObjectId, Op, OpSet, Symbols, ThreadId, VarId};
use findings::{Coverage, Report};

use crate::detector::{Detector, Now, Options, Spec, Uses};
use crate::evidence::Out;
use crate::shared::held::{Held, Holders};
use crate::shared::history::History;
use crate::shared::lockset::LockSets;
use crate::shared::order::{Edges, Order};
use crate::shared::ranges::Ranges;
use crate::shared::vars::VarState;

pub use events::check::Malformed;

struct Running {
    spec: &'static Spec,
    detector: Box<dyn Detector>,
}

/// A pass over a trace.
pub struct Analysis {
    running: Vec<Running>,
    uses: Uses,
    out: Out,
    checker: Checker,
    sets: LockSets,
    holders: Holders,
    full: Order,
    hand_over: Order,
    history: History,
    ranges: Ranges,
    /// What some detector wants to see of every stretch that has it, and what those content with news ask for besides.
    always: OpSet,
    besides: OpSet,
    any_range: bool,
    /// Where in the events that come next stretches begin, how many there are, and the variables they access.
    starts: Box<[u16; AHEAD]>,
    stretches: usize,
    upcoming: Box<[VarId; AHEAD]>,
    events: u64,
}

/// Events that are looked at ahead: what they need of all detectors together fits a first-level cache.
const AHEAD: usize = 64;

impl Analysis {
    /// A pass for these detectors.
    pub fn new(specs: &[&'static Spec], options: &Options) -> Self {
        let mut uses = Uses::default();
        let (mut always, mut besides) = (OpSet::NONE, OpSet::NONE);
        for spec in specs {
            if spec.uses.news {
                besides = besides.and(spec.ops.without(OpSet::ACCESS));
            } else {
                always = always.and(spec.ops);
            }
            uses.full |= spec.uses.full;
            uses.hand_over |= spec.uses.hand_over | spec.uses.history;
            uses.history |= spec.uses.history;
            uses.places |= spec.uses.places;
        }
        let hand_over = if options.paper || !uses.hand_over { Edges::None } else { Edges::HandOver };
        let mut history = History::default();
        if uses.places {
            history.mind_places();
        }
        Self {
            running: specs.iter().map(|&spec| Running { spec, detector: (spec.new)(options) }).collect(),
            uses,
            out: Out::default(),
            checker: Checker::default(),
            sets: LockSets::default(),
            holders: Holders::default(),
            full: Order::new(if uses.full { Edges::Full } else { Edges::None }),
            hand_over: Order::new(hand_over),
            history,
            ranges: Ranges::default(),
            always,
            besides,
            any_range: false,
            starts: Box::new([0; AHEAD]),
            stretches: 0,
            upcoming: Box::new([VarId(0); AHEAD]),
            events: 0,
        }
    }

    /// Works off the next events. `symbols` names all of them, as it does for the batch of a
    /// [`Source`](events::Source). A trace that no run can have made is an error.
    pub fn batch(&mut self, events: &[Event], symbols: &Symbols) -> Result<(), Malformed> {
        self.grow(symbols);
        self.any_range = self.ranges.look(symbols);
        for events in events.chunks(AHEAD) {
            self.look_ahead(events);
            self.stretches(events, symbols)?;
            self.events += events.len() as u64;
        }
        Ok(())
    }

    /// Ends the pass.
    pub fn finish(mut self, symbols: &Symbols) -> Result<Report, Malformed> {
        self.checker.finish(symbols)?;
        for Running { spec, detector } in &mut self.running {
            self.out.turn_to(spec.name);
            let mut now = Now {
                symbols,
                thread: ThreadId(0),
                held: Held::NONE,
                locks: &[],
                sets: &mut self.sets,
                full: &self.full,
                hand_over: &self.hand_over,
                history: &self.history,
                ranges: &self.ranges,
                number: self.events,
                address: 0,
            };
            detector.finish(&mut now, &mut self.out);
        }
        let mut report = self.out.into_report();
        report.coverage = Coverage {
            threads: symbols.threads.len() as u64,
            events: self.events,
            locks: symbols.locks.len() as u64,
            variables: symbols.variables().len() as u64,
            ..Coverage::default()
        };
        Ok(report)
    }

    fn grow(&mut self, symbols: &Symbols) {
        self.checker.grow(symbols);
        self.holders.grow(symbols.threads.len());
        self.full.grow(symbols.threads.len(), symbols.locks.len());
        self.hand_over.grow(symbols.threads.len(), symbols.locks.len());
        let n = symbols.variables().len();
        if self.uses.history {
            self.history.grow(n);
        }
        for running in &mut self.running {
            running.detector.vars(&mut |vars| vars.grow(n));
        }
    }

    /// Looks ahead: notes where stretches begin and which variables are accessed, and brings what is kept of those
    /// variables into the cache. The tables of a big trace do not fit there, and detectors would wait for the memory at
    /// almost every access. What is noted is written always and counted only if it is to be kept: branches here would
    /// be foretold wrong too often.
    fn look_ahead(&mut self, events: &[Event]) {
        let (starts, upcoming) = (&mut *self.starts, &mut *self.upcoming);
        let (mut stretches, mut accesses) = (0, 0);
        // No thread has this number.
        let mut last = ThreadId(u32::MAX);
        for (i, event) in events.iter().enumerate() {
            let is_access = event.op.is_access();
            starts[stretches % AHEAD] = i as u16;
            stretches += usize::from(!is_access | (last != event.thread));
            last = event.thread;
            upcoming[accesses % AHEAD] = VarId(event.op.operand());
            accesses += usize::from(is_access);
        }
        self.stretches = stretches;
        let upcoming = &self.upcoming[..accesses];
        let mut sum = if self.uses.history { self.history.touch(upcoming) } else { 0 };
        for running in &mut self.running {
            if running.spec.ops.meets(OpSet::ACCESS) && !running.spec.uses.news {
                running.detector.vars(&mut |vars| sum ^= vars.touch(upcoming));
            }
        }
        // Nobody needs the sum, but without a use of it there would be no loads.
        std::hint::black_box(sum);
    }

    fn stretches(&mut self, events: &[Event], symbols: &Symbols) -> Result<(), Malformed> {
        for i in 0..self.stretches {
            let start = usize::from(self.starts[i]);
            let end = if i + 1 < self.stretches { usize::from(self.starts[i + 1]) } else { events.len() };
            let events = &events[start..end];
            let number = self.events + start as u64;
            let first = &events[0];
            self.take_in(first, symbols).map_err(|reason| Malformed { event: number + 1, reason })?;
            let accesses = if events.len() > 1 { OpSet::ACCESS } else { OpSet::NONE };
            if self.any_range {
                self.with_ranges(events, number, symbols);
            } else {
                let address = std::ptr::from_ref(first) as usize;
                self.stretch(events, first.op.kind().and(accesses), number, address, symbols);
            }
            if let Op::Free { object } = first.op {
                self.free(object, symbols);
            }
        }
        Ok(())
    }

    /// Checks the first event of a stretch and brings what is shared up to date with it. The frequent kinds first:
    /// each look at the kind is a branch that is often foretold wrong.
    #[inline(always)]
    fn take_in(&mut self, event: &Event, symbols: &Symbols) -> Result<(), String> {
        match event.op {
            Op::Acquire { lock, mode: Mode::Exclusive } => {
                self.checker.plain_acquire(event, lock, symbols)?;
                self.holders.acquire(event.thread, lock, event.site, &mut self.sets);
            }
            Op::Release { lock, mode: Mode::Exclusive } => {
                self.checker.plain_release(event, lock, symbols)?;
                self.holders.release(event.thread, lock, &mut self.sets);
            }
            op if op.is_quiet() => return self.checker.event(event, symbols),
            op => {
                self.checker.event(event, symbols)?;
                if op.kind().meets(OpSet::LOCK.and(OpSet::WAIT)) {
                    self.holders.step(event, &mut self.sets);
                } else if self.uses.hand_over {
                    self.hand_over.step(event);
                }
            }
        }
        if self.uses.full {
            self.full.step(event);
        }
        Ok(())
    }

    /// A stretch of a trace with array ranges, which may have to be split: one event for each part.
    fn with_ranges(&mut self, events: &[Event], number: u64, symbols: &Symbols) {
        let mut parts = Vec::new();
        for (i, event) in events.iter().enumerate() {
            let number = number + i as u64;
            let kind = event.op.kind();
            let Some((var, write)) = event.op.access().filter(|&(var, _)| !self.ranges.is_whole(var)) else {
                self.stretch(&events[i..=i], kind, number, 0, symbols);
                continue;
            };
            let (uses, history, running) = (self.uses, &mut self.history, &mut self.running);
            self.ranges.parts(var, symbols, &mut parts, &mut |from, to| {
                if uses.history {
                    history.copy(from, to);
                }
                for running in &mut *running {
                    running.detector.vars(&mut |vars| vars.copy(from, to));
                }
            });
            let part_of = |var| if write { Op::Write { var } } else { Op::Read { var } };
            let split: Vec<Event> = parts.drain(..).map(|var| Event { op: part_of(var), ..*event }).collect();
            self.stretch(&split, kind, number, 0, symbols);
        }
    }

    #[inline]
    fn stretch(&mut self, events: &[Event], kinds: OpSet, number: u64, address: usize, symbols: &Symbols) {
        let first = &events[0];
        let held = self.holders.held(first.thread);
        if self.uses.history && kinds.meets(OpSet::ACCESS) {
            self.history.stretch(events, held, &self.hand_over, &mut self.sets);
        } else {
            self.history.no_news();
        }
        let any_news = !self.history.news().is_empty();
        // Most stretches concern nobody who is content with news.
        if !kinds.meets(self.always) && !any_news && !first.op.kind().meets(self.besides) {
            return;
        }
        let mut now = Now {
            symbols,
            thread: first.thread,
            held,
            locks: self.holders.locks(first.thread),
            sets: &mut self.sets,
            full: &self.full,
            hand_over: &self.hand_over,
            history: &self.history,
            ranges: &self.ranges,
            number,
            address,
        };
        for Running { spec, detector } in &mut self.running {
            if !spec.uses.news {
                if kinds.meets(spec.ops) {
                    self.out.turn_to(spec.name);
                    detector.stretch(events, &mut now, &mut self.out);
                }
                continue;
            }
            self.out.turn_to(spec.name);
            if first.op.kind().meets(spec.ops.without(OpSet::ACCESS)) {
                detector.event(first, &mut now, &mut self.out);
            }
            for &i in self.history.news() {
                detector.event(&events[i as usize], &mut now, &mut self.out);
            }
        }
    }

    /// An object has died: nobody keeps state for it.
    fn free(&mut self, object: ObjectId, symbols: &Symbols) {
        let mut forget = |var: VarId| {
            self.full.forget(var);
            self.hand_over.forget(var);
            if self.uses.history {
                self.history.forget(var);
            }
            for running in &mut self.running {
                running.detector.vars(&mut |vars| vars.forget(var));
            }
        };
        symbols.variables_of(object).iter().copied().for_each(&mut forget);
        self.ranges.free(object, symbols, &mut forget);
    }
}
