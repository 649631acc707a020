//! Checks that a trace is one that a run can have made.
//!
//! What must hold, for the order in which a [`Source`](crate::Source) yields the events:
//! - a lock is held by one thread exclusively or by any number in read mode; only its holder releases it, in the mode
//!   in which it was taken; a thread that holds a lock already re-enters it and leaves it as often; only an exclusive
//!   holder waits, and it is woken when the lock is free;
//! - a thread runs no event before its fork, after its end, after somebody joined it, or while it waits; `start` is its
//!   first event; nobody forks or joins itself;
//! - blocks nest: a thread leaves the block that it entered last;
//! - every operand is in the symbol tables.
//!
//! What is *not* required: locks may be held and blocks be open at the end (a run may be cut off), threads need no fork,
//! `start` or `end`, a thread that never ran may be joined. Nothing is said about the order of accesses, which a trace
//! does not know.
//!
//! Whoever checks event by event may leave accesses out unless the thread has changed: see [`Checker::event`].

use std::fmt;

use crate::error::quote;
use crate::{BlockId, Event, LockId, Mode, Op, Symbols, ThreadId};

/// A trace that no run can have made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Malformed {
    /// The event, counted from 1.
    pub event: u64,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "event {}: {}", self.event, self.reason)
    }
}

impl std::error::Error for Malformed {}

const NOBODY: ThreadId = ThreadId(u32::MAX);

/// Where a thread stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Stage {
    /// Nothing is known of it.
    #[default]
    New,
    /// It was forked and has not run yet.
    Forked,
    /// It runs.
    Running,
    /// It waits on a lock that it had entered so many times.
    Waiting(LockId, u32),
    /// It recorded its end.
    Ended,
    /// Somebody has waited for its end.
    Joined,
}

#[derive(Clone, Debug, Default)]
struct ThreadState {
    stage: Stage,
    /// The blocks that it is in, innermost last.
    open: Vec<BlockId>,
}

#[derive(Clone, Debug)]
struct LockState {
    /// Who holds it exclusively, and how often it has been entered again.
    owner: ThreadId,
    again: u32,
    /// Who holds it in read mode, and how often each has entered it again.
    readers: Vec<(ThreadId, u32)>,
}

impl LockState {
    const FREE: LockState = LockState { owner: NOBODY, again: 0, readers: Vec::new() };

    /// Who keeps others from taking it in this mode.
    fn holder(&self, mode: Mode) -> Option<ThreadId> {
        match self.owner {
            NOBODY if mode == Mode::Exclusive => self.readers.first().map(|reader| reader.0),
            NOBODY => None,
            owner => Some(owner),
        }
    }

    fn reader(&self, thread: ThreadId) -> Option<usize> {
        self.readers.iter().position(|&(reader, _)| reader == thread)
    }

    /// How often the thread has entered the lock again, if it holds it.
    fn again(&mut self, thread: ThreadId) -> Option<&mut u32> {
        if self.owner == thread {
            return Some(&mut self.again);
        }
        let reader = self.reader(thread)?;
        Some(&mut self.readers[reader].1)
    }
}

/// Checks a trace while it is read.
pub struct Checker {
    threads: Vec<ThreadState>,
    locks: Vec<LockState>,
    /// The thread of the last event, if it may go on.
    last: ThreadId,
    events: u64,
}

impl Default for Checker {
    fn default() -> Self {
        Self { threads: Vec::new(), locks: Vec::new(), last: NOBODY, events: 0 }
    }
}

impl Checker {
    /// Checks the next events, their operands included.
    pub fn batch(&mut self, events: &[Event], symbols: &Symbols) -> Result<(), Malformed> {
        self.grow(symbols);
        for event in events {
            self.events += 1;
            let checked = known(event, symbols).and_then(|()| self.event(event, symbols));
            checked.map_err(|reason| Malformed { event: self.events, reason })?;
        }
        Ok(())
    }

    /// Makes room for the threads and locks there are; must come before [`event`](Self::event).
    pub fn grow(&mut self, symbols: &Symbols) {
        self.threads.resize_with(symbols.threads.len().max(self.threads.len()), ThreadState::default);
        self.locks.resize(symbols.locks.len().max(self.locks.len()), LockState::FREE);
    }

    /// Checks one event whose operands are known to be in the tables, as those of a [`Source`](crate::Source) are.
    /// A plain access needs no check if the event before it was one of the same thread.
    #[inline]
    pub fn event(&mut self, event: &Event, symbols: &Symbols) -> Result<(), String> {
        if self.goes_on_plainly(event.thread) && self.is_plain(event) {
            return Ok(());
        }
        self.step(event, symbols)
    }

    /// Checks an outermost acquire in exclusive mode: the same as [`event`](Self::event), without a look at the kind.
    #[inline(always)]
    pub fn plain_acquire(&mut self, event: &Event, lock: LockId, symbols: &Symbols) -> Result<(), String> {
        let held = &mut self.locks[lock.index()];
        if held.owner == NOBODY
            && held.readers.is_empty()
            && self.threads[event.thread.index()].stage == Stage::Running
        {
            held.owner = event.thread;
            self.last = event.thread;
            return Ok(());
        }
        self.step(event, symbols)
    }

    /// Checks a release in exclusive mode, likewise.
    #[inline(always)]
    pub fn plain_release(&mut self, event: &Event, lock: LockId, symbols: &Symbols) -> Result<(), String> {
        let held = &mut self.locks[lock.index()];
        // Whoever holds a lock runs.
        if held.owner == event.thread && held.again == 0 {
            held.owner = NOBODY;
            self.last = event.thread;
            return Ok(());
        }
        self.step(event, symbols)
    }

    /// Checks the beginning of a block, likewise.
    #[inline(always)]
    pub fn plain_begin(&mut self, event: &Event, block: BlockId, symbols: &Symbols) -> Result<(), String> {
        if self.goes_on_plainly(event.thread) {
            self.threads[event.thread.index()].open.push(block);
            return Ok(());
        }
        self.step(event, symbols)
    }

    /// Checks the end of a block, likewise.
    #[inline(always)]
    pub fn plain_finish(&mut self, event: &Event, block: BlockId, symbols: &Symbols) -> Result<(), String> {
        if self.goes_on_plainly(event.thread) && self.closes(event.thread, block) {
            return Ok(());
        }
        self.step(event, symbols)
    }

    /// How many blocks a thread is in.
    pub fn open_blocks(&self, thread: ThreadId) -> usize {
        self.threads.get(thread.index()).map_or(0, |thread| thread.open.len())
    }

    /// Whether a thread ends the block that it has begun last.
    #[inline(always)]
    fn closes(&mut self, thread: ThreadId, block: BlockId) -> bool {
        self.threads[thread.index()].open.pop_if(|last| *last == block).is_some()
    }

    /// Whether the thread ran before and may go on.
    #[inline(always)]
    fn goes_on_plainly(&mut self, thread: ThreadId) -> bool {
        if thread == self.last {
            return true;
        }
        let runs = self.threads[thread.index()].stage == Stage::Running;
        if runs {
            self.last = thread;
        }
        runs
    }

    /// Checks what must hold at the end: nothing more, since a run may be cut off anywhere.
    pub fn finish(&mut self, _symbols: &Symbols) -> Result<(), Malformed> {
        Ok(())
    }

    /// The frequent cases in which nothing can be wrong, taken off [`step`](Self::step). The thread goes on.
    #[inline(always)]
    fn is_plain(&mut self, event: &Event) -> bool {
        match event.op {
            Op::Read { .. } | Op::Write { .. } => {}
            Op::Acquire { lock, mode: Mode::Exclusive, .. } => match self.locks.get_mut(lock.index()) {
                Some(held) if held.owner == NOBODY && held.readers.is_empty() => held.owner = event.thread,
                _ => return false,
            },
            Op::Release { lock, mode: Mode::Exclusive } => match self.locks.get_mut(lock.index()) {
                Some(held) if held.owner == event.thread && held.again == 0 => held.owner = NOBODY,
                _ => return false,
            },
            Op::Begin { block } => self.threads[event.thread.index()].open.push(block),
            Op::Finish { block } => return self.closes(event.thread, block),
            _ => return false,
        }
        true
    }

    #[inline(never)]
    fn step(&mut self, event: &Event, symbols: &Symbols) -> Result<(), String> {
        let me = event.thread;
        if self.threads[me.index()].stage != Stage::Running {
            let was_waiting = matches!(self.threads[me.index()].stage, Stage::Waiting(..));
            self.goes_on(me, event.op, symbols)?;
            if was_waiting {
                self.last = me;
                return Ok(());
            }
        } else if event.op == Op::Start {
            return Err(format!("{} starts although it has run already", name(symbols, me)));
        }
        self.last = me;
        match event.op {
            Op::Acquire { lock, mode, .. } => self.acquire(me, lock, mode, symbols),
            Op::Release { lock, mode } => self.release(me, lock, mode, symbols),
            Op::Reenter { lock } => match self.locks[lock.index()].again(me) {
                Some(again) => {
                    *again = again.saturating_add(1);
                    Ok(())
                }
                None => Err(does(symbols, me, "re-enters", lock, "which it does not hold")),
            },
            Op::Reexit { lock } => match self.locks[lock.index()].again(me) {
                Some(0) => Err(does(symbols, me, "leaves", lock, "which it has not re-entered")),
                Some(again) => {
                    *again -= 1;
                    Ok(())
                }
                None => Err(does(symbols, me, "leaves", lock, "which it does not hold")),
            },
            Op::Wait { lock } => {
                let held = &mut self.locks[lock.index()];
                if held.owner != me {
                    return Err(does(symbols, me, "waits on", lock, "which it does not hold exclusively"));
                }
                self.threads[me.index()].stage = Stage::Waiting(lock, held.again);
                *held = LockState::FREE;
                self.last = NOBODY;
                Ok(())
            }
            Op::Woken { lock } => Err(does(symbols, me, "is woken on", lock, "on which it does not wait")),
            Op::Fork { child } => self.fork(me, child, symbols),
            Op::Join { child } if child == me => Err(format!("{} joins itself", name(symbols, me))),
            Op::Join { child } => {
                if let Stage::Waiting(lock, _) = self.threads[child.index()].stage {
                    let (me, child, lock) = (name(symbols, me), name(symbols, child), named(symbols, lock));
                    return Err(format!("{me} joins {child}, which waits on {lock}"));
                }
                self.threads[child.index()].stage = Stage::Joined;
                Ok(())
            }
            Op::End => {
                self.threads[me.index()].stage = Stage::Ended;
                self.last = NOBODY;
                Ok(())
            }
            Op::Begin { block } => {
                self.threads[me.index()].open.push(block);
                Ok(())
            }
            Op::Finish { block } => match self.threads[me.index()].open.pop() {
                Some(innermost) if innermost == block => Ok(()),
                innermost => Err(finishes(symbols, me, block, innermost)),
            },
            _ => Ok(()),
        }
    }

    fn acquire(&mut self, me: ThreadId, lock: LockId, mode: Mode, symbols: &Symbols) -> Result<(), String> {
        let held = &mut self.locks[lock.index()];
        if held.owner == me || held.reader(me).is_some() {
            return Err(does(symbols, me, "acquires", lock, "which it holds already (that is `reenter`)"));
        }
        if let Some(holder) = held.holder(mode) {
            let why = format!("which {} holds", name(symbols, holder));
            return Err(does(symbols, me, "acquires", lock, &why));
        }
        match mode {
            Mode::Exclusive => held.owner = me,
            Mode::Read => held.readers.push((me, 0)),
        }
        Ok(())
    }

    fn release(&mut self, me: ThreadId, lock: LockId, mode: Mode, symbols: &Symbols) -> Result<(), String> {
        let held = &mut self.locks[lock.index()];
        let again = match mode {
            Mode::Exclusive if held.owner == me => held.again,
            Mode::Read if held.reader(me).is_some() => held.again(me).map_or(0, |again| *again),
            _ => {
                let why = match (held.again(me), mode) {
                    (None, _) => "which it does not hold",
                    (Some(_), Mode::Exclusive) => "which it holds in read mode",
                    (Some(_), Mode::Read) => "which it holds exclusively",
                };
                return Err(does(symbols, me, "releases", lock, why));
            }
        };
        if again > 0 {
            return Err(does(symbols, me, "releases", lock, "which it has re-entered and not left"));
        }
        match mode {
            Mode::Exclusive => held.owner = NOBODY,
            Mode::Read => held.readers.retain(|&(reader, _)| reader != me),
        }
        Ok(())
    }

    fn fork(&mut self, me: ThreadId, child: ThreadId, symbols: &Symbols) -> Result<(), String> {
        let state = &mut self.threads[child.index()];
        let why = match state.stage {
            _ if child == me => return Err(format!("{} forks itself", name(symbols, me))),
            Stage::New => {
                state.stage = Stage::Forked;
                return Ok(());
            }
            Stage::Forked => "was forked already",
            Stage::Joined => "was joined already",
            Stage::Running | Stage::Waiting(..) | Stage::Ended => "has run already",
        };
        Err(format!("{} forks {}, which {why}", name(symbols, me), name(symbols, child)))
    }

    /// A thread that is not running makes an operation: its first one, or the end of its waiting.
    fn goes_on(&mut self, me: ThreadId, op: Op, symbols: &Symbols) -> Result<(), String> {
        let stage = &mut self.threads[me.index()].stage;
        let why = match *stage {
            Stage::New | Stage::Forked | Stage::Running => {
                *stage = Stage::Running;
                return Ok(());
            }
            Stage::Waiting(lock, again) if op == (Op::Woken { lock }) => {
                let held = &mut self.locks[lock.index()];
                if let Some(holder) = held.holder(Mode::Exclusive) {
                    let why = format!("which {} holds", name(symbols, holder));
                    return Err(does(symbols, me, "is woken on", lock, &why));
                }
                *stage = Stage::Running;
                (held.owner, held.again) = (me, again);
                return Ok(());
            }
            Stage::Waiting(lock, _) => format!("waits on {}", named(symbols, lock)),
            Stage::Ended => "has ended".to_owned(),
            Stage::Joined => "was joined".to_owned(),
        };
        Err(format!("{} goes on although it {why}", name(symbols, me)))
    }
}

/// Whether the tables know every operand.
fn known(event: &Event, symbols: &Symbols) -> Result<(), String> {
    let unknown = |what: &str, id: u32| Err(format!("{what} number {id} is not in the trace's tables"));
    if event.thread.index() >= symbols.threads.len() {
        return unknown("thread", event.thread.0);
    }
    if event.site.index() >= symbols.sites.len() {
        return unknown("site", event.site.0);
    }
    let (what, id, rows) = match event.op {
        Op::Read { var }
        | Op::Write { var }
        | Op::VolatileRead { var, .. }
        | Op::VolatileWrite { var, .. } => ("variable", var.0, symbols.variables().len()),
        Op::Flow { flow, .. } => ("flow", flow.0, symbols.flows.len()),
        Op::Acquire { lock, .. }
        | Op::Release { lock, .. }
        | Op::Reenter { lock }
        | Op::Reexit { lock }
        | Op::Wait { lock }
        | Op::Woken { lock } => ("lock", lock.0, symbols.locks.len()),
        Op::Signal { on } | Op::Observe { on } => ("channel", on.0, symbols.channels.len()),
        Op::Fork { child } | Op::Join { child } => ("thread", child.0, symbols.threads.len()),
        Op::Begin { block } | Op::Finish { block } => ("block", block.0, symbols.blocks.len()),
        Op::Freeze { object } | Op::Free { object } => ("object", object.0, symbols.objects().len()),
        Op::Mark { text } => ("string", text.0, symbols.strings().len()),
        Op::Start | Op::End => return Ok(()),
    };
    if (id as usize) < rows { Ok(()) } else { unknown(what, id) }
}

#[cold]
fn name(symbols: &Symbols, thread: ThreadId) -> String {
    quote(symbols.str(symbols.threads.get(thread).name))
}

#[cold]
fn named(symbols: &Symbols, lock: LockId) -> String {
    quote(&symbols.lock_name(lock))
}

#[cold]
fn does(symbols: &Symbols, thread: ThreadId, verb: &str, lock: LockId, why: &str) -> String {
    format!("{} {verb} {}, {why}", name(symbols, thread), named(symbols, lock))
}

#[cold]
fn finishes(symbols: &Symbols, thread: ThreadId, block: BlockId, innermost: Option<BlockId>) -> String {
    let block_name = |id: BlockId| quote(symbols.str(symbols.blocks.get(id).name));
    let why = match innermost {
        Some(innermost) => format!("but is in {}", block_name(innermost)),
        None => "but is in no block".to_owned(),
    };
    format!("{} finishes {}, {why}", name(symbols, thread), block_name(block))
}
