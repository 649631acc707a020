//! Pages of the book that are made from the code: rules, detectors, trace formats. `BLESS=1 cargo test -p raddle pages`
//! writes them anew.

use std::fs;

use detect::{on_code, on_trace};
use findings::{DetectorDoc, Rule, rule_page};

use super::root;

/// What a detector tells of itself: name, one line, explanation, rules.
type Told = (&'static str, &'static str, &'static str, &'static [Rule]);

fn detector_page((name, about, explain, of): Told, command: &str) -> String {
    let mut rules = String::new();
    for rule in of {
        rules.push_str(&format!("- [{0}](../rules/{0}.md): {1}\n", rule.name(), rule.doc().summary));
    }
    format!(
        "# {name}\n\nFinds {about}.\n\n{explain}\n\n## Rules\n\n{rules}\n## Choosing it\n\n{command}`--detectors {name}` runs it alone; \
         without the option all detectors run. `raddle explain {name}` shows this page.\n",
    )
}

/// The head of a source file as text.
fn head(file: &str) -> String {
    let text = fs::read_to_string(root().join(file)).unwrap();
    let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
    let lines: Vec<&str> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    lines.join("\n").replace("[`check`](crate::check)", "`check`")
}

fn trace_formats() -> String {
    format!(
        "# Trace formats\n\nA trace is what the threads of a program did, in an order that respects each thread and each lock. \
         `raddle run --record app.trace` writes one; `raddle trace convert` turns one form into another; every subcommand \
         takes all three. A binary trace that is cut \
         off or damaged is read as far as it goes: `convert` writes that part, with a gap that says what is missing, \
         and ends with exit code 2.\n\n## Readable text\n\n{}\n\n## Binary\n\n{}\n\n## STD\n\n{}\n",
        head("crates/events/src/text/mod.rs"),
        head("crates/events/src/binary/mod.rs"),
        head("crates/events/src/rapid/mod.rs")
    )
}

#[test]
fn pages_made_from_the_code_are_up_to_date() {
    let mut pages: Vec<(String, String)> = Vec::new();
    let on_trace = || on_trace::ALL.iter().map(|spec| (spec.name, spec.about, spec.explain, spec.rules));
    let on_code = || on_code::ALL.iter().map(|spec| (spec.name, spec.about, spec.explain, spec.rules));
    let doc = |(name, about, _, rules): Told| DetectorDoc { name, about, rules };
    let detectors: Vec<DetectorDoc> = on_trace().chain(on_code()).map(doc).collect();
    for rule in Rule::ALL {
        let page = rule_page(rule, &detectors);
        pages.push((format!("rules/{}.md", rule.name()), page));
    }
    let page = |told: Told, command| (format!("detectors/{}.md", told.0), detector_page(told, command));
    pages.extend(on_trace().map(|told| page(told, "")));
    pages.extend(on_code().map(|told| page(told, "It is one of those that `raddle check` runs. ")));
    pages.push(("trace-formats.md".to_owned(), trace_formats()));
    for (name, page) in pages {
        let path = root().join("docs").join(&name);
        if std::env::var_os("BLESS").is_some() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &page).unwrap();
        }
        let written = fs::read_to_string(&path).unwrap_or_default();
        assert!(written == page, "docs/{name} is out of date: run again with BLESS=1");
    }
}
