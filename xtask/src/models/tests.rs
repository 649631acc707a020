//! The check of the model tables, on made-up facts: each kind of mistake is found. And on the JDKs that are there, which
//! in CI are three: every line of the built-in tables holds.

use std::path::PathBuf;

use events::models::Models;

use super::check::{Check, Checked};
use super::facts::Facts;
use super::{jdks, resolve};

/// A JDK with one class, its superclass and an interface.
const FACTS: &str = "\
V 17
C java/lang/Object 33 - -
M 1 toString ()Ljava/lang/String; 1
C a/Base 1057 java/lang/Object -
F 2 sync La/Sync;
M 1 lock ()V 1
M 33 locked ()V 1
C a/B 33 a/Base a/Face
M 1 <init> (Ljava/lang/Object;)V 1
M 1 tryLock ()Z 1
I a/Sync tryAcquire (I)Z
M 9 of (I)La/B; 1
M 257 start0 ()V 0
M 1 quiet ()V 1
I a/B locked ()V
C a/Face 1537 java/lang/Object -
M 1025 run ()V 0
C a/Sync 32 java/lang/Object -
M 16 tryAcquire (I)Z 1
P b/Gone
X a/Nix
";

fn check(table: &str) -> Checked {
    let mut models = Models::empty();
    models.add("t", table).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let facts = Facts::read(FACTS).expect("facts");
    Check::new(&models, &facts).run()
}

/// The one problem of a line of class `a.B`.
fn problem(line: &str) -> String {
    let mut checked = check(&format!("class a.B\n {line}"));
    assert_eq!(checked.problems.len(), 1, "{line}: {:?}", checked.problems);
    checked.problems.remove(0)
}

#[test]
fn right_lines_resolve() {
    let checked = check(
        "class a.B
            call tryLock(): acquire this.sync if true
            call lock(): acquire this.sync
            call run(), toString(): nothing
            call of(int): part result of class
            body quiet(): signal this
            inside tryLock() at a.Sync.tryAcquire(int): observe outer.sync if true
            inside *(*) at a.Sync.tryAcquire(*): before observe this
            call <init>(Object): runs arg0 later
        kind wrapper a.B of this.sync",
    );
    assert_eq!(checked.problems, [""; 0]);
    assert_eq!((checked.lines, checked.kinds), (9, 1));
}

#[test]
fn classes_and_methods_must_exist() {
    assert!(
        check("class a.Nix\n call m(): nothing").problems[0]
            .contains("t:2: a.Nix: `call m(): nothing`: there is no such class")
    );
    assert!(check("kind immutable a.Nix").problems[0].contains("there is no such class"));
    assert!(problem("call tryLock(int): nothing").contains("there is no such method"));
    assert!(problem("call void tryLock(): nothing").contains("there is no such method"));
    assert!(problem("call <init>(): nothing").contains("there is no such method"));
}

#[test]
fn a_body_is_the_classs_own_and_has_code() {
    assert!(problem("body lock(): signal this").contains("the class itself declares no such method"));
    assert!(problem("body start0(): signal this").contains("start0()V has no body"));
}

#[test]
fn a_call_inside_must_be_made() {
    assert!(
        problem("inside quiet() at a.Sync.tryAcquire(int): signal this").contains("it makes no such call")
    );
    assert!(
        problem("inside tryLock() at a.Base.tryAcquire(int): signal this").contains("it makes no such call")
    );
    assert!(
        problem("inside nix() at a.Sync.tryAcquire(int): signal this").contains("declares no such method")
    );
}

#[test]
fn targets_must_be_there() {
    assert!(problem("call of(int): signal this").contains("`this` of the static method of(I)La/B;"));
    assert!(problem("call lock(): part result of class").contains("`result` of the void method lock()V"));
    assert!(problem("call lock(): acquire this.nix").contains("a.B has no field nix"));
    assert!(problem("call lock(): acquire this.sync.nix").contains("a.Sync has no field nix"));
    assert!(check("kind wrapper a.B of this.nix").problems[0].contains("a.B has no field nix"));
}

#[test]
fn conditions_must_fit_the_result() {
    assert!(problem("call lock(): observe this if true").contains("`if true` of lock()V"));
    assert!(problem("call tryLock(): observe this if nonzero").contains("`if nonzero` of tryLock()Z"));
}

#[test]
fn a_held_monitor_must_be_taken_by_the_call() {
    let table =
        |method: &str| format!("class a.B\n call {method}(): mutates this\nkind synchronised a.B mutex this");
    assert!(check(&table("tryLock")).problems[0].contains("its monitor is not taken by tryLock()Z"));
    assert!(check(&table("locked")).problems.is_empty(), "a synchronized method of the superclass");
    assert!(check(&table("quiet")).problems.is_empty(), "it calls a synchronized method");
}

#[test]
fn what_a_jdk_does_not_have_is_only_counted() {
    let checked = check("class b.Gone\n call m(): nothing\nkind immutable b.Gone");
    assert_eq!((checked.absent, checked.problems.len()), (2, 0));
    let other = check("class a.B jdk 21..\n call nix(): nothing");
    assert_eq!((other.lines, other.problems.len()), (0, 0));
}

#[test]
fn entries_of_the_jdk_must_exist() {
    assert!(
        check("entry class a.Face run()\nentry class b.Gone m()\nentry class *.Nix m()").problems.is_empty()
    );
    assert_eq!(
        check("entry class a.Face go()").problems,
        ["t:1: `entry class a.Face go()`: there is no such class or method"]
    );
    assert_eq!(check("test class a.Nix run()").problems.len(), 1);
}

#[test]
fn omissions_are_decisions() {
    let checked = check("class a.B\n call tryLock(): nothing\n ignore of because nobody else knows it");
    let all: Vec<&str> = checked.omissions.iter().map(String::as_str).collect();
    assert_eq!(
        all,
        [
            "no line and no `ignore` for a.B.<init>(Ljava/lang/Object;)V",
            "no line and no `ignore` for a.B.quiet()V",
            "no line and no `ignore` for a.B.start0()V",
        ]
    );
}

/// The installed JDK, and those of the list that `scripts/test` gives.
fn homes() -> Vec<PathBuf> {
    let others = std::env::var("JAVA_HOMES").unwrap_or_default();
    let others: Vec<PathBuf> = others.split(':').filter(|home| !home.is_empty()).map(PathBuf::from).collect();
    if others.is_empty() {
        assert!(std::env::var_os("CI").is_none(), "JAVA_HOMES names no JDKs; scripts/test does");
        eprintln!("skipped: newer JDKs, since JAVA_HOMES names none");
    }
    [jdks::on_path().expect("a JDK")].into_iter().chain(others).collect()
}

#[test]
fn every_line_of_the_tables_holds_on_the_jdks_that_are_there() {
    let homes = homes();
    let mut models = Models::builtin().unwrap_or_else(|errors| panic!("{}", errors[0]));
    let mut problems = resolve(&models, &homes).expect("JDKs that answer");
    if homes.len() == 1 {
        problems.retain(|problem| !problem.contains("no JDK of this range was there"));
    }
    assert!(problems.is_empty(), "{problems:#?}");
    // A line that is wrong does not go unseen.
    let wrong = "class java.util.concurrent.locks.ReentrantLock\n call lockTwice(): nothing";
    models.add("wrong", wrong).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let problems = resolve(&models, &homes[..1]).expect("a JDK that answers");
    let told: Vec<&String> = problems.iter().filter(|problem| problem.starts_with("wrong:2:")).collect();
    assert_eq!(told.len(), 1, "{problems:#?}");
}
