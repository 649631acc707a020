//! Every detector of Raddle. [`on_trace`] holds those that read events, [`on_code`] those that read a program's code, one
//! file or folder each; [`shared`] what those over events own together: the two orders, lock sets, the history of accesses.
//!
//! A detector does no input or output, reads no clock and holds no statics: the same trace or
//! code gives the same findings,
//! byte for byte. Detectors do not know each other.

mod analysis;
mod detector;
mod evidence;
mod lock_names;
mod may_access;
pub mod on_code;
pub mod on_trace;
pub mod shared;
mod team;
#[cfg(test)]
mod testing;

pub use analysis::{Analysis, Malformed};
pub use detector::{At, Detector, Now, Options, Refinements, Span, Spec, StaleUses, Uses};
pub use evidence::{Details, Evidence, NarrowingAt, Out, StepAt, Subject, Target, VariableKind};
pub use may_access::MayAccess;
pub use team::{Pace, Team};
