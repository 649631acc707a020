//! Which loops are told as ranges, and what is told where, on methods put together by hand. Locals: 0 and 1 are arrays,
//! 2 is the counter, 3 and more are what a test makes of them. No JVM is needed; `tests/loops.rs` runs compiled ones.

use std::fmt::Write;

use classfile::{Assembler, Class, Kind as Moves, Label, Snippet, flags, op};

use super::plan::{About, Field, Ranged, Spot, find};
use super::values::Base;
use super::{Making, chains};

const ARRAY: u16 = 0;
const OTHER: u16 = 1;
const I: u16 = 2;
const N: u16 = 3;

/// A method in the making, and the class around it.
struct Maker {
    class: Class<'static>,
    method: Assembler,
    labels: Vec<Label>,
}

type Pieces<'p> = &'p [Piece];

/// What code is made of here.
#[derive(Clone, Copy)]
enum Piece {
    /// The label with that number stands here.
    At(usize),
    To(u8, usize),
    Switch(usize, usize),
    Op(u8),
    Int(i32),
    Get(u16),
    Load(u16),
    Store(u16),
    StoreLong(u16),
    Put(u16),
    Add(u16, i16),
    Field(&'static [u8]),
    SetField(&'static [u8]),
    Static(&'static [u8]),
    Call(&'static [u8]),
}

use Piece::{
    Add, At, Call, Field as OfField, Get, Int, Load, Op, Put, SetField, Static, Store, StoreLong, Switch, To,
};

impl Maker {
    fn new() -> Maker {
        let class = Class::new(49, flags::PUBLIC, b"A", b"java/lang/Object").expect("room");
        Maker { class, method: Assembler::new(), labels: Vec::new() }
    }

    fn label(&mut self, number: usize) -> Label {
        while self.labels.len() <= number {
            let label = self.method.label();
            self.labels.push(label);
        }
        self.labels[number]
    }

    fn add(&mut self, pieces: Pieces<'_>) {
        for piece in pieces {
            let mut code = Snippet::new();
            let pool = &mut self.class.pool;
            match *piece {
                At(number) => {
                    let label = self.label(number);
                    self.method.bind(label).expect("once");
                }
                To(opcode, number) => {
                    let label = self.label(number);
                    self.method.branch(opcode, label).expect("a branch");
                }
                Switch(case, default) => {
                    let labels = [self.label(case), self.label(default)];
                    self.method.lookup_switch(&[(7, labels[0])], labels[1]).expect("a switch");
                }
                Op(opcode) => drop(code.plain(opcode).expect("plain")),
                Int(value) => drop(code.int(pool, value).expect("room")),
                Get(local) => drop(code.load(Moves::Reference, local)),
                Put(local) => drop(code.store(Moves::Reference, local)),
                Load(local) => drop(code.load(Moves::Int, local)),
                Store(local) => drop(code.store(Moves::Int, local)),
                StoreLong(local) => drop(code.store(Moves::Long, local)),
                Add(local, by) => drop(code.increment(local, by)),
                OfField(name) => drop(code.field(pool, op::GETFIELD, b"A", name, b"[I").expect("room")),
                SetField(name) => drop(code.field(pool, op::PUTFIELD, b"A", name, b"[I").expect("room")),
                Static(name) => drop(code.field(pool, op::GETSTATIC, b"A", name, b"I").expect("room")),
                Call(owner) => drop(code.invoke_static(pool, owner, b"f", b"(I)I").expect("room")),
            }
            self.method.add(&code);
        }
    }
}

/// The loops that are told as ranges, and what is told where, as text.
fn ranges(pieces: Pieces<'_>) -> String {
    caught(pieces, &[])
}

/// With handlers: first label, last, target.
fn caught(pieces: Pieces<'_>, handlers: &[[usize; 3]]) -> String {
    let mut maker = Maker::new();
    maker.add(pieces);
    for labels in handlers {
        let [start, end, target] = labels.map(|label| maker.label(label));
        maker.method.handler(start, end, target, 0);
    }
    let Maker { mut class, method, .. } = maker;
    let number = method.finish(&mut class, flags::STATIC, b"f", b"([I[III)V").expect("a method");
    let bytes = class.write().expect("bytes");
    let class = Class::parse(&bytes).expect("a class");
    let code = class.code(&class.methods[number]).expect("readable").expect("code");
    let field = |member: u16| match class.pool.member_ref(member).expect("a field").name {
        b"plain" => Field::Plain,
        b"final" | b"other final" => Field::Final,
        _ => Field::Other,
    };
    let about = About { pool: &class.pool, has_this: true, untold: &|_| false, field: &field };
    find(&code, &about).expect("readable").iter().map(shown).collect::<Vec<_>>().join("\n")
}

fn spot(spot: Spot) -> String {
    match spot {
        Spot::Before(pc) => format!("before {pc}"),
        Spot::Fall(pc) => format!("falling to {pc}"),
        Spot::Taken(pc) => format!("jumping at {pc}"),
    }
}

fn shown(ranged: &Ranged) -> String {
    let firsts: Vec<u16> = (100..).take(ranged.counters.len()).collect();
    let making = Making { ranged, firsts: &firsts, sites: Vec::new() };
    let sum = |(local, more): (u16, i32)| {
        let name = match local {
            100.. => format!("first{}", local - 100),
            _ => format!("local{local}"),
        };
        if more == 0 { name } else { format!("{name}{more:+}") }
    };
    let told = |done: usize| {
        let mut text = String::new();
        for (number, access) in ranged.accesses.iter().enumerate() {
            let array = match access.array {
                Base::Local(local) => format!("local{local}"),
                Base::Field(_) => "field".to_owned(),
            };
            let (from, until) = making.range(number, access, done).expect("a range");
            let kind = if access.opcode <= op::SALOAD { "read" } else { "write" };
            let by = match ranged.counters[access.counter].step {
                1 | -1 => String::new(),
                step => format!(" by {step}"),
            };
            write!(text, " {kind} {array}[{}..{}{by}]", sum(from), sum(until)).expect("text");
        }
        text
    };
    let mut text = String::new();
    for entry in &ranged.entries {
        write!(text, "enter {}; ", spot(*entry)).expect("text");
    }
    for (exit, done) in &ranged.exits {
        write!(text, "leave {}:{}; ", spot(*exit), told(*done)).expect("text");
    }
    write!(text, "throw {:?}", chains(ranged)).expect("text");
    for (pc, _) in &ranged.head_reads {
        write!(text, "; head reads at {pc}").expect("text");
    }
    for pc in &ranged.further_reads {
        write!(text, "; so does {pc}").expect("text");
    }
    text
}

/// `for (; i < n; i++) BODY`, as javac writes it. Labels 0 to 2 are taken: head, end, increment.
fn counted(body: Pieces<'_>) -> Vec<Piece> {
    let mut code = vec![At(0), Load(I), Load(N), To(op::IF_ICMPGE, 1)];
    code.extend(body);
    code.extend([At(2), Add(I, 1), To(op::GOTO, 0), At(1), Op(op::RETURN)]);
    code
}

const WRITE: [Piece; 4] = [Get(ARRAY), Load(I), Int(7), Op(op::IASTORE)];
const READ: [Piece; 4] = [Get(OTHER), Load(I), Op(op::IALOAD), Store(4)];

#[test]
fn a_counted_loop_is_told_where_its_condition_leaves_it() {
    assert_eq!(
        ranges(&counted(&WRITE)),
        "enter falling to 0; leave jumping at 2: write local0[first0..local2]; throw [[0]]"
    );
}

#[test]
fn constants_move_the_range() {
    let body = [Get(ARRAY), Int(-3), Load(I), Op(op::IADD), Op(op::IALOAD), Op(op::POP)];
    assert_eq!(
        ranges(&counted(&body)),
        "enter falling to 0; leave jumping at 2: read local0[first0-3..local2-3]; throw [[0]]"
    );
    let body = [Get(ARRAY), Load(I), Int(300), Op(op::ISUB), Op(op::IALOAD), Op(op::POP)];
    assert!(ranges(&counted(&body)).contains("local0[first0-300..local2-300]"));
    let body = [Get(ARRAY), Int(9), Load(I), Op(op::ISUB), Op(op::IALOAD), Op(op::POP)];
    assert_eq!(ranges(&counted(&body)), "");
}

#[test]
fn descending_ranges_end_at_the_first_value() {
    let mut code = vec![At(0), Load(I), To(op::IFLT, 1)];
    code.extend(WRITE);
    code.extend([Add(I, -1), To(op::GOTO, 0), At(1), Op(op::RETURN)]);
    assert_eq!(
        ranges(&code),
        "enter falling to 0; leave jumping at 1: write local0[local2+1..first0+1]; throw [[0]]"
    );
}

#[test]
fn a_loop_whose_condition_stands_at_its_end_is_entered_by_the_jump() {
    let mut code = vec![To(op::GOTO, 2), At(0)];
    code.extend(WRITE);
    code.extend([Add(I, 1), At(2), Load(I), Load(N), To(op::IF_ICMPLT, 0), Op(op::RETURN)]);
    assert_eq!(
        ranges(&code),
        "enter before 0; leave falling to 16: write local0[first0..local2]; throw [[0]]"
    );
    // Run at least once: left when the increment has been done.
    code.remove(0);
    assert_eq!(
        ranges(&code),
        "enter falling to 0; leave falling to 13: write local0[first0..local2]; throw [[0]]"
    );
}

#[test]
fn what_was_done_before_the_increment_counts() {
    // while (true) { x = other[i++]; if (x == 0) break; array[i] = 7; }
    let mut code = vec![At(0), Get(OTHER), Load(I), Add(I, 1), Op(op::IALOAD), To(op::IFEQ, 1)];
    code.extend(WRITE);
    code.extend([To(op::GOTO, 0), At(1), Op(op::RETURN)]);
    // The read is done, and the increment; the write of this iteration is not, and it is one further on.
    assert_eq!(
        ranges(&code),
        "enter falling to 0; leave jumping at 6: read local1[first0..local2] \
         write local0[first0+1..local2]; throw [[2, 1]]"
    );
}

#[test]
fn each_way_out_tells_what_the_last_iteration_has_done() {
    let mut body = WRITE.to_vec();
    body.extend([Load(5), To(op::IFNE, 3), To(op::GOTO, 1), At(3)]);
    body.extend(READ);
    assert_eq!(
        ranges(&counted(&body)),
        "enter falling to 0; leave jumping at 2: write local0[first0..local2] read local1[first0..local2]; \
         leave falling to 15: write local0[first0..local2+1] read local1[first0..local2]; throw [[1, 0]]"
    );
}

#[test]
fn an_access_that_some_iterations_skip_is_told_by_itself() {
    let mut body = vec![Load(5), To(op::IFNE, 2)];
    body.extend(WRITE);
    assert_eq!(ranges(&counted(&body)), "");
    let mut both = READ.to_vec();
    both.extend(body);
    assert_eq!(
        ranges(&counted(&both)),
        "enter falling to 0; leave jumping at 2: read local1[first0..local2]; throw [[1, 0]]"
    );
}

#[test]
fn the_value_may_be_chosen_between_array_and_store() {
    let body = [
        Get(ARRAY),
        Load(I),
        Load(5),
        To(op::IFNE, 3),
        Int(1),
        To(op::GOTO, 4),
        At(3),
        Int(2),
        At(4),
        Op(op::IASTORE),
    ];
    assert!(ranges(&counted(&body)).contains("write local0[first0..local2]"));
    // But not the array.
    let body = [
        Load(5),
        To(op::IFNE, 3),
        Get(ARRAY),
        To(op::GOTO, 4),
        At(3),
        Get(OTHER),
        At(4),
        Load(I),
        Op(op::IALOAD),
        Op(op::POP),
    ];
    assert_eq!(ranges(&counted(&body)), "");
}

#[test]
fn the_array_and_the_counter_must_be_left_alone() {
    let with = |piece: &[Piece]| {
        let mut body = WRITE.to_vec();
        body.extend(piece);
        ranges(&counted(&body))
    };
    assert_ne!(with(&[Int(1), Store(5)]), "");
    assert_eq!(with(&[Get(OTHER), Put(ARRAY)]), "");
    assert_eq!(with(&[Int(1), Store(I)]), "");
    assert_eq!(with(&[Add(I, 1)]), "");
    // A long over the counter.
    assert_eq!(with(&[Op(op::LCONST_0), StoreLong(I - 1)]), "");
}

#[test]
fn a_counter_may_take_any_step() {
    for step in [2, -3, 100, 0] {
        let mut code = counted(&WRITE);
        for piece in &mut code {
            if let Add(_, by) = piece {
                *by = step;
            }
        }
        let expected =
            "enter falling to 0; leave jumping at 2: write local0[first0..local2 by STEP]; throw [[0]]";
        let expected = if step == 0 { String::new() } else { expected.replace("STEP", &step.to_string()) };
        assert_eq!(ranges(&code), expected);
    }
}

#[test]
fn an_access_after_a_long_step_is_one_of_the_iteration_before() {
    let mut code = vec![At(0), Add(I, 4)];
    code.extend(WRITE);
    code.extend([Load(I), Load(N), To(op::IF_ICMPLT, 0), Op(op::RETURN)]);
    assert_eq!(
        ranges(&code),
        "enter falling to 0; leave falling to 13: write local0[first0+4..local2+4 by 4]; throw [[1]]"
    );
}

#[test]
fn an_increment_that_some_iterations_skip_counts_nothing() {
    let mut code = vec![At(0)];
    code.extend(WRITE);
    code.extend([Load(5), To(op::IFNE, 2), Add(I, 1), At(2), Load(I), Load(N), To(op::IF_ICMPLT, 0)]);
    code.push(Op(op::RETURN));
    assert_eq!(ranges(&code), "");
}

#[test]
fn only_quiet_loops_are_taken() {
    let with = |piece: &[Piece]| {
        let mut body = WRITE.to_vec();
        body.extend(piece);
        ranges(&counted(&body))
    };
    for quiet in [
        &[Int(1), Call(b"java/lang/Math"), Op(op::POP)][..],
        &[Int(1), Call(b"java/lang/StrictMath"), Op(op::POP)],
        &[Get(4), OfField(b"plain"), Op(op::POP)],
        &[Get(4), OfField(b"final"), Op(op::ARRAYLENGTH), Op(op::POP)],
        &[Get(4), Get(OTHER), SetField(b"plain")],
        &[Int(1_000_000), Op(op::POP)],
    ] {
        assert_ne!(with(quiet), "");
    }
    for loud in [
        &[Int(1), Call(b"A"), Op(op::POP)][..],
        &[Get(4), OfField(b"elsewhere"), Op(op::POP)],
        &[Get(4), Get(OTHER), SetField(b"final")],
        &[Static(b"plain"), Op(op::POP)],
        &[Get(4), Op(op::MONITORENTER)],
    ] {
        assert_eq!(with(loud), "");
    }
}

#[test]
fn what_happens_after_the_last_iteration_need_not_be_quiet() {
    let mut body = WRITE.to_vec();
    body.extend([Load(5), To(op::IFEQ, 3), Int(1), Call(b"A"), Op(op::POP), Op(op::RETURN), At(3)]);
    assert!(ranges(&counted(&body)).contains("leave falling to 15: write local0[first0..local2+1]"));
}

#[test]
fn a_final_field_of_this_is_an_array_that_stays() {
    let body = [Get(0), OfField(b"final"), Load(I), Op(op::IALOAD), Op(op::POP)];
    assert_eq!(
        ranges(&counted(&body)),
        "enter falling to 0; leave jumping at 2: read field[first0..local2]; throw [[0]]"
    );
    let of_another = [Get(4), OfField(b"final"), Load(I), Op(op::IALOAD), Op(op::POP)];
    assert_eq!(ranges(&counted(&of_another)), "");
    let changing = [Get(0), OfField(b"plain"), Load(I), Op(op::IALOAD), Op(op::POP)];
    assert_eq!(ranges(&counted(&changing)), "");
}

#[test]
fn final_fields_of_this_are_found_at_the_head_if_nothing_was_thrown_before() {
    let head = [Get(0), OfField(b"final"), Op(op::ARRAYLENGTH), Store(5), Get(0), OfField(b"other final")];
    let body = [Get(0), OfField(b"final"), Op(op::POP), Get(4), OfField(b"final"), Op(op::POP)];
    let mut code = vec![At(0)];
    code.extend(head);
    code.extend([Op(op::POP), Load(I), Load(N), To(op::IF_ICMPGE, 1)]);
    code.extend(WRITE);
    code.extend(body);
    code.extend([Add(I, 1), To(op::GOTO, 0), At(1), Op(op::RETURN)]);
    let found = ranges(&code);
    // The length may throw; of another object's field nothing is known.
    assert!(found.ends_with("; head reads at 1; so does 23"), "{found}");
}

#[test]
fn of_nested_loops_the_inner_one_is_taken() {
    let inner = |step: i16| {
        let mut code = vec![Int(0), Store(4), At(3), Load(4), Load(N), To(op::IF_ICMPGE, 4)];
        code.extend([Get(OTHER), Load(4), Op(op::IALOAD), Op(op::POP), Add(4, step), To(op::GOTO, 3), At(4)]);
        code.extend(WRITE);
        code
    };
    assert_eq!(
        ranges(&counted(&inner(1))),
        "enter falling to 8; leave jumping at 11: read local1[first0..local4]; throw [[0]]"
    );
    // If it cannot be, the outer one is, but not what the inner one does.
    assert_eq!(
        ranges(&counted(&inner(0))),
        "enter falling to 0; leave jumping at 2: write local0[first0..local2]; throw [[0]]"
    );
}

#[test]
fn a_loop_without_a_way_out_is_not_taken() {
    let mut code = vec![At(0)];
    code.extend(WRITE);
    code.extend([Add(I, 1), To(op::GOTO, 0)]);
    assert_eq!(ranges(&code), "");
}

#[test]
fn a_switch_out_of_the_loop_tells_at_its_target_if_nobody_else_goes_there() {
    let mut body = WRITE.to_vec();
    body.extend([Load(5), Switch(5, 2)]);
    let mut code = counted(&body);
    code.extend([At(5), Op(op::NOP), Op(op::RETURN)]);
    assert!(ranges(&code).contains("leave before 39: write local0[first0..local2+1]"), "{}", ranges(&code));
    let mut body = WRITE.to_vec();
    body.extend([Load(5), Switch(1, 2)]);
    assert_eq!(ranges(&counted(&body)), "");
}

#[test]
fn handlers_are_outside_or_the_loop_is_not_taken() {
    let mut body = vec![At(5)];
    body.extend(WRITE);
    body.push(At(6));
    let mut code = counted(&body);
    code.extend([At(7), Op(op::POP), Op(op::RETURN)]);
    assert_ne!(caught(&code, &[[0, 1, 7]]), "");
    code.pop();
    code.push(To(op::GOTO, 2));
    assert_eq!(caught(&code, &[[5, 6, 7]]), "");
    // The stack is not empty when a handler is the head.
    let mut code = vec![At(5), Op(op::NOP), At(0), Op(op::POP)];
    code.extend(WRITE);
    code.extend([Op(op::ACONST_NULL), Add(I, 1), Load(I), To(op::IFNE, 0), Op(op::RETURN)]);
    assert_eq!(caught(&code, &[[5, 0, 0]]), "");
}

#[test]
fn a_cycle_with_two_entries_is_given_up() {
    let mut code = vec![Load(5), To(op::IFNE, 2), At(0)];
    code.extend(WRITE);
    code.extend([At(2), Add(I, 1), Load(I), To(op::IFNE, 0), Op(op::RETURN)]);
    assert_eq!(ranges(&code), "");
}

#[test]
fn a_loop_entered_by_a_condition_keeps_the_counter_on_that_edge() {
    let mut code = vec![Load(5), To(op::IFNE, 0), Op(op::RETURN)];
    code.extend(counted(&WRITE));
    assert!(ranges(&code).starts_with("enter jumping at 2; leave jumping at 8:"), "{}", ranges(&code));
}

#[test]
fn two_counters_are_kept_apart() {
    let mut body = vec![Get(ARRAY), Load(I), Get(OTHER), Load(4), Op(op::IALOAD), Op(op::IASTORE)];
    body.push(Add(4, -1));
    assert_eq!(
        ranges(&counted(&body)),
        "enter falling to 0; leave jumping at 2: read local1[local4+1..first0+1] \
         write local0[first1..local2]; throw [[1, 0]]"
    );
}
