//! What keeps a name a name: in HTML, in JSON within HTML, in `raddle.toml`.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use sha2::{Digest as _, Sha256};

use crate::render::prose::{cut, is_hidden};

/// Bytes shown of one name.
const NAME: usize = 2_000;

/// A name as it is shown: what does not show as itself is an escape, and what is too long for anybody to read is cut.
pub(super) fn shown(text: &str) -> Cow<'_, str> {
    let text = cut(text, NAME);
    if text.bytes().all(|b| (0x20..0x7f).contains(&b)) || !text.contains(is_hidden) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hidden(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// Text between tags.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// A string of `raddle.toml`, whatever it holds.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            // Writing to a string cannot fail.
            c if is_hidden(c) => drop(write!(out, "\\U{:08x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Takes JSON and writes it so that it cannot end the element that it stands in: these letters can only be within
/// strings, and there an escape means the same.
pub(super) struct Inert<'a> {
    pub(super) out: &'a mut dyn Write,
    /// Bytes written so far.
    pub(super) written: usize,
}

impl Write for Inert<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut from = 0;
        for (at, byte) in bytes.iter().enumerate() {
            let escape: &[u8] = match byte {
                b'<' => b"\\u003c",
                b'>' => b"\\u003e",
                b'&' => b"\\u0026",
                _ => continue,
            };
            self.out.write_all(&bytes[from..at])?;
            self.out.write_all(escape)?;
            self.written += at - from + escape.len();
            from = at + 1;
        }
        self.out.write_all(&bytes[from..])?;
        self.written += bytes.len() - from;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// SHA-256 in base 64, as a content security policy wants it.
pub(super) fn hash(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for part in Sha256::digest(text.as_bytes()).chunks(3) {
        let bits = (0..3).fold(0_usize, |bits, i| bits << 8 | part.get(i).map_or(0, |b| usize::from(*b)));
        for i in 0..4 {
            out.push(if i > part.len() { '=' } else { char::from(DIGITS[bits >> (18 - 6 * i) & 63]) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_that_of_the_standard() {
        // The digest of the empty text, by sha256sum and base64.
        assert_eq!(hash(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
        assert_eq!(hash("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    }

    #[test]
    fn json_cannot_end_its_element() {
        let mut out = Vec::new();
        let mut inert = Inert { out: &mut out, written: 0 };
        serde_json::to_writer(&mut inert, "a</script><!--&b").unwrap();
        let written = inert.written;
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, r#""a\u003c/script\u003e\u003c!--\u0026b""#);
        assert_eq!(written, text.len());
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), "a</script><!--&b");
    }

    #[test]
    fn what_hides_is_shown() {
        assert_eq!(shown("com.acme.Überweisung"), "com.acme.Überweisung");
        assert_eq!(shown("a\u{202e}b\n"), "a\\u{202e}b\\n");
        assert!(shown(&"x".repeat(100_000)).len() <= NAME);
        assert_eq!(quoted("a\"\\\u{202e}\n"), "\"a\\\"\\\\\\U0000202e\\U0000000a\"");
        assert_eq!(escaped("<a href='x'>&\""), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;");
    }
}
