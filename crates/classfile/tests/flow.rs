//! The types before instructions, on small methods written by hand. No JVM is needed; `corpus.rs` compares the two ways of
//! finding them on real code.

use classfile::{Class, Flow, State, Value, flags, op};

/// Constants of the classes made here: each a class and the constructor of Object.
const THIS: u8 = 2;
const OBJECT: u8 = 4;
const OBJECT_INIT: u8 = 8;
const TEXTS: u8 = 10;

fn class_with(
    major: u16,
    access: u16,
    name: &[u8],
    descriptor: &[u8],
    code: &[u8],
    handlers: &[u8],
) -> Vec<u8> {
    let mut class = Class::new(major, 0, b"A", b"java/lang/Object").expect("room");
    let init = class.pool.add_method_ref(b"java/lang/Object", b"<init>", b"()V");
    assert_eq!(init, Ok(u16::from(OBJECT_INIT)));
    assert_eq!(class.pool.add_class(b"[[Ljava/lang/String;"), Ok(u16::from(TEXTS)));
    let mut body = vec![0, 9, 0, 5];
    body.extend((code.len() as u32).to_be_bytes());
    body.extend(code);
    body.extend(((handlers.len() / 8) as u16).to_be_bytes());
    body.extend(handlers);
    body.extend([0, 0]);
    class.add_method(access, name, descriptor, Some(body)).expect("room");
    class.write().expect("it fits")
}

/// A static method of an old class.
fn old(descriptor: &[u8], code: &[u8]) -> Vec<u8> {
    class_with(48, flags::STATIC, b"f", descriptor, code, &[])
}

/// Looks at the state before a pc.
fn at<T>(bytes: &[u8], pc: u32, look: impl FnOnce(&Flow<'_>, Option<&State>) -> T) -> T {
    let class = Class::parse(bytes).expect("a class");
    let mut flow = Flow::new(&class, &class.methods[0]).expect("readable").expect("code");
    let state = flow.before(pc).expect("valid").cloned();
    look(&flow, state.as_ref())
}

fn name_of(flow: &Flow<'_>, value: Option<Value>) -> Vec<u8> {
    match value {
        Some(Value::Object(class)) => flow.class_name(class).expect("a name").to_vec(),
        other => format!("{other:?}").into_bytes(),
    }
}

#[test]
fn this_becomes_an_object_when_super_has_been_called() {
    // 0: aload_0; 1: dup; 2: invokespecial; 5: pop; 6: return
    let code = [op::ALOAD_0, op::DUP, op::INVOKESPECIAL, 0, OBJECT_INIT, op::POP, op::RETURN];
    for major in [48, 52] {
        let bytes = class_with(major, 0, b"<init>", b"(J)V", &code, &[]);
        at(&bytes, 2, |_, state| {
            let state = state.expect("reached");
            assert_eq!(state.locals(), [Value::UninitializedThis, Value::Long, Value::Second]);
            assert_eq!(state.stack(), [Value::UninitializedThis; 2]);
        });
        at(&bytes, 5, |flow, state| {
            let state = state.expect("reached");
            assert_eq!(name_of(flow, Some(state.local(0))), b"A");
            assert_eq!(name_of(flow, state.peek(0)), b"A");
        });
    }
}

#[test]
fn a_new_object_is_known_by_its_place_until_it_is_made() {
    // 0: new Object; 3: dup; 4: invokespecial; 7: pop; 8: return
    let code = [op::NEW, 0, OBJECT, op::DUP, op::INVOKESPECIAL, 0, OBJECT_INIT, op::POP, op::RETURN];
    let bytes = old(b"()V", &code);
    at(&bytes, 4, |_, state| assert_eq!(state.expect("reached").stack(), [Value::Uninitialized(0); 2]));
    at(&bytes, 7, |flow, state| {
        assert_eq!(name_of(flow, state.expect("reached").peek(0)), b"java/lang/Object");
    });
}

#[test]
fn where_different_classes_meet_there_is_some_object() {
    // 0: iload_0; 1: ifeq 9; 4: aload_1 or aconst_null; 5: nop; 6: goto 10; 9: aload_2; 10: pop; 11: return
    let code = |first| {
        [op::ILOAD_0, op::IFEQ, 0, 8, first, op::NOP, op::GOTO, 0, 4, op::ALOAD_2, op::POP, op::RETURN]
    };
    let bytes = old(b"(ILa/B;La/C;)V", &code(op::ALOAD_1));
    at(&bytes, 10, |_, state| assert_eq!(state.expect("reached").stack(), [Value::SomeObject]));
    let bytes = old(b"(ILa/B;La/C;)V", &code(op::ACONST_NULL));
    at(&bytes, 10, |flow, state| assert_eq!(name_of(flow, state.expect("reached").peek(0)), b"a/C"));
    // A number and an object have nothing in common.
    let bytes = old(b"(ILa/B;La/C;)V", &code(op::ICONST_0));
    at(&bytes, 10, |_, state| assert_eq!(state.expect("reached").stack(), [Value::Top]));
}

#[test]
fn what_is_never_reached_has_no_types() {
    let bytes = old(b"()V", &[op::RETURN, op::NOP, op::RETURN]);
    at(&bytes, 0, |_, state| assert!(state.is_some()));
    at(&bytes, 1, |_, state| assert!(state.is_none()));
    at(&bytes, 2, |_, state| assert!(state.is_none()));
}

#[test]
fn elements_of_arrays_are_known_by_the_array() {
    // 0: aload_0; 1: checkcast String[][]; 4: iconst_0; 5: aaload; 6: iconst_0; 7: aaload; 8: pop; 9: return
    let code = [
        op::ALOAD_0,
        op::CHECKCAST,
        0,
        TEXTS,
        op::ICONST_0,
        op::AALOAD,
        op::ICONST_0,
        op::AALOAD,
        op::POP,
        op::RETURN,
    ];
    let bytes = old(b"(Ljava/lang/Object;)V", &code);
    let before = |pc| at(&bytes, pc, |flow, state| name_of(flow, state.expect("reached").peek(0)));
    assert_eq!(before(4), b"[[Ljava/lang/String;");
    assert_eq!(before(6), b"[Ljava/lang/String;");
    assert_eq!(before(8), b"java/lang/String");
    // 0: iconst_1; 1: anewarray A; 4: pop; 5: return
    let bytes = old(b"()V", &[op::ICONST_1, op::ANEWARRAY, 0, THIS, op::POP, op::RETURN]);
    at(&bytes, 4, |flow, state| assert_eq!(name_of(flow, state.expect("reached").peek(0)), b"[LA;"));
}

#[test]
fn a_handler_knows_what_all_it_covers_agree_on() {
    // 0: iconst_0; 1: istore_1; 2: lconst_0; 3: lstore_1; 4: return; 5: pop; 6: return, with 0..4 covered
    let code = [op::ICONST_0, op::ISTORE_1, op::LCONST_0, op::LSTORE_1, op::RETURN, op::POP, op::RETURN];
    let handlers = [0, 0, 0, 4, 0, 5, 0, 0];
    let bytes = class_with(48, flags::STATIC, b"f", b"(I)V", &code, &handlers);
    at(&bytes, 5, |flow, state| {
        let state = state.expect("reached");
        assert_eq!((state.local(0), state.local(1)), (Value::Int, Value::Top));
        assert_eq!(name_of(flow, state.peek(0)), b"java/lang/Throwable");
    });
    at(&bytes, 4, |_, state| {
        assert_eq!(state.expect("reached").locals(), [Value::Int, Value::Long, Value::Second])
    });
}

#[test]
fn a_subroutine_comes_back_to_all_its_callers() {
    // 0: jsr 11; 3: fconst_0; 4: fstore_2; 5: jsr 11; 8: return; 9: nop; 10: return; 11: astore_1; 12: ret 1
    let code = [
        op::JSR,
        0,
        11,
        op::FCONST_0,
        op::FSTORE_2,
        op::JSR,
        0,
        6,
        op::RETURN,
        op::NOP,
        op::RETURN,
        op::ASTORE_1,
        op::RET,
        1,
    ];
    let bytes = old(b"(I)V", &code);
    at(&bytes, 11, |_, state| assert_eq!(state.expect("reached").stack(), [Value::ReturnAddress(11)]));
    at(&bytes, 3, |_, state| assert_eq!(state.expect("reached").local(0), Value::Int));
    // The two callers disagree about local 2, so nothing is said of it.
    at(&bytes, 8, |_, state| {
        let state = state.expect("reached");
        assert_eq!((state.local(0), state.local(2)), (Value::Int, Value::Top));
    });
    at(&bytes, 9, |_, state| assert!(state.is_none()));
}

#[test]
fn states_can_be_asked_for_in_any_order() {
    let bytes = old(b"()V", &[op::ICONST_0, op::FCONST_0, op::POP2, op::RETURN]);
    let class = Class::parse(&bytes).expect("a class");
    let mut flow = Flow::new(&class, &class.methods[0]).expect("readable").expect("code");
    for (pc, depth) in [(2, 2), (2, 2), (1, 1), (3, 0), (0, 0), (3, 0)] {
        assert_eq!(flow.before(pc).expect("valid").expect("reached").stack().len(), depth, "{pc}");
    }
    assert!(flow.before(4).is_err(), "behind the end");
    assert_eq!(flow.before(1).expect("valid").expect("reached").stack(), [Value::Int]);
}

#[test]
fn a_stack_with_two_depths_is_an_error() {
    // 0: iconst_0; 1: goto 0
    let bytes = old(b"()V", &[op::ICONST_0, op::GOTO, 0xff, 0xff]);
    let class = Class::parse(&bytes).expect("a class");
    assert!(Flow::new(&class, &class.methods[0]).is_err());
    let bytes = old(b"()V", &[op::POP, op::RETURN]);
    let class = Class::parse(&bytes).expect("a class");
    assert!(Flow::new(&class, &class.methods[0]).is_err(), "nothing to pop");
}
