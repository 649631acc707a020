//! A sliding window over a stream of lines, for the two text readers.
//!
//! Memory is one buffer of [`LONGEST`] bytes, whatever the input: a line that does not fit is an error, so a file of
//! one endless line costs no more than any other.

use std::io::{self, Read};

/// The longest line that is read, its end included.
pub(crate) const LONGEST: usize = 1 << 20;

/// How much is asked for at a time: small enough to stay in the processor's cache until it has been parsed.
const READ: usize = 1 << 18;

/// Why there is no next line.
#[derive(Debug)]
pub(crate) enum Stuck {
    /// The line is longer than [`LONGEST`].
    TooLong,
    /// The stream failed.
    Io(io::Error),
}

/// The part of a stream that is in memory.
pub(crate) struct Window {
    stream: Box<dyn Read>,
    bytes: Vec<u8>,
    /// What has not been consumed is `bytes[start..end]`.
    start: usize,
    end: usize,
    /// `bytes[start..lines]` is whole lines.
    lines: usize,
    ended: bool,
    consumed: u64,
}

impl Window {
    pub(crate) fn new(stream: Box<dyn Read>) -> Self {
        Self { stream, bytes: Vec::new(), start: 0, end: 0, lines: 0, ended: false, consumed: 0 }
    }

    /// How many bytes have been consumed.
    pub(crate) fn consumed(&self) -> u64 {
        self.consumed
    }

    /// Makes sure that [`lines`](Self::lines) holds at least one line. `Ok(false)` at the end of the stream.
    pub(crate) fn ready(&mut self) -> Result<bool, Stuck> {
        while self.start == self.lines {
            if self.ended {
                // The last line may lack its end.
                self.lines = self.end;
                return Ok(self.start < self.end);
            }
            self.read()?;
        }
        Ok(true)
    }

    /// Whole lines; the very last one of a stream may lack its line end.
    pub(crate) fn lines(&self) -> &[u8] {
        &self.bytes[self.start..self.lines]
    }

    /// Gives up the first bytes of [`lines`](Self::lines).
    pub(crate) fn consume(&mut self, bytes: usize) {
        let bytes = bytes.min(self.lines - self.start);
        self.start += bytes;
        self.consumed += bytes as u64;
    }

    fn read(&mut self) -> Result<(), Stuck> {
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            self.lines = 0;
        }
        if self.end == LONGEST {
            return Err(Stuck::TooLong);
        }
        let wanted = (self.end + READ).min(LONGEST);
        if self.bytes.len() < wanted {
            self.bytes.resize(wanted, 0);
        }
        loop {
            match self.stream.read(&mut self.bytes[self.end..wanted]) {
                Ok(0) => self.ended = true,
                Ok(n) => {
                    let fresh = &self.bytes[self.end..self.end + n];
                    if let Some(at) = memchr::memrchr(b'\n', fresh) {
                        self.lines = self.end + at + 1;
                    }
                    self.end += n;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Stuck::Io(error)),
            }
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out one byte at a time.
    struct Drip(Vec<u8>);

    impl Read for Drip {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            into[0] = self.0.remove(0);
            Ok(1)
        }
    }

    #[test]
    fn lines_arrive_whole_however_the_stream_is_cut() {
        let mut window = Window::new(Box::new(Drip(b"one\ntwo\nthree".to_vec())));
        let mut seen = Vec::new();
        while window.ready().unwrap() {
            seen.push(String::from_utf8(window.lines().to_vec()).unwrap());
            window.consume(window.lines().len());
        }
        assert_eq!(seen, ["one\n", "two\n", "three"]);
        assert_eq!(window.consumed(), 13);
    }

    #[test]
    fn an_endless_line_is_refused_after_one_buffer() {
        let mut window = Window::new(Box::new(io::repeat(b'x')));
        assert!(matches!(window.ready(), Err(Stuck::TooLong)));
        assert!(window.bytes.len() <= LONGEST);
    }

    #[test]
    fn a_line_of_exactly_the_limit_is_read() {
        let mut text = vec![b'x'; LONGEST - 1];
        text.push(b'\n');
        text.extend_from_slice(b"y\n");
        let mut window = Window::new(Box::new(io::Cursor::new(text)));
        assert!(window.ready().unwrap());
        assert_eq!(window.lines().len(), LONGEST);
    }
}
