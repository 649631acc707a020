//! Two analyses side by side against one with all detectors: the same report, whatever they find first.

use detect::on_trace::ALL;
use detect::{Malformed, Options, Pace, Team};
use events::{Event, Lender, Op, Source as _, Stretches, Symbols};

use crate::random::{Random, Shape, trace};

/// The report of all detectors, shown a few events at a time, or what is wrong with the trace.
fn report(threads: usize, pace: Pace, events: &[Event], symbols: &Symbols) -> Result<String, Malformed> {
    let symbols = Lender::new(symbols.clone());
    let mut team = Team::new(ALL, &Options::default(), threads);
    let mut stretches = Stretches::default();
    for some in events.chunks(17) {
        stretches.cut(some);
        team.stretches(&mut stretches, &symbols, pace)?;
    }
    let report = team.finish(&symbols)?;
    Ok(format!("{report:#?}"))
}

#[test]
fn two_analyses_make_the_report_that_one_makes() {
    let shape = Shape { events: 80, threads: 4, blocks: 15, disciplined: 70, ..Shape::SMALL };
    let mut several = 0;
    for seed in 0..400 {
        let (symbols, events) = trace(&mut Random::new(seed + 1), &shape);
        let alone = report(1, Pace::Together, &events, &symbols).unwrap();
        let pace = if seed % 2 == 0 { Pace::Together } else { Pace::InTurn };
        assert_eq!(report(2, pace, &events, &symbols).as_ref(), Ok(&alone), "seed {seed}");
        several += usize::from(alone.contains("\"fasttrack\",") && alone.contains("\"racer\","));
    }
    assert!(several > 40, "{several} traces have findings of both analyses");
}

#[test]
fn what_is_wrong_with_a_trace_is_told_of_the_event_that_one_analysis_names() {
    let shape = Shape { events: 160, threads: 4, ..Shape::SMALL };
    let mut wrong = 0;
    for seed in 0..200 {
        let (symbols, mut events) = trace(&mut Random::new(seed + 1), &shape);
        // Twice in a row: a lock that is given up and not held, a thread that has ended already.
        let Some(at) = events.iter().rposition(|event| {
            matches!(event.op, Op::Release { .. } | Op::End | Op::Fork { .. } | Op::Finish { .. })
        }) else {
            continue;
        };
        events.insert(at, events[at]);
        let alone = report(1, Pace::Together, &events, &symbols);
        for pace in [Pace::Together, Pace::InTurn] {
            assert_eq!(report(2, pace, &events, &symbols), alone, "seed {seed}");
        }
        wrong += usize::from(alone.is_err_and(|wrong| wrong.event as usize == at + 2));
    }
    assert!(wrong > 100, "{wrong} traces are wrong in the middle");
}

#[test]
fn names_that_come_and_go_wait_for_the_analysis_that_is_behind() {
    // Objects die and their numbers are used again, in every batch.
    let mut text = String::from("raddle text 1\nmain fork other\n");
    for i in 0..30_000 {
        let thread = if i % 3 == 0 { "other" } else { "main" };
        text += &format!("{thread} write Box@{i}.v\nmain write Box@{i}.v\nmain free Box@{i}\n");
    }
    let report = |threads| {
        let stream = Box::new(std::io::Cursor::new(text.clone().into_bytes()));
        let mut source = events::text::Reader::new("test".to_owned(), stream, None).unwrap();
        let mut team = Team::new(ALL, &Options::default(), threads);
        let (mut stretches, mut room) = (Stretches::default(), Vec::new());
        while source.fill_stretches(&mut stretches, &mut room).unwrap() {
            team.stretches(&mut stretches, source.lender(), Pace::Together).unwrap();
        }
        format!("{:#?}", team.finish(source.lender()).unwrap())
    };
    let alone = report(1);
    assert!(
        alone.contains("Box.v") && alone.contains("count: 30000"),
        "each is told by three detectors: {alone:.2000}"
    );
    assert_eq!(report(2), alone);
}
