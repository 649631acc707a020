//! Names and frames, each written once: a report of ten thousand findings says the same ones over and over.
//!
//! There is a limit to all of them together. Beyond it a name that is new becomes a remark that it was left out, which is
//! counted, and frames that are new are dropped: the page has to stay small enough to open.

use std::collections::HashMap;

use serde::Serialize;

use super::safe::shown;
use crate::Frame;

/// What stands for a name for which there was no room.
const LEFT_OUT: &str = "(left out)";

/// The number of a name.
pub(super) type Name = u32;

/// A frame: class, method, file, line, whether it is the program's own code and no library's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub(super) struct Place(Name, Name, Name, i32, u8);

/// The tables.
pub(super) struct Tables {
    numbers: HashMap<String, Name>,
    /// The names in the order of their numbers; the first is empty.
    pub(super) names: Vec<String>,
    places: HashMap<Frame, u32>,
    /// The frames in the order of their numbers; the first is the place that is not known.
    pub(super) frames: Vec<Place>,
    /// Bytes that the tables will take.
    pub(super) bytes: usize,
    limit: usize,
    /// Names for which there was no room.
    pub(super) left_out: u64,
}

impl Tables {
    /// Tables that stay below so many bytes.
    pub(super) fn new(limit: usize) -> Self {
        let mut tables = Self {
            numbers: HashMap::new(),
            names: Vec::new(),
            places: HashMap::new(),
            frames: Vec::new(),
            bytes: 0,
            limit,
            left_out: 0,
        };
        tables.add("");
        tables.add(LEFT_OUT);
        tables.frame(&Frame::default());
        tables
    }

    fn add(&mut self, text: &str) -> Name {
        let number = self.names.len() as Name;
        // Escapes make a text longer, by not more than this.
        self.bytes +=
            3 + text.bytes().map(|b| if matches!(b, b'<' | b'>' | b'&') { 6 } else { 1 }).sum::<usize>();
        self.numbers.insert(text.to_owned(), number);
        self.names.push(text.to_owned());
        number
    }

    /// The number of a name as it is shown.
    pub(super) fn name(&mut self, text: &str) -> Name {
        let text = shown(text);
        match self.numbers.get(text.as_ref()) {
            Some(&number) => number,
            None if self.bytes + text.len() > self.limit => {
                self.left_out += 1;
                1
            }
            None => self.add(&text),
        }
    }

    /// The numbers of several.
    pub(super) fn names<'a>(&mut self, texts: impl IntoIterator<Item = &'a String>) -> Vec<Name> {
        texts.into_iter().map(|text| self.name(text)).collect()
    }

    /// The number of a frame.
    pub(super) fn frame(&mut self, frame: &Frame) -> u32 {
        if let Some(&number) = self.places.get(frame) {
            return number;
        }
        let own = u8::from(is_own(&frame.class));
        let place = Place(
            self.name(&frame.class),
            self.name(frame.method_name()),
            self.name(&frame.file),
            frame.line,
            own,
        );
        let number = self.frames.len() as u32;
        self.bytes += 40;
        self.frames.push(place);
        self.places.insert(frame.clone(), number);
        number
    }
}

/// Packages of the JDK, of languages' run-time libraries and of test frameworks.
const LIBRARIES: [&str; 22] = [
    "java.",
    "javax.",
    "jdk.",
    "sun.",
    "com.sun.",
    "jakarta.",
    "kotlin.",
    "kotlinx.",
    "scala.",
    "groovy.",
    "org.codehaus.groovy.",
    "org.apache.groovy.",
    "clojure.",
    "org.junit.",
    "junit.",
    "org.testng.",
    "org.spockframework.",
    "org.apache.maven.",
    "org.gradle.",
    "com.intellij.",
    "org.eclipse.jdt.",
    "raddle.rt.",
];

/// Whether a class belongs to the program and not to a library that everybody uses.
fn is_own(class: &str) -> bool {
    !LIBRARIES.iter().any(|library| class.starts_with(library))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_once_and_beyond_the_limit_left_out() {
        let mut tables = Tables::new(60);
        let (one, two) = (tables.name("com.acme.Account"), tables.name("x"));
        assert_eq!((tables.name("com.acme.Account"), tables.name("x")), (one, two));
        assert_eq!(tables.names[one as usize], "com.acme.Account");
        let far = tables.name(&"y".repeat(100));
        assert_eq!((tables.names[far as usize].as_str(), tables.left_out), (LEFT_OUT, 1));
    }

    #[test]
    fn frames_of_libraries_are_told_from_those_of_the_program() {
        assert!(is_own("com.acme.Account") && is_own("javanese.Account") && is_own(""));
        assert!(!is_own("java.lang.Thread") && !is_own("org.junit.runner.Runner"));
    }
}
