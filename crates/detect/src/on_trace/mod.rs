//! The detectors over a trace. To add one, write its file and name its `SPEC` here.

pub mod aerodrome;
pub mod atomizer;
mod eraser;
mod fasttrack;
pub mod lock_graph;
mod racer;
mod views;

use crate::Spec;

/// Every detector over a trace, in the order in which they are listed and run.
pub const ALL: &[&Spec] = &[
    &eraser::SPEC,
    &racer::SPEC,
    &fasttrack::SPEC,
    &views::SPEC,
    &atomizer::SPEC,
    &aerodrome::SPEC,
    &lock_graph::SPEC,
];
