//! Hierarchies, resolution and dispatch on programs in text form.

use super::{Origin, Program};
use crate::ir::FieldRef;

const SHAPES: &str = "
    class java.lang.Object extends nothing { method java.lang.String toString() { r = null return r } }
    interface Shape { method abstract int area() method int twice() { r = 2 return r } }
    interface Named implements Shape { method int twice() { r = 4 return r } }
    abstract class Base implements Shape { field int size method private int area2() { r = 0 return r } }
    class Square extends Base implements Named {
        method int area() { s = get int Square.size of this t = get int Lost.x of this return s }
        method int use(Shape o) {
            a = call interface int Shape.area()(o)
            b = call virtual java.lang.String Square.toString()(this)
            c = call static int Gone.f()()
            return a
        }
    }
    class Sub extends Square { method int area() { r = 1 return r } }
";

fn program(text: &str) -> Program {
    Program::from_text(text).expect("a program")
}

#[test]
fn calls_run_the_method_of_the_receivers_class() {
    let program = program(SHAPES);
    let id = |name| program.class_named(name).expect(name);
    let area = program.method_named("Shape", "area", "()I").expect("declared");
    let twice = program.method_named("Shape", "twice", "()I").expect("declared");
    let owner = |receiver, named| {
        program.dispatch(id(receiver), named).map(|found| program.class(program.method(found).owner).name())
    };
    assert_eq!(owner("Square", area), Some("Square"));
    assert_eq!(owner("Sub", area), Some("Sub"));
    assert_eq!(owner("Base", area), None);
    // Of two default methods the one of the interface further down.
    assert_eq!(owner("Sub", twice), Some("Named"));
    assert_eq!(owner("Base", twice), Some("Shape"));
}

#[test]
fn names_in_code_are_resolved_upwards() {
    let program = program(SHAPES);
    let square = program.class_named("Square").expect("a class");
    let size = program.field_of(square, FieldRef(0)).expect("a field");
    assert_eq!(Some(size), program.field_named("Base", "size"));
    // A field of a class that is nowhere has a number all the same.
    let lost = program.field_of(square, FieldRef(1)).expect("a field");
    assert_eq!((program.field(lost).index, &*program.field(lost).name), (None, "x"));
    let methods = &program.class(square).code.table.methods;
    let found: Vec<Option<&str>> = (0..methods.len() as u32)
        .map(|number| {
            let method = program.method_of(square, crate::ir::MethodRef(number))?;
            Some(program.class(program.method(method).owner).name())
        })
        .collect();
    assert_eq!(found, [Some("Shape"), Some("java/lang/Object"), None]);
}

#[test]
fn subtypes_are_known_both_ways() {
    let program = program(SHAPES);
    let id = |name| program.class_named(name).expect(name);
    assert!(program.is_below(id("Sub"), id("Shape")) && program.is_below(id("Sub"), id("java/lang/Object")));
    assert!(!program.is_below(id("Base"), id("Named")));
    let below: Vec<&str> =
        program.class(id("Named")).below().iter().map(|id| program.class(*id).name()).collect();
    assert_eq!(below, ["Named", "Square", "Sub"]);
    assert_eq!(program.class(id("Gone")).origin, Origin::Missing);
}

#[test]
fn a_hierarchy_in_circles_is_cut_open() {
    let program = program(
        "class A extends B { } class B extends C { } class C extends A { }
         interface I implements I { } class D extends A implements I { }",
    );
    let id = |name| program.class_named(name).expect(name);
    assert!(program.is_below(id("D"), id("A")) && program.is_below(id("D"), id("I")));
    assert_eq!(program.chain(id("D")).count(), 4);
}
