//! What is known of objects goes with them.

use std::process::Command;

use crate::{files, java_sources, javac, scratch, watch};

/// A count in what `raddle trace stat` says.
fn count(stat: &str, what: &str) -> u64 {
    let line = stat.lines().find(|line| line.trim_start().starts_with(what));
    let number = line.and_then(|line| line.split_whitespace().last()).unwrap_or("0");
    number.replace(',', "").parse().expect("a number")
}

#[test]
fn objects_that_have_died_are_forgotten() {
    let classes = scratch("memory");
    javac(&files(&java_sources("memory")), "", &classes);
    let trace = classes.join("churn.trace").display().to_string();
    let classes = classes.display().to_string();
    // Far more objects than the heap can hold at any time.
    let watched = watch(
        &["--no-config", "--detectors", "fasttrack", "--record", &trace],
        &["java", "-Xmx16m", "-XX:+UseSerialGC", "-cp", &classes, "Churn", "6000000"],
    );
    assert_eq!((watched.code, watched.out.as_str()), (Some(0), "done\n"), "{}", watched.err);
    let stat =
        Command::new(env!("CARGO_BIN_EXE_raddle")).args(["trace", "stat", &trace]).output().expect("raddle");
    let stat = String::from_utf8(stat.stdout).expect("text");
    let (freed, rows) = (count(&stat, "free"), count(&stat, "objects"));
    assert!(freed > 2_000_000, "{stat}");
    // Rows are used again: there were never more than this many at a time.
    assert!(rows < 4_000_000, "{stat}");
}

#[test]
fn an_array_that_was_accessed_can_die_before_its_thread_synchronises() {
    let classes = scratch("big");
    javac(&files(&java_sources("memory")), "", &classes);
    let classes = classes.display().to_string();
    // Room for one such array, and not for two.
    let program = ["java", "-Xmx64m", "-XX:+UseSerialGC", "-cp", &classes, "Big", "8000000"];
    let watched = watch(&["--no-config"], &program);
    assert_eq!((watched.code, watched.out.as_str()), (Some(0), "sum 280000\n"), "{}", watched.err);
    assert_eq!(watched.report["gaps"].as_array().map(Vec::len), Some(0), "{}", watched.err);
}

#[test]
fn what_two_threads_did_to_an_array_is_told_though_it_has_died_since() {
    let classes = scratch("handed");
    javac(&files(&java_sources("memory")), "", &classes);
    let trace = classes.join("handed.trace").display().to_string();
    let classes = classes.display().to_string();
    // With such a heap they die long before all is read: half of the arrays are one thread's alone at some time.
    let program = ["java", "-Xmx16m", "-XX:+UseSerialGC", "-cp", &classes, "HandedOver", "300"];
    let watched = watch(&["--no-config", "--record", &trace], &program);
    assert_eq!((watched.code, watched.out.as_str()), (Some(0), "sum 300000\n"), "{}", watched.err);
    let text =
        Command::new(env!("CARGO_BIN_EXE_raddle")).args(["trace", "cat", &trace]).output().expect("raddle");
    let text = String::from_utf8(text.stdout).expect("text");
    let told =
        |does: &str, at: &str| text.lines().filter(|line| line.contains(does) && line.contains(at)).count();
    assert_eq!(told(" read int[]", "lambda$main$0"), 300_000);
    assert_eq!(told(" write int[]", "HandedOver.main("), 600_000, "twice each");
}
