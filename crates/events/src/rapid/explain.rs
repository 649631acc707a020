//! Says what is wrong with a line that is not STD. Never on the fast path.

use crate::error::quote;

/// The column (in bytes from 0) and the reason.
pub(super) fn explain(line: &[u8]) -> (usize, String) {
    match std::str::from_utf8(line) {
        Err(error) => (error.valid_up_to(), "not UTF-8".to_owned()),
        Ok(line) => {
            Look { line, at: 0 }.line().err().unwrap_or((0, format!("not an STD line: {}", quote(line))))
        }
    }
}

struct Look<'a> {
    line: &'a str,
    at: usize,
}

type Wrong = (usize, String);

impl Look<'_> {
    fn rest(&self) -> &str {
        &self.line[self.at..]
    }

    fn wrong(&self, expected: &str) -> Wrong {
        let found =
            if self.rest().is_empty() { "the end of the line".to_owned() } else { quote(self.rest()) };
        (self.at, format!("expected {expected}, found {found}"))
    }

    /// Goes over one or more characters that a name may hold.
    fn name(&mut self, what: &str) -> Result<(), Wrong> {
        let length = self.rest().find(['|', '(', ')']).unwrap_or(self.rest().len());
        if length == 0 {
            return Err(self.wrong(what));
        }
        self.at += length;
        Ok(())
    }

    fn sign(&mut self, sign: char, after: &str) -> Result<(), Wrong> {
        if !self.rest().starts_with(sign) {
            return Err(self.wrong(&format!("`{sign}` after {after}")));
        }
        self.at += 1;
        Ok(())
    }

    fn line(mut self) -> Result<(), Wrong> {
        if self.line.is_empty() {
            return Err((0, "an empty line; expected THREAD|OPERATION|LOCATION".to_owned()));
        }
        self.name("a thread")?;
        self.sign('|', "the thread")?;
        self.operation()?;
        self.sign('|', "the operation")?;
        self.location()
    }

    fn operation(&mut self) -> Result<(), Wrong> {
        for verb in ["begin", "end"] {
            if self.rest().starts_with(verb) {
                self.at += verb.len();
                return match self.rest().as_bytes().first() {
                    Some(b'|') => Ok(()),
                    Some(b'(') => self.bracketed(),
                    _ => self.name("`|`"),
                };
            }
        }
        for verb in ["acq", "rel", "fork", "join", "r", "w"] {
            if self.rest().strip_prefix(verb).is_some_and(|rest| rest.starts_with('(')) {
                self.at += verb.len();
                return self.bracketed();
            }
        }
        Err(self.wrong("r(…), w(…), acq(…), rel(…), fork(…), join(…), begin or end"))
    }

    fn bracketed(&mut self) -> Result<(), Wrong> {
        self.sign('(', "the operation")?;
        self.name("a name")?;
        self.sign(')', "the name")
    }

    fn location(&mut self) -> Result<(), Wrong> {
        let digits = self.rest().strip_prefix('-').unwrap_or(self.rest());
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        if length == 0 {
            return Err(self.wrong("a location (a decimal number)"));
        }
        if length < digits.len() {
            self.at += self.rest().len() - digits.len() + length;
            return Err(self.wrong("the end of the line after the location"));
        }
        if self.rest().parse::<i32>().is_err() {
            return Err(self.wrong("a location of 32 bits"));
        }
        Ok(())
    }
}
