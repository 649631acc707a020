//! `cargo xtask papers`: the tables of the five papers, with a column of ours beside the paper's.
//!
//! The programs of `tests/papers` are checked and watched; what is found is judged by the marks in their sources. The page
//! `docs/papers.md` and its plots are written anew. Where a number differs from the paper's, `tests/papers/differences.txt` has to
//! say why, in one sentence; a difference without one fails the command. Times are of this machine and are not compared.

mod atomizer;
mod corpus;
mod ladder;
mod look;
mod moth;
mod page;
mod plot;
mod racer;
mod views;

use std::path::{Path, PathBuf};

use self::corpus::Corpus;
use self::look::Looker;
use self::page::Page;
use crate::bench::{build_all, place};

/// Everything a table needs.
pub struct Desk {
    /// The programs.
    pub corpus: Corpus,
    /// Looks at them.
    pub looker: Looker,
    /// Where plots are written.
    pub docs: PathBuf,
}

/// Makes the page.
pub fn run(args: &[&str]) -> Result<(), String> {
    if !args.is_empty() {
        return Err(format!("papers takes no arguments, and not {}", args.join(" ")));
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let raddle = build_all()?;
    let place = place()?.join("papers");
    let corpus = Corpus::compile(&root.join("tests"), &place)?;
    let docs = root.join("docs");
    let desk = Desk { corpus, looker: Looker { raddle, place }, docs: docs.clone() };
    let notes = root.join("tests/papers/differences.txt");
    let notes = std::fs::read_to_string(&notes).map_err(|error| format!("{}: {error}", notes.display()))?;
    let mut page = Page::new(&notes)?;
    for table in [moth::tables, views::tables, racer::tables, atomizer::tables] {
        table(&desk, &mut page)?;
    }
    let (text, unexplained) = page.finish();
    print!("{text}");
    let to = docs.join("papers.md");
    std::fs::write(&to, &text).map_err(|error| format!("{}: {error}", to.display()))?;
    if unexplained.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "tests/papers/differences.txt does not explain, or there is no such row: {}",
            unexplained.join("; ")
        ))
    }
}
