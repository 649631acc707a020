//! Cycles and what is none, as programs in text form.

mod limits;

use findings::Confidence;

use super::SPEC;
use crate::Options;
use crate::on_code::testing::{JDK, check, subjects};

fn none(text: &str) {
    assert_eq!(subjects(&SPEC, &Options::default(), text), Vec::<String>::new(), "{text}");
}

/// Two static locks, and a program whose two tasks take them so.
fn tasks(one: &str, other: &str) -> String {
    format!(
        "{JDK}
        class Main {{
            field static final java.lang.Object a
            field static final java.lang.Object b
            field static final java.lang.Object gate
            method static void <clinit>() {{
                x = new java.lang.Object
                putstatic java.lang.Object Main.a = x
                y = new java.lang.Object
                putstatic java.lang.Object Main.b = y
                z = new java.lang.Object
                putstatic java.lang.Object Main.gate = z
                return
            }}
            method public static void main(java.lang.String[] args) {{
                one = new One
                call special void One.<init>()(one)
                call virtual void One.start()(one)
                other = new Other
                call special void Other.<init>()(other)
                call virtual void Other.start()(other)
                return
            }}
        }}
        class One extends java.lang.Thread {{
            method void <init>() {{ call special void java.lang.Thread.<init>()(this) return }}
            method public void run() {{
                a = getstatic java.lang.Object Main.a
                b = getstatic java.lang.Object Main.b
                gate = getstatic java.lang.Object Main.gate
                {one}
                return
            }}
        }}
        class Other extends java.lang.Thread {{
            method void <init>() {{ call special void java.lang.Thread.<init>()(this) return }}
            method static void take(java.lang.Object lock) {{ enter lock exit lock return }}
            method static void takeA() {{ a = getstatic java.lang.Object Main.a enter a exit a return }}
            method public void run() {{
                a = getstatic java.lang.Object Main.a
                b = getstatic java.lang.Object Main.b
                gate = getstatic java.lang.Object Main.gate
                {other}
                return
            }}
        }}"
    )
}

#[test]
fn two_orders_are_a_cycle_with_both_sides() {
    let text = tasks("enter a enter b exit b exit a //~ lock-order", "enter b enter a exit a exit b");
    let report = check(&SPEC, &Options::default(), &text);
    let finding = report.findings().next().expect("a finding");
    assert_eq!(finding.subject, "Main.a, Main.b");
    assert_eq!(finding.confidence, Confidence::High);
    let steps: Vec<(&str, &str)> =
        finding.witnesses[0].steps.iter().map(|step| (step.thread.as_str(), step.target.as_str())).collect();
    let (one, other) = ("One.run", "Other.run");
    assert_eq!(steps, [(one, "Main.a"), (one, "Main.b"), (other, "Main.b"), (other, "Main.a")]);
}

#[test]
fn a_lock_that_a_callee_takes_counts_and_its_stack_shows_the_call() {
    let call = "enter b call static void Other.takeA()() exit b";
    let text = tasks("enter a enter b exit b exit a //~ lock-order", call);
    let report = check(&SPEC, &Options::default(), &text);
    let steps = &report.findings().next().expect("a finding").witnesses[0].steps;
    assert_eq!(steps[3].stack.iter().map(|frame| frame.method.as_str()).collect::<Vec<_>>(), ["run()V"]);
}

#[test]
fn a_static_lock_that_is_passed_as_a_parameter_is_the_same_lock() {
    let call = "enter b call static void Other.take(java.lang.Object)(a) exit b";
    let own = "enter a enter b exit b exit a //~ lock-order";
    let text = tasks(own, call);
    let finding = check(&SPEC, &Options::default(), &text).findings().next().cloned().expect("a finding");
    assert_eq!((finding.subject.as_str(), finding.confidence), ("Main.a, Main.b", Confidence::High));
    // One that may be any of several is not sure to be it, but may.
    let several = format!("{call} call static void Other.take(java.lang.Object)(gate)");
    let report = check(&SPEC, &Options::default(), &tasks(own, &several));
    assert_eq!(report.findings().map(|found| found.confidence).collect::<Vec<_>>(), [Confidence::Medium]);
    // The other one way round is none.
    none(&tasks(
        "enter a enter b exit b exit a",
        "enter a call static void Other.take(java.lang.Object)(b) exit a",
    ));
}

#[test]
fn one_order_a_gate_or_one_thread_is_no_cycle() {
    none(&tasks("enter a enter b exit b exit a", "enter a enter b exit b exit a"));
    let gated = |inside: &str| format!("enter gate {inside} exit gate");
    none(&tasks(&gated("enter a enter b exit b exit a"), &gated("enter b enter a exit a exit b")));
    none(&tasks("enter a enter b exit b exit a enter b enter a exit a exit b", ""));
}

#[test]
fn a_lock_that_is_taken_again_gives_no_edge() {
    let again = "enter a enter b enter a exit a exit b exit a";
    none(&tasks(again, again));
}

#[test]
fn try_lock_makes_no_edge_but_is_held() {
    let class = "java.util.concurrent.locks.ReentrantLock";
    let text = |second: &str| {
        format!(
            "public class Pair {{
            field static final {class} a
            field static final {class} b
            method public static void one() {{
                a = getstatic {class} Pair.a
                b = getstatic {class} Pair.b
                call virtual void {class}.lock()(a)
                call virtual void {class}.lock()(b)
                call virtual void {class}.unlock()(b)
                call virtual void {class}.unlock()(a)
                return
            }}
            method public static void other() {{
                a = getstatic {class} Pair.a
                b = getstatic {class} Pair.b
                {second}
                return
            }} }}"
        )
    };
    let tries = format!(
        "call virtual void {class}.lock()(b)
        got = call virtual boolean {class}.tryLock()(a)
        if got != 0 then had else missed
        had: call virtual void {class}.unlock()(a) jump missed
        missed: call virtual void {class}.unlock()(b)"
    );
    none(&text(&tries));
    let held = format!(
        "got = call virtual boolean {class}.tryLock()(b)
        if got != 0 then had else missed
        had: call virtual void {class}.lock()(a)
        call virtual void {class}.unlock()(a) call virtual void {class}.unlock()(b) jump missed
        missed: x = 0"
    );
    assert_eq!(subjects(&SPEC, &Options::default(), &text(&held)).len(), 1);
}

#[test]
fn two_parameters_may_be_swapped_unless_the_method_chooses_an_order() {
    let text = |body: &str| {
        format!(
            "public class Account {{ field int id method public void transfer(Account to) {{ {body} }} }}"
        )
    };
    let plain = text("enter this enter to exit to exit this return");
    assert_eq!(subjects(&SPEC, &Options::default(), &plain), ["Account, Account"]);
    let ordered = text(
        "one = get int Account.id of this
        other = get int Account.id of to
        if one < other then up else down
        up: enter this enter to exit to exit this return
        down: enter to enter this exit this exit to return",
    );
    none(&ordered);
}
