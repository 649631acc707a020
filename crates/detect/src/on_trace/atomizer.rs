//! Blocks that are not atomic, by reduction: Flanagan and Freund, *Atomizer: a dynamic atomicity checker for
//! multithreaded programs* (2008), section 4 in full.
//!
//! A block is atomic if its operations can be moved together: right-movers, at most one non-mover, left-movers. The
//! first left-mover or non-mover is its *commit*; a right-mover or non-mover after it is the *violation*.
//!
//! | operation | moves |
//! |---|---|
//! | acquire | right; both ways if the lock is redundant: see `locks` |
//! | release | left; both ways likewise |
//! | re-entrant acquire, release | both ways (section 4.3) |
//! | read, write | both ways if lock sets protect it, else neither: see `variables` |
//! | volatile read, volatile write, atomic update | neither way; an update counts once, one that fails not at all |
//! | fork, signal | left, as a release |
//! | join, observe | right, as an acquire; both ways if what it waited for was there before the commit |
//! | wait | ends every open block; each opens again, before its commit, when the thread is woken |
//!
//! The paper is silent on the last four rows. Volatile operations and `wait` are decided in our specification. For
//! fork, join, signal and observe we take what the movers' definition says: nothing that another thread does can come
//! *before* because of a signal, only after it; and an observation moves to the left of everything but the signal that
//! it took. So a synchronized block that counts a latch down, hands work to a queue or touches a class that was
//! initialised long ago is no finding, and one that asks another thread for something and then waits for the answer is.
//!
//! Every open block has a phase of its own: nested blocks are each reported (`blocks`). One execution of a block is
//! reported once. Lock sets are refined outside blocks too.
//!
//! **Not** here: which blocks should be atomic. The trace says so with its block events.
//!
//! **Can miss**: an access counted as a both-mover before the lock set became empty is not counted again (the paper's
//! `doubleIt`; its next execution is found). The thread-local states forget what happened before a variable or lock
//! was shared.
//!
//! **Can be wrong**: blocks that are not reducible can be serialisable, and nothing says that another thread ever
//! comes in between; a block that starts a thread and waits for it contains that thread and is reported. The verdict
//! depends on the order in which the trace has unsynchronised accesses.
//!
//! By default a variable that is handed over by fork, join, volatile or signal starts afresh (the shared history's
//! generation). In the papers' mode it does not. The paper's own refinements are in both.

mod blocks;
mod locks;
mod report;
#[cfg(test)]
mod tests;
mod variables;

use events::{Access, ChannelId, Event, LockId, Mode, Op, OpSet, Slot, ThreadId, VarId};
use findings::Rule;

use self::blocks::{Blocks, Commit};
use self::locks::Locks;
use self::report::Breaks;
use self::variables::Variables;
use crate::shared::vars::VarState;
use crate::{At, Detector, Now, Options, Out, Spec, Uses};

/// What there is to know about the detector.
pub static SPEC: Spec = Spec {
    name: "atomizer",
    about: "non-atomic blocks: operations that cannot be moved together, so that others can come in between",
    explain: "\
A block that should be atomic must look to all other threads as if it happened at one moment. This detector checks \
each execution of such a block by Lipton's reduction (Flanagan and Freund, Atomizer, 2008): taking a lock can be put \
off, giving one up can be done earlier, and an access that a lock protects can be moved freely. If a block takes \
its locks, does at most one thing that cannot be moved, and gives its locks up, then it is atomic whatever the other \
threads do. The report shows where the block was entered, where it committed (the first step that others can see), \
and the later step that breaks it: between these two, other threads can act.

It finds a defect even if no thread came in between in this run. It can miss one: which lock protects a variable is \
learned while the program runs, and an access that was taken for protected is not looked at again when that turns out \
to be wrong; the next execution of the block is. Data and locks that only one thread uses, or that are handed over \
once, are not looked at.

Confidence is medium where both steps are about the same object, lock or variable: one other thread that touches it in \
between is enough. It is low where they are about different things: then another thread would have to touch both.

It can be wrong: a block may be harmless although its steps cannot be moved together, for example if it caches \
a value, checks a flag twice or starts a thread and waits for it. Volatile accesses and atomic updates that no lock \
protects cannot be moved; two of them in one block are reported.

With --paper, data that is handed over by starting or joining a thread, by a volatile variable or by a queue still \
counts as shared, and no volatile access can be moved, whatever locks are held. The paper's own refinements (re-entrant, thread-local and protected locks, write-protected data) are \
on in both modes.",
    rules: &[Rule::NonAtomic],
    ops: OpSet::ACCESS
        .and(OpSet::VOLATILE)
        .and(OpSet::LOCK)
        .and(OpSet::REENTER)
        .and(OpSet::WAIT)
        .and(OpSet::SIGNAL)
        .and(OpSet::THREAD)
        .and(OpSet::BLOCK),
    uses: Uses { full: false, hand_over: true, history: true, rests: true, once: true, ..Uses::NONE },
    new: |options| Box::new(Atomizer::new(options)),
};

/// How an operation moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mover {
    /// To the right of whatever other threads do, but not to the left of what happened at this tick.
    Right(u64),
    Left,
    Neither,
}

impl Mover {
    /// What it cannot move to the left of.
    fn latest(self) -> u64 {
        if let Mover::Right(tick) = self { tick } else { ALWAYS }
    }
}

/// Further to the left than anything.
const ALWAYS: u64 = u64::MAX;

#[derive(Clone, Default)]
struct Thread {
    blocks: Blocks,
    /// When it ended, if the trace says so.
    ended: Option<u64>,
}

/// The last signals on a channel.
#[derive(Clone, Copy, Default)]
struct Signals {
    /// The last of all, and who gave it.
    last: u64,
    by: u32,
    /// The last that another thread gave.
    other: u64,
}

struct Atomizer {
    variables: Variables,
    locks: Locks,
    threads: Vec<Thread>,
    channels: Vec<Signals>,
    /// Counts signals and ends of threads.
    tick: u64,
    reentrant: bool,
    /// Whether a lock can protect a volatile variable.
    volatiles_move: bool,
}

impl Atomizer {
    fn new(options: &Options) -> Self {
        Self {
            variables: Variables::new(options.refinements.write_protected),
            locks: Locks::new(options.refinements),
            threads: Vec::new(),
            channels: Vec::new(),
            tick: 0,
            reentrant: options.refinements.reentrant,
            volatiles_move: !options.paper,
        }
    }

    #[inline]
    fn thread(&mut self, thread: ThreadId) -> &mut Thread {
        if self.threads.len() <= thread.index() {
            self.threads.resize_with(thread.index() + 1, Thread::default);
        }
        &mut self.threads[thread.index()]
    }

    /// What an operation on a lock that the thread takes, or takes again, moves like.
    #[inline]
    fn takes(&mut self, lock: LockId, mode: Mode, now: &mut Now<'_>) -> Option<Mover> {
        (!self.redundant(lock, mode, now)).then_some(Mover::Right(ALWAYS))
    }

    #[inline]
    fn gives(&mut self, lock: LockId, mode: Mode, now: &mut Now<'_>) -> Option<Mover> {
        (!self.redundant(lock, mode, now)).then_some(Mover::Left)
    }

    #[inline]
    fn redundant(&mut self, lock: LockId, mode: Mode, now: &mut Now<'_>) -> bool {
        let held = now.held.protecting(mode == Mode::Exclusive);
        self.locks.operation(lock, now.thread, held, (now.sets, now.history))
    }

    fn volatile(&mut self, var: VarId, write: bool, now: &mut Now<'_>) -> Option<Mover> {
        let moves =
            self.volatiles_move && self.variables.volatile(var, now.thread, write, now.held, now.sets);
        (!moves).then_some(Mover::Neither)
    }

    fn signal(&mut self, on: ChannelId, me: ThreadId) {
        self.tick += 1;
        if self.channels.len() <= on.index() {
            self.channels.resize(on.index() + 1, Signals::default());
        }
        let signals = &mut self.channels[on.index()];
        if signals.by != me.0 {
            (signals.by, signals.other) = (me.0, signals.last);
        }
        signals.last = self.tick;
    }

    /// When another thread last signalled on a channel; 0 if none did.
    fn signalled(&self, on: ChannelId, me: ThreadId) -> u64 {
        let signals = self.channels.get(on.index()).copied().unwrap_or_default();
        if signals.by == me.0 { signals.other } else { signals.last }
    }

    /// An event that is no plain access.
    #[inline]
    fn step(&mut self, event: &Event, now: &mut Now<'_>, out: &mut Out) {
        let me = now.thread;
        let mover = match event.op {
            Op::Acquire { lock, mode, .. } => self.takes(lock, mode, now),
            Op::Release { lock, mode } => self.gives(lock, mode, now),
            Op::Reenter { .. } | Op::Reexit { .. } if self.reentrant => None,
            Op::Reenter { lock } => self.takes(lock, Mode::Exclusive, now),
            Op::Reexit { lock } => self.gives(lock, Mode::Exclusive, now),
            Op::Begin { block } => {
                let locks = now.held.all;
                self.thread(me).blocks.begin(block, event.site, locks);
                None
            }
            Op::Finish { block } => {
                self.thread(me).blocks.finish(block);
                None
            }
            Op::VolatileRead { update: true, .. } => None,
            Op::VolatileRead { var, .. } => self.volatile(var, false, now),
            Op::VolatileWrite { var, .. } => self.volatile(var, true, now),
            Op::Wait { lock } => {
                self.redundant(lock, Mode::Exclusive, now);
                self.thread(me).blocks.wait();
                None
            }
            Op::Woken { lock } => {
                self.redundant(lock, Mode::Exclusive, now);
                None
            }
            Op::Signal { on } | Op::Observe { on } if now.symbols.is_initialisation(on) => None,
            Op::Signal { on } => {
                self.signal(on, me);
                Some(Mover::Left)
            }
            Op::Observe { on } => Some(Mover::Right(self.signalled(on, me))),
            Op::Fork { .. } => Some(Mover::Left),
            Op::Join { child } => Some(Mover::Right(self.thread(child).ended.unwrap_or(ALWAYS))),
            Op::End => {
                self.tick += 1;
                self.thread(me).ended = Some(self.tick);
                None
            }
            _ => None,
        };
        if let Some(mover) = mover {
            self.moves(now.at_operation(event), mover, now, out);
        }
    }

    /// An operation that does not move both ways.
    #[inline]
    fn moves(&mut self, at: At, mover: Mover, now: &mut Now<'_>, out: &mut Out) {
        let tick = self.tick;
        let blocks = &self.thread(now.thread).blocks;
        if mover != Mover::Left && blocks.can_violate() {
            self.violate(at, mover, now, out);
        } else if mover != Mover::Left && blocks.has_doubts() {
            self.make_sure(at, mover, now, out);
        }
        let blocks = &mut self.thread(now.thread).blocks;
        if !matches!(mover, Mover::Right(_)) && blocks.can_commit() {
            let event = at.event;
            let label = report::label(event.op, now);
            blocks.commit(Commit { op: event.op, site: event.site, locks: now.held.all, tick, label });
        }
    }

    #[cold]
    fn violate(&mut self, at: At, mover: Mover, now: &mut Now<'_>, out: &mut Out) {
        self.make_sure(at, mover, now, out);
        let blocks = &mut self.threads[now.thread.index()].blocks;
        for number in blocks.violate(mover.latest()) {
            let open = blocks.get(number);
            let breaks = if report::is_about_its_commit(open, at.event.op, now) {
                Breaks::Surely
            } else {
                blocks.doubt(number);
                Breaks::Perhaps
            };
            report::violation(open, breaks, at, &self.variables, now, out);
        }
    }

    /// Blocks that something else has broken may be broken by what is about their commit too.
    #[cold]
    fn make_sure(&mut self, at: At, mover: Mover, now: &mut Now<'_>, out: &mut Out) {
        let blocks = &mut self.threads[now.thread.index()].blocks;
        for number in 0..blocks.reported() {
            let open = blocks.get(number);
            let before = open.commit.is_some_and(|commit| commit.tick < mover.latest());
            if open.doubted && before && report::is_about_its_commit(open, at.event.op, now) {
                blocks.is_certain(number);
                report::violation(open, Breaks::AfterAll, at, &self.variables, now, out);
            }
        }
    }
}

impl Detector for Atomizer {
    fn operation(&mut self, event: &Event, now: &mut Now<'_>, out: &mut Out) {
        self.step(event, now, out);
    }

    fn accesses(&mut self, accesses: &[Access], now: &mut Now<'_>, out: &mut Out) {
        let (me, held) = (now.thread, now.held);
        for access in accesses {
            if !self.variables.access(access.var, me, access.writes(), held, now.history, now.sets) {
                self.moves(now.at(access), Mover::Neither, now, out);
                // Of several elements the second comes after the first has committed.
                if matches!(now.variable(access.var).slot, Slot::Elements { count: 2.., .. }) {
                    self.moves(now.at(access), Mover::Neither, now, out);
                }
            }
        }
    }

    fn vars(&mut self, each: &mut dyn FnMut(&mut dyn VarState)) {
        self.variables.tables(each);
    }
}
