//! The string of movers of a block that is not atomic.
//!
//! The witness tells where the block was entered, where it committed and where it was broken. What it took in between
//! and holds at one of these steps it has taken before: a right-mover.

use super::{LOCKS, Move, Phase, STEPS};
use crate::picture::moments::act;
use crate::picture::short;
use crate::{Act, Frame, Mover, Role, Step, Witness};

/// The moves and the steps whose stacks show them.
pub(super) fn moves(witness: &Witness) -> Option<(Vec<Move>, Vec<usize>)> {
    let find = |role: Role| {
        let mut steps = witness.steps.iter().enumerate().take(STEPS);
        steps.find(|(_, step)| step.role == role)
    };
    let entered = find(Role::BlockEntered);
    let (commit, violation) = (find(Role::Commit)?, find(Role::Violation)?);
    let held_before: &[String] = entered.map_or(&[], |(_, step)| &step.locks);
    let mut moves = Vec::new();
    let mut taken: Vec<&String> = Vec::new();
    // At a release the lock itself is not held any more, but was.
    let given = (act(commit.1) == Act::Release).then_some(&commit.1.target).filter(|lock| !lock.is_empty());
    for lock in commit.1.locks.iter().take(LOCKS).chain(given) {
        if !held_before.contains(lock) && !taken.contains(&lock) {
            taken.push(lock);
            moves.push(Move {
                mover: Mover::Right,
                phase: Phase::Before,
                words: format!("takes {}", short(lock)),
                at: taken_at(&[commit.1, violation.1], lock),
                step: None,
            });
        }
    }
    for ((at, step), phase) in [(commit, Phase::Commit), (violation, Phase::Violation)] {
        moves.push(Move {
            mover: step.mover.unwrap_or_else(|| mover(step)),
            phase,
            words: words(step),
            at: step.place.clone(),
            step: Some(at),
        });
    }
    let stacks = [entered, Some(commit), Some(violation)].into_iter().flatten().map(|(at, _)| at).collect();
    Some((moves, stacks))
}

/// Where a lock was taken, as far as one of the steps tells.
fn taken_at(steps: &[&Step], lock: &String) -> Frame {
    let mut all = steps.iter().flat_map(|step| &step.taken);
    all.find(|taken| taken.lock == *lock && !taken.example).map(|taken| taken.at.clone()).unwrap_or_default()
}

/// How an operation of this kind moves in general.
fn mover(step: &Step) -> Mover {
    match act(step) {
        Act::Acquire | Act::Join | Act::Observe => Mover::Right,
        Act::Release | Act::Start | Act::Signal => Mover::Left,
        _ => Mover::Neither,
    }
}

fn words(step: &Step) -> String {
    let name = short(&step.target);
    let verb = match act(step) {
        Act::Acquire => "takes",
        Act::Release => "gives up",
        Act::Read => "reads",
        Act::Write => "writes",
        Act::Update => "updates",
        Act::Start => "starts",
        Act::Join => "waits for the end of",
        Act::Signal => "signals",
        Act::Observe => "waits for",
        _ if step.target.is_empty() => return step.note.strip_prefix("at ").unwrap_or("goes on").to_owned(),
        _ => "uses",
    };
    if name.is_empty() { verb.to_owned() } else { format!("{verb} {name}") }
}
