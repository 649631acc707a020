//! Figures 16 and 17 of *Atomizer*: what watching costs, and warnings under both heuristics.

use super::Desk;
use super::corpus::Program;
use super::ladder;
use super::look::Looked;
use super::page::{Page, Row};
use super::plot::{self, Bar};

/// Benchmark; lines, threads, locks, most locks held at once, lock set pairs, seconds, slowdown (of programs that compute); warnings and errors under export+synch, and under synch; our program and arguments.
struct Paper {
    name: &'static str,
    lines: usize,
    threads: usize,
    locks: usize,
    held: usize,
    pairs: usize,
    seconds: f64,
    slowdown: Option<f64>,
    export: [usize; 2],
    synch: [usize; 2],
    ours: &'static [&'static str],
    args: &'static [&'static str],
}

const PAPERS: [Paper; 12] = [
    Paper {
        name: "elevator",
        lines: 529,
        threads: 5,
        locks: 8,
        held: 1,
        pairs: 17,
        seconds: 11.14,
        slowdown: None,
        export: [2, 0],
        synch: [0, 0],
        ours: &["views/Elevator"],
        args: &[],
    },
    Paper {
        name: "tsp",
        lines: 706,
        threads: 10,
        locks: 2,
        held: 1,
        pairs: 5,
        seconds: 0.94,
        slowdown: Some(48.2),
        export: [7, 0],
        synch: [7, 0],
        ours: &["moth/Tsp"],
        args: &["11"],
    },
    Paper {
        name: "sor",
        lines: 17_690,
        threads: 4,
        locks: 1,
        held: 1,
        pairs: 2,
        seconds: 0.70,
        slowdown: Some(7.3),
        export: [0, 0],
        synch: [0, 0],
        ours: &["views/Sor"],
        args: &["400", "400"],
    },
    Paper {
        name: "moldyn",
        lines: 1291,
        threads: 5,
        locks: 1,
        held: 1,
        pairs: 2,
        seconds: 3.62,
        slowdown: Some(11.8),
        export: [0, 0],
        synch: [0, 0],
        ours: &["atomizer/MolDyn"],
        args: &["3000"],
    },
    Paper {
        name: "montecarlo",
        lines: 3557,
        threads: 5,
        locks: 1,
        held: 1,
        pairs: 2,
        seconds: 7.94,
        slowdown: Some(2.2),
        export: [1, 0],
        synch: [0, 0],
        ours: &["atomizer/MonteCarlo"],
        args: &["200000"],
    },
    Paper {
        name: "raytracer",
        lines: 1859,
        threads: 5,
        locks: 5,
        held: 1,
        pairs: 7,
        seconds: 5.96,
        slowdown: Some(36.6),
        export: [1, 1],
        synch: [1, 1],
        ours: &["atomizer/RayTracer"],
        args: &["1000"],
    },
    Paper {
        name: "jigsaw",
        lines: 90_100,
        threads: 53,
        locks: 706,
        held: 31,
        pairs: 4531,
        seconds: 13.49,
        slowdown: Some(4.7),
        export: [34, 1],
        synch: [16, 0],
        ours: &["atomizer/WebServer"],
        args: &[],
    },
    Paper {
        name: "lib-java",
        lines: 75_305,
        threads: 39,
        locks: 816_617,
        held: 6,
        pairs: 986_855,
        seconds: 96.50,
        slowdown: None,
        export: [19, 4],
        synch: [4, 1],
        ours: &["atomizer/StringBuffer", "atomizer/Iteration", "atomizer/Printing"],
        args: &[],
    },
    Paper {
        name: "hedc",
        lines: 29_948,
        threads: 26,
        locks: 385,
        held: 3,
        pairs: 728,
        seconds: 8.36,
        slowdown: None,
        export: [4, 1],
        synch: [1, 0],
        ours: &[],
        args: &[],
    },
    Paper {
        name: "mtrt",
        lines: 11_315,
        threads: 6,
        locks: 7,
        held: 2,
        pairs: 7,
        seconds: 2.33,
        slowdown: Some(46.4),
        export: [6, 0],
        synch: [0, 0],
        ours: &[],
        args: &[],
    },
    Paper {
        name: "specJBB",
        lines: 30_490,
        threads: 10,
        locks: 262_000,
        held: 6,
        pairs: 340_088,
        seconds: 18.01,
        slowdown: Some(11.2),
        export: [4, 0],
        synch: [0, 0],
        ours: &[],
        args: &[],
    },
    Paper {
        name: "webl",
        lines: 22_284,
        threads: 5,
        locks: 402_445,
        held: 3,
        pairs: 452_685,
        seconds: 60.35,
        slowdown: None,
        export: [19, 0],
        synch: [0, 0],
        ours: &[],
        args: &[],
    },
];

/// How many times as long a watched program may take.
const MOST_SLOWDOWN: f64 = 15.0;

/// Warnings about blocks that should be atomic: not `main` and `run`, which the paper leaves out.
pub fn warnings(looked: &Looked) -> usize {
    blocks(looked).count()
}

fn blocks(looked: &Looked) -> impl Iterator<Item = &super::look::Found> {
    looked.findings.iter().filter(|found| {
        found.rule == "non-atomic" && !found.subject.ends_with(".main") && !found.subject.ends_with(".run")
    })
}

/// Warnings, and those of them that show a line with a defect of whatever rule.
fn judged(looked: &Looked, program: &Program) -> [usize; 2] {
    let errors =
        blocks(looked).filter(|found| program.defects.iter().any(|(line, _)| found.lines.contains(line)));
    [warnings(looked), errors.count()]
}

/// What our programs for one benchmark come to together.
#[derive(Default)]
struct Sum {
    lines: usize,
    threads: u64,
    locks: u64,
    /// The most that one thread held at once.
    held: u64,
    /// Sets of locks that were held at accesses.
    sets: u64,
    bare: f64,
    watched: f64,
    /// By the programs' own clock, bare and watched.
    clocks: [f64; 2],
    export: [usize; 2],
    synch: [usize; 2],
}

impl Sum {
    fn add(&mut self, desk: &Desk, program: &Program, args: &[&str]) -> Result<(), String> {
        let (bare, watched) = desk.looker.timed(program, args)?;
        let trace = desk.looker.place.join("locks.trace");
        desk.looker.watch(program, &["--record", &trace.display().to_string()], &[])?;
        let [held, sets] = desk.looker.locks(&trace)?;
        self.held = self.held.max(held);
        self.sets += sets;
        self.lines += program.lines;
        self.threads += watched.covered("threads");
        self.locks += watched.covered("locks");
        self.bare += bare;
        self.watched += watched.seconds;
        let clocks = desk.looker.clocked(program, args)?;
        self.clocks = [self.clocks[0] + clocks[0], self.clocks[1] + clocks[1]];
        let export =
            desk.looker.watch(program, &["--detectors", "atomizer", "--paper", "--blocks", "export"], &[])?;
        let synch = desk.looker.watch(program, &["--detectors", "atomizer", "--paper"], &[])?;
        for (sum, looked) in [(&mut self.export, export), (&mut self.synch, synch)] {
            let [warnings, errors] = judged(&looked, program);
            *sum = [sum[0] + warnings, sum[1] + errors];
        }
        Ok(())
    }
}

/// Both figures, and Figure 18.
pub fn tables(desk: &Desk, page: &mut Page) -> Result<(), String> {
    page.heading("Atomizer, Figures 16 and 17");
    page.say(
        "What watching costs (all detectors), and the blocks that `atomizer` calls not atomic, under both of the \
         paper's heuristics: `--blocks export` and `--blocks synch`. *Errors* are warnings that show a marked defect. Each \
         cell has the paper's number first; where it stands alone, there is no program of ours. The paper counts pairs of lock sets, one \
         for accesses and one for writes; of ours the sets of locks are counted that were held at some access. The paper gives a slowdown only for programs that compute, and so do we: of the others it would say how long the JVM takes to load what it needs. Ours is by the program's own clock, and may be fifteen at most. *To the report* is \
         from the start of `raddle run` to its end, against a bare run, and may be twice that. A row with more says why. Warnings are of `--paper`.",
    );
    let mut rows = Vec::new();
    let mut bars = Vec::new();
    for paper in &PAPERS {
        let theirs = paper.slowdown.map_or("–".to_owned(), |slowdown| format!("{slowdown}×"));
        if paper.ours.is_empty() {
            let numbers = [paper.lines, paper.threads, paper.locks, paper.held, paper.pairs];
            let mut cells: Vec<String> = numbers.iter().map(usize::to_string).collect();
            cells.extend([format!("{} s", paper.seconds), theirs, String::new()]);
            cells.extend([paper.export, paper.synch].concat().iter().map(usize::to_string));
            rows.push(Row { name: paper.name.to_owned(), cells, differs: false });
            continue;
        }
        let mut sum = Sum::default();
        for path in paper.ours {
            sum.add(desk, desk.corpus.get(path)?, paper.args)?;
        }
        let Sum { lines, threads, locks, held, sets, clocks, bare, watched, export, synch } = sum;
        let (slowdown, report) = (clocks[1] / clocks[0], watched / bare);
        let ours = match paper.slowdown {
            Some(_) => format!("{slowdown:.1}×"),
            None => "–".to_owned(),
        };
        if paper.slowdown.is_some() {
            bars.push(Bar { name: paper.name.to_owned(), values: vec![paper.slowdown, Some(slowdown)] });
        }
        rows.push(Row {
            name: paper.name.to_owned(),
            cells: vec![
                format!("{}, {lines}", paper.lines),
                format!("{}, {threads}", paper.threads),
                format!("{}, {locks}", paper.locks),
                format!("{}, {held}", paper.held),
                format!("{}, {sets}", paper.pairs),
                format!("{} s, {bare:.2} s", paper.seconds),
                format!("{theirs}, {ours}"),
                format!("{report:.1}×"),
                format!("{}, {}", paper.export[0], export[0]),
                format!("{}, {}", paper.export[1], export[1]),
                format!("{}, {}", paper.synch[0], synch[0]),
                format!("{}, {}", paper.synch[1], synch[1]),
            ],
            differs: paper.export != export
                || paper.synch != synch
                || slowdown > paper.slowdown.unwrap_or(MOST_SLOWDOWN).min(MOST_SLOWDOWN)
                || report > 2.0 * MOST_SLOWDOWN,
        });
    }
    let head = [
        "benchmark",
        "lines",
        "threads",
        "locks",
        "most locks held",
        "lock sets",
        "bare",
        "slowdown",
        "to the report",
        "export+synch: warnings",
        "errors",
        "synch: warnings",
        "errors",
    ];
    page.table("atomizer", &head, &rows);
    let svg = plot::bars("Slowdown: the paper's and ours", &["paper", "Raddle"], &bars, "×");
    write(desk, "papers-slowdown.svg", &svg)?;
    page.say("![Slowdown by program, the paper's and ours](papers-slowdown.svg)");
    let [basic, refined] = ladder::table(desk, page)?;
    let most = |at: usize| bars.iter().filter_map(|bar| *bar.values.get(at)?).fold(0.0_f64, f64::max);
    page.sum_up(
        "*Atomizer*",
        &format!(
            "with all detectors on, a program that computes takes up to {:.1} times as long by its own clock (paper: {:.1} times, with \
             one); the refinements take {basic} warnings down to {refined} (paper: 341 to 97).",
            most(1),
            most(0)
        ),
    );
    Ok(())
}

/// Writes a plot.
pub fn write(desk: &Desk, name: &str, svg: &str) -> Result<(), String> {
    let to = desk.docs.join(name);
    std::fs::write(&to, svg).map_err(|error| format!("{}: {error}", to.display()))
}
