//! Every format over one corpus of findings, against its published schema, and with names that mean harm.

mod golden;
mod hostile;
mod schemas;

use std::path::{Path, PathBuf};

use findings::{Format, Report, Style, read_json};

/// Where the golden files lie.
fn golden_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// A report with every rule, every state and every kind of place.
fn corpus() -> Report {
    let text = std::fs::read_to_string(golden_folder().join("corpus.json")).expect("the corpus");
    let mut report = read_json(&text).expect("a report");
    for (source, lines) in [("com/acme/Account.java", [15, 16, 24]), ("com/acme/Stock.java", [20, 25, 26])] {
        let text = std::fs::read_to_string(golden_folder().join("source").join(source)).expect("a source");
        report.excerpts.add(source, &text, &lines.into());
    }
    report
}

fn rendered(format: Format, report: &Report) -> Vec<u8> {
    let mut out = Vec::new();
    format.renderer(Style::default()).render(report, &mut out).expect("memory takes everything");
    out
}

fn text(format: Format, report: &Report) -> String {
    String::from_utf8(rendered(format, report)).expect("text")
}
