//! Text for people: wrapping, colour, and names that may hold anything.
//!
//! Every name of a report comes from a watched program or from a file that somebody sent. On a terminal an escape
//! sequence in it could hide lines or change what was printed before, so nothing of a report is printed but through
//! [`visible`].

use std::borrow::Cow;

/// The text with everything that does not show as itself written as an escape: control characters, and those that
/// change the direction of text or take no room. So is what a build service would take for a command in its log: `::`
/// at the beginning of a word, since it may come to stand at the beginning of a line, and `##` anywhere.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|b| !(0x20..0x7f).contains(&b) || b == b'#' || b == b':') {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let (mut from, mut last) = (0, ' ');
    for (at, c) in text.char_indices() {
        let is_command = match c {
            ':' => last.is_whitespace() && text[at + 1..].starts_with(':'),
            '#' => last == '#',
            _ => false,
        };
        if is_command || is_hidden(c) {
            out.push_str(&text[from..at]);
            if is_command {
                out.extend(c.escape_unicode())
            } else {
                out.extend(c.escape_default())
            }
            from = at + c.len_utf8();
        }
        last = c;
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// Whether a character does not show as itself.
pub(super) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// How many columns a text takes on a terminal.
pub(super) fn columns(text: &str) -> usize {
    // Most names are plain.
    if text.is_ascii() { text.len() } else { unicode_width::UnicodeWidthStr::width(text) }
}

/// The text in lines of at most `width` columns, where a word that is too long is broken, behind a dot if possible.
pub(super) fn fill(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = columns(word);
        if column > 0 && column + 1 + length > width {
            lines.push(String::new());
            column = 0;
        }
        if column > 0 {
            push(&mut lines, " ");
            column += 1;
        }
        if column + length <= width {
            push(&mut lines, word);
            column += length;
            continue;
        }
        let mut rest = word;
        while columns(rest) > width {
            let (head, tail) = rest.split_at(break_at(rest, width));
            push(&mut lines, head);
            rest = tail;
            if rest.is_empty() {
                break;
            }
            lines.push(String::new());
        }
        push(&mut lines, rest);
        column = columns(rest);
    }
    lines
}

fn push(lines: &mut [String], text: &str) {
    if let Some(line) = lines.last_mut() {
        line.push_str(text);
    }
}

/// Where to break a word so that the first part takes at most so many columns; never at its beginning.
fn break_at(word: &str, width: usize) -> usize {
    let (mut column, mut end, mut dot) = (0, 0, 0);
    for (at, c) in word.char_indices() {
        column += unicode_width::UnicodeWidthChar::width(c).unwrap_or(0);
        if column > width && end > 0 {
            break;
        }
        end = at + c.len_utf8();
        if matches!(c, '.' | '@' | '/' | '$' | '-') {
            dot = end;
        }
    }
    let mut end = if dot * 2 > end && dot < word.len() { dot } else { end };
    // What a build service takes for a command at the beginning of a line must not come to stand there.
    while word.get(end..).is_some_and(|rest| rest.starts_with("::")) {
        end += 1;
    }
    end
}

/// The text in lines of at most `width` columns, counting `first` before the first line and `rest` before the others.
/// Words are never broken: a name that is too long stands alone in its line.
pub fn wrap(text: &str, first: &str, rest: &str, width: usize) -> String {
    let mut out = String::from(first);
    let mut column = columns(first);
    let mut at_start = true;
    for word in text.split_whitespace() {
        let length = columns(word);
        if !at_start && column + 1 + length > width {
            out.push('\n');
            out.push_str(rest);
            column = columns(rest);
            at_start = true;
        }
        if !at_start {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
        at_start = false;
    }
    out.push('\n');
    out
}

/// The text, or as much of its beginning as fits into so many bytes, and three dots.
pub(super) fn cut(text: &str, bytes: usize) -> Cow<'_, str> {
    if text.len() <= bytes {
        return Cow::Borrowed(text);
    }
    let most = bytes.saturating_sub(3);
    let end = text.char_indices().map(|(at, _)| at).take_while(|&at| at <= most).last().unwrap_or(0);
    Cow::Owned(format!("{}…", &text[..end]))
}

/// The text with its longest words cut: nobody reads a name of a thousand letters, and it would fill the terminal.
pub(super) fn with_short_words(text: &str, bytes: usize) -> Cow<'_, str> {
    if text.split_whitespace().all(|word| word.len() <= bytes) {
        return Cow::Borrowed(text);
    }
    let words: Vec<Cow<'_, str>> = text.split_whitespace().map(|word| cut(word, bytes)).collect();
    Cow::Owned(words.join(" "))
}

/// `1,203,345`.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 thread`, `2 threads`.
pub fn plural(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(n), if n == 1 { one } else { many })
}

/// Colours, or none.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    /// Whether there are any.
    pub color: bool,
}

impl Paint {
    fn with(self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// What matters most in its line.
    pub fn strong(self, text: &str) -> String {
        self.with("1", text)
    }

    /// What matters least.
    pub fn faint(self, text: &str) -> String {
        self.with("2", text)
    }

    /// A defect.
    pub fn bad(self, text: &str) -> String {
        self.with("1;31", text)
    }

    /// Something to look at.
    pub fn warn(self, text: &str) -> String {
        self.with("33", text)
    }

    /// All is well.
    pub fn good(self, text: &str) -> String {
        self.with("32", text)
    }

    /// A name that can be typed or looked up.
    pub fn name(self, text: &str) -> String {
        self.with("36", text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_acts_on_gets_through() {
        assert_eq!(visible("com.acme.Überweisung"), "com.acme.Überweisung");
        assert_eq!(visible("a\x1b[2Jb"), "a\\u{1b}[2Jb");
        assert_eq!(visible("a\nb\tc\r\u{7f}\u{9b}"), "a\\nb\\tc\\r\\u{7f}\\u{9b}");
        assert_eq!(visible("a\u{202e}b\u{200b}"), "a\\u{202e}b\\u{200b}");
    }

    #[test]
    fn no_name_can_command_a_build_service() {
        assert_eq!(visible("::error::x"), "\\u{3a}:error::x");
        assert_eq!(visible("a ::error::x"), "a \\u{3a}:error::x");
        assert_eq!(visible("List::of a: b"), "List::of a: b");
        assert_eq!(visible("##[error]"), "#\\u{23}[error]");
        assert_eq!(visible("a#b ###"), "a#b #\\u{23}\\u{23}");
    }

    #[test]
    fn prose_is_wrapped_between_words_only() {
        assert_eq!(wrap("one two three", "  ", "    ", 9), "  one two\n    three\n");
        assert_eq!(wrap("a.very.long.name b", "", "", 4), "a.very.long.name\nb\n");
        assert_eq!(wrap("", "- ", "  ", 4), "- \n");
    }

    #[test]
    fn a_word_that_is_too_long_for_a_cell_is_broken() {
        assert_eq!(fill("takes Account@7", 20), ["takes Account@7"]);
        assert_eq!(fill("takes Account@7", 10), ["takes", "Account@7"]);
        assert_eq!(fill("com.acme.Account", 10), ["com.acme.", "Account"]);
        assert_eq!(fill("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(fill("漢字漢字", 4), ["漢字", "漢字"]);
        assert_eq!(fill("漢字", 1), ["漢", "字"]);
        assert_eq!(fill("ab::error::", 2), ["ab:", ":e", "rr", "or:", ":"]);
        assert_eq!(fill("", 5), [""]);
        for width in 1..12 {
            let text = "a.bb@ccc 漢字x.y ddddddddddddddd";
            let lines = fill(text, width);
            assert!(lines.iter().all(|line| columns(line) <= width.max(2)), "{lines:?}");
            assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
        }
    }

    #[test]
    fn numbers_read_easily() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_200_345), "1,200,345");
        assert_eq!(plural(1, "thread", "threads"), "1 thread");
        assert_eq!(plural(1200, "thread", "threads"), "1,200 threads");
    }
}
