//! `raddle trace follow`: what a JVM with the agent alone reports (`record=FILE`), as a trace. The agent starts it, so that
//! a JVM that is killed loses nothing.
//!
//! Says its process number on standard output, and holds that open as long as it lives: the JVM waits for its end. The
//! session is removed at the end, so that no folder is taken for one that the agent has not named.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use events::session::alive::process_of;
use events::session::{Unfollowed, follow};

use super::name;
use crate::cli::FollowArgs;
use crate::error::{Failure, Outcome};

/// Runs it.
pub fn run(args: &FollowArgs) -> Result<Outcome, Failure> {
    let unwritten = |error: io::Error| Failure::new(format!("{}: {error}; it ends there", name(&args.out)));
    if !is_named_by_the_agent(&args.session) {
        let session = name(&args.session);
        return Err(Failure::new(format!("{session}: not a session of a JVM that runs with record=FILE")));
    }
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

/// Whether a folder and the one that it is in are named as those that the agent makes.
fn is_named_by_the_agent(session: &Path) -> bool {
    let within = session.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    let process = within.and_then(|within| within.strip_prefix("raddle-"));
    process_of(session).is_some() && process.is_some_and(|process| process_of(Path::new(process)).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_followed_and_removed_but_what_the_agent_has_named() {
        for other in
            ["/home/me", "2024-11", "/data/2024-11", "/tmp/raddle-x/12-3", "/tmp/raddle-1-2/names", "/", ""]
        {
            assert!(!is_named_by_the_agent(Path::new(other)), "{other}");
        }
        assert!(is_named_by_the_agent(Path::new("/tmp/raddle-12-3456/12-3456")));
    }
}
