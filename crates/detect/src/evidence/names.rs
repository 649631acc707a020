//! Names for the ids of a witness: places, stacks, locks and where they were taken, threads and where they come from.
//!
//! Looked up only when evidence is written. Where a lock was taken is known of the operation at hand; of an earlier
//! one there is at best an example, which is told if the method that took the lock was running then.

use events::{LockId, SiteId, StackId, Symbols, ThreadId};
use findings::{Frame, Narrowing, Origin, Role, Step, Taken};
use rustc_hash::FxHashMap;

use super::{NarrowingAt, StepAt, Target, variable_kind};
use crate::detector::{At, Now};
use crate::lock_names;
use crate::shared::guard::thread_name;
use crate::shared::lockset::LockSet;

/// Which example stack belongs to which thread and site.
#[derive(Default)]
pub(super) struct Examples {
    index: FxHashMap<(ThreadId, SiteId), StackId>,
    /// The first that was told of each site, by whichever thread.
    first: FxHashMap<SiteId, StackId>,
    known: usize,
}

/// Whose stack is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// That of this very operation.
    Operation,
    /// One of the same thread at the same place.
    Thread,
    /// One of another thread at the same place.
    Another,
}

impl Examples {
    /// Takes in the stacks that are new.
    pub(super) fn grow(&mut self, symbols: &Symbols) {
        for (id, stack) in symbols.stacks.iter().skip(self.known) {
            self.index.entry((stack.thread, stack.site)).or_insert(id);
            self.first.entry(stack.site).or_insert(id);
        }
        self.known = symbols.stacks.len();
    }

    fn of<'a>(&self, thread: ThreadId, site: SiteId, symbols: &'a Symbols) -> Option<&'a [SiteId]> {
        self.index.get(&(thread, site)).map(|&id| symbols.stacks.get(id).callers.as_slice())
    }

    /// One of any thread.
    fn at<'a>(&self, site: SiteId, symbols: &'a Symbols) -> Option<&'a [SiteId]> {
        self.first.get(&site).map(|&id| symbols.stacks.get(id).callers.as_slice())
    }
}

/// The place of a site.
pub(crate) fn frame(site: SiteId, symbols: &Symbols) -> Frame {
    let site = symbols.sites.get(site);
    let method = site.method.map(|method| *symbols.methods.get(method));
    Frame {
        class: method.map(|method| symbols.class_name(method.class).to_owned()).unwrap_or_default(),
        method: method.map(|method| symbols.str(method.name).to_owned()).unwrap_or_default(),
        file: site.file.map(|file| symbols.str(file).to_owned()).unwrap_or_default(),
        line: site.line,
    }
}

/// What is needed to name things.
pub(super) struct Names<'a> {
    pub(super) examples: &'a Examples,
    pub(super) now: &'a Now<'a>,
}

impl Names<'_> {
    fn frame(&self, site: SiteId) -> Frame {
        frame(site, self.now.symbols)
    }

    /// The calls that led to a place, and whose they were.
    fn stack(&self, thread: ThreadId, site: SiteId) -> (Vec<Frame>, Whose) {
        let symbols = self.now.symbols;
        let mut stack = Vec::new();
        let mut caller = symbols.sites.get(site).caller;
        while let Some(site) = caller {
            stack.push(self.frame(site));
            caller = symbols.sites.get(site).caller;
        }
        let example = |callers: &[SiteId]| callers.iter().map(|&site| self.frame(site)).collect();
        if !stack.is_empty() {
            (stack, Whose::Operation)
        } else if let Some(callers) = self.examples.of(thread, site, symbols) {
            (example(callers), Whose::Thread)
        } else if let Some(callers) = self.examples.at(site, symbols) {
            (example(callers), Whose::Another)
        } else {
            (stack, Whose::Operation)
        }
    }

    fn lock(&self, lock: LockId) -> String {
        lock_names::shown(lock, self.now.sets, self.now.symbols)
    }

    fn locks(&self, set: LockSet) -> Vec<String> {
        self.now.sets.locks(set).iter().map(|&lock| self.lock(lock)).collect()
    }

    /// The steps of a witness that was seen at an event.
    pub(super) fn steps(&self, steps: Vec<StepAt>, at: Option<At>) -> Vec<Step> {
        let is_now = |step: &StepAt| {
            at.is_some_and(|at| (at.event.thread, at.event.site) == (step.thread, step.site))
                && step.thread == self.now.thread
        };
        // Only the last one can be the operation at hand.
        let last = steps.len().saturating_sub(1);
        let named = |(i, step): (usize, StepAt)| {
            let at_hand = i == last && is_now(&step);
            self.step(step, at_hand)
        };
        steps.into_iter().enumerate().map(named).collect()
    }

    fn step(&self, step: StepAt, at_hand: bool) -> Step {
        let symbols = self.now.symbols;
        let (stack, whose) = self.stack(step.thread, step.site);
        let place = self.frame(step.site);
        let read_mode = at_hand && step.role == Role::Write;
        Step {
            thread: thread_name(step.thread, symbols).to_owned(),
            role: step.role,
            target: match step.target {
                None => String::new(),
                Some(Target::Lock(lock)) => self.lock(lock),
                Some(Target::Variable(var)) if var.index() < symbols.variables().len() => {
                    symbols.variable_name(var)
                }
                Some(Target::Variable(var)) => variable_kind(var, self.now),
            },
            locks: self.locks(step.locks),
            read_locks: if read_mode { self.read_locks() } else { Vec::new() },
            // What another thread came through says nothing about what this one was running.
            taken: self.taken(&step, at_hand, &place, if whose == Whose::Another { &[] } else { &stack }),
            act: step.act,
            mover: step.mover,
            place,
            stack,
            stack_is_example: whose != Whose::Operation,
            note: step.note,
        }
    }

    /// What the thread at hand holds in read mode.
    fn read_locks(&self) -> Vec<String> {
        let held = self.now.held;
        let locks = self.now.sets.locks(held.all).iter();
        let alone = self.now.sets.locks(held.exclusive);
        locks.filter(|lock| !alone.contains(lock)).map(|&lock| self.lock(lock)).collect()
    }

    /// Where the locks of a step were taken.
    fn taken(&self, step: &StepAt, at_hand: bool, place: &Frame, stack: &[Frame]) -> Vec<Taken> {
        let mut taken = Vec::new();
        for &lock in self.now.sets.locks(step.locks) {
            let told = step.taken.iter().find(|(other, _)| *other == lock).map(|&(_, site)| site);
            let held = || self.now.locks.iter().find(|held| held.lock == lock).map(|held| held.site);
            let known = told.or_else(|| if at_hand { held() } else { None });
            let found = match known {
                Some(site) => Some((self.frame(site), false)),
                None => self.example(lock, place, stack).map(|at| (at, true)),
            };
            if let Some((at, example)) = found.filter(|(at, _)| *at != Frame::default()) {
                taken.push(Taken { lock: self.lock(lock), at, example });
            }
        }
        taken
    }

    /// A place where a lock was taken, if it is in a method that was running.
    fn example(&self, lock: LockId, place: &Frame, stack: &[Frame]) -> Option<Frame> {
        let at = self.frame(self.now.sets.example(lock)?);
        let running = |frame: &Frame| (&frame.class, &frame.method) == (&at.class, &at.method);
        let known = !at.method.is_empty();
        (known && (running(place) || stack.iter().any(running))).then_some(at)
    }

    /// Where the threads of some steps come from.
    pub(super) fn origins(&self, steps: &[StepAt]) -> Vec<Origin> {
        let mut threads: Vec<ThreadId> = Vec::new();
        for step in steps {
            if !threads.contains(&step.thread) {
                threads.push(step.thread);
            }
        }
        let origin = |&thread: &ThreadId| {
            let (by, site) = self.now.births.of(thread)?;
            let name = |thread| thread_name(thread, self.now.symbols).to_owned();
            // How a thread was started is told as its own way to that place.
            let stack = match self.examples.of(thread, site, self.now.symbols) {
                Some(callers) => callers.iter().map(|&site| self.frame(site)).collect(),
                // Not that of a third one, nor how the starting thread was itself started at the same place: nothing
                // here would call it an example.
                None => match self.stack(by, site) {
                    (_, Whose::Another) => Vec::new(),
                    (_, Whose::Thread) if self.now.births.of(by).is_some_and(|(_, at)| at == site) => {
                        Vec::new()
                    }
                    (stack, _) => stack,
                },
            };
            Some(Origin { thread: name(thread), by: name(by), at: self.frame(site), stack })
        };
        threads.iter().filter_map(origin).collect()
    }

    pub(super) fn narrowing(&self, access: &NarrowingAt) -> Narrowing {
        Narrowing {
            thread: thread_name(access.thread, self.now.symbols).to_owned(),
            role: if access.write { Role::Write } else { Role::Read },
            at: self.frame(access.site),
            locks: self.locks(access.locks),
            left: self.locks(access.left),
        }
    }
}
