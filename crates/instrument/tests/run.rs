//! Woven programs print what they print unwoven, and tell the probe what they do in the right order. A stand-in for the
//! probe writes each call to a file, which is compared with `golden/*.log`.

mod support;

use std::path::Path;
use std::process::Command;

use instrument::{Blocks, Options, Scope};
use support::Table;

fn java(classes: &Path, flags: &[&str], main: &str) -> String {
    let boot = format!("-Xbootclasspath/a:{}", support::probe().display());
    let mut command = Command::new("java");
    command.args(["-Xverify:all", "-Xshare:auto", "-XX:+UseSerialGC", &boot]).args(flags);
    support::java::run(command.arg("-cp").arg(classes).arg(main)).0
}

/// Sites as text instead of numbers.
fn readable(log: &str, table: &Table) -> String {
    let mut text = String::new();
    for line in log.lines() {
        let (thread, rest) = line.split_once('#').expect("a site");
        let (number, what) = rest.split_once(' ').expect("something told");
        let site = &table.sites[number.parse::<usize>().expect("a number") - 1];
        text += format!("{thread}{site}: {what}").trim_end();
        text += "\n";
    }
    text
}

/// Runs the program unwoven and woven; returns what the probe was told.
fn watch(name: &str, label: &str, release: &str, options: &Options, flags: &[&str]) -> String {
    let main = name.trim_end_matches(".java");
    let folder = support::compile(name, label, release);
    let expected = java(&folder, &[], main);
    let table = support::weave_folder(&folder, &support::models(), options);
    assert_eq!(table.gaps, []);
    let log = folder.join("log");
    let to = format!("-Draddle.log={}", log.display());
    let known = table.write_known(&folder);
    let found = java(&folder, &[&[to.as_str(), known.as_str()], flags].concat(), main);
    assert_eq!(expected, found, "{name} does not print the same");
    let told = std::fs::read_to_string(&log).expect("what the probe was told");
    std::fs::remove_dir_all(&folder).expect("the folder just made");
    readable(&told, &table)
}

fn check(name: &str, label: &str, release: &str, options: &Options, flags: &[&str]) {
    let found = watch(name, label, release, options, flags);
    assert!(!found.contains("NOT HELD"), "{found}");
    support::golden(&format!("{label}.log"), &found);
}

#[test]
fn fields_are_told_as_they_are_read_and_written() {
    check("Fields.java", "Fields", "17", &support::WHOLE, &[]);
}

#[test]
fn a_third_access_under_one_token_is_not_told() {
    check("Fields.java", "Fields-filtered", "17", &support::WHOLE, &["-Draddle.filter=true"]);
}

#[test]
fn monitors_are_told_after_they_are_entered_and_before_they_are_left() {
    check("Monitors.java", "Monitors", "17", &support::WHOLE, &[]);
}

#[test]
fn arrays_of_every_type_are_told_element_by_element() {
    check("Arrays.java", "Arrays", "8", &support::WHOLE, &[]);
}

#[test]
fn constructors_initialisers_lambdas_and_inner_classes_are_woven_like_other_code() {
    check("Shapes.java", "Shapes", "17", &support::WHOLE, &[]);
}

#[test]
fn what_its_maker_keeps_is_not_told() {
    check("Kept.java", "Kept", "17", &Options { kept: false, ..support::WHOLE }, &[]);
}

#[test]
fn calls_are_told_as_the_model_tables_say() {
    check("Calls.java", "Calls", "17", &support::WHOLE, &[]);
}

#[test]
fn excluded_code_tells_synchronisation_and_no_accesses() {
    let excluded = Options { scope: Scope::SyncOnly, blocks: Blocks::Synch, finals: false, kept: true };
    check("Calls.java", "Calls-excluded", "17", &excluded, &[]);
    check("Fields.java", "Fields-excluded", "17", &excluded, &[]);
}

#[test]
fn exported_methods_are_blocks_on_request() {
    let exported = Options { scope: Scope::Whole, blocks: Blocks::ExportSynch, finals: false, kept: true };
    check("Blocks.java", "Blocks", "17", &support::WHOLE, &[]);
    check("Blocks.java", "Blocks-exported", "17", &exported, &[]);
}

#[test]
fn method_references_are_told_like_calls() {
    check("References.java", "References", "17", &support::WHOLE, &[]);
}
