//! An order of steps in which the defect happens: threads as columns, moments as rows.
//!
//! A witness tells its steps in an order that explains them, and leaves out what goes without saying. Here they are put
//! into an order in which the threads could really run, and what has to happen in between is filled in: locks taken and
//! given up, another thread that comes in where a block is broken.

use serde::Serialize;

use super::moments::Maker;
use super::{STEPS, origin};
use crate::{Act, Frame, Origin, Role, Rule, Step, Witness};

/// A table of what happens: columns are threads, rows are moments.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Interleaving {
    /// The columns.
    pub threads: Vec<Thread>,
    /// The rows, one after the other in time.
    pub moments: Vec<Moment>,
    /// Steps of the witness that are not shown.
    pub left_out: usize,
}

/// A column.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Thread {
    /// The thread's name.
    pub name: String,
    /// Where it comes from, if that is known.
    pub origin: Option<Origin>,
    /// Whether it stands for any other thread, and did not come in between in the run itself.
    pub imagined: bool,
}

/// A row: one thread does one thing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Moment {
    /// Which thread: a column.
    pub thread: usize,
    /// What it does.
    pub act: Act,
    /// With what; may be empty.
    pub target: String,
    /// The same in a few words, with short names: `takes Account@7`.
    pub words: String,
    /// Where; empty where that is not known.
    pub at: Frame,
    /// Whether `at` is but an example of where this is done.
    pub example: bool,
    /// The locks that the thread holds from then on, in the order in which it took them.
    pub held: Vec<String>,
    /// Why it matters.
    pub mark: Mark,
    /// Which step of the witness it is; none for what goes without saying.
    pub step: Option<usize>,
}

/// Why a moment matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// It leads up to the defect.
    None,
    /// It is one side of the defect.
    Defect,
    /// The block takes effect here.
    Commit,
    /// Another thread comes in between.
    Interference,
    /// The block is broken here.
    Violation,
    /// The thread can never go on.
    Blocked,
}

impl Interleaving {
    /// The interleaving of a witness.
    pub(super) fn of(rule: Rule, witness: &Witness) -> Interleaving {
        let steps: Vec<(usize, &Step)> = witness.steps.iter().enumerate().take(STEPS).collect();
        let mut maker = Maker::default();
        starts(rule, witness, &steps, &mut maker);
        match rule {
            Rule::DataRace => race(&steps, &mut maker),
            Rule::HighLevelRace => views(&steps, &mut maker),
            Rule::StaleValue => stale(&steps, &mut maker),
            Rule::NonAtomic => broken(&steps, &mut maker),
            Rule::LockOrder => cycle(&steps, &mut maker),
        }
        let mut interleaving = maker.done();
        for thread in interleaving.threads.iter_mut().filter(|thread| !thread.imagined) {
            thread.origin = origin(witness, &thread.name).cloned();
        }
        interleaving.left_out = witness.steps.len() - steps.len();
        interleaving
    }

    /// The column of a moment.
    pub fn thread(&self, moment: &Moment) -> Option<&Thread> {
        self.threads.get(moment.thread)
    }
}

/// One thread of the picture starts another one. A block may begin before that, so not in front of one.
fn starts(rule: Rule, witness: &Witness, steps: &[(usize, &Step)], maker: &mut Maker) {
    if rule == Rule::NonAtomic {
        return;
    }
    let takes_part = |name: &str| steps.iter().any(|(_, step)| step.thread == name);
    for origin in witness.threads.iter().take(STEPS) {
        if takes_part(&origin.thread) && takes_part(&origin.by) && origin.thread != origin.by {
            maker.start(origin);
        }
    }
}

/// Both threads get their locks, which keep neither of them out; then both use the variable.
fn race(steps: &[(usize, &Step)], maker: &mut Maker) {
    // A lock that both hold lets only one of them in at a time; it is no protection against a third.
    let in_common = |lock: &String| steps.iter().filter(|(_, step)| step.locks.contains(lock)).count() > 1;
    if !steps.iter().flat_map(|(_, step)| &step.locks).take(STEPS).any(in_common) {
        for (_, step) in steps {
            maker.hold(step, &step.locks);
        }
    }
    for &(at, step) in steps {
        maker.hold(step, &step.locks);
        maker.step(at, step, Mark::Defect);
    }
}

/// The block that uses the variables together comes between the two that do not.
fn views(steps: &[(usize, &Step)], maker: &mut Maker) {
    let mut blocks: Vec<&[(usize, &Step)]> = Vec::new();
    let mut from = 0;
    for (i, (_, step)) in steps.iter().enumerate() {
        if i > from && step.role == Role::Acquire {
            blocks.push(&steps[from..i]);
            from = i;
        }
    }
    blocks.push(&steps[from..]);
    let names = |block: &[(usize, &Step)]| block.first().map(|(_, step)| step.thread.clone());
    if let [whole, one, other] = blocks[..]
        && names(one) == names(other)
        && names(one) != names(whole)
    {
        blocks = vec![one, whole, other];
    }
    let other = blocks.first().and_then(|block| names(block));
    for block in blocks {
        for &(at, step) in block {
            let mark = match step.role {
                Role::Acquire => Mark::None,
                _ if Some(&step.thread) == other.as_ref() => Mark::Defect,
                _ => Mark::Interference,
            };
            maker.hold(step, &step.locks);
            maker.step(at, step, mark);
        }
        if let Some((_, step)) = block.first().filter(|(_, step)| step.role == Role::Acquire) {
            maker.give(step, &step.target);
        }
    }
}

/// As it is told; the lock is given up after the read.
fn stale(steps: &[(usize, &Step)], maker: &mut Maker) {
    for &(at, step) in steps {
        let mark = match step.role {
            Role::Interference => Mark::Interference,
            Role::Use => Mark::Defect,
            _ => Mark::None,
        };
        maker.hold(step, &step.locks);
        maker.step(at, step, mark);
        let reader = step.role == Role::Read;
        let user = steps.iter().find(|(_, other)| other.role == Role::Use && other.thread == step.thread);
        if let Some((_, user)) = user.filter(|_| reader) {
            step.locks.iter().filter(|lock| !user.locks.contains(lock)).for_each(|lock| {
                maker.give(step, lock);
            });
        }
    }
}

/// As it is told. Where nobody came in between in the run itself, somebody could have.
fn broken(steps: &[(usize, &Step)], maker: &mut Maker) {
    let disturbed = steps.iter().any(|(_, step)| step.role == Role::Interference);
    let mut committed: Option<&Step> = None;
    for &(at, step) in steps {
        let mark = match step.role {
            Role::Commit => Mark::Commit,
            Role::Violation => Mark::Violation,
            Role::Interference => Mark::Interference,
            _ => Mark::None,
        };
        if let (Role::Violation, false, Some(commit)) = (step.role, disturbed, committed) {
            let with = if commit.target == step.target || step.target.is_empty() {
                &commit.target
            } else {
                &step.target
            };
            maker.imagine(with);
        }
        if step.role == Role::Commit {
            committed = Some(step);
        }
        maker.hold(step, &step.locks);
        maker.step(at, step, mark);
    }
}

/// Every thread takes its first lock, then every thread wants its second one.
fn cycle(steps: &[(usize, &Step)], maker: &mut Maker) {
    maker.shares_locks();
    let (wants, holds): (Vec<_>, Vec<_>) = steps.iter().partition(|(_, step)| step.role == Role::Wants);
    for &(at, step) in &holds {
        maker.hold(step, &step.locks);
        maker.step(at, step, Mark::None);
    }
    for (_, step) in &wants {
        maker.hold(step, &step.locks);
    }
    for (at, step) in wants {
        maker.step(at, step, Mark::Blocked);
    }
}
