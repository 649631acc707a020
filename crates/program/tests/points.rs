//! Calls, points-to sets, roots and sharing on small Java programs, with the installed JDK.

#[path = "../../classfile/tests/support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use events::models::Models;
use events::plan::ClassHash;
use program::input::{ClassBytes, Found, Jdk};
use program::ir::Op;
use program::points::{Callee, Caller, Made, Points, RootKind, World};
use program::{Origin, Program, Sharing};

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/Sharing.java")
}

fn compiled() -> &'static Path {
    static DONE: OnceLock<PathBuf> = OnceLock::new();
    DONE.get_or_init(|| {
        let folder = support::scratch(&format!("sharing-{}", support::once()));
        support::compile("17", &folder, &[source()]);
        folder
    })
}

/// The program of a class with a `main`, its inner classes and `Box`.
fn program(name: &str) -> Program {
    let mut classes = Vec::new();
    let mut files: Vec<PathBuf> = std::fs::read_dir(compiled())
        .expect("the folder just made")
        .map(|entry| entry.expect("a file").path())
        .collect();
    files.sort();
    for file in files {
        let stem = file.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        if stem == name || stem == "Box" || stem.starts_with(&format!("{name}$")) {
            let bytes = std::fs::read(&file).expect("readable");
            classes.push(ClassBytes { place: stem.to_owned(), bytes });
        }
    }
    let jdk = Jdk::find(None).expect("readable").expect("a JDK is installed");
    Program::load(Found { classes, gaps: Vec::new() }, Some(&jdk), 1)
}

fn models() -> Models {
    Models::builtin().expect("they parse")
}

/// For each line with an access: may one be shared?
fn lines(program: &Program) -> BTreeMap<u16, bool> {
    let points = Points::new(program, &models(), World::Guess);
    assert_eq!(points.gaps(), []);
    let sharing = Sharing::new(program, &points);
    let mut found = BTreeMap::new();
    for method in program.input_methods().filter(|method| points.is_reached(*method)) {
        let Some(body) = program.body(method) else { continue };
        for (inst, number) in body.insts.iter().zip(0..) {
            let shared = sharing.maybe_shared(program, &points, method, number);
            // Fields of the JDK do not count.
            let owner = program.method(method).owner;
            let field = match inst.op {
                Op::Get { field, .. } | Op::Put { field, .. } => program.field_of(owner, field),
                Op::GetStatic { field } | Op::PutStatic { field, .. } => program.field_of(owner, field),
                _ => None,
            };
            let own = |field| program.class(program.field(field).owner).origin == Origin::Input;
            if field.is_some_and(own) {
                *found.entry(inst.line).or_default() |= shared;
            }
        }
    }
    found
}

/// Compares with the marks in the source, between the class and the next one at the left border.
fn check(name: &str) {
    let found = lines(&program(name));
    let text = std::fs::read_to_string(source()).expect("the source");
    let mut inside = false;
    let mut marks = 0;
    for (line, number) in text.lines().zip(1u16..) {
        if line.starts_with("class ") {
            inside = line.starts_with(&format!("class {name} "));
        }
        let expected = match (inside, line.ends_with("// shared"), line.ends_with("// local")) {
            (true, true, _) => true,
            (true, _, true) => false,
            _ => continue,
        };
        marks += 1;
        assert_eq!(found.get(&number), Some(&expected), "line {number}: {line}");
    }
    assert!(marks > 0);
}

#[test]
fn figure_1_of_racer_keeps_lines_8_and_10_and_drops_12() {
    check("Task");
}

#[test]
fn objects_that_stay_in_their_thread_are_local() {
    check("LocalBoxes");
}

#[test]
fn what_a_lambda_captures_is_shared() {
    check("Captured");
}

#[test]
fn what_passes_through_collections_is_followed() {
    check("Collections2");
}

#[test]
fn what_passes_through_executors_and_futures_is_followed() {
    check("Pools");
}

#[test]
fn what_a_handle_is_made_for_is_shared_and_nothing_else() {
    check("Handled");
    check("HandledBy");
    let own = line_with("mine++; // local");
    assert!(spared("Handled").0.contains(&own), "the plan counts threads beside a handle on another field");
    assert!(spared("HandledBy").0.is_empty());
}

#[test]
fn what_nobody_saw_being_made_is_shared() {
    check("Reflected");
}

#[test]
fn calls_go_where_objects_of_that_class_were_made() {
    let program = program("Dispatch");
    let points = Points::new(&program, &models(), World::Guess);
    let area = |class: &str| {
        let method = program.method_named(&format!("Dispatch${class}"), "area", "()I").expect(class);
        points.is_reached(method)
    };
    assert!(area("Square") && area("Circle") && !area("Never"));
    // The list sorts by calling back.
    let helper = program.method_named("Dispatch$Holder", "helper", "()I").expect("helper");
    assert!(points.is_reached(helper));
    assert_eq!(points.roots().iter().map(|root| root.kind).collect::<Vec<_>>(), [RootKind::Main]);
}

#[test]
fn a_library_is_called_by_any_thread_at_its_public_methods() {
    let text = "public class Lib { field int x field static int y
            method public void <init>() { call special void java.lang.Object.<init>()(this) return }
            method public void set(int v) { put int Lib.x of this = v return }
            method void hidden() { v = 5 put int Lib.x of this = v return }
            method public int local() {
                b = new Lib
                call special void Lib.<init>()(b)
                v = get int Lib.x of b
                return v
            } }";
    let program = Program::from_text(text).expect("a program");
    let points = Points::new(&program, &models(), World::Guess);
    assert_eq!(points.roots().len(), 3);
    let sharing = Sharing::new(&program, &points);
    let method = |name, descriptor| program.method_named("Lib", name, descriptor).expect(name);
    assert!(sharing.maybe_shared(&program, &points, method("set", "(I)V"), 0));
    assert!(!sharing.maybe_shared(&program, &points, method("local", "()I"), 2));
    assert!(!points.is_reached(method("hidden", "()V")));
}

#[test]
fn a_large_library_is_analysed_in_bounded_time() {
    let jars = support::jars();
    let Some(jar) = jars.iter().find(|jar| jar.to_string_lossy().contains("commons-collections")) else {
        return; // it is downloaded by scripts/prepare, which CI runs
    };
    let jdk = Jdk::find(None).expect("readable").expect("a JDK is installed");
    let found = program::input::read(std::slice::from_ref(jar), &program::input::Options::default());
    let program = Program::load(found.expect("readable"), Some(&jdk), 2);
    let points = Points::new(&program, &models(), World::Guess);
    // Objects are still told apart: there was time enough.
    let gaps = points.gaps();
    assert!(gaps.iter().all(|gap| gap.what.starts_with("calls with more than ")), "{gaps:?}");
    let reached = program.input_methods().filter(|method| points.is_reached(*method)).count();
    println!("{reached} methods, {} objects, {} steps", points.objects().len(), points.steps());
    assert!(reached > 2_000);
}

/// The lines of accesses to objects for which the plan of a program has no probe, and of those for which it has.
fn spared(name: &str) -> (Vec<u16>, Vec<u16>) {
    let program = program(name);
    let points = Points::new(&program, &models(), World::Guess);
    let sharing = Sharing::new(&program, &points);
    let plan = program::plan(&program, &points, &sharing, |place| Some(ClassHash::of(place.as_bytes())));
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for (_, class) in program.classes().filter(|(_, class)| class.origin == Origin::Input) {
        let facts = plan.classes.iter().find(|(hash, _)| *hash == ClassHash::of(class.place.as_bytes()));
        let (_, facts) = facts.expect("every class is in the plan");
        for (index, method) in class.methods().enumerate() {
            let spared = facts.method(index).map(|facts| facts.spared.clone()).unwrap_or_default();
            for inst in program.body(method).into_iter().flat_map(|body| &body.insts) {
                let statics = matches!(inst.op, Op::GetStatic { .. } | Op::PutStatic { .. });
                if spared.contains(&inst.pc) {
                    without.push(inst.line);
                } else if statics || matches!(inst.op, Op::Get { .. } | Op::Put { .. }) {
                    with.push(inst.line);
                }
            }
        }
    }
    without.sort_unstable();
    without.dedup();
    (without, with)
}

/// The line of the source that holds a text, counted from 1.
fn line_with(text: &str) -> u16 {
    let source = std::fs::read_to_string(source()).expect("the source");
    let found = source.lines().zip(1..).find(|(line, _)| line.contains(text));
    found.map(|(_, number)| number).expect(text)
}

#[test]
fn the_plan_of_figure_1_of_racer_has_no_probe_in_line_12_alone() {
    let (without, with) = spared("Task");
    assert_eq!(without, [line_with("notShared++")]);
    for kept in ["println(shared++)", "println(sharedProtected++)"] {
        assert!(with.contains(&line_with(kept)), "{kept}");
    }
}

#[test]
fn a_plan_is_no_bolder_than_the_analysis() {
    for name in
        ["Task", "LocalBoxes", "Captured", "Collections2", "Pools", "Handled", "HandledBy", "Reflected"]
    {
        let shared = lines(&program(name));
        let (without, _) = spared(name);
        for line in without {
            assert_ne!(shared.get(&line), Some(&true), "{name}: line {line}");
        }
    }
}

#[test]
fn what_a_library_looks_at_beside_something_merged_is_called_back_too() {
    let text = "class java.lang.Object extends nothing { method public void <init>() unread
            method public java.lang.String toString() unread }
        class java.lang.String { method public static java.lang.String valueOf(java.lang.Object) unread }
        class Known { method public java.lang.String toString() { t = null return t } }
        class Own { method public java.lang.String toString() { t = null return t } }
        class Main {
            field static java.lang.Object known
            method public static void main(java.lang.String[] args) {
                k = new Known
                call static void Elsewhere.keep(java.lang.Object)(k)
                call static void Main.look(java.lang.Object)(k)
                return
            }
            method static void look(java.lang.Object k) {
                o = new Own
                zero = 0
                if zero == 0 then both(k) else both(o)
                both(ref b):
                s = call static java.lang.String java.lang.String.valueOf(java.lang.Object)(b)
                return
            }
        }";
    let program = Program::from_text(text).expect("a program");
    let points = Points::new(&program, &models(), World::Guess);
    let missed: Vec<_> = program
        .input_methods()
        .filter(|method| program.names_of(*method).0 == "toString" && !points.is_reached(*method))
        .collect();
    assert_eq!(missed, []);
}

#[test]
fn who_has_a_library_look_at_something_merged_is_known_to_call_it() {
    let text = "class java.lang.Object extends nothing { method public void <init>() unread
            method public java.lang.String toString() unread }
        class java.lang.String { method public static java.lang.String valueOf(java.lang.Object) unread }
        class Known { method public java.lang.String toString() { t = null return t } }
        class Main {
            method public static void main(java.lang.String[] args) {
                k = new Known
                call static void Elsewhere.keep(java.lang.Object)(k)
                call static void Main.look(java.lang.Object)(k)
                return
            }
            method static void look(java.lang.Object k) {
                s = call static java.lang.String java.lang.String.valueOf(java.lang.Object)(k)
                return
            }
        }";
    let program = Program::from_text(text).expect("a program");
    let points = Points::new(&program, &models(), World::Guess);
    let method =
        |name| program.input_methods().find(|method| program.names_of(*method).0 == name).expect(name);
    // By way of libraries.
    let mut work = vec![Caller::Method(method("look"))];
    let mut called = Vec::new();
    while let Some(caller) = work.pop() {
        for (_, callee) in points.calls().iter().filter(|(from, _)| *from == caller) {
            let next = match *callee {
                Callee::Method(method) => Caller::Method(method),
                Callee::Library(hub) => Caller::Library(hub),
            };
            if !called.contains(&next) {
                called.push(next);
                work.push(next);
            }
        }
    }
    assert!(called.contains(&Caller::Method(method("toString"))), "{called:?}");
}

#[test]
fn a_copy_of_an_array_is_an_array_and_none_of_its_elements() {
    let text = "class java.lang.Object extends nothing { method public void <init>() unread
            method protected java.lang.Object clone() unread }
        class Element { }
        class Main {
            method public static void main(java.lang.String[] args) {
                one = 1
                zero = 0
                all = array Element[] (one)
                e = new Element
                store ref all[zero] = e
                copy = call virtual java.lang.Object `[LElement;`.clone()(all)
                return
            }
        }";
    let program = Program::from_text(text).expect("a program");
    let points = Points::new(&program, &models(), World::Guess);
    let main = program.input_methods().find(|method| program.names_of(*method).0 == "main").expect("main");
    let body = program.body(main).expect("code");
    let copy = body.insts.iter().find(|inst| matches!(inst.op, Op::Call { .. })).expect("the call").result;
    let made: Vec<_> = points.of(main, copy).into_iter().flat_map(|set| set.iter()).collect();
    assert_eq!(made.iter().map(|object| points.object(*object).made).collect::<Vec<_>>(), [Made::Array]);
}
