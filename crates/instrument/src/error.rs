//! Why a class could not be woven. It says what; the caller leaves the class as it was and tells a gap.

use std::fmt;

/// The class is to be left as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Why, in words for people.
    pub why: String,
    /// Is it a limit of the class-file format (and the class as such is sound)?
    pub is_limit: bool,
}

impl Failure {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Failure { why: why.into(), is_limit: false }
    }
}

impl From<classfile::Error> for Failure {
    fn from(error: classfile::Error) -> Self {
        Failure { why: error.to_string(), is_limit: error.reason.is_limit() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for Failure {}
