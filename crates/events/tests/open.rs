//! Opening whatever a user may name: the right reader, or one clear line.

use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use events::{Event, Op, Source, binary, open, open_stream, text};

fn all(source: &mut dyn Source) -> Result<Vec<Event>, String> {
    let (mut batch, mut events) = (Vec::new(), Vec::new());
    while source.fill(&mut batch).map_err(|e| e.to_string())? {
        events.extend_from_slice(&batch);
    }
    Ok(events)
}

/// Hands out one byte at a time, as a slow pipe does.
struct Drip(Cursor<Vec<u8>>);

impl Read for Drip {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = into.len().min(1);
        self.0.read(&mut into[..length])
    }
}

fn through_a_pipe(bytes: &[u8]) -> Result<Vec<Event>, String> {
    let stream = Box::new(Drip(Cursor::new(bytes.to_vec())));
    open_stream("-", stream).map_err(|e| e.to_string()).and_then(|mut source| all(&mut *source))
}

/// A file in the tests' own directory, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&path, bytes).unwrap();
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const STD: &[u8] = b"T|acq(m)|1\nT|w(x)|2\nT|rel(m)|3\n";
const TEXT: &[u8] = b"raddle text 1\nT acquire m\nT write x\nT release m\n";

fn in_binary() -> Vec<u8> {
    let trace = text::parse("test", std::str::from_utf8(TEXT).unwrap()).unwrap();
    let mut writer = binary::Writer::new(Vec::new()).unwrap();
    writer.batch(&trace.events, &trace.symbols).unwrap();
    writer.finish(&trace.symbols).unwrap()
}

#[test]
fn the_first_bytes_tell_the_form() {
    for (name, bytes) in [("a.std", STD.to_vec()), ("a.txt", TEXT.to_vec()), ("a.trace", in_binary())] {
        let file = Scratch::new(name, &bytes);
        let mut source = open(&file.0).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(source.progress().total, Some(bytes.len() as u64));
        let events = all(&mut *source).unwrap();
        assert_eq!(source.progress().read, bytes.len() as u64, "{name}");
        assert_eq!(events.len(), 3);
        assert!(matches!(events[1].op, Op::Write { var } if source.symbols().variable_name(var) == "x"));
        assert_eq!(through_a_pipe(&bytes).unwrap(), events);
    }
}

#[track_caller]
fn refused(bytes: &[u8], message: &str) {
    assert_eq!(through_a_pipe(bytes).unwrap_err(), message);
}

#[test]
fn what_is_no_trace_is_refused_in_one_line() {
    let expected = "not a trace: expected a binary trace, a first line `raddle text 1`, \
                    or STD (`thread|operation|location`), found";
    refused(b"", "-: empty file: a trace has at least a first line");
    refused(b"\n", &format!("-:1:1: {expected} an empty line"));
    refused(b"hello\nworld\n", &format!("-:1:1: {expected} `hello`"));
    refused(b"\x7fELF\x02\x01", &format!("-:1:1: {expected} `\\u{{7f}}ELF\\u{{2}}\\u{{1}}`"));
    refused(b"T1 read x\n", &format!("-:1:1: {expected} `T1 read x`"));
    refused(&[b'x'; 200_000], &format!("-:1:1: {expected} `{}…`", "x".repeat(40)));
}

#[test]
fn an_unknown_version_is_refused_by_its_number() {
    refused(b"raddle text 7\n", "-:1:13: version `7` of the text form is not known, only version 1");
    refused(b"raddle text", "-:1:1: expected `raddle text 1`, found `raddle text`");
    let mut bytes = in_binary();
    bytes[8] = 9;
    assert!(through_a_pipe(&bytes).unwrap_err().contains("version 9"));
}

#[test]
fn a_binary_trace_cut_in_its_first_bytes_is_refused() {
    for length in 1..8 {
        let message = format!("-: byte {length}: a binary trace that ends in its first bytes");
        refused(&in_binary()[..length], &message);
    }
}

#[test]
fn a_broken_line_is_refused_by_its_place() {
    refused(b"T|acq(m)|1\nT|w(x|2\n", "-:2:6: expected `)` after the name, found `|2`");
    refused(b"raddle text 1\nT write\n", "-:2:8: expected a variable, found the end of the line");
}

fn refused_path(path: &Path) -> String {
    open(path).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn a_path_that_does_not_exist_is_named() {
    assert_eq!(refused_path(Path::new("no/such.trace")), "no/such.trace: no such file");
}

#[test]
fn a_directory_is_no_trace() {
    let directory = env!("CARGO_MANIFEST_DIR");
    assert_eq!(refused_path(Path::new(directory)), format!("{directory}: a directory, not a trace"));
}

/// A pipe whose other end goes away.
struct Closing(Cursor<Vec<u8>>);

impl Read for Closing {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.0.read(into)? {
            0 => Err(io::Error::new(io::ErrorKind::ConnectionReset, "the pipe was closed")),
            n => Ok(n),
        }
    }
}

#[test]
fn a_pipe_that_closes_is_an_error_by_place() {
    let fails = |bytes: &[u8]| {
        let stream = Box::new(Closing(Cursor::new(bytes.to_vec())));
        match open_stream("-", stream) {
            Ok(mut source) => all(&mut *source).unwrap_err(),
            Err(error) => error.to_string(),
        }
    };
    assert_eq!(fails(b""), "-: the pipe was closed");
    assert_eq!(fails(STD), "-:4:1: the pipe was closed");
    assert_eq!(fails(TEXT), "-:5:1: the pipe was closed");
}
