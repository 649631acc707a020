//! Why no lock keeps two accesses apart, in terms of the locks that were held.

use serde::Serialize;

use super::LOCKS;
use crate::picture::short;
use crate::{Role, Step};

/// Why two accesses have no lock in common.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum Apart {
    /// Neither thread holds any lock.
    NoLocks,
    /// Only one of them holds locks.
    OneSide {
        /// Which thread.
        holder: String,
        /// What it holds.
        locks: Vec<String>,
        /// The thread that holds nothing.
        other: String,
    },
    /// A lock is held at both places, but a writer holds it in read mode, which lets others in.
    ReadMode {
        /// The writer.
        writer: String,
        /// The lock.
        lock: String,
    },
    /// Both hold a lock of the same class, but of different objects.
    OtherObject {
        /// The class.
        class: String,
        /// The lock of the first thread.
        first: String,
        /// The lock of the second thread.
        second: String,
    },
    /// Both hold locks, but different ones.
    Different {
        /// Those of the first thread.
        first: Vec<String>,
        /// Those of the second thread.
        second: Vec<String>,
    },
}

/// The class of a lock that is an object: `Account` of `Account@7`.
fn class(lock: &str) -> Option<&str> {
    let (class, number) = lock.rsplit_once('@')?;
    (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some(class)
}

impl Apart {
    /// Why; none if a lock is held at both.
    pub(in crate::picture) fn of(first: &Step, second: &Step) -> Option<Apart> {
        let locks = |step: &Step| step.locks.iter().take(LOCKS).cloned().collect::<Vec<String>>();
        let (one, two) = (locks(first), locks(second));
        if one.iter().any(|lock| two.contains(lock)) {
            return None;
        }
        for (writer, other) in [(first, second), (second, first)] {
            let both = |lock: &&String| other.locks.contains(lock) || other.read_locks.contains(lock);
            if let Some(lock) = writer.read_locks.iter().take(LOCKS).find(both)
                && writer.role == Role::Write
            {
                return Some(Apart::ReadMode { writer: writer.thread.clone(), lock: lock.clone() });
            }
        }
        let one_side = |holder: &Step, other: &Step, locks| Apart::OneSide {
            holder: holder.thread.clone(),
            locks,
            other: other.thread.clone(),
        };
        if one.is_empty() && two.is_empty() {
            return Some(Apart::NoLocks);
        }
        if two.is_empty() {
            return Some(one_side(first, second, one));
        }
        if one.is_empty() {
            return Some(one_side(second, first, two));
        }
        for mine in &one {
            let same = |theirs: &&String| class(mine).is_some() && class(theirs) == class(mine);
            if let (Some(class), Some(theirs)) = (class(mine), two.iter().find(same)) {
                let class = class.to_owned();
                return Some(Apart::OtherObject { class, first: mine.clone(), second: theirs.clone() });
            }
        }
        Some(Apart::Different { first: one, second: two })
    }

    /// The reason as half a sentence, after "no common lock: ".
    pub fn words(&self) -> String {
        let list = |locks: &[String]| locks.iter().map(|lock| short(lock)).collect::<Vec<_>>().join(", ");
        match self {
            Apart::NoLocks => "neither thread holds a lock".to_owned(),
            Apart::OneSide { holder, locks, other } => {
                format!("{holder} holds {}, but {other} holds no lock", list(locks))
            }
            Apart::ReadMode { writer, lock } => {
                format!(
                    "both hold {}, but {writer} writes while it holds it in read mode, which lets others in",
                    short(lock)
                )
            }
            Apart::OtherObject { class, first, second } => {
                format!(
                    "each holds the lock of another {}: {} is not {}",
                    short(class),
                    short(first),
                    short(second)
                )
            }
            Apart::Different { first, second } => {
                format!("the one holds {}, the other {}", list(first), list(second))
            }
        }
    }
}
