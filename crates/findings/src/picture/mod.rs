//! Pictures of a finding, as plain data: what a table, a matrix or a drawing shows, without any rendering.
//!
//! The [`Interleaving`] is an order of steps in which the defect happens; every rule has one. The [`Explanation`] is what
//! is particular to the rule. The [`Lanes`] are the interleaving seen thread by thread, with the locks held as bars and
//! with arrows for what has to come first.
//!
//! Everything is computed from the finding, which may be an old one or a damaged one: what is missing is left out, and
//! what is too much is cut. Names are as they came, to be escaped by whoever renders them.

mod explanation;
mod interleaving;
mod lanes;
mod moments;
mod names;
#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::{Finding, Origin, Witness};

pub use explanation::{Apart, Cycle, Edge, Explanation, Matrix, Move, Phase, Point, Race, Row};
pub use interleaving::{Interleaving, Mark, Moment, Thread};
pub use lanes::{Arrow, Bar, Kind, Lane, Lanes, Port};
pub use names::short;

/// Steps of a witness that are looked at, and locks of a step: no detector tells so many.
const STEPS: usize = 64;
const LOCKS: usize = 16;

/// All pictures of a finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Picture {
    /// Which of the finding's witnesses the interleaving and the lanes show.
    pub witness: usize,
    /// The order in which the defect happens.
    pub interleaving: Interleaving,
    /// Which of the finding's witnesses the explanation rests on.
    pub explained_by: usize,
    /// What is particular to the rule; none where the witness does not tell enough.
    pub explanation: Option<Explanation>,
    /// The interleaving, thread by thread.
    pub lanes: Lanes,
}

impl Picture {
    /// The pictures of a finding: the interleaving of the surest witness, the explanation of the one that tells most. None
    /// if no witness has a step.
    pub fn of(finding: &Finding) -> Option<Picture> {
        let witness = finding.witnesses.iter().position(|witness| !witness.steps.is_empty())?;
        let interleaving = Interleaving::of(finding.rule, finding.witnesses.get(witness)?);
        let lanes = Lanes::of(finding.rule, &interleaving);
        let (explained_by, explanation) = match Explanation::best(finding) {
            Some((by, explanation)) => (by, Some(explanation)),
            None => (witness, None),
        };
        Some(Picture { witness, interleaving, explained_by, explanation, lanes })
    }

    /// The interleaving of one witness.
    pub fn interleaving(finding: &Finding, witness: &Witness) -> Interleaving {
        Interleaving::of(finding.rule, witness)
    }
}

/// Where a thread comes from.
fn origin<'a>(witness: &'a Witness, thread: &str) -> Option<&'a Origin> {
    witness.threads.iter().find(|origin| origin.thread == thread)
}
