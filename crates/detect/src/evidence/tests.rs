//! What evidence tells beyond the steps: where locks were taken, where threads come from, what became fewer or apart.

use findings::{Act, Frame, Mover, Report, Rule};

use crate::on_trace;
use crate::testing::{default, report};

fn of(text: &str) -> Report {
    report(on_trace::ALL, &default(), text)
}

fn place(frame: &Frame) -> String {
    frame.to_line()
}

const RACE: &str = "
main fork T1 @ Main.main(Main.java:5)
main fork T2 @ Main.main(Main.java:6)
T1 acquire Box@1 @ Box.put(Box.java:9)
T1 acquire log @ Box.put(Box.java:10)
T1 write Box@1.value @ Box.put(Box.java:11)
T1 release log
T1 release Box@1
T2 acquire other @ Box.get(Box.java:20)
T2 acquire Box@2 @ Box.get(Box.java:21)
T2 write Box@1.value @ Box.get(Box.java:22)
T2 release Box@2
T2 release other
";

#[test]
fn a_race_tells_where_its_locks_were_taken_and_its_threads_started() {
    let report = of(RACE);
    let finding = report.findings().find(|finding| finding.rule == Rule::DataRace).expect("a race");
    for witness in &finding.witnesses {
        let origins: Vec<(&str, &str, String)> = witness
            .threads
            .iter()
            .map(|origin| (origin.thread.as_str(), origin.by.as_str(), place(&origin.at)))
            .collect();
        assert_eq!(
            origins,
            [
                ("T1", "main", "Main.main(Main.java:5)".to_owned()),
                ("T2", "main", "Main.main(Main.java:6)".to_owned())
            ],
            "{}",
            witness.detector
        );
        let taken = |step: usize| -> Vec<(String, String, bool)> {
            let taken = witness.steps[step].taken.iter();
            let mut taken: Vec<_> = taken.map(|it| (it.lock.clone(), place(&it.at), it.example)).collect();
            taken.sort();
            taken
        };
        let row = |lock: &str, line: &str, example| (lock.to_owned(), line.to_owned(), example);
        // Of the operation at hand it is known; of the earlier one there is an example in the same method.
        assert_eq!(
            taken(1),
            [row("Box@2", "Box.get(Box.java:21)", false), row("other", "Box.get(Box.java:20)", false)]
        );
        assert_eq!(
            taken(0),
            [row("Box@1", "Box.put(Box.java:9)", true), row("log", "Box.put(Box.java:10)", true)]
        );
    }
}

const STACKS: &str = "
!stack T1 @ Box.put(Box.java:11) < Shop.sell(Shop.java:3)
!stack T1 @ Main.main(Main.java:5) < Main.first(Main.java:1)
main fork T1 @ Main.main(Main.java:5)
T1 fork T2 @ Main.main(Main.java:5)
T1 write Box@1.value @ Box.put(Box.java:11)
T2 acquire log @ Shop.sell(Shop.java:2)
T2 write Box@1.value @ Box.put(Box.java:11)
T2 release log
T1 write Box@1.value @ Box.get(Box.java:22)
";

#[test]
fn a_thread_without_a_stack_of_its_own_shows_an_example_of_its_place_but_not_of_its_start() {
    let report = of(STACKS);
    let finding = report.findings().find(|finding| finding.rule == Rule::DataRace).expect("a race");
    let mut met = 0;
    for witness in &finding.witnesses {
        for step in &witness.steps {
            let stack: Vec<String> = step.stack.iter().map(place).collect();
            if step.place.line == 11 {
                assert_eq!(stack, ["Shop.sell(Shop.java:3)"], "{}", step.thread);
                assert!(step.stack_is_example, "{}", step.thread);
            } else {
                assert!(stack.is_empty() && !step.stack_is_example, "{stack:?}");
            }
            if step.thread == "T2" {
                met += 1;
                // Another thread's calls do not say that this one was in the method that takes the lock.
                assert!(step.taken.iter().all(|taken| !taken.example), "{:?}", step.taken);
            }
        }
        for origin in &witness.threads {
            let stack: Vec<String> = origin.stack.iter().map(place).collect();
            let own = if origin.thread == "T1" { vec!["Main.first(Main.java:1)".to_owned()] } else { vec![] };
            assert_eq!(stack, own, "{}", origin.thread);
        }
    }
    assert!(met > 0, "no step of the other thread");
}

#[test]
fn the_locks_in_common_become_fewer_until_none_is_left() {
    let text = "
T1 acquire a
T1 acquire b
T1 acquire c
T1 write x @ :1
T1 release c
T1 release b
T1 release a
T2 acquire a
T2 acquire b
T2 write x @ :2
T2 release b
T2 release a
T3 acquire b
T3 write x @ :3
T3 release b
T4 acquire c
T4 write x @ :4
T4 release c
";
    let report = of(text);
    let witnesses = &report.findings().next().expect("a race").witnesses;
    let witness = witnesses.iter().find(|witness| witness.detector == "racer").expect("racer's");
    let told: Vec<(i32, usize)> =
        witness.narrowing.iter().map(|access| (access.at.line, access.left.len())).collect();
    assert_eq!(told, [(1, 3), (2, 2), (3, 1), (4, 0)]);
}

#[test]
fn views_tell_what_was_used_together_and_what_apart() {
    let text = "
main fork A
main fork B
A acquire m
A write P@1.x
A write P@1.y
A release m
B acquire m
B read P@1.x
B release m
B acquire m
B read P@1.y
B release m
A acquire m
A write P@1.x
A write P@1.y
A release m
";
    let report = of(text);
    let finding = report.findings().find(|it| it.rule == Rule::HighLevelRace).expect("a high-level race");
    let views = &finding.witnesses[0].views;
    let told: Vec<(&str, String)> =
        views.iter().map(|view| (view.thread.as_str(), view.fields.join(" "))).collect();
    assert_eq!(told, [("A", "P@1.x P@1.y".to_owned()), ("B", "P@1.x".to_owned()), ("B", "P@1.y".to_owned())]);
}

#[test]
fn a_broken_block_tells_what_was_done_and_how_it_moves() {
    let text = "
main fork A
main fork B
A acquire m
A write x
A release m
B acquire m
B write x
B release m
A begin Block.run
A acquire m
A read x
A release m
A acquire m
A write x
A release m
A finish Block.run
";
    let report = of(text);
    let finding = report.findings().find(|it| it.rule == Rule::NonAtomic).expect("a broken block");
    let witness = finding.witnesses.iter().find(|it| it.detector == "atomizer").expect("atomizer's");
    let told: Vec<_> = witness.steps.iter().map(|step| (step.act, step.mover)).collect();
    assert_eq!(
        told,
        [(None, None), (Some(Act::Release), Some(Mover::Left)), (Some(Act::Acquire), Some(Mover::Right))]
    );
}

/// Two threads that write an element of one array each, taken from these places.
fn race_on(first: [&str; 2], second: [&str; 2]) -> String {
    let mut text = "main fork T1 @ :1\nmain fork T2 @ :2\n".to_owned();
    for (array, [one, other]) in [(1, first), (2, second)] {
        text += &format!("T1 write int[]@{array}[0] @ :3{one}\nT2 write int[]@{array}[0] @ :4{other}\n");
    }
    text
}

fn subjects(report: &Report) -> Vec<&str> {
    report.findings().map(|finding| finding.subject.as_str()).collect()
}

#[test]
fn arrays_of_one_type_are_told_apart_by_the_fields_that_hold_them() {
    let report = of(&race_on([" of A.x", " of A.x"], [" of A.y", " of A.y"]));
    assert_eq!(subjects(&report), ["A.x[]", "A.y[]"]);
    for finding in report.findings() {
        assert_eq!(finding.detectors, ["eraser", "fasttrack", "racer"], "one finding for all of them");
    }
}

#[test]
fn a_field_that_one_side_knows_names_the_array() {
    assert_eq!(subjects(&of(&race_on([" of A.x", ""], ["", " of A.x"]))), ["A.x[]"]);
    assert_eq!(subjects(&of(&race_on(["", ""], [" of B.y[]", " of A.x"]))), ["A.x[]", "elements of int[]"]);
}

#[test]
fn what_a_collection_holds_is_named_by_its_field_and_a_field_by_itself() {
    let race = |var: &str| {
        of(&format!(
            "main fork T1\nmain fork T2\nT1 write {var} @ :3 of A.map\nT2 write {var} @ :4 of A.map\n"
        ))
    };
    assert_eq!(subjects(&race("java.util.HashMap@1.contents")), ["A.map.contents"]);
    assert_eq!(subjects(&race("Box@1.value")), ["Box.value"]);
}
