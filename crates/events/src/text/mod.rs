//! stub

use crate::{Event, Gap, Symbols, TraceError};

/// A whole trace in memory, as a test or a person wrote it.
pub struct Parsed {
    /// The names.
    pub symbols: Symbols,
    /// The events.
    pub events: Vec<Event>,
    /// The `//~ rule` marks, in the order of the text.
    pub marks: Vec<Mark>,
    /// The gaps.
    pub gaps: Vec<Gap>,
}

/// A `//~ rule` mark: this event is where a finding of the rule is expected.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mark {
    /// The index of the event, from 0.
    pub event: u64,
    /// The line it stands in, from 1.
    pub line: u64,
    /// The rule's name.
    pub rule: String,
}

/// Reads a whole text trace.
pub fn parse(_file: &str, _text: &str) -> Result<Parsed, TraceError> {
    unimplemented!()
}
