//! Every `raddle` line in the README's code runs as it stands there.

use std::path::Path;
use std::process::Command;

use crate::book::copy;
use crate::{folder, root};

/// The lines of the README's shell examples that call the command.
fn commands(readme: &str) -> Vec<&str> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in readme.lines() {
        if line.starts_with("```") {
            inside = line == "```sh";
        } else if inside && line.starts_with("raddle ") {
            found.push(line);
        }
    }
    found
}

#[test]
fn every_command_of_the_readme_runs() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let commands = commands(&readme);
    assert!(commands.len() >= 5, "the examples were found: {commands:?}");
    let folder = folder();
    copy(&root().join("examples"), &folder.join("examples"));
    std::fs::write(folder.join("run.std"), "T0|fork(T1)|1\nT0|w(x)|2\nT1|w(x)|3\n").expect("a trace");
    let bin = Path::new(env!("CARGO_BIN_EXE_raddle")).parent().expect("a folder").to_owned();
    let path = std::env::join_paths(
        [bin].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    )
    .expect("a path");
    for command in commands {
        let output = Command::new("sh")
            .args(["-c", command])
            .current_dir(&folder)
            .env("PATH", &path)
            .output()
            .expect("a shell");
        let code = output.status.code();
        // 1 is "findings", which the examples are there for.
        assert!(
            matches!(code, Some(0 | 1)),
            "{command}: {code:?}\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(output.stderr.is_empty(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
