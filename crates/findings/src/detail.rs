//! What a detector may know beyond the steps of its witness: where locks were taken, where threads come from, how the
//! locks in common became fewer, which fields were used together.
//!
//! All of it may be missing: reports of older versions have none, and not every source of events tells everything.

use serde::{Deserialize, Serialize};

use crate::{Frame, Role};

/// The note that two accesses have no lock in common. Like the next ones it is said by detectors, and not again by
/// formats that show it in a picture.
pub const NO_COMMON_LOCK: &str = "No lock is held at both places.";
/// How the note ends that says which locks were held.
pub const NOTHING_IN_COMMON: &str = ": nothing in common.";
/// How the note begins that says who holds what and wants what.
pub const THE_DEADLOCK: &str = "The deadlock: ";
/// What stands between the thread and the variables in the note on the block that uses them together.
pub const TOGETHER: &str = " in one block: ";
/// The same for the blocks that do not.
pub const APART: &str = " of them, block by block: ";

/// What an operation did, whatever it means for the defect.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Act {
    /// Read a variable.
    Read,
    /// Wrote a variable.
    Write,
    /// Updated a variable atomically.
    Update,
    /// Used a variable or a value; how is not known.
    Use,
    /// Took a lock.
    Acquire,
    /// Gave a lock up.
    Release,
    /// Wanted a lock.
    Want,
    /// Entered a block.
    Enter,
    /// Left a block.
    Leave,
    /// Started a thread.
    Start,
    /// Waited for the end of a thread.
    Join,
    /// Gave a signal.
    Signal,
    /// Waited for a signal.
    Observe,
    /// Something else.
    Other,
}

/// How an operation can be moved past what other threads do (Lipton's reduction).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mover {
    /// It can be done later: taking a lock.
    Right,
    /// It can be done earlier: giving a lock up.
    Left,
    /// Both: an access that a lock protects.
    Both,
    /// Neither: an access that others can come before and after.
    Neither,
}

impl Mover {
    /// Its letter in the literature.
    pub fn letter(self) -> char {
        match self {
            Mover::Right => 'R',
            Mover::Left => 'L',
            Mover::Both => 'B',
            Mover::Neither => 'N',
        }
    }
}

/// Where a lock that is held was taken.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Taken {
    /// Which lock.
    pub lock: String,
    /// Where.
    #[serde(with = "crate::frame::line")]
    pub at: Frame,
    /// Whether this is a place where it was taken once, and not certainly this time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub example: bool,
}

/// Where a thread comes from.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Origin {
    /// The thread.
    pub thread: String,
    /// The thread that started it.
    pub by: String,
    /// Where.
    #[serde(with = "crate::frame::line")]
    pub at: Frame,
    /// The calls that led there, innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "crate::frame::lines")]
    pub stack: Vec<Frame>,
}

impl Origin {
    /// Where the program itself started it: not in `Thread.start` or an executor. None where no call of the program is
    /// known.
    pub fn place(&self) -> Option<&Frame> {
        std::iter::once(&self.at)
            .chain(&self.stack)
            .find(|frame| !frame.is_library() && **frame != Frame::default())
    }
}

/// An access, and which locks were held at every access so far.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Narrowing {
    /// The thread.
    pub thread: String,
    /// Whether it read or wrote.
    pub role: Role,
    /// Where.
    #[serde(with = "crate::frame::line")]
    pub at: Frame,
    /// The locks that protected the access.
    pub locks: Vec<String>,
    /// Those of them that protected every access up to this one.
    pub left: Vec<String>,
}

/// What a thread used together in one block.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct View {
    /// The thread.
    pub thread: String,
    /// Whether it read, wrote or did either.
    pub role: Role,
    /// The lock that was held over the block.
    pub lock: String,
    /// Where the block began.
    #[serde(with = "crate::frame::line")]
    pub at: Frame,
    /// The variables.
    pub fields: Vec<String>,
}
