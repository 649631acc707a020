//! Each rule of Figure 5: whatever is assigned under a condition depends on it. A guard stands for the conditions of a
//! block; the first block's for those of the callers.

use super::edges;

fn under(statement: &str) -> String {
    format!(
        "public class A {{ field int f method public int m(int y, int z) {{
            if y == 0 then inside else out
            inside: {statement} jump out
            out: zero = 0 return zero }}
        method public int n() {{ k = 1 return k }} }}"
    )
}

#[test]
fn a_condition_guards_its_branch_and_not_what_comes_after() {
    let found = edges(&under("a = neg z"));
    assert!(found.has_control("m.1", "m?1"));
    assert!(!found.has_control("m.1", "m?2") && !found.leads("m.1", "m.ret"));
}

#[test]
fn assign_heap_read_and_allocation_depend_on_the_condition() {
    for statement in ["a = neg z", "a = get int A.f of this", "a = new A"] {
        let found = edges(&under(statement));
        assert!(found.has_control("m?1", "m.3"), "{statement}: {:?}", found.control);
    }
}

#[test]
fn heap_write_depends_on_the_condition() {
    let found = edges(&under("put int A.f of this = z"));
    assert!(found.leads("m.1", "m@1"), "{:?}", found.control);
}

#[test]
fn meth_call_depends_on_the_condition_and_so_does_what_is_done_there() {
    let found = edges(&under("a = call virtual int A.n()(this)"));
    assert!(found.has_control("m?1", "m.3"));
    assert!(found.has_control("m?1", "n?0") && found.leads("m.1", "n.ret"), "{:?}", found.control);
}

#[test]
fn the_conditions_of_all_callers_are_joined() {
    let found = edges(
        "public class A { field int f
        method public void one(int y) {
            if y == 0 then inside else out
            inside: call virtual void A.n()(this) jump out
            out: return }
        method public void two(int y) {
            if y == 0 then inside else out
            inside: call virtual void A.n()(this) jump out
            out: return }
        method public void n() { k = 1 put int A.f of this = k return } }",
    );
    assert!(found.leads("one.1", "n@1") && found.leads("two.1", "n@1"));
}

#[test]
fn a_loop_guards_its_body() {
    let found = edges(
        "public class A { field int f method public void m(int y) {
            jump head
            head: if y == 0 then inside else out
            inside: k = 1 put int A.f of this = k jump head
            out: two = 2 return } }",
    );
    assert!(found.has_control("m.1", "m?2") && found.leads("m.1", "m@3"));
    assert!(!found.has_control("m.1", "m?3"));
}

#[test]
fn conditions_nest() {
    let found = edges(
        "public class A { field int f method public void m(int y, int z) {
            if y == 0 then outer else out
            outer: if z == 0 then inner else out
            inner: k = 1 put int A.f of this = k jump out
            out: return } }",
    );
    assert!(found.leads("m.1", "m@3") && found.leads("m.2", "m@3"), "{:?}", found.control);
}

#[test]
fn return_depends_on_the_condition() {
    let found = edges(
        "public class A { method public int m(int y) {
            if y == 0 then one else two
            one: a = 1 return a
            two: b = 2 return b } }",
    );
    assert!(found.has_control("m?1", "m.ret") && found.has_control("m?2", "m.ret"));
    assert!(found.leads("m.1", "m.ret"));
}

#[test]
fn what_runs_unless_the_method_has_returned_depends_on_that() {
    // The paper's rules need nested statements; post-dominators see this as well.
    let found = edges(
        "public class A { field int f method public void m(int y) {
            if y == 0 then gone else on
            gone: return
            on: k = 1 put int A.f of this = k return } }",
    );
    assert!(found.leads("m.1", "m@3"), "{:?}", found.control);
}
