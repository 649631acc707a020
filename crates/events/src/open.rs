//! Opens a trace of any form: the first bytes say which it is.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

use crate::error::quote;
use crate::{Place, Source, TraceError, binary, rapid, session, text};

/// The form of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Our own binary form, see [`binary`].
    Binary,
    /// The readable text form, see [`text`].
    Text,
    /// RAPID's STD, see [`rapid`].
    Rapid,
}

/// How much of a first line is looked at.
const LOOK: usize = 1 << 16;

impl Form {
    /// The form of a trace that begins with these bytes: its first line, or the first [`LOOK`] bytes of it.
    fn of(head: &[u8]) -> Result<Form, (Place, String)> {
        if head.is_empty() {
            return Err((Place::File, "empty file: a trace has at least a first line".to_owned()));
        }
        if head.starts_with(&binary::MAGIC) {
            return Ok(Form::Binary);
        }
        if binary::MAGIC.starts_with(head) {
            return Err((
                Place::Byte(head.len() as u64),
                "a binary trace that ends in its first bytes".to_owned(),
            ));
        }
        let line = head.split(|&byte| byte == b'\n').next().unwrap_or(head);
        if line.starts_with(b"raddle text") {
            // The reader says what is wrong with the version.
            return Ok(Form::Text);
        }
        if line.iter().filter(|&&byte| byte == b'|').count() >= 2 {
            return Ok(Form::Rapid);
        }
        let found = String::from_utf8_lossy(line);
        let found = if line.is_empty() { "an empty line".to_owned() } else { quote(&found) };
        let reason = format!(
            "not a trace: expected a binary trace, a first line `{}`, or STD (`thread|operation|location`), found {found}",
            text::HEADER
        );
        Err((Place::Line { line: 1, column: 1 }, reason))
    }
}

/// Opens a trace file of any form, or the session folder of a JVM that does not run any more.
pub fn open(path: &Path) -> Result<Box<dyn Source>, TraceError> {
    let name = path.display().to_string();
    let failed = |error: &io::Error| TraceError::new(&*name, Place::File, cannot_open(error));
    let file = File::open(path).map_err(|error| failed(&error))?;
    let about = file.metadata().map_err(|error| failed(&error))?;
    if about.is_dir() && path.join(session::layout::CHUNKS).is_file() {
        return Ok(Box::new(session::Reader::finished(path)?));
    }
    if about.is_dir() {
        return Err(TraceError::new(name, Place::File, "a directory, not a trace"));
    }
    let total = about.is_file().then_some(about.len());
    start(name, Box::new(file), total)
}

fn cannot_open(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "no permission to read it".to_owned(),
        _ => error.to_string(),
    }
}

/// Opens a trace that comes through a stream, such as standard input.
pub fn open_stream(name: &str, stream: Box<dyn Read>) -> Result<Box<dyn Source>, TraceError> {
    start(name.to_owned(), stream, None)
}

fn start(name: String, mut stream: Box<dyn Read>, total: Option<u64>) -> Result<Box<dyn Source>, TraceError> {
    let head = head(&mut stream).map_err(|error| TraceError::io(&*name, Place::File, &error))?;
    let form = Form::of(&head).map_err(|(place, reason)| TraceError::new(&*name, place, reason))?;
    let stream: Box<dyn Read> = Box::new(Cursor::new(head).chain(stream));
    Ok(match form {
        Form::Binary => Box::new(binary::Reader::new(name, stream, total)?),
        Form::Text => Box::new(text::Reader::new(name, stream, total)?),
        Form::Rapid => Box::new(rapid::Reader::new(name, stream, total)),
    })
}

/// Reads until the first line, or enough of it, is there. Nothing is waited for beyond that.
fn head(stream: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut head = vec![0; LOOK];
    let mut length = 0;
    while length < LOOK {
        match stream.read(&mut head[length..]) {
            Ok(0) => break,
            Ok(n) => length += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        // A binary trace has its line feed in the eighth byte.
        if memchr::memchr(b'\n', &head[..length]).is_some() {
            break;
        }
    }
    head.truncate(length);
    Ok(head)
}
