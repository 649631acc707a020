//! Detectors that read a program's code.

pub mod causal;
pub mod regions;
