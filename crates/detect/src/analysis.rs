//! One pass over a trace for any number of detectors.
//!
//! The pass cuts the events into stretches: one thread, and nothing but quiet operations after the first event. What all
//! detectors share (locks held, the two orders, the history of accesses) is brought up to date once for each stretch;
//! then every detector that asked for some of its operations sees it.

use events::check::Checker;
use events::{Event, Mode, ObjectId, Op, OpSet, Symbols, ThreadId, VarId};
use findings::{Coverage, Report};

use crate::detector::{Detector, Now, Options, Position, Spec, Uses};
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
    any_range: bool,
    /// The variables of the events that come next; kept for its room.
    upcoming: Vec<VarId>,
    events: u64,
}

/// Events that are brought into the cache at once: what they need of all detectors together fits a second-level cache.
const AHEAD: usize = 512;

impl Analysis {
    /// A pass for these detectors.
    pub fn new(specs: &[&'static Spec], options: &Options) -> Self {
        let mut uses = Uses::default();
        for spec in specs {
            uses.full |= spec.uses.full;
            uses.hand_over |= spec.uses.hand_over | spec.uses.history;
            uses.history |= spec.uses.history;
        }
        let hand_over = if options.paper || !uses.hand_over { Edges::None } else { Edges::HandOver };
        Self {
            running: specs.iter().map(|&spec| Running { spec, detector: (spec.new)(options) }).collect(),
            uses,
            out: Out::default(),
            checker: Checker::default(),
            sets: LockSets::default(),
            holders: Holders::default(),
            full: Order::new(if uses.full { Edges::Full } else { Edges::None }),
            hand_over: Order::new(hand_over),
            history: History::default(),
            ranges: Ranges::default(),
            any_range: false,
            upcoming: Vec::new(),
            events: 0,
        }
    }

    /// Works off the next events. `symbols` names all of them, as it does for the batch of a
    /// [`Source`](events::Source). A trace that no run can have made is an error.
    pub fn batch(&mut self, events: &[Event], symbols: &Symbols) -> Result<(), Malformed> {
        self.grow(symbols);
        self.any_range = self.ranges.look(symbols);
        for events in events.chunks(AHEAD) {
            self.touch(events);
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
                position: Position::At(self.events),
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

    /// Brings what will be needed for these events into the cache: the tables of a big trace do not fit there, and
    /// detectors would wait for the memory at almost every access.
    fn touch(&mut self, events: &[Event]) {
        let mut upcoming = std::mem::take(&mut self.upcoming);
        upcoming.resize(AHEAD, VarId(0));
        let mut n = 0;
        for event in events {
            // Written always and counted only if it is one: a branch here would be foretold wrong too often.
            let access = event.op.access();
            upcoming[n] = access.map_or(VarId(0), |(var, _)| var);
            n += usize::from(access.is_some());
        }
        upcoming.truncate(n);
        let mut sum = if self.uses.history { self.history.touch(&upcoming) } else { 0 };
        for running in &mut self.running {
            if running.spec.ops.meets(OpSet::ACCESS) {
                running.detector.vars(&mut |vars| sum ^= vars.touch(&upcoming));
            }
        }
        // Nobody needs the sum, but without a use of it there would be no loads.
        std::hint::black_box(sum);
        self.upcoming = upcoming;
    }

    fn stretches(&mut self, events: &[Event], symbols: &Symbols) -> Result<(), Malformed> {
        let mut start = 0;
        while let Some(first) = events.get(start) {
            let number = self.events + start as u64;
            self.take_in(first, symbols).map_err(|reason| Malformed { event: number + 1, reason })?;
            if self.any_range && !self.is_whole(first.op) {
                self.range_access(first, number, symbols);
                start += 1;
                continue;
            }
            let mut kinds = first.op.kind();
            let mut end = start + 1;
            while let Some(event) = events.get(end)
                && event.thread == first.thread
            {
                if let Some((var, write)) = event.op.access() {
                    if self.any_range && !self.ranges.is_whole(var) {
                        break;
                    }
                    kinds = kinds.and(if write { OpSet::WRITE } else { OpSet::READ });
                } else if event.op.is_quiet() {
                    let number = self.events + end as u64;
                    let checked = self.checker.event(event, symbols);
                    checked.map_err(|reason| Malformed { event: number + 1, reason })?;
                    kinds = kinds.and(event.op.kind());
                } else {
                    break;
                }
                end += 1;
            }
            let position = Position::From(number, std::ptr::from_ref(first) as usize);
            self.stretch(&events[start..end], kinds, position, symbols);
            if let Op::Free { object } = first.op {
                self.free(object, symbols);
            }
            start = end;
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

    fn is_whole(&self, op: Op) -> bool {
        match op {
            Op::Read { var } | Op::Write { var } => self.ranges.is_whole(var),
            _ => true,
        }
    }

    /// An access to an array range that may have to be split: one event for each of its parts.
    fn range_access(&mut self, event: &Event, number: u64, symbols: &Symbols) {
        let (Op::Read { var } | Op::Write { var }) = event.op else { return };
        let mut parts = Vec::new();
        let (uses, history, running) = (self.uses, &mut self.history, &mut self.running);
        self.ranges.parts(var, symbols, &mut parts, &mut |from, to| {
            if uses.history {
                history.copy(from, to);
            }
            for running in &mut *running {
                running.detector.vars(&mut |vars| vars.copy(from, to));
            }
        });
        let part_of = |var| match event.op {
            Op::Read { .. } => Op::Read { var },
            _ => Op::Write { var },
        };
        let events: Vec<Event> = parts.into_iter().map(|var| Event { op: part_of(var), ..*event }).collect();
        self.stretch(&events, event.op.kind(), Position::At(number), symbols);
    }

    #[inline]
    fn stretch(&mut self, events: &[Event], kinds: OpSet, position: Position, symbols: &Symbols) {
        let first = &events[0];
        let held = self.holders.held(first.thread);
        if self.uses.history && kinds.meets(OpSet::ACCESS) {
            self.history.stretch(events, held, &self.hand_over, &mut self.sets);
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
            position,
        };
        for Running { spec, detector } in &mut self.running {
            if kinds.meets(spec.ops) {
                self.out.turn_to(spec.name);
                detector.stretch(events, &mut now, &mut self.out);
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
