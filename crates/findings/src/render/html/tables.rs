//! Names, frames, stacks and steps, each written once: a report of ten thousand findings says the same over and over.
//!
//! There is a limit to all of them together. Beyond it a name that is new becomes a remark that it was left out, which is
//! counted, and frames that are new are dropped: the page has to stay small enough to open.

use std::collections::HashMap;

use serde::Serialize;

use super::safe::shown;
use crate::{Frame, Role};

/// What stands for a name for which there was no room.
const LEFT_OUT: &str = "(left out)";

/// Frames of a stack: more than anybody reads.
const FRAMES: usize = 200;

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
    lists: HashMap<Vec<u32>, u32>,
    /// The stacks in the order of their numbers; the first is empty.
    pub(super) stacks: Vec<Vec<u32>>,
    same: HashMap<Told, u32>,
    /// The steps in the order of their numbers.
    pub(super) steps: Vec<Told>,
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
            lists: HashMap::new(),
            stacks: Vec::new(),
            same: HashMap::new(),
            steps: Vec::new(),
            bytes: 0,
            limit,
            left_out: 0,
        };
        tables.add("");
        tables.add(LEFT_OUT);
        tables.frame(&Frame::default());
        tables.stack(&[]);
        tables
    }

    fn add(&mut self, text: &str) -> Name {
        let number = self.names.len() as Name;
        self.bytes += 3 + text.bytes().map(room).sum::<usize>();
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
        self.bytes += 8 + digits(place.0) + digits(place.1) + digits(place.2) + digits(place.3.unsigned_abs());
        self.frames.push(place);
        self.places.insert(frame.clone(), number);
        number
    }

    /// The number of a stack.
    pub(super) fn stack(&mut self, frames: &[Frame]) -> u32 {
        let list: Vec<u32> = frames.iter().take(FRAMES).map(|frame| self.frame(frame)).collect();
        let next = self.stacks.len() as u32;
        let number = *self.lists.entry(list.clone()).or_insert(next);
        if number == next {
            self.bytes += 3 + list.iter().map(|&frame| 1 + digits(frame)).sum::<usize>();
            self.stacks.push(list);
        }
        number
    }

    /// The number of a step.
    pub(super) fn step(&mut self, step: Told) -> u32 {
        let next = self.steps.len() as u32;
        let number = *self.same.entry(step.clone()).or_insert(next);
        if number == next {
            let numbers = [step.0, step.2, step.3, step.4, step.5, step.7];
            let locks = step.9.iter().flat_map(|more| more.taken.iter().map(|taken| (taken.0, taken.1)));
            let locks = locks.map(|(lock, at)| 6 + digits(lock) + digits(at)).sum::<usize>();
            let lists = step.6.iter().chain(step.9.iter().flat_map(|more| &more.read));
            let lists = lists.map(|&lock| 1 + digits(lock)).sum::<usize>();
            self.bytes += 54 + numbers.iter().map(|&n| digits(n)).sum::<usize>() + locks + lists;
            self.steps.push(step);
        }
        number
    }
}

/// A step: thread, role, what it did, target, remark, place, locks, stack, whether that is an example, and what
/// only some have.
#[derive(Clone, PartialEq, Eq, Hash, Serialize)]
pub(super) struct Told(
    pub(super) Name,
    pub(super) Role,
    pub(super) Name,
    pub(super) Name,
    pub(super) Name,
    pub(super) u32,
    pub(super) Vec<Name>,
    pub(super) u32,
    pub(super) u8,
    #[serde(skip_serializing_if = "Option::is_none")] pub(super) Option<Locks>,
);

/// More about the locks of a step.
#[derive(Clone, PartialEq, Eq, Hash, Serialize)]
pub(super) struct Locks {
    /// Held in read mode only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) read: Vec<Name>,
    /// Where each was taken, and whether that is an example.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) taken: Vec<(Name, u32, u8)>,
}

/// Bytes that a byte of a name takes once it is written, escapes included.
fn room(byte: u8) -> usize {
    match byte {
        b'<' | b'>' | b'&' | b'#' => 6,
        b'"' | b'\\' => 2,
        _ => 1,
    }
}

fn digits(n: u32) -> usize {
    1 + n.checked_ilog10().unwrap_or(0) as usize
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
        let mut tables = Tables::new(120);
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
