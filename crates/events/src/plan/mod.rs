//! What need not be watched, as a file that those write who read a program's code and that the weaver reads. Facts are
//! kept by the hash of a class's bytes, so that they are never used for another class of the same name.
//!
//! The file is text: a head (version, Java, inputs, where threads start, what could not be followed), then each class with
//! the accesses that need no probe and the methods that are held for unused, then a check sum. It says nothing about why
//! an access needs no probe, and nothing about synchronisation, which is always watched.

mod read;
mod write;

use std::fmt;

use rustc_hash::FxHashMap;
use sha2::{Digest as _, Sha256};

/// The hash of a class's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassHash(pub [u8; 32]);

impl ClassHash {
    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> ClassHash {
        ClassHash(Sha256::digest(bytes).into())
    }

    /// The hash of several hashes.
    pub fn of_all(hashes: impl IntoIterator<Item = ClassHash>) -> ClassHash {
        let mut all = Sha256::new();
        hashes.into_iter().for_each(|hash| all.update(hash.0));
        ClassHash(all.finalize().into())
    }
}

impl fmt::Display for ClassHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ClassHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What the plan says of one method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodFacts {
    /// Its place among the class's methods.
    pub index: u16,
    /// Name and descriptor, for people.
    pub name: String,
    /// Is it held for unused? If it runs all the same, the plan was written for another program.
    pub unused: bool,
    /// The offsets, ascending, of accesses that need no probe: no two threads can reach what they touch.
    pub spared: Vec<u16>,
}

/// What the plan says of one class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassFacts {
    /// Its name, with dots.
    pub name: String,
    /// Methods of which there is something to say, by index.
    pub methods: Vec<MethodFacts>,
}

impl ClassFacts {
    /// What is said of a method.
    pub fn method(&self, index: usize) -> Option<&MethodFacts> {
        let found = self.methods.binary_search_by_key(&index, |method| usize::from(method.index)).ok()?;
        self.methods.get(found)
    }
}

/// One of the inputs of the analysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanInput {
    /// The hash of its classes' hashes.
    pub hash: ClassHash,
    /// What the user named.
    pub path: String,
}

/// A plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The feature version of the Java whose classes were read.
    pub java: u16,
    /// The inputs.
    pub inputs: Vec<PlanInput>,
    /// The methods in which threads start, as people write them.
    pub roots: Vec<String>,
    /// What could not be followed: the facts hold as long as it does nothing that the rest does not show.
    pub blind: Vec<String>,
    /// The classes, in the order of the inputs.
    pub classes: Vec<(ClassHash, ClassFacts)>,
}

impl Plan {
    /// How many accesses need no probe.
    pub fn spared(&self) -> usize {
        let methods = self.classes.iter().flat_map(|(_, class)| &class.methods);
        methods.map(|method| method.spared.len()).sum()
    }

    /// The classes by the hash of their bytes.
    pub fn by_hash(self) -> FxHashMap<ClassHash, ClassFacts> {
        self.classes.into_iter().collect()
    }
}

/// A plan that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub reason: String,
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for PlanError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        let run = MethodFacts { index: 1, name: "run()V".into(), unused: false, spared: vec![3, 17, 400] };
        let old = MethodFacts { index: 7, name: "old(IJ)V".into(), unused: true, spared: Vec::new() };
        let facts = ClassFacts { name: "a.b.C".into(), methods: vec![run, old] };
        Plan {
            java: 17,
            inputs: vec![PlanInput { hash: ClassHash::of(b"jar"), path: "lib/my app.jar".into() }],
            roots: vec!["main a.b.C.main([Ljava/lang/String;)V".into()],
            blind: vec!["a.b.C.load()V: calls java.lang.Class.forName".into()],
            classes: vec![
                (ClassHash::of(b"C"), facts),
                (ClassHash::of(b"D"), ClassFacts { name: "a.b.D".into(), methods: Vec::new() }),
            ],
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let text = plan().to_text();
        assert_eq!(Plan::parse(text.as_bytes()), Ok(plan()));
        assert_eq!(plan().spared(), 3);
    }

    #[test]
    fn a_method_is_found_by_its_index() {
        let (_, facts) = plan().classes.swap_remove(0);
        assert_eq!(facts.method(7).map(|method| method.unused), Some(true));
        assert_eq!(facts.method(2), None);
    }

    #[test]
    fn names_cannot_break_lines() {
        let mut odd = plan();
        odd.inputs[0].path = "a\nend 00000000\nb".into();
        odd.blind = vec!["x\r\ny".into()];
        let read = Plan::parse(odd.to_text().as_bytes()).expect("a plan");
        assert_eq!(read.classes, odd.classes);
        assert_eq!(read.blind, ["x??y"]);
    }

    #[test]
    fn every_damage_is_an_error_with_its_line() {
        let text = plan().to_text();
        let wrong = |from: &str, to: &str| Plan::parse(text.replacen(from, to, 1).as_bytes());
        assert_eq!(
            wrong("raddle plan 1", "raddle plan 2"),
            Err(PlanError { line: 1, reason: "a plan of version 2, and this Raddle reads version 1".into() })
        );
        assert!(wrong("raddle plan 1", "hello").is_err_and(|e| e.reason.contains("not a plan")));
        assert!(wrong("3 17 400", "3 17 401").is_err_and(|e| e.reason.contains("check sum")));
        assert!(wrong("3 17 400", "3 400 17").is_err_and(|e| e.reason.contains("ascend")));
        assert!(wrong("3 17 400", "3 17 70000").is_err_and(|e| e.line == 7 && e.reason.contains("70000")));
        assert!(wrong("unused 7", "unused 1").is_err_and(|e| e.reason.contains("ascend")));
        assert!(wrong("unused", "odd").is_err_and(|e| e.reason.contains("`odd`")));
        assert!(Plan::parse(b"").is_err_and(|e| e.line == 1));
        assert!(Plan::parse(&[0xff; 30]).is_err());
    }

    #[test]
    fn a_plan_that_was_cut_or_changed_anywhere_is_refused() {
        let text = plan().to_text().into_bytes();
        for length in 0..text.len() {
            assert!(Plan::parse(&text[..length]).is_err(), "cut at {length}");
        }
        for at in 0..text.len() {
            for change in [1u8, 0x20, 0x80] {
                let mut changed = text.clone();
                changed[at] ^= change;
                assert!(Plan::parse(&changed).is_err(), "byte {at} changed by {change}");
            }
        }
    }
}
