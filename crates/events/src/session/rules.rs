//! What keeps the yielded order one that a run can have made, as [`check`](crate::check) demands: who holds which lock how
//! often, who waits, who has begun and ended, which blocks are open.
//!
//! Records tell every enter and exit; detectors want the outermost. Some do not fit, because code that is not woven did the
//! other half (an exit without an enter), because a call failed (a thread that was started already) or because the JVM was
//! killed. Those are left out and counted; nothing is invented but what must have happened unseen: the release of a lock
//! that somebody else has got, and the end of a wait.

use crate::{BlockId, Event, Gap, LockId, Mode, Op, SiteId, ThreadId};

/// Where a thread stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Stage {
    #[default]
    New,
    Forked,
    Running,
    /// On a lock that it had entered so often.
    Waiting(LockId, u32),
    Ended,
}

#[derive(Clone, Debug, Default)]
struct Thread {
    stage: Stage,
    open: Vec<BlockId>,
    /// The locks it holds; one that is held in both modes is here once.
    held: Vec<LockId>,
    /// Locks that it took although somebody who cannot have released them held them: these holds are not told.
    untold: Vec<(LockId, Mode)>,
}

/// Who holds a lock: exclusively or in read mode, and how often.
#[derive(Clone, Debug, Default)]
struct Lock {
    /// Nobody is alone in it if the count is 0.
    owner: u32,
    times: u32,
    /// An owner may be a reader too.
    readers: Vec<(u32, u32)>,
}

impl Lock {
    fn read_times(&self, thread: ThreadId) -> u32 {
        self.readers.iter().find(|reader| reader.0 == thread.0).map_or(0, |reader| reader.1)
    }

    fn own_times(&self, thread: ThreadId) -> u32 {
        if self.owner == thread.0 { self.times } else { 0 }
    }

    fn read(&mut self, thread: ThreadId, times: u32) {
        self.readers.retain(|reader| reader.0 != thread.0);
        if times > 0 {
            self.readers.push((thread.0, times));
        }
    }
}

/// What did not fit, counted.
#[derive(Clone, Copy, Default, Debug)]
struct Counts {
    exits: u64,
    forced: u64,
    untold: u64,
    unwoken: u64,
    threads: u64,
    after_end: u64,
    blocks: u64,
}

/// The state of the run.
#[derive(Default)]
pub(super) struct Rules {
    threads: Vec<Thread>,
    locks: Vec<Lock>,
    counts: Counts,
}

/// Where events go.
pub(super) trait Out {
    /// The next event, which is no plain access.
    fn event(&mut self, event: Event);
}

/// The record that is being told: who, and where.
#[derive(Clone, Copy)]
pub(super) struct By {
    pub(super) thread: ThreadId,
    pub(super) site: SiteId,
}

impl By {
    fn tell(self, op: Op, out: &mut impl Out) {
        out.event(Event { thread: self.thread, site: self.site, op });
    }

    fn again(self, times: u32, op: Op, out: &mut impl Out) {
        (0..times).for_each(|_| self.tell(op, out));
    }
}

impl Rules {
    fn thread(&mut self, thread: ThreadId) -> &mut Thread {
        if self.threads.len() <= thread.index() {
            self.threads.resize_with(thread.index() + 1, Thread::default);
        }
        &mut self.threads[thread.index()]
    }

    fn lock(&mut self, lock: LockId) -> &mut Lock {
        if self.locks.len() <= lock.index() {
            self.locks.resize_with(lock.index() + 1, Lock::default);
        }
        &mut self.locks[lock.index()]
    }

    /// Whether the thread may do anything but be woken; it runs from now on. Asked before all that follows.
    #[inline(always)]
    pub(super) fn runs(&mut self, by: By, out: &mut impl Out) -> bool {
        match self.threads.get(by.thread.index()) {
            Some(Thread { stage: Stage::Running, .. }) => true,
            _ => self.begins(by, out),
        }
    }

    #[cold]
    fn begins(&mut self, by: By, out: &mut impl Out) -> bool {
        match self.thread(by.thread).stage {
            Stage::New | Stage::Forked | Stage::Running => {
                self.thread(by.thread).stage = Stage::Running;
                true
            }
            Stage::Waiting(lock, _) => {
                self.counts.unwoken += 1;
                self.wake(by, lock, out)
            }
            Stage::Ended => {
                self.counts.after_end += 1;
                false
            }
        }
    }

    /// A state in which nothing has happened but that one thread runs.
    pub(super) fn of_one(thread: ThreadId) -> Self {
        let mut rules = Self::default();
        rules.thread(thread).stage = Stage::Running;
        rules
    }

    /// Whether a thread runs, holds nothing, is in no block, and all that it did fitted.
    pub(super) fn is_as_new(&mut self, thread: ThreadId) -> bool {
        let Counts { exits, forced, untold, unwoken, threads, after_end, blocks } = self.counts;
        let state = self.thread(thread);
        state.stage == Stage::Running
            && state.held.is_empty()
            && state.open.is_empty()
            && state.untold.is_empty()
            && exits + forced + untold + unwoken + threads + after_end + blocks == 0
    }

    /// Whether nobody holds a lock in any mode.
    #[inline(always)]
    pub(super) fn is_unused(&self, lock: LockId) -> bool {
        self.locks.get(lock.index()).is_none_or(|lock| lock.times == 0 && lock.readers.is_empty())
    }

    /// Whether the thread's next event may be any.
    pub(super) fn is_running(&self, thread: ThreadId) -> bool {
        self.threads.get(thread.index()).is_some_and(|thread| thread.stage == Stage::Running)
    }

    /// Some thread that runs.
    pub(super) fn any_running(&self) -> Option<ThreadId> {
        let at = self.threads.iter().position(|thread| thread.stage == Stage::Running)?;
        Some(ThreadId(at as u32))
    }

    /// A thread's first record.
    pub(super) fn start(&mut self, by: By, out: &mut impl Out) {
        let state = self.thread(by.thread);
        if matches!(state.stage, Stage::New | Stage::Forked) {
            state.stage = Stage::Running;
            by.tell(Op::Start, out);
        } else {
            self.counts.threads += 1;
        }
    }

    /// A thread's last record. Whatever it holds is released: the JVM does so with monitors, and nobody can take any
    /// other lock from a thread that is gone.
    pub(super) fn end(&mut self, by: By, out: &mut impl Out) {
        if !self.runs(by, out) {
            return;
        }
        while let Some(&lock) = self.thread(by.thread).held.last() {
            self.release_all(by, lock, out);
        }
        let state = self.thread(by.thread);
        state.stage = Stage::Ended;
        (state.open, state.untold) = (Vec::new(), Vec::new());
        by.tell(Op::End, out);
    }

    /// Is about to start a thread. A second start fails, and so does one of itself.
    pub(super) fn fork(&mut self, by: By, child: ThreadId, out: &mut impl Out) {
        if child != by.thread && self.thread(child).stage == Stage::New {
            self.thread(child).stage = Stage::Forked;
            by.tell(Op::Fork { child }, out);
        } else {
            self.counts.threads += 1;
        }
    }

    /// Has seen a thread's end. One that has not begun is not alive either, but gives no order.
    pub(super) fn join(&mut self, by: By, child: ThreadId, out: &mut impl Out) {
        match self.thread(child).stage {
            Stage::Ended if child != by.thread => by.tell(Op::Join { child }, out),
            Stage::New | Stage::Forked => {}
            _ => self.counts.threads += 1,
        }
    }

    /// Who else holds a lock alone.
    #[inline(always)]
    pub(super) fn owner_beside(&self, lock: LockId, me: ThreadId) -> Option<ThreadId> {
        let lock = self.locks.get(lock.index())?;
        (lock.times > 0 && lock.owner != me.0).then_some(ThreadId(lock.owner))
    }

    /// Whether nobody holds a lock alone.
    pub(super) fn is_free(&self, lock: LockId) -> bool {
        self.locks.get(lock.index()).is_none_or(|lock| lock.times == 0)
    }

    /// A monitor is left that was never entered.
    pub(super) fn stray_exit(&mut self) {
        self.counts.exits += 1;
    }

    /// Has taken a lock, perhaps again, and if it `tries` not at any cost.
    pub(super) fn acquire(&mut self, by: By, lock: LockId, mode: Mode, tries: bool, out: &mut impl Out) {
        let me = by.thread;
        let state = self.lock(lock);
        if mode == Mode::Exclusive && state.times == 0 && state.readers.is_empty() {
            (state.owner, state.times) = (me.0, 1);
            self.thread(me).held.push(lock);
            return by.tell(Op::Acquire { lock, mode, tries }, out);
        }
        let (own, read) = (state.own_times(me), state.read_times(me));
        if own == 0 && !(read > 0 && mode == Mode::Read) && !self.make_free(by, lock, mode, out) {
            self.counts.untold += 1;
            return self.thread(me).untold.push((lock, mode));
        }
        let state = self.lock(lock);
        match (mode, own, read) {
            (_, 0, 0) => {
                match mode {
                    Mode::Exclusive => (state.owner, state.times) = (me.0, 1),
                    Mode::Read => state.read(me, 1),
                }
                self.thread(me).held.push(lock);
                by.tell(Op::Acquire { lock, mode, tries }, out);
            }
            (Mode::Exclusive, 0, _) => {
                // From read to write in one step.
                (state.owner, state.times) = (me.0, 1);
                by.again(read - 1, Op::Reexit { lock }, out);
                by.tell(Op::Release { lock, mode: Mode::Read }, out);
                by.tell(Op::Acquire { lock, mode: Mode::Exclusive, tries }, out);
                by.again(read, Op::Reenter { lock }, out);
            }
            (Mode::Exclusive, ..) => {
                state.times += 1;
                by.tell(Op::Reenter { lock }, out);
            }
            (Mode::Read, ..) => {
                state.read(me, read + 1);
                by.tell(Op::Reenter { lock }, out);
            }
        }
    }

    /// Is about to give a lock up, once.
    pub(super) fn release(&mut self, by: By, lock: LockId, mode: Mode, out: &mut impl Out) {
        let me = by.thread;
        let state = self.lock(lock);
        let (own, read) = (state.own_times(me), state.read_times(me));
        match (mode, own, read) {
            (Mode::Exclusive, 1, 0) => {
                state.times = 0;
                self.let_go(me, lock);
                by.tell(Op::Release { lock, mode }, out);
            }
            (Mode::Exclusive, 1, _) => {
                // Only readers are kept out no longer: order goes to them, and the lock stays held.
                state.times = 0;
                by.again(read, Op::Reexit { lock }, out);
                by.tell(Op::Release { lock, mode: Mode::Exclusive }, out);
                by.tell(Op::Acquire { lock, mode: Mode::Read, tries: true }, out);
                by.again(read - 1, Op::Reenter { lock }, out);
            }
            (Mode::Read, 0, 1) => {
                state.read(me, 0);
                self.let_go(me, lock);
                by.tell(Op::Release { lock, mode }, out);
            }
            (Mode::Exclusive, 2.., _) => {
                state.times -= 1;
                by.tell(Op::Reexit { lock }, out);
            }
            (Mode::Read, _, 1..) => {
                state.read(me, read - 1);
                by.tell(Op::Reexit { lock }, out);
            }
            (Mode::Exclusive, 0, _) | (Mode::Read, _, 0) => {
                let untold = &mut self.thread(me).untold;
                match untold.iter().rposition(|&held| held == (lock, mode)) {
                    Some(at) => {
                        untold.swap_remove(at);
                    }
                    None => self.counts.exits += 1,
                }
            }
        }
    }

    /// Whether a thread holds a lock alone.
    pub(super) fn holds(&mut self, by: By, lock: LockId) -> bool {
        self.lock(lock).own_times(by.thread) > 0
    }

    /// Is about to wait on a lock, and gives it up however often it holds it.
    pub(super) fn wait(&mut self, by: By, lock: LockId, out: &mut impl Out) {
        let me = by.thread;
        let state = self.lock(lock);
        let (own, read) = (state.own_times(me), state.read_times(me));
        if own == 0 || read > 0 {
            self.counts.exits += 1;
            return;
        }
        state.times = 0;
        self.let_go(me, lock);
        self.thread(me).stage = Stage::Waiting(lock, own);
        by.tell(Op::Wait { lock }, out);
    }

    /// Has waited on a lock. Asked instead of [`runs`](Self::runs).
    pub(super) fn woken(&mut self, by: By, lock: LockId, out: &mut impl Out) {
        match self.thread(by.thread).stage {
            Stage::Waiting(on, _) if on == lock => {
                if !self.wake(by, lock, out) {
                    self.counts.after_end += 1;
                }
            }
            // The wait was not told: its lock was taken in code that is not woven.
            _ => {
                self.runs(by, out);
            }
        }
    }

    fn wake(&mut self, by: By, lock: LockId, out: &mut impl Out) -> bool {
        let Stage::Waiting(_, times) = self.thread(by.thread).stage else { return false };
        if !self.make_free(by, lock, Mode::Exclusive, out) {
            return false;
        }
        let state = self.lock(lock);
        (state.owner, state.times) = (by.thread.0, times);
        let thread = self.thread(by.thread);
        thread.stage = Stage::Running;
        thread.held.push(lock);
        by.tell(Op::Woken { lock }, out);
        true
    }

    /// A block begins.
    pub(super) fn begin(&mut self, by: By, block: BlockId, out: &mut impl Out) {
        self.thread(by.thread).open.push(block);
        by.tell(Op::Begin { block }, out);
    }

    /// A block ends, and with it all that began in it.
    pub(super) fn finish(&mut self, by: By, block: BlockId, out: &mut impl Out) {
        let Some(at) = self.thread(by.thread).open.iter().rposition(|&open| open == block) else {
            self.counts.blocks += 1;
            return;
        };
        while let Some(block) = self.thread(by.thread).open.pop() {
            by.tell(Op::Finish { block }, out);
            if self.thread(by.thread).open.len() == at {
                return;
            }
            self.counts.blocks += 1;
        }
    }

    /// Everybody else who holds the lock must have released it unseen. False if one of them cannot have.
    fn make_free(&mut self, by: By, lock: LockId, mode: Mode, out: &mut impl Out) -> bool {
        let me = by.thread.0;
        let state = self.lock(lock);
        let mut others: Vec<u32> = Vec::new();
        others.extend((state.times > 0 && state.owner != me).then_some(state.owner));
        if mode == Mode::Exclusive {
            others.extend(state.readers.iter().map(|reader| reader.0).filter(|&reader| reader != me));
        }
        others.sort_unstable();
        others.dedup();
        if !others.iter().all(|&other| self.is_running(ThreadId(other))) {
            return false;
        }
        for other in others {
            self.counts.forced += 1;
            self.release_all(By { thread: ThreadId(other), site: by.site }, lock, out);
        }
        true
    }

    /// The thread gives a lock up altogether.
    fn release_all(&mut self, by: By, lock: LockId, out: &mut impl Out) {
        let state = self.lock(lock);
        let (own, read) = (state.own_times(by.thread), state.read_times(by.thread));
        if own > 0 {
            state.times = 0;
        }
        state.read(by.thread, 0);
        self.let_go(by.thread, lock);
        if own + read == 0 {
            return;
        }
        by.again(own + read - 1, Op::Reexit { lock }, out);
        let mode = if own > 0 { Mode::Exclusive } else { Mode::Read };
        by.tell(Op::Release { lock, mode }, out);
    }

    fn let_go(&mut self, thread: ThreadId, lock: LockId) {
        let held = &mut self.thread(thread).held;
        if let Some(at) = held.iter().rposition(|&one| one == lock) {
            held.remove(at);
        }
    }

    /// What did not fit.
    pub(super) fn gaps(&self) -> Vec<Gap> {
        let counts = self.counts;
        let gap = |what: &str, why: &str, count: u64| Gap { what: what.into(), why: why.into(), count };
        let mut gaps = vec![
            gap("releases of locks", "the lock was taken in code that is not watched", counts.exits),
            gap("releases of locks", "somebody else took the lock, so it must have been free", counts.forced),
            gap("acquisitions of locks", "another thread still holds the lock", counts.untold),
            gap("ends of waits", "the thread went on without one", counts.unwoken),
            gap("starts and joins of threads", "the thread had begun or had not ended", counts.threads),
            gap("events of threads", "the thread had ended or still waits", counts.after_end),
            gap("blocks", "their beginning or their end was not seen", counts.blocks),
        ];
        gaps.retain(|gap| gap.count > 0);
        gaps
    }
}
