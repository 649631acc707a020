//! The report for a browser without JavaScript: a plain list, in the words of the report for people.

use std::io::{self, Write};

use super::safe::{escaped, shown};
use crate::render::prose::{plural, thousands, visible};
use crate::render::words;
use crate::{Finding, Report};

/// Findings listed, and bytes written: the rest is counted.
const FINDINGS: usize = 1_000;
const BYTES: usize = 1 << 19;

/// Writes the list.
pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let open: Vec<&Finding> = report.findings().filter(|finding| finding.is_open()).collect();
    let count = plural(open.len() as u64, "finding", "findings");
    writeln!(out, "<h1>{count}</h1>\n<p>{}.</p>", text(&words::looked_at(report)))?;
    let (mut written, mut told) = (0, 0);
    writeln!(out, "<ol>")?;
    for finding in open.iter().take(FINDINGS) {
        let item = item(finding);
        written += item.len();
        if written > BYTES {
            break;
        }
        out.write_all(item.as_bytes())?;
        told += 1;
    }
    writeln!(out, "</ol>")?;
    if told < open.len() {
        let more = plural((open.len() - told) as u64, "finding is", "findings are");
        writeln!(
            out,
            "<p>{more} not listed here: switch JavaScript on, or use <code>raddle report</code>.</p>"
        )?;
    }
    let others = report.findings().count() - open.len();
    if others > 0 {
        writeln!(out, "<p>Not listed: {} known or suppressed.</p>", thousands(others as u64))?;
    }
    gaps(report, out)
}

/// A name as text. This part is made of lines, in which a build service must find no command.
fn text(text: &str) -> String {
    escaped(&visible(&shown(text)))
}

fn item(finding: &Finding) -> String {
    let (headline, message) = (text(&words::headline(finding)), text(&words::message(finding)));
    let mut item = format!("<li><p><strong>{headline}</strong> [{}]<br>", finding.confidence.name());
    item.push_str(&format!("{message}</p>\n<ul>\n"));
    for step in finding.witnesses.first().iter().flat_map(|witness| &witness.steps).take(12) {
        let place = step.place.to_prose();
        let at = if place.is_empty() { String::new() } else { format!(", at {}", text(&place)) };
        item.push_str(&format!("<li>{}{at}</li>\n", text(&words::step(step))));
    }
    item.push_str(&format!("</ul>\n<p>Fingerprint <code>{}</code></p></li>\n", text(&finding.fingerprint)));
    item
}

fn gaps(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut gaps = report.gaps().peekable();
    if gaps.peek().is_none() {
        return Ok(());
    }
    writeln!(out, "<h2>Not watched</h2>\n<ul>")?;
    let (mut written, mut left) = (0, 0);
    for gap in gaps {
        let item = format!("<li>{}: {} ({})</li>\n", text(&gap.what), text(&gap.why), thousands(gap.count));
        written += item.len();
        if written > BYTES {
            left += 1;
        } else {
            out.write_all(item.as_bytes())?;
        }
    }
    if left > 0 {
        writeln!(out, "<li>and {}</li>", plural(left, "more gap", "more gaps"))?;
    }
    writeln!(out, "</ul>")
}
