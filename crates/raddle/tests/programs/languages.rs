//! Programs in Kotlin and Scala, compiled by those languages' own compilers: the one race that each has is found at its
//! line, what is ordered is not reported, and they print what they print alone.

use std::path::Path;
use std::process::Command;

use crate::harmless::unchanged;
use crate::{jars, java_sources, scratch};

/// Runs a compiler out of a folder of the cache.
fn compile(compiler: &str, jars: &str, options: &[&str], source: &str, into: &Path) {
    let mut command = Command::new("java");
    // Quick to start, and no more than it needs.
    command.args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", jars, compiler]).args(options);
    let output = command.arg("-d").arg(into).arg(java_sources("languages").join(source)).output();
    let output = output.expect("java: a JDK is needed for this test");
    assert!(output.status.success(), "{compiler}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Runs it bare and watched; there is one data race, on that subject at that line, and nothing else. What was told.
fn has_one_race(jars: &str, classes: &Path, main: &str, out: &str, subject: &str, at: (&str, u64)) -> String {
    let path = format!("{}:{jars}", classes.display());
    let watched = unchanged("java", &["-cp", &path, main]);
    assert_eq!(watched.out, out);
    assert_eq!(watched.findings(), [format!("data-race {subject}")], "{}", watched.err);
    let place = format!("{}:{}", at.0, at.1);
    assert!(watched.err.contains(&place), "{place}: {}", watched.err);
    watched.err
}

/// The first line of a source that has some text.
fn line(source: &str, text: &str) -> u64 {
    let all = std::fs::read_to_string(java_sources("languages").join(source)).expect("the source");
    all.lines().zip(1..).find(|(line, _)| line.contains(text)).expect("the text").1
}

#[test]
fn a_kotlin_program_is_watched_like_any_other() {
    let (jars, classes) = (jars("kotlin-jars"), scratch("kotlin"));
    let options = ["-no-stdlib", "-no-reflect", "-nowarn", "-cp", &jars];
    compile("org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", &jars, &options, "Orders.kt", &classes);
    let at = ("Orders.kt", line("Orders.kt", "racy += 1"));
    has_one_race(&jars, &classes, "OrdersKt", "kotlin 1201\n", "Orders.racy", at);
}

#[test]
fn a_scala_program_is_watched_like_any_other() {
    let (jars, classes) = (jars("scala-jars"), scratch("scala"));
    compile("scala.tools.nsc.Main", &jars, &["-cp", &jars], "Ledger.scala", &classes);
    let at = ("Ledger.scala", line("Ledger.scala", "racy += 1"));
    let stack = has_one_race(&jars, &classes, "Main", "scala 901\n", "Ledger.racy", at);
    // The class's name begins with the letter with which signatures do.
    assert!(stack.contains("at Ledger.work (Ledger.scala:"), "{stack}");
}
