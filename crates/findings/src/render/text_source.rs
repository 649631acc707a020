//! Source lines with what each thread does there, for the report for people.
//!
//! The lines come with the report; nothing is read here. A file that was not found is not quoted.

use std::collections::BTreeMap;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::Style;
use super::prose::{columns, cut, visible};
use crate::picture::Picture;
use crate::{Frame, Report, Taken, Witness, picture};

/// Lines that are marked at most.
const MARKED: usize = 8;
/// Marked lines that are nearer to each other than this are quoted together, with the lines in between.
const NEAR: u32 = 5;
/// Bytes of a label.
const LABEL: usize = 160;
/// Columns before the lines, with line numbers of a usual length.
const GUTTER: usize = 8;
/// Remarks on one line, and columns that each of them has at least.
const REMARKS: usize = 4;
const SHORTEST: usize = 16;

/// What is said of one line.
struct Remark {
    label: String,
    /// Whether it is one of the steps, and not something before them.
    is_step: bool,
}

/// Lines of one file.
struct Quoted<'a> {
    path: &'a str,
    lines: BTreeMap<u32, Vec<Remark>>,
}

/// The source around the steps of a witness; empty if there is none.
pub(super) fn quote(picture: &Picture, witness: &Witness, report: &Report, style: &Style) -> String {
    let files = remarks(picture, witness, report);
    if files.is_empty() {
        return String::new();
    }
    let width = style.width.saturating_sub(2).max(20);
    let mut group = Group::with_level(Level::ERROR);
    for (source, quoted) in &files {
        for run in runs(&quoted.lines) {
            if let Some(snippet) = snippet(source, quoted, run, report, width) {
                group = group.element(snippet);
            }
        }
    }
    if group.is_empty() {
        return String::new();
    }
    let renderer = if style.color { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for line in renderer.term_width(width).render(&[group]).lines() {
        out.push_str("  ");
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// What there is to say, file by file, in the order in which the files come up.
fn remarks<'a>(picture: &Picture, witness: &Witness, report: &'a Report) -> Vec<(String, Quoted<'a>)> {
    let mut files: Vec<(String, Quoted<'a>)> = Vec::new();
    let mut marked = 0;
    let mut say = |frame: &Frame, words: &str, is_step: bool| {
        let (Some(source), Ok(line @ 1..)) = (frame.source(), u32::try_from(frame.line)) else { return };
        let Some(path) = report.sources.get(&source) else { return };
        if report.excerpts.lines(&source, line, line).next().is_none_or(|(_, text)| text.trim().is_empty()) {
            return;
        }
        let at = files.iter().position(|(name, _)| *name == source).unwrap_or_else(|| {
            files.push((source, Quoted { path, lines: BTreeMap::new() }));
            files.len() - 1
        });
        let Some((_, quoted)) = files.get_mut(at) else { return };
        if !quoted.lines.contains_key(&line) {
            if marked == MARKED {
                return;
            }
            marked += 1;
        }
        let remarks = quoted.lines.entry(line).or_default();
        if remarks.len() < REMARKS && remarks.iter().all(|told| told.label != words) {
            remarks.push(Remark { label: words.to_owned(), is_step });
        }
    };
    let table = &picture.interleaving;
    for moment in table.moments.iter().filter(|moment| moment.step.is_some()) {
        let thread = table.thread(moment).map_or("", |thread| thread.name.as_str());
        say(&moment.at, &format!("{thread} {}", moment.words), true);
    }
    for step in &witness.steps {
        let shown = |taken: &Taken| {
            table.moments.iter().any(|it| it.step.is_some() && it.at == taken.at && it.target == taken.lock)
        };
        for taken in step.taken.iter().filter(|taken| !shown(taken)) {
            let once = if taken.example { "was taken once" } else { "was taken" };
            say(&taken.at, &format!("{} {once}", picture::short(&taken.lock)), false);
        }
    }
    files.retain(|(_, quoted)| !quoted.lines.is_empty());
    files
}

/// The marked lines, cut where nothing is marked for long.
fn runs(lines: &BTreeMap<u32, Vec<Remark>>) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &line in lines.keys() {
        match runs.last_mut() {
            Some((_, last)) if line - *last < NEAR => *last = line,
            _ => runs.push((line, line)),
        }
    }
    runs
}

/// Where the mark under a line ends: at the end of the line, or earlier, so that its label has room behind it.
fn marked_to(text: &str, line: usize, begin: usize, room: usize) -> usize {
    let mut column = 0;
    let mut end = text.len();
    for (at, c) in text.get(line..).unwrap_or_default().char_indices() {
        column += unicode_width::UnicodeWidthChar::width(c).unwrap_or(0);
        if column > room && line + at > begin {
            end = line + at;
            break;
        }
    }
    end
}

/// A label that fits, its end cut off.
fn shortened(label: &str, room: usize) -> String {
    if columns(label) <= room {
        return label.to_owned();
    }
    let mut column = 3;
    let fits = |c: &char| {
        column += unicode_width::UnicodeWidthChar::width(*c).unwrap_or(0);
        column <= room
    };
    label.chars().take_while(fits).chain("...".chars()).collect()
}

fn snippet<'a>(
    source: &str,
    quoted: &Quoted<'_>,
    (first, last): (u32, u32),
    report: &Report,
    width: usize,
) -> Option<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let mut text = String::new();
    let mut annotations = Vec::new();
    // Lines that are not kept would shift the numbers: the run ends there.
    let from = first.saturating_sub(1).max(1);
    let mut lines = report.excerpts.lines(source, from, last.saturating_add(1)).peekable();
    let start = lines.peek()?.0;
    for (expected, (number, line)) in (start..).zip(lines) {
        if number != expected {
            break;
        }
        let line = line.replace('\t', "    ");
        let line = visible(line.trim_end());
        let line_begin = text.len();
        let begin = line_begin + line.len() - line.trim_start().len();
        text.push_str(&line);
        let remarks = quoted.lines.get(&number).filter(|_| begin < text.len());
        let room = width.saturating_sub(GUTTER + columns(&text[line_begin..begin])).max(SHORTEST);
        let label = |remark: &Remark| shortened(&visible(&cut(&remark.label, LABEL)), room);
        let labels: Vec<String> = remarks.into_iter().flatten().map(label).collect();
        let longest = labels.iter().map(|label| columns(label)).max().unwrap_or(0);
        // Several labels stand below each other, one stands behind the mark.
        let behind = if labels.len() > 1 { 0 } else { longest };
        let end = marked_to(&text, line_begin, begin, width.saturating_sub(GUTTER + behind));
        for (remark, label) in remarks.into_iter().flatten().zip(labels) {
            let kind = if remark.is_step { AnnotationKind::Primary } else { AnnotationKind::Context };
            annotations.push(kind.span(begin..end).label(label));
        }
        text.push('\n');
    }
    text.pop();
    if annotations.is_empty() {
        return None;
    }
    let path = visible(&cut(quoted.path, LABEL)).into_owned();
    let start = usize::try_from(start).ok()?;
    Some(Snippet::source(text).line_start(start).path(path).fold(false).annotations(annotations))
}
