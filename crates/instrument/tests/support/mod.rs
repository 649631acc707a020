//! What the tests share: Java sources compiled to classes, sites that remember what they were told, models.
//! Nothing is tested here.

#![allow(dead_code)] // each test file uses its part

#[path = "../../../classfile/tests/support/mod.rs"]
pub mod java;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use classfile::text;
use events::models::Models;
use instrument::{Blocks, Called, Gap, Kind, Options, OtherField, Place, Scope, Site, Sites, World, weave};

/// Numbers everything and keeps what it was told as text.
#[derive(Default)]
pub struct Table {
    classes: Vec<String>,
    methods: Vec<String>,
    fields: Vec<String>,
    pub sites: Vec<String>,
    pub gaps: Vec<Gap>,
    /// The class that is woven now, and what the probe is to know of fields: a line each, parts between tabs.
    weaving: String,
    known: Vec<String>,
}

impl Table {
    /// A class is about to be woven.
    pub fn weaves(&mut self, bytes: &[u8]) {
        self.weaving = text::to_str(&instrument::name_of(bytes).expect("a class")).replace('/', ".");
    }

    /// Writes what the probe is to know of fields into a folder; the flag that tells it where that is.
    pub fn write_known(&self, to: &Path) -> String {
        let file = to.join("known");
        std::fs::write(&file, self.known.join("\n")).expect("room on the disk");
        format!("-Draddle.known={}", file.display())
    }
}

fn place_text(place: Place) -> String {
    match place {
        Place::Word { number, shift } => format!("$raddle$w{number}\t{shift}"),
        Place::Frozen => "$raddle$frozen\t0".to_owned(),
    }
}

fn simple(name: &[u8]) -> String {
    let name = text::to_str(name).into_owned();
    name.rsplit('/').next().unwrap_or_default().to_owned()
}

impl Sites for Table {
    fn class(&mut self, name: &[u8], _: Option<&[u8]>) -> u32 {
        self.classes.push(simple(name));
        self.classes.len() as u32
    }

    fn method(&mut self, class: u32, name: &[u8], _: &[u8]) -> u32 {
        self.methods.push(format!("{}.{}", self.classes[class as usize - 1], text::to_str(name)));
        self.methods.len() as u32
    }

    fn field(&mut self, owner: &[u8], name: &[u8], _: &[u8], _: Option<u16>) -> u32 {
        self.fields.push(format!("{}.{}", simple(owner), text::to_str(name)));
        self.fields.len() as u32
    }

    fn site(&mut self, site: Site<'_>) -> Option<u32> {
        let mut about = format!("{}:{} {:?}", self.methods[site.method as usize - 1], site.line, site.kind);
        if site.kind == Kind::FlowUse {
            about += &format!(" of {}", self.sites[site.operand as usize - 1]);
        } else if site.operand != 0 {
            about += &format!(" {}", self.fields[site.operand as usize - 1]);
        }
        if !site.text.is_empty() {
            about += &format!(" `{}`", site.text);
        }
        if !site.of.is_empty() {
            about += &format!(" from {}", site.of);
        }
        let kinds: BTreeSet<String> =
            site.effects.iter().map(|effect| format!("{:?}", effect.kind)).collect();
        if kinds.len() > 1 {
            about += &format!(" of {}", Vec::from_iter(kinds).join("|"));
        }
        if let Some(effect) = site.effects.first() {
            about += &format!(" {:?}", effect.moment);
        }
        if let Called::Special(callee) = site.called {
            about += &format!(" super {}", simple(callee.owner));
        }
        self.sites.push(about);
        Some(self.sites.len() as u32)
    }

    fn own(&mut self, site: u32, place: Place, always: bool) {
        self.known.push(format!("own\t{site}\t{}\t{}\t{always}", self.weaving, place_text(place)));
    }

    fn other(&mut self, site: u32, field: OtherField<'_>) {
        let [owner, name] = [field.owner, field.name].map(|part| text::to_str(part).replace('/', "."));
        self.known.push(format!("other\t{site}\t{owner}\t{name}\t{:?}", field.when));
    }

    fn place(&mut self, name: &[u8], _: &[u8], place: Place) {
        self.known.push(format!("place\t{}.{}\t{}", self.weaving, text::to_str(name), place_text(place)));
    }

    fn gap(&mut self, gap: Gap) {
        self.gaps.push(gap);
    }
}

/// Knows nothing.
pub struct Nowhere;

impl World for Nowhere {
    fn is_woven(&self, _: &[u8]) -> bool {
        false
    }
}

/// What the tables say of the oldest JDK.
pub fn models() -> Models {
    models_of(17)
}

/// What they say of one JDK.
pub fn models_of(jdk: u16) -> Models {
    let mut models = Models::builtin().unwrap_or_else(|errors| panic!("{errors:?}"));
    models.keep_jdk(jdk);
    models
}

pub const WHOLE: Options = Options { scope: Scope::Whole, blocks: Blocks::Synch, finals: false, kept: true };

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

pub fn program(name: &str) -> PathBuf {
    folder().join("programs").join(name)
}

/// The folder with the compiled stand-in for the probe.
pub fn probe() -> &'static Path {
    static DONE: std::sync::OnceLock<PathBuf> = std::sync::OnceLock::new();
    DONE.get_or_init(|| {
        let to = java::scratch(&format!("probe-{}", std::process::id()));
        java::compile("11", &to, &[folder().join("java/raddle/rt/Probe.java")]);
        to
    })
}

/// The class files below a folder, sorted by name.
pub fn class_files(below: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(below).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            found.extend(class_files(&entry));
        } else if entry.extension().is_some_and(|ending| ending == "class") {
            found.push(entry);
        }
    }
    found.sort();
    found
}

/// Compiles a program into a folder of its own.
pub fn compile(name: &str, label: &str, release: &str) -> PathBuf {
    let to = java::scratch(&format!("{label}-{release}-{}", std::process::id()));
    java::compile(release, &to, &[program(name)]);
    to
}

/// Weaves all classes of a folder in place.
pub fn weave_folder(below: &Path, models: &Models, options: &Options) -> Table {
    let mut table = Table::default();
    for path in class_files(below) {
        let bytes = std::fs::read(&path).expect("a class file");
        table.weaves(&bytes);
        match weave(&bytes, &Nowhere, models, &mut table, options) {
            Ok(Some(woven)) => std::fs::write(&path, woven).expect("room on the disk"),
            Ok(None) => {}
            Err(failure) => panic!("{}: {failure}", path.display()),
        }
    }
    table
}

/// Compares with the file of that name among the golden ones; `BLESS=1` writes it.
pub fn golden(name: &str, found: &str) {
    let path = folder().join("golden").join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("room on the disk");
        std::fs::write(&path, found).expect("room on the disk");
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    if expected != found {
        let different = expected.lines().zip(found.lines()).position(|(one, other)| one != other);
        let at = different.unwrap_or_else(|| expected.lines().count().min(found.lines().count()));
        let show =
            |text: &str| text.lines().skip(at.saturating_sub(3)).take(8).collect::<Vec<_>>().join("\n");
        panic!(
            "{} differs at line {} (BLESS=1 rewrites it)\nexpected:\n{}\nfound:\n{}",
            path.display(),
            at + 1,
            show(&expected),
            show(found)
        );
    }
}
