//! The judge of `flow`: the definition taken literally, on the graph of all events. Nothing here is shared with the
//! detector but the events.

use std::collections::BTreeMap;

use detect::on_trace::by_name;
use detect::{Analysis, Options};
use events::{Event, FlowKind, Mode, Op, Symbols, VarId};
use findings::Confidence;

use crate::random::{Random, Shape, trace};

struct Run<'a> {
    events: &'a [Event],
    kinds: Vec<FlowKind>,
    paper: bool,
    /// For each event those that come before it in the hand-over order.
    before: Vec<Vec<bool>>,
}

impl<'a> Run<'a> {
    fn new(events: &'a [Event], symbols: &Symbols, paper: bool) -> Self {
        let waits = if paper { Vec::new() } else { crate::race_judge::waits(events) };
        let mut before: Vec<Vec<bool>> = Vec::new();
        for (i, event) in events.iter().enumerate() {
            let mut mine = vec![false; events.len()];
            for j in (0..i).rev() {
                let waited = waits.iter().any(|wait| wait.orders(j, i, events));
                if !mine[j] && (waited || orders(&events[j], event, paper)) {
                    mine[j] = true;
                    mine.iter_mut().zip(&before[j]).for_each(|(mine, theirs)| *mine |= theirs);
                }
            }
            before.push(mine);
        }
        let kinds = symbols.flows.rows().iter().map(|flow| flow.kind).collect();
        Self { events, kinds, paper, before }
    }

    fn comes_before(&self, first: usize, second: usize) -> bool {
        self.before[second][first]
    }

    /// What the thread of an event holds then, in the order in which it was taken.
    fn held(&self, at: usize) -> Vec<(u32, Mode)> {
        let mut held: Vec<(u32, Mode)> = Vec::new();
        for event in &self.events[..=at] {
            if event.thread != self.events[at].thread {
                continue;
            }
            match event.op {
                Op::Acquire { lock, mode, .. } => held.push((lock.0, mode)),
                Op::Woken { lock } => held.push((lock.0, Mode::Exclusive)),
                Op::Release { lock, .. } | Op::Wait { lock } => held.retain(|(l, _)| *l != lock.0),
                _ => {}
            }
        }
        held
    }

    /// Whether the thread gives a lock up between two of its events.
    fn gives_up(&self, lock: u32, from: usize, to: usize) -> bool {
        self.events[from..to].iter().any(|event| {
            let gives = match event.op {
                Op::Release { lock, .. } | Op::Wait { lock } => Some(lock.0),
                _ => None,
            };
            event.thread == self.events[from].thread && gives == Some(lock)
        })
    }

    /// The access of which a `flow … read` speaks, and its variable, if it gives a shared value.
    fn source(&self, at: usize) -> Option<(usize, VarId)> {
        let Op::Flow { flow, used: false } = self.events[at].op else { return None };
        if !self.paper && self.kinds[flow.index()] == FlowKind::Any {
            return None;
        }
        let accesses = self.events[..at].iter().enumerate().rev();
        let mut mine = accesses.filter(|(_, event)| event.thread == self.events[at].thread);
        let (read, var) = mine.find_map(|(i, event)| match event.op {
            Op::Read { var } | Op::VolatileRead { var, .. } => Some((i, Some(var))),
            Op::Write { .. } | Op::VolatileWrite { .. } => Some((i, None)),
            _ => None,
        })?;
        (!self.held(read).is_empty()).then_some((read, var?))
    }

    fn is_stale(&self, read: usize, used: usize) -> bool {
        let innermost = self.held(read).last().map(|(lock, _)| *lock);
        innermost.is_some_and(|lock| {
            let now = self.held(used).last().map(|(lock, _)| *lock);
            self.gives_up(lock, read, used) || self.paper && now != Some(lock)
        })
    }

    /// The `flow … read` whose value an event uses, if that value is stale for the first time.
    fn stale(&self, used: usize) -> Option<(usize, usize, VarId)> {
        let Op::Flow { flow, used: true } = self.events[used].op else { return None };
        let mine = |event: &Event| event.thread == self.events[used].thread;
        let is_read = |event: &Event| mine(event) && event.op == Op::Flow { flow, used: false };
        let taken = self.events[..used].iter().rposition(is_read)?;
        let (read, var) = self.source(taken)?;
        let again = (taken..used).any(|k| {
            mine(&self.events[k])
                && self.events[k].op == Op::Flow { flow, used: true }
                && self.is_stale(read, k)
        });
        (!again && self.is_stale(read, used)).then_some((taken, read, var))
    }

    fn writes(&self, var: VarId, not_by: usize) -> Vec<usize> {
        let all = self.events.iter().enumerate();
        let by_others = all.filter(|(_, event)| event.thread != self.events[not_by].thread);
        let writes = by_others.filter(|(_, event)| match event.op {
            Op::Write { var: v } | Op::VolatileWrite { var: v, .. } => v == var,
            _ => false,
        });
        writes.map(|(i, _)| i).collect()
    }

    /// Whether a lock keeps a write out that is held from the read to the use.
    fn is_kept_out(&self, write: usize, read: usize, used: usize) -> bool {
        let theirs = self.held(write);
        self.held(read).iter().any(|&(lock, mode)| {
            !self.gives_up(lock, read, used)
                && theirs
                    .iter()
                    .any(|&(other, how)| other == lock && (mode == Mode::Exclusive || how == Mode::Exclusive))
        })
    }

    fn verdicts(&self) -> BTreeMap<VarId, Confidence> {
        let mut found: BTreeMap<VarId, Confidence> = BTreeMap::new();
        for used in 0..self.events.len() {
            let Some((taken, read, var)) = self.stale(used) else { continue };
            let Op::Flow { flow, .. } = self.events[used].op else { continue };
            let writes = self.writes(var, used);
            let realised = writes.iter().any(|&w| {
                taken < w && w < used && !(self.comes_before(taken, w) && self.comes_before(w, used))
            });
            let first = (0..self.events.len()).find(|&i| self.source(i).is_some_and(|(_, v)| v == var));
            let possible = writes.iter().any(|&w| {
                first.is_some_and(|first| first < w)
                    && (w < taken && !self.comes_before(w, taken) || w > used && !self.comes_before(used, w))
                    && !self.is_kept_out(w, read, used)
            });
            let confidence = match self.kinds[flow.index()] {
                _ if realised => Confidence::High,
                _ if self.paper => Confidence::Low,
                FlowKind::Unlikely => continue,
                _ if !possible => continue,
                FlowKind::Back => Confidence::Medium,
                _ => Confidence::Low,
            };
            let known = found.entry(var).or_insert(confidence);
            *known = (*known).max(confidence);
        }
        found
    }
}

fn orders(first: &Event, second: &Event, paper: bool) -> bool {
    if first.thread == second.thread {
        return true;
    }
    !paper
        && match (first.op, second.op) {
            (Op::Fork { child }, _) if child == second.thread => true,
            (_, Op::Join { child }) if child == first.thread => true,
            (Op::VolatileWrite { var: a, .. }, Op::VolatileRead { var: b, .. }) => a == b,
            (Op::Signal { on: a }, Op::Observe { on: b }) => a == b,
            _ => false,
        }
}

fn found(paper: bool, events: &[Event], symbols: &Symbols) -> BTreeMap<VarId, Confidence> {
    let options = Options { paper, ..Options::default() };
    let mut analysis = Analysis::new(&[by_name("flow").expect("the detector is listed")], &options);
    analysis.batch(events, symbols).unwrap();
    let report = analysis.finish(symbols).unwrap();
    let vars = symbols.variables().iter().map(|(var, _)| var);
    let of = |var: VarId| report.findings().find(|finding| finding.subject == symbols.variable_name(var));
    vars.filter_map(|var| Some((var, of(var)?.confidence))).collect()
}

const BASE: Shape = Shape { events: 80, vars: 2, flows: 35, forks: false, ..Shape::SMALL };
const SHAPES: [Shape; 6] = [
    BASE,
    Shape { disciplined: 80, forks: true, ..BASE },
    Shape { events: 110, threads: 5, locks: 3, vars: 3, disciplined: 90, ..BASE },
    Shape { volatiles: 0, channels: 0, disciplined: 95, locking: 40, ..BASE },
    Shape { events: 110, threads: 4, volatiles: 3, channels: 3, forks: true, ..BASE },
    Shape { threads: 2, locks: 4, vars: 2, locking: 50, disciplined: 30, flows: 40, ..BASE },
];

fn compare(traces: u64, paper: bool) {
    let (mut positive, mut of_each) = (0, BTreeMap::new());
    for seed in 0..traces {
        let shape = &SHAPES[(seed % SHAPES.len() as u64) as usize];
        let (symbols, events) = trace(&mut Random::new(seed + 1), shape);
        let expected = Run::new(&events, &symbols, paper).verdicts();
        let found = found(paper, &events, &symbols);
        assert_eq!(found, expected, "found, the judge expected; seed {seed}, {shape:?}\n{events:#?}");
        positive += u64::from(!expected.is_empty());
        for confidence in expected.into_values() {
            *of_each.entry(confidence).or_insert(0) += 1;
        }
    }
    let share = positive * 100 / traces;
    println!("flow (paper: {paper}): {share} % of {traces} traces have a finding; {of_each:?}");
    assert!((20..=80).contains(&share), "{share} % of the traces have a finding");
    let kinds = if paper { 2 } else { 3 };
    assert!(of_each.len() == kinds && of_each.values().all(|count| *count > traces / 100), "{of_each:?}");
}

#[test]
fn flow_finds_exactly_the_stale_values_that_its_definition_says() {
    compare(8_000, false);
}

#[test]
fn flow_in_the_papers_mode_finds_exactly_the_uses_in_other_blocks() {
    compare(4_000, true);
}
