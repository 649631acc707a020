//! The folder that the command shares with the JVMs it watches: private to the user, named after this process, and gone
//! when the command ends. Folders that killed commands have left behind are removed at the next start.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use events::session::alive::{alive, process_of, start_of};
use events::session::layout::TOOL;

use crate::error::Failure;

/// What our folders are called, before process number and start time.
const PREFIX: &str = "raddle-";

/// The folder.
pub struct Folder {
    path: PathBuf,
    keep: bool,
}

impl Folder {
    /// Makes it: where the user says, to be kept, or for the time being.
    /// `budget`: how many bytes each JVM may take there.
    pub fn create(wanted: Option<&Path>, budget: u64) -> Result<Self, Failure> {
        let fail = |path: &Path, error: &io::Error| {
            Failure::with_help(
                format!("{}: no session folder can be made: {error}", path.display()),
                "--session DIR puts it elsewhere, and so does TMPDIR",
            )
        };
        if let Some(path) = wanted {
            let mut entries = match fs::read_dir(path) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    private(path).map_err(|error| fail(path, &error))?;
                    fs::read_dir(path).map_err(|error| fail(path, &error))?
                }
                Err(error) => return Err(fail(path, &error)),
            };
            if entries.next().is_some() {
                return Err(Failure::new(format!(
                    "--session {}: the folder must be new or empty",
                    path.display()
                )));
            }
            // The JVM may be started in another folder.
            let path = fs::canonicalize(path).map_err(|error| fail(path, &error))?;
            return Ok(Self { path, keep: true });
        }
        let within = place(budget);
        clean(&within);
        let pid = std::process::id();
        let path = within.join(format!("{PREFIX}{pid}-{}", start_of(pid).unwrap_or_default()));
        private(&path).map_err(|error| fail(&path, &error))?;
        Ok(Self { path, keep: false })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The folders that JVMs have made in a session folder.
pub fn sessions(within: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(within).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| process_of(path).is_some()).collect();
    found.sort();
    found
}

/// The tools whose JVMs were left alone.
pub fn tools(within: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(within).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| entry.file_name().to_str().is_some_and(|name| name.starts_with(TOOL)));
    ours.filter_map(|entry| fs::read_to_string(entry.path()).ok()).collect()
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.keep {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Where the folder is made unless the user says: in memory if there is plenty, since a disk makes a fast program wait
/// for every page it writes; else where temporary files go.
fn place(budget: u64) -> PathBuf {
    let memory = Path::new("/dev/shm");
    let plenty = |about: rustix::fs::StatVfs| about.f_bavail.saturating_mul(about.f_frsize) / 4 >= budget;
    if std::env::var_os("TMPDIR").is_none() && rustix::fs::statvfs(memory).is_ok_and(plenty) {
        return memory.to_owned();
    }
    std::env::temp_dir()
}

fn private(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Removes what commands of this user have left behind that do not run any more.
fn clean(within: &Path) {
    let Ok(me) = fs::metadata("/proc/self").map(|about| about.uid()) else { return };
    for entry in fs::read_dir(within).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(process) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else { continue };
        let process = Path::new(process);
        let ours = fs::symlink_metadata(entry.path()).is_ok_and(|about| about.is_dir() && about.uid() == me);
        if ours && process_of(process).is_some() && !alive(process) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_the_dead_are_removed_and_no_others() {
        let within = std::env::temp_dir().join(format!("raddle-test-clean-{}", std::process::id()));
        fs::create_dir_all(&within).unwrap();
        let pid = std::process::id();
        let start = start_of(pid).unwrap();
        let alive = within.join(format!("{PREFIX}{pid}-{start}"));
        let dead = within.join(format!("{PREFIX}{pid}-{}", start + 1));
        let other = within.join("raddle-notes");
        for path in [&alive, &dead, &other] {
            fs::create_dir_all(path.join("deep")).unwrap();
        }
        clean(&within);
        assert!(alive.exists() && other.exists());
        assert!(!dead.exists());
        fs::remove_dir_all(&within).unwrap();
    }
}
