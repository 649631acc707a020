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
use super::words::{does, folded, holding, looked_at, message, sentence};
use super::{Render, Style};
use crate::{Confidence, Finding, Frame, Report, Role, Rule, Step, Witness};

pub(super) struct Text {
    pub(super) style: Style,
}

/// Callers shown of one stack; the rest is counted.
const FRAMES: usize = 12;

impl Render for Text {
    fn render(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        for finding in report.findings().filter(|finding| finding.is_open()) {
            self.headline(finding, out)?;
            if !self.style.quiet {
                self.finding(finding, out)?;
                writeln!(out)?;
            }
        }
        self.known(report, out)?;
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
        let known = if finding.baseline { ", known" } else { "" };
        let level = format!("[{}{known}]", finding.confidence.name());
        let level = match finding.confidence {
            Confidence::High => paint.bad(&level),
            Confidence::Medium => paint.warn(&level),
            Confidence::Low => paint.faint(&level),
        };
        writeln!(out, "{title} {subject}  {level}")
    }

    fn finding(&self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        self.prose("  ", &message(finding), out)?;
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
        let owners = match finding.owners.as_slice() {
            [] => None,
            owners => Some(format!("owned by {}", owners.join(", "))),
        };
        let more = format!("fingerprint {print}; to learn more: raddle explain {rule}");
        for text in [Some(seen), owners, Some(more)].into_iter().flatten() {
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

    /// What needs nobody's attention, in a line each: known findings, and suppressions that do nothing.
    fn known(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let mut any = false;
        for finding in report.findings().filter(|f| f.baseline && f.suppressed.is_none()) {
            self.headline(finding, out)?;
            any = true;
        }
        if any && !self.style.quiet {
            writeln!(out)?;
        }
        let stale = if self.style.quiet { &[][..] } else { &report.stale };
        for stale in stale {
            let text = format!("nothing to suppress: {} ({})", stale.what, stale.by);
            write!(out, "{}", wrap(&visible(&text), "", "  ", self.style.width))?;
        }
        if stale.is_empty() { Ok(()) } else { writeln!(out) }
    }

    /// Always something: also a run without findings says what it looked at.
    fn summary(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let mut by_rule: BTreeMap<Rule, u64> = BTreeMap::new();
        let (mut known, mut suppressed) = (0, 0);
        for finding in report.findings() {
            match (&finding.suppressed, finding.baseline) {
                (Some(_), _) => suppressed += 1,
                (None, true) => known += 1,
                (None, false) => *by_rule.entry(finding.rule).or_default() += 1,
            }
        }
        let total: u64 = by_rule.values().sum();
        let new = if report.baseline.is_some() { "new " } else { "" };
        let found = if total == 0 {
            self.paint().good(&format!("no {new}findings"))
        } else {
            let each: Vec<String> =
                by_rule.iter().map(|(rule, &n)| plural(n, rule.doc().title, rule.doc().titles)).collect();
            let total = plural(total, &format!("{new}finding"), &format!("{new}findings"));
            format!("{}: {}", self.paint().bad(&total), each.join(", "))
        };
        writeln!(out, "{found}")?;
        let gone = report.baseline.as_ref().map_or(0, |baseline| baseline.gone.len() as u64);
        let also: Vec<String> =
            [(known, "known"), (suppressed, "suppressed"), (gone, "of the baseline not seen")]
                .into_iter()
                .filter(|&(number, _)| number > 0)
                .map(|(number, what)| format!("{} {what}", thousands(number)))
                .collect();
        if !also.is_empty() {
            self.prose("", &format!("not counted: {}", also.join(", ")), out)?;
        }
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

#[cfg(test)]
#[path = "text_tests.rs"]
pub(super) mod tests;
