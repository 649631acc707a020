//! Where classes come from: jars (and jars in jars), folders, single files, and a JDK's own image. Bytes only: what is in
//! them is the business of `lower` and `program`. What cannot be read inside of an input is a gap; an input that cannot be
//! read at all is an error.

mod archive;
mod folder;
mod image;
mod jdk;

use std::path::{Path, PathBuf};

pub use image::Image;
pub use jdk::Jdk;

use crate::Gap;

/// The bytes of a class and where they were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassBytes {
    /// The file, and the entry in it: `app.jar!/a/B.class`.
    pub place: String,
    /// What stands there.
    pub bytes: Vec<u8>,
}

/// What the inputs hold.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The classes, in the order of the class path.
    pub classes: Vec<ClassBytes>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// How inputs are read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Jars for several versions of Java give the classes of this one.
    pub java: u16,
    /// How many threads may unpack.
    pub threads: usize,
    /// How many bytes may come out of one jar (and those in it) for each byte it has.
    pub ratio: u64,
    /// How large a class file may be.
    pub most_class: u64,
}

impl Default for Options {
    fn default() -> Options {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Options { java: 17, threads, ratio: 64, most_class: 32 << 20 }
    }
}

/// An input that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputError {
    /// The file or folder.
    pub path: PathBuf,
    /// Why, and what to do.
    pub reason: String,
}

impl std::fmt::Display for InputError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.reason)
    }
}

impl std::error::Error for InputError {}

fn error(path: &Path, reason: impl Into<String>) -> InputError {
    InputError { path: path.to_owned(), reason: reason.into() }
}

/// Reads all classes of jars, folders and class files.
pub fn read(paths: &[PathBuf], options: &Options) -> Result<Found, InputError> {
    let mut found = Found::default();
    for path in paths {
        let about = std::fs::metadata(path).map_err(|cause| error(path, cause.to_string()))?;
        if about.is_dir() {
            folder::read(path, options, &mut found)?;
        } else {
            file(path, options, &mut found)?;
        }
    }
    Ok(found)
}

const CLASS_START: [u8; 4] = [0xca, 0xfe, 0xba, 0xbe];

/// A jar or class file, told apart by how it starts.
fn file(path: &Path, options: &Options, found: &mut Found) -> Result<(), InputError> {
    let bytes = std::fs::read(path).map_err(|cause| error(path, cause.to_string()))?;
    let place = path.display().to_string();
    if bytes.starts_with(&CLASS_START) {
        found.classes.push(ClassBytes { place, bytes });
        return Ok(());
    }
    if archive::read(&place, bytes, options, found) {
        return Ok(());
    }
    Err(error(path, "neither a jar nor a class file; name jars, folders with classes, or class files"))
}
