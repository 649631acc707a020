//! Recording without `raddle`: a thread of the JVM's own process reads the session and writes a trace (`record=FILE`).
//! It is no Java thread, so nothing that it does is recorded. If the JVM is killed, the trace can be read up to its last
//! whole frame; what was not in it yet is lost, unlike under `raddle run`. The session folder is named as that of the
//! command is, so that the next `raddle run` removes it.

use std::fs::{DirBuilder, File};
use std::io::{self, BufWriter};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use events::Stretches;
use events::binary::Writer;
use events::session::{Poll, Reader};

use crate::say;
use crate::session::start_time;

/// A trace that is being written.
pub struct Recording {
    writing: Mutex<Option<JoinHandle<()>>>,
}

/// Makes the trace, whose name may hold `%p` for the process.
pub fn create(to: &str) -> Result<(PathBuf, File), String> {
    let to = PathBuf::from(to.replace("%p", &std::process::id().to_string()));
    let file = File::create(&to).map_err(|e| format!("{}: {e}", to.display()))?;
    Ok((to, file))
}

/// The private folder for a session that nobody else reads. A process number may be given again, and in a container it is
/// the same every time: the start time tells this process from one that left its folder behind.
pub fn folder() -> io::Result<PathBuf> {
    let name = format!("raddle-{}-{}", std::process::id(), start_time());
    let folder = std::env::temp_dir().join(name);
    DirBuilder::new().mode(0o700).create(&folder)?;
    Ok(folder)
}

impl Recording {
    /// Begins to write what comes in the session of this JVM; `within` goes with it when all is written.
    pub fn begin(within: PathBuf, session: PathBuf, (to, file): (PathBuf, File)) -> io::Result<Self> {
        let writing = std::thread::Builder::new().name("raddle".to_owned()).spawn(move || {
            match write(&session, file) {
                Ok(()) => {
                    let _ = std::fs::remove_dir_all(&within);
                }
                Err(why) => {
                    say(&format!("{}: {why}; what was recorded is in {}", to.display(), session.display()))
                }
            }
        })?;
        Ok(Self { writing: Mutex::new(Some(writing)) })
    }

    /// Waits until everything is written; the session has ended.
    pub fn end(&self) {
        let writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(writing) = writing {
            let _ = writing.join();
        }
    }
}

fn write(session: &Path, file: File) -> Result<(), String> {
    let told = |e: io::Error| e.to_string();
    let mut reader = loop {
        if let Some(reader) = Reader::live(session).map_err(|e| e.to_string())? {
            break reader;
        }
    };
    let mut writer = Writer::new(BufWriter::new(file)).map_err(told)?;
    let (mut stretches, mut events) = (Stretches::default(), Vec::new());
    loop {
        match reader.poll(&mut stretches).map_err(|e| e.to_string())? {
            Poll::Events => {
                events.clear();
                stretches.uncut(&mut events);
                writer.batch(&events, events::Source::symbols(&reader)).map_err(told)?;
            }
            Poll::Nothing => reader.nap(),
            Poll::End => break,
        }
    }
    for gap in events::Source::gaps(&reader) {
        writer.gap(gap.clone());
    }
    writer.finish(events::Source::symbols(&reader)).map_err(told)?;
    Ok(())
}
