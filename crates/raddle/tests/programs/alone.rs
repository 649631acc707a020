//! The agent alone, without `raddle run`: a JVM with `-agentpath:…=record=FILE` writes a trace, whatever ends it.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::{files, finished, java_sources, javac, kill, output, scratch};

fn classes() -> &'static str {
    static CLASSES: OnceLock<String> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let folder = scratch("alone");
        javac(&files(&java_sources("alone")), "", &folder);
        folder.display().to_string()
    })
}

/// The agent, with the command beside it.
fn agent() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_raddle")).with_file_name("libraddle_agent.so")
}

/// A JVM that records; sessions go to a folder of the test's own.
fn recorded(agent: &Path, to: &str, args: &[&str], folder: &Path) -> Command {
    let sessions = folder.join("sessions");
    fs::create_dir_all(&sessions).unwrap();
    let mut command = Command::new("java");
    command.arg(format!("-agentpath:{}=record={to}", agent.display()));
    command.args(["-cp", classes(), "Apart"]).args(args);
    command.env("TMPDIR", &sessions).env_remove("JAVA_TOOL_OPTIONS").stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Starts it and waits until it has told everything.
fn begun(command: &mut Command) -> Child {
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, SPOKEN);
    child
}

const SPOKEN: &str = "children: 0\n";

fn left_behind(folder: &Path) -> usize {
    fs::read_dir(folder.join("sessions")).unwrap().count()
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// What a subcommand prints of a trace, and how it ends.
fn told(subcommand: &[&str], trace: &Path) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    let output = output(command.args(subcommand).arg(trace));
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

/// How many reads and writes a trace holds.
fn accesses(trace: &Path) -> Vec<String> {
    let (code, text) = told(&["trace", "stat"], trace);
    assert_eq!(code, Some(0), "{text}");
    let rows =
        text.lines().map(str::trim).filter(|row| row.starts_with("read ") || row.starts_with("write "));
    rows.map(str::to_owned).collect()
}

/// The process that reads the sessions in a folder.
fn reader(folder: &Path) -> u32 {
    let sessions = folder.join("sessions").display().to_string();
    let pids = fs::read_dir("/proc").unwrap().flatten();
    let mut pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let reads = |pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(" trace follow ") && line.contains(&sessions)
    };
    pids.find(reads).expect("a reader")
}

#[test]
fn a_jvm_may_record_on_its_own() {
    let folder = scratch("own");
    let to = folder.join("trace-%25p.raddle").display().to_string();
    let one = output(&mut recorded(&agent(), &to, &[], &folder));
    assert_eq!(
        (String::from_utf8_lossy(&one.stdout).as_ref(), String::from_utf8_lossy(&one.stderr).as_ref()),
        (SPOKEN, "")
    );
    assert_eq!(left_behind(&folder), 0);
    let traces: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let trace = traces.iter().find(|path| path.extension().is_some()).unwrap();
    let name = trace.file_stem().unwrap().to_str().unwrap();
    assert!(name.strip_prefix("trace-").is_some_and(|pid| pid.parse::<u32>().is_ok()), "{name}");
    let (code, text) = told(&["analyze"], trace);
    assert!(code == Some(1) && text.contains("data race on Apart.racy"), "{text}");
    // Nowhere to write to: the program runs, and nothing stays behind.
    let other = output(&mut recorded(&agent(), "/no/such/folder/trace", &[], &folder));
    assert_eq!(String::from_utf8_lossy(&other.stdout), SPOKEN);
    let said = String::from_utf8_lossy(&other.stderr);
    assert!(said.contains("this JVM is not watched: /no/such/folder/trace: No such file"), "{said}");
    assert_eq!(left_behind(&folder), 0);
}

#[test]
fn a_jvm_that_is_killed_loses_nothing_of_what_it_has_told() {
    let folder = scratch("own-killed");
    let (whole, cut) = (folder.join("whole.trace"), folder.join("cut.trace"));
    assert!(output(&mut recorded(&agent(), &whole.display().to_string(), &[], &folder)).status.success());
    let child = begun(&mut recorded(&agent(), &cut.display().to_string(), &["waits"], &folder));
    kill(child.id());
    let output = finished(child);
    assert_eq!(output.status.code(), None, "killed");
    until("the session was not read to its end", || left_behind(&folder) == 0);
    assert_eq!(accesses(&cut), accesses(&whole));
    let (code, text) = told(&["analyze"], &cut);
    assert!(code == Some(1) && text.contains("data race on Apart.racy"), "{text}");
    let text = crate::one_line(&text);
    assert!(text.contains("was killed; what it had reported was read, 0 records were lost"), "{text}");
}

#[test]
fn a_program_goes_on_when_the_process_that_records_it_is_killed() {
    let folder = scratch("own-reader");
    let trace = folder.join("app.trace");
    let mut child = begun(&mut recorded(&agent(), &trace.display().to_string(), &["waits"], &folder));
    // What came first is in the trace before any frame is full.
    until("nothing was written", || fs::metadata(&trace).is_ok_and(|about| about.len() > 1000));
    kill(reader(&folder));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(143), "{said}");
    assert!(said.contains("raddle: nobody reads the session any more"), "{said}");
    assert_eq!(left_behind(&folder), 0);
    let (code, text) = told(&["analyze"], &trace);
    assert!(code == Some(2) && text.contains("data race on Apart.racy"), "{text}");
}

#[test]
fn an_agent_without_the_command_beside_it_records_as_well() {
    let folder = scratch("own-lonely");
    let lonely = folder.join("libraddle_agent.so");
    fs::hard_link(agent(), &lonely).unwrap();
    let trace = folder.join("app.trace");
    let one = output(&mut recorded(&lonely, &trace.display().to_string(), &[], &folder));
    assert_eq!(String::from_utf8_lossy(&one.stderr), "");
    assert_eq!(left_behind(&folder), 0);
    let (code, text) = told(&["analyze"], &trace);
    assert!(code == Some(1) && text.contains("data race on Apart.racy"), "{text}");
}
