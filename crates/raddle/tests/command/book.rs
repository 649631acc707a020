//! The book: every command in it is run and gives what the page says, every option in a recipe exists, every
//! `raddle.toml` is accepted, every link leads somewhere.
//!
//! A block marked `console` holds lines `$ command` with what they print; `…` stands for anything, alone in its line for
//! any lines. `exit=N` says how its last command ends (0 without it); `jvm`, that it needs Java and the agent.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{folder, root};

/// A fenced block: what stands after the fence, and its lines.
struct Block {
    info: String,
    lines: Vec<String>,
}

fn blocks(text: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        if let Some(info) = line.strip_prefix("```") {
            open = !open;
            if open {
                found.push(Block { info: info.to_owned(), lines: Vec::new() });
            }
        } else if let Some(block) = found.last_mut().filter(|_| open) {
            block.lines.push(line.to_owned());
        }
    }
    assert!(!open, "a block does not end");
    found
}

/// Every page, by its path from the book's folder.
fn pages() -> Vec<(String, String)> {
    fn look(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                look(&path, found);
            } else if path.extension().is_some_and(|end| end == "md") {
                found.push(path);
            }
        }
    }
    let book = root().join("docs");
    let mut paths = Vec::new();
    look(&book, &mut paths);
    paths.sort();
    let name = |path: &Path| path.strip_prefix(&book).unwrap().to_str().unwrap().to_owned();
    paths.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

/// A folder as a reader has it who has cloned the repository.
fn clone() -> PathBuf {
    let folder = folder();
    fs::create_dir(folder.join(".git")).unwrap();
    copy(&root().join("examples"), &folder.join("examples"));
    folder
}

/// Copies a folder with all that is in it.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for file in fs::read_dir(from).unwrap().flatten() {
        let (from, to) = (file.path(), to.join(file.file_name()));
        if from.is_dir() { copy(&from, &to) } else { fs::copy(from, to).map(drop).unwrap() }
    }
}

/// What a shell says to a command, and how it ends.
fn shell(command: &str, folder: &Path) -> (String, i32) {
    let bin = Path::new(env!("CARGO_BIN_EXE_raddle")).parent().unwrap().to_owned();
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([bin].into_iter().chain(std::env::split_paths(&paths))).unwrap();
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(folder)
        .env("PATH", path)
        .env_remove("JAVA_TOOL_OPTIONS")
        .env_remove("NO_COLOR")
        .output()
        .unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap())
}

/// Whether lines are as a page says.
fn fits(expected: &[&str], found: &[&str]) -> bool {
    match expected.split_first() {
        None => found.is_empty(),
        Some((&"…", rest)) => (0..=found.len()).any(|skip| fits(rest, &found[skip..])),
        Some((line, rest)) => {
            let one = |found: &str| match line.split_once('…') {
                Some((start, end)) => found.starts_with(start) && found.ends_with(end),
                None => found == *line,
            };
            found.first().is_some_and(|first| one(first)) && fits(rest, &found[1..])
        }
    }
}

#[test]
fn every_command_of_the_book_gives_what_the_page_says() {
    let mut run = 0;
    for (name, text) in pages() {
        let folder = clone();
        for block in blocks(&text) {
            let mut words = block.info.split(',');
            if words.next() != Some("console") {
                continue;
            }
            let wanted =
                words.find_map(|word| word.strip_prefix("exit=")).map_or(0, |code| code.parse().unwrap());
            let mut last = 0;
            for part in block.lines.join("\n").split("$ ").skip(1) {
                let (command, expected) = part.split_once('\n').unwrap_or((part, ""));
                let (out, code) = shell(command, &folder);
                let expected: Vec<&str> = expected.lines().collect();
                let found: Vec<&str> = out.lines().collect();
                assert!(fits(&expected, &found), "{name}: $ {command}\n{out}");
                last = code;
                run += 1;
            }
            assert_eq!(last, wanted, "{name}: how the last command ends: {:?}", block.lines);
        }
    }
    assert!(run >= 20, "the commands were found: {run}");
}

#[test]
fn every_recipe_uses_options_that_exist() {
    let folder = clone();
    fs::copy(root().join("crates/findings/tests/golden/corpus.json"), folder.join("raddle.json")).unwrap();
    fs::write(folder.join("raddle.baseline"), "# Raddle baseline 1\n").unwrap();
    let mut tried = 0;
    for (name, text) in pages() {
        for block in blocks(&text).into_iter().filter(|block| matches!(block.info.as_str(), "yaml" | "sh")) {
            for line in block.lines {
                let Some(at) = line.find("raddle run ").or_else(|| line.find("raddle report ")) else {
                    continue;
                };
                let command = line[at..].replace("\"$GITHUB_STEP_SUMMARY\"", "summary.md");
                // No build is started: what matters here stands before the program.
                let command = match command.split_once(" -- ") {
                    Some((options, _)) => format!("{options} -- true"),
                    None => command,
                };
                let (out, code) = shell(&command, &folder);
                let ok =
                    if command.contains(" -- ") { out.contains("NO JVM WAS WATCHED") } else { code == 0 };
                assert!(ok, "{name}: {command}: {code}\n{out}");
                tried += 1;
            }
        }
    }
    assert!(tried >= 6, "the recipes were found: {tried}");
}

#[test]
fn every_raddle_toml_of_the_book_is_accepted() {
    let mut tried = 0;
    for (name, text) in pages() {
        for block in blocks(&text).into_iter().filter(|block| block.info == "toml") {
            let folder = clone();
            fs::write(folder.join("raddle.toml"), block.lines.join("\n")).unwrap();
            fs::write(folder.join("raddle.baseline"), "# Raddle baseline 1\n").unwrap();
            let (out, code) = shell("raddle analyze examples/clean.txt", &folder);
            assert_eq!(code, 0, "{name}: {out}");
            tried += 1;
        }
    }
    assert!(tried >= 7, "{tried}");
}

#[test]
fn every_link_leads_to_a_page_and_every_page_is_in_the_summary() {
    let pages = pages();
    let mut linked = BTreeSet::new();
    for (name, text) in &pages {
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            // Pages lie at most one folder deep.
            let target = match (file, Path::new(name).parent().unwrap()) {
                ("", _) => name.clone(),
                (file, parent) => match file.strip_prefix("../") {
                    Some(above) => above.to_owned(),
                    None => parent.join(file).to_str().unwrap().to_owned(),
                },
            };
            // A picture.
            if target.ends_with(".svg") && root().join("docs").join(&target).is_file() {
                continue;
            }
            let Some((_, there)) = pages.iter().find(|(page, _)| *page == target) else {
                panic!("{name}: {link} leads nowhere")
            };
            let slug = |line: &str| line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
            let has = there.lines().any(|line| line.starts_with('#') && slug(line) == heading);
            assert!(heading.is_empty() || has, "{name}: {link}: no such heading");
            if name == "SUMMARY.md" {
                linked.insert(target);
            }
        }
    }
    let all: BTreeSet<String> =
        pages.iter().map(|(name, _)| name.clone()).filter(|name| name != "SUMMARY.md").collect();
    assert_eq!(linked, all);
}
