//! A disk that is really full: a small one, in memory, that only the started processes see. Where no disk can be mounted
//! (neither root nor namespaces of one's own), this is said and the tests look at nothing; limits for the size of
//! files stand for it then (`disasters.rs`).

use std::path::Path;
use std::process::{Command, Stdio};

use crate::disasters::program;
use crate::{Watched, output, scratch, told};

/// Mounts a disk of so many KiB at a folder, runs something, and says what is left on the disk.
const SCRIPT: &str = r#"mount -t tmpfs -o size="$1"k none "$2" || exit 99
disk=$2; shift 2; "$@"; code=$?; echo "left behind: $(ls -A "$disk")" >&2; exit $code"#;

/// Runs a command with a disk of so many KiB at a folder. None if there can be none.
fn with_disk(kib: u32, at: &Path, inner: &Command, folder: &Path) -> Option<Watched> {
    std::fs::create_dir_all(at).unwrap();
    let start = |command: &mut Command| {
        command.args(["--map-root-user", "--mount", "sh", "-c", SCRIPT, "sh", &kib.to_string()]).arg(at);
        command.stdin(Stdio::null());
    };
    let mut tried = Command::new("unshare");
    start(&mut tried);
    let tried = output(tried.arg("true"));
    if !tried.status.success() {
        eprintln!("skipped: no disk can be mounted: {}", String::from_utf8_lossy(&tried.stderr));
        return None;
    }
    let mut command = Command::new("unshare");
    start(&mut command);
    command.arg(inner.get_program()).args(inner.get_args());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    Some(told(output(&mut command), folder))
}

#[test]
fn a_session_that_fills_the_disk_ends_and_the_program_goes_on() {
    // Which of its files finds no room differs from time to time.
    for _ in 0..3 {
        let folder = scratch("disk-filled");
        let inner = program(&["Crowded", "900"], &[], &folder);
        let Some(told) = with_disk(20_000, &folder.join("sessions"), &inner, &folder) else { return };
        assert_eq!(told.out, "done\n", "{}", told.err);
        assert!(matches!(told.code, Some(0 | 1)), "{:?} {}", told.code, told.err);
        assert!(told.says("the session has no room to grow: No space left on device"), "{}", told.err);
        assert_eq!(told.report["gaps"][0]["what"], "the rest of the run", "{}", told.err);
        assert!(told.says("left behind:") && !told.says("left behind: raddle"), "{}", told.err);
    }
}

#[test]
fn on_a_disk_without_room_for_a_session_the_program_runs_unwatched() {
    let folder = scratch("disk-full");
    let inner = program(&["Works", "1000"], &[], &folder);
    let Some(told) = with_disk(10_000, &folder.join("sessions"), &inner, &folder) else { return };
    assert_eq!(told.out, "begun\ndone 3000\n", "{}", told.err);
    assert_eq!(told.code, Some(2), "{}", told.err);
    assert!(told.says("this JVM is not watched") && told.says("No space left on device"), "{}", told.err);
    assert!(told.says("NO JVM WAS WATCHED"), "{}", told.err);
}

#[test]
fn a_trace_and_reports_that_fill_the_disk_are_errors_and_the_rest_is_told() {
    let folder = scratch("disk-output");
    let disk = folder.join("disk");
    let (trace, html) = (disk.join("app.trace"), disk.join("app.html"));
    let (html, text) = (format!("html={}", html.display()), format!("text={}.txt", html.display()));
    let options = ["--record", trace.to_str().unwrap(), "--output", &html, "--output", &text];
    let inner = program(&["Works", "100000"], &options, &folder);
    let Some(told) = with_disk(4, &disk, &inner, &folder) else { return };
    assert_eq!(told.out, "begun\ndone 300000\n", "{}", told.err);
    assert_eq!(told.code, Some(2), "{}", told.err);
    for name in [".trace: No space", "app.html: No space"] {
        assert!(told.says(name), "{name}: {}", told.err);
    }
    assert_eq!(told.findings(), ["data-race Works.racy"], "the others are there: {}", told.err);
    assert!(!told.says("left behind: .app"), "nothing half done: {}", told.err);
}
