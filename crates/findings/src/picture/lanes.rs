//! The interleaving seen thread by thread: locks held as bars, and arrows for what has to come first.
//!
//! Time is the number of the moment. A bar that begins or ends open means that nothing is known of that end.

use serde::Serialize;

use super::interleaving::{Interleaving, Mark};
use crate::{Act, Frame, Rule};

/// All lanes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Lanes {
    /// One a thread, in the order of the interleaving's columns.
    pub lanes: Vec<Lane>,
    /// What has to come first, and who waits for whom.
    pub arrows: Vec<Arrow>,
    /// Two moments that nothing orders, where that is the defect.
    pub unordered: Option<(usize, usize)>,
}

/// One thread.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Lane {
    /// The column of the interleaving.
    pub thread: usize,
    /// Its moments: rows of the interleaving.
    pub moments: Vec<usize>,
    /// The locks that it holds.
    pub bars: Vec<Bar>,
}

/// A lock while a thread holds it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Bar {
    /// The lock.
    pub lock: String,
    /// The moment at which it is taken.
    pub from: usize,
    /// The moment at which it is given up; none if it is still held at the end.
    pub to: Option<usize>,
    /// Where it was taken; empty where that is not known.
    pub at: Frame,
    /// How many bars of this thread are below it, so that none is drawn over another.
    pub depth: usize,
}

/// What an arrow says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// One thread gives a lock up, another one takes it.
    HandOver,
    /// One thread starts another one.
    Start,
    /// The one came before the other in the run.
    Order,
    /// The thread waits for what the other one holds.
    WaitsFor,
}

/// The end of an arrow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Port {
    /// The lane.
    pub thread: usize,
    /// The moment.
    pub moment: usize,
}

/// An arrow from one thread to another.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Arrow {
    /// Where it begins.
    pub from: Port,
    /// Where it ends.
    pub to: Port,
    /// What it says.
    pub kind: Kind,
    /// What it is about: the lock, the variable, the thread.
    pub about: String,
}

impl Lanes {
    /// The lanes of an interleaving.
    pub(super) fn of(rule: Rule, table: &Interleaving) -> Lanes {
        let mut lanes: Vec<Lane> =
            (0..table.threads.len()).map(|thread| Lane { thread, ..Lane::default() }).collect();
        for (at, moment) in table.moments.iter().enumerate() {
            let Some(lane) = lanes.get_mut(moment.thread) else { continue };
            lane.moments.push(at);
            match moment.act {
                Act::Acquire if moment.held.contains(&moment.target) => {
                    let open = lane.bars.iter().filter(|bar| bar.to.is_none());
                    let mut depths: Vec<usize> = open.map(|bar| bar.depth).collect();
                    depths.sort_unstable();
                    // The lowest that is free.
                    let depth = depths.iter().enumerate().find(|&(i, &depth)| i != depth);
                    let depth = depth.map_or(depths.len(), |(i, _)| i);
                    let (lock, frame) = (moment.target.clone(), moment.at.clone());
                    lane.bars.push(Bar { lock, from: at, to: None, at: frame, depth });
                }
                Act::Release => {
                    let mut open = lane.bars.iter_mut().rev().filter(|bar| bar.to.is_none());
                    if let Some(bar) = open.find(|bar| bar.lock == moment.target) {
                        bar.to = Some(at);
                    }
                }
                _ => {}
            }
        }
        let arrows = arrows(table);
        let sides: Vec<usize> = marked(table, Mark::Defect).collect();
        let unordered = match sides[..] {
            [one, .., other] if rule == Rule::DataRace => Some((one, other)),
            _ => None,
        };
        Lanes { lanes, arrows, unordered }
    }
}

fn marked(table: &Interleaving, mark: Mark) -> impl Iterator<Item = usize> {
    let moments = table.moments.iter().enumerate();
    moments.filter(move |(_, moment)| moment.mark == mark).map(|(at, _)| at)
}

fn arrows(table: &Interleaving) -> Vec<Arrow> {
    let mut arrows = Vec::new();
    let port = |moment: usize| table.moments.get(moment).map(|found| Port { thread: found.thread, moment });
    let mut arrow = |from: usize, to: usize, kind, about: &str| {
        if let (Some(from), Some(to)) = (port(from), port(to))
            && from.thread != to.thread
        {
            arrows.push(Arrow { from, to, kind, about: about.to_owned() });
        }
    };
    for (at, moment) in table.moments.iter().enumerate() {
        let later = table.moments.iter().enumerate().skip(at + 1);
        let before = table.moments.iter().enumerate().take(at);
        match moment.act {
            // The next who takes the lock.
            Act::Release => {
                let mut takers =
                    later.filter(|(_, other)| other.act == Act::Acquire && other.target == moment.target);
                if let Some((to, _)) = takers.next() {
                    arrow(at, to, Kind::HandOver, &moment.target);
                }
            }
            Act::Start => {
                let child = |thread: usize| table.threads.get(thread).map(|thread| thread.name.as_str());
                let mut first = later.filter(|(_, other)| child(other.thread) == Some(&moment.target));
                if let Some((to, _)) = first.next() {
                    arrow(at, to, Kind::Start, &moment.target);
                }
            }
            // The last who took it and is another one.
            Act::Want => {
                let mut holders = before.rev().filter(|(_, other)| {
                    other.act == Act::Acquire
                        && other.target == moment.target
                        && other.thread != moment.thread
                });
                if let Some((to, _)) = holders.next() {
                    arrow(at, to, Kind::WaitsFor, &moment.target);
                }
            }
            _ => {}
        }
    }
    // What came in between comes after the commit and before the violation.
    let real = |at: &usize| {
        let thread = table.moments.get(*at).and_then(|moment| table.thread(moment));
        thread.is_some_and(|thread| !thread.imagined)
    };
    let between: Vec<usize> = marked(table, Mark::Interference).filter(real).collect();
    let target = |at: usize| table.moments.get(at).map_or("", |moment| moment.target.as_str());
    let (commit, violation) = (marked(table, Mark::Commit).next(), marked(table, Mark::Violation).next());
    if let (Some(commit), Some(&first)) = (commit, between.first()) {
        arrow(commit, first, Kind::Order, target(first));
    }
    if let (Some(violation), Some(&last)) = (violation, between.last()) {
        arrow(last, violation, Kind::Order, target(last));
    }
    arrows
}
