//! The report for people.
//!
//! Each finding stands for itself: what is wrong, each side with its thread, place, locks and calls, why, what to do,
//! who saw it. The evidence of one detector is shown in full; of the others only what it does not show. At the end
//! stand the gaps and a summary, so that there is always something to read: no findings is a result too.
//!
//! All names go through [`visible`]: they come from the watched program.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use super::prose::{Paint, plural, thousands, visible, wrap};
use super::{Render, Style};
use crate::{Confidence, Finding, Frame, Report, Role, Rule, Step, Witness};

pub(super) struct Text {
    pub(super) style: Style,
}

/// Callers shown of one stack; the rest is counted.
const FRAMES: usize = 12;

impl Render for Text {
    fn render(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        for finding in report.findings() {
            self.headline(finding, out)?;
            if !self.style.quiet {
                self.finding(finding, out)?;
                writeln!(out)?;
            }
        }
        self.gaps(report, out)?;
        self.summary(report, out)
    }
}

impl Text {
    fn paint(&self) -> Paint {
        Paint { color: self.style.color }
    }

    /// Prose with an indent.
    fn prose(&self, indent: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(wrap(&visible(text), indent, indent, self.style.width).as_bytes())
    }

    fn headline(&self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let (doc, paint) = (finding.rule.doc(), self.paint());
        let joins = if doc.joins.is_empty() { String::new() } else { format!(" {}", doc.joins) };
        let title = paint.bad(&format!("{}{joins}", doc.title));
        let subject = paint.strong(&visible(&folded(&finding.subject)));
        let level = format!("[{}]", finding.confidence.name());
        let level = match finding.confidence {
            Confidence::High => paint.bad(&level),
            Confidence::Medium => paint.warn(&level),
            Confidence::Low => paint.faint(&level),
        };
        writeln!(out, "{title} {subject}  {level}")
    }

    fn finding(&self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let message = finding.message.replace(&finding.subject, &folded(&finding.subject));
        self.prose("  ", &sentence(&message, finding), out)?;
        let mut told = Told::default();
        let (first, others) = match finding.witnesses.split_first() {
            Some((first, others)) => (Some(first), others),
            None => (None, &[][..]),
        };
        if let Some(witness) = first {
            for step in &witness.steps {
                told.step(step);
                writeln!(out)?;
                self.step(step, out)?;
            }
            if !witness.notes.is_empty() {
                writeln!(out)?;
            }
            for note in &witness.notes {
                self.note(&sentence(note, finding), out)?;
            }
        }
        let mut by: BTreeSet<&str> = first.iter().map(|witness| witness.detector.as_str()).collect();
        for witness in others {
            if by.insert(&witness.detector) {
                self.addition(witness, &mut told, out)?;
            }
        }
        writeln!(out)?;
        let tests: BTreeSet<&str> =
            finding.witnesses.iter().flat_map(|witness| &witness.tests).map(String::as_str).collect();
        for test in tests {
            writeln!(out, "  in the test {}", self.paint().strong(&visible(test)))?;
        }
        let mut names: Vec<&str> = finding.detectors.iter().map(String::as_str).collect();
        if let Some(first) = first {
            names.sort_by_key(|name| *name != first.detector);
        }
        let times = plural(finding.count, "time", "times");
        let seen = format!("seen {times}, by {}", names.join(", "));
        let (print, rule) = (&finding.fingerprint, finding.rule.name());
        for text in [seen, format!("fingerprint {print}; to learn more: raddle explain {rule}")] {
            writeln!(out, "  {}", self.paint().faint(&visible(&text)))?;
        }
        Ok(())
    }

    /// `teller-1 writes com.acme.Account@7.balance`, the locks, the place, the calls.
    fn step(&self, step: &Step, out: &mut dyn Write) -> io::Result<()> {
        let paint = self.paint();
        let mut line = paint.strong(&visible(&step.thread));
        let (what, remark) = does(step);
        line.push_str(&visible(&what));
        writeln!(out, "  {line}")?;
        if let Some(remark) = remark {
            self.prose("      ", remark, out)?;
        }
        self.prose("      ", &holding(step), out)?;
        let place = step.place.to_prose();
        let place = if place.is_empty() { "a place that is not known".to_owned() } else { place };
        writeln!(out, "      at {}", paint.name(&visible(&place)))?;
        if step.stack_is_example && !step.stack.is_empty() {
            writeln!(out, "      {}", paint.faint("an example of how this place is reached:"))?;
        }
        for frame in step.stack.iter().take(FRAMES) {
            writeln!(out, "      at {}", visible(&frame.to_prose()))?;
        }
        if step.stack.len() > FRAMES {
            let more = plural((step.stack.len() - FRAMES) as u64, "more call", "more calls");
            writeln!(out, "      {}", paint.faint(&format!("and {more}")))?;
        }
        Ok(())
    }

    fn note(&self, note: &str, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(wrap(&visible(note), "  - ", "    ", self.style.width).as_bytes())
    }

    /// The places that another detector saw beyond those that have been told. Its reasoning is the same or stands in
    /// the formats for programs: once is enough for people.
    fn addition(&self, witness: &Witness, told: &mut Told, out: &mut dyn Write) -> io::Result<()> {
        let steps: Vec<&Step> = witness.steps.iter().filter(|step| told.step(step)).collect();
        let notes: Vec<&String> = witness.notes.iter().filter(|note| told.note(note)).collect();
        if steps.is_empty() && notes.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n  {} also saw:", self.paint().strong(&visible(&witness.detector)))?;
        for step in steps {
            let (what, _) = does(step);
            let place = step.place.to_prose();
            let at = if place.is_empty() { String::new() } else { format!(" at {place}") };
            self.note(&format!("{}{what}{at}, {}", step.thread, holding(step)), out)?;
        }
        notes.into_iter().try_for_each(|note| self.note(note, out))
    }

    fn gaps(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let mut any = false;
        for gap in report.gaps() {
            let many =
                if gap.count > 1 { format!(" (count {})", thousands(gap.count)) } else { String::new() };
            let text = format!("{}: {}{many}", gap.what, gap.why);
            let line = wrap(&visible(&text), "not watched: ", "  ", self.style.width);
            let (label, rest) = line.split_at("not watched:".len());
            write!(out, "{}{rest}", self.paint().warn(label))?;
            any = true;
        }
        if any && !self.style.quiet { writeln!(out) } else { Ok(()) }
    }

    /// Always something: also a run without findings says what it looked at.
    fn summary(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let mut by_rule: BTreeMap<Rule, u64> = BTreeMap::new();
        for finding in report.findings() {
            *by_rule.entry(finding.rule).or_default() += 1;
        }
        let total: u64 = by_rule.values().sum();
        let found = if total == 0 {
            self.paint().good("no findings")
        } else {
            let each: Vec<String> =
                by_rule.iter().map(|(rule, &n)| plural(n, rule.doc().title, rule.doc().titles)).collect();
            format!("{}: {}", self.paint().bad(&plural(total, "finding", "findings")), each.join(", "))
        };
        writeln!(out, "{found}")?;
        self.prose("", &looked_at(report), out)
    }
}

/// What has been shown of a finding already.
#[derive(Default)]
struct Told {
    steps: BTreeSet<(String, Role, Frame)>,
    places: BTreeSet<String>,
}

impl Told {
    /// Whether the step is new.
    fn step(&mut self, step: &Step) -> bool {
        self.places.insert(step.place.to_line());
        self.steps.insert((step.thread.clone(), step.role, step.place.clone()))
    }

    /// Whether the note names a place that is new: a word such as `A.run(A.java:7)`.
    fn note(&mut self, note: &str) -> bool {
        note.split_whitespace()
            .map(|word| word.trim_end_matches(['.', ',', ';', ':']))
            .filter(|word| word.ends_with(')') && word.contains('(') && word.contains(':'))
            .any(|place| self.places.insert(place.to_owned()))
    }
}

/// A subject in which a name stands more than once: two locks of one class are `Account (2 of them)`.
fn folded(subject: &str) -> String {
    let mut names: Vec<(&str, usize)> = Vec::new();
    for name in subject.split(", ") {
        match names.last_mut() {
            Some((last, times)) if *last == name => *times += 1,
            _ => names.push((name, 1)),
        }
    }
    let shown: Vec<String> = names
        .into_iter()
        .map(|(name, times)| if times > 1 { format!("{name} ({times} of them)") } else { name.to_owned() })
        .collect();
    shown.join(", ")
}

/// A message or note as a sentence. What it begins with is left alone where that is a name.
fn sentence(text: &str, finding: &Finding) -> String {
    let mut out = text.trim().to_owned();
    let word = out.split_whitespace().next().unwrap_or_default();
    let is_thread = |step: &Step| step.thread == word;
    let is_name = text.starts_with(&finding.subject)
        || finding.witnesses.iter().flat_map(|witness| &witness.steps).any(is_thread);
    if !is_name && !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase()) {
        out[..1].make_ascii_uppercase();
    }
    if out.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ')' | ']' | '}')) {
        out.push('.');
    }
    out
}

/// What the thread did, after its name; and a remark that stands apart.
fn does(step: &Step) -> (String, Option<&str>) {
    let mut text = match step.role {
        Role::Read => " reads",
        Role::Write => " writes",
        Role::Acquire => " takes lock",
        Role::Release => " gives up lock",
        Role::BlockEntered => ": block entered",
        Role::Commit => ": takes effect (commit)",
        Role::Violation => ": atomicity is broken",
        Role::BlockLeft => ": block left",
        Role::Interference => " comes in between",
        Role::Holds => " takes and keeps lock",
        Role::Wants => " wants lock",
        Role::Use => " uses the value",
    }
    .to_owned();
    let note = step.note.as_str();
    let joins = note.starts_with("at ") || note.starts_with("by ");
    if joins {
        text = format!("{text} {note}");
    }
    let is_moment = matches!(
        step.role,
        Role::BlockEntered
            | Role::Commit
            | Role::Violation
            | Role::BlockLeft
            | Role::Interference
            | Role::Use
    );
    if !step.target.is_empty() {
        let between = match (is_moment, joins) {
            (true, true) => " of",
            (true, false) => ", with",
            (false, _) => "",
        };
        text = format!("{text}{between} {}", step.target);
    }
    let remark = (!note.is_empty() && !text.contains(note)).then_some(note);
    (text, remark)
}

/// The locks held; where a lock is taken, the others: it is in the step's first line.
fn holding(step: &Step) -> String {
    let takes = matches!(step.role, Role::Holds | Role::Acquire);
    let locks: Vec<&str> =
        step.locks.iter().map(String::as_str).filter(|lock| !takes || *lock != step.target).collect();
    match (locks.as_slice(), takes) {
        ([], true) => "holding no other lock".to_owned(),
        ([], false) => "holding no lock".to_owned(),
        (locks, _) => format!("holding {}", locks.join(", ")),
    }
}

/// `looked at 1,200 events, 3 threads, …`, without what is zero because it does not apply.
fn looked_at(report: &Report) -> String {
    let seen = &report.coverage;
    let parts: Vec<String> = [
        (seen.events, "event", "events"),
        (seen.threads, "thread", "threads"),
        (seen.locks, "lock", "locks"),
        (seen.variables, "variable", "variables"),
        (seen.classes_woven, "class watched", "classes watched"),
        (seen.methods_analysed, "method", "methods"),
    ]
    .into_iter()
    .filter(|&(n, _, many)| n > 0 || many == "events")
    .map(|(n, one, many)| plural(n, one, many))
    .collect();
    let gaps = report.gaps().count() as u64;
    let gaps = if gaps > 0 { format!("; {}", plural(gaps, "gap", "gaps")) } else { String::new() };
    format!("looked at {}{gaps}", parts.join(", "))
}

#[cfg(test)]
#[path = "text_tests.rs"]
pub(super) mod tests;
