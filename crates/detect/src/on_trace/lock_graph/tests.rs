//! The lock-order detector on written traces.

use findings::{Confidence, Role};

use super::SPEC;
use crate::testing::{default, paper, report, subjects};

const CLASSIC: &str = "
    T1 acquire a @ A.java:1
    T1 acquire b @ A.java:2
    T1 release b
    T1 release a
    T2 acquire b @ B.java:1
    T2 acquire a @ B.java:2
    T2 release a
    T2 release b
";

#[test]
fn two_locks_in_both_orders_are_a_cycle() {
    let report = report(&[&SPEC], &default(), CLASSIC);
    let finding = report.findings().next().expect("a finding");
    assert_eq!((finding.subject.as_str(), finding.confidence), ("a, b", Confidence::High));
    let steps: Vec<(&str, Role, &str, i32, &[String])> = finding.witnesses[0]
        .steps
        .iter()
        .map(|s| (s.thread.as_str(), s.role, s.target.as_str(), s.place.line, s.locks.as_slice()))
        .collect();
    let (a, b) = (["a".to_owned()], ["b".to_owned()]);
    assert_eq!(
        steps,
        [
            ("T1", Role::Holds, "a", 1, &[][..]),
            ("T1", Role::Wants, "b", 2, &a[..]),
            ("T2", Role::Holds, "b", 1, &[][..]),
            ("T2", Role::Wants, "a", 2, &b[..]),
        ]
    );
    assert_eq!(
        finding.witnesses[0].notes[0],
        "The deadlock: T1 holds a and wants b while T2 holds b and wants a."
    );
}

#[test]
fn one_order_everywhere_is_no_cycle() {
    let text = CLASSIC.replace("T2 acquire b", "T2 acquire c").replace("T2 release b", "T2 release c");
    assert!(subjects(&SPEC, &default(), &text).is_empty());
}

#[test]
fn a_common_outer_lock_is_a_gate() {
    let text = "
        T1 acquire gate
        T1 acquire a
        T1 acquire b
        T1 release b
        T1 release a
        T1 release gate
        T2 acquire gate
        T2 acquire b
        T2 acquire a
        T2 release a
        T2 release b
        T2 release gate
    ";
    assert!(subjects(&SPEC, &default(), text).is_empty());
    let two_gates =
        text.replace("T2 acquire gate", "T2 acquire other").replace("T2 release gate", "T2 release other");
    assert_eq!(subjects(&SPEC, &default(), &two_gates), ["a, b"]);
    let read_gate = text.replace("gate", "gate read");
    assert_eq!(subjects(&SPEC, &default(), &read_gate), ["a, b"], "readers pass a gate together");
}

#[test]
fn one_thread_alone_cannot_block_itself() {
    assert!(subjects(&SPEC, &default(), &CLASSIC.replace("T2", "T1")).is_empty());
}

#[test]
fn start_and_join_keep_the_two_orders_apart() {
    let started = format!(
        "{}\n T1 fork T2\n {}",
        &CLASSIC[..CLASSIC.find("    T2").unwrap()],
        &CLASSIC[CLASSIC.find("    T2").unwrap()..]
    );
    assert!(subjects(&SPEC, &default(), &started).is_empty());
    assert_eq!(subjects(&SPEC, &paper(), &started), ["a, b"]);
    let joined = started.replace("T1 fork T2", "T1 end\n T2 join T1");
    assert!(subjects(&SPEC, &default(), &joined).is_empty());
}

#[test]
fn an_order_seen_again_without_start_between_is_found() {
    let text = "
        T1 acquire a
        T1 acquire b
        T1 release b
        T1 release a
        T1 fork T2
        T1 acquire a
        T1 acquire b
        T1 release b
        T1 release a
        T2 acquire b
        T2 acquire a
        T2 release a
        T2 release b
    ";
    assert_eq!(subjects(&SPEC, &default(), text), ["a, b"]);
}

#[test]
fn three_philosophers_are_a_longer_cycle() {
    let seat = |n: usize| {
        let (left, right) = (n, (n + 1) % 3);
        format!(
            "P{n} acquire table.Fork@{left}\nP{n} acquire table.Fork@{right}\n\
             P{n} release table.Fork@{right}\nP{n} release table.Fork@{left}\n"
        )
    };
    let text: String = (0..3).map(seat).collect();
    let report = report(&[&SPEC], &default(), &text);
    let finding = report.findings().next().expect("a finding");
    assert_eq!(finding.subject, "table.Fork, table.Fork, table.Fork");
    assert_eq!(finding.confidence, Confidence::Medium);
    assert_eq!(finding.witnesses[0].steps.len(), 6);
    assert_eq!(report.findings().count(), 1);
}

#[test]
fn readers_do_not_block_each_other() {
    let text = "
        T1 acquire rw read
        T1 acquire m
        T1 release m
        T1 release rw read
        T2 acquire m
        T2 acquire rw read
        T2 release rw read
        T2 release m
    ";
    assert!(subjects(&SPEC, &default(), text).is_empty());
    let writer =
        text.replace("T2 acquire rw read", "T2 acquire rw").replace("T2 release rw read", "T2 release rw");
    assert_eq!(subjects(&SPEC, &default(), &writer), ["m, rw"]);
}

#[test]
fn explicit_locks_and_two_objects_of_one_class_are_named_by_class() {
    let text = CLASSIC
        .replace("acquire a", "acquire java.util.concurrent.locks.ReentrantLock@1")
        .replace("release a", "release java.util.concurrent.locks.ReentrantLock@1");
    assert_eq!(subjects(&SPEC, &default(), &text), ["b, java.util.concurrent.locks.ReentrantLock"]);
    let text = CLASSIC
        .replace("acquire a", "acquire pkg.Account@1")
        .replace("release a", "release pkg.Account@1")
        .replace("acquire b", "acquire pkg.Account@2")
        .replace("release b", "release pkg.Account@2");
    assert_eq!(subjects(&SPEC, &default(), &text), ["pkg.Account, pkg.Account"]);
}

/// Two threads that take two locks in different orders, the first of them from one field or another.
fn both_ways(first: &str, second: &str, fields: [&str; 2], other: &str) -> String {
    let [one, two] = fields;
    format!(
        "T1 acquire {first} @ a.A.f(A.java:1) of {one}
        T1 acquire {second} @ a.A.f(A.java:2) of {other}
        T1 release {second}
        T1 release {first}
        T2 acquire {second} @ b.B.g(B.java:1) of {other}
        T2 acquire {first} @ b.B.g(B.java:2) of {two}
        T2 release {first}
        T2 release {second}\n"
    )
}

#[test]
fn locks_whose_class_says_nothing_are_named_by_the_fields_that_hold_them() {
    let (object, list) = ("java.lang.Object@1", "java.util.ArrayList@2");
    // Of two names it is the first in the alphabet, whoever comes first.
    for fields in [["a.A.lock", "b.B.lock"], ["b.B.lock", "a.A.lock"]] {
        let text = both_ways(object, list, fields, "a.A.list");
        let report = report(&[&SPEC], &default(), &text);
        let finding = report.findings().next().expect("a finding");
        assert_eq!(finding.subject, "a.A.list, a.A.lock");
        let targets: Vec<&str> = finding.witnesses[0].steps.iter().map(|step| step.target.as_str()).collect();
        assert!(targets.contains(&"a.A.list@2"), "{targets:?}");
    }
    // Other fields are another finding.
    let other = both_ways("java.lang.Object@3", "java.util.ArrayList@4", ["a.A.gate"; 2], "a.A.list");
    let text = both_ways(object, list, ["a.A.lock"; 2], "a.A.list") + &other;
    assert_eq!(subjects(&SPEC, &default(), &text), ["a.A.gate, a.A.list", "a.A.list, a.A.lock"]);
    // A class that says something is the name; without a field there is nothing but the class.
    let text = both_ways("a.Gate@1", list, ["a.A.gate"; 2], "a.A.list");
    assert_eq!(subjects(&SPEC, &default(), &text), ["a.A.list, a.Gate"]);
    let bare: String =
        text.lines().map(|line| line.split(" of ").next().unwrap().to_owned() + "\n").collect();
    assert_eq!(subjects(&SPEC, &default(), &bare), ["a.Gate, java.util.ArrayList"]);
}

#[test]
fn taking_a_lock_again_gives_no_edge() {
    let text = "
        T1 acquire a
        T1 acquire b
        T1 reenter a
        T1 reexit a
        T1 release b
        T1 release a
        T2 acquire a
        T2 acquire b
        T2 release b
        T2 release a
    ";
    assert!(subjects(&SPEC, &default(), text).is_empty());
}

#[test]
fn waking_up_in_a_nested_monitor_wants_the_inner_lock() {
    let text = "
        T1 acquire outer
        T1 acquire inner
        T1 wait inner
        T2 acquire inner
        T2 acquire other
        T2 release other
        T2 release inner
        T1 woken inner
        T1 release inner
        T1 release outer
        T3 acquire outer
        T3 release outer
        T2 acquire inner
        T2 release inner
    ";
    assert!(subjects(&SPEC, &default(), text).is_empty());
    let text = "
        T1 acquire inner
        T1 acquire outer
        T1 wait inner
        T1 woken inner
        T1 release inner
        T1 release outer
        T2 acquire inner
        T2 acquire outer
        T2 release outer
        T2 release inner
    ";
    assert_eq!(subjects(&SPEC, &default(), text), ["inner, outer"]);
}

#[test]
fn a_cycle_is_reported_when_one_of_its_objects_dies() {
    let text = "
        T1 acquire pkg.Account@1
        T1 acquire pkg.Account@2
        T1 release pkg.Account@2
        T1 release pkg.Account@1
        T2 acquire pkg.Account@2
        T2 acquire pkg.Account@1
        T2 release pkg.Account@1
        T2 release pkg.Account@2
        T2 free pkg.Account@1
        T2 free pkg.Account@2
    ";
    let report = report(&[&SPEC], &default(), text);
    let found: Vec<(&str, u64)> = report.findings().map(|f| (f.subject.as_str(), f.count)).collect();
    assert_eq!(found, [("pkg.Account, pkg.Account", 1)]);
}

#[test]
fn many_objects_of_one_class_are_one_finding_with_a_count() {
    let mut text = String::new();
    for n in 0..10 {
        for (thread, first, second) in [("T1", 2 * n, 2 * n + 1), ("T2", 2 * n + 1, 2 * n)] {
            for (operation, lock) in
                [("acquire", first), ("acquire", second), ("release", second), ("release", first)]
            {
                text += &format!("{thread} {operation} pkg.Account@{lock}\n");
            }
        }
    }
    let report = report(&[&SPEC], &default(), &text);
    let finding = report.findings().next().expect("a finding");
    assert_eq!((finding.count, finding.witnesses.len()), (10, 3));
}
