//! Markdown for the comment on a pull request: what is new first, the evidence folded away.
//!
//! Every name stands in a code span or, inside HTML, escaped: a name can make no link, no mention and no tag. GitHub
//! takes 65,536 letters in a comment; findings for which there is no room are counted.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::prose::{cut, plural, visible};
use super::{Render, place, words};
use crate::{Finding, Report};

pub(super) struct Markdown;

/// Bytes of a comment, with room left for the end.
const ROOM: usize = 60_000;
/// Bytes of one finding's evidence, and of one name.
const EVIDENCE: usize = 8_000;
const NAME: usize = 300;

impl Render for Markdown {
    fn render(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let open: Vec<&Finding> = report.findings().filter(|finding| finding.is_open()).collect();
        let new = if report.baseline.is_some() { "new " } else { "" };
        // Lets a script find the comment that it wrote before.
        let mut text = String::from("<!-- raddle -->\n");
        let _ = match open.len() as u64 {
            0 => writeln!(text, "### Raddle: no {new}findings\n"),
            n => writeln!(
                text,
                "### Raddle: {}\n",
                plural(n, &format!("{new}finding"), &format!("{new}findings"))
            ),
        };
        let mut left_out = 0;
        for finding in &open {
            let one = told(finding, report);
            if text.len() + one.len() > ROOM {
                left_out += 1;
            } else {
                text.push_str(&one);
            }
        }
        if left_out > 0 {
            let many = plural(left_out, "more finding is", "more findings are");
            let _ = writeln!(text, "{many} not shown: there is no room in a comment.\n");
        }
        out.write_all(text.as_bytes())?;
        rest(report, out)
    }
}

/// What is said once for the whole run.
fn rest(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut also = Vec::new();
    let count = |test: fn(&Finding) -> bool| report.findings().filter(|f| test(f)).count() as u64;
    let suppressed = count(|finding| finding.suppressed.is_some());
    let known = count(|finding| finding.suppressed.is_none() && finding.baseline);
    if known > 0 {
        also.push(format!("{} known from the baseline", plural(known, "finding", "findings")));
    }
    if suppressed > 0 {
        also.push(format!("{suppressed} suppressed"));
    }
    if let Some(baseline) = report.baseline.as_ref().filter(|baseline| !baseline.gone.is_empty()) {
        also.push(format!("{} of the baseline not seen", baseline.gone.len()));
    }
    if !report.stale.is_empty() {
        let number = report.stale.len() as u64;
        also.push(plural(number, "suppression", "suppressions") + " without a finding");
    }
    let gaps = report.gaps().count() as u64;
    if gaps > 0 {
        also.push(format!("{} (not everything could be watched)", plural(gaps, "gap", "gaps")));
    }
    if !also.is_empty() {
        writeln!(out, "{}.\n", also.join(", "))?;
    }
    let seen = words::looked_at(report);
    writeln!(out, "<sub>Raddle {} {seen}</sub>", env!("CARGO_PKG_VERSION"))
}

fn told(finding: &Finding, report: &Report) -> String {
    let (rule, confidence) = (finding.rule, finding.confidence.name());
    let subject = words::folded(&finding.subject);
    let doc = rule.doc();
    let joins = if doc.joins.is_empty() { String::new() } else { format!(" {}", doc.joins) };
    let mut text = format!("#### {}{joins} {} ({confidence})\n\n", doc.title, code(&subject));
    let _ = writeln!(text, "{}\n", doc.summary);
    if let Some(witness) = finding.witnesses.first() {
        for step in &witness.steps {
            let (what, _) = words::does(step);
            let at = place::of(&step.place, report).map_or_else(
                || step.place.to_prose(),
                |place| match place.line {
                    0 => place.path.into_owned(),
                    line => format!("{}:{line}", place.path),
                },
            );
            let at = if at.is_empty() { String::new() } else { format!(" at {}", code(&at)) };
            let doing = code(&format!("{}{what}", step.thread));
            let _ = writeln!(text, "- {doing}{at}, {}", code(&words::holding(step)));
        }
    }
    if !finding.owners.is_empty() {
        let owners: Vec<String> = finding.owners.iter().map(|owner| code(owner)).collect();
        let _ = writeln!(text, "\nOwners: {}", owners.join(", "));
    }
    let mut evidence = format!("{}\n", visible(&words::message(finding)));
    for witness in finding.witnesses.iter().take(1) {
        for step in &witness.steps {
            let _ = writeln!(evidence, "\n{}", visible(&words::step(step)));
            for frame in std::iter::once(&step.place).chain(&step.stack) {
                let _ = writeln!(evidence, "    at {}", visible(&frame.to_prose()));
            }
        }
        for note in &witness.notes {
            let _ = write!(evidence, "\n- {}", visible(note));
        }
    }
    let print = visible(&finding.fingerprint);
    let _ = write!(
        text,
        "\n<details><summary>stacks, and why</summary>\n<pre>{}</pre>\n</details>\n\n\
         <sub>fingerprint <code>{}</code>, seen {}; <code>raddle explain {}</code></sub>\n\n",
        html(&cut(&evidence, EVIDENCE)),
        html(&print),
        plural(finding.count, "time", "times"),
        rule.name()
    );
    text
}

/// A code span: fenced by more backticks than stand in a row inside.
fn code(text: &str) -> String {
    let shown = visible(text);
    let shown = cut(&shown, NAME);
    let (mut longest, mut row) = (0, 0);
    for c in shown.chars() {
        row = if c == '`' { row + 1 } else { 0 };
        longest = longest.max(row);
    }
    let fence = "`".repeat(longest + 1);
    // A backtick, or nothing, at the border needs a space, which is not shown.
    let pad = if longest > 0 || shown.trim().is_empty() { " " } else { "" };
    format!("{fence}{pad}{shown}{pad}{fence}")
}

/// Text inside `pre`. An empty line would end the HTML block, so it gets a space.
fn html(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    let lines = escaped.trim_end().lines().map(|line| if line.trim().is_empty() { "&nbsp;" } else { line });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_span_holds_any_name() {
        assert_eq!(code("com.acme.A"), "`com.acme.A`");
        assert_eq!(code("a`b``c"), "``` a`b``c ```");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code("\n@team"), "`\\n@team`");
    }

    #[test]
    fn html_inside_is_text() {
        assert_eq!(html("<script>\n\n&</pre>"), "&lt;script&gt;\n&nbsp;\n&amp;&lt;/pre&gt;");
    }
}
