//! Lock order in code: places that take the same locks in different orders, so that threads can block each other for ever.
//!
//! The lock graph of the code (as `lock-graph` has that of a run): an edge from each lock that may be held to each lock
//! that is taken then, by the method itself or by what it calls. Locks are told apart by the place that makes them, static
//! ones by their field. A report is a cycle of edges
//! - that different threads may run at the same time,
//! - with no gate: no common lock that is sure to be held at two of the edges,
//! - where each lock is held alone by one side or wanted alone by the other.
//!
//! A lock that is held already (by the path that leads to it) is only taken again. Two objects from one place are a
//! cycle of their own where a method locks two of its parameters: callers may swap them. Both orders in one method mean
//! that it chooses one, and are none. `tryLock` makes no edge, but is held.
//!
//! One finding for each set of locks; a set that contains the locks of a shorter cycle is left out. High confidence: two
//! locks of which there is but one each, as static ones, and threads that the program itself starts. What it misses: calls with many targets or more than five
//! deep, cycles of more than four locks, locks that a method leaves held. It is wrong where the objects of one place are
//! never shared by the two sides, or where something else keeps the threads apart.

mod edges;
mod names;
#[cfg(test)]
mod tests;

use findings::{Confidence, Role, Rule};
use rustc_hash::{FxHashMap, FxHashSet};

use self::edges::{Edge, Node, edges};
use self::names::names;
use super::locks::Mode;
use super::locks::keys::have_common;
use super::{Code, CodeSpec, Evidence, Out, StepAt, Subject, Way, circles};
use crate::Options;

/// The check for lock-order cycles.
pub static SPEC: CodeSpec = CodeSpec {
    name: "lock-order-code",
    about: "lock-order cycles in code: locks that different places take in different orders",
    explain: "Wherever code takes a lock while it may hold another, itself or in what it calls, the two get an edge in \
the lock graph. A cycle is a possible deadlock: each thread holds what the next one wants. The program need not run.\n\
\n\
Left out are cycles that cannot block: edges that only one thread runs; a common outer lock (a gate); two readers of \
a read/write lock; a lock that is held already; tryLock, which gives up. A method that locks two of its parameters \
is a cycle of its own, since another thread may pass them the other way round; if it takes them in both orders it \
chooses one, and is left out.\n\
\n\
Locks are told apart by the place that makes them, so the two sides may in truth never share an object: two \
locks of which there is but one each, as static ones, are reported with high confidence if the program starts threads, \
others with medium, and with low in a library, where nothing is known of the threads. Cycles of more than four locks, calls with many possible targets and chains of \
more than five calls are not followed.",
    rules: &[Rule::LockOrder],
    check,
};

/// Longer cycles are not looked for.
const LONGEST: usize = 4;
/// How many edges between two locks are tried.
const TRIED: usize = 6;
/// How many cycles are looked at before the rest is a gap.
const MOST_STEPS: usize = 2_000_000;

fn check(code: &Code, _options: &Options, out: &mut Out<'_>) {
    let (edges, cut) = edges(code);
    let mut from: FxHashMap<&Node, Vec<usize>> = FxHashMap::default();
    let mut between: FxHashMap<(&Node, &Node), usize> = FxHashMap::default();
    for (number, edge) in edges.iter().enumerate() {
        let count = between.entry((&edge.from, &edge.to)).or_default();
        *count += 1;
        if *count <= TRIED {
            from.entry(&edge.from).or_default().push(number);
        }
    }
    let mut told: Vec<FxHashSet<&Node>> = Vec::new();
    for edge in edges.iter().filter(|edge| edge.from == edge.to) {
        if is_swap(code, edge, &edges) && !told.iter().any(|told| told.contains(&edge.from)) {
            tell(code, &[edge, edge], out);
            told.push(FxHashSet::from_iter([&edge.from]));
        }
    }
    let mut steps = 0;
    for length in 2..=LONGEST {
        for (start, first) in edges.iter().enumerate().filter(|(_, edge)| edge.from != edge.to) {
            let mut search = Search { code, edges: &edges, from: &from, steps: &mut steps, length };
            let mut chain = vec![start];
            if !search.close(first, &mut chain) {
                continue;
            }
            let cycle: Vec<&Edge> = chain.iter().filter_map(|number| edges.get(*number)).collect();
            let nodes: FxHashSet<&Node> = cycle.iter().map(|edge| &edge.from).collect();
            if told.iter().any(|told| told.is_subset(&nodes)) {
                continue;
            }
            tell(code, &cycle, out);
            told.push(nodes);
        }
    }
    let untried = between.values().filter(|count| **count > TRIED).count();
    let gaps = [
        (cut.wide, "calls with many possible targets that take locks"),
        (cut.deep.len(), "places that take a lock below a long chain of calls"),
        (cut.full.len(), "methods below which many locks are taken"),
        (cut.vague, "places that take a lock which may be many objects"),
        (untried, "pairs of locks that are nested in many places"),
        (longer(&edges, &told), "groups of more than four locks that lead back to themselves"),
    ];
    for (count, what) in gaps.into_iter().filter(|(count, _)| *count > 0) {
        out.gap(what, "lock-order-code does not follow all of them", count as u64);
    }
    if steps >= MOST_STEPS {
        out.gap("lock-order cycles", "there are too many nested locks to look at all of them", 1);
    }
}

/// How many groups of locks only a longer cycle than any that was told leads around.
fn longer(edges: &[Edge], told: &[FxHashSet<&Node>]) -> usize {
    let mut next: FxHashMap<&Node, Vec<&Node>> = FxHashMap::default();
    for edge in edges.iter().filter(|edge| edge.from != edge.to) {
        next.entry(&edge.from).or_default().push(&edge.to);
    }
    let mut all: Vec<&Node> = next.keys().copied().collect();
    all.sort_unstable();
    let is_told = |circle: &Vec<&Node>| {
        let circle: FxHashSet<&Node> = circle.iter().copied().collect();
        told.iter().any(|told| told.is_subset(&circle))
    };
    let circles = circles::of(&all, &next);
    circles.iter().filter(|circle| circle.len() > LONGEST && !is_told(circle)).count()
}

struct Search<'s> {
    code: &'s Code,
    edges: &'s [Edge],
    from: &'s FxHashMap<&'s Node, Vec<usize>>,
    steps: &'s mut usize,
    length: usize,
}

impl Search<'_> {
    /// Looks for edges that lead back to the first one's lock.
    fn close(&mut self, last: &Edge, chain: &mut Vec<usize>) -> bool {
        let Some(first) = chain.first().and_then(|first| self.edges.get(*first)) else { return false };
        let next = self.from.get(&last.to).map(Vec::as_slice).unwrap_or_default();
        for number in next {
            *self.steps += 1;
            if *self.steps >= MOST_STEPS {
                return false;
            }
            let Some(edge) = self.edges.get(*number) else { continue };
            let closes = edge.to == first.from;
            let is_last = chain.len() + 1 == self.length;
            let others = chain.iter().filter_map(|other| self.edges.get(*other));
            let again = || others.clone().any(|other| other.from == edge.to) && !closes;
            if closes != is_last || again() || !others.clone().all(|other| can_meet(self.code, other, edge)) {
                continue;
            }
            if !blocks(last, edge) || closes && !blocks(edge, first) {
                continue;
            }
            // One place with two objects: that they come in both orders is not said anywhere, unless callers choose.
            let is_same = |other: &Edge| (other.hold, other.take) == (edge.hold, edge.take);
            if others.clone().any(is_same) && edge.swappable.is_none() {
                continue;
            }
            chain.push(*number);
            if closes || self.close(edge, chain) {
                return true;
            }
            chain.pop();
        }
        false
    }
}

/// Can two threads be at both edges at the same time?
fn can_meet(code: &Code, one: &Edge, other: &Edge) -> bool {
    let single = [&one.from, &one.to, &other.from, &other.to].into_iter().all(|node| node.is_one(code));
    !have_common(code, &one.gates, &other.gates, single)
        && code.sharing.may_overlap(one.hold.method, other.hold.method)
}

/// Does one who wants the lock wait for one who holds it?
fn blocks(wants: &Edge, holds: &Edge) -> bool {
    wants.modes.1 == Mode::Alone || holds.modes.0 == Mode::Alone
}

/// Does a method lock two parameters that a caller may swap, in one order only? (What is one object is never two.)
fn is_swap(code: &Code, edge: &Edge, edges: &[Edge]) -> bool {
    let Some((one, other)) = edge.swappable else { return false };
    let both = edges
        .iter()
        .any(|found| found.hold.method == edge.hold.method && found.swappable == Some((other, one)));
    !both && code.sharing.is_run_by_many(edge.hold.method) && blocks(edge, edge)
}

fn tell(code: &Code, cycle: &[&Edge], out: &mut Out<'_>) {
    let Some(first) = cycle.first() else { return };
    let fixed = cycle.iter().all(|edge| edge.sure && edge.from.is_one(code));
    let confidence = match (code.starts_threads(), fixed && cycle.len() == 2) {
        (true, true) => Confidence::High,
        (true, false) | (false, true) => Confidence::Medium,
        (false, false) => Confidence::Low,
    };
    let ways: Vec<Option<Way>> = match cycle {
        [one, other] => {
            let (one, other) = code.two_ways(one.hold.method, other.hold.method);
            vec![one, other]
        }
        _ => cycle.iter().map(|edge| code.ways(edge.hold.method, 1).pop()).collect(),
    };
    let mut steps = Vec::new();
    for (edge, way) in cycle.iter().zip(ways) {
        let mut hold = StepAt::new(Role::Holds, edge.hold);
        hold.target.clone_from(&edge.names.0);
        hold.way.clone_from(&way);
        let mut want = StepAt::new(Role::Wants, edge.take);
        want.target.clone_from(&edge.names.1);
        want.locks.push(edge.names.0.clone());
        want.way = way.map(|way| {
            let mut stack: Vec<_> =
                edge.calls.iter().rev().map(|call| code.frame(call.method, Some(call.inst))).collect();
            stack.extend(way.stack);
            Way { stack, ..way }
        });
        steps.extend([hold, want]);
    }
    let mut notes = Vec::new();
    if cycle.iter().all(|edge| edge.from == edge.to) {
        notes.push("another thread may pass the two objects the other way round".to_owned());
    }
    out.add(Evidence {
        rule: Rule::LockOrder,
        subject: Subject::Locks(names(code, cycle)),
        confidence,
        message: "threads can take these locks in different orders and then wait for each other for ever"
            .into(),
        at: first.take,
        steps,
        notes,
        advice: "Take the locks in the same order everywhere, or under one common lock".into(),
    });
}
