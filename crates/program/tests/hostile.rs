//! Broken classes: bytes changed, classes made to cost time or memory, code that no compiler makes. Each gives register
//! code that holds what it must, or a gap, soon.

#[path = "support/exercise.rs"]
mod exercise;
#[path = "../../classfile/tests/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use classfile::{Class, flags, op};
use exercise::exercise;
use program::ir::Code;

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

#[test]
fn mutated_classes_become_sound_code_or_gaps() {
    let folder = support::scratch(&format!("hostile-{}", support::once()));
    support::compile("17", &folder, &[support::java_file("Programs.java")]);
    let mut seeds = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("the folder just made") {
        seeds.push(std::fs::read(entry.expect("a file").path()).expect("a class"));
    }
    std::fs::remove_dir_all(&folder).expect("the folder just made");
    seeds.sort();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let rounds = if support::whole() { 300_000 } else { 6_000 };
    let (mut read, mut bodies) = (0, 0);
    for round in 0..rounds {
        let mut bytes = seeds[round % seeds.len()].clone();
        for _ in 0..1 + dice.roll(4) {
            let at = dice.roll(bytes.len());
            match dice.roll(4) {
                0 => bytes[at] ^= 1 << dice.roll(8),
                1 => bytes[at] = dice.roll(256) as u8,
                2 => bytes[at] = dice.roll(usize::from(op::COUNT)) as u8,
                _ => bytes[at] = bytes[at].wrapping_add(1),
            }
        }
        if let Some(found) = exercise(&bytes) {
            read += 1;
            bodies += found;
        }
    }
    println!("{read} of {rounds} were read, {bodies} bodies");
    assert!(read > rounds / 4 && read < rounds * 19 / 20 && bodies > rounds);
}

#[test]
fn a_class_named_as_if_it_were_an_array_is_none() {
    let folder = support::scratch(&format!("named-{}", support::once()));
    support::compile("17", &folder, &[support::java_file("Programs.java")]);
    let mut changed = 0;
    for entry in std::fs::read_dir(&folder).expect("the folder just made") {
        let bytes = std::fs::read(entry.expect("a file").path()).expect("a class");
        // In types of parameters, of results, of what a dynamic call is linked with, and of arrays.
        let types = bytes.windows(6).enumerate().filter(|(_, text)| *text == b"Ljava/");
        for (at, _) in types {
            let mut bytes = bytes.clone();
            bytes[at + 1] = b'[';
            changed += usize::from(exercise(&bytes).is_some());
        }
    }
    std::fs::remove_dir_all(&folder).expect("the folder just made");
    assert!(changed > 20, "{changed}");
}

/// A class with one static method that has that code and exception table.
fn class_with(code: &[u8], locals: u16, handlers: &[u8], access: u16) -> Vec<u8> {
    let mut class = Class::new(49, flags::PUBLIC, b"A", b"java/lang/Object").expect("room");
    let mut body = vec![0xff, 0xff];
    body.extend(locals.to_be_bytes());
    body.extend((code.len() as u32).to_be_bytes());
    body.extend(code);
    body.extend(((handlers.len() / 8) as u16).to_be_bytes());
    body.extend(handlers);
    body.extend([0, 0]);
    class.add_method(flags::STATIC | access, b"f", b"()V", Some(body)).expect("room");
    class.write().expect("it fits")
}

/// Lowers a class, which must not take long; gives the reason if it is a gap.
fn gap(what: &str, bytes: &[u8]) -> Option<String> {
    let start = Instant::now();
    let class = program::lower::lower(bytes).expect("a class");
    let took = start.elapsed();
    println!("{what}: {took:?}");
    assert!(took < Duration::from_secs(20), "{what} took {took:?}");
    assert_eq!(program::ir::verify(&class), [], "{what}");
    match &class.methods[0].code {
        Code::Gap(why) => Some(class.table.text(*why).to_owned()),
        _ => None,
    }
}

#[test]
fn classes_made_to_cost_time_are_done_soon() {
    let mut long = vec![op::NOP; 60_000];
    long.push(op::RETURN);
    let handlers = [0, 0, 0xea, 0x60, 0xea, 0x60, 0, 0].repeat(65_000);
    gap("many handlers", &class_with(&long, 10, &handlers, 0));

    // Every handler another class, every instruction something that throws.
    let mut throwing = vec![];
    while throwing.len() < 60_000 {
        throwing.extend([op::ACONST_NULL, op::ARRAYLENGTH, op::ISTORE_0]);
    }
    throwing.push(op::RETURN);
    let handlers: Vec<u8> = (1..5_000u16)
        .flat_map(|class| [0, 0, 0xea, 0, 0xea, 0x60, (class >> 8) as u8, class as u8])
        .collect();
    let found = gap("many handlers of many blocks", &class_with(&throwing, 1, &handlers, 0));
    assert!(found.as_ref().is_some_and(|why| why.contains("too long to analyse")), "{found:?}");
    // The whole program's reading says so too.
    let class = program::input::ClassBytes {
        place: "A.class".to_owned(),
        bytes: class_with(&throwing, 1, &handlers, 0),
    };
    let found = program::input::Found { classes: vec![class], gaps: Vec::new() };
    let program = program::Program::load(found, None, 1);
    let told = |gap: &program::Gap| gap.what.contains("A.f") && gap.why.contains("too long to analyse");
    assert!(program.gaps().iter().any(told), "{:?}", program.gaps());

    let mut stores = [op::ICONST_0, op::WIDE, op::ISTORE, 0xff, 0xfe].repeat(8_000);
    stores.push(op::RETURN);
    let handlers = [0, 0, 0x9c, 0x40, 0x9c, 0x40, 0, 0].repeat(1_000);
    gap("many stores", &class_with(&stores, 0xffff, &handlers, 0));

    let mut branches = Vec::new();
    while branches.len() < 12_000 {
        let back = -(branches.len() as i32) - 1;
        branches.extend([op::ICONST_0, op::IFEQ]);
        branches.extend((back as i16).to_be_bytes());
    }
    branches.push(op::RETURN);
    gap("many branches", &class_with(&branches, 1, &[], 0));

    // Each local is written before and in a loop, and read in it: all are live at every branch.
    let mut loops = Vec::new();
    for local in 0..200u8 {
        loops.extend([op::ICONST_0, op::ISTORE, local]);
    }
    let head = loops.len();
    for local in 0..200u8 {
        loops.extend([op::IINC, local, 1, op::ILOAD, local]);
        let back = head as i32 - loops.len() as i32;
        loops.push(op::IFEQ);
        loops.extend((back as i16).to_be_bytes());
    }
    loops.push(op::RETURN);
    gap("many parameters", &class_with(&loops, 200, &[], 0));

    // As many locals as there can be, as many joins as there can be.
    let mut joins = Vec::new();
    while joins.len() < 20_000 {
        joins.extend([op::ICONST_0, op::IFEQ, 0, 4, op::NOP]);
    }
    joins.push(op::RETURN);
    gap("many locals at many joins", &class_with(&joins, 0xffff, &[], 0));
}

#[test]
fn code_that_no_verifier_lets_pass_is_a_gap() {
    for (code, reason) in [
        (&[op::ILOAD_0, op::POP, op::RETURN][..], "read before"),
        (&[op::POP, op::RETURN], "empty"),
        (&[op::NOP], "runs off"),
        (&[op::ICONST_0, op::IFEQ, 0, 2, op::RETURN], "into an instruction"),
        (&[op::LCONST_0, op::POP, op::RETURN], "half of a long"),
        (&[op::ICONST_0, op::ARETURN], "returned"),
        (&[op::ICONST_0, op::ATHROW], "kind"),
        (&[op::RET, 0], "subroutines"),
        (&[op::ICONST_0, op::ICONST_0, op::IFEQ, 0, 4, op::POP, op::RETURN], "different depth"),
    ] {
        let found = gap("malformed", &class_with(code, 1, &[], 0));
        assert!(found.as_ref().is_some_and(|found| found.contains(reason)), "{code:?}: {found:?}");
    }
}

#[test]
fn code_that_only_hands_make_is_lowered_all_the_same() {
    // Back to the first instruction; code that is never reached; a handler that covers itself and is jumped to.
    let back = [op::ICONST_0, op::IFEQ, 0xff, 0xff, op::RETURN];
    assert_eq!(gap("back to the start", &class_with(&back, 1, &[], 0)), None);
    assert_eq!(gap("in a synchronized one", &class_with(&back, 1, &[], flags::SYNCHRONIZED)), None);
    let dead = [op::RETURN, op::POP, op::POP];
    assert_eq!(gap("dead code", &class_with(&dead, 1, &[], 0)), None);
    // 0: aconst_null, 1: goto 4, 4: pop, 5: aconst_null, 6: arraylength, 7: pop, 8: return; handler of 5..8 is 4.
    let shared =
        [op::ACONST_NULL, op::GOTO, 0, 3, op::POP, op::ACONST_NULL, op::ARRAYLENGTH, op::POP, op::RETURN];
    let handler = [0, 4, 0, 8, 0, 4, 0, 0];
    assert_eq!(gap("a handler that is jumped to", &class_with(&shared, 1, &handler, 0)), None);
    // A local that is written on one of two ways into a loop with two entries, and never read.
    let two_entries = [
        op::ICONST_0,
        op::IFEQ,
        0,
        8,
        op::ICONST_1,
        op::ISTORE_0,
        op::GOTO,
        0,
        3,
        op::ICONST_0,
        op::IFNE,
        0xff,
        0xff,
        op::RETURN,
    ];
    assert_eq!(gap("two entries", &class_with(&two_entries, 1, &[], 0)), None);
}
