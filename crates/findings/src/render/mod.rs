//! How a report is shown. One file a format; a new one is its file, a row of [`Format::ALL`] and an arm of
//! [`Format::renderer`].

mod explain;
mod json;
pub(crate) mod prose;
mod text;

use std::io;

use crate::Report;

pub use explain::explain;
pub use json::read_json;

/// How much colour and width a renderer may use. Formats for programs take no notice of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Whether to colour.
    pub color: bool,
    /// Columns to wrap at.
    pub width: usize,
    /// Only the headlines.
    pub quiet: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self { color: false, width: 80, quiet: false }
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
}

impl Format {
    /// Every format, in the order in which they are listed.
    pub const ALL: [Format; 2] = [Format::Text, Format::Json];

    /// The name that people write.
    pub fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Json => "json",
        }
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
        }
    }
}
