//! How a report is shown. One file a format; a new one is its file, a row of [`Format::ALL`] and an arm of
//! [`Format::renderer`].

mod explain;
mod github;
mod html;
mod json;
mod jsonl;
mod junit;
mod markdown;
mod perfetto;
mod place;
mod plain;
pub(crate) mod prose;
mod protobuf;
mod rule_page;
mod sarif;
mod sarif_place;
mod text;
mod text_explain;
mod text_finding;
mod text_source;
mod text_stack;
mod text_table;
mod words;

use std::io;

use crate::baseline::Baseline;
use crate::{DetectorDoc, Report};

pub use explain::explain;
pub use json::read_json;
pub use rule_page::rule_page;

/// How much colour and width a renderer may use. Formats for programs take no notice of colour and width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Whether to colour.
    pub color: bool,
    /// Columns to wrap at.
    pub width: usize,
    /// Only the headlines.
    pub quiet: bool,
    /// Who finds what, for formats that carry the rules' documentation.
    pub detectors: &'static [DetectorDoc],
}

impl Default for Style {
    fn default() -> Self {
        Self { color: false, width: 80, quiet: false, detectors: &[] }
    }
}

/// Turns a report into bytes.
pub trait Render {
    /// Writes the whole report.
    fn render(&self, report: &Report, out: &mut dyn io::Write) -> io::Result<()>;
}

/// The formats there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people, on a terminal.
    Text,
    /// For programs.
    Json,
    /// For databases: one finding a line.
    JsonLines,
    /// For code scanning services.
    Sarif,
    /// For the test page of build services.
    Junit,
    /// For the log of a build on GitHub.
    Github,
    /// For the comment on a pull request.
    Markdown,
    /// For people, in a browser.
    Html,
    /// For the Perfetto trace viewer; binary.
    Perfetto,
    /// For comparing with later.
    Baseline,
}

impl Format {
    /// Every format, in the order in which they are listed.
    pub const ALL: [Format; 10] = [
        Format::Text,
        Format::Json,
        Format::JsonLines,
        Format::Sarif,
        Format::Junit,
        Format::Github,
        Format::Markdown,
        Format::Html,
        Format::Perfetto,
        Format::Baseline,
    ];

    /// The name that people write.
    pub fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Json => "json",
            Format::JsonLines => "jsonl",
            Format::Sarif => "sarif",
            Format::Junit => "junit",
            Format::Github => "github",
            Format::Markdown => "markdown",
            Format::Html => "html",
            Format::Perfetto => "perfetto",
            Format::Baseline => "baseline",
        }
    }

    /// What it is for, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Format::Text => "for people, on a terminal",
            Format::Json => "for programs; raddle report reads it back, raddle schema describes it",
            Format::JsonLines => "for databases: one finding a line, keyed by its fingerprint",
            Format::Sarif => "for code scanning services such as GitHub's (SARIF 2.1.0)",
            Format::Junit => "for the test page of build services (JUnit XML)",
            Format::Github => "annotations in the log of a build on GitHub",
            Format::Markdown => "for the comment on a pull request",
            Format::Html => "for people, in a browser: one page that needs nothing else",
            Format::Perfetto => "for the Perfetto trace viewer: threads, locks and order as tracks; binary",
            Format::Baseline => "for --baseline: the findings that are there already",
        }
    }

    /// Whether it is no text.
    pub fn is_binary(self) -> bool {
        self == Format::Perfetto
    }

    /// The format of a name.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    /// What renders it.
    pub fn renderer(self, style: Style) -> Box<dyn Render> {
        match self {
            Format::Text => Box::new(text::Text { style }),
            Format::Json => Box::new(json::Json),
            Format::JsonLines => Box::new(jsonl::JsonLines),
            Format::Sarif => Box::new(sarif::Sarif { detectors: style.detectors }),
            Format::Junit => Box::new(junit::Junit),
            Format::Github => Box::new(github::Github),
            Format::Markdown => Box::new(markdown::Markdown),
            Format::Html => Box::new(html::Html { detectors: style.detectors }),
            Format::Perfetto => Box::new(perfetto::Perfetto),
            Format::Baseline => Box::new(Baseline),
        }
    }
}
