//! The readable text form of a trace: what a test or a person writes by hand, and what `trace cat` prints.
//!
//! This page is the reference. One line is one event, one directive, or nothing:
//!
//! ```text
//! file      ::= "raddle text 1" { line }                            the first line, exactly; `parse` takes it or not
//! line      ::= [ event | directive ] [ "#" anything ]
//! event     ::= NAME operation [ "@" place ] [ "//~" RULE { "," RULE } ]
//! directive ::= "!final" field                                      before the field's first mention
//!             | "!gap" NAME NAME NUMBER                             what, why, how many
//!             | "!stack" NAME "@" taken { "<" taken }               an example of how a thread reaches a site
//!             | "!flow" NUMBER [ flow ] "@" place ">" place         flows are numbered 0, 1, 2, … in order
//! flow      ::= "back" | "beside" | "unlikely" | "any"              what is done with the value; none is "back"
//! operation ::= ("read" | "write") variable
//!             | ("vread" | "vwrite") variable [ "update" ]          volatile; an atomic update is both, a failed one the vread
//!             | "acquire" lock [ "read" ] [ "tries" ]               "tries": would have gone on without it
//!             | "release" lock [ "read" ]                           "read": the shared mode of a read/write lock
//!             | ("reenter" | "reexit" | "wait" | "woken") lock
//!             | ("signal" | "observe") NAME
//!             | ("fork" | "join") NAME
//!             | "start" | "end"
//!             | ("begin" | "finish") NAME                           the block: pkg.Class.method
//!             | ("freeze" | "free") object
//!             | "mark" NAME
//!             | "flow" NUMBER [ "read" ]                            "read": what was read last; else it is used
//! variable  ::= field                                               static, or a variable without class
//!             | object "." NAME                                     declared in the object's own class
//!             | object ".(" field ")"                               declared elsewhere: pkg.Point3@7.(pkg.Point.x)
//!             | [ object ] "[" NUMBER "]"                           one element
//!             | [ object ] "[" NUMBER ".." NUMBER "]"               elements, the end exclusive
//!             | [ object ] "[" NUMBER ".." NUMBER ":" NUMBER "]"    every so many-th of them, from the first on
//! field     ::= class "." NAME | NAME                               the last dot divides
//! object    ::= class "@" NUMBER
//! lock      ::= object | NAME
//! class     ::= NAME [ "%" NUMBER ]                                 the number tells loaders apart; none is 0
//! place     ::= taken { "<" taken }                                 "<" gives the exact callers, innermost first
//! taken     ::= site [ "of" NAME ]                                  the field of the array or collection that is used
//! site      ::= class "." METHOD "(" spot ")" | spot                METHOD may have its descriptor: get(I)V
//! spot      ::= [ FILE ] ":" NUMBER                                 line 0 (and `:0`): not known
//! ```
//!
//! Tokens are divided by spaces or tabs; there are none inside `variable`, `object`, `class` and `site`. The signs
//! `@`, `<`, `>` stand alone, `#` and `//~` begin a token. An event without `@` is at `:LINE`, its own line in the text.
//!
//! A NAME is written bare, or in double quotes with `\"`, `\\`, `\n`, `\r`, `\t` and `\u{HEX}`. It must be quoted if it
//! is empty, holds white space, a control character or a double quote, begins with `#`, `!` or `//~`, or is one of the
//! signs that stand alone. Inside a variable, an object or a site a part must be quoted as well if it holds a sign that
//! would be taken for structure: `. @ % ( ) [ ]` in the name of a field or of a variable without class, `@ % ( )` or a
//! dot or bracket at its start or a dot at its end in a class, `@` in the name of a lock. So `"P2.17"` is a variable
//! without class, `P2.17` the static field `17` of `P2`.
//!
//! Whoever names an object again after its `free` names a new object of the same number. A line may end with a carriage
//! return before its line feed, and is at most 1 MiB long. Everything else is an error with line and column: nothing is
//! guessed.

mod line;
mod names;
mod reader;
pub(crate) mod show;
mod writer;

use crate::{Event, Gap, Symbols, TraceError};

pub use reader::Reader;
pub use writer::Writer;

/// The first line of a text trace.
pub const HEADER: &str = "raddle text 1";

/// A whole trace in memory, as a test or a person wrote it.
#[derive(Debug)]
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

/// Reads a whole text trace. The first line `raddle text 1` may be left out.
pub fn parse(file: &str, text: &str) -> Result<Parsed, TraceError> {
    reader::parse(file, text)
}
