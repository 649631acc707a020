//! Stale values of the observed run: block-local atomicity (Artho, Havelund, Biere, *Using block-local atomicity to detect
//! stale-value concurrency errors*, ATVA 2004) on a trace. Only those flows are watched that the code says are possible;
//! the trace tells with `flow` events where such a value is read and where it is used.
//!
//! A `flow … read` speaks of the thread's last access, if that is a read: its value is shared if a lock was held then,
//! and belongs to the block of the lock taken last. The block ends when that lock is given up, by a release or by
//! `wait`. A use after that, the first one only, is **stale**. By default it is reported
//! - as *realised* if another thread wrote the variable between the two `flow` events: unless that write comes, in the
//!   hand-over order, after the first and before the second, for then it was meant to be there;
//! - as *possible* if another thread's write could have: it comes, in the hand-over order, neither before the first nor
//!   after the second event (nor between them), and no lock keeps it out that was held from the read to the use. Counted
//!   are writes from the first watched read of the variable on. A flow that the code takes for unlikely is not possible.
//!
//! `--paper` reports any use in another block than the innermost one of the read, and knows of no order but that of the
//! trace. Array elements are not watched. What is used outside of the flows of the code is missed.

use events::{Access, Event, FlowId, FlowKind, LockId, Op, OpSet, SiteId, Slot, ThreadId, VarId};
use findings::{Act, Confidence, Role, Rule};
use rustc_hash::FxHashMap;

use crate::shared::guard;
use crate::shared::held::Held;
use crate::shared::lockset::LockSets;
use crate::shared::order::{Epoch, Order};
use crate::shared::vars::VarState;
use crate::{At, Details, Detector, Evidence, Now, Out, Spec, StepAt, Subject, Target, Uses};

/// What `flow` is.
pub static SPEC: Spec = Spec {
    name: "flow",
    about: "values read under a lock and used after it was given up, in the observed run (block-local atomicity)",
    explain: "\
The check of the code (stale) says which values may be kept from one locked block to the next. A run with a plan that \
has these flows, as with --check, watches them and nothing else: where the value is read, where it is used. A use after \
the block of the read has ended is stale. If another thread wrote the variable in between, the value was out of date: \
such a finding is sure. If not, it is told only if some other thread's write could have come in between, for no lock \
that was held all the time and no start, join or signal kept it out.

With --paper every use in another block than that of the read is told (Artho, Havelund and Biere, 2004). Missed is what \
the code does not show as a flow, what flows through array elements or through calls that may mean several methods, \
and what this run did not do. Without a plan there is nothing to see.",
    rules: &[Rule::StaleValue],
    ops: OpSet::ACCESS.and(OpSet::FLOW).and(OpSet::LOCK).and(OpSet::WAIT).and(OpSet::VOLATILE),
    uses: Uses { hand_over: true, ..Uses::NONE },
    new: |options| {
        Box::new(Stale { paper: options.paper, threads: Vec::new(), followed: Followed::default() })
    },
};

/// The last access of a thread.
#[derive(Clone, Copy)]
struct Last {
    var: VarId,
    site: SiteId,
    write: bool,
    /// The lock taken last, and whether it was given up since.
    lock: Option<LockId>,
    ended: bool,
    /// The locks held then, and those of them that were never given up since.
    held: Held,
    kept: Held,
}

/// A write to a variable that is watched.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Write {
    epoch: Epoch,
    site: SiteId,
    held: Held,
}

/// A value that a thread has read and may use.
struct Value {
    flow: FlowId,
    read: Last,
    /// When it was read.
    epoch: Epoch,
    /// Writes of others that come neither before nor after the read.
    earlier: Vec<Write>,
    /// Another thread's write after it that is not ordered after it.
    between: Option<Write>,
    /// Of each thread the last write that is ordered after it.
    ordered: Vec<Write>,
}

/// A use of a value that nobody has written in between, so far.
struct Pending {
    flow: FlowId,
    read: Last,
    used: StepAt,
    /// When it was used.
    epoch: Epoch,
}

/// A variable that some flow has read.
#[derive(Default)]
struct Watched {
    /// The last write of each thread under each set of locks.
    writes: Vec<Write>,
    /// Threads with values of it that nobody is known to have overwritten.
    readers: Vec<(ThreadId, FlowId)>,
    pending: Vec<Pending>,
}

#[derive(Default)]
struct Followed {
    watched: FxHashMap<VarId, Watched>,
    /// Of each thread the values of which locks still tell something, and the others.
    open: Vec<Vec<Value>>,
    closed: Vec<Vec<Value>>,
    /// Lists of values that are gone.
    lists: Vec<(Vec<Write>, Vec<Write>)>,
}

/// What is known of a thread besides its values.
#[derive(Default)]
struct Thread {
    last: Option<Last>,
    /// Locks given up since the last access, while they are few: mostly nobody asks.
    given_up: Vec<LockId>,
}

/// So many locks are noted before they are looked at.
const FEW: usize = 16;

struct Stale {
    paper: bool,
    threads: Vec<Thread>,
    followed: Followed,
}

/// Grows a list so that it has a place for the thread.
fn at<T: Default>(list: &mut Vec<T>, thread: ThreadId) -> &mut T {
    if list.len() <= thread.index() {
        list.resize_with(thread.index() + 1, T::default);
    }
    &mut list[thread.index()]
}

/// Whether locks that one thread held all the time keep out what another did under its own.
fn keeps_out(kept: Held, other: Held, sets: &mut LockSets) -> bool {
    !sets.disjoint(kept.all, other.exclusive) || !sets.disjoint(kept.exclusive, other.all)
}

impl Last {
    /// A lock is given up.
    fn gives_up(&mut self, lock: LockId, sets: &mut LockSets) {
        self.ended |= self.lock == Some(lock);
        if sets.contains(self.kept.all, lock) {
            self.kept.all = sets.without(self.kept.all, lock);
            self.kept.exclusive = sets.without(self.kept.exclusive, lock);
        }
    }
}

impl Followed {
    fn find(&mut self, thread: ThreadId, flow: FlowId) -> Option<&mut Value> {
        let open = at(&mut self.open, thread).iter_mut();
        open.chain(at(&mut self.closed, thread)).find(|value| value.flow == flow)
    }

    fn take(&mut self, thread: ThreadId, flow: FlowId) -> Option<Value> {
        [at(&mut self.open, thread), at(&mut self.closed, thread)].into_iter().find_map(|list| {
            let found = list.iter().position(|value| value.flow == flow)?;
            Some(list.swap_remove(found))
        })
    }

    /// A value of a flow is there, in place of the one before.
    fn reads(&mut self, flow: FlowId, read: Last, thread: ThreadId, order: &Order) {
        self.drop(thread, flow);
        let watched = self.watched.entry(read.var).or_default();
        let others = watched.writes.iter().filter(|write| write.epoch.thread != thread);
        // The lists of a value that is gone: there is one of these for each read.
        let (mut earlier, ordered) = self.lists.pop().unwrap_or_default();
        earlier.extend(others.filter(|write| !order.before(write.epoch, thread)));
        watched.readers.push((thread, flow));
        let epoch = order.epoch(thread);
        let value = Value { flow, read, epoch, earlier, between: None, ordered };
        at(&mut self.open, thread).push(value);
    }

    fn drop(&mut self, thread: ThreadId, flow: FlowId) {
        if let Some(value) = self.leave(thread, flow) {
            self.give_back(value);
        }
    }

    fn leave(&mut self, thread: ThreadId, flow: FlowId) -> Option<Value> {
        let value = self.take(thread, flow)?;
        if let Some(watched) = self.watched.get_mut(&value.read.var) {
            watched.readers.retain(|reader| *reader != (thread, flow));
        }
        Some(value)
    }

    /// A use that nobody has written before, so far, in place of the one before.
    fn pends(&mut self, pending: Pending) {
        let watched = self.watched.entry(pending.read.var).or_default();
        let same = |old: &&mut Pending| {
            let thread = old.epoch.thread == pending.epoch.thread;
            old.flow == pending.flow && thread && old.read.kept == pending.read.kept
        };
        match watched.pending.iter_mut().find(same) {
            Some(old) => *old = pending,
            None => watched.pending.push(pending),
        }
    }

    /// Nobody needs the value any more.
    fn give_back(&mut self, Value { mut earlier, mut ordered, .. }: Value) {
        earlier.clear();
        ordered.clear();
        if self.lists.len() < FEW {
            self.lists.push((earlier, ordered));
        }
    }

    /// A lock is given up.
    fn gives_up(&mut self, thread: ThreadId, lock: LockId, sets: &mut LockSets) {
        let open = at(&mut self.open, thread);
        let mut next = 0;
        while let Some(value) = open.get_mut(next) {
            value.read.gives_up(lock, sets);
            if value.read.ended && value.read.kept.all.is_empty() {
                let value = open.swap_remove(next);
                at(&mut self.closed, thread).push(value);
            } else {
                next += 1;
            }
        }
    }

    /// A watched variable is written. The uses that this could have come before, with their flows.
    fn writes(&mut self, var: VarId, write: Write, now: &mut Now<'_>) -> Vec<Pending> {
        let me = write.epoch.thread;
        let Some(watched) = self.watched.get_mut(&var) else { return Vec::new() };
        let mut readers = std::mem::take(&mut watched.readers);
        let mut pending = std::mem::take(&mut watched.pending);
        let same = |old: &&mut Write| old.epoch.thread == me && old.held == write.held;
        match watched.writes.iter_mut().find(same) {
            Some(old) => *old = write,
            None => watched.writes.push(write),
        }
        readers.retain(|&(thread, flow)| {
            let Some(value) = self.find(thread, flow) else { return false };
            if thread == me {
                return true;
            }
            if !now.hand_over.before(value.epoch, me) {
                value.between = Some(write);
                return false;
            }
            match value.ordered.iter_mut().find(|old| old.epoch.thread == me) {
                Some(old) => *old = write,
                None => value.ordered.push(write),
            }
            true
        });
        let could = |one: &mut Pending| {
            one.epoch.thread != me
                && !now.hand_over.before(one.epoch, me)
                && !keeps_out(one.read.kept, write.held, now.sets)
        };
        let found = pending.extract_if(.., could).collect();
        if let Some(watched) = self.watched.get_mut(&var) {
            (watched.readers, watched.pending) = (readers, pending);
        }
        found
    }
}

impl VarState for Followed {
    fn grow(&mut self, _n: usize) {}

    fn forget(&mut self, var: VarId) {
        if self.watched.remove(&var).is_some() {
            for values in self.open.iter_mut().chain(&mut self.closed) {
                values.retain(|value| value.read.var != var);
            }
        }
    }

    /// Array elements are not watched.
    fn copy(&mut self, _from: VarId, _to: VarId) {}

    fn touch(&self, _accesses: &[Access]) -> u32 {
        0
    }
}

/// What became of a stale value.
enum Fate {
    Overwritten(Write),
    CouldBe(Write),
    Nothing,
}

impl Thread {
    /// The last access, with what became of its locks since.
    fn look(&mut self, sets: &mut LockSets) -> Option<Last> {
        let last = self.last.as_mut()?;
        for lock in self.given_up.drain(..) {
            last.gives_up(lock, sets);
        }
        self.last
    }
}

impl Stale {
    #[inline]
    fn last(&mut self, var: VarId, site: SiteId, write: bool, now: &Now<'_>) {
        let lock = now.locks.last().map(|held| held.lock);
        let last = Last { var, site, write, lock, ended: false, held: now.held, kept: now.held };
        let thread = at(&mut self.threads, now.thread);
        thread.last = Some(last);
        thread.given_up.clear();
    }

    fn reads(&mut self, flow: FlowId, now: &mut Now<'_>) {
        let me = now.thread;
        let matters = self.paper || now.symbols.flows.get(flow).kind != FlowKind::Any;
        let read = at(&mut self.threads, me).look(now.sets);
        match read.filter(|read| matters && !read.write && read.lock.is_some()) {
            Some(read) if matches!(now.variable(read.var).slot, Slot::Field(_)) => {
                self.followed.reads(flow, read, me, now.hand_over)
            }
            _ => self.followed.drop(me, flow),
        }
    }

    fn uses(&mut self, flow: FlowId, event: &Event, now: &mut Now<'_>, out: &mut Out) {
        let me = now.thread;
        let Some(value) = self.followed.find(me, flow) else { return };
        let innermost = now.locks.last().map(|held| held.lock);
        let stale = value.read.ended || self.paper && innermost != value.read.lock;
        if !stale {
            return;
        }
        let Some(value) = self.followed.leave(me, flow) else { return };
        let used = StepAt::new(me, event.site, Role::Use, None, now.held.all);
        let order = now.hand_over;
        let mut written = value
            .between
            .into_iter()
            .chain(value.ordered.iter().copied().filter(|w| !order.before(w.epoch, me)));
        let mut could = || {
            let kept = value.read.kept;
            value.earlier.iter().find(|write| !keeps_out(kept, write.held, now.sets)).copied()
        };
        let fate = match written.next() {
            Some(write) => Some(Fate::Overwritten(write)),
            None if self.paper => Some(Fate::Nothing),
            None if now.symbols.flows.get(flow).kind == FlowKind::Unlikely => None,
            None => match could() {
                Some(write) => Some(Fate::CouldBe(write)),
                None => {
                    self.followed.pends(Pending {
                        flow,
                        read: value.read,
                        used: used.clone(),
                        epoch: order.epoch(me),
                    });
                    None
                }
            },
        };
        if let Some(fate) = fate {
            self.report(flow, &value.read, used, &fate, Some(now.at_operation(event)), now, out);
        }
        self.followed.give_back(value);
    }

    fn writes(&mut self, var: VarId, write: Write, at: At, now: &mut Now<'_>, out: &mut Out) {
        for found in self.followed.writes(var, write, now) {
            if !self.paper {
                self.report(found.flow, &found.read, found.used, &Fate::CouldBe(write), Some(at), now, out);
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "all that there is to tell")]
    fn report(
        &mut self,
        flow: FlowId,
        read: &Last,
        mut used: StepAt,
        fate: &Fate,
        at: Option<At>,
        now: &mut Now<'_>,
        out: &mut Out,
    ) {
        let subject = Subject::Variable(read.var);
        let kind = now.symbols.flows.get(flow).kind;
        let (confidence, message) = match (fate, kind) {
            (Fate::Overwritten(_), FlowKind::Back) => (
                Confidence::High,
                "{} is written from a value that another thread has overwritten since it was read: its write is lost",
            ),
            (Fate::Overwritten(_), _) => (
                Confidence::High,
                "a value of {} is used that another thread has overwritten since it was read",
            ),
            (Fate::CouldBe(_), FlowKind::Back) => (
                Confidence::Medium,
                "{} is written from a value that was read before its lock was given up: what others write in between is lost",
            ),
            (Fate::CouldBe(_), _) => (
                Confidence::Low,
                "a value of {} is used, but was read before its lock was given up in between",
            ),
            (Fate::Nothing, _) => {
                (Confidence::Low, "a value of {} is used after the block in which it was read")
            }
        };
        if !out.wants_so_sure(Rule::StaleValue, &subject, confidence, now) {
            return;
        }
        if kind == FlowKind::Back {
            used.note = "what is computed from it is written back".to_owned();
        }
        let target = now.variable(read.var).object.map(|_| Target::Variable(read.var));
        let thread = used.thread;
        let mut steps = vec![StepAt::new(thread, read.site, Role::Read, target, read.held.all)];
        let mut notes = Vec::new();
        if let Fate::Overwritten(write) | Fate::CouldBe(write) = fate {
            let mut step =
                StepAt::new(write.epoch.thread, write.site, Role::Interference, target, write.held.all);
            step.act = Some(Act::Write);
            step.note = "by a write".to_owned();
            steps.push(step);
            let other = guard::thread_name(write.epoch.thread, now.symbols);
            notes.push(match fate {
                Fate::Overwritten(_) => {
                    format!(
                        "The value was out of date: {other} wrote in this run between the read and the use."
                    )
                }
                _ => format!(
                    "In this run nobody wrote in between, but {other} could have: nothing kept it out."
                ),
            });
        }
        steps.push(used);
        let advice = "Do both in one block, or look at the value again before it is used".to_owned();
        let evidence = Evidence {
            rule: Rule::StaleValue,
            subject,
            confidence,
            message: message.to_owned(),
            steps,
            notes,
            details: Details { advice, ..Details::default() },
        };
        out.add(evidence, at, now);
    }
}

impl Detector for Stale {
    fn operation(&mut self, event: &Event, now: &mut Now<'_>, out: &mut Out) {
        match event.op {
            Op::Release { lock, .. } | Op::Wait { lock } => {
                let thread = at(&mut self.threads, event.thread);
                if thread.last.is_some() {
                    thread.given_up.push(lock);
                }
                if thread.given_up.len() > FEW {
                    thread.look(now.sets);
                }
                if !self.followed.watched.is_empty() {
                    self.followed.gives_up(event.thread, lock, now.sets);
                }
            }
            Op::Flow { flow, used: false } => self.reads(flow, now),
            Op::Flow { flow, used: true } => self.uses(flow, event, now, out),
            Op::VolatileRead { var, .. } => self.last(var, event.site, false, now),
            Op::VolatileWrite { var, .. } => {
                self.last(var, event.site, true, now);
                if self.followed.watched.contains_key(&var) {
                    // It has given order already, and came before that.
                    let mut epoch = now.hand_over.epoch(event.thread);
                    epoch.time -= u32::from(now.hand_over.minds(event.op));
                    let write = Write { epoch, site: event.site, held: now.held };
                    self.writes(var, write, now.at_operation(event), now, out);
                }
            }
            _ => {}
        }
    }

    fn accesses(&mut self, accesses: &[Access], now: &mut Now<'_>, out: &mut Out) {
        if !self.followed.watched.is_empty() {
            for access in accesses {
                if access.writes() && self.followed.watched.contains_key(&access.var) {
                    let epoch = now.hand_over.epoch(now.thread);
                    let write = Write { epoch, site: access.site(), held: now.held };
                    self.writes(access.var, write, now.at(access), now, out);
                }
            }
        }
        if let Some(last) = accesses.last() {
            self.last(last.var, last.site(), last.writes(), now);
        }
    }

    fn vars(&mut self, each: &mut dyn FnMut(&mut dyn VarState)) {
        each(&mut self.followed);
    }
}

#[cfg(test)]
mod tests;
