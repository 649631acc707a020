//! A folder's classes and jars, in the order of their names. Links to folders are not followed: they may go in circles.
//! Nothing else is opened.

use std::path::Path;

use super::{ClassBytes, Found, InputError, Options, archive, error};
use crate::Gap;

/// Folders deeper than this are a gap.
const DEEPEST: usize = 128;

pub fn read(path: &Path, options: &Options, found: &mut Found) -> Result<(), InputError> {
    // The folder the user named must be readable; those in it may not be.
    std::fs::read_dir(path).map_err(|cause| error(path, cause.to_string()))?;
    walk(path, options, found, 0);
    Ok(())
}

fn walk(path: &Path, options: &Options, found: &mut Found, depth: usize) {
    let place = |path: &Path| path.display().to_string();
    if depth > DEEPEST {
        found.gaps.push(Gap::new(place(path), "folders are nested too deeply"));
        return;
    }
    let mut entries = match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().map(|entry| entry.path()).collect::<Vec<_>>(),
        Err(cause) => return found.gaps.push(Gap::new(place(path), cause.to_string())),
    };
    entries.sort();
    for entry in entries {
        let Ok(about) = std::fs::symlink_metadata(&entry) else { continue };
        if about.is_dir() {
            walk(&entry, options, found, depth + 1);
            continue;
        }
        let ending = entry.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let (class, jar) = (ending == "class", archive::is_jar(ending));
        if !class && !jar {
            continue;
        }
        // A pipe might never end, nor begin.
        match std::fs::metadata(&entry) {
            Ok(about) if about.is_file() => {}
            Ok(_) => {
                found.gaps.push(Gap::new(place(&entry), "neither a file nor a folder"));
                continue;
            }
            Err(cause) => {
                found.gaps.push(Gap::new(place(&entry), cause.to_string()));
                continue;
            }
        }
        match std::fs::read(&entry) {
            Ok(bytes) if class => found.classes.push(ClassBytes { place: place(&entry), bytes }),
            Ok(bytes) => {
                if !archive::read(&place(&entry), bytes, options, found) {
                    found.gaps.push(Gap::new(place(&entry), "not a jar"));
                }
            }
            Err(cause) => found.gaps.push(Gap::new(place(&entry), cause.to_string())),
        }
    }
}
