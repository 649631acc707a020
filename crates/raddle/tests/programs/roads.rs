//! Both roads at once: the code is checked, the program is watched, and each finding says who saw it.

use std::path::Path;

use crate::{files, java_sources, javac, scratch, watch};

#[test]
fn each_finding_says_whether_the_run_the_code_or_both_show_it() {
    let classes = scratch("roads");
    javac(&files(&java_sources("roads")), "", &classes);
    let classes = classes.display().to_string();
    let watched = watch(&["--check", &classes], &["java", "-cp", &classes, "Roads"]);
    assert_eq!((watched.code, watched.out.as_str()), (Some(1), "true\n"), "{}", watched.err);
    let findings = watched.report["findings"].as_array().expect("findings");
    let mut roads: Vec<String> =
        findings.iter().map(|finding| format!("{} {}", finding["subject"], finding["roads"])).collect();
    roads.sort();
    let expected =
        [r#""Roads.cells[]" ["run"]"#, r#""Roads.count" ["run","code"]"#, r#""Roads.rare" ["code"]"#];
    assert_eq!(roads, expected, "{}", watched.err);
    for words in ["in the run and in the code", "in the code only: this run did not do it", "in the run only"]
    {
        let prose = watched.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(prose.contains(words), "{words}: {}", watched.err);
    }
}

#[test]
fn a_lock_whose_class_says_nothing_is_known_by_its_field_on_both_roads() {
    let classes = scratch("locks");
    let support = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/support");
    javac(&[files(&java_sources("locks")), files(&support)].concat(), "", &classes);
    let classes = classes.display().to_string();
    let options = ["--no-config", "--leave", "support.Invisible", "--check", &classes];
    let watched = watch(&options, &["java", "-cp", &classes, "Locks"]);
    assert_eq!((watched.code, watched.out.as_str()), (Some(1), "done\n"), "{}", watched.err);
    let findings = watched.report["findings"].as_array().expect("findings");
    let orders = findings.iter().filter(|finding| finding["rule"] == "lock-order");
    let mut orders: Vec<String> =
        orders.map(|finding| format!("{} {}", finding["subject"], finding["roads"])).collect();
    orders.sort();
    let expected = [
        "Locks$Guarded.log, Locks$Guarded.table",
        "Locks$One.class, Locks$Other.class",
        "Locks$Pair.left, Locks$Pair.right",
        "Locks.FIRST, Locks.SECOND",
    ];
    assert_eq!(orders, expected.map(|locks| format!(r#""{locks}" ["run","code"]"#)), "{}", watched.err);
    assert!(watched.says("takes and keeps lock Locks$Guarded.table@"), "{}", watched.err);
}

#[test]
fn code_that_is_not_there_is_an_error_and_the_program_does_not_start() {
    let watched = watch(&["--check", "no-such.jar"], &["java", "-version"]);
    assert_eq!(watched.code, Some(2));
    assert!(watched.says("no-such.jar: no such file or folder"), "{}", watched.err);
    assert!(!watched.err.contains("version"), "{}", watched.err);
}

/// The high-level races that are found in a program, by subject.
fn high_level_races(options: &[&str], classes: &str, program: &str) -> Vec<String> {
    let options = [&["--no-config", "--leave", "support.Invisible"], options].concat();
    let watched = watch(&options, &["java", "-cp", classes, program]);
    assert!(matches!(watched.code, Some(0 | 1)), "{}", watched.err);
    let findings = watched.report["findings"].as_array().expect("findings").iter();
    let races = findings.filter(|finding| finding["rule"] == "high-level-race");
    races.map(|finding| finding["subject"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_branch_that_was_not_taken_is_no_high_level_race_if_the_code_is_given() {
    let classes = scratch("branches");
    let support = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/support");
    let sources = [files(&java_sources("branches")), files(&support)].concat();
    javac(&sources, "", &classes);
    let classes = classes.display().to_string();
    let race = ["Gauge$Tank.capacity, Gauge$Tank.level"];
    assert_eq!(high_level_races(&[], &classes, "Gauge"), race, "nothing says what the branch would do");
    assert_eq!(high_level_races(&["--check", &classes], &classes, "Gauge"), [""; 0]);
    assert_eq!(high_level_races(&["--paper", "--check", &classes], &classes, "Gauge"), race);
}

#[test]
fn the_elevators_two_false_alarms_are_the_papers_alone() {
    let classes = scratch("elevator");
    let elevator = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/papers/views/Elevator.java");
    javac(&[elevator], "", &classes);
    let classes = classes.display().to_string();
    assert_eq!(high_level_races(&[], &classes, "Elevator"), [""; 0]);
    assert_eq!(high_level_races(&["--check", &classes], &classes, "Elevator"), [""; 0]);
    let of = |way: &str| {
        ["Calls", "Claim", "Waiting"].map(|field| format!("Elevator$Floor.{way}{field}")).join(", ")
    };
    assert_eq!(high_level_races(&["--paper"], &classes, "Elevator"), [of("down"), of("up")]);
}
