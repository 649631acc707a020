//! What the fuzzer and `exercise.rs` do with bytes: read them as a trace or as a plan. Each says how much was read, so that
//! a test can tell whether its seed gets past the head.

use std::io::{Cursor, Read};

use events::Source;
use events::plan::Plan;

/// The first lines of what is read as text. What follows them is any bytes.
pub const TEXT: &[u8] = b"raddle text 1\n";
/// See [`TEXT`].
pub const RAPID: &[u8] = b"T0|r(x)|1\n";

/// How many events come out of a source before it ends or breaks.
fn events_of(source: &mut dyn Source) -> usize {
    let (mut batch, mut count) = (Vec::new(), 0);
    while source.fill(&mut batch).is_ok_and(|more| more) {
        count += batch.len();
    }
    count
}

/// Any bytes, as a binary trace.
pub fn binary(bytes: Vec<u8>) -> usize {
    let total = Some(bytes.len() as u64);
    let reader = events::binary::Reader::new("fuzz".into(), Box::new(Cursor::new(bytes)), total);
    reader.map_or(0, |mut reader| events_of(&mut reader))
}

/// Any bytes after the head of a trace in one of the text forms.
pub fn after(head: &'static [u8], bytes: Vec<u8>) -> usize {
    let stream = Cursor::new(head).chain(Cursor::new(bytes));
    events::open_stream("fuzz", Box::new(stream)).map_or(0, |mut source| events_of(&mut *source))
}

/// Any bytes after the first line of a plan, with a check sum that is right. What can be read can be written and read again.
pub fn plan(bytes: &[u8]) -> Option<Plan> {
    let head = Plan::default().to_text();
    let mut all = head.lines().next()?.as_bytes().to_vec();
    all.push(b'\n');
    all.extend(bytes);
    all.push(b'\n');
    let sum = Plan::check_sum(&all);
    all.extend(format!("end {sum}\n").into_bytes());
    let plan = Plan::parse(&all).ok()?;
    assert!(Plan::parse(plan.to_text().as_bytes()).is_ok());
    Some(plan)
}
