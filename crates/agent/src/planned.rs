//! What a plan says of the classes that are loaded, and what it turns out not to know: classes that it does not speak of,
//! and methods that run although it holds them for unused. Counts also what has no probe without any plan.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use events::plan::{ClassFacts, ClassHash, Plan};
use events::session::Entry;
use instrument::Spared;
use rustc_hash::FxHashMap;

/// The plan of this JVM, if it has one, and what became of it.
#[derive(Default)]
pub struct Planned {
    plan: Option<Known>,
    spared: [AtomicU64; Spared::ALL.len()],
}

struct Known {
    java: u16,
    classes: FxHashMap<ClassHash, ClassFacts>,
    /// Methods that ran although they are held for unused.
    ran: Mutex<HashSet<String>>,
}

impl Planned {
    /// Reads the plan, if there is one.
    pub fn new(path: Option<&Path>) -> Result<Self, String> {
        let Some(path) = path else { return Ok(Self::default()) };
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let bytes = std::fs::read(path).map_err(|error| wrong(&error))?;
        let plan = Plan::parse(&bytes).map_err(|error| wrong(&error))?;
        let java = plan.java;
        let known = Known { java, classes: plan.by_hash(), ran: Mutex::default() };
        Ok(Self { plan: Some(known), ..Self::default() })
    }

    /// What is said of a class; a gap is added if nothing is.
    pub fn facts(&self, name: &str, bytes: &[u8], entries: &mut Vec<u8>) -> Option<&ClassFacts> {
        let known = self.plan.as_ref()?;
        let found = known.classes.get(&ClassHash::of(bytes));
        if found.is_none() {
            let what = match name.rsplit_once('/') {
                Some((package, _)) => format!("classes of {}", package.replace('/', ".")),
                None => "classes without a package".to_owned(),
            };
            let why = "the plan does not speak of them; what they share could go unseen".to_owned();
            Entry::Gap { what, why, count: 1 }.encode(entries);
        }
        found
    }

    /// The version of the running Java is known: a gap if the plan is for another one.
    pub fn runs_on(&self, java: u16) -> Option<Vec<u8>> {
        let known = self.plan.as_ref().filter(|known| known.java != java)?;
        let why = format!(
            "it was made with Java {}, and this is Java {java}; what only this one does could go unseen",
            known.java
        );
        let mut entry = Vec::new();
        Entry::Gap { what: "the plan".to_owned(), why, count: 1 }.encode(&mut entry);
        Some(entry)
    }

    /// A method runs that is held for unused: a gap, the first time.
    pub fn ran(&self, method: String) -> Option<Vec<u8>> {
        let known = self.plan.as_ref()?;
        let class = method.split_once('(').map_or(method.as_str(), |(name, _)| name);
        let class = class.rsplit_once('.').map_or(class, |(class, _)| class);
        let what = format!("class {class}");
        if !known.ran.lock().unwrap_or_else(PoisonError::into_inner).insert(method) {
            return None;
        }
        let why = "methods run that the plan holds for unused; what they share could go unseen".to_owned();
        let mut entry = Vec::new();
        Entry::Gap { what, why, count: 1 }.encode(&mut entry);
        Some(entry)
    }

    /// Accesses have no probe.
    pub fn spares(&self, why: Spared, count: u32) {
        if let Some(all) = self.spared.get(why as usize) {
            all.fetch_add(u64::from(count), Ordering::Relaxed);
        }
    }

    /// How many accesses have no probe, as the user is told.
    pub fn counts(&self) -> [(&'static str, u64); Spared::ALL.len()] {
        let words = [
            "accesses need no probe by the plan",
            "touch what their method keeps to itself",
            "touch final fields that nobody sees early",
        ];
        let mut counts = words.map(|word| (word, 0));
        for (count, spared) in counts.iter_mut().zip(&self.spared) {
            count.1 = spared.load(Ordering::Relaxed);
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned() -> Planned {
        let facts = ClassFacts { name: "a.A".into(), methods: Vec::new() };
        let plan = Plan { java: 17, classes: vec![(ClassHash::of(b"A"), facts)], ..Plan::default() };
        let path = std::env::temp_dir().join(format!("raddle-test-plan-{}", std::process::id()));
        std::fs::write(&path, plan.to_text()).unwrap();
        let planned = Planned::new(Some(&path)).unwrap();
        std::fs::remove_file(&path).unwrap();
        planned
    }

    #[test]
    fn a_class_is_known_by_its_bytes_and_not_by_its_name() {
        let planned = planned();
        let mut entries = Vec::new();
        assert!(planned.facts("a/A", b"A", &mut entries).is_some());
        assert!(entries.is_empty());
        assert!(planned.facts("a/A", b"B", &mut entries).is_none());
        assert!(String::from_utf8_lossy(&entries).contains("classes of a"));
        assert!(planned.runs_on(17).is_none() && planned.runs_on(21).is_some());
        assert!(
            planned
                .ran("a.A.m(I)V".into())
                .is_some_and(|e| String::from_utf8_lossy(&e).contains("class a.A"))
        );
        assert!(planned.ran("a.A.m(I)V".into()).is_none());
    }

    #[test]
    fn without_a_plan_nothing_is_missing() {
        let none = Planned::new(None).unwrap();
        let mut entries = Vec::new();
        assert!(none.facts("a/A", b"A", &mut entries).is_none() && entries.is_empty());
        assert!(none.runs_on(21).is_none());
        none.spares(Spared::Kept, 3);
        assert_eq!(none.counts().map(|(_, count)| count), [0, 3, 0]);
    }

    #[test]
    fn a_plan_that_is_none_is_an_error() {
        assert!(Planned::new(Some(Path::new("/nowhere/at/all"))).is_err());
        assert!(Planned::new(Some(Path::new("/dev/null"))).is_err_and(|error| error.contains("not a plan")));
    }
}
