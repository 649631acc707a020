//! Names, frames, stacks and steps, each written once: a report of ten thousand findings says the same over and over.
//!
//! There is a limit to all of them together. Beyond it a name that is new becomes a remark that it was left out, a frame that
//! is new a place that is not known, and both are counted: the page has to stay small enough to open.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::safe::shown;
use crate::render::text_stack::is_own;
use crate::{Frame, Report, Role};

/// What stands for a name for which there was no room.
const LEFT_OUT: &str = "(left out)";

/// Frames of a stack: more than anybody reads.
const FRAMES: usize = 200;
/// Lines quoted before and after a place, and columns of a tab.
const AROUND: u32 = 3;
const TAB: usize = 4;

/// The number of a name.
pub(super) type Name = u32;

/// A frame: class, method, file, line, whether it is the program's own code and no library's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub(super) struct Place(Name, Name, Name, i32, u8);

/// A source file: its path, and the lines that are quoted.
#[derive(Serialize)]
pub(super) struct Source(Name, BTreeMap<u32, Name>);

/// The tables.
pub(super) struct Tables<'a> {
    report: &'a Report,
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
    files: HashMap<String, u32>,
    /// The source files in the order of their numbers.
    pub(super) sources: Vec<Source>,
    /// Bytes that the tables will take.
    pub(super) bytes: usize,
    limit: usize,
    last: usize,
    /// Names and frames for which there was no room.
    pub(super) left_out: u64,
}

impl<'a> Tables<'a> {
    /// Tables that take no more names beyond so many bytes, and no more frames beyond so many.
    pub(super) fn new(report: &'a Report, limit: usize, last: usize) -> Self {
        let mut tables = Self {
            report,
            numbers: HashMap::new(),
            names: Vec::new(),
            places: HashMap::new(),
            frames: Vec::new(),
            lists: HashMap::new(),
            stacks: Vec::new(),
            same: HashMap::new(),
            steps: Vec::new(),
            files: HashMap::new(),
            sources: Vec::new(),
            bytes: 0,
            limit,
            last,
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
    pub(super) fn names<'b>(&mut self, texts: impl IntoIterator<Item = &'b String>) -> Vec<Name> {
        texts.into_iter().map(|text| self.name(text)).collect()
    }

    /// The number of a frame.
    pub(super) fn frame(&mut self, frame: &Frame) -> u32 {
        if let Some(&number) = self.places.get(frame) {
            return number;
        }
        if self.bytes > self.last {
            self.left_out += 1;
            return 0;
        }
        let own = u8::from(is_own(frame, self.report));
        let place = Place(
            self.name(&frame.class),
            self.name(frame.method_name()),
            self.name(&frame.file),
            frame.line,
            own,
        );
        let number = self.frames.len() as u32;
        self.bytes +=
            8 + digits(place.0) + digits(place.1) + digits(place.2) + digits(place.3.unsigned_abs());
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

    /// Quotes the lines around a place, if they are kept: the number of the source file.
    pub(super) fn quote(&mut self, place: &Frame) -> Option<u32> {
        let line = u32::try_from(place.line).ok().filter(|&line| line > 0)?;
        let (key, report) = (place.source()?, self.report);
        let (from, to) = (line.saturating_sub(AROUND), line.saturating_add(AROUND));
        let mut lines = report.excerpts.lines(&key, from, to).peekable();
        lines.peek()?;
        let number = match self.files.get(&key) {
            Some(&number) => number,
            None => {
                let path = self.name(report.sources.get(&key).unwrap_or(&key));
                let number = self.sources.len() as u32;
                self.sources.push(Source(path, BTreeMap::new()));
                self.files.insert(key.clone(), number);
                number
            }
        };
        for (line, text) in lines {
            let text = self.name(&without_tabs(text));
            if let Some(source) = self.sources.get_mut(number as usize)
                && source.1.insert(line, text).is_none()
            {
                self.bytes += 5 + digits(line) + digits(text);
            }
        }
        Some(number)
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
    #[serde(skip_serializing_if = "Option::is_none")] pub(super) Option<More>,
);

/// More about a step.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Default)]
pub(super) struct More {
    /// Held in read mode only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) read: Vec<Name>,
    /// Where each was taken, and whether that is an example.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) taken: Vec<(Name, u32, u8)>,
    /// The source file from which its place is quoted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) source: Option<u32>,
}

/// A line of source with its tabs as spaces, so that it can be shown like any other name.
fn without_tabs(line: &str) -> Cow<'_, str> {
    if !line.contains('\t') {
        return Cow::Borrowed(line);
    }
    let (mut out, mut column) = (String::with_capacity(line.len() + 16), 0);
    for c in line.chars() {
        let wide = if c == '\t' { TAB - column % TAB } else { 1 };
        column += wide;
        if c == '\t' { out.extend(std::iter::repeat_n(' ', wide)) } else { out.push(c) }
    }
    Cow::Owned(out)
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_name_is_kept_once_and_beyond_the_limit_left_out() {
        let report = Report::new();
        let mut tables = Tables::new(&report, 120, 160);
        let (one, two) = (tables.name("com.acme.Account"), tables.name("x"));
        assert_eq!((tables.name("com.acme.Account"), tables.name("x")), (one, two));
        assert_eq!(tables.names[one as usize], "com.acme.Account");
        let far = tables.name(&"y".repeat(100));
        assert_eq!((tables.names[far as usize].as_str(), tables.left_out), (LEFT_OUT, 1));
        let frames: Vec<Frame> = (1..20).map(|line| Frame { line, ..Frame::default() }).collect();
        tables.stack(&frames);
        assert!((2..15).contains(&tables.frames.len()), "{}", tables.frames.len());
        assert!(tables.bytes < 300, "{}", tables.bytes);
    }

    #[test]
    fn the_lines_around_a_place_are_quoted_once() {
        let mut report = Report::new();
        let text: String = (1..=40).map(|i| format!("\tint x{i};\n")).collect();
        report.excerpts.add("com/acme/A.java", &text, &BTreeSet::from([10, 12]));
        report.sources.insert("com/acme/A.java".into(), "src/com/acme/A.java".into());
        let mut tables = Tables::new(&report, 10_000, 10_000);
        let at = |line| Frame { class: "com.acme.A".into(), file: "A.java".into(), line, ..Frame::default() };
        assert_eq!(
            (tables.quote(&at(10)), tables.quote(&at(12)), tables.quote(&at(30))),
            (Some(0), Some(0), None)
        );
        let Source(path, lines) = &tables.sources[0];
        assert_eq!(tables.names[*path as usize], "src/com/acme/A.java");
        assert_eq!(lines.keys().copied().collect::<Vec<_>>(), (7..=15).collect::<Vec<_>>());
        assert_eq!(tables.names[lines[&10] as usize], "    int x10;");
        assert_eq!(without_tabs("a\tb\t\tc"), "a   b       c");
    }
}
