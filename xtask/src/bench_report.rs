//! Measures what telling costs: ten thousand findings in every format, size and time.
//!
//! The findings are like those of a run: three detectors, two sides each, stacks of a dozen calls. Rendering is measured
//! by itself, the best of a few; the command as a user would run it, reading the JSON back included.

use std::io::{BufWriter, Write};
use std::process::Command;
use std::time::{Duration, Instant};

use findings::{Confidence, Format, Frame, Report, Role, Rule, Step, Style, Witness};

use crate::bench::{build, place, run, text};

const FINDINGS: usize = 10_000;
const RUNS: usize = 3;

/// `bench report`.
pub fn bench(args: &[&str]) -> Result<(), String> {
    if let Some(other) = args.first() {
        return Err(format!("{other}: no such option of bench report"));
    }
    let raddle = build()?;
    let report = report();
    let folder = place()?;
    let json = folder.join("report.json");
    let mut file = std::fs::File::create(&json).map_err(|e| e.to_string())?;
    Format::Json.renderer(Style::default()).render(&report, &mut file).map_err(|e| e.to_string())?;
    println!("| format | {FINDINGS} findings, MB | rendering, CPU s | raddle report, s |");
    println!("|---|---|---|---|");
    for format in Format::ALL {
        let mut best = Duration::MAX;
        let mut size = 0;
        for _ in 0..RUNS {
            let took;
            (size, took) = rendered(format, &report)?;
            best = best.min(took);
        }
        let out = format!("{}={}", format.name(), text(&folder.join("report.out")));
        let start = Instant::now();
        let mut command = Command::new(&raddle);
        command.args(["--no-config", "report", "--exit-zero", "--format", "baseline", "--output", &out]);
        run(command.arg(&json))?;
        let whole = start.elapsed().as_secs_f64();
        println!("| {} | {:.1} | {:.3} | {whole:.2} |", format.name(), size as f64 / 1e6, best.as_secs_f64());
    }
    Ok(())
}

/// Counts what is written and keeps nothing: memory that is touched for the first time costs more than rendering.
struct Count(usize);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// How much a format writes, and how long that takes.
fn rendered(format: Format, report: &Report) -> Result<(usize, Duration), String> {
    let mut out = BufWriter::with_capacity(1 << 16, Count(0));
    let start = on_cpu()?;
    format.renderer(Style::default()).render(report, &mut out).map_err(|e| e.to_string())?;
    let took = on_cpu()?.saturating_sub(start);
    let count = out.into_inner().map_err(|e| e.to_string())?;
    Ok((count.0, took))
}

/// How long this thread has run, without the time in which others had the processor.
fn on_cpu() -> Result<Duration, String> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").map_err(|e| e.to_string())?;
    let nanos = text.split(' ').next().unwrap_or_default().parse().map_err(|_| "no schedstat".to_owned())?;
    Ok(Duration::from_nanos(nanos))
}

fn report() -> Report {
    let mut report = Report::new();
    for i in 0..FINDINGS {
        let class = format!("com.acme.module{}.service.AccountService{}", i % 50, i % 1000);
        let subject = format!("{class}.field{i}");
        for detector in ["eraser", "fasttrack", "racer"] {
            let steps = [(Role::Write, "pool-1-thread-1"), (Role::Read, "pool-1-thread-7")]
                .into_iter()
                .map(|(role, thread)| step(role, thread, &class, i))
                .collect();
            let notes =
                vec!["Nothing orders the two accesses, and no lock is held at both places.".to_owned()];
            let witness = Witness { detector: detector.into(), steps, notes, ..Witness::default() };
            let message = format!("Two threads read and write {subject} at the same time.");
            report.add(Rule::DataRace, &subject, Confidence::High, &message, witness);
        }
    }
    report
}

fn step(role: Role, thread: &str, class: &str, number: usize) -> Step {
    let frame = |method: String, line: usize| Frame {
        class: class.to_owned(),
        method,
        file: format!("{}.java", class.rsplit('.').next().unwrap_or(class)),
        line: i32::try_from(line).unwrap_or(0),
    };
    Step {
        thread: thread.to_owned(),
        role,
        target: format!("{class}@{number}.field{number}"),
        place: frame("update(Ljava/lang/String;I)V".to_owned(), number % 900 + 1),
        locks: vec![format!("{class}@{number}")],
        read_locks: Vec::new(),
        taken: Vec::new(),
        act: None,
        mover: None,
        stack: (0..12).map(|depth| frame(format!("call{depth}(I)V"), depth * 10 + 1)).collect(),
        stack_is_example: false,
        note: String::new(),
    }
}
