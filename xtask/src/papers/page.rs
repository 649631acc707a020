//! The page that the tables are put on: Markdown, with a sentence for each row that differs from the paper.

use std::collections::{BTreeMap, BTreeSet};

const HEAD: &str = "\
# The papers, side by side

Raddle's detectors come from five papers. Their authors tried their tools on programs; we wrote such programs anew from the
papers' descriptions (`tests/papers`), with every defect marked and a mended twin. Here are the papers' tables, with what
Raddle finds in our programs beside what the paper reports for its own. `cargo xtask papers` makes this page.

The programs are not the papers' programs, so numbers can be compared as far as their kind goes: which defects are found,
which are missed, what is a false alarm. *By default* is how Raddle runs; *`--paper`* is the papers' definitions. Times are of
one machine with two cores, from the start of a process to its end.

In short:

";

const AT_TIMES: &str = "at times ";

/// A row of a table.
pub struct Row {
    /// Its first cell, and what its explanation is kept under.
    pub name: String,
    /// The other cells.
    pub cells: Vec<String>,
    /// Whether a number that should be the paper's is not.
    pub differs: bool,
}

/// The page as far as it has got.
pub struct Page {
    text: String,
    /// What each paper's tables come to, a line each, told before them.
    short: String,
    notes: BTreeMap<String, String>,
    /// Rows whose difference need not be there.
    at_times: BTreeSet<String>,
    /// Rows with a sentence that differ.
    rows: BTreeSet<String>,
    unexplained: Vec<String>,
}

impl Page {
    /// An empty page; `notes` has a line `table, row: sentence` for each difference. Before a difference that depends on how the
    /// threads happen to run stands `at times`.
    pub fn new(notes: &str) -> Result<Self, String> {
        let (mut explained, mut at_times) = (BTreeMap::new(), BTreeSet::new());
        for line in notes.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
            let (key, sentence) =
                line.split_once(": ").ok_or_else(|| format!("differences.txt: no sentence in {line:?}"))?;
            let certain = key.strip_prefix(AT_TIMES);
            at_times.extend(certain.map(str::to_owned));
            explained.insert(certain.unwrap_or(key).to_owned(), sentence.to_owned());
        }
        let (rows, unexplained) = (BTreeSet::new(), Vec::new());
        Ok(Self { text: String::new(), short: String::new(), notes: explained, at_times, rows, unexplained })
    }

    /// What a paper's tables come to, for the beginning of the page.
    pub fn sum_up(&mut self, paper: &str, what: &str) {
        // No remark begins so: those of tables begin with the row.
        self.short += &format!("- For {paper}: {what}\n");
    }

    /// A heading.
    pub fn heading(&mut self, title: &str) {
        self.text += &format!("\n## {title}\n");
    }

    /// A paragraph.
    pub fn say(&mut self, text: &str) {
        self.text += &format!("\n{text}\n");
    }

    /// A table, and why its numbers are not the paper's. `key` is what the explanations call the table.
    pub fn table(&mut self, key: &str, head: &[&str], rows: &[Row]) {
        self.text += &format!("\n| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
        for row in rows {
            self.text += &format!("| {} | {} |\n", row.name, row.cells.join(" | "));
        }
        let mut remarks = String::new();
        for row in rows {
            let key = format!("{key}, {}", row.name);
            match self.notes.get(&key) {
                Some(sentence) if row.differs => remarks += &format!("- *{}*: {sentence}\n", row.name),
                None if row.differs => self.unexplained.push(key.clone()),
                _ => {}
            }
            if row.differs || self.at_times.contains(&key) {
                self.rows.insert(key);
            }
        }
        if !remarks.is_empty() {
            self.text += &format!("\n{remarks}");
        }
    }

    /// The page, and the differences without a sentence and sentences without a row that differs.
    pub fn finish(self) -> (String, Vec<String>) {
        let mut unexplained = self.unexplained;
        unexplained.extend(self.notes.into_keys().filter(|key| !self.rows.contains(key)));
        (format!("{HEAD}{}{}", self.short, self.text), unexplained)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_without_a_sentence_is_told() {
        let row =
            |name: &str, differs| Row { name: name.to_owned(), cells: vec!["1, 2".to_owned()], differs };
        let notes = "# why\nt, a: because.\nt, c: it does not differ.\nt, d: there is no such row.\n";
        let mut page = Page::new(&format!("{notes}at times t, e: if threads are slow.\n")).unwrap();
        page.sum_up("Theirs", "as many.");
        page.table("t", &["x", "y"], &[row("a", true), row("b", true), row("c", false), row("e", false)]);
        let (text, unexplained) = page.finish();
        assert!(
            text.contains("| x | y |\n|---|---|\n| a | 1, 2 |\n") && text.contains("- *a*: because.\n"),
            "{text}"
        );
        let (short, table) = (text.find("- For Theirs: as many.\n"), text.find("| x | y |"));
        assert!(short.is_some() && short < table, "{text}");
        assert_eq!(unexplained, ["t, b", "t, c", "t, d"]);
    }

    /// The page as it stands in the repository and the sentences belong together, without making the page anew.
    #[test]
    fn every_sentence_is_on_the_page_and_every_one_on_the_page_is_known() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
        let (text, notes) = (read("docs/papers.md"), read("tests/papers/differences.txt"));
        let page = Page::new(&notes).unwrap();
        let mut shown = BTreeSet::new();
        for remark in text.lines().filter_map(|line| line.strip_prefix("- *")) {
            let (row, sentence) = remark.split_once("*: ").unwrap();
            let known = page.notes.iter().find(|(key, known)| {
                key.ends_with(&format!(", {row}")) && *known == sentence && !shown.contains(*key)
            });
            shown.insert(known.unwrap_or_else(|| panic!("no such sentence: {remark}")).0.clone());
        }
        for key in page.notes.keys() {
            assert!(shown.contains(key) || page.at_times.contains(key), "{key} is not on the page");
        }
    }
}
