//! What is run under a lock by somebody who was given it, and what is run elsewhere.

use super::super::SPEC;
use super::none;
use crate::Options;
use crate::on_code::testing::{JDK, check};

/// A class whose methods use a field under a lock that somebody else made; a closure writes it, and this runs it.
fn library(members: &str, mark: &str) -> String {
    format!(
        "{JDK}
        public class Library {{
            field private final java.lang.Object guard
            field private int x
            field private java.lang.Runnable kept
            method public void <init>(java.lang.Object g) {{ put java.lang.Object Library.guard of this = g return }}
            method public void set(int value) {{
                g = get java.lang.Object Library.guard of this
                enter g put int Library.x of this = value exit g return
            }}
            method public int get() {{
                g = get java.lang.Object Library.guard of this
                enter g value = get int Library.x of this exit g return value
            }}
            method public int twice() {{
                g = get java.lang.Object Library.guard of this
                enter g value = get int Library.x of this exit g more = add value, value return more
            }}
            method private void with(java.lang.Runnable r) {{
                g = get java.lang.Object Library.guard of this
                enter g call interface void java.lang.Runnable.run()(r) exit g return
            }}
            method private void without(java.lang.Runnable r) {{
                call interface void java.lang.Runnable.run()(r) return
            }}
            method private void lambda() {{
                zero = 0
                put int Library.x of this = zero {mark}
                return
            }}
            {members}
        }}"
    )
}

const CLOSURE: &str = "g = get java.lang.Object Library.guard of this
    r = closure void java.lang.Runnable.run() by special void Library.lambda() (this)";
const RACE: &str = "//~ data-race";

fn clear(what: &str) -> String {
    format!("method public void clear() {{ {CLOSURE} {what} return }}")
}

#[test]
fn a_closure_that_is_called_under_the_lock_is_protected() {
    none(&library(&clear("call special void Library.with(java.lang.Runnable)(this, r)"), ""));
    let text = library(&clear("call special void Library.without(java.lang.Runnable)(this, r)"), RACE);
    check(&SPEC, &Options::default(), &text);
}

#[test]
fn one_that_is_also_called_without_it_is_not() {
    let both = clear(
        "call special void Library.with(java.lang.Runnable)(this, r)
        s = closure void java.lang.Runnable.run() by special void Library.lambda() (this)
        call special void Library.without(java.lang.Runnable)(this, s)",
    );
    check(&SPEC, &Options::default(), &library(&both, RACE));
}

#[test]
fn one_that_a_thread_runs_is_not_protected_by_who_started_it() {
    let thread = clear(
        "enter g t = new java.lang.Thread
        call special void java.lang.Thread.<init>(java.lang.Runnable)(t, r)
        call virtual void java.lang.Thread.start()(t) exit g",
    );
    check(&SPEC, &Options::default(), &library(&thread, RACE));
}

#[test]
fn one_that_is_kept_and_called_later_is_not_protected() {
    let kept = clear("enter g put java.lang.Runnable Library.kept of this = r exit g")
        + "method public void later() {
            r = get java.lang.Runnable Library.kept of this
            call interface void java.lang.Runnable.run()(r) return }";
    check(&SPEC, &Options::default(), &library(&kept, RACE));
}
