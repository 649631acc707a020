//! The shared words of Raddle: what a thread can do ([`Op`]), the names behind the ids ([`Symbols`]), and the
//! trace files that hold them: binary, readable text, and RAPID's STD; the model tables and the plan, which both roads read.
//!
//! A trace is read through a [`Source`], which hands out batches of [`Event`]s in *a consistent order*: it respects
//! each thread and each lock, and claims nothing more. [`check`] verifies that.
//!
//! This crate knows nothing of detectors or findings and prints nothing.

pub mod binary;
pub mod check;
mod error;
mod loan;
pub mod models;
mod op;
mod open;
pub mod plan;
pub mod rapid;
pub mod session;
mod source;
mod stretch;
mod symbols;
pub mod text;
mod window;

pub use error::{Place, TraceError};
pub use loan::{Lender, Loan};
pub use op::{
    BlockId, ChannelId, ClassId, Event, FieldId, FlowId, LockId, MethodId, Mode, ObjectId, Op, OpSet, SiteId,
    StackId, StrId, ThreadId, VarId,
};
pub use open::{Form, open, open_stream};
pub use source::{Gap, Progress, Source};
pub use stretch::{Access, Head, Repeat, Stretches};
pub use symbols::{
    Block, Channel, Class, Field, Flow, FlowKind, INITIALISATION, Lock, Method, Object, Site, Slot, Stack,
    Symbols, Table, Thread, Variable,
};
