//! `raddle analyze`: traces in, one report out.
//!
//! Traces are read batch by batch and never held as a whole. A trace that cannot be read to its end, or that no run can
//! have made, is an error; with several traces it is a gap of the report too, and the others are still analysed.

use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use detect::{Pace, Spec, Team};
use events::{OpSet, Place, Stretches, TraceError};
use findings::{Gap, Report};

use crate::cli::AnalyzeArgs;
use crate::error::{Failure, Outcome};
use crate::filter::Filter;
use crate::output::{Color, Stream, tell};
use crate::progress::Line;
use crate::report::Wanted;
use crate::trace;

/// Runs it.
pub fn run(args: &AnalyzeArgs, color: Color) -> Result<Outcome, Failure> {
    let wanted = Wanted::new(&args.report, color)?;

    let start = Instant::now();
    let mut report = Report::new();
    let mut errors = Vec::new();
    let mut unread = 0;
    for file in &args.files {
        let mut line = Line::new(&trace::name(file), !args.report.no_progress);
        match one(file, &wanted, &mut line) {
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
        stats("events", report.coverage.events, start.elapsed());
        if let Some(event) = report.last_news() {
            tell(&format!("stats: last_new_finding_at={event}"));
        }
    }
    // A report of nothing would say that there are no findings.
    if unread == args.files.len() {
        return Ok(incomplete(errors));
    }
    if !wanted.options.paper {
        report.gather_sets();
    }
    let filter = Filter::new(&args.include, &args.exclude);
    report.retain(|finding| filter.keeps(finding));
    wanted.tell(&mut report, Stream::Out)?;

    Ok(if errors.is_empty() { wanted.outcome(&report) } else { incomplete(errors) })
}

/// One line for people and programs. Peak and time of all processors are those of the whole process, where the system tells
/// them.
pub fn stats(what: &str, number: u64, took: Duration) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).map_or("", |rest| rest.trim());
    let peak = peak.trim_end_matches(" kB");
    let seconds = took.as_secs_f64();
    let busy = busy().map_or(String::new(), |busy| format!(" cpu_seconds={busy:.2}"));
    let line = format!("stats: {what}={number} seconds={seconds:.6} peak_kb={peak}{busy}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// The seconds that processors were busy for this process, in hundredths as Linux counts them.
fn busy() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name before may hold anything; user and system time are the twelfth and thirteenth after it.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut words = rest.split_ascii_whitespace().skip(11);
    let (user, system) = (words.next()?.parse::<f64>().ok()?, words.next()?.parse::<f64>().ok()?);
    Some((user + system) / 100.0)
}

fn incomplete(errors: Vec<TraceError>) -> Outcome {
    for error in errors {
        Failure::from(error).tell();
    }
    Outcome::Incomplete
}

/// The report of one trace, and the damage that ended it early, if any.
fn one(path: &Path, wanted: &Wanted, line: &mut Line) -> Result<(Report, Option<TraceError>), TraceError> {
    let mut source = trace::open(path)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut team = Team::new(&wanted.specs, &wanted.options, threads);
    let malformed =
        |m: detect::Malformed| TraceError::new(trace::name(path), Place::Event(m.event), m.reason);
    let (mut stretches, mut room) = (Stretches::default(), Vec::new());
    while source.fill_stretches(&mut stretches, &mut room)? {
        let events = stretches.len();
        team.stretches(&mut stretches, source.lender(), Pace::Together).map_err(malformed)?;
        line.batch(events, source.progress());
    }
    let mut report = team.finish(source.lender()).map_err(malformed)?;
    // Whoever asks for nothing but watched values, where there are none, must not take that for an answer.
    let values = |spec: &&Spec| spec.ops.meets(OpSet::FLOW);
    if source.symbols().flows.is_empty() && wanted.specs.iter().all(values) {
        let why =
            "it tells of no watched value; a run by a plan that has some does, as with --check".to_owned();
        report.add_gap(Gap { what: trace::name(path), why, count: 1 });
    }
    for gap in source.gaps() {
        report.add_gap(Gap { what: gap.what.clone(), why: gap.why.clone(), count: gap.count });
    }
    let damage = source.damage().map(|d| TraceError::new(d.file.clone(), d.place, d.reason.clone()));
    Ok((report, damage))
}
