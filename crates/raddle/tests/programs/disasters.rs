//! What happens when something dies, or there is no room: a clear message, the report of what was seen, and a program that
//! does not notice.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::{Watched, files, finished, java_sources, javac, output, raddle, scratch, told};

/// The program, compiled once.
fn classes() -> &'static str {
    static CLASSES: OnceLock<String> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let folder = scratch("disasters");
        javac(&files(&java_sources("disasters")), "", &folder);
        folder.display().to_string()
    })
}

/// `raddle run` on a program that races for so many rounds; sessions go to a folder of the test's own.
fn works(rounds: &str, options: &[&str], folder: &Path) -> Command {
    program(&["Works", rounds], options, folder)
}

pub fn program(args: &[&str], options: &[&str], folder: &Path) -> Command {
    let sessions = folder.join("sessions");
    fs::create_dir_all(&sessions).unwrap();
    let mut command = raddle(options, folder);
    command.arg("--").args(["java", "-cp", classes()]).args(args).env("TMPDIR", sessions);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Starts it and waits until the program has begun; its output then goes on in the reader.
fn begun(command: &mut Command) -> (Child, BufReader<ChildStdout>) {
    let mut child = command.spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert_eq!(line, "begun\n");
    (child, out)
}

fn signal(name: &str, process: u32) {
    let status = Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status();
    assert!(status.unwrap().success());
}

/// The folders in which JVMs have their sessions.
fn sessions(folder: &Path) -> Vec<PathBuf> {
    let inner = |path: PathBuf| fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    inner(folder.join("sessions")).flat_map(inner).collect()
}

/// The process of the JVM whose session is in the folder, once there is one.
fn jvm(folder: &Path) -> u32 {
    let began = Instant::now();
    loop {
        let mut pids = sessions(folder).into_iter().filter_map(|path| {
            let name = path.file_name()?.to_str()?.to_owned();
            name.split_once('-')?.0.parse().ok()
        });
        if let Some(pid) = pids.next() {
            return pid;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "no JVM came");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn left_behind(folder: &Path) -> usize {
    fs::read_dir(folder.join("sessions")).unwrap().count()
}

/// Waits for the end; `out` is what the program has not been asked to say yet.
fn ended(child: Child, mut out: BufReader<ChildStdout>, folder: &Path) -> Watched {
    let mut text = String::new();
    out.read_to_string(&mut text).unwrap();
    let mut watched = told(finished(child), folder);
    watched.out = text;
    watched
}

const FOR_EVER: &str = "2000000000";
const RACE: &str = "data-race Works.racy";

#[test]
fn of_a_jvm_that_is_killed_everything_is_told_up_to_then() {
    let folder = scratch("killed");
    let (child, out) = begun(&mut works(FOR_EVER, &[], &folder));
    signal("KILL", jvm(&folder));
    let told = ended(child, out, &folder);
    assert_eq!(told.code, Some(137), "{}", told.err);
    assert_eq!(told.findings(), [RACE], "{}", told.err);
    assert!(told.says("was killed; what it had reported was read"), "{}", told.err);
    assert_eq!(left_behind(&folder), 0);
}

#[test]
fn of_threads_that_block_each_other_for_ever_what_they_did_before_is_told() {
    let folder = scratch("stuck");
    let (child, out) = begun(&mut program(&["Stuck"], &["--leave", "Stuck$Meeting"], &folder));
    signal("KILL", jvm(&folder));
    let told = ended(child, out, &folder);
    assert_eq!(told.code, Some(137), "{}", told.err);
    assert_eq!(told.findings(), ["data-race Stuck.racy"], "{}", told.err);
}

#[test]
fn a_program_goes_on_when_raddle_is_killed_and_clears_up() {
    let folder = scratch("alone");
    let (mut child, mut out) = begun(&mut works("300000", &["--budget", "40"], &folder));
    let session = sessions(&folder);
    assert_eq!(session.len(), 1, "{session:?}");
    for path in [&session[0], session[0].parent().unwrap()] {
        assert_eq!(
            fs::metadata(path).unwrap().permissions().mode() & 0o777,
            0o700,
            "private: {}",
            path.display()
        );
    }
    signal("KILL", child.id());
    child.wait().unwrap();
    // The program still has its output.
    let mut text = String::new();
    out.read_to_string(&mut text).unwrap();
    assert_eq!(text, "done 900000\n");
    let began = Instant::now();
    while left_behind(&folder) > 0 {
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", sessions(&folder));
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_signal_for_raddle_is_one_for_the_program_and_the_report_comes() {
    for (name, code) in [("INT", 130), ("TERM", 143)] {
        let folder = scratch("signal");
        let (child, out) = begun(&mut works(FOR_EVER, &[], &folder));
        signal(name, child.id());
        let told = ended(child, out, &folder);
        assert_eq!(told.code, Some(code), "{}", told.err);
        assert_eq!(told.findings(), [RACE], "{}", told.err);
        assert_eq!(left_behind(&folder), 0);
    }
}

/// The same under a limit for the size of files, in KiB.
fn limited(kib: u32, inner: &Command, folder: &Path) -> Watched {
    let mut command = Command::new("bash");
    command.args(["-c", "ulimit -f \"$0\" && exec \"$@\"", &kib.to_string()]);
    command.arg(inner.get_program()).args(inner.get_args());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    told(output(command.stdin(Stdio::null())), folder)
}

#[test]
fn no_room_for_a_session_leaves_the_program_unwatched_and_says_so() {
    let folder = scratch("no-room");
    let told = limited(1000, &works("100000", &[], &folder), &folder);
    assert_eq!(told.out, "begun\ndone 300000\n");
    assert_eq!(told.code, Some(2), "nobody must take that for a program without errors: {}", told.err);
    assert!(told.says("this JVM is not watched") && told.says("File too large"), "{}", told.err);
    assert!(told.says("NO JVM WAS WATCHED"), "{}", told.err);
    assert_eq!(left_behind(&folder), 0);
}

#[test]
fn little_room_for_a_session_is_enough() {
    let folder = scratch("little-room");
    let told = limited(20_000, &works("100000", &[], &folder), &folder);
    assert_eq!(told.out, "begun\ndone 300000\n");
    assert_eq!(told.code, Some(1), "{}", told.err);
    assert_eq!(told.findings(), [RACE], "{}", told.err);
}

#[test]
fn a_report_that_cannot_be_written_is_an_error_after_the_program() {
    let folder = scratch("full");
    let mut command = works("1000", &["--output", "json=/dev/full"], &folder);
    let told = told(output(&mut command), &folder);
    assert_eq!(told.out, "begun\ndone 3000\n");
    assert_eq!(told.code, Some(2), "{}", told.err);
    assert!(told.says("/dev/full: No space left on device"), "{}", told.err);
    assert!(told.says("data race on Works.racy"), "the others are there: {}", told.err);
    assert_eq!(told.findings(), [RACE], "{}", told.err);
}

#[test]
fn a_trace_that_cannot_be_written_is_an_error_and_devices_stay_devices() {
    let folder = scratch("full-trace");
    let mut command = works("1000", &["--record", "/dev/full"], &folder);
    let told = told(output(&mut command), &folder);
    assert_eq!(told.code, Some(2), "{}", told.err);
    assert!(told.says("/dev/full: No space left on device"), "{}", told.err);
    assert_eq!(told.findings(), [RACE], "{}", told.err);
    assert!(!fs::metadata("/dev/full").unwrap().is_file(), "it is still a device");
}

#[test]
fn without_a_place_for_sessions_nothing_is_started() {
    let folder = scratch("no-place");
    for place in ["/proc/self", "/no/such/folder", "/dev/null"] {
        let mut command = works("1000", &[], &folder);
        let told = told(output(command.env("TMPDIR", place)), &folder);
        assert_eq!((told.out.as_str(), told.code), ("", Some(2)), "{place}: {}", told.err);
        assert!(told.says("no session folder can be made") && told.err.contains("TMPDIR"), "{}", told.err);
    }
}

#[test]
fn more_threads_than_the_budget_has_room_for_are_watched_all_the_same() {
    let folder = scratch("crowded");
    let told = told(output(&mut program(&["Crowded", "900"], &["--budget", "32"], &folder)), &folder);
    assert_eq!((told.out.as_str(), told.code), ("done\n", Some(1)), "{}", told.err);
    assert_eq!(told.findings(), ["data-race Crowded.racy"], "{}", told.err);
    assert_eq!(told.report["gaps"], serde_json::json!([]), "{}", told.err);
    assert!(told.says("MiB beyond --budget"), "{}", told.err);
}

#[test]
fn a_program_whose_session_finds_no_more_room_goes_on_unwatched() {
    let folder = scratch("no-more-room");
    let told = limited(20_000, &program(&["Crowded", "900"], &[], &folder), &folder);
    assert_eq!(told.out, "done\n", "{}", told.err);
    assert!(told.says("the session has no room to grow: File too large"), "{}", told.err);
    assert_eq!(told.report["gaps"][0]["what"], "the rest of the run", "{}", told.err);
    assert_eq!(left_behind(&folder), 0);
}
