//! SARIF 2.1.0, as code scanning services show it: paths from the project's folder, stable fingerprints, a code flow for
//! each witness with one thread flow for each thread, suppressions and the baseline's verdict instead of removal.
//!
//! GitHub refuses a file that goes over its limits. What has to be cut is said in a notification, as gaps are. The most
//! certain findings come first, since GitHub shows the first five thousand.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;

use serde::Serialize;

use super::prose::{plural, visible};
use super::sarif_place::{Flow, Located, Location, Message, flows, located, related};
use super::{Render, jsonl, place, plain, words};
use crate::{Confidence, DetectorDoc, Finding, Report, Road, Rule};

pub(super) struct Sarif {
    pub(super) detectors: &'static [DetectorDoc],
}

/// GitHub's limits on a file and on a result.
const RESULTS: usize = 25_000;
const FLOW_LOCATIONS: usize = 1_000;
const RELATED: usize = 100;
/// Bytes after which results come without code flows: a compressed file may have ten megabytes, and this packs to a
/// twentieth.
const BYTES: usize = 100 << 20;

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    rules: Vec<Descriptor>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    id: &'static str,
    name: String,
    short_description: Message<'static>,
    full_description: Message<'static>,
    help: Help,
    default_configuration: Level,
    properties: RuleProperties,
}

#[derive(Serialize)]
struct Help {
    text: String,
    markdown: String,
}

#[derive(Serialize)]
struct Level {
    level: &'static str,
}

#[derive(Serialize)]
struct RuleProperties {
    tags: [&'static str; 2],
    precision: &'static str,
    #[serde(rename = "problem.severity")]
    severity: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Message<'static>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Result<'a> {
    rule_id: &'static str,
    rule_index: usize,
    level: &'static str,
    message: Message<'a>,
    locations: [Location<'a>; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Located<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    code_flows: Vec<Flow<'a>>,
    partial_fingerprints: BTreeMap<&'static str, String>,
    occurrence_count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_state: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressions: Option<Vec<Suppression<'a>>>,
    properties: Properties<'a>,
}

#[derive(Serialize)]
struct Suppression<'a> {
    kind: &'static str,
    status: &'static str,
    justification: &'a str,
    properties: BTreeMap<&'static str, &'a str>,
}

#[derive(Serialize)]
struct Properties<'a> {
    confidence: Confidence,
    subject: &'a str,
    detectors: &'a [String],
    state: &'static str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    owners: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    roads: &'a [Road],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tests: Vec<&'a str>,
}

impl Render for Sarif {
    /// Piece by piece: a result is a line, and only one of them is in memory.
    fn render(&self, report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
        let rules = Rule::ALL.into_iter().map(|rule| descriptor(rule, self.detectors)).collect();
        let driver = Driver { name: "Raddle", semantic_version: env!("CARGO_PKG_VERSION"), rules };
        writeln!(out, "{{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",")?;
        writeln!(out, "\"version\": \"2.1.0\",\n\"runs\": [{{\n\"columnKind\": \"utf16CodeUnits\",")?;
        write!(out, "\"tool\": ")?;
        plain::pretty(&Tool { driver }, out)?;
        write!(out, ",\n\"results\": [")?;
        let (mut cuts, mut written) = (Cuts::default(), 0);
        let any_suppressed = report.findings().any(|finding| finding.suppressed.is_some());
        let mut findings: Vec<&Finding> = report.findings().collect();
        // Open ones first, then the surest; else as they are.
        findings.sort_by_key(|finding| (!finding.is_open(), std::cmp::Reverse(finding.confidence)));
        cuts.results = findings.len().saturating_sub(RESULTS);
        for (i, finding) in findings.into_iter().take(RESULTS).enumerate() {
            out.write_all(if i == 0 { b"\n" } else { b",\n" })?;
            let mut result = result(finding, report, any_suppressed, &mut cuts);
            if written > BYTES && !result.code_flows.is_empty() {
                result.code_flows.clear();
                cuts.flows += 1;
            }
            written += plain::compact(&result, out)?;
        }
        write!(out, "],\n\"invocations\": ")?;
        plain::pretty(&[invocation(report, &cuts)], out)?;
        writeln!(out, "}}]}}")
    }
}

/// Gaps, what had to be cut, and stale suppressions.
fn invocation(report: &Report, cuts: &Cuts) -> Invocation {
    let mut notes = Vec::new();
    for gap in report.gaps() {
        let times = if gap.count > 1 { format!(" ({} times)", gap.count) } else { String::new() };
        notes.push(("warning", format!("not watched: {}: {}{times}", gap.what, gap.why)));
    }
    notes.extend(cuts.told().map(|text| ("warning", text)));
    for stale in &report.stale {
        notes.push(("note", format!("{}: nothing to suppress for {}", stale.by, stale.what)));
    }
    let notification = |(level, text): (&'static str, String)| Notification {
        level,
        message: Message::new(visible(&text).into_owned()),
    };
    Invocation {
        execution_successful: true,
        tool_execution_notifications: notes.into_iter().map(notification).collect(),
    }
}

/// What had to be left out.
#[derive(Default)]
struct Cuts {
    results: usize,
    flows: usize,
    steps: usize,
    related: usize,
}

impl Cuts {
    fn told(&self) -> impl Iterator<Item = String> {
        let cut = |number: usize, one: &str, many: &str| {
            (number > 0).then(|| {
                format!("{} left out: GitHub takes no more in one file", plural(number as u64, one, many))
            })
        };
        [
            cut(self.results, "finding is", "findings are"),
            cut(self.flows, "finding has its code flows", "findings have their code flows"),
            cut(self.steps, "step of a code flow is", "steps of code flows are"),
            cut(self.related, "related location is", "related locations are"),
        ]
        .into_iter()
        .flatten()
    }
}

fn result<'a>(finding: &'a Finding, report: &'a Report, suppressible: bool, cuts: &mut Cuts) -> Result<'a> {
    let main = place::main_step(finding, report);
    let location = located(main.map(|step| &step.place), &finding.subject, report);
    let mut related_locations = related(finding, main, report);
    cuts.related += related_locations.len().saturating_sub(RELATED);
    related_locations.truncate(RELATED);
    let (code_flows, cut) = flows(finding, report, FLOW_LOCATIONS);
    cuts.steps += cut;
    let prints = [
        // What GitHub recognises a result by; usually made of lines of source, which change.
        ("primaryLocationLineHash", format!("{}:1", finding.fingerprint)),
        ("raddle/v1", finding.fingerprint.clone()),
    ];
    let suppressions = suppressible.then(|| {
        let one = |found: &'a crate::Suppressed| Suppression {
            kind: if found.in_source { "inSource" } else { "external" },
            status: "accepted",
            justification: &found.reason,
            properties: BTreeMap::from([("by", found.by.as_str())]),
        };
        finding.suppressed.iter().map(one).collect()
    });
    let first = finding.witnesses.first();
    Result {
        rule_id: finding.rule.name(),
        rule_index: Rule::ALL.iter().position(|rule| *rule == finding.rule).unwrap_or(0),
        level: level(finding.confidence),
        message: Message::new(words::message(finding)),
        locations: [location],
        related_locations,
        code_flows,
        partial_fingerprints: BTreeMap::from(prints),
        occurrence_count: finding.count.max(1),
        baseline_state: report.baseline.as_ref().map(|_| if finding.baseline { "unchanged" } else { "new" }),
        suppressions,
        properties: Properties {
            confidence: finding.confidence,
            subject: &finding.subject,
            detectors: &finding.detectors,
            state: jsonl::state(finding),
            owners: &finding.owners,
            roads: &finding.roads,
            notes: first.iter().flat_map(|witness| &witness.notes).map(String::as_str).collect(),
            tests: first.iter().flat_map(|witness| &witness.tests).map(String::as_str).collect(),
        },
    }
}

fn level(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::High => "error",
        Confidence::Medium => "warning",
        Confidence::Low => "note",
    }
}

fn descriptor(rule: Rule, detectors: &[DetectorDoc]) -> Descriptor {
    let doc = rule.doc();
    let text = format!(
        "{}\n\n{}\n\nHow to fix it: {}\n\nHow it is found: {}",
        doc.what, doc.why, doc.fix, doc.found
    );
    let weakness = match rule {
        Rule::DataRace | Rule::HighLevelRace | Rule::NonAtomic => "external/cwe/cwe-362",
        Rule::StaleValue => "external/cwe/cwe-367",
        Rule::LockOrder => "external/cwe/cwe-833",
    };
    // What is concluded about intent is less certain than what a run has shown.
    let precision = if matches!(rule, Rule::DataRace | Rule::LockOrder) { "high" } else { "medium" };
    Descriptor {
        id: rule.name(),
        name: camel(rule.name()),
        short_description: Message { text: Cow::Borrowed(doc.summary) },
        full_description: Message { text: Cow::Borrowed(doc.what) },
        help: Help { text, markdown: super::rule_page::body(rule, detectors, |name| format!("`{name}`")) },
        default_configuration: Level { level: "warning" },
        properties: RuleProperties { tags: ["concurrency", weakness], precision, severity: "warning" },
    }
}

/// `data-race` as `DataRace`.
fn camel(name: &str) -> String {
    let mut out = String::new();
    for word in name.split('-') {
        let (first, rest) = word.split_at(word.len().min(1));
        out.push_str(&first.to_ascii_uppercase());
        out.push_str(rest);
    }
    out
}
