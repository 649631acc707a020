//! The published schema of the JSON report and of a line of JSON Lines.

/// The JSON Schema of `--format json`.
pub const JSON_SCHEMA: &str = include_str!("schema/report.json");

/// The JSON Schema of one line of `--format jsonl`.
pub const JSON_LINES_SCHEMA: &str = include_str!("schema/line.json");
