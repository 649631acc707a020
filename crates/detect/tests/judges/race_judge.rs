//! Judges of the data-race detectors: the definitions taken literally, on the graph of all events.
//!
//! `fasttrack`: two conflicting accesses of different threads, neither of which reaches the other. `eraser` and
//! `racer`: the state machines of Figure 5 with plain sets of locks, every access remembered, and the order without
//! lock edges, with that of waiting. Nothing here is shared with the detectors but the events.

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
        let waits = if lock_edges { Vec::new() } else { waits(events) };
        let mut sets: Vec<Vec<u64>> = Vec::new();
        for (i, event) in events.iter().enumerate() {
            let mut set = vec![0; words];
            for (j, earlier) in events[..i].iter().enumerate().rev() {
                let waited = waits.iter().any(|wait| wait.orders(j, i, events));
                if set[j / 64] >> (j % 64) & 1 == 0 && (edge(earlier, event, lock_edges) || waited) {
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

/// A thread waits at a lock from one event to another, if it ever goes on.
pub struct Wait {
    begin: usize,
    end: usize,
    lock: u32,
    /// Whether the thread has written anything since it last took a lock.
    announced: bool,
}

impl Wait {
    /// Whether the first of two events orders the second because of this.
    pub fn orders(&self, first: usize, second: usize, events: &[Event]) -> bool {
        let meanwhile = |event: usize| self.begin < event && event < self.end;
        let of_lock = |op: Option<(u32, Mode)>| op.is_some_and(|(lock, _)| lock == self.lock);
        second == self.end
            && meanwhile(first)
            && of_lock(given(events[first].op))
            && has_written(events, first)
            || self.announced && first == self.begin && meanwhile(second) && of_lock(taken(events[second].op))
    }
}

/// Whether the thread of an event has written something since it took a lock.
fn has_written(events: &[Event], at: usize) -> bool {
    let mine = events[..at].iter().rev().filter(|event| event.thread == events[at].thread);
    mine.take_while(|event| taken(event.op).is_none()).any(|event| matches!(event.op, Op::Write { .. }))
}

/// All waiting in a trace.
pub fn waits(events: &[Event]) -> Vec<Wait> {
    let mut all = Vec::new();
    for (begin, event) in events.iter().enumerate() {
        let Op::Wait { lock } = event.op else { continue };
        let of_thread = |i: &usize| events[*i].thread == event.thread;
        let end = (begin + 1..events.len()).find(of_thread).unwrap_or(events.len());
        all.push(Wait { begin, end, lock: lock.0, announced: has_written(events, begin) });
    }
    all
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
    /// Who has had it since the last hand-over, whether there was any, and whether it was taken away since.
    had_by: BTreeSet<ThreadId>,
    handed_over: bool,
    taken_away: bool,
    /// Whether the last fresh start was because an object changed hands under a lock.
    moved: bool,
}

impl Variable {
    /// The locks that all accesses had in common.
    fn common(&self) -> BTreeSet<u32> {
        let all = self.accesses.iter().map(|(_, _, locks)| locks.clone());
        all.reduce(|a, b| &a & &b).unwrap_or_default()
    }

    /// How the variable starts afresh with an access, if it does.
    fn afresh(
        &self,
        (now, write, locks): (usize, bool, &BTreeSet<u32>),
        events: &[Event],
        hand_over: &Before,
        full: &Before,
    ) -> Option<Variable> {
        let me = events[now].thread;
        let others: Vec<_> = self.accesses.iter().filter(|(i, ..)| events[*i].thread != me).collect();
        let (first, ..) = self.accesses.first()?;
        let owner = events[*first].thread;
        let is_alone = self.accesses.iter().all(|&(i, ..)| events[i].thread == owner);
        if others.is_empty() {
            return None;
        }
        if self.accesses.iter().all(|&(i, ..)| hand_over.holds(i, now)) {
            return Some(Variable { handed_over: true, ..Variable::default() });
        }
        if is_alone {
            let is_new = !self.handed_over && !hand_over.holds(*first, now);
            let is_filled = !self.had_by.is_empty() || self.accesses.iter().any(|(_, wrote, _)| *wrote);
            let is_published = is_filled
                && !self.had_by.contains(&me)
                && full.holds(*first, now)
                && self.common().is_disjoint(locks)
                && (is_new || !self.common().is_empty());
            let had_by = self.had_by.iter().copied().chain([owner]).collect();
            let (handed_over, taken_away) = (self.handed_over, self.taken_away);
            let published = Variable { had_by, handed_over, taken_away, moved: true, ..Variable::default() };
            return is_published.then_some(published);
        }
        let has_rival = others.iter().any(|(i, wrote, held)| {
            (write || *wrote) && !hand_over.holds(*i, now) && held.is_disjoint(locks)
        });
        let knows = |thread: ThreadId| (0..now).any(|i| events[i].thread == thread && full.holds(i, now));
        let takes_away = has_rival
            && !self.paired
            && !self.taken_away
            && locks.is_empty()
            && !self.common().is_empty()
            && others.iter().all(|&&(i, ..)| knows(events[i].thread));
        let had_by = events.iter().map(|event| event.thread).collect();
        let (handed_over, taken_away, moved) = (true, true, true);
        takes_away.then_some(Variable { had_by, handed_over, taken_away, moved, ..Variable::default() })
    }

    fn add(&mut self, now: usize, write: bool, locks: BTreeSet<u32>, events: &[Event], hand_over: &Before) {
        self.paired |= self.accesses.iter().any(|(i, wrote, others)| {
            events[*i].thread != events[now].thread
                && (write || *wrote)
                && !hand_over.holds(*i, now)
                && others.is_disjoint(&locks)
        });
        self.accesses.push((now, write, locks));
    }

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

/// The variable of each access, and how often it had started afresh by then.
pub fn generations(events: &[Event], symbols: &Symbols) -> BTreeMap<usize, (VarId, usize)> {
    let (hand_over, full) = (Before::new(events, false), Before::new(events, true));
    let mut variables: BTreeMap<VarId, (usize, Variable)> = BTreeMap::new();
    let mut generations = BTreeMap::new();
    each_access(events, |now, var, write, locks| {
        let (generation, variable) = variables.entry(var).or_default();
        if let Some(fresh) = variable.afresh((now, write, &locks), events, &hand_over, &full)
            && (of_object(symbols)(var) || !fresh.moved)
        {
            *generation += 1;
            *variable = fresh;
        }
        variable.add(now, write, locks, events, &hand_over);
        generations.insert(now, (var, *generation));
    });
    generations
}

/// Shows each access with the locks that protect it.
fn each_access(events: &[Event], mut show: impl FnMut(usize, VarId, bool, BTreeSet<u32>)) {
    let mut held: BTreeMap<ThreadId, BTreeMap<u32, Mode>> = BTreeMap::new();
    for (now, event) in events.iter().enumerate() {
        let mine = held.entry(event.thread).or_default();
        if let Some((lock, mode)) = taken(event.op) {
            mine.insert(lock, mode);
        }
        if let Some((lock, _)) = given(event.op) {
            mine.remove(&lock);
        }
        let Some((var, write)) = access(event.op) else { continue };
        let protect = mine.iter().filter(|&(_, &mode)| !write || mode == Mode::Exclusive);
        show(now, var, write, protect.map(|(&lock, _)| lock).collect());
    }
}

fn lock_set_races(
    events: &[Event],
    machine: Machine,
    paper: bool,
    is_of_object: impl Fn(VarId) -> bool,
) -> BTreeSet<VarId> {
    let before = Before::new(events, false);
    let full = Before::new(events, true);
    let mut variables: BTreeMap<VarId, Variable> = BTreeMap::new();
    let mut reported = BTreeSet::new();
    each_access(events, |now, var, write, locks| {
        let variable = variables.entry(var).or_default();
        if !paper
            && let Some(fresh) = variable.afresh((now, write, &locks), events, &before, &full)
            && (is_of_object(var) || !fresh.moved)
        {
            *variable = fresh;
        }
        variable.step(machine, events[now].thread, write, &locks);
        variable.add(now, write, locks, events, &before);
        if variable.state == State::SharedModified
            && variable.candidates.as_ref().is_some_and(BTreeSet::is_empty)
            && (paper || variable.paired)
        {
            reported.insert(var);
        }
    });
    reported
}

/// What a finding about a variable is about: it has no number of an object.
pub fn subject(symbols: &Symbols, var: VarId) -> String {
    let name = symbols.variable_name(var);
    match name.split_once('@') {
        Some((class, rest)) => format!("{class}.{}", rest.split_once('.').map_or("", |(_, field)| field)),
        None => name,
    }
}

fn found(spec: &'static Spec, paper: bool, events: &[Event], symbols: &Symbols) -> BTreeSet<VarId> {
    let options = Options { paper, ..Options::default() };
    let mut analysis = Analysis::new(&[spec], &options);
    analysis.batch(events, symbols).unwrap();
    let report = analysis.finish(symbols).unwrap();
    let names: BTreeSet<&str> = report.findings().map(|finding| finding.subject.as_str()).collect();
    let vars = symbols.variables().iter().map(|(var, _)| var);
    vars.filter(|&var| names.contains(subject(symbols, var).as_str())).collect()
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
fn compare(traces: u64, detector: &str, paper: bool, judge: impl Fn(&[Event], &Symbols) -> BTreeSet<VarId>) {
    let spec = by_name(detector).expect("the detector is listed");
    let mut positive = 0;
    for seed in 0..traces {
        let objects = seed / SHAPES.len() as u64 % 2 == 1;
        let shape = &Shape { objects, ..SHAPES[(seed % SHAPES.len() as u64) as usize] };
        let (symbols, events) = trace(&mut Random::new(seed + 1), shape);
        let expected = judge(&events, &symbols);
        let found = found(spec, paper, &events, &symbols);
        assert_eq!(found, expected, "{} found, the judge expected; seed {seed}, {shape:?}", spec.name);
        positive += u64::from(!expected.is_empty());
    }
    let share = positive * 100 / traces;
    println!("{} (paper: {paper}): {share} % of {traces} traces have a finding", spec.name);
    assert!((20..=80).contains(&share), "{share} % of the traces have a finding");
}

fn of_object(symbols: &Symbols) -> impl Fn(VarId) -> bool {
    |var| symbols.variables().get(var).object.is_some()
}

#[test]
fn fasttrack_finds_exactly_the_variables_with_unordered_accesses() {
    compare(24_000, "fasttrack", false, |events, _| races(events));
}

#[test]
fn eraser_finds_exactly_what_its_definition_says() {
    compare(12_000, "eraser", false, |events, symbols| {
        lock_set_races(events, Machine::Eraser, false, of_object(symbols))
    });
}

#[test]
fn eraser_in_the_papers_mode_finds_exactly_what_figure_5a_says() {
    compare(6_000, "eraser", true, |events, symbols| {
        lock_set_races(events, Machine::Eraser, true, of_object(symbols))
    });
}

#[test]
fn racer_finds_exactly_what_its_definition_says() {
    compare(12_000, "racer", false, |events, symbols| {
        lock_set_races(events, Machine::Racer, false, of_object(symbols))
    });
}

#[test]
fn racer_in_the_papers_mode_finds_exactly_what_figure_5b_says() {
    compare(6_000, "racer", true, |events, symbols| {
        lock_set_races(events, Machine::Racer, true, of_object(symbols))
    });
}
