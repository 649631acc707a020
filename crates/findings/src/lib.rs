//! What Raddle tells the user, as plain data, and its renderings.
//!
//! A [`Finding`] is one defect; every detector that sees it adds a [`Witness`]. A [`Gap`] is something that could not
//! be watched. A [`Report`] holds both, and a [`Render`]er turns it into text or JSON. This crate knows nothing of
//! events or programs: names come in as strings, and are not trusted.

mod doc;
mod finding;
mod frame;
mod render;
mod report;
mod rule;

pub use doc::RuleDoc;
pub use finding::{Confidence, Finding, Gap, Known, Role, Stale, Step, Suppressed, Witness};
pub use frame::Frame;
pub use render::prose::{Paint, plural, thousands, visible, wrap};
pub use render::{Format, Render, Style, explain, read_json};
pub use report::{Compared, Coverage, Report, fingerprint};
pub use rule::Rule;
