//! One defect and the evidence for it.

use serde::{Deserialize, Serialize};

use crate::{Act, Frame, Mover, Narrowing, Origin, Rule, Taken, View};

/// How sure a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// Worth a look.
    Low,
    /// A pattern that is usually a defect.
    Medium,
    /// Shown by the observed run itself.
    High,
}

impl Confidence {
    /// Every level, lowest first.
    pub const ALL: [Confidence; 3] = [Confidence::Low, Confidence::Medium, Confidence::High];

    /// The name that people write.
    pub fn name(self) -> &'static str {
        match self {
            Confidence::Low => "low",
            Confidence::Medium => "medium",
            Confidence::High => "high",
        }
    }
}

/// What a step of a witness did.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Read the variable.
    #[default]
    Read,
    /// Wrote the variable.
    Write,
    /// Took a lock.
    Acquire,
    /// Gave a lock up.
    Release,
    /// Entered the block that should be atomic.
    BlockEntered,
    /// The operation after which the block has taken effect.
    Commit,
    /// The operation that breaks the atomicity of the block.
    Violation,
    /// Left the block.
    BlockLeft,
    /// An operation of another thread that comes in between.
    Interference,
    /// Holds the first lock of an edge of a lock cycle.
    Holds,
    /// Wants the second lock of an edge of a lock cycle.
    Wants,
    /// Used a value that was read before.
    Use,
}

/// One operation of one thread that belongs to the defect.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Step {
    /// The thread's name.
    pub thread: String,
    /// What it did.
    pub role: Role,
    /// What it did it with, where the subject does not say: the object's field, the lock.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub target: String,
    /// Where.
    #[serde(flatten)]
    pub place: Frame,
    /// The locks held at that moment; of a write, those that protect it.
    pub locks: Vec<String>,
    /// Locks that a writer holds in read mode only, which protects no write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_locks: Vec<String>,
    /// Where the locks were taken, as far as that is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken: Vec<Taken>,
    /// What it did, where the role says only what that meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub act: Option<Act>,
    /// How it can be moved, where that matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mover: Option<Mover>,
    /// The calls that led there, innermost first, without the place itself.
    #[serde(with = "crate::frame::lines")]
    pub stack: Vec<Frame>,
    /// Whether `stack` is an example of how this place is reached and not the very stack of this operation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stack_is_example: bool,
    /// What there is to say about it, one sentence without a full stop; often empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// One detector's evidence.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Witness {
    /// Which detector.
    pub detector: String,
    /// What happened, in an order that explains it.
    pub steps: Vec<Step>,
    /// What there is to say beyond the steps, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What to do about it: one of the notes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub advice: String,
    /// The tests that were running.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<String>,
    /// Where the threads of the steps come from, as far as that is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<Origin>,
    /// For a variable that no lock protects: the accesses at which the locks in common became fewer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub narrowing: Vec<Narrowing>,
    /// For variables that are used together and apart: the block that uses them together, then those that do not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub views: Vec<View>,
    /// The event of the trace at which the detector saw it, counted from 0; not rendered.
    #[serde(skip)]
    pub event: u64,
}

impl Witness {
    /// Every place that it speaks of, without the calls that led there.
    pub fn places(&self) -> impl Iterator<Item = &Frame> {
        let steps = self.steps.iter();
        let steps = steps.flat_map(|step| step.taken.iter().map(|taken| &taken.at).chain([&step.place]));
        let threads = self.threads.iter().map(|origin| &origin.at);
        let narrowing = self.narrowing.iter().map(|access| &access.at);
        steps.chain(threads).chain(narrowing).chain(self.views.iter().map(|view| &view.at))
    }
}

/// How a defect was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Road {
    /// By watching the program run.
    Run,
    /// By reading its code.
    Code,
}

/// One defect.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// What is wrong.
    pub rule: Rule,
    /// Rule and subject in sixteen hexadecimal digits; the same on every machine and for every detector.
    pub fingerprint: String,
    /// How sure.
    pub confidence: Confidence,
    /// What it is wrong with: names only.
    pub subject: String,
    /// One sentence for people.
    pub message: String,
    /// Who found it, in alphabetical order.
    pub detectors: Vec<String>,
    /// How often it was seen.
    pub count: u64,
    /// Whether a baseline already knows it.
    pub baseline: bool,
    /// Why it is nobody's concern, where somebody has said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<Suppressed>,
    /// Who looks after the code in which it happens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owners: Vec<String>,
    /// Which roads led to it, where both were taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roads: Vec<Road>,
    /// The evidence.
    pub witnesses: Vec<Witness>,
}

impl Finding {
    /// Whether somebody still has to look at it: nothing suppresses it, and no baseline knows it.
    pub fn is_open(&self) -> bool {
        !self.baseline && self.suppressed.is_none()
    }

    /// Which roads led to it, in words; nothing where only one was taken.
    pub fn roads_in_words(&self) -> Option<&'static str> {
        match self.roads.as_slice() {
            [] => None,
            [Road::Run] => Some("in the run only"),
            [Road::Code] => Some("in the code only: this run did not do it"),
            _ => Some("in the run and in the code"),
        }
    }
}

/// Who says that a finding is nobody's concern, and why.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Suppressed {
    /// Why.
    pub reason: String,
    /// Where that is said: `raddle.toml:12`, `@RacyOnPurpose on com.acme.Stats.hits`.
    pub by: String,
    /// Whether it stands in the program itself.
    #[serde(default)]
    pub in_source: bool,
}

/// A finding that a baseline knows, by its names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Known {
    /// What is wrong.
    pub rule: Rule,
    /// What it is wrong with, as the baseline writes it.
    pub subject: String,
    /// Both in sixteen hexadecimal digits.
    pub fingerprint: String,
}

/// A suppression that nothing needs (any more).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Stale {
    /// What it would suppress.
    pub what: String,
    /// Where it stands.
    pub by: String,
}

/// Something that could not be watched or analysed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Gap {
    /// What.
    pub what: String,
    /// Why.
    pub why: String,
    /// How many of it.
    pub count: u64,
}
