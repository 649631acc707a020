//! What constructors call on the object that they make: nobody else knows it, so they need no lock for it.

use super::super::SPEC;
use super::{library, none};
use crate::Options;
use crate::on_code::testing::check;

/// A library whose helper is called under the lock, and by its constructor without.
fn made(constructor: &str, mark: &str) -> String {
    let members = format!(
        "field static Library last
        field static int count
        method public void <init>() {{ {constructor} return }}
        method private void helper() {{
            zero = 0
            put int Library.x of this = zero {mark}
            return
        }}
        method private void publish() {{ putstatic Library Library.last = this return }}
        method private void start() {{ call special void Library.helper()(this) return }}
        method public void clear() {{ enter this call special void Library.helper()(this) exit this return }}"
    );
    library("", "", &members)
}

const HELP: &str = "call special void Library.helper()(this)";
const PUBLISH: &str = "call special void Library.publish()(this)";

#[test]
fn a_constructor_calls_its_helpers_without_a_lock() {
    none(&made(HELP, ""));
    none(&made(&format!("{HELP} {HELP}"), ""));
    none(&made("call special void Library.start()(this)", ""));
    none(&made(&format!("{HELP} {PUBLISH}"), ""));
}

#[test]
fn not_once_it_has_let_its_object_become_known() {
    for known in [
        format!("putstatic Library Library.last = this {HELP}"),
        format!("{PUBLISH} {HELP}"),
        format!("{PUBLISH} call special void Library.start()(this)"),
        format!("call virtual void java.lang.Object.notify()(this) {HELP}"),
        format!("other = cast Library this putstatic Library Library.last = other {HELP}"),
    ] {
        check(&SPEC, &Options::default(), &made(&known, "//~ data-race"));
    }
}

#[test]
fn what_is_no_part_of_the_object_needs_its_lock_all_the_same() {
    let text = |call: &str, mark: &str| {
        format!(
            "public class Library {{
            field static int count
            field final static java.lang.Object lock
            method public void <init>() {{ {call} return }}
            method private void register() {{
                one = 1
                putstatic int Library.count = one {mark}
                return
            }}
            method public void again() {{
                l = getstatic java.lang.Object Library.lock
                enter l call special void Library.register()(this) exit l return
            }}
            method public int get() {{
                l = getstatic java.lang.Object Library.lock
                enter l value = getstatic int Library.count exit l return value
            }}
            method public void set(int value) {{
                l = getstatic java.lang.Object Library.lock
                enter l putstatic int Library.count = value exit l return
            }} }}"
        )
    };
    none(&text("", ""));
    check(&SPEC, &Options::default(), &text("call special void Library.register()(this)", "//~ data-race"));
}
