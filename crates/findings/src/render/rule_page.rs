//! A rule's documentation as Markdown: the help of SARIF results and the pages of the book.

use crate::Rule;

/// All but the heading.
pub(super) fn body(rule: Rule) -> String {
    let doc = rule.doc();
    let name = rule.name();
    format!(
        "{summary}\n\n{what}\n\n## Why it is bad\n\n{why}\n\n## Example\n\nWith the defect:\n\n```java\n{bad}\n```\n\n\
         Without it:\n\n```java\n{good}\n```\n\n## How to fix it\n\n{fix}\n\n## How it is found\n\n{found}\n\n\
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

/// A page of its own.
pub fn rule_page(rule: Rule) -> String {
    format!("# {}\n\n{}", rule.name(), body(rule))
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
