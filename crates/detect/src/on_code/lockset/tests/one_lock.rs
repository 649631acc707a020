//! When a lock is one lock: what there is one of needs a lock that there is one of. And the names of fields.

use super::super::SPEC;
use super::{library, none};
use crate::Options;
use crate::on_code::testing::{JDK, check, subjects};

/// Tasks that count in a static field under a lock of theirs; `main` makes and starts some.
fn tasks(lock: &str, mark: &str, make: &str) -> String {
    format!(
        "{JDK}
        class Registry {{
            field static volatile Registry it
            field final java.lang.Object inner
            method void <init>() {{
                l = new java.lang.Object
                put java.lang.Object Registry.inner of this = l
                return
            }}
            method static Registry get() {{
                old = getstatic Registry Registry.it
                n = null
                if old == n then make else done(old)
            make:
                r = new Registry
                call special void Registry.<init>()(r)
                putstatic Registry Registry.it = r
                jump done(r)
            done(ref found):
                return found
            }}
        }}
        class Task extends java.lang.Thread {{
            field static int count
            field final java.lang.Object given
            method void <init>(java.lang.Object o) {{
                call special void java.lang.Thread.<init>()(this)
                put java.lang.Object Task.given of this = o
                return
            }}
            method public void run() {{
                {lock}
                enter l
                old = getstatic int Task.count
                one = 1
                new = add old, one
                putstatic int Task.count = new {mark}
                exit l
                return
            }}
        }}
        class Main {{
            method public static void main(java.lang.String[] args) {{
                shared = new java.lang.Object
                {make}
                return
            }}
        }}"
    )
}

const TWO: &str = "a = new Task call special void Task.<init>(java.lang.Object)(a, shared)
    b = new Task call special void Task.<init>(java.lang.Object)(b, shared)
    call virtual void Task.start()(a) call virtual void Task.start()(b)";
const MANY: &str = "n = 0 jump next(n)
    next(int i):
        a = new Task call special void Task.<init>(java.lang.Object)(a, shared)
        call virtual void Task.start()(a)
        one = 1 more = add i, one ten = 10
        if more < ten then next(more) else over
    over: x = 0";

#[test]
fn a_lock_of_its_own_for_each_task_protects_nothing_static() {
    for make in [TWO, MANY] {
        for lock in ["l = cast Task this", "l = new java.lang.Object"] {
            check(&SPEC, &Options::default(), &tasks(lock, "//~ data-race", make));
        }
    }
    let own = MANY
        .replace("a = new Task", "own = new java.lang.Object a = new Task")
        .replace("a, shared", "a, own");
    check(
        &SPEC,
        &Options::default(),
        &tasks("l = get java.lang.Object Task.given of this", "//~ data-race", &own),
    );
}

#[test]
fn one_lock_for_all_protects_however_it_is_reached() {
    for make in [TWO, MANY] {
        none(&tasks("l = get java.lang.Object Task.given of this", "", make));
        none(&tasks("l = class Task", "", make));
        none(&tasks("l = call static Registry Registry.get()()", "", make));
        none(&tasks(
            "r = call static Registry Registry.get()() l = get java.lang.Object Registry.inner of r",
            "",
            make,
        ));
    }
}

#[test]
fn fields_with_a_dollar_are_looked_at_unless_compilers_made_them() {
    let renamed = |name: &str| {
        let bare = "method public int peek() { value = get int Library.x of this return value }";
        library("", "", bare)
            .replace("Library.x", &format!("Library.{name}"))
            .replace("int x", &format!("int {name}"))
    };
    for name in ["total$1", "a$b$$count", "price$"] {
        assert_eq!(subjects(&SPEC, &Options::default(), &renamed(name)).len(), 1, "{name}");
    }
    for name in ["this$0", "val$x", "$assertionsDisabled", "bitmap$0"] {
        none(&renamed(name));
    }
}
