//! Where a finding is, in terms of the project's files: for formats that point into them.

use std::borrow::Cow;

use crate::{Finding, Frame, Report, Step};

/// A place in a file of the project.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Place<'a> {
    /// The path from the project's folder, or from an unknown source root where the file was not found.
    pub path: Cow<'a, str>,
    /// The line; 0 where it is not known.
    pub line: u32,
}

/// The place of a frame, if its file is known.
pub(super) fn of<'a>(frame: &Frame, report: &'a Report) -> Option<Place<'a>> {
    let source = frame.source()?;
    let path = match report.sources.get(&source) {
        Some(path) => Cow::Borrowed(path.as_str()),
        None => Cow::Owned(source),
    };
    Some(Place { path, line: u32::try_from(frame.line).unwrap_or(0) })
}

/// The step to point at: the first in a file that was found, else the first in a known file.
pub(super) fn main_step<'a>(finding: &'a Finding, report: &Report) -> Option<&'a Step> {
    let steps = || finding.witnesses.iter().flat_map(|witness| &witness.steps);
    let found = |step: &&Step| step.place.source().is_some_and(|key| report.sources.contains_key(&key));
    steps().find(found).or_else(|| steps().find(|step| !step.place.file.is_empty()))
}

/// A relative path as a relative URI that stays inside its folder, whatever the names hold.
pub(super) fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for segment in path.split('/').filter(|segment| !matches!(*segment, "" | "." | "..")) {
        if !out.is_empty() {
            out.push('/');
        }
        for &byte in segment.as_bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'$' => {
                    out.push(char::from(byte));
                }
                _ => {
                    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
                    let digit = |n: u8| char::from(DIGITS[usize::from(n & 15)]);
                    out.extend(['%', digit(byte >> 4), digit(byte)]);
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_uri_that_stays_inside() {
        assert_eq!(uri("src/main/java/A.java"), "src/main/java/A.java");
        assert_eq!(uri("/../.././a b//ü:%.java"), "a%20b/%C3%BC%3A%25.java");
        assert_eq!(uri("a\\..\\b"), "a%5C..%5Cb");
    }

    #[test]
    fn a_file_that_was_found_is_named_by_its_path_in_the_project() {
        let mut report = Report::new();
        let frame =
            Frame { class: "com.acme.A$B".into(), method: "f()V".into(), file: "A.java".into(), line: 7 };
        let path = |report: &Report| of(&frame, report).map(|place| place.path.into_owned());
        assert_eq!(path(&report).as_deref(), Some("com/acme/A.java"));
        report.sources.insert("com/acme/A.java".into(), "app/src/main/java/com/acme/A.java".into());
        assert_eq!(path(&report).as_deref(), Some("app/src/main/java/com/acme/A.java"));
        assert_eq!(of(&Frame { file: String::new(), ..frame }, &report), None);
    }
}
