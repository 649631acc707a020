//! Atomizer against a literal transcription of its paper: Figure 13's states, Figure 15's pair of lock sets (Figure
//! 14's single one without it), section 4.3's locks, all with plain sets of names. The judge first classifies every
//! event of the trace as a mover, then walks through each execution of each block by itself, so it has no stack of
//! phases to get wrong. The hand-over order of the default mode comes from reachability in the graph of all events.

use std::collections::{BTreeMap, BTreeSet};

use detect::{Analysis, Options, Refinements, Spec, on_trace};
use events::{Event, LockId, Mode, Op, Symbols, ThreadId, VarId};

use crate::race_judge::waits;
use crate::random::{Random, Shape, trace};

type Locks = BTreeSet<LockId>;

#[derive(Clone, Copy, PartialEq)]
enum Mover {
    Both,
    Right,
    Left,
    Neither,
}

enum Variable {
    ThreadLocal(ThreadId),
    ThreadLocal2(ThreadId),
    ReadShared,
    SharedModified { access: Locks, write: Locks },
}

enum Lock {
    ThreadLocal(ThreadId),
    ThreadLocal2(ThreadId),
    Shared(Locks),
}

/// What H(t, σ) is for an access: all locks for a read, those held alone for a write.
fn held(locks: &[(LockId, Mode)], write: bool) -> Locks {
    locks.iter().filter(|(_, mode)| !write || *mode == Mode::Exclusive).map(|&(lock, _)| lock).collect()
}

fn meet(a: &Locks, b: &Locks) -> Locks {
    a.intersection(b).copied().collect()
}

fn if_both(both: bool, otherwise: Mover) -> Mover {
    if both { Mover::Both } else { otherwise }
}

/// For each event the events before it in the hand-over order.
fn before(events: &[Event]) -> Vec<Vec<bool>> {
    let n = events.len();
    let waits = waits(events);
    let mut before = vec![vec![false; n]; n];
    for j in 0..n {
        for i in 0..j {
            let (a, b) = (&events[i], &events[j]);
            let edge = a.thread == b.thread
                || waits.iter().any(|wait| wait.orders(i, j, events))
                || match (a.op, b.op) {
                    (Op::Fork { child }, _) => child == b.thread,
                    (_, Op::Join { child }) => child == a.thread,
                    (Op::VolatileWrite { var: x, .. }, Op::VolatileRead { var: y, .. }) => x == y,
                    (Op::Signal { on: x }, Op::Observe { on: y }) => x == y,
                    _ => false,
                };
            if edge {
                let (earlier, later) = before.split_at_mut(j);
                later[0][i] = true;
                later[0].iter_mut().zip(&earlier[i]).for_each(|(mine, theirs)| *mine |= theirs);
            }
        }
    }
    before
}

fn variable(
    states: &mut BTreeMap<VarId, Variable>,
    var: VarId,
    me: ThreadId,
    write: bool,
    locks: &Locks,
    on: Refinements,
) -> Mover {
    use Variable::*;
    let (state, mover) = match states.remove(&var) {
        None => (ThreadLocal(me), Mover::Both),
        Some(ThreadLocal(t)) if t == me => (ThreadLocal(t), Mover::Both),
        Some(ThreadLocal(_)) => (ThreadLocal2(me), Mover::Both),
        Some(ThreadLocal2(t)) if t == me => (ThreadLocal2(t), Mover::Both),
        Some(ThreadLocal2(_) | ReadShared) if !write => (ReadShared, Mover::Both),
        Some(ThreadLocal2(_) | ReadShared) => {
            let state = SharedModified { access: locks.clone(), write: locks.clone() };
            (state, if_both(!locks.is_empty(), Mover::Neither))
        }
        Some(SharedModified { access: a, write: w }) => {
            let deciding = if !write && on.write_protected { &w } else { &a };
            let both = !meet(deciding, locks).is_empty();
            let new =
                SharedModified { access: meet(&a, locks), write: if write { meet(&w, locks) } else { w } };
            (new, if_both(both, Mover::Neither))
        }
    };
    states.insert(var, state);
    mover
}

/// As [`variable`] without Thread-Local (2): the second thread already shares it.
fn volatile(
    states: &mut BTreeMap<VarId, Variable>,
    var: VarId,
    me: ThreadId,
    write: bool,
    locks: &Locks,
    on: Refinements,
) -> Mover {
    if let Some(Variable::ThreadLocal(t)) = states.get(&var)
        && *t != me
    {
        states.insert(var, Variable::ReadShared);
    }
    variable(states, var, me, write, locks, on)
}

/// Whether an operation on a lock moves both ways.
fn redundant(
    states: &mut BTreeMap<LockId, Lock>,
    lock: LockId,
    me: ThreadId,
    others: Locks,
    on: Refinements,
) -> bool {
    use Lock::*;
    let (state, both) = match states.remove(&lock) {
        None if on.thread_local || on.thread_local_2 => (ThreadLocal(me), on.thread_local),
        Some(ThreadLocal(t)) if t == me => (ThreadLocal(t), on.thread_local),
        Some(ThreadLocal(_)) if on.thread_local_2 => (ThreadLocal2(me), true),
        Some(ThreadLocal2(t)) if t == me => (ThreadLocal2(t), true),
        None | Some(ThreadLocal(_) | ThreadLocal2(_)) => {
            let both = on.protected && !others.is_empty();
            (Shared(others), both)
        }
        Some(Shared(candidates)) => {
            let candidates = meet(&candidates, &others);
            let both = on.protected && !candidates.is_empty();
            (Shared(candidates), both)
        }
    };
    states.insert(lock, state);
    both
}

/// How each event moves.
fn movers(events: &[Event], options: &Options) -> Vec<Mover> {
    let on = options.refinements;
    let before = before(events);
    let mut holds: BTreeMap<ThreadId, Vec<(LockId, Mode)>> = BTreeMap::new();
    let (mut variables, mut volatiles) = (BTreeMap::new(), BTreeMap::new());
    let mut accesses: BTreeMap<VarId, Vec<usize>> = BTreeMap::new();
    let mut locks = BTreeMap::new();
    let mut movers = Vec::new();
    for (i, event) in events.iter().enumerate() {
        let me = event.thread;
        let holds = holds.entry(me).or_default();
        let mut lock_operation = |holds: &[(LockId, Mode)], lock: LockId, mode: Mode, mover: Mover| {
            let mut others = held(holds, mode == Mode::Exclusive);
            others.remove(&lock);
            if_both(redundant(&mut locks, lock, me, others, on), mover)
        };
        let mover = match event.op {
            Op::Read { var } | Op::Write { var } => {
                let earlier = accesses.entry(var).or_default();
                if !options.paper && earlier.iter().all(|&e| before[i][e]) {
                    variables.remove(&var);
                }
                earlier.push(i);
                let write = matches!(event.op, Op::Write { .. });
                variable(&mut variables, var, me, write, &held(holds, write), on)
            }
            Op::Acquire { lock, mode, .. } => {
                let mover = lock_operation(holds, lock, mode, Mover::Right);
                holds.push((lock, mode));
                mover
            }
            Op::Woken { lock } => {
                lock_operation(holds, lock, Mode::Exclusive, Mover::Right);
                holds.push((lock, Mode::Exclusive));
                Mover::Both
            }
            Op::Release { lock, mode } => {
                holds.retain(|&(l, _)| l != lock);
                lock_operation(holds, lock, mode, Mover::Left)
            }
            Op::Wait { lock } => {
                holds.retain(|&(l, _)| l != lock);
                lock_operation(holds, lock, Mode::Exclusive, Mover::Left);
                Mover::Both
            }
            Op::Reenter { .. } | Op::Reexit { .. } if on.reentrant => Mover::Both,
            Op::Reenter { lock } => lock_operation(holds, lock, Mode::Exclusive, Mover::Right),
            Op::Reexit { lock } => lock_operation(holds, lock, Mode::Exclusive, Mover::Left),
            Op::VolatileRead { update: false, .. } | Op::VolatileWrite { .. } if options.paper => {
                Mover::Neither
            }
            Op::VolatileRead { var, update: false } => {
                volatile(&mut volatiles, var, me, false, &held(holds, false), on)
            }
            Op::VolatileWrite { var, .. } => volatile(&mut volatiles, var, me, true, &held(holds, true), on),
            Op::Fork { .. } | Op::Signal { .. } => Mover::Left,
            Op::Join { .. } | Op::Observe { .. } => Mover::Right,
            _ => Mover::Both,
        };
        movers.push(mover);
    }
    movers
}

/// Whether a join or observe could as well have happened right after the commit: what it takes was there already.
fn was_there(events: &[Event], commit: usize, at: usize) -> bool {
    let me = events[at].thread;
    match events[at].op {
        Op::Observe { on } => !events[commit + 1..at]
            .iter()
            .any(|event| event.thread != me && matches!(event.op, Op::Signal { on: other } if other == on)),
        Op::Join { child } => {
            events[..commit].iter().any(|event| event.thread == child && matches!(event.op, Op::End))
        }
        _ => false,
    }
}

/// How often each block was found not to be atomic.
fn judge(symbols: &Symbols, events: &[Event], options: &Options) -> BTreeMap<String, u64> {
    let movers = movers(events, options);
    let mut found = BTreeMap::new();
    for (begin, event) in events.iter().enumerate() {
        let Op::Begin { block } = event.op else { continue };
        let mut commit = None;
        let mut reported = false;
        let mut depth = 0;
        for (at, event) in events.iter().enumerate().skip(begin).filter(|(_, e)| e.thread == event.thread) {
            match event.op {
                Op::Begin { .. } => depth += 1,
                Op::Finish { .. } => depth -= 1,
                Op::Wait { .. } => (commit, reported) = (None, false),
                _ => {}
            }
            if depth == 0 {
                break;
            }
            match (movers[at], commit) {
                (Mover::Right | Mover::Neither, Some(commit))
                    if !reported && !was_there(events, commit, at) =>
                {
                    reported = true;
                    let name = symbols.str(symbols.blocks.get(block).name).to_owned();
                    *found.entry(name).or_insert(0) += 1;
                }
                (Mover::Left | Mover::Neither, None) => commit = Some(at),
                _ => {}
            }
        }
    }
    found
}

fn detector(symbols: &Symbols, events: &[Event], options: &Options) -> BTreeMap<String, u64> {
    let spec: &'static Spec = on_trace::by_name("atomizer").expect("is listed");
    let mut analysis = Analysis::new(&[spec], options);
    analysis.batch(events, symbols).expect("a well-formed trace");
    let report = analysis.finish(symbols).expect("a well-formed trace");
    report.findings().map(|finding| (finding.subject.clone(), finding.count)).collect()
}

/// Takes some locks twice: the generator takes each once.
fn with_reentries(random: &mut Random, events: &[Event]) -> Vec<Event> {
    let mut twice = BTreeSet::new();
    let mut all = Vec::new();
    for &event in events {
        if let Op::Release { lock, .. } | Op::Wait { lock } = event.op
            && twice.remove(&(event.thread, lock))
        {
            all.push(Event { op: Op::Reexit { lock }, ..event });
        }
        all.push(event);
        if let Op::Acquire { lock, .. } | Op::Woken { lock } = event.op
            && random.percent(15)
        {
            twice.insert((event.thread, lock));
            all.push(Event { op: Op::Reenter { lock }, ..event });
        }
    }
    all
}

fn random_shape(random: &mut Random) -> Shape {
    Shape {
        events: 20 + random.below(40),
        threads: 2 + random.below(3),
        locks: 1 + random.below(3),
        vars: 1 + random.below(3),
        disciplined: [50, 80, 95][random.below(3)],
        locking: [10, 25, 40][random.below(3)],
        blocks: 12,
        nesting: 1 + random.below(3),
        ..Shape::SMALL
    }
}

fn random_options(random: &mut Random) -> Options {
    let refinements = Refinements {
        reentrant: random.percent(60),
        thread_local: random.percent(60),
        thread_local_2: random.percent(60),
        protected: random.percent(60),
        write_protected: random.percent(60),
    };
    let refinements = if random.percent(50) { Refinements::ALL } else { refinements };
    Options { paper: random.percent(50), refinements, ..Options::default() }
}

#[test]
fn atomizer_finds_what_its_figures_say() {
    const TRACES: u64 = 24_000;
    let mut positive = [0; 2];
    let mut all = [0; 2];
    for seed in 0..TRACES {
        let random = &mut Random::new(seed);
        let shape = random_shape(random);
        let (symbols, events) = trace(random, &shape);
        let events = with_reentries(random, &events);
        let options = random_options(random);
        let expected = judge(&symbols, &events, &options);
        let found = detector(&symbols, &events, &options);
        assert_eq!(found, expected, "seed {seed}, {options:?}, {shape:?}\n{}", listing(&events));
        all[usize::from(options.paper)] += 1;
        positive[usize::from(options.paper)] += u64::from(!expected.is_empty());
    }
    for (positive, all) in positive.into_iter().zip(all) {
        let share = positive * 100 / all;
        assert!((20..=80).contains(&share), "{share} % of {all} traces have a finding");
    }
}

fn listing(events: &[Event]) -> String {
    events.iter().enumerate().map(|(i, e)| format!("{i}: {:?} {:?}\n", e.thread, e.op)).collect()
}

#[test]
fn each_of_the_refinements_only_ever_removes_findings() {
    for seed in 0..2_000 {
        let random = &mut Random::new(seed);
        let shape = random_shape(random);
        let (symbols, events) = trace(random, &shape);
        let events = with_reentries(random, &events);
        let mut on = Refinements::NONE;
        let mut last = None;
        for step in 0..6 {
            match step {
                0 => {}
                1 => on.reentrant = true,
                2 => on.thread_local = true,
                3 => on.thread_local_2 = true,
                4 => on.protected = true,
                _ => on.write_protected = true,
            }
            let options = Options { paper: true, refinements: on, ..Options::default() };
            let count: u64 = detector(&symbols, &events, &options).values().sum();
            assert!(last.is_none_or(|last| count <= last), "seed {seed}, step {step}\n{}", listing(&events));
            last = Some(count);
        }
    }
}
