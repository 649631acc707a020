//! Crowds leave nothing out: small programs are analysed with objects told apart as far as possible, and again with crowds
//! in their place from the first merged object on, with nodes that hold no more than one object, with calls that go by way
//! of libraries, and with no time at all. Whatever the fine analysis finds, each coarse one finds too.

#[path = "../../classfile/tests/support/mod.rs"]
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use events::models::Models;
use program::input::{ClassBytes, Found, Jdk};
use program::ir::{Op, Reg};
use program::points::{Callee, Caller, Limits, Points, World};
use program::{MethodId, Program, Sharing};

/// All programs: by name, their classes.
fn programs() -> BTreeMap<String, Vec<ClassBytes>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = vec![here.join("tests/java/Sharing.java")];
    let papers = std::fs::read_dir(here.join("../../tests/papers/moth")).expect("the papers' programs");
    sources.extend(papers.map(|entry| entry.expect("a file").path()));
    sources.retain(|file| file.extension().is_some_and(|end| end == "java"));
    sources.sort();
    let folder = support::scratch(&format!("crowds-{}", support::once()));
    support::compile("17", &folder, &sources);
    let entries = std::fs::read_dir(&folder).expect("the folder just made");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let mut found: BTreeMap<String, Vec<ClassBytes>> = BTreeMap::new();
    for file in files {
        let stem = file.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
        let name = stem.split('$').next().unwrap_or_default().to_owned();
        let bytes = std::fs::read(&file).expect("readable");
        found.entry(name).or_default().push(ClassBytes { place: stem, bytes });
    }
    std::fs::remove_dir_all(&folder).expect("the folder just made");
    found
}

/// What an analysis says.
struct Told<'p> {
    program: &'p Program,
    points: Points,
    sharing: Sharing,
}

impl<'p> Told<'p> {
    fn new(program: &'p Program, world: World, limits: Limits) -> Told<'p> {
        let points = Points::within(program, &Models::builtin().expect("they parse"), world, limits);
        let sharing = Sharing::new(program, &points);
        Told { program, points, sharing }
    }

    fn reached(&self) -> BTreeSet<MethodId> {
        self.program.input_methods().filter(|method| self.points.is_reached(*method)).collect()
    }

    /// Instructions that may access something shared.
    fn shared(&self) -> BTreeSet<(MethodId, u32)> {
        let mut found = BTreeSet::new();
        for method in self.reached() {
            let count = self.program.body(method).map_or(0, |body| body.insts.len() as u32);
            let shared = |inst: &u32| self.sharing.maybe_shared(self.program, &self.points, method, *inst);
            found.extend((0..count).filter(shared).map(|inst| (method, inst)));
        }
        found
    }

    /// Whom each method calls, by itself or by way of libraries.
    fn calls(&self) -> BTreeSet<(MethodId, MethodId)> {
        let mut next: BTreeMap<Caller, Vec<Callee>> = BTreeMap::new();
        for (caller, callee) in self.points.calls() {
            next.entry(*caller).or_default().push(*callee);
        }
        let mut found = BTreeSet::new();
        for method in self.reached() {
            let mut work = vec![Caller::Method(method)];
            let mut seen = BTreeSet::new();
            while let Some(caller) = work.pop() {
                for callee in next.get(&caller).into_iter().flatten() {
                    match *callee {
                        Callee::Method(callee) => {
                            found.insert((method, callee));
                        }
                        Callee::Library(hub) => {
                            if seen.insert(hub) {
                                work.push(Caller::Library(hub));
                            }
                        }
                    }
                }
            }
        }
        found
    }

    fn roots(&self) -> BTreeSet<MethodId> {
        self.points.roots().iter().map(|root| root.method).collect()
    }

    /// Registers whose parts are accessed or that are locked.
    fn bases(&self) -> BTreeSet<(MethodId, Reg)> {
        let mut found = BTreeSet::new();
        for method in self.reached() {
            for inst in self.program.body(method).into_iter().flat_map(|body| &body.insts) {
                let base = match inst.op {
                    Op::Get { object, .. } | Op::Put { object, .. } | Op::Enter { object } => object,
                    Op::Load { array, .. } | Op::Store { array, .. } => array,
                    _ => continue,
                };
                found.insert((method, base));
            }
        }
        found
    }

    /// A register with what it may hold, here and by another analysis.
    fn describe(&self, (method, reg): (MethodId, Reg), fine: &Told<'_>) -> String {
        let objects = |told: &Told<'_>| -> Vec<String> {
            let set = told.points.of(method, reg).into_iter().flat_map(|set| set.iter());
            set.map(|number| {
                let object = told.points.object(number);
                let class = object.class.map(|class| self.program.class(class).name());
                format!("{number} {:?} {class:?} {:?}", object.made, object.place)
            })
            .collect()
        };
        let name = self.program.names_of(method);
        format!("{reg:?} of {name:?} ({:?}; finely {:?})", objects(self), objects(fine))
    }

    fn may_meet(&self, one: (MethodId, Reg), other: (MethodId, Reg)) -> bool {
        let (Some(one), Some(other)) = (self.points.of(one.0, one.1), self.points.of(other.0, other.1))
        else {
            return false;
        };
        self.points.may_meet(self.program, one, other)
    }
}

fn must_hold<T: Ord + std::fmt::Debug>(what: &str, fine: &BTreeSet<T>, coarse: &BTreeSet<T>) {
    let missing: Vec<&T> = fine.difference(coarse).collect();
    assert!(missing.is_empty(), "{what}: {missing:?} is missing");
}

#[test]
fn whatever_is_told_apart_less_is_a_superset() {
    let jdk = Jdk::find(None).expect("readable").expect("a JDK is installed");
    let fine = Limits { listed: usize::MAX, in_node: usize::MAX, targets: usize::MAX, ..Limits::default() };
    let coarse = [
        ("crowds", Limits { listed: 0, ..fine }),
        ("few listed", Limits { listed: 2, ..fine }),
        ("small nodes", Limits { listed: 1, in_node: 1, ..fine }),
        ("calls by way of libraries", Limits { listed: 0, targets: 0, ..fine }),
        ("no time", Limits { steps: (0, 0), ..fine }),
    ];
    let (mut pairs, mut crowded) = (0, 0);
    for (name, classes) in programs() {
        let program = Program::load(Found { classes, gaps: Vec::new() }, Some(&jdk), 1);
        for world in [World::Guess, World::Library] {
            let fine = Told::new(&program, world, fine);
            assert!(!fine.points.is_crowded() && fine.points.gaps().is_empty());
            let (reached, shared, calls) = (fine.reached(), fine.shared(), fine.calls());
            for (how, limits) in coarse {
                let coarse = Told::new(&program, world, limits);
                let what = format!("{name}, {world:?}, {how}");
                crowded += usize::from(coarse.points.is_crowded());
                must_hold(&format!("{what}: methods"), &reached, &coarse.reached());
                must_hold(&format!("{what}: roots"), &fine.roots(), &coarse.roots());
                must_hold(&format!("{what}: calls"), &calls, &coarse.calls());
                must_hold(&format!("{what}: what is shared"), &shared, &coarse.shared());
                for one in &reached {
                    for other in &reached {
                        assert!(
                            coarse.sharing.may_overlap(*one, *other)
                                || !fine.sharing.may_overlap(*one, *other),
                            "{what}: {one:?} and {other:?} run beside each other"
                        );
                    }
                }
                let bases: Vec<_> = fine.bases().into_iter().collect();
                for &one in &bases {
                    for &other in &bases {
                        if !fine.may_meet(one, other) {
                            continue;
                        }
                        pairs += 1;
                        assert!(
                            coarse.may_meet(one, other),
                            "{what}: {} and {} may be one object",
                            coarse.describe(one, &fine),
                            coarse.describe(other, &fine)
                        );
                    }
                }
            }
        }
    }
    assert!(pairs > 10_000 && crowded > 200, "{pairs} pairs, {crowded} with crowds");
}
