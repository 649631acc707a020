//! How sure it is that a broken block matters: what breaks it is about the same as its commit, or not.

use findings::Confidence;

use super::super::SPEC;
use super::shared;
use crate::testing::{default, report};

/// A block that takes and gives up these locks in turn, executed so many times.
fn block(locks: &[&str], times: usize) -> String {
    let one = |lock: &&str| format!("A acquire {lock} @ C.java:2\nA release {lock} @ C.java:3\n");
    let body: String = locks.iter().map(one).collect();
    format!("A begin C.both @ C.java:1\n{body}A finish C.both\n").repeat(times)
}

fn confidence(text: &str) -> (Confidence, String) {
    let report = report(&[&SPEC], &default(), text);
    let finding = report.findings().next().expect("a finding");
    (finding.confidence, finding.message.clone())
}

#[test]
fn one_lock_given_up_and_taken_again_is_surer_than_two_locks() {
    let used = [shared("m"), shared("n")].concat();
    assert_eq!(confidence(&[&used, &*block(&["m", "m"], 1)].concat()).0, Confidence::Medium);
    assert_eq!(confidence(&[&used, &*block(&["m", "n"], 1)].concat()).0, Confidence::Low);
}

#[test]
fn what_breaks_a_block_for_sure_counts_also_if_something_else_did_before() {
    let used = [shared("m"), shared("n")].concat();
    let (found, message) = confidence(&[&used, &*block(&["m", "n", "m"], 1)].concat());
    assert_eq!(found, Confidence::Medium);
    assert!(message.contains("releases lock m") && message.contains("acquires lock m"), "{message}");
}

#[test]
fn enough_doubtful_sightings_do_not_hide_a_surer_one() {
    let used = [shared("m"), shared("n")].concat();
    let both = [&used, &*block(&["m", "n"], 20), &*block(&["m", "m"], 1)].concat();
    assert_eq!(confidence(&both).0, Confidence::Medium);
}

#[test]
fn doubts_end_with_their_block() {
    let used = [shared("m"), shared("n")].concat();
    // What comes after the block is not in it.
    let after = [&used, &*block(&["m", "n"], 1), "A acquire m\nA release m\n"].concat();
    assert_eq!(confidence(&after).0, Confidence::Low);
    // An inner block that something else has broken is over, the outer one is not.
    let nested = format!(
        "{used}A begin C.outer\n{}A acquire m\nA release m\nA finish C.outer\n",
        block(&["m", "n"], 1)
    );
    let report = report(&[&SPEC], &default(), &nested);
    let found: Vec<_> = report.findings().map(|found| (found.subject.as_str(), found.confidence)).collect();
    assert_eq!(found, [("C.both", Confidence::Low), ("C.outer", Confidence::Medium)]);
}

#[test]
fn a_variable_of_the_same_object_is_the_same() {
    let volatile = |field: &str| ["A", "B", "C"].map(|t| format!("{t} vwrite P@1.{field}\n")).concat();
    let steps = |first: &str, second: &str| {
        format!(
            "{}{}A begin C.both\nA vread {first}\nA vwrite {second}\nA finish C.both\n",
            volatile("x"),
            volatile("y")
        ) + "B vwrite Q@2.z\nC vwrite Q@2.z\n"
    };
    assert_eq!(confidence(&steps("P@1.x", "P@1.y")).0, Confidence::Medium);
    let other = "B vwrite Q@2.z\nC vwrite Q@2.z\nA vwrite Q@2.z\n".to_owned() + &steps("P@1.x", "Q@2.z");
    assert_eq!(confidence(&other).0, Confidence::Low);
}
