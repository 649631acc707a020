//! Runs by a plan: what it spares, and what it says of programs that are not the one it was made of.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Watched, files, java_sources, javac, scratch, watch};

/// The classes, and a plan of them.
fn planned() -> (PathBuf, String) {
    let classes = scratch("plans");
    javac(&files(&java_sources("plans")), "", &classes);
    let plan = classes.with_extension("plan").display().to_string();
    let output = Command::new(env!("CARGO_BIN_EXE_raddle"))
        .args(["check", "--no-config", "--exit-zero", "--write-plan", &plan])
        .arg(&classes)
        .output()
        .expect("raddle");
    let said = crate::one_line(&String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("need no probe"), "{said}");
    assert!(said.contains("could not be followed (Ledger.main"), "{said}");
    (classes, plan)
}

fn run(options: &[&str], classes: &Path, arguments: &[&str]) -> Watched {
    let classes = classes.display().to_string();
    let program = [&["java", "-cp", &classes, "Ledger"][..], arguments].concat();
    watch(&[&["--no-config"], options].concat(), &program)
}

fn gaps(watched: &Watched) -> Vec<String> {
    let gaps = watched.report["gaps"].as_array().into_iter().flatten();
    gaps.map(|gap| format!("{}: {}", gap["what"], gap["why"])).collect()
}

#[test]
fn what_is_spared_is_counted_and_the_same_is_found() {
    let (classes, plan) = planned();
    let without = run(&[], &classes, &[]);
    let with = run(&["--plan", &plan], &classes, &[]);
    assert_eq!(without.findings(), ["data-race Ledger$Total.sum"]);
    assert_eq!(with.findings(), without.findings(), "{}", with.err);
    assert!(with.says("accesses need no probe by the plan"), "{}", with.err);
    assert!(!without.says("by the plan"), "{}", without.err);
    let events = |watched: &Watched| watched.report["coverage"]["events"].as_u64().unwrap_or_default();
    assert!(events(&with) * 2 < events(&without), "{} of {}", events(&with), events(&without));
    // Reflection is there, whether it is used or not.
    let gaps = gaps(&with);
    assert!(gaps.len() == 1 && gaps[0].contains("it does not follow everything (Ledger.main"), "{gaps:?}");
}

#[test]
fn a_method_that_only_reflection_runs_is_a_gap() {
    let (classes, plan) = planned();
    let watched = run(&["--plan", &plan, "--strict"], &classes, &["never"]);
    assert!(watched.out.contains("ran after all"));
    let gaps = gaps(&watched);
    assert!(
        gaps.iter().any(|gap| gap.contains("class Ledger") && gap.contains("holds for unused")),
        "{gaps:?}"
    );
    assert_eq!(watched.code, Some(1));
}

#[test]
fn a_class_that_has_changed_is_watched_in_full_and_is_a_gap() {
    let (classes, plan) = planned();
    let source = std::fs::read_to_string(java_sources("plans").join("Ledger.java")).expect("the source");
    let changed = scratch("plans-changed");
    let file = changed.join("Ledger.java");
    // The list is shared now, which the plan does not know.
    let source = source.replace("return new Entry(amount, next);", "return last = new Entry(amount, next);");
    let source = source.replace("static class Total {", "static Entry last;\n    static class Total {");
    let source = source.replace("int sum = 0;", "int sum = last.amount++;");
    std::fs::write(&file, source).expect("room");
    javac(&[file], "", &changed);
    let watched = run(&["--plan", &plan], &changed, &[]);
    let gaps = gaps(&watched);
    let told = |gap: &String| gap.contains("classes without a package") && gap.contains("does not speak of");
    assert!(gaps.iter().any(told), "{gaps:?}");
    assert!(watched.findings().contains(&"data-race Ledger.last".to_owned()), "{}", watched.err);
    // Those that have not changed are still known.
    assert!(watched.says("by the plan") || !classes.join("Ledger$Entry.class").exists());
}
