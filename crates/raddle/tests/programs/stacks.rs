//! How threads came to the places of a finding, and where they were started.

use serde_json::Value;

use crate::{files, java_sources, javac, scratch, watch};

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
