//! Table 3 of *High-level data races* and Table 1 of *Using block-local atomicity*: the same programs, watched and read.

use super::Desk;
use super::page::{Page, Row};

/// Application, paper's lines, classes, seconds bare and watched, megabytes, warnings; ours: program, arguments.
type Third = (&'static str, [&'static str; 6], &'static str, &'static [&'static str]);

const THIRD: [Third; 5] = [
    ("Elevator", ["500", "5", "16.7", "17.5", "1.9", "2"], "views/Elevator", &[]),
    ("SOR", ["250", "3", "0.8", "343.2", "123.5", "0"], "views/Sor", &["400", "400"]),
    ("TSP, small", ["700", "4", "0.6", "1.8", "0.2", "0"], "moth/Tsp", &["6"]),
    ("TSP, larger", ["700", "4", "0.6", "28.1", "2.3", "0"], "moth/Tsp", &["10"]),
    ("K9 Rover", ["7000", "82", "–", "–", "–", "1"], "racer/Rover", &[]),
];

/// Benchmark; warnings of von Praun and Gross, of Flanagan and Freund, of block-local atomicity; our program.
const FIRST: [(&str, [usize; 3], &str); 3] = [
    ("Elevator", [2, 2, 2], "views/Elevator"),
    ("SOR", [0, 0, 0], "views/Sor"),
    ("TSP", [1, 7, 1], "moth/Tsp"),
];

/// Both tables.
pub fn tables(desk: &Desk, page: &mut Page) -> Result<(), String> {
    page.heading("High-level data races, Table 3");
    page.say(
        "The programs are watched with all detectors on; the trace is what `--record` writes. *Warnings* are high-level races that \
         `views` reports. Each cell has the paper's number first.",
    );
    let mut rows = Vec::new();
    let mut sums = [0; 3];
    for (name, [lines, classes, bare, watched, size, warnings], path, args) in THIRD {
        let program = desk.corpus.get(path)?;
        let (alone, together) = desk.looker.timed(program, args)?;
        let trace = desk.looker.place.join("views.trace");
        let record = trace.display().to_string();
        let ours = desk.looker.watch(program, &["--detectors", "views", "--record", &record], args)?;
        let bytes = std::fs::metadata(&trace).map_err(|error| format!("{record}: {error}"))?.len();
        let strict = desk.looker.watch(program, &["--detectors", "views", "--paper"], args)?;
        let found = [strict.count("high-level-race"), ours.count("high-level-race")];
        sums = [sums[0] + warnings.parse().unwrap_or(0), sums[1] + found[0], sums[2] + found[1]];
        rows.push(Row {
            name: name.to_owned(),
            cells: vec![
                format!("{lines}, {}", program.lines),
                format!("{classes}, {}", program.class_count()?),
                format!("{bare}, {alone:.2}"),
                format!("{watched}, {:.2}", together.seconds),
                format!("{size}, {:.2}", bytes as f64 / 1e6),
                format!("{warnings}, {}", found[0]),
                found[1].to_string(),
            ],
            differs: found.iter().any(|found| found.to_string() != warnings),
        });
    }
    let head = [
        "application",
        "lines",
        "classes",
        "seconds bare",
        "seconds watched",
        "trace, MB",
        "warnings: paper, `--paper`",
        "by default",
    ];
    page.table("views", &head, &rows);
    page.sum_up(
        "*High-level data races*",
        &format!(
            "`views` has {} warnings with `--paper` (paper: {}, all of them false or no error) and {} by default.",
            sums[1], sums[0], sums[2]
        ),
    );
    block_local(desk, page)
}

fn block_local(desk: &Desk, page: &mut Page) -> Result<(), String> {
    page.heading("Using block-local atomicity, Table 1");
    page.say(
        "Warnings, all of them benign by the paper. `stale` is block-local atomicity, `causal` finds stale values too; `atomizer` is \
         Flanagan and Freund's.",
    );
    let mut rows = Vec::new();
    let mut sums = [0; 3];
    for (name, [praun, flanagan, blocks], path) in FIRST {
        let program = desk.corpus.get(path)?;
        let strict = desk.looker.check(program, &["--detectors", "stale", "--paper"])?.findings.len();
        let ours = desk.looker.check(program, &["--detectors", "stale"])?.findings.len();
        let causal = desk.looker.check(program, &["--detectors", "causal"])?.count("stale-value");
        let export = ["--detectors", "atomizer", "--paper", "--blocks", "export"];
        let reduction = super::atomizer::warnings(&desk.looker.watch(program, &export, &[])?);
        sums = [sums[0] + blocks, sums[1] + strict, sums[2] + ours + causal];
        rows.push(Row {
            name: name.to_owned(),
            cells: vec![
                praun.to_string(),
                format!("{flanagan}, {reduction}"),
                format!("{blocks}, {strict}"),
                ours.to_string(),
                causal.to_string(),
            ],
            differs: flanagan != reduction || blocks != strict || ours + causal > 0,
        });
    }
    let head = [
        "benchmark",
        "von Praun and Gross",
        "Flanagan and Freund, `atomizer`",
        "block-local atomicity, `stale --paper`",
        "`stale` by default",
        "`causal` by default",
    ];
    page.table("block-local", &head, &rows);
    page.sum_up(
        "*Using block-local atomicity*",
        &format!(
            "`stale` has {} warnings with `--paper` (paper: {}, all of them benign) and by default, with those of `causal`, {}.",
            sums[1], sums[0], sums[2]
        ),
    );
    Ok(())
}
