//! Any bytes, read as a class file, looked at and edited: a result or an error, never a panic; what is written can be read.
#![no_main]

#[path = "../../crates/classfile/tests/support/exercise.rs"]
mod exercise;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    exercise::exercise(data);
});
