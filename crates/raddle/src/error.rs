//! How the command ends: 0 clean, 1 findings, 2 could not run, or as the watched program did. An error is one line, perhaps with one of help.

use std::io::{self, Write as _};
use std::process::ExitCode;

use events::TraceError;
use findings::visible;

/// How a command that ran ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Nothing to object to.
    Clean,
    /// Findings, or gaps where gaps count.
    Findings,
    /// Something could not be done; what it was has been said already.
    Incomplete,
    /// The watched program failed, and its exit code comes first.
    Program(u8),
}

impl Outcome {
    /// The exit code.
    pub fn code(self) -> ExitCode {
        ExitCode::from(match self {
            Outcome::Clean => 0,
            Outcome::Findings => 1,
            Outcome::Incomplete => 2,
            Outcome::Program(code) => code,
        })
    }
}

/// Why a command could not run.
#[derive(Debug)]
pub enum Failure {
    /// Nobody reads our output any more: nothing to say, and nobody to say it to.
    Closed,
    /// An error.
    Error {
        /// What is wrong, with the file and place, without a full stop.
        text: String,
        /// What to do next, if there is something.
        help: Option<String>,
    },
}

impl Failure {
    /// An error.
    pub fn new(text: impl Into<String>) -> Self {
        Failure::Error { text: text.into(), help: None }
    }

    /// An error, and what to do next.
    pub fn with_help(text: impl Into<String>, help: impl Into<String>) -> Self {
        Failure::Error { text: text.into(), help: Some(help.into()) }
    }

    /// Standard output could not be written.
    pub fn stdout(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Failure::Closed
        } else {
            Failure::new(format!("standard output: {error}"))
        }
    }

    /// Says it on standard error. Names in it may come from a file, and are not trusted.
    pub fn tell(&self) -> ExitCode {
        if let Failure::Error { text, help } = self {
            let mut lines = format!("raddle: error: {}\n", visible(text));
            if let Some(help) = help {
                lines.push_str(&format!("  help: {}\n", visible(help)));
            }
            // Standard error may be closed too; the exit code still tells.
            let _ = io::stderr().write_all(lines.as_bytes());
        }
        ExitCode::from(2)
    }
}

impl From<TraceError> for Failure {
    fn from(error: TraceError) -> Self {
        Failure::new(error.to_string())
    }
}
