//! Class-file bytes to a structure and back, losing nothing; insertion of instructions with every offset, frame and
//! table put right. Knows nothing of concurrency and of no other crate of ours.

#![forbid(unsafe_code)]

mod bytes;
mod class;
mod error;
mod intern;
mod pool;
pub mod text;

pub use class::{Attribute, Class, Member, NEWEST_TESTED};
pub use error::{Error, Reason, Result};
pub use pool::{Constant, DynamicRef, MemberRef, Pool};
