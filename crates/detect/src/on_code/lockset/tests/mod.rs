//! Fields that are and are not protected, as programs in text form.

mod closures;
mod making;
mod one_lock;
mod promises;
mod single;
mod tries;
mod turns;

use findings::Confidence;

use super::SPEC;
use crate::Options;
use crate::on_code::testing::{JDK, check, subjects};

fn none(text: &str) {
    assert_eq!(subjects(&SPEC, &Options::default(), text), Vec::<String>::new(), "{text}");
}

/// A program with a counter that two threads use: the body of their `run`, members of the counter, and what `main` does
/// before it starts them, while they run and after it has waited for them.
fn program(run: &str, members: &str, main: [&str; 3]) -> String {
    let [before, during, after] = main;
    format!(
        "{JDK}
        class Counter {{
            field int x
            field private final java.lang.Object lock
            method void <init>() {{
                l = new java.lang.Object
                put java.lang.Object Counter.lock of this = l
                one = 1
                put int Counter.x of this = one
                return
            }}
            {members}
        }}
        class Task extends java.lang.Thread {{
            field private final Counter counter
            method void <init>(Counter c) {{
                call special void java.lang.Thread.<init>()(this)
                put Counter Task.counter of this = c
                return
            }}
            method public void run() {{
                c = get Counter Task.counter of this
                {run}
                return
            }}
        }}
        class Main {{
            method public static void main(java.lang.String[] args) {{
                c = new Counter
                call special void Counter.<init>()(c)
                zero = 0
                {before}
                a = new Task
                call special void Task.<init>(Counter)(a, c)
                b = new Task
                call special void Task.<init>(Counter)(b, c)
                call virtual void Task.start()(a)
                call virtual void Task.start()(b)
                {during}
                call virtual void Task.join()(a)
                call virtual void Task.join()(b)
                {after}
                return
            }}
        }}"
    )
}

const INCREMENT: &str = "method void add() {
        old = get int Counter.x of this
        one = 1
        new = add old, one
        put int Counter.x of this = new MARK
        return
    }";

const ADD: &str = "call virtual void Counter.add()(c)";
const WRITE: &str = "put int Counter.x of c = zero";

#[test]
fn a_counter_without_a_lock_is_a_race() {
    let text = program(ADD, &INCREMENT.replace("MARK", "//~ data-race"), [WRITE, "", WRITE]);
    let report = check(&SPEC, &Options::default(), &text);
    let finding = report.findings().next().expect("a finding");
    assert_eq!((finding.subject.as_str(), finding.confidence), ("Counter.x", Confidence::Medium));
    let thread = &finding.witnesses[0].steps[0].thread;
    assert_eq!(thread, "Task.run");
}

#[test]
fn a_common_lock_protects_whoever_takes_it() {
    let increment = INCREMENT.replace("MARK", "");
    // The method itself, its caller, the caller by another name for the same lock.
    let own = increment.replace("old = get", "enter this old = get").replace("return", "exit this return");
    none(&program(ADD, &own, [WRITE, "", WRITE]));
    none(&program(&format!("enter c {ADD} exit c"), &increment, [WRITE, "", WRITE]));
    let field =
        "l = get java.lang.Object Counter.lock of c enter l call virtual void Counter.add()(c) exit l";
    none(&program(field, &increment, [WRITE, "", WRITE]));
}

#[test]
fn different_locks_protect_nothing() {
    let own = INCREMENT.replace("MARK", "");
    let own = own.replace("old = get", "enter this old = get").replace("return", "exit this return");
    let during = "l = get java.lang.Object Counter.lock of c enter l put int Counter.x of c = zero exit l //~ data-race";
    check(&SPEC, &Options::default(), &program(ADD, &own, ["", during, ""]));
}

#[test]
fn what_main_does_while_threads_run_counts() {
    let own = INCREMENT.replace("MARK", "");
    let own = own.replace("old = get", "enter this old = get").replace("return", "exit this return");
    let text = program(ADD, &own, ["", &format!("{WRITE} //~ data-race"), ""]);
    check(&SPEC, &Options::default(), &text);
}

#[test]
fn what_main_calls_before_it_starts_threads_needs_no_lock() {
    let locked = format!("enter c {ADD} exit c");
    let increment = |mark: &str| INCREMENT.replace("MARK", mark);
    none(&program(&locked, &increment(""), [ADD, "", ""]));
    none(&program(&locked, &increment(""), ["", "", ADD]));
    let twice =
        "method void twice() { call virtual void Counter.add()(this) call virtual void Counter.add()(this)
        return }";
    let members = format!("{} {twice}", increment(""));
    none(&program(&locked, &members, ["call virtual void Counter.twice()(c)", "", ""]));
    let text = program(&locked, &increment("//~ data-race"), ["", ADD, ""]);
    check(&SPEC, &Options::default(), &text);
}

#[test]
fn what_an_initialiser_of_a_class_calls_is_run_by_one_thread() {
    let text = |other: &str, mark: &str| {
        format!(
            "{JDK}
            class Hooks {{
                field static int hook
                method static void set(int value) {{
                    putstatic int Hooks.hook = value {mark}
                    return
                }}
            }}
            class Reader {{
                field static int made
                method static void <clinit>() {{ one = 1 call static void Hooks.set(int)(one) return }}
                method static int make() {{ v = getstatic int Reader.made return v }}
            }}
            class Task extends java.lang.Thread {{
                method void <init>() {{ call special void java.lang.Thread.<init>()(this) return }}
                method public void run() {{ v = call static int Reader.make()() {other} return }}
            }}
            class Main {{ method public static void main(java.lang.String[] args) {{
                a = new Task call special void Task.<init>()(a) call virtual void Task.start()(a)
                b = new Task call special void Task.<init>()(b) call virtual void Task.start()(b)
                return
            }} }}"
        )
    };
    none(&text("", ""));
    check(&SPEC, &Options::default(), &text("call static void Hooks.set(int)(v)", "//~ data-race"));
}

#[test]
fn an_object_for_each_thread_is_shared_by_none() {
    let text = program(
        "d = new Counter call special void Counter.<init>()(d) call virtual void Counter.add()(d)",
        &INCREMENT.replace("MARK", ""),
        ["", "", ""],
    );
    none(&text);
}

#[test]
fn volatile_fields_are_left_out() {
    let text = program(ADD, &INCREMENT.replace("MARK", ""), ["", "", ""]);
    none(&text.replace("field int x", "field volatile int x"));
}

/// A library class with accesses under its lock, and others.
fn library(head: &str, field: &str, other: &str) -> String {
    format!(
        "{head} public class Library {{
            {field} field private int x
            method public void set(int value) {{ enter this put int Library.x of this = value exit this return }}
            method public int get() {{ enter this value = get int Library.x of this exit this return value }}
            {other}
        }}"
    )
}

const BARE: &str = "method public int peek() {
        value = get int Library.x of this //~ data-race
        return value
    }";

#[test]
fn a_library_is_told_where_most_accesses_are_locked_and_one_is_not() {
    let report = check(&SPEC, &Options::default(), &library("", "", BARE));
    let finding = report.findings().next().expect("a finding");
    assert_eq!(finding.confidence, Confidence::Low, "nothing is known of threads");
    assert_eq!(finding.witnesses[0].notes[0], "2 of 3 accesses are under one lock");
    // A class that never locks says nothing about threads.
    none(
        "public class Plain { field private int x
        method public void set(int value) { put int Plain.x of this = value return } }",
    );
}

#[test]
fn a_private_helper_is_guarded_by_its_callers() {
    let helper = "method private void helper() { zero = 0 put int Library.x of this = zero return }
        method public void clear() { enter this call special void Library.helper()(this) exit this return }";
    none(&library("", "", helper));
}

fn plain(text: &str) -> String {
    text.replace(" //~ data-race", "")
}

#[test]
fn classes_that_promise_nothing_or_never_change_are_left_alone() {
    let text = plain(BARE);
    none(&library("@x.NotThreadSafe", "", &text));
    none(&library("@Immutable", "", &text));
}

#[test]
fn a_class_that_calls_itself_safe_has_to_be() {
    let text = "@net.jcip.annotations.ThreadSafe public class Safe { field private int x
        method public void set(int value) {
            put int Safe.x of this = value //~ data-race
            return
        } }";
    let report = check(&SPEC, &Options::default(), text);
    assert_eq!(report.findings().next().map(|finding| finding.confidence), Some(Confidence::Medium));
}

#[test]
fn a_read_lock_protects_readers_only() {
    let class = "java.util.concurrent.locks.ReentrantReadWriteLock";
    let view = |kind: &str, name: &str| {
        format!(
            "{name} = call virtual {class}${kind} {class}.{}()(rw) ",
            if kind == "ReadLock" { "readLock" } else { "writeLock" }
        )
    };
    let text = |kind: &str, mark: &str| {
        format!(
            "public class Cache {{
            field private final {class} rw
            field private int x
            method public int get() {{
                rw = get {class} Cache.rw of this
                {} call virtual void {class}$ReadLock.lock()(l)
                value = get int Cache.x of this
                call virtual void {class}$ReadLock.unlock()(l)
                return value
            }}
            method public void clear() {{
                rw = get {class} Cache.rw of this
                zero = 0
                {} call virtual void {class}$WriteLock.lock()(l)
                put int Cache.x of this = zero
                call virtual void {class}$WriteLock.unlock()(l)
                return
            }}
            method public void set(int value) {{
                rw = get {class} Cache.rw of this
                {} call virtual void {class}${kind}.lock()(l)
                put int Cache.x of this = value {mark}
                call virtual void {class}${kind}.unlock()(l)
                return
            }} }}",
            view("ReadLock", "l"),
            view("WriteLock", "l"),
            view(kind, "l")
        )
    };
    none(&text("WriteLock", ""));
    check(&SPEC, &Options::default(), &text("ReadLock", "//~ data-race"));
}
