//! `raddle baseline`: writes down which findings are there already.

use std::collections::BTreeSet;
use std::path::Path;

use findings::{Format, Known, Report, plural, read_baseline, visible};

use crate::cli::BaselineArgs;
use crate::error::{Failure, Outcome};
use crate::output::{WholeFile, file_style, to_stdout};
use crate::report_again;

/// Runs it.
pub fn run(args: &BaselineArgs) -> Result<Outcome, Failure> {
    let report = report_again::read_all(&args.files)?;
    let renderer = Format::Baseline.renderer(file_style(false));
    if args.to == Path::new("-") {
        to_stdout(|out| renderer.render(&report, out))?;
        return Ok(Outcome::Clean);
    }
    let before = if args.to.exists() { read(&args.to)? } else { Vec::new() };
    let mut file = WholeFile::create(&args.to)?;
    renderer.render(&report, &mut file).map_err(|error| file.fail(&error))?;
    file.finish()?;
    let text = told(&args.to, &report, &before);
    to_stdout(|out| writeln!(out, "{}", visible(&text)))?;
    Ok(Outcome::Clean)
}

/// Reads a baseline.
pub fn read(path: &Path) -> Result<Vec<Known>, Failure> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| Failure::new(format!("{name}: {error}")))?;
    read_baseline(&text).map_err(|(line, what)| {
        Failure::with_help(format!("{name}:{line}: {what}"), "raddle baseline writes one")
    })
}

/// `raddle.baseline: 3 findings; 1 new, 2 gone`.
fn told(path: &Path, report: &Report, before: &[Known]) -> String {
    let now: BTreeSet<&str> = report
        .findings()
        .filter(|finding| finding.suppressed.is_none())
        .map(|finding| finding.fingerprint.as_str())
        .collect();
    let before: BTreeSet<&str> = before.iter().map(|known| known.fingerprint.as_str()).collect();
    let (new, gone) = (now.difference(&before).count(), before.difference(&now).count());
    let count = plural(now.len() as u64, "finding", "findings");
    format!("{}: {count}; {new} new, {gone} gone", path.display())
}
