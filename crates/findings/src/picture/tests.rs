//! Tests of the pictures: each rule's interleaving is one in which the defect happens, on the corpus of the golden files.

use super::*;
use crate::{Act, Finding, Mover, Report, Rule, Step, read_json};

fn corpus() -> Report {
    read_json(include_str!("../../tests/golden/corpus.json")).expect("the corpus")
}

fn finding(report: &Report, rule: Rule) -> Finding {
    report.findings().find(|finding| finding.rule == rule).expect("one of every rule").clone()
}

fn picture(rule: Rule) -> Picture {
    Picture::of(&finding(&corpus(), rule)).expect("a picture")
}

/// `teller-1: takes Account@7`, a line each, with the marks.
fn told(table: &Interleaving) -> Vec<String> {
    let line = |moment: &Moment| {
        let mark = match moment.mark {
            Mark::None => "",
            Mark::Defect => " !",
            Mark::Commit => " commit",
            Mark::Interference => " between",
            Mark::Violation => " broken",
            Mark::Blocked => " blocked",
        };
        format!("{}: {}{mark}", table.threads[moment.thread].name, moment.words)
    };
    table.moments.iter().map(line).collect()
}

#[test]
fn in_a_data_race_the_lock_of_the_one_does_not_stop_the_other() {
    let picture = picture(Rule::DataRace);
    assert_eq!(
        told(&picture.interleaving),
        [
            "teller-1: takes Account@7",
            "teller-1: writes Account@7.balance !",
            "teller-2: reads Account@7.balance !"
        ]
    );
    assert_eq!(picture.lanes.unordered, Some((1, 2)));
    let Some(Explanation::DataRace(race)) = picture.explanation else { panic!("a data race") };
    assert_eq!(race.apart.unwrap().words(), "teller-1 holds Account@7, but teller-2 holds no lock");
    let left: Vec<usize> = race.narrowing.iter().map(|access| access.left.len()).collect();
    assert_eq!(left, [1, 0]);
}

#[test]
fn in_a_high_level_race_the_whole_block_comes_between_the_parts() {
    let picture = picture(Rule::HighLevelRace);
    assert_eq!(
        told(&picture.interleaving),
        [
            "plotter: takes Coord@1",
            "plotter: reads Coord@1.x !",
            "plotter: gives up Coord@1",
            "mover: takes Coord@1",
            "mover: writes Coord@1.x between",
            "mover: writes Coord@1.y between",
            "mover: gives up Coord@1",
            "plotter: takes Coord@1",
            "plotter: reads Coord@1.y !",
            "plotter: gives up Coord@1",
        ]
    );
    let kinds: Vec<(Kind, usize, usize)> =
        picture.lanes.arrows.iter().map(|arrow| (arrow.kind, arrow.from.moment, arrow.to.moment)).collect();
    assert_eq!(kinds, [(Kind::HandOver, 2, 3), (Kind::HandOver, 6, 7)]);
    let Some(Explanation::HighLevelRace(matrix)) = picture.explanation else { panic!("views") };
    assert_eq!(matrix.fields, ["geo.Coord@1.x", "geo.Coord@1.y"]);
    let uses: Vec<&[bool]> = matrix.rows.iter().map(|row| row.uses.as_slice()).collect();
    assert_eq!(uses, [[true, true], [true, false], [false, true]]);
    assert_eq!((matrix.pair, matrix.diverging), (Some((0, 1)), Some((1, 2))));
}

#[test]
fn a_stale_value_is_read_then_the_lock_given_up_then_used() {
    let picture = picture(Rule::StaleValue);
    assert_eq!(
        told(&picture.interleaving),
        [
            "order-1: takes Stock@3",
            "order-1: reads Stock@3.items",
            "order-1: gives up Stock@3",
            "order-2: takes Stock@3",
            "order-2: comes in between between",
            "order-1: uses the value !",
        ]
    );
    let Some(Explanation::StaleValue { points }) = picture.explanation else { panic!("a line") };
    let roles: Vec<crate::Role> = points.iter().map(|point| point.role).collect();
    use crate::Role::{Interference, Read, Release, Use};
    assert_eq!(roles, [Read, Release, Interference, Use]);
}

#[test]
fn a_block_that_could_be_broken_shows_where_anybody_could_come_in() {
    let picture = picture(Rule::NonAtomic);
    assert_eq!(
        told(&picture.interleaving),
        [
            "main: enters the block",
            "main: takes StringBuffer@1",
            "main: takes StringBuffer@2",
            "main: gives up StringBuffer@2 commit",
            "any other thread: can use StringBuffer@2 here between",
            "main: takes StringBuffer@2 broken",
        ]
    );
    let Some(Explanation::NonAtomic { moves, stacks }) = picture.explanation else { panic!("movers") };
    let letters: String = moves.iter().map(|it| it.mover.letter()).collect();
    assert_eq!((letters.as_str(), stacks.as_slice()), ("RRLR", [0, 1, 2].as_slice()));
    assert_eq!(moves[2].phase, Phase::Commit);
    assert_eq!((moves[3].mover, moves[3].phase), (Mover::Right, Phase::Violation));
}

#[test]
fn in_a_cycle_every_thread_takes_its_first_lock_before_any_wants_its_second() {
    let picture = picture(Rule::LockOrder);
    let table = &picture.interleaving;
    let first_wait = table.moments.iter().position(|moment| moment.act == Act::Want).unwrap();
    assert!(table.moments[..first_wait].iter().all(|moment| moment.act == Act::Acquire));
    assert!(table.moments[first_wait..].iter().all(|moment| moment.mark == Mark::Blocked));
    let Some(Explanation::LockOrder(cycle)) = picture.explanation else { panic!("a cycle") };
    let next = cycle.edges.iter().cycle().skip(1);
    assert!(cycle.edges.iter().zip(next).all(|(edge, next)| edge.wants == next.holds));
    let waits: Vec<&Arrow> = picture.lanes.arrows.iter().filter(|it| it.kind == Kind::WaitsFor).collect();
    assert_eq!(waits.len(), cycle.edges.len());
}

#[test]
fn no_lock_is_held_by_two_threads_at_once() {
    for finding in corpus().findings().filter(|finding| finding.rule != Rule::LockOrder) {
        let Some(picture) = Picture::of(finding) else { continue };
        let table = &picture.interleaving;
        let mut held = vec![Vec::new(); table.threads.len()];
        for moment in &table.moments {
            held[moment.thread].clone_from(&moment.held);
            let mut all = held.concat();
            let number = all.len();
            all.sort();
            all.dedup();
            assert_eq!(all.len(), number, "{}: {}", finding.subject, moment.words);
        }
    }
}

#[test]
fn a_witness_with_too_many_steps_is_cut_and_says_so() {
    let mut finding = finding(&corpus(), Rule::DataRace);
    let step = |i: usize| Step {
        thread: format!("T{i}"),
        locks: (0..1000).map(|i| format!("L{i}")).collect(),
        ..Step::default()
    };
    finding.witnesses[0].steps = (0..10_000).map(step).collect();
    let picture = Picture::of(&finding).unwrap();
    assert_eq!(picture.interleaving.left_out, 10_000 - STEPS);
    assert!(picture.interleaving.moments.len() <= STEPS * (2 * LOCKS + 1));
}

#[test]
fn two_locks_of_one_class_are_said_to_be_of_different_objects() {
    let step = |thread: &str, lock: &str| Step {
        thread: thread.into(),
        locks: vec![lock.into()],
        ..Step::default()
    };
    let of = |first: &Step, second: &Step| Apart::of(first, second).map(|apart| apart.words());
    let words = of(&step("a", "com.acme.Account@7"), &step("b", "com.acme.Account@9"));
    assert_eq!(words.unwrap(), "each holds the lock of another Account: Account@7 is not Account@9");
    assert_eq!(of(&step("a", "m"), &step("b", "m")), None);
    assert_eq!(of(&step("a", "m"), &step("b", "n")).unwrap(), "the one holds m, the other n");
    let reader = Step { read_locks: vec!["rw".into()], role: crate::Role::Write, ..step("b", "x") };
    let words = of(&step("a", "rw"), &reader).unwrap();
    assert!(words.starts_with("both hold rw, but b writes"), "{words}");
}
