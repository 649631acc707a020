//! What the default verdicts are beyond the paper's, case by case.

use super::super::SPEC;
use crate::Options;
use crate::on_code::testing::{JDK, report};

/// A program in which two threads of class `One` run `one()` and one of class `Two` runs `two()` of a shared object.
fn program(members: &str, main: &str) -> String {
    let thread = |name: &str, method: &str| {
        format!(
            "class {name} extends java.lang.Thread {{
                field final S s
                method void <init>(S s) {{
                    call special void java.lang.Thread.<init>()(this)
                    put S {name}.s of this = s
                    return
                }}
                method public void run() {{
                    s = get S {name}.s of this
                    call virtual void S.{method}()(s)
                    return
                }}
            }}"
        )
    };
    format!(
        "{JDK}
        class Lock {{ method void <init>() {{ call special void java.lang.Object.<init>()(this) return }} }}
        class S {{
            field int x field int y field int z field final Lock a field final Lock b
            method void <init>() {{
                call special void java.lang.Object.<init>()(this)
                l = new Lock call special void Lock.<init>()(l) put Lock S.a of this = l
                m = new Lock call special void Lock.<init>()(m) put Lock S.b of this = m
                return
            }}
            {members}
        }}
        {} {}
        class Main {{ method public static void main(java.lang.String[] args) {{
            s = new S call special void S.<init>()(s)
            p = new One call special void One.<init>(S)(p, s)
            q = new One call special void One.<init>(S)(q, s)
            r = new Two call special void Two.<init>(S)(r, s)
            {main}
            return
        }} }}",
        thread("One", "one"),
        thread("Two", "two")
    )
}

const START: &str =
    "call virtual void One.start()(p) call virtual void One.start()(q) call virtual void Two.start()(r)";
const GET_SET: &str = "
    method int get() { enter this v = get int S.x of this exit this return v }
    method void set(int v) { enter this put int S.x of this = v exit this return }
    method int getY() { enter this v = get int S.y of this exit this return v }
    method void setY(int v) { enter this put int S.y of this = v exit this return }
    method void two() { n = 7 call virtual void S.set(int)(this, n) return }";

#[track_caller]
fn verdicts(members: &str, expected: &[&str], with_paper: &[&str]) {
    verdicts_of(&program(members, START), expected, with_paper);
}

#[track_caller]
fn verdicts_of(text: &str, expected: &[&str], with_paper: &[&str]) {
    for (paper, expected) in [(false, expected), (true, with_paper)] {
        let report = report(&SPEC, &Options { paper, ..Options::default() }, text);
        let found: Vec<String> =
            report.findings().map(|finding| format!("{} {}", finding.rule.name(), finding.subject)).collect();
        assert_eq!(found, expected, "paper: {paper}, {report:#?}");
    }
}

#[test]
fn a_lost_update_is_a_stale_value() {
    let one = "method void one() {
        v = call virtual int S.get()(this)
        one = 1
        w = add v, one
        call virtual void S.set(int)(this, w)
        return }";
    verdicts(&format!("{GET_SET}{one}"), &["stale-value S.x"], &["stale-value S.x"]);
}

#[test]
fn a_region_around_both_keeps_the_value_fresh() {
    let one = "method void one() {
        enter this
        v = call virtual int S.get()(this)
        one = 1
        w = add v, one
        call virtual void S.set(int)(this, w)
        exit this
        return }";
    verdicts(&format!("{GET_SET}{one}"), &[], &[]);
}

#[test]
fn check_then_act_counts_if_the_act_uses_the_variable() {
    let one = "method void one() {
        v = call virtual int S.get()(this)
        if v == 0 then act else out
        act: n = 5 call virtual void S.set(int)(this, n) jump out
        out: return }";
    verdicts(&format!("{GET_SET}{one}"), &["stale-value S.x"], &["stale-value S.x"]);
    let unrelated = one.replace("S.set(int)", "S.setY(int)");
    let wide = format!("{GET_SET}{unrelated}");
    verdicts(&wide, &[], &["stale-value S.x"]);
}

#[test]
fn looking_again_before_the_write_is_no_stale_value() {
    let one = "method void one() {
        v = call virtual int S.get()(this)
        one = 1
        w = add v, one
        enter this
        again = get int S.x of this
        if again == v then same else out
        same: put int S.x of this = w jump out
        out: exit this return }";
    verdicts(&format!("{GET_SET}{one}"), &[], &["stale-value S.x"]);
}

#[test]
fn a_value_that_was_taken_out_is_no_stale_value() {
    let one = "method int next() {
            enter this
            v = get int S.x of this
            one = 1
            w = add v, one
            put int S.x of this = w
            exit this
            return v }
        method void one() {
            v = call virtual int S.next()(this)
            call virtual void S.setY(int)(this, v)
            return }";
    verdicts(&format!("{GET_SET}{one}"), &[], &["stale-value S.x"]);
}

#[test]
fn values_that_pass_through_one_method_by_two_calls_are_told_apart() {
    let one = "method static int same(int v) { return v }
        method void one() {
            v = call virtual int S.get()(this)
            a = call static int S.same(int)(v)
            n = 5
            b = call static int S.same(int)(n)
            call virtual void S.set(int)(this, b)
            return }";
    verdicts(&format!("{GET_SET}{one}"), &[], &["stale-value S.x"]);
}

#[test]
fn a_method_that_calls_itself_is_followed() {
    let one = "method static int down(int n, int v) {
            if n == 0 then end else on
            end: return v
            on: one = 1 m = sub n, one w = call static int S.down(int, int)(m, v) return w }
        method void one() {
            v = call virtual int S.get()(this)
            n = 3
            w = call static int S.down(int, int)(n, v)
            call virtual void S.set(int)(this, w)
            return }";
    verdicts(&format!("{GET_SET}{one}"), &["stale-value S.x"], &["stale-value S.x"]);
}

#[test]
fn what_main_does_before_it_starts_threads_disturbs_nobody() {
    let one = "method void one() { v = call virtual int S.get()(this) call virtual void S.setY(int)(this, v) return }";
    let members =
        format!("{GET_SET}{one}").replace("n = 7 call virtual void S.set(int)(this, n) return", "return");
    let quiet = format!("n = 3 call virtual void S.set(int)(s, n) {START}");
    verdicts_of(&program(&members, &quiet), &[], &[]);
    let loud = format!("{START} n = 3 call virtual void S.set(int)(s, n)");
    verdicts_of(&program(&members, &loud), &["stale-value S.x"], &["stale-value S.x"]);
    let joined = "call virtual void java.lang.Thread.join()";
    let late =
        format!("{START} {joined}(p) {joined}(q) {joined}(r) n = 3 call virtual void S.set(int)(s, n)");
    verdicts_of(&program(&members, &late), &[], &[]);
}

#[test]
fn a_lock_inside_another_does_not_keep_writers_away_who_hold_the_inner_one_alone() {
    let inner = "
        method int get() { b = get Lock S.b of this enter b v = get int S.x of this exit b return v }
        method void set(int v) { b = get Lock S.b of this enter b put int S.x of this = v exit b return }
        method void one() {
            a = get Lock S.a of this
            enter a
            v = call virtual int S.get()(this)
            one = 1
            w = add v, one
            call virtual void S.set(int)(this, w)
            exit a
            return }
        method void two() { n = 7 call virtual void S.set(int)(this, n) return }";
    verdicts(inner, &["stale-value S.x"], &["stale-value S.x"]);
    // Everybody holds the outer lock as well.
    let outer = inner.replace(
        "n = 7 call virtual void S.set(int)(this, n) return",
        "a = get Lock S.a of this enter a n = 7 call virtual void S.set(int)(this, n) exit a return",
    );
    verdicts(&outer, &[], &["stale-value S.x"]);
}

#[test]
fn locks_that_are_taken_by_calls_start_regions() {
    const LOCK: &str = "interface java.util.concurrent.locks.Lock {
            method public abstract void lock() method public abstract void unlock() }
        class java.util.concurrent.locks.ReentrantLock implements java.util.concurrent.locks.Lock {
            method public void <init>() unread method public void lock() unread method public void unlock() unread }";
    let name = "java.util.concurrent.locks.ReentrantLock";
    let members = GET_SET
        .replace("enter this", &format!("l = get {name} S.r of this call virtual void {name}.lock()(l)"))
        .replace("exit this", &format!("call virtual void {name}.unlock()(l)"));
    let one = "method void one() {
        v = call virtual int S.get()(this)
        one = 1
        w = add v, one
        call virtual void S.set(int)(this, w)
        return }";
    let text = program(&format!("field final {name} r {members}{one}"), START);
    let made = format!("l = new {name} call special void {name}.<init>()(l) put {name} S.r of this = l");
    let text =
        text.replacen("l = new Lock call special void Lock.<init>()(l) put Lock S.a of this = l", &made, 1);
    verdicts_of(&format!("{LOCK} {text}"), &["stale-value S.x"], &["stale-value S.x"]);
}

#[test]
fn writes_apart_count_if_they_follow_each_other_and_are_read_together() {
    let members = "
        method void setX(int v) { enter this put int S.x of this = v exit this return }
        method void setY(int v) { enter this put int S.y of this = v exit this return }
        method void one() {
            n = 1
            call virtual void S.setX(int)(this, n)
            call virtual void S.setY(int)(this, n)
            return }
        method void two() {
            enter this
            x = get int S.x of this
            y = get int S.y of this
            w = add x, y
            put int S.z of this = w
            exit this
            return }";
    let race = ["high-level-race S.x, S.y"];
    verdicts(members, &race, &race);
    let either = members.replace(
        "call virtual void S.setX(int)(this, n)
            call virtual void S.setY(int)(this, n)
            return",
        "if n == 0 then a else b
            a: call virtual void S.setX(int)(this, n) return
            b: call virtual void S.setY(int)(this, n) return",
    );
    assert_ne!(members, either);
    verdicts(&either, &[], &race);
    let alone = members.replace("w = add x, y", "w = neg x");
    verdicts(&alone, &[], &race);
}

#[test]
fn wait_ends_a_region_unless_a_loop_checks_again() {
    let wait = "call virtual void java.lang.Object.wait()(this)";
    let straight = format!(
        "method void one() {{
            enter this
            v = get int S.x of this
            {wait}
            one = 1
            w = add v, one
            put int S.x of this = w
            exit this
            return }}"
    );
    verdicts(&format!("{GET_SET}{straight}"), &["stale-value S.x"], &["stale-value S.x"]);
    let looped = format!(
        "method void one() {{
            enter this
            jump head
            head: v = get int S.x of this
            if v == 0 then sleep else on
            sleep: {wait} jump head
            on: one = 1
            w = sub v, one
            put int S.x of this = w
            exit this
            return }}"
    );
    verdicts(&format!("{GET_SET}{looped}"), &[], &[]);
}

#[track_caller]
fn by_default(members: &str, expected: &[&str]) {
    let report = report(&SPEC, &Options::default(), &program(members, START));
    let found: Vec<String> =
        report.findings().map(|finding| format!("{} {}", finding.rule.name(), finding.subject)).collect();
    assert_eq!(found, expected, "{report:#?}");
}

#[test]
fn a_check_that_leads_to_a_second_one_elsewhere_is_not_the_stale_one() {
    let claim = "method int claim() {
            enter this
            v = get int S.x of this
            if v == 0 then no else yes
            yes: n = 1 put int S.y of this = n exit this return n
            no: exit this return v }";
    let one = "method void one() {
            v = call virtual int S.get()(this)
            if v == 0 then out else try
            try: w = call virtual int S.claim()(this)
            if w == 0 then out else act
            act: n = 5 call virtual void S.set(int)(this, n) jump out
            out: return }";
    by_default(&format!("{GET_SET}{claim}{one}"), &[]);
    let unchecked = claim.replace("v = get int S.x of this", "v = get int S.z of this");
    by_default(&format!("{GET_SET}{unchecked}{one}"), &["stale-value S.x"]);
}

#[test]
fn who_waits_for_variables_expects_them_to_change_one_at_a_time() {
    let take = "method void two() {
            enter this
            jump head
            head: x = get int S.x of this
            y = get int S.y of this
            w = add x, y
            if w == 0 then sleep else on
            sleep: call virtual void java.lang.Object.wait()(this) jump head
            on: put int S.z of this = w
            exit this
            return }";
    let members = "
        method void setX(int v) { enter this put int S.x of this = v exit this return }
        method void setY(int v) { enter this put int S.y of this = v exit this return }
        method void one() {
            n = 1
            call virtual void S.setX(int)(this, n)
            call virtual void S.setY(int)(this, n)
            return }";
    by_default(&format!("{members}{take}"), &[]);
    let busy = take.replace("call virtual void java.lang.Object.wait()(this) jump head", "jump on");
    by_default(&format!("{members}{busy}"), &["high-level-race S.x, S.y"]);
}

#[test]
fn a_lock_that_is_only_taken_under_another_one_has_no_views() {
    let members = "
        method void one() {
            enter this
            a = get Lock S.a of this
            enter a x = get int S.x of this exit a
            enter a y = get int S.y of this exit a
            w = add x, y
            put int S.z of this = w
            exit this
            return }
        method void two() {
            enter this
            n = 1
            a = get Lock S.a of this
            enter a put int S.x of this = n put int S.y of this = n exit a
            exit this
            return }";
    by_default(members, &[]);
    let alone = members.replace("enter this", "").replace("exit this", "");
    by_default(&alone, &["high-level-race S.x, S.y"]);
}

#[test]
fn what_is_read_apart_from_a_copy_of_ones_own_is_no_race() {
    let members = "
        method S copy() {
            enter this
            x = get int S.x of this
            y = get int S.y of this
            c = new S call special void S.<init>()(c)
            put int S.x of c = x
            put int S.y of c = y
            exit this
            return c }
        method int getX() { enter this v = get int S.x of this exit this return v }
        method int getY() { enter this v = get int S.y of this exit this return v }
        method void one() {
            c = call virtual S S.copy()(this)
            x = call virtual int S.getX()(c)
            y = call virtual int S.getY()(c)
            w = add x, y
            put int S.z of c = w
            return }
        method void two() {
            n = 1
            enter this put int S.x of this = n put int S.y of this = n exit this
            return }";
    let read_too = members
        .replace("n = 1\n", "n = call virtual int S.getX()(this) m = call virtual int S.getY()(this)\n");
    by_default(&read_too, &[]);
    let direct =
        members.replace("(c)\n            y", "(this)\n            y").replace("getY()(c)", "getY()(this)");
    by_default(&direct, &["high-level-race S.x, S.y"]);
}
