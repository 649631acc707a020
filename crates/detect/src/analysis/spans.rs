//! Going through many stretches at once: see [`shared::spans`](crate::shared::spans).
//!
//! First the operations of a span are taken in, and it is put down what each stretch is made with. Then the history looks at
//! all accesses in one loop, and only stretches in which something may be new are gone through one by one; and detectors
//! that wait are shown all accesses. The report is the same as without spans. Two things see to that. The marks, which tell
//! the history about the full order, stay behind and are brought up to a stretch before it is gone through. And if an access
//! makes another one new that was not when the history looked (something is [lost](crate::shared::found::Found::lost)), all
//! stretches that are left are gone through.
//!
//! Not for detectors that ask for locks or blocks, or for all accesses at once.

use events::{Access, Head, LockId, Mode, Op, OpSet, Stretches, Symbols, ThreadId};

use super::{Analysis, MANY, Malformed, Running};
use crate::detector::{Now, Spec, Span};
use crate::shared::found::List;
use crate::shared::held::{Held, HeldLock};
use crate::shared::spans::{LONGEST, Moment};

/// Stretches that a span has to have for its cost to come back.
const WORTH: usize = 8;

/// After so many batches that were gone through without spans it is tried again.
const TRY_AGAIN: u32 = 16;

/// Whether spans pay: they do not where other operations are between most stretches, or where something is always lost.
pub(super) struct Pay {
    /// Whether the detectors are such that they can.
    can: bool,
    /// Batches to go through without.
    without: u32,
    /// Of the current batch: spans begun, and stretches for which that was good.
    begun: usize,
    good: usize,
    /// Batches have been gone through without, so nobody has told which locks are held.
    locks_changed: bool,
    /// Kept for their room: accesses that may be new, locks held at some moment, and what marks have not seen yet.
    unknown: List,
    locks: Vec<HeldLock>,
    behind: Vec<Behind>,
}

/// An operation on a lock that marks have not seen.
#[derive(Clone, Copy)]
struct Behind {
    stretch: usize,
    thread: ThreadId,
    lock: LockId,
    takes: bool,
}

impl Pay {
    /// Spans for these detectors.
    pub(super) fn new(specs: &[&'static Spec]) -> Self {
        let in_span = OpSet::LOCK.and(OpSet::BLOCK);
        let can = |spec: &&Spec| {
            let uses = &spec.uses;
            !spec.ops.meets(in_span) && (uses.waits || !uses.all_accesses() && !uses.rests)
        };
        Self {
            can: specs.iter().all(can),
            without: 0,
            begun: 0,
            good: 0,
            locks_changed: false,
            unknown: List::default(),
            locks: Vec::new(),
            behind: Vec::new(),
        }
    }

    /// Whether the next batch is to be gone through in spans.
    pub(super) fn ask(&mut self) -> bool {
        self.without = self.without.saturating_sub(1);
        self.can && self.without == 0
    }

    /// A batch is gone through without.
    pub(super) fn goes_without(&mut self) {
        self.locks_changed = true;
    }

    /// A batch has ended.
    fn end(&mut self) {
        if self.begun * WORTH > self.good {
            self.without = TRY_AGAIN;
        }
        (self.begun, self.good) = (0, 0);
    }
}

/// Where a span lies in its batch.
#[derive(Clone, Copy)]
struct Place<'a> {
    heads: &'a [Head],
    /// The accesses of the batch, and how many of them come before the span.
    all: &'a [Access],
    before: usize,
    /// The events that come before the span.
    events: u64,
}

impl<'a> Place<'a> {
    fn accesses(&self) -> &'a [Access] {
        &self.all[self.before..self.heads.last().map_or(self.before, Head::end)]
    }

    /// How many accesses of the span come before a stretch.
    fn start(&self, stretch: usize) -> usize {
        let last = stretch.checked_sub(1).and_then(|last| self.heads.get(last));
        last.map_or(0, |last| last.end() - self.before)
    }
}

impl Analysis {
    /// Works off the stretches of a batch in which nothing repeats and no array is accessed in ranges.
    pub(super) fn each_span(&mut self, stretches: &Stretches, symbols: &Symbols) -> Result<(), Malformed> {
        let (heads, all) = (stretches.heads(), stretches.all_accesses());
        if std::mem::take(&mut self.pay.locks_changed) {
            for thread in 0..symbols.threads.len() as u32 {
                self.spans.step(ThreadId(thread), &self.holders);
            }
        }
        let (mut next, mut before) = (0, 0);
        while let Some(head) = heads.get(next) {
            let events = self.events;
            let took = self.take_in_span(&heads[next..], before, symbols);
            let count = self.spans.len();
            self.pay.begun += 1;
            if count > 0 {
                let heads = &heads[next..next + count];
                self.go_through(Place { heads, all, before, events }, symbols);
                before = heads.last().map_or(before, Head::end);
                next += count;
                took?;
                continue;
            }
            took?;
            self.stretch::<true>(head, &all[before..head.end()], symbols)?;
            if head.operation_or_access().op.kind().meets(OpSet::LOCK.and(OpSet::WAIT)) {
                self.spans.step(head.thread(), &self.holders);
            }
            before = head.end();
            next += 1;
        }
        self.pay.end();
        self.many_are_new = std::mem::take(&mut self.new) * MANY > all.len();
        Ok(())
    }

    /// Takes in the operations of the next stretches, as long as they are plain locks and blocks, no set of locks is new and
    /// the hand-over order does not change. `before` accesses of the batch come before them.
    fn take_in_span(&mut self, heads: &[Head], before: usize, symbols: &Symbols) -> Result<(), Malformed> {
        self.spans.begin();
        self.pay.behind.clear();
        let keeps = self.uses.waits;
        let mut start = before;
        let mut done = Ok(());
        for (stretch, head) in heads.iter().take(LONGEST).enumerate() {
            let event = head.operation_or_access();
            let (thread, end) = (event.thread, head.end());
            let mut operation = true;
            let checked = match event.op {
                Op::Read { .. } | Op::Write { .. } => {
                    operation = false;
                    if start == end { Ok(()) } else { self.checker.event(event, symbols) }
                }
                Op::Begin { block } => self.checker.plain_begin(event, block, symbols),
                Op::Finish { block } => self.checker.plain_finish(event, block, symbols),
                Op::Acquire { lock, mode: Mode::Exclusive, .. } => {
                    let held = self.holders.held(thread);
                    let known = self.sets.known_with(held.all, lock).is_some();
                    if !known || held.all != held.exclusive || self.hand_over.minds(event.op) {
                        break;
                    }
                    let checked = self.checker.plain_acquire(event, lock, symbols);
                    self.holders.acquire(thread, lock, event.site, &mut self.sets);
                    self.spans.take(thread, self.holders.locks(thread));
                    if self.marking {
                        self.pay.behind.push(Behind { stretch, thread, lock, takes: true });
                    }
                    if self.uses.full {
                        self.full.acquire(thread, lock);
                    }
                    checked
                }
                Op::Release { lock, mode: Mode::Exclusive } => {
                    if !self.spans.is_last(thread, lock) || self.hand_over.minds(event.op) {
                        break;
                    }
                    let checked = self.checker.plain_release(event, lock, symbols);
                    self.holders.release(thread, lock, &mut self.sets);
                    self.spans.give(thread);
                    if self.marking {
                        self.pay.behind.push(Behind { stretch, thread, lock, takes: false });
                    }
                    if self.uses.full {
                        self.full.release(thread, lock);
                    }
                    checked
                }
                _ => break,
            };
            if let Err(reason) = checked {
                done = Err(Malformed { event: self.events + 1, reason });
                break;
            }
            let held = self.holders.held(thread);
            let took = matches!(event.op, Op::Acquire { .. });
            self.spans.stretch(thread, held, (operation, took), end - start);
            if keeps {
                self.spans.keep_time(thread, &self.full);
            }
            self.events += (u64::from(operation)) + (end - start) as u64;
            start = end;
        }
        done
    }

    /// Goes through a span that was taken in.
    fn go_through(&mut self, place: Place<'_>, symbols: &Symbols) {
        let accesses = place.accesses();
        if self.hand_over.minds_writes() {
            self.spans.look_for_writes(accesses);
            for moment in self.spans.moments().iter().filter(|moment| moment.held != Held::NONE) {
                self.hand_over.writes(moment.thread, moment.took, moment.wrote);
            }
        }
        self.pay.good += place.heads.len();
        if self.uses.history {
            self.look_through(place, symbols);
        }
        if self.uses.waits {
            let now = Now {
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
                number: place.events,
                first: place.events,
                address: 0,
            };
            let mut span = Span { accesses, spans: &self.spans, end: now, locks: Vec::new() };
            for Running { uses, spec, detector, .. } in &mut self.running {
                if uses.waits {
                    self.out.turn_to(spec.name);
                    detector.span(&mut span, &mut self.out);
                }
            }
        }
    }

    /// Has the history look at all accesses of a span, and goes through the stretches in which something may be new.
    fn look_through(&mut self, place: Place<'_>, symbols: &Symbols) {
        let accesses = place.accesses();
        let mut unknown = std::mem::take(&mut self.pay.unknown);
        let stamp = self.hand_over.stamp();
        self.history.look_through(&self.spans, accesses, stamp, &mut unknown);
        let mut numbers = unknown.get();
        self.touch_numbers(accesses, numbers);
        self.found.lost = false;
        let mut behind = 0;
        let mut next = 0;
        while let Some(&first) = numbers.first()
            && let Some(&stretch) = self.spans.of().get(first as usize)
            && !self.found.lost
        {
            let stretch = usize::from(stretch);
            let (start, end) = (place.start(stretch), place.start(stretch + 1));
            let count = numbers.iter().take_while(|&&number| (number as usize) < end).count();
            self.found.clear();
            self.found.unknown.copy(&numbers[..count], start as u32);
            behind = self.catch_up(behind, stretch);
            self.go_through_stretch(stretch, &accesses[start..end], place, symbols);
            numbers = &numbers[count..];
            next = stretch + 1;
        }
        self.pay.unknown = unknown;
        if self.found.lost {
            self.pay.good -= place.heads.len() - next;
            for stretch in next..place.heads.len() {
                let of_stretch = &accesses[place.start(stretch)..place.start(stretch + 1)];
                let Some(&Moment { thread, held, .. }) = self.spans.moments().get(stretch) else { break };
                self.history.look(thread, of_stretch, held, stamp, &mut self.found);
                if !self.found.unknown.is_empty() {
                    behind = self.catch_up(behind, stretch);
                    self.go_through_stretch(stretch, of_stretch, place, symbols);
                }
            }
        }
        self.catch_up(behind, usize::MAX);
    }

    /// Shows marks what has happened to locks up to the beginning of a stretch. So many of the operations they have seen.
    #[inline(always)]
    fn catch_up(&mut self, mut seen: usize, upto: usize) -> usize {
        while let Some(&Behind { stretch, thread, lock, takes }) = self.pay.behind.get(seen)
            && stretch <= upto
        {
            if takes {
                self.marks.acquire(thread, lock);
            } else {
                self.marks.release(thread, lock);
            }
            seen += 1;
        }
        seen
    }

    /// Brings what is kept of variables that may have something new into the cache.
    fn touch_numbers(&mut self, accesses: &[Access], numbers: &[u32]) {
        let mut some = std::mem::take(&mut self.shown);
        some.extend(numbers.iter().filter_map(|&number| accesses.get(number as usize)));
        let mut sum = self.history.touch_stories(&some);
        for Running { uses, detector, .. } in &mut self.running {
            if !uses.waits {
                detector.vars(&mut |vars| sum ^= vars.touch(&some));
            }
        }
        // Nobody needs the sum, but without a use of it there would be no loads.
        std::hint::black_box(sum);
        some.clear();
        self.shown = some;
    }

    /// A stretch of a span in which something may be new.
    fn go_through_stretch(&mut self, stretch: usize, accesses: &[Access], place: Place<'_>, symbols: &Symbols) {
        let Some(&moment) = self.spans.moments().get(stretch) else { return };
        self.remember(moment.thread, accesses, moment.held, symbols);
        if self.found.news.is_empty() && (!self.uses.places || self.found.new_places.is_empty()) {
            return;
        }
        self.spans.locks(&moment, &mut self.pay.locks);
        let first = place.events + u64::from(moment.events);
        let mut now = Now {
            symbols,
            thread: moment.thread,
            held: moment.held,
            locks: &self.pay.locks,
            sets: &mut self.sets,
            full: &self.full,
            hand_over: &self.hand_over,
            history: &mut self.history,
            found: &self.found,
            ranges: &self.ranges,
            tests: &self.tests,
            births: &self.births,
            number: first,
            first,
            address: accesses.as_ptr() as usize,
        };
        for Running { ops, uses, spec, detector } in &mut self.running {
            let some = if uses.places { &self.found.new_places } else { &self.found.news };
            if !uses.all_accesses() && ops.meets(OpSet::ACCESS) && !some.is_empty() {
                self.out.turn_to(spec.name);
                detector.some(accesses, some.get(), &mut now, &mut self.out);
            }
        }
    }
}
