//! The detectors over a trace. To add one, write its file and name its `SPEC` here.

use crate::Spec;

pub mod views;

/// Every detector over a trace, in the order in which they are listed and run.
pub const ALL: &[&Spec] = &[&views::SPEC];
