//! Lines of source files around the places that findings name. The command reads the files; here they are only kept.

use std::collections::{BTreeMap, BTreeSet};

/// Lines kept before and after each place.
const AROUND: u32 = 3;
/// Characters kept of a line, and lines in all.
const LENGTH: usize = 400;
const LINES: usize = 500_000;

/// Lines of source files, by the file's name below its source root.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Excerpts {
    files: BTreeMap<String, BTreeMap<u32, String>>,
    lines: usize,
}

impl Excerpts {
    /// Keeps the lines of a file that are near one of the wanted ones, counted from 1.
    pub fn add(&mut self, source: &str, text: &str, wanted: &BTreeSet<u32>) {
        let mut kept = BTreeMap::new();
        let mut wanted = wanted.iter().copied().peekable();
        for (number, line) in (1_u32..).zip(text.lines()) {
            while wanted.next_if(|&near| near.saturating_add(AROUND) < number).is_some() {}
            let Some(&near) = wanted.peek() else { break };
            if near <= number.saturating_add(AROUND) && self.lines < LINES {
                self.lines += 1;
                kept.insert(number, line.chars().take(LENGTH).collect());
            }
        }
        if !kept.is_empty() {
            self.files.entry(source.to_owned()).or_default().extend(kept);
        }
    }

    /// The lines of a file from one number to another, as far as they are kept.
    pub fn lines(&self, source: &str, from: u32, to: u32) -> impl Iterator<Item = (u32, &str)> {
        let file = if from <= to { self.files.get(source) } else { None };
        file.into_iter()
            .flat_map(move |file| file.range(from..=to))
            .map(|(&number, line)| (number, line.as_str()))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_near_a_wanted_one_are_kept_and_no_others() {
        let text: String = (1..=100).map(|i| format!("line {i}\n")).collect();
        let mut excerpts = Excerpts::default();
        excerpts.add("A.java", &text, &BTreeSet::from([2, 50, 51, 1000, u32::MAX]));
        let kept: Vec<u32> = excerpts.lines("A.java", 0, u32::MAX).map(|(number, _)| number).collect();
        assert_eq!(kept, [1, 2, 3, 4, 5, 47, 48, 49, 50, 51, 52, 53, 54]);
        assert_eq!(excerpts.lines("A.java", 50, 50).next(), Some((50, "line 50")));
        assert_eq!(excerpts.lines("A.java", 5, 4).next(), None);
        assert_eq!(excerpts.lines("B.java", 1, 9).next(), None);
    }
}
