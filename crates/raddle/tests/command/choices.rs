//! Flags that choose: rules, detectors, classes, confidence, exit codes.

use super::{FINE, RACY, file, raddle};

#[test]
fn the_exit_code_tells_clean_from_findings() {
    let (fine, racy) = (file("fine.txt", FINE), file("racy.txt", RACY));
    assert_eq!(raddle(&["analyze", &fine]).code, 0);
    assert_eq!(raddle(&["analyze", &racy]).code, 1);
    assert_eq!(raddle(&["analyze", &fine, &racy]).code, 1);
    assert_eq!(raddle(&["analyze", "--exit-zero", &racy]).code, 0);
}

#[test]
fn bad_usage_is_one_line_and_exit_code_two() {
    for (args, part) in [
        (&["analyse", "x"][..], "analyse"),
        (&["analyze"], "FILE"),
        (&["analyze", "--no-such-flag", "x"], "--no-such-flag"),
        (&["analyze", "--fail-on", "never", "x"], "never"),
        (&["analyze", "--color", "pink", "x"], "pink"),
        (&["trace", "convert", "x"], "OUT"),
        (&["trace", "cat", "--from", "x", "y"], "--from"),
    ] {
        raddle(args).fails_with(&[part]);
    }
}

#[test]
fn without_arguments_the_help_is_shown_and_nothing_ran() {
    let run = raddle(&[]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("Usage:"), "{}", run.err);
}

#[test]
fn unknown_names_come_with_the_nearest_known_one() {
    let racy = file("racy.txt", RACY);
    raddle(&["analyze", "--rules", "data-rase", &racy])
        .fails_with(&["'data-rase'", "did you mean data-race?"]);
    raddle(&["analyze", "--detectors", "fastrack", &racy])
        .fails_with(&["'fastrack'", "did you mean fasttrack?"]);
    raddle(&["analyze", "--refine", "reentrent", &racy]).fails_with(&["did you mean reentrant?"]);
    raddle(&["analyze", "--format", "jsn", &racy]).fails_with(&["did you mean json?"]);
    raddle(&["analyze", "--detectors", "zzz", &racy]).fails_with(&["'zzz'", "there are eraser, racer"]);
    raddle(&["explain", "lock-ordr"]).fails_with(&["did you mean lock-order?"]);
}

#[test]
fn rules_and_detectors_can_be_chosen() {
    let racy = file("racy.txt", RACY);
    assert_eq!(raddle(&["analyze", "--rules", "data-race", &racy]).code, 1);
    assert_eq!(raddle(&["analyze", "--rules", "lock-order,non-atomic", &racy]).code, 0);
    assert_eq!(raddle(&["analyze", "--detectors", "all", &racy]).code, 1);
    assert_eq!(raddle(&["analyze", "--detectors", "lock-graph", &racy]).code, 0);
    let run = raddle(&["analyze", "--detectors", "fasttrack", &racy]);
    assert!(run.out.contains("seen 1 time, by fasttrack\n"), "{}", run.out);
    let run = raddle(&["analyze", "--rules", "stale-value", &racy]);
    assert!(run.code == 0 && run.says("it tells of no"), "{}", run.out);
    assert_eq!(raddle(&["analyze", "--strict", "--rules", "stale-value", &racy]).code, 1);
    raddle(&["check", "--rules", "non-atomic", &racy]).fails_with(&["non-atomic", "raddle rules"]);
    raddle(&["analyze", "--rules", "data-race", "--detectors", "lock-graph", &racy])
        .fails_with(&["data-race"]);
}

#[test]
fn the_order_in_which_detectors_are_named_does_not_matter() {
    let racy = file("racy.txt", RACY);
    let one = raddle(&["analyze", "--detectors", "racer,fasttrack,eraser", &racy]).out;
    let two = raddle(&["analyze", "--detectors", "eraser,fasttrack,racer,racer", &racy]).out;
    assert_eq!(one, two);
}

#[test]
fn the_papers_mode_does_without_the_hand_over_order() {
    let fine = file("fine.txt", "raddle text 1\nmain write A.x\nmain fork T1\nT1 write A.x\nT1 write A.x\n");
    assert_eq!(raddle(&["analyze", "--detectors", "racer", &fine]).code, 0);
    assert_eq!(raddle(&["analyze", "--detectors", "racer", "--paper", &fine]).code, 1);
}

#[test]
fn findings_are_chosen_by_class() {
    let racy = file("racy.txt", RACY.replace("A.x", "com.acme.A.x"));
    for (flags, code) in [
        (&["--include", "com.acme.*"][..], 1),
        (&["--include", "org.*"], 0),
        (&["--include", "org.*", "--include", "com.*"], 1),
        (&["--exclude", "com.acme.A"], 0),
        (&["--exclude", "*.B"], 1),
        (&["--include", "com.*", "--exclude", "*.A"], 0),
    ] {
        let run = raddle(&[&["analyze"], flags, &[&racy]].concat());
        assert_eq!(run.code, code, "{flags:?} {}", run.err);
    }
}

#[test]
fn low_confidence_need_not_fail() {
    let racy = file("racy.txt", RACY);
    let racer = ["analyze", "--detectors", "racer", "--fail-on"];
    assert_eq!(raddle(&[&racer[..], &["low", &racy]].concat()).code, 1);
    let run = raddle(&[&racer[..], &["high", &racy]].concat());
    assert_eq!(run.code, 0);
    assert!(run.says("data race on A.x"), "it is shown all the same: {}", run.out);
    assert_eq!(raddle(&["analyze", "--fail-on", "high", &racy]).code, 1, "fasttrack is sure");
}

#[test]
fn strict_makes_gaps_fail_and_says_which() {
    let gap = file("gap.txt", format!("{FINE}!gap \"class org.foo.Bar\" \"it is native\" 3\n"));
    let run = raddle(&["analyze", &gap]);
    assert_eq!(run.code, 0);
    assert!(run.says("not watched: class org.foo.Bar: it is native (count 3)"), "{}", run.out);
    let run = raddle(&["analyze", "--strict", &gap]);
    assert_eq!(run.code, 1);
    assert_eq!(run.err, "raddle: 1 gap, and --strict is on: class org.foo.Bar\n");
    assert_eq!(raddle(&["analyze", "--strict", &file("fine.txt", FINE)]).code, 0);
}

#[test]
fn every_rule_and_detector_is_listed_and_explained() {
    let list = raddle(&["rules"]);
    assert_eq!(list.code, 0);
    let on_trace = detect::on_trace::ALL.iter().map(|spec| spec.name);
    let on_code = detect::on_code::ALL.iter().map(|spec| spec.name);
    for name in findings::Rule::ALL.iter().map(|rule| rule.name()).chain(on_trace).chain(on_code) {
        assert!(
            list.out.contains(&format!("\n  {name}  ")) || list.out.contains(&format!("\n  {name} ")),
            "{name}"
        );
        let run = raddle(&["explain", name]);
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.out.starts_with(&format!("{name}: ")), "{}", run.out);
        assert!(run.out.lines().all(|line| line.chars().count() <= 80), "{}", run.out);
    }
}
