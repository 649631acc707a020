//! That there is one object that threads share is evidence for that object, and not for others of its class.

use super::super::SPEC;
use super::none;
use crate::Options;
use crate::on_code::testing::{JDK, check};

/// Two threads look at one box that `main` made; each does something to a box.
fn boxes(run: &str) -> String {
    format!(
        "{JDK}
        class Box {{ field int x method void <init>() {{ return }} }}
        class Task extends java.lang.Thread {{
            field static Box common
            field static Box last
            method void <init>() {{ call special void java.lang.Thread.<init>()(this) return }}
            method public void run() {{
                c = getstatic Box Task.common
                v = get int Box.x of c
                {run}
                return
            }}
        }}
        class Main {{
            method public static void main(java.lang.String[] args) {{
                c = new Box call special void Box.<init>()(c)
                putstatic Box Task.common = c
                a = new Task call special void Task.<init>()(a)
                b = new Task call special void Task.<init>()(b)
                call virtual void Task.start()(a)
                call virtual void Task.start()(b)
                return
            }}
        }}"
    )
}

#[test]
fn one_shared_object_says_nothing_of_each_threads_own() {
    // Others might find it in `last`, but nobody looks there.
    let own = "b = new Box call special void Box.<init>()(b) putstatic Box Task.last = b";
    none(&boxes(&format!("{own} put int Box.x of b = v")).replace("putstatic Box Task.last = b", ""));
    let text = boxes(&format!("{own} put int Box.x of b = v"));
    let subjects = crate::on_code::testing::subjects(&SPEC, &Options::default(), &text);
    assert!(!subjects.contains(&"Box.x".to_owned()), "{subjects:?}");
}

#[test]
fn what_threads_do_to_the_shared_object_is_a_race() {
    check(&SPEC, &Options::default(), &boxes("put int Box.x of c = v //~ data-race\n"));
}
