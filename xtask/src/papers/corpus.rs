//! The programs under `tests/papers`, compiled, with the marks in their sources (`tests/papers/README.md` says what they mean).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use classfile::{Class, op};
use events::plan::{ClassHash, MethodFacts, Plan};

use crate::bench::run;

/// A line, and the rule that is to be found there.
pub type Mark = (u64, String);

/// A program with a `main`.
pub struct Program {
    /// The class with the `main`.
    pub name: String,
    /// Where its classes are.
    pub classes: PathBuf,
    /// The lines of its source.
    pub lines: usize,
    /// Its defects.
    pub defects: BTreeSet<Mark>,
    /// What is a defect too, or another name for one, and not found in every run.
    pub also: BTreeSet<Mark>,
    /// What the paper reports in addition.
    pub paper: BTreeSet<Mark>,
    /// The lines of those that set a final field.
    pub finals: BTreeSet<u64>,
}

/// The fields of a program, and the instructions that access them.
pub struct Fields {
    /// Fields that are accessed.
    pub fields: usize,
    /// Instructions.
    pub accesses: usize,
}

/// All of them.
pub struct Corpus {
    programs: Vec<(String, Program)>,
}

impl Corpus {
    /// Compiles the programs of all papers; `tests` is the folder of tests, `place` where classes go.
    pub fn compile(tests: &Path, place: &Path) -> Result<Self, String> {
        let _ = std::fs::remove_dir_all(place);
        let mut programs = Vec::new();
        for folder in ["views", "stale", "moth", "racer", "atomizer"] {
            let all = place.join(folder).join("all");
            std::fs::create_dir_all(&all).map_err(|error| format!("{}: {error}", all.display()))?;
            let sources = files(&tests.join("papers").join(folder), "java")?;
            let support = files(&tests.join("cases/support"), "java")?;
            let mut javac = Command::new("javac");
            javac.args(["--release", "17", "-g", "-Xlint:none", "-nowarn", "-d"]).arg(&all);
            run(javac.args(&sources).args(&support))?;
            for source in &sources {
                let program = read(source, &all, &place.join(folder))?;
                programs.push((folder.to_owned(), program));
            }
        }
        Ok(Self { programs })
    }

    /// A program: `moth/Elevator`.
    pub fn get(&self, path: &str) -> Result<&Program, String> {
        let found = path.split_once('/').and_then(|(folder, name)| {
            self.programs.iter().find(|(of, program)| of == folder && program.name == name)
        });
        found.map(|(_, program)| program).ok_or_else(|| format!("there is no program {path}"))
    }

    /// The programs of a paper, without the mended twins.
    pub fn of<'c>(&'c self, folder: &'c str) -> impl Iterator<Item = &'c Program> {
        let programs = self.programs.iter().filter(move |(of, _)| of == folder);
        programs.map(|(_, program)| program).filter(|program| !program.name.ends_with("Fixed"))
    }
}

impl Program {
    /// The defects of these rules.
    pub fn defects_of(&self, rules: &[&str]) -> BTreeSet<Mark> {
        self.defects.iter().filter(|(_, rule)| rules.contains(&rule.as_str())).cloned().collect()
    }

    /// How many classes it has.
    pub fn class_count(&self) -> Result<usize, String> {
        Ok(files(&self.classes, "class")?.len())
    }

    /// Which of its own fields its code accesses, where a plan does not say that no two threads can reach them.
    pub fn fields(&self, plan: Option<&Plan>) -> Result<Fields, String> {
        let mut fields = BTreeSet::new();
        let mut accesses = 0;
        for file in files(&self.classes, "class")? {
            let bytes = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            let wrong = |error: classfile::Error| format!("{}: {error}", file.display());
            let class = Class::parse(&bytes).map_err(wrong)?;
            let facts = plan.and_then(|plan| {
                let hash = ClassHash::of(&bytes);
                plan.classes.iter().find_map(|(class, facts)| (*class == hash).then_some(facts))
            });
            for (index, method) in class.methods.iter().enumerate() {
                let facts = facts.and_then(|facts| facts.method(index));
                let Some(code) = class.code(method).map_err(wrong)? else { continue };
                for step in code.instructions() {
                    let (offset, step) = step.map_err(wrong)?;
                    let spares = |facts: &MethodFacts| {
                        facts.unused || facts.spared.iter().any(|&spared| u32::from(spared) == offset)
                    };
                    if facts.is_some_and(spares) {
                        continue;
                    }
                    let classfile::Instruction::Field { opcode: op::GETSTATIC..=op::PUTFIELD, member } = step
                    else {
                        continue;
                    };
                    let field = class.pool.member_ref(member).map_err(wrong)?;
                    let name = String::from_utf8_lossy(field.name).into_owned();
                    let owner = String::from_utf8_lossy(field.owner).into_owned();
                    // Not those of the JDK, and not the compiler's own.
                    if !owner.contains('/') && !name.contains('$') {
                        accesses += 1;
                        fields.insert((owner, name));
                    }
                }
            }
        }
        Ok(Fields { fields: fields.len(), accesses })
    }
}

fn files(folder: &Path, end: &str) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|e| e == end)).collect();
    files.sort();
    Ok(files)
}

/// Reads a program's marks, and puts its classes into a folder of their own.
fn read(source: &Path, all: &Path, place: &Path) -> Result<Program, String> {
    let fail = |error: std::io::Error| format!("{}: {error}", source.display());
    let text = std::fs::read_to_string(source).map_err(fail)?;
    let name = source.file_stem().and_then(|name| name.to_str()).ok_or("a program without a name")?;
    let classes = place.join(name);
    std::fs::create_dir_all(classes.join("support")).map_err(fail)?;
    for class in files(all, "class")? {
        let stem = class.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if stem == name || stem.starts_with(&format!("{name}$")) {
            std::fs::copy(&class, classes.join(format!("{stem}.class"))).map_err(fail)?;
        }
    }
    for class in files(&all.join("support"), "class")? {
        let to = classes.join("support").join(class.file_name().unwrap_or_default());
        std::fs::copy(&class, to).map_err(fail)?;
    }
    let (mut defects, mut also, mut paper) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (line, text) in (1..).zip(text.lines()) {
        let Some((_, rules)) = text.split_once("//~ ") else { continue };
        for rule in rules.split(',').map(str::trim) {
            match rule.split_once(' ') {
                None => drop(defects.insert((line, rule.to_owned()))),
                Some(("also", rule)) => drop(also.insert((line, rule.to_owned()))),
                Some(("paper", rule)) => drop(paper.insert((line, rule.to_owned()))),
                Some(_) => {}
            }
        }
    }
    let finals = finals(&text, &paper);
    Ok(Program { name: name.to_owned(), classes, lines: text.lines().count(), defects, also, paper, finals })
}

/// The marked lines `this.name = …` of which the nearest declaration above of a field of that name is final.
fn finals(text: &str, marks: &BTreeSet<Mark>) -> BTreeSet<u64> {
    let lines: Vec<&str> = text.lines().collect();
    let is_final = |line: u64| {
        let (above, at) = lines.split_at_checked(line.checked_sub(1)? as usize)?;
        let (name, _) = at.first()?.trim().strip_prefix("this.")?.split_once(" = ")?;
        let ends = [format!(" {name};"), format!(" {name} =")];
        let declared = above.iter().rev().find(|line| {
            line.trim().starts_with("private ") && ends.iter().any(|end| line.contains(end.as_str()))
        })?;
        Some(declared.contains(" final "))
    };
    marks.iter().map(|(line, _)| *line).filter(|line| is_final(*line) == Some(true)).collect()
}
