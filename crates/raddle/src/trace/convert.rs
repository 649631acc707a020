//! `raddle trace convert`: a trace in another form.

use crate::cli::ConvertArgs;
use crate::error::{Failure, Outcome};

/// Runs it.
pub fn run(_args: &ConvertArgs) -> Result<Outcome, Failure> {
    Err(Failure::new("not there yet"))
}
