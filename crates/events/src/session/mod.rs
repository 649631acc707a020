//! What a watched JVM leaves on disk while it runs: a folder with two files. `chunks` holds the records of all threads in
//! memory-mapped pages (`layout.rs`, `record.rs`), `names` what their numbers stand for (`names.rs`). The agent writes
//! both. [`Reader`] reads them, while the JVM runs or later, and is the one place that merges threads.

pub mod alive;
pub mod counts;
mod elements;
mod follow;
mod gone;
pub mod kinds;
pub mod layout;
mod merge;
pub mod names;
mod objects;
mod pages;
pub mod play;
pub mod record;
mod regions;
mod rules;
mod stream;
mod tables;
mod tell;

pub use follow::{Unfollowed, follow};
pub use kinds::{Kind, Operand};
pub use merge::{PATIENCE, Poll, Reader};
pub use names::{Entry, Frame};
