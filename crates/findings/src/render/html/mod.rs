//! HTML: one file that needs nothing else, for people who look into findings with a browser.
//!
//! This side writes data; the script builds the page from it and never makes markup out of a name (`textContent` only).
//! Names are hostile: the data is JSON in which no `<` stands (`safe.rs`), and the page's policy lets nothing run but the
//! one script and nothing be fetched at all. Without JavaScript there is a plain list (`without_script.rs`).
//!
//! The page's parts are files beside this one, put together here in a fixed order; there is no build step.

mod data;
mod picture;
mod safe;
mod tables;
mod without_script;

use std::io::{self, BufWriter, Write};

use super::Render;
use super::prose::plural;
use crate::{DetectorDoc, Report};

pub(super) struct Html {
    pub(super) detectors: &'static [DetectorDoc],
}

/// The frame of the page, with a `{{name}}` for each part.
const PAGE: &str = include_str!("page.html");

const STYLE: &[&str] = &[
    include_str!("style/base.css"),
    include_str!("style/list.css"),
    include_str!("style/finding.css"),
    include_str!("style/pictures.css"),
    include_str!("style/print.css"),
];

/// In the order in which they use each other.
const SCRIPT: &[&str] = &[
    include_str!("script/dom.js"),
    include_str!("script/data.js"),
    include_str!("script/theme.js"),
    include_str!("script/filter.js"),
    include_str!("script/list.js"),
    include_str!("script/names.js"),
    include_str!("script/source.js"),
    include_str!("script/table.js"),
    include_str!("script/lanes.js"),
    include_str!("script/pictures.js"),
    include_str!("script/finding.js"),
    include_str!("script/coverage.js"),
    include_str!("script/main.js"),
];

impl Render for Html {
    fn render(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 16, out);
        let style = STYLE.concat();
        // One scope for all of them, and none for the page.
        let script = format!("\"use strict\";\n(() => {{\n{}}})();\n", SCRIPT.concat());
        let open = report.findings().filter(|finding| finding.is_open()).count() as u64;
        let mut rest = PAGE;
        while let Some((before, after)) = rest.split_once("{{") {
            out.write_all(before.as_bytes())?;
            let (name, after) = after.split_once("}}").unwrap_or((after, ""));
            match name {
                "policy" => out.write_all(policy(&style, &script).as_bytes())?,
                "title" => write!(out, "Raddle: {}", plural(open, "finding", "findings"))?,
                "style" => out.write_all(style.as_bytes())?,
                "list" => without_script::write(report, &mut out)?,
                "data" => data::write(report, self.detectors, &mut out)?,
                "script" => out.write_all(script.as_bytes())?,
                _ => {}
            }
            rest = after;
        }
        out.write_all(rest.as_bytes())?;
        out.flush()
    }
}

/// What the page may do: run this very script, use this very style, and nothing else.
fn policy(style: &str, script: &str) -> String {
    let (style, script) = (safe::hash(style), safe::hash(script));
    format!(
        "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; base-uri 'none'; form-action 'none'"
    )
}

#[cfg(test)]
mod tests;
