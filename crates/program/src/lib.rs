//! Jars to hierarchy, methods as register code, call graph, points-to: a program as those see it who read its code.
//! Whatever cannot be read is a gap, never a panic. Nothing is reported here.

#![forbid(unsafe_code)]

mod gap;
mod handles;
pub mod input;
pub mod ir;
pub mod lower;
mod parallel;
mod plan;
pub mod points;
mod sharing;
mod whole;

pub use classfile::flags;
pub use gap::Gap;
pub use plan::plan;
pub use sharing::Sharing;
pub use whole::{ClassId, ClassInfo, FieldId, FieldInfo, MethodId, MethodInfo, Origin, Program};
