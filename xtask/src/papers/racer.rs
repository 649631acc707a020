//! Table 1 of *Racer*: instrumented fields, races by kind, slowdown.

use std::collections::BTreeSet;

use events::plan::Plan;

use super::Desk;
use super::corpus::{Mark, Program};
use super::look::Looked;
use super::page::{Page, Row};

/// A benchmark as the paper has it, optimised where that matters.
struct Paper {
    name: &'static str,
    /// Compilation with and without the analysis that decides `maybeShared`, as the paper writes it.
    compiled: [&'static str; 2],
    seconds: [usize; 2],
    fields: [usize; 2],
    reported: usize,
    initialisation: usize,
    /// Accesses without a lock, and what a setter writes without one.
    regular: usize,
    mutators: usize,
    false_alarms: usize,
    /// When the last race was reported, in seconds.
    last: &'static str,
}

impl Paper {
    fn slowdown(&self) -> f64 {
        self.seconds[1] as f64 / self.seconds[0] as f64
    }

    fn others(&self) -> usize {
        self.regular + self.mutators
    }
}

const PAPERS: [Paper; 3] = [
    Paper {
        name: "Roller",
        compiled: ["0:36", "2:10"],
        seconds: [31, 334],
        fields: [9, 8],
        reported: 6,
        initialisation: 5,
        regular: 1,
        mutators: 0,
        false_alarms: 0,
        last: "0.07",
    },
    Paper {
        name: "Bank",
        compiled: ["0:32", "2:14"],
        seconds: [22, 535],
        fields: [16, 15],
        reported: 7,
        initialisation: 5,
        regular: 0,
        mutators: 2,
        false_alarms: 0,
        last: "0.07",
    },
    Paper {
        name: "Rover",
        compiled: ["1:24", "59:28"],
        seconds: [2, 2],
        fields: [260, 169],
        reported: 70,
        initialisation: 65,
        regular: 3,
        mutators: 0,
        false_alarms: 2,
        last: "0.78",
    },
];

/// How long deciding `maybeShared` may take, in seconds; the paper's took an hour. More wants a sentence.
const MOST_SECONDS: f64 = 5.0;

/// The races of a report by kind.
struct Kinds {
    reported: usize,
    initialisation: usize,
    others: usize,
    /// What is marked for the paper on a final field, which no other thread can see unset.
    finals: usize,
    unmarked: usize,
}

fn kinds(looked: &Looked, program: &Program) -> Kinds {
    let races: Vec<_> = looked.findings.iter().filter(|found| found.rule == "data-race").collect();
    let defects: BTreeSet<Mark> = program.defects.union(&program.also).cloned().collect();
    let others = races.iter().filter(|found| found.shows_any(&defects)).count();
    let marked = races.iter().filter(|found| found.shows_any(&defects) || found.shows_any(&program.paper));
    let marked = marked.count();
    let finals: BTreeSet<Mark> = program.finals.iter().map(|line| (*line, "data-race".to_owned())).collect();
    let finals = races.iter().filter(|found| found.shows_any(&finals)).count();
    Kinds {
        reported: races.len(),
        initialisation: marked - others - finals,
        others,
        finals,
        unmarked: races.len() - marked,
    }
}

/// The table.
pub fn tables(desk: &Desk, page: &mut Page) -> Result<(), String> {
    page.heading("Racer, Table 1");
    page.say(
        "Data races by the lock sets of `racer`. *Initialisation* are fields that a constructor sets without a lock and that `start` \
         hands over: races for the paper alone. Fields are those that the program's code accesses; with `maybeShared`, \
         those that the code road leaves to be watched (`raddle check --write-plan`), and likewise the accesses. *Others* are \
         accesses without a lock and, apart in the paper, setters without one. *False alarms* are final fields, as in the paper, and what \
         no mark in the program explains. The paper says after how many seconds the last race was reported; the report of ours comes when \
         the program has ended, and where in the trace `racer` saw the last of them is told in per cent of its events.",
    );
    let mut rows = Vec::new();
    let (mut reported, mut slowest) = (Vec::new(), 0.0_f64);
    for paper in &PAPERS {
        let program = desk.corpus.get(&format!("racer/{}", paper.name))?;
        let fields = program.fields(None)?;
        let (bare, watched) = desk.looker.timed(program, &[])?;
        let trace = desk.looker.place.join("racer.trace");
        let record = trace.display().to_string();
        let strict = ["--detectors", "racer", "--paper", "--record", &record];
        let strict = desk.looker.watch(program, &strict, &[])?;
        let again = desk.looker.analyze(program, &trace, &["--detectors", "racer", "--paper", "--stats"])?;
        let last = again.stat("last_new_finding_at").zip(again.stat("events"));
        let last = last.map_or("–".to_owned(), |(at, of)| format!("{:.0} %", 100.0 * at / of.max(1.0)));
        let ours = desk.looker.watch(program, &["--detectors", "racer"], &[])?;
        let (strict, ours) = (kinds(&strict, program), kinds(&ours, program));
        let (checked, plan) = planned(desk, program)?;
        let left = program.fields(Some(&plan))?;
        slowest = slowest.max(checked);
        reported.push(format!(
            "{} {} of {} (paper: {} of {}; by default {} in all)",
            paper.name,
            strict.initialisation,
            strict.reported,
            paper.initialisation,
            paper.reported,
            ours.reported
        ));
        rows.push(Row {
            name: paper.name.to_owned(),
            cells: vec![
                format!("{} and {}, {checked:.2} s", paper.compiled[0], paper.compiled[1]),
                format!("{}, {bare:.2}", paper.seconds[0]),
                format!("{}, {:.2}", paper.seconds[1], watched.seconds),
                format!("{:.1}×, {:.1}×", paper.slowdown(), watched.seconds / bare),
                format!("{} s, {last}", paper.last),
                format!("{} and {}, {} and {}", paper.fields[0], paper.fields[1], fields.fields, left.fields),
                format!("{} and {}", fields.accesses, left.accesses),
                format!("{}, {}", paper.reported, strict.reported),
                format!("{}, {}", paper.initialisation, strict.initialisation),
                format!("{} and {}, {}", paper.regular, paper.mutators, strict.others),
                format!("{}, {}", paper.false_alarms, strict.unmarked + strict.finals),
                format!(
                    "{} ({} of them false)",
                    ours.reported,
                    ours.unmarked + ours.initialisation + ours.finals
                ),
            ],
            differs: paper.reported != strict.reported
                || paper.initialisation != strict.initialisation
                || paper.others() != strict.others
                || paper.false_alarms != strict.unmarked + strict.finals
                || ours.reported != paper.others()
                || checked > MOST_SECONDS,
        });
    }
    let head = [
        "benchmark",
        "compilation without and with `maybeShared` (m:ss), `check`",
        "seconds bare",
        "seconds watched",
        "slowdown",
        "last race after",
        "fields without and with `maybeShared`, ours",
        "our accesses without and with it",
        "races: paper, `--paper`",
        "initialisation",
        "regular and mutators, ours",
        "false alarms",
        "races by default",
    ];
    page.table("racer", &head, &rows);
    page.sum_up(
        "*Racer*",
        &format!(
            "races that are initialisations, with `--paper`: {}. What threads may share is decided in {slowest:.2} s at most (paper: \
             up to an hour).",
            reported.join(", ")
        ),
    );
    Ok(())
}

/// How long the check takes, and the plan that it writes.
fn planned(desk: &Desk, program: &Program) -> Result<(f64, Plan), String> {
    let path = desk.looker.place.join("plan.txt");
    let looked = desk.looker.check(program, &["--write-plan", &path.display().to_string()])?;
    let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let plan = Plan::parse(&bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok((looked.seconds, plan))
}
