//! Errors say where, what is wrong and what to write instead.

use super::super::*;
use super::error;

/// The error of an effect on a line of its own; the column is that of the line.
fn effect(text: &str) -> String {
    error(&format!("class a.B\ncall m(int): {text}"))
}

#[test]
fn an_unknown_word_gets_a_suggestion() {
    assert_eq!(
        error("klass a.B"),
        "t:1:1: expected the start of a statement, found `klass`; did you mean `class`?"
    );
    assert_eq!(effect("aquire this"), "t:2:14: expected an effect, found `aquire`; did you mean `acquire`?");
    assert_eq!(
        effect("acquire this if ture"),
        "t:2:30: expected a condition, found `ture`; did you mean `true`?"
    );
    assert!(error("kind synchronized a.B").ends_with("did you mean `synchronised`?"));
    assert!(effect("grab this").contains("write one of `acquire`, `release`"));
}

#[test]
fn an_error_has_its_own_line_in_a_joined_statement() {
    assert!(
        error("class a.B\n call m():\n  fork this;\n  jion this").starts_with("t:4:3: expected an effect")
    );
}

#[test]
fn every_wrong_statement_is_told() {
    let mut models = Models::empty();
    let errors =
        models.add("t", "class a.B\n cal m(): fork this\n call n() fork this\n").expect_err("two errors");
    let places: Vec<(u32, u32)> = errors.iter().map(|error| (error.line, error.column)).collect();
    assert_eq!(places, [(2, 2), (3, 11)]);
    assert!(models.files().is_empty(), "a wrong table changes nothing");
}

#[test]
fn a_line_needs_its_class() {
    assert!(error("call m(): fork this").contains("needs a `class NAME` line above it"));
    assert!(error("ignore m because").contains("needs a `class NAME` line above it"));
}

#[test]
fn targets_and_numbers_must_make_sense() {
    assert!(effect("fork that").contains("expected an object, found `that`; write `this`, `arg0`"));
    assert!(effect("fork arg1").contains("`m(int)` has no arg1"));
    assert!(effect("fork arg00").contains("expected an object"));
    assert!(effect("fork this..x").contains("expected fields such as `this.sync`"));
    assert!(effect("signal outer").contains("`outer` is for `inside` lines only"));
    assert!(effect("signal outer0").contains("`outer` is for `inside` lines only"));
    assert!(
        effect("read array arg0 from this length arg0").contains("expected `arg0`, `arg1`, … or `result`")
    );
    assert!(effect("read array arg0 from 1 until arg0").contains("expected the end of the range"));
    assert!(effect("volatile peek this").contains("expected `read`, `write` or `update`"));
    assert!(
        error("class a.B\n inside m() at a.C.n(): signal outer0")
            .contains("`m()` has no argument 0; the first is outer0")
    );
}

#[test]
fn moments_and_conditions_must_make_sense() {
    assert!(effect("before observe result").contains("there is no result `before`"));
    assert!(
        effect("release this if true").contains("`if true` looks at the result, which is not known `before`")
    );
    assert!(effect("fork this if ended").contains("`if ended` is for `join` only"));
    assert!(effect("after wait this").contains("`wait this` spans the call; leave out `after`"));
    assert!(error("class a.B\n call <init>(): signal this").contains("not yet made before `<init>`"));
    assert!(error("class a.B\n call <init>(): mutates this").contains("not yet made before `<init>`"));
}

#[test]
fn names_and_types_must_make_sense() {
    assert!(error("class a..B").contains("expected a class, found `a..B`"));
    assert!(error("class 1a").contains("expected a class, found `1a`"));
    assert!(error("import Map").contains("an import names a class with its package"));
    assert!(error("class a.B\n call m: fork this").contains("expected `(` after a method's name, found `:`"));
    assert!(error("class a.B\n call m(int: fork this").contains("expected `,` after a parameter"));
    assert!(error("class a.B\n call m(*, int): fork this").contains("stands for all other parameters"));
    assert!(error("class a.B\n call m(a-b): fork this").contains("expected a type such as `int`"));
    assert!(error("class a.B\n call get*(*): fork this").contains("for the holder of an `inside` line only"));
    assert!(
        error("class a.B\n inside m() at run(): fork this").contains("write `Runnable.run()`, not `run()`")
    );
    assert!(error("class a.B\n inside m(): fork this").contains("expected `at CLASS.METHOD(…)`"));
    assert!(error("class a.B and subclass").contains("expected `subclasses` after `and`"));
}

#[test]
fn versions_must_make_sense() {
    for word in ["..", "20..17", "x", "17-20", "99999999"] {
        let text = format!("class a.B jdk {word}");
        assert!(error(&text).contains("expected versions such as `17..20` or `21..`"), "{word}");
    }
    assert!(
        error("class a.B jdk 21..\n call m() jdk ..20: fork this")
            .contains("leaves no version of this range")
    );
}

#[test]
fn kinds_have_just_the_parts_they_need() {
    for text in [
        "kind synchronised a.B",
        "kind wrapper a.B",
        "kind concurrent a.B mutex this",
        "kind immutable a.B of this.c",
        "kind wrapper a.B of arg0",
        "kind wrapper a.B of each this.c",
    ] {
        assert!(error(text).contains("`mutex this…` is for `synchronised`"), "{text}");
    }
}

#[test]
fn an_omission_needs_its_reason() {
    assert!(error("class a.B\n ignore m").contains("expected `because`"));
    assert!(error("class a.B\n ignore m because # why?").contains("say why"));
    assert!(error("class a.B\n ignore m because so\n because so").contains("`because` is too much here"));
}

#[test]
fn words_too_many_are_told() {
    assert_eq!(error("unwatched class a.B c"), "t:1:21: `c` is too much here; remove it or start a new line");
    assert!(effect("fork this this").contains("`this` is too much here"));
}

#[test]
fn one_table_says_a_thing_once() {
    let twice = "class a.B\n call m(): fork this\n call n(): fork this\n call m(): join this";
    assert_eq!(
        error(twice),
        "t:4:1: `a.B.m()` is said twice, first at t:2; keep one, or give them other `jdk` ranges"
    );
    assert!(error("kind immutable a.B\nkind thread-safe a.B").contains("the kind of `a.B` is said twice"));
    super::table(
        "class a.B\n call m() jdk ..20: fork this\n call m() jdk 21..: join this\n body m(): fork this",
    );
}
