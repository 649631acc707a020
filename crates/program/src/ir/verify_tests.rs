//! The verifier's rules, each by a body that breaks just it.

use super::{Body, Code, List, Reg, parse_class, verify};

fn faults(head: &str, text: &str) -> Vec<String> {
    let text = format!("class A {{ field int f field long g method {head} {{ {text} }} }}");
    let class = parse_class(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    verify(&class).into_iter().map(|fault| fault.reason).collect()
}

fn one(text: &str, expected: &str) {
    let found = faults("int m(int x, long y)", text);
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    assert!(found[0].contains(expected), "{text}: {found:?}");
}

#[test]
fn a_sound_body_has_no_fault() {
    assert_eq!(faults("int m(int x, long y)", "z = get int A.f of this s = add z, x return s"), [""; 0]);
}

#[test]
fn each_rule_finds_what_breaks_it() {
    one("jump b b: jump entry(this, x, y)", "leads to the entry");
    one("return x b: return x", "never reached");
    one("jump c b: return x c: jump b", "comes before what dominates it");
    one("jump b(x) b: return x", "1 arguments for 0");
    one("jump b(y) b(int z): return z", "no int");
    one("if x == 0 then a else b a: z = 5 jump b b: return z", "used where it is not defined");
    one("return y", "what is returned");
    one("return", "what is returned");
    one("s = add long x, y return x", "r1 is no long");
    one("put long A.g of this = x return x", "r1 is no long");
    one("enter x return x", "r1 is no ref");
    one("call static void A.n(int)(y) return x", "arguments do not fit");
    one("call static void A.n(int)() return x", "arguments do not fit");
    one("call virtual void A.n(int)(x) return x", "arguments do not fit");
    one("switch y { else: b } b: return x", "no int");
    one("if y == 0 then b else b b: return x", "no int");
    one("throw x", "r1 is no ref");
    one("jump b(caught) b(ref z): return x", "given where it is not defined");
    one(
        "entry catch any b(caught, z): z = call static int A.n()() jump c
         c: return z b(ref e, int old): return old",
        "given to a catch",
    );
    one(
        "entry catch any b(caught): call static void A.n()() z = add x, x return z b(ref e): return x",
        "stands before the end",
    );
}

/// Bodies that cannot be written as text.
fn broken(change: impl FnOnce(&mut Body)) -> Vec<String> {
    let text = "class A { method int m(int x) { z = add x, x jump b(z) b(int p): return p } }";
    let mut class = parse_class(text).expect("a class");
    let Code::Body(body) = &mut class.methods[0].code else { panic!("no body") };
    change(body);
    verify(&class).into_iter().map(|fault| fault.reason).collect()
}

#[test]
fn bodies_made_wrongly_are_found() {
    assert_eq!(broken(|_| {}), [""; 0]);
    assert_eq!(broken(|body| body.blocks.clear()), ["there is no block"]);
    assert!(broken(|body| body.blocks[1].insts = List { start: 7, count: 9 })[0].contains("follow"));
    assert!(broken(|body| body.blocks[0].edges.count = 0)[0].contains("0 edges instead of 1"));
    assert!(broken(|body| body.insts[0].result = Reg(0)).iter().any(|why| why.contains("twice")));
    assert!(broken(|body| body.insts[0].result = Reg(99)).iter().any(|why| why.contains("not among")));
    assert!(broken(|body| body.edges[0].target.0 = 9).iter().any(|why| why.contains("no block")));
    assert!(broken(|body| body.insts[0].op = super::Op::New(super::ClassRef(9)))[0].contains("tables"));
}
