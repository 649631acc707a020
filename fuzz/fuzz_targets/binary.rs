//! Any bytes, read as a binary trace: a result or an error, never a panic.
#![no_main]

use events::Source;

libfuzzer_sys::fuzz_target!(|data: Vec<u8>| {
    let total = Some(data.len() as u64);
    let Ok(mut reader) = events::binary::Reader::new("fuzz".into(), Box::new(std::io::Cursor::new(data)), total) else {
        return;
    };
    let mut batch = Vec::new();
    while reader.fill(&mut batch).is_ok_and(|more| more) {}
});
