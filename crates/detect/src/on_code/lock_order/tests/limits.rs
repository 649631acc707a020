//! What is not followed is a gap.

use super::super::SPEC;
use crate::Options;
use crate::on_code::testing::report;

/// What the gaps are about, without those of the program as a whole.
fn gaps(text: &str) -> Vec<String> {
    let report = report(&SPEC, &Options::default(), text);
    let own = report.gaps().filter(|gap| gap.why.contains("lock-order-code"));
    own.map(|gap| format!("{}: {}", gap.count, gap.what)).collect()
}

/// A class that makes locks, each in a final field, and has these methods.
fn locks(count: usize, methods: &str) -> String {
    let mut fields = String::new();
    let mut made = String::new();
    for n in 0..count {
        fields += &format!("field static final java.lang.Object l{n}\n");
        made += &format!("o{n} = new java.lang.Object putstatic java.lang.Object Many.l{n} = o{n}\n");
    }
    format!("public class Many {{ {fields} method static void <clinit>() {{ {made} return }} {methods} }}")
}

/// A method that takes two of these locks.
fn nested(name: &str, outer: usize, inner: usize) -> String {
    format!(
        "method public void {name}() {{
            a = getstatic java.lang.Object Many.l{outer}
            b = getstatic java.lang.Object Many.l{inner}
            enter a enter b exit b exit a return
        }}\n"
    )
}

#[test]
fn a_cycle_of_more_locks_than_are_looked_for_is_a_gap() {
    let around = |count: usize| {
        let methods: String = (0..count).map(|n| nested(&format!("m{n}"), n, (n + 1) % count)).collect();
        let text = locks(count, &methods);
        (report(&SPEC, &Options::default(), &text).findings().count(), gaps(&text))
    };
    assert_eq!(around(4), (1, Vec::new()));
    assert_eq!(around(5), (0, vec!["1: groups of more than four locks that lead back to themselves".into()]));
}

#[test]
fn locks_that_are_nested_in_many_places_are_a_gap() {
    let in_places = |count: usize| {
        let methods: String = (0..count).map(|n| nested(&format!("m{n}"), 0, 1)).collect();
        gaps(&locks(2, &methods))
    };
    assert_eq!(in_places(6), Vec::<String>::new());
    assert_eq!(in_places(7), ["1: pairs of locks that are nested in many places"]);
}

#[test]
fn a_lock_below_a_long_chain_of_calls_is_a_gap() {
    let below = |calls: usize| {
        let mut methods = String::from(
            "method public void m0() { a = getstatic java.lang.Object Many.l0 enter a exit a return }",
        );
        for n in 1..=calls {
            methods += &format!(
                "method public void m{n}() {{ call virtual void Many.m{}()(this) return }}\n",
                n - 1
            );
        }
        gaps(&locks(1, &methods))
    };
    assert_eq!(below(5), Vec::<String>::new());
    assert_eq!(below(6), ["1: places that take a lock below a long chain of calls"]);
}

#[test]
fn more_locks_below_a_method_than_are_kept_are_a_gap() {
    let below = |count: usize| {
        let mut takes = String::new();
        for n in 0..count {
            takes += &format!("a{n} = getstatic java.lang.Object Many.l{n} enter a{n} exit a{n}\n");
        }
        gaps(&locks(count, &format!("method public void all() {{ {takes} return }}")))
    };
    assert_eq!(below(64), Vec::<String>::new());
    assert_eq!(below(65), ["1: methods below which many locks are taken"]);
}

#[test]
fn a_lock_that_may_be_many_objects_is_a_gap() {
    let one_of = |count: usize| {
        let mut body = String::new();
        for n in 0..count {
            body +=
                &format!("o{n} = new java.lang.Object call static void Pick.take(java.lang.Object)(o{n})\n");
        }
        gaps(&format!(
            "public class Pick {{
                method private static void take(java.lang.Object o) {{ enter o exit o return }}
                method public void all() {{ {body} return }}
            }}"
        ))
    };
    assert_eq!(one_of(4), Vec::<String>::new());
    assert_eq!(one_of(5), ["1: places that take a lock which may be many objects"]);
}

#[test]
fn a_call_with_many_targets_that_take_locks_is_a_gap() {
    let targets = |count: usize, takes: &str| {
        let mut text = String::from("public interface Task { method public abstract void go() }\n");
        let mut calls = String::new();
        for n in 0..count {
            text += &format!(
                "public class T{n} implements Task {{ method public void <init>() {{ return }}
                    method public void go() {{ {takes} return }} }}\n"
            );
            calls += &format!(
                "t{n} = new T{n} call special void T{n}.<init>()(t{n})
                call static void Run.one(Task)(t{n})\n"
            );
        }
        gaps(&format!(
            "{text} public class Run {{
                method private static void one(Task t) {{ call interface void Task.go()(t) return }}
                method public void all() {{ {calls} return }}
            }}"
        ))
    };
    let takes = "c = class Run enter c exit c";
    assert_eq!(targets(4, takes), Vec::<String>::new());
    assert_eq!(targets(5, takes), ["1: calls with many possible targets that take locks"]);
    assert_eq!(targets(5, ""), Vec::<String>::new());
}
