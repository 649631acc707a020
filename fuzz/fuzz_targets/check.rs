//! Any bytes, read as a class of a program and checked by everything that reads code: findings or gaps, never a panic.
#![no_main]

#[path = "../../crates/detect/tests/support/exercise.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    exercise::exercise(data);
});
