//! Runs every program of `tests/cases` on a real JVM under `raddle run` and compares what is found with the marks in its
//! source (see `tests/cases/README.md`). `CASES=Name,Name` runs only these; `JAVA_HOMES` is a list of further JVMs.

mod kept;
mod plans;
mod sharing;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A line of the source and the rule that must be found there.
type Mark = (u32, String);

struct Case {
    name: String,
    marks: BTreeSet<Mark>,
    /// Those that count with `--paper` only.
    paper: BTreeSet<Mark>,
    /// What is found where values are followed besides, since a plan names them.
    planned: BTreeSet<Mark>,
    /// Known misses.
    missed: BTreeSet<Mark>,
}

fn cases() -> Vec<Case> {
    let wanted = std::env::var("CASES").unwrap_or_default();
    let wanted: Vec<&str> = wanted.split(',').filter(|name| !name.is_empty()).collect();
    let folder = root().join("tests/cases");
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("the cases").flatten() {
        let path = entry.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".java")) else {
            continue;
        };
        if !wanted.is_empty() && !wanted.contains(&name) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a case");
        let mut case = Case {
            name: name.to_owned(),
            marks: BTreeSet::new(),
            paper: BTreeSet::new(),
            planned: BTreeSet::new(),
            missed: BTreeSet::new(),
        };
        for (line, text) in (1..).zip(text.lines()) {
            let Some((_, rules)) = text.split_once("//~ ") else { continue };
            for rule in rules.split(',').map(str::trim) {
                match rule.split_once(' ') {
                    Some(("paper", rule)) => case.paper.insert((line, rule.to_owned())),
                    Some(("plan", rule)) => case.planned.insert((line, rule.to_owned())),
                    Some(("FN", rule)) => case.missed.insert((line, rule.to_owned())),
                    // A known false alarm has to be there as long as it is known.
                    Some(("FP", rule)) => case.marks.insert((line, rule.to_owned())),
                    _ => case.marks.insert((line, rule.to_owned())),
                };
            }
        }
        cases.push(case);
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(!cases.is_empty(), "no case is called {wanted:?}");
    cases
}

fn compile(into: &Path) {
    let folder = root().join("tests/cases");
    compile_all(into, &[&folder, &folder.join("support")]);
}

/// Compiles the Java files of some folders.
fn compile_all(into: &Path, folders: &[&Path]) {
    let java = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).expect("Java files").flatten().map(|entry| entry.path());
        entries.filter(|path| path.extension().is_some_and(|end| end == "java")).collect()
    };
    let output = Command::new("javac")
        .args(["--release", "17", "-g", "-Xlint:none", "-nowarn", "-d"])
        .arg(into)
        .args(folders.iter().flat_map(|folder| java(folder)))
        .output()
        .expect("javac: a JDK is needed for this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// How a case is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum How {
    /// As users do.
    Default,
    /// With the papers' definitions.
    Paper,
    /// With everything recorded.
    Unfiltered,
    /// With a plan of the case.
    Planned,
}

/// How many accesses the plans of all cases have no probe for.
static SPARED: AtomicUsize = AtomicUsize::new(0);

/// How many the weaver leaves out by itself.
static KEPT: AtomicUsize = AtomicUsize::new(0);

/// How many the analysis of the code takes for local.
static LOCAL: AtomicUsize = AtomicUsize::new(0);

/// What is wrong with a case; empty if nothing is.
fn run(case: &Case, classes: &Path, java: &Path, how: How) -> String {
    let report =
        classes.join(format!("{}-{}-{how:?}.json", case.name, java.display().to_string().replace('/', "_")));
    let bare = Command::new(java).arg("-cp").arg(classes).arg(&case.name).output().expect("java");
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.args(["run", "--leave", "support.Invisible"]);
    let trace = report.with_extension("trace");
    match how {
        How::Default => {}
        How::Paper => drop(command.arg("--paper")),
        How::Unfiltered => drop(command.arg("--unfiltered").arg("--record").arg(&trace)),
        How::Planned => drop(command.arg("--plan").arg(plans::write(&case.name, classes))),
    }
    command.arg("--output").arg(format!("json={}", report.display()));
    let watched =
        command.arg("--").arg(java).arg("-cp").arg(classes).arg(&case.name).output().expect("raddle");
    let mut wrong = String::new();
    if watched.stdout != bare.stdout {
        let said = String::from_utf8_lossy(&watched.stderr).into_owned();
        wrong += &format!(
            "  prints something else: {}, and says {said}\n",
            String::from_utf8_lossy(&watched.stdout)
        );
    }
    if String::from_utf8_lossy(&bare.stdout).contains(" skip: ") {
        return wrong;
    }
    let stderr = String::from_utf8_lossy(&watched.stderr).into_owned();
    let Ok(json) = std::fs::read_to_string(&report) else { return wrong + "  no report: " + &stderr + "\n" };
    let json: serde_json::Value = serde_json::from_str(&json).expect("a JSON report");
    let mut expected = case.marks.clone();
    if how == How::Paper {
        expected.extend(case.paper.iter().cloned());
    }
    if how == How::Planned {
        expected.extend(case.planned.iter().cloned());
    }
    let file = format!("{}.java", case.name);
    let mut met = BTreeSet::new();
    for finding in json["findings"].as_array().into_iter().flatten() {
        let rule = finding["rule"].as_str().unwrap_or_default().to_owned();
        let steps = finding["witnesses"].as_array().into_iter().flatten();
        let steps = steps.flat_map(|witness| witness["steps"].as_array().into_iter().flatten());
        let lines: BTreeSet<Mark> = steps
            .filter(|step| step["file"].as_str() == Some(&file))
            .filter_map(|step| Some((step["line"].as_u64()? as u32, rule.clone())))
            .collect();
        if let Some((line, _)) = lines.intersection(&case.missed).next() {
            wrong += &format!("  found at last: {rule} at {line}, so it is no FN any more\n");
        }
        let hit: BTreeSet<Mark> = lines.intersection(&expected).cloned().collect();
        if hit.is_empty() {
            let lines: Vec<u32> = lines.iter().map(|mark| mark.0).collect();
            wrong += &format!(
                "  not marked: {rule} of {} at {lines:?} by {}\n",
                finding["subject"], finding["detectors"]
            );
        }
        met.extend(hit);
    }
    for (line, rule) in expected.difference(&met) {
        wrong += &format!("  not found: {rule} at {line}\n");
    }
    if how == How::Unfiltered {
        let (spared, seen) = plans::judge(&case.name, classes, &trace);
        SPARED.fetch_add(spared, Ordering::Relaxed);
        wrong.extend(seen.iter().map(|site| format!("  the plan spares what threads share: {site:?}\n")));
        let (kept, seen) = kept::judge(&case.name, classes, &trace);
        KEPT.fetch_add(kept, Ordering::Relaxed);
        wrong.extend(seen.iter().map(|site| format!("  not woven, but threads share it: {site:?}\n")));
        let (local, seen) = sharing::judge(&case.name, classes, &trace);
        LOCAL.fetch_add(local, Ordering::Relaxed);
        wrong.extend(seen.iter().map(|site| format!("  taken for local, but threads share it: {site:?}\n")));
    }
    for gap in json["gaps"].as_array().into_iter().flatten().filter(|_| how == How::Planned) {
        let why = gap["why"].as_str().unwrap_or_default();
        if why.contains("does not speak of") || why.contains("holds for unused") {
            wrong += &format!("  the plan is not of this program: {}: {why}\n", gap["what"]);
        }
    }
    if watched.status.code() == Some(2) {
        wrong += &format!("  {stderr}\n");
    }
    wrong
}

fn check(how: How) {
    let classes = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cases-{how:?}"));
    let _ = std::fs::remove_dir_all(&classes);
    std::fs::create_dir_all(&classes).expect("a folder");
    compile(&classes);
    let mut cases = cases();
    if how == How::Paper {
        // The others are written for the default alone.
        cases.retain(|case| !case.paper.is_empty());
    }
    if how == How::Planned {
        // What is never found cannot be missed; the others' plans are judged by everything that was recorded.
        cases.retain(|case| !case.marks.is_empty());
    }
    let mut javas = vec![PathBuf::from("java")];
    let homes = std::env::var("JAVA_HOMES").unwrap_or_default();
    if matches!(how, How::Default | How::Paper) {
        let homes = homes.split(':').filter(|home| !home.is_empty());
        javas.extend(homes.map(|home| Path::new(home).join("bin/java")));
    }
    let work: Mutex<Vec<(&Case, &PathBuf)>> =
        Mutex::new(cases.iter().flat_map(|case| javas.iter().map(move |java| (case, java))).collect());
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let next = work.lock().expect("no panic").pop();
                    let Some((case, java)) = next else { break };
                    let what = run(case, &classes, java, how);
                    if !what.is_empty() {
                        let java =
                            if javas.len() > 1 { format!(" on {}", java.display()) } else { String::new() };
                        wrong.lock().expect("no panic").push(format!("{}{java}:\n{what}", case.name));
                    }
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().expect("no panic");
    wrong.sort();
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.concat());
}

#[test]
fn every_case_is_found_at_its_marks_and_nowhere_else() {
    check(How::Default);
}

#[test]
fn the_papers_definitions_find_what_is_marked_for_them() {
    check(How::Paper);
}

#[test]
fn recording_everything_finds_the_same_and_no_plan_spares_what_threads_share() {
    check(How::Unfiltered);
    let all = std::env::var("CASES").unwrap_or_default().is_empty();
    assert!(!all || SPARED.load(Ordering::Relaxed) > 100, "plans that spare nothing are always right");
    assert!(!all || KEPT.load(Ordering::Relaxed) > 20, "{KEPT:?}: who weaves everything is always right");
    assert!(!all || LOCAL.load(Ordering::Relaxed) > 100, "who takes nothing for local is always right");
}

#[test]
fn with_a_plan_of_the_case_the_same_is_found() {
    check(How::Planned);
}

#[test]
fn no_plan_of_a_papers_program_spares_what_threads_share() {
    let classes = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plans-papers");
    let _ = std::fs::remove_dir_all(&classes);
    std::fs::create_dir_all(&classes).expect("a folder");
    let folder = root().join("tests/papers/moth");
    compile_all(&classes, &[&folder]);
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("the programs")
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".java").map(str::to_owned))
        .collect();
    names.sort();
    let (mut spared, mut kept, mut local, mut wrong) = (0, 0, 0, String::new());
    for name in &names {
        let trace = classes.join(format!("{name}.trace"));
        let output = Command::new(env!("CARGO_BIN_EXE_raddle"))
            .args(["run", "--exit-zero", "--quiet", "--unfiltered", "--record"])
            .arg(&trace)
            .args(["--", "java", "-cp"])
            .arg(&classes)
            .arg(name)
            .output()
            .expect("raddle");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let (count, seen) = plans::judge(name, &classes, &trace);
        spared += count;
        wrong.extend(seen.iter().map(|site| format!("{name}: {site:?}\n")));
        let (count, seen) = kept::judge(name, &classes, &trace);
        kept += count;
        wrong.extend(seen.iter().map(|site| format!("{name}: not woven: {site:?}\n")));
        let (count, seen) = sharing::judge(name, &classes, &trace);
        local += count;
        wrong.extend(seen.iter().map(|site| format!("{name}: taken for local: {site:?}\n")));
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(kept > 5, "{kept}: who weaves everything is always right");
    assert!(spared > 10, "{spared}: plans that spare nothing are always right");
    assert!(local > 10, "{local}: who takes nothing for local is always right");
}
