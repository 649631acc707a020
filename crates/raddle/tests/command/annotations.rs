//! Suppressions that stand in the program, compiled by a real compiler: in folders and in a jar.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{command, finish, folder, root};

const PROGRAM: &str = "package acme;
import raddle.annotations.*;
class Stats {
    @RacyOnPurpose(reason = \"an estimate is enough\")
    int hits;
    int misses;
    @SuppressRaddle(value = {\"data-race\", \"lock-order\"}, reason = \"two rules\")
    int both;
    @SuppressRaddle(value = \"lock-order\", reason = \"another rule\")
    int other;
    @own.RacyOnPurpose
    int without;
    @SuppressRaddle(reason = \"only here\")
    void bump() { misses++; }
    @SuppressRaddle(reason = \"all of it\")
    static class Inner { int x; }
}
";

fn run(program: &str, args: &[&str]) {
    let output = Command::new(program).args(args).output().unwrap_or_else(|e| panic!("{program}: {e}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A project whose classes lie in `target/classes`, and the jar of the annotations.
fn project() -> (PathBuf, PathBuf) {
    let folder = folder();
    fs::create_dir(folder.join(".git")).unwrap();
    let java = folder.join("src/main/java");
    fs::create_dir_all(java.join("acme")).unwrap();
    fs::create_dir_all(java.join("own")).unwrap();
    fs::write(java.join("acme/Stats.java"), PROGRAM).unwrap();
    fs::write(java.join("own/RacyOnPurpose.java"), "package own; public @interface RacyOnPurpose {}")
        .unwrap();
    let jar = folder.join("raddle-annotations.jar");
    let path = |path: &Path| path.to_str().unwrap().to_owned();
    run(&path(&root().join("scripts/annotations-jar")), &[&path(&jar)]);
    let sources = [path(&java.join("acme/Stats.java")), path(&java.join("own/RacyOnPurpose.java"))];
    let classes = path(&folder.join("target/classes"));
    run("javac", &["-cp", &path(&jar), "-d", &classes, &sources[0], &sources[1]]);
    let mut trace = String::from("raddle text 1\nmain fork T1\n");
    for field in ["hits", "misses", "both", "other", "without"] {
        for thread in ["main", "T1"] {
            trace.push_str(&format!("{thread} write acme.Stats.{field} @ acme.Stats.run(Stats.java:9)\n"));
        }
    }
    for thread in ["main", "T1"] {
        trace.push_str(&format!("{thread} write acme.Other.y @ acme.Stats.bump(Stats.java:14)\n"));
        trace.push_str(&format!("{thread} write acme.Stats$Inner.x @ acme.Stats.run(Stats.java:9)\n"));
    }
    fs::write(folder.join("racy.txt"), trace).unwrap();
    (folder, jar)
}

/// Subjects, and who suppresses them.
fn findings(folder: &Path, args: &[&str]) -> Vec<(String, String)> {
    let args = [&["analyze", "--format", "json"], args, &["racy.txt"]].concat();
    let run = finish(command().current_dir(folder).args(args).output().unwrap());
    let json: Value = serde_json::from_str(&run.out).unwrap_or_else(|e| panic!("{e}: {}", run.err));
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let all = json["findings"].as_array().unwrap().iter();
    all.map(|finding| (text(&finding["subject"]), text(&finding["suppressed"]["by"]))).collect()
}

#[test]
fn annotations_of_classes_methods_and_fields_suppress() {
    let (folder, _) = project();
    let expected = [
        ("acme.Other.y", "@SuppressRaddle on acme.Stats.bump"),
        ("acme.Stats$Inner.x", "@SuppressRaddle on acme.Stats$Inner"),
        ("acme.Stats.both", "@SuppressRaddle on acme.Stats.both"),
        ("acme.Stats.hits", "@RacyOnPurpose on acme.Stats.hits"),
        ("acme.Stats.misses", "-"),
        ("acme.Stats.other", "-"),
        ("acme.Stats.without", "@RacyOnPurpose on acme.Stats.without"),
    ];
    let expected: Vec<(String, String)> =
        expected.iter().map(|(subject, by)| ((*subject).to_owned(), (*by).to_owned())).collect();
    assert_eq!(findings(&folder, &[]), expected);

    let jar = folder.join("app.jar");
    let classes = folder.join("target/classes");
    run("jar", &["--create", "--file", jar.to_str().unwrap(), "-C", classes.to_str().unwrap(), "."]);
    fs::remove_dir_all(&classes).unwrap();
    assert!(findings(&folder, &[]).iter().all(|(_, by)| by == "-"), "there are no classes any more");
    assert_eq!(findings(&folder, &["--classes", "app.jar"]), expected);
    fs::write(folder.join("bad.jar"), "no jar").unwrap();
    assert_eq!(findings(&folder, &["--classes", "bad.jar", "--classes", "app.jar"]), expected);
}
