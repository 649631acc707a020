//! Subroutines, put together by hand as compilers made them until about 2003: each call leads to a copy that comes back
//! to where it was called.

use classfile::{Class, flags, op};
use program::ir::{Body, Code, Op, print, verify};
use program::lower::lower;

/// A class with one static method `f` of that descriptor, code and exception table.
fn class_with(descriptor: &[u8], code: &[u8], handlers: &[u8], access: u16) -> Vec<u8> {
    let mut class = Class::new(46, flags::PUBLIC, b"A", b"java/lang/Object").expect("room");
    let mut body = vec![0, 20, 0, 20];
    body.extend((code.len() as u32).to_be_bytes());
    body.extend(code);
    body.extend(((handlers.len() / 8) as u16).to_be_bytes());
    body.extend(handlers);
    body.extend([0, 0]);
    class.add_method(flags::STATIC | access, b"f", descriptor, Some(body)).expect("room");
    class.write().expect("it fits")
}

/// Lowers it and looks at the body, or says why there is none.
fn lowered<T>(bytes: &[u8], look: impl FnOnce(&Body, &str) -> T) -> Result<T, String> {
    let class = lower(bytes).expect("a class");
    let text = print(&class);
    assert_eq!(verify(&class), [], "{text}");
    match &class.methods[0].code {
        Code::Gap(why) => Err(class.table.text(*why).to_owned()),
        Code::Body(body) => Ok(look(body, &text)),
        Code::Absent | Code::Unread => panic!("no code"),
    }
}

fn count(body: &Body, wanted: impl Fn(&Op) -> bool) -> usize {
    body.insts.iter().filter(|inst| wanted(&inst.op)).count()
}

/// What is returned, as the numbers from which it may have come.
fn returned(body: &Body) -> Vec<i32> {
    let made = |reg| body.insts.iter().find(|inst| inst.result == reg).map(|inst| inst.op);
    let ends = body.insts.iter().filter_map(|inst| match inst.op {
        Op::Return { value } => Some(value),
        _ => None,
    });
    ends.filter_map(made)
        .filter_map(|op| if let Op::Int(number) = op { Some(number) } else { None })
        .collect()
}

#[test]
fn every_call_gets_a_copy_and_comes_back_to_its_own_place() {
    // 0: iconst_1; 1: istore_0; 2: jsr 12; 5: iconst_2; 6: istore_0; 7: jsr 12; 10: iload_0; 11: ireturn;
    // 12: astore_1; 13: iconst_5; 14: istore_2; 15: nop; 16: ret 1
    let code = [
        op::ICONST_1,
        op::ISTORE_0,
        op::JSR,
        0,
        10,
        op::ICONST_2,
        op::ISTORE_0,
        op::JSR,
        0,
        5,
        op::ILOAD_0,
        op::IRETURN,
        op::ASTORE_1,
        op::ICONST_5,
        op::ISTORE_2,
        op::NOP,
        op::RET,
        1,
    ];
    let (fives, returned) = lowered(&class_with(b"()I", &code, &[], 0), |body, text| {
        let fives = count(body, |op| matches!(op, Op::Int(5)));
        assert_eq!(count(body, |op| matches!(op, Op::Return { .. })), 1, "{text}");
        (fives, returned(body))
    })
    .expect("two calls");
    // What it does stands there twice, and the value of the second call is what is returned.
    assert_eq!((fives, returned), (2, vec![2]));
}

#[test]
fn a_local_may_be_of_different_kinds_at_the_calls() {
    // 0: fconst_0; 1: fstore_2; 2: jsr 12; 5: iconst_3; 6: istore_2; 7: jsr 12; 10: iload_2; 11: ireturn; 12: astore_1;
    // 13: ret 1. Local 2 is a float at the first call and an int at the second; after the second it is read as an int.
    let code = [
        op::FCONST_0,
        op::FSTORE_2,
        op::JSR,
        0,
        10,
        op::ICONST_3,
        op::ISTORE_2,
        op::JSR,
        0,
        5,
        op::ILOAD_2,
        op::IRETURN,
        op::ASTORE_1,
        op::RET,
        1,
    ];
    let found = lowered(&class_with(b"()I", &code, &[], 0), |body, _| returned(body));
    assert_eq!(found, Ok(vec![3]));
}

#[test]
fn subroutines_within_subroutines_come_back_one_after_the_other() {
    // 0: jsr 5; 3: iconst_4; 4: ireturn; 5: astore_1; 6: jsr 11; 9: ret 1; 11: astore_2; 12: iconst_5; 13: pop; 14: ret 2
    let code = [
        op::JSR,
        0,
        5,
        op::ICONST_4,
        op::IRETURN,
        op::ASTORE_1,
        op::JSR,
        0,
        5,
        op::RET,
        1,
        op::ASTORE_2,
        op::ICONST_5,
        op::POP,
        op::RET,
        2,
    ];
    let found = lowered(&class_with(b"()I", &code, &[], 0), |body, _| returned(body));
    assert_eq!(found, Ok(vec![4]));
}

#[test]
fn an_inner_subroutine_may_go_back_for_the_outer_one() {
    // 0: jsr 5; 3: iconst_4; 4: ireturn; 5: astore_1; 6: jsr 11; 9: iconst_2; 10: ireturn; 11: astore_2; 12: ret 1
    let code = [
        op::JSR,
        0,
        5,
        op::ICONST_4,
        op::IRETURN,
        op::ASTORE_1,
        op::JSR,
        0,
        5,
        op::ICONST_2,
        op::IRETURN,
        op::ASTORE_2,
        op::RET,
        1,
    ];
    let found = lowered(&class_with(b"()I", &code, &[], 0), |body, _| returned(body));
    assert_eq!(found, Ok(vec![4]));
}

#[test]
fn a_finally_runs_after_the_block_and_after_an_exception() {
    // A synchronized method: 0: aconst_null; 1: arraylength; 2: pop; 3: jsr 13; 6: return;
    // 7: astore_0; 8: jsr 13; 11: aload_0; 12: athrow; 13: astore_1; 14: iconst_5; 15: pop; 16: ret 1; handler of 0..6: 7
    let code = [
        op::ACONST_NULL,
        op::ARRAYLENGTH,
        op::POP,
        op::JSR,
        0,
        10,
        op::RETURN,
        op::ASTORE_0,
        op::JSR,
        0,
        5,
        op::ALOAD_0,
        op::ATHROW,
        op::ASTORE_1,
        op::ICONST_5,
        op::POP,
        op::RET,
        1,
    ];
    let handlers = [0, 0, 0, 6, 0, 7, 0, 0];
    for access in [0, flags::SYNCHRONIZED] {
        let found = lowered(&class_with(b"()V", &code, &handlers, access), |body, _| {
            let throws = count(body, |op| matches!(op, Op::Throw { .. }));
            let exits = count(body, |op| matches!(op, Op::Exit { .. }));
            (count(body, |op| matches!(op, Op::Int(5))), throws, exits)
        });
        // The handler that the JVM implies gives up the monitor and throws once more.
        let wanted = if access == 0 { (2, 1, 0) } else { (2, 2, 2) };
        assert_eq!(found, Ok(wanted));
    }
}

#[test]
fn a_loop_that_leaves_its_subroutine_by_a_jump_has_an_end() {
    // 0: jsr 4; 3: return; 4: astore_1; 5: iconst_0; 6: ifeq 0 (leaves it, and calls it again); 9: ret 1
    let code = [op::JSR, 0, 4, op::RETURN, op::ASTORE_1, op::ICONST_0, op::IFEQ, 0xff, 0xfa, op::RET, 1];
    let found = lowered(&class_with(b"()V", &code, &[], 0), |body, _| body.blocks.len());
    assert!(found.as_ref().is_ok_and(|blocks| *blocks < 8), "{found:?}");
}

#[test]
fn a_subroutine_that_drops_its_address_never_comes_back() {
    // 0: jsr 4; 3: nop (never reached); 4: pop; 5: return
    let code = [op::JSR, 0, 4, op::NOP, op::POP, op::RETURN];
    assert_eq!(lowered(&class_with(b"()V", &code, &[], 0), |body, _| body.blocks.len()).map(|_| ()), Ok(()));
}

#[test]
fn what_cannot_be_told_apart_or_grows_too_large_is_a_gap_that_says_so() {
    let refused = |code: &[u8]| {
        let why = lowered(&class_with(b"()V", code, &[], 0), |_, _| ()).expect_err("it cannot be told apart");
        assert!(why.contains("subroutines (jsr)"), "{why}");
    };
    // Back to where nobody called.
    refused(&[op::RET, 0]);
    // The address is put away later than first thing.
    refused(&[op::JSR, 0, 4, op::RETURN, op::NOP, op::ASTORE_0, op::RET, 0]);
    // Each of sixteen subroutines calls the next one twice: 65 536 copies of the last.
    let mut code = vec![op::JSR, 0, 4, op::RETURN];
    for local in 1..16u8 {
        code.extend([op::ASTORE, local, op::JSR, 0, 8, op::JSR, 0, 5, op::RET, local]);
    }
    code.extend([op::ASTORE, 16, op::NOP, op::NOP, op::RET, 16]);
    refused(&code);
}
