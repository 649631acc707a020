//! From ids to names: where a detector's evidence becomes part of the report.

use events::{BlockId, ClassId, FieldId, Lock, LockId, Op, SiteId, Slot, StrId, Symbols, ThreadId, VarId};
use findings::{Act, Confidence, Gap, Mover, Report, Role, Rule, Witness};
use rustc_hash::FxHashMap;

use crate::detector::{At, Now};
use crate::lock_names;
use crate::shared::lockset::LockSet;

mod names;
#[cfg(test)]
mod tests;

pub(crate) use self::names::frame;
use self::names::{Examples, Names};

/// What a finding is about; its names make the fingerprint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Subject {
    /// A variable, by its field.
    Variable(VarId),
    /// A variable that was seen at two places: an element of an array, or what a collection holds, by the field that one
    /// of them takes the array or collection from. All arrays of a type would be one subject without it.
    SeenAt(VarId, [SiteId; 2]),
    /// Several variables, by their fields: no matter how often or in which order.
    Variables(Vec<VarId>),
    /// The same, for a detector that reports when some of the objects may be gone.
    Kinds(Vec<VariableKind>),
    /// A block.
    Block(BlockId),
    /// The locks of a cycle, in any order, each with the field that it is called after if its class says nothing.
    Locks(Vec<(LockId, Option<StrId>)>),
}

/// What a variable is without its object. Unlike the variable's id it is never used again for something else.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum VariableKind {
    /// A field of any object, or a static field.
    Field(FieldId),
    /// The elements of any array of a class.
    Elements(Option<ClassId>),
}

impl VariableKind {
    /// What kind of variable this is.
    pub fn of(var: VarId, now: &Now<'_>) -> Self {
        let variable = now.variable(var);
        match variable.slot {
            Slot::Field(field) => Self::Field(field),
            Slot::Elements { .. } => {
                Self::Elements(variable.object.map(|object| now.symbols.objects().get(object).class))
            }
        }
    }

    /// `pkg.Class.field`, `elements of int[]`.
    pub fn name(self, symbols: &Symbols) -> String {
        match self {
            Self::Field(field) => symbols.field_name(field),
            // Whoever copies an array as an object knows no more of it.
            Self::Elements(Some(class)) if symbols.class_name(class).ends_with(']') => {
                format!("elements of {}", symbols.class_name(class))
            }
            Self::Elements(_) => "array elements".to_owned(),
        }
    }

    fn key(self) -> u64 {
        match self {
            Self::Field(FieldId(field)) => u64::from(field),
            Self::Elements(Some(class)) => 1 << 32 | u64::from(class.0),
            Self::Elements(None) => 2 << 32,
        }
    }
}

/// What a step did something with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// A variable.
    Variable(VarId),
    /// A lock.
    Lock(LockId),
}

/// One step of a witness, as ids.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepAt {
    /// Who.
    pub thread: ThreadId,
    /// Where.
    pub site: SiteId,
    /// What.
    pub role: Role,
    /// With what, where the subject does not say it.
    pub target: Option<Target>,
    /// The locks held.
    pub locks: LockSet,
    /// Where locks were taken, as far as the detector knows.
    pub taken: Vec<(LockId, SiteId)>,
    /// What it did, where the role says only what that meant.
    pub act: Option<Act>,
    /// How it can be moved, where that matters.
    pub mover: Option<Mover>,
    /// A remark; often empty.
    pub note: String,
}

impl StepAt {
    /// A step without any remark.
    pub fn new(thread: ThreadId, site: SiteId, role: Role, target: Option<Target>, locks: LockSet) -> Self {
        Self {
            thread,
            site,
            role,
            target,
            locks,
            taken: Vec::new(),
            act: None,
            mover: None,
            note: String::new(),
        }
    }
}

/// An access at which the locks in common became fewer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NarrowingAt {
    /// Who.
    pub thread: ThreadId,
    /// Where.
    pub site: SiteId,
    /// Whether it wrote.
    pub write: bool,
    /// What protected it.
    pub locks: LockSet,
    /// What protected it and all before it.
    pub left: LockSet,
}

/// What a detector may know beyond the steps; mostly nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Details {
    /// How the locks in common became fewer.
    pub narrowing: Vec<NarrowingAt>,
    /// What to do about it: one of the notes.
    pub advice: String,
    /// Which variables were used together.
    pub views: Vec<findings::View>,
}

/// All that a detector says about one sighting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// What is wrong.
    pub rule: Rule,
    /// With what.
    pub subject: Subject,
    /// How sure.
    pub confidence: Confidence,
    /// One sentence for people; `{}` stands for the subject.
    pub message: String,
    /// What happened.
    pub steps: Vec<StepAt>,
    /// What else there is to say.
    pub notes: Vec<String>,
    /// What else there is to show.
    pub details: Details,
}

/// Where detectors put what they found.
#[derive(Default)]
pub struct Out {
    report: Report,
    detector: &'static str,
    /// How often each detector has been asked for each subject, so that a million sightings of one defect cost
    /// a look-up each and not a million strings.
    seen: FxHashMap<(&'static str, Rule, Vec<u64>), Seen>,
    examples: Examples,
    asked: u64,
}

struct Seen {
    subject: String,
    times: u64,
    /// How sure the surest was.
    confidence: Confidence,
}

impl Out {
    /// How often a detector had something to tell.
    pub(crate) fn asked(&self) -> u64 {
        self.asked
    }

    /// Whether another sighting should be told in full. If not, it has been counted and there is nothing to do.
    pub fn wants(&mut self, rule: Rule, subject: &Subject, now: &Now<'_>) -> bool {
        self.wants_so_sure(rule, subject, Confidence::Low, now)
    }

    /// The same for a detector that is surer at some times than at others: what is surer than all so far always is.
    pub fn wants_so_sure(
        &mut self,
        rule: Rule,
        subject: &Subject,
        confidence: Confidence,
        now: &Now<'_>,
    ) -> bool {
        self.asked += 1;
        let key = (self.detector, rule, key(subject, now));
        match self.seen.get_mut(&key) {
            Some(seen)
                if seen.times >= Report::WITNESSES_PER_DETECTOR as u64 && confidence <= seen.confidence =>
            {
                seen.times += 1;
                self.report.count_again(rule, &seen.subject);
                false
            }
            _ => true,
        }
    }

    /// Whether evidence of a sighting that has been counted is surer than all so far.
    pub fn is_surer(&self, rule: Rule, subject: &Subject, confidence: Confidence, now: &Now<'_>) -> bool {
        let seen = self.seen.get(&(self.detector, rule, key(subject, now)));
        seen.is_some_and(|seen| confidence > seen.confidence)
    }

    /// Adds evidence of a sighting that has been counted.
    pub fn add_counted(&mut self, evidence: Evidence, at: Option<At>, now: &Now<'_>) {
        self.tell(evidence, at, now.test(), now, Report::add_counted);
    }

    /// Adds evidence, seen at an event of the current stretch.
    pub fn add(&mut self, evidence: Evidence, at: Option<At>, now: &Now<'_>) {
        self.add_late(evidence, at, now.test(), now);
    }

    /// Adds evidence of what happened earlier, in these tests.
    pub fn add_late(
        &mut self,
        evidence: Evidence,
        at: Option<At>,
        tests: impl IntoIterator<Item = StrId>,
        now: &Now<'_>,
    ) {
        self.tell(evidence, at, tests, now, Report::add);
    }

    fn tell(
        &mut self,
        evidence: Evidence,
        at: Option<At>,
        tests: impl IntoIterator<Item = StrId>,
        now: &Now<'_>,
        add: impl FnOnce(&mut Report, Rule, &str, Confidence, &str, Witness),
    ) {
        let mut tests: Vec<String> = tests.into_iter().map(|test| now.symbols.str(test).to_owned()).collect();
        tests.sort();
        tests.dedup();
        self.examples.grow(now.symbols);
        let key = (self.detector, evidence.rule, key(&evidence.subject, now));
        let seen = self.seen.entry(key).or_insert_with(|| Seen {
            subject: subject_name(&evidence.subject, now),
            times: 0,
            confidence: evidence.confidence,
        });
        seen.times += 1;
        seen.confidence = seen.confidence.max(evidence.confidence);
        let names = Names { examples: &self.examples, now };
        let witness = Witness {
            detector: self.detector.to_owned(),
            threads: names.origins(&evidence.steps),
            narrowing: evidence.details.narrowing.iter().map(|access| names.narrowing(access)).collect(),
            views: evidence.details.views,
            advice: evidence.details.advice,
            steps: names.steps(evidence.steps, at),
            notes: evidence.notes,
            tests,
            event: at.map_or(u64::MAX, |at| at.number),
        };
        let message = evidence.message.replace("{}", &seen.subject);
        add(&mut self.report, evidence.rule, &seen.subject, evidence.confidence, &message, witness);
    }

    /// Adds something that could not be looked at.
    pub fn gap(&mut self, what: impl Into<String>, why: impl Into<String>, count: u64) {
        self.report.add_gap(Gap { what: what.into(), why: why.into(), count });
    }

    pub(crate) fn turn_to(&mut self, detector: &'static str) {
        self.detector = detector;
    }

    pub(crate) fn into_report(self) -> Report {
        self.report
    }
}

/// The numbers that stand for a subject: fields and classes, not objects.
fn key(subject: &Subject, now: &Now<'_>) -> Vec<u64> {
    let variable = |var: &VarId| VariableKind::of(*var, now).key();
    match subject {
        Subject::Variable(var) => vec![variable(var)],
        Subject::SeenAt(var, sites) => {
            let of = taken_from(*var, sites, now);
            vec![variable(var), of.map_or(0, |StrId(of)| u64::from(of) + 1)]
        }
        Subject::Variables(vars) => {
            let mut key: Vec<u64> = vars.iter().map(variable).collect();
            key.sort_unstable();
            key.dedup();
            key
        }
        Subject::Kinds(kinds) => {
            let mut key: Vec<u64> = kinds.iter().map(|kind| kind.key()).collect();
            key.sort_unstable();
            key.dedup();
            key
        }
        Subject::Block(block) => vec![u64::from(block.0)],
        Subject::Locks(locks) => {
            let kind = |&(lock, field): &(LockId, Option<StrId>)| {
                let kind = match *now.symbols.locks.get(lock) {
                    Lock::Of(object) => 1 << 32 | u64::from(now.symbols.objects().get(object).class.0),
                    Lock::Named(StrId(name)) => u64::from(name),
                };
                [kind, field.map_or(0, |StrId(field)| u64::from(field) + 1)]
            };
            let mut key: Vec<[u64; 2]> = locks.iter().map(kind).collect();
            key.sort_unstable();
            key.concat()
        }
    }
}

/// Where the code takes an array or collection from that it uses at two places. Fields have names of their own.
fn taken_from(var: VarId, sites: &[SiteId; 2], now: &Now<'_>) -> Option<StrId> {
    if let VariableKind::Field(field) = VariableKind::of(var, now)
        && !now.symbols.is_contents(field)
    {
        return None;
    }
    // Whichever of the two came first, the name is the same.
    let names = sites.iter().filter_map(|&site| now.symbols.sites.get(site).of);
    names.min_by_key(|&name| now.symbols.str(name))
}

/// What an operation does.
pub(crate) fn act_of(op: Op) -> Option<Act> {
    Some(match op {
        Op::Read { .. } | Op::VolatileRead { .. } => Act::Read,
        Op::Write { .. } | Op::VolatileWrite { update: false, .. } => Act::Write,
        Op::VolatileWrite { .. } => Act::Update,
        Op::Acquire { .. } | Op::Reenter { .. } | Op::Woken { .. } => Act::Acquire,
        Op::Release { .. } | Op::Reexit { .. } | Op::Wait { .. } => Act::Release,
        Op::Fork { .. } => Act::Start,
        Op::Join { .. } => Act::Join,
        Op::Signal { .. } => Act::Signal,
        Op::Observe { .. } => Act::Observe,
        _ => return None,
    })
}

/// `pkg.Class.field`, `elements of int[]`.
pub(crate) fn variable_kind(var: VarId, now: &Now<'_>) -> String {
    VariableKind::of(var, now).name(now.symbols)
}

fn subject_name(subject: &Subject, now: &Now<'_>) -> String {
    let mut names: Vec<String> = match subject {
        Subject::Variable(var) => vec![variable_kind(*var, now)],
        Subject::SeenAt(var, sites) => {
            let kind = VariableKind::of(*var, now);
            vec![match (taken_from(*var, sites, now).map(|of| now.symbols.str(of)), kind) {
                (Some(of), VariableKind::Elements(_)) => format!("{of}[]"),
                (Some(of), VariableKind::Field(_)) => format!("{of}.contents"),
                (None, kind) => kind.name(now.symbols),
            }]
        }
        Subject::Variables(vars) => {
            let mut names: Vec<String> = vars.iter().map(|&var| variable_kind(var, now)).collect();
            names.sort();
            names.dedup();
            names
        }
        Subject::Kinds(kinds) => {
            let mut names: Vec<String> = kinds.iter().map(|kind| kind.name(now.symbols)).collect();
            names.sort();
            names.dedup();
            names
        }
        Subject::Block(block) => vec![now.symbols.str(now.symbols.blocks.get(*block).name).to_owned()],
        Subject::Locks(locks) => {
            locks.iter().map(|&(lock, field)| lock_names::kind(lock, field, now.symbols)).collect()
        }
    };
    names.sort();
    names.join(", ")
}
