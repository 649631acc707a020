//! Array ranges against their elements: a range is only an encoding, so that a trace in which every range is written out
//! element by element has the same findings. The judge is the same detectors, on a trace without any range.

use std::collections::BTreeSet;

use detect::on_trace::ALL;
use detect::{Analysis, Options};
use events::{Event, Object, Op, Slot, Symbols, VarId, Variable};

use crate::random::{Random, Shape, trace};

const ARRAYS: usize = 3;
const LENGTH: usize = 24;

/// Rules and subjects, with who found them and at which lines first.
fn findings(events: &[Event], symbols: &Symbols, paper: bool) -> BTreeSet<String> {
    let mut analysis = Analysis::new(ALL, &Options { paper, ..Options::default() });
    for some in events.chunks(13) {
        analysis.batch(some, symbols).unwrap();
    }
    let report = analysis.finish(symbols).unwrap();
    let witness = |finding: &findings::Finding, detector: &str| {
        let mut of_detector = finding.witnesses.iter().filter(|witness| witness.detector == detector);
        let last = of_detector.next().and_then(|witness| witness.steps.last().map(|step| step.place.line));
        // Which of the variables that are used apart it shows is left to the views.
        let last = last.filter(|_| finding.rule != findings::Rule::HighLevelRace);
        format!("{} {} {detector} {last:?}", finding.rule.name(), finding.subject)
    };
    let of = |finding: &findings::Finding| {
        finding.detectors.iter().map(|name| witness(finding, name)).collect::<Vec<_>>()
    };
    report.findings().flat_map(of).collect()
}

/// The same trace with array ranges for its plain variables, and with all of their elements one by one.
fn with_arrays(
    random: &mut Random,
    symbols: &Symbols,
    events: &[Event],
    plain: usize,
) -> [(Symbols, Vec<Event>); 2] {
    let mut ranges = symbols.clone();
    let mut elements = symbols.clone();
    let mut of_vars = Vec::new();
    for var in 0..plain {
        let array = var % ARRAYS;
        let step = [1, 1, 2, 2, 3, 4, 40][random.below(7)];
        let first = random.below(LENGTH);
        let count = 1 + random.below((LENGTH - 1 - first) / step + 1);
        let variable = |symbols: &mut Symbols, first: usize, count: usize, step: usize| {
            let class = symbols.class(&format!("A{array}[]"));
            let object = Some(symbols.object(Object { class, label: array as u64 + 1 }));
            let slot = Slot::elements(first as u32, count as u32, step as u32).unwrap();
            symbols.variable(Variable { object, slot })
        };
        let range = variable(&mut ranges, first, count, step);
        let single = (0..count).map(|number| variable(&mut elements, first + number * step, 1, 1));
        of_vars.push((range, single.collect::<Vec<VarId>>()));
    }
    let (mut in_ranges, mut in_elements) = (Vec::new(), Vec::new());
    for event in events {
        let (Op::Read { var } | Op::Write { var }) = event.op else {
            in_ranges.push(*event);
            in_elements.push(*event);
            continue;
        };
        let to = |var| match event.op {
            Op::Read { .. } => Event { op: Op::Read { var }, ..*event },
            _ => Event { op: Op::Write { var }, ..*event },
        };
        let (range, single) = &of_vars[var.index()];
        in_ranges.push(to(*range));
        in_elements.extend(single.iter().copied().map(to));
    }
    [(ranges, in_ranges), (elements, in_elements)]
}

#[test]
fn ranges_are_found_what_their_elements_are_found() {
    let shape = Shape { events: 50, vars: 9, blocks: 15, disciplined: 75, ..Shape::SMALL };
    let (mut with, mut without) = (0, 0);
    for seed in 0..700 {
        let mut random = Random::new(seed + 1);
        let (symbols, events) = trace(&mut random, &shape);
        let [ranges, elements] = with_arrays(&mut random, &symbols, &events, shape.vars);
        let paper = seed % 3 == 0;
        let expected = findings(&elements.1, &elements.0, paper);
        let found = findings(&ranges.1, &ranges.0, paper);
        assert_eq!(found, expected, "seed {seed}: {:#?}", ranges.1);
        with += usize::from(found.iter().any(|found| found.contains("A0[]")));
        without += usize::from(!found.iter().any(|found| found.contains("A0[]")));
    }
    assert!(with > 100 && without > 100, "{with} traces with findings, {without} without");
}
