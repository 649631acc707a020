//! `raddle trace follow`: what a JVM with the agent alone reports (`record=FILE`), as a trace. The agent starts it, so that
//! a JVM that is killed loses nothing.
//!
//! Says its process number on standard output, and holds that open as long as it lives: the JVM waits for its end.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};

use events::session::{Unfollowed, follow};

use super::name;
use crate::cli::FollowArgs;
use crate::error::{Failure, Outcome};

/// Runs it.
pub fn run(args: &FollowArgs) -> Result<Outcome, Failure> {
    let unwritten = |error: io::Error| Failure::new(format!("{}: {error}; it ends there", name(&args.out)));
    let file = File::options().write(true).open(&args.out).map_err(unwritten)?;
    let mut out = io::stdout();
    writeln!(out, "{}", std::process::id()).and_then(|()| out.flush()).map_err(|e| Failure::stdout(&e))?;
    let followed = follow(&args.session, BufWriter::new(file));
    // Also if it could not be followed: what has been read is there no more.
    let _ = fs::remove_dir_all(&args.session);
    if let Some(within) = args.session.parent() {
        let _ = fs::remove_dir(within);
    }
    followed.map(|()| Outcome::Clean).map_err(|error| match error {
        Unfollowed::Session(error) => error.into(),
        Unfollowed::Trace(error) => unwritten(error),
    })
}
