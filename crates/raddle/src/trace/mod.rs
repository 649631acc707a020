//! `raddle trace`: looking at traces and converting them.

mod cat;
mod convert;
mod follow;
mod stat;

use std::io;
use std::path::Path;

use events::{Source, TraceError};

use crate::cli::{TraceArgs, TraceCommand};
use crate::error::{Failure, Outcome};

/// Runs it.
pub fn run(args: &TraceArgs) -> Result<Outcome, Failure> {
    match &args.command {
        TraceCommand::Stat(args) => stat::run(args),
        TraceCommand::Cat(args) => cat::run(args),
        TraceCommand::Convert(args) => convert::run(args),
        TraceCommand::Follow(args) => follow::run(args),
    }
}

/// Opens a trace; `-` is standard input.
pub fn open(path: &Path) -> Result<Box<dyn Source>, TraceError> {
    if path == Path::new("-") { events::open_stream("-", Box::new(io::stdin())) } else { events::open(path) }
}

/// The trace as the user named it.
pub fn name(path: &Path) -> String {
    path.display().to_string()
}

/// How a command ends that has read a whole source: damage is told, and is an error.
pub fn ending(source: &dyn Source) -> Outcome {
    match source.damage() {
        None => Outcome::Clean,
        Some(damage) => {
            Failure::new(damage.to_string()).tell();
            Outcome::Incomplete
        }
    }
}
