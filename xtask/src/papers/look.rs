//! Looks at a program on one of the roads, and reads what the report says.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::Value;

use super::corpus::{Mark, Program};

/// Runs of which the fastest counts.
const RUNS: usize = 4;

const HARNESS: &str = "Clocked";
const TEXT: &str = "
public class Clocked {
    public static void main(String[] args) throws Exception {
        String[] rest = java.util.Arrays.copyOfRange(args, 1, args.length);
        long start = System.nanoTime();
        Class.forName(args[0]).getMethod(\"main\", String[].class).invoke(null, (Object) rest);
        System.out.println(\"TOOK \" + (System.nanoTime() - start));
    }
}
";

/// Runs the command.
pub struct Looker {
    /// The command.
    pub raddle: PathBuf,
    /// Where reports and traces go.
    pub place: PathBuf,
}

/// What a road found in a program.
pub struct Looked {
    /// The findings.
    pub findings: Vec<Found>,
    /// How long it took, from start to end, in seconds.
    pub seconds: f64,
    /// Numbers of the report: threads, locks, events.
    pub coverage: Value,
    /// What was said on the error stream.
    said: String,
}

/// A finding.
pub struct Found {
    /// The rule.
    pub rule: String,
    /// What it is about.
    pub subject: String,
    /// The lines that it shows, in steps and stacks.
    pub lines: BTreeSet<u64>,
}

impl Found {
    /// Whether it shows one of the marks.
    pub fn shows_any<'m>(&self, marks: impl IntoIterator<Item = &'m Mark>) -> bool {
        marks.into_iter().any(|(line, rule)| self.rule == *rule && self.lines.contains(line))
    }
}

impl Looked {
    /// How many of the marks no finding shows.
    pub fn missed(&self, marks: &BTreeSet<Mark>) -> usize {
        marks.iter().filter(|mark| !self.findings.iter().any(|found| found.shows_any([*mark]))).count()
    }

    /// How many findings show none of the marks.
    pub fn alarms(&self, marks: &BTreeSet<Mark>) -> usize {
        self.findings.iter().filter(|found| !found.shows_any(marks)).count()
    }

    /// How many findings of a rule there are.
    pub fn count(&self, rule: &str) -> usize {
        self.findings.iter().filter(|found| found.rule == rule).count()
    }

    /// A number of the lines that `--stats` adds: `stats: name=number …`.
    pub fn stat(&self, name: &str) -> Option<f64> {
        let lines = self.said.lines().map(|line| line.trim_start_matches("raddle: "));
        let lines = lines.filter_map(|line| line.strip_prefix("stats: "));
        let mut words = lines.flat_map(str::split_whitespace);
        words.find_map(|word| word.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
    }

    /// A number of the report.
    pub fn covered(&self, key: &str) -> u64 {
        self.coverage[key].as_u64().unwrap_or_default()
    }
}

impl Looker {
    /// Reads the code of a program.
    pub fn check(&self, program: &Program, options: &[&str]) -> Result<Looked, String> {
        let mut command = Command::new(&self.raddle);
        command.args(["check", "--no-config", "--no-progress"]).args(options).arg(&program.classes);
        self.look(&command, program)
    }

    /// Watches a program.
    pub fn watch(&self, program: &Program, options: &[&str], args: &[&str]) -> Result<Looked, String> {
        let mut command = Command::new(&self.raddle);
        command.args(["run", "--no-config", "--leave", "support.Invisible"]).args(options);
        command.args(["--", "java", "-cp"]).arg(&program.classes).arg(&program.name).args(args);
        self.look(&command, program)
    }

    /// Looks at a trace of a program.
    pub fn analyze(&self, program: &Program, trace: &Path, options: &[&str]) -> Result<Looked, String> {
        let mut command = Command::new(&self.raddle);
        command.args(["analyze", "--no-config", "--no-progress"]).args(options).arg(trace);
        self.look(&command, program)
    }

    /// Two numbers of a trace: the most locks that a thread held at once, and the sets of locks that were held at accesses.
    pub fn locks(&self, trace: &Path) -> Result<[u64; 2], String> {
        let mut command = Command::new(&self.raddle);
        command.args(["trace", "stat", "--no-progress"]).arg(trace);
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let number = |name: &str| {
            let row = text.lines().find_map(|line| line.trim().strip_prefix(name));
            let digits: String = row?.chars().filter(char::is_ascii_digit).collect();
            digits.parse().ok()
        };
        let both = number("most held at once").zip(number("sets at accesses"));
        both.map(|(most, sets)| [most, sets])
            .ok_or_else(|| format!("{command:?} does not tell of locks:\n{text}"))
    }

    /// How long a program takes by its own clock, in seconds, bare and watched: the fastest of several each, in turn.
    pub fn clocked(&self, program: &Program, args: &[&str]) -> Result<[f64; 2], String> {
        let harness = self.harness()?;
        let path = format!("{}:{}", program.classes.display(), harness.display());
        let mut best = [f64::MAX; 2];
        for _ in 0..RUNS {
            for (watched, best) in best.iter_mut().enumerate() {
                let mut command =
                    Command::new(if watched == 1 { self.raddle.as_os_str() } else { "java".as_ref() });
                if watched == 1 {
                    command.args([
                        "run",
                        "--no-config",
                        "--exit-zero",
                        "--leave",
                        "support.Invisible",
                        "--",
                        "java",
                    ]);
                }
                command.args(["-cp", &path, HARNESS, &program.name]).args(args);
                let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
                let text = String::from_utf8_lossy(&output.stdout);
                let took =
                    text.lines().find_map(|line| line.strip_prefix("TOOK ")?.trim().parse::<f64>().ok());
                let took =
                    took.ok_or_else(|| format!("{command:?} does not say how long it took:\n{text}"))?;
                *best = best.min(took / 1e9);
            }
        }
        Ok(best)
    }

    /// Where a class is that runs a program's `main` and says how long that took.
    fn harness(&self) -> Result<PathBuf, String> {
        let folder = self.place.join("harness");
        let source = folder.join(format!("{HARNESS}.java"));
        if !source.exists() {
            let fail = |error: std::io::Error| format!("{}: {error}", source.display());
            std::fs::create_dir_all(&folder).map_err(fail)?;
            std::fs::write(&source, TEXT).map_err(fail)?;
            crate::bench::run(Command::new("javac").arg("-d").arg(&folder).arg(&source))?;
        }
        Ok(folder)
    }

    /// How long a program runs on its own, in seconds, and what comes of it while it is watched, report included: the fastest
    /// of several each, in turn, so that what else the machine does hits both.
    pub fn timed(&self, program: &Program, args: &[&str]) -> Result<(f64, Looked), String> {
        let (mut bare, mut best) = (f64::MAX, None::<Looked>);
        for _ in 0..RUNS {
            let mut command = Command::new("java");
            command.arg("-cp").arg(&program.classes).arg(&program.name).args(args);
            let start = Instant::now();
            crate::bench::run(&mut command)?;
            bare = bare.min(start.elapsed().as_secs_f64());
            let watched = self.watch(program, &[], args)?;
            if best.as_ref().is_none_or(|best| watched.seconds < best.seconds) {
                best = Some(watched);
            }
        }
        best.map(|best| (bare, best)).ok_or_else(|| "nothing was run".to_owned())
    }

    /// Runs a subcommand with a report in JSON.
    fn look(&self, command: &Command, program: &Program) -> Result<Looked, String> {
        let report = self.place.join("report.json");
        let _ = std::fs::remove_file(&report);
        let mut words = command.get_args();
        let sub = words.next().ok_or("no subcommand")?;
        let mut whole = Command::new(command.get_program());
        whole.arg(sub).arg("--output").arg(format!("json={}", report.display())).args(words);
        eprintln!("{} {}", sub.display(), program.name);
        let start = Instant::now();
        let output = whole.output().map_err(|error| format!("{whole:?}: {error}"))?;
        let seconds = start.elapsed().as_secs_f64();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if !matches!(output.status.code(), Some(0 | 1)) {
            return Err(format!("{whole:?}: {}: {said}", output.status));
        }
        let text = std::fs::read_to_string(&report).map_err(|error| format!("{whole:?}: {error}: {said}"))?;
        let json: Value = serde_json::from_str(&text).map_err(|error| format!("{whole:?}: {error}"))?;
        let file = format!("{}.java", program.name);
        let findings = json["findings"].as_array().into_iter().flatten();
        Ok(Looked {
            findings: findings.map(|finding| found(finding, &file)).collect(),
            seconds,
            coverage: json["coverage"].clone(),
            said,
        })
    }
}

fn found(finding: &Value, file: &str) -> Found {
    let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let mut lines = BTreeSet::new();
    let witnesses = finding["witnesses"].as_array().into_iter().flatten();
    for step in witnesses.flat_map(|witness| witness["steps"].as_array().into_iter().flatten()) {
        if step["file"] == file {
            lines.extend(step["line"].as_u64());
        }
        // A frame ends with its place: `…(File.java:12)`.
        let frames = step["stack"].as_array().into_iter().flatten().filter_map(|frame| frame.as_str());
        lines.extend(frames.filter_map(|frame| {
            let place = frame.rsplit_once('(')?.1.strip_suffix(')')?;
            place.strip_prefix(file)?.strip_prefix(':')?.parse::<u64>().ok()
        }));
    }
    Found { rule: text("rule"), subject: text("subject"), lines }
}
