//! What a JDK's classes are like, asked of `java/Facts.java` running on that JDK.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Access flags that matter here.
pub const PUBLIC: u16 = 1;
/// Visible to subclasses.
pub const PROTECTED: u16 = 4;
/// Has no receiver.
pub const STATIC: u16 = 8;
/// Takes the receiver's monitor.
const SYNCHRONIZED: u16 = 0x20;
/// Made by the compiler.
pub const SYNTHETIC: u16 = 0x1000;
/// Takes any arguments (`VarHandle`): native and variable in its number of arguments.
const POLYMORPHIC: u16 = 0x180;

/// The classes of one JDK.
#[derive(Default)]
pub struct Facts {
    /// Which JDK.
    pub version: u16,
    /// By name.
    pub classes: BTreeMap<String, Class>,
    /// Classes whose package is not part of this JDK.
    pub absent: BTreeSet<String>,
}

/// One class.
#[derive(Default)]
pub struct Class {
    /// Access flags.
    pub flags: u16,
    /// Superclass and interfaces.
    pub parents: Vec<String>,
    /// Its fields: name and descriptor.
    pub fields: Vec<(String, String)>,
    /// Its methods.
    pub methods: Vec<Method>,
}

/// One method.
pub struct Method {
    /// Access flags.
    pub flags: u16,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Whether it has a body.
    pub code: bool,
    /// Whether its body takes a monitor, be it by a flag or by an instruction.
    pub monitor: bool,
    /// Owner, name and descriptor of the methods it calls.
    pub calls: Vec<(String, String, String)>,
}

impl Method {
    /// Whether calls may have any descriptor.
    pub fn is_polymorphic(&self, class: &str) -> bool {
        class == "java/lang/invoke/VarHandle" && self.flags & POLYMORPHIC == POLYMORPHIC
    }
}

impl Facts {
    /// Compiles the Java program if need be and runs it on a JDK.
    pub fn ask(home: &Path, classes: &BTreeSet<String>) -> Result<Self, String> {
        let compiled = compile()?;
        let java = home.join("bin").join("java");
        let shown = java.display();
        let mut child = Command::new(&java)
            .arg("-cp")
            .arg(compiled)
            .arg("Facts")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{shown}: {error}"))?;
        let names = classes.iter().map(|class| format!("{class}\n")).collect::<String>();
        if let Some(mut input) = child.stdin.take() {
            // The program reads all names before it writes anything.
            input.write_all(names.as_bytes()).map_err(|error| format!("{shown}: {error}"))?;
        }
        let output = child.wait_with_output().map_err(|error| format!("{shown}: {error}"))?;
        if !output.status.success() {
            return Err(format!("{shown} Facts: {}", output.status));
        }
        Self::read(&String::from_utf8_lossy(&output.stdout))
    }

    /// Reads what the program tells.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut facts = Self::default();
        let mut current = String::new();
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let number = |text: &str| text.parse::<u16>().map_err(|error| format!("{line}: {error}"));
            let class = facts.classes.get_mut(&current);
            match (words.as_slice(), class) {
                (["V", version], _) => facts.version = number(version)?,
                (["X", _], _) => {}
                (["P", name], _) => {
                    facts.absent.insert((*name).to_owned());
                }
                (["C", name, flags, parent, interfaces], _) => {
                    let parents = interfaces.split(',').chain([*parent]).filter(|parent| *parent != "-");
                    let parents = parents.map(str::to_owned).collect();
                    current = (*name).to_owned();
                    facts.classes.insert(
                        current.clone(),
                        Class { flags: number(flags)?, parents, ..Class::default() },
                    );
                }
                (["F", _, name, descriptor], Some(class)) => {
                    class.fields.push(((*name).to_owned(), (*descriptor).to_owned()));
                }
                (["M", flags, name, descriptor, code], Some(class)) => class.methods.push(Method {
                    flags: number(flags)?,
                    name: (*name).to_owned(),
                    descriptor: (*descriptor).to_owned(),
                    code: *code != "0",
                    monitor: *code == "2" || number(flags)? & SYNCHRONIZED != 0,
                    calls: Vec::new(),
                }),
                (["I", owner, name, descriptor], Some(class)) => {
                    if let Some(method) = class.methods.last_mut() {
                        method.calls.push((
                            (*owner).to_owned(),
                            (*name).to_owned(),
                            (*descriptor).to_owned(),
                        ));
                    }
                }
                _ => return Err(format!("Facts told something unknown: {line}")),
            }
        }
        Ok(facts)
    }

    /// A class and all its supertypes, itself first.
    pub fn line_of<'a>(&'a self, class: &str) -> Vec<(&'a str, &'a Class)> {
        let mut found: Vec<(&str, &Class)> = Vec::new();
        let mut todo = vec![class];
        while let Some(name) = todo.pop() {
            if let Some((name, class)) = self.classes.get_key_value(name)
                && !found.iter().any(|(other, _)| *other == name)
            {
                found.push((name, class));
                todo.extend(class.parents.iter().map(String::as_str));
            }
        }
        found
    }
}

/// Compiles for 11, so that every JDK can run it. The compiler is that of the `java` on the path.
fn compile() -> Result<PathBuf, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("java").join("Facts.java");
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join("target"), PathBuf::from);
    let out = target.join("xtask-java");
    let status = Command::new("javac")
        .args(["--release", "11", "-d"])
        .arg(&out)
        .arg(&source)
        .status()
        .map_err(|error| format!("javac: {error}; install a JDK of 17 or newer"))?;
    if status.success() { Ok(out) } else { Err(format!("javac {}: {status}", source.display())) }
}
