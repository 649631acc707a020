//! The examples of the Atomizer paper, and each refinement of its sections 4.3 and 4.4 by itself.

use findings::Role;

use super::super::SPEC;
use super::{clean, only, shared, steps, without, written};
use crate::Refinements;
use crate::testing::{check, default, paper, subjects};

const APPEND: &str = "\
T1 begin StringBuffer.append @ StringBuffer.append(StringBuffer.java:445) < UnitTest.main(UnitTest.java:21)
T1 acquire StringBuffer@1 @ StringBuffer.append(StringBuffer.java:445) < UnitTest.main(UnitTest.java:21)
T1 acquire StringBuffer@2 @ StringBuffer.length(StringBuffer.java:143) < StringBuffer.append(StringBuffer.java:451) < UnitTest.main(UnitTest.java:21)
T1 read StringBuffer@2.count @ StringBuffer.length(StringBuffer.java:143) < StringBuffer.append(StringBuffer.java:451) < UnitTest.main(UnitTest.java:21)
T1 release StringBuffer@2 @ StringBuffer.length(StringBuffer.java:144) < StringBuffer.append(StringBuffer.java:451) < UnitTest.main(UnitTest.java:21)
T1 read StringBuffer@1.count @ StringBuffer.append(StringBuffer.java:452) < UnitTest.main(UnitTest.java:21)
T1 acquire StringBuffer@2 @ StringBuffer.getChars(StringBuffer.java:326) < StringBuffer.append(StringBuffer.java:455) < UnitTest.main(UnitTest.java:21) //~ non-atomic
T1 read StringBuffer@2.count @ StringBuffer.getChars(StringBuffer.java:327) < StringBuffer.append(StringBuffer.java:455) < UnitTest.main(UnitTest.java:21)
T1 release StringBuffer@2 @ StringBuffer.getChars(StringBuffer.java:330) < StringBuffer.append(StringBuffer.java:455) < UnitTest.main(UnitTest.java:21)
T1 write StringBuffer@1.count @ StringBuffer.append(StringBuffer.java:456) < UnitTest.main(UnitTest.java:21)
T1 release StringBuffer@1 @ StringBuffer.append(StringBuffer.java:457) < UnitTest.main(UnitTest.java:21)
T1 finish StringBuffer.append @ StringBuffer.append(StringBuffer.java:457) < UnitTest.main(UnitTest.java:21)
";

#[test]
fn figure_2_is_the_report_for_string_buffer_append() {
    let trace = shared("StringBuffer@2") + APPEND;
    for options in [default(), paper()] {
        let report = check(&SPEC, &options, &trace);
        let main = "UnitTest.main(UnitTest.java:21)".to_owned();
        let append = |line| format!("StringBuffer.append(StringBuffer.java:{line})");
        assert_eq!(
            steps(&report),
            [
                (Role::BlockEntered, String::new(), vec![append(445), main.clone()]),
                (
                    Role::Commit,
                    "at lock release".to_owned(),
                    vec!["StringBuffer.length(StringBuffer.java:144)".to_owned(), append(451), main.clone()]
                ),
                (
                    Role::Violation,
                    "at lock acquire".to_owned(),
                    vec!["StringBuffer.getChars(StringBuffer.java:326)".to_owned(), append(455), main]
                ),
            ]
        );
        let finding = report.findings().next().expect("a finding");
        assert_eq!((finding.subject.as_str(), finding.count), ("StringBuffer.append", 1));
        assert_eq!(
            finding.message,
            "StringBuffer.append is not atomic: it releases lock StringBuffer@2 at StringBuffer.java:144 and then \
             acquires lock StringBuffer@2 at StringBuffer.java:326; other threads can act in between"
        );
        let locks: Vec<_> = finding.witnesses[0].steps.iter().map(|step| step.locks.clone()).collect();
        let outer = vec!["StringBuffer@1".to_owned()];
        assert_eq!(locks, [vec![], outer.clone(), outer]);
    }
}

#[test]
fn append_to_a_buffer_that_no_other_thread_knows_is_atomic() {
    clean(&default(), &APPEND.replace("//~ non-atomic", ""));
}

#[test]
fn figure_7_acquire_read_write_release_is_atomic() {
    let before = shared("m") + &written("x", Some("m"));
    clean(
        &paper(),
        &format!("{before}D begin inc\nD acquire m\nD read x\nD write x\nD release m\nD finish inc\n"),
    );
}

#[test]
fn figure_10_the_block_commits_at_the_release_and_no_earlier() {
    let before = shared("m") + &written("x", Some("m")) + &shared("n");
    let block = |before_release: &str, after_release: &str| {
        format!(
            "{before}D begin inc\nD acquire m\nD read x\nD write x\n{before_release}D release m\n{after_release}\
             D release n\nD finish inc\n"
        )
    };
    clean(&paper(), &block("D acquire n\n", ""));
    let report = check(&SPEC, &paper(), &block("", "D acquire n //~ non-atomic\n"));
    assert_eq!(steps(&report)[1].1, "at lock release");
}

#[test]
fn double_it_is_missed_at_first_and_found_the_next_time() {
    let double_it =
        "D begin doubleIt\nD acquire m\nD read x\nOTHER\nD write x MARK\nD release m\nD finish doubleIt\n";
    let before = shared("m") + &written("x", Some("m"));
    // The read counts as protected, then another thread empties the lock set: the write is the first non-mover.
    let first = double_it.replace("OTHER", "E write x").replace("MARK", "");
    clean(&paper(), &format!("{before}{first}"));
    let second = double_it.replace("OTHER", "").replace("MARK", "//~ non-atomic");
    let report = check(&SPEC, &paper(), &format!("{before}{first}{second}"));
    assert_eq!(steps(&report)[1].1, "at a read of x, which no lock protects");
    assert_eq!(steps(&report)[2].1, "at a write of x, which no lock protects");
}

#[test]
fn write_protected_data_makes_read_and_inc_of_section_4_4_atomic() {
    let trace = |mark: &str| {
        format!(
            "{}{}E begin read\nE read x\nE finish read\n\
             D begin inc\nD acquire m\nD read x\nD write x {mark}\nD release m\nD finish inc\n",
            shared("m"),
            written("x", Some("m"))
        )
    };
    clean(&paper(), &trace(""));
    let options = without(|on| on.write_protected = false);
    check(&SPEC, &options, &trace("//~ non-atomic"));
    assert_eq!(subjects(&SPEC, &options, &trace("")), ["inc"]);
}

#[test]
fn a_write_of_data_that_is_read_without_the_lock_says_so() {
    let trace = format!(
        "{}{}E read x\nD begin twice\nD acquire m\nD write x\nD write x //~ non-atomic\nD release m\nD finish twice\n",
        shared("m"),
        written("x", Some("m"))
    );
    let report = check(&SPEC, &paper(), &trace);
    assert_eq!(steps(&report)[1].1, "at a write of x, which is also read without its lock");
}

/// Not reported with the refinement alone, reported without any.
fn removed_by(set: impl Fn(&mut Refinements), trace: &str) {
    check(&SPEC, &only(|_| {}), trace);
    clean(&only(set), &trace.replace("//~ non-atomic", ""));
}

#[test]
fn a_reentrant_acquire_and_release_move_both_ways() {
    removed_by(
        |on| on.reentrant = true,
        "T begin b\nT acquire m\nT reenter m\nT reexit m\nT reenter m //~ non-atomic\nT reexit m\nT release m\nT finish b\n",
    );
}

#[test]
fn a_lock_of_one_thread_moves_both_ways() {
    removed_by(
        |on| on.thread_local = true,
        "T begin b\nT acquire m\nT release m\nT acquire m //~ non-atomic\nT release m\nT finish b\n",
    );
}

#[test]
fn a_lock_that_was_handed_over_once_moves_both_ways() {
    let trace = "A acquire m\nA release m\n\
        T begin b\nT acquire m\nT release m\nT acquire m //~ non-atomic\nT release m\nT finish b\n";
    removed_by(|on| on.thread_local_2 = true, trace);
    check(&SPEC, &only(|on| on.thread_local = true), trace);
}

#[test]
fn a_lock_that_is_only_taken_under_another_moves_both_ways() {
    let trace = "A acquire m\nA acquire n\nA release n\nA release m\n\
        B acquire m\nB acquire n\nB release n\nB release m\n\
        C begin b\nC acquire m\nC acquire n\nC release n\nC acquire n //~ non-atomic\nC release n\nC release m\nC finish b\n";
    removed_by(|on| on.protected = true, trace);
    check(&SPEC, &without(|on| on.protected = false), trace);
}

#[test]
fn a_lock_that_outlives_its_outer_lock_is_not_protected() {
    check(
        &SPEC,
        &only(|on| on.protected = true),
        "A acquire m\nA acquire n\nA release m\nA release n\n\
         B begin b\nB acquire m\nB acquire n\nB release n\nB acquire n //~ non-atomic\nB release n\nB release m\nB finish b\n",
    );
}

#[test]
fn a_read_lock_protects_no_acquire_that_excludes() {
    let trace = |mode: &str, mark: &str| {
        let around = |t: &str, body: &str| format!("{t} acquire rw {mode}\n{body}{t} release rw {mode}\n");
        around("A", "A acquire n\nA release n\n")
            + "B begin b\n"
            + &around("B", &format!("B acquire n\nB release n\nB acquire n {mark}\nB release n\n"))
            + "B finish b\n"
    };
    check(&SPEC, &only(|on| on.protected = true), &trace("read", "//~ non-atomic"));
    clean(&only(|on| on.protected = true), &trace("", ""));
}

#[test]
fn figure_18_each_refinement_takes_some_findings_away() {
    let before = shared("m")
        + &written("x", Some("m"))
        + "E read x\nA acquire two\nA release two\n\
           A acquire m\nA acquire inner\nA release inner\nA release m\n\
           B acquire m\nB acquire inner\nB release inner\nB release m\n\
           C acquire m\nC acquire inner\nC release inner\nC release m\n";
    let twice = |name: &str, lock: &str| {
        let once = format!("D acquire {lock}\nD release {lock}\n");
        format!("D begin {name}\n{once}{once}D finish {name}\n")
    };
    let mixed = before
        + "D begin reentrant\nD acquire m\nD reenter m\nD reexit m\nD reenter m\nD reexit m\nD release m\nD finish reentrant\n"
        + &twice("local", "one")
        + &twice("handed", "two")
        + "D acquire m\n"
        + &twice("protected", "inner")
        + "D release m\nD begin inc\nD acquire m\nD read x\nD write x\nD release m\nD finish inc\n"
        + &twice("broken", "m");
    let mut on = Refinements::NONE;
    let mut found = vec![subjects(&SPEC, &only(|set| *set = on), &mixed)];
    for step in [
        |on: &mut Refinements| on.reentrant = true,
        |on: &mut Refinements| on.thread_local = true,
        |on: &mut Refinements| on.thread_local_2 = true,
        |on: &mut Refinements| on.protected = true,
        |on: &mut Refinements| on.write_protected = true,
    ] {
        step(&mut on);
        found.push(subjects(&SPEC, &only(|set| *set = on), &mixed));
    }
    let counts: Vec<usize> = found.iter().map(Vec::len).collect();
    assert_eq!(counts, [6, 5, 4, 3, 2, 1], "{found:#?}");
    assert_eq!(found[5], ["broken"]);
}
