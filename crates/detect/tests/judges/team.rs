//! Two analyses side by side against one with all detectors: the same report, whatever they find first.

use detect::on_trace::ALL;
use detect::{Options, Pace, Team};
use events::{Event, Stretches, Symbols};

use crate::random::{Random, Shape, trace};

/// The report of all detectors, shown a few events at a time.
fn report(threads: usize, pace: Pace, events: &[Event], symbols: &Symbols) -> String {
    let mut symbols = symbols.clone();
    let mut team = Team::new(ALL, &Options::default(), threads);
    let mut stretches = Stretches::default();
    for some in events.chunks(17) {
        stretches.cut(some);
        team.stretches(&mut stretches, &mut symbols, pace).unwrap();
        assert_eq!(stretches.len(), some.len(), "the events are given back");
    }
    let report = team.finish(&mut symbols).unwrap();
    assert!(!symbols.threads.is_empty(), "the names are given back");
    format!("{report:#?}")
}

#[test]
fn two_analyses_make_the_report_that_one_makes() {
    let shape = Shape { events: 80, threads: 4, blocks: 15, disciplined: 70, ..Shape::SMALL };
    let mut several = 0;
    for seed in 0..400 {
        let (symbols, events) = trace(&mut Random::new(seed + 1), &shape);
        let alone = report(1, Pace::Together, &events, &symbols);
        let pace = if seed % 2 == 0 { Pace::Together } else { Pace::InTurn };
        assert_eq!(report(2, pace, &events, &symbols), alone, "seed {seed}");
        several += usize::from(alone.contains("\"fasttrack\",") && alone.contains("\"racer\","));
    }
    assert!(several > 40, "{several} traces have findings of both analyses");
}
