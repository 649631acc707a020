//! The command as a user meets it: run as a process, judged by what it prints and how it ends.

mod annotations;
mod bad_input;
mod book;
mod check;
mod choices;
mod examples;
mod forms;
mod generated;
mod output;
mod pages;
mod plan;
mod project;
mod readme;
mod run;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a run left behind.
pub struct Run {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Run {
    /// Whether it told this on either stream. Where a text breaks into lines depends on the length of the
    /// folder's name, so that lines do not count.
    pub fn says(&self, part: &str) -> bool {
        let told = format!("{} {}", self.out, self.err);
        told.split_whitespace().collect::<Vec<_>>().join(" ").contains(part)
    }

    /// Asserts that the run failed with one line of error (and perhaps one of help) that holds each of `parts`.
    #[track_caller]
    pub fn fails_with(&self, parts: &[&str]) {
        assert_eq!(self.code, 2, "{}{}", self.out, self.err);
        let lines: Vec<&str> = self.err.lines().collect();
        assert!(lines[0].starts_with("raddle: error: "), "{}", self.err);
        assert!(lines.len() == 1 || lines.len() == 2 && lines[1].starts_with("  help: "), "{}", self.err);
        for part in parts {
            assert!(self.err.contains(part), "no '{part}' in: {}", self.err);
        }
        assert!(lines[0].len() < 400, "{}", self.err);
    }
}

/// The command, not run yet.
pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.env_remove("NO_COLOR").env_remove("RUST_BACKTRACE").current_dir(root());
    command
}

/// Runs it.
#[track_caller]
pub fn raddle(args: &[&str]) -> Run {
    finish(command().args(args).stdin(Stdio::null()).output().unwrap())
}

/// Runs it with something on standard input.
#[track_caller]
pub fn raddle_with(input: &[u8], args: &[&str]) -> Run {
    let mut child = command()
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // It may stop reading before the end, which is not our concern here.
    let feeder = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    finish(output)
}

#[track_caller]
fn finish(output: std::process::Output) -> Run {
    let run = Run {
        code: output.status.code().expect("ended by a signal"),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    };
    assert!(!run.err.contains("panicked"), "{}", run.err);
    run
}

/// The project's folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A new, empty folder.
pub fn folder() -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("command-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// A file in a new folder.
pub fn file(name: &str, contents: impl AsRef<[u8]>) -> String {
    let path = folder().join(name);
    std::fs::write(&path, contents).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The names in a file's folder.
pub fn beside(path: &str) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(Path::new(path).parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A trace with a race.
pub const RACY: &str = "raddle text 1\nmain fork T1\nmain write A.x\nT1 write A.x\n";

/// A trace with nothing wrong.
pub const FINE: &str = "raddle text 1\nmain write A.x\nmain fork T1\nT1 write A.x\n";
