//! Stale values on both roads: the code shows which are possible, the run whether they were out of date.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{Watched, files, java_sources, javac, scratch, watch};

fn compile(sources: &[PathBuf], name: &str) -> String {
    let classes = scratch(name);
    let support = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/support");
    javac(&[sources, &files(&support)].concat(), "", &classes);
    classes.display().to_string()
}

fn run(options: &[&str], classes: &str, program: &str) -> Watched {
    let fixed = ["--no-config", "--rules", "stale-value", "--leave", "support.Invisible"];
    watch(&[&fixed, options].concat(), &["java", "-cp", classes, program])
}

fn list(of: &Value) -> impl Iterator<Item = &Value> {
    of.as_array().into_iter().flatten()
}

/// The lines with such a mark.
fn marked(source: &str, mark: &str) -> BTreeSet<u64> {
    let lines = (1..).zip(source.lines());
    lines.filter(|(_, line)| line.ends_with(mark)).map(|(number, _)| number).collect()
}

/// The line of the use in each witness of `flow` whose first note has these words.
fn told(watched: &Watched, words: &str) -> BTreeSet<u64> {
    let witnesses = list(&watched.report["findings"]).flat_map(|finding| list(&finding["witnesses"]));
    let by_flow = witnesses.filter(|witness| {
        witness["detector"] == "flow" && list(&witness["notes"]).any(|note| note.to_string().contains(words))
    });
    by_flow.filter_map(|witness| list(&witness["steps"]).last()?["line"].as_u64()).collect()
}

#[test]
fn a_stale_value_of_the_code_is_followed_in_the_run() {
    let source = java_sources("stale").join("Stale.java");
    let text = std::fs::read_to_string(&source).expect("the source");
    let classes = compile(&[source], "stale");
    let watched = run(&["--check", &classes], &classes, "Stale");
    assert_eq!((watched.code, watched.out.as_str()), (Some(1), "1 10 1 1 1 1 1 2\n"), "{}", watched.err);
    assert_eq!(told(&watched, "wrote in this run"), marked(&text, "//~ seen stale-value"), "{}", watched.err);
    assert_eq!(told(&watched, "could have"), marked(&text, "//~ unseen stale-value"), "{}", watched.err);
    let by = |finding: &&Value, name: &str| list(&finding["detectors"]).any(|detector| detector == name);
    let by_flow = || list(&watched.report["findings"]).filter(|finding| by(finding, "flow"));
    assert_eq!(by_flow().count(), 7, "one finding for each field: {:?}", watched.findings());
    for finding in by_flow() {
        assert_eq!(finding["roads"].to_string(), r#"["run","code"]"#, "{finding:#}");
        // What another thread wrote is named, with its lock.
        let witness = list(&finding["witnesses"]).find(|one| one["detector"] == "flow").expect("a witness");
        let other = list(&witness["steps"]).find(|step| step["role"] == "interference").expect("another");
        assert!(list(&other["locks"]).next().is_some(), "{finding:#}");
    }
    assert!(
        !watched.report.to_string().contains("$raddle$"),
        "no call of ours is in a stack: {}",
        watched.err
    );
    let mended =
        |finding: &&Value| finding["subject"] == "Stale$Fixed.n" || finding["subject"] == "Stale$Again.n";
    let mut wrong = list(&watched.report["findings"]).filter(mended);
    assert!(!wrong.any(|finding| by(&finding, "flow") || by(&finding, "stale")), "{}", watched.err);
}

#[test]
fn a_plan_of_a_check_has_the_same_values_watched() {
    let classes = compile(&[java_sources("stale").join("Stale.java")], "stale-plan");
    let plan = format!("{classes}.plan");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_raddle"))
        .args(["check", "--no-config", "--exit-zero", "--write-plan", &plan, &classes])
        .output()
        .expect("raddle");
    let said = crate::one_line(&String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("values are watched"), "{said}");
    let watched = run(&["--plan", &plan], &classes, "Stale");
    assert_eq!(told(&watched, "wrote in this run").len(), 6, "{}", watched.err);
    // Without a plan a run knows nothing of values.
    let without = run(&[], &classes, "Stale");
    assert_eq!((without.code, without.out.as_str()), (Some(2), ""), "the program does not start");
    assert!(without.says("watches no values"), "{}", without.err);
}

#[test]
fn a_recorded_run_shows_the_same_again() {
    let classes = compile(&[java_sources("stale").join("Stale.java")], "stale-record");
    let trace = format!("{classes}.trace");
    let watched = run(&["--check", &classes, "--record", &trace], &classes, "Stale");
    let again = |arguments: &[&str]| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_raddle"))
            .args(arguments)
            .output()
            .expect("raddle");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let report: Value = serde_json::from_str(&again(&[
        "analyze",
        "--no-config",
        "--rules",
        "stale-value",
        "--format",
        "json",
        &trace,
    ]))
    .expect("a report");
    let analysed = Watched { code: None, out: String::new(), err: String::new(), report };
    assert_eq!(told(&analysed, "wrote in this run"), told(&watched, "wrote in this run"));
    assert_eq!(told(&analysed, "could have"), told(&watched, "could have"));
    // STD has no word for it, and says how many there were.
    let text = again(&["trace", "cat", &trace]);
    assert!(text.contains("!flow 0") && text.contains(" flow 0 read @ "), "{text}");
    let std = format!("{classes}.std");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_raddle"))
        .args(["trace", "convert", "--lossy", &trace, &std])
        .output()
        .expect("raddle");
    let said = crate::one_line(&String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("flow"), "{said}");
}

#[test]
fn the_papers_programs_have_no_stale_value_in_their_mended_twins() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/papers/stale");
    for source in files(&folder) {
        let name = source.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        let wanted = std::fs::read_to_string(&source).expect("the source").contains("//~ stale-value");
        let classes = compile(&[source], &name);
        let watched = run(&["--check", &classes], &classes, &name);
        let found = list(&watched.report["findings"]).next().is_some();
        assert_eq!(found, wanted, "{name}: {}", watched.err);
    }
}

#[test]
fn the_paper_has_every_use_after_the_block() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/papers/stale");
    let by_flow = |name: &str, options: &[&str]| {
        let classes = compile(&[folder.join(format!("{name}.java"))], name);
        let watched = run(&[options, &["--check", &classes]].concat(), &classes, name);
        let findings = list(&watched.report["findings"]);
        let found = findings.filter(|finding| list(&finding["detectors"]).any(|by| by == "flow")).count();
        (found, watched.err)
    };
    // Figure 6 looks again before it writes, which the paper does not mind.
    let (found, err) = by_flow("Transaction", &["--paper"]);
    assert!(found > 0, "{err}");
    let (found, err) = by_flow("Transaction", &[]);
    assert_eq!(found, 0, "{err}");
}
