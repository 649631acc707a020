//! View consistency as sets of sets, written down from the definitions: (a) section 3 of *High-level data races*, and
//! (b) what `views` makes of it by default. Slow, and without any code of the detector.

use std::collections::{BTreeMap, BTreeSet};

use detect::{Analysis, Options, on_trace};
use events::{Event, LockId, Op, Symbols, ThreadId, VarId};

use crate::race_judge::{generations, subject, waits};
use crate::random::{Random, Shape, trace};

/// A variable in a generation; in the paper every generation is 0.
type Element = (VarId, usize);
type View = BTreeSet<Element>;
/// How often each set of variables is in conflict: once for each maximal view, other thread and kinds of access.
type Verdict = BTreeMap<BTreeSet<VarId>, u64>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Read,
    Write,
    Set,
}

/// One execution of a critical section.
struct Block {
    thread: ThreadId,
    lock: LockId,
    begin: usize,
    end: Option<usize>,
    accesses: Vec<(Kind, Element)>,
}

/// B(t, l) for all t and l, with the element of each access as `element` says.
fn blocks(events: &[Event], element: impl Fn(usize) -> Option<(Kind, Element)>) -> Vec<Block> {
    let mut all = Vec::new();
    for (begin, first) in events.iter().enumerate() {
        let (Op::Acquire { lock, .. } | Op::Woken { lock }) = first.op else { continue };
        let thread = first.thread;
        let ends = |event: &Event| {
            event.thread == thread
                && matches!(event.op, Op::Release { lock: l, .. } | Op::Wait { lock: l } if l == lock)
        };
        let end = (begin..events.len()).find(|&i| ends(&events[i]));
        let accesses = (begin..end.unwrap_or(events.len()))
            .filter(|&i| events[i].thread == thread)
            .filter_map(&element)
            .collect();
        all.push(Block { thread, lock, begin, end, accesses });
    }
    all
}

/// ∀v ∈ V [vm ⊆ v → vm = v]
fn is_maximal(vm: &View, views: &BTreeSet<View>) -> bool {
    views.iter().all(|v| !vm.is_subset(v) || vm == v)
}

/// {v′ ∩ v | v ∈ V ∧ v ∩ v′ ≠ ∅}
fn overlap(views: &BTreeSet<View>, vm: &View) -> BTreeSet<View> {
    views.iter().map(|v| vm & v).filter(|v| !v.is_empty()).collect()
}

fn diverge(v1: &View, v2: &View) -> bool {
    !(v1.is_subset(v2) || v2.is_subset(v1))
}

/// Adds a conflict if some overlaps diverge.
fn judge(verdict: &mut Verdict, overlaps: &BTreeSet<View>) {
    let mut subject = BTreeSet::new();
    for v1 in overlaps {
        for v2 in overlaps {
            if diverge(v1, v2) {
                subject.extend(v1.union(v2).map(|&(var, _)| var));
            }
        }
    }
    if !subject.is_empty() {
        *verdict.entry(subject).or_default() += 1;
    }
}

/// ∀t1 ≠ t2, vm ∈ M(t1) [compatible(t2, vm)]
fn paper(threads: usize, events: &[Event]) -> Verdict {
    let blocks = blocks(events, |i| match events[i].op {
        Op::Read { var } | Op::VolatileRead { var, .. } => Some((Kind::Read, (var, 0))),
        Op::Write { var } | Op::VolatileWrite { var, .. } => Some((Kind::Write, (var, 0))),
        _ => None,
    });
    let views = |t: usize| -> BTreeSet<View> {
        let of_thread = blocks.iter().filter(|b| b.thread.index() == t);
        of_thread.map(|b| b.accesses.iter().map(|&(_, element)| element).collect()).collect()
    };
    let mut verdict = Verdict::new();
    for t1 in 0..threads {
        for t2 in (0..threads).filter(|&t2| t2 != t1) {
            for vm in views(t1).iter().filter(|vm| is_maximal(vm, &views(t1))) {
                judge(&mut verdict, &overlap(&views(t2), vm));
            }
        }
    }
    verdict
}

/// For each event those that come before it in the hand-over order, itself included.
fn hand_over(events: &[Event]) -> Vec<BTreeSet<usize>> {
    let waits = waits(events);
    let edge = |i: usize, j: usize| {
        let (a, b) = (&events[i], &events[j]);
        a.thread == b.thread
            || waits.iter().any(|wait| wait.orders(i, j, events))
            || match (a.op, b.op) {
                (Op::VolatileWrite { var: a, .. }, Op::VolatileRead { var: b, .. }) => a == b,
                (Op::Signal { on: a }, Op::Observe { on: b }) => a == b,
                (Op::Fork { child }, _) if child == b.thread => true,
                (_, Op::Join { child }) => child == a.thread,
                _ => false,
            }
    };
    let mut before: Vec<BTreeSet<usize>> = Vec::new();
    for j in 0..events.len() {
        let mut all = BTreeSet::from([j]);
        // From the latest on: what is there already brought all that is before it.
        for i in (0..j).rev() {
            if !all.contains(&i) && edge(i, j) {
                all.extend(before[i].iter().copied());
            }
        }
        before.push(all);
    }
    before
}

/// The elements that are no constants.
fn written(events: &[Event], elements: &BTreeMap<usize, Element>) -> BTreeSet<Element> {
    let mut written = BTreeSet::new();
    let mut threads: BTreeMap<Element, BTreeSet<ThreadId>> = BTreeMap::new();
    for (&i, element) in elements {
        let of = threads.entry(*element).or_default();
        of.insert(events[i].thread);
        if matches!(events[i].op, Op::Write { .. }) && of.len() > 1 {
            written.insert(*element);
        }
    }
    written
}

/// The default definition, as the head comment of the detector and DETECTORS.md give it.
fn refined(threads: usize, events: &[Event], symbols: &Symbols) -> Verdict {
    let before = hand_over(events);
    let elements = generations(events, symbols);
    let written = written(events, &elements);
    let blocks = blocks(events, |i| {
        let kind = if matches!(events[i].op, Op::Write { .. }) { Kind::Write } else { Kind::Read };
        let element = *elements.get(&i)?;
        written.contains(&element).then_some((kind, element))
    });
    let all_of = |block: &Block, kind: Kind| -> View {
        block.accesses.iter().filter(|(k, _)| *k == kind).map(|&(_, element)| element).collect()
    };
    let view = |block: &Block, kind: Kind| match kind {
        Kind::Read if !all_of(block, Kind::Write).is_empty() => View::new(),
        Kind::Set => &all_of(block, Kind::Write) - &all_of(block, Kind::Read),
        kind => all_of(block, kind),
    };
    let owner = |var: VarId| symbols.variables().get(var).object;
    // Of two overlaps, with all that their views have of the maximal one in whatever generation.
    let fields_diverge = |(v1, more1): &(View, View), (v2, more2): &(View, View)| {
        let (only1, only2): (View, View) = (v1 - more2, v2 - more1);
        only1.iter().any(|x| only2.iter().any(|y| owner(x.0) == owner(y.0)))
    };
    let comes_before = |a: &Block, b: &Block| a.end.is_some_and(|end| before[b.begin].contains(&end));
    let locks: BTreeSet<LockId> = blocks.iter().map(|block| block.lock).collect();
    let mut verdict = Verdict::new();
    for lock in locks.into_iter().filter(|&lock| !is_protected(events, lock)) {
        for t1 in 0..threads {
            for t2 in (0..threads).filter(|&t2| t2 != t1) {
                let of = |t: usize| blocks.iter().filter(move |b| b.thread.index() == t && b.lock == lock);
                for (one, other) in
                    [(Kind::Read, Kind::Set), (Kind::Write, Kind::Set), (Kind::Write, Kind::Read)]
                {
                    let mine: BTreeSet<View> = of(t1).map(|block| view(block, one)).collect();
                    for vm in mine.iter().filter(|vm| is_maximal(vm, &mine)) {
                        let with_vm: Vec<&Block> = of(t1).filter(|block| view(block, one) == *vm).collect();
                        let ends = [with_vm[0], with_vm[with_vm.len() - 1]];
                        let overlap = |block: &Block| -> (View, View) {
                            let theirs = view(block, other);
                            let has = |element: &&Element| theirs.iter().any(|(var, _)| *var == element.0);
                            (vm & &theirs, vm.iter().filter(has).copied().collect())
                        };
                        let overlaps: BTreeSet<(View, View)> =
                            of(t2).map(overlap).filter(|(common, _)| !common.is_empty()).collect();
                        // A block with vm can come between a block with v1 and a later one with v2.
                        let between = |v1: &(View, View), v2: &(View, View)| {
                            of(t2).filter(|a| overlap(a) == *v1).any(|a| {
                                let later = of(t2).filter(|b| b.begin > a.begin);
                                later
                                    .filter(|b| overlap(b) == *v2)
                                    .any(|b| ends.iter().any(|m| !comes_before(m, a) && !comes_before(b, m)))
                            })
                        };
                        let mut subject = BTreeSet::new();
                        for v1 in &overlaps {
                            for v2 in &overlaps {
                                if diverge(&v1.0, &v2.0)
                                    && fields_diverge(v1, v2)
                                    && (between(v1, v2) || between(v2, v1))
                                {
                                    subject.extend(v1.0.union(&v2.0).map(|&(var, _)| var));
                                }
                            }
                        }
                        if !subject.is_empty() {
                            *verdict.entry(subject).or_default() += 1;
                        }
                    }
                }
            }
        }
    }
    verdict
}

/// Whether some other lock was held by whoever took this one, each time that it was good for anything.
fn is_protected(events: &[Event], lock: LockId) -> bool {
    let mut held: BTreeMap<ThreadId, BTreeSet<LockId>> = BTreeMap::new();
    // What was held when each block began.
    let mut begun: BTreeMap<ThreadId, BTreeSet<LockId>> = BTreeMap::new();
    let mut common: Option<BTreeSet<LockId>> = None;
    for event in events {
        let mine = held.entry(event.thread).or_default();
        match event.op {
            Op::Acquire { lock: taken, .. } | Op::Woken { lock: taken } => {
                if taken == lock {
                    begun.insert(event.thread, mine.clone());
                }
                mine.insert(taken);
            }
            Op::Release { lock: given, .. } | Op::Wait { lock: given } => {
                mine.remove(&given);
            }
            Op::Read { .. } | Op::Write { .. } if mine.contains(&lock) => {
                let others = &begun[&event.thread];
                common = Some(common.map_or_else(|| others.clone(), |common| &common & others));
            }
            _ => {}
        }
    }
    common.is_some_and(|common| !common.is_empty())
}

fn detected(symbols: &Symbols, events: &[Event], paper: bool) -> BTreeMap<String, u64> {
    let options = Options { paper, ..Options::default() };
    let mut analysis = Analysis::new(&[on_trace::by_name("views").expect("is listed")], &options);
    analysis.batch(events, symbols).unwrap_or_else(|e| panic!("{e:?}"));
    let report = analysis.finish(symbols).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(report.gaps().count(), 0);
    report.findings().map(|finding| (finding.subject.clone(), finding.count)).collect()
}

fn named(symbols: &Symbols, verdict: Verdict) -> BTreeMap<String, u64> {
    let name = |set: BTreeSet<VarId>| {
        let mut names: Vec<String> = set.into_iter().map(|var| subject(symbols, var)).collect();
        names.sort();
        names.join(", ")
    };
    verdict.into_iter().map(|(set, count)| (name(set), count)).collect()
}

/// Compares many random traces; how many of them have a conflict, in percent.
fn compare(traces: u64, paper_mode: bool, shape_of: impl Fn(&mut Random) -> Shape) -> u64 {
    let mut positive = 0;
    for seed in 0..traces {
        let mut random = Random::new(seed + 1);
        let shape = shape_of(&mut random);
        let (symbols, events) = trace(&mut random, &shape);
        let judged = if paper_mode {
            paper(shape.threads, &events)
        } else {
            refined(shape.threads, &events, &symbols)
        };
        let judged = named(&symbols, judged);
        assert_eq!(detected(&symbols, &events, paper_mode), judged, "seed {seed}, {shape:?}");
        positive += u64::from(!judged.is_empty());
    }
    positive * 100 / traces
}

fn shape(random: &mut Random) -> Shape {
    Shape {
        events: 40 + random.below(50),
        threads: 2 + random.below(3),
        locks: 1 + random.below(2),
        vars: 2 + random.below(4),
        disciplined: random.below(40) as u32,
        writes: 30 + random.below(40) as u32,
        locking: 20 + random.below(25) as u32,
        forks: random.percent(50),
        objects: random.percent(30),
        ..Shape::SMALL
    }
}

#[test]
fn views_and_the_papers_definition_agree() {
    let positive = compare(20_000, true, shape);
    assert!((20..=80).contains(&positive), "{positive} % of the traces have a conflict");
}

#[test]
fn views_and_the_default_definition_agree() {
    // Much of what conflicts in the paper does not by default: longer traces make up for it.
    let positive = compare(20_000, false, |random| {
        let shape = shape(random);
        Shape { events: shape.events + 40, ..shape }
    });
    assert!((20..=80).contains(&positive), "{positive} % of the traces have a conflict");
}
