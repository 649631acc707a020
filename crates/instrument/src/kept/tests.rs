//! Small methods, and which of their accesses touch what they keep to themselves.

use classfile::{Assembler, Class, Snippet, flags};

use super::*;

/// What a method is made of here; fields are `A.f`.
#[derive(Clone, Copy)]
enum Piece {
    /// Makes an object of the class: `new`, `dup`, its constructor.
    New(&'static [u8]),
    Array,
    Get(u16),
    Put(u16),
    Read,
    Write,
    Element,
    Op(u8),
    Int,
    Static,
    /// An array of objects.
    Objects,
    /// Gets the first element of an array of objects.
    Load,
    /// Gets and puts the field `A.next`, a reference; to put it, the object is below the value.
    Next,
    SetNext,
    /// The same field, named as one of a subclass.
    NextOfSubclass,
    /// A static method that takes an object.
    Give,
    Lock,
    At(usize),
    To(u8, usize),
}
use Piece::*;

/// The accesses, counted from 0, that surely touch what is kept. Handlers: first label, last, target.
fn kept(pieces: &[Piece], handlers: &[[usize; 3]]) -> Vec<usize> {
    both(pieces, handlers, None).0
}

/// Those, and those that do so if their class is blank. One class may be known to be blank.
fn both(pieces: &[Piece], handlers: &[[usize; 3]], blank: Option<&[u8]>) -> (Vec<usize>, Vec<usize>) {
    let mut class = Class::new(49, flags::PUBLIC, b"B", b"java/lang/Object").expect("room");
    let mut method = Assembler::new();
    let labels: Vec<_> = (0..4).map(|_| method.label()).collect();
    for piece in pieces {
        let mut code = Snippet::new();
        let pool = &mut class.pool;
        match *piece {
            New(name) => {
                code.class_op(pool, op::NEW, name).expect("room").plain(op::DUP).expect("plain");
                code.invoke_special(pool, name, b"<init>", b"()V").expect("room");
            }
            Array => drop(code.int(pool, 5).expect("room").new_array(10).expect("a type")),
            Get(local) => drop(code.load(Moves::Reference, local)),
            Put(local) => drop(code.store(Moves::Reference, local)),
            Read => {
                code.field(pool, op::GETFIELD, b"A", b"f", b"J")
                    .expect("room")
                    .plain(op::POP2)
                    .expect("plain");
            }
            Write => {
                code.plain(op::LCONST_0).expect("plain");
                code.field(pool, op::PUTFIELD, b"A", b"f", b"J").expect("room");
            }
            Element => {
                code.int(pool, 0)
                    .expect("room")
                    .plain(op::IALOAD)
                    .expect("plain")
                    .plain(op::POP)
                    .expect("plain");
            }
            Op(opcode) => drop(code.plain(opcode).expect("plain")),
            Int => drop(code.int(pool, 0).expect("room")),
            Static => drop(code.field(pool, op::PUTSTATIC, b"B", b"g", b"LA;").expect("room")),
            Objects => {
                code.int(pool, 5).expect("room").class_op(pool, op::ANEWARRAY, b"A").expect("room");
            }
            Load => drop(code.int(pool, 0).expect("room").plain(op::AALOAD).expect("plain")),
            Next => drop(code.field(pool, op::GETFIELD, b"A", b"next", b"LA;").expect("room")),
            SetNext => drop(code.field(pool, op::PUTFIELD, b"A", b"next", b"LA;").expect("room")),
            NextOfSubclass => drop(code.field(pool, op::GETFIELD, b"S", b"next", b"LA;").expect("room")),
            Give => drop(code.invoke_static(pool, b"B", b"h", b"(Ljava/lang/Object;)V").expect("room")),
            Lock => drop(code.plains(&[op::DUP, op::MONITORENTER, op::MONITOREXIT]).expect("plain")),
            At(number) => drop(method.bind(labels[number]).expect("once")),
            To(opcode, number) => drop(method.branch(opcode, labels[number]).expect("a branch")),
        }
        method.add(&code);
    }
    method.add(Snippet::new().plain(op::RETURN).expect("plain"));
    for [start, end, target] in handlers {
        method.handler(labels[*start], labels[*end], labels[*target], 0);
    }
    let number = method.finish(&mut class, flags::STATIC, b"f", b"(LA;LA;LA;)V").expect("a method");
    let bytes = class.write().expect("bytes");
    let class = Class::parse(&bytes).expect("a class");
    let code = class.code(&class.methods[number]).expect("readable").expect("code");
    let steps = code.instructions().map(|step| step.expect("an instruction"));
    let is_access = |instruction: &Instruction<'_>| {
        matches!(
            instruction,
            Instruction::Field { opcode: op::GETFIELD | op::PUTFIELD, .. }
                | Instruction::Plain(op::IALOAD | op::AALOAD | op::AASTORE)
        )
    };
    let accesses: Vec<u32> = steps.filter(|(_, step)| is_access(step)).map(|(pc, _)| pc).collect();
    let found = find(&code, &class.pool, blank).expect("readable");
    let numbers = |pcs: &[u32]| pcs.iter().map(|pc| accesses.binary_search(pc).expect("an access")).collect();
    (numbers(&found.surely), numbers(&found.if_blank))
}

const A: Piece = New(b"A");

#[test]
fn what_is_only_accessed_is_kept() {
    assert_eq!(kept(&[A, Put(0), Get(0), Write, Get(0), Read, Get(0), Lock, Op(op::POP)], &[]), [0, 1]);
    assert_eq!(kept(&[Array, Put(0), Get(0), Element], &[]), [0]);
}

#[test]
fn what_comes_from_elsewhere_is_not() {
    assert_eq!(kept(&[A, Put(0), Get(1), Read, Get(0), Read], &[]), [1]);
    // On one way it is the parameter still.
    let either = [Int, To(op::IFEQ, 0), A, Put(0), At(0), Get(0), Read];
    assert!(kept(&either, &[]).is_empty());
}

#[test]
fn null_is_nobodys() {
    let either = [Op(op::ACONST_NULL), Put(0), Int, To(op::IFEQ, 0), A, Put(0), At(0), Get(0), Read];
    assert_eq!(kept(&either, &[]), [0]);
}

#[test]
fn what_is_given_away_is_lost_before_and_after() {
    for away in [&[Static][..], &[Give], &[Op(op::ATHROW)]] {
        let pieces =
            [&[A, Put(0), Get(0), Read, Int, To(op::IFEQ, 0), Get(0)][..], away, &[At(0), Get(0), Read]];
        assert!(kept(&pieces.concat(), &[]).is_empty());
    }
    // Stored in the element of another array, which is kept itself.
    let stored = [A, Put(0), Get(1), Int, Get(0), Op(op::AASTORE), Get(0), Read];
    assert!(kept(&stored, &[]).is_empty());
}

#[test]
fn a_copy_is_the_same_object() {
    assert!(kept(&[A, Op(op::DUP), Put(0), Static, Get(0), Read], &[]).is_empty());
    assert!(kept(&[A, Put(0), Get(0), Put(1), Get(1), Static, Get(0), Read], &[]).is_empty());
}

#[test]
fn one_place_makes_many_objects_in_a_loop() {
    let kept_in_loop = [At(0), A, Put(0), Get(0), Write, Int, To(op::IFEQ, 0)];
    assert_eq!(kept(&kept_in_loop, &[]), [0]);
    // The one of the iteration before is given away.
    let lost =
        [A, Put(1), At(0), Get(1), Static, A, Put(0), Get(0), Write, Get(0), Put(1), Int, To(op::IFEQ, 0)];
    assert!(kept(&lost, &[]).is_empty());
}

#[test]
fn a_handler_finds_what_was_there_at_any_time() {
    // Local 0 is the new object for a while, and then the parameter again.
    let pieces = [
        At(0),
        A,
        Put(0),
        Get(0),
        Read,
        Get(1),
        Put(0),
        At(1),
        To(op::GOTO, 3),
        At(2),
        Op(op::POP),
        Get(0),
        Static,
        At(3),
    ];
    assert!(kept(&pieces, &[[0, 1, 2]]).is_empty());
    assert_eq!(kept(&pieces, &[]), [0], "without a handler nothing leads to the store");
}

#[test]
fn an_object_is_accessed_as_what_it_was_made() {
    assert!(kept(&[A, Op(op::POP), New(b"C"), Read], &[]).is_empty());
}

const STORE: Piece = Op(op::AASTORE);

#[test]
fn what_is_put_into_a_kept_array_is_kept_and_comes_out_again() {
    let pieces = [Objects, Put(0), Get(0), Int, A, STORE, Get(0), Load, Read, Get(0), Load, Write];
    assert_eq!(kept(&pieces, &[]), [0, 1, 2, 3, 4]);
    // The array is given away, and all that is in it.
    let lost = [&pieces[..], &[Get(0), Give]].concat();
    assert!(kept(&lost, &[]).is_empty());
    // One is taken out and given away.
    let taken = [&pieces[..], &[Get(0), Load, Static]].concat();
    assert_eq!(kept(&taken, &[]), [0, 1, 3, 5]);
}

#[test]
fn what_others_put_into_an_array_is_not_kept() {
    let pieces = [Objects, Put(0), Get(0), Int, Get(1), STORE, Get(0), Load, Read];
    assert_eq!(kept(&pieces, &[]), [0, 1]);
}

#[test]
fn what_is_in_an_object_is_known_if_its_constructor_left_it_blank() {
    let pieces =
        [A, Put(0), Get(0), A, SetNext, Get(0), Next, Read, Get(0), Next, Put(1), Get(1), Next, Op(op::POP)];
    // To put and to get it are accesses to the first object.
    assert_eq!(both(&pieces, &[], None), (vec![0, 1, 3], vec![2, 4]));
    assert_eq!(both(&pieces, &[], Some(b"A")), (vec![0, 1, 2, 3, 4], vec![]));
    assert_eq!(both(&pieces, &[], Some(b"C")), (vec![0, 1, 3], vec![2, 4]));
}

#[test]
fn a_list_is_kept_while_its_head_is() {
    let build = [Op(op::ACONST_NULL), Put(0), At(0), A, Put(1), Get(1), Get(0), SetNext, Get(1), Put(0)];
    let walk =
        [Int, To(op::IFEQ, 0), At(1), Get(0), Write, Get(0), Next, Put(0), Get(0), To(op::IFNONNULL, 1)];
    let list = [&build[..], &walk].concat();
    assert_eq!(both(&list, &[], None), (vec![0], vec![1, 2]));
    let lost = [&list[..], &[Get(0), Give]].concat();
    assert_eq!(both(&lost, &[], None), (vec![], vec![]));
}

#[test]
fn a_field_is_the_same_by_whatever_class_it_is_named() {
    let pieces =
        [A, Put(0), Get(0), A, Op(op::DUP), Put(1), SetNext, Get(0), NextOfSubclass, Static, Get(1), Read];
    // What is taken out and given away is the second object.
    assert_eq!(both(&pieces, &[], Some(b"A")).0, [0]);
}

#[test]
fn what_is_put_into_an_object_of_others_is_lost() {
    let pieces = [A, Put(0), Get(1), Get(0), SetNext, Get(0), Read];
    assert!(kept(&pieces, &[]).is_empty());
    // It may be an object of others on one way only.
    let either = [A, Put(0), Int, To(op::IFEQ, 0), A, Put(1), At(0), Get(1), Get(0), SetNext, Get(0), Read];
    assert!(kept(&either, &[]).is_empty());
}
