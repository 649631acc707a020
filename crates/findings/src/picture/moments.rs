//! Makes the rows of an interleaving, with the locks that each thread holds.

use super::interleaving::{Interleaving, Mark, Moment, Thread};
use super::{LOCKS, short};
use crate::{Act, Frame, Origin, Role, Step};

/// The column of a thread that did not come in between, but could have.
const ANYBODY: &str = "any other thread";

/// Puts moments together.
#[derive(Default)]
pub(super) struct Maker {
    threads: Vec<Thread>,
    /// What each of them holds.
    held: Vec<Vec<String>>,
    moments: Vec<Moment>,
    /// Whether two threads may hold one lock: in read mode.
    shared: bool,
}

impl Maker {
    /// The threads may hold the same lock, as readers do.
    pub(super) fn shares_locks(&mut self) {
        self.shared = true;
    }

    /// All that was made.
    pub(super) fn done(self) -> Interleaving {
        Interleaving { threads: self.threads, moments: self.moments, left_out: 0 }
    }

    fn column(&mut self, name: &str, imagined: bool) -> usize {
        let known = |thread: &Thread| thread.imagined == imagined && (imagined || thread.name == name);
        self.threads.iter().position(known).unwrap_or_else(|| {
            self.threads.push(Thread { name: name.to_owned(), origin: None, imagined });
            self.held.push(Vec::new());
            self.threads.len() - 1
        })
    }

    fn push(&mut self, thread: usize, act: Act, target: &str, at: Frame, mark: Mark) -> &mut Moment {
        let held = self.held.get(thread).cloned().unwrap_or_default();
        let words = words(act, target);
        let target = target.to_owned();
        let moment = Moment { thread, act, target, words, at, example: false, held, mark, step: None };
        self.moments.push(moment);
        let last = self.moments.len() - 1;
        &mut self.moments[last]
    }

    /// A thread starts another one.
    pub(super) fn start(&mut self, origin: &Origin) {
        let by = self.column(&origin.by, false);
        self.column(&origin.thread, false);
        let place = origin.place().cloned().unwrap_or_default();
        self.push(by, Act::Start, &origin.thread, place, Mark::None);
    }

    /// The thread of a step gets to hold just these locks: it gives up others, takes what it lacks, and whoever holds
    /// one of them gives it up first.
    pub(super) fn hold(&mut self, step: &Step, locks: &[String]) {
        let me = self.column(&step.thread, false);
        let takes = takes_lock(step);
        let wanted: Vec<&String> =
            locks.iter().filter(|lock| !takes || **lock != step.target).take(LOCKS).collect();
        // What the step itself gives up is held until then.
        let gives = gives_lock(step).then_some(&step.target);
        let gone: Vec<String> = self.held[me]
            .iter()
            .filter(|lock| !wanted.contains(lock) && Some(*lock) != gives)
            .cloned()
            .collect();
        for lock in gone.iter().rev() {
            self.release(me, lock, Frame::default());
        }
        for lock in wanted.into_iter().chain(gives) {
            self.take(me, lock, step);
        }
    }

    /// A thread takes a lock that it does not hold.
    fn take(&mut self, me: usize, lock: &String, step: &Step) {
        if self.held[me].contains(lock) {
            return;
        }
        self.free(lock, me);
        self.held[me].push(lock.clone());
        let taken = step.taken.iter().find(|taken| taken.lock == *lock);
        let at = taken.map(|taken| taken.at.clone()).unwrap_or_default();
        self.push(me, Act::Acquire, lock, at, Mark::None).example = taken.is_some_and(|taken| taken.example);
    }

    /// Everybody else gives a lock up.
    fn free(&mut self, lock: &String, me: usize) {
        for other in 0..self.threads.len() {
            if other != me && !self.shared && self.held[other].contains(lock) {
                self.release(other, lock, Frame::default());
            }
        }
    }

    fn release(&mut self, thread: usize, lock: &str, at: Frame) {
        if let Some(place) = self.held[thread].iter().position(|held| held == lock) {
            self.held[thread].remove(place);
            self.push(thread, Act::Release, lock, at, Mark::None);
        }
    }

    /// The thread of a step gives a lock up, at a place that nobody has told.
    pub(super) fn give(&mut self, step: &Step, lock: &str) {
        let me = self.column(&step.thread, false);
        self.release(me, lock, Frame::default());
    }

    /// A step of the witness.
    pub(super) fn step(&mut self, number: usize, step: &Step, mark: Mark) {
        let me = self.column(&step.thread, false);
        let act = act(step);
        if takes_lock(step) && !step.target.is_empty() {
            self.free(&step.target, me);
            if !self.held[me].contains(&step.target) {
                self.held[me].push(step.target.clone());
            }
        }
        if gives_lock(step) {
            self.held[me].retain(|lock| *lock != step.target);
        }
        let moment = self.push(me, act, &step.target, step.place.clone(), mark);
        moment.step = Some(number);
        if step.role == Role::Interference && act == Act::Other {
            moment.words = "comes in between".to_owned();
        }
    }

    /// Somebody could come in here.
    pub(super) fn imagine(&mut self, with: &str) {
        let anybody = self.column(ANYBODY, true);
        let moment = self.push(anybody, Act::Other, with, Frame::default(), Mark::Interference);
        moment.words =
            if with.is_empty() { "can act here".to_owned() } else { format!("can use {} here", short(with)) };
    }
}

/// What a step does.
pub(super) fn act(step: &Step) -> Act {
    let role = match step.role {
        Role::Read => Act::Read,
        Role::Write => Act::Write,
        Role::Acquire | Role::Holds => Act::Acquire,
        Role::Release => Act::Release,
        Role::BlockEntered => Act::Enter,
        Role::BlockLeft => Act::Leave,
        Role::Wants => Act::Want,
        Role::Use => Act::Use,
        Role::Commit | Role::Violation | Role::Interference => match step.note.as_str() {
            "at lock acquire" => Act::Acquire,
            "at lock release" => Act::Release,
            _ if step.target.is_empty() => Act::Other,
            _ => Act::Use,
        },
    };
    step.act.unwrap_or(role)
}

fn takes_lock(step: &Step) -> bool {
    act(step) == Act::Acquire
}

fn gives_lock(step: &Step) -> bool {
    act(step) == Act::Release && !step.target.is_empty()
}

fn words(act: Act, target: &str) -> String {
    let verb = match act {
        Act::Read => "reads",
        Act::Write => "writes",
        Act::Update => "updates",
        Act::Use if target.is_empty() => "uses the value",
        Act::Use => "uses",
        Act::Acquire => "takes",
        Act::Release => "gives up",
        Act::Want => "waits for",
        Act::Enter => "enters the block",
        Act::Leave => "leaves the block",
        Act::Start => "starts",
        Act::Join => "waits for the end of",
        Act::Signal => "signals",
        Act::Observe => "waits for",
        Act::Other => "goes on",
    };
    let nothing_needed = matches!(act, Act::Enter | Act::Leave | Act::Other);
    match (target, act) {
        ("", Act::Read | Act::Write | Act::Update) => format!("{verb} it"),
        ("", Act::Acquire | Act::Release | Act::Want) => format!("{verb} a lock"),
        ("", _) => verb.to_owned(),
        _ if nothing_needed => verb.to_owned(),
        _ => format!("{verb} {}", short(target)),
    }
}
