//! The programs of MoTH's Tables 1 and 2 (*Precise detection of atomicity violations*, 2012), written anew from their
//! descriptions in `tests/papers/moth`, each with a twin in which the defect is mended. A mark `//~ rule` stands at a line
//! that a finding of that rule must show, as a step or in a stack; `//~ paper rule` is a false alarm that the paper has
//! as well, and counts with `--paper` only. By the paper's definitions no row may have more false alarms than the paper's, which
//! are 3 in the first table and 10 in the second, and the views of 2003 have to miss what the paper says they miss.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use detect::Options;
use detect::on_code::{Code, by_name, check};
use events::models::Models;
use findings::{Finding, Report};
use program::Program;
use program::input::{ClassBytes, Found, Jdk};
use program::points::World;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/papers/moth")
}

fn compiled() -> &'static Path {
    static DONE: OnceLock<PathBuf> = OnceLock::new();
    DONE.get_or_init(|| {
        let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("moth-{}", std::process::id()));
        std::fs::create_dir_all(&to).expect("a folder under target");
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder())
            .expect("the programs")
            .map(|entry| entry.expect("a file").path())
            .filter(|path| path.extension().is_some_and(|end| end == "java"))
            .collect();
        files.sort();
        let output = Command::new("javac")
            .args(["--release", "17", "-g", "-Xlint:none", "-nowarn", "-d"])
            .arg(&to)
            .args(&files)
            .output()
            .expect("javac: a JDK is needed for this test");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        to
    })
}

fn code(name: &str) -> Code {
    let mut files: Vec<PathBuf> = std::fs::read_dir(compiled())
        .expect("the folder just made")
        .map(|entry| entry.expect("a file").path())
        .collect();
    files.sort();
    let mut classes = Vec::new();
    for file in files {
        let stem = file.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        if stem == name || stem.starts_with(&format!("{name}$")) {
            let bytes = std::fs::read(&file).expect("readable");
            classes.push(ClassBytes { place: stem.to_owned(), bytes });
        }
    }
    assert!(!classes.is_empty(), "there is no program {name}");
    let jdk = Jdk::find(None).expect("readable").expect("a JDK is installed");
    let program = Program::load(Found { classes, gaps: Vec::new() }, Some(&jdk), 1);
    Code::new(program, Models::builtin().expect("they parse"), World::Guess)
}

fn report(detector: &str, name: &str, paper: bool) -> Report {
    let spec = by_name(detector).expect("a check");
    let report = check(&code(name), &[spec], &Options { paper, ..Options::default() }, 1, |_| ());
    assert_eq!(report.gaps().collect::<Vec<_>>(), [], "in {name}");
    report
}

/// A line and the rule that must be found there.
type Mark = (i32, String);

/// The defects of a program, and the paper's false alarms.
fn marks(name: &str) -> (BTreeSet<Mark>, BTreeSet<Mark>) {
    let text = std::fs::read_to_string(folder().join(format!("{name}.java"))).expect("the program");
    let (mut defects, mut alarms) = (BTreeSet::new(), BTreeSet::new());
    for (line, text) in (1..).zip(text.lines()) {
        let Some((_, rules)) = text.split_once("//~ ") else { continue };
        for rule in rules.split(',').map(str::trim) {
            // The other marks are about what a run shows.
            match rule.split_once(' ') {
                None => defects.insert((line, rule.to_owned())),
                Some(("paper", rule)) => alarms.insert((line, rule.to_owned())),
                Some(_) => continue,
            };
        }
    }
    (defects, alarms)
}

fn shows(finding: &Finding, (line, rule): &Mark) -> bool {
    let mut steps = finding.witnesses.iter().flat_map(|witness| &witness.steps);
    finding.rule.name() == rule
        && steps.any(|step| std::iter::once(&step.place).chain(&step.stack).any(|frame| frame.line == *line))
}

fn told(report: &Report) -> String {
    let tell = |finding: &Finding| {
        let steps = finding.witnesses.iter().flat_map(|witness| &witness.steps);
        let steps: Vec<String> =
            steps.map(|step| format!("{:?} {}", step.role, step.place.to_prose())).collect();
        format!("{}: {}\n    {}\n", finding.rule.name(), finding.message, steps.join("\n    "))
    };
    report.findings().map(tell).collect()
}

/// The marks that no finding shows, and the number of findings that show no mark.
fn judged<'m>(report: &Report, marks: &'m BTreeSet<Mark>) -> (Vec<&'m Mark>, usize) {
    let missed = marks.iter().filter(|mark| !report.findings().any(|finding| shows(finding, mark)));
    let alarms = report.findings().filter(|finding| !marks.iter().any(|mark| shows(finding, mark)));
    (missed.collect(), alarms.count())
}

/// A row of a table as the paper has it: how many defects there are, how many false alarms MoTH gives, and how many defects
/// the views of 2003 miss.
fn row(name: &str, defects: usize, paper_alarms: usize, missed_by_views: usize) {
    let (marked, alarms) = marks(name);
    assert_eq!(marked.len(), defects, "marks in {name}");
    assert!(alarms.len() <= paper_alarms, "marks in {name}");
    let found = report("causal", name, false);
    assert_eq!(judged(&found, &marked), (vec![], 0), "{name}:\n{}", told(&found));
    let found = report("causal", name, true);
    let (missed, more) = judged(&found, &marked);
    assert!(missed.is_empty() && more <= paper_alarms, "{name} --paper, {missed:?}:\n{}", told(&found));
    assert_eq!(judged(&found, &alarms).0, Vec::<&Mark>::new(), "{name} --paper:\n{}", told(&found));
    let found = report("views-code", name, true);
    assert_eq!(judged(&found, &marked).0.len(), missed_by_views, "{name}, views:\n{}", told(&found));
}

/// Nothing is found in the mended twin.
fn mended(name: &str) {
    let name = format!("{name}Fixed");
    assert_eq!(marks(&name), (BTreeSet::new(), BTreeSet::new()));
    let found = report("causal", &name, false);
    assert_eq!(found.findings().count(), 0, "{name}:\n{}", told(&found));
}

/// A row of a table, as `row` takes it.
type Row = (&'static str, usize, usize, usize);

macro_rules! rows {
    ($table:ident: $($test:ident: $name:literal, $defects:literal, $alarms:literal, $missed:literal;)+) => {
        const $table: &[Row] = &[$(($name, $defects, $alarms, $missed)),+];
        $(
            #[test]
            fn $test() {
                row($name, $defects, $alarms, $missed);
                if $defects > 0 {
                    mended($name);
                }
            }
        )+
    };
}

/// What a table comes to in the paper: defects, false alarms of MoTH, defects that the views miss.
fn sums(table: &[Row]) -> (usize, usize, usize) {
    table
        .iter()
        .fold((0, 0, 0), |(defects, alarms, missed), row| (defects + row.1, alarms + row.2, missed + row.3))
}

#[test]
fn the_rows_add_up_to_the_papers_totals() {
    assert_eq!((sums(FIRST), sums(SECOND)), ((15, 3, 10), (18, 10, 17)));
}

rows! { FIRST:
    connection_is_asked_and_then_used: "Connection", 2, 0, 1;
    coord03_is_read_apart: "Coord03", 1, 0, 0;
    local_is_written_back: "Local", 1, 0, 1;
    nasa_achieves_after_it_has_written: "NASA", 1, 0, 0;
    coord04_is_reset_apart: "Coord04", 1, 0, 0;
    buffer_hands_its_values_over: "Buffer", 0, 1, 0;
    double_check_looks_again: "DoubleCheck", 0, 1, 0;
    string_buffer_asks_for_a_length: "StringBuffer", 1, 0, 1;
    account_reads_its_balance_before: "Account", 1, 0, 1;
    jigsaw_shuts_down_between_two_questions: "Jigsaw", 1, 0, 0;
    over_reporting_makes_nothing_of_both: "OverReporting", 0, 0, 0;
    under_reporting_has_one_variable: "UnderReporting", 1, 0, 1;
    allocate_vector_searches_and_then_marks: "AllocateVector", 1, 0, 1;
    knight_compares_and_then_writes: "Knight", 1, 0, 1;
    arithmetic_database_takes_two_steps: "ArithmeticDatabase", 3, 1, 3;
}

rows! { SECOND:
    elevator_asks_who_has_claimed_a_floor: "Elevator", 16, 6, 16;
    philosophers_wait_for_both_forks: "Philo", 0, 2, 0;
    salesmen_look_again_at_the_shortest_tour: "Tsp", 0, 2, 0;
    store_sells_what_may_be_gone: "Store", 2, 0, 1;
}
