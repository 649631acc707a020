//! Why bytes could not be read or code could not be changed, and where. It prints itself; it recovers from nothing.

use std::fmt;

/// What went wrong, and the offset in the class file (in the method's code for an edit) where it was noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// Offset in bytes from the start of the class file, or of the attribute when it did not come from a file.
    pub offset: usize,
    /// What is wrong there.
    pub reason: Reason,
}

/// The kinds of failure. A caller that edits tells [`Reason::is_limit`] (leave the class as it was) from broken input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The bytes end before the structure does.
    Cut,
    /// The bytes are no class file, or break its rules.
    Malformed(&'static str),
    /// The constant pool would hold more than 65534 entries.
    PoolFull,
    /// A name or text is longer than 65535 bytes.
    TextTooLong,
    /// The code of a method would be longer than 65535 bytes.
    MethodTooLarge,
    /// A table (handlers, frames, fields, methods, locals, stack) would pass what its count can say.
    TableTooLarge(&'static str),
    /// The analysis of an old method would take too much memory or time.
    TooComplex,
    /// The edit asks for something that cannot be done.
    Refused(&'static str),
}

impl Reason {
    /// Is it a limit of the class-file format (and the class as such is sound)?
    pub fn is_limit(self) -> bool {
        matches!(
            self,
            Reason::PoolFull | Reason::TextTooLong | Reason::MethodTooLarge | Reason::TableTooLarge(_)
        )
    }
}

impl Error {
    /// A breach of the format's rules.
    pub(crate) fn malformed(offset: usize, what: &'static str) -> Error {
        Error { offset, reason: Reason::Malformed(what) }
    }

    /// An edit that cannot be done.
    pub(crate) fn refused(offset: usize, what: &'static str) -> Error {
        Error { offset, reason: Reason::Refused(what) }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Cut => f.write_str("the class file ends too early"),
            Reason::Malformed(what) | Reason::Refused(what) => f.write_str(what),
            Reason::PoolFull => f.write_str("the constant pool would have more than 65534 entries"),
            Reason::TextTooLong => f.write_str("a constant text would be longer than 65535 bytes"),
            Reason::MethodTooLarge => f.write_str("the method's code would be longer than 65535 bytes"),
            Reason::TableTooLarge(what) => write!(f, "too many {what}"),
            Reason::TooComplex => f.write_str("the types of this method would take too long to find"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "offset {}: {}", self.offset, self.reason)
    }
}

impl std::error::Error for Error {}

/// The result of everything that reads or changes class files.
pub type Result<T> = std::result::Result<T, Error>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_its_place() {
        let error = Error { offset: 7, reason: Reason::Cut };
        assert_eq!(error.to_string(), "offset 7: the class file ends too early");
        assert!(!error.reason.is_limit());
        assert!(Reason::PoolFull.is_limit());
    }
}
