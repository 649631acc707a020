//! Figures 1 and 3.

use super::super::SPEC;
use super::edges;
use crate::Options;
use crate::on_code::testing::{JDK, check, subjects};

/// Figure 1(b), with two threads that run it. Lines of regions are those of their instructions.
fn stale_value(inc: &str) -> String {
    format!(
        "{JDK}
        class Counter {{
            field int x
            method void <init>() {{ call special void java.lang.Object.<init>()(this) return }}
            @Atomic method int getX() {{ v = get int Counter.x of this return v }}
            @Atomic method void setX(int p0) {{ put int Counter.x of this = p0 return }}
            {inc}
        }}
        class Adder extends java.lang.Thread {{
            field final Counter c
            method void <init>(Counter c) {{
                call special void java.lang.Thread.<init>()(this)
                put Counter Adder.c of this = c
                return
            }}
            method public void run() {{
                c = get Counter Adder.c of this
                one = 1
                call virtual void Counter.incX(int)(c, one)
                return
            }}
        }}
        class Main {{
            method public static void main(java.lang.String[] args) {{
                c = new Counter
                call special void Counter.<init>()(c)
                a = new Adder
                call special void Adder.<init>(Counter)(a, c)
                b = new Adder
                call special void Adder.<init>(Counter)(b, c)
                call virtual void Adder.start()(a)
                call virtual void Adder.start()(b)
                return
            }}
        }}"
    )
}

const INC: &str = "method void incX(int val) {
                tmp = call virtual int Counter.getX()(this)
                sum = add tmp, val
                call virtual void Counter.setX(int)(this, sum) //~ stale-value
                return
            }";

#[test]
fn figure_1b_is_a_stale_value_with_and_without_the_refinements() {
    let text = stale_value(INC);
    for paper in [false, true] {
        let options = Options { paper, ..Options::default() };
        let report = check(&SPEC, &options, &text);
        let finding = report.findings().next().expect("a finding");
        assert_eq!(finding.subject, "Counter.x");
        let roles: Vec<String> =
            finding.witnesses[0].steps.iter().map(|step| format!("{:?}", step.role)).collect();
        assert_eq!(roles, ["Read", "Interference", "Use"]);
    }
}

#[test]
fn figure_1b_in_one_region_is_none() {
    let inside = INC.replace("method void incX", "@Atomic method void incX").replace("//~ stale-value", "");
    check(&SPEC, &Options::default(), &stale_value(&inside));
    let again = inside.replace("@Atomic method void incX", "@other.Atomic method void incX");
    check(&SPEC, &Options::default(), &stale_value(&again));
}

/// Figure 1(a): `areEqual` in one thread, `setPair` in another.
fn pair(are_equal: &str) -> String {
    format!(
        "{JDK}
        class Pair {{
            field int a field int b
            method void <init>() {{ call special void java.lang.Object.<init>()(this) return }}
            @Atomic method int getA() {{ v = get int Pair.a of this return v }}
            @Atomic method int getB() {{
                v = get int Pair.b of this //~ high-level-race
                return v
            }}
            @Atomic method void setPair(int a, int b) {{
                put int Pair.a of this = a
                put int Pair.b of this = b
                return
            }}
            {are_equal}
        }}
        class Reader extends java.lang.Thread {{
            field final Pair p
            method void <init>(Pair p) {{
                call special void java.lang.Thread.<init>()(this)
                put Pair Reader.p of this = p
                return
            }}
            method public void run() {{
                p = get Pair Reader.p of this
                call virtual int Pair.areEqual()(p)
                return
            }}
        }}
        class Main {{
            method public static void main(java.lang.String[] args) {{
                p = new Pair
                call special void Pair.<init>()(p)
                r = new Reader
                call special void Reader.<init>(Pair)(r, p)
                call virtual void Reader.start()(r)
                one = 1
                call virtual void Pair.setPair(int, int)(p, one, one)
                return
            }}
        }}"
    )
}

#[test]
fn figure_1a_is_a_high_level_race() {
    let text = pair(
        "method int areEqual() {
            a = call virtual int Pair.getA()(this)
            b = call virtual int Pair.getB()(this)
            if a == b then same else other
            same: one = 1 return one
            other: zero = 0 return zero
        }",
    );
    for paper in [false, true] {
        let options = Options { paper, ..Options::default() };
        let report = check(&SPEC, &options, &text);
        assert_eq!(report.findings().next().map(|f| f.subject.as_str()), Some("Pair.a, Pair.b"));
    }
}

#[test]
fn what_is_read_apart_and_not_put_together_is_none() {
    let text = pair(
        "method int areEqual() {
            a = call virtual int Pair.getA()(this)
            b = call virtual int Pair.getB()(this)
            return a
        }",
    );
    for paper in [false, true] {
        let options = Options { paper, ..Options::default() };
        assert_eq!(subjects(&SPEC, &options, &text), [""; 0]);
    }
}

#[test]
fn figure_3_has_exactly_these_edges() {
    let text = "public class Counter {
        field int x
        @Atomic method public int getX() { v = get int Counter.x of this return v }
        @Atomic method public void setX(int p0) { put int Counter.x of this = p0 return }
        method public void incX(int val) {
            tmp2 = call virtual int Counter.getX()(this)
            tmp3 = add tmp2, val
            call virtual void Counter.setX(int)(this, tmp3)
            return
        } }";
    // `val` is incX.1, the two versions of `tmp` are incX.2 and incX.3, `p0` is setX.1.
    edges(text)
        .data_of("incX", &["getX.ret > incX.2", "incX.2 > incX.3", "incX.1 > incX.3", "incX.3 > setX.1"]);
}
