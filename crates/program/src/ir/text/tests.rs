//! The text form: what is printed is read again as the same, what is written by hand is understood, what is wrong is
//! refused with its line.

use super::{parse, parse_class, print};
use crate::ir::{Op, Reg, verify};

/// Every operation and every part of a class.
const EVERYTHING: &str = r#"
@a.Marker
@a.Told(name = "x", name = "y\n\"z\"")
public abstract synthetic class a.b.C$D extends a.Base implements java.lang.Runnable, `a/b-c` source "C.java" {
    @GuardedBy(value = "this")
    field private volatile int[][] cells
    field static final java.lang.String `odd name`
    method abstract native int nothing(int, `a/b-c`)
    method public static void broken() gap "jsr"
    method void outline() unread
    // a comment
    method protected synchronized long all(int x, java.lang.Object o, long y) {
    entry catch java.lang.Exception wrong(caught, x) catch any any(caught):
        line 7
        i = -5
        l = 9000000000L
        f = float 0x3f800000
        d = double 0x3ff0000000000000
        n = null
        t = "text \u{1} \\ `"
        c = class int[]
        cc = class a.b.C$D
        h = handle getstatic int a.B.f
        h2 = handle virtual void a.B.m(int, a.B[])
        mt = type "(I)V"
        s = add x, i @40
        s2 = shl long y, i
        s3 = cmpg double d, d
        m = neg double d
        w = i2l s
        g = get int[][] a.b.C$D.cells of this
        put int[][] a.b.C$D.cells of this = g
        st = getstatic java.lang.String a.b.C$D.`odd name`
        putstatic java.lang.String a.b.C$D.`odd name` = st
        row = load ref g[x]
        e = load int row[x]
        store int row[x] = e
        k = length row
        ob = new a.b.C$D
        ar = array int[] (x)
        ars = arrays int[][] (x, k)
        cl = closure void java.lang.Runnable.run() by static void a.b.C$D.lambda$0(int) (x)
        cat = concat "a\u{1}" (x)
        dy = dynamic "name" "(I)I" by static java.lang.Object a.Boot.strap(int) [1, 2L, "s", class a.B, type "()V", handle new void a.B.<init>(), dynamic "c" "I" by static int a.B.z() []] (x)
        is = instanceof a.B[] o
        ca = cast a.B o
        line 8
        enter o
        jump head(x, y)
    head(int p, long q):
        exit o
        if p < x then more else two
    more:
        if o == null then two else three
    two:
        switch p { -1: three, 5: head(p, q), else: done(q) }
    three:
        z = call virtual int a.b.C$D.`odd`(int, long)(this, p, q)
        call special void java.lang.Object.<init>()(this)
        call interface void a.I.go()(o)
        call static a.B[] a.B.make(byte, char, short, float, double, boolean)(p, p, p, f, d, p)
        jump done(q)
    wrong(ref ex, int old):
        throw ex
    any(ref ex2):
        return y
    done(long r):
        return r
    }
}
"#;

#[test]
fn what_is_printed_is_read_as_the_same() {
    let class = parse_class(EVERYTHING).expect("a class");
    let text = print(&class);
    let again = parse_class(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(print(&again), text);
    // The tables were numbered in the same order, so that the classes are equal as they stand.
    assert_eq!(again, class);
}

#[test]
fn places_are_kept() {
    let class = parse_class(EVERYTHING).expect("a class");
    let body = class.method("all").and_then(|method| method.body()).expect("a body");
    let enter = body.insts.iter().find(|inst| matches!(inst.op, Op::Enter { .. })).expect("an enter");
    assert_eq!((enter.line, enter.pc), (8, 61));
    assert_eq!(body.insts[11].pc, 40);
}

#[test]
fn a_small_program_reads_well() {
    let text = "
        class Counter {
            field private int x
            method synchronized int getX() {
                entry catch any left(caught):
                enter this
                jump inside
            inside:
                value = get int Counter.x of this
                exit this
                return value
            left(ref thrown):
                throw thrown
            }
            method synchronized void setX(int p0)
            method void incX(int val) {
                tmp = call virtual int Counter.getX()(this)
                sum = add tmp, val
                call virtual void Counter.setX(int)(this, sum)
                return
            }
        }";
    let class = parse_class(text).expect("a class");
    assert_eq!(verify(&class), []);
    let body = class.method("incX").and_then(|method| method.body()).expect("a body");
    assert_eq!(body.params(), [Reg(0), Reg(1)]);
    assert_eq!(body.insts.len(), 4);
}

#[test]
fn several_classes_stand_in_one_text() {
    let classes =
        parse("class A { } interface B implements A { } class java.lang.Object extends nothing { }");
    let classes = classes.expect("classes");
    assert_eq!(classes.len(), 3);
    assert_eq!(classes[0].superclass.map(|name| classes[0].table.class(name)), Some("java/lang/Object"));
    assert_eq!(classes[2].superclass, None);
}

#[test]
fn what_is_wrong_is_refused_with_its_line() {
    let in_body = |text: &str| format!("class A {{\n method static void f(int x) {{\n{text}\n}} }}");
    for (text, line, reason) in [
        ("klass A { }", 1, "expected `class`"),
        ("class A {\n\n flield int x }", 3, "expected `field`, `method`"),
        ("class A { field int \"x\" }", 1, "expected the field's name"),
        ("class A {", 1, "expected `field`"),
        ("class A { } }", 1, "expected `class`"),
        (&in_body("y = add x, z\nreturn"), 3, "register `z` is not defined"),
        (&in_body("x = 5"), 3, "register `x` is defined twice"),
        (&in_body("y = 99999999999"), 3, "no int or long"),
        (&in_body("y = enter x"), 3, "no result"),
        (&in_body("jump b"), 4, "there is no block `b`"),
        (&in_body("jump b b: return\nb: return"), 4, "block `b` is there twice"),
        (&in_body("y = 5"), 4, "ends without"),
        (&in_body("return\ny = 5"), 4, "nothing may follow"),
        (&in_body("frob x"), 3, "`return`, `throw`"),
        (&in_body("y = frob x"), 3, "no operation `frob`"),
        (&in_body("if x ~ 0 then b else b"), 3, "expected one of =="),
        (&in_body("y = \"open"), 3, "not closed"),
    ] {
        let error = parse(text).expect_err(text);
        assert!(error.reason.contains(reason), "{text}: {error}");
        assert_eq!(error.line, line, "{text}: {error}");
    }
}

#[test]
fn cut_text_is_refused() {
    for end in (1..EVERYTHING.trim_end().len()).filter(|end| EVERYTHING.is_char_boundary(*end)) {
        if EVERYTHING[..end].trim().is_empty() {
            continue;
        }
        assert!(parse_class(&EVERYTHING[..end]).is_err(), "{}", &EVERYTHING[..end]);
    }
}
