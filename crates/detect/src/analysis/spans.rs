//! Going through many stretches at once: see [`shared::spans`](crate::shared::spans).
//!
//! First the operations of a span are taken in, and it is put down what each stretch is made with; then the detectors are
//! shown all accesses. The report is the same as without spans. Only for detectors that [wait](crate::Uses::waits): others
//! have to see what is shared as it is at their stretch. (Tried for those that go by the history as well, which looked at a
//! whole span ahead: what it took to stay exact cost what was gained.)

use events::{Access, Head, Mode, Op, OpSet, Stretches, Symbols, ThreadId};

use super::{Analysis, Malformed, Running};
use crate::detector::{Now, Span, Spec};
use crate::shared::held::Held;
use crate::shared::spans::LONGEST;

/// Stretches that a span has to have for its cost to come back.
const WORTH: usize = 8;

/// After so many batches that were gone through without spans it is tried again.
const TRY_AGAIN: u32 = 16;

/// Whether spans pay: they do not where other operations are between most stretches.
pub(super) struct Pay {
    /// Whether the detectors are such that they can.
    can: bool,
    /// Batches to go through without.
    without: u32,
    /// Of the current batch: spans begun, and stretches in them.
    begun: usize,
    stretches: usize,
    /// Batches have been gone through without, so nobody has told which locks are held.
    locks_changed: bool,
}

impl Pay {
    /// Spans for these detectors.
    pub(super) fn new(specs: &[&'static Spec]) -> Self {
        let can = !specs.is_empty() && specs.iter().all(|spec| spec.uses.waits && spec.uses.full);
        Self { can, without: 0, begun: 0, stretches: 0, locks_changed: false }
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
        if self.begun * WORTH > self.stretches {
            self.without = TRY_AGAIN;
        }
        (self.begun, self.stretches) = (0, 0);
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
            self.pay.stretches += count;
            if count > 0 {
                let end = heads[next + count - 1].end();
                self.show_span(&all[before..end], events, symbols);
                (next, before) = (next + count, end);
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
        Ok(())
    }

    /// Takes in the operations of the next stretches, as long as they are plain locks and blocks and no set of locks is new
    /// (what is noted about one could be told too early). `before` accesses of the batch come before them.
    fn take_in_span(&mut self, heads: &[Head], before: usize, symbols: &Symbols) -> Result<(), Malformed> {
        self.spans.begin();
        let mut start = before;
        let mut done = Ok(());
        for head in heads.iter().take(LONGEST) {
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
                    if !known || held.all != held.exclusive {
                        break;
                    }
                    let checked = self.checker.plain_acquire(event, lock, symbols);
                    self.holders.acquire(thread, lock, event.site, &mut self.sets);
                    self.spans.take(thread, self.holders.locks(thread));
                    self.full.acquire(thread, lock);
                    checked
                }
                Op::Release { lock, mode: Mode::Exclusive } => {
                    if !self.spans.is_last(thread, lock) {
                        break;
                    }
                    let checked = self.checker.plain_release(event, lock, symbols);
                    self.holders.release(thread, lock, &mut self.sets);
                    self.spans.give(thread);
                    self.full.release(thread, lock);
                    checked
                }
                _ => break,
            };
            if let Err(reason) = checked {
                let event = self.events + u64::from(self.spans.events()) + 1;
                done = Err(Malformed { event, reason });
                break;
            }
            self.spans.stretch(thread, self.holders.held(thread), operation, end - start, &self.full);
            start = end;
        }
        self.events += u64::from(self.spans.events());
        done
    }

    /// Shows a span that was taken in, of which these are the accesses, after so many events.
    fn show_span(&mut self, accesses: &[Access], events: u64, symbols: &Symbols) {
        let end = Now {
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
            number: events,
            first: events,
            address: 0,
        };
        let mut span = Span { accesses, spans: &self.spans, end, locks: Vec::new() };
        for Running { spec, detector, .. } in &mut self.running {
            self.out.turn_to(spec.name);
            detector.span(&mut span, &mut self.out);
        }
    }
}
