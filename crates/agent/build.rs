//! Compiles the classes that the agent brings into the JVM. The numbers that Java and Rust must agree on are written
//! into a Java file first, from their one place in `events`.

use std::path::{Path, PathBuf};
use std::process::Command;

use events::models::KindWord;
use events::session::Kind;

#[path = "src/modes.rs"]
mod modes;

/// The classes that are compiled, in the order in which they have to be defined.
const CLASSES: [&str; 33] = [
    "Kinds",
    "Sites",
    "Lost",
    "Reserve",
    "Calls",
    "Stacks",
    "ClassInfo$1",
    "ClassInfo",
    "Identities$Entry",
    "Identities",
    "Waits",
    "Told",
    "Numbers",
    "Elements",
    "Recorder",
    "Regions",
    "Room",
    "Effect$1",
    "Effect",
    "Variables$1",
    "Variables$2",
    "Variables",
    "Choice$Last",
    "Choice$1",
    "Choice",
    "Link",
    "Pin$Handles",
    "Pin",
    "Fields",
    "Clones$1",
    "Clones",
    "Filter",
    "Probe",
];

fn main() {
    println!("cargo::rerun-if-changed=java");
    println!("cargo::rerun-if-env-changed=JAVA_HOME");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    let source = out.join("java/raddle/rt");
    std::fs::create_dir_all(&source).unwrap_or_else(|e| panic!("cannot make {}: {e}", source.display()));
    let kinds = source.join("Kinds.java");
    std::fs::write(&kinds, kinds_java()).unwrap_or_else(|e| panic!("cannot write {}: {e}", kinds.display()));
    let mut files = vec![kinds];
    let folder = Path::new("java/raddle/rt");
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|e| panic!("cannot read {}: {e}", folder.display()));
    files.extend(entries.flatten().map(|entry| entry.path()));
    let javac = match std::env::var_os("JAVA_HOME") {
        Some(home) if Path::new(&home).join("bin/javac").exists() => Path::new(&home).join("bin/javac"),
        _ => PathBuf::from("javac"),
    };
    let classes = out.join("classes");
    let compiled = Command::new(&javac)
        .args(["-source", "11", "-target", "11", "-Xlint:none", "-nowarn", "-XDignore.symbol.file"])
        .args(["--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED"])
        .args(["--add-exports", "java.base/jdk.internal.vm.annotation=ALL-UNNAMED"])
        .arg("-d")
        .arg(&classes)
        .args(&files)
        .output();
    match compiled {
        Ok(output) if output.status.success() => {}
        Ok(output) => panic!("javac failed:\n{}", String::from_utf8_lossy(&output.stderr)),
        Err(e) => panic!(
            "cannot run {}: {e}. A JDK of version 17 or newer is needed to build the agent",
            javac.display()
        ),
    }
    let mut list =
        String::from("/// The runtime classes: name and bytes.\npub static CLASSES: &[(&str, &[u8])] = &[\n");
    for class in CLASSES {
        let path = classes.join(format!("raddle/rt/{class}.class"));
        list.push_str(&format!("    (\"raddle/rt/{class}\", include_bytes!({path:?})),\n"));
    }
    list.push_str("];\n");
    let file = out.join("classes.rs");
    std::fs::write(&file, list).unwrap_or_else(|e| panic!("cannot write {}: {e}", file.display()));
}

/// `Kinds.java`: numbers only.
fn kinds_java() -> String {
    let mut java = String::from("package raddle.rt;\n\nfinal class Kinds {\n");
    let mut constant = |name: &str, number: u32| {
        java.push_str(&format!("    static final int {name} = {number};\n"));
    };
    for kind in Kind::ALL {
        constant(&upper(&format!("{kind:?}")), u32::from(kind.number()));
    }
    // Sites that every session has.
    for (number, name) in
        (1..).zip(["START_SITE", "END_SITE", "USES_SITE", "FREE_SITE", "WAIT_SITE", "WOKEN_SITE"])
    {
        constant(name, number);
    }
    // Kinds of collections.
    for (name, word) in [
        ("UNSYNCHRONISED", KindWord::Unsynchronised),
        ("SYNCHRONISED", KindWord::Synchronised),
        ("CONCURRENT", KindWord::Concurrent),
        ("WRAPPER", KindWord::Wrapper),
    ] {
        constant(name, word as u32 + 1);
    }
    for (name, number) in modes::ALL {
        java.push_str(&format!("    static final int {name} = {number};\n"));
    }
    java.push_str("}\n");
    java
}

/// `ObjectRead` as `OBJECT_READ`.
fn upper(name: &str) -> String {
    let mut upper = String::new();
    for (i, c) in name.chars().enumerate() {
        if c.is_uppercase() && i > 0 {
            upper.push('_');
        }
        upper.extend(c.to_uppercase());
    }
    upper
}
