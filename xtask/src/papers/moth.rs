//! Tables 1 and 2 of *Precise detection of atomicity violations* (MoTH): defects missed and false alarms, for causal dependencies
//! and for the views of 2003.

use super::Desk;
use super::page::{Page, Row};

const RULES: [&str; 2] = ["high-level-race", "stale-value"];

/// A row as the paper has it.
struct Paper {
    name: &'static str,
    defects: usize,
    /// Missed by MoTH and by the views.
    missed: [usize; 2],
    /// False alarms of MoTH and of the views.
    alarms: [usize; 2],
    lines: usize,
    seconds: usize,
}

const fn row(
    name: &'static str,
    defects: usize,
    missed: [usize; 2],
    alarms: [usize; 2],
    lines: usize,
    seconds: usize,
) -> Paper {
    Paper { name, defects, missed, alarms, lines, seconds }
}

const FIRST: [Paper; 15] = [
    row("Connection", 2, [0, 1], [0, 0], 112, 45),
    row("Coord03", 1, [0, 0], [0, 0], 170, 43),
    row("Local", 1, [0, 1], [0, 0], 33, 42),
    row("NASA", 1, [0, 0], [0, 0], 121, 43),
    row("Coord04", 1, [0, 0], [0, 0], 47, 40),
    row("Buffer", 0, [0, 0], [1, 0], 64, 41),
    row("DoubleCheck", 0, [0, 0], [1, 0], 51, 41),
    row("StringBuffer", 1, [0, 1], [0, 0], 52, 44),
    row("Account", 1, [0, 1], [0, 0], 65, 40),
    row("Jigsaw", 1, [0, 0], [0, 0], 145, 40),
    row("OverReporting", 0, [0, 0], [0, 0], 52, 42),
    row("UnderReporting", 1, [0, 1], [0, 0], 31, 39),
    row("AllocateVector", 1, [0, 1], [0, 0], 304, 41),
    row("Knight", 1, [0, 1], [0, 0], 223, 41),
    row("ArithmeticDatabase", 3, [0, 3], [1, 0], 416, 54),
];

const SECOND: [Paper; 4] = [
    row("Elevator", 16, [0, 16], [6, 4], 558, 46),
    row("Philo", 0, [0, 0], [2, 0], 96, 45),
    row("Tsp", 0, [0, 0], [2, 0], 795, 869),
    row("Store", 2, [0, 1], [0, 1], 901, 149),
];

/// How long the check of a program may take: the paper's took forty times as long at least. More wants a sentence.
const MOST_SECONDS: f64 = 0.5;

const HEAD: [&str; 10] = [
    "program",
    "defects: paper, ours",
    "missed by MoTH, by `causal`",
    "by `causal --paper`",
    "missed by Artho, by `views-code --paper`",
    "false alarms of MoTH, of `causal`",
    "of `causal --paper`",
    "of Artho, of `views-code --paper`",
    "lines: paper, ours",
    "seconds: paper, ours",
];

/// Both tables.
pub fn tables(desk: &Desk, page: &mut Page) -> Result<(), String> {
    page.heading("Precise detection of atomicity violations (MoTH), Tables 1 and 2");
    page.say(
        "High-level races and stale values in code. The column *Artho* is what the views of 2003 come to on code. The third tool \
         of the paper's first table is left out.",
    );
    let first = table(desk, page, "MoTH 1", &FIRST)?;
    let second = table(desk, page, "MoTH 2", &SECOND)?;
    let sums: Vec<[usize; 2]> = first.iter().zip(second).map(|(a, b)| [a[0] + b[0], a[1] + b[1]]).collect();
    let &[defects, missed, strictly, views, alarms, strict, _] = sums.as_slice() else {
        return Err("other sums than expected".to_owned());
    };
    page.sum_up(
        "*Precise detection of atomicity violations*",
        &format!(
            "of {} defects `causal` misses {} by default and {} with `--paper` (MoTH: {}); false alarms are {} by default and {} with \
             `--paper` (MoTH: {}). The views of 2003 miss {} of them (paper: {}).",
            defects[1], missed[1], strictly[1], missed[0], alarms[1], strict[1], alarms[0], views[1], views[0],
        ),
    );
    Ok(())
}

/// A table, and what it comes to, the paper's number first: defects; missed by `causal` by default, with `--paper`, and by views; the
/// same of false alarms.
fn table(desk: &Desk, page: &mut Page, key: &str, papers: &[Paper]) -> Result<[[usize; 2]; 7], String> {
    let mut rows = Vec::new();
    // Paper and ours: defects; missed and alarms of causal, of causal --paper, of the views.
    let mut sums = [[0; 2]; 7];
    for paper in papers {
        let program = desk.corpus.get(&format!("moth/{}", paper.name))?;
        let defects = program.defects_of(&RULES);
        let ours = desk.looker.check(program, &["--detectors", "causal"])?;
        let strict = desk.looker.check(program, &["--detectors", "causal", "--paper"])?;
        let views = desk.looker.check(program, &["--detectors", "views-code", "--paper"])?;
        let pairs = [
            [paper.defects, defects.len()],
            [paper.missed[0], ours.missed(&defects)],
            [paper.missed[0], strict.missed(&defects)],
            [paper.missed[1], views.missed(&defects)],
            [paper.alarms[0], ours.alarms(&defects)],
            [paper.alarms[0], strict.alarms(&defects)],
            [paper.alarms[1], views.alarms(&defects)],
        ];
        for (sum, pair) in sums.iter_mut().zip(pairs) {
            *sum = [sum[0] + pair[0], sum[1] + pair[1]];
        }
        let mut cells = numbers(&pairs);
        cells.push(format!("{}, {}", paper.lines, program.lines));
        cells.push(format!("{}, {:.2}", paper.seconds, ours.seconds));
        // With our refinements there should be nothing to explain; the definitions are the paper's only with --paper.
        let differs = pairs.iter().enumerate().any(|(at, [theirs, ours])| match at {
            1 | 4 => *ours > 0,
            _ => theirs != ours,
        });
        let differs = differs || ours.seconds > MOST_SECONDS;
        rows.push(Row { name: paper.name.to_owned(), cells, differs });
    }
    let mut cells = numbers(&sums);
    cells.extend([String::new(), String::new()]);
    rows.push(Row { name: "**all**".to_owned(), cells, differs: false });
    page.table(key, &HEAD, &rows);
    Ok(sums)
}

fn numbers(pairs: &[[usize; 2]; 7]) -> Vec<String> {
    let cell = |(at, [theirs, ours]): (usize, &[usize; 2])| match at {
        2 | 5 => ours.to_string(),
        _ => format!("{theirs}, {ours}"),
    };
    pairs.iter().enumerate().map(cell).collect()
}
