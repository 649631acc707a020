//! What Raddle tells the user, as plain data, and its renderings.
//!
//! A [`Finding`] is one defect; every detector that sees it adds a [`Witness`]. A [`Gap`] is something that could not
//! be watched. A [`Report`] holds both, and a [`Render`]er turns it into one of many formats. This crate knows nothing of
//! events or programs: names come in as strings, and are not trusted.

mod baseline;
mod detail;
mod doc;
mod excerpt;
mod finding;
mod frame;
mod owners;
mod pattern;
pub mod picture;
mod render;
mod report;
mod rule;
mod schema;
mod suppress;

pub use baseline::{compare, read_baseline};
pub use detail::{APART, NO_COMMON_LOCK, NOTHING_IN_COMMON, THE_DEADLOCK, TOGETHER};
pub use detail::{Act, Mover, Narrowing, Origin, Taken, View};
pub use doc::{DetectorDoc, RuleDoc};
pub use excerpt::Excerpts;
pub use finding::{Confidence, Finding, Gap, Known, Road, Role, Stale, Step, Suppressed, Witness};
pub use frame::Frame;
pub use owners::Owners;
pub use pattern::matches;
pub use render::prose::{Paint, plural, thousands, visible, wrap};
pub use render::{Format, Render, Style, explain, read_json, rule_page};
pub use report::{Compared, Coverage, Report, fingerprint};
pub use rule::Rule;
pub use schema::{JSON_LINES_SCHEMA, JSON_SCHEMA};
pub use suppress::{Suppression, suppress};
