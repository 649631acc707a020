//! Tests of the report for people.

use super::*;
use crate::{Format, Frame, Gap, Step, Witness};

fn frame(class: &str, method: &str, file: &str, line: i32) -> Frame {
    Frame { class: class.into(), method: method.into(), file: file.into(), line }
}

fn step(thread: &str, role: Role, place: Frame) -> Step {
    Step {
        thread: thread.into(),
        role,
        target: String::new(),
        place,
        locks: Vec::new(),
        stack: Vec::new(),
        stack_is_example: false,
        note: String::new(),
        ..Step::default()
    }
}

/// A race that two detectors saw, and a gap.
pub(in crate::render) fn sample() -> Report {
    let mut report = Report::new();
    let deposit = Step {
        target: "com.acme.Account@7.balance".into(),
        stack: vec![frame("com.acme.Teller", "run()V", "Teller.java", 31)],
        ..step("teller-1", Role::Write, frame("com.acme.Account", "deposit(I)V", "Account.java", 18))
    };
    let print = Step {
        locks: vec!["com.acme.Bank@1".into()],
        stack: vec![frame("com.acme.Audit", "run()V", "Audit.java", 9)],
        stack_is_example: true,
        ..step("auditor", Role::Read, frame("com.acme.Account", "print()V", "Account.java", 30))
    };
    let witness = |detector: &str, steps: Vec<Step>, note: &str| Witness {
        detector: detector.into(),
        steps,
        notes: vec![note.into()],
        tests: vec!["com.acme.BankTest.pays".into()],
        event: 3,
        ..Witness::default()
    };
    let message = "Two threads use com.acme.Account.balance and nothing keeps them apart.";
    let subject = "com.acme.Account.balance";
    let steps = vec![deposit, print];
    let more =
        [steps.clone(), vec![step("teller-2", Role::Write, frame("", "", "Account.java", 44))]].concat();
    report.add(
        Rule::DataRace,
        subject,
        Confidence::Medium,
        "perhaps",
        witness("racer", more, "The lock set is empty."),
    );
    report.add(
        Rule::DataRace,
        subject,
        Confidence::High,
        message,
        witness("fasttrack", steps, "No lock is held at both places."),
    );
    report.add_gap(Gap { what: "class org.foo.Bar".into(), why: "it is native".into(), count: 2 });
    report.coverage.events = 1_200_345;
    report.coverage.threads = 3;
    report.coverage.locks = 1;
    report
}

fn text(report: &Report, style: Style) -> String {
    let mut out = Vec::new();
    Format::Text.renderer(style).render(report, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_finding_tells_both_sides_the_locks_and_who_saw_it() {
    let expected = "\
data race on com.acme.Account.balance  [high]
  Two threads use com.acme.Account.balance and nothing keeps them apart.

  teller-1 writes com.acme.Account@7.balance
      at com.acme.Account.deposit (Account.java:18)
      at com.acme.Teller.run (Teller.java:31)
      holding no lock

  auditor reads
      at com.acme.Account.print (Account.java:30)
      an example of how this place is reached:
      at com.acme.Audit.run (Audit.java:9)
      holding com.acme.Bank@1

  how it can happen, step by step:
       teller-1                                    auditor
       ------------------------------------------  -----------------------------
    1                                              takes Bank@1
    2  writes Account@7.balance (Account.java:18)
       holding no lock
    3                                              reads it (Account.java:30)
                                                   holding Bank@1: nothing made
                                                   it wait

  - No lock is held at both places: auditor holds Bank@1, but teller-1 holds no
    lock.

  racer also saw:
  - teller-2 writes at Account.java:44, holding no lock

  in the test com.acme.BankTest.pays
  seen 2 times, by fasttrack, racer
  fingerprint FINGERPRINT; to learn more: raddle explain data-race

not watched: class org.foo.Bar: it is native (count 2)

1 finding: 1 data race
looked at 1,200,345 events, 3 threads, 1 lock; 1 gap
"
    .replace("FINGERPRINT", &crate::fingerprint(Rule::DataRace, "com.acme.Account.balance"));
    assert_eq!(text(&sample(), Style::default()), expected);
}

#[test]
fn quiet_shows_headlines_gaps_and_the_summary() {
    let expected = "\
data race on com.acme.Account.balance  [high]
not watched: class org.foo.Bar: it is native (count 2)
1 finding: 1 data race
looked at 1,200,345 events, 3 threads, 1 lock; 1 gap
";
    assert_eq!(text(&sample(), Style { quiet: true, ..Style::default() }), expected);
}

#[test]
fn a_report_without_findings_says_so_and_what_was_looked_at() {
    let mut report = Report::new();
    assert_eq!(text(&report, Style::default()), "no findings\nlooked at 0 events\n");
    report.coverage.events = 12;
    report.coverage.threads = 2;
    assert_eq!(text(&report, Style::default()), "no findings\nlooked at 12 events, 2 threads\n");
}

#[test]
fn colour_is_only_there_when_it_is_wanted() {
    assert!(!text(&sample(), Style::default()).contains('\x1b'));
    assert!(text(&sample(), Style { color: true, ..Style::default() }).contains("\x1b[1;31mdata race on"));
}

#[test]
fn the_three_stacks_of_a_broken_block_stand_one_below_the_other() {
    let main = frame("UnitTest", "main", "UnitTest.java", 21);
    let append = |line| frame("StringBuffer", "append", "StringBuffer.java", line);
    let mut report = Report::new();
    let steps = vec![
        Step { stack: vec![main.clone()], ..step("main", Role::BlockEntered, append(445)) },
        Step {
            note: "at lock release".into(),
            stack: vec![append(451), main.clone()],
            ..step("main", Role::Commit, frame("StringBuffer", "length", "StringBuffer.java", 144))
        },
        Step {
            note: "at lock acquire".into(),
            target: "StringBuffer@2".into(),
            stack: vec![append(455), main],
            ..step("main", Role::Violation, frame("StringBuffer", "getChars", "StringBuffer.java", 326))
        },
    ];
    let witness = Witness {
        detector: "atomizer".into(),
        steps,
        notes: Vec::new(),
        tests: Vec::new(),
        event: 0,
        ..Witness::default()
    };
    report.add(Rule::NonAtomic, "StringBuffer.append", Confidence::Medium, "It is not atomic.", witness);
    let shown = text(&report, Style::default());
    let expected = "\
non-atomic block StringBuffer.append  [medium]
  It is not atomic.

  main: block entered
      at StringBuffer.append (StringBuffer.java:445)
      at UnitTest.main (UnitTest.java:21)
      holding no lock

  main: takes effect (commit) at lock release
      at StringBuffer.length (StringBuffer.java:144)
      at StringBuffer.append (StringBuffer.java:451)
      at UnitTest.main (UnitTest.java:21)
      holding no lock

  main: atomicity is broken at lock acquire of StringBuffer@2
      at StringBuffer.getChars (StringBuffer.java:326)
      at StringBuffer.append (StringBuffer.java:455)
      at UnitTest.main (UnitTest.java:21)
      holding no lock
";
    assert!(shown.starts_with(expected), "{shown}");
}

#[test]
fn names_cannot_reach_the_terminal_as_commands() {
    let evil = "a\x1b[2J\nb\u{202e}";
    let place = frame(evil, evil, evil, 1);
    let mut report = Report::new();
    let steps = vec![Step {
        target: evil.into(),
        locks: vec![evil.into()],
        stack: vec![place.clone()],
        note: evil.into(),
        ..step(evil, Role::Read, place)
    }];
    let witness = |detector: &str| Witness {
        detector: detector.into(),
        steps: steps.clone(),
        notes: vec![evil.into()],
        tests: Vec::new(),
        event: 0,
        ..Witness::default()
    };
    report.add(Rule::DataRace, evil, Confidence::Low, evil, witness(evil));
    report.add(
        Rule::DataRace,
        evil,
        Confidence::Low,
        evil,
        Witness { notes: vec![format!("{evil}(:1)")], ..witness("b\x1b") },
    );
    report.add_gap(Gap { what: evil.into(), why: evil.into(), count: 1 });
    let shown = text(&report, Style::default());
    assert!(shown.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'), "{shown:?}");
    assert!(shown.contains("a\\u{1b}[2J\\nb\\u{202e} reads"));
}

#[test]
fn two_locks_of_one_class_are_counted_and_not_repeated() {
    let mut report = Report::new();
    let witness = Witness {
        detector: "lock-graph".into(),
        steps: Vec::new(),
        notes: Vec::new(),
        tests: Vec::new(),
        event: 0,
        ..Witness::default()
    };
    report.add(Rule::LockOrder, "A, A, B", Confidence::High, "threads block on A, A, B", witness);
    let shown = text(&report, Style::default());
    let expected = "\
lock-order cycle between A (2 of them), B  [high]
  Threads block on A (2 of them), B.
";
    assert!(shown.starts_with(expected), "{shown}");
}

#[test]
fn where_there_is_no_room_for_columns_the_steps_are_a_list() {
    let shown = text(&sample(), Style { width: 40, ..Style::default() });
    let expected = "
  how it can happen, step by step:
    1  auditor
         takes Bank@1
    2  teller-1
         writes Account@7.balance
         (Account.java:18)
         holding no lock
    3  auditor
         reads it (Account.java:30)
         holding Bank@1: nothing made it
         wait
";
    assert!(shown.contains(expected), "{shown}");
}

#[test]
fn findings_in_the_same_methods_stand_behind_the_surest_in_a_few_lines() {
    let mut report = sample();
    let witness = report.findings().next().unwrap().witnesses[0].clone();
    for (field, confidence) in [("a", Confidence::Low), ("z", Confidence::High)] {
        let elsewhere =
            Step { place: frame("com.acme.Other", "run", "Other.java", 1), ..witness.steps[0].clone() };
        let steps = if field == "a" { witness.steps.clone() } else { vec![elsewhere] };
        let subject = format!("com.acme.Account.{field}");
        report.add(Rule::DataRace, &subject, confidence, "m", Witness { steps, ..witness.clone() });
    }
    let shown = text(&report, Style::default());
    let heads: Vec<&str> = shown.lines().filter(|line| line.starts_with("data race")).collect();
    assert_eq!(
        heads,
        [
            "data race on com.acme.Account.balance  [high]",
            "data race on com.acme.Account.a  [low]",
            "data race on com.acme.Account.z  [high]"
        ]
    );
    assert_eq!(shown.matches("In the same methods as com.acme.Account.balance above:").count(), 1);
    assert_eq!(shown.matches("how it can happen").count(), 2);
}

#[test]
fn what_several_threads_do_in_one_line_stands_below_it() {
    let place = frame("com.acme.Tally", "add", "Tally.java", 2);
    let steps = ["adder-1", "adder-2"].map(|thread| Step {
        target: "com.acme.Tally@1.count".into(),
        ..step(thread, Role::Write, place.clone())
    });
    let witness = Witness { detector: "racer".into(), steps: steps.to_vec(), ..Witness::default() };
    let mut report = Report::new();
    report.add(Rule::DataRace, "com.acme.Tally.count", Confidence::High, "m", witness);
    let source = "com/acme/Tally.java";
    report.sources.insert(source.into(), format!("src/main/java/{source}"));
    report.excerpts.add(source, "void add() {\n    count++;\n}\n", &[2].into());
    let expected = "
   --> src/main/java/com/acme/Tally.java:2:5
    |
  1 | void add() {
  2 |     count++;
    |     ^^^^^^^^
    |     |
    |     adder-1 writes Tally@1.count
    |     adder-2 writes Tally@1.count
  3 | }
    |
";
    let shown = text(&report, Style::default());
    assert!(shown.contains(expected), "{shown}");
    let narrow = text(&report, Style { width: 40, ..Style::default() });
    let quoted = narrow.lines().filter(|line| line.contains(" | ") && !line.contains("-->"));
    assert!(quoted.clone().count() >= 5 && quoted.clone().all(|line| line.len() <= 40), "{narrow}");
}
