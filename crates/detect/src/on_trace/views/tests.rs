//! What `DETECTORS.md` fixes beyond the paper, the limits, and how a trace of blocks is written for a test.

use findings::{Finding, Report};

use super::SPEC;
use crate::Options;
use crate::testing::{default, paper, report, subjects};

/// Writes a trace: each line a thread, a lock and what the thread uses in one block under it (`+x` is a write).
/// A line with a thread and an operation stands for itself.
fn blocks(lines: &str) -> String {
    let mut text = String::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let Some((start, uses)) = line.split_once(':') else {
            text += &format!("{line}\n");
            continue;
        };
        let (thread, lock) = start.split_once(' ').expect("a thread and a lock");
        text += &format!("{thread} acquire {lock}\n");
        for used in uses.split_whitespace() {
            match used.strip_prefix('+') {
                Some(written) => text += &format!("{thread} write {written}\n"),
                None => text += &format!("{thread} read {used}\n"),
            }
        }
        text += &format!("{thread} release {lock}\n");
    }
    text
}

pub(super) fn found(options: &Options, lines: &str) -> Vec<String> {
    subjects(&SPEC, options, &blocks(lines))
}

pub(super) fn run(options: &Options, lines: &str) -> Report {
    report(&[&SPEC], options, &blocks(lines))
}

pub(super) fn only(report: &Report) -> &Finding {
    let findings: Vec<&Finding> = report.findings().collect();
    assert_eq!(findings.len(), 1, "{report:#?}");
    findings[0]
}

#[test]
fn nested_locks_conflict_only_in_the_paper() {
    // Everybody uses x and y together under `outer`; `inner` is taken for each of them in between.
    let nested = |thread: &str| {
        format!(
            "{thread} acquire outer
            {thread} inner: +x
            {thread} inner: +y
            {thread} release outer\n"
        )
    };
    let lines = nested("a") + &nested("b") + &nested("a");
    assert!(found(&default(), &lines).is_empty());
    assert_eq!(found(&paper(), &lines), ["x, y"]);
}

#[test]
fn an_access_belongs_to_the_block_of_each_lock_that_is_held() {
    let lines = "
        a acquire outer
        a inner: +x +y
        a release outer
        b outer: x
        b outer: y
        a outer: +x +y";
    assert_eq!(found(&default(), lines), ["x, y"]);
    let hand_over_hand = "
        b p: x y
        a acquire p
        a write x
        a acquire q
        a release p
        a write y
        a release q
        a q: +x
        a p: +y
        b p: x y";
    assert_eq!(found(&default(), hand_over_hand), ["x, y"], "y is used after p was given up");
}

#[test]
fn constants_are_left_out() {
    let lines = "
        a p: +x +y
        b p: x
        b p: y";
    assert!(found(&default(), lines).is_empty(), "nobody writes after b has come");
    assert_eq!(found(&paper(), lines), ["x, y"]);
    assert_eq!(found(&default(), &format!("{lines}\na p: +x\na p: +y")), ["x, y"]);
    assert_eq!(
        found(&default(), &format!("{lines}\na write x\na write y")),
        ["x, y"],
        "a write outside any block shows it as well"
    );
    assert!(found(&default(), &format!("{lines}\na p: +x")).is_empty(), "y is still a constant");
}

#[test]
fn a_second_write_in_a_block_shows_that_a_variable_is_no_constant() {
    let lines = "
        a acquire p
        a write x
        a write y
        b read x
        b read y
        a write x
        a write y
        a release p
        b p: x
        b p: y";
    assert_eq!(found(&default(), lines), ["x, y"]);
}

#[test]
fn nobody_writing_means_no_conflict() {
    let lines = "
        a p: x y
        b p: x
        b p: y
        a p: x y";
    assert!(found(&default(), lines).is_empty());
    assert_eq!(found(&paper(), lines), ["x, y"]);
    let reader_apart_and_a_writer_of_something_else = format!("{lines}\nc p: +x\nc p: +y z");
    assert_eq!(
        found(&default(), &reader_apart_and_a_writer_of_something_else),
        ["x, y"],
        "c writes apart what a reads together"
    );
    assert!(found(&default(), &format!("{lines}\nc p: +x\nd p: +y")).is_empty());
}

#[test]
fn many_instances_are_one_finding_with_a_count() {
    let lines: String = (0..50)
        .map(|i| {
            format!(
                "a Coord@{i}: +Coord@{i}.x +Coord@{i}.y
                b Coord@{i}: Coord@{i}.x
                b Coord@{i}: Coord@{i}.y
                a Coord@{i}: +Coord@{i}.x +Coord@{i}.y\n"
            )
        })
        .collect();
    for options in [default(), paper()] {
        let report = run(&options, &lines);
        let finding = only(&report);
        assert_eq!((finding.subject.as_str(), finding.count), ("Coord.x, Coord.y", 50));
    }
}

#[test]
fn one_field_of_several_objects_is_a_subject_too() {
    let lines = "a p: +B@1.n +B@2.n\nb p: B@1.n\nb p: B@2.n\na p: +B@1.n +B@2.n";
    let report = run(&paper(), lines);
    assert_eq!(only(&report).subject, "B.n");
    assert!(only(&report).message.contains("B.n of several objects"));
    assert!(found(&default(), lines).is_empty(), "what different objects hold need not fit together");
    assert_eq!(found(&default(), &lines.replace("B@2.n", "B@1.m")), ["B.m, B.n"]);
}

#[test]
fn what_a_collection_holds_has_to_fit_a_field_where_both_are_read() {
    let list = "java.util.List@2.contents";
    let read = format!("a p: +B@1.n +{list}\nb p: B@1.n\nb p: {list}\na p: +B@1.n +{list}");
    assert_eq!(found(&default(), &read), ["B.n, java.util.List.contents"]);
    let written = format!("a p: B@1.n {list}\nb p: +B@1.n\nb p: +{list}\na p: B@1.n {list}");
    assert!(found(&default(), &written).is_empty());
}

#[test]
fn a_block_that_writes_has_used_what_it_read() {
    let lines = "a p: z\na p: +x +y\nb p: x +z\nb p: y\na p: +x +y";
    assert!(found(&default(), lines).is_empty());
    assert_eq!(found(&default(), &lines.replace("x +z", "x")), ["x, y"]);
}

#[test]
fn who_waits_expects_variables_to_change_one_at_a_time() {
    let lines = "
        a acquire p
        a read x
        a read y
        a wait p
        b p: +x
        c p: +z
        a woken p
        a release p
        b p: +y
        c p: x y";
    assert!(found(&default(), &lines.replace("c p: x y", "")).is_empty());
    assert_eq!(found(&default(), lines), ["x, y"], "another one does not wait");
}

#[test]
fn what_is_counted_up_is_not_written_apart() {
    let lines = "a p: x y\nb p: x +x\nb p: y +y\na p: x y";
    assert!(found(&default(), lines).is_empty());
    assert_eq!(found(&default(), &lines.replace("x +x", "+x").replace("y +y", "+y")), ["x, y"]);
    let together = "a p: x +x y +y\nb p: x\nb p: y\na p: x +x y +y";
    assert_eq!(found(&default(), together), ["x, y"], "together it counts");
}

#[test]
fn what_a_view_has_in_another_generation_is_not_missing() {
    let lines = "
        a p: +x +y
        b p: +x
        a p: +x +y
        a fork c
        c vread v
        b vwrite v
        b p: +x +y
        a p: +x +y";
    assert!(found(&default(), lines).is_empty());
}

#[test]
fn a_lock_that_is_only_taken_under_another_one_has_no_views() {
    let apart = "
        b acquire outer
        b inner: x
        b inner: y
        b release outer
        a acquire outer
        a inner: +x +y
        a release outer";
    let lines = format!("{apart}{apart}");
    assert!(found(&default(), &lines).is_empty());
    let once_alone = format!("{lines}\n        a inner: +x +y");
    assert_eq!(found(&default(), &once_alone), ["x, y"]);
}

#[test]
fn all_diverging_overlaps_are_one_subject_and_the_rest_of_the_view_does_not_matter() {
    let lines = "
        a p: +x +y +z +w
        b p: x
        b p: y
        b p: z
        a p: +x +y +z +w";
    assert_eq!(found(&default(), lines), ["x, y, z"]);
}

#[test]
fn waiting_splits_a_block() {
    let lines = "
        b p: x y
        a acquire p
        a write x
        a wait p
        c p: z
        a woken p
        a write y
        a release p
        b p: x y";
    assert_eq!(found(&default(), lines), ["x, y"]);
    let whole = lines.replace("a wait p", "").replace("a woken p", "").replace("c p: z", "");
    assert!(found(&default(), &whole).is_empty());
    let meanwhile =
        lines.replace("c p: z", "b p: x y").replace("a release p\n        b p: x y", "a release p");
    assert_eq!(found(&default(), &meanwhile), ["x, y"], "who only looks lets nobody go on");
}

#[test]
fn taking_a_lock_again_opens_nothing() {
    let lines = "
        b p: x y
        a acquire p
        a reenter p
        a write x
        a reexit p
        a reenter p
        a write y
        a reexit p
        a release p
        b p: x y";
    assert!(found(&default(), lines).is_empty());
}

#[test]
fn phases_that_start_and_join_put_in_order_do_not_conflict() {
    let lines = "
        main p: +x
        main p: +y
        main fork a
        a p: +x +y
        main join a
        main p: +x
        main p: +y";
    assert!(found(&default(), lines).is_empty());
    assert_eq!(found(&paper(), lines), ["x, y"]);
}

#[test]
fn ordered_blocks_do_not_conflict_even_when_a_third_thread_keeps_the_variables_shared() {
    // c's accesses are unordered with all others, so that no generation ends.
    let lines = "
        main fork c
        c p: +x
        c p: +y
        main p: +x +y
        main p: +x +y
        main fork a
        a p: +x
        a p: +y
        main join a
        c p: +x +y";
    // c uses x and y apart while main uses them together; a does so only after main's blocks.
    let report = run(&default(), lines);
    let witnesses = &only(&report).witnesses;
    let pairs: Vec<(&str, &str)> =
        witnesses.iter().map(|w| (w.steps[0].thread.as_str(), w.steps[3].thread.as_str())).collect();
    assert_eq!(pairs, [("main", "c"), ("c", "a")], "{report:#?}");
}

#[test]
fn a_block_that_can_come_between_two_others_conflicts_although_one_is_ordered() {
    let lines = "
        main fork c
        c p: +x
        c p: +y
        main p: +x
        main fork a
        a p: x y
        main p: +y";
    let report = run(&default(), lines);
    let pairs: Vec<(&str, &str)> = only(&report)
        .witnesses
        .iter()
        .map(|w| (w.steps[0].thread.as_str(), w.steps[3].thread.as_str()))
        .collect();
    assert!(pairs.contains(&("a", "main")), "{pairs:?}");
}

#[test]
fn what_starts_afresh_is_another_variable() {
    // The pair is handed from a to b through a channel; each use on its own side is alone.
    let lines = "
        a p: +x +y
        a signal q
        b observe q
        b p: +x
        b p: +y
        b signal q
        a observe q
        a p: +x +y";
    assert!(found(&default(), lines).is_empty());
    assert_eq!(found(&paper(), lines), ["x, y"]);
}

#[test]
fn a_lock_whose_object_dies_is_compared_at_once() {
    let lines = "
        a P@1: +P@1.x +P@1.y
        b P@1: P@1.x
        b P@1: P@1.y
        a P@1: +P@1.x +P@1.y
        a free P@1
        a P@2: +P@2.x
        b P@2: P@2.x";
    let report = run(&default(), lines);
    assert_eq!(only(&report).subject, "P.x, P.y");
    assert_ne!(only(&report).witnesses[0].event, u64::MAX);
}

#[test]
fn variables_of_dead_objects_keep_their_names() {
    let lines = "
        a p: +P@1.x +P@1.y
        b p: P@1.x
        b p: P@1.y
        a p: +P@1.x +P@1.y
        a free P@1
        a write Q@1.u
        a write Q@1.v";
    let report = run(&default(), lines);
    let finding = only(&report);
    assert_eq!(finding.subject, "P.x, P.y");
    assert!(finding.witnesses[0].notes[0].contains("{P.x, P.y}"), "{finding:#?}");
}

#[test]
fn a_split_array_range_is_in_the_views_from_before_with_both_halves() {
    let lines = "
        a p: +int[]@1[0..10]
        b p: int[]@1[0..5]
        b p: int[]@1[5..10]
        a p: +int[]@1[0..10]";
    let report = run(&paper(), lines);
    assert_eq!(only(&report).subject, "elements of int[]");
    assert!(found(&paper(), &lines.replace("[5..10]", "[0..5]")).is_empty());
    assert!(found(&default(), lines).is_empty(), "elements of an array need not fit together");
}

#[test]
fn too_many_distinct_views_leave_a_gap() {
    let options = Options { views_per_lock: 3, ..default() };
    let lines: String = (0..5).map(|i| format!("a p: +x{i}\n")).collect();
    let report = run(&options, &format!("{lines}b p: x0\n"));
    let gaps: Vec<_> = report.gaps().collect();
    assert_eq!(gaps.len(), 1);
    assert_eq!((gaps[0].what.as_str(), gaps[0].count), ("blocks not looked at by views", 2));
    assert!(gaps[0].why.contains("more than 3 distinct views"), "{gaps:?}");
    let few: String = (0..9).map(|i| format!("a p: +x{}\n", i % 3)).collect();
    assert_eq!(run(&options, &few).gaps().count(), 0, "views that are known already do not count");
}

#[test]
fn a_block_with_too_many_variables_leaves_a_gap() {
    for variables in [300, 2000] {
        let long: String = (0..variables).map(|i| format!("a write x{i}\n")).collect();
        let report = run(
            &default(),
            &format!("a acquire p\n{long}a release p\na p: +x0 +x1\nb p: x0\nb p: x1\na p: +x0 +x1"),
        );
        assert_eq!(only(&report).subject, "x0, x1", "other blocks are still looked at");
        assert_eq!(report.gaps().map(|gap| gap.count).sum::<u64>(), 1);
    }
}

#[test]
fn a_long_outer_block_does_not_collect_the_same_use_for_ever() {
    let inner = "a q: +x +y\n".repeat(2000);
    let report = run(&default(), &format!("a acquire p\n{inner}a release p\nb p: x\nb p: y\na p: +x +y"));
    assert_eq!(only(&report).subject, "x, y");
    assert_eq!(report.gaps().count(), 0);
}

#[test]
fn too_many_conflicting_sets_leave_a_gap() {
    let together: String = (0..100).map(|i| format!("a p: +x{i} +y{i}\n")).collect();
    let apart: String = (0..100).map(|i| format!("b p: x{i}\nb p: y{i}\n")).collect();
    let report = run(&default(), &format!("{together}{apart}{together}"));
    assert_eq!(report.findings().count(), super::SETS_PER_LOCK);
    assert_eq!(
        report.gaps().map(|gap| gap.what).collect::<Vec<_>>(),
        ["locks whose views were not all compared"]
    );
}

#[test]
fn blocks_open_at_the_end_of_the_trace_count() {
    let lines = "
        b p: x
        b p: y
        a acquire p
        a write x
        a write y";
    assert_eq!(found(&default(), lines), ["x, y"]);
}

#[test]
fn volatile_variables_are_in_views_only_in_the_paper() {
    let lines = "
        a acquire p
        a vwrite v
        a write x
        a release p
        b p: x
        b acquire p
        b vread v
        b release p";
    assert!(found(&default(), lines).is_empty());
    assert_eq!(found(&paper(), lines), ["v, x"]);
}

#[test]
fn known_false_alarm_values_read_apart_of_which_nobody_makes_anything_together() {
    // Only the code could tell that the two values never meet: `causal` reports nothing for such a program.
    let lines = "
        b m: A@1.x
        b m: A@1.y
        a m: +A@1.x +A@1.y
        b m: A@1.x
        b m: A@1.y";
    assert_eq!(found(&default(), lines), ["A.x, A.y"]);
}
