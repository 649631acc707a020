//! Any bytes, lowered to register code: what comes out holds what it must and is read as it was printed.
#![no_main]

#[path = "../../crates/program/tests/support/exercise.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    exercise::exercise(data);
});
