//! Figure 18 of *Atomizer*: what each refinement takes away.

use super::Desk;
use super::atomizer::{warnings, write};
use super::corpus::Program;
use super::page::{Page, Row};
use super::plot::{self, Bar};

/// The refinements in the order in which the paper adds them.
const LADDER: [(&str, &str); 6] = [
    ("basic", "none"),
    ("re-entrant", "reentrant"),
    ("thread-local", "reentrant,thread-local"),
    ("thread-local (2)", "reentrant,thread-local,thread-local-2"),
    ("protected", "reentrant,thread-local,thread-local-2,protected"),
    ("write-protected", "all"),
];

/// The figure. How many warnings there are without any refinement, and with all of them.
pub fn table(desk: &Desk, page: &mut Page) -> Result<[usize; 2], String> {
    page.heading("Atomizer, Figure 18");
    page.say(
        "Warnings under *export+synch* and `--paper` as refinements are added one after the other (`--refine`). In the paper the five together \
         take 341 warnings down to 97. All steps of a row are of one run; another run may have a warning more or less.",
    );
    let mut programs: Vec<&Program> = desk.corpus.of("atomizer").collect();
    for more in ["views/Elevator", "views/Sor", "moth/Tsp"] {
        programs.push(desk.corpus.get(more)?);
    }
    let mut rows = Vec::new();
    let mut sums = [0; LADDER.len()];
    for program in programs {
        let trace = desk.looker.place.join("ladder.trace");
        let record = trace.display().to_string();
        // The same run for all steps; recorded in full, since what is left out at the probe depends on the refinements.
        let options = ["--detectors", "atomizer", "--blocks", "export", "--unfiltered", "--record", &record];
        desk.looker.watch(program, &options, &[])?;
        let mut cells = Vec::new();
        for ((_, refine), sum) in LADDER.iter().zip(&mut sums) {
            let options = ["--detectors", "atomizer", "--paper", "--refine", refine];
            let count = warnings(&desk.looker.analyze(program, &trace, &options)?);
            *sum += count;
            cells.push(count.to_string());
        }
        rows.push(Row { name: program.name.clone(), cells, differs: false });
    }
    let falls = sums.windows(2).all(|pair| pair[1] < pair[0]);
    rows.push(Row {
        name: "**all**".to_owned(),
        cells: sums.iter().map(|sum| format!("**{sum}**")).collect(),
        differs: !falls,
    });
    let mut head = vec!["program"];
    head.extend(LADDER.map(|(name, _)| name));
    page.table("ladder", &head, &rows);
    let bars: Vec<Bar> = LADDER
        .iter()
        .zip(sums)
        .map(|((name, _), sum)| Bar { name: (*name).to_owned(), values: vec![Some(sum as f64)] })
        .collect();
    let svg = plot::bars("Warnings as refinements are added", &["Raddle"], &bars, "");
    write(desk, "papers-ladder.svg", &svg)?;
    page.say("![Warnings as refinements are added](papers-ladder.svg)");
    Ok([sums[0], sums[LADDER.len() - 1]])
}
