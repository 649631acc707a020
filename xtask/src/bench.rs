//! Measures the road from a trace to findings: events a second, peak memory, instructions an event.
//!
//! Each run is a process of its own on one core, as a user would start it, start-up and symbol tables included. The
//! best of a few runs counts, since the rest is noise of the machine; instruction counts have none.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::generate::{self, Kind, Shape};

const DETECTORS: [&str; 8] =
    ["eraser", "racer", "fasttrack", "views", "atomizer", "aerodrome", "lock-graph", "all"];
const RUNS: usize = 5;

/// What one run of the command said about itself.
struct Stats {
    events: f64,
    seconds: f64,
    peak_mb: f64,
}

/// `bench trace`: both standard traces, or those given.
pub fn trace(args: &[&str]) -> Result<(), String> {
    let mut instructions = false;
    let mut given = Vec::new();
    let mut args = args.iter();
    while let Some(&arg) = args.next() {
        match arg {
            "--instructions" => instructions = true,
            "--std" => given.push(PathBuf::from(args.next().ok_or("--std wants a file")?)),
            other => return Err(format!("{other}: no such option of bench trace")),
        }
    }
    let raddle = build()?;
    let place = place()?;
    if given.is_empty() {
        for (name, kind) in [("mixed", Kind::Mixed), ("atomic", Kind::Atomic)] {
            let path = place.join(format!("{name}.std"));
            let shape = Shape { events: 6_000_000, threads: 8, locks: 64, variables: 20_000, seed: 1, kind };
            generate::write(&text(&path), shape)?;
            given.push(path);
        }
    }
    for std in &given {
        let name = std.file_stem().and_then(|name| name.to_str()).unwrap_or("trace");
        let binary = place.join(format!("{name}.trace"));
        run(Command::new(&raddle).args(["trace", "convert"]).args([std, &binary]))?;
        let size = std::fs::metadata(&binary).map_err(|e| e.to_string())?.len();
        let events = analyze(&raddle, &binary, "lock-graph")?.events;
        println!("\n## {name}: {events:.0} events, {:.2} bytes an event\n", size as f64 / events);
        println!(
            "| detector | binary, M events/s | ns/event | peak, MB | STD, M events/s | instructions/event |"
        );
        println!("|---|---|---|---|---|---|");
        for detector in DETECTORS {
            let fast = best(&raddle, &binary, detector)?;
            let slow = best(&raddle, std, detector)?;
            let count = if instructions {
                format!("{:.0}", count(&raddle, &binary, detector)?)
            } else {
                "–".into()
            };
            println!(
                "| {detector} | {:.1} | {:.1} | {:.0} | {:.1} | {count} |",
                fast.events / fast.seconds / 1e6,
                fast.seconds * 1e9 / fast.events,
                fast.peak_mb,
                slow.events / slow.seconds / 1e6,
            );
        }
    }
    Ok(())
}

/// `bench scale`: does the cost of an event stay what it is?
pub fn scale() -> Result<(), String> {
    let raddle = build()?;
    let place = place()?;
    let usual = Shape { events: 0, threads: 8, locks: 64, variables: 20_000, seed: 1, kind: Kind::Mixed };
    let million = 1_000_000;
    let shapes = [
        ("1 M events", Shape { events: million, ..usual }),
        ("10 M events", Shape { events: 10 * million, ..usual }),
        ("100 M events", Shape { events: 100 * million, ..usual }),
        ("300 M events", Shape { events: 300 * million, ..usual }),
        ("5 000 threads, 3 M events", Shape { events: 3 * million, threads: 5000, ..usual }),
        ("5 000 threads, 12 M events", Shape { events: 12 * million, threads: 5000, ..usual }),
        ("5 M variables, 10 M events", Shape { events: 10 * million, variables: 2_500_000, ..usual }),
        ("5 M variables, 40 M events", Shape { events: 40 * million, variables: 2_500_000, ..usual }),
    ];
    println!("| trace | detectors | M events/s | ns/event | peak, MB |");
    println!("|---|---|---|---|---|");
    for (name, shape) in shapes {
        let path = place.join("scale.trace");
        generate::write(&text(&path), shape)?;
        for detector in ["fasttrack", "all"] {
            let stats = analyze(&raddle, &path, detector)?;
            println!(
                "| {name} | {detector} | {:.1} | {:.1} | {:.0} |",
                stats.events / stats.seconds / 1e6,
                stats.seconds * 1e9 / stats.events,
                stats.peak_mb
            );
        }
        std::fs::remove_file(&path).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// A path as text.
pub fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Where measurements are made.
pub fn place() -> Result<PathBuf, String> {
    let place = target().join("bench");
    std::fs::create_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
    Ok(place)
}

/// Where cargo puts what it builds.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The command.
fn built() -> PathBuf {
    target().join("release/raddle")
}

/// The command.
pub fn build() -> Result<PathBuf, String> {
    let mut cargo = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    run(cargo.args(["build", "--release", "--quiet", "--package", "raddle"]).current_dir(root()))?;
    Ok(built())
}

/// The command and the agent's library beside it.
pub fn build_all() -> Result<PathBuf, String> {
    let mut cargo = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    run(cargo.args(["build", "--release", "--quiet", "-p", "raddle", "-p", "agent"]).current_dir(root()))?;
    Ok(built())
}

/// Runs a command to its end; what it said on standard error.
pub fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        Ok(errors)
    } else {
        Err(format!("{command:?}: {}: {errors}", output.status))
    }
}

fn best(raddle: &Path, trace: &Path, detector: &str) -> Result<Stats, String> {
    let mut best = analyze(raddle, trace, detector)?;
    for _ in 1..RUNS {
        let next = analyze(raddle, trace, detector)?;
        if next.seconds < best.seconds {
            best = next;
        }
    }
    Ok(best)
}

fn arguments(trace: &Path, detector: &str) -> Vec<String> {
    let options = ["analyze", "--quiet", "--exit-zero", "--stats", "--detectors", detector];
    options.map(String::from).into_iter().chain([text(trace)]).collect()
}

/// Runs the command on one core and reads what it says about itself.
fn analyze(raddle: &Path, trace: &Path, detector: &str) -> Result<Stats, String> {
    let said = run(Command::new("taskset").args(["-c", "0"]).arg(raddle).args(arguments(trace, detector)))?;
    let line = said.lines().find_map(|line| line.strip_prefix("stats: ")).ok_or("no line of statistics")?;
    let value = |key: &str| -> Result<f64, String> {
        let word =
            line.split(' ').find_map(|word| word.strip_prefix(key)).ok_or(format!("no {key} in {line}"))?;
        word.parse().map_err(|e| format!("{word}: {e}"))
    };
    Ok(Stats { events: value("events=")?, seconds: value("seconds=")?, peak_mb: value("peak_kb=")? / 1024.0 })
}

/// Instructions for each event, by callgrind: start-up and tables included, as in the times.
fn count(raddle: &Path, trace: &Path, detector: &str) -> Result<f64, String> {
    let said = run(Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(raddle)
        .args(arguments(trace, detector)))?;
    let collected = said
        .lines()
        .find_map(|line| line.split_once("Collected : "))
        .ok_or("callgrind said nothing")?
        .1
        .trim()
        .parse::<f64>()
        .map_err(|e| e.to_string())?;
    let line = said.lines().find_map(|line| line.strip_prefix("stats: ")).ok_or("no line of statistics")?;
    let events = line.split(' ').find_map(|word| word.strip_prefix("events=")).ok_or("no events")?;
    Ok(collected / events.parse::<f64>().map_err(|e| e.to_string())?)
}
