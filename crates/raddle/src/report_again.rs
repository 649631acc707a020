//! `raddle report`: reads reports back and tells them again, in any format, without running anything.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use findings::{Report, read_json};

use crate::cli::ReportAgainArgs;
use crate::error::{Failure, Outcome};
use crate::output::{Color, Stream};
use crate::report::Telling;

/// Runs it.
pub fn run(args: &ReportAgainArgs, color: Color) -> Result<Outcome, Failure> {
    let telling = Telling::new(&args.tell, color)?;
    let mut report = read_all(&args.files)?;
    telling.tell(&mut report, Stream::Out)?;
    Ok(telling.outcome(&report))
}

/// The reports of several files as one.
pub fn read_all(files: &[PathBuf]) -> Result<Report, Failure> {
    let mut all: Option<Report> = None;
    for path in files {
        let one = read(path)?;
        match &mut all {
            Some(all) => all.merge(one),
            None => all = Some(one),
        }
    }
    Ok(all.unwrap_or_default())
}

fn read(path: &Path) -> Result<Report, Failure> {
    let is_stdin = path == Path::new("-");
    let name = if is_stdin { "standard input".to_owned() } else { path.display().to_string() };
    let fail = |error: &dyn std::fmt::Display| {
        Failure::with_help(format!("{name}: {error}"), "raddle report reads what --output json=FILE wrote")
    };
    let mut bytes = Vec::new();
    let result = match is_stdin {
        true => std::io::stdin().lock().read_to_end(&mut bytes),
        false => std::fs::File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)),
    };
    result.map_err(|error| fail(&error))?;
    let text = String::from_utf8(bytes).map_err(|_| fail(&"not a report: no UTF-8 text"))?;
    read_json(&text).map_err(|error| fail(&error))
}
