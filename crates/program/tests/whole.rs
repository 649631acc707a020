//! Whole programs out of real jars and the installed JDK.

#[path = "../../classfile/tests/support/mod.rs"]
mod support;

use std::time::Instant;

use program::input::{ClassBytes, Found, Jdk, Options, read};
use program::ir::{MethodRef, Op};
use program::{Origin, Program};

fn class(name: &str, superclass: &str) -> Vec<u8> {
    let class = classfile::Class::new(61, 0, name.as_bytes(), superclass.as_bytes());
    class.and_then(|class| class.write()).expect("a class")
}

fn jdk() -> Jdk {
    Jdk::find(None).expect("readable").expect("a JDK is installed")
}

#[test]
fn a_library_is_loaded_with_the_classes_of_the_jdk_that_it_names() {
    let jars = support::jars();
    let Some(jar) = jars.iter().find(|jar| jar.to_string_lossy().contains("commons-collections")) else {
        return; // it is downloaded by scripts/prepare, which CI runs
    };
    let jdk = jdk();
    let options = Options { java: jdk.version, ..Options::default() };
    let start = Instant::now();
    let found = read(std::slice::from_ref(jar), &options).expect("readable");
    let program = Program::load(found, Some(&jdk), 2);
    let count = |origin| program.classes().filter(|(_, class)| class.origin == origin).count();
    println!("{} of inputs, {} of the JDK: {:?}", count(Origin::Input), count(Origin::Jdk), start.elapsed());
    assert!(count(Origin::Input) > 400 && count(Origin::Jdk) > 50);
    assert_eq!((count(Origin::Missing), program.gaps()), (0, &[][..]));
    // Everything that its code names is there.
    let (mut calls, mut lost) = (0, 0);
    for (id, class) in program.classes() {
        for method in class.methods() {
            let Some(body) = program.body(method) else { continue };
            for inst in &body.insts {
                match inst.op {
                    Op::Call { method, .. } => {
                        calls += 1;
                        lost += usize::from(program.method_of(id, method).is_none());
                    }
                    Op::Get { field, .. } | Op::Put { field, .. } => {
                        let field = program.field_of(id, field).expect("every field has a number");
                        assert!(program.field(field).index.is_some());
                    }
                    _ => {}
                }
            }
        }
    }
    assert!(calls > 5_000 && lost == 0, "{lost} of {calls} calls");
    // Numbers do not depend on the threads.
    let again = Program::load(read(std::slice::from_ref(jar), &options).expect("readable"), Some(&jdk), 1);
    let names = |program: &Program| program.classes().map(|(_, c)| c.name().to_owned()).collect::<Vec<_>>();
    assert_eq!(names(&program), names(&again));
}

#[test]
fn broken_doubled_newer_and_missing_classes_are_gaps() {
    let mut newer = class("a/Newer", "java/lang/Object");
    newer[6..8].copy_from_slice(&200u16.to_be_bytes());
    let at = |place: &str, bytes| ClassBytes { place: place.to_owned(), bytes };
    let found = Found {
        classes: vec![
            at("one", class("a/A", "lost/Base")),
            at("two", class("a/A", "java/lang/Object")),
            at("three", newer),
            at("four", b"\xca\xfe\xba\xbe broken".to_vec()),
            at("five", class("a/Round", "a/Round")),
        ],
        gaps: Vec::new(),
    };
    let jdk = jdk();
    let program = Program::load(found, Some(&jdk), 1);
    let gaps: Vec<String> = program.gaps().iter().map(|gap| format!("{}: {}", gap.what, gap.why)).collect();
    for expected in [
        "class a.A: it is in one and in two",
        "class a.Newer: made for a Java that is newer",
        "four: ",
        "class lost.Base: it is not among the inputs",
        "class a.Round: it extends itself",
    ] {
        assert!(gaps.iter().any(|gap| gap.contains(expected)), "{expected}: {gaps:?}");
    }
    assert_eq!(gaps.len(), 5, "{gaps:?}");
    assert!(program.class_named("a/Newer").is_some());
    let a = program.class_named("a/A").expect("there");
    assert_eq!(program.method_of(a, MethodRef(0)), None);
}
