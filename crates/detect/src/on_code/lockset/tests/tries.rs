//! Locks that are tried for count where the result was looked at, however far that is from the attempt. Compilers' code
//! has a block of its own for a call between `try` and `catch`, so that the result is looked at in the next one.

use super::super::SPEC;
use super::none;
use crate::Options;
use crate::on_code::testing::{JDK, check};

/// A library with a field that is guarded by a lock, and a method that does this with it; `lock` and `zero` are at hand.
fn library(body: &str) -> String {
    format!(
        "{JDK}
        public class Library {{
            field private final java.util.concurrent.locks.ReentrantLock lock
            @GuardedBy(value = \"lock\")
            field private int x
            method public void <init>() {{
                l = new java.util.concurrent.locks.ReentrantLock
                put java.util.concurrent.locks.ReentrantLock Library.lock of this = l
                return
            }}
            method public void use(int again) {{
                zero = 0
                l = get java.util.concurrent.locks.ReentrantLock Library.lock of this
                {body}
                over: return
            }}
        }}"
    )
}

const TRY: &str = "got = call virtual boolean java.util.concurrent.locks.ReentrantLock.tryLock()(l)";
const UNLOCK: &str = "call virtual void java.util.concurrent.locks.ReentrantLock.unlock()(l)";

#[test]
fn an_attempt_whose_result_is_looked_at_in_a_later_block_counts() {
    for between in ["", "jump next next:", "jump next next: n = 1 jump later later:"] {
        none(&library(&format!(
            "{TRY} {between} if got != 0 then had else over
            had: put int Library.x of this = zero {UNLOCK} jump over"
        )));
    }
}

#[test]
fn an_attempt_that_failed_or_was_not_looked_at_protects_nothing() {
    let write = "put int Library.x of this = zero //~ data-race";
    let bodies = [
        // Failed.
        format!("{TRY} jump next next: if got != 0 then over else missed missed: {write}\n jump over"),
        // Not looked at.
        format!("{TRY} jump next next: {write}\n jump over"),
        // Given up again before and after it was looked at.
        format!(
            "{TRY} jump next next: {UNLOCK} jump late late: if got != 0 then had else over had: {write}\n jump over"
        ),
        format!("{TRY} jump next next: if got != 0 then had else over had: {UNLOCK} {write}\n jump over"),
        // One way leads around the attempt, where the result of an earlier one is looked at.
        format!(
            "{TRY} if again != 0 then next else given given: {UNLOCK} jump next
            next: if got != 0 then had else over had: {write}\n jump over"
        ),
        // Looked at twice, it is held once.
        format!(
            "{TRY} jump next next: if got != 0 then had else over
            had: if got != 0 then still else over still: {UNLOCK} {write}\n jump over"
        ),
    ];
    for body in bodies {
        check(&SPEC, &Options::default(), &library(&body));
    }
}
