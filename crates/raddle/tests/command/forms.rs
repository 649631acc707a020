//! `raddle trace`: the forms of a trace and the ways between them.

use std::fs;

use super::{FINE, RACY, beside, file, raddle, raddle_with};

#[test]
fn a_trace_says_the_same_in_every_form_that_holds_it() {
    let std = file("a.std", "main|fork(T1)|1\nmain|w(x)|2\nT1|w(x)|3\nT1|acq(m)|4\nT1|rel(m)|5\n");
    let [binary, text, back] = ["a.trace", "a.txt", "b.std"].map(|name| std.replace("a.std", name));
    for (from, to) in [(&std, &binary), (&binary, &text), (&text, &back)] {
        let run = raddle(&["trace", "convert", from, to]);
        assert_eq!((run.code, run.err.as_str(), run.out.as_str()), (0, "", ""), "{from} {to}");
    }
    assert_eq!(fs::read_to_string(&std).unwrap(), fs::read_to_string(&back).unwrap());
    let reports: Vec<String> = [&std, &binary, &text].map(|path| raddle(&["analyze", path]).out).to_vec();
    assert!(reports[0].contains("data race on x"), "{}", reports[0]);
    assert!(reports.iter().all(|report| *report == reports[0]), "{reports:#?}");
    assert_eq!(beside(&std), ["a.std", "a.trace", "a.txt", "b.std"]);
}

#[test]
fn a_trace_can_go_through_a_pipe_in_every_form() {
    let racy = file("racy.txt", RACY);
    assert_eq!(raddle_with(RACY.as_bytes(), &["analyze", "-q", "-"]).code, 1);
    let text = raddle(&["trace", "convert", "--to", "text", &racy, "-"]);
    assert_eq!(raddle_with(text.out.as_bytes(), &["analyze", "-q", "-"]).code, 1);
    let std = raddle(&["trace", "convert", "--to", "std", "--lossy", &racy, "-"]);
    assert_eq!(std.code, 0, "{}", std.err);
    assert_eq!(raddle_with(std.out.as_bytes(), &["analyze", "-q", "-"]).code, 1);
    let binary = racy.replace("racy.txt", "racy.trace");
    assert_eq!(raddle(&["trace", "convert", &racy, &binary]).code, 0);
    assert_eq!(raddle_with(&fs::read(&binary).unwrap(), &["analyze", "-q", "-"]).code, 1);
}

#[test]
fn what_std_cannot_say_is_refused_or_counted() {
    let volatile = file("v.txt", "raddle text 1\nT1 write x @ :1\nT1 vwrite y @ :2\nT1 vwrite y @ :3\n");
    let out = volatile.replace("v.txt", "v.std");
    raddle(&["trace", "convert", &volatile, &out]).fails_with(&["v.txt: event 2: ", "--lossy"]);
    assert_eq!(beside(&volatile), ["v.txt"], "nothing is left behind");
    let run = raddle(&["trace", "convert", "--lossy", &volatile, &out]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.starts_with("raddle: left out: ") && run.err.contains("(2)"), "{}", run.err);
    assert_eq!(fs::read_to_string(&out).unwrap(), "T1|w(x)|1\n");
}

#[test]
fn the_form_to_write_has_to_be_clear() {
    let racy = file("racy.txt", RACY);
    raddle(&["trace", "convert", &racy, "-"]).fails_with(&["--to"]);
    raddle(&["trace", "convert", &racy, "/tmp/x.xml"]).fails_with(&["x.xml", ".trace (binary)"]);
    raddle(&["trace", "convert", "--lossy", &racy, "/tmp/x.trace"]).fails_with(&["--lossy"]);
}

#[test]
fn a_trace_can_be_converted_onto_itself() {
    let path = file("a.txt", RACY);
    assert_eq!(raddle(&["trace", "convert", "--to", "binary", &path, &path]).code, 0);
    assert_eq!(raddle(&["analyze", "-q", &path]).code, 1);
    assert_eq!(beside(&path), ["a.txt"]);
}

#[test]
fn stat_counts_what_there_is() {
    let run = raddle(&["trace", "stat", &file("fine.txt", FINE)]);
    assert_eq!(run.code, 0, "{}", run.err);
    let row = |name: &str| {
        let line = run.out.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_default();
        line.split_whitespace().last().unwrap_or_default().to_owned()
    };
    for (name, count) in
        [("events", "3"), ("write", "2"), ("fork", "1"), ("threads", "2"), ("variables", "1")]
    {
        assert_eq!(row(name), count, "{name} in\n{}", run.out);
    }
    assert!(!run.says("read mode"), "what there is not is not listed");
}

#[test]
fn cat_shows_a_part() {
    let path = file("racy.txt", RACY);
    let all = raddle(&["trace", "cat", &path]).out;
    assert_eq!(all.lines().count(), 4, "{all}");
    assert_eq!(raddle_with(all.as_bytes(), &["analyze", "-q", "-"]).code, 1, "it can be read again");
    let one = raddle(&["trace", "cat", "--from", "2", "--count", "1", &path]).out;
    assert_eq!(one, "raddle text 1\nmain write A.x @ :3\n");
    let of = raddle(&["trace", "cat", "--thread", "T1", &path]).out;
    assert_eq!(of, "raddle text 1\nT1 write A.x @ :4\n");
    raddle(&["trace", "cat", "--thread", "T2", &path]).fails_with(&["'T2'", "main, T1"]);
    assert_eq!(raddle(&["trace", "cat", "--from", "99", &path]).out, "raddle text 1\n");
}
