//! Annotations as GitHub's runner reads them from the log of a build: a line for each finding.
//!
//! GitHub shows ten errors, ten warnings and ten notices of a step and drops the rest in silence, so the tenth notice
//! tells what was left out. Findings that are suppressed or known are not annotated. Gaps are warnings.

use std::io::{self, Write};

use super::prose::{cut, plural, visible};
use super::{Render, place, words};
use crate::{Confidence, Finding, Report};

pub(super) struct Github;

/// How many annotations of a kind GitHub shows.
const SHOWN: usize = 10;

/// Letters that GitHub takes of a title, and of a text, with room to spare.
const TITLE: usize = 250;
const TEXT: usize = 16_000;

const KINDS: [(&str, Confidence); 3] =
    [("error", Confidence::High), ("warning", Confidence::Medium), ("notice", Confidence::Low)];

impl Render for Github {
    fn render(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let mut left_out = 0;
        for (kind, confidence) in KINDS {
            let open = report.findings().filter(|f| f.is_open() && f.confidence == confidence);
            // One notice is kept for what is left out.
            let room = if kind == "notice" { SHOWN - 1 } else { SHOWN };
            let mut number = 0;
            for finding in open {
                number += 1;
                if number <= room {
                    annotate(kind, finding, report, out)?;
                } else {
                    left_out += 1;
                }
            }
            if kind == "warning" {
                left_out += gaps(report, room.saturating_sub(number), out)?;
            }
        }
        if left_out > 0 {
            let many = plural(left_out, "annotation is", "annotations are");
            writeln!(out, "::notice title=Raddle::{many} left out: GitHub shows {SHOWN} of a kind")?;
        }
        Ok(())
    }
}

fn annotate(kind: &str, finding: &Finding, report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut place = String::new();
    let step = place::main_step(finding, report);
    if let Some(at) = step.and_then(|step| place::of(&step.place, report)) {
        place = format!("file={},", property(&visible(&at.path)));
        if at.line > 0 {
            place.push_str(&format!("line={},", at.line));
        }
    }
    let mut text = visible(&words::message(finding)).into_owned();
    for step in finding.witnesses.first().iter().flat_map(|witness| &witness.steps) {
        let at = step.place.to_prose();
        let at = if at.is_empty() { at } else { format!(" at {at}") };
        text.push_str(&format!("\n- {}", visible(&format!("{}{at}", words::step(step)))));
    }
    if !finding.owners.is_empty() {
        text.push_str(&format!("\nowners: {}", visible(&finding.owners.join(", "))));
    }
    text.push_str(&format!("\nto learn more: raddle explain {}", finding.rule.name()));
    let title = property(&cut(&visible(&words::headline(finding)), TITLE));
    writeln!(out, "::{kind} {place}title={title}::{}", data(&cut(&text, TEXT)))
}

/// Gaps as warnings, as far as there is room; how many there was no room for.
fn gaps(report: &Report, room: usize, out: &mut dyn Write) -> io::Result<u64> {
    let mut left_out = 0;
    for (i, gap) in report.gaps().enumerate() {
        if i < room {
            let text = format!("not watched: {}: {}", gap.what, gap.why);
            writeln!(out, "::warning title=Raddle::{}", data(&visible(&text)))?;
        } else {
            left_out += 1;
        }
    }
    Ok(left_out)
}

/// Text after the second `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A value before it.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_cannot_end_its_line_or_begin_another_value() {
        assert_eq!(data("100%\r\n::error::"), "100%25%0D%0A::error::");
        assert_eq!(property("a,line=1::b"), "a%2Cline=1%3A%3Ab");
    }
}
