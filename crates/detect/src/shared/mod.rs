//! What the detectors over a trace own together, computed once for all of them.

pub mod births;
mod ended;
pub mod found;
pub mod frozen;
pub mod guard;
pub mod held;
pub mod history;
pub mod known;
pub mod lockset;
pub mod marks;
pub mod notes;
pub mod order;
mod parts;
pub mod pasts;
pub mod ranges;
pub mod repeats;
pub mod running;
pub mod spans;
pub mod story;
mod times;
pub mod vars;
