//! The lock-order detector against its definition: every pair and triple of acquires of the trace is looked at
//! literally. Of the sets of locks that this gives, those count that contain no smaller one. The hand-over order is reachability in the graph of all events.

use std::collections::BTreeSet;

use detect::{Analysis, Options, on_trace};
use events::{Event, Mode, Op};

use super::random::{Random, Shape, trace};

/// One acquire of a lock by a thread that holds others.
struct Nested {
    event: usize,
    thread: u32,
    wants: u32,
    mode: Mode,
    held: Vec<(u32, Mode)>,
}

fn nested(events: &[Event]) -> Vec<Nested> {
    let mut held: Vec<(u32, u32, Mode)> = Vec::new();
    let mut all = Vec::new();
    for (number, event) in events.iter().enumerate() {
        let thread = event.thread.0;
        match event.op {
            Op::Acquire { .. } | Op::Woken { .. } => {
                let (wants, mode, tries) = match event.op {
                    Op::Acquire { lock, mode, tries } => (lock.0, mode, tries),
                    Op::Woken { lock } => (lock.0, Mode::Exclusive, false),
                    _ => unreachable!(),
                };
                let mine: Vec<(u32, Mode)> =
                    held.iter().filter(|h| h.0 == thread).map(|h| (h.1, h.2)).collect();
                if !mine.is_empty() && !tries {
                    all.push(Nested { event: number, thread, wants, mode, held: mine });
                }
                held.push((thread, wants, mode));
            }
            Op::Release { lock, .. } | Op::Wait { lock } => {
                held.retain(|h| (h.0, h.1) != (thread, lock.0));
            }
            _ => {}
        }
    }
    all
}

/// For each event the events that come before it.
fn before(events: &[Event], hand_over: bool) -> Vec<Vec<bool>> {
    let waiting = super::race_judge::waits(events);
    let mut before = vec![vec![false; events.len()]; events.len()];
    for late in 0..events.len() {
        for early in 0..late {
            let (e, l) = (&events[early], &events[late]);
            let handed = match (e.op, l.op) {
                (Op::Fork { child }, _) if child == l.thread => true,
                (_, Op::Join { child }) if child == e.thread => true,
                (Op::Signal { on }, Op::Observe { on: seen }) => on == seen,
                (Op::VolatileWrite { var, .. }, Op::VolatileRead { var: read, .. }) => var == read,
                _ => waiting.iter().any(|wait| wait.orders(early, late, events)),
            };
            if e.thread == l.thread || hand_over && handed {
                let still_earlier = before[early].clone();
                before[late][early] = true;
                before[late].iter_mut().zip(still_earlier).for_each(|(known, also)| *known |= also);
            }
        }
    }
    before
}

fn can_meet(a: &Nested, b: &Nested, before: &[Vec<bool>]) -> bool {
    let gate = a.held.iter().any(|&(lock, mode)| {
        b.held
            .iter()
            .any(|&(other, how)| lock == other && (mode == Mode::Exclusive || how == Mode::Exclusive))
    });
    a.thread != b.thread && !gate && !before[a.event][b.event] && !before[b.event][a.event]
}

/// Whether `a` waits for `b` at a lock, which is the result.
fn waits(a: &Nested, b: &Nested) -> Option<u32> {
    b.held
        .iter()
        .find(|&&(lock, mode)| lock == a.wants && (mode == Mode::Exclusive || a.mode == Mode::Exclusive))
        .map(|&(lock, _)| lock)
}

fn judge(events: &[Event], hand_over: bool) -> BTreeSet<Vec<u32>> {
    let nested = nested(events);
    let before = before(events, hand_over);
    let mut sets = BTreeSet::new();
    for a in &nested {
        for b in &nested {
            let Some(first) = waits(a, b).filter(|_| can_meet(a, b, &before)) else { continue };
            if let Some(second) = waits(b, a) {
                sets.insert(vec![first.min(second), first.max(second)]);
            }
            for c in &nested {
                let (Some(second), Some(third)) = (waits(b, c), waits(c, a)) else { continue };
                let mut set = vec![first, second, third];
                set.sort_unstable();
                let different = set[0] != set[1] && set[1] != set[2];
                if different && can_meet(b, c, &before) && can_meet(a, c, &before) {
                    sets.insert(set);
                }
            }
        }
    }
    let smaller = sets.clone();
    sets.retain(|set| {
        !smaller.iter().any(|other| other.len() < set.len() && other.iter().all(|lock| set.contains(lock)))
    });
    sets
}

#[test]
fn the_lock_graph_finds_just_the_cycles_of_the_definition() {
    let mut positive = 0;
    let mut long = 0;
    const TRACES: u64 = 24_000;
    for seed in 0..TRACES {
        let mut random = Random::new(seed);
        let shape = Shape {
            events: 30 + random.below(60),
            threads: 3 + random.below(3),
            locks: 3 + random.below(6),
            volatiles: random.below(2),
            disciplined: 30,
            locking: 70,
            fancy_locks: seed % 3 != 0,
            forks: seed % 2 == 0,
            ..Shape::SMALL
        };
        let (symbols, events) = trace(&mut random, &shape);
        let paper = seed % 5 == 0;
        let expected: BTreeSet<String> = judge(&events, !paper)
            .into_iter()
            .map(|set| set.iter().map(|lock| format!("m{lock}")).collect::<Vec<_>>().join(", "))
            .collect();
        let options = Options { paper, ..Options::default() };
        let mut analysis = Analysis::new(&[on_trace::by_name("lock-graph").expect("is listed")], &options);
        analysis.batch(&events, &symbols).expect("well-formed");
        let report = analysis.finish(&symbols).expect("well-formed");
        let found: BTreeSet<String> = report
            .findings()
            .map(|finding| finding.subject.clone())
            .filter(|subject| subject.split(", ").count() <= 3)
            .collect();
        assert_eq!(found, expected, "seed {seed}: {events:#?}");
        assert_eq!(report.gaps().count(), 0);
        positive += u64::from(!expected.is_empty());
        long += u64::from(expected.iter().any(|set| set.split(", ").count() == 3));
    }
    let share = positive * 100 / TRACES;
    assert!((20..=80).contains(&share), "{share} % of the traces have a cycle");
    assert!(long >= 200, "{long} traces have a cycle of three");
}
