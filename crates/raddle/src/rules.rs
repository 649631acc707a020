//! `raddle rules`: what can be found, and by which detectors.

use detect::{on_code, on_trace};
use findings::{Paint, Rule, wrap};

use crate::error::{Failure, Outcome};
use crate::output::{Color, detectors, stdout_style, to_stdout};

/// Runs it.
pub fn run(color: Color) -> Result<Outcome, Failure> {
    let style = stdout_style(color, false);
    let paint = Paint { color: style.color };
    // Aligned before it is coloured: escapes have no width.
    let row = |name: &str, text: &str| {
        let lines = wrap(text, &format!("  {name:<16} "), &" ".repeat(19), style.width);
        format!("  {}{}", paint.name(name), &lines[2 + name.len()..])
    };
    to_stdout(|out| {
        writeln!(out, "{}", paint.strong("Rules: what can be wrong"))?;
        for rule in Rule::ALL {
            write!(out, "{}", row(rule.name(), rule.doc().summary))?;
            let by: Vec<&str> =
                detectors().iter().filter(|doc| doc.rules.contains(&rule)).map(|doc| doc.name).collect();
            let by = if by.is_empty() { "nothing yet".to_owned() } else { by.join(", ") };
            writeln!(out, "{:19}{}", "", paint.faint(&format!("found by {by}")))?;
        }
        writeln!(
            out,
            "\n{}",
            paint.strong("Detectors: how it is found in a run (raddle run, raddle analyze)")
        )?;
        for spec in on_trace::ALL {
            write!(out, "{}", row(spec.name, spec.about))?;
        }
        writeln!(out, "\n{}", paint.strong("Detectors: how it is found in code (raddle check)"))?;
        for spec in on_code::ALL {
            write!(out, "{}", row(spec.name, spec.about))?;
        }
        writeln!(out, "\nraddle explain NAME tells more about a rule or a detector.")
    })?;
    Ok(Outcome::Clean)
}
