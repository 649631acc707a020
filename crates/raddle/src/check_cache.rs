//! What `raddle check` found in the same inputs before. The key is a hash of all that the findings depend on: the bytes of
//! every input, the JDK, the models, the options of the checks, and this very command. What is kept is the report before
//! anything is filtered, suppressed or compared with a baseline.
//!
//! Entries are files of the user's alone, written whole or not at all. One that is damaged counts for nothing, and neither
//! does a folder that cannot be written. Only a few are kept: the oldest go.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use findings::{Format, Report, Style, read_json};
use sha2::{Digest as _, Sha256};

/// How many entries are kept.
const MOST_ENTRIES: usize = 32;
/// Folders within folders that are followed for the key, as for reading.
const DEEPEST: usize = 64;

/// Where the findings for one set of inputs are kept.
pub struct Entry {
    path: PathBuf,
}

/// The user's cache folder for this.
fn folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let raddle = set("RADDLE_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|folder| folder.join("raddle")))
        .or_else(|| set("HOME").map(|folder| folder.join(".cache").join("raddle")))?;
    Some(raddle.join("check"))
}

/// The key as it grows.
pub struct Key(Sha256);

impl Key {
    /// Of this command.
    pub fn new() -> Option<Key> {
        let mut key = Key(Sha256::new());
        key.text(env!("CARGO_PKG_VERSION"));
        // Another build of the same version may find something else.
        key.file_as_it_is(&std::env::current_exe().ok()?).ok()?;
        Some(key)
    }

    /// Adds a word; where it ends is part of it.
    pub fn text(&mut self, text: &str) {
        self.0.update((text.len() as u64).to_le_bytes());
        self.0.update(text.as_bytes());
    }

    /// Adds a file by its size and when it was written: it is one that nobody changes in place.
    pub fn file_as_it_is(&mut self, path: &Path) -> io::Result<()> {
        let about = fs::metadata(path)?;
        let written = about.modified()?.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        self.text(&format!("{} {} {}", path.display(), about.len(), written.as_nanos()));
        Ok(())
    }

    /// Adds an input: the bytes of a file, or of all that is in a folder.
    pub fn input(&mut self, path: &Path) -> io::Result<()> {
        self.walk(path, DEEPEST)
    }

    fn walk(&mut self, path: &Path, deep: usize) -> io::Result<()> {
        self.text(&path.display().to_string());
        if !fs::metadata(path)?.is_dir() {
            return self.bytes(path);
        }
        let Some(deep) = deep.checked_sub(1) else { return Err(io::Error::other("too many folders")) };
        let mut names: Vec<PathBuf> =
            fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>()?;
        names.sort();
        names.iter().try_for_each(|name| self.walk(name, deep))
    }

    fn bytes(&mut self, path: &Path) -> io::Result<()> {
        let mut file = File::open(path)?;
        let mut buffer = vec![0; 1 << 16];
        let mut size = 0u64;
        loop {
            let count = file.read(&mut buffer)?;
            let Some(part) = buffer.get(..count).filter(|part| !part.is_empty()) else { break };
            self.0.update(part);
            size += count as u64;
        }
        self.0.update(size.to_le_bytes());
        Ok(())
    }

    /// The entry of all that was added.
    pub fn entry(self) -> Option<Entry> {
        let path = folder()?.join(hex(&self.0.finalize()));
        Some(Entry { path })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Entry {
    /// What was found before, if that is known and whole.
    pub fn read(&self) -> Option<Report> {
        let text = fs::read_to_string(&self.path).ok()?;
        let (sum, json) = text.split_once('\n')?;
        if hex(&Sha256::digest(json.as_bytes())) != sum {
            return None;
        }
        let report = read_json(json).ok()?;
        // What is used stays.
        if let Ok(file) = File::options().append(true).open(&self.path) {
            let _ = file.set_modified(SystemTime::now());
        }
        Some(report)
    }

    /// Keeps what was found. That it cannot be kept is no error.
    pub fn write(&self, report: &Report) {
        let _ = self.try_write(report);
    }

    fn try_write(&self, report: &Report) -> io::Result<()> {
        let folder = self.path.parent().ok_or_else(|| io::Error::other("no folder"))?;
        private_folder(folder)?;
        let mut json = Vec::new();
        Format::Json.renderer(Style::default()).render(report, &mut json)?;
        let new = folder.join(format!("new-{}", std::process::id()));
        let written = private_file(&new).and_then(|mut file| {
            file.write_all(hex(&Sha256::digest(&json)).as_bytes())?;
            file.write_all(b"\n")?;
            file.write_all(&json)?;
            file.flush()
        });
        let moved = written.and_then(|()| fs::rename(&new, &self.path));
        if moved.is_err() {
            let _ = fs::remove_file(&new);
        }
        thin_out(folder);
        moved
    }
}

/// Takes out the oldest entries.
fn thin_out(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<(SystemTime, PathBuf)> =
        entries.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()))).collect();
    found.sort();
    let extra = found.len().saturating_sub(MOST_ENTRIES);
    for (_, path) in found.into_iter().take(extra) {
        let _ = fs::remove_file(path);
    }
}

fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn private_file(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("raddle-cache-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn what_was_kept_is_read_back_and_damage_is_noticed() {
        let folder = scratch("kept");
        let entry = Entry { path: folder.join("one") };
        assert!(entry.read().is_none());
        let mut report = Report::new();
        report.coverage.methods_analysed = 42;
        entry.write(&report);
        assert_eq!(entry.read().map(|report| report.coverage.methods_analysed), Some(42));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| fs::metadata(path).expect("just written").permissions().mode() & 0o777;
            assert_eq!((mode(&folder), mode(&entry.path)), (0o700, 0o600));
        }
        let text = fs::read_to_string(&entry.path).expect("just written");
        fs::write(&entry.path, text.replace("42", "43")).expect("writable");
        assert!(entry.read().is_none());
        fs::write(&entry.path, &text[..text.len() / 2]).expect("writable");
        assert!(entry.read().is_none());
        fs::remove_dir_all(&folder).expect("just made");
    }

    #[test]
    fn only_the_newest_are_kept() {
        let folder = scratch("newest");
        for number in 0..MOST_ENTRIES + 3 {
            Entry { path: folder.join(format!("{number:03}")) }.write(&Report::new());
        }
        let count = fs::read_dir(&folder).expect("just made").count();
        assert_eq!(count, MOST_ENTRIES);
        fs::remove_dir_all(&folder).expect("just made");
    }

    #[test]
    fn a_key_depends_on_every_byte_of_the_inputs_and_on_where_they_are() {
        let folder = scratch("keys");
        fs::create_dir_all(folder.join("in/side")).expect("a folder");
        let key = |write: &str| {
            fs::write(folder.join("in/side/A.class"), write).expect("writable");
            let mut key = Key(Sha256::new());
            key.input(&folder.join("in")).expect("readable");
            hex(&key.0.finalize())
        };
        let first = key("abc");
        assert_eq!(first, key("abc"));
        assert_ne!(first, key("abd"));
        fs::write(folder.join("in/B.class"), "").expect("writable");
        assert_ne!(first, key("abc"));
        fs::remove_dir_all(&folder).expect("just made");
    }
}
