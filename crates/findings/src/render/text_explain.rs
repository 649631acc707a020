//! What is particular to each rule, in text: the locks in common, the matrix of blocks and fields, the movers of a block.

use super::prose::{Paint, columns, cut, fill, visible};
use crate::picture::{Explanation, Matrix, Move, Phase, Point, short};
use crate::{Frame, Mover, Narrowing, Role};

/// Bytes of a name.
const NAME: usize = 160;
/// Fields of a matrix that are shown, and the width that a column takes at most.
const FIELDS: usize = 8;
const FIELD: usize = 24;

/// The explanation, a line each, with its heading; nothing where the table of steps says it all.
pub(super) fn explain(explanation: &Explanation, width: usize, paint: Paint) -> Vec<String> {
    match explanation {
        Explanation::DataRace(race) if race.narrowing.len() > 2 => narrowing(&race.narrowing, width),
        Explanation::HighLevelRace(found) => matrix(found, width, paint),
        Explanation::StaleValue { points } => line(points, width),
        Explanation::NonAtomic { moves, .. } => movers(moves, width, paint),
        Explanation::LockOrder(cycle) => {
            let mut way: Vec<String> = cycle.edges.iter().map(|edge| name(&edge.holds)).collect();
            way.extend(way.first().cloned());
            let mut lines = vec!["the order in which the locks are taken goes in a circle:".to_owned()];
            lines.extend(
                fill(&way.join(" -> "), width.saturating_sub(4)).into_iter().map(|it| format!("  {it}")),
            );
            lines
        }
        Explanation::DataRace(_) => Vec::new(),
    }
}

fn name(text: &str) -> String {
    visible(&cut(short(text), NAME)).into_owned()
}

/// `Account.java:16`, or as much as is known.
fn place(at: &Frame) -> String {
    let place = match (at.file.as_str(), at.line) {
        ("", 0) => String::new(),
        ("", line) => format!("line {line}"),
        (file, 0) => file.to_owned(),
        (file, line) => format!("{file}:{line}"),
    };
    visible(&cut(&place, NAME)).into_owned()
}

fn at(frame: &Frame) -> String {
    let place = place(frame);
    if place.is_empty() { String::new() } else { format!(" ({place})") }
}

fn set(locks: &[String]) -> String {
    if locks.is_empty() {
        return "no lock".to_owned();
    }
    locks.iter().take(16).map(|lock| name(lock)).collect::<Vec<_>>().join(", ")
}

fn verb(role: Role) -> &'static str {
    match role {
        Role::Read => "reads",
        Role::Write => "writes",
        _ => "uses",
    }
}

/// The locks that were held at every access so far become fewer.
fn narrowing(accesses: &[Narrowing], width: usize) -> Vec<String> {
    let mut lines = vec!["which locks were held at every use so far:".to_owned()];
    for access in accesses {
        let text = format!(
            "{} {}{}, holding {}",
            visible(&cut(&access.thread, NAME)),
            verb(access.role),
            at(&access.at),
            set(&access.locks)
        );
        lines.extend(indented(&text, "  ", "    ", width));
        lines.extend(indented(&format!("-> {}", set(&access.left)), "      ", "         ", width));
    }
    lines
}

fn indented(text: &str, first: &str, rest: &str, width: usize) -> Vec<String> {
    let room = width.saturating_sub(2 + rest.len()).max(20);
    let lines = fill(text, room).into_iter().enumerate();
    lines.map(|(i, line)| format!("{}{line}", if i == 0 { first } else { rest })).collect()
}

/// Which block uses which field. A field's name is above its column; where that does not fit, fields are listed.
fn matrix(matrix: &Matrix, width: usize, paint: Paint) -> Vec<String> {
    let mut lines = vec!["which fields each locked block uses:".to_owned()];
    let label = |row: usize| {
        let row = matrix.rows.get(row)?;
        Some(format!("{} {}{}", visible(&cut(&row.thread, NAME)), verb(row.role), at(&row.at)))
    };
    let labels: Vec<String> = (0..matrix.rows.len()).filter_map(label).collect();
    let fields: Vec<String> = matrix.fields.iter().take(FIELDS).map(|field| name(field)).collect();
    let first = labels.iter().map(|label| columns(label)).max().unwrap_or(0);
    let rest: usize = fields.iter().map(|field| columns(field) + 2).sum();
    let fits = fields.iter().all(|field| columns(field) <= FIELD) && first + rest + 4 <= width;
    if fits {
        let head: String = fields.iter().map(|field| format!("  {field}")).collect();
        lines.push(format!("  {}{head}", " ".repeat(first)));
        for (row, label) in matrix.rows.iter().zip(&labels) {
            let mut line = format!("  {label}{}", " ".repeat(first - columns(label)));
            for (uses, field) in row.uses.iter().zip(&fields) {
                let (mark, room) = (if *uses { "x" } else { "-" }, columns(field));
                let (left, right) = ((room - 1) / 2, room - 1 - (room - 1) / 2);
                let mark = if *uses { paint.strong(mark) } else { paint.faint(mark) };
                line.push_str(&format!("  {}{mark}{}", " ".repeat(left), " ".repeat(right)));
            }
            lines.push(line.trim_end().to_owned());
        }
    } else {
        for (row, label) in matrix.rows.iter().zip(&labels) {
            let used =
                row.uses.iter().zip(&fields).filter(|(uses, _)| **uses).map(|(_, field)| field.as_str());
            let text = format!("{label}: {}", used.collect::<Vec<_>>().join(", "));
            lines.extend(indented(&text, "  ", "      ", width));
        }
    }
    if matrix.fields.len() > FIELDS {
        lines.push(format!("  and {} more fields", matrix.fields.len() - FIELDS));
    }
    lines
}

/// Read, given up, changed, used.
fn line(points: &[Point], width: usize) -> Vec<String> {
    let told: Vec<String> = points
        .iter()
        .map(|point| {
            let what = match point.role {
                Role::Read => "value read".to_owned(),
                Role::Release => format!("{} given up", name(&point.target)),
                Role::Interference => format!("{} can change it", visible(&cut(&point.thread, NAME))),
                _ => "old value used".to_owned(),
            };
            format!("{what}{}", at(&point.at))
        })
        .collect();
    let mut lines = vec!["what becomes of the value:".to_owned()];
    lines.extend(indented(&told.join(" -> "), "  ", "  ", width));
    lines
}

/// The string of movers with its commit, and what each of them is.
fn movers(moves: &[Move], width: usize, paint: Paint) -> Vec<String> {
    let mut lines = vec!["the steps of the block, and how each can be moved:".to_owned()];
    for it in moves {
        let how = match it.mover {
            Mover::Right => "R (can be done later)",
            Mover::Left => "L (can be done earlier)",
            Mover::Both => "B (can be moved freely)",
            Mover::Neither => "N (cannot be moved)",
        };
        let after = match it.phase {
            Phase::Before => String::new(),
            Phase::Commit => "  <- the block takes effect here (commit)".to_owned(),
            Phase::Violation => "  <- after the commit only L may follow".to_owned(),
        };
        let text = format!("{how:<24}{}{}", visible(&cut(&it.words, NAME)), at(&it.at));
        if columns(&text) + columns(&after) + 4 <= width {
            lines.push(format!("  {text}{}", paint.warn(&after)));
        } else {
            lines.extend(hanging(&text, 24, width));
            if !after.is_empty() {
                lines.extend(indented(after.trim_start(), "      ", "         ", width));
            }
        }
    }
    lines
}

/// Text whose first column is not broken; the lines after the first stand under the second column.
fn hanging(text: &str, column: usize, width: usize) -> Vec<String> {
    let (head, tail) = match text.char_indices().nth(column) {
        Some((at, _)) => text.split_at(at),
        None => (text, ""),
    };
    let room = width.saturating_sub(4 + column).max(16);
    let lines = fill(tail, room).into_iter().enumerate();
    lines
        .map(|(i, line)| format!("  {}{line}", if i == 0 { head.to_owned() } else { " ".repeat(column) }))
        .collect()
}
