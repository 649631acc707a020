//! What could not be read or analysed. The user is told; nothing is guessed in its place.

/// Something that is missing from what was analysed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gap {
    /// What: `class a.B`, `method a.B.m(int)`, a file.
    pub what: String,
    /// Why.
    pub why: String,
    /// How often.
    pub count: u64,
}

impl Gap {
    /// A gap.
    pub fn new(what: impl Into<String>, why: impl Into<String>) -> Gap {
        Gap { what: what.into(), why: why.into(), count: 1 }
    }

    /// A gap that is there so often.
    pub fn times(self, count: u64) -> Gap {
        Gap { count, ..self }
    }
}
