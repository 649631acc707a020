//! Regions that are known to repeat against the same events without that knowledge: the same report, but for which of
//! several accesses that are alike it names.

use std::cell::Cell;

use detect::on_trace::ALL;
use detect::{Analysis, Detector, Now, Options, Out, Spec, Uses};
use events::{Event, Mode, Op, OpSet, Site, Stretches, Symbols, ThreadId};

use crate::random::{Random, Shape, trace};

thread_local! {
    /// What a detector was shown that looks at nothing twice.
    static SHOWN: Cell<u64> = const { Cell::new(0) };
}

struct Counts;

impl Detector for Counts {
    fn operation(&mut self, _event: &Event, _now: &mut Now<'_>, _out: &mut Out) {
        SHOWN.set(SHOWN.get() + 1);
    }
}

static COUNTS: Spec = Spec {
    name: "counts",
    about: "",
    explain: "",
    rules: &[],
    ops: OpSet::LOCK,
    uses: Uses { once: true, ..Uses::NONE },
    new: |_| Box::new(Counts),
};

/// Part of a trace: events, or a region of this number.
enum Part {
    Events(Vec<Event>),
    Region(usize),
}

/// What one thread does again and again: takes one or two locks, some variables, gives the locks up.
fn region(random: &mut Random, shape: &Shape, symbols: &mut Symbols) -> Vec<Event> {
    let thread = ThreadId(random.below(shape.threads) as u32);
    let mut ops = Vec::new();
    let access = |random: &mut Random| {
        let var = (random.below(shape.vars) as u32).into();
        if random.percent(shape.writes) { Op::Write { var } } else { Op::Read { var } }
    };
    if random.percent(20) {
        ops.push(access(random));
    }
    let mut locks: Vec<u32> = (0..shape.locks as u32).collect();
    let inner = locks.swap_remove(random.below(locks.len()));
    let outer = locks.first().copied().filter(|_| random.percent(40));
    let block = random.percent(50).then(|| (random.below(4) as u32).into());
    let mode = Mode::Exclusive;
    for lock in outer.into_iter().chain([inner]) {
        ops.push(Op::Acquire { lock: lock.into(), mode, tries: false });
    }
    ops.extend(block.map(|block| Op::Begin { block }));
    for _ in 0..random.below(4) {
        ops.push(access(random));
    }
    ops.extend(block.map(|block| Op::Finish { block }));
    for lock in [inner].into_iter().chain(outer) {
        ops.push(Op::Release { lock: lock.into(), mode });
    }
    let mut event = |op| {
        let line = symbols.sites.len() as i32 + 1;
        Event { thread, site: symbols.sites.push(Site { line, ..Site::NOWHERE }), op }
    };
    ops.into_iter().map(&mut event).collect()
}

/// Whether a thread can do all of a region at this place of a trace, with nobody in the way.
fn fits(region: &[Event], before: &[Event], forks: bool) -> bool {
    let me = region[0].thread;
    let (mut started, mut waits) = (!forks || me.0 == 0, false);
    let mut held: Vec<(ThreadId, u32)> = Vec::new();
    for event in before {
        let mine = event.thread == me;
        match event.op {
            Op::Fork { child } if child == me => started = true,
            Op::End if mine => return false,
            Op::Acquire { lock, .. } => held.push((event.thread, lock.0)),
            Op::Woken { lock } => {
                held.push((event.thread, lock.0));
                waits &= !mine;
            }
            Op::Release { lock, .. } | Op::Wait { lock } => {
                let at = held.iter().position(|&held| held == (event.thread, lock.0));
                held.swap_remove(at.expect("a well-formed trace"));
                waits |= mine && matches!(event.op, Op::Wait { .. });
            }
            _ => {}
        }
    }
    let is_free = |event: &Event| match event.op {
        Op::Acquire { lock, .. } => held.iter().all(|held| held.1 != lock.0),
        _ => true,
    };
    started && !waits && region.iter().all(is_free)
}

/// A random trace with regions in it that happen often.
fn with_regions(random: &mut Random, shape: &Shape) -> (Symbols, Vec<Vec<Event>>, Vec<Part>) {
    let (mut symbols, events) = trace(random, shape);
    let regions: Vec<Vec<Event>> = (0..3).map(|_| region(random, shape, &mut symbols)).collect();
    let (mut parts, mut from) = (Vec::new(), 0);
    for at in 0..=events.len() {
        while random.percent(60) {
            let which = random.below(regions.len());
            if fits(&regions[which], &events[..at], shape.forks) {
                parts.push(Part::Events(events[from..at].to_vec()));
                parts.push(Part::Region(which));
                from = at;
            }
        }
    }
    parts.push(Part::Events(events[from..].to_vec()));
    (symbols, regions, parts)
}

/// The report, and how much was shown to a detector that looks at nothing twice.
fn report(
    (symbols, regions, parts): &(Symbols, Vec<Vec<Event>>, Vec<Part>),
    known: bool,
    specs: &[&'static Spec],
    options: &Options,
) -> (String, u64) {
    SHOWN.set(0);
    let mut analysis = Analysis::new(specs, options);
    let (mut stretches, mut region) = (Stretches::default(), Stretches::default());
    for part in parts {
        match part {
            Part::Events(events) => stretches.cut(events),
            Part::Region(which) if known => {
                stretches.clear();
                region.cut(&regions[*which]);
                stretches.repeat(&region, *which as u32, 1);
            }
            Part::Region(which) => stretches.cut(&regions[*which]),
        }
        analysis.stretches(&stretches, symbols).unwrap();
    }
    (format!("{:#?}", analysis.finish(symbols).unwrap()), SHOWN.get())
}

/// The lines in which two reports differ: each is long. Of accesses that are alike, either may be named.
fn differences(got: &str, wanted: &str) -> String {
    let is_place = |line: &str| line.trim_start().starts_with("line: ");
    let pairs = got.lines().zip(wanted.lines());
    let pairs = pairs.filter(|(got, wanted)| got != wanted && !(is_place(got) && is_place(wanted)));
    let length = (got.lines().count() != wanted.lines().count()).then_some(("", "")).into_iter();
    pairs.chain(length).take(20).map(|(got, wanted)| format!("{got} instead of {wanted}\n")).collect()
}

#[test]
fn what_is_known_to_repeat_changes_no_report() {
    let small = Shape { events: 50, locks: 3, disciplined: 70, ..Shape::SMALL };
    let shapes = [
        Shape { blocks: 15, ..small },
        Shape { objects: true, vars: 6, ..small },
        Shape { volatiles: 2, disciplined: 95, writes: 60, ..small },
        Shape { forks: false, fancy_locks: false, volatiles: 0, channels: 0, threads: 2, ..small },
    ];
    let paper = Options { paper: true, ..Options::default() };
    // Together with those that look at everything, and alone.
    let with_all: Vec<&'static Spec> = ALL.iter().copied().chain([&COUNTS]).collect();
    let alone: Vec<&'static Spec> = with_all.iter().copied().filter(|spec| spec.uses.once).collect();
    let (mut skipped, mut findings, mut all) = (0, 0, 0);
    for seed in 0..3000 {
        let shape = &shapes[seed as usize % shapes.len()];
        let trace = with_regions(&mut Random::new(seed + 1), shape);
        let specs = if seed / 4 % 2 == 0 { &with_all } else { &alone };
        for options in [&Options::default(), &paper] {
            let (wanted, shown) = report(&trace, false, specs, options);
            let (got, fewer) = report(&trace, true, specs, options);
            assert_eq!(differences(&got, &wanted), "", "seed {seed}, paper {}", options.paper);
            all += 1;
            skipped += usize::from(fewer < shown);
            findings += usize::from(wanted.contains("fingerprint") || wanted.contains("subject"));
        }
    }
    assert!(skipped * 10 > all * 3, "something was left out in {skipped} of {all}");
    assert!(findings * 10 > all * 3 && findings < all, "{findings} of {all} have findings");
}

#[test]
fn who_waits_learns_from_what_repeats() {
    let region = "T1 acquire m\nT1 write x\nT1 release m\n";
    let before = "T1 fork T2\nT2 acquire m\nT2 release m\n";
    let between = "T2 acquire m\nT2 release m\n";
    let waits = "T1 write y\nT2 acquire m\nT2 wait m\n";
    let after = "T2 woken m\nT2 write y\nT2 release m\n";
    let text = [before, region, between, region, region, region, waits, region, after];
    let trace = events::text::parse("test", &text.concat()).unwrap();
    let mut rest = &trace.events[..];
    let mut parts = Vec::new();
    for part in text {
        let (events, more) = rest.split_at(part.lines().count());
        parts.push(if part == region { Part::Region(0) } else { Part::Events(events.to_vec()) });
        rest = more;
    }
    let is_once = |spec: &&&'static Spec| spec.uses.once;
    let specs: Vec<&'static Spec> = ALL.iter().filter(is_once).copied().chain([&COUNTS]).collect();
    let trace = (trace.symbols.clone(), vec![trace.events[3..6].to_vec()], parts);
    let (wanted, shown) = report(&trace, false, &specs, &Options::default());
    assert!(!wanted.contains("DataRace"), "{wanted}");
    let (got, fewer) = report(&trace, true, &specs, &Options::default());
    assert_eq!(differences(&got, &wanted), "");
    assert_eq!(shown - fewer, 4, "two regions were left out");
}
