//! Any bytes after the first line of a readable text trace: a result or an error, never a panic.
#![no_main]

use std::io::{Cursor, Read};

libfuzzer_sys::fuzz_target!(|data: Vec<u8>| {
    let stream = Cursor::new(b"raddle text 1\n").chain(Cursor::new(data));
    let Ok(mut source) = events::open_stream("fuzz", Box::new(stream)) else { return };
    let mut batch = Vec::new();
    while source.fill(&mut batch).is_ok_and(|more| more) {}
});
