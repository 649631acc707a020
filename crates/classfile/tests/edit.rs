//! What an edit does to code, exception table and attributes, on small methods written by hand. No JVM is needed.

use classfile::{
    Border, Catch, Class, Code, Edit, Flow, Handler, Kind, Order, Range, Reason, Snippet, Value, flags, op,
};

/// One method in the making.
struct Made {
    major: u16,
    minor: u16,
    access: u16,
    name: &'static [u8],
    descriptor: &'static [u8],
    code: Vec<u8>,
    stack: u16,
    locals: u16,
    handlers: Vec<[u16; 4]>,
    attributes: Vec<(&'static [u8], Vec<u8>)>,
}

impl Made {
    fn new(code: &[u8]) -> Made {
        Made {
            major: 52,
            minor: 0,
            access: flags::STATIC,
            name: b"f",
            descriptor: b"(I)V",
            code: code.to_vec(),
            stack: 4,
            locals: 3,
            handlers: Vec::new(),
            attributes: Vec::new(),
        }
    }

    fn with(mut self, name: &'static [u8], body: &[u8]) -> Made {
        self.attributes.push((name, body.to_vec()));
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let mut class = Class::new(self.major, 0, b"A", b"java/lang/Object").expect("room");
        class.minor = self.minor;
        let init = class.pool.add_method_ref(b"java/lang/Object", b"<init>", b"()V");
        assert_eq!(init, Ok(u16::from(OBJECT_INIT)));
        let mut body = Vec::new();
        if self.major == 45 && self.minor < 3 {
            body.extend([self.stack as u8, self.locals as u8]);
            body.extend((self.code.len() as u16).to_be_bytes());
        } else {
            body.extend(self.stack.to_be_bytes());
            body.extend(self.locals.to_be_bytes());
            body.extend((self.code.len() as u32).to_be_bytes());
        }
        body.extend(&self.code);
        body.extend((self.handlers.len() as u16).to_be_bytes());
        body.extend(self.handlers.iter().flatten().flat_map(|word| word.to_be_bytes()));
        body.extend((self.attributes.len() as u16).to_be_bytes());
        for (name, content) in &self.attributes {
            body.extend(class.pool.add_utf8(name).expect("room").to_be_bytes());
            body.extend((content.len() as u32).to_be_bytes());
            body.extend(content);
        }
        class.add_method(self.access, self.name, self.descriptor, Some(body)).expect("room");
        class.write().expect("it fits")
    }
}

/// The index of the constructor of Object in the classes made here.
const OBJECT_INIT: u8 = 8;

/// Edits the method and hands the new code to `look`.
fn edited(made: &Made, change: impl FnOnce(&mut Edit<'_>), look: impl FnOnce(&Class<'_>, Code<'_>)) {
    let bytes = made.bytes();
    let mut class = Class::parse(&bytes).expect("a class");
    let mut edit = Edit::new(&class, 0).expect("readable").expect("code");
    change(&mut edit);
    edit.apply(&mut class).expect("it fits");
    let woven = class.write().expect("it fits");
    let again = Class::parse(&woven).expect("a class");
    look(&again, again.code(&again.methods[0]).expect("readable").expect("code"));
}

fn snippet(opcodes: &[u8]) -> Snippet {
    let mut code = Snippet::new();
    code.plains(opcodes).expect("plain");
    code
}

fn attribute(class: &Class<'_>, code: &Code<'_>, name: &[u8]) -> Vec<u8> {
    code.attribute(&class.pool, name).expect("it is there").body.to_vec()
}

const A: [u8; 2] = [op::ACONST_NULL, op::POP];
const B: [u8; 2] = [op::FCONST_0, op::POP];

#[test]
fn a_jump_runs_what_is_before_its_target_and_not_what_falls_into_it() {
    // 0: iload_0; 1: ifeq 4; 4: return
    let made = Made::new(&[op::ILOAD_0, op::IFEQ, 0, 3, op::RETURN]).with(b"StackMapTable", &[0, 1, 4]);
    edited(
        &made,
        |edit| {
            edit.before(4, &snippet(&A));
            edit.before_fall(4, &snippet(&B));
        },
        |class, code| {
            let expected = [op::ILOAD_0, op::IFEQ, 0, 5, B[0], B[1], A[0], A[1], op::RETURN];
            assert_eq!(code.bytes, expected);
            assert_eq!(attribute(class, &code, b"StackMapTable"), [0, 1, 6]);
        },
    );
}

#[test]
fn what_runs_on_entry_is_not_run_by_a_loop_to_the_start() {
    // 0: iload_0; 1: ifeq 0; 4: return
    let made = Made::new(&[op::ILOAD_0, op::IFEQ, 0xff, 0xff, op::RETURN]).with(b"StackMapTable", &[0, 1, 0]);
    edited(
        &made,
        |edit| edit.entry(&snippet(&A)),
        |class, code| {
            assert_eq!(code.bytes, [A[0], A[1], op::ILOAD_0, op::IFEQ, 0xff, 0xff, op::RETURN]);
            assert_eq!(attribute(class, &code, b"StackMapTable"), [0, 1, 2]);
        },
    );
}

#[test]
fn code_after_what_never_goes_on_is_left_out() {
    let made = Made::new(&[op::GOTO, 0, 3, op::RETURN]).with(b"StackMapTable", &[0, 1, 3]);
    edited(
        &made,
        |edit| {
            edit.after(0, &snippet(&A));
            edit.before_fall(3, &snippet(&A));
            edit.after(3, &snippet(&A));
        },
        |_, code| assert_eq!(code.bytes, made.code),
    );
}

#[test]
fn an_instruction_is_replaced_and_an_empty_replacement_leaves_a_nop() {
    let made = Made::new(&[op::ILOAD_0, op::POP, op::RETURN]);
    edited(
        &made,
        |edit| {
            edit.replace(0, &snippet(&[op::LCONST_0]));
            edit.replace(1, &snippet(&[op::POP2]));
            edit.before(1, &snippet(&A));
        },
        |_, code| assert_eq!(code.bytes, [op::LCONST_0, A[0], A[1], op::POP2, op::RETURN]),
    );
    let empty = |edit: &mut Edit<'_>| {
        edit.replace(0, &Snippet::new());
        edit.replace(1, &Snippet::new());
    };
    edited(&made, empty, |_, code| assert_eq!(code.bytes, [op::NOP, op::NOP, op::RETURN]));
}

#[test]
fn the_stack_is_as_deep_as_the_snippets_need() {
    let made = Made::new(&[op::ILOAD_0, op::POP, op::RETURN]);
    let depth = |change: fn(&mut Edit<'_>)| {
        let mut found = 0;
        edited(&made, change, |_, code| found = code.max_stack);
        found
    };
    assert_eq!(depth(|edit| edit.before(0, &snippet(&[op::LCONST_0, op::POP2]))), 4 + 2);
    // A value that waits below the instruction's own.
    let pair = |edit: &mut Edit<'_>| {
        edit.before(0, &snippet(&[op::LCONST_0]));
        edit.after(1, &snippet(&[op::POP2]));
    };
    assert!(depth(pair) >= 4 + 2);
    assert_eq!(depth(|edit| edit.replace(0, &snippet(&[op::ACONST_NULL]))), 4 + 1);
}

#[test]
fn a_switch_is_padded_anew() {
    // 0: iload_0; 1: tableswitch 0 -> 20, default 21
    let mut code = vec![op::ILOAD_0, op::TABLESWITCH, 0, 0];
    for word in [20i32, 0, 0, 19] {
        code.extend(word.to_be_bytes());
    }
    code.extend([op::RETURN, op::RETURN]);
    let made = Made::new(&code).with(b"StackMapTable", &[0, 2, 20, 0]);
    edited(
        &made,
        |edit| edit.before(0, &snippet(&[op::NOP])),
        |class, code| {
            let steps: Vec<_> = code.instructions().collect::<classfile::Result<_>>().expect("valid");
            let (pc, classfile::Instruction::Switch(switch)) = steps[2] else { panic!("no switch") };
            assert_eq!((pc, switch.default_target()), (2, 21));
            assert_eq!(switch.cases().collect::<Vec<_>>(), [(0, 20)]);
            assert_eq!(attribute(class, &code, b"StackMapTable"), [0, 2, 20, 0]);
        },
    );
}

#[test]
fn existing_handlers_follow_the_instructions_they_cover() {
    // 0: nop; 1: nop; 2: return; 3: pop; 4: return, with 1..2 covered
    let mut made = Made::new(&[op::NOP, op::NOP, op::RETURN, op::POP, op::RETURN]);
    made.major = 49;
    made.handlers.push([1, 2, 3, 0]);
    let range = |change: fn(&mut Edit<'_>)| {
        let mut found = Vec::new();
        edited(&made, change, |_, code| found = code.handlers().collect());
        (found[0].start, found[0].end, found[0].target)
    };
    let around = |edit: &mut Edit<'_>| {
        for pc in 0..2 {
            edit.before(pc, &snippet(&A));
            edit.after(pc, &snippet(&B));
        }
    };
    // 0: A 2: nop 3: B 5: A 7: nop 8: B 10: return
    assert_eq!(range(around), (5, 10, 11));
    let wider = |edit: &mut Edit<'_>| {
        edit.after(0, &snippet(&A));
        edit.cover_after(0);
    };
    assert_eq!(range(wider), (1, 4, 5));
    let narrower = |edit: &mut Edit<'_>| {
        edit.after(1, &snippet(&A));
        edit.uncover_after(1);
    };
    assert_eq!(range(narrower), (1, 2, 5));
}

#[test]
fn new_handlers_stand_where_they_were_asked_for() {
    let mut made = Made::new(&[op::NOP, op::NOP, op::RETURN, op::POP, op::RETURN]);
    made.handlers.push([0, 2, 3, 0]);
    made.attributes.push((b"StackMapTable", vec![0, 1, 64 + 3, 7, 0, 4]));
    let body = snippet(&[op::ATHROW]);
    let change = |edit: &mut Edit<'_>| {
        edit.before(1, &snippet(&A));
        edit.after(1, &snippet(&B));
        for (border, order) in [(Border::Around, Order::Outer), (Border::Inside, Order::Inner)] {
            edit.handler(Range { start: 1, end: 2, border }, Catch::Any, order, &body).expect("a body");
        }
        edit.handler(
            Range { start: 0, end: 5, border: Border::Around },
            Catch::Class(4),
            Order::Outer,
            &body,
        )
        .expect("a body");
    };
    edited(&made, change, |class, code| {
        // 0: nop 1: A 3: nop 4: B 6: return 7: pop 8: return 9: athrow 10: athrow 11: athrow
        assert_eq!(code.bytes.len(), 12);
        let handlers: Vec<_> = code.handlers().collect();
        let handler = |start, end, target, catch_type| Handler { start, end, target, catch_type };
        let expected = [handler(3, 4, 10, 0), handler(0, 6, 7, 0), handler(1, 6, 9, 0), handler(0, 9, 11, 4)];
        assert_eq!(handlers, expected);
        let frames = attribute(class, &code, b"StackMapTable");
        assert_eq!(&frames[..2], [0, 4]);
        assert_eq!([frames[2], frames[6], frames[10], frames[14]], [64 + 7, 64 + 1, 64, 64]);
    });
}

#[test]
fn a_local_of_the_whole_method_is_in_every_frame() {
    // One parameter, three locals: slots 1 and 2 are empty in the frame.
    let made = Made::new(&[op::ILOAD_0, op::IFEQ, 0, 3, op::RETURN]).with(b"StackMapTable", &[0, 1, 4]);
    let mut slot = 0;
    edited(
        &made,
        |edit| {
            slot = edit.method_local(Value::Long).expect("room");
            let mut entry = snippet(&[op::LCONST_0]);
            edit.entry(entry.store(Kind::Long, slot));
            assert_eq!(edit.new_local(Kind::Reference), Ok(5));
        },
        |class, code| {
            assert_eq!(code.max_locals, 6);
            // Appended: two empty slots and the long.
            assert_eq!(attribute(class, &code, b"StackMapTable"), [0, 1, 254, 0, 6, 0, 0, 4]);
        },
    );
    assert_eq!(slot, 3);
}

#[test]
fn an_object_in_the_making_is_known_by_the_new_place_of_its_new() {
    // 0: new; 3: iload_0; 4: ifeq 7; 7: pop; 8: return
    let code = [op::NEW, 0, 2, op::ILOAD_0, op::IFEQ, 0, 3, op::POP, op::RETURN];
    let made = Made::new(&code).with(b"StackMapTable", &[0, 1, 64 + 7, 8, 0, 0]);
    edited(
        &made,
        |edit| edit.before(0, &snippet(&A)),
        |class, code| {
            assert_eq!(attribute(class, &code, b"StackMapTable"), [0, 1, 64 + 9, 8, 0, 2]);
        },
    );
}

/// A method with a branch over many bytes, and how it looks when it got longer than a branch reaches.
fn stretched(opcode: u8, filler: usize) -> (Vec<u8>, Vec<u8>) {
    let mut code = vec![op::ILOAD_0, opcode, 0, 4, op::NOP, op::RETURN];
    if matches!(opcode, op::GOTO) {
        code[0] = op::NOP;
    }
    let mut made = Made::new(&code).with(b"StackMapTable", &[0, 1, 5]);
    made.stack = 1;
    let (mut bytes, mut frames) = (Vec::new(), Vec::new());
    edited(
        &made,
        |edit| edit.before(4, &snippet(&vec![op::NOP; filler])),
        |class, code| {
            bytes = code.bytes.to_vec();
            frames = attribute(class, &code, b"StackMapTable");
        },
    );
    (bytes, frames)
}

#[test]
fn a_branch_that_no_longer_reaches_is_turned_round_over_a_wide_one() {
    let (code, frames) = stretched(op::IFEQ, 32_000);
    assert_eq!(code[..4], [op::ILOAD_0, op::IFEQ, 0x7d, 0x04]);
    assert_eq!(frames.len(), 5);
    let (code, frames) = stretched(op::IFEQ, 33_000);
    assert_eq!(code[..5], [op::ILOAD_0, op::IFNE, 0, 8, op::GOTO_W]);
    // From the wide jump at 4 to the return.
    assert_eq!(code[5..9], (33_000i32 + 1 + 5).to_be_bytes());
    assert_eq!(code.last(), Some(&op::RETURN));
    // A frame behind the wide jump, and that of the return.
    let [high, low] = (33_000u16).to_be_bytes();
    assert_eq!(frames, [0, 2, 9, 251, high, low]);
    let (code, _) = stretched(op::GOTO, 33_000);
    assert_eq!(code[..2], [op::NOP, op::GOTO_W]);
    assert_eq!(code[2..6], (33_000i32 + 1 + 5).to_be_bytes());
}

#[test]
fn what_is_given_for_a_jump_runs_only_when_the_condition_jumps() {
    // 0 iload_0, 1 ifeq 6, 4 iconst_1, 5 pop, 6 return
    let code = [op::ILOAD_0, op::IFEQ, 0, 5, op::ICONST_1, op::POP, op::RETURN];
    let made = Made::new(&code).with(b"StackMapTable", &[0, 1, 6]);
    let change = |edit: &mut Edit<'_>| {
        edit.taken(1, &snippet(&[op::NOP]));
        edit.taken(1, &snippet(&[op::ICONST_0, op::POP]));
        edit.before(6, &snippet(&[op::ICONST_2, op::POP]));
    };
    edited(&made, change, |class, code| {
        let goto = [op::GOTO_W, 0, 0, 0, 7];
        let mut expected = vec![op::ILOAD_0, op::IFNE, 0, 11, op::NOP, op::ICONST_0, op::POP];
        expected.extend(goto);
        expected.extend([op::ICONST_1, op::POP, op::ICONST_2, op::POP, op::RETURN]);
        assert_eq!(code.bytes, expected);
        // A frame where the opposite condition goes, then the old one.
        assert_eq!(attribute(class, &code, b"StackMapTable"), [0, 2, 12, 1]);
    });
    for pc in [0, 4] {
        let bytes = made.bytes();
        let mut class = Class::parse(&bytes).expect("a class");
        let mut edit = Edit::new(&class, 0).expect("readable").expect("code");
        edit.taken(pc, &snippet(&[op::NOP]));
        assert!(edit.apply(&mut class).is_err(), "no condition at {pc}");
    }
}

#[test]
fn a_chain_of_handlers_throws_to_those_around_it() {
    // 0 iload_0, 1 istore_1, 2 iload_1, 3 pop, 4 return; 5 pop, 6 return: the handler, which needs local 1.
    let code = [op::ILOAD_0, op::ISTORE_1, op::ILOAD_1, op::POP, op::RETURN, op::POP, op::RETURN];
    // Full frame: two ints; some object.
    let mut made = Made::new(&code).with(b"StackMapTable", &[0, 1, 255, 0, 5, 0, 2, 1, 1, 0, 1, 7, 0, 4]);
    made.handlers = vec![[2, 4, 5, 0]];
    let bytes = made.bytes();
    let mut class = Class::parse(&bytes).expect("a class");
    let mut edit = Edit::new(&class, 0).expect("readable").expect("code");
    let range = |start, end| Range { start, end, border: Border::Inside };
    assert_eq!(edit.can_chain(&class, &[range(2, 3), range(3, 4)]), Ok(true));
    assert_eq!(edit.can_chain(&class, &[range(1, 3)]), Ok(false), "a part of it is caught");
    let outer = range(0, 7);
    edit.handler(outer, Catch::Any, Order::Outer, &snippet(&[op::ATHROW])).expect("it fits");
    let parts =
        [(vec![range(3, 4)], snippet(&[op::NOP])), (vec![range(2, 3)], snippet(&[op::NOP, op::ATHROW]))];
    edit.handler_chain(&parts, &[(1, Value::Int)]).expect("it fits");
    edit.apply(&mut class).expect("it fits");
    let woven = class.write().expect("it fits");
    let class = Class::parse(&woven).expect("a class");
    let code = class.code(&class.methods[0]).expect("readable").expect("code");
    // 7: the outer body. 8: a jump to the second body, at 12; the first one at 11 falls into it.
    assert_eq!(code.bytes[7..], [op::ATHROW, op::GOTO, 0, 4, op::NOP, op::NOP, op::ATHROW]);
    let handler = |start, end, target| Handler { start, end, target, catch_type: 0 };
    let expected = [
        handler(3, 4, 11),
        handler(2, 3, 8),
        handler(2, 4, 5),
        handler(0, 7, 7),
        handler(8, 14, 5),
        handler(8, 14, 7),
    ];
    assert_eq!(code.handlers().collect::<Vec<_>>(), expected);
    // The chain holds what those around it need, and what its maker knows.
    let mut flow = Flow::new(&class, &class.methods[0]).expect("readable").expect("code");
    for pc in [8, 11, 12] {
        let state = flow.before(pc).expect("an instruction").expect("reached");
        assert_eq!((state.locals(), state.stack().len()), (&[Value::Int, Value::Int][..], 1), "{pc}");
    }
    assert_eq!(flow.before(7).expect("an instruction").expect("reached").locals(), [Value::Int]);
}

#[test]
fn a_chain_that_falls_out_is_refused() {
    let made = Made::new(&[op::NOP, op::RETURN]);
    let bytes = made.bytes();
    let class = Class::parse(&bytes).expect("a class");
    let mut edit = Edit::new(&class, 0).expect("readable").expect("code");
    let range = Range { start: 0, end: 1, border: Border::Inside };
    assert!(edit.handler_chain(&[], &[]).is_err());
    assert!(edit.handler_chain(&[(vec![range], snippet(&[op::NOP]))], &[]).is_err());
    assert!(edit.handler_chain(&[(Vec::new(), snippet(&[op::ATHROW]))], &[]).is_err());
    assert!(edit.handler_chain(&[(vec![range], snippet(&[op::ATHROW]))], &[]).is_ok());
}

#[test]
fn lines_and_variables_keep_their_instructions() {
    let made = Made::new(&[op::NOP, op::NOP, op::RETURN])
        .with(b"LineNumberTable", &[0, 2, 0, 0, 0, 7, 0, 1, 0, 8])
        .with(b"LocalVariableTable", &[0, 2, 0, 0, 0, 3, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1])
        .with(b"LocalVariableTypeTable", &[0, 1, 0, 1, 0, 2, 0, 1, 0, 1, 0, 1]);
    let change = |edit: &mut Edit<'_>| {
        edit.entry(&snippet(&A));
        edit.before(1, &snippet(&A));
        edit.after(1, &snippet(&B));
    };
    edited(&made, change, |class, code| {
        // 0: A 2: nop 3: A 5: nop 6: B 8: return
        assert_eq!(code.lines(&class.pool).collect::<Vec<_>>(), [(0, 7), (3, 8)]);
        assert_eq!(code.line_of(&class.pool, 8), Some(8));
        let ranges: Vec<_> = code.local_variables(&class.pool).map(|v| (v.start, v.length)).collect();
        assert_eq!(ranges, [(0, 9), (3, 5)]);
        assert_eq!(attribute(class, &code, b"LocalVariableTypeTable")[..6], [0, 1, 0, 3, 0, 6]);
    });
}

#[test]
fn type_annotations_keep_what_they_speak_of() {
    let made = Made::new(&[op::NOP, op::NOP, op::RETURN]).with(
        b"RuntimeInvisibleTypeAnnotations",
        &[
            0, 4, 0x40, 0, 1, 0, 1, 0, 2, 0, 1, 0, 0, 1, 0, 0, 0x42, 0, 0, 0, 0, 1, 0, 0, 0x44, 0, 1, 1, 0,
            0, 0, 1, 0, 0, 0x47, 0, 1, 0, 0, 0, 1, 0, 0,
        ],
    );
    let change = |edit: &mut Edit<'_>| {
        edit.before(1, &snippet(&A));
        let range = Range { start: 0, end: 3, border: Border::Around };
        edit.handler(range, Catch::Any, Order::Inner, &snippet(&[op::ATHROW])).expect("a body");
    };
    edited(&made, change, |class, code| {
        let expected = [
            0, 4, 0x40, 0, 1, 0, 1, 0, 4, 0, 1, 0, 0, 1, 0, 0, 0x42, 0, 1, 0, 0, 1, 0, 0, 0x44, 0, 3, 1, 0,
            0, 0, 1, 0, 0, 0x47, 0, 3, 0, 0, 0, 1, 0, 0,
        ];
        assert_eq!(attribute(class, &code, b"RuntimeInvisibleTypeAnnotations"), expected);
    });
}

#[test]
fn attributes_that_are_not_known_stay() {
    let made = Made::new(&[op::RETURN]).with(b"StackMap", &[1, 2]).with(b"org.example.Mine", &[3]);
    edited(
        &made,
        |edit| edit.entry(&snippet(&A)),
        |class, code| {
            assert_eq!(attribute(class, &code, b"StackMap"), [1, 2]);
            assert_eq!(attribute(class, &code, b"org.example.Mine"), [3]);
        },
    );
}

#[test]
fn the_oldest_classes_keep_their_short_sizes() {
    let mut made = Made::new(&[op::RETURN]);
    (made.major, made.minor) = (45, 0);
    edited(
        &made,
        |edit| edit.entry(&snippet(&A)),
        |_, code| assert_eq!((code.bytes, code.max_stack), (&[A[0], A[1], op::RETURN][..], 5)),
    );
    made.stack = 255;
    let bytes = made.bytes();
    let mut class = Class::parse(&bytes).expect("a class");
    let mut edit = Edit::new(&class, 0).expect("readable").expect("code");
    edit.entry(&snippet(&A));
    assert!(edit.apply(&mut class).is_err_and(|error| error.reason.is_limit()));
}

#[test]
fn a_handler_may_not_hold_the_call_of_super() {
    // A(int n) { super(); }
    let mut made = Made::new(&[op::ALOAD_0, op::INVOKESPECIAL, 0, OBJECT_INIT, op::NOP, op::RETURN]);
    (made.access, made.name) = (0, b"<init>");
    let bytes = made.bytes();
    let mut class = Class::parse(&bytes).expect("a class");
    let mut edit = Edit::new(&class, 0).expect("readable").expect("code");
    assert_eq!(edit.initialised_from(&class), Ok(Some(4)));
    let after = Range { start: 4, end: 6, border: Border::Around };
    assert_eq!(edit.keeps_parameter(&class, after, 0), Ok(true));
    let all = Range { start: 0, ..after };
    edit.handler(all, Catch::Any, Order::Outer, &snippet(&[op::ATHROW])).expect("a body");
    let error = edit.apply(&mut class).expect_err("refused");
    assert!(matches!(error.reason, Reason::Refused(_)) && !error.reason.is_limit());
}

#[test]
fn parameters_are_kept_unless_stored_to_or_forgotten() {
    let bytes = Made::new(&[op::ICONST_0, op::ISTORE_1, op::RETURN]).bytes();
    let class = Class::parse(&bytes).expect("a class");
    let edit = Edit::new(&class, 0).expect("readable").expect("code");
    let all = Range { start: 0, end: 3, border: Border::Around };
    assert_eq!(edit.keeps_parameter(&class, all, 0), Ok(true));
    assert_eq!(edit.keeps_parameter(&class, all, 1), Ok(false), "no parameter");
    let bytes = Made::new(&[op::ICONST_0, op::ISTORE_0, op::RETURN]).bytes();
    let class = Class::parse(&bytes).expect("a class");
    let edit = Edit::new(&class, 0).expect("readable").expect("code");
    assert_eq!(edit.keeps_parameter(&class, all, 0), Ok(false));
    // The frame of the last instruction has forgotten the parameter.
    let made = Made::new(&[op::NOP, op::RETURN, op::RETURN]).with(b"StackMapTable", &[0, 1, 250, 0, 2]);
    let bytes = made.bytes();
    let class = Class::parse(&bytes).expect("a class");
    let edit = Edit::new(&class, 0).expect("readable").expect("code");
    assert_eq!(edit.keeps_parameter(&class, all, 0), Ok(false));
    assert_eq!(edit.keeps_parameter(&class, Range { end: 2, ..all }, 0), Ok(true));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let made = Made::new(&[op::SIPUSH, 0, 1, op::POP, op::RETURN]);
    let bytes = made.bytes();
    let mut class = Class::parse(&bytes).expect("a class");
    assert!(Edit::new(&class, 1).is_err());
    for pc in [1, 5, 70_000] {
        let mut edit = Edit::new(&class, 0).expect("readable").expect("code");
        edit.before(pc, &snippet(&A));
        assert!(edit.apply(&mut class).is_err(), "{pc}");
    }
    let mut edit = Edit::new(&class, 0).expect("readable").expect("code");
    let range = Range { start: 0, end: 5, border: Border::Around };
    assert!(edit.handler(range, Catch::Any, Order::Outer, &snippet(&A)).is_err(), "it falls through");
    let body = snippet(&[op::ATHROW]);
    assert!(edit.handler(Range { start: 5, ..range }, Catch::Any, Order::Outer, &body).is_err());
    assert!(edit.method_local(Value::UninitializedThis).is_err());
    assert_eq!(edit.apply(&mut class), Ok(false), "nothing was asked for");
    let mut edit = Edit::new(&class, 0).expect("readable").expect("code");
    edit.entry(&snippet(&A));
    assert_eq!(edit.apply(&mut class), Ok(true));
    assert!(Edit::new(&class, 0).is_err(), "edited once already");
}
