//! What the user chooses: which classes are watched, and what their calls mean. A choice that means nothing is loud.

use std::fs;
use std::sync::OnceLock;

use crate::{Watched, files, java_sources, javac, scratch, watch};

fn classes() -> &'static str {
    static CLASSES: OnceLock<String> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let folder = scratch("choices");
        javac(&files(&java_sources("choices")), "", &folder);
        folder.display().to_string()
    })
}

/// What the calls of a class mean that is left alone.
const TABLE: &str = "class Chosen$Post\n    call send(): signal this\n    call receive(): observe this\n";

fn chosen(options: &[&str], scene: &str) -> Watched {
    watch(options, &["java", "-cp", classes(), "Chosen", scene, classes()])
}

#[test]
fn a_pattern_that_stands_for_no_class_is_loud_and_fails_where_it_must() {
    let told = chosen(&["--include", "com.acme.*"], "gate");
    assert_eq!((told.out.as_str(), told.code), ("done\n", Some(0)), "{}", told.err);
    assert!(told.says("NO CLASS WAS WATCHED"), "{}", told.err);
    assert!(told.says("--include com.acme.* STANDS FOR NO CLASS"), "{}", told.err);
    assert_eq!(chosen(&["--include", "com.acme.*", "--strict"], "gate").code, Some(1));

    // One of two is mistyped.
    let told = chosen(&["--include", "Chosen", "--include", "Chozen", "--strict"], "gate");
    assert_eq!(told.code, Some(1), "{}", told.err);
    assert!(told.says("--include Chozen STANDS FOR NO CLASS"), "{}", told.err);
    assert!(!told.says("NO CLASS WAS WATCHED"), "{}", told.err);
    let told = chosen(&["--include", "Chosen", "--strict"], "gate");
    assert_eq!(told.code, Some(0), "{}", told.err);
}

#[test]
fn the_locks_of_an_excluded_class_still_keep_others_apart() {
    let told = chosen(&["--exclude", "Chosen$Gate"], "gate");
    assert_eq!((told.findings(), told.code), (vec![], Some(0)), "{}", told.err);
    let left = &told.report["coverage"]["left_out"];
    assert_eq!(left["by --include or --exclude"], 1, "{left}");
    assert!(told.says("1 left out by --include or --exclude"), "{}", told.err);
    // Its accesses are left out, and it would be told apart from a class that is left alone.
    let told = chosen(&["--leave", "Chosen$Gate"], "gate");
    assert_eq!(told.findings(), ["data-race Chosen.guarded"], "{}", told.err);
    assert_eq!(told.report["coverage"]["left_out"]["by --leave"], 1, "{}", told.err);
}

#[test]
fn a_table_of_the_user_says_what_calls_mean() {
    let alone = ["--leave", "Chosen$Post"];
    assert_eq!(chosen(&alone, "post").findings(), ["data-race Chosen.handed"]);
    let folder = scratch("models");
    let table = folder.join("post.txt");
    fs::write(&table, TABLE).unwrap();
    let told = chosen(&[alone[0], alone[1], "--models", table.to_str().unwrap()], "post");
    assert_eq!((told.findings(), told.code), (vec![], Some(0)), "{}", told.err);
}

#[test]
fn a_class_that_is_defined_without_its_name_is_watched() {
    let told = chosen(&[], "nameless");
    assert_eq!(told.findings(), ["data-race Chosen$Nameless.racy"], "{}", told.err);
}
