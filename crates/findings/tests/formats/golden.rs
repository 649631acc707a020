//! What each format makes of the corpus is what stands in its golden file. `BLESS=1 cargo test -p findings` writes them
//! anew; read the difference.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use findings::{Format, Rule, Style};

use crate::{corpus, golden_folder, rendered};

#[test]
fn every_format_gives_its_golden_file() {
    let report = corpus();
    for format in Format::ALL {
        let path = golden_folder().join(match format {
            Format::Json => "corpus.json".to_owned(),
            other => format!("corpus.{}", other.name()),
        });
        let mut found = rendered(format, &report);
        if format == Format::Html {
            found = without_constants(found);
        }
        compare(&path, &found);
    }
}

fn compare(path: &Path, found: &[u8]) {
    let mut expected = fs::read(path).unwrap_or_default();
    // Only where it differs: another test may be reading the corpus.
    if std::env::var_os("BLESS").is_some() && found != expected {
        fs::write(path, found).unwrap();
        expected = found.to_vec();
    }
    assert!(
        found == expected,
        "{}: if this is right, run again with BLESS=1\n{}",
        path.display(),
        String::from_utf8_lossy(found)
    );
}

/// What the text is for terminals of several widths, with and without colour.
#[test]
fn the_text_fits_the_terminal() {
    let report = corpus();
    for (width, color) in [(60, false), (120, false), (80, true)] {
        let style = Style { width, color, ..Style::default() };
        let mut found = Vec::new();
        Format::Text.renderer(style).render(&report, &mut found).unwrap();
        let name = if color { "corpus-color.text".to_owned() } else { format!("corpus-{width}.text") };
        compare(&golden_folder().join(name), &found);
        if !color {
            let text = String::from_utf8(found).unwrap();
            // A stack's frame and a headline are names, which are not broken.
            let is_name = |line: &str| line.trim_start().starts_with("at ") || line.ends_with(']');
            let long: Vec<&str> =
                text.lines().filter(|line| line.chars().count() > width && !is_name(line)).collect();
            assert!(long.is_empty(), "{long:#?}");
        }
    }
}

/// The page without its style, its script and their hashes, which are the same for every report and stand in files of their own.
fn without_constants(page: Vec<u8>) -> Vec<u8> {
    let mut page = String::from_utf8(page).expect("text");
    for (from, to) in
        [("<style>", "</style>"), ("<script>", "</script>"), ("Security-Policy\" content=\"", "\"")]
    {
        let start = page.find(from).expect(from) + from.len();
        let end = start + page[start..].find(to).expect(to);
        page.replace_range(start..end, "…");
    }
    page.into_bytes()
}

#[test]
fn the_corpus_shows_every_rule_and_state() {
    let report = corpus();
    let rules: BTreeSet<Rule> = report.findings().map(|finding| finding.rule).collect();
    assert_eq!(rules.len(), Rule::ALL.len());
    assert!(report.findings().any(|finding| finding.is_open()));
    assert!(report.findings().any(|finding| finding.baseline));
    for in_source in [true, false] {
        let suppressed = |finding: &findings::Finding| {
            finding.suppressed.as_ref().is_some_and(|found| found.in_source == in_source)
        };
        assert!(report.findings().any(suppressed));
    }
    assert!(report.gaps().count() > 0 && !report.stale.is_empty() && !report.sources.is_empty());
}
