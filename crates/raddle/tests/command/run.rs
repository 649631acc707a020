//! `raddle run` with a JVM that is played: this very test binary, started again, writes a session as the agent would.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio, exit};
use std::time::{Duration, Instant};

use events::session::alive::start_of;
use events::session::names::{CLASSES_SEEN, CLASSES_WOVEN};
use events::session::play::Player;
use events::session::{Entry, Kind};

use crate::{Run, command, finish, folder, raddle};

/// What the played JVM does; unset in an ordinary run of the tests.
const SCENE: &str = "RADDLE_TEST_SCENE";
/// The agent's options, where they come as an argument.
const OPTION: &str = "RADDLE_TEST_OPTION";

/// Not a test of its own: the JVM of the others.
#[test]
fn played_jvm() {
    let Ok(scene) = std::env::var(SCENE) else { return };
    let option = std::env::var(OPTION).or_else(|_| std::env::var("JAVA_TOOL_OPTIONS")).unwrap();
    if scene.contains("options") {
        assert!(option.starts_with("-Xmx1g -agentpath:"), "{option}");
        assert!(option.contains(",exclude=com.acme.*,leave=a%2Cb,models=/"), "{option}");
    }
    let session = option.split("=session=").nth(1).unwrap().split(',').next().unwrap();
    assert_eq!(fs::metadata(session).unwrap().permissions().mode() & 0o777, 0o700, "private");
    let pid = std::process::id();
    let folder = Path::new(session).join(format!("{pid}-{}", start_of(pid).unwrap()));
    let mut player = Player::new(&folder, 1 << 16).unwrap();
    play(&mut player, &scene).unwrap();
    println!("\nthe program speaks");
    std::io::stdout().flush().unwrap();
    if scene.contains("sleeps") {
        std::thread::sleep(Duration::from_secs(60));
    }
    if scene.contains("dies") {
        std::process::abort();
    }
    player.end().unwrap();
    exit(if scene.contains("fails") { 7 } else { 0 });
}

fn play(player: &mut Player, scene: &str) -> std::io::Result<()> {
    let text = str::to_owned;
    let woven = u64::from(!scene.contains("unwoven"));
    player.name(&Entry::Count { what: text(CLASSES_SEEN), number: 12 })?;
    player.name(&Entry::Count { what: text(CLASSES_WOVEN), number: woven })?;
    player.name(&Entry::Count { what: text("of the JDK"), number: 11 })?;
    player.name(&Entry::Class { number: 1, name: text("acme.Account"), file: text("Account.java") })?;
    player.name(&Entry::Method { number: 1, class: 1, name: text("pay"), descriptor: text("()V") })?;
    let field = Entry::Field { number: 1, class: 1, name: text("balance"), descriptor: text("I"), flags: 0 };
    player.name(&field)?;
    let kinds = [Kind::Start, Kind::End, Kind::Fork, Kind::Write, Kind::Enter, Kind::Exit];
    for (number, kind) in (1..).zip(kinds) {
        let operand = u32::from(kind == Kind::Write);
        let (kind, text) = (kind.number(), String::new());
        player.name(&Entry::Site {
            number,
            method: 1,
            line: 40 + number,
            kind,
            operand,
            text,
            of: String::new(),
        })?;
    }
    let (start, end, fork, write, enter, exit) = (1, 2, 3, 4, 5, 6);
    player.thread(1, "main")?;
    player.stamped(1, start, 0, 0)?;
    if !scene.contains("alone") {
        for child in [2, 3] {
            player.thread(child, &format!("worker-{child}"))?;
            player.stamped(1, fork, child.into(), 0)?;
            player.stamped(child, start, 0, 0)?;
        }
        for _ in 0..3 {
            for child in [2, 3] {
                if !scene.contains("race") {
                    player.stamped(child, enter, 9, 1)?;
                }
                if !scene.contains("unwoven") {
                    player.plain(child, write, 7)?;
                }
                if !scene.contains("race") {
                    player.stamped(child, exit, 9, 1)?;
                }
            }
        }
        for child in [2, 3] {
            player.stamped(child, end, 0, 0)?;
            player.close(child)?;
        }
    }
    player.flush(1)
}

/// The command with an agent, which is there and nothing more.
fn watch(scene: &str, args: &[&str]) -> Command {
    let mut command = command();
    command.arg("run").args(args).arg("--");
    command.arg(std::env::current_exe().unwrap()).args(["--exact", "run::played_jvm", "--nocapture"]);
    command.env("RADDLE_AGENT", std::env::current_exe().unwrap());
    command.env(SCENE, scene).env_remove("JAVA_TOOL_OPTIONS").stdin(Stdio::null());
    command
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

#[track_caller]
fn watched(scene: &str, args: &[&str]) -> Run {
    finish(watch(scene, args).output().unwrap())
}

#[test]
fn a_race_is_reported_on_standard_error_when_the_program_has_ended() {
    let run = watched("race", &[]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.says("the program speaks"), "{}", run.out);
    assert!(!run.out.contains("acme.Account"), "the output is the program's own: {}", run.out);
    for part in ["data-race", "acme.Account.balance", "worker-2", "Account.java:44"] {
        assert!(run.err.contains(part), "no '{part}' in {}", run.err);
    }
    let coverage = "raddle: watched 1 JVM: 12 classes seen, 1 woven, 11 of the JDK; 3 threads, 13 events\n";
    assert!(run.err.contains(coverage), "{}", run.err);
}

#[test]
fn a_program_without_races_ends_as_if_nobody_had_watched() {
    let run = watched("locked", &[]);
    assert_eq!(run.code, 0, "{}", run.err);
}

#[test]
fn the_exit_code_of_a_program_that_failed_comes_first() {
    let run = watched("race fails", &[]);
    assert_eq!(run.code, 7, "{}", run.err);
    assert!(run.err.contains("data-race"), "and the report comes all the same: {}", run.err);
    assert_eq!(watched("race", &["--exit-zero"]).code, 0);
}

#[test]
fn of_a_killed_jvm_all_is_told_that_it_had_reported() {
    let run = watched("race dies", &[]);
    assert_eq!(run.code, 134, "{}", run.err);
    assert!(run.err.contains("data-race") && run.says("was killed"), "{}", run.err);
}

#[test]
fn every_jvm_of_a_command_is_watched_and_recorded() {
    let folder = folder();
    let exe = std::env::current_exe().unwrap().display().to_string();
    let one = format!("{exe} --exact run::played_jvm --nocapture");
    let trace = text(&folder.join("app.trace"));
    let mut both = command();
    both.args(["run", "--record", &trace, "--", "sh", "-c", &format!("{one}; {one}")]);
    both.env("RADDLE_AGENT", &exe).env(SCENE, "race").env_remove("JAVA_TOOL_OPTIONS").stdin(Stdio::null());
    let run = finish(both.output().unwrap());
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.says("watched 2 JVMs: 24 classes seen"), "{}", run.err);
    let mut names: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    assert_eq!(names.len(), 2, "{names:?}");
    for name in names {
        assert_eq!(raddle(&["analyze", &name.display().to_string()]).code, 1, "{}", name.display());
    }
}

#[test]
fn the_trace_of_one_jvm_has_the_name_asked_for() {
    let folder = folder();
    let trace = text(&folder.join("app.trace"));
    assert_eq!(watched("race", &["--record", &trace]).code, 1);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    let again = raddle(&["analyze", &trace]);
    assert!(again.out.contains("acme.Account.balance"), "{}{}", again.out, again.err);
}

#[test]
fn machine_formats_go_to_files_and_the_session_may_be_kept() {
    let folder = folder();
    let (json, session) = (text(&folder.join("out.json")), text(&folder.join("session")));
    let run = watched("race", &["--output", &format!("json={json}"), "--session", &session, "--quiet"]);
    assert_eq!(run.code, 1, "{}", run.err);
    let report: serde_json::Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(report["coverage"]["classes_woven"], 1);
    assert_eq!(report["findings"][0]["subject"], "acme.Account.balance");
    assert_eq!(fs::read_dir(&session).unwrap().count(), 1, "one JVM");
    watched("race", &["--session", &session]).fails_with(&["must be new or empty"]);
}

#[test]
fn options_reach_the_agent_and_those_of_the_user_stay() {
    let models = text(&folder().join("models.txt"));
    fs::write(&models, "unwatched package com.acme.generated\n").unwrap();
    let args = ["--exclude", "com.acme.*", "--leave", "a,b", "--models", &models];
    let run = finish(watch("locked options", &args).env("JAVA_TOOL_OPTIONS", "-Xmx1g").output().unwrap());
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
}

#[test]
fn a_table_with_an_error_is_told_before_anything_is_started() {
    let models = text(&folder().join("models.txt"));
    fs::write(&models, "unwatched package com.acme\nno such line\n").unwrap();
    let run = watched("race", &["--models", &models]);
    assert!(!run.says("the program speaks"), "{}", run.out);
    run.fails_with(&["models.txt", "2"]);
}

#[test]
fn java_itself_gets_the_agent_as_its_first_argument() {
    let folder = folder();
    let java = text(&folder.join("java"));
    let exe = std::env::current_exe().unwrap().display().to_string();
    let script = format!(
        "#!/bin/sh\n[ -z \"$JAVA_TOOL_OPTIONS\" ] && [ \"$2\" = -jar ] || exit 99\n\
         {OPTION}=\"$1\" exec {exe} --exact run::played_jvm --nocapture\n"
    );
    fs::write(&java, script).unwrap();
    fs::set_permissions(&java, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = command();
    command.args(["run", "--", &java, "-jar", "app.jar"]).env("RADDLE_AGENT", &exe);
    command.env(SCENE, "race").env_remove("JAVA_TOOL_OPTIONS").stdin(Stdio::null());
    let run = finish(command.output().unwrap());
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
}

#[test]
fn nothing_watched_is_said_loudly() {
    let mut none = command();
    none.args(["run", "--", "true"]).env("RADDLE_AGENT", std::env::current_exe().unwrap());
    let run = finish(none.output().unwrap());
    assert_eq!(run.code, 2);
    assert!(run.says("NO JVM WAS WATCHED"), "{}", run.err);

    for (scene, part) in [("unwoven", "NO CLASS WAS WATCHED"), ("alone", "NO THREAD BESIDE MAIN")] {
        let run = watched(scene, &[]);
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.err.contains(part), "{}", run.err);
        assert_eq!(watched(scene, &["--strict"]).code, 1);
    }
}

#[test]
fn a_mistyped_option_is_not_taken_for_the_command() {
    let none = |args: &[&str]| {
        let mut none = command();
        none.arg("run").args(args).env("RADDLE_AGENT", std::env::current_exe().unwrap());
        finish(none.stdin(Stdio::null()).output().unwrap())
    };
    none(&["--includ", "x", "--", "true"]).fails_with(&["'--includ'", "'--include'"]);
    none(&["--quiet", "-z", "true"]).fails_with(&["'-z'"]);
    // What follows the command is its own, with or without the dashes before it.
    for args in [&["--", "sh", "-c", "exit 3"][..], &["sh", "-c", "exit 3", "--includ", "--quiet"]] {
        assert_eq!(none(args).code, 3, "{args:?}");
    }
}

#[test]
fn what_cannot_be_started_is_an_error() {
    let agent = std::env::current_exe().unwrap();
    let mut none = command();
    none.args(["run", "--", "/no/such/program"]).env("RADDLE_AGENT", agent);
    finish(none.output().unwrap()).fails_with(&["/no/such/program", "cannot be started"]);
    let mut none = command();
    none.args(["run", "--", "true"]).env("RADDLE_AGENT", "/no/agent.so");
    finish(none.output().unwrap()).fails_with(&["RADDLE_AGENT=/no/agent.so"]);
    // Alone in a folder, without the agent that may have been built beside it.
    let folder = std::env::temp_dir().join(format!("raddle-test-alone-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let alone = folder.join("raddle");
    fs::copy(env!("CARGO_BIN_EXE_raddle"), &alone).unwrap();
    let mut none = Command::new(&alone);
    none.args(["run", "--", "true"]).env("RADDLE_AGENT", "");
    finish(none.output().unwrap()).fails_with(&["libraddle_agent", "RADDLE_AGENT may say where it is"]);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_signal_reaches_the_program_and_the_report_still_comes() {
    let mut watching = watch("race sleeps", &[]);
    watching.env("TMPDIR", std::env::temp_dir());
    let mut child = watching.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    let mine = format!("raddle-{}-", child.id());
    let session = || {
        let entries = fs::read_dir(std::env::temp_dir()).unwrap().flatten().map(|entry| entry.path());
        entries
            .into_iter()
            .find(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(&mine)))
    };
    // It speaks when it has reported everything.
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(out.any(|line| line.unwrap() == "the program speaks"));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let run = finish(child.wait_with_output().unwrap());
    assert_eq!(run.code, 143, "{}", run.err);
    assert!(run.err.contains("data-race"), "{}", run.err);
    assert!(began.elapsed() < Duration::from_secs(50), "it did not wait for the program's sleep");
    assert!(session().is_none(), "the folder is gone");
}
