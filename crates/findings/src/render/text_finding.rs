//! One finding for people: both sides, the source, how it happens, why, what to do.
//!
//! The evidence of one detector is shown in full; of the others only what it does not show.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::prose::{Paint, cut, plural, visible, with_short_words, wrap};
use super::text_stack::{Line, fold};
use super::words::{does, message, sentence};
use super::{Style, text_explain, text_source, text_table};
use crate::picture::{Explanation, Picture, Race};
use crate::{
    APART, Finding, Frame, NO_COMMON_LOCK, NOTHING_IN_COMMON, Report, Role, Step, THE_DEADLOCK, TOGETHER,
    Taken, Witness,
};

/// Bytes of a name, and of a paragraph: longer ones are cut, since nobody reads them.
pub(super) const NAME: usize = 400;
const PROSE: usize = 4000;

/// A name as it may stand in a line.
pub(super) fn name(text: &str) -> String {
    visible(&cut(text, NAME)).into_owned()
}

/// Tells one finding.
pub(super) struct Teller<'a> {
    pub(super) style: &'a Style,
    pub(super) report: &'a Report,
    pub(super) finding: &'a Finding,
}

impl Teller<'_> {
    fn paint(&self) -> Paint {
        Paint { color: self.style.color }
    }

    /// Prose with an indent.
    fn prose(&self, first: &str, rest: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.wrapped(first, rest, text).as_bytes())
    }

    fn wrapped(&self, first: &str, rest: &str, text: &str) -> String {
        let text = cut(text, PROSE);
        wrap(&visible(&with_short_words(&text, NAME)), first, rest, self.style.width)
    }

    fn lines(&self, lines: &[String], out: &mut dyn Write) -> io::Result<()> {
        if let Some((heading, lines)) = lines.split_first() {
            writeln!(out, "\n  {}", self.paint().strong(heading))?;
            lines.iter().try_for_each(|line| writeln!(out, "  {line}"))?;
        }
        Ok(())
    }

    /// All of it but the headline.
    pub(super) fn tell(&self, out: &mut dyn Write) -> io::Result<()> {
        let finding = self.finding;
        self.prose("  ", "  ", &message(finding), out)?;
        let mut told = Told::default();
        let picture = Picture::of(finding);
        let first = picture.as_ref().and_then(|picture| finding.witnesses.get(picture.witness));
        let first = first.or(finding.witnesses.first());
        if let Some(witness) = first {
            self.sides(witness, &mut told, out)?;
            if let Some(picture) = &picture {
                self.pictures(picture, witness, out)?;
            }
            self.notes(witness, picture.as_ref(), out)?;
        }
        let mut by: BTreeSet<&str> = first.iter().map(|witness| witness.detector.as_str()).collect();
        for witness in &finding.witnesses {
            if by.insert(&witness.detector) {
                self.addition(witness, &mut told, out)?;
            }
        }
        writeln!(out)?;
        self.foot(first, out)
    }

    /// In a few lines: what is told in full of another finding in the same methods.
    pub(super) fn tell_like(&self, other: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let text = format!("In the same methods as {} above:", other.subject);
        self.prose("  ", "  ", &text, out)?;
        for step in self.finding.witnesses.first().iter().flat_map(|witness| &witness.steps) {
            self.note(&in_a_line(step), out)?;
        }
        self.foot(self.finding.witnesses.first(), out)
    }

    /// Each side: what the thread does, where, holding which locks, and where it comes from.
    fn sides(&self, witness: &Witness, told: &mut Told, out: &mut dyn Write) -> io::Result<()> {
        let mut introduced: BTreeSet<&str> = BTreeSet::new();
        let mut rest = witness.steps.as_slice();
        while let Some(first) = rest.first() {
            // Steps that one thread makes one right after the other are told together.
            let goes_on = |step: &&Step| {
                step.thread == first.thread && step.stack == first.stack && step.role != Role::Acquire
            };
            let count = 1 + rest.iter().skip(1).take_while(goes_on).count();
            let (group, others) = rest.split_at(count.min(rest.len()));
            rest = others;
            writeln!(out)?;
            for (i, step) in group.iter().enumerate() {
                told.step(step);
                self.step(step, i > 0, out)?;
            }
            if let Some(last) = group.last() {
                self.stack(last, out)?;
                self.holding(group, last, out)?;
            }
            let origin = witness.threads.iter().find(|origin| origin.thread == first.thread);
            if let (Some(origin), true) = (origin, introduced.insert(&first.thread)) {
                let at = origin.place().map_or_else(String::new, |place| format!(" at {}", prose_of(place)));
                let text = format!("thread {} was started by {}{at}", origin.thread, origin.by);
                self.prose("      ", "        ", &text, out)?;
            }
        }
        Ok(())
    }

    /// `teller-1 writes com.acme.Account@7.balance`, and where.
    fn step(&self, step: &Step, goes_on: bool, out: &mut dyn Write) -> io::Result<()> {
        let paint = self.paint();
        let (what, remark) = does(step);
        let indent = if goes_on { "    " } else { "  " };
        let who = if goes_on { "then" } else { &step.thread };
        let line = self.wrapped(indent, "        ", &format!("{who}{what}"));
        // The name of the thread is painted, unless it was broken.
        let plain = format!("{indent}{}", name(who));
        match line.strip_prefix(&plain).filter(|_| !goes_on) {
            Some(rest) => write!(out, "{indent}{}{rest}", paint.strong(&name(who)))?,
            None => write!(out, "{line}")?,
        }
        if let Some(remark) = remark {
            self.prose("      ", "      ", remark, out)?;
        }
        writeln!(out, "      at {}", paint.name(&name(&prose_of(&step.place))))
    }

    fn stack(&self, step: &Step, out: &mut dyn Write) -> io::Result<()> {
        let paint = self.paint();
        if step.stack_is_example && !step.stack.is_empty() {
            writeln!(out, "      {}", paint.faint("an example of how this place is reached:"))?;
        }
        for line in fold(&step.stack, self.report) {
            match line {
                Line::Call(frame) => writeln!(out, "      at {}", name(&frame.to_prose()))?,
                Line::Folded(words) => writeln!(out, "      {}", paint.faint(&name(&words)))?,
            }
        }
        Ok(())
    }

    /// The locks held at the end of a group of steps, and where they were taken, unless the group itself shows it.
    fn holding(&self, group: &[Step], step: &Step, out: &mut dyn Write) -> io::Result<()> {
        let takes = |step: &Step| matches!(step.role, Role::Acquire | Role::Holds);
        let shown = |lock: &String| group.iter().any(|step| takes(step) && step.target == *lock);
        let mut locks = step.locks.iter().filter(|lock| !shown(lock)).peekable();
        if locks.peek().is_none() && !step.locks.is_empty() && step.read_locks.is_empty() {
            return Ok(());
        }
        let mut begin = "holding ";
        if locks.peek().is_none() {
            let other = if takes(step) { "no other lock" } else { "no lock" };
            self.prose("      ", "        ", &format!("holding {other}"), out)?;
            begin = "but ";
        }
        for lock in locks {
            let taken =
                step.taken.iter().find(|taken| taken.lock == *lock).map_or_else(String::new, taken_at);
            self.prose("      ", "        ", &format!("{begin}{lock}{taken}"), out)?;
            begin = "and ";
        }
        for lock in &step.read_locks {
            let text = format!("{begin}{lock} in read mode, which protects no write");
            self.prose("      ", "        ", &text, out)?;
            begin = "and ";
        }
        Ok(())
    }

    /// The source, what is particular to the rule, and how it happens.
    fn pictures(&self, picture: &Picture, witness: &Witness, out: &mut dyn Write) -> io::Result<()> {
        let source = text_source::quote(picture, witness, self.report, self.style);
        if !source.is_empty() {
            writeln!(out)?;
            out.write_all(source.as_bytes())?;
        }
        if let Some(explanation) = &picture.explanation {
            self.lines(&text_explain::explain(explanation, self.style.width, self.paint()), out)?;
        }
        let rows = text_table::table(
            &picture.interleaving,
            self.finding.rule,
            self.style.width.saturating_sub(2),
            self.paint(),
        );
        let mut lines = vec!["how it can happen, step by step:".to_owned()];
        lines.extend(rows.into_iter().map(|row| row.trim_end().to_owned()));
        self.lines(&lines, out)
    }

    /// Why, and what to do. What a picture shows is not said again.
    fn notes(&self, witness: &Witness, picture: Option<&Picture>, out: &mut dyn Write) -> io::Result<()> {
        let explanation = picture.and_then(|picture| picture.explanation.as_ref());
        let shown = |note: &str| match explanation {
            Some(Explanation::DataRace(race)) => {
                note.ends_with(NOTHING_IN_COMMON) || note == NO_COMMON_LOCK && race.apart.is_some()
            }
            Some(Explanation::HighLevelRace(_)) => note.contains(TOGETHER) || note.contains(APART),
            Some(Explanation::LockOrder(_)) => note.starts_with(THE_DEADLOCK),
            _ => false,
        };
        writeln!(out)?;
        if let Some(Explanation::DataRace(Race { apart: Some(apart), .. })) = explanation {
            self.note(&format!("No lock is held at both places: {}.", apart.words()), out)?;
        }
        for note in witness.notes.iter().filter(|note| **note != witness.advice && !shown(note)) {
            self.note(&sentence(note, self.finding), out)?;
        }
        if witness.advice.is_empty() {
            return Ok(());
        }
        let text = self.wrapped("  fix: ", "       ", &sentence(&witness.advice, self.finding));
        let (label, rest) = text.split_at("  fix:".len());
        write!(out, "{}{rest}", self.paint().good(label))
    }

    fn note(&self, note: &str, out: &mut dyn Write) -> io::Result<()> {
        self.prose("  - ", "    ", note, out)
    }

    /// The places that another detector saw beyond those that have been told. Its reasoning is the same or stands in
    /// the formats for programs: once is enough for people.
    fn addition(&self, witness: &Witness, told: &mut Told, out: &mut dyn Write) -> io::Result<()> {
        let steps: Vec<&Step> = witness.steps.iter().filter(|step| told.step(step)).collect();
        let notes: Vec<&String> = witness.notes.iter().filter(|note| told.note(note)).collect();
        if steps.is_empty() && notes.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n  {} also saw:", self.paint().strong(&name(&witness.detector)))?;
        steps.into_iter().try_for_each(|step| self.note(&in_a_line(step), out))?;
        notes.into_iter().try_for_each(|note| self.note(note, out))
    }

    /// Who saw it and how often, whose it is, its fingerprint, and how to learn more.
    fn foot(&self, first: Option<&Witness>, out: &mut dyn Write) -> io::Result<()> {
        let finding = self.finding;
        let tests: BTreeSet<&str> =
            finding.witnesses.iter().flat_map(|witness| &witness.tests).map(String::as_str).collect();
        for test in tests {
            writeln!(out, "  in the test {}", self.paint().strong(&name(test)))?;
        }
        let mut names: Vec<&str> = finding.detectors.iter().map(String::as_str).collect();
        if let Some(first) = first {
            names.sort_by_key(|name| *name != first.detector);
        }
        let times = plural(finding.count, "time", "times");
        let seen = match finding.roads_in_words() {
            None => format!("seen {times}, by {}", names.join(", ")),
            Some(roads) => format!("seen {times}, by {}; {roads}", names.join(", ")),
        };
        let (print, rule) = (&finding.fingerprint, finding.rule.name());
        let owners = match finding.owners.as_slice() {
            [] => None,
            owners => Some(format!("owned by {}", owners.join(", "))),
        };
        // A command is not broken in two.
        let (print, learn) =
            (format!("fingerprint {print}"), format!("to learn more: raddle explain {rule}"));
        let fits = print.len() + learn.len() + 4 <= self.style.width;
        let last = if fits { vec![format!("{print}; {learn}")] } else { vec![print, learn] };
        for text in [Some(seen), owners].into_iter().flatten().chain(last) {
            for line in self.wrapped("  ", "    ", &text).lines() {
                writeln!(out, "{}", self.paint().faint(line))?;
            }
        }
        Ok(())
    }
}

/// A place, or that it is not known.
fn prose_of(frame: &Frame) -> String {
    let place = frame.to_prose();
    if place.is_empty() { "a place that is not known".to_owned() } else { place }
}

fn taken_at(taken: &Taken) -> String {
    let example = if taken.example { " for example" } else { "" };
    format!(", taken{example} at {}", prose_of(&taken.at))
}

/// `teller-2 writes com.acme.Account@7.balance at com.acme.Account.withdraw (Account.java:24), holding no lock`.
fn in_a_line(step: &Step) -> String {
    let (what, _) = does(step);
    let place = step.place.to_prose();
    let at = if place.is_empty() { String::new() } else { format!(" at {place}") };
    format!("{}{what}{at}, {}", step.thread, super::words::holding(step))
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
