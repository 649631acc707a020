//! The paper's figures as runs, nested locks, `wait`, orders, and what other threads write in between.

use findings::{Confidence, Report};

use super::SPEC;
use crate::Options;
use crate::testing::{check, default, paper};

/// `inc` of Figure 2 by T1, with something in the gap between its two blocks and something after it.
fn increment(gap: &str, used: &str, after: &str) -> String {
    format!(
        "
!flow 0 @ A.java:3 > A.java:7
T1 acquire lock
T1 read S@1.field @ A.java:3
T1 flow 0 read @ A.java:3
T1 release lock
{gap}
T1 acquire lock
T1 flow 0 @ A.java:7 {used}
T1 write S@1.field @ A.java:7
T1 release lock
{after}
"
    )
}

const RESET: &str = "T2 acquire lock
T2 write S@1.field @ A.java:20
T2 release lock";

fn confidence(report: &Report) -> Option<Confidence> {
    report.findings().next().map(|finding| finding.confidence)
}

#[test]
fn a_write_in_between_makes_the_value_out_of_date() {
    let report = check(&SPEC, &default(), &increment(RESET, "//~ stale-value", ""));
    let finding = report.findings().next().expect("one");
    assert_eq!((finding.subject.as_str(), finding.confidence), ("S.field", Confidence::High));
    let witness = &finding.witnesses[0];
    assert_eq!(witness.steps.iter().map(|step| step.place.line).collect::<Vec<_>>(), [3, 20, 7]);
    assert_eq!(witness.steps[0].locks, ["lock"]);
    assert!(witness.notes[0].contains("T2 wrote in this run between"), "{witness:?}");
}

#[test]
fn a_write_that_comes_later_could_have_come_in_between() {
    let later = RESET.replace("A.java:20", "A.java:20 //~ stale-value");
    let report = check(&SPEC, &default(), &increment("", "", &later));
    assert_eq!(confidence(&report), Some(Confidence::Medium));
    assert!(report.findings().all(|finding| finding.witnesses[0].notes[0].contains("could have")));
}

#[test]
fn a_write_that_came_before_could_have_come_in_between() {
    let first = increment("", "", "");
    let again = increment("", "//~ stale-value", "").replace("!flow 0 @ A.java:3 > A.java:7", "");
    // The writes of others count from the first watched read on.
    let later = RESET.replace("A.java:20", "A.java:20 //~ stale-value");
    let report = check(&SPEC, &default(), &format!("{first}{later}{again}"));
    assert_eq!(confidence(&report), Some(Confidence::Medium));
}

#[test]
fn nobody_else_means_no_finding() {
    check(&SPEC, &default(), &increment("T1 acquire lock\nT1 write S@1.field\nT1 release lock", "", ""));
    check(&SPEC, &default(), &increment("T2 acquire lock\nT2 write S@2.field\nT2 release lock", "", ""));
}

#[test]
fn the_paper_minds_only_the_block() {
    let report = check(&SPEC, &paper(), &increment("", "//~ stale-value", ""));
    assert_eq!(confidence(&report), Some(Confidence::Low));
    let report = check(&SPEC, &paper(), &increment(RESET, "//~ stale-value", ""));
    assert_eq!(confidence(&report), Some(Confidence::High));
    // Figure 4: the value is used in its own block.
    let daemon = "
!flow 0 @ :3 > :4
T1 acquire lock
T1 read S@1.field
T1 flow 0 read
T1 flow 0
T1 write S@1.field
T1 release lock
";
    check(&SPEC, &paper(), &format!("{daemon}{RESET}"));
    check(&SPEC, &default(), &format!("{daemon}{RESET}"));
}

#[test]
fn a_use_in_a_nested_block_is_one_for_the_paper_only() {
    let text = |mark: &str| {
        format!(
            "
!flow 0 @ :3 > :4
T1 acquire outer
T1 read S@1.field
T1 flow 0 read
T1 acquire inner
T1 flow 0 {mark}
T1 write S@1.field
T1 release inner
T1 release outer
T2 write S@1.field
"
        )
    };
    check(&SPEC, &default(), &text(""));
    check(&SPEC, &paper(), &text("//~ stale-value"));
}

/// A value read under both locks and written back under both, with only the inner one given up in between.
fn nested(gap: &str, used: &str, after: &str) -> String {
    format!(
        "
!flow 0 @ :3 > :4
T1 acquire outer
T1 acquire inner
T1 read S@1.field
T1 flow 0 read
T1 release inner
{gap}
T1 acquire inner
T1 flow 0 {used}
T1 write S@1.field
T1 release inner
T1 release outer
{after}
"
    )
}

#[test]
fn an_outer_lock_that_all_writers_hold_keeps_a_nested_value_fresh() {
    let both =
        "T2 acquire outer\nT2 acquire inner\nT2 write S@1.field MARK\nT2 release inner\nT2 release outer";
    let inner = "T2 acquire inner\nT2 write S@1.field MARK\nT2 release inner";
    let read = "T2 acquire outer read\nT2 acquire inner\nT2 write S@1.field MARK\nT2 release inner\nT2 release outer read";
    check(&SPEC, &default(), &nested("", "", &both.replace("MARK", "")));
    check(&SPEC, &default(), &nested("", "", &inner.replace("MARK", "//~ stale-value")));
    // Who holds the outer lock together with readers is kept out by one who holds it alone.
    check(&SPEC, &default(), &nested("", "", &read.replace("MARK", "")));
    let report = check(&SPEC, &default(), &nested(&inner.replace("MARK", ""), "//~ stale-value", ""));
    assert_eq!(confidence(&report), Some(Confidence::High));
}

#[test]
fn wait_ends_a_block() {
    let text = |wait: &str, mark: &str| {
        format!(
            "
!flow 0 @ :3 > :4
T1 acquire lock
T1 read S@1.field
T1 flow 0 read
{wait}
T1 flow 0 {mark}
T1 write S@1.field
T1 release lock
{RESET}
"
        )
    };
    let waits = format!("T1 wait lock\n{RESET}\nT1 woken lock");
    let report = check(&SPEC, &default(), &text(&waits, "//~ stale-value"));
    assert_eq!(confidence(&report), Some(Confidence::High));
    check(&SPEC, &default(), &text("", ""));
}

#[test]
fn a_getter_has_ended_its_block_when_its_value_arrives() {
    let text = "
!flow 0 @ :3 > :4
T1 acquire S@1
T1 read S@1.x @ S.java:5
T1 release S@1
T1 flow 0 read @ S.java:20
T2 acquire S@1
T2 write S@1.x @ S.java:9
T2 release S@1
T1 flow 0 @ S.java:20 //~ stale-value
T1 acquire S@1
T1 write S@1.x @ S.java:9
T1 release S@1
";
    let report = check(&SPEC, &default(), text);
    let steps = &report.findings().next().expect("one").witnesses[0].steps;
    assert_eq!(steps.iter().map(|step| step.place.line).collect::<Vec<_>>(), [5, 9, 20]);
    assert_eq!(steps[0].locks, ["S@1"]);
}

#[test]
fn what_was_read_under_no_lock_is_no_shared_value() {
    let text = "!flow 0 @ :3 > :4\nT1 read x\nT1 flow 0 read\nT2 write x\nT1 flow 0\nT1 write x\n";
    check(&SPEC, &default(), text);
    check(&SPEC, &paper(), text);
}

#[test]
fn a_write_that_was_asked_for_and_waited_for_is_meant_to_be_there() {
    let text = |started: &str, ended: &str, mark: &str| {
        increment(&format!("{started}\n{RESET}\n{ended}"), mark, "").replace("S@1", "S@9")
    };
    let handed = text("T1 fork T2", "T2 end\nT1 join T2", "").replace("T2 write S@1", "T2 write S@9");
    check(&SPEC, &default(), &handed);
    let only_started = text("T1 fork T2", "", "//~ stale-value").replace("T2 write S@1", "T2 write S@9");
    let report = check(&SPEC, &default(), &only_started);
    assert_eq!(confidence(&report), Some(Confidence::High));
}

#[test]
fn writes_before_the_start_and_after_the_join_cannot_come_in_between() {
    let text = |after: &str, mark: &str| {
        format!(
            "
main acquire lock
main write S@1.field
main release lock
main fork T1
{}
T1 end
{after}
main acquire lock
main write S@1.field {mark}
main release lock
",
            increment("", "", "")
        )
    };
    check(&SPEC, &default(), &text("main join T1", ""));
    check(&SPEC, &default(), &text("", "//~ stale-value"));
}

#[test]
fn what_the_code_takes_for_unlikely_is_told_if_it_happens() {
    let unlikely = |text: String| text.replace("!flow 0 @", "!flow 0 unlikely @");
    check(&SPEC, &default(), &unlikely(increment("", "", RESET)));
    let report = check(&SPEC, &default(), &unlikely(increment(RESET, "//~ stale-value", "")));
    assert_eq!(confidence(&report), Some(Confidence::High));
}

#[test]
fn a_value_used_beside_its_variable_is_of_low_confidence_unless_it_was_overwritten() {
    let beside = |text: String| text.replace("!flow 0 @", "!flow 0 beside @");
    let later = RESET.replace("A.java:20", "A.java:20 //~ stale-value");
    let report = check(&SPEC, &default(), &beside(increment("", "", &later)));
    assert_eq!(confidence(&report), Some(Confidence::Low));
    let report = check(&SPEC, &default(), &beside(increment(RESET, "//~ stale-value", "")));
    assert_eq!(confidence(&report), Some(Confidence::High));
}

#[test]
fn the_flows_of_the_paper_are_the_papers_alone() {
    let any = |text: String| text.replace("!flow 0 @", "!flow 0 any @");
    check(&SPEC, &default(), &any(increment(RESET, "", "")));
    check(&SPEC, &paper(), &any(increment(RESET, "//~ stale-value", "")));
}

#[test]
fn a_stale_value_is_told_once_and_a_new_one_anew() {
    let text = format!(
        "
!flow 0 @ A.java:3 > A.java:7
T1 acquire lock
T1 read S@1.field
T1 flow 0 read
T1 release lock
{RESET}
T1 flow 0 //~ stale-value
T1 flow 0
T1 acquire lock
T1 read S@1.field
T1 flow 0 read
T1 release lock
T1 flow 0 //~ stale-value
"
    );
    // The second is one that T2 could have written: it did before.
    check(&SPEC, &default(), &text);
}

#[test]
fn a_freed_object_takes_its_values_with_it() {
    let text = "
!flow 0 @ :3 > :4
T1 acquire lock
T1 read S@1.field
T1 flow 0 read
T1 release lock
T1 free S@1
T2 write S@2.field
T1 flow 0
T2 write S@2.field
";
    check(&SPEC, &default(), text);
    check(&SPEC, &paper(), text);
}

#[test]
fn volatile_fields_are_watched_and_order_nothing_by_themselves() {
    let volatile = |text: &str| text.replace(" read S@1", " vread S@1").replace(" write S@1", " vwrite S@1");
    let report = check(&SPEC, &default(), &volatile(&increment(RESET, "//~ stale-value", "")));
    assert_eq!(confidence(&report), Some(Confidence::High));
}

#[test]
fn array_elements_are_not_watched() {
    let text = increment(RESET, "", "").replace("S@1.field", "int[]@1[3]");
    check(&SPEC, &Options::default(), &text);
}
