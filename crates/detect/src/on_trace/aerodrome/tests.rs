//! The serialisability detector on written traces.

use findings::{Confidence, Role};

use super::SPEC;
use crate::testing::{check, default, report};

fn finds(text: &str) {
    check(&SPEC, &default(), text);
}

#[test]
fn a_write_between_a_read_and_a_write_breaks_the_block() {
    let text = "
        T1 begin Account.withdraw @ Account.java:1
        T1 read balance @ Account.java:2
        T2 write balance @ Teller.java:9
        T1 write balance @ Account.java:3 //~ non-atomic
        T1 finish Account.withdraw
    ";
    finds(text);
    let report = report(&[&SPEC], &default(), text);
    let finding = report.findings().next().expect("a finding");
    assert_eq!((finding.subject.as_str(), finding.confidence), ("Account.withdraw", Confidence::High));
    let steps: Vec<(&str, Role, &str, i32)> = finding.witnesses[0]
        .steps
        .iter()
        .map(|s| (s.thread.as_str(), s.role, s.target.as_str(), s.place.line))
        .collect();
    assert_eq!(
        steps,
        [
            ("T1", Role::BlockEntered, "", 1),
            ("T1", Role::Commit, "balance", 2),
            ("T2", Role::Interference, "balance", 9),
            ("T1", Role::Violation, "balance", 3),
        ]
    );
}

#[test]
fn a_block_that_is_only_overtaken_is_serialisable() {
    finds(
        "
        T1 begin A
        T1 read x
        T2 write x
        T2 write y
        T1 read z
        T1 finish A
        T1 read y
    ",
    );
}

#[test]
fn two_critical_sections_in_one_block_let_another_thread_in() {
    finds(
        "
        T1 begin A
        T1 acquire m
        T1 read x
        T1 release m
        T2 acquire m
        T2 read other
        T2 release m
        T1 acquire m //~ non-atomic
        T1 write x
        T1 release m
        T1 finish A
    ",
    );
}

#[test]
fn a_block_under_one_lock_is_never_reported() {
    let mut text = String::new();
    for thread in ["T1", "T2", "T1", "T3", "T2"] {
        for operation in ["begin A", "read own", "acquire m", "read x", "write x", "release m", "finish A"] {
            text += &format!("{thread} {}\n", operation.replace("own", thread));
        }
    }
    finds(&text);
}

#[test]
fn the_cycle_may_go_through_other_threads_and_other_variables() {
    finds(
        "
        T1 begin A
        T1 write x
        T2 read x
        T2 write y
        T3 read y
        T3 write z
        T1 read z //~ non-atomic
        T1 finish A
    ",
    );
}

/// AeroDrome's clocks see this one only when B ends: B's order came to T3 before A's came to B.
#[test]
fn order_that_an_open_block_takes_in_late_reaches_those_who_already_follow_it() {
    finds(
        "
        T2 begin B
        T2 write y
        T3 read y
        T3 write z
        T1 begin A
        T1 write x
        T2 read x
        T1 read z //~ non-atomic
        T1 finish A
        T2 finish B
    ",
    );
}

#[test]
fn blocks_that_come_in_between_each_other_are_reported_once_where_the_cycle_closes() {
    finds(
        "
        T1 begin A
        T2 begin B
        T1 write x
        T2 write y
        T2 read x
        T1 read y //~ non-atomic
        T1 finish A
        T2 finish B
    ",
    );
}

#[test]
fn the_rest_of_a_reported_block_is_watched_as_a_block_of_its_own() {
    finds(
        "
        T1 begin A
        T1 write x
        T2 write x
        T1 write x //~ non-atomic
        T1 write x
        T2 write x
        T1 write x //~ non-atomic
        T1 finish A
    ",
    );
}

#[test]
fn the_outermost_block_is_the_transaction() {
    let text = "
        T1 begin Outer
        T1 begin Inner
        T1 read x
        T1 finish Inner
        T2 write x
        T1 begin Inner
        T1 read x //~ non-atomic
        T1 finish Inner
        T1 finish Outer
    ";
    finds(text);
    assert_eq!(report(&[&SPEC], &default(), text).findings().next().expect("a finding").subject, "Outer");
}

#[test]
fn wait_ends_the_block_and_opens_it_again() {
    let text = "
        T1 acquire m
        T1 begin A
        T1 read x
        T1 wait m
        T2 acquire m
        T2 write x
        T2 release m
        T1 woken m
        T1 read x
        T1 finish A
        T1 release m
    ";
    finds(text);
    let without_wait = "
        T1 begin A
        T1 acquire m
        T1 read x
        T1 release m
        T2 acquire m
        T2 write x
        T2 release m
        T1 acquire m //~ non-atomic
        T1 read x
        T1 release m
        T1 finish A
    ";
    finds(without_wait);
}

#[test]
fn readers_of_a_lock_do_not_come_in_between_each_other() {
    let text = "
        T1 begin A
        T1 acquire rw read
        T1 release rw read
        T2 acquire rw read
        T2 release rw read
        T1 acquire rw read
        T1 release rw read
        T1 finish A
    ";
    finds(text);
    finds(
        "
        T1 begin A
        T1 acquire rw read
        T1 release rw read
        T2 acquire rw
        T2 release rw
        T1 acquire rw read //~ non-atomic
        T1 release rw read
        T1 finish A
    ",
    );
}

#[test]
fn volatile_variables_and_channels_carry_order() {
    finds(
        "
        T1 begin A
        T1 vwrite flag
        T2 vread flag
        T2 signal done
        T1 observe done //~ non-atomic
        T1 finish A
    ",
    );
}

#[test]
fn a_block_that_starts_and_joins_a_thread_cannot_happen_as_a_whole() {
    let text = "
        main begin A
        main fork T1
        T1 read x
        T1 end
        main join T1 //~ non-atomic
        main finish A
    ";
    finds(text);
    let report = report(&[&SPEC], &default(), text);
    let notes = &report.findings().next().expect("a finding").witnesses[0].notes;
    assert!(notes[1].contains("starts a thread and waits"), "{notes:?}");
}

#[test]
fn operations_outside_blocks_are_never_reported() {
    finds(
        "
        T1 write x
        T2 write x
        T1 write x
        T2 write x
    ",
    );
}

#[test]
fn a_new_object_owes_nothing_to_a_dead_one() {
    finds(
        "
        T1 begin A
        T1 write pkg.Box@1.value
        T2 write pkg.Box@1.value
        T2 free pkg.Box@1
        T1 write pkg.Box@2.value
        T1 finish A
    ",
    );
}

#[test]
fn array_parts_keep_their_readers_when_they_split() {
    finds(
        "
        T1 begin A
        T2 begin B
        T1 read int[]@1[0..10]
        T2 read int[]@1[0..10]
        T3 write int[]@1[5]
        T1 read int[]@1[0..5]
        T1 read int[]@1[5..10] //~ non-atomic
        T2 read int[]@1[5] //~ non-atomic
        T2 finish B
        T1 finish A
    ",
    );
}
