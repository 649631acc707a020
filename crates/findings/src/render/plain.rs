//! JSON whose bytes do nothing to a terminal or to the log of a build.
//!
//! JSON itself escapes the first control characters only. A name may also hold the others, characters that change the
//! direction of text, and `##`, which the runners of build services take for the beginning of a command anywhere in a
//! line. All of these are written as `\u` escapes: a reader gets the name as it was.

use std::io::{self, BufWriter, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use super::prose::is_hidden;

/// Writes a value over many lines.
pub(super) fn pretty(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    value.serialize(&mut Serializer::with_formatter(&mut out, Plain::over_many_lines()))?;
    out.flush()
}

/// Writes a value in one line; how many bytes that were.
pub(super) fn compact(value: &impl Serialize, out: &mut dyn Write) -> io::Result<usize> {
    let mut text = Vec::with_capacity(1 << 12);
    value.serialize(&mut Serializer::with_formatter(&mut text, Plain::in_one_line()))?;
    out.write_all(&text)?;
    Ok(text.len())
}

/// The layout: that of serde_json, whose own formatter writes an indent two letters at a time.
struct Plain {
    lines: bool,
    depth: usize,
    empty: bool,
}

impl Plain {
    fn over_many_lines() -> Self {
        Self { lines: true, depth: 0, empty: false }
    }

    fn in_one_line() -> Self {
        Self { lines: false, ..Self::over_many_lines() }
    }

    /// A new line, as deep as we are.
    fn line<W: ?Sized + Write>(&self, out: &mut W) -> io::Result<()> {
        const SPACES: &[u8] = &[b' '; 64];
        if !self.lines {
            return Ok(());
        }
        out.write_all(b"\n")?;
        let mut left = self.depth * 2;
        while left > 0 {
            let now = left.min(SPACES.len());
            out.write_all(&SPACES[..now])?;
            left -= now;
        }
        Ok(())
    }

    fn begin<W: ?Sized + Write>(&mut self, out: &mut W, with: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.empty = true;
        out.write_all(with)
    }

    fn end<W: ?Sized + Write>(&mut self, out: &mut W, with: &[u8]) -> io::Result<()> {
        self.depth = self.depth.saturating_sub(1);
        if !self.empty {
            self.line(out)?;
        }
        self.empty = false;
        out.write_all(with)
    }

    fn next<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        self.empty = false;
        self.line(out)
    }
}

impl Formatter for Plain {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.next(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.empty = false;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.next(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(if self.lines { b": " } else { b":" })
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.empty = false;
        Ok(())
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        // Every character to be escaped but the second `#` takes two bytes or is DEL.
        // Without a short cut, so that the compiler can look at many bytes at once.
        if !fragment.bytes().fold(false, |any, b| any | (b >= 0x7f) | (b == b'#')) {
            return out.write_all(fragment.as_bytes());
        }
        let (mut from, mut last) = (0, ' ');
        for (at, c) in fragment.char_indices() {
            if is_hidden(c) || (c == '#' && last == '#') {
                out.write_all(&fragment.as_bytes()[from..at])?;
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}")?;
                }
                from = at + c.len_utf8();
            }
            last = c;
        }
        out.write_all(&fragment.as_bytes()[from..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_or_a_build_log_acts_on_is_escaped_and_comes_back() {
        let name = "a\u{9b}2J\u{202e}é\u{7f}###[error]\u{e0041}\n::x \u{1b}";
        let mut out = Vec::new();
        compact(&name, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let expected = r#""a\u009b2J\u202eé\u007f#\u0023\u0023[error]\udb40\udc41\n::x \u001b""#;
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), name);
    }

    #[test]
    fn the_layout_is_that_of_serde() {
        let value = serde_json::json!({"a": [1, {"b": []}, "c"], "d": {}});
        let (mut one, mut many) = (Vec::new(), Vec::new());
        compact(&value, &mut one).unwrap();
        pretty(&value, &mut many).unwrap();
        assert_eq!(String::from_utf8(one).unwrap(), serde_json::to_string(&value).unwrap());
        assert_eq!(String::from_utf8(many).unwrap(), serde_json::to_string_pretty(&value).unwrap());
    }
}
