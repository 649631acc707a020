//! Signals that ask the command to end are passed on to the watched program: it decides what to do, and the report comes
//! when it has ended. Once it has ended, such a signal ends the command.

use std::io;
use std::process::exit;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rustix::process::{Pid, Signal, getpgrp, kill_process};
use rustix::termios::tcgetpgrp;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use super::folder::Folder;

/// The signals that are passed on.
const PASSED: [i32; 4] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];

/// No process.
const NOBODY: i32 = 0;

/// Whoever gets the signals now.
#[derive(Clone)]
pub struct Receiver(Arc<AtomicI32>);

impl Receiver {
    /// Begins to hear signals, which go nowhere yet. The folder is removed if a signal ends the command.
    pub fn new(folder: Arc<Mutex<Option<Folder>>>) -> io::Result<Self> {
        let child = Arc::new(AtomicI32::new(NOBODY));
        let mut signals = Signals::new(PASSED)?;
        let to = Arc::clone(&child);
        thread::Builder::new().name("signals".into()).spawn(move || {
            for signal in signals.forever() {
                match to.load(Ordering::Acquire) {
                    NOBODY => {
                        drop(folder.lock().unwrap_or_else(PoisonError::into_inner).take());
                        exit(128 + signal);
                    }
                    child => pass_on(signal, child),
                }
            }
        })?;
        Ok(Self(child))
    }

    /// Signals go to this process.
    pub fn is(&self, child: u32) {
        self.0.store(i32::try_from(child).unwrap_or(NOBODY), Ordering::Release);
    }

    /// The process has ended.
    pub fn is_nobody(&self) {
        self.0.store(NOBODY, Ordering::Release);
    }
}

fn pass_on(signal: i32, child: i32) {
    // What is typed at a terminal goes to the whole group: the program has it already.
    let typed = matches!(signal, SIGINT | SIGQUIT)
        && tcgetpgrp(io::stdin()).or_else(|_| tcgetpgrp(io::stderr())).is_ok_and(|group| group == getpgrp());
    if typed {
        return;
    }
    if let (Some(child), Some(signal)) = (Pid::from_raw(child), Signal::from_named_raw(signal)) {
        let _ = kill_process(child, signal);
    }
}
