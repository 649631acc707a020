//! One program on one road: `raddle check` on its classes, or `raddle run` on a JVM, and what the report says.

use std::collections::BTreeSet;
use std::fmt;
use std::process::Command;

use crate::corpus::{Mark, Program};

/// How a program is looked at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Road {
    /// Its code is read.
    Check,
    /// It is watched.
    Run,
    /// A trace of it, the last of the options, is looked at again.
    Trace,
}

/// A finding, as far as it matters here.
pub struct Found {
    /// The rule.
    pub rule: String,
    /// What it is about.
    pub subject: String,
    /// The same for the same defect.
    pub fingerprint: String,
    /// Who found it.
    detectors: String,
    /// Where it was seen, if both roads were taken at once.
    pub roads: Vec<String>,
    /// The lines of the program's source that it shows, in steps or stacks.
    lines: BTreeSet<u32>,
}

impl Found {
    /// Whether it is of the rule and shows the line.
    pub fn shows(&self, (line, rule): &Mark) -> bool {
        self.rule == *rule && self.lines.contains(line)
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} by {} at {:?}", self.rule, self.subject, self.detectors, self.lines)
    }
}

/// What one road finds in a program; an error says why there is no report.
pub fn look(program: &Program, road: Road, options: &[&str]) -> Result<Vec<Found>, String> {
    let named: String = options.iter().filter(|option| !option.contains('/')).copied().collect();
    let report = program.classes.with_extension(format!("{road:?}{named}.json"));
    let _ = std::fs::remove_file(&report);
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.env_remove("JAVA_TOOL_OPTIONS");
    let output = format!("json={}", report.display());
    match road {
        Road::Check => {
            command.args(["check", "--no-config", "--no-progress", "--output", &output]).args(options);
            command.arg(&program.classes);
        }
        Road::Trace => {
            command.args(["analyze", "--no-config", "--no-progress", "--output", &output]).args(options);
        }
        Road::Run => {
            command.args(["run", "--no-config", "--leave", "support.Invisible", "--output", &output]);
            command.args(options).args(["--", "java", "-cp"]).arg(&program.classes).arg(&program.name);
        }
    }
    let ran = command.output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&ran.stderr);
    if !matches!(ran.status.code(), Some(0 | 1)) {
        return Err(format!("{}: {said}", ran.status));
    }
    let text = std::fs::read_to_string(&report).map_err(|error| format!("no report, {error}: {said}"))?;
    let json: serde_json::Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let file = format!("{}.java", program.name);
    Ok(json["findings"].as_array().into_iter().flatten().map(|finding| found(finding, &file)).collect())
}

fn found(finding: &serde_json::Value, file: &str) -> Found {
    let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let mut lines = BTreeSet::new();
    let witnesses = finding["witnesses"].as_array().into_iter().flatten();
    for step in witnesses.flat_map(|witness| witness["steps"].as_array().into_iter().flatten()) {
        if step["file"] == file {
            lines.extend(step["line"].as_u64().map(|line| line as u32));
        }
        // A frame ends with its place: `…(File.java:12)`.
        let frames = step["stack"].as_array().into_iter().flatten().filter_map(|frame| frame.as_str());
        lines.extend(frames.filter_map(|frame| {
            let place = frame.rsplit_once('(')?.1.strip_suffix(')')?;
            place.strip_prefix(file)?.strip_prefix(':')?.parse::<u32>().ok()
        }));
    }
    let words = |key: &str| -> Vec<String> {
        let words = finding[key].as_array().into_iter().flatten();
        words.filter_map(|word| word.as_str()).map(str::to_owned).collect()
    };
    Found {
        rule: text("rule"),
        subject: text("subject"),
        fingerprint: text("fingerprint"),
        detectors: words("detectors").join(", "),
        roads: words("roads"),
        lines,
    }
}
