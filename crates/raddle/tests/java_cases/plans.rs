//! Judges plans by what runs have shown: an access that a plan has no probe for must never have touched anything that two
//! threads accessed. Reads the trace and the plan as text, by itself; of the product's code it uses the class-file reader
//! alone, to know which line and field an offset means. Accesses of one kind in one line cannot be told apart by a trace.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use classfile::{Class, Instruction, op, text};

/// An access as a trace shows its place: method, line, is it a write, field; no field for an array's elements.
pub type Site = (String, u32, bool, Option<String>);

fn raddle() -> Command {
    Command::new(env!("CARGO_BIN_EXE_raddle"))
}

/// The class files of a program whose classes stand beside others: its own, those nested in it, and those of packages.
pub fn classes_of(name: &str, folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("classes").flatten() {
        let path = entry.path();
        let file = entry.file_name().into_string().unwrap_or_default();
        let Some(class) = file.strip_suffix(".class") else {
            if path.is_dir() {
                found.extend(classes_of("", &path));
            }
            continue;
        };
        if name.is_empty() || class == name || class.starts_with(&format!("{name}$")) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Writes the plan of a program.
pub fn write(name: &str, folder: &Path) -> PathBuf {
    let plan = folder.join(format!("{name}.plan"));
    let output = raddle()
        .args(["check", "--exit-zero", "--no-progress", "--quiet", "--write-plan"])
        .arg(&plan)
        .args(classes_of(name, folder))
        .output()
        .expect("raddle");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    plan
}

/// What a plan has no probe for.
fn spared(plan: &Path, folder: &Path) -> BTreeSet<Site> {
    let plan = std::fs::read_to_string(plan).expect("a plan");
    let mut found = BTreeSet::new();
    let mut bytes = Vec::new();
    let mut name = String::new();
    for line in plan.lines() {
        let mut words = line.split(' ');
        match words.next() {
            Some("class") => {
                name = words.nth(1).expect("a name").to_owned();
                let file = folder.join(format!("{}.class", name.replace('.', "/")));
                bytes = std::fs::read(file).expect("the class");
            }
            Some("spare") => {
                let index: usize = words.next().and_then(|word| word.parse().ok()).expect("an index");
                let method = format!("{name}.{}", words.next().expect("a name"));
                let class = Class::parse(&bytes).expect("a class");
                let code = class.code(&class.methods[index]).expect("readable").expect("code");
                for pc in words.map(|word| word.parse::<u32>().expect("an offset")) {
                    let line = code.line_of(&class.pool, pc).unwrap_or_default();
                    let (instruction, _) = code.instruction_at(pc).expect("an instruction");
                    let (write, field) = match instruction {
                        Instruction::Field { opcode: opcode @ (op::GETFIELD | op::PUTFIELD), member } => {
                            let field = class.pool.member_ref(member).expect("a field");
                            (opcode == op::PUTFIELD, Some(text::to_str(field.name).into_owned()))
                        }
                        Instruction::Plain(opcode @ (op::IALOAD..=op::SALOAD)) => (opcode > op::SALOAD, None),
                        Instruction::Plain(op::IASTORE..=op::SASTORE) => (true, None),
                        other => panic!("{method} at {pc}: {other:?} is no access"),
                    };
                    found.insert((method.clone(), u32::from(line), write, field));
                }
            }
            _ => {}
        }
    }
    found
}

/// The accesses of a trace to what two threads accessed.
pub fn shared(trace: &Path) -> BTreeSet<Site> {
    let output = raddle().args(["trace", "cat"]).arg(trace).output().expect("raddle");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut threads: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut accesses: BTreeSet<(String, Site)> = BTreeSet::new();
    for line in String::from_utf8(output.stdout).expect("text").lines().filter(|line| !line.starts_with('!'))
    {
        let Some((deed, place)) = line.rsplit_once(" @ ") else { continue };
        let (thread, write, target) = match (deed.split_once(" read "), deed.split_once(" write ")) {
            (Some((thread, target)), _) => (thread, false, target),
            (_, Some((thread, target))) => (thread, true, target),
            _ => continue,
        };
        // `Account@7.balance`, `int[]@9[0..5]`; a static field has no number.
        let Some((class, rest)) = target.split_once('@') else { continue };
        let (variable, field) = match (rest.split_once('.'), rest.split_once('[')) {
            (_, Some((number, _))) => (format!("{class}@{number}"), None),
            (Some((_, field)), _) => (target.to_owned(), Some(field.to_owned())),
            _ => continue,
        };
        let Some((method, line)) = place.rsplit_once('(') else { continue };
        let line = line.trim_end_matches(')').rsplit_once(':').and_then(|(_, line)| line.parse().ok());
        let site = (method.to_owned(), line.unwrap_or_default(), write, field);
        threads.entry(variable.clone()).or_default().insert(thread.to_owned());
        accesses.insert((variable, site));
    }
    let by_two = |variable: &String| threads.get(variable).is_some_and(|threads| threads.len() >= 2);
    accesses.into_iter().filter(|(variable, _)| by_two(variable)).map(|(_, site)| site).collect()
}

/// How many accesses the plan of a program spares, and which of them touched what two threads accessed in a run.
pub fn judge(name: &str, folder: &Path, trace: &Path) -> (usize, Vec<Site>) {
    let spared = spared(&write(name, folder), folder);
    let wrong = spared.intersection(&shared(trace)).cloned().collect();
    (spared.len(), wrong)
}
