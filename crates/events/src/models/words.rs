//! A table's text cut into words with their places, and the errors that speak of those places.
//!
//! Knows nothing of the grammar but comments, joined lines and what a word is made of.

use std::fmt;

use crate::error::quote;

/// Something wrong in a model table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelError {
    /// The file as the user named it.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The column in characters, counted from 1.
    pub column: u32,
    /// What is wrong, and what to write instead.
    pub reason: String,
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.reason)
    }
}

impl std::error::Error for ModelError {}

/// What is wrong at a place of a file whose name is known elsewhere.
#[derive(Debug)]
pub(super) struct Wrong {
    pub at: Place,
    pub reason: String,
}

/// A line and column, both counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub line: u32,
    pub column: u32,
}

/// A word, or one of the signs `( ) [ ] , ; :`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Word<'a> {
    pub text: &'a str,
    pub at: Place,
    /// The rest of its line from here on, without the comment.
    pub rest: &'a str,
}

const SIGNS: [char; 7] = ['(', ')', '[', ']', ',', ';', ':'];

/// Words that go on with the statement of the line before.
const JOINING: [&str; 2] = ["because", "of"];

/// One statement: its words. It goes on in the next line after a `,` `;` or `:`, or with a joining word.
pub(super) type Statement<'a> = Vec<Word<'a>>;

/// Cuts a text into statements.
pub(super) fn statements(text: &str) -> Vec<Statement<'_>> {
    let mut all = Vec::new();
    let mut current: Statement<'_> = Vec::new();
    // A reason ends with its line, whatever sign is the last of it.
    let mut reason = false;
    for (index, line) in text.lines().enumerate() {
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let line = line.split_once('#').map_or(line, |(code, _)| code).trim_end();
        let open = !reason && current.last().is_some_and(|word| matches!(word.text, "," | ";" | ":"));
        let first = line.split_whitespace().next();
        // A comment or blank line does not end a list.
        let goes_on = open || first.is_none() || first.is_some_and(|word| JOINING.contains(&word));
        if !goes_on && !current.is_empty() {
            all.push(std::mem::take(&mut current));
            reason = false;
        }
        let before = current.len();
        cut(line, number, &mut current);
        let ignoring = current.first().is_some_and(|word| word.text == "ignore");
        reason |= ignoring && current.iter().skip(before).any(|word| word.text == "because");
    }
    if !current.is_empty() {
        all.push(current);
    }
    all
}

fn cut<'a>(line: &'a str, number: u32, words: &mut Statement<'a>) {
    let mut start: Option<(usize, u32)> = None;
    let mut column = 0;
    let mut push = |from: usize, to: usize, column: u32| {
        if let (Some(text), Some(rest)) = (line.get(from..to), line.get(from..)) {
            words.push(Word { text, at: Place { line: number, column }, rest });
        }
    };
    for (index, c) in line.char_indices() {
        column += 1;
        let sign = SIGNS.contains(&c);
        if !sign && !c.is_whitespace() {
            start.get_or_insert((index, column));
            continue;
        }
        if let Some((from, at)) = start.take() {
            push(from, index, at);
        }
        if sign {
            push(index, index + c.len_utf8(), column);
        }
    }
    if let Some((from, at)) = start {
        push(from, line.len(), at);
    }
}

/// Goes through the words of one statement.
pub(super) struct Cursor<'s, 'a> {
    words: &'s [Word<'a>],
    next: usize,
}

impl<'s, 'a> Cursor<'s, 'a> {
    pub fn new(words: &'s [Word<'a>]) -> Self {
        Self { words, next: 0 }
    }

    /// The place of the next word, or just after the last.
    pub fn place(&self) -> Place {
        if let Some(word) = self.words.get(self.next) {
            return word.at;
        }
        match self.words.last() {
            Some(word) => {
                let length = u32::try_from(word.text.chars().count()).unwrap_or(0);
                Place { line: word.at.line, column: word.at.column.saturating_add(length) }
            }
            None => Place { line: 1, column: 1 },
        }
    }

    pub fn peek(&self) -> Option<&'a str> {
        self.words.get(self.next).map(|word| word.text)
    }

    /// The word after the next.
    pub fn peek_second(&self) -> Option<&'a str> {
        self.words.get(self.next + 1).map(|word| word.text)
    }

    /// Takes the next word if it is this one.
    pub fn take(&mut self, text: &str) -> bool {
        let found = self.peek() == Some(text);
        self.next += usize::from(found);
        found
    }

    /// Takes the next word, whatever it is but a sign.
    pub fn word(&mut self, what: &str) -> Result<&'a str, Wrong> {
        match self.peek() {
            Some(text) if !text.starts_with(SIGNS) => {
                self.next += 1;
                Ok(text)
            }
            other => Err(self.wrong(format!("expected {what}, found {}", quote(other.unwrap_or(""))))),
        }
    }

    /// Takes the next word, which must be this one.
    pub fn expect(&mut self, text: &str, after: &str) -> Result<(), Wrong> {
        if self.take(text) {
            return Ok(());
        }
        let found = quote(self.peek().unwrap_or(""));
        Err(self.wrong(format!("expected `{text}` after {after}, found {found}")))
    }

    /// Takes the next word, which must be one of these, and tells which.
    pub fn one_of<T: Copy>(&mut self, what: &str, words: &[(&str, T)]) -> Result<T, Wrong> {
        let found = self.peek().unwrap_or("");
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == found) {
            self.next += 1;
            return Ok(*value);
        }
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        Err(self.wrong(format!("expected {what}, found {}; {}", quote(found), suggest(found, &names))))
    }

    /// Everything that is left of the line, as it is written.
    pub fn rest_of_line(&mut self) -> &'a str {
        let Some(first) = self.words.get(self.next) else { return "" };
        let left = self.words.iter().skip(self.next);
        self.next += left.take_while(|word| word.at.line == first.at.line).count();
        first.rest.trim()
    }

    /// Nothing may be left.
    pub fn end(&self) -> Result<(), Wrong> {
        match self.peek() {
            None => Ok(()),
            Some(text) => {
                Err(self.wrong(format!("{} is too much here; remove it or start a new line", quote(text))))
            }
        }
    }

    /// An error at the next word.
    pub fn wrong(&self, reason: impl Into<String>) -> Wrong {
        Wrong { at: self.place(), reason: reason.into() }
    }

    /// An error at the word just taken.
    pub fn wrong_before(&self, reason: impl Into<String>) -> Wrong {
        let at = self.next.checked_sub(1).and_then(|index| self.words.get(index)).map(|word| word.at);
        Wrong { at: at.unwrap_or_else(|| self.place()), reason: reason.into() }
    }
}

/// What to write instead of a word: the nearest, or all there are.
fn suggest(found: &str, words: &[&str]) -> String {
    let nearest = words.iter().map(|word| (distance(found, word), *word)).min();
    match nearest {
        Some((apart, word)) if apart <= 1 + word.len() / 4 && !found.is_empty() => {
            format!("did you mean `{word}`?")
        }
        _ => {
            let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            format!("write one of {}", quoted.join(", "))
        }
    }
}

/// How many letters have to be changed, added or dropped; words longer than any of ours are far from all.
fn distance(a: &str, b: &str) -> usize {
    const LONGEST: usize = 32;
    let (a, b): (Vec<char>, Vec<char>) =
        (a.chars().take(LONGEST).collect(), b.chars().take(LONGEST).collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = i;
        let mut left = i + 1;
        for (cell, y) in row.iter_mut().skip(1).zip(&b) {
            let here = (corner + usize::from(x != y)).min(left + 1).min(*cell + 1);
            corner = std::mem::replace(cell, here);
            left = here;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(LONGEST)
}
