//! What `src/settled.rs` says of the JDK's classes is true of every JDK at hand. `BLESS=1` writes `src/related.txt` anew; all
//! of JDK 17, 21 and 25 should be there then.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use classfile::{Class, flags, text};
use events::models::{Models, Placement};
use instrument::settled::{FINAL, OF_ONE_KIND};
use support::java;

/// Names, direct supertypes and flags of the classes of one JDK.
struct Jdk {
    above: BTreeMap<String, Vec<String>>,
    access: BTreeMap<String, u16>,
}

impl Jdk {
    fn read(runtime: &java::Runtime) -> Jdk {
        let mut jdk = Jdk { above: BTreeMap::new(), access: BTreeMap::new() };
        for named in java::jdk_classes(runtime, "") {
            let class = Class::parse(&named.bytes).expect("a class of the JDK");
            let of = |index: u16| text::to_str(class.pool.class_name(index).expect("a name")).into_owned();
            let name = of(class.this_class);
            if name == "module-info" {
                continue;
            }
            let supers = class.interfaces.iter().copied().chain(Some(class.super_class).filter(|n| *n != 0));
            jdk.above.insert(name.clone(), supers.map(of).collect());
            jdk.access.insert(name, class.access);
        }
        jdk
    }

    /// All supertypes but `Object`.
    fn supertypes(&self, class: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut open = vec![class.to_owned()];
        while let Some(class) = open.pop() {
            for above in self.above.get(&class).into_iter().flatten() {
                if above != "java/lang/Object" && found.insert(above.clone()) {
                    open.push(above.clone());
                }
            }
        }
        found
    }
}

fn jdks() -> &'static [Jdk] {
    static READ: OnceLock<Vec<Jdk>> = OnceLock::new();
    READ.get_or_init(|| java::runtimes().iter().map(Jdk::read).collect())
}

/// Types that a program's own code can name.
fn is_open(jdk: &Jdk, class: &str) -> bool {
    let exported = class.starts_with("java/") || class.starts_with("javax/");
    exported && jdk.access.get(class).is_some_and(|access| access & flags::PUBLIC != 0)
}

#[test]
fn related_types_are_those_above_and_below() {
    let models = Models::builtin().expect("the tables");
    let calls = models.lines().iter().filter(|line| line.placement == Placement::Call);
    let classes: BTreeSet<&str> = calls.map(|line| &*line.class).collect();
    let mut related: BTreeMap<&str, BTreeSet<String>> =
        classes.iter().map(|class| (*class, BTreeSet::new())).collect();
    for jdk in jdks() {
        for name in jdk.above.keys() {
            for above in jdk.supertypes(name) {
                if let Some(others) = related.get_mut(above.as_str()).filter(|_| is_open(jdk, name)) {
                    others.insert(name.clone());
                }
                if let Some(others) = related.get_mut(name.as_str()).filter(|_| is_open(jdk, &above)) {
                    others.insert(above);
                }
            }
        }
    }
    let mut text = String::new();
    for (class, others) in related {
        text += &format!("{class}: {}", Vec::from_iter(others).join(" "));
        text = text.trim_end().to_owned() + "\n";
    }
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/related.txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &text).expect("room on the disk");
    }
    let told = std::fs::read_to_string(&path).expect("the file");
    let told: BTreeMap<&str, BTreeSet<&str>> = told
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(class, others)| (class, others.split_whitespace().collect()))
        .collect();
    // Newer JDKs that are not at hand know more types, so it may say more.
    for (class, others) in text.lines().filter_map(|line| line.split_once(':')) {
        let told = told.get(class).unwrap_or_else(|| panic!("{class} is missing (BLESS=1 adds it)"));
        for other in others.split_whitespace() {
            assert!(told.contains(other), "{class} is related to {other} (BLESS=1 adds it)");
        }
    }
}

#[test]
fn final_classes_are_final() {
    for jdk in jdks() {
        for class in FINAL {
            let access = jdk.access.get(*class).copied();
            assert!(access.is_none_or(|access| access & flags::FINAL != 0), "{class} is not final");
        }
    }
}

#[test]
fn collections_of_one_kind_have_no_subclass_of_another() {
    let models = support::models();
    for jdk in jdks() {
        for class in OF_ONE_KIND {
            let kind = models.kind(class).unwrap_or_else(|| panic!("{class} has no kind")).word;
            for (below, _) in jdk.above.iter().filter(|(name, _)| jdk.supertypes(name).contains(*class)) {
                let other = models.kind(below).map(|kind| kind.word);
                assert!(other.is_none_or(|other| other == kind), "{below} is {other:?}, {class} is {kind:?}");
            }
        }
    }
}
