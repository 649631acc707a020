//! Look-ups: which lines speak for a call, a body, a class; and how a later table changes them.

use super::super::*;
use super::table;

/// A small world: `List` below `Collection`, `ArrayList` below `List`, `Deque` below `Collection`, `LinkedList` below
/// both.
fn is_below(a: &str, b: &str) -> bool {
    let parents: &[&str] = match a {
        "LinkedList" => &["List", "Deque"],
        "ArrayList" => &["List"],
        "List" | "Deque" => &["Collection"],
        _ => &[],
    };
    a == b || parents.iter().any(|parent| is_below(parent, b))
}

fn shown(lines: &[&Line]) -> Vec<String> {
    lines.iter().map(|line| format!("{} {line}", line.class)).collect()
}

#[test]
fn calls_are_found_by_name_and_descriptor() {
    let models =
        table("class a.B\n call m(int): fork this\n call m(int, *): join this\n body m(int): fork this");
    assert_eq!(models.calls("m", "(I)V").count(), 2);
    assert_eq!(models.calls("m", "(IJ)V").count(), 1);
    assert_eq!(models.calls("m", "(J)V").count(), 0);
    assert_eq!(models.calls("m", "nonsense").count(), 0);
    assert_eq!(models.calls("n", "(I)V").count(), 0);
}

#[test]
fn a_return_type_is_compared_where_it_is_given() {
    let models = table("class a.B\n call boolean m(): fork this");
    assert_eq!(models.calls("m", "()Z").count(), 1);
    assert_eq!(models.calls("m", "()V").count(), 0);
}

#[test]
fn the_most_specific_class_speaks() {
    let models = table(
        "class Collection\n call add(Object): mutates this\nclass List\n call add(Object): inspects this\nclass Deque\n call add(Object): nothing",
    );
    let on = |class: &str| shown(&models.call_on("add", "(Ljava/lang/Object;)Z", class, is_below));
    assert_eq!(on("Collection"), ["Collection call add(java.lang.Object): mutates this"]);
    assert_eq!(on("ArrayList"), ["List call add(java.lang.Object): inspects this"]);
    assert_eq!(on("LinkedList").len(), 2, "neither List nor Deque is below the other");
    assert_eq!(on("Map").len(), 0);
}

#[test]
fn what_two_interfaces_say_alike_is_said_once() {
    let models = table("class List, Deque\n call pop(): mutates this");
    assert_eq!(models.call_on("pop", "()V", "LinkedList", is_below).len(), 1);
}

#[test]
fn a_constructors_line_is_not_inherited() {
    let models = table("class List\n call <init>(int): read array arg0");
    assert_eq!(models.call_on("<init>", "(I)V", "List", is_below).len(), 1);
    assert_eq!(models.call_on("<init>", "(I)V", "ArrayList", is_below).len(), 0);
}

#[test]
fn bodies_are_found_by_class() {
    let models =
        table("class a.B\n body m(): fork this\n inside m() at a.C.n(): fork this\n call m(): fork this");
    assert_eq!(models.bodies("a/B").count(), 2);
    assert_eq!(models.bodies("a/C").count(), 0);
}

#[test]
fn only_lines_of_the_jdk_at_hand_are_kept() {
    let mut models = table(
        "class a.B\n call m() jdk ..20: fork this\n call m() jdk 21..: join this\nkind immutable a.B jdk 21..\nkind concurrent a.B jdk ..20",
    );
    models.keep_jdk(17);
    assert_eq!(
        models.calls("m", "()V").map(ToString::to_string).collect::<Vec<_>>(),
        ["call m() jdk ..20: fork this"]
    );
    assert_eq!(models.kind("a/B").map(|kind| kind.word), Some(KindWord::Concurrent));
}

#[test]
fn a_later_table_replaces_the_same_line_and_adds_others() {
    let mut models = table("class a.B\n call m(): fork this\n call n(): fork this\nkind immutable a.B");
    models
        .add("u", "class a.B\n call m(): join this\n call o(): join this\nkind concurrent a.B")
        .expect("a table");
    let all: Vec<String> = models.lines().iter().map(ToString::to_string).collect();
    assert_eq!(all, ["call n(): fork this", "call m(): join this", "call o(): join this"]);
    assert_eq!(models.kind("a/B").map(|kind| kind.word), Some(KindWord::Concurrent));
    assert_eq!(models.file(models.lines()[1].source), "u");
    assert_eq!(models.lines()[1].source.line, 2);
}

#[test]
fn a_later_table_replaces_only_common_jdks() {
    let mut models = table("class a.B\n call m() jdk ..20: fork this\n call m() jdk 21..: fork this");
    models.add("u", "class a.B\n call m() jdk 25..: join this").expect("a table");
    let all: Vec<String> = models.lines().iter().map(ToString::to_string).collect();
    assert_eq!(all, ["call m() jdk ..20: fork this", "call m() jdk 25..: join this"]);
}

#[test]
fn a_later_ignore_switches_lines_off() {
    let mut models = table("class a.B\n call m(): fork this\n call m(int): fork this\n call n(): fork this");
    models.add("u", "class a.B\n ignore m(int), n because our subclass does it").expect("a table");
    let all: Vec<String> = models.lines().iter().map(ToString::to_string).collect();
    assert_eq!(all, ["call m(): fork this"]);
}

#[test]
fn roots_are_known_by_annotation_or_overridden_method() {
    let models = table(
        "test annotation org.junit.Test\nentry annotation *.Scheduled\ntest class TestCase test*()\nentry class *.Servlet service(*)",
    );
    assert!(models.is_marked(Role::Test, "org/junit/Test"));
    assert!(!models.is_marked(Role::Test, "org/testng/Test"));
    assert!(!models.is_marked(Role::Entry, "org/junit/Test"));
    assert!(models.is_marked(Role::Entry, "a/b/Scheduled"));
    assert!(models.is_marked(Role::Entry, "a/b/Outer$Scheduled"));
    assert!(!models.is_marked(Role::Entry, "a/b/Unscheduled"));
    assert!(models.is_root(Role::Test, "TestCase", "testIt", "()V"));
    assert!(!models.is_root(Role::Test, "TestCase", "setUp", "()V"));
    assert!(models.is_root(Role::Entry, "jakarta/servlet/Servlet", "service", "(II)V"));
}

#[test]
fn a_package_is_unwatched_with_all_below_it_and_a_class_with_its_inner_classes() {
    let models = table("unwatched package org.junit\nunwatched class a.B");
    for class in ["org/junit/Test", "org/junit/jupiter/api/Test", "a/B", "a/B$C"] {
        assert!(models.is_unwatched(class), "{class}");
    }
    for class in ["org/junitx/Test", "org/junit", "a/Bc", "b/a/B"] {
        assert!(!models.is_unwatched(class), "{class}");
    }
}
