//! `raddle explain`: a rule or a detector, for people who have not read the papers.

use std::io::{self, Write};

use detect::{Spec, on_trace};
use findings::{Paint, Rule, Style, wrap};

use crate::error::{Failure, Outcome};
use crate::output::{Color, stdout_style, to_stdout};
use crate::select;

#[derive(Clone, Copy)]
enum Topic {
    Rule(Rule),
    Detector(&'static Spec),
}

/// Runs it.
pub fn run(name: &str, color: Color) -> Result<Outcome, Failure> {
    let topics: Vec<Topic> = Rule::ALL
        .into_iter()
        .map(Topic::Rule)
        .chain(on_trace::ALL.iter().map(|&spec| Topic::Detector(spec)))
        .collect();
    let name_of = |topic: &Topic| match topic {
        Topic::Rule(rule) => rule.name(),
        Topic::Detector(spec) => spec.name,
    };
    let topic = select::one("rule or detector", name, &topics, name_of, "raddle rules lists them")?;
    let style = stdout_style(color, false);
    to_stdout(|out| match topic {
        Topic::Rule(rule) => of_rule(rule, style, out),
        Topic::Detector(spec) => of_detector(spec, style, out),
    })?;
    Ok(Outcome::Clean)
}

fn of_rule(rule: Rule, style: Style, out: &mut dyn Write) -> io::Result<()> {
    findings::explain(rule, style, out)?;
    let mut any = false;
    for spec in on_trace::ALL.iter().filter(|spec| spec.rules.contains(&rule)) {
        let lead = if any { "  " } else { "\n  " };
        write!(out, "{}", wrap(&format!("{}: {}", spec.name, spec.about), lead, "    ", style.width))?;
        any = true;
    }
    if !any {
        writeln!(out, "\n  No detector of this version finds it in a trace.")?;
    }
    Ok(())
}

fn of_detector(spec: &Spec, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let paint = Paint { color: style.color };
    writeln!(out, "{}: {}", paint.name(spec.name), paint.strong("detector"))?;
    write!(out, "{}", wrap(spec.about, "", "", style.width))?;
    for paragraph in spec.explain.split("\n\n") {
        write!(out, "\n{}", wrap(paragraph, "  ", "  ", style.width))?;
    }
    let rules: Vec<&str> = spec.rules.iter().map(|rule| rule.name()).collect();
    writeln!(out, "\nIt reports {}: raddle explain RULE tells what that is.", rules.join(", "))
}
