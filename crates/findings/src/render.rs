//! How a report is shown. One file a format; a new one is one more row of [`Format`].

use std::io;

use crate::Report;

/// How much colour and width a renderer may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Whether to colour.
    pub color: bool,
    /// Columns to wrap at.
    pub width: usize,
    /// Only the headlines.
    pub quiet: bool,
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
