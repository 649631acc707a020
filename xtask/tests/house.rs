//! The rules of the house that a test can check: where arrows between crates point, how long a file may be, and that
//! ARCHITECTURE.md tells the truth about crates and dependencies.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// For each crate of ours, what it depends on: ours and others.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline", "--locked"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let text = |value: &serde_json::Value| value.as_str().expect("a name").to_owned();
    let packages = metadata["packages"].as_array().expect("packages");
    packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().expect("dependencies");
            (text(&package["name"]), dependencies.iter().map(|d| text(&d["name"])).collect())
        })
        .collect()
}

#[test]
fn arrows_between_crates_point_one_way() {
    let allowed: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("classfile", &[][..]),
        ("events", &[]),
        ("findings", &[]),
        ("instrument", &["classfile", "events"]),
        ("agent", &["instrument", "events"]),
        ("program", &["classfile", "events"]),
        ("detect", &["events", "program", "findings"]),
        ("raddle", &["classfile", "events", "findings", "instrument", "program", "detect"]),
        ("xtask", &["classfile", "events", "findings", "instrument", "program", "detect"]),
    ]);
    let dependencies = dependencies();
    assert!(dependencies.len() >= 5, "the workspace was read");
    for (name, uses) in &dependencies {
        let may = allowed.get(name.as_str()).unwrap_or_else(|| panic!("crate {name} is not in the design"));
        for used in uses.iter().filter(|used| dependencies.contains_key(*used)) {
            assert!(may.contains(&used.as_str()), "{name} must not use {used}");
        }
    }
}

#[test]
fn every_crate_and_dependency_has_its_line_in_the_architecture() {
    let page = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    assert!(
        page.lines().count() <= 150,
        "ARCHITECTURE.md has {} lines, 150 are allowed",
        page.lines().count()
    );
    for (name, uses) in dependencies() {
        for word in uses.iter().chain([&name]) {
            assert!(page.contains(&format!("`{word}`")), "ARCHITECTURE.md does not speak of `{word}`");
        }
    }
}

#[test]
fn every_file_is_short_and_says_what_it_is_for() {
    let output = Command::new("git").args(["ls-files", "*.rs"]).current_dir(root()).output();
    // A source archive has no git; there the check is not possible.
    let Ok(output) = output else { return };
    for file in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(text) = std::fs::read_to_string(root().join(file)) else { continue };
        let lines = text.lines().count();
        assert!(lines <= 800, "{file} has {lines} lines: split it");
        assert!(text.starts_with("//!"), "{file} does not say at its head what it is for");
    }
}
