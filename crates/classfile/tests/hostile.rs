//! Broken classes: bytes flipped, cut and promised where there are none, and classes made to cost time or memory. Each
//! gives a result or an error, soon.

#[path = "support/exercise.rs"]
mod exercise;
mod support;

use std::time::{Duration, Instant};

use classfile::{Attribute, Class, Edit, Flow, Reason, Snippet, flags, op};
use exercise::exercise;

fn seeds() -> Vec<Vec<u8>> {
    let folder = support::scratch(&format!("seeds-{}", support::once()));
    support::compile("17", &folder, &[support::java_file("Programs.java")]);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("the folder just made") {
        found.push(std::fs::read(entry.expect("a file").path()).expect("a class"));
    }
    std::fs::remove_dir_all(&folder).expect("the folder just made");
    found.sort();
    found
}

/// The same numbers every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

fn mutate(seed: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..1 + dice.roll(3) {
        let at = dice.roll(bytes.len());
        match dice.roll(6) {
            0 => bytes[at] ^= 1 << dice.roll(8),
            1 => bytes[at] = dice.roll(256) as u8,
            2 => bytes.truncate(at.max(8)),
            // A count or length that promises too much.
            3 => bytes[at..].iter_mut().take(2).for_each(|byte| *byte = 0xff),
            4 => bytes[at] = bytes[at].wrapping_add(1),
            // Old classes have no frames.
            _ => bytes[7] = [45, 46, 49, 50, 51, 65][dice.roll(6)],
        }
    }
    bytes
}

#[test]
fn mutated_classes_give_a_result_or_an_error() {
    let seeds = seeds();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (mut read, mut edited) = (0, 0);
    let rounds = if support::whole() { 100_000 } else { 3_000 };
    for round in 0..rounds {
        let bytes = mutate(&seeds[round % seeds.len()], &mut dice);
        let (was_read, methods) = exercise(&bytes);
        read += usize::from(was_read);
        edited += methods;
    }
    // Both what is read and what is refused must have been seen, or nothing was tested.
    println!("{read} of {rounds} were read, {edited} methods edited");
    assert!(read > rounds / 4 && read < rounds * 9 / 10 && edited > rounds);
}

#[test]
fn whole_classes_pass_the_exercise() {
    for seed in seeds() {
        let (read, edited) = exercise(&seed);
        let class = Class::parse(&seed).expect("a class");
        let with_code =
            class.methods.iter().filter(|method| class.code(method).expect("readable").is_some()).count();
        assert!(read);
        assert_eq!(edited, with_code);
    }
}

/// A class with one static method that has that code, exception table and attributes.
fn class_with(
    major: u16,
    code: &[u8],
    locals: u16,
    handlers: &[u8],
    attributes: &[(&[u8], Vec<u8>)],
) -> Vec<u8> {
    let mut class = Class::new(major, flags::PUBLIC, b"A", b"java/lang/Object").expect("room");
    let mut body = vec![0xff, 0xff];
    body.extend(locals.to_be_bytes());
    body.extend((code.len() as u32).to_be_bytes());
    body.extend(code);
    body.extend(((handlers.len() / 8) as u16).to_be_bytes());
    body.extend(handlers);
    body.extend((attributes.len() as u16).to_be_bytes());
    for (name, content) in attributes {
        body.extend(class.pool.add_utf8(name).expect("room").to_be_bytes());
        body.extend((content.len() as u32).to_be_bytes());
        body.extend(content);
    }
    class.add_method(flags::STATIC, b"f", b"()V", Some(body)).expect("room");
    class.write().expect("it fits")
}

/// Runs the exercise, which must not take long.
fn soon(what: &str, bytes: &[u8]) {
    let start = Instant::now();
    let (read, _) = exercise(bytes);
    assert!(read, "{what}");
    let took = start.elapsed();
    println!("{what}: {took:?}");
    assert!(took < Duration::from_secs(20), "{what} took {took:?}");
}

#[test]
fn classes_made_to_cost_time_are_done_soon() {
    let mut long = vec![op::NOP; 60_000];
    long.push(op::RETURN);
    // Every handler covers everything and leads to the last instruction.
    let handlers = [0, 0, 0xea, 0x60, 0xea, 0x60, 0, 0].repeat(65_000);
    soon("many handlers", &class_with(49, &long, 10, &handlers, &[]));

    // Stores to the last local, each a change that every handler sees.
    let mut stores = [op::ICONST_0, op::WIDE, op::ISTORE, 0xff, 0xfe].repeat(8_000);
    stores.push(op::RETURN);
    let handlers = [0, 0, 0x9c, 0x40, 0x9c, 0x40, 0, 0].repeat(1_000);
    soon("many stores", &class_with(49, &stores, 0xffff, &handlers, &[]));

    // A first frame with all locals, then one frame an instruction that only says "as before" or adds and removes one.
    let mut frames = vec![0xea, 0x60, 255, 0, 0, 0xff, 0];
    frames.extend([1].repeat(0xff00));
    frames.extend([0, 0]);
    for number in 1..60_000 {
        match number % 2 {
            0 => frames.extend([250, 0, 0]),
            _ => frames.extend([252, 0, 0, 1]),
        }
    }
    soon("many frames", &class_with(52, &long, 0xff10, &[], &[(b"StackMapTable", frames)]));

    // Backward branches, one behind the other: each may ask for another round.
    let mut branches = Vec::new();
    while branches.len() < 12_000 {
        let back = -(branches.len() as i32) - 1;
        branches.extend([op::ICONST_0, op::IFEQ]);
        branches.extend((back as i16).to_be_bytes());
    }
    branches.push(op::RETURN);
    soon("many branches", &class_with(49, &branches, 1, &[], &[]));

    let dives = [op::JSR, 0, 3].repeat(20_000);
    soon("many subroutines", &class_with(49, &dives, 1, &[], &[]));
}

#[test]
fn a_promise_of_more_bytes_than_there_are_is_refused_without_taking_memory() {
    let class = class_with(52, &[op::RETURN], 0, &[], &[]);
    for at in 8..class.len() - 4 {
        let mut bytes = class.clone();
        bytes[at..at + 4].fill(0xff);
        exercise(&bytes);
    }
}

#[test]
fn a_method_that_would_be_too_long_is_refused_and_the_class_stays() {
    let mut code = vec![op::NOP; 40_000];
    code.push(op::RETURN);
    let bytes = class_with(52, &code, 0, &[], &[]);
    let mut class = Class::parse(&bytes).expect("a class");
    let mut edit = Edit::new(&class, 0).expect("readable").expect("code");
    let mut nop = Snippet::new();
    nop.plain(op::NOP).expect("plain");
    for pc in 0..40_000 {
        edit.before(pc, &nop);
    }
    let error = edit.apply(&mut class).expect_err("it does not fit");
    assert_eq!(error.reason, Reason::MethodTooLarge);
    assert!(error.reason.is_limit());
    assert_eq!(class.write().expect("bytes"), bytes);
}

#[test]
fn branches_into_the_middle_of_instructions_are_refused() {
    let bytes = class_with(49, &[op::GOTO, 0, 1, op::RETURN], 0, &[], &[]);
    let mut class = Class::parse(&bytes).expect("a class");
    let mut edit = Edit::new(&class, 0).expect("readable").expect("code");
    let mut nop = Snippet::new();
    edit.entry(nop.plain(op::NOP).expect("plain"));
    assert!(edit.apply(&mut class).is_err());
    let frames: Vec<(&[u8], Vec<u8>)> = vec![(b"StackMapTable", vec![0, 1, 1])];
    let bytes = class_with(52, &[op::SIPUSH, 0, 1, op::POP, op::RETURN], 0, &[], &frames);
    let class = Class::parse(&bytes).expect("a class");
    let mut flow = Flow::new(&class, &class.methods[0]).expect("readable").expect("code");
    assert!(
        std::iter::from_fn(|| flow.next().map(|step| step.map(|_| ())).transpose()).any(|step| step.is_err())
    );
}

#[test]
fn an_attribute_too_large_to_be_true_is_refused() {
    let mut class = Class::new(52, 0, b"A", b"B").expect("room");
    let name = class.pool.add_utf8(b"Code").expect("room");
    let body = vec![0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff];
    class.add_method(flags::STATIC, b"f", b"()V", None).expect("room");
    class.methods[0].attributes.push(Attribute::new(name, body));
    assert!(class.code(&class.methods[0]).is_err());
}
