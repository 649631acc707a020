//! Tests under test frameworks, build tools that fork JVMs, and programs that start JVMs themselves: every finding comes
//! from the JVM that the program's own code ran in, and names the test.

use std::path::Path;

use crate::{Watched, cache, files, jars, java_sources, javac, scratch, watch};

/// Compiles the tests of a framework and runs them with its runner.
fn under(framework: &str, runner: &[&str]) -> Watched {
    let classes = scratch(framework);
    let jars = jars(&format!("{framework}-jars"));
    javac(&files(&java_sources(framework)), &jars, &classes);
    let class_path = format!("{}:{jars}", classes.display());
    watch(&[], &[&["java", "-cp", &class_path], runner].concat())
}

#[track_caller]
fn names(watched: &Watched, subject: &str, tests: &[&str]) {
    assert_eq!(watched.tests_of(subject), tests, "{}{}{:?}", watched.out, watched.err, watched.findings());
}

#[test]
fn junit_4_tests_are_named() {
    let watched = under("junit4", &["org.junit.runner.JUnitCore", "acme.OldTest", "acme.OlderTest"]);
    names(&watched, "acme.OldTest.counter", &["acme.OldTest.twoThreads"]);
    names(&watched, "acme.OldTest.late", &["acme.OldTest.inTime"]);
    names(&watched, "acme.OlderTest.counter", &["acme.OlderTest.testTwoThreads"]);
    assert!(watched.out.contains("OK (4 tests)"), "{}", watched.out);
    assert!(watched.says("in the test acme.OldTest.twoThreads"), "{}", watched.err);
}

#[test]
fn junit_5_tests_are_named_also_when_they_run_at_the_same_time() {
    let parallel = "--config=junit.jupiter.execution.parallel.";
    let watched = under(
        "junit5",
        &[
            "org.junit.platform.console.ConsoleLauncher",
            "execute",
            "--disable-banner",
            &format!("{parallel}enabled=true"),
            &format!("{parallel}mode.default=concurrent"),
            &format!("{parallel}config.strategy=fixed"),
            &format!("{parallel}config.fixed.parallelism=4"),
            "--select-class=acme.NewTest",
        ],
    );
    for (field, test) in [
        ("one", "plain"),
        ("two", "together"),
        ("repeated", "again"),
        ("given", "withArguments"),
        ("prepared", "prepare"),
    ] {
        names(&watched, &format!("acme.NewTest.{field}"), &[&format!("acme.NewTest.{test}")]);
    }
    names(&watched, "acme.NewTest$Left, acme.NewTest$Right", &["acme.NewTest.lockOrder"]);
    assert!(watched.out.contains("[         0 tests failed          ]"), "{}", watched.out);
}

#[test]
fn testng_tests_are_named() {
    let place = scratch("testng-output").display().to_string();
    let watched =
        under("testng", &["org.testng.TestNG", "-d", &place, "-verbose", "0", "-testclass", "acme.NextTest"]);
    names(&watched, "acme.NextTest.counter", &["acme.NextTest.twoThreads"]);
    names(&watched, "acme.NextTest.given", &["acme.NextTest.withArguments"]);
}

/// Maven with the test project, offline.
fn maven(forks: &str) -> Watched {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/maven/pom.xml");
    let target = scratch("maven").display().to_string();
    let repository = cache().join("maven").display().to_string();
    let program = [
        "mvn".to_owned(),
        "-o".to_owned(),
        "-B".to_owned(),
        "-f".to_owned(),
        project.display().to_string(),
        format!("-Dmaven.repo.local={repository}"),
        format!("-Draddle.target={target}"),
        format!("-DforkCount={forks}"),
        "test".to_owned(),
    ];
    watch(&[], &program)
}

#[track_caller]
fn finds_the_races_of_the_project(watched: &Watched, jvms: &str) {
    let races = ["data-race acme.Account.balance", "data-race acme.LedgerTest$Ledger.entries"];
    assert_eq!(watched.findings(), races, "{}{}", watched.out, watched.err);
    names(watched, "acme.Account.balance", &["acme.AccountTest.depositsOfTwoThreads"]);
    names(watched, "acme.LedgerTest$Ledger.entries", &["acme.LedgerTest.entriesOfTwoThreads"]);
    assert!(watched.err.contains(&format!("raddle: watched {jvms}:")), "{}", watched.err);
    assert!(watched.says("JVMs of Maven were left alone"), "{}", watched.err);
    assert!(watched.out.contains("Tests run: 5, Failures: 0, Errors: 0"), "{}", watched.out);
    assert_eq!(watched.code, Some(1), "{}", watched.err);
}

#[test]
fn the_jvm_that_maven_forks_for_tests_is_watched_and_its_own_is_not() {
    finds_the_races_of_the_project(&maven("1"), "1 JVM");
}

#[test]
fn what_several_forked_jvms_have_is_one_report() {
    finds_the_races_of_the_project(&maven("2"), "2 JVMs");
}

#[test]
fn jvms_that_a_program_starts_itself_are_watched_too() {
    let classes = scratch("children");
    javac(&[java_sources("Parent.java")], "", &classes);
    let class_path = classes.display().to_string();
    let watched = watch(&[], &["java", "-cp", &class_path, "Parent", "parent"]);
    assert_eq!(watched.findings(), ["data-race Parent.child", "data-race Parent.parent"], "{}", watched.err);
    assert_eq!(watched.out, "child\nparent\n");
    assert!(watched.says("raddle: watched 2 JVMs:"), "{}", watched.err);
    assert!(!watched.err.contains("RADDLE_CHILDREN"), "{}", watched.err);
}

#[test]
fn a_jvm_that_is_started_without_our_environment_is_not_passed_over_in_silence() {
    let classes = scratch("cleared");
    javac(&[java_sources("Parent.java")], "", &classes);
    let program = format!("env -u JAVA_TOOL_OPTIONS java -cp {} Parent child", classes.display());
    let watched = watch(&[], &["sh", "-c", &program]);
    assert_eq!((watched.out.as_str(), watched.code), ("child\n", Some(2)), "{}", watched.err);
    assert!(watched.says("NO JVM WAS WATCHED: the command started none"), "{}", watched.err);
    // Nor is one that only tells which Java it is taken for the program.
    let watched = watch(&[], &["sh", "-c", &format!("java -version; {program}")]);
    assert_eq!((watched.out.as_str(), watched.code), ("child\n", Some(2)), "{}", watched.err);
    assert!(watched.says("NO JVM WAS WATCHED"), "{}", watched.err);
}

#[test]
fn a_build_tools_daemon_that_was_there_before_is_told_of() {
    let classes = scratch("gradle");
    javac(&[java_sources("Parent.java"), java_sources("gradle/GradleMain.java")], "", &classes);
    let run = |how: &str| {
        let command = format!("java -cp {} org.gradle.launcher.GradleMain {how}", classes.display());
        watch(&[], &["sh", "-c", &command])
    };
    let daemon = run("daemon");
    assert!(daemon.out.ends_with("-Dorg.gradle.daemon=false\nchild\n"), "{}{}", daemon.out, daemon.err);
    assert_eq!(daemon.code, Some(2), "{}", daemon.err);
    assert!(daemon.says("NO JVM WAS WATCHED: those of Gradle are left alone"), "{}", daemon.err);
    assert!(daemon.says("gradle --stop"), "{}", daemon.err);
    let alone = run("alone");
    assert_eq!(alone.code, Some(1), "{}", alone.err);
    assert_eq!(alone.findings(), ["data-race Parent.child"], "{}", alone.err);
    assert!(alone.says("JVMs of Gradle were left alone"), "{}", alone.err);
}
