//! Detectors that are shown many stretches at once: the same report as from stretch to stretch.

use detect::on_trace::ALL;
use detect::{Analysis, Options, Spec};
use events::{Event, Stretches, Symbols};

use crate::random::{Random, Shape, trace};

/// The report of one detector, shown so many events at a time.
fn report(spec: &'static Spec, at_once: usize, events: &[Event], symbols: &Symbols) -> String {
    let mut analysis = Analysis::new(&[spec], &Options::default());
    let mut stretches = Stretches::default();
    for some in events.chunks(at_once) {
        stretches.cut(some);
        analysis.stretches(&stretches, symbols).unwrap();
    }
    format!("{:#?}", analysis.finish(symbols).unwrap())
}

#[test]
fn spans_make_the_report_that_single_stretches_make() {
    let waiting: Vec<_> = ALL.iter().filter(|spec| spec.uses.waits).collect();
    assert!(!waiting.is_empty());
    let shape = Shape { events: 200, threads: 4, blocks: 15, disciplined: 90, ..Shape::SMALL };
    for spec in waiting {
        let (mut found, mut under_locks) = (0, 0);
        for seed in 0..400 {
            let (symbols, events) = trace(&mut Random::new(seed + 1), &shape);
            let one_by_one = report(spec, 1, &events, &symbols);
            for at_once in [7, 1000] {
                assert_eq!(
                    report(spec, at_once, &events, &symbols),
                    one_by_one,
                    "seed {seed}, {at_once} events"
                );
            }
            found += usize::from(one_by_one.contains("witnesses: [\n"));
            under_locks += usize::from(one_by_one.contains("locks: [\n"));
        }
        assert!(found > 80 && under_locks > 40, "{}: {found} reports, {under_locks} with locks", spec.name);
    }
}
