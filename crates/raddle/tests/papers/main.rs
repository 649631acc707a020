//! The programs of the papers (`tests/papers`) on both roads: each is checked and watched, and what is found is compared with
//! the marks in its source (see `tests/papers/README.md`). `PAPERS=Name,folder/Name` takes only these programs.

mod corpus;
mod roads;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, OnceLock};

use corpus::{Kind, Program, programs};
use roads::{Found, Road, look};

/// What both roads found in a program.
struct Seen {
    program: &'static Program,
    roads: [(Road, Result<Vec<Found>, String>); 2],
}

/// Every program on both roads, as users take them. Two at a time, since JVMs mostly wait for themselves.
fn looked_at(programs: &'static [Program], options: &[&str]) -> Vec<Seen> {
    let work = Mutex::new(programs.iter().rev().collect::<Vec<_>>());
    let seen = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let next = work.lock().expect("no panic").pop();
                    let Some(program) = next else { break };
                    let roads = [Road::Check, Road::Run].map(|road| (road, look(program, road, options)));
                    seen.lock().expect("no panic").push(Seen { program, roads });
                }
            });
        }
    });
    let mut seen = seen.into_inner().expect("no panic");
    seen.sort_by_key(|seen| (&seen.program.folder, &seen.program.name));
    seen
}

fn by_default() -> &'static [Seen] {
    static SEEN: OnceLock<Vec<Seen>> = OnceLock::new();
    SEEN.get_or_init(|| looked_at(programs(), &[]))
}

impl Seen {
    /// What went wrong on either road, as text.
    fn failures(&self) -> String {
        let failed = self.roads.iter().filter_map(|(road, found)| Some((road, found.as_ref().err()?)));
        failed.map(|(road, why)| format!("  {road:?} failed: {why}\n")).collect()
    }

    fn found(&self) -> impl Iterator<Item = (Road, &Found)> {
        self.roads.iter().flat_map(|(road, found)| found.iter().flatten().map(|found| (*road, found)))
    }

    /// The roads that show a line and rule.
    fn shown(&self, mark: &(u32, String)) -> BTreeSet<Road> {
        self.found().filter(|(_, found)| found.shows(mark)).map(|(road, _)| road).collect()
    }
}

fn nothing_wrong(wrong: &BTreeMap<String, String>) {
    let told: String = wrong.iter().map(|(name, what)| format!("{name}:\n{what}")).collect();
    assert!(wrong.is_empty(), "{} programs:\n{told}", wrong.len());
}

#[test]
fn every_marked_defect_is_found_and_nothing_else() {
    let mut wrong = BTreeMap::new();
    for seen in by_default() {
        let program = seen.program;
        let mut what = seen.failures();
        for (kind, mark) in &program.marks {
            let roads = seen.shown(mark);
            let (line, rule) = mark;
            match kind {
                Kind::Defect if roads.is_empty() => what += &format!("  not found: {rule} at {line}\n"),
                Kind::Alarm if roads.is_empty() => {
                    what += &format!("  no alarm any more: {rule} at {line}\n")
                }
                Kind::Missed if !roads.is_empty() => {
                    what += &format!("  found at last, so no FN any more: {rule} at {line}\n");
                }
                _ => {}
            }
        }
        let expected = program.marks_of(&[Kind::Defect, Kind::Also, Kind::Alarm, Kind::Missed]);
        for (road, found) in seen.found() {
            if !expected.iter().any(|mark| found.shows(mark)) {
                what += &format!("  not marked: {road:?} has {found}\n");
            }
        }
        if !what.is_empty() {
            wrong.insert(program.path(), what);
        }
    }
    nothing_wrong(&wrong);
}

#[test]
fn the_papers_definitions_find_what_is_marked_for_them() {
    static MARKED: OnceLock<Vec<Program>> = OnceLock::new();
    let marked = MARKED.get_or_init(|| {
        let marked = programs().iter().filter(|program| !program.marks_of(&[Kind::Paper]).is_empty());
        marked.cloned().collect()
    });
    let mut wrong = BTreeMap::new();
    for seen in looked_at(marked, &["--paper"]) {
        let mut what = seen.failures();
        for mark in seen.program.marks_of(&[Kind::Paper, Kind::Defect]) {
            if seen.shown(mark).is_empty() {
                what += &format!("  not found: {} at {}\n", mark.1, mark.0);
            }
        }
        if !what.is_empty() {
            wrong.insert(seen.program.path(), what);
        }
    }
    nothing_wrong(&wrong);
}

#[test]
fn exported_methods_are_blocks_if_asked_for() {
    let mut wrong = BTreeMap::new();
    for program in programs() {
        let marks = program.marks_of(&[Kind::Export]);
        if marks.is_empty() {
            continue;
        }
        let found = look(program, Road::Run, &["--blocks", "export", "--detectors", "atomizer"]);
        let found = found.unwrap_or_else(|why| panic!("{}: {why}", program.path()));
        for mark in marks {
            if !found.iter().any(|found| found.shows(mark)) {
                wrong.insert(program.path(), format!("  not found: {} at {}\n", mark.1, mark.0));
            }
        }
    }
    nothing_wrong(&wrong);
}

/// Whether a subject is no array element: `elements of int[]`, `Bank.accounts[]`.
fn is_field(subject: &str) -> bool {
    !subject.starts_with("elements of") && !subject.ends_with("[]")
}

/// Subjects by fingerprint.
type Named<'s> = BTreeMap<&'s str, &'s str>;

/// The lines of a program at which both roads show a defect of one rule, with the fingerprints of either. Elements of arrays are
/// left out: `lockset-code` does not look at them, and a race on what a field leads to shows the line as well.
fn seen_by_both(seen: &Seen) -> Vec<(u32, Named<'_>, Named<'_>)> {
    let mut both = Vec::new();
    for mark in seen.program.marks_of(&[Kind::Defect]) {
        let of = |wanted: Road| -> Named<'_> {
            let shown = seen
                .found()
                .filter(|(road, found)| *road == wanted && found.shows(mark) && is_field(&found.subject));
            shown.map(|(_, found)| (found.fingerprint.as_str(), found.subject.as_str())).collect()
        };
        let (check, run) = (of(Road::Check), of(Road::Run));
        if !check.is_empty() && !run.is_empty() {
            both.push((mark.0, check, run));
        }
    }
    both
}

#[test]
fn a_defect_that_both_roads_see_has_one_fingerprint() {
    let mut differ = BTreeMap::new();
    let mut compared = 0;
    for seen in by_default() {
        for (line, check, run) in seen_by_both(seen) {
            compared += 1;
            // The run cannot have another name for what the code shows there; the code may show more than this run did.
            if !run.keys().all(|fingerprint| check.contains_key(fingerprint)) {
                let what = format!("  line {line}: check {:?}, run {:?}\n", check.values(), run.values());
                *differ.entry(seen.program.path()).or_insert_with(String::new) += &what;
            }
        }
    }
    let everything = std::env::var_os("PAPERS").is_none();
    assert!(!everything || compared >= 10, "only {compared} defects are seen on both roads");
    nothing_wrong(&differ);
}

#[test]
fn a_run_with_the_code_says_which_road_saw_what() {
    let mut wrong = BTreeMap::new();
    let mut all = BTreeSet::new();
    for name in ["racer/Rover", "racer/Bank", "moth/Store", "moth/Knight", "views/Coord", "stale/SwapReset"] {
        let Some(program) = programs().iter().find(|program| program.path() == name) else { continue };
        let classes = program.classes.display().to_string();
        let look = |road, options: &[&str]| {
            look(program, road, options).unwrap_or_else(|why| panic!("{name}: {why}"))
        };
        let alone: BTreeSet<String> =
            look(Road::Check, &[]).into_iter().map(|found| found.fingerprint).collect();
        let mut what = String::new();
        for found in look(Road::Run, &["--check", &classes]) {
            all.extend(found.roads.iter().cloned());
            let code = found.roads.iter().any(|road| road == "code");
            if found.roads.is_empty() || code != alone.contains(&found.fingerprint) {
                what += &format!("  {found} is shown as seen by {:?}\n", found.roads);
            }
            let expected = program.marks_of(&[Kind::Defect, Kind::Also]);
            if !expected.iter().any(|mark| found.shows(mark)) {
                what += &format!("  not marked: {found}\n");
            }
        }
        if !what.is_empty() {
            wrong.insert(program.path(), what);
        }
    }
    nothing_wrong(&wrong);
    if std::env::var_os("PAPERS").is_none() {
        assert_eq!(all, BTreeSet::from(["code".to_owned(), "run".to_owned()]));
    }
}

/// Table 1 of "Racer": of the races that the paper reports, so many are about what constructors set without a lock.
#[test]
fn five_of_six_and_five_of_seven_races_are_initialisations() {
    for (name, initialisations, others) in [("racer/Roller", 5, 1), ("racer/Bank", 5, 2)] {
        let Some(program) = programs().iter().find(|program| program.path() == name) else { continue };
        let found = look(program, Road::Run, &["--paper", "--detectors", "racer"]);
        let found = found.unwrap_or_else(|why| panic!("{name}: {why}"));
        // The paper watches fields; elements of arrays are no fields.
        let fields = found.iter().filter(|found| is_field(&found.subject));
        let (defects, rest): (Vec<&Found>, Vec<&Found>) =
            fields.partition(|found| program.marks_of(&[Kind::Defect]).iter().any(|mark| found.shows(mark)));
        let marked =
            rest.iter().all(|found| program.marks_of(&[Kind::Paper]).iter().any(|mark| found.shows(mark)));
        assert!(marked, "{name}: {}", rest.iter().map(|found| format!("{found}\n")).collect::<String>());
        assert_eq!((rest.len(), defects.len()), (initialisations, others), "{name}");
    }
}

/// Figure 18 of "Atomizer", over programs with locks that can be left out for each of its reasons: small ones, and two that do
/// something.
#[test]
fn each_refinement_leaves_fewer_warnings() {
    if std::env::var_os("PAPERS").is_some() {
        return;
    }
    let steps = ["reentrant", "thread-local", "thread-local-2", "protected", "write-protected"];
    let mut sums = vec![0; steps.len() + 1];
    let mut of_two = sums.clone();
    for name in ["WebServer", "RayTracer", "ThreadLocalLocks", "ProtectedLocks", "ReadMostly"] {
        let path = format!("atomizer/{name}");
        let program = programs().iter().find(|program| program.path() == path).expect("it is there");
        let trace = program.classes.with_extension("ladder.trace");
        let record = trace.display().to_string();
        let options = ["--detectors", "atomizer", "--blocks", "export", "--unfiltered", "--record", &record];
        look(program, Road::Run, &options).unwrap_or_else(|why| panic!("{path}: {why}"));
        for (taken, sum) in sums.iter_mut().enumerate() {
            let refine = if taken == 0 { "none".to_owned() } else { steps[..taken].join(",") };
            let options = ["--paper", "--detectors", "atomizer", "--refine", &refine, &record];
            let found = look(program, Road::Trace, &options).unwrap_or_else(|why| panic!("{path}: {why}"));
            let ends = |subject: &str| subject.ends_with(".main") || subject.ends_with(".run");
            *sum += found.iter().filter(|found| found.rule == "non-atomic" && !ends(&found.subject)).count();
        }
        if name == "RayTracer" {
            of_two.clone_from(&sums);
        }
    }
    for sums in [of_two, sums] {
        assert!(sums.windows(2).all(|pair| pair[1] < pair[0]), "{sums:?}");
    }
}
