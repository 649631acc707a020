//! The programs under `tests/papers`, compiled, with the marks in their sources.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const FOLDERS: [&str; 5] = ["views", "stale", "moth", "racer", "atomizer"];

/// What a mark says about the line it stands at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A defect.
    Defect,
    /// Something that the paper reports and that is none.
    Paper,
    /// Something that is reported only if exported methods should be atomic.
    Export,
    /// A defect that is not found yet.
    Missed,
    /// A false alarm that is not gone yet.
    Alarm,
    /// Another name for a defect that is marked nearby; it depends on how the threads happen to run.
    Also,
}

/// A line and the rule that must be found there.
pub type Mark = (u32, String);

/// A program with a `main`.
#[derive(Clone)]
pub struct Program {
    /// The paper.
    pub folder: String,
    /// The class with the `main`.
    pub name: String,
    /// What its source says.
    pub marks: Vec<(Kind, Mark)>,
    /// Where its classes are.
    pub classes: PathBuf,
}

impl Program {
    /// Which program this is.
    pub fn path(&self) -> String {
        format!("{}/{}", self.folder, self.name)
    }

    /// The marks of these kinds.
    pub fn marks_of(&self, kinds: &[Kind]) -> Vec<&Mark> {
        self.marks.iter().filter(|(kind, _)| kinds.contains(kind)).map(|(_, mark)| mark).collect()
    }
}

/// All programs, or those that `PAPERS` asks for.
pub fn programs() -> &'static [Program] {
    static PROGRAMS: OnceLock<Vec<Program>> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let wanted = std::env::var("PAPERS").unwrap_or_default();
        let wanted: Vec<&str> = wanted.split(',').filter(|name| !name.is_empty()).collect();
        let mut programs: Vec<Program> = FOLDERS.iter().flat_map(|folder| read(folder)).collect();
        programs.retain(|program| {
            wanted.is_empty() || wanted.iter().any(|name| *name == program.name || *name == program.path())
        });
        assert!(!programs.is_empty(), "no program is called {wanted:?}");
        programs
    })
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests")
}

fn java(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("Java files").flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "java")).collect();
    files.sort();
    files
}

fn read(folder: &str) -> Vec<Program> {
    let into = Path::new(env!("CARGO_TARGET_TMPDIR")).join("papers").join(folder);
    let _ = std::fs::remove_dir_all(&into);
    let all = into.join("all");
    std::fs::create_dir_all(&all).expect("a folder");
    let sources = java(&tests().join("papers").join(folder));
    let output = Command::new("javac")
        .args(["--release", "17", "-g", "-Xlint:none", "-nowarn", "-d"])
        .arg(&all)
        .args(&sources)
        .args(java(&tests().join("cases/support")))
        .output()
        .expect("javac: a JDK is needed for this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let program = |source: &PathBuf| {
        let name = source.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        let text = std::fs::read_to_string(source).expect("a program");
        let classes = into.join(&name);
        separate(&all, &name, &classes);
        Program { folder: folder.to_owned(), marks: marks(&text), name, classes }
    };
    sources.iter().map(program).collect()
}

/// Puts the classes of one program into a folder of their own: else the check would look at all programs at once.
fn separate(all: &Path, name: &str, into: &Path) {
    let support = into.join("support");
    std::fs::create_dir_all(&support).expect("a folder");
    let inner = format!("{name}$");
    for entry in std::fs::read_dir(all).expect("classes").flatten() {
        let file = entry.file_name().into_string().expect("a name");
        let class = file.strip_suffix(".class").unwrap_or_default();
        if class == name || class.starts_with(&inner) {
            std::fs::copy(entry.path(), into.join(&file)).expect("a copy");
        }
    }
    for entry in std::fs::read_dir(all.join("support")).expect("classes").flatten() {
        std::fs::copy(entry.path(), support.join(entry.file_name())).expect("a copy");
    }
}

fn marks(text: &str) -> Vec<(Kind, Mark)> {
    let mut marks = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let Some((_, rules)) = text.split_once("//~ ") else { continue };
        for rule in rules.split(',').map(str::trim) {
            let (kind, rule) = match rule.split_once(' ') {
                Some(("paper", rule)) => (Kind::Paper, rule),
                Some(("export", rule)) => (Kind::Export, rule),
                Some(("FN", rule)) => (Kind::Missed, rule),
                Some(("FP", rule)) => (Kind::Alarm, rule),
                Some(("also", rule)) => (Kind::Also, rule),
                Some((word, _)) => panic!("a mark cannot begin with {word}"),
                None => (Kind::Defect, rule),
            };
            marks.push((kind, (line, rule.to_owned())));
        }
    }
    marks
}
