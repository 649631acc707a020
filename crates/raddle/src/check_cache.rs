//! What `raddle check` found in the same inputs before. The key is a hash of all that the findings depend on: the classes
//! as they were read (and what could not be), the JDK, the models, the options of the checks, and this very command.
//! What is checked is just what was hashed: inputs that change meanwhile do no harm. What is kept is the report before anything
//! is filtered, suppressed or compared with a baseline.
//!
//! Entries are files of the user's alone, written whole or not at all. One that is damaged counts for nothing, and neither
//! does a folder that cannot be written. Only a few are kept: the oldest go.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use findings::{Format, Report, Style, read_json};
use program::input::Found;
use sha2::{Digest as _, Sha256};

/// How many entries are kept.
const MOST_ENTRIES: usize = 32;

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

    /// Adds the classes of the inputs, and what could not be read of them.
    pub fn inputs(&mut self, found: &Found) {
        self.0.update((found.classes.len() as u64).to_le_bytes());
        for class in &found.classes {
            self.text(&class.place);
            self.0.update((class.bytes.len() as u64).to_le_bytes());
            self.0.update(&class.bytes);
        }
        for gap in &found.gaps {
            self.text(&gap.what);
            self.text(&gap.why);
            self.0.update(gap.count.to_le_bytes());
        }
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
    use program::Gap;
    use program::input::ClassBytes;

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
        let class = |place: &str, bytes: &[u8]| ClassBytes { place: place.to_owned(), bytes: bytes.to_vec() };
        let key = |classes: &[ClassBytes], gaps: &[Gap]| {
            let mut key = Key(Sha256::new());
            key.inputs(&Found { classes: classes.to_vec(), gaps: gaps.to_vec() });
            hex(&key.0.finalize())
        };
        let one = class("in/A.class", b"abc");
        let first = key(std::slice::from_ref(&one), &[]);
        assert_eq!(first, key(std::slice::from_ref(&one), &[]));
        assert_ne!(first, key(&[class("in/A.class", b"abd")], &[]));
        assert_ne!(first, key(&[class("in/B.class", b"abc")], &[]));
        assert_ne!(first, key(&[one.clone(), class("in/B.class", b"")], &[]));
        assert_ne!(first, key(&[one], &[Gap::new("in/C.class", "not readable")]));
    }
}
