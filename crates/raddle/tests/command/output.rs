//! Where the report goes: formats, files, pipes, colours.

use std::fs::{self, File};

use super::{FINE, RACY, beside, command, file, folder, raddle};

#[test]
fn json_on_standard_output_is_valid_and_alone() {
    let run = raddle(&["analyze", "--format", "json", &file("racy.txt", RACY)]);
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["tool"]["name"], "raddle");
    let finding = &json["findings"][0];
    assert_eq!((&finding["rule"], &finding["subject"]), (&"data-race".into(), &"A.x".into()));
    assert_eq!(json["coverage"]["events"], 3);
    assert_eq!(json["coverage"]["threads"], 2);
    // It can be read back, and is then written as it was.
    let report = findings::read_json(&run.out).unwrap();
    let mut again = Vec::new();
    findings::Format::Json.renderer(findings::Style::default()).render(&report, &mut again).unwrap();
    assert_eq!(String::from_utf8(again).unwrap(), run.out);
}

#[test]
fn a_clean_run_says_so_in_every_format() {
    let fine = file("fine.txt", FINE);
    let run = raddle(&["analyze", &fine]);
    assert_eq!(run.out, "no findings\nlooked at 3 events, 2 threads, 1 variable\n");
    assert_eq!(raddle(&["analyze", "-q", &fine]).out, run.out);
    let json: serde_json::Value =
        serde_json::from_str(&raddle(&["analyze", "--format", "json", &fine]).out).unwrap();
    assert_eq!(json["findings"], serde_json::json!([]));
}

#[test]
fn quiet_leaves_headlines_and_summary() {
    let run = raddle(&["analyze", "--quiet", &file("racy.txt", RACY)]);
    let expected =
        "data race on A.x  [high]\n1 finding: 1 data race\nlooked at 3 events, 2 threads, 1 variable\n";
    assert_eq!(run.out, expected);
}

#[test]
fn reports_go_to_any_number_of_files() {
    let racy = file("racy.txt", RACY);
    let (json, text) = (racy.replace("racy.txt", "r.json"), racy.replace("racy.txt", "r.report"));
    fs::write(&text, "an old report").unwrap();
    let to = [format!("json={json}"), format!("text={text}")];
    let run = raddle(&["analyze", "--output", &to[0], "--output", &to[1], &racy]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert_eq!(fs::read_to_string(&text).unwrap(), run.out);
    findings::read_json(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(beside(&racy), ["r.json", "r.report", "racy.txt"], "nothing else is left behind");
}

#[test]
fn a_run_that_fails_leaves_the_files_as_they_were() {
    let bad = file("bad.txt", "raddle text 1\nT1 release m\n");
    let out = bad.replace("bad.txt", "r.json");
    let to = format!("json={out}");
    raddle(&["analyze", "--output", &to, &bad]).fails_with(&["event 1"]);
    assert_eq!(beside(&bad), ["bad.txt"]);
    fs::write(&out, "an old report").unwrap();
    raddle(&["analyze", "--output", &to, &bad]).fails_with(&["event 1"]);
    assert_eq!(fs::read_to_string(&out).unwrap(), "an old report");
    assert_eq!(beside(&bad), ["bad.txt", "r.json"]);
}

#[test]
fn an_output_that_cannot_be_is_refused_before_the_work() {
    let racy = file("racy.txt", RACY);
    let folder = folder();
    for (to, part) in [
        ("json".to_owned(), "FORMAT=FILE"),
        ("json=".to_owned(), "FORMAT=FILE"),
        (format!("yaml={}/x", folder.display()), "'yaml'"),
        (format!("json={}", folder.display()), "directory"),
        (format!("json={}/no/such/x.json", folder.display()), "No such file"),
    ] {
        let run = raddle(&["analyze", "--output", &to, &racy]);
        run.fails_with(&[part]);
        assert_eq!(run.out, "");
    }
    let to = format!("json={}/x", folder.display());
    raddle(&["analyze", "--output", &to, "--output", &to, &racy]).fails_with(&["twice"]);
    assert!(fs::read_dir(&folder).unwrap().next().is_none(), "nothing is left behind");
}

#[test]
fn a_full_disk_is_an_error() {
    let racy = file("racy.txt", RACY);
    for args in [&["analyze", &racy][..], &["rules"], &["explain", "data-race"], &["trace", "cat", &racy]] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = command().args(args).stdout(full).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.starts_with("raddle: error: standard output: No space left"), "{err}");
        assert_eq!(err.lines().count(), 1, "{err}");
    }
    let run = raddle(&["analyze", "--output", "json=/dev/full", &racy]);
    run.fails_with(&["/dev/full: No space left"]);
}

#[test]
fn a_pipe_that_closes_ends_the_run_in_silence() {
    let mut text = String::from("raddle text 1\n");
    for i in 0..100_000 {
        text.push_str(&format!("T1 write x{i}\n"));
    }
    let long = file("long.txt", text);
    let racy = file("racy.txt", RACY);
    for args in
        [&["trace", "cat", &long][..], &["analyze", &racy], &["rules"], &["explain", "atomizer"], &["--help"]]
    {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command().args(args).stdout(writer).output().unwrap();
        let (code, err) = (output.status.code(), String::from_utf8(output.stderr).unwrap());
        assert_eq!((code, err.as_str()), (Some(2), ""), "{args:?}");
    }
}

#[test]
fn colour_is_off_where_there_is_no_terminal_and_on_when_asked_for() {
    let racy = file("racy.txt", RACY);
    assert!(!raddle(&["analyze", &racy]).out.contains('\x1b'));
    assert!(!raddle(&["analyze", "--color", "never", &racy]).out.contains('\x1b'));
    assert!(raddle(&["analyze", "--color", "always", &racy]).out.contains('\x1b'));
    assert!(raddle(&["--color", "always", "explain", "data-race"]).out.contains('\x1b'));
    assert!(!raddle(&["explain", "data-race"]).out.contains('\x1b'));
    assert!(!raddle(&["--color", "always", "analyze", "--format", "json", &racy]).out.contains('\x1b'));
}

#[test]
fn nothing_is_said_about_progress_where_there_is_no_terminal() {
    assert_eq!(raddle(&["analyze", &file("racy.txt", RACY)]).err, "");
}

#[test]
fn names_of_a_trace_cannot_act_on_the_terminal() {
    let evil = RACY.replace("A.x", "\"\\u{1b}[2J\".x").replace("T1", "\"T\\r1\"");
    let run = raddle(&["analyze", &file("evil.txt", evil)]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.out.contains("\\u{1b}[2J.x") && run.out.contains("T\\r1"), "{}", run.out);
    assert!(run.out.chars().all(|c| c == '\n' || !c.is_control()), "{:?}", run.out);
}
