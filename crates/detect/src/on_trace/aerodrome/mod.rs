//! Atomicity of the observed run: was it as if every block had happened as a whole?
//!
//! The question is conflict serialisability (Flanagan, Freund, Yi, *Velodrome*, PLDI 2008; Mathur, Viswanathan,
//! *Atomicity checking in linear time using vector clocks*, ASPLOS 2020). A **transaction** is one execution of a
//! thread's outermost block, blocks inside it included; `wait` in a block ends the transaction, and a new one begins
//! after it. An operation outside all blocks is a transaction of its own, which is never reported but conveys order.
//! Transactions are nodes of a graph with an edge from the earlier to the later one for
//! - program order,
//! - two accesses of one variable, plain or volatile, one of which writes,
//! - a release and a later acquire of one lock, unless both are in read mode (`wait` releases, waking up acquires),
//! - a fork and the child, the child and a join, a signal and a later observation of the same channel.
//!
//! The run is serialisable just when this graph has no cycle. The report comes at the very event that closes a cycle,
//! which is always one of a transaction that is still open; that one's block is the subject. Then the transaction is
//! cut in two before this event, which breaks every cycle through it, and the rest of the block is watched as a
//! transaction of its own. So every report is a real cycle of the run with at most such cuts, the first report of a
//! trace is exact without any, and the judge compares them all.
//!
//! How: not with the clocks of the paper but with their mirror image (`reach.rs`): for each open transaction the first
//! transaction of each thread that comes after it. AeroDrome's clocks say what comes before, must be pushed into
//! variables, locks and threads when a transaction ends, and see some cycles only then. Here a finished transaction
//! leaves nothing behind, and an access that meets only finished business costs two comparisons. The cost of an event
//! is constant then, and otherwise grows with the number of open transactions that matter; memory is 32 bytes a
//! variable and what open transactions reach.
//!
//! What it can miss: blocks that only another schedule would break (atomizer looks for those). When it is wrong:
//! accesses outside all synchronisation have no recorded order, so the trace's order of a data race may not be the
//! run's. A block that starts a thread and waits for its end is reported: it cannot happen as a whole.
//! `--paper` changes nothing.

mod reach;
mod stamps;
#[cfg(test)]
mod tests;

use events::{
    Access, BlockId, Event, Lock as LockRow, LockId, Mode, ObjectId, Op, OpSet, SiteId, Symbols, ThreadId,
    VarId,
};
use findings::{Act, Confidence, Role, Rule};
use rustc_hash::FxHashMap;

use self::reach::{Edge, NO_SITE, Reach, Stamp};
use self::stamps::{Lock, Stamps, Vars};
use crate::detector::{At, Detector, Now, Options, Spec, Uses};
use crate::evidence::{Details, Evidence, Out, StepAt, Subject, Target, act_of};
use crate::shared::lockset::LockSet;
use crate::shared::vars::VarState;

/// The serialisability detector.
pub static SPEC: Spec = Spec {
    name: "aerodrome",
    about: "non-atomic blocks: other threads' operations came into the middle in this very run",
    explain: "A run is serialisable if its blocks might as well have happened one after the other, each as a whole. The \
detector orders blocks by what they do to the same variables, locks and threads; if a block comes both before and after \
another thread's work, the run is not serialisable and the block is reported, with the operations that came in between \
(conflict serialisability as in Velodrome, in linear time as in AeroDrome).\n\
\n\
It judges the observed run only: there is no false alarm for it, but a block that just happened not to be disturbed is \
not reported; atomizer looks for those. Where a variable is used without any synchronisation, the order of the accesses \
in the trace is taken for that of the run, which it need not be. A block that starts a thread and waits for its end is \
reported, as it cannot happen as a whole.\n\
\n\
A block inside another belongs to the outer one. wait() ends a block and begins a new one. After a report the rest of \
the block is watched as a block of its own.",
    rules: &[Rule::NonAtomic],
    ops: OpSet::ACCESS
        .and(OpSet::VOLATILE)
        .and(OpSet::LOCK)
        .and(OpSet::WAIT)
        .and(OpSet::SIGNAL)
        .and(OpSet::THREAD)
        .and(OpSet::BLOCK)
        .and(OpSet::FREE),
    uses: Uses { full: false, hand_over: false, history: false, ..Uses::NONE },
    new: |_: &Options| Box::<Aerodrome>::default(),
};

/// What a thread is in the middle of.
#[derive(Clone, Debug)]
struct Thread {
    /// How many blocks are open.
    depth: u32,
    /// The outermost one.
    block: BlockId,
    /// Where it was entered.
    entered: Stamp,
    /// The thread's last operation.
    last: Stamp,
}

/// The state of the detector.
#[derive(Default)]
struct Aerodrome {
    reach: Reach,
    vars: Vars,
    threads: Vec<Thread>,
    locks: Vec<Lock>,
    lock_of: FxHashMap<ObjectId, LockId>,
    channels: Vec<Stamps>,
    /// Kept for its room.
    sources: Vec<Stamp>,
}

impl Detector for Aerodrome {
    fn operation(&mut self, event: &Event, now: &mut Now<'_>, out: &mut Out) {
        let mut stamp = self.stamp(now);
        stamp.site = event.site.0;
        self.synchronise(&mut stamp, now.at_operation(event), now, out);
        self.threads[now.thread.index()].last = stamp;
    }

    fn accesses(&mut self, accesses: &[Access], now: &mut Now<'_>, out: &mut Out) {
        let thread = now.thread.0;
        let mut stamp = self.stamp(now);
        for access in accesses {
            stamp.site = access.site().0;
            let row = self.vars.at(access.var);
            if row.is_plain(thread, &self.reach) {
                row.put(stamp, access.writes());
            } else {
                self.access(access.var, access.writes(), &mut stamp, now.at(access), now, out);
            }
        }
        self.threads[thread as usize].last = stamp;
    }

    fn vars(&mut self, each: &mut dyn FnMut(&mut dyn VarState)) {
        each(&mut self.vars);
    }
}

impl Aerodrome {
    /// The stamp of what the thread does now; where it does it is left open.
    #[inline(always)]
    fn stamp(&mut self, now: &Now<'_>) -> Stamp {
        if self.threads.len() < now.symbols.threads.len() {
            self.grow(now.symbols);
        }
        let thread = now.thread.0;
        Stamp { thread, number: self.reach.number(thread), site: NO_SITE, locks: now.held.all.0 }
    }

    #[cold]
    fn grow(&mut self, symbols: &Symbols) {
        self.reach.grow(symbols.threads.len());
        let fresh = Thread { depth: 0, block: BlockId(0), entered: Stamp::NONE, last: Stamp::NONE };
        self.threads.resize(self.reach.len(), fresh);
    }

    #[inline(never)]
    fn access(
        &mut self,
        var: VarId,
        write: bool,
        stamp: &mut Stamp,
        at: At,
        now: &mut Now<'_>,
        out: &mut Out,
    ) {
        self.vars.sources(var, write, stamp.thread, &self.reach, &mut self.sources);
        if !self.sources.is_empty() {
            self.take(stamp, Some(Target::Variable(var)), at, now, out);
        }
        self.vars.put(var, write, *stamp, &self.reach);
    }

    fn synchronise(&mut self, stamp: &mut Stamp, at: At, now: &mut Now<'_>, out: &mut Out) {
        match at.event.op {
            Op::VolatileRead { var, .. } => self.access(var, false, stamp, at, now, out),
            Op::VolatileWrite { var, .. } => self.access(var, true, stamp, at, now, out),
            Op::Acquire { lock, mode, .. } => self.acquire(lock, mode, stamp, at, now, out),
            Op::Woken { lock } => self.acquire(lock, Mode::Exclusive, stamp, at, now, out),
            Op::Release { lock, mode } => self.release(lock, mode, *stamp, now.symbols),
            Op::Wait { lock } => {
                self.release(lock, Mode::Exclusive, *stamp, now.symbols);
                if self.threads[stamp.thread as usize].depth > 0 {
                    self.reach.finish(stamp.thread);
                    self.reach.begin(stamp.thread);
                    stamp.number = self.reach.number(stamp.thread);
                }
            }
            Op::Signal { on } | Op::Observe { on } if now.symbols.is_initialisation(on) => {}
            Op::Signal { on } => {
                if self.channels.len() <= on.index() {
                    self.channels.resize_with(on.index() + 1, Stamps::default);
                }
                self.channels[on.index()].put(*stamp, &self.reach);
            }
            Op::Observe { on } => {
                if let Some(signals) = self.channels.get(on.index()) {
                    signals.sources(stamp.thread, &self.reach, &mut self.sources);
                    self.take(stamp, None, at, now, out);
                }
            }
            Op::Fork { child } if self.reach.concerns(*stamp, child.0) => {
                let first = Stamp { thread: child.0, ..Stamp::NONE };
                self.reach.add(*stamp, first, None, &mut true);
            }
            Op::Join { child } => {
                let number = self.reach.number(child.0);
                let last = Stamp { thread: child.0, number, ..self.threads[child.index()].last };
                if self.reach.concerns(last, stamp.thread) {
                    self.sources.push(last);
                    self.take(stamp, None, at, now, out);
                }
            }
            Op::Begin { block } => self.begin(block, stamp),
            Op::Finish { .. } => {
                let thread = &mut self.threads[stamp.thread as usize];
                thread.depth = thread.depth.saturating_sub(1);
                if thread.depth == 0 {
                    self.reach.finish(stamp.thread);
                    stamp.number = self.reach.number(stamp.thread);
                }
            }
            Op::End => {
                // Whatever it left open, it can close no cycle any more.
                self.threads[stamp.thread as usize].depth = 0;
                self.reach.finish(stamp.thread);
                stamp.number = self.reach.number(stamp.thread);
            }
            Op::Free { object } => {
                if let Some(lock) = self.lock_of.remove(&object) {
                    self.locks[lock.index()] = Lock::FRESH;
                }
            }
            _ => {}
        }
    }

    fn begin(&mut self, block: BlockId, stamp: &mut Stamp) {
        let thread = &mut self.threads[stamp.thread as usize];
        thread.depth += 1;
        if thread.depth == 1 {
            self.reach.begin(stamp.thread);
            stamp.number = self.reach.number(stamp.thread);
            thread.block = block;
            thread.entered = *stamp;
        }
    }

    fn acquire(
        &mut self,
        lock: LockId,
        mode: Mode,
        stamp: &mut Stamp,
        at: At,
        now: &mut Now<'_>,
        out: &mut Out,
    ) {
        let Some(row) = self.locks.get(lock.index()) else { return };
        if self.reach.concerns(row.alone, stamp.thread) {
            self.sources.push(row.alone);
        }
        if mode == Mode::Exclusive {
            row.readers.sources(stamp.thread, &self.reach, &mut self.sources);
        }
        if !self.sources.is_empty() {
            self.take(stamp, Some(Target::Lock(lock)), at, now, out);
        }
    }

    fn release(&mut self, lock: LockId, mode: Mode, stamp: Stamp, symbols: &Symbols) {
        if self.locks.len() <= lock.index() {
            self.grow_locks(symbols);
        }
        let row = &mut self.locks[lock.index()];
        match mode {
            Mode::Exclusive => {
                row.alone = stamp;
                row.readers.clear();
            }
            Mode::Read => row.readers.put(stamp, &self.reach),
        }
    }

    #[cold]
    fn grow_locks(&mut self, symbols: &Symbols) {
        for (id, row) in symbols.locks.iter().skip(self.locks.len()) {
            if let LockRow::Of(object) = *row {
                self.lock_of.insert(object, id);
            }
        }
        self.locks.resize(symbols.locks.len(), Lock::FRESH);
    }

    /// Adds the edges from all that is in `sources` into the operation at hand; first it cuts the transaction if one
    /// of them closes a cycle.
    fn take(&mut self, stamp: &mut Stamp, target: Option<Target>, at: At, now: &mut Now<'_>, out: &mut Out) {
        let closing = self
            .sources
            .iter()
            .rev()
            .find_map(|&source| self.reach.closes(source, stamp.thread).map(|how| (source, how)));
        if let Some((source, how)) = closing {
            self.report(source, how, *stamp, target, at, now, out);
            self.reach.finish(stamp.thread);
            self.reach.begin(stamp.thread);
            stamp.number = self.reach.number(stamp.thread);
        }
        let mut fresh = true;
        for i in 0..self.sources.len() {
            self.reach.add(self.sources[i], *stamp, target, &mut fresh);
        }
        stamp.number = self.reach.number(stamp.thread);
        self.sources.clear();
        #[cfg(debug_assertions)]
        self.reach.check();
    }

    #[cold]
    #[allow(clippy::too_many_arguments, reason = "the whole situation goes into the report")]
    fn report(
        &self,
        last: Stamp,
        first: Edge,
        here: Stamp,
        target: Option<Target>,
        at: At,
        now: &mut Now<'_>,
        out: &mut Out,
    ) {
        let thread = &self.threads[here.thread as usize];
        let subject = Subject::Block(thread.block);
        if !out.wants(Rule::NonAtomic, &subject, now) {
            return;
        }
        let mut steps = Vec::new();
        let mut step = |stamp: Stamp, role, target, act, note: &str| {
            if stamp.site != NO_SITE {
                let (thread, site) = (ThreadId(stamp.thread), SiteId(stamp.site));
                let step = StepAt::new(thread, site, role, target, LockSet(stamp.locks));
                steps.push(StepAt { act, note: note.to_owned(), ..step });
            }
        };
        // Where a lock makes the order, the earlier one gives it up and the later one takes it. How a variable was used
        // is not kept.
        let by_lock = |target: Option<Target>, act| matches!(target, Some(Target::Lock(_))).then_some(act);
        step(thread.entered, Role::BlockEntered, None, None, "");
        if first.from.thread == here.thread {
            let act = by_lock(first.target, Act::Release);
            step(first.from, Role::Commit, first.target, act, "the other thread's work comes after this");
        }
        let same = (first.to.site, first.to.thread) == (last.site, last.thread);
        if !same {
            let (act, note) =
                (by_lock(first.target, Act::Acquire), "comes after what the block has done so far");
            step(first.to, Role::Interference, first.target, act, note);
        }
        step(last, Role::Interference, target, by_lock(target, Act::Release), "comes in between");
        step(here, Role::Violation, target, act_of(at.event.op), "comes after the other thread's work");
        let what = if matches!(at.event.op, Op::Join { .. }) {
            "A block that starts a thread and waits for its end cannot happen as a whole: move the start or the join \
             out of it, or do not ask for its atomicity."
        } else {
            "Let one lock be held for the whole block and wherever the same data is used, or do not ask for its \
             atomicity."
        };
        let evidence = Evidence {
            rule: Rule::NonAtomic,
            subject,
            confidence: Confidence::High,
            message: "{} did not happen as a whole: another thread's work came in between".to_owned(),
            steps,
            notes: vec![
                "In this run the other thread's work comes after one part of the block and before another, so in no \
                 order of whole blocks would every operation have seen what it saw."
                    .to_owned(),
                what.to_owned(),
            ],
            details: Details { advice: what.to_owned(), ..Details::default() },
        };
        out.add(evidence, Some(at), now);
    }
}
