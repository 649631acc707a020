//! What the fuzzer does, for a moment: each seed is read past its head, and nothing that is made of it panics.

#[path = "support/exercise.rs"]
mod exercise;

use exercise::{RAPID, TEXT, after, binary, plan};

/// Changed copies of a seed, the same every time.
fn changed(seed: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let mut dice = 0x9e37_79b9_7f4a_7c15u64;
    let mut roll = move |sides: usize| {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        (dice % sides.max(1) as u64) as usize
    };
    (0..3_000).map(move |_| {
        let mut bytes = seed.to_vec();
        for _ in 0..1 + roll(4) {
            let at = roll(bytes.len());
            match roll(4) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, roll(256) as u8),
                2 if at < bytes.len() => bytes[at] ^= 1 << roll(8),
                _ if at < bytes.len() => bytes[at] = b"\n 0|@()"[roll(7)],
                _ => {}
            }
        }
        bytes
    })
}

#[test]
fn the_seed_of_each_text_form_is_read_past_its_head() {
    let text = b"main fork T1\nT1 start\nT1 write a.B@7.x @ a.B.run()V(B.java:10)\n";
    assert_eq!(after(TEXT, text.to_vec()), 3);
    assert!(changed(text).map(|bytes| after(TEXT, bytes)).filter(|count| *count > 0).count() > 100);
    let rapid = b"T1|acq(L1)|2\nT1|w(x)|3\nT1|rel(L1)|4\n";
    assert!(after(RAPID, rapid.to_vec()) >= 4);
    assert!(changed(rapid).map(|bytes| after(RAPID, bytes)).filter(|count| *count > 1).count() > 100);
}

#[test]
fn the_seed_of_the_binary_form_is_read_past_its_head() {
    let text = "raddle text 1\nmain fork T1\nT1 start\nT1 write a.B@7.x @ a.B.run()V(B.java:10)\n";
    let trace = events::text::parse("seed", text).expect("a trace");
    let mut writer = events::binary::Writer::new(Vec::new()).expect("room");
    writer.batch(&trace.events, &trace.symbols).expect("room");
    let seed = writer.finish(&trace.symbols).expect("room");
    assert_eq!(binary(seed.clone()), 3);
    changed(&seed).for_each(|bytes| {
        binary(bytes);
    });
}

#[test]
fn the_seed_of_a_plan_is_read_past_its_head() {
    let hash = "0".repeat(64);
    let seed =
        format!("java 17\nclass {hash} a.B\nspare 1 run()V 3 17\ntold 1 run()V 9\nflow 1 run()V back 9 30");
    let read = plan(seed.as_bytes()).expect("a plan");
    assert_eq!((read.java, read.classes.len(), read.spared()), (17, 1, 2));
    assert!(changed(seed.as_bytes()).filter_map(|bytes| plan(&bytes)).count() > 100);
}
