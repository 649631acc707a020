//! With the real agent, a program of many loops (`crates/instrument/tests/programs/Loops.java`) is recorded twice: with
//! array accesses in loops told as ranges, and one by one. The traces hold the same accesses; unless nothing is left out, those
//! that come over and over at one place are there at least twice.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

fn run(command: &mut Command) -> String {
    let output = command.output().expect("it can be started: a JDK is needed for this test");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    String::from_utf8(output.stdout).expect("text")
}

/// All arrays of the program have so many elements. An access that fails is told too where each is told by itself.
const LENGTH: u32 = 20;

/// An access: thread and kind, array, element, site.
type Access = (String, String, u32, String);

/// What the trace has, and in how many events.
fn recorded(folder: &Path, option: &str, expected: &str) -> (BTreeMap<Access, usize>, usize) {
    let raddle = PathBuf::from(env!("CARGO_BIN_EXE_raddle"));
    let library = if cfg!(target_os = "macos") { "libraddle_agent.dylib" } else { "libraddle_agent.so" };
    let agent = raddle.parent().expect("a folder").join(library);
    let trace = folder.join("loops.trace");
    let agent = format!("-agentpath:{}=record={}{option}", agent.display(), trace.display());
    let mut java = Command::new("java");
    let printed = run(java.arg(agent).arg("-cp").arg(folder).args(["Loops", "often"]));
    assert_eq!(printed, expected);
    let text = run(Command::new(raddle).args(["trace", "cat"]).arg(&trace));
    let (mut accesses, mut events) = (BTreeMap::new(), 0);
    for line in text.lines() {
        let Some((what, site)) = line.split_once(" @ ") else { continue };
        let Some((what, index)) = what.strip_suffix(']').and_then(|what| what.rsplit_once('[')) else {
            continue;
        };
        let Some((doing, array)) = what.rsplit_once(' ') else { continue };
        let number = |text: &str| text.parse::<u32>().expect("an index");
        let (index, step) = index.split_once(':').map_or((index, 1), |(index, step)| (index, number(step)));
        let (from, until) = match index.split_once("..") {
            Some((from, until)) => (number(from), number(until)),
            None => (number(index), number(index) + 1),
        };
        events += 1;
        for index in (from..until.min(LENGTH)).step_by(step as usize) {
            let access = (doing.to_owned(), array.to_owned(), index, site.to_owned());
            *accesses.entry(access).or_default() += 1;
        }
    }
    (accesses, events)
}

#[test]
fn ranges_and_single_elements_leave_the_same_accesses_in_the_trace() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("loops");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../instrument/tests/programs/Loops.java");
    run(Command::new("javac").args(["--release", "17", "-g", "-d"]).arg(&folder).arg(source));
    let expected = run(Command::new("java").arg("-cp").arg(&folder).args(["Loops", "often"]));
    for (filter, twice) in [(",filter=off", false), ("", true)] {
        let (ranged, _) = recorded(&folder, filter, &expected);
        let (one_by_one, events) = recorded(&folder, &format!(",ranges=off{filter}"), &expected);
        assert!(one_by_one.len() > 1500, "{} elements", one_by_one.len());
        assert!(events > 5_000, "{events} events");
        let mut wrong = String::new();
        for access in one_by_one.keys().chain(ranged.keys()) {
            let [old, new] = [&one_by_one, &ranged].map(|recorded| recorded.get(access).copied());
            if old != new && !(twice && old.min(new) >= Some(2)) {
                wrong += &format!("{access:?}: {old:?} times one by one, {new:?} in ranges\n");
            }
        }
        assert!(wrong.is_empty(), "{filter}: {wrong}");
    }
}
