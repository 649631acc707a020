//! What is particular to each rule: the lock set that shrinks, the matrix of views, the line from read to use, the
//! string of movers, the cycle of locks.

mod apart;
mod movers;
mod views;

use serde::Serialize;

use super::{LOCKS, STEPS};
use crate::{Finding, Frame, Mover, Narrowing, Role, Rule, Step, Witness};

pub use apart::Apart;

/// The explanation of a rule's finding. Numbers of steps are those of the witness that it rests on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "rule", rename_all = "kebab-case")]
pub enum Explanation {
    /// Of a data race.
    DataRace(Race),
    /// Of a high-level data race.
    HighLevelRace(Matrix),
    /// Of a stale value: read, given up, perhaps changed by another thread, used.
    StaleValue {
        /// The points of the line, in order.
        points: Vec<Point>,
    },
    /// Of a block that is not atomic.
    NonAtomic {
        /// What the block does, as far as it matters, in order.
        moves: Vec<Move>,
        /// The three steps whose stacks show it: entered, commit, violation, as far as they are there.
        stacks: Vec<usize>,
    },
    /// Of a lock-order cycle.
    LockOrder(Cycle),
}

/// Why nothing keeps two accesses apart.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Race {
    /// The two steps.
    pub sides: (usize, usize),
    /// Why no lock keeps them apart; none if a lock is held at both.
    pub apart: Option<Apart>,
    /// The accesses at which the locks in common became fewer; the last one leaves none, if there is no lock in common.
    pub narrowing: Vec<Narrowing>,
}

/// Which thread uses which variables in one block.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Matrix {
    /// The columns: variables.
    pub fields: Vec<String>,
    /// The rows: blocks. The first one uses together what the others do not.
    pub rows: Vec<Row>,
    /// The two columns that show it: one block has the one and not the other, another block the other.
    pub pair: Option<(usize, usize)>,
    /// The rows that have just one of the two each.
    pub diverging: Option<(usize, usize)>,
}

/// A block of a thread.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Row {
    /// The thread.
    pub thread: String,
    /// Whether it read, wrote or did either.
    pub role: Role,
    /// The lock that was held.
    pub lock: String,
    /// Where the block began.
    pub at: Frame,
    /// For each column whether it was used.
    pub uses: Vec<bool>,
}

/// A point on the line from a read to the use of the value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Point {
    /// What happens: read, release, interference, use.
    pub role: Role,
    /// By whom.
    pub thread: String,
    /// With what: the variable or the lock.
    pub target: String,
    /// Where; empty where that is not known.
    pub at: Frame,
    /// The step, if it is one.
    pub step: Option<usize>,
}

/// Where in a block an operation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Before the block takes effect.
    Before,
    /// The operation with which it does.
    Commit,
    /// The later operation that cannot be moved to it.
    Violation,
}

/// An operation of a block.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Move {
    /// How it can be moved.
    pub mover: Mover,
    /// Where in the block it is.
    pub phase: Phase,
    /// In words, with short names.
    pub words: String,
    /// Where; empty where that is not known.
    pub at: Frame,
    /// The step, if it is one.
    pub step: Option<usize>,
}

/// Who holds what and wants what.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Cycle {
    /// Its edges: each thread wants what the next one holds, the last one what the first one holds.
    pub edges: Vec<Edge>,
}

/// A thread that holds one lock and wants another.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Edge {
    /// The thread.
    pub thread: String,
    /// What it holds.
    pub holds: String,
    /// The step with which it took that.
    pub took: usize,
    /// What it wants.
    pub wants: String,
    /// The step with which it wants that.
    pub asked: usize,
}

impl Explanation {
    /// The explanation of a finding, from the witness that tells most about it.
    pub(super) fn best(finding: &Finding) -> Option<(usize, Explanation)> {
        let tells = |witness: &Witness| match finding.rule {
            Rule::DataRace => witness.narrowing.len(),
            Rule::HighLevelRace => witness.views.len(),
            // Movers say most where the block is broken by reduction.
            Rule::NonAtomic => witness.steps.iter().take(STEPS).filter(|s| s.mover.is_some()).count(),
            Rule::StaleValue | Rule::LockOrder => 0,
        };
        let mut order: Vec<usize> = (0..finding.witnesses.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(finding.witnesses.get(at).map_or(0, tells)));
        order.into_iter().find_map(|at| {
            let witness = finding.witnesses.get(at)?;
            Some((at, Self::of(finding.rule, witness)?))
        })
    }

    /// The explanation that a witness gives.
    pub(super) fn of(rule: Rule, witness: &Witness) -> Option<Explanation> {
        Some(match rule {
            Rule::DataRace => Explanation::DataRace(race(witness)?),
            Rule::HighLevelRace => Explanation::HighLevelRace(views::matrix(witness)?),
            Rule::StaleValue => Explanation::StaleValue { points: points(witness)? },
            Rule::NonAtomic => {
                let (moves, stacks) = movers::moves(witness)?;
                Explanation::NonAtomic { moves, stacks }
            }
            Rule::LockOrder => Explanation::LockOrder(cycle(witness)?),
        })
    }
}

fn race(witness: &Witness) -> Option<Race> {
    let (first, rest) = witness.steps.split_first()?;
    let other = rest.iter().take(STEPS).position(|step| step.thread != first.thread).map(|at| at + 1)?;
    let second = witness.steps.get(other)?;
    let mut narrowing = witness.narrowing.clone();
    if narrowing.is_empty() {
        let left: Vec<String> =
            first.locks.iter().take(LOCKS).filter(|lock| second.locks.contains(lock)).cloned().collect();
        narrowing = vec![narrowed(first, first.locks.clone()), narrowed(second, left)];
    }
    Some(Race { sides: (0, other), apart: Apart::of(first, second), narrowing })
}

fn narrowed(step: &Step, left: Vec<String>) -> Narrowing {
    let (thread, at, locks) = (step.thread.clone(), step.place.clone(), step.locks.clone());
    Narrowing { thread, role: step.role, at, locks, left }
}

/// Read, release, interference, use: where the detector does not tell the release, the locks do.
fn points(witness: &Witness) -> Option<Vec<Point>> {
    let steps = || witness.steps.iter().enumerate().take(STEPS);
    let (read_at, read) = steps().find(|(_, step)| step.role == Role::Read)?;
    let (used_at, used) = steps().find(|(_, step)| step.role == Role::Use)?;
    let point = |(at, step): (usize, &Step)| Point {
        role: step.role,
        thread: step.thread.clone(),
        target: step.target.clone(),
        at: step.place.clone(),
        step: Some(at),
    };
    let mut points = vec![point((read_at, read))];
    let told: Vec<Point> = steps().filter(|(_, step)| step.role == Role::Release).map(point).collect();
    if told.is_empty() {
        let given = read.locks.iter().take(LOCKS).filter(|lock| !used.locks.contains(lock));
        points.extend(given.map(|lock| Point {
            role: Role::Release,
            thread: read.thread.clone(),
            target: lock.clone(),
            at: Frame::default(),
            step: None,
        }));
    }
    points.extend(told);
    points.extend(steps().filter(|(_, step)| step.role == Role::Interference).map(point));
    points.push(point((used_at, used)));
    Some(points)
}

fn cycle(witness: &Witness) -> Option<Cycle> {
    let mut edges = Vec::new();
    let steps: Vec<&Step> = witness.steps.iter().take(STEPS).collect();
    for (i, pair) in steps.windows(2).enumerate() {
        if let [holds, wants] = pair
            && (holds.role, wants.role) == (Role::Holds, Role::Wants)
            && holds.thread == wants.thread
        {
            edges.push(Edge {
                thread: holds.thread.clone(),
                holds: holds.target.clone(),
                took: i,
                wants: wants.target.clone(),
                asked: i + 1,
            });
        }
    }
    (!edges.is_empty()).then_some(Cycle { edges })
}
