//! The Java cases (`tests/cases`) as code: what the checks find in them without running them. Their marks say where the
//! defects are, whoever finds them; a finding that shows no marked line of its rule is a false alarm. Those that are known are
//! listed here with the reason, and fail once they are mended. The number of marked lines that are found may only grow.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use detect::Options;
use detect::on_code::{ALL, Code, CodeSpec, ON_REQUEST, check};
use events::models::Models;
use findings::{Finding, Report, Rule};
use program::Program;
use program::input::{ClassBytes, Found, Jdk};
use program::points::World;

/// False alarms: case, rule, subject, and what the checks do not see.
const KNOWN: &[(&str, &str, &str, &str)] = &[
    (
        "AtomizerLockInBlock",
        "stale-value",
        "AtomizerLockInBlock.count",
        "the same defect by another name: it is marked non-atomic",
    ),
    (
        "AtomizerUnprotectedLock",
        "stale-value",
        "AtomizerUnprotectedLock.count",
        "the same defect by another name: it is marked non-atomic",
    ),
    (
        "ForkJoinTasks",
        "data-race",
        "ForkJoinTasks$Sum.steps",
        "whoever forks a task reads it after join(), deep in a recursion",
    ),
    (
        "InheritedThreadLocals",
        "data-race",
        "InheritedThreadLocals$Context.depth",
        "each thread has a copy of its own, which a library makes",
    ),
    (
        "OddWays",
        "data-race",
        "OddWays$Box.value",
        "a comparator that a map keeps is called under its callers' lock, and begins with nothing held here",
    ),
    (
        "WaitElsewhere",
        "data-race",
        "WaitElsewhere.guarded",
        "it has another lock in each method, and the threads of one are over before the next begins",
    ),
];

/// How many marked lines there are of rules that the checks over code have, and how many of them some finding shows.
const MARKED: (usize, usize) = (276, 49);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases")
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the cases")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|end| end == "java"))
        .collect();
    files.sort();
    files
}

/// The classes of all cases, and of what supports them, by the name of the file that they come from.
fn compiled() -> BTreeMap<String, Vec<ClassBytes>> {
    let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cases-{}", std::process::id()));
    std::fs::create_dir_all(&to).expect("a folder under target");
    let output = Command::new("javac")
        .args(["--release", "17", "-g", "-Xlint:none", "-nowarn", "-d"])
        .arg(&to)
        .args(sources(&folder()))
        .args(sources(&folder().join("support")))
        .output()
        .expect("javac: a JDK is needed for this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut classes = Vec::new();
    for folder in [to.clone(), to.join("support")] {
        let files = std::fs::read_dir(folder).expect("the folder just made");
        for path in files.map(|entry| entry.expect("a file").path()) {
            if path.extension().is_some_and(|end| end == "class") {
                let bytes = std::fs::read(&path).expect("readable");
                let place = path.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
                classes.push(ClassBytes { place, bytes });
            }
        }
    }
    std::fs::remove_dir_all(&to).expect("ours");
    classes.sort_by(|one, other| one.place.cmp(&other.place));
    // Only the class itself knows which file it was written in.
    let mut by_file: BTreeMap<String, Vec<ClassBytes>> = BTreeMap::new();
    for class in classes {
        let alone = Found { classes: vec![class.clone()], gaps: Vec::new() };
        let program = Program::load(alone, None, 1);
        let source = program.classes().find_map(|(_, class)| {
            let file = class.code.source?;
            Some((class.name().starts_with("support/"), class.code.table.text(file).to_owned()))
        });
        let (support, file) = source.expect("compiled with -g");
        let file = if support { "support".to_owned() } else { file.replace(".java", "") };
        by_file.entry(file).or_default().push(class);
    }
    by_file
}

/// A line and the rule that is broken there.
type Mark = (i32, &'static str);

fn marks(name: &str) -> BTreeSet<Mark> {
    let text = std::fs::read_to_string(folder().join(format!("{name}.java"))).expect("the case");
    let mut marks = BTreeSet::new();
    for (line, text) in (1..).zip(text.lines()) {
        let Some((_, rules)) = text.split_once("//~ ") else { continue };
        for rule in rules.split(',').map(str::trim) {
            // What a run misses is a defect all the same; what it finds with the papers' definitions or wrongly is none.
            let rule = match rule.split_once(' ') {
                None => rule,
                Some(("plan" | "FN", rule)) => rule,
                Some(_) => continue,
            };
            let rule = Rule::ALL.iter().map(|known| known.name()).find(|known| *known == rule);
            marks.insert((line, rule.expect("a rule")));
        }
    }
    marks
}

fn lines(finding: &Finding) -> BTreeSet<i32> {
    let steps = finding.witnesses.iter().flat_map(|witness| &witness.steps);
    steps.flat_map(|step| std::iter::once(&step.place).chain(&step.stack)).map(|frame| frame.line).collect()
}

fn report(classes: Vec<ClassBytes>, jdk: &Jdk) -> Report {
    let specs: Vec<&'static CodeSpec> =
        ALL.iter().copied().filter(|spec| !ON_REQUEST.contains(&spec.name)).collect();
    let program = Program::load(Found { classes, gaps: Vec::new() }, Some(jdk), 1);
    let code = Code::new(program, Models::builtin().expect("they parse"), World::Guess);
    check(&code, &specs, &Options::default(), 1, |_| ())
}

#[test]
fn the_checks_find_nothing_in_the_cases_but_marked_lines_and_known_false_alarms() {
    let by_file = compiled();
    let support = by_file.get("support").expect("there is some");
    let jdk = Jdk::find(None).expect("readable").expect("a JDK is installed");
    let rules: BTreeSet<&str> = ALL.iter().flat_map(|spec| spec.rules).map(|rule| rule.name()).collect();
    let (mut alarms, mut told) = (Vec::new(), String::new());
    let (mut marked, mut found) = (0, 0);
    for (name, own) in by_file.iter().filter(|(name, _)| *name != "support") {
        let marks = marks(name);
        let report = report(own.iter().chain(support).cloned().collect(), &jdk);
        let mut shown: BTreeSet<Mark> = BTreeSet::new();
        for finding in report.findings() {
            let rule = finding.rule.name();
            let lines = lines(finding);
            let on: Vec<Mark> =
                marks.iter().filter(|(line, of)| *of == rule && lines.contains(line)).copied().collect();
            if on.is_empty() {
                alarms.push((name.clone(), rule.to_owned(), finding.subject.clone()));
                told +=
                    &format!("{name}: {rule} {} {:?} at {lines:?}\n", finding.subject, finding.confidence);
            }
            shown.extend(on);
        }
        marked += marks.iter().filter(|(_, rule)| rules.contains(rule)).count();
        found += shown.len();
    }
    let known: Vec<_> = KNOWN
        .iter()
        .map(|(name, rule, of, _)| (name.to_string(), rule.to_string(), of.to_string()))
        .collect();
    assert_eq!(alarms, known, "false alarms found and known differ:\n{told}");
    assert_eq!((marked, found), MARKED, "marked lines, and those that findings show");
}
