//! From ids to names: where a detector's evidence becomes part of the report.

use events::{
    BlockId, ClassId, FieldId, Lock, LockId, SiteId, Slot, StackId, StrId, Symbols, ThreadId, VarId,
};
use findings::{Confidence, Frame, Gap, Report, Role, Rule, Step, Witness};
use rustc_hash::FxHashMap;

use crate::detector::{At, Now};
use crate::shared::lockset::LockSet;

/// What a finding is about; its names make the fingerprint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Subject {
    /// A variable, by its field.
    Variable(VarId),
    /// Several variables, by their fields: no matter how often or in which order.
    Variables(Vec<VarId>),
    /// The same, for a detector that reports when some of the objects may be gone.
    Kinds(Vec<VariableKind>),
    /// A block.
    Block(BlockId),
    /// The locks of a cycle, in any order.
    Locks(Vec<LockId>),
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

    /// `pkg.Class.field`, `int[][]`.
    pub fn name(self, symbols: &Symbols) -> String {
        match self {
            Self::Field(field) => symbols.field_name(field),
            Self::Elements(Some(class)) => format!("{}[]", symbols.class_name(class)),
            Self::Elements(None) => "[]".to_owned(),
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
    /// A remark; often empty.
    pub note: String,
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
}

/// Which example stack belongs to which thread and site.
#[derive(Default)]
struct Examples {
    index: FxHashMap<(ThreadId, SiteId), StackId>,
    known: usize,
}

impl Examples {
    /// Takes in the stacks that are new.
    fn grow(&mut self, symbols: &Symbols) {
        for (id, stack) in symbols.stacks.iter().skip(self.known) {
            self.index.entry((stack.thread, stack.site)).or_insert(id);
        }
        self.known = symbols.stacks.len();
    }

    fn of<'a>(&self, thread: ThreadId, site: SiteId, symbols: &'a Symbols) -> Option<&'a [SiteId]> {
        self.index.get(&(thread, site)).map(|&id| symbols.stacks.get(id).callers.as_slice())
    }
}

struct Seen {
    subject: String,
    times: u64,
}

impl Out {
    /// Whether another sighting should be told in full. If not, it has been counted and there is nothing to do.
    pub fn wants(&mut self, rule: Rule, subject: &Subject, now: &Now<'_>) -> bool {
        let key = (self.detector, rule, key(subject, now));
        match self.seen.get_mut(&key) {
            Some(seen) if seen.times >= Report::WITNESSES_PER_DETECTOR as u64 => {
                seen.times += 1;
                self.report.count_again(rule, &seen.subject);
                false
            }
            _ => true,
        }
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
        let mut tests: Vec<String> = tests.into_iter().map(|test| now.symbols.str(test).to_owned()).collect();
        tests.sort();
        tests.dedup();
        self.examples.grow(now.symbols);
        let key = (self.detector, evidence.rule, key(&evidence.subject, now));
        let seen = self
            .seen
            .entry(key)
            .or_insert_with(|| Seen { subject: subject_name(&evidence.subject, now), times: 0 });
        seen.times += 1;
        let witness = Witness {
            detector: self.detector.to_owned(),
            steps: evidence.steps.into_iter().map(|step| resolve(step, &self.examples, now)).collect(),
            notes: evidence.notes,
            tests,
            event: at.map_or(u64::MAX, |at| at.number),
            ..Witness::default()
        };
        let message = evidence.message.replace("{}", &seen.subject);
        self.report.add(evidence.rule, &seen.subject, evidence.confidence, &message, witness);
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
            let kind = |&lock: &LockId| match *now.symbols.locks.get(lock) {
                Lock::Of(object) => 1 << 32 | u64::from(now.symbols.objects().get(object).class.0),
                Lock::Named(StrId(name)) => u64::from(name),
            };
            let mut key: Vec<u64> = locks.iter().map(kind).collect();
            key.sort_unstable();
            key
        }
    }
}

/// `pkg.Class.field`, `int[][]`.
pub(crate) fn variable_kind(var: VarId, now: &Now<'_>) -> String {
    VariableKind::of(var, now).name(now.symbols)
}

fn subject_name(subject: &Subject, now: &Now<'_>) -> String {
    let mut names: Vec<String> = match subject {
        Subject::Variable(var) => vec![variable_kind(*var, now)],
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
        Subject::Locks(locks) => locks.iter().map(|&lock| now.symbols.lock_kind(lock).to_owned()).collect(),
    };
    names.sort();
    names.join(", ")
}

fn frame(site: SiteId, symbols: &Symbols) -> Frame {
    let site = symbols.sites.get(site);
    let method = site.method.map(|method| *symbols.methods.get(method));
    Frame {
        class: method.map(|method| symbols.class_name(method.class).to_owned()).unwrap_or_default(),
        method: method.map(|method| symbols.str(method.name).to_owned()).unwrap_or_default(),
        file: site.file.map(|file| symbols.str(file).to_owned()).unwrap_or_default(),
        line: site.line,
    }
}

fn resolve(step: StepAt, examples: &Examples, now: &Now<'_>) -> Step {
    let symbols = now.symbols;
    let mut stack = Vec::new();
    let mut caller = symbols.sites.get(step.site).caller;
    while let Some(site) = caller {
        stack.push(frame(site, symbols));
        caller = symbols.sites.get(site).caller;
    }
    let mut stack_is_example = false;
    if stack.is_empty()
        && let Some(callers) = examples.of(step.thread, step.site, symbols)
    {
        stack = callers.iter().map(|&site| frame(site, symbols)).collect();
        stack_is_example = true;
    }
    Step {
        thread: symbols.str(symbols.threads.get(step.thread).name).to_owned(),
        role: step.role,
        target: match step.target {
            None => String::new(),
            Some(Target::Lock(lock)) => symbols.lock_name(lock),
            Some(Target::Variable(var)) if var.index() < symbols.variables().len() => {
                symbols.variable_name(var)
            }
            Some(Target::Variable(var)) => variable_kind(var, now),
        },
        place: frame(step.site, symbols),
        locks: now.sets.locks(step.locks).iter().map(|&lock| symbols.lock_name(lock)).collect(),
        stack,
        stack_is_example,
        note: step.note,
        ..Step::default()
    }
}
