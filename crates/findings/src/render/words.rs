//! The words that all formats for people share: what a finding is called, what a step does, what was looked at.
//!
//! Nothing here is escaped: names stay what they are until a format writes them.

use super::prose::plural;
use crate::{Finding, Report, Role, Step};

/// `data race on com.acme.Account.balance`.
pub(super) fn headline(finding: &Finding) -> String {
    let doc = finding.rule.doc();
    let joins = if doc.joins.is_empty() { String::new() } else { format!(" {}", doc.joins) };
    format!("{}{joins} {}", doc.title, folded(&finding.subject))
}

/// The message as a sentence.
pub(super) fn message(finding: &Finding) -> String {
    let message = finding.message.replace(&finding.subject, &folded(&finding.subject));
    sentence(&message, finding)
}

/// `teller-1 writes com.acme.Account@7.balance, holding no lock`.
pub(super) fn step(step: &Step) -> String {
    let (what, remark) = does(step);
    let remark = remark.map_or_else(String::new, |remark| format!(" ({remark})"));
    format!("{}{what}{remark}, {}", step.thread, holding(step))
}

/// A subject in which a name stands more than once: two locks of one class are `Account (2 of them)`.
pub(super) fn folded(subject: &str) -> String {
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
pub(super) fn sentence(text: &str, finding: &Finding) -> String {
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
pub(super) fn does(step: &Step) -> (String, Option<&str>) {
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
pub(super) fn holding(step: &Step) -> String {
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
pub(super) fn looked_at(report: &Report) -> String {
    let seen = &report.coverage;
    let parts: Vec<String> = [
        (seen.events, "event", "events"),
        (seen.threads, "thread", "threads"),
        (seen.locks, "lock", "locks"),
        (seen.variables, "variable", "variables"),
        (seen.classes_woven, "class watched", "classes watched"),
        (seen.left_out.values().sum(), "class left out", "classes left out"),
        (if seen.methods_analysed > 0 { seen.classes_seen } else { 0 }, "class", "classes"),
        (seen.methods_analysed, "method", "methods"),
    ]
    .into_iter()
    .filter(|&(n, _, many)| n > 0 || many == "events" && seen.methods_analysed == 0)
    .map(|(n, one, many)| plural(n, one, many))
    .collect();
    let gaps = report.gaps().count() as u64;
    let gaps = if gaps > 0 { format!("; {}", plural(gaps, "gap", "gaps")) } else { String::new() };
    format!("looked at {}{gaps}", parts.join(", "))
}
