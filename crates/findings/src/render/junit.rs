//! JUnit XML, for the test page of any build service: a finding is a failed test case.
//!
//! It is tied to the test that was running where the run could tell, else to the class it is about. A finding that is
//! suppressed or known is a skipped case. Gaps stand in the suite's error output. A run without findings is one passed
//! case, since services complain about a suite without any.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::prose::{plural, visible};
use super::{Render, place, words};
use crate::suppress::class_of_lock;
use crate::{Finding, Report};

pub(super) struct Junit;

impl Render for Junit {
    fn render(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let cases = report.findings().count();
        let failures = report.findings().filter(|finding| finding.is_open()).count();
        let skipped = cases - failures;
        let counts = format!("tests=\"{}\" failures=\"{failures}\" skipped=\"{skipped}\"", cases.max(1));
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(out, "<testsuites name=\"raddle\" {counts} errors=\"0\">")?;
        writeln!(out, "  <testsuite name=\"raddle\" {counts} errors=\"0\">")?;
        for finding in report.findings() {
            case(finding, report, out)?;
        }
        if cases == 0 {
            writeln!(out, "    <testcase classname=\"raddle\" name=\"no findings\"/>")?;
        }
        writeln!(out, "    <system-out>{}</system-out>", escape(&words::looked_at(report)))?;
        let gaps: Vec<String> = report
            .gaps()
            .map(|gap| visible(&format!("not watched: {}: {}", gap.what, gap.why)).into_owned())
            .collect();
        if !gaps.is_empty() {
            writeln!(out, "    <system-err>{}</system-err>", escape(&gaps.join("\n")))?;
        }
        writeln!(out, "  </testsuite>\n</testsuites>")
    }
}

fn case(finding: &Finding, report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let headline = words::headline(finding);
    let (class, name) = match test(finding) {
        Some(test) => {
            let (class, method) = test.rsplit_once('.').unwrap_or(("raddle", test));
            (class, format!("{method}: {headline}"))
        }
        None => (owner(finding), headline.clone()),
    };
    write!(out, "    <testcase classname=\"{}\" name=\"{}\"", attribute(class), attribute(&name))?;
    let main = place::main_step(finding, report);
    if let Some(place) = main.and_then(|step| place::of(&step.place, report)) {
        write!(out, " file=\"{}\"", attribute(&place.path))?;
        if place.line > 0 {
            write!(out, " line=\"{}\"", place.line)?;
        }
    }
    writeln!(out, ">")?;
    writeln!(out, "      <properties>")?;
    let confidence = finding.confidence.name();
    let mut property = |name: &str, value: &str| {
        writeln!(out, "        <property name=\"{name}\" value=\"{}\"/>", attribute(value))
    };
    property("fingerprint", &finding.fingerprint)?;
    property("confidence", confidence)?;
    for owner in &finding.owners {
        property("owner", owner)?;
    }
    writeln!(out, "      </properties>")?;
    match (&finding.suppressed, finding.baseline) {
        (Some(found), _) => {
            let why = format!("suppressed by {}: {}", found.by, found.reason);
            writeln!(out, "      <skipped message=\"{}\"/>", attribute(&why))?;
        }
        (None, true) => writeln!(out, "      <skipped message=\"known: it is in the baseline\"/>")?,
        (None, false) => writeln!(
            out,
            "      <failure message=\"{}\" type=\"{}\">{}</failure>",
            attribute(&words::message(finding)),
            finding.rule.name(),
            escape(&told(finding))
        )?,
    }
    writeln!(out, "    </testcase>")
}

/// The test that was running, if a detector's evidence names one: `com.acme.BankTest.pays`.
fn test(finding: &Finding) -> Option<&str> {
    finding.witnesses.iter().flat_map(|witness| &witness.tests).map(String::as_str).next()
}

/// The class that the finding is about.
fn owner(finding: &Finding) -> &str {
    let first = finding.subject.split(", ").next().unwrap_or_default();
    match finding.rule {
        crate::Rule::LockOrder => class_of_lock(first),
        _ => first.rsplit_once('.').map_or(first, |(class, _)| class),
    }
}

/// The evidence in lines.
fn told(finding: &Finding) -> String {
    let mut text = format!("{} [{}]\n", visible(&words::headline(finding)), finding.confidence.name());
    let mut line = |indent: &str, content: &str| {
        let _ = writeln!(text, "{indent}{}", visible(content));
    };
    if let Some(witness) = finding.witnesses.first() {
        for step in &witness.steps {
            line("", &words::step(step));
            for frame in std::iter::once(&step.place).chain(&step.stack) {
                let place = frame.to_line();
                line("    at ", if place.is_empty() { "a place that is not known" } else { &place });
            }
        }
        witness.notes.iter().for_each(|note| line("- ", note));
    }
    let times = plural(finding.count, "time", "times");
    line("", &format!("seen {times}, by {}", finding.detectors.join(", ")));
    line("", &format!("fingerprint {}", finding.fingerprint));
    line("", &format!("to learn more: raddle explain {}", finding.rule.name()));
    text
}

/// Text between tags. XML has no way to write control characters, so they must be gone already; the two that are no
/// characters at all are replaced here.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A name as the value of an attribute.
fn attribute(text: &str) -> String {
    escape(&visible(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_name_holds_it_is_text_in_xml() {
        assert_eq!(attribute("a<b>&\"'\u{0}\u{ffff}"), "a&lt;b&gt;&amp;&quot;'\\u{0}\u{fffd}");
        assert_eq!(escape("]]>"), "]]&gt;");
    }
}
