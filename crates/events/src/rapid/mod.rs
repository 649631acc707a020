//! STD, the text form of RAPID: one event a line, nothing else.
//!
//! ```text
//! line ::= thread "|" op "|" loc "\n"                     the last line may lack its end
//! op   ::= ("acq" | "rel" | "r" | "w" | "fork" | "join") "(" name ")"
//!        | ("begin" | "end") [ "(" name ")" | text ]
//! loc  ::= decimal int32
//! ```
//! `thread`, `name` and `text` are one or more bytes of UTF-8 without `|`, `(`, `)` and line feed. There are no comments,
//! no blank lines and no carriage returns. A line that does not fit is an error with line and column; nothing is guessed.
//!
//! What it becomes: a variable is a field without class, a lock a named lock, `loc` the line of a site that knows
//! nothing else. `begin(f)` and `end(f)` are the borders of the block `f`, and so are `beginf` and `endf`. A bare `begin`
//! enters a block called `begin`; a bare `end` leaves the block that the thread entered last, whatever it is called.
//! Whether acquires, blocks and threads make sense is the business of [`check`](crate::check).

mod bytes;
mod explain;
mod names;
mod reader;
mod writer;

pub use reader::Reader;
pub use writer::{Lost, WriteError, Writer};
