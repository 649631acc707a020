//! SARIF against the published schema, JSON and JSON Lines against our own, JUnit against an XML parser.

use std::path::PathBuf;

use findings::{Confidence, Format, Gap, JSON_LINES_SCHEMA, JSON_SCHEMA, Report, Rule, Witness};
use jsonschema::Validator;
use serde_json::Value;

use crate::{corpus, text};

/// Closes every object of a schema, so that a field that it does not describe is noticed.
fn closed(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(map) => {
            if map.contains_key("properties") && !map.contains_key("additionalProperties") {
                map.insert("additionalProperties".into(), Value::Bool(false));
            }
            map.values_mut().for_each(|value| *value = closed(value.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = closed(item.take())),
        _ => {}
    }
    schema
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

pub(crate) fn ours(schema: &str) -> Validator {
    jsonschema::validator_for(&closed(parsed(schema))).expect("a schema")
}

pub(crate) fn sarif() -> Validator {
    let cache = std::env::var_os("RADDLE_CACHE").map(PathBuf::from).unwrap_or_else(|| {
        let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache");
        std::env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from).join("raddle")
    });
    let path = cache.join("sarif-2.1.0.json");
    let schema = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}: run scripts/prepare-schema", path.display()));
    let mut schema = parsed(&schema);
    // Two patterns of the published schema are no regular expressions of the dialect that it declares. We write neither field.
    for owner in ["run", "toolComponent"] {
        let language =
            schema.pointer_mut(&format!("/definitions/{owner}/properties/language")).expect("language");
        language.as_object_mut().map(|language| language.remove("pattern"));
    }
    jsonschema::validator_for(&schema).expect("a schema")
}

#[track_caller]
pub(crate) fn valid(validator: &Validator, value: &Value) {
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|error| {
            format!("{}: {}", error.instance_path(), error.to_string().chars().take(300).collect::<String>())
        })
        .take(5)
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn json_follows_its_schema() {
    let validator = ours(JSON_SCHEMA);
    for report in [corpus(), Report::new()] {
        valid(&validator, &parsed(&text(Format::Json, &report)));
    }
    let mut wrong = parsed(&text(Format::Json, &corpus()));
    wrong["findings"][0]["confidence"] = "certain".into();
    assert!(!validator.is_valid(&wrong), "the schema refuses something");
}

#[test]
fn each_line_of_json_lines_follows_its_schema() {
    let validator = ours(JSON_LINES_SCHEMA);
    let lines = text(Format::JsonLines, &corpus());
    assert_eq!(lines.lines().count(), corpus().findings().count());
    for line in lines.lines() {
        valid(&validator, &parsed(line));
        assert!(line.starts_with("{\"fingerprint\":\""));
    }
    assert_eq!(text(Format::JsonLines, &Report::new()), "");
}

#[test]
fn sarif_follows_the_published_schema() {
    let validator = sarif();
    for report in [corpus(), Report::new()] {
        valid(&validator, &parsed(&text(Format::Sarif, &report)));
    }
    let mut wrong = parsed(&text(Format::Sarif, &corpus()));
    wrong["runs"][0]["results"][0]["level"] = "fatal".into();
    assert!(!validator.is_valid(&wrong), "the schema refuses something");
}

#[test]
fn sarif_shows_each_thread_as_a_flow_and_nothing_is_removed() {
    let report = corpus();
    let log = parsed(&text(Format::Sarif, &report));
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), report.findings().count());
    for result in results {
        let print = result["partialFingerprints"]["raddle/v1"].as_str().unwrap();
        let finding = report.findings().find(|finding| finding.fingerprint == print).unwrap();
        let flows = result["codeFlows"].as_array().unwrap();
        assert_eq!(flows.len(), finding.witnesses.len());
        for (flow, witness) in flows.iter().zip(&finding.witnesses) {
            let mut threads: Vec<&str> = witness.steps.iter().map(|step| step.thread.as_str()).collect();
            threads.sort_unstable();
            threads.dedup();
            assert_eq!(flow["threadFlows"].as_array().unwrap().len(), threads.len());
        }
        assert_eq!(
            result["suppressions"].as_array().unwrap().len(),
            usize::from(finding.suppressed.is_some())
        );
        let state = if finding.baseline { "unchanged" } else { "new" };
        assert_eq!(result["baselineState"], state);
        let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert!(uri.as_str().is_some_and(|uri| !uri.is_empty() && !uri.starts_with('/')));
    }
    let uri = &results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "bank/src/main/java/com/acme/Account.java");
}

/// A report with so many findings.
fn many(number: usize) -> Report {
    let mut report = Report::new();
    for i in 0..number {
        let witness = Witness {
            detector: "racer".into(),
            steps: Vec::new(),
            notes: Vec::new(),
            tests: Vec::new(),
            event: 0,
            ..Witness::default()
        };
        let confidence = if i % 2 == 0 { Confidence::Low } else { Confidence::High };
        report.add(Rule::DataRace, &format!("A.f{i:06}"), confidence, "", witness);
    }
    report
}

#[test]
fn what_is_over_a_limit_of_github_is_cut_and_said() {
    let log = parsed(&text(Format::Sarif, &many(25_003)));
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 25_000);
    assert_eq!((&results[0]["level"], &results[24_999]["level"]), (&"error".into(), &"note".into()));
    let notes = &log["runs"][0]["invocations"][0]["toolExecutionNotifications"];
    assert_eq!(notes[0]["message"]["text"], "3 findings are left out: GitHub takes no more in one file");

    let mut report = many(41);
    report.add_gap(Gap { what: "class B".into(), why: "native".into(), count: 1 });
    let annotations = text(Format::Github, &report);
    let of = |kind: &str| annotations.lines().filter(|line| line.starts_with(kind)).count();
    assert_eq!((of("::error "), of("::warning "), of("::notice ")), (10, 1, 10));
    assert!(
        annotations.ends_with("::22 annotations are left out: GitHub shows 10 of a kind\n"),
        "{annotations}"
    );

    let comment = text(Format::Markdown, &many(1000));
    assert!(comment.len() < 65_536);
    assert!(comment.contains("more findings are not shown"), "{comment}");
}

#[test]
fn junit_counts_what_it_holds() {
    for report in [corpus(), Report::new()] {
        let xml = text(Format::Junit, &report);
        let document = roxmltree::Document::parse(&xml).unwrap();
        let suite = document.descendants().find(|node| node.has_tag_name("testsuite")).unwrap();
        for (attribute, tag) in [("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")] {
            let number = suite.descendants().filter(|node| node.has_tag_name(tag)).count();
            assert_eq!(suite.attribute(attribute), Some(number.to_string().as_str()), "{tag}");
        }
    }
}
