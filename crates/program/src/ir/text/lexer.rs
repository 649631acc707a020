//! Characters to words, quotes and signs, and the reading of one after the other. Knows nothing of classes.

use std::borrow::Cow;
use std::fmt;

use super::names::is_plain;

/// Why text is no class, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// The line, from 1.
    pub line: u32,
    /// What is wrong there.
    pub reason: String,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for TextError {}

pub type Result<T> = std::result::Result<T, TextError>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token<'t> {
    /// A plain name or number.
    Word(&'t str),
    /// A name in backquotes.
    Name(Cow<'t, str>),
    /// Text in quotes.
    Text(Cow<'t, str>),
    /// Anything else.
    Sign(&'t str),
    End,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(text) | Token::Sign(text) => write!(f, "`{text}`"),
            Token::Name(text) => write!(f, "the name `{text}`"),
            Token::Text(text) => write!(f, "the text {text:?}"),
            Token::End => f.write_str("the end"),
        }
    }
}

/// The tokens of a text, one ahead.
#[derive(Clone)]
pub struct Lexer<'t> {
    rest: &'t str,
    line: u32,
    /// The token that comes next, its line, and whether it is the first there.
    token: Token<'t>,
    token_line: u32,
    starts_line: bool,
    /// The line of the token taken last.
    last_line: u32,
    /// Do instructions have the lines of the text, where it says no others?
    pub numbered: bool,
}

impl<'t> Lexer<'t> {
    pub fn new(text: &'t str) -> Result<Lexer<'t>> {
        let mut lexer = Lexer {
            rest: text,
            line: 1,
            token: Token::End,
            token_line: 0,
            starts_line: true,
            last_line: 1,
            numbered: false,
        };
        lexer.advance()?;
        Ok(lexer)
    }

    pub fn peek(&self) -> &Token<'t> {
        &self.token
    }

    pub fn starts_line(&self) -> bool {
        self.starts_line
    }

    /// The line of what comes next, if instructions have the lines of the text; 0 if not.
    pub fn number_of_next(&self) -> u16 {
        if self.numbered { u16::try_from(self.token_line).unwrap_or(u16::MAX) } else { 0 }
    }

    /// Something is wrong with what was read last.
    pub fn wrong<T>(&self, reason: impl Into<String>) -> Result<T> {
        Err(TextError { line: self.last_line, reason: reason.into() })
    }

    /// What comes next is not what must come.
    pub fn unexpected<T>(&self, what: &str) -> Result<T> {
        Err(TextError { line: self.token_line, reason: format!("expected {what}, found {}", self.token) })
    }

    pub fn advance(&mut self) -> Result<Token<'t>> {
        self.starts_line = self.token_line == 0;
        self.last_line = self.token_line.max(1);
        loop {
            let trimmed = self.rest.trim_start_matches([' ', '\t', '\r']);
            if let Some(rest) = trimmed.strip_prefix('\n') {
                self.line += 1;
                self.starts_line = true;
                self.rest = rest;
            } else if trimmed.starts_with("//") {
                let end = trimmed.find('\n').unwrap_or(trimmed.len());
                self.rest = &trimmed[end..];
            } else {
                self.rest = trimmed;
                break;
            }
        }
        self.token_line = self.line;
        let next = self.token_here()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn token_here(&mut self) -> Result<Token<'t>> {
        let text = self.rest;
        let Some(first) = text.chars().next() else { return Ok(Token::End) };
        if first == '"' {
            return self.quoted('"').map(Token::Text);
        }
        if first == '`' {
            return self.quoted('`').map(Token::Name);
        }
        let number = first == '-' && text[1..].starts_with(|c: char| c.is_ascii_digit());
        let length = if is_plain(first) || number {
            let from = usize::from(number);
            text[from..].find(|c| !is_plain(c)).map_or(text.len(), |end| from + end)
        } else if let Some(name) = ["<init>", "<clinit>"].into_iter().find(|name| text.starts_with(name)) {
            name.len()
        } else if let Some(sign) =
            ["==", "!=", "<=", ">=", "[]"].into_iter().find(|sign| text.starts_with(sign))
        {
            sign.len()
        } else {
            first.len_utf8()
        };
        let (found, rest) = text.split_at(length);
        self.rest = rest;
        Ok(if is_plain(first) || number || length > 2 { Token::Word(found) } else { Token::Sign(found) })
    }

    fn quoted(&mut self, quote: char) -> Result<Cow<'t, str>> {
        let text = &self.rest[1..];
        let open = || TextError { line: self.line, reason: format!("{quote} is not closed in its line") };
        let end = text.find([quote, '\\', '\n']).ok_or_else(open)?;
        if text[end..].starts_with(quote) {
            self.rest = &text[end + 1..];
            return Ok(Cow::Borrowed(&text[..end]));
        }
        let mut found = String::new();
        let mut chars = text.chars();
        loop {
            match chars.next().ok_or_else(open)? {
                '\n' => return Err(open()),
                '\\' => match chars.next() {
                    Some('n') => found.push('\n'),
                    Some('u') => {
                        let code = chars.as_str().strip_prefix('{').and_then(|rest| rest.split_once('}'));
                        let (digits, rest) = code.ok_or_else(open)?;
                        let number = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                        found.push(number.ok_or_else(open)?);
                        chars = rest.chars();
                    }
                    Some(c) => found.push(c),
                    None => return Err(open()),
                },
                c if c == quote => break,
                c => found.push(c),
            }
        }
        self.rest = chars.as_str();
        Ok(Cow::Owned(found))
    }

    /// Takes this word or sign if it comes next.
    pub fn take(&mut self, expected: &str) -> Result<bool> {
        let fits = matches!(self.token, Token::Word(text) | Token::Sign(text) if text == expected);
        if fits {
            self.advance()?;
        }
        Ok(fits)
    }

    pub fn expect(&mut self, expected: &str) -> Result<()> {
        if self.take(expected)? {
            return Ok(());
        }
        self.unexpected(&format!("`{expected}`"))
    }

    /// A plain word.
    pub fn word(&mut self, what: &str) -> Result<&'t str> {
        match self.token {
            Token::Word(word) => {
                self.advance()?;
                Ok(word)
            }
            _ => self.unexpected(what),
        }
    }

    /// The word that comes next, which is not taken.
    pub fn peek_word(&self) -> Option<&'t str> {
        match self.token {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    pub fn text(&mut self, what: &str) -> Result<Cow<'t, str>> {
        match self.advance_if(|token| matches!(token, Token::Text(_)))? {
            Some(Token::Text(text)) => Ok(text),
            _ => self.unexpected(&format!("{what} in quotes")),
        }
    }

    /// A number of any size that fits, `0x…` too.
    pub fn number<N: TryFrom<i128>>(&mut self, what: &str) -> Result<N> {
        let word = self.word(what)?;
        let value = match word.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16),
            None => word.parse::<i128>(),
        };
        match value.ok().and_then(|value| N::try_from(value).ok()) {
            Some(value) => Ok(value),
            None => self.wrong(format!("expected {what}, found `{word}`")),
        }
    }

    /// A name, plain or in backquotes; true if it was in backquotes.
    pub fn name(&mut self, what: &str) -> Result<(Cow<'t, str>, bool)> {
        match self.advance_if(|token| matches!(token, Token::Word(_) | Token::Name(_)))? {
            Some(Token::Word(word)) => Ok((Cow::Borrowed(word), false)),
            Some(Token::Name(name)) => Ok((name, true)),
            _ => self.unexpected(what),
        }
    }

    fn advance_if(&mut self, fits: impl Fn(&Token<'t>) -> bool) -> Result<Option<Token<'t>>> {
        if fits(&self.token) { self.advance().map(Some) } else { Ok(None) }
    }

    /// Things between two signs, with commas between them.
    pub fn listed(
        &mut self,
        open: &str,
        close: &str,
        mut each: impl FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        self.expect(open)?;
        if self.take(close)? {
            return Ok(());
        }
        loop {
            each(self)?;
            if self.take(close)? {
                return Ok(());
            }
            self.expect(",")?;
        }
    }
}
