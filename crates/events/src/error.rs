//! What goes wrong with a trace, and where.

use std::fmt;

/// Where in a trace something is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The whole file.
    File,
    /// A byte of a binary trace, counted from 0.
    Byte(u64),
    /// A line and column of a text trace, both counted from 1.
    Line {
        /// The line.
        line: u64,
        /// The column, in bytes.
        column: u64,
    },
    /// An event, counted from 1.
    Event(u64),
}

/// A trace that cannot be read or makes no sense.
#[derive(Debug)]
pub struct TraceError {
    /// The file as the user named it; `-` for standard input.
    pub file: String,
    /// Where in it.
    pub place: Place,
    /// What is wrong there, one line.
    pub reason: String,
}

impl TraceError {
    /// An error at a place.
    pub fn new(file: impl Into<String>, place: Place, reason: impl Into<String>) -> Self {
        Self { file: file.into(), place, reason: reason.into() }
    }

    /// An input or output error.
    pub fn io(file: impl Into<String>, place: Place, error: &std::io::Error) -> Self {
        Self::new(file, place, error.to_string())
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::File => write!(f, "{}: {}", self.file, self.reason),
            Place::Byte(at) => write!(f, "{}: byte {at}: {}", self.file, self.reason),
            Place::Line { line, column } => write!(f, "{}:{line}:{column}: {}", self.file, self.reason),
            Place::Event(n) => write!(f, "{}: event {n}: {}", self.file, self.reason),
        }
    }
}

impl std::error::Error for TraceError {}

/// The input as an error message quotes it: short and on one line.
pub(crate) fn quote(found: &str) -> String {
    const LONGEST: usize = 40;
    if found.is_empty() {
        return "nothing".to_owned();
    }
    let mut shown: String = found.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if found.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    format!("`{shown}`")
}
