//! A rule's documentation as Markdown: the help of SARIF results and the pages of the book.

use crate::{DetectorDoc, Rule};

/// All but the heading; who finds it stands below how it is found. `link` makes a detector's name a link, or not.
pub(super) fn body(rule: Rule, detectors: &[DetectorDoc], link: fn(&str) -> String) -> String {
    let doc = rule.doc();
    let name = rule.name();
    let mut by = String::new();
    for detector in detectors.iter().filter(|detector| detector.rules.contains(&rule)) {
        by.push_str(&format!("- {}: {}\n", link(detector.name), detector.about));
    }
    let gap = if by.is_empty() { "" } else { "\n" };
    format!(
        "{summary}\n\n{what}\n\n## Why it is bad\n\n{why}\n\n## Example\n\nWith the defect:\n\n```java\n{bad}\n```\n\n\
         Without it:\n\n```java\n{good}\n```\n\n## How to fix it\n\n{fix}\n\n## How it is found\n\n{found}\n\n{by}{gap}\
         ## How to silence it\n\n{silence}\n\n```toml\n{example}```\n\nIn the program, for one member:\n\n\
         ```java\n{annotation}\n```\n",
        summary = doc.summary,
        what = doc.what,
        why = doc.why,
        bad = doc.bad,
        good = doc.good,
        fix = doc.fix,
        found = doc.found,
        silence = SILENCE,
        example = silenced(rule),
        annotation = annotated(name),
    )
}

/// A page of the book.
pub fn rule_page(rule: Rule, detectors: &[DetectorDoc]) -> String {
    let link = |name: &str| format!("[{name}](../detectors/{name}.md)");
    format!("# {}\n\n{}", rule.name(), body(rule, detectors, link))
}

/// When to silence a finding, and where.
pub(super) const SILENCE: &str = "When you have looked at a finding and decided that it stays, say so with a reason in \
    raddle.toml, or at the member itself with an annotation. It is then no longer shown or counted, and machine \
    formats carry the reason. What suppresses nothing any more is reported as stale.";

/// Lines of `raddle.toml` that suppress the rule at one place.
pub(super) fn silenced(rule: Rule) -> String {
    let what = match rule {
        Rule::DataRace | Rule::HighLevelRace | Rule::StaleValue => "field = \"com.acme.Stats.hits\"",
        Rule::NonAtomic => "method = \"com.acme.Stats.snapshot\"",
        Rule::LockOrder => "class = \"com.acme.Account\"",
    };
    format!("[[suppress]]\nrule = \"{}\"\n{what}\nreason = \"an estimate is enough here\"\n", rule.name())
}

fn annotated(name: &str) -> String {
    format!("@SuppressRaddle(value = \"{name}\", reason = \"an estimate is enough here\")")
}
