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

impl Stats {
    /// Seconds an event.
    fn each(&self) -> f64 {
        self.seconds / self.events
    }
}

/// `bench trace`: both standard traces, or those given. The standard ones are those of `../shared/bench/gen_std.py`; where
/// that or Python is missing, our own generator makes some of the same shape.
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
            if !standard(&path, name, shape) {
                println!("{name}: not gen_std.py's trace, but one of our own generator of the same shape");
                generate::write(&text(&path), shape)?;
            }
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

/// Writes a trace as `gen_std.py` does. False if there is no such script, or nobody to run it.
fn standard(path: &Path, kind: &str, shape: Shape) -> bool {
    let script = root().join("../shared/bench/gen_std.py");
    let numbers =
        [shape.events, shape.threads.into(), shape.locks.into(), shape.variables.into(), shape.seed];
    let mut python = Command::new("python3");
    python.arg(&script).arg(path).args(numbers.map(|number| number.to_string())).arg(kind);
    script.is_file() && run(&mut python).is_ok()
}

/// How much more an event may cost in a trace of more of them, and how much memory any trace may take.
const MOST_TIMES: f64 = 1.5;
const MOST_MB: f64 = 4096.0;

/// `bench scale`: does the cost of an event stay what it is? Each group of traces differs in length only.
pub fn scale() -> Result<(), String> {
    let raddle = build()?;
    let place = place()?;
    let usual = Shape { events: 0, threads: 8, locks: 64, variables: 20_000, seed: 1, kind: Kind::Mixed };
    let groups: [(&str, Shape, &[_]); 3] = [
        ("20 000 variables", usual, &[1, 10, 100, 300]),
        ("5 000 threads", Shape { threads: 5000, ..usual }, &[3, 12]),
        ("5 M variables", Shape { variables: 2_500_000, ..usual }, &[10, 40]),
    ];
    println!("| trace | detectors | M events/s | ns/event | peak, MB |");
    println!("|---|---|---|---|---|");
    let mut verdicts = Vec::new();
    for (name, shape, millions) in groups {
        let mut measured: [Vec<Stats>; 2] = Default::default();
        for &count in millions {
            let path = place.join("scale.trace");
            generate::write(&text(&path), Shape { events: count * 1_000_000, ..shape })?;
            for (detector, measured) in ["fasttrack", "all"].into_iter().zip(&mut measured) {
                let stats = best(&raddle, &path, detector)?;
                println!(
                    "| {name}, {count} M events | {detector} | {:.1} | {:.1} | {:.0} |",
                    stats.events / stats.seconds / 1e6,
                    stats.each() * 1e9,
                    stats.peak_mb
                );
                measured.push(stats);
            }
            std::fs::remove_file(&path).map_err(|e| e.to_string())?;
        }
        for (detector, measured) in ["fasttrack", "all"].into_iter().zip(&measured) {
            verdicts.push(format!("{name}, {detector}: {}", verdict(measured)));
        }
    }
    println!("\n{}", verdicts.join("\n"));
    Ok(())
}

/// Whether the cost of an event and the memory stay within bounds from the shortest trace to the longest.
fn verdict(measured: &[Stats]) -> String {
    let most = |of: fn(&Stats) -> f64| measured.iter().map(of).fold(0.0, f64::max);
    let first = measured.first().map_or(f64::NAN, Stats::each);
    let (times, peak) = (most(Stats::each) / first, most(|stats| stats.peak_mb));
    let met = |met: bool| if met { "ok" } else { "MISSED" };
    format!(
        "an event costs up to {times:.2} times what it costs in the shortest trace (at most {MOST_TIMES}: {}), \
         peak {peak:.0} MB (at most {MOST_MB:.0}: {})",
        met(times <= MOST_TIMES),
        met(peak <= MOST_MB)
    )
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
