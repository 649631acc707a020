//! Each construct parses to what it says and prints back as it was written.

use super::super::*;
use super::table;

/// The line is printed just as it is written here, and read back to the same.
fn same(line: &str) -> Line {
    let text = format!("class a.B\n    {line}\n");
    let models = table(&text);
    assert_eq!(models.to_text(), text);
    models.lines()[0].clone()
}

#[test]
fn every_action_prints_back() {
    for action in [
        "acquire this",
        "acquire this read",
        "acquire this optimistic if nonzero",
        "acquire this.sync if true",
        "release whole of arg0",
        "release this by arg1",
        "convert this from arg0 to write if nonzero",
        "convert this from arg0 to read",
        "convert this from arg0 to none",
        "wait this.this$0",
        "locks class",
        "signal arg0 for hand-over",
        "observe each arg1 for result if nonnull",
        "observe last of this.completer",
        "fork this",
        "join arg0 if ended",
        "volatile read this[arg0]",
        "volatile write field this in arg0",
        "volatile update memory arg0 at arg1 if true",
        "volatile update handle this",
        "read this",
        "write handle this",
        "read array arg0",
        "read array arg0 from arg1 length arg0-arg1",
        "write array arg0 from 0 length result if positive",
        "write array arg0 from arg1 to 7",
        "inspects this",
        "inspects this unheld",
        "mutates arg0",
        "part result of this",
        "view result of this",
        "runs arg0 now",
        "runs arg1 later",
        "observe thread if false",
        "observe thread if zero",
        "observe thread if null",
    ] {
        same(&format!("call m(java.lang.Object, long): {action}"));
    }
}

#[test]
fn every_placement_prints_back() {
    same("call m(): fork this");
    same("body m(): fork this");
    same("inside m(int) at java.lang.Runnable.run(): before observe this; left signal outer; signal outer0");
    same("inside *(*) at int a.C.n(int[], *): signal outer1.field");
    same("call m(): nothing");
}

#[test]
fn the_moment_is_written_only_where_it_is_unusual() {
    let line = same("body m(): observe this; before observe this; thrown signal this; left signal this");
    let whens: Vec<When> = line.effects.iter().map(|effect| effect.when).collect();
    assert_eq!(whens, [When::After, When::Before, When::Thrown, When::Left]);
    let usual = table("class a.B\n call m(): after observe this; before signal this");
    assert_eq!(usual.lines()[0].to_string(), "call m(): observe this; signal this");
}

#[test]
fn types_become_descriptors() {
    let line = same("call long[] m(boolean, byte, char, short, int, float, double, a.b.C$D[][]): nothing");
    assert_eq!(&*line.method.parameters.descriptor, "ZBCSIFD[[La/b/C$D;");
    assert_eq!(line.method.returns.as_deref(), Some("[J"));
    assert_eq!(line.method.parameters.count, 8);
    assert!(!line.method.parameters.open);
}

#[test]
fn a_class_without_package_is_imported_or_of_java_lang() {
    let models = table("import java.util.Map\nclass a.B\n call m(Map, Object, String...): nothing");
    assert_eq!(
        &*models.lines()[0].method.parameters.descriptor,
        "Ljava/util/Map;Ljava/lang/Object;[Ljava/lang/String;"
    );
}

#[test]
fn a_package_is_put_before_class_and_kind_names() {
    let models =
        table("package a.b\nclass C, x.D\n call m(): nothing\nkind immutable E\npackage f\nkind immutable G");
    let classes: Vec<&str> = models.lines().iter().map(|line| &*line.class).collect();
    assert_eq!(classes, ["a/b/C", "x/D"]);
    let kinds: Vec<&str> = models.kinds().iter().map(|kind| &*kind.class).collect();
    assert_eq!(kinds, ["a/b/E", "f/G"]);
}

#[test]
fn lists_of_classes_and_methods_are_lines_of_their_own() {
    let models =
        table("class a.B, a.C\n call m(), n(int): fork this\n inside m() at a.D.x(), a.D.y(): fork this");
    assert_eq!(models.lines().len(), 8);
}

#[test]
fn versions_narrow_from_class_to_line() {
    let models = table(
        "class a.B jdk 17..24\n call a() jdk 21..: nothing\n call b() jdk 18: nothing\nclass a.C\n call c() jdk ..20: nothing",
    );
    let ranges: Vec<(u16, u16)> = models.lines().iter().map(|line| (line.jdk.from, line.jdk.to)).collect();
    assert_eq!(ranges, [(21, 24), (18, 18), (0, 20)]);
    for line in ["call m() jdk 21..: nothing", "call m() jdk ..20: nothing", "call m() jdk 17: nothing"] {
        same(line);
    }
}

#[test]
fn statements_go_on_after_a_comma_a_semicolon_a_colon_or_before_because_and_of() {
    let models = table(
        "class a.B,\n  a.C\n call m(),  # a comment\n\n   n():\n  fork this;\n  join this\n ignore o\n  because it is so # or not\nkind wrapper a.D\n  of this.d",
    );
    assert_eq!(models.lines().len(), 4);
    assert_eq!(models.lines()[0].effects.len(), 2);
    assert_eq!(&*models.ignores()[0].reason, "it is so");
    assert_eq!(models.kinds()[0].of.as_ref().map(ToString::to_string).as_deref(), Some("this.d"));
}

#[test]
fn other_statements_print_back() {
    let text = "class a.B and subclasses
    call m(): fork this
class a.B
    ignore n because it only tells
    ignore o(int, *) because nobody calls it
kind unsynchronised a.A
kind synchronised a.B mutex this
kind synchronised a.C mutex this.mutex of this.c jdk 17..20
kind concurrent a.D
kind wrapper a.E of this.this$0
kind immutable a.F
kind thread-safe a.G
test annotation org.junit.Test
test class junit.framework.TestCase test*()
entry annotation *.Scheduled
entry class *.HttpServlet doGet(*)
unwatched package org.junit
unwatched class a.H
";
    assert_eq!(table(text).to_text(), text);
}
