//! Whether the process that a session folder is named after still runs. The name is `PID-STARTTIME`, the start time as
//! the kernel counts it (field 22 of `/proc/PID/stat`), so that a process number that was given again is not taken for
//! the old process.

use std::path::Path;

/// Process number and start time in a folder's name.
pub fn process_of(folder: &Path) -> Option<(u32, u64)> {
    let (pid, start) = folder.file_name()?.to_str()?.split_once('-')?;
    Some((pid.parse().ok()?, start.parse().ok()?))
}

/// Whether the process of a folder runs. A folder that is named otherwise has nobody who could have died.
pub fn alive(folder: &Path) -> bool {
    let Some((pid, start)) = process_of(folder) else { return true };
    start_of(pid) == Some(start)
}

/// The start time of a process that runs; none for one that has ended and only waits to be noticed.
pub fn start_of(pid: u32) -> Option<u64> {
    let stat = state_of(pid)?;
    let mut fields = stat.split_ascii_whitespace();
    if fields.next().is_none_or(is_over) {
        return None;
    }
    // The state is field 3.
    fields.nth(18)?.parse().ok()
}

/// Whether a process that is there has ended, and only waits to be noticed by whoever started it.
pub fn has_ended(pid: u32) -> bool {
    state_of(pid).is_some_and(|stat| stat.split_ascii_whitespace().next().is_some_and(is_over))
}

/// What the kernel tells of a process, from its state on.
fn state_of(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program is in brackets and may hold anything.
    stat.rsplit_once(')').map(|(_, rest)| rest.to_owned())
}

fn is_over(state: &str) -> bool {
    matches!(state, "Z" | "X" | "x")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_runs_and_one_of_another_time_does_not() {
        let pid = std::process::id();
        let start = start_of(pid).unwrap();
        assert!(alive(Path::new(&format!("/tmp/{pid}-{start}"))));
        assert!(!alive(Path::new(&format!("/tmp/{pid}-{}", start + 1))));
        assert!(alive(Path::new("/tmp/elsewhere")), "nobody knows");
    }

    #[test]
    fn a_process_that_waits_to_be_noticed_has_ended() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let since = std::time::Instant::now();
        while !has_ended(child.id()) {
            assert!(since.elapsed().as_secs() < 20, "it ends at once");
            std::thread::yield_now();
        }
        assert_eq!(start_of(child.id()), None);
        child.wait().unwrap();
        assert!(!has_ended(std::process::id()));
    }
}
