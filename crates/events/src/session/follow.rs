//! A session as a trace: everything that a JVM reports, written down while it runs. For whoever records without
//! analysing.
//!
//! A frame of the trace is written when it is full, and also when nothing has come for a moment: if whoever follows is
//! killed, what is lost is what came in that moment.

use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use super::alive::alive;
use super::{Poll, Reader};
use crate::binary::Writer;
use crate::{Source as _, Stretches, TraceError};

/// How long what has come may wait for its frame to be full.
const MOMENT: Duration = Duration::from_millis(500);

/// How long to wait for an agent that has not written its first page.
const SOON: Duration = Duration::from_millis(1);

/// Why a session could not be followed to its end.
#[derive(Debug)]
pub enum Unfollowed {
    /// It could not be read, or only a part of it.
    Session(TraceError),
    /// The trace could not be written.
    Trace(io::Error),
}

impl From<TraceError> for Unfollowed {
    fn from(error: TraceError) -> Self {
        Unfollowed::Session(error)
    }
}

impl From<io::Error> for Unfollowed {
    fn from(error: io::Error) -> Self {
        Unfollowed::Trace(error)
    }
}

/// Writes what comes in a session to a trace until its JVM ends, or has been killed.
pub fn follow<W: Write>(session: &Path, trace: W) -> Result<(), Unfollowed> {
    let mut writer = Writer::new(trace)?;
    let mut reader = loop {
        if let Some(reader) = Reader::live(session)? {
            break reader;
        }
        if !alive(session) {
            writer.finish(&Default::default())?;
            return Ok(());
        }
        std::thread::sleep(SOON);
    };
    let (mut stretches, mut events) = (Stretches::default(), Vec::new());
    let mut settled = Instant::now();
    loop {
        match reader.poll(&mut stretches)? {
            Poll::Events => {
                events.clear();
                stretches.uncut(&mut events);
                writer.batch(&events, reader.symbols())?;
            }
            Poll::Nothing => {
                if settled.elapsed() >= MOMENT {
                    writer.settle()?;
                    settled = Instant::now();
                }
                reader.nap();
            }
            Poll::End => break,
        }
    }
    for gap in reader.gaps() {
        writer.gap(gap.clone());
    }
    writer.finish(reader.symbols())?;
    match reader.damage() {
        Some(damage) => Err(TraceError::new(damage.file.clone(), damage.place, damage.reason.clone()).into()),
        None => Ok(()),
    }
}
