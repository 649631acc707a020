//! One pass over a trace for any number of detectors.
//!
//! The pass goes from stretch to stretch: one thread, perhaps an operation, and then nothing but plain accesses. What all
//! detectors share (locks held, the two orders, the history of accesses) is brought up to date once for each stretch;
//! then every detector sees the operation and the accesses, as far as it asked for them. Where no detector asks for plain
//! locks and blocks, many stretches are gone through [at once](spans).

mod spans;

use events::check::Checker;
use events::{Access, Event, Head, Mode, ObjectId, Op, OpSet, Repeat, Stretches, Symbols, ThreadId, VarId};
use findings::{Coverage, Report};

use crate::detector::{Detector, Now, Options, Spec, Uses};
use crate::evidence::Out;
use crate::shared::births::Births;
use crate::shared::found::Found;
use crate::shared::held::{Held, Holders};
use crate::shared::history::{History, Scene};
use crate::shared::lockset::LockSets;
use crate::shared::marks::{Asked, Marks};
use crate::shared::order::{Edges, Order};
use crate::shared::ranges::Ranges;
use crate::shared::repeats::Repeats;
use crate::shared::running::Tests;
use crate::shared::spans::Spans;
use crate::shared::vars::VarState;

use self::spans::Pay;

pub use events::check::Malformed;

struct Running {
    /// What it asks for, beside it: looked at for every stretch.
    ops: OpSet,
    uses: Uses,
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
    found: Found,
    ranges: Ranges,
    repeats: Repeats,
    /// Accesses to parts of ranges, while they are shown.
    shown: Vec<Access>,
    /// Room for the parts of one range, and for accesses to them.
    splits: (Vec<VarId>, Vec<Access>),
    tests: Tests,
    births: Births,
    marks: Marks,
    /// Whether the history asks them: not if the full order is there to be asked.
    marking: bool,
    /// What some detector wants to see of every stretch that has it, and what those content with news ask for besides.
    always: OpSet,
    besides: OpSet,
    /// What those ask for who look at what repeats.
    again: OpSet,
    spans: Spans,
    /// Whether it pays to go by spans.
    pay: Pay,
    any_range: bool,
    /// How many accesses of the current batch were new to the history, and whether many of the last one were.
    new: usize,
    many_are_new: bool,
    /// Kept for its room.
    cut: Stretches,
    events: u64,
    paper: bool,
}

/// Accesses that are looked at ahead: what they need of all detectors together fits a first-level cache.
const AHEAD: usize = 64;

/// If one access in so many was new in the last batch, what is needed for new ones is looked at ahead too.
const MANY: usize = 6;

impl Analysis {
    /// A pass for these detectors.
    pub fn new(specs: &[&'static Spec], options: &Options) -> Self {
        let mut uses = Uses::default();
        let (mut always, mut besides, mut again) = (OpSet::NONE, OpSet::NONE, OpSet::NONE);
        for spec in specs {
            if !spec.uses.once {
                again = again.and(spec.ops);
            }
            uses.once |= spec.uses.once;
            if spec.uses.all_accesses() {
                always = always.and(spec.ops);
            } else {
                besides = besides.and(spec.ops.without(OpSet::ACCESS));
            }
            uses.full |= spec.uses.full;
            uses.hand_over |= spec.uses.hand_over | spec.uses.history;
            uses.history |= spec.uses.history;
            uses.places |= spec.uses.places;
            uses.rests |= spec.uses.rests;
            uses.waits |= spec.uses.waits;
        }
        let hand_over = if options.paper || !uses.hand_over { Edges::None } else { Edges::HandOver };
        Self {
            running: specs
                .iter()
                .map(|&spec| {
                    let detector = (spec.new)(options);
                    Running { ops: spec.ops, uses: spec.uses, spec, detector }
                })
                .collect(),
            uses,
            out: Out::default(),
            checker: Checker::default(),
            sets: LockSets::default(),
            holders: Holders::default(),
            full: Order::new(if uses.full { Edges::Full } else { Edges::None }),
            hand_over: Order::new(hand_over),
            history: History::new(uses.places, uses.rests),
            found: Found::default(),
            ranges: Ranges::default(),
            repeats: Repeats::default(),
            shown: Vec::new(),
            splits: Default::default(),
            tests: Tests::default(),
            births: Births::default(),
            marks: Marks::default(),
            marking: uses.history && !options.paper && !uses.full,
            always,
            besides,
            again,
            spans: Spans::default(),
            pay: Pay::new(specs),
            any_range: false,
            new: 0,
            many_are_new: true,
            cut: Stretches::default(),
            events: 0,
            paper: options.paper,
        }
    }

    /// Works off the next events. `symbols` names all of them, as it does for the batch of a
    /// [`Source`](events::Source). A trace that no run can have made is an error.
    pub fn batch(&mut self, events: &[Event], symbols: &Symbols) -> Result<(), Malformed> {
        let mut cut = std::mem::take(&mut self.cut);
        cut.cut(events);
        let done = self.stretches(&cut, symbols);
        self.cut = cut;
        done
    }

    /// The same for events that are cut into stretches already.
    pub fn stretches(&mut self, stretches: &Stretches, symbols: &Symbols) -> Result<(), Malformed> {
        self.grow(symbols);
        self.any_range = self.ranges.look(symbols);
        let repeats = if self.uses.once { stretches.repeats() } else { &[] };
        let is_plain = repeats.is_empty() && !self.any_range;
        let can = !self.uses.waits || self.spans.can_keep_times();
        if is_plain && can && self.pay.ask() {
            return self.each_span(stretches, symbols);
        }
        self.pay.goes_without();
        if is_plain {
            self.each::<true>(stretches, &[], symbols)
        } else {
            self.each::<false>(stretches, repeats, symbols)
        }
    }

    /// Works off the stretches of a batch. `PLAIN` means that nothing repeats and no array is accessed in ranges, so
    /// that nobody need ask at every stretch.
    fn each<const PLAIN: bool>(
        &mut self,
        stretches: &Stretches,
        repeats: &[Repeat],
        symbols: &Symbols,
    ) -> Result<(), Malformed> {
        let all = stretches.all_accesses();
        let (mut seen, mut touched) = (0, 0);
        let (mut repeats, mut end_of_repeat) = (repeats.iter().peekable(), 0);
        for (at, (head, accesses)) in stretches.iter().enumerate() {
            if !PLAIN && let Some(repeat) = repeats.next_if(|repeat| repeat.first == at) {
                self.begin_repeat(repeat, head.thread());
                end_of_repeat = repeat.end;
            }
            if !PLAIN && self.repeats.skips() && self.again == OpSet::NONE {
                seen += accesses.len();
                self.pass_over(head, accesses);
                if at + 1 == end_of_repeat {
                    self.repeats.end(self.changes(head.thread()));
                }
                continue;
            }
            seen += accesses.len();
            touched = self.touch(all, seen, touched);
            self.stretch::<PLAIN>(head, accesses, symbols)?;
            if !PLAIN && at + 1 == end_of_repeat {
                self.repeats.end(self.changes(head.thread()));
            }
        }
        self.many_are_new = std::mem::take(&mut self.new) * MANY > all.len();
        Ok(())
    }

    /// A stretch that nobody looks at: only what lasts counts. All locks that are taken are given up again.
    #[inline(always)]
    fn pass_over(&mut self, head: &Head, accesses: &[Access]) {
        let operation = head.event();
        if let Some(event) = operation {
            self.pass_on(event);
        }
        let took = operation.is_some_and(|event| matches!(event.op, Op::Acquire { .. }));
        self.hand_over.accesses(head.thread(), took, accesses.iter().map(|access| access.writes()));
        self.events += u64::from(operation.is_some()) + accesses.len() as u64;
    }

    /// The order that an operation gives or takes, which was checked when it happened first.
    #[inline(always)]
    fn pass_on(&mut self, event: &Event) {
        if self.marking {
            self.marks.step(event);
        }
        if self.uses.full {
            self.full.step(event);
        }
    }

    /// An operation of a region that some look at again.
    #[inline(always)]
    fn take_in_again(&mut self, event: &Event) {
        match event.op {
            Op::Acquire { lock, .. } => {
                self.holders.acquire(event.thread, lock, event.site, &mut self.sets);
            }
            Op::Release { lock, .. } => self.holders.release(event.thread, lock, &mut self.sets),
            _ => return,
        }
        self.pass_on(event);
    }

    fn begin_repeat(&mut self, repeat: &Repeat, thread: ThreadId) {
        // Who waits learns from those who take locks.
        if !self.hand_over.minds_locks() {
            let alone = self.holders.held(thread) == Held::NONE && self.checker.open_blocks(thread) == 0;
            self.repeats.begin(repeat, alone, self.changes(thread));
        }
    }

    /// What has to stay for a region to tell nothing: a thread's time, what has happened to variables, and to report.
    fn changes(&self, thread: ThreadId) -> (u32, u64, u64) {
        (self.hand_over.time(thread), self.history.changes(), self.out.asked())
    }

    /// Ends the pass.
    pub fn finish(mut self, symbols: &Symbols) -> Result<Report, Malformed> {
        self.checker.finish(symbols)?;
        for Running { spec, detector, .. } in &mut self.running {
            self.out.turn_to(spec.name);
            let mut now = Now {
                symbols,
                thread: ThreadId(0),
                held: Held::NONE,
                locks: &[],
                sets: &mut self.sets,
                full: &self.full,
                hand_over: &self.hand_over,
                history: &mut self.history,
                found: &self.found,
                ranges: &self.ranges,
                tests: &self.tests,
                births: &self.births,
                number: self.events,
                first: self.events,
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
        self.spans.grow(symbols.threads.len());
        self.full.grow(symbols.threads.len(), symbols.locks.len());
        self.marks.grow(symbols.threads.len(), symbols.locks.len());
        self.hand_over.grow(symbols.threads.len(), symbols.locks.len());
        let n = symbols.variables().len();
        if self.uses.history {
            self.history.grow(n);
        }
        for running in &mut self.running {
            running.detector.vars(&mut |vars| vars.grow(n));
        }
    }

    /// Touches what comes after the accesses that are touched already, if so many are needed by now. How many are touched
    /// then.
    #[inline(always)]
    fn touch(&mut self, all: &[Access], needed: usize, touched: usize) -> usize {
        if needed <= touched {
            return touched;
        }
        let end = all.len().min(needed + AHEAD);
        self.look_ahead(&all[touched..end]);
        end
    }

    /// Brings what is kept of accessed variables into the cache. The tables of a big trace do not fit there, and
    /// detectors would wait for the memory at almost every access.
    fn look_ahead(&mut self, accesses: &[Access]) {
        let mut sum = if self.uses.history { self.history.touch(accesses) } else { 0 };
        if self.uses.history && self.many_are_new {
            sum ^= self.history.touch_stories(accesses);
        }
        for running in &mut self.running {
            if running.ops.meets(OpSet::ACCESS) && (running.uses.all_accesses() || self.many_are_new) {
                running.detector.vars(&mut |vars| sum ^= vars.touch(accesses));
            }
        }
        // Nobody needs the sum, but without a use of it there would be no loads.
        std::hint::black_box(sum);
    }

    #[inline(always)]
    fn stretch<const PLAIN: bool>(
        &mut self,
        head: &Head,
        accesses: &[Access],
        symbols: &Symbols,
    ) -> Result<(), Malformed> {
        let number = self.events;
        let operation = head.event();
        let checked = match operation {
            Some(event) if !PLAIN && self.repeats.skips() => {
                self.take_in_again(event);
                Ok(())
            }
            None if accesses.is_empty() => Ok(()),
            _ => self.take_in(head.operation_or_access(), symbols),
        };
        checked.map_err(|reason| Malformed { event: number + 1, reason })?;
        let first = number + u64::from(operation.is_some());
        if !PLAIN && self.any_range && !accesses.iter().all(|access| self.ranges.is_whole(access.var)) {
            self.with_ranges(head.thread(), operation, accesses, number, symbols);
        } else {
            let address = accesses.as_ptr() as usize;
            let place = (number, first, address);
            self.show::<PLAIN>(head.thread(), operation, accesses, place, symbols);
        }
        self.events = first + accesses.len() as u64;
        match head.operation_or_access().op {
            Op::Free { object } => self.free(object, symbols),
            Op::End => {
                self.full.end(head.thread());
                self.hand_over.end(head.thread());
            }
            _ => {}
        }
        Ok(())
    }

    /// Checks the operation of a stretch, or that there may be accesses, and brings what is shared up to date with it. The frequent kinds first:
    /// each look at the kind is a branch that is often foretold wrong.
    #[inline(always)]
    fn take_in(&mut self, event: &Event, symbols: &Symbols) -> Result<(), String> {
        match event.op {
            Op::Read { .. } | Op::Write { .. } => return self.checker.event(event, symbols),
            Op::Acquire { lock, mode: Mode::Exclusive, .. } => {
                self.checker.plain_acquire(event, lock, symbols)?;
                self.holders.acquire(event.thread, lock, event.site, &mut self.sets);
                if self.marking {
                    self.marks.acquire(event.thread, lock);
                }
                if self.hand_over.minds_locks() {
                    self.hand_over.step(event);
                }
                if self.uses.full {
                    self.full.acquire(event.thread, lock);
                }
            }
            Op::Release { lock, mode: Mode::Exclusive } => {
                self.checker.plain_release(event, lock, symbols)?;
                self.holders.release(event.thread, lock, &mut self.sets);
                if self.marking {
                    self.marks.release(event.thread, lock);
                }
                if self.hand_over.minds_locks() {
                    self.hand_over.step(event);
                }
                if self.uses.full {
                    self.full.release(event.thread, lock);
                }
            }
            Op::Begin { block } => return self.checker.plain_begin(event, block, symbols),
            Op::Finish { block } => return self.checker.plain_finish(event, block, symbols),
            op if op.is_quiet() => {
                if let Op::Mark { .. } = op {
                    self.tests.step(event, symbols);
                }
                return self.checker.event(event, symbols);
            }
            op => {
                self.checker.event(event, symbols)?;
                if op.kind().meets(OpSet::LOCK.and(OpSet::WAIT)) {
                    self.holders.step(event, &mut self.sets);
                } else if let Op::Fork { .. } = op {
                    self.tests.step(event, symbols);
                    self.births.step(event);
                }
                if self.uses.hand_over {
                    self.hand_over.step(event);
                }
                if self.marking {
                    self.marks.step(event);
                }
                if self.uses.full {
                    self.full.step(event);
                }
            }
        }
        Ok(())
    }

    /// A stretch of a trace with array ranges: accesses to the parts that the ranges are by now.
    fn with_ranges(
        &mut self,
        thread: ThreadId,
        operation: Option<&Event>,
        accesses: &[Access],
        number: u64,
        symbols: &Symbols,
    ) {
        let first = number + u64::from(operation.is_some());
        if operation.is_some() {
            self.show::<false>(thread, operation, &[], (number, first, 0), symbols);
        }
        let mut shown = std::mem::take(&mut self.shown);
        let (mut parts, mut split) = std::mem::take(&mut self.splits);
        let mut begun = first;
        for (number, access) in (first..).zip(accesses) {
            let part = |var| Access::new(var, access.site(), access.writes());
            if let Some(var) = self.ranges.only_part(access.var) {
                shown.push(part(var));
                continue;
            }
            // State may be copied now, and what came before belongs to it.
            self.show_parts(thread, &mut shown, begun, symbols);
            let (uses, history, running) = (self.uses, &mut self.history, &mut self.running);
            self.ranges.parts(access.var, symbols, &mut parts, &mut |from, to| {
                if uses.history {
                    history.copy(from, to);
                }
                for running in &mut *running {
                    running.detector.vars(&mut |vars| vars.copy(from, to));
                }
            });
            split.extend(parts.drain(..).map(part));
            self.show::<false>(thread, None, &split, (number, number, 0), symbols);
            split.clear();
            begun = number + 1;
        }
        self.show_parts(thread, &mut shown, begun, symbols);
        self.shown = shown;
        self.splits = (parts, split);
    }

    /// Shows accesses that follow one another from a number on, each of them to one part.
    fn show_parts(&mut self, thread: ThreadId, shown: &mut Vec<Access>, first: u64, symbols: &Symbols) {
        if !shown.is_empty() {
            self.show::<false>(thread, None, shown, (first, first, shown.as_ptr() as usize), symbols);
            shown.clear();
        }
    }

    /// Takes accesses into account and shows a stretch to the detectors. `place` is what [`Now`] needs to tell an
    /// event's number.
    #[inline(always)]
    fn show<const PLAIN: bool>(
        &mut self,
        thread: ThreadId,
        operation: Option<&Event>,
        accesses: &[Access],
        place: (u64, u64, usize),
        symbols: &Symbols,
    ) {
        let held = self.holders.held(thread);
        if held != Held::NONE {
            let took = |event: &Event| matches!(event.op, Op::Acquire { .. } | Op::Woken { .. });
            let writes = accesses.iter().map(|access| access.writes());
            self.hand_over.accesses(thread, operation.is_some_and(took), writes);
        }
        let skips = !PLAIN && self.repeats.skips();
        if self.uses.history && !accesses.is_empty() && !skips {
            self.history.look(thread, accesses, held, self.hand_over.stamp(), &mut self.found);
            if !self.found.unknown.is_empty() {
                self.remember(thread, accesses, held, symbols);
            }
            if !PLAIN && self.repeats.looks() {
                self.history.minds_changes_of(accesses);
                let found = &self.found;
                if !found.news.is_empty() || self.uses.places && !found.new_places.is_empty() {
                    self.repeats.found_news();
                }
            }
        } else {
            self.found.clear();
        }
        let kind = operation.map_or(OpSet::NONE, |event| event.op.kind());
        let kinds = if accesses.is_empty() { kind } else { kind.and(OpSet::ACCESS) };
        // Most stretches concern nobody who is content with what is new.
        let found = &self.found;
        if !kinds.meets(self.always) && found.unknown.is_empty() && !kind.meets(self.besides) {
            return;
        }
        if skips && !kinds.meets(self.again) {
            return;
        }
        let mut now = Now {
            symbols,
            thread,
            held,
            locks: self.holders.locks(thread),
            sets: &mut self.sets,
            full: &self.full,
            hand_over: &self.hand_over,
            history: &mut self.history,
            found: &self.found,
            ranges: &self.ranges,
            tests: &self.tests,
            births: &self.births,
            number: place.0,
            first: place.1,
            address: place.2,
        };
        for Running { ops, uses, spec, detector } in &mut self.running {
            if !kinds.meets(*ops) || skips & uses.once {
                continue;
            }
            self.out.turn_to(spec.name);
            if let Some(event) = operation
                && kind.meets(*ops)
            {
                detector.operation(event, &mut now, &mut self.out);
            }
            if !uses.all_accesses() {
                let some = match (uses.rests, uses.places) {
                    (true, _) => &found.awake,
                    (_, true) => &found.new_places,
                    _ => &found.news,
                };
                if !some.is_empty() {
                    detector.some(accesses, some.get(), &mut now, &mut self.out);
                }
            } else if ops.meets(OpSet::ACCESS) && !accesses.is_empty() {
                detector.accesses(accesses, &mut now, &mut self.out);
            }
        }
    }

    /// Takes accesses into account that may be new to the history.
    #[inline(never)]
    fn remember(&mut self, thread: ThreadId, accesses: &[Access], held: Held, symbols: &Symbols) {
        let can_move = |var| !self.paper && self.ranges.variable(var, symbols).object.is_some();
        let full = if self.marking { Asked::Marks(&mut self.marks) } else { Asked::Order(&self.full) };
        let mut scene = Scene { order: &self.hand_over, full, can_move: &can_move };
        self.history.take_in(thread, accesses, held, &mut scene, &mut self.sets, &mut self.found);
        self.new += self.found.unknown.get().len();
    }

    /// An object has died: nobody keeps state for it.
    fn free(&mut self, object: ObjectId, symbols: &Symbols) {
        let mut forget = |var: VarId| {
            self.full.forget(var);
            self.marks.forget(var);
            self.hand_over.forget(var);
            if self.uses.history {
                self.history.forget(var);
            }
            for running in &mut self.running {
                running.detector.vars(&mut |vars| vars.forget(var));
            }
        };
        let vars = symbols.variables_of(object).iter().copied();
        vars.filter(|&var| !self.ranges.is_mere_name(var, symbols)).for_each(&mut forget);
        self.ranges.free(object, symbols, &mut forget);
    }
}
