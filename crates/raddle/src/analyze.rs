//! `raddle analyze`: traces in, one report out.
//!
//! Traces are read batch by batch and never held as a whole. A trace that cannot be read to its end, or that no run can
//! have made, is an error; with several traces it is a gap of the report too, and the others are still analysed.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use detect::{Analysis, Options, Spec};
use events::{Place, Stretches, TraceError};
use findings::{Confidence, Format, Gap, Report, plural, visible};

use crate::cli::{AnalyzeArgs, Level};
use crate::error::{Failure, Outcome};
use crate::filter::Filter;
use crate::output::{Color, WholeFile, file_style, stdout_style, to_stdout};
use crate::progress::Line;
use crate::{select, trace};

/// Runs it.
pub fn run(args: &AnalyzeArgs, color: Color) -> Result<Outcome, Failure> {
    let rules = select::rules(&args.rules)?;
    let specs = select::detectors(&args.detectors, &rules)?;
    let refinements = select::refinements(&args.refine)?;
    let options = Options { paper: args.paper, refinements, ..Options::default() };
    let on_stdout = format(&args.format)?;
    let outputs = outputs(&args.output)?;

    let start = Instant::now();
    let mut report = Report::new();
    let mut errors = Vec::new();
    let mut unread = 0;
    for file in &args.files {
        let mut line = Line::new(&trace::name(file), !args.no_progress);
        match one(file, &specs, &options, &mut line) {
            Ok((one, damage)) => {
                report.merge(one);
                errors.extend(damage);
            }
            Err(error) if args.files.len() == 1 => return Err(error.into()),
            Err(error) => {
                let why = "it could not be analysed".to_owned();
                report.add_gap(Gap { what: trace::name(file), why, count: 1 });
                errors.push(error);
                unread += 1;
            }
        }
    }
    if args.stats {
        stats(report.coverage.events, start.elapsed());
    }
    // A report of nothing would say that there are no findings.
    if unread == args.files.len() {
        return Ok(incomplete(errors));
    }
    let filter = Filter::new(&args.include, &args.exclude);
    report.retain(|finding| rules.contains(&finding.rule) && filter.keeps(finding));

    for (format, path) in &outputs {
        let mut file = WholeFile::create(path)?;
        format.renderer(file_style(args.quiet)).render(&report, &mut file).map_err(|e| file.fail(&e))?;
        file.finish()?;
    }
    let style = stdout_style(color, args.quiet);
    to_stdout(|out| on_stdout.renderer(style).render(&report, out))?;

    Ok(if errors.is_empty() { outcome(args, &report) } else { incomplete(errors) })
}

/// One line for people and programs. The peak is that of the whole process, where the system tells it.
fn stats(events: u64, took: Duration) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).map_or("", |rest| rest.trim());
    let peak = peak.trim_end_matches(" kB");
    let line = format!("stats: events={events} seconds={:.6} peak_kb={peak}\n", took.as_secs_f64());
    let _ = std::io::stderr().write_all(line.as_bytes());
}

fn incomplete(errors: Vec<TraceError>) -> Outcome {
    for error in errors {
        Failure::from(error).tell();
    }
    Outcome::Incomplete
}

/// The report of one trace, and the damage that ended it early, if any.
fn one(
    path: &Path,
    specs: &[&'static Spec],
    options: &Options,
    line: &mut Line,
) -> Result<(Report, Option<TraceError>), TraceError> {
    let mut source = trace::open(path)?;
    let mut analysis = Analysis::new(specs, options);
    let malformed =
        |m: detect::Malformed| TraceError::new(trace::name(path), Place::Event(m.event), m.reason);
    let (mut stretches, mut room) = (Stretches::default(), Vec::new());
    while source.fill_stretches(&mut stretches, &mut room)? {
        analysis.stretches(&stretches, source.symbols()).map_err(malformed)?;
        line.batch(stretches.len(), source.progress());
    }
    let mut report = analysis.finish(source.symbols()).map_err(malformed)?;
    for gap in source.gaps() {
        report.add_gap(Gap { what: gap.what.clone(), why: gap.why.clone(), count: gap.count });
    }
    let damage = source.damage().map(|d| TraceError::new(d.file.clone(), d.place, d.reason.clone()));
    Ok((report, damage))
}

fn outcome(args: &AnalyzeArgs, report: &Report) -> Outcome {
    let gaps: Vec<Gap> = report.gaps().collect();
    if args.strict && !gaps.is_empty() {
        let what: Vec<&str> = gaps.iter().map(|gap| gap.what.as_str()).collect();
        let number = plural(gaps.len() as u64, "gap", "gaps");
        let text = format!("raddle: {number}, and --strict is on: {}\n", what.join(", "));
        let _ = std::io::stderr().write_all(format!("{}\n", visible(text.trim_end())).as_bytes());
    }
    let least = match args.fail_on {
        Level::Low => Confidence::Low,
        Level::Medium => Confidence::Medium,
        Level::High => Confidence::High,
    };
    let fails = report.findings().any(|finding| finding.confidence >= least && !finding.baseline)
        || args.strict && !gaps.is_empty();
    if fails && !args.exit_zero { Outcome::Findings } else { Outcome::Clean }
}

fn format(name: &str) -> Result<Format, Failure> {
    select::one("format", name, &Format::ALL, |format| format.name(), "raddle analyze --help tells more")
}

/// What `--output` asks for. Whether the files can be written is tried now: an analysis may take long.
fn outputs(given: &[String]) -> Result<Vec<(Format, PathBuf)>, Failure> {
    let mut outputs: Vec<(Format, PathBuf)> = Vec::new();
    for text in given {
        let Some((name, path)) = text.split_once('=').filter(|(_, path)| !path.is_empty()) else {
            return Err(Failure::with_help(
                format!("--output {text}: the file is missing"),
                "write --output FORMAT=FILE, such as --output json=report.json",
            ));
        };
        let path = PathBuf::from(path);
        if outputs.iter().any(|(_, other)| *other == path) {
            return Err(Failure::new(format!("--output writes {} twice", path.display())));
        }
        let format = format(name)?;
        WholeFile::try_out(&path)?;
        outputs.push((format, path));
    }
    Ok(outputs)
}
