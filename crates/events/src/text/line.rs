//! A line of text, cut into tokens and names.

use std::borrow::Cow;

use crate::error::quote;

/// What is wrong with a line.
#[derive(Debug)]
pub(super) struct Fault {
    /// The column, in bytes from 0.
    pub at: usize,
    /// The reason.
    pub reason: String,
}

impl Fault {
    pub(super) fn new(at: usize, reason: impl Into<String>) -> Self {
        Self { at, reason: reason.into() }
    }

    /// `expected …, found …`.
    pub(super) fn expected(at: usize, what: &str, found: &str) -> Self {
        Self::new(at, format!("expected {what}, found {}", quote(found)))
    }
}

/// A piece of a line between white space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub text: &'a str,
    /// Its column, in bytes from 0.
    pub at: usize,
}

/// The rest of a line.
pub(super) struct Line<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Line<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next token; none at the end of the line or before a comment.
    pub(super) fn token(&mut self) -> Result<Option<Token<'a>>, Fault> {
        let bytes = self.text.as_bytes();
        while matches!(bytes.get(self.at), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let at = self.at;
        if matches!(bytes.get(at), None | Some(b'#')) {
            return Ok(None);
        }
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b' ' | b'\t' => break,
                b'"' => self.at = quoted_end(self.text, self.at)?,
                0..=31 | 127 => return Err(Fault::new(self.at, "a control character")),
                _ => self.at += 1,
            }
        }
        Ok(Some(Token { text: &self.text[at..self.at], at }))
    }

    /// The next token, which has to be there.
    pub(super) fn need(&mut self, what: &str) -> Result<Token<'a>, Fault> {
        self.token()?
            .ok_or_else(|| Fault::new(self.at, format!("expected {what}, found the end of the line")))
    }

    /// The next token, if it is this sign.
    pub(super) fn takes(&mut self, sign: &str) -> Result<bool, Fault> {
        let before = self.at;
        let found = self.token()?.is_some_and(|token| token.text == sign);
        if !found {
            self.at = before;
        }
        Ok(found)
    }

    /// The next token, which has to be this sign.
    pub(super) fn sign(&mut self, sign: &str) -> Result<(), Fault> {
        let token = self.need(&format!("`{sign}`"))?;
        if token.text == sign {
            Ok(())
        } else {
            Err(Fault::expected(token.at, &format!("`{sign}`"), token.text))
        }
    }
}

/// Where the quoted text that begins at `at` ends.
fn quoted_end(text: &str, at: usize) -> Result<usize, Fault> {
    let bytes = text.as_bytes();
    let mut end = at + 1;
    loop {
        match bytes.get(end) {
            None => return Err(Fault::new(at, "a quote that does not end")),
            Some(b'"') => return Ok(end + 1),
            Some(b'\\') => end += 2,
            Some(0..=31 | 127) => return Err(Fault::new(end, "a control character")),
            Some(_) => end += 1,
        }
    }
}

/// The text of a quoted piece without its quotes.
fn unquote(token: Token<'_>) -> Result<Cow<'_, str>, Fault> {
    let inner = &token.text[1..token.text.len() - 1];
    if !inner.contains('\\') {
        return Ok(Cow::Borrowed(inner));
    }
    let mut plain = String::new();
    let mut rest = inner;
    while let Some(slash) = rest.find('\\') {
        let at = token.at + 1 + (inner.len() - rest.len()) + slash;
        plain.push_str(&rest[..slash]);
        let (char, length) = escape(&rest[slash + 1..])
            .ok_or_else(|| Fault::expected(at, r#"one of \" \\ \n \r \t \u{HEX}"#, &rest[slash..]))?;
        plain.push(char);
        rest = &rest[slash + 1 + length..];
    }
    plain.push_str(rest);
    Ok(Cow::Owned(plain))
}

/// The character that the text after a backslash stands for, and how long that text is.
fn escape(text: &str) -> Option<(char, usize)> {
    let plain = match text.as_bytes().first()? {
        b'"' => '"',
        b'\\' => '\\',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let hex = text[1..].strip_prefix('{')?.split_once('}')?.0;
            let all_hex = !hex.is_empty() && hex.len() <= 6 && hex.bytes().all(|b| b.is_ascii_hexdigit());
            let code = u32::from_str_radix(hex, 16).ok().filter(|_| all_hex)?;
            return Some((char::from_u32(code)?, hex.len() + 3));
        }
        _ => return None,
    };
    Some((plain, 1))
}

impl<'a> Token<'a> {
    /// The token as a name: bare, or in quotes from end to end.
    pub(super) fn name(self) -> Result<Cow<'a, str>, Fault> {
        match self.text.find('"') {
            None => Ok(Cow::Borrowed(self.text)),
            Some(0) if quoted_end(self.text, 0).is_ok_and(|end| end == self.text.len()) => unquote(self),
            Some(quote) => Err(Fault::new(self.at + quote, "a name is quoted from end to end or not at all")),
        }
    }

    /// The token as a whole number.
    pub(super) fn number<N: std::str::FromStr>(self) -> Result<N, Fault> {
        let digits = !self.text.is_empty() && self.text.bytes().all(|b| b.is_ascii_digit());
        self.text.parse().ok().filter(|_| digits).ok_or_else(|| {
            let what = if digits { "a smaller number" } else { "a number" };
            Fault::expected(self.at, what, self.text)
        })
    }

    /// The first quoted piece, if the token begins with one, and what comes after it.
    pub(super) fn split_quoted(self) -> Result<Option<(Cow<'a, str>, Token<'a>)>, Fault> {
        if !self.text.starts_with('"') {
            return Ok(None);
        }
        let end = quoted_end(self.text, 0).map_err(|fault| Fault::new(self.at + fault.at, fault.reason))?;
        let (quoted, rest) = self.split(end);
        Ok(Some((unquote(quoted)?, rest)))
    }

    /// The token in two.
    pub(super) fn split(self, at: usize) -> (Token<'a>, Token<'a>) {
        let (left, right) = self.text.split_at(at);
        (Token { text: left, at: self.at }, Token { text: right, at: self.at + at })
    }

    /// The token without this beginning.
    pub(super) fn after(self, sign: &str) -> Option<Token<'a>> {
        let text = self.text.strip_prefix(sign)?;
        Some(Token { text, at: self.at + sign.len() })
    }

    /// Where the last of these signs stands, outside quotes.
    pub(super) fn rfind_unquoted(self, sign: u8) -> Option<usize> {
        let (mut at, mut found) = (0, None);
        while let Some(&byte) = self.text.as_bytes().get(at) {
            if byte == b'"' {
                at = quoted_end(self.text, at).ok()?;
                continue;
            }
            if byte == sign {
                found = Some(at);
            }
            at += 1;
        }
        found
    }
}
