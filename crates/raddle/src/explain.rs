//! `raddle explain`: a rule or a detector, for people who have not read the papers.

use std::io::{self, Write};

use detect::{on_code, on_trace};
use findings::{Paint, Rule, Style, wrap};

use crate::error::{Failure, Outcome};
use crate::output::{Color, detectors, stdout_style, to_stdout};
use crate::select;

#[derive(Clone, Copy)]
enum Topic {
    Rule(Rule),
    Detector(Detector),
}

/// What a detector tells of itself, whatever it reads.
#[derive(Clone, Copy)]
struct Detector {
    name: &'static str,
    about: &'static str,
    explain: &'static str,
    rules: &'static [Rule],
}

fn all() -> impl Iterator<Item = Detector> {
    let on_trace = on_trace::ALL.iter().map(|spec| (spec.name, spec.about, spec.explain, spec.rules));
    let on_code = on_code::ALL.iter().map(|spec| (spec.name, spec.about, spec.explain, spec.rules));
    on_trace.chain(on_code).map(|(name, about, explain, rules)| Detector { name, about, explain, rules })
}

/// Runs it.
pub fn run(name: &str, color: Color) -> Result<Outcome, Failure> {
    let topics: Vec<Topic> =
        Rule::ALL.into_iter().map(Topic::Rule).chain(all().map(Topic::Detector)).collect();
    let name_of = |topic: &Topic| match topic {
        Topic::Rule(rule) => rule.name(),
        Topic::Detector(spec) => spec.name,
    };
    let topic = select::one("rule or detector", name, &topics, name_of, "raddle rules lists them")?;
    let style = stdout_style(color, false);
    to_stdout(|out| match topic {
        Topic::Rule(rule) => of_rule(rule, style, out),
        Topic::Detector(detector) => of_detector(detector, style, out),
    })?;
    Ok(Outcome::Clean)
}

fn of_rule(rule: Rule, style: Style, out: &mut dyn Write) -> io::Result<()> {
    findings::explain(rule, style, out)?;
    let mut any = false;
    for spec in detectors().iter().filter(|doc| doc.rules.contains(&rule)) {
        let lead = if any { "  " } else { "\n  " };
        write!(out, "{}", wrap(&format!("{}: {}", spec.name, spec.about), lead, "    ", style.width))?;
        any = true;
    }
    if !any {
        writeln!(out, "\n  No detector of this version finds it.")?;
    }
    Ok(())
}

fn of_detector(spec: Detector, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let paint = Paint { color: style.color };
    writeln!(out, "{}: {}", paint.name(spec.name), paint.strong("detector"))?;
    write!(out, "{}", wrap(spec.about, "", "", style.width))?;
    for paragraph in spec.explain.split("\n\n") {
        write!(out, "\n{}", wrap(paragraph, "  ", "  ", style.width))?;
    }
    let rules: Vec<&str> = spec.rules.iter().map(|rule| rule.name()).collect();
    writeln!(out, "\nIt reports {}: raddle explain RULE tells what that is.", rules.join(", "))
}
