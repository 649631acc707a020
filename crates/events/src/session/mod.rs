//! What a watched JVM leaves on disk while it runs: a folder with two files. `chunks` holds the records of all threads in
//! memory-mapped pages (`layout.rs`, `record.rs`), `names` what their numbers stand for (`names.rs`). The agent writes
//! both.

pub mod kinds;
pub mod layout;
pub mod names;
pub mod record;

pub use kinds::{Kind, Operand};
pub use names::Entry;
