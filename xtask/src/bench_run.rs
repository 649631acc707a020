//! `cargo xtask bench run`: what being watched costs a program. Bare and watched runs take turns, and the fastest of
//! each counts, since the rest is noise of the machine. Two numbers for each program: how much slower it runs while it is
//! recorded and analysed (its own clock, `RESULT name ms=…`), and how much later its report is there than its end would
//! have been.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::bench::{build_all, place, run, text};

const PROGRAMS: [&str; 4] = ["SyncCounter", "FieldOwner", "ArrayLoop", "BankMix"];
const RUNS: usize = 3;

/// What a run took, in seconds.
#[derive(Clone, Copy)]
struct Took {
    /// By the program's own clock.
    inner: f64,
    /// From its start to its report.
    whole: f64,
}

/// Runs the benchmark; arguments are programs, or none for all.
pub fn bench(args: &[&str]) -> Result<(), String> {
    let raddle = build_all()?;
    let place = place()?;
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/bench");
    let programs: Vec<&str> = if args.is_empty() { PROGRAMS.to_vec() } else { args.to_vec() };
    let files: Vec<PathBuf> = programs.iter().map(|name| sources.join(format!("{name}.java"))).collect();
    run(Command::new("javac").args(["-nowarn", "-d", &text(&place)]).args(&files))?;
    println!(
        "| program | bare, ms | watched, ms | slowdown | to the report, s | against the bare run | events | woven |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut product = 1.0;
    for name in &programs {
        let (mut bare, mut watched) = (Vec::new(), Vec::new());
        let mut coverage = String::new();
        for _ in 0..RUNS {
            bare.push(timed(Command::new("java").arg("-cp").arg(&place).arg(name))?.0);
            let report = place.join(format!("{name}.json"));
            let mut command = Command::new(&raddle);
            command.args(["run", "--output"]).arg(format!("json={}", text(&report)));
            let (took, _) = timed(command.args(["--", "java", "-cp"]).arg(&place).arg(name))?;
            watched.push(took);
            coverage = told(&report)?;
        }
        let least = |runs: &[Took], of: fn(&Took) -> f64| runs.iter().map(of).fold(f64::MAX, f64::min);
        let (before, after) = (least(&bare, |took| took.inner), least(&watched, |took| took.inner));
        let (ends, reported) = (least(&bare, |took| took.whole), least(&watched, |took| took.whole));
        product *= after / before;
        println!(
            "| {name} | {:.0} | {:.0} | {:.2}× | {reported:.2} | {:.2}× | {coverage} |",
            before * 1e3,
            after * 1e3,
            after / before,
            reported / ends
        );
    }
    println!("\ngeometric mean of the slowdowns: {:.2}×", product.powf(1.0 / programs.len() as f64));
    Ok(())
}

fn timed(command: &mut Command) -> Result<(Took, String), String> {
    let start = Instant::now();
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    let whole = start.elapsed().as_secs_f64();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let inner =
        stdout.split("ms=").nth(1).and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
    let inner = inner.ok_or_else(|| {
        format!("{command:?} printed no RESULT:\n{}", String::from_utf8_lossy(&output.stderr))
    })?;
    Ok((Took { inner: inner / 1e3, whole }, stdout))
}

/// The events and classes of a report, as two cells.
fn told(report: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(report).map_err(|e| format!("{}: {e}", report.display()))?;
    let number = |key: &str| {
        let rest = text.split(&format!("\"{key}\":")).nth(1).unwrap_or_default();
        rest.trim_start().chars().take_while(char::is_ascii_digit).collect::<String>()
    };
    Ok(format!("{} | {}", number("events"), number("classes_woven")))
}
