//! Judges of the data-race detectors: the definitions taken literally, on the graph of all events.
//!
//! `fasttrack`: two conflicting accesses of different threads, neither of which reaches the other. `eraser` and
//! `racer`: the state machines of Figure 5 with plain sets of locks, every access remembered, and the order without
//! lock edges. Nothing here is shared with the detectors but the events.

use std::collections::{BTreeMap, BTreeSet};

use detect::on_trace::by_name;
use detect::{Analysis, Options, Spec};
use events::{Event, Mode, Op, Symbols, ThreadId, VarId};

use crate::random::{Random, Shape, trace};

/// For each event the events that come before it.
struct Before {
    sets: Vec<Vec<u64>>,
}

impl Before {
    fn new(events: &[Event], lock_edges: bool) -> Self {
        let words = events.len().div_ceil(64);
        let mut sets: Vec<Vec<u64>> = Vec::new();
        for (i, event) in events.iter().enumerate() {
            let mut set = vec![0; words];
            for (j, earlier) in events[..i].iter().enumerate().rev() {
                if set[j / 64] >> (j % 64) & 1 == 0 && edge(earlier, event, lock_edges) {
                    set[j / 64] |= 1 << (j % 64);
                    set.iter_mut().zip(&sets[j]).for_each(|(mine, theirs)| *mine |= theirs);
                }
            }
            sets.push(set);
        }
        Self { sets }
    }

    fn holds(&self, earlier: usize, later: usize) -> bool {
        self.sets[later][earlier / 64] >> (earlier % 64) & 1 == 1
    }
}

/// Whether the first of two events directly orders the second.
fn edge(first: &Event, second: &Event, lock_edges: bool) -> bool {
    if first.thread == second.thread {
        return true;
    }
    match (first.op, second.op) {
        (Op::Fork { child }, _) if child == second.thread => true,
        (_, Op::Join { child }) if child == first.thread => true,
        (Op::VolatileWrite { var: a, .. }, Op::VolatileRead { var: b, .. }) => a == b,
        (Op::Signal { on: a }, Op::Observe { on: b }) => a == b,
        (first, second) if lock_edges => match (given(first), taken(second)) {
            (Some((a, gave)), Some((b, took))) => {
                a == b && (gave == Mode::Exclusive || took == Mode::Exclusive)
            }
            _ => false,
        },
        _ => false,
    }
}

fn given(op: Op) -> Option<(u32, Mode)> {
    match op {
        Op::Release { lock, mode } => Some((lock.0, mode)),
        Op::Wait { lock } => Some((lock.0, Mode::Exclusive)),
        _ => None,
    }
}

fn taken(op: Op) -> Option<(u32, Mode)> {
    match op {
        Op::Acquire { lock, mode, .. } => Some((lock.0, mode)),
        Op::Woken { lock } => Some((lock.0, Mode::Exclusive)),
        _ => None,
    }
}

fn access(op: Op) -> Option<(VarId, bool)> {
    match op {
        Op::Read { var } => Some((var, false)),
        Op::Write { var } => Some((var, true)),
        _ => None,
    }
}

fn races(events: &[Event]) -> BTreeSet<VarId> {
    let before = Before::new(events, true);
    let mut racy = BTreeSet::new();
    for (j, second) in events.iter().enumerate() {
        let Some((var, write)) = access(second.op) else { continue };
        for (i, first) in events[..j].iter().enumerate() {
            let Some((other, wrote)) = access(first.op) else { continue };
            if other == var && first.thread != second.thread && (write || wrote) && !before.holds(i, j) {
                racy.insert(var);
            }
        }
    }
    racy
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Machine {
    Eraser,
    Racer,
}

#[derive(Clone, PartialEq, Eq, Default)]
enum State {
    #[default]
    Virgin,
    Exclusive(ThreadId),
    ExclusiveModified(ThreadId),
    Shared,
    SharedModified,
}

#[derive(Default)]
struct Variable {
    state: State,
    /// None: all locks there are.
    candidates: Option<BTreeSet<u32>>,
    /// Whether two accesses since the last fresh start were rivals.
    paired: bool,
    /// All accesses since the last fresh start: event, whether it wrote, locks.
    accesses: Vec<(usize, bool, BTreeSet<u32>)>,
}

impl Variable {
    fn refine(&mut self, locks: &BTreeSet<u32>) {
        self.candidates = Some(match &self.candidates {
            None => locks.clone(),
            Some(old) => old & locks,
        });
    }

    fn step(&mut self, machine: Machine, thread: ThreadId, write: bool, locks: &BTreeSet<u32>) {
        use State::*;
        let (next, refine) = match (machine, &self.state) {
            (Machine::Eraser, Virgin) => (Exclusive(thread), false),
            (Machine::Eraser, Exclusive(owner)) if *owner == thread => (Exclusive(thread), false),
            (Machine::Eraser, Exclusive(_)) => (if write { SharedModified } else { Shared }, true),
            (Machine::Racer, Virgin) => {
                (if write { ExclusiveModified(thread) } else { Exclusive(thread) }, true)
            }
            (Machine::Racer, Exclusive(owner)) if *owner == thread => {
                (if write { ExclusiveModified(thread) } else { Exclusive(thread) }, true)
            }
            (Machine::Racer, Exclusive(_)) => (if write { SharedModified } else { Shared }, true),
            (_, ExclusiveModified(owner)) if *owner == thread => (ExclusiveModified(thread), true),
            (_, ExclusiveModified(_)) => (SharedModified, true),
            (_, Shared) => (if write { SharedModified } else { Shared }, true),
            (_, SharedModified) => (SharedModified, true),
        };
        self.state = next;
        if refine {
            self.refine(locks);
        }
    }
}

fn lock_set_races(events: &[Event], machine: Machine, paper: bool) -> BTreeSet<VarId> {
    let before = Before::new(events, false);
    let mut held: BTreeMap<ThreadId, BTreeMap<u32, Mode>> = BTreeMap::new();
    let mut variables: BTreeMap<VarId, Variable> = BTreeMap::new();
    let mut reported = BTreeSet::new();
    for (now, event) in events.iter().enumerate() {
        let mine = held.entry(event.thread).or_default();
        if let Some((lock, mode)) = taken(event.op) {
            mine.insert(lock, mode);
        }
        if let Some((lock, _)) = given(event.op) {
            mine.remove(&lock);
        }
        let Some((var, write)) = access(event.op) else { continue };
        let locks: BTreeSet<u32> = mine
            .iter()
            .filter(|&(_, &mode)| !write || mode == Mode::Exclusive)
            .map(|(&lock, _)| lock)
            .collect();
        let variable = variables.entry(var).or_default();
        let earlier = &variable.accesses;
        if !paper
            && earlier.iter().all(|&(i, ..)| before.holds(i, now))
            && earlier.iter().any(|&(i, ..)| events[i].thread != event.thread)
        {
            *variable = Variable::default();
        }
        variable.step(machine, event.thread, write, &locks);
        variable.paired |= variable.accesses.iter().any(|(i, wrote, others)| {
            events[*i].thread != event.thread
                && (write || *wrote)
                && !before.holds(*i, now)
                && others.is_disjoint(&locks)
        });
        if variable.state == State::SharedModified
            && variable.candidates.as_ref().is_some_and(BTreeSet::is_empty)
            && (paper || variable.paired)
        {
            reported.insert(var);
        }
        variable.accesses.push((now, write, locks));
    }
    reported
}

fn found(spec: &'static Spec, paper: bool, events: &[Event], symbols: &Symbols) -> BTreeSet<VarId> {
    let options = Options { paper, ..Options::default() };
    let mut analysis = Analysis::new(&[spec], &options);
    analysis.batch(events, symbols).unwrap();
    let report = analysis.finish(symbols).unwrap();
    let names: BTreeSet<&str> = report.findings().map(|finding| finding.subject.as_str()).collect();
    symbols
        .variables()
        .iter()
        .map(|(var, _)| var)
        .filter(|&var| names.contains(symbols.variable_name(var).as_str()))
        .collect()
}

const SHAPES: [Shape; 6] = [
    Shape::SMALL,
    Shape { events: 25, vars: 2, disciplined: 80, ..Shape::SMALL },
    Shape { events: 70, threads: 5, locks: 3, vars: 6, disciplined: 90, ..Shape::SMALL },
    Shape {
        events: 40,
        forks: false,
        volatiles: 0,
        channels: 0,
        disciplined: 95,
        locking: 40,
        ..Shape::SMALL
    },
    Shape { events: 60, threads: 4, volatiles: 3, channels: 3, writes: 25, vars: 5, ..Shape::SMALL },
    Shape { events: 40, threads: 2, locks: 4, vars: 4, locking: 60, disciplined: 30, ..Shape::SMALL },
];

/// Compares on random traces of all shapes and checks that a fair share of them has a finding.
fn compare(traces: u64, detector: &str, paper: bool, judge: impl Fn(&[Event]) -> BTreeSet<VarId>) {
    let spec = by_name(detector).expect("the detector is listed");
    let mut positive = 0;
    for seed in 0..traces {
        let shape = &SHAPES[(seed % SHAPES.len() as u64) as usize];
        let (symbols, events) = trace(&mut Random::new(seed + 1), shape);
        let expected = judge(&events);
        let found = found(spec, paper, &events, &symbols);
        assert_eq!(found, expected, "{} found, the judge expected; seed {seed}, {shape:?}", spec.name);
        positive += u64::from(!expected.is_empty());
    }
    let share = positive * 100 / traces;
    println!("{} (paper: {paper}): {share} % of {traces} traces have a finding", spec.name);
    assert!((20..=80).contains(&share), "{share} % of the traces have a finding");
}

#[test]
fn fasttrack_finds_exactly_the_variables_with_unordered_accesses() {
    compare(24_000, "fasttrack", false, races);
}

#[test]
fn eraser_finds_exactly_what_its_definition_says() {
    compare(12_000, "eraser", false, |events| lock_set_races(events, Machine::Eraser, false));
}

#[test]
fn eraser_in_the_papers_mode_finds_exactly_what_figure_5a_says() {
    compare(6_000, "eraser", true, |events| lock_set_races(events, Machine::Eraser, true));
}

#[test]
fn racer_finds_exactly_what_its_definition_says() {
    compare(12_000, "racer", false, |events| lock_set_races(events, Machine::Racer, false));
}

#[test]
fn racer_in_the_papers_mode_finds_exactly_what_figure_5b_says() {
    compare(6_000, "racer", true, |events| lock_set_races(events, Machine::Racer, true));
}
