//! How a detector's tests are written: a trace in text with `//~ rule` marks, one call.

use findings::Report;

use crate::{Analysis, Options, Spec};

/// Runs detectors over a written trace.
pub fn report(specs: &[&'static Spec], options: &Options, text: &str) -> Report {
    let trace = events::text::parse("test", text).unwrap_or_else(|e| panic!("{e}"));
    let mut analysis = Analysis::new(specs, options);
    analysis.batch(&trace.events, &trace.symbols).unwrap_or_else(|e| panic!("{e:?}"));
    analysis.finish(&trace.symbols).unwrap_or_else(|e| panic!("{e:?}"))
}

/// Runs a detector over a written trace and compares the events at which it found something with the marks.
/// A finding that is made at the end of the trace belongs to no event: see [`subjects`].
pub fn check(spec: &'static Spec, options: &Options, text: &str) -> Report {
    let trace = events::text::parse("test", text).unwrap_or_else(|e| panic!("{e}"));
    let report = report(&[spec], options, text);
    let mut found: Vec<(u64, &str)> = report
        .findings()
        .flat_map(|finding| finding.witnesses.iter().map(|witness| (witness.event, finding.rule.name())))
        .collect();
    found.sort_unstable();
    found.dedup();
    let expected: Vec<(u64, &str)> =
        trace.marks.iter().map(|mark| (mark.event, mark.rule.as_str())).collect();
    assert_eq!(found, expected, "(event, rule) found and marked differ in\n{text}\n{report:#?}");
    report
}

/// The subjects found for a written trace, in order.
pub fn subjects(spec: &'static Spec, options: &Options, text: &str) -> Vec<String> {
    report(&[spec], options, text).findings().map(|finding| finding.subject.clone()).collect()
}

/// The default options.
pub fn default() -> Options {
    Options::default()
}

/// The papers' definitions.
pub fn paper() -> Options {
    Options { paper: true, ..Options::default() }
}
