//! Class-file bytes to a structure and back, losing nothing; insertion of instructions with every offset, frame and
//! table put right. Knows nothing of concurrency and of no other crate of ours.

#![forbid(unsafe_code)]

mod annotations;
mod assembler;
mod attributes;
mod bytes;
mod class;
mod code;
mod descriptor;
pub mod edit;
mod effect;
mod error;
pub mod flags;
mod flow;
mod frames;
mod instruction;
mod intern;
pub mod op;
mod pool;
mod snippet;
pub mod text;
mod value;

pub use annotations::{Annotation, ElementValue};
pub use assembler::{Assembler, Label};
pub use attributes::{BootstrapMethod, InnerClass, RecordComponent};
pub use class::{Attribute, Class, Member, NEWEST_TESTED};
pub use code::{Code, Handler, Instructions, LocalVariable, Opcodes};
pub use descriptor::{MethodType, Type};
pub use edit::{Border, Catch, Edit, Order, Range};
pub use error::{Error, Reason, Result};
pub use flow::{Flow, State, Step};
pub use instruction::{Instruction, Kind, Switch};
pub use pool::{Constant, DynamicRef, MemberRef, Pool};
pub use snippet::Snippet;
pub use value::{ClassRef, Names, Value};
