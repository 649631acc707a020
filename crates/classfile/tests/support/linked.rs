//! What became of classes when a JVM linked them, and in what two such runs differ. Nothing is tested here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const MISSED: &str = "java.lang.NoClassDefFoundError";

/// By class name with dots: `ok` with the number of its methods, or the error with what it said.
pub type Outcomes = BTreeMap<String, String>;

/// Reads what the Java helper has written.
pub fn outcomes(path: &Path) -> Outcomes {
    let text = std::fs::read_to_string(path).expect("the helper's output");
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    lines.map(|(name, outcome)| (name.to_owned(), outcome.to_owned())).collect()
}

/// How many classes link.
pub fn linked(outcomes: &Outcomes) -> usize {
    outcomes.values().filter(|outcome| outcome.starts_with("ok ")).count()
}

/// What a run is compared with.
pub struct Unwoven<'c> {
    outcomes: &'c Outcomes,
    classes: &'c [&'c [u8]],
    there: BTreeSet<&'c str>,
    /// Whether weaving may add methods.
    more_methods: bool,
}

impl<'c> Unwoven<'c> {
    /// The outcomes of classes, all of which could be found by name.
    pub fn new(
        outcomes: &'c Outcomes,
        names: &'c [&'c str],
        classes: &'c [&'c [u8]],
        more_methods: bool,
    ) -> Self {
        Self { outcomes, classes, there: names.iter().copied().collect(), more_methods }
    }

    /// A line for each class with which something else became.
    pub fn differences(&self, woven: &Outcomes) -> Vec<String> {
        let mut found = Vec::new();
        for (name, outcome) in self.outcomes {
            let other = woven.get(name).map_or("not there", String::as_str);
            if !self.is_same(outcome, other) {
                found.push(format!("{name}: {outcome} but woven {other}"));
            }
        }
        let added = woven.iter().filter(|(name, _)| !self.outcomes.contains_key(*name));
        found.extend(added.map(|(name, outcome)| format!("{name}: only woven {outcome}")));
        found
    }

    fn is_same(&self, outcome: &str, woven: &str) -> bool {
        let kind = |outcome: &str| outcome.split(' ').next().unwrap_or_default().to_owned();
        match kind(outcome).as_str() {
            "ok" if self.more_methods => kind(woven) == "ok",
            // What it says speaks of places in the code.
            "java.lang.VerifyError" => kind(woven) == kind(outcome),
            MISSED => outcome == woven || self.may_miss(woven),
            _ => outcome == woven,
        }
    }

    /// Which of several missing classes is missed first differs from run to run: the JVM verifies methods in the order
    /// of their names' addresses. It has to be one that unwoven classes name and that is not there.
    fn may_miss(&self, outcome: &str) -> bool {
        let Some(name) = outcome.strip_prefix(MISSED).map(str::trim_start) else { return false };
        let named = |class: &&[u8]| class.windows(name.len()).any(|part| part == name.as_bytes());
        !name.is_empty()
            && !name.contains(' ')
            && !self.there.contains(name)
            && self.classes.iter().any(named)
    }
}
