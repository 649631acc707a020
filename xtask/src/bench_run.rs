//! `cargo xtask bench run`: what being watched costs a program. Bare and watched runs take turns, and the fastest of
//! each counts, since the rest is noise of the machine. Two numbers for each program: how much slower it runs while it is
//! recorded and analysed (its own clock, `RESULT name ms=…`), and how much later its report is there than its end would
//! have been. More runs in turn, by a plan with the values that it has watched (flows) and by the same plan without them, say what
//! those cost, by the fastest of each and by the median of how much a run with them took longer than its neighbour without; since
//! the four programs have hardly any such value, that is asked of three more (`tests/bench`), in which nearly all that happens is
//! reading and using such values. A program that does nothing says what being watched adds to its start.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use events::plan::Plan;

use crate::bench::{build_all, place, run, text};

const PROGRAMS: [&str; 4] = ["SyncCounter", "FieldOwner", "ArrayLoop", "BankMix"];
/// Programs of ours whose values are watched.
const WITH_FLOWS: [&str; 3] = ["StaleCounter", "StaleBank", "StaleLimit"];
const RUNS: usize = 3;
/// Runs of each kind that say what watching values costs: a few per cent are less than one run differs from the next.
const FLOW_RUNS: usize = 9;
/// How much watching values may add to a run, in percent.
const MOST_ADDED: f64 = 10.0;

/// What a run took, in seconds.
#[derive(Clone, Copy)]
struct Took {
    /// By the program's own clock.
    inner: f64,
    /// From its start to its report.
    whole: f64,
}

/// Runs the benchmark; arguments are programs, or none for all, or `flows` for nothing but what watching values costs.
pub fn bench(args: &[&str]) -> Result<(), String> {
    let raddle = build_all()?;
    let place = place()?;
    if args == ["flows"] {
        return with_flows(&raddle, &place);
    }
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/bench");
    let programs: Vec<&str> = if args.is_empty() { PROGRAMS.to_vec() } else { args.to_vec() };
    let files: Vec<PathBuf> = programs.iter().map(|name| sources.join(format!("{name}.java"))).collect();
    run(Command::new("javac").args(["-nowarn", "-d", &text(&place)]).args(&files))?;
    println!(
        "| program | bare, ms | watched, ms | slowdown | to the report, s | against the bare run | events | woven | flows | \
         by plan without them, ms | with them, ms | added | median of neighbours |"
    );
    println!("|{}", "---|".repeat(13));
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
            "| {name} | {:.0} | {:.0} | {:.2}× | {reported:.2} | {:.2}× | {coverage} | {} |",
            before * 1e3,
            after * 1e3,
            after / before,
            reported / ends,
            flows(&raddle, &place, &sources, name)?
        );
    }
    println!("\ngeometric mean of the slowdowns: {:.2}×", product.powf(1.0 / programs.len() as f64));
    if args.is_empty() {
        with_flows(&raddle, &place)?;
    }
    start_up(&raddle, &place)
}

/// The table of the programs that have watched values.
fn with_flows(raddle: &Path, place: &Path) -> Result<(), String> {
    println!(
        "\n| values | flows | by plan without them, ms | with them, ms | added (at most {MOST_ADDED} %) | median of neighbours |"
    );
    println!("|{}", "---|".repeat(6));
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/bench");
    for name in WITH_FLOWS {
        println!("| {name} | {} |", flows(raddle, place, &sources, name)?);
    }
    println!();
    Ok(())
}

/// What a program costs by a plan without and with the flows that the code road found in it, as five cells.
fn flows(raddle: &Path, place: &Path, sources: &Path, name: &str) -> Result<String, String> {
    // A plan is for all classes that are read, so each program has a folder of its own.
    let classes = place.join(format!("{name}-classes"));
    let source = sources.join(format!("{name}.java"));
    run(Command::new("javac").args(["-nowarn", "-d", &text(&classes)]).arg(&source))?;
    let whole = place.join(format!("{name}.plan"));
    let mut check = Command::new(raddle);
    check
        .args(["check", "--no-config", "--no-progress", "--quiet", "--write-plan"])
        .arg(&whole)
        .arg(&classes);
    // Findings end with 1.
    let output = check.output().map_err(|e| format!("{check:?}: {e}"))?;
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(format!("{check:?}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let bytes = std::fs::read(&whole).map_err(|e| format!("{}: {e}", whole.display()))?;
    let mut plan = Plan::parse(&bytes).map_err(|e| format!("{}: {e}", whole.display()))?;
    let count = plan.flows();
    for (_, facts) in &mut plan.classes {
        // Where a value comes from is told each time for its sake alone.
        for method in &mut facts.methods {
            method.flows.clear();
            method.told.clear();
        }
    }
    let without = place.join(format!("{name}-without.plan"));
    std::fs::write(&without, plan.to_text()).map_err(|e| format!("{}: {e}", without.display()))?;
    let plans = [&without, &whole];
    let (mut least, mut ratios) = ([f64::MAX; 2], Vec::new());
    for turn in 0..FLOW_RUNS {
        let mut took = [0.0; 2];
        // Who comes first takes turns too.
        for at in [turn % 2, 1 - turn % 2] {
            let mut command = Command::new(raddle);
            command.args(["run", "--no-config", "--plan"]).arg(plans[at]);
            took[at] = timed(command.args(["--", "java", "-cp"]).arg(&classes).arg(name))?.0.inner;
            least[at] = least[at].min(took[at]);
        }
        ratios.push(took[1] / took[0]);
    }
    ratios.sort_by(f64::total_cmp);
    let [without, with] = least;
    let more = |ratio: f64| format!("{:+.1} %", (ratio - 1.0) * 100.0);
    Ok(format!(
        "{count} | {:.0} | {:.0} | {} | {}",
        without * 1e3,
        with * 1e3,
        more(with / without),
        more(ratios[FLOW_RUNS / 2])
    ))
}

/// What being watched adds to a program that does nothing, report included.
fn start_up(raddle: &Path, place: &Path) -> Result<(), String> {
    let source = place.join("Nothing.java");
    let program = "class Nothing { public static void main(String[] args) { } }";
    std::fs::write(&source, program).map_err(|e| format!("{}: {e}", source.display()))?;
    run(Command::new("javac").args(["-nowarn", "-d", &text(place)]).arg(&source))?;
    let mut least = [f64::MAX; 2];
    for _ in 0..2 * RUNS {
        let mut bare = Command::new("java");
        let mut watched = Command::new(raddle);
        watched.args(["run", "--no-config", "--", "java"]);
        for (least, command) in least.iter_mut().zip([&mut bare, &mut watched]) {
            let start = Instant::now();
            run(command.arg("-cp").arg(place).arg("Nothing"))?;
            *least = least.min(start.elapsed().as_secs_f64());
        }
    }
    let [bare, watched] = least.map(|seconds| seconds * 1e3);
    println!("start: {bare:.0} ms bare, {watched:.0} ms watched, {:+.0} ms (at most +200)", watched - bare);
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
