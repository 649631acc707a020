//! The pictures of a finding, with names and frames as numbers into the tables.

use serde::Serialize;

use super::tables::{Name, Tables};
use crate::picture::{Explanation, Kind, Mark, Moment, Phase, Picture};
use crate::{Finding, Frame, Role, Witness};

/// What the page draws.
#[derive(Serialize)]
pub(super) struct Drawn {
    /// Which witness the table and the lanes show.
    witness: usize,
    /// Name, and whether nobody in particular is meant.
    threads: Vec<(Name, u8)>,
    moments: Vec<Row>,
    #[serde(skip_serializing_if = "super::data::is_zero")]
    left_out: usize,
    /// Thread, lock, first and last moment, how many bars lie below.
    bars: Vec<(usize, Name, usize, Option<usize>, usize)>,
    /// From and to which moment, what it says and about what.
    arrows: Vec<(usize, usize, Kind, Name)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unordered: Option<(usize, usize)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Explained>,
}

/// A moment: thread, target, words, place, whether that is an example, locks held, why it matters.
#[derive(Serialize)]
struct Row(usize, Name, Name, u32, u8, Vec<Name>, Mark);

/// An access: thread, role, place, locks, locks left.
type Access = (Name, Role, u32, Vec<Name>, Vec<Name>);

/// What is particular to the rule.
#[derive(Serialize)]
#[serde(untagged)]
enum Explained {
    /// Why no lock keeps the sides apart, and how the locks in common became fewer.
    Race { why: Name, narrowing: Vec<Access> },
    /// Thread, role, lock, place, what it uses.
    Views {
        fields: Vec<Name>,
        rows: Vec<(Name, Role, Name, u32, Vec<u8>)>,
        pair: Option<(usize, usize)>,
        diverging: Option<(usize, usize)>,
    },
    /// Role, thread, target, place.
    Stale { points: Vec<(Role, Name, Name, u32)> },
    /// Letter, phase, words, place.
    Movers { moves: Vec<(char, Phase, Name, u32)> },
    /// Thread, lock held, lock wanted, and where.
    Cycle { edges: Vec<(Name, Name, Name, u32, u32)> },
}

/// Draws a finding, if there is anything to draw.
pub(super) fn drawn(finding: &Finding, tables: &mut Tables<'_>) -> Option<Drawn> {
    let picture = Picture::of(finding)?;
    let table = &picture.interleaving;
    let threads = table.threads.iter().map(|thread| (tables.name(&thread.name), u8::from(thread.imagined)));
    let threads = threads.collect();
    let moments = table.moments.iter().map(|moment| row(moment, tables)).collect();
    let mut bars = Vec::new();
    for lane in &picture.lanes.lanes {
        for bar in &lane.bars {
            bars.push((lane.thread, tables.name(&bar.lock), bar.from, bar.to, bar.depth));
        }
    }
    let arrows = picture.lanes.arrows.iter();
    let arrows =
        arrows.map(|arrow| (arrow.from.moment, arrow.to.moment, arrow.kind, tables.name(&arrow.about)));
    let arrows = arrows.collect();
    let explained_by = finding.witnesses.get(picture.explained_by);
    Some(Drawn {
        witness: picture.witness,
        threads,
        moments,
        left_out: table.left_out,
        bars,
        arrows,
        unordered: picture.lanes.unordered,
        explanation: picture.explanation.as_ref().map(|one| explained(one, explained_by, tables)),
    })
}

fn row(moment: &Moment, tables: &mut Tables<'_>) -> Row {
    Row(
        moment.thread,
        tables.name(&moment.target),
        tables.name(&moment.words),
        tables.frame(&moment.at),
        u8::from(moment.example),
        tables.names(&moment.held),
        moment.mark,
    )
}

fn explained(explanation: &Explanation, witness: Option<&Witness>, tables: &mut Tables<'_>) -> Explained {
    match explanation {
        Explanation::DataRace(race) => {
            let why = race.apart.as_ref().map_or(0, |apart| tables.name(&apart.words()));
            let narrowing = race.narrowing.iter().take(LENGTH).map(|one| {
                let locks = tables.names(one.locks.iter().take(LENGTH));
                let left = tables.names(one.left.iter().take(LENGTH));
                (tables.name(&one.thread), one.role, tables.frame(&one.at), locks, left)
            });
            Explained::Race { why, narrowing: narrowing.collect() }
        }
        Explanation::HighLevelRace(matrix) => {
            let rows = matrix.rows.iter().map(|row| {
                let uses = row.uses.iter().map(|used| u8::from(*used)).collect();
                (tables.name(&row.thread), row.role, tables.name(&row.lock), tables.frame(&row.at), uses)
            });
            let rows = rows.collect();
            let fields = tables.names(&matrix.fields);
            Explained::Views { fields, rows, pair: matrix.pair, diverging: matrix.diverging }
        }
        Explanation::StaleValue { points } => {
            let points = points.iter().map(|point| {
                (point.role, tables.name(&point.thread), tables.name(&point.target), tables.frame(&point.at))
            });
            Explained::Stale { points: points.collect() }
        }
        Explanation::NonAtomic { moves, .. } => {
            let moves = moves
                .iter()
                .map(|one| (one.mover.letter(), one.phase, tables.name(&one.words), tables.frame(&one.at)));
            Explained::Movers { moves: moves.collect() }
        }
        Explanation::LockOrder(cycle) => {
            let steps = witness.map_or(&[][..], |witness| &witness.steps);
            let place = |step: usize| steps.get(step).map_or_else(Frame::default, |step| step.place.clone());
            let edges = cycle.edges.iter().map(|edge| {
                let locks = (tables.name(&edge.holds), tables.name(&edge.wants));
                let places = (tables.frame(&place(edge.took)), tables.frame(&place(edge.asked)));
                (tables.name(&edge.thread), locks.0, locks.1, places.0, places.1)
            });
            Explained::Cycle { edges: edges.collect() }
        }
    }
}

/// Accesses told of one variable: more than anybody reads.
const LENGTH: usize = 64;
