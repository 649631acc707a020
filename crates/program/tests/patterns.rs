//! Switches over patterns and records' own methods. `java/patterns` has what a compiler for Java 21 made of the source
//! beside it (no JDK of that age is needed to run this); records are compiled here.

#[path = "../../classfile/tests/support/mod.rs"]
mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use events::models::Models;
use program::Program;
use program::input::{ClassBytes, Found, Jdk};
use program::ir::{Body, Class, Monitors, Op, Values, parse_class, print, verify};
use program::lower::lower;
use program::points::{Callee, Caller, Points, World};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/patterns")
}

fn patterns() -> Class {
    let bytes = std::fs::read(folder().join("Patterns.class")).expect("the class");
    let class = lower(&bytes).expect("a class");
    assert_eq!(verify(&class), []);
    let text = print(&class);
    assert_eq!(print(&parse_class(&text).expect("its own text")), text);
    class
}

fn body<'c>(class: &'c Class, name: &str) -> &'c Body {
    class.method(name).and_then(|method| method.body()).unwrap_or_else(|| panic!("no body of {name}"))
}

/// The names of what a body calls, in order.
fn calls(class: &Class, body: &Body) -> Vec<String> {
    let name = |op: &Op| match op {
        Op::Call { method, .. } => class.table.method(*method).map(|m| class.table.text(m.name).to_owned()),
        _ => None,
    };
    body.insts.iter().filter_map(|inst| name(&inst.op)).collect()
}

#[test]
fn a_switch_over_types_asks_once_and_branches_on_the_answer() {
    let class = patterns();
    for (method, cases) in [("area", 3), ("locked", 3)] {
        let body = body(&class, method);
        let asked: Vec<_> = body
            .insts
            .iter()
            .filter_map(|inst| match inst.op {
                Op::Dynamic { site, .. } => Some((&class.table.sites[site.index()], inst.result)),
                _ => None,
            })
            .collect();
        let [(site, answer)] = asked[..] else { panic!("{method}: {}", print(&class)) };
        assert_eq!(class.table.text(site.name), "typeSwitch");
        assert_eq!(class.table.names(site.bootstrap.member).0, "java/lang/runtime/SwitchBootstraps");
        assert_eq!(site.arguments.len(), cases, "{method}");
        let switches = |op: &Op| matches!(op, Op::Switch { value, .. } if *value == answer);
        assert_eq!(body.insts.iter().filter(|inst| switches(&inst.op)).count(), 1, "{method}");
    }
}

#[test]
fn a_record_pattern_calls_the_accessors() {
    let class = patterns();
    let area = calls(&class, body(&class, "area"));
    assert!(
        ["radius", "side", "label"].iter().all(|name| area.iter().any(|found| found == name)),
        "{area:?}"
    );
    let is = calls(&class, body(&class, "is"));
    assert!(["side", "label", "radius"].iter().all(|name| is.iter().any(|found| found == name)), "{is:?}");
    let casts =
        body(&class, "is").insts.iter().filter(|inst| matches!(inst.op, Op::InstanceOf { .. })).count();
    assert_eq!(casts, 2);
}

#[test]
fn a_lock_around_a_switch_over_types_is_left_on_every_way() {
    let class = patterns();
    let locked = body(&class, "locked");
    let monitors = Monitors::new(locked, &Values::new(locked, &class.table, |_| false));
    assert!(monitors.is_structured());
    let returns = locked.insts.iter().filter(|inst| matches!(inst.op, Op::Return { .. })).count();
    let exits = locked.insts.iter().filter(|inst| matches!(inst.op, Op::Exit { .. })).count();
    let rethrows = locked.insts.iter().filter(|inst| matches!(inst.op, Op::Throw { .. })).count();
    assert!(returns >= 1 && exits == returns + rethrows, "{}", print(&class));
    let element = |op: &Op| matches!(op, Op::Load { .. } | Op::Store { .. });
    assert_eq!(locked.insts.iter().filter(|inst| element(&inst.op)).count(), 2);
}

const RECORDS: &str = "
    public class Records {
        static class Key {
            public int hashCode() { return 7; }
            public boolean equals(Object other) { return other == this; }
            public String toString() { return \"key\"; }
        }
        record Pair(int number, Key key) {}
        record Bare(int number) {}
        public static void main(String[] args) {
            Pair pair = new Pair(1, new Key());
            Bare bare = new Bare(1);
            System.out.println(pair.hashCode() + bare.hashCode());
            System.out.println(pair.equals(pair) == bare.equals(bare));
            System.out.println(pair.toString() + bare.toString());
        }
    }";

#[test]
fn a_records_own_methods_call_those_of_what_it_holds() {
    let to = support::scratch(&format!("records-{}", support::once()));
    let source = to.join("Records.java");
    std::fs::write(&source, RECORDS).expect("room");
    support::compile("17", &to, &[source]);
    let mut classes = Vec::new();
    for entry in std::fs::read_dir(&to).expect("the folder") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|end| end == "class") {
            let place = path.display().to_string();
            classes.push(ClassBytes { place, bytes: std::fs::read(&path).expect("readable") });
        }
    }
    let jdk = Jdk::find(None).expect("readable").expect("a JDK is installed");
    let program = Program::load(Found { classes, gaps: Vec::new() }, Some(&jdk), 1);
    let points = Points::new(&program, &Models::builtin().expect("they parse"), World::Guess);
    let named = |class: &str, name: &str| {
        let mut methods = program.input_methods();
        methods
            .find(|method| {
                let owner = program.class(program.method(*method).owner).name();
                owner == format!("Records${class}") && program.names_of(*method).0 == name
            })
            .expect("there is one")
    };
    // From a record's method to that of what it holds, by way of libraries alone.
    let calls = |class: &str, name: &str| {
        let goal = Callee::Method(named("Key", name));
        let mut seen = BTreeSet::new();
        let mut work = vec![Caller::Method(named(class, name))];
        while let Some(caller) = work.pop() {
            for (_, callee) in points.calls().iter().filter(|(by, _)| *by == caller) {
                if *callee == goal {
                    return true;
                }
                if let Callee::Library(place) = *callee
                    && seen.insert(place)
                {
                    work.push(Caller::Library(place));
                }
            }
        }
        false
    };
    for name in ["hashCode", "equals", "toString"] {
        assert!(calls("Pair", name), "{name}");
        assert!(!calls("Bare", name), "{name}");
    }
}
