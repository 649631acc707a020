//! `wait()` and `Condition.await()` in methods that are called, or whose callers hold the lock.

use super::{none, one};
use crate::Options;

/// An object that is its own lock, with another one that it holds, and these methods.
fn monitor(methods: &str) -> String {
    format!(
        "public class Box {{
            field private int x
            field private final java.lang.Object other
            method public void <init>() {{
                o = new java.lang.Object
                put java.lang.Object Box.other of this = o
                return
            }}
            method public void set(int value) {{
                enter this
                put int Box.x of this = value
                exit this
                return
            }}
            {methods}
        }}"
    )
}

/// Reads, calls something, writes back: all under the lock.
fn increment(call: &str, mark: &str, methods: &str) -> String {
    monitor(&format!(
        "method public void increment() {{
            enter this
            value = get int Box.x of this
            {call}
            one = 1
            more = add value, one
            put int Box.x of this = more {mark}
            exit this
            return
        }}
        {methods}"
    ))
}

const PAUSE: &str = "method private void pause() { call virtual void java.lang.Object.wait()(this) return }";
const CALL: &str = "call special void Box.pause()(this)";
const FOUND: &str = "//~ stale-value";

#[test]
fn a_method_that_waits_ends_the_block_of_its_caller() {
    one(&Options::default(), &increment(CALL, FOUND, PAUSE));
    let nothing = "method private void pause() { return }";
    none(&Options::default(), &increment(CALL, "", nothing));
}

#[test]
fn one_that_takes_the_lock_again_before_it_waits_gives_it_up_all_the_same() {
    let pause = "method private void pause() {
        enter this call virtual void java.lang.Object.wait()(this) exit this return }";
    one(&Options::default(), &increment(CALL, FOUND, pause));
}

#[test]
fn waiting_for_another_lock_ends_nothing() {
    let pause = "method private void pause() {
        o = get java.lang.Object Box.other of this
        enter o call virtual void java.lang.Object.wait()(o) exit o return }";
    none(&Options::default(), &increment(CALL, "", pause));
}

#[test]
fn waiting_is_seen_through_calls_and_circles_of_calls() {
    let pause = "method private void pause() { call special void Box.second(int)(this, 3) return }
        method private void second(int n) {
            if n == 0 then now else later
            now: call virtual void java.lang.Object.wait()(this) return
            later: one = 1 less = sub n, one call special void Box.third(int)(this, less) return
        }
        method private void third(int n) { call special void Box.second(int)(this, n) return }"
        .replace("(this, 3)", "(this, n)")
        .replace("method private void pause() {", "method private void pause() { n = 3");
    one(&Options::default(), &increment(CALL, FOUND, &pause));
}

#[test]
fn a_lock_that_is_handed_over_is_waited_for() {
    let pause = "method private static void pauseFor(java.lang.Object lock) {
        call virtual void java.lang.Object.wait()(lock) return }";
    let call = "call static void Box.pauseFor(java.lang.Object)(this)";
    one(&Options::default(), &increment(call, FOUND, pause));
    // The other lock is not the one of the block.
    let other = "o = get java.lang.Object Box.other of this enter o
        call static void Box.pauseFor(java.lang.Object)(o) exit o";
    none(&Options::default(), &increment(other, "", pause));
}

/// A helper that is only called under the lock.
fn helper(body: &str) -> String {
    monitor(&format!(
        "method public void work() {{ enter this call special void Box.helper()(this) exit this return }}
        method private void helper() {{ {body} }}"
    ))
}

#[test]
fn a_helper_under_its_callers_lock_waits_for_that() {
    let body = "value = get int Box.x of this
        call virtual void java.lang.Object.wait()(this)
        one = 1
        more = add value, one
        put int Box.x of this = more //~ stale-value
        return";
    one(&Options::default(), &helper(body));
    none(
        &Options::default(),
        &helper(
            &body
                .replace("//~ stale-value", "")
                .replace("call virtual void java.lang.Object.wait()(this)", ""),
        ),
    );
}

#[test]
fn what_is_looked_at_again_after_waiting_is_not_stale() {
    let body = "value = get int Box.x of this
        call virtual void java.lang.Object.wait()(this)
        now = get int Box.x of this
        if now == value then same else other
    same:
        one = 1
        more = add value, one
        put int Box.x of this = more
        return
    other:
        return";
    none(&Options::default(), &helper(body));
    // Looking before waiting does not help.
    let body = "value = get int Box.x of this
        now = get int Box.x of this
        if now == value then same else other
    same:
        call virtual void java.lang.Object.wait()(this)
        one = 1
        more = add value, one
        put int Box.x of this = more //~ stale-value
        return
    other:
        return";
    one(&Options::default(), &helper(body));
}

#[test]
fn a_method_that_waits_before_it_writes_writes_something_old() {
    let text = |wait: &str, mark: &str| {
        monitor(&format!(
            "method public void increment() {{
                enter this
                value = get int Box.x of this
                one = 1
                more = add value, one
                call special void Box.later(int)(this, more) {mark}
                exit this
                return
            }}
            method private void later(int value) {{ {wait} put int Box.x of this = value return }}"
        ))
    };
    one(&Options::default(), &text("call virtual void java.lang.Object.wait()(this)", FOUND));
    none(&Options::default(), &text("", ""));
}

#[test]
fn a_method_that_waits_after_it_read_returns_something_old() {
    let text = |before: &str, after: &str, mark: &str| {
        monitor(&format!(
            "method public void increment() {{
                enter this
                value = call special int Box.awaited()(this)
                one = 1
                more = add value, one
                put int Box.x of this = more {mark}
                exit this
                return
            }}
            method private int awaited() {{
                {before} value = get int Box.x of this {after} return value
            }}"
        ))
    };
    let wait = "call virtual void java.lang.Object.wait()(this)";
    one(&Options::default(), &text("", wait, FOUND));
    none(&Options::default(), &text(wait, "", ""));
}

#[test]
fn a_condition_of_the_callers_lock_gives_that_up() {
    let text = |pause: &str, mark: &str| {
        format!(
            "public class Juc {{
                field private final java.util.concurrent.locks.ReentrantLock lock
                field private final java.util.concurrent.locks.ReentrantLock other
                field private final java.util.concurrent.locks.Condition free
                field int x
                method public void work() {{
                    l = get java.util.concurrent.locks.ReentrantLock Juc.lock of this
                    call virtual void java.util.concurrent.locks.ReentrantLock.lock()(l)
                    value = get int Juc.x of this
                    call special void Juc.pause()(this)
                    one = 1
                    more = add value, one
                    put int Juc.x of this = more {mark}
                    call virtual void java.util.concurrent.locks.ReentrantLock.unlock()(l)
                    return
                }}
                method private void pause() {{ {pause} return }}
            }}"
        )
    };
    let wait = "c = get java.util.concurrent.locks.Condition Juc.free of this
        call interface void java.util.concurrent.locks.Condition.await()(c)";
    one(&Options::default(), &text(wait, FOUND));
    // Under a lock of its own it is that one's condition.
    let own = format!(
        "l = get java.util.concurrent.locks.ReentrantLock Juc.other of this
        call virtual void java.util.concurrent.locks.ReentrantLock.lock()(l) {wait}
        call virtual void java.util.concurrent.locks.ReentrantLock.unlock()(l)"
    );
    none(&Options::default(), &text(&own, ""));
}

#[test]
fn a_condition_far_below_says_nothing_of_who_is_not_known_to_hold_a_lock() {
    let text = |lock: &str, unlock: &str, mark: &str| {
        format!(
            "public class Far {{
                field private final java.util.concurrent.locks.ReentrantLock lock
                field private final java.util.concurrent.locks.Condition free
                field int x
                method public void work() {{
                    l = get java.util.concurrent.locks.ReentrantLock Far.lock of this
                    {lock}
                    value = get int Far.x of this
                    call special void Far.between()(this)
                    one = 1
                    more = add value, one
                    put int Far.x of this = more {mark}
                    {unlock}
                    return
                }}
                method public void between() {{ call special void Far.pause()(this) return }}
                method private void pause() {{
                    c = get java.util.concurrent.locks.Condition Far.free of this
                    call interface void java.util.concurrent.locks.Condition.await()(c)
                    return
                }}
            }}"
        )
    };
    let lock = "call virtual void java.util.concurrent.locks.ReentrantLock.lock()(l)";
    let unlock = "call virtual void java.util.concurrent.locks.ReentrantLock.unlock()(l)";
    one(&Options::default(), &text(lock, unlock, FOUND));
    none(&Options::default(), &text("", "", ""));
}
