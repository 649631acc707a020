//! What a watched program says itself about its findings.

use crate::{files, java_sources, javac, scratch, watch};

#[test]
fn an_annotation_on_the_class_path_of_the_watched_program_silences_its_finding() {
    let classes = scratch("annotated");
    javac(&files(&java_sources("annotated")), "", &classes);
    let classes = classes.display().to_string();
    let watched = watch(&[], &["java", "-cp", &classes, "Annotated"]);
    assert_eq!(watched.code, Some(1), "the other race is one: {}", watched.err);
    let findings = watched.report["findings"].as_array().expect("findings");
    let reason = |subject: &str| {
        let found = findings.iter().find(|finding| finding["subject"] == subject);
        found.unwrap_or_else(|| panic!("no {subject} in {findings:?}"))["suppressed"]["reason"].as_str()
    };
    assert_eq!(reason("Annotated.guess"), Some("a hint for people, nobody adds it up"));
    assert_eq!(reason("Annotated.count"), None);
}
