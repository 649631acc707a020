//! What can be wrong. A rule is stable: people suppress it, count it and search for it.

use serde::{Deserialize, Serialize};

/// A kind of defect.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Two threads use one variable at the same time and one of them writes.
    DataRace,
    /// Variables that belong together are used together in one place and apart in another.
    HighLevelRace,
    /// A value read under a lock is used after the lock was given up.
    StaleValue,
    /// A block that should happen as a whole can be interleaved.
    NonAtomic,
    /// Threads take locks in different orders and can block each other for ever.
    LockOrder,
}

impl Rule {
    /// Every rule, in the order in which they are listed.
    pub const ALL: [Rule; 5] =
        [Rule::DataRace, Rule::HighLevelRace, Rule::StaleValue, Rule::NonAtomic, Rule::LockOrder];

    /// The name that people write: reads after "allow …".
    pub fn name(self) -> &'static str {
        match self {
            Rule::DataRace => "data-race",
            Rule::HighLevelRace => "high-level-race",
            Rule::StaleValue => "stale-value",
            Rule::NonAtomic => "non-atomic",
            Rule::LockOrder => "lock-order",
        }
    }

    /// The rule of a name.
    pub fn from_name(name: &str) -> Option<Rule> {
        Rule::ALL.into_iter().find(|rule| rule.name() == name)
    }
}
