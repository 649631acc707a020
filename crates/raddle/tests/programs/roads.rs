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
        [r#""Roads.count" ["run","code"]"#, r#""Roads.rare" ["code"]"#, r#""Roads.cells[]" ["run"]"#];
    assert_eq!(roads, expected, "{}", watched.err);
    for words in ["in the run and in the code", "in the code only: this run did not do it", "in the run only"]
    {
        let prose = watched.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(prose.contains(words), "{words}: {}", watched.err);
    }
}

#[test]
fn code_that_is_not_there_is_an_error_and_the_program_does_not_start() {
    let watched = watch(&["--check", "no-such.jar"], &["java", "-version"]);
    assert_eq!(watched.code, Some(2));
    assert!(watched.says("no-such.jar: no such file or folder"), "{}", watched.err);
    assert!(!watched.err.contains("version"), "{}", watched.err);
}

#[test]
fn a_branch_that_was_not_taken_is_no_high_level_race_if_the_code_is_given() {
    let classes = scratch("branches");
    let elevator = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/papers/views/Elevator.java");
    javac(&[elevator], "", &classes);
    let classes = classes.display().to_string();
    let watched = watch(&["--no-config", "--check", &classes], &["java", "-cp", &classes, "Elevator"]);
    let findings = watched.findings();
    assert!(!findings.iter().any(|finding| finding.starts_with("high-level-race")), "{findings:?}");
    let papers = ["--no-config", "--paper", "--check", &classes];
    let findings = watch(&papers, &["java", "-cp", &classes, "Elevator"]).findings();
    assert!(findings.iter().any(|finding| finding.starts_with("high-level-race")), "{findings:?}");
}
