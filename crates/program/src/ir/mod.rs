//! The register code that all checks read: a class with fields, methods and names; a method as blocks of instructions
//! over registers that are defined once. It has a text form ([`parse`], [`print()`]) which tests are written in, and a
//! verifier ([`verify()`]) that says what must hold. How class files become register code is in `lower`; who calls whom
//! and what a name refers to is not known here.

mod body;
mod class;
mod kinds;
mod monitors;
mod op;
mod shape;
mod text;
mod values;
mod verify;
#[cfg(test)]
mod verify_tests;
mod words;

pub use body::{Block, BlockId, Body, Caught, Code, Edge};
pub use class::{
    Annotation, Argument, Class, ClassRef, Closure, ClosureRef, Field, FieldRef, Handle, HandleRef, Member,
    Method, MethodRef, Site, SiteRef, Table, TextId,
};
pub use kinds::{kind_of, result_kind};
pub use monitors::{Held, Monitors};
pub use op::{Inst, List, Op, Reg};
pub use shape::{Control, Edges, Shape};
pub use text::{TextError, parse, parse_class, parse_numbered, print};
pub use values::Values;
pub use verify::{Fault, verify};
pub use words::{Binary, CallKind, Condition, Convert, Element, HandleKind, Kind};
