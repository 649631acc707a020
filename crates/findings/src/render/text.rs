//! The report for people.
//!
//! Each finding stands for itself: what is wrong, each side with its thread, place, locks and calls, why, what to do,
//! who saw it. The evidence of one detector is shown in full; of the others only what it does not show. At the end
//! stand the gaps and a summary, so that there is always something to read: no findings is a result too.
//!
//! All names go through [`visible`]: they come from the watched program.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use super::prose::{Paint, plural, visible, wrap};
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
        let subject = paint.strong(&visible(&finding.subject));
        let level = format!("[{}]", finding.confidence.name());
        let level = match finding.confidence {
            Confidence::High => paint.bad(&level),
            Confidence::Medium => paint.warn(&level),
            Confidence::Low => paint.faint(&level),
        };
        writeln!(out, "{title} {subject}  {level}")
    }

    fn finding(&self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        self.prose("  ", &finding.message, out)?;
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
            for note in witness.notes.iter().filter(|note| told.note(note)) {
                self.note(note, out)?;
            }
        }
        let mut by: BTreeSet<&str> = first.iter().map(|witness| witness.detector.as_str()).collect();
        for witness in others {
            if by.insert(&witness.detector) {
                self.addition(witness, &mut told, out)?;
            }
        }
        writeln!(out)?;
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
        line.push_str(&visible(&does(step)));
        writeln!(out, "  {line}")?;
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

    /// What another detector saw beyond what has been told, in short.
    fn addition(&self, witness: &Witness, told: &mut Told, out: &mut dyn Write) -> io::Result<()> {
        let steps: Vec<&Step> = witness.steps.iter().filter(|step| told.step(step)).collect();
        let notes: Vec<&String> = witness.notes.iter().filter(|note| told.note(note)).collect();
        if steps.is_empty() && notes.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n  {} adds:", self.paint().strong(&visible(&witness.detector)))?;
        for step in steps {
            let place = step.place.to_prose();
            let at = if place.is_empty() { String::new() } else { format!(" at {place}") };
            self.note(&format!("{}{}{at}, {}", step.thread, does(step), holding(step)), out)?;
        }
        notes.into_iter().try_for_each(|note| self.note(note, out))
    }

    fn gaps(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let mut any = false;
        for gap in report.gaps() {
            let times = if gap.count > 1 {
                format!(" ({} times)", super::prose::thousands(gap.count))
            } else {
                String::new()
            };
            let text = format!("{}: {}{times}", gap.what, gap.why);
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
    notes: BTreeSet<String>,
}

impl Told {
    /// Whether the step is new.
    fn step(&mut self, step: &Step) -> bool {
        self.steps.insert((step.thread.clone(), step.role, step.place.clone()))
    }

    fn note(&mut self, note: &str) -> bool {
        self.notes.insert(note.to_owned())
    }
}

/// What the thread did, after its name.
fn does(step: &Step) -> String {
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
    let is_moment = matches!(
        step.role,
        Role::BlockEntered
            | Role::Commit
            | Role::Violation
            | Role::BlockLeft
            | Role::Interference
            | Role::Use
    );
    let note_follows = step.note.starts_with("at ") || step.note.starts_with("by ");
    if note_follows {
        text = format!("{text} {}", step.note);
    }
    if !step.target.is_empty() {
        text = match (is_moment, note_follows) {
            (true, true) => format!("{text} of {}", step.target),
            (true, false) => format!("{text}: {}", step.target),
            (false, _) => format!("{text} {}", step.target),
        };
    }
    if !step.note.is_empty() && !note_follows {
        text = format!("{text} ({})", step.note);
    }
    text
}

/// The locks held. Where a lock is taken, those are the others: it is in the step's first line.
fn holding(step: &Step) -> String {
    let other = if matches!(step.role, Role::Holds | Role::Acquire) { "other " } else { "" };
    match step.locks.as_slice() {
        [] => format!("holding no {other}lock"),
        locks => format!("holding {}", locks.join(", ")),
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
