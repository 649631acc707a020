//! JSON, schema version 1: everything that a report holds but the number of the event at which a witness was seen.
//!
//! A step's place stands in the step itself (`class`, `method`, `file`, `line`); the frames of its stack are strings,
//! `pkg.Class.method(File.java:42)`. Names that are not known are empty strings, a line that is not known is 0.
//! Characters that a terminal acts on are escaped (`plain.rs`). A field that an older reader does not know may be added
//! under the same schema version; one that changes its meaning or goes makes a new version.

use std::collections::BTreeMap;
use std::io;

use serde::{Deserialize, Serialize};

use super::plain;
use crate::{Compared, Coverage, Finding, Gap, Render, Report, Stale};

/// The version of the schema.
const SCHEMA: u32 = 1;

pub(super) struct Json;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    tool: Tool,
    findings: Vec<&'a Finding>,
    gaps: Vec<Gap>,
    coverage: Coverage,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    sources: &'a BTreeMap<String, String>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stale: &'a [Stale],
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<&'a Compared>,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

/// Which schema a document follows, before anything else of it is believed.
#[derive(Deserialize)]
struct Version {
    schema: u32,
}

#[derive(Deserialize)]
struct Parsed {
    findings: Vec<Finding>,
    gaps: Vec<Gap>,
    coverage: Coverage,
    #[serde(default)]
    sources: BTreeMap<String, String>,
    #[serde(default)]
    stale: Vec<Stale>,
    #[serde(default)]
    baseline: Option<Compared>,
}

impl Render for Json {
    fn render(&self, report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
        let document = Document {
            schema: SCHEMA,
            tool: Tool { name: "raddle", version: env!("CARGO_PKG_VERSION") },
            findings: report.findings().collect(),
            gaps: report.gaps().collect(),
            coverage: report.coverage.clone(),
            sources: &report.sources,
            stale: &report.stale,
            baseline: report.baseline.as_ref(),
        };
        plain::pretty(&document, out)?;
        out.write_all(b"\n")
    }
}

/// Reads a report back. The error is one line.
pub fn read_json(text: &str) -> Result<Report, String> {
    let Version { schema } = serde_json::from_str(text).map_err(|e| format!("not a report: {e}"))?;
    if schema != SCHEMA {
        return Err(format!("schema version {schema} is not known, only {SCHEMA}"));
    }
    let parsed: Parsed = serde_json::from_str(text).map_err(|e| format!("not a report: {e}"))?;
    let mut report = Report::new();
    parsed.findings.into_iter().for_each(|finding| report.insert(finding));
    parsed.gaps.into_iter().for_each(|gap| report.add_gap(gap));
    report.coverage = parsed.coverage;
    (report.sources, report.stale, report.baseline) = (parsed.sources, parsed.stale, parsed.baseline);
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::text::tests::sample;
    use crate::{Format, Style};

    fn json(report: &Report) -> String {
        let mut out = Vec::new();
        Format::Json.renderer(Style::default()).render(report, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_report_that_was_read_back_is_written_as_it_was() {
        for report in [sample(), Report::new()] {
            let written = json(&report);
            let back = read_json(&written).unwrap();
            assert_eq!(json(&back), written);
            assert_eq!(back.findings().count(), report.findings().count());
        }
    }

    #[test]
    fn the_keys_are_those_of_the_schema() {
        let value: serde_json::Value = serde_json::from_str(&json(&sample())).unwrap();
        let keys = |value: &serde_json::Value| {
            let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
            keys.sort();
            keys.join(" ")
        };
        assert_eq!(keys(&value), "coverage findings gaps schema tool");
        assert_eq!(keys(&value["tool"]), "name version");
        assert_eq!(value["schema"], 1);
        let finding = &value["findings"][0];
        assert_eq!(
            keys(finding),
            "baseline confidence count detectors fingerprint message rule subject witnesses"
        );
        assert_eq!(finding["rule"], "data-race");
        assert_eq!(finding["confidence"], "high");
        let step = &finding["witnesses"][0]["steps"][0];
        assert_eq!(keys(step), "class file line locks method role stack target thread");
        assert_eq!(step["role"], "write");
        assert_eq!(step["stack"][0], "com.acme.Teller.run()V(Teller.java:31)");
        assert_eq!(keys(&value["gaps"][0]), "count what why");
        assert_eq!(
            keys(&value["coverage"]),
            "classes_seen classes_woven events locks methods_analysed threads variables"
        );
    }

    #[test]
    fn what_is_no_report_of_this_schema_is_refused_in_one_line() {
        for text in ["", "[]", "{", "{\"schema\": 2}", "{\"schema\": 1}", "\"schema\"", "{\"schema\": \"1\"}"]
        {
            let error = read_json(text).unwrap_err();
            assert!(!error.is_empty() && !error.contains('\n'), "{error}");
        }
        assert!(read_json("{\"schema\": 2}").unwrap_err().contains("schema version 2"));
    }
}
