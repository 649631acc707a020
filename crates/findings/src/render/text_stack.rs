//! Stacks as people want them: their own calls, with what libraries do in between folded.

use super::prose::plural;
use crate::{Frame, Report};

/// Calls shown of one stack; the rest is counted.
const FRAMES: usize = 12;

/// A line of a stack.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// A call.
    Call(&'a Frame),
    /// Calls that are not shown, in words.
    Folded(String),
}

/// Whether a frame is of the program and not of a library that everybody uses.
pub(super) fn is_own(frame: &Frame, report: &Report) -> bool {
    !frame.is_library() || frame.source().is_some_and(|source| report.sources.contains_key(&source))
}

/// The calls of a stack that are worth showing. A stack of libraries alone is not folded.
pub(super) fn fold<'a>(stack: &'a [Frame], report: &Report) -> Vec<Line<'a>> {
    let any = stack.iter().any(|frame| is_own(frame, report));
    let mut lines = Vec::new();
    let mut rest = stack;
    while let Some((first, others)) = rest.split_first() {
        if lines.len() == FRAMES {
            let more = plural(rest.len() as u64, "more call", "more calls");
            lines.push(Line::Folded(format!("and {more}")));
            return lines;
        }
        let foreign = |frame: &&Frame| any && !is_own(frame, report);
        let run = rest.iter().take_while(foreign).count();
        if run > 1 {
            let package = first.class.rsplit_once('.').map_or("", |(package, _)| package);
            lines.push(Line::Folded(format!("({run} calls in {package} and below)")));
            rest = rest.get(run..).unwrap_or_default();
        } else {
            lines.push(Line::Call(first));
            rest = others;
        }
    }
    // What started the thread is of no interest.
    if let (true, Some(Line::Folded(_))) = (any, lines.last()) {
        lines.pop();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(classes: &[&str]) -> Vec<Frame> {
        classes.iter().map(|class| Frame { class: (*class).into(), ..Frame::default() }).collect()
    }

    fn shown(classes: &[&str]) -> Vec<String> {
        fold(&stack(classes), &Report::new())
            .iter()
            .map(|line| match line {
                Line::Call(frame) => frame.class.clone(),
                Line::Folded(words) => words.clone(),
            })
            .collect()
    }

    #[test]
    fn calls_of_libraries_are_folded_between_ones_own() {
        let pool = "java.util.concurrent.ThreadPoolExecutor";
        assert_eq!(
            shown(&["com.acme.A", "java.util.ArrayList", "java.util.Iterator", "com.acme.B", pool, pool]),
            ["com.acme.A", "(2 calls in java.util and below)", "com.acme.B"]
        );
        assert_eq!(shown(&["com.acme.A", "java.lang.Thread"]), ["com.acme.A", "java.lang.Thread"]);
        assert_eq!(shown(&["java.util.A", "java.util.B"]), ["java.util.A", "java.util.B"]);
        assert_eq!(shown(&["javafoo.A", "javafoo.B"]), ["javafoo.A", "javafoo.B"]);
        assert!(shown(&[]).is_empty());
    }

    #[test]
    fn a_very_deep_stack_is_cut_and_counted() {
        let deep = shown(&["A"; 50]);
        assert_eq!(deep.len(), FRAMES + 1);
        assert_eq!(deep[FRAMES], "and 38 more calls");
    }
}
