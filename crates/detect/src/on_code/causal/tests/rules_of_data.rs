//! Each rule of Figure 4. In `public class A` the receiver is register 0.

use super::edges;

fn class(methods: &str) -> String {
    format!("public class A {{ field int f field int g field A next {methods} }}")
}

#[test]
fn seq_hands_versions_on_from_statement_to_statement() {
    let text = class("method public int m(int y) { a = neg y b = neg a return b }");
    edges(&text).data_of("m", &["m.1 > m.2", "m.2 > m.3", "m.3 > m.ret"]);
}

#[test]
fn assign_depends_on_all_that_the_right_side_uses() {
    let text = class("method public int m(int y, int z) { a = add y, z return a }");
    edges(&text).data_of("m", &["m.1 > m.3", "m.2 > m.3", "m.3 > m.ret"]);
}

#[test]
fn heap_read_depends_on_the_field_and_not_on_the_object() {
    let text = class("method public int m(A y) { a = get int A.f of y return a }");
    edges(&text).data_of("m", &["m@0 > m.2", "m.2 > m.ret"]);
}

#[test]
fn heap_write_makes_a_version_that_a_later_read_sees() {
    let text =
        class("method public int m(int y) { put int A.f of this = y a = get int A.f of this return a }");
    edges(&text).data_of("m", &["m.1 > m@0", "m@0 > m.2", "m.2 > m.ret"]);
}

#[test]
fn heap_write_replaces_the_versions_before_it() {
    let text = class(
        "method public int m(int y, int z) {
            put int A.f of this = y
            put int A.f of this = z
            a = get int A.f of this
            return a }",
    );
    let found = edges(&text);
    found.data_of("m", &["m.1 > m@0", "m.2 > m@1", "m@1 > m.3", "m.3 > m.ret"]);
}

#[test]
fn allocation_depends_on_nothing() {
    let text = class("method public A m() { a = new A return a }");
    edges(&text).data_of("m", &["m.1 > m.ret"]);
}

#[test]
fn meth_call_gives_arguments_and_takes_the_result() {
    let text = class(
        "method public int m(int y) { a = call virtual int A.n(int)(this, y) return a }
         method public int n(int p) { return p }",
    );
    edges(&text).data_of("m", &["m.1 > n.1", "n.ret > m.2", "m.2 > m.ret"]);
}

#[test]
fn meth_call_replaces_versions_that_the_callee_surely_writes() {
    let text = class(
        "method public int m(int y) {
            put int A.f of this = y
            call virtual void A.n(int)(this, y)
            a = get int A.f of this
            return a }
         method public void n(int p) { put int A.f of this = p return }",
    );
    let found = edges(&text);
    assert!(found.data.contains("n!A.f > m.2") && !found.data.contains("m@0 > m.2"), "{:?}", found.data);
}

#[test]
fn meth_call_keeps_versions_that_the_callee_may_not_write() {
    let text = class(
        "method public int m(int y) {
            put int A.f of this = y
            call virtual void A.n(int)(this, y)
            a = get int A.f of this
            return a }
         method public void n(int p) {
            if p == 0 then some else none
            some: put int A.f of this = p jump none
            none: return }",
    );
    let found = edges(&text);
    assert!(found.data.contains("n!A.f > m.2") && found.data.contains("m@0 > m.2"), "{:?}", found.data);
}

#[test]
fn conditional_joins_the_versions_of_both_branches() {
    let text = class(
        "method public int m(int y, int z) {
            if y == 0 then one else two
            one: put int A.f of this = y jump last
            two: put int A.f of this = z jump last
            last: a = get int A.f of this
            return a }",
    );
    let found = edges(&text);
    for from in ["m@1", "m@3"] {
        assert!(found.data.contains(&format!("{from} > m.3")), "{:?}", found.data);
    }
    assert!(!found.data.contains("m@5 > m.3"), "both branches write it: {:?}", found.data);
}

#[test]
fn conditional_adds_the_version_from_elsewhere_if_one_branch_does_not_write() {
    let text = class(
        "method public int m(int y) {
            if y == 0 then one else last
            one: put int A.f of this = y jump last
            last: a = get int A.f of this
            return a }",
    );
    let found = edges(&text);
    assert!(found.data.contains("m@1 > m.2") && found.data.contains("m@3 > m.2"), "{:?}", found.data);
}

#[test]
fn a_loop_may_not_run_and_may_run_again() {
    let text = class(
        "method public int m(int y) {
            jump head
            head: a = get int A.f of this
            if a == 0 then inside else out
            inside: put int A.f of this = y jump head
            out: return a }",
    );
    let found = edges(&text);
    // Instruction 1 reads, 3 writes.
    assert!(found.data.contains("m@1 > m.2") && found.data.contains("m@3 > m.2"), "{:?}", found.data);
}

#[test]
fn return_takes_the_value() {
    let text = class("method public int m(int y) { return y }");
    edges(&text).data_of("m", &["m.1 > m.ret"]);
}

#[test]
fn skip_changes_nothing() {
    let text = class("method public void m() { jump next next: return }");
    edges(&text).data_of("m", &[]);
}
