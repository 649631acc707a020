//! Recording without `raddle run` (`record=FILE`): a process of its own reads the session and writes a trace, so that a
//! JVM that is killed loses nothing that it had reported. It is the command that the library was installed with
//! (`raddle trace follow`).
//!
//! The process is no child of the JVM, and belongs to no terminal: the program does not see it among its children, and
//! whoever ends the program's group does not end it. Where there is no such command, or it cannot be started, a thread
//! of the JVM's own process does the same. It is no Java thread, so nothing that it does is recorded; but it dies with
//! the JVM, and then the trace can be read up to its last whole frame.
//!
//! The session folder is named as that of the command is, so that the next `raddle run` removes what is left behind.

use std::ffi::{CStr, OsStr};
use std::fs::{DirBuilder, File};
use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use events::session::{Unfollowed, follow};

use crate::say;
use crate::session::start_time;

/// A trace that is being written.
pub struct Recording {
    writing: Mutex<Option<Writing>>,
    /// The process that writes it; 0: this one.
    pub process: u32,
}

enum Writing {
    /// By another process, which holds the other end as long as it lives.
    Elsewhere(BufReader<ChildStdout>),
    /// By a thread.
    Here(JoinHandle<()>),
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
        let command = command();
        if let Some(started) = command.and_then(|command| elsewhere(&command, &session, &to)) {
            let (process, writing) = started;
            return Ok(Self { writing: Mutex::new(Some(Writing::Elsewhere(writing))), process });
        }
        let writing = std::thread::Builder::new().name("raddle".to_owned()).spawn(move || {
            match follow(&session, BufWriter::new(file)) {
                Ok(()) => {}
                Err(Unfollowed::Session(why)) => say(&why.to_string()),
                Err(Unfollowed::Trace(why)) => say(&format!("{}: {why}; it ends there", to.display())),
            }
            let _ = std::fs::remove_dir_all(&within);
        })?;
        Ok(Self { writing: Mutex::new(Some(Writing::Here(writing))), process: 0 })
    }

    /// Waits until everything is written; the session has ended.
    pub fn end(&self) {
        match self.writing.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(Writing::Here(thread)) => {
                let _ = thread.join();
            }
            Some(Writing::Elsewhere(mut process)) => {
                // Comes to an end when the process does, however it ends.
                let _ = process.read_to_end(&mut Vec::new());
            }
            None => {}
        }
    }
}

/// The command that came with this library: beside it, or in `../bin`.
fn command() -> Option<PathBuf> {
    let mut about = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    let ours: fn() -> Option<PathBuf> = command;
    // SAFETY: the address of a function of ours, and a place for the answer.
    let known = unsafe { libc::dladdr(ours as *const libc::c_void, &mut about) } != 0;
    if !known || about.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's string, which stays as long as the library does.
    let name = unsafe { CStr::from_ptr(about.dli_fname) };
    let library = Path::new(OsStr::from_bytes(name.to_bytes())).canonicalize().ok()?;
    let folder = library.parent()?;
    [folder.join("raddle"), folder.join("../bin/raddle")].into_iter().find(|path| path.is_file())
}

/// Starts the process that reads the session, and waits until it says its number. None if it does not.
fn elsewhere(command: &Path, session: &Path, to: &Path) -> Option<(u32, BufReader<ChildStdout>)> {
    let mut starting = Command::new(command);
    starting.args(["trace", "follow"]).args([session, to]);
    starting.stdin(Stdio::null()).stdout(Stdio::piped());
    // SAFETY: between fork and exec only system calls are made, which need no lock and no memory.
    unsafe { starting.pre_exec(part) };
    let mut child = starting.spawn().ok()?;
    let mut out = BufReader::new(child.stdout.take()?);
    // Only the one that parted from it goes on.
    let _ = child.wait();
    let mut line = String::new();
    out.read_line(&mut line).ok()?;
    Some((line.trim().parse().ok()?, out))
}

/// Leaves the terminal and the family, and holds no file of the program's open but where messages go.
fn part() -> io::Result<()> {
    const FROM: libc::c_uint = 3;
    // SAFETY: plain system calls. An older kernel does not know how to close the files, which then stay open.
    unsafe {
        libc::syscall(libc::SYS_close_range, FROM, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC);
        libc::setsid();
        match libc::fork() {
            -1 => Err(io::Error::last_os_error()),
            0 => Ok(()),
            _ => libc::_exit(0),
        }
    }
}
