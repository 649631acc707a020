//! What is not followed is a gap.

use super::super::SPEC;
use crate::Options;
use crate::on_code::testing::report;

fn gaps(text: &str) -> Vec<String> {
    report(&SPEC, &Options::default(), text)
        .gaps()
        .map(|gap| format!("{}: {}", gap.count, gap.what))
        .collect()
}

const VALUES: &str = "1: values that causal did not follow to the end";
const VIEWS: &str = "1: views that causal did not compare";

#[test]
fn a_value_that_is_used_in_more_places_than_are_judged_is_a_gap() {
    let used = |count: usize| {
        let writes: String = (0..count).map(|_| "put int Box.x of this = v\n").collect();
        gaps(&format!(
            "public class Box {{ field private int x
                method public void work() {{
                    enter this v = get int Box.x of this exit this
                    enter this {writes} exit this return
                }} }}"
        ))
    };
    assert_eq!(used(100), Vec::<String>::new());
    assert_eq!(used(4200), [VALUES]);
}

#[test]
fn a_value_that_more_threads_read_than_are_told_apart_is_a_gap() {
    let read = "v = call special int Box.read()(this)";
    let by = |count: usize| {
        let others: String =
            (0..count).map(|n| format!("method public void a{n}() {{ {read} return }}\n")).collect();
        format!(
            "public class Box {{ field private int x
                method private int read() {{ enter this v = get int Box.x of this exit this return v }}
                {others}
                method public void work() {{
                    {read} one = 1 w = add v, one
                    enter this put int Box.x of this = w exit this return
                }} }}"
        )
    };
    let found = |text: &str| report(&SPEC, &Options::default(), text).findings().count();
    assert_eq!((found(&by(20)), gaps(&by(20))), (1, Vec::new()));
    assert_eq!(gaps(&by(40)), ["1: uses of values that causal did not judge"]);
}

#[test]
fn more_blocks_around_a_call_than_are_told_apart_are_a_gap() {
    let around = |count: usize| {
        let (mut fields, mut enter, mut exit) = (String::new(), String::new(), String::new());
        for n in 0..count {
            fields += &format!("field static final java.lang.Object l{n}\n");
            enter += &format!("a{n} = getstatic java.lang.Object Deep.l{n} enter a{n}\n");
            exit = format!("exit a{n}\n{exit}");
        }
        gaps(&format!(
            "public class Deep {{ field private int x {fields}
                method private void inner() {{ one = 1 put int Deep.x of this = one return }}
                method public void work() {{ {enter} call special void Deep.inner()(this) {exit} return }} }}"
        ))
    };
    assert_eq!(around(4), Vec::<String>::new());
    assert_eq!(around(5), ["1: atomic blocks, and calls within them, that were not followed"]);
}

#[test]
fn blocks_in_more_blocks_than_are_followed_are_a_gap() {
    let nested = |count: usize| {
        let (mut fields, mut enter, mut exit) = (String::new(), String::new(), String::new());
        for n in 0..count {
            fields += &format!("field static final java.lang.Object l{n}\n");
            enter += &format!("a{n} = getstatic java.lang.Object Deep.l{n} enter a{n}\n");
            exit = format!("exit a{n}\n{exit}");
        }
        gaps(&format!(
            "public class Deep {{ field private int x {fields}
                method public void work() {{ {enter} one = 1 put int Deep.x of this = one {exit} return }} }}"
        ))
    };
    assert_eq!(nested(16), Vec::<String>::new());
    assert_eq!(nested(18), ["2: atomic blocks, and calls within them, that were not followed"]);
}

#[test]
fn more_variables_at_a_methods_end_than_are_kept_are_a_gap() {
    let written = |count: usize| {
        let (mut fields, mut writes) = (String::new(), String::new());
        for n in 0..count {
            fields += &format!("field private int f{n}\n");
            writes += &format!("put int Wide.f{n} of this = v\n");
        }
        gaps(&format!(
            "public class Wide {{ {fields}
                method public void set(int v) {{ enter this {writes} exit this return }} }}"
        ))
    };
    assert_eq!(written(64), Vec::<String>::new());
    assert_eq!(written(65), ["1: methods that causal did not look at as a whole"]);
}

#[test]
fn more_pairs_of_blocks_than_are_asked_are_a_gap() {
    // Each of many blocks reads x or y alone, and nothing comes of it; another one writes both.
    let apart = |count: usize| {
        let mut reads = String::new();
        for n in 0..count {
            reads += &format!("enter this x{n} = get int Pair.x of this exit this\n");
            reads += &format!("enter this y{n} = get int Pair.y of this exit this\n");
        }
        let text = format!(
            "public class Pair {{ field private int x field private int y
                method public void both(int v) {{ enter this put int Pair.x of this = v
                    put int Pair.y of this = v exit this return }}
                method public void look() {{ {reads} return }} }}"
        );
        gaps(&text)
    };
    assert_eq!(apart(8), Vec::<String>::new());
    assert_eq!(apart(9), [VIEWS]);
}
