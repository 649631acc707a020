//! A rule's documentation for people, on a terminal.

use std::io;

use super::Style;
use super::prose::{Paint, wrap};
use super::rule_page::{SILENCE, silenced};
use crate::Rule;

/// Writes what a rule means. Who finds it is for the caller to add: this crate knows no detectors.
pub fn explain(rule: Rule, style: Style, out: &mut dyn io::Write) -> io::Result<()> {
    let doc = rule.doc();
    let paint = Paint { color: style.color };
    writeln!(out, "{}: {}", paint.name(rule.name()), paint.strong(doc.title))?;
    write!(out, "{}", wrap(doc.summary, "", "", style.width))?;
    prose("What it is", doc.what, style, out)?;
    prose("Why it is bad", doc.why, style, out)?;
    for (title, code) in [("Bad", doc.bad), ("Good", doc.good)] {
        writeln!(out, "\n{}", paint.strong(title))?;
        for line in code.lines() {
            writeln!(out, "{}", format!("    {line}").trim_end())?;
        }
    }
    prose("How to fix it", doc.fix, style, out)?;
    prose("How to silence it", SILENCE, style, out)?;
    writeln!(out)?;
    for line in silenced(rule).lines() {
        writeln!(out, "    {line}")?;
    }
    prose("How it is found", doc.found, style, out)
}

/// A heading and paragraphs, which stand apart by an empty line.
fn prose(title: &str, text: &str, style: Style, out: &mut dyn io::Write) -> io::Result<()> {
    writeln!(out, "\n{}", Paint { color: style.color }.strong(title))?;
    for (i, paragraph) in text.split("\n\n").enumerate() {
        let between = if i > 0 { "\n" } else { "" };
        write!(out, "{between}{}", wrap(paragraph, "  ", "  ", style.width))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_explained_within_eighty_columns_and_without_colour_where_none_is_wanted() {
        for rule in Rule::ALL {
            let mut out = Vec::new();
            explain(rule, Style::default(), &mut out).unwrap();
            let text = String::from_utf8(out).unwrap();
            assert!(text.starts_with(rule.name()));
            for part in [
                "What it is",
                "Why it is bad",
                "Bad",
                "Good",
                "How to fix it",
                "How to silence it",
                "How it is found",
            ] {
                assert!(text.contains(part), "{text}");
            }
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
            assert!(!text.contains('\x1b'));
        }
    }
}
