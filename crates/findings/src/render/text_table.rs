//! The interleaving as a table of text: a column for each thread, or a list where there is no room for columns.

use super::prose::{Paint, columns, cut, fill, visible};
use crate::picture::{Interleaving, Mark, Moment, short};
use crate::{Act, Rule};

/// Columns between columns, and for the numbers of the rows.
const BETWEEN: usize = 2;
const NUMBER: usize = 5;
/// A column that is narrower than this cannot be read, and one that is wider is not read in one look.
const NARROWEST: usize = 22;
const WIDEST: usize = 48;
/// A remark makes its column no wider than this.
const REMARK: usize = 40;
/// Bytes of a name or place in a cell.
const NAME: usize = 160;

/// The table, a line each.
pub(super) fn table(table: &Interleaving, rule: Rule, width: usize, paint: Paint) -> Vec<String> {
    let room = width.saturating_sub(NUMBER);
    let mut lines = match widths(table, rule, room) {
        Some(widths) => by_column(table, rule, &widths, paint),
        None => as_list(table, rule, room, paint),
    };
    if table.left_out > 0 {
        lines.push(format!("     and {} more steps", table.left_out));
    }
    lines
}

/// How wide each column is: as wide as it would like to be, or no wider than leaves room for all. What is left goes to
/// the remarks. None if that is too narrow to read.
fn widths(table: &Interleaving, rule: Rule, room: usize) -> Option<Vec<usize>> {
    let mut wanted: Vec<usize> =
        table.threads.iter().map(|thread| columns(&thread.name).clamp(NARROWEST, WIDEST)).collect();
    let mut remarks = vec![0; wanted.len()];
    for (i, moment) in table.moments.iter().enumerate() {
        if let (Some(wanted), Some(longest)) = (wanted.get_mut(moment.thread), remarks.get_mut(moment.thread))
        {
            *wanted = (*wanted).max(words_and_place(moment).0.min(WIDEST));
            *longest = (*longest).max(columns(&remark(table, i, moment, rule)).min(REMARK));
        }
    }
    let room = room.checked_sub(BETWEEN * wanted.len().saturating_sub(1))?;
    let fits = |cap: &usize| wanted.iter().map(|&wanted| wanted.min(*cap)).sum::<usize>() <= room;
    let cap = (NARROWEST..=WIDEST).rev().find(fits)?;
    let mut widths: Vec<usize> = wanted.iter().map(|&wanted| wanted.min(cap)).collect();
    let mut left = room - widths.iter().sum::<usize>();
    for (width, remark) in widths.iter_mut().zip(remarks) {
        let more = remark.saturating_sub(*width).min(left);
        *width += more;
        left -= more;
    }
    Some(widths)
}

/// How many columns what happens and where take together, and both of them.
fn words_and_place(moment: &Moment) -> (usize, String, String) {
    let words = visible(&cut(&moment.words, NAME)).into_owned();
    let place = place(moment);
    let between = usize::from(!place.is_empty());
    (columns(&words) + between + columns(&place), words, place)
}

/// A line of a cell, and how it is painted.
struct Line {
    text: String,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bad,
    Between,
    Plain,
    Faint,
}

fn by_column(table: &Interleaving, rule: Rule, widths: &[usize], paint: Paint) -> Vec<String> {
    let mut out = Vec::new();
    let (mut head, mut line) = (" ".repeat(NUMBER), " ".repeat(NUMBER));
    for (i, (thread, &width)) in table.threads.iter().zip(widths).enumerate() {
        let name = shortened(&thread.name, width);
        let between = if i + 1 == table.threads.len() { 0 } else { BETWEEN };
        head.push_str(&paint.strong(&name));
        head.push_str(&" ".repeat((width + between).saturating_sub(columns(&name))));
        line.push_str(&"-".repeat(width));
        line.push_str(&" ".repeat(between));
    }
    out.extend([head, line]);
    for (i, moment) in table.moments.iter().enumerate() {
        let width = widths.get(moment.thread).copied().unwrap_or(NARROWEST);
        let before: usize = widths.iter().take(moment.thread).map(|width| width + BETWEEN).sum();
        for (j, line) in cell(table, i, moment, rule, width).iter().enumerate() {
            let number = if j == 0 { number(i) } else { " ".repeat(NUMBER) };
            out.push(format!("{number}{}{}", " ".repeat(before), painted(line, paint)));
        }
    }
    out
}

fn as_list(table: &Interleaving, rule: Rule, room: usize, paint: Paint) -> Vec<String> {
    let mut out = Vec::new();
    for (i, moment) in table.moments.iter().enumerate() {
        let thread = table.thread(moment).map_or("", |thread| thread.name.as_str());
        out.push(format!("{}{}", number(i), paint.strong(&shortened(thread, room))));
        for line in cell(table, i, moment, rule, room.saturating_sub(2)) {
            out.push(format!("{}  {}", " ".repeat(NUMBER), painted(&line, paint)));
        }
    }
    out
}

/// `  1  `.
fn number(row: usize) -> String {
    format!("{:>width$}  ", row + 1, width = NUMBER - 2)
}

/// A name that fits into a column, its end cut off.
fn shortened(name: &str, column: usize) -> String {
    let name = visible(&cut(name, NAME)).into_owned();
    if columns(&name) <= column {
        return name;
    }
    let mut first = fill(&name.replace(char::is_whitespace, " "), column.saturating_sub(3).max(1));
    first.truncate(1);
    first.concat() + "..."
}

fn painted(line: &Line, paint: Paint) -> String {
    match line.kind {
        Kind::Bad => paint.bad(&line.text),
        Kind::Between => paint.warn(&line.text),
        Kind::Plain => line.text.clone(),
        Kind::Faint => paint.faint(&line.text),
    }
}

/// What happens, where, and why it matters.
fn cell(table: &Interleaving, row: usize, moment: &Moment, rule: Rule, width: usize) -> Vec<Line> {
    let kind = match moment.mark {
        Mark::Defect | Mark::Violation | Mark::Blocked => Kind::Bad,
        Mark::Interference | Mark::Commit => Kind::Between,
        Mark::None => Kind::Plain,
    };
    let (length, words, place) = words_and_place(moment);
    let mut lines: Vec<Line> = Vec::new();
    let mut add = |text: &str, kind| {
        lines.extend(fill(text, width).into_iter().map(|text| Line { text, kind }));
    };
    let both = length <= width;
    let together = if both && !place.is_empty() { format!("{words} {place}") } else { words };
    add(&together, kind);
    if !both && !place.is_empty() {
        add(&place, Kind::Faint);
    }
    let remark = remark(table, row, moment, rule);
    if !remark.is_empty() {
        add(&visible(&cut(&remark, NAME)), Kind::Faint);
    }
    lines
}

/// `(Account.java:16)`.
fn place(moment: &Moment) -> String {
    let at = &moment.at;
    let name = match (at.file.as_str(), at.line) {
        ("", 0) => return String::new(),
        ("", line) => format!("line {line}"),
        (file, 0) => file.to_owned(),
        (file, line) => format!("{file}:{line}"),
    };
    let example = if moment.example { "e.g. " } else { "" };
    format!("({example}{})", visible(&cut(&name, NAME)))
}

/// Why the moment matters, for somebody who has not read the papers.
fn remark(table: &Interleaving, row: usize, moment: &Moment, rule: Rule) -> String {
    let earlier = || table.moments.get(..row).unwrap_or_default();
    let is_second = || earlier().iter().any(|other| other.mark == moment.mark);
    match (moment.mark, rule) {
        (Mark::Defect, Rule::DataRace) => {
            let held: Vec<&str> = moment.held.iter().map(|lock| short(lock)).collect();
            let held = if held.is_empty() {
                "holding no lock".to_owned()
            } else {
                format!("holding {}", held.join(", "))
            };
            if is_second() { format!("{held}: nothing made it wait") } else { held }
        }
        (Mark::Defect, Rule::HighLevelRace) if is_second() => match moment.act {
            Act::Write => "what was written before has been seen without this".to_owned(),
            _ => "need not fit what was read before".to_owned(),
        },
        (Mark::Defect, Rule::StaleValue) => "the value may be an old one by now".to_owned(),
        (Mark::Commit, _) => "from here on others can see what it did".to_owned(),
        (Mark::Violation, _) => "too late: others came in between, or could have".to_owned(),
        (Mark::Blocked, _) => {
            let holder = earlier().iter().rev().find(|other| {
                other.thread != moment.thread && other.act == Act::Acquire && other.target == moment.target
            });
            let name = holder.and_then(|holder| table.thread(holder)).map(|thread| thread.name.as_str());
            name.map_or_else(|| "and waits for ever".to_owned(), |name| format!("{name} holds it, for ever"))
        }
        _ => String::new(),
    }
}
