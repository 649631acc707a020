//! How many of the program's classes there were, and what became of them: for the report, which says what it rests on.

use std::sync::atomic::{AtomicU64, Ordering};

use events::session::counts::{LEFT_OUT, Left, NAMED};
use events::session::{Entry, names};

use crate::patterns;

/// The counts.
pub struct Counts {
    seen: AtomicU64,
    woven: AtomicU64,
    left: [AtomicU64; Left::ALL.len()],
    /// The user's patterns of classes to watch, and how many each stood for.
    include: Vec<(String, AtomicU64)>,
}

impl Counts {
    /// Nothing has been counted.
    pub fn new(include: &[String]) -> Self {
        Self {
            seen: AtomicU64::new(0),
            woven: AtomicU64::new(0),
            left: Default::default(),
            include: include.iter().map(|pattern| (pattern.clone(), AtomicU64::new(0))).collect(),
        }
    }

    /// A class of the program, by its name with dots; what became of it.
    pub fn class(&self, dotted: &str, left: Option<Left>) {
        for (_, count) in self.include.iter().filter(|(pattern, _)| patterns::matches(pattern, dotted)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.seen.fetch_add(1, Ordering::Relaxed);
        let count = match left {
            Some(why) => self.left.get(why as usize),
            None => Some(&self.woven),
        };
        if let Some(count) = count {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Whether to write the counts down: now and then, since a killed JVM cannot tell at its end.
    pub fn are_due(&self) -> bool {
        let seen = self.seen.load(Ordering::Relaxed);
        seen.is_power_of_two() || seen.is_multiple_of(256)
    }

    /// The counts as entries of the log.
    pub fn encode(&self, entries: &mut Vec<u8>) {
        let mut tell = |what: String, count: &AtomicU64| {
            Entry::Count { what, number: count.load(Ordering::Relaxed) }.encode(entries);
        };
        tell(names::CLASSES_SEEN.to_owned(), &self.seen);
        tell(names::CLASSES_WOVEN.to_owned(), &self.woven);
        for (why, count) in Left::ALL.iter().zip(&self.left) {
            tell(format!("{LEFT_OUT}{}", why.reason()), count);
        }
        for (pattern, count) in &self.include {
            tell(format!("{NAMED}{pattern}"), count);
        }
    }
}
