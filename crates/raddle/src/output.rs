//! Where output goes: standard output, or files that appear whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::ValueEnum;
use findings::{DetectorDoc, Style, visible};

use crate::error::Failure;

/// When to colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Color {
    // No doc comments: they would make clap's help three times as long.
    Auto,
    Always,
    Never,
}

/// Columns where there is no terminal to ask.
const WIDTH: usize = 80;

/// Where a report goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error, where standard output belongs to somebody else.
    Error,
}

impl Stream {
    /// How to show text there.
    pub fn style(self, color: Color, quiet: bool) -> Style {
        match self {
            Stream::Out => style(color, quiet, io::stdout().is_terminal()),
            Stream::Error => style(color, quiet, io::stderr().is_terminal()),
        }
    }

    /// Whether a terminal shows it.
    pub fn is_terminal(self) -> bool {
        match self {
            Stream::Out => io::stdout().is_terminal(),
            Stream::Error => io::stderr().is_terminal(),
        }
    }

    /// Writes there, and makes sure that it arrived.
    pub fn write<T>(self, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<T, Failure> {
        match self {
            Stream::Out => to_stdout(write),
            Stream::Error => {
                let mut out = BufWriter::with_capacity(1 << 16, io::stderr().lock());
                let result = write(&mut out).and_then(|value| out.flush().map(|()| value));
                if result.is_err() {
                    let _ = out.into_parts();
                }
                // There is nobody left who could be told.
                result.map_err(|_| Failure::Closed)
            }
        }
    }
}

/// How to show text on standard output.
pub fn stdout_style(color: Color, quiet: bool) -> Style {
    style(color, quiet, io::stdout().is_terminal())
}

/// Who finds what, for the formats that tell it.
pub fn detectors() -> &'static [DetectorDoc] {
    static ALL: LazyLock<Vec<DetectorDoc>> = LazyLock::new(|| {
        let on_trace = detect::on_trace::ALL.iter().map(|spec| (spec.name, spec.about, spec.rules));
        let on_code = detect::on_code::ALL.iter().map(|spec| (spec.name, spec.about, spec.rules));
        let all = on_trace.chain(on_code);
        all.map(|(name, about, rules)| DetectorDoc { name, about, rules }).collect()
    });
    &ALL
}

fn style(color: Color, quiet: bool, terminal: bool) -> Style {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    let width =
        if terminal { terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)) } else { None };
    Style {
        color: match color {
            Color::Auto => terminal && !no_color && !dumb,
            Color::Always => true,
            Color::Never => false,
        },
        // Lines of prose longer than 120 columns are hard to read.
        width: width.unwrap_or(WIDTH).clamp(40, 120),
        quiet,
        detectors: detectors(),
    }
}

/// How to show text in a file.
pub fn file_style(quiet: bool) -> Style {
    Style { color: false, width: WIDTH, quiet, detectors: detectors() }
}

/// Writes to standard output, and makes sure that it arrived.
pub fn to_stdout<T>(write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<T, Failure> {
    // Not `io::stdout()`: its line buffer would write at every line.
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let result = write(&mut out).and_then(|value| out.flush().map(|()| value));
    if result.is_err() {
        // What is left in the buffer has nowhere to go: do not try again when it is dropped.
        let _ = out.into_parts();
    }
    result.map_err(|error| Failure::stdout(&error))
}

/// A line on standard error. Names in it may come from the program, and are not trusted.
pub fn tell(text: &str) {
    let _ = io::stderr().write_all(format!("raddle: {}\n", visible(text)).as_bytes());
}

/// A file that appears under its name only when it is complete: it is written beside it and renamed.
pub struct WholeFile {
    path: PathBuf,
    beside: PathBuf,
    out: Option<BufWriter<File>>,
}

impl WholeFile {
    /// Tries whether one could be written, and leaves nothing behind. A pipe is not tried: its reader would notice.
    pub fn try_out(path: &Path) -> Result<(), Failure> {
        let special = fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
        if special { Ok(()) } else { Self::create(path).map(drop) }
    }

    /// Begins one.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        if path.is_dir() {
            return Err(fail(path, &io::Error::from(io::ErrorKind::IsADirectory)));
        }
        // A device or pipe is written as it is: nothing can be renamed onto it.
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            let file = File::options().write(true).open(path).map_err(|error| fail(path, &error))?;
            let out = Some(BufWriter::new(file));
            return Ok(Self { path: path.to_owned(), beside: path.to_owned(), out });
        }
        // Through a link to the file it names, so that the link stays one.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let mut name = OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(format!(".{}.part", std::process::id()));
        let beside = path.with_file_name(name);
        let file = File::options().write(true).create_new(true).open(&beside);
        let file = file.map_err(|error| fail(&path, &error))?;
        let whole = Self { path, beside, out: Some(BufWriter::with_capacity(1 << 16, file)) };
        // Who may read the old file may read the new one, and nobody else.
        if let Ok(old) = fs::metadata(&whole.path) {
            fs::set_permissions(&whole.beside, old.permissions()).map_err(|error| whole.fail(&error))?;
        }
        Ok(whole)
    }

    /// What was written, for a message.
    pub fn fail(&self, error: &io::Error) -> Failure {
        fail(&self.path, error)
    }

    /// Lets it appear.
    pub fn finish(mut self) -> Result<(), Failure> {
        let Some(mut out) = self.out.take() else { return Ok(()) };
        let done = out.flush().and_then(|()| match self.beside == self.path {
            true => Ok(()),
            false => out.get_ref().sync_data().and_then(|()| fs::rename(&self.beside, &self.path)),
        });
        match done {
            Ok(()) => Ok(()),
            Err(error) => {
                self.out = Some(out);
                Err(self.fail(&error))
            }
        }
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.out {
            Some(out) => out.write(bytes),
            None => Err(io::Error::other("the file is closed")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if let Some(out) = self.out.take()
            && self.beside != self.path
        {
            let _ = out.into_parts();
            let _ = fs::remove_file(&self.beside);
        }
    }
}

fn fail(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("{}: {error}", path.display()))
}
