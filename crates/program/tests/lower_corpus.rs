//! Every class of the installed JDK's java.base and of the downloaded jars: lowered, verified, and a sample printed and
//! read again. By default a sample that is the same every time; `RADDLE_WHOLE_CORPUS=1` takes all.

#[path = "../../classfile/tests/support/mod.rs"]
mod support;

use program::ir::{Code, parse_class, print, verify};
use program::lower::lower;

/// Lowers classes; returns how many bodies and how many gaps there were.
fn check(name: &str, classes: &[support::Named]) -> (usize, Vec<String>) {
    let (mut bodies, mut gaps) = (0, Vec::new());
    for (number, named) in classes.iter().enumerate() {
        let class = lower(&named.bytes).unwrap_or_else(|error| panic!("{}: {error}", named.name));
        let faults = verify(&class);
        assert!(faults.is_empty(), "{}: {}", named.name, faults[0]);
        for method in &class.methods {
            match &method.code {
                Code::Body(_) => bodies += 1,
                Code::Absent | Code::Unread => {}
                Code::Gap(why) => {
                    let (name, why) = (class.table.text(method.name), class.table.text(*why));
                    gaps.push(format!("{}.{name}: {why}", named.name));
                }
            }
        }
        if number % 7 == 0 {
            let text = print(&class);
            let again = parse_class(&text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", named.name));
            assert!(print(&again) == text, "{} is not read as it was printed", named.name);
            assert_eq!(verify(&again), [], "{}", named.name);
        }
    }
    println!("{name}: {} classes, {bodies} bodies, {} gaps", classes.len(), gaps.len());
    (bodies, gaps)
}

#[test]
fn classes_of_the_jdk_become_register_code() {
    let all = support::jdk_classes(&support::installed(), "java.base");
    let (bodies, gaps) = check("java.base", &support::sample(all, 8));
    assert!(bodies > 5_000 && gaps.is_empty(), "{gaps:?}");
}

#[test]
fn classes_of_libraries_become_register_code() {
    let jars = support::jars();
    if jars.is_empty() {
        return; // they are downloaded by scripts/prepare, which CI runs
    }
    let (bodies, gaps) = check("libraries", &support::sample(support::jar_classes(&jars), 8));
    assert!(bodies > 5_000 && gaps.is_empty(), "{gaps:?}");
}
