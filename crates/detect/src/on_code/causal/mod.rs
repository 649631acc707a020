//! causal
