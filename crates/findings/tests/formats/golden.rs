//! What each format makes of the corpus is what stands in its golden file. `BLESS=1 cargo test -p findings` writes them
//! anew; read the difference.

use std::collections::BTreeSet;
use std::fs;

use findings::{Format, Rule};

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
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &found).unwrap();
        }
        let expected = fs::read(&path).unwrap_or_default();
        assert!(
            found == expected,
            "{}: if this is right, run again with BLESS=1\n{}",
            path.display(),
            String::from_utf8_lossy(&found)
        );
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
