//! The serialisability detector against Velodrome's definition: the whole transaction graph, an edge for every pair of
//! conflicting operations, and a search for cycles.
//!
//! Compared are all reports: event and block. The first one is checked once more against the plain definition, without
//! the cuts that follow a report: the graph of all events before it has no cycle, with it there is one.

use std::collections::BTreeMap;

use detect::{Analysis, Options, on_trace};
use events::{Event, Mode, Op};

use super::random::{Random, Shape, trace};

/// Whether an earlier operation must stay before a later one, of another thread.
fn conflict(early: &Event, late: &Event) -> bool {
    let access = |op: Op| match op {
        Op::Read { var } | Op::VolatileRead { var, .. } => Some((var, false)),
        Op::Write { var } | Op::VolatileWrite { var, .. } => Some((var, true)),
        _ => None,
    };
    if let (Some((a, first)), Some((b, second))) = (access(early.op), access(late.op)) {
        return a == b && (first || second);
    }
    let release = match early.op {
        Op::Release { lock, mode } => Some((lock, mode)),
        Op::Wait { lock } => Some((lock, Mode::Exclusive)),
        _ => None,
    };
    let acquire = match late.op {
        Op::Acquire { lock, mode, .. } => Some((lock, mode)),
        Op::Woken { lock } => Some((lock, Mode::Exclusive)),
        _ => None,
    };
    if let (Some((a, first)), Some((b, second))) = (release, acquire) {
        return a == b && (first == Mode::Exclusive || second == Mode::Exclusive);
    }
    match (early.op, late.op) {
        (Op::Fork { child }, _) if child == late.thread => true,
        (_, Op::Join { child }) if child == early.thread => true,
        (Op::Signal { on }, Op::Observe { on: seen }) => on == seen,
        _ => false,
    }
}

#[derive(Default)]
struct Graph {
    /// For each transaction those after it.
    after: Vec<Vec<usize>>,
}

impl Graph {
    fn node(&mut self) -> usize {
        self.after.push(Vec::new());
        self.after.len() - 1
    }

    fn edge(&mut self, from: usize, to: usize) {
        if from != to && !self.after[from].contains(&to) {
            self.after[from].push(to);
        }
    }

    fn reached_from(&self, start: usize) -> Vec<bool> {
        let mut seen = vec![false; self.after.len()];
        let mut stack = vec![start];
        while let Some(node) = stack.pop() {
            for &next in &self.after[node] {
                if !std::mem::replace(&mut seen[next], true) {
                    stack.push(next);
                }
            }
        }
        seen
    }

    fn has_cycle(&self) -> bool {
        (0..self.after.len()).any(|node| self.reached_from(node)[node])
    }
}

/// The reports, and the graph. With `cut` a transaction that would close a cycle ends before the event that does.
fn judge(events: &[Event], cut: bool) -> (Vec<(u64, u32)>, Graph) {
    let mut graph = Graph::default();
    let mut node_of: Vec<usize> = Vec::new();
    // For each thread: open blocks, the current transaction if there is one, and the one before the next event.
    let mut open: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut current: BTreeMap<u32, usize> = BTreeMap::new();
    let mut previous: BTreeMap<u32, usize> = BTreeMap::new();
    let mut reports = Vec::new();
    for (number, event) in events.iter().enumerate() {
        let thread = event.thread.0;
        let blocks = open.entry(thread).or_default();
        if let Op::Begin { block } = event.op {
            blocks.push(block.0);
        }
        let mut node = match current.get(&thread) {
            Some(&node) => node,
            None => graph.node(),
        };
        let sources: Vec<usize> = (0..number)
            .filter(|&early| events[early].thread.0 != thread && conflict(&events[early], event))
            .map(|early| node_of[early])
            .collect();
        let reached = graph.reached_from(node);
        if cut && sources.iter().any(|&source| reached[source]) {
            reports.push((number as u64, blocks[0]));
            node = graph.node();
        }
        if let Some(&before) = previous.get(&thread) {
            graph.edge(before, node);
        }
        for source in sources {
            graph.edge(source, node);
        }
        node_of.push(node);
        previous.insert(thread, node);
        if let Op::Finish { .. } = event.op {
            blocks.pop();
        }
        if blocks.is_empty() || matches!(event.op, Op::Wait { .. }) {
            current.remove(&thread);
        } else {
            current.insert(thread, node);
        }
    }
    (reports, graph)
}

#[test]
fn aerodrome_reports_just_where_a_cycle_of_transactions_closes() {
    const TRACES: u64 = 24_000;
    let (mut positive, mut several, mut quiet_blocks) = (0, 0, 0);
    for seed in 0..TRACES {
        let mut random = Random::new(seed);
        let shape = Shape {
            events: 20 + random.below(90),
            threads: if seed % 5 == 0 { 12 } else { 2 + random.below(4) },
            locks: 1 + random.below(3),
            vars: 2 + random.below(8),
            volatiles: random.below(2),
            channels: random.below(2),
            disciplined: [40, 80, 95][random.below(3)],
            writes: [10, 30, 50][random.below(3)],
            blocks: 10 + random.below(25) as u32,
            nesting: 1 + random.below(2),
            forks: seed % 3 != 0,
            fancy_locks: seed % 4 != 0,
            ..Shape::SMALL
        };
        let (symbols, events) = trace(&mut random, &shape);
        let (expected, _) = judge(&events, true);
        let (_, uncut) = judge(&events, false);
        assert_eq!(uncut.has_cycle(), !expected.is_empty(), "seed {seed}: {events:#?}");
        if let Some(&(first, _)) = expected.first() {
            let first = first as usize;
            assert!(!judge(&events[..first], false).1.has_cycle(), "seed {seed}: {events:#?}");
            assert!(judge(&events[..=first], false).1.has_cycle(), "seed {seed}: {events:#?}");
        }

        let mut analysis =
            Analysis::new(&[on_trace::by_name("aerodrome").expect("is listed")], &Options::default());
        analysis.batch(&events, &symbols).expect("well-formed");
        let report = analysis.finish(&symbols).expect("well-formed");
        // The report keeps the first three events of a block, and counts the others.
        let mut by_block: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for &(event, block) in &expected {
            by_block.entry(format!("B{block}")).or_default().push(event);
        }
        let expected_here: Vec<(String, u64, Vec<u64>)> = by_block
            .into_iter()
            .map(|(block, events)| (block, events.len() as u64, events.into_iter().take(3).collect()))
            .collect();
        let found: Vec<(String, u64, Vec<u64>)> = report
            .findings()
            .map(|f| (f.subject.clone(), f.count, f.witnesses.iter().map(|w| w.event).collect()))
            .collect();
        assert_eq!(found, expected_here, "seed {seed}: {events:#?}");
        positive += u64::from(!expected.is_empty());
        several += u64::from(expected.len() > 1);
        quiet_blocks +=
            u64::from(expected.is_empty() && events.iter().any(|e| matches!(e.op, Op::Begin { .. })));
    }
    let share = positive * 100 / TRACES;
    assert!((20..=80).contains(&share), "{share} % of the traces are not serialisable");
    assert!(several * 100 / TRACES >= 10, "{several} traces have several reports");
    assert!(quiet_blocks * 100 / TRACES >= 10, "{quiet_blocks} traces have blocks and no report");
}
