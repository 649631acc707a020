//! Real programs on real JVMs under `raddle run`: that they are watched wherever they start, and that being watched does
//! not change what they do. Needs what `scripts/prepare-java` fetches.

mod alone;
mod annotated;
mod choices;
mod disasters;
mod exhausted;
mod frameworks;
mod full_disk;
mod harmless;
mod languages;
mod memory;
mod plans;
mod roads;
mod stacks;
mod stale;
mod verified;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The folder of a module's Java sources.
pub fn java_sources(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/java").join(name)
}

/// Where `scripts/prepare-java` puts what it downloads.
pub fn cache() -> PathBuf {
    let from = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    from("RADDLE_CACHE")
        .or_else(|| from("XDG_CACHE_HOME").map(|path| path.join("raddle")))
        .or_else(|| from("HOME").map(|path| path.join(".cache/raddle")))
        .expect("RADDLE_CACHE or HOME says where downloads are kept")
}

/// What it has fetched; None if it is not there, which is said, and an error in CI and under `scripts/test`.
pub fn fetched_file(name: &str) -> Option<PathBuf> {
    let path = cache().join(name);
    if path.exists() {
        return Some(path);
    }
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "false");
    let missing = format!("{} is not there; scripts/prepare-java fetches it", path.display());
    assert!(!set("CI") && !set("RADDLE_PREPARED"), "{missing}");
    eprintln!("skipped: {missing}");
    None
}

/// A class path of the jars in a folder of the cache.
pub fn jars(folder: &str) -> String {
    let path = cache().join(folder);
    let entries = std::fs::read_dir(&path)
        .unwrap_or_else(|e| panic!("{}: {e}; scripts/prepare-java fetches it", path.display()));
    let mut jars: Vec<String> = entries.flatten().map(|entry| entry.path().display().to_string()).collect();
    jars.sort();
    jars.join(":")
}

/// An empty folder for what one test makes.
pub fn scratch(name: &str) -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    // The same names every time, so that old runs leave nothing behind for long.
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs").join(format!("{name}-{count}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder");
    path
}

/// Compiles Java files into a folder.
pub fn javac(sources: &[PathBuf], class_path: &str, into: &Path) {
    let output = Command::new("javac")
        .args(["--release", "17", "-g", "-Xlint:none", "-nowarn", "-cp", class_path, "-d"])
        .arg(into)
        .args(sources)
        .output()
        .expect("javac: a JDK is needed for this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The Java files of a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("Java files").flatten().map(|entry| entry.path());
    entries.filter(|path| path.extension().is_some_and(|end| end == "java")).collect()
}

/// What a watched program left behind.
pub struct Watched {
    /// The exit code.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
    /// The report in JSON; null where there is none.
    pub report: serde_json::Value,
}

impl Watched {
    /// Whether raddle told this. Where a text breaks into lines depends on the length of the folder's name, so
    /// that lines do not count.
    pub fn says(&self, part: &str) -> bool {
        one_line(&self.err).contains(part)
    }
}

/// A text whose lines are joined.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs a command under `raddle run`, with a report in JSON.
pub fn watch<S: AsRef<OsStr>>(options: &[&str], program: &[S]) -> Watched {
    let folder = scratch("report");
    let mut command = raddle(options, &folder);
    command.arg("--").args(program);
    told(output(&mut command), &folder)
}

/// How long anything that a test starts may take, on the slowest machine.
const LONGEST: Duration = Duration::from_secs(600);

/// Runs a command to its end, which has to come.
#[track_caller]
pub fn output(command: &mut Command) -> Output {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    finished(child.unwrap_or_else(|e| panic!("{}: {e}", command.get_program().display())))
}

/// What a process left behind. One that does not end is killed, with all that it has started, and the test fails.
#[track_caller]
pub fn finished(child: Child) -> Output {
    let ended = Arc::new(AtomicBool::new(false));
    let (pid, until) = (child.id(), Instant::now() + LONGEST);
    let guard = {
        let ended = Arc::clone(&ended);
        std::thread::spawn(move || {
            while !ended.load(Ordering::Relaxed) {
                if Instant::now() > until {
                    descendants(pid).into_iter().chain([pid]).for_each(kill);
                    return true;
                }
                std::thread::park_timeout(Duration::from_secs(1));
            }
            false
        })
    };
    let output = child.wait_with_output().expect("output");
    ended.store(true, Ordering::Relaxed);
    guard.thread().unpark();
    let killed = guard.join().expect("a guard");
    assert!(!killed, "it did not end: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn kill(process: u32) {
    let _ = Command::new("kill").args(["-KILL", &process.to_string()]).stderr(Stdio::null()).status();
}

/// The processes that a process has started, and those that they have.
fn descendants(process: u32) -> Vec<u32> {
    let children = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    let children = children.unwrap_or_default();
    let children = children.split_whitespace().filter_map(|child| child.parse().ok());
    children.flat_map(|child| [child].into_iter().chain(descendants(child))).collect()
}

/// `raddle run` with options, not started yet. The report goes to a folder, for [`told`].
pub fn raddle(options: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.arg("run").args(options).arg("--output");
    command.arg(format!("json={}", folder.join("report.json").display())).stdin(Stdio::null());
    command.env_remove("JAVA_TOOL_OPTIONS").env_remove("RADDLE_AGENT");
    command
}

/// What a run of that command came to.
pub fn told(output: Output, folder: &Path) -> Watched {
    let report = std::fs::read_to_string(folder.join("report.json")).unwrap_or_default();
    Watched {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
        report: serde_json::from_str(&report).unwrap_or(serde_json::Value::Null),
    }
}

impl Watched {
    /// Rule and subject of each finding.
    pub fn findings(&self) -> Vec<String> {
        let found = self.report["findings"].as_array().into_iter().flatten();
        found
            .map(|one| {
                format!("{} {}", one["rule"].as_str().unwrap_or("?"), one["subject"].as_str().unwrap_or("?"))
            })
            .collect()
    }

    /// The tests that the evidence for a subject names, each once.
    pub fn tests_of(&self, subject: &str) -> Vec<String> {
        let found = self.report["findings"].as_array().into_iter().flatten();
        let ours = found.filter(|one| one["subject"] == subject);
        let witnesses = ours.flat_map(|one| one["witnesses"].as_array().into_iter().flatten());
        let tests = witnesses.flat_map(|witness| witness["tests"].as_array().into_iter().flatten());
        let mut tests: Vec<String> = tests.filter_map(|test| test.as_str()).map(str::to_owned).collect();
        tests.sort();
        tests.dedup();
        tests
    }
}
