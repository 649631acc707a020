//! Class-file bytes to a structure and back, losing nothing; insertion of instructions with every offset, frame and
//! table put right. Knows nothing of concurrency and of no other crate of ours.

#![forbid(unsafe_code)]

mod annotations;
mod attributes;
mod bytes;
mod class;
mod code;
mod descriptor;
mod error;
pub mod flags;
mod instruction;
mod intern;
pub mod op;
mod pool;
pub mod text;

pub use annotations::{Annotation, ElementValue};
pub use attributes::{BootstrapMethod, InnerClass, RecordComponent};
pub use class::{Attribute, Class, Member, NEWEST_TESTED};
pub use code::{Code, Handler, Instructions, LocalVariable};
pub use descriptor::{MethodType, Type};
pub use error::{Error, Reason, Result};
pub use instruction::{Instruction, Kind, Switch};
pub use pool::{Constant, DynamicRef, MemberRef, Pool};
