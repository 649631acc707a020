//! Tests of the Perfetto trace: it is read back with a reader of its own.

use super::*;
use crate::render::text::tests::sample;
use crate::{Confidence, Frame, Report};

/// The fields of a message: number and content.
#[derive(Debug, Clone)]
enum Value {
    Number(u64),
    Bytes(Vec<u8>),
}

fn fields(mut bytes: &[u8]) -> Vec<(u32, Value)> {
    fn number(bytes: &mut &[u8]) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let (&byte, rest) = bytes.split_first().unwrap();
            *bytes = rest;
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return value;
            }
        }
    }
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let tag = number(&mut bytes);
        let length = match tag & 7 {
            0 => {
                found.push((u32::try_from(tag >> 3).unwrap(), Value::Number(number(&mut bytes))));
                continue;
            }
            1 => 8,
            2 => number(&mut bytes) as usize,
            other => panic!("wire type {other}"),
        };
        let (content, rest) = bytes.split_at(length);
        bytes = rest;
        let value = match <[u8; 8]>::try_from(content) {
            Ok(eight) if tag & 7 == 1 => Value::Number(u64::from_le_bytes(eight)),
            _ => Value::Bytes(content.to_vec()),
        };
        found.push((u32::try_from(tag >> 3).unwrap(), value));
    }
    found
}

fn all(message: &[u8], field: u32) -> Vec<Value> {
    fields(message).into_iter().filter(|(number, _)| *number == field).map(|(_, value)| value).collect()
}

fn number(message: &[u8], field: u32) -> Option<u64> {
    all(message, field).into_iter().find_map(|value| match value {
        Value::Number(number) => Some(number),
        Value::Bytes(_) => None,
    })
}

fn inner(message: &[u8], field: u32) -> Option<Vec<u8>> {
    all(message, field).into_iter().find_map(|value| match value {
        Value::Bytes(bytes) => Some(bytes),
        Value::Number(_) => None,
    })
}

fn text(message: &[u8], field: u32) -> Option<String> {
    inner(message, field).map(|bytes| String::from_utf8(bytes).unwrap())
}

fn packets(report: &Report) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    Perfetto.render(report, &mut out).unwrap();
    all(&out, field::PACKET)
        .into_iter()
        .map(|value| match value {
            Value::Bytes(bytes) => bytes,
            Value::Number(_) => panic!("a packet is a message"),
        })
        .collect()
}

#[test]
fn there_is_a_track_for_each_thread_and_lock_of_a_witness() {
    let packets = packets(&sample());
    let tracks: Vec<Vec<u8>> = packets.iter().filter_map(|p| inner(p, field::TRACK_DESCRIPTOR)).collect();
    let names: Vec<String> = tracks
        .iter()
        .map(|track| {
            let thread = inner(track, field::TRACK_THREAD).and_then(|t| text(&t, field::THREAD_NAME));
            let process = inner(track, field::TRACK_PROCESS).and_then(|p| text(&p, field::PROCESS_NAME));
            thread.or(process).or(text(track, field::TRACK_NAME)).unwrap()
        })
        .collect();
    let of = |detector: &str| format!("data race on com.acme.Account.balance ({detector})");
    let expected = [
        &of("fasttrack"),
        "teller-1",
        "auditor",
        "lock com.acme.Bank@1",
        &of("racer"),
        "teller-1",
        "auditor",
        "teller-2",
        "lock com.acme.Bank@1",
    ];
    assert_eq!(names, expected);
    assert_eq!(number(&packets[0], field::SEQUENCE_FLAGS), Some(1));
}

#[test]
fn slices_begin_and_end_in_order_on_their_own_tracks() {
    let mut open = BTreeMap::new();
    let mut slices = 0;
    for packet in packets(&sample()) {
        let Some(event) = inner(&packet, field::TRACK_EVENT) else { continue };
        let at = number(&packet, field::TIMESTAMP).unwrap();
        let track = number(&event, field::EVENT_TRACK).unwrap();
        match number(&event, field::EVENT_TYPE).unwrap() {
            SLICE_BEGIN => assert_eq!(open.insert(track, at), None, "slices of a track do not overlap"),
            _ => {
                assert!(open.remove(&track).unwrap() < at);
                slices += 1;
            }
        }
    }
    assert!(open.is_empty());
    assert_eq!(slices, 2 + 3 + 1 + 1);
}

#[test]
fn who_wants_a_lock_points_at_who_holds_it() {
    let step = |thread: &str, role: Role, target: &str| Step {
        thread: thread.into(),
        role,
        target: target.into(),
        place: Frame::default(),
        locks: Vec::new(),
        stack: Vec::new(),
        stack_is_example: false,
        note: String::new(),
        ..Step::default()
    };
    let steps = vec![
        step("t1", Role::Holds, "A"),
        step("t1", Role::Wants, "B"),
        step("t2", Role::Holds, "B"),
        step("t2", Role::Wants, "A"),
    ];
    let mut report = Report::new();
    let witness = Witness {
        detector: "lock-graph".into(),
        steps,
        notes: Vec::new(),
        tests: Vec::new(),
        event: 0,
        ..Witness::default()
    };
    report.add(Rule::LockOrder, "A, B", Confidence::High, "", witness);
    let events: Vec<Vec<u8>> =
        packets(&report).iter().filter_map(|packet| inner(packet, field::TRACK_EVENT)).collect();
    let begins: Vec<&Vec<u8>> = events
        .iter()
        .filter(|event| text(event, field::EVENT_CATEGORY).as_deref() == Some("lock-order"))
        .collect();
    let (from, to): (Vec<_>, Vec<_>) = begins
        .iter()
        .map(|event| (number(event, field::EVENT_FLOW), number(event, field::EVENT_FLOW_END)))
        .unzip();
    assert_eq!(from[1], to[2]);
    assert_eq!(from[3], to[0]);
    assert!(from[1].is_some() && from[3].is_some() && from[1] != from[3]);
}
