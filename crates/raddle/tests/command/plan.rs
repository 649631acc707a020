//! Plans as files: what is written can be read by people, and what is no plan is refused with a clear word. That runs go by
//! them is tested where there is a JVM (`tests/programs/plans.rs`).

use std::fs;

use super::check::bank;
use super::{folder, raddle};

fn written() -> (String, String) {
    let plan = folder().join("app.plan").display().to_string();
    let run = raddle(&["check", "--no-config", "--exit-zero", "--write-plan", &plan, &bank()]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.starts_with(&format!("raddle: {plan}: ")), "{}", run.err);
    let text = fs::read_to_string(&plan).unwrap();
    (plan, text)
}

#[test]
fn a_plan_names_its_program() {
    let (_, text) = written();
    assert!(text.starts_with("raddle plan 2\njava "), "{text}");
    assert!(text.contains("\nroot main acme.Bank.main([Ljava/lang/String;)V\n"), "{text}");
    assert!(text.contains("\nroot task acme.Bank.lambda$main$0(Lacme/Bank;)V\n"), "{text}");
    let class = text.lines().find(|line| line.starts_with("class ")).unwrap();
    assert!(class.len() == 71 + "acme.Bank".len() && class.ends_with(" acme.Bank"), "{class}");
    // What is paid is read in one block and written in the next.
    assert!(text.contains("\ntold 2 pay(I)V 8\nflow 2 pay(I)V back 8 38\n"), "{text}");
    assert!(!text.contains("blind"), "{text}");
}

#[test]
fn the_same_program_gives_the_same_plan() {
    let (one, other) = (written().1, written().1);
    // The folders differ.
    let rest = |text: &str| -> Vec<String> {
        let kept = |line: &&str| !line.starts_with("input ") && !line.starts_with("end ");
        text.lines().filter(kept).map(str::to_owned).collect()
    };
    assert_eq!(rest(&one), rest(&other));
}

#[test]
fn what_is_no_plan_is_refused_before_anything_runs() {
    let (plan, text) = written();
    let ran = folder().join("ran").display().to_string();
    let refused = |bytes: &[u8], why: &str| {
        fs::write(&plan, bytes).unwrap();
        raddle(&["run", "--no-config", "--plan", &plan, "--", "touch", &ran]).fails_with(&[&plan, why]);
    };
    refused(b"", "line 1: not a plan of Raddle");
    refused(b"\x7fELF\x00\xff\n\n", "not a plan of Raddle");
    refused(text.replace("plan 2", "plan 9").as_bytes(), "a plan of version 9");
    refused(&text.as_bytes()[..text.len() / 2], "ends before its check sum");
    refused(text.replacen("root main", "root mane", 1).as_bytes(), "the check sum is wrong");
    refused(text.replacen("class ", "class x", 1).as_bytes(), "is no hash");
    raddle(&["run", "--plan", "/nowhere/app.plan", "--", "touch", &ran]).fails_with(&["/nowhere/app.plan"]);
    assert!(fs::metadata(&ran).is_err(), "nothing was started");
}

#[test]
fn a_plan_that_cannot_be_written_is_an_error_before_the_work() {
    let run = raddle(&["check", "--no-config", "--write-plan", "/nowhere/app.plan", &bank()]);
    run.fails_with(&["/nowhere/app.plan"]);
}
