//! What need not be watched, and which values have to be, as a file that those write who read a program's code and that the
//! weaver reads. Facts are kept by the hash of a class's bytes, so that they are never used for another class of the same
//! name.
//!
//! The file is text: a head (version, Java, inputs, where threads start, what could not be followed), then each class with
//! the accesses that need no probe, the methods that are held for unused, the reads that are always told and the flows of
//! values, then a check sum. It says nothing about why an access needs no probe or what may be stale about a value, and
//! nothing about synchronisation, which is always watched.

mod read;
mod write;

use std::fmt;

use crate::FlowKind;
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
    /// The offsets, ascending, of reads of fields that are told each time: values come from there that are watched.
    pub told: Vec<u16>,
    /// The values that are watched in it.
    pub flows: Vec<FlowFacts>,
}

/// A value that is watched: read under a lock, used after that was given up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowFacts {
    /// What the code says of it.
    pub kind: FlowKind,
    /// The offset of what gives the value: the read of a field, or a call whose last access is such a read.
    pub read: u16,
    /// The offsets, ascending, of what uses it.
    pub uses: Vec<u16>,
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
    /// What is said of a method, to say more. `name` is its name and descriptor.
    pub fn method_mut(&mut self, index: u16, name: &str) -> &mut MethodFacts {
        let at = self.methods.partition_point(|method| method.index < index);
        if self.methods.get(at).is_none_or(|method| method.index != index) {
            self.methods.insert(at, MethodFacts { index, name: name.to_owned(), ..MethodFacts::default() });
        }
        &mut self.methods[at]
    }

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

    /// How many values are watched.
    pub fn flows(&self) -> usize {
        let methods = self.classes.iter().flat_map(|(_, class)| &class.methods);
        methods.map(|method| method.flows.len()).sum()
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
        let flow = |kind, read, uses: &[u16]| FlowFacts { kind, read, uses: uses.to_vec() };
        let run = MethodFacts {
            index: 1,
            name: "run()V".into(),
            spared: vec![3, 17, 400],
            told: vec![9, 21],
            flows: vec![flow(FlowKind::Back, 9, &[30, 44]), flow(FlowKind::Unlikely, 21, &[5])],
            ..MethodFacts::default()
        };
        let get = MethodFacts { index: 3, name: "get()I".into(), told: vec![1], ..MethodFacts::default() };
        let old = MethodFacts { index: 7, name: "old(IJ)V".into(), unused: true, ..MethodFacts::default() };
        let facts = ClassFacts { name: "a.b.C".into(), methods: vec![run, get, old] };
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
        assert_eq!((plan().spared(), plan().flows()), (3, 2));
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
            wrong("raddle plan 2", "raddle plan 1"),
            Err(PlanError { line: 1, reason: "a plan of version 1, and this Raddle reads version 2".into() })
        );
        assert!(wrong("raddle plan 2", "hello").is_err_and(|e| e.reason.contains("not a plan")));
        assert!(wrong("3 17 400", "3 17 401").is_err_and(|e| e.reason.contains("check sum")));
        assert!(wrong("3 17 400", "3 400 17").is_err_and(|e| e.reason.contains("ascend")));
        assert!(wrong("3 17 400", "3 17 70000").is_err_and(|e| e.line == 7 && e.reason.contains("70000")));
        assert!(wrong("unused 7", "unused 1").is_err_and(|e| e.reason.contains("ascend")));
        assert!(
            wrong("told 1 run()V 9 21", "told 1 run()V 21 9").is_err_and(|e| e.reason.contains("ascend"))
        );
        assert!(wrong("told 3", "told 0").is_err_and(|e| e.reason.contains("ascend")));
        assert!(wrong("flow 1 run()V back", "flow 1 run()V up").is_err_and(|e| e.reason.contains("`up`")));
        assert!(wrong("9 30 44", "9 44 30").is_err_and(|e| e.reason.contains("ascend")));
        assert!(wrong("9 30 44", "").is_err_and(|e| e.reason.contains("no number")));
        assert!(wrong("back 9 30 44", "back 9").is_err_and(|e| e.reason.contains("used nowhere")));
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
