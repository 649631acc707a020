//! The detectors over a trace. To add one, write its file and name its `SPEC` here.

mod aerodrome;
mod atomizer;
mod eraser;
mod fasttrack;
mod lock_graph;
mod racer;
mod stale;
mod views;

use crate::Spec;

/// Every detector over a trace, in the order in which they are listed and run.
pub const ALL: &[&Spec] = &[
    &eraser::SPEC,
    &racer::SPEC,
    &fasttrack::SPEC,
    &views::SPEC,
    &stale::SPEC,
    &atomizer::SPEC,
    &aerodrome::SPEC,
    &lock_graph::SPEC,
];

/// The detector of a name.
pub fn by_name(name: &str) -> Option<&'static Spec> {
    ALL.iter().copied().find(|spec| spec.name == name)
}
