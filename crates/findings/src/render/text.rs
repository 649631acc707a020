//! The report for people.
//!
//! The surest findings of each rule come first, and those in the same methods as another one right behind it, in a few
//! lines. At the end stand the gaps and a summary, so that there is always something to read: no findings is a result too.
//!
//! All names go through [`visible`]: they come from the watched program.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use super::prose::{Paint, plural, thousands, visible, with_short_words, wrap};
use super::text_finding::{NAME, Teller, name};
use super::words::{folded, looked_at};
use super::{Render, Style};
use crate::{Confidence, Finding, Report, Role, Rule};

pub(super) struct Text {
    pub(super) style: Style,
}

impl Render for Text {
    fn render(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        for group in groups(report) {
            for (i, &finding) in group.iter().enumerate() {
                self.headline(finding, out)?;
                if self.style.quiet {
                    continue;
                }
                let teller = Teller { style: &self.style, report, finding };
                match group.first().filter(|_| i > 0) {
                    Some(first) => teller.tell_like(first, out)?,
                    None => teller.tell(out)?,
                }
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
        let text = with_short_words(text, NAME);
        out.write_all(wrap(&visible(&text), indent, indent, self.style.width).as_bytes())
    }

    fn headline(&self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let (doc, paint) = (finding.rule.doc(), self.paint());
        let joins = if doc.joins.is_empty() { String::new() } else { format!(" {}", doc.joins) };
        let title = paint.bad(&format!("{}{joins}", doc.title));
        let subject = paint.strong(&name(&folded(&finding.subject)));
        let known = if finding.baseline { ", known" } else { "" };
        let level = format!("[{}{known}]", finding.confidence.name());
        let level = match finding.confidence {
            Confidence::High => paint.bad(&level),
            Confidence::Medium => paint.warn(&level),
            Confidence::Low => paint.faint(&level),
        };
        writeln!(out, "{title} {subject}  {level}")
    }

    fn gaps(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let mut any = false;
        for gap in report.gaps() {
            let many =
                if gap.count > 1 { format!(" (count {})", thousands(gap.count)) } else { String::new() };
            let text = format!("{}: {}{many}", gap.what, gap.why);
            let text = with_short_words(&text, NAME);
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
            let text = with_short_words(&text, NAME);
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
            let text = wrap(&each.join(", "), &format!("{total}: "), "  ", self.style.width);
            format!("{}{}", self.paint().bad(&total), text.get(total.len()..).unwrap_or_default().trim_end())
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

/// The methods in which a finding happens, and what they do there.
type Methods<'a> = (Rule, Vec<(Role, &'a str, &'a str)>);

/// The open findings: the surest of a rule first, and behind each those that happen in the same methods.
fn groups(report: &Report) -> Vec<Vec<&Finding>> {
    let mut open: Vec<&Finding> = report.findings().filter(|finding| finding.is_open()).collect();
    open.sort_by_key(|finding| (finding.rule, Reverse(finding.confidence)));
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    let mut known: HashMap<Methods<'_>, usize> = HashMap::new();
    for finding in open {
        let methods = methods(finding);
        match methods.as_ref().and_then(|methods| known.get(methods)).and_then(|&at| groups.get_mut(at)) {
            Some(group) => group.push(finding),
            None => {
                known.extend(methods.map(|methods| (methods, groups.len())));
                groups.push(vec![finding]);
            }
        }
    }
    groups
}

/// None unless all methods are known.
fn methods(finding: &Finding) -> Option<Methods<'_>> {
    let steps = &finding.witnesses.first()?.steps;
    let method = |step: &'_ crate::Step| !step.place.class.is_empty() && !step.place.method.is_empty();
    if steps.is_empty() || !steps.iter().all(method) {
        return None;
    }
    let mut all: Vec<(Role, &str, &str)> =
        steps.iter().map(|step| (step.role, step.place.class.as_str(), step.place.method.as_str())).collect();
    all.sort_unstable();
    Some((finding.rule, all))
}

#[cfg(test)]
#[path = "text_tests.rs"]
pub(super) mod tests;
