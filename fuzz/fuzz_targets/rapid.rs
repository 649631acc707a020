//! Any bytes after the first line of a STD trace: a result or an error, never a panic.
#![no_main]

#[path = "../../crates/events/tests/support/exercise.rs"]
#[allow(dead_code)]
mod exercise;

libfuzzer_sys::fuzz_target!(|data: Vec<u8>| {
    exercise::after(exercise::RAPID, data);
});
