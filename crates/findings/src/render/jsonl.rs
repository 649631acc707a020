//! JSON Lines: one finding a line, keyed by its fingerprint, for any database.
//!
//! The line begins with what a table would have as columns (fingerprint, rule, state, place), then comes all that the
//! JSON report tells about the finding. Gaps and coverage belong to the run and not to a finding: they are not here.

use std::io;

use serde::Serialize;

use super::{Render, place, plain};
use crate::{Confidence, Finding, Report, Road, Suppressed, Witness};

pub(super) struct JsonLines;

#[derive(Serialize)]
struct Line<'a> {
    fingerprint: &'a str,
    rule: &'static str,
    state: &'static str,
    confidence: Confidence,
    subject: &'a str,
    path: &'a str,
    line: u32,
    message: &'a str,
    owners: &'a [String],
    detectors: &'a [String],
    #[serde(skip_serializing_if = "<[Road]>::is_empty")]
    roads: &'a [Road],
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed: Option<&'a Suppressed>,
    witnesses: &'a [Witness],
}

/// What has become of a finding, in a word.
pub(super) fn state(finding: &Finding) -> &'static str {
    match (&finding.suppressed, finding.baseline) {
        (Some(_), _) => "suppressed",
        (None, true) => "known",
        (None, false) => "open",
    }
}

impl Render for JsonLines {
    fn render(&self, report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
        for finding in report.findings() {
            let place = place::main_step(finding, report).and_then(|step| place::of(&step.place, report));
            let line = Line {
                fingerprint: &finding.fingerprint,
                rule: finding.rule.name(),
                state: state(finding),
                confidence: finding.confidence,
                subject: &finding.subject,
                path: place.as_ref().map_or("", |place| &place.path),
                line: place.as_ref().map_or(0, |place| place.line),
                message: &finding.message,
                owners: &finding.owners,
                detectors: &finding.detectors,
                roads: &finding.roads,
                count: finding.count,
                suppressed: finding.suppressed.as_ref(),
                witnesses: &finding.witnesses,
            };
            plain::compact(&line, out)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }
}
