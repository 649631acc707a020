//! What bad input gets: a clear line with file and place, exit code 2, no panic.

use std::fs;

use super::{RACY, file, folder, raddle, raddle_with};

/// Every command that reads a trace.
const READERS: [&[&str]; 3] = [&["analyze"], &["trace", "stat"], &["trace", "cat"]];

#[track_caller]
fn all_refuse(path: &str, parts: &[&str]) {
    for reader in READERS {
        raddle(&[reader, &[path]].concat()).fails_with(parts);
    }
}

#[test]
fn a_file_that_is_no_trace() {
    let path = file("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xfe\0\x01");
    all_refuse(&path, &["picture.png"]);
    let path = file("letter.txt", "Dear Sir or Madam,\nplease find enclosed\n");
    all_refuse(&path, &["letter.txt"]);
}

#[test]
fn an_empty_file() {
    all_refuse(&file("empty.trace", ""), &["empty.trace", "empty"]);
    raddle_with(b"", &["analyze", "-"]).fails_with(&["-: ", "empty"]);
}

#[test]
fn a_path_that_does_not_exist_or_is_a_folder() {
    all_refuse("no/such/file.trace", &["no/such/file.trace: no such file"]);
    let folder = folder();
    all_refuse(folder.to_str().unwrap(), &["directory"]);
}

#[test]
fn std_with_a_broken_line() {
    let path = file("broken.std", "T1|w(x)|1\nT1|w(x|2\nT1|w(x)|3\n");
    all_refuse(&path, &["broken.std:2:"]);
}

#[test]
fn text_with_a_broken_line() {
    let path = file("broken.txt", "raddle text 1\nT1 write x\n\nT1 wriet x\n");
    all_refuse(&path, &["broken.txt:4:4:"]);
}

#[test]
fn a_release_without_an_acquire() {
    for (name, text) in [
        ("release.std", "T1|w(x)|1\nT1|rel(m)|2\n"),
        ("release.txt", "raddle text 1\nT1 write x\nT1 release m\n"),
    ] {
        let path = file(name, text);
        raddle(&["analyze", &path]).fails_with(&[name, "event 2: "]);
        raddle(&["trace", "stat", &path]).fails_with(&[name, "event 2: "]);
        let out = folder().join("out.trace");
        raddle(&["trace", "convert", &path, out.to_str().unwrap()]).fails_with(&[name, "event 2: "]);
        assert!(!out.exists());
        // To look at it is the way to find out what is wrong.
        assert_eq!(raddle(&["trace", "cat", &path]).code, 0);
    }
}

#[test]
fn an_unknown_version() {
    all_refuse(&file("new.txt", "raddle text 2\nT1 write x\n"), &["new.txt"]);
    let mut bytes = binary(RACY);
    bytes[8] = 99;
    all_refuse(&file("new.trace", bytes), &["new.trace", "version 99"]);
}

#[test]
fn a_line_of_a_hundred_megabytes() {
    let mut text = b"raddle text 1\nT1 write ".to_vec();
    text.resize(100 << 20, b'x');
    raddle_with(&text, &["analyze", "-"]).fails_with(&["-:2:"]);
    let mut text = b"T1|w(x)|1\nT1|w(".to_vec();
    text.resize(100 << 20, b'x');
    raddle_with(&text, &["analyze", "-"]).fails_with(&["-:2:"]);
}

/// A text trace in binary form.
fn binary(text: &str) -> Vec<u8> {
    let path = file("in.txt", text);
    let out = path.replace("in.txt", "out.trace");
    assert_eq!(raddle(&["trace", "convert", &path, &out]).code, 0);
    fs::read(out).unwrap()
}

/// Many events in many frames, with a race near the beginning.
fn long() -> String {
    let mut text = RACY.to_owned();
    for i in 0..200_000 {
        text.push_str(&format!("T1 write y{}\n", i * 7919 % 1000));
    }
    text
}

#[test]
fn of_a_cut_binary_trace_the_readable_part_is_analysed() {
    let bytes = binary(&long());
    let path = file("cut.trace", &bytes[..bytes.len() * 3 / 4]);
    let run = raddle(&["analyze", &path]);
    run.fails_with(&["cut.trace", "byte "]);
    assert!(run.says("data race on A.x"), "{}", run.out);
    assert!(run.says("not watched: "), "{}", run.out);
    let run = raddle(&["analyze", "--format", "json", &path]);
    run.fails_with(&["cut.trace", "byte "]);
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(json["gaps"].as_array().unwrap().len(), 1);
}

#[test]
fn a_cut_binary_trace_can_be_saved_as_far_as_it_goes() {
    let bytes = binary(&long());
    let path = file("cut.trace", &bytes[..bytes.len() * 3 / 4]);
    let saved = path.replace("cut.trace", "saved.txt");
    let run = raddle(&["trace", "convert", &path, &saved]);
    run.fails_with(&["cut.trace", "byte ", "help: what could be read is in ", "saved.txt"]);
    let run = raddle(&["analyze", &saved]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.says("not watched: "), "{}", run.out);
}

#[test]
fn a_binary_trace_that_is_cut_or_flipped_anywhere_is_an_error() {
    let bytes = binary(RACY);
    for length in (0..bytes.len()).step_by(3) {
        let run = raddle_with(&bytes[..length], &["analyze", "--exit-zero", "-"]);
        run.fails_with(&["-: "]);
    }
    for at in 0..bytes.len() {
        let mut bad = bytes.clone();
        bad[at] ^= 1 << (at % 8);
        let run = raddle_with(&bad, &["analyze", "-"]);
        assert_eq!(run.code, 2, "byte {at}: {}", run.err);
        run.fails_with(&["-:"]);
        assert!(!run.err.contains('\x1b'), "{}", run.err);
    }
}

#[test]
fn a_bad_trace_among_good_ones_is_a_gap_and_an_error() {
    let good = file("good.txt", RACY);
    let bad = file("bad.txt", "raddle text 1\nT1 release m\n");
    let run = raddle(&["analyze", "-q", &good, &bad]);
    run.fails_with(&["bad.txt", "event 1"]);
    assert!(run.says("data race on A.x") && run.says("not watched: "), "{}", run.out);
}

#[test]
fn where_no_trace_can_be_read_there_is_no_report() {
    let bad = file("bad.txt", "raddle text 1\nT1 release m\n");
    let run = raddle(&["analyze", "no/such.trace", &bad]);
    assert_eq!((run.code, run.out.as_str(), run.err.lines().count()), (2, "", 2), "{}", run.err);
}

#[test]
fn names_in_errors_cannot_act_on_the_terminal() {
    let path = file("evil.txt", "raddle text 1\nT1 \x1b[2Jjump x\n");
    let run = raddle(&["analyze", &path]);
    assert_eq!(run.code, 2);
    assert!(!run.err.contains('\x1b'), "{:?}", run.err);
    let path = file("evil.txt", "raddle text 1\n\"T\\u{1b}[2J\" release m\n");
    let run = raddle(&["analyze", &path]);
    assert_eq!(run.code, 2);
    assert!(!run.err.contains('\x1b'), "{:?}", run.err);
}
