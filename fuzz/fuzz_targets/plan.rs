//! Any bytes after the first line of a plan, with a check sum that is right: a plan that can be written and read again, or an
//! error, never a panic.
#![no_main]

#[path = "../../crates/events/tests/support/exercise.rs"]
#[allow(dead_code)]
mod exercise;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    exercise::plan(data);
});
