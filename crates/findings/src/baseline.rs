//! The baseline: findings that were there already, so that only new ones count.
//!
//! One finding a line: rule, fingerprint, subject. No lines of source, no paths, nothing that changes from run to run:
//! a difference between two baselines is a difference in findings. Sorted by rule and subject, counted in the head.
//! The fingerprint decides; the subject stands there for people.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use crate::render::prose::{plural, visible};
use crate::{Compared, Finding, Known, Render, Report, Rule};

/// The first line; the number is the version.
const HEAD: &str = "# Raddle baseline 1";

/// Writes the findings that nothing suppresses.
pub(crate) struct Baseline;

impl Render for Baseline {
    fn render(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let findings: Vec<&Finding> = report.findings().filter(|f| f.suppressed.is_none()).collect();
        let mut each: BTreeMap<Rule, u64> = BTreeMap::new();
        findings.iter().for_each(|finding| *each.entry(finding.rule).or_default() += 1);
        let each: Vec<String> = each.iter().map(|(rule, n)| format!("{n} {}", rule.name())).collect();
        let count = plural(findings.len() as u64, "finding", "findings");
        let counts = if each.is_empty() { String::new() } else { format!(": {}", each.join(", ")) };
        writeln!(out, "{HEAD}: findings that were there already, a line each")?;
        writeln!(out, "# {count}{counts}")?;
        for finding in findings {
            let (rule, print) = (finding.rule.name(), visible(&finding.fingerprint));
            writeln!(out, "{rule} {print} {}", visible(&finding.subject))?;
        }
        Ok(())
    }
}

/// Reads a baseline. An error is the number of the line and what is wrong with it.
pub fn read_baseline(text: &str) -> Result<Vec<Known>, (usize, String)> {
    let mut known = Vec::new();
    let mut lines = (1..).zip(text.lines());
    match lines.next() {
        Some((_, head)) if head == HEAD || head.starts_with(&format!("{HEAD}:")) => {}
        _ => return Err((1, format!("a baseline begins with '{HEAD}'"))),
    }
    for (number, line) in lines {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut words = line.splitn(3, ' ');
        let (Some(rule), Some(print)) = (words.next(), words.next()) else {
            return Err((number, "a line is: rule, fingerprint, subject".to_owned()));
        };
        let subject = words.next().unwrap_or_default();
        let Some(rule) = Rule::from_name(rule) else {
            return Err((number, format!("no rule is called '{rule}'")));
        };
        if print.len() != 16 || !print.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err((number, format!("'{print}' is no fingerprint of sixteen digits")));
        }
        known.push(Known { rule, subject: subject.to_owned(), fingerprint: print.to_owned() });
    }
    Ok(known)
}

/// Marks what the baseline knows, and notes what it knows and the report does not show.
pub fn compare(report: &mut Report, file: &str, known: Vec<Known>) {
    let prints: BTreeSet<(Rule, String)> =
        known.iter().map(|known| (known.rule, known.fingerprint.clone())).collect();
    let mut seen = BTreeSet::new();
    for finding in report.findings_mut() {
        let key = (finding.rule, finding.fingerprint.clone());
        finding.baseline = prints.contains(&key);
        seen.insert(key);
    }
    let mut gone: Vec<Known> =
        known.into_iter().filter(|known| !seen.contains(&(known.rule, known.fingerprint.clone()))).collect();
    gone.sort();
    gone.dedup();
    report.baseline = Some(Compared { file: file.to_owned(), gone });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Confidence, Suppressed, Witness, fingerprint};

    fn report(subjects: &[&str]) -> Report {
        let mut report = Report::new();
        for subject in subjects {
            let witness = Witness {
                detector: "racer".into(),
                steps: Vec::new(),
                notes: Vec::new(),
                tests: Vec::new(),
                event: 0,
                ..Witness::default()
            };
            report.add(Rule::DataRace, subject, Confidence::High, "", witness);
        }
        report
    }

    fn written(report: &Report) -> String {
        let mut out = Vec::new();
        Baseline.render(report, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_baseline_is_sorted_and_counted_and_holds_names_only() {
        let expected = format!(
            "# Raddle baseline 1: findings that were there already, a line each\n\
             # 2 findings: 2 data-race\ndata-race {} A.x\ndata-race {} B.y\n",
            fingerprint(Rule::DataRace, "A.x"),
            fingerprint(Rule::DataRace, "B.y")
        );
        assert_eq!(written(&report(&["B.y", "A.x"])), expected);
        assert_eq!(written(&report(&["A.x", "B.y"])), expected);
    }

    #[test]
    fn what_was_written_is_known_and_what_was_not_is_new() {
        let known = read_baseline(&written(&report(&["A.x", "B\n.y"]))).unwrap();
        let mut now = report(&["B\n.y", "C.z"]);
        compare(&mut now, "raddle.baseline", known);
        let states: Vec<(&str, bool)> = now.findings().map(|f| (f.subject.as_str(), f.baseline)).collect();
        assert_eq!(states, [("B\n.y", true), ("C.z", false)]);
        let gone = &now.baseline.unwrap().gone;
        assert_eq!(gone.iter().map(|known| known.subject.as_str()).collect::<Vec<_>>(), ["A.x"]);
    }

    #[test]
    fn what_is_suppressed_is_not_written() {
        let mut report = report(&["A.x"]);
        for finding in report.findings_mut() {
            let (reason, by) = ("it is a counter".to_owned(), "raddle.toml:1".to_owned());
            finding.suppressed = Some(Suppressed { reason, by, in_source: false });
        }
        assert_eq!(read_baseline(&written(&report)), Ok(Vec::new()));
    }

    #[test]
    fn a_damaged_baseline_is_refused_with_its_line() {
        for (text, line) in [
            ("", 1),
            ("data-race", 1),
            ("# Raddle baseline 2\n", 1),
            ("# Raddle baseline 1\n<<<<<<< HEAD\n", 2),
            ("# Raddle baseline 1\n\ndata-rase 0123456789abcdef A.x\n", 3),
            ("# Raddle baseline 1\ndata-race 0123 A.x\n", 2),
        ] {
            assert_eq!(read_baseline(text).unwrap_err().0, line, "{text}");
        }
    }
}
