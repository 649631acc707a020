//! From ids to names: where a check's evidence becomes part of the report.

use findings::{Confidence, Gap, Report, Role, Rule, Step, Witness};
use program::{FieldId, MethodId};

use super::code::{Code, Way};

/// A place in the code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The method.
    pub method: MethodId,
    /// The number of the instruction in its body.
    pub inst: u32,
}

/// What a finding is about; its names make the fingerprint, the same as that of a detector over a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Subject {
    /// A field.
    Field(FieldId),
    /// Several fields: no matter how often or in which order.
    Fields(Vec<FieldId>),
    /// A method.
    Method(MethodId),
    /// The locks of a cycle by their names, in any order.
    Locks(Vec<String>),
    /// The elements of arrays of a class: `int[]`.
    Elements(String),
    /// Several variables by their names, no matter how often or in which order.
    Names(Vec<String>),
}

/// One step of a witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepAt {
    /// Where.
    pub place: Place,
    /// What.
    pub role: Role,
    /// With what, where the subject does not say it.
    pub target: String,
    /// The locks held, as people read them.
    pub locks: Vec<String>,
    /// How a thread comes there; the nearest way if it does not matter.
    pub way: Option<Way>,
    /// A remark; often empty.
    pub note: String,
}

impl StepAt {
    /// A step without locks or remarks.
    pub fn new(role: Role, place: Place) -> StepAt {
        StepAt { place, role, target: String::new(), locks: Vec::new(), way: None, note: String::new() }
    }
}

/// All that a check says about one sighting.
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
    /// Where it shows: in tests, the marked line.
    pub at: Place,
    /// What happens.
    pub steps: Vec<StepAt>,
    /// What else there is to say.
    pub notes: Vec<String>,
    /// What to do about it, a sentence without a full stop.
    pub advice: String,
}

/// Where checks put what they found.
pub struct Out<'c> {
    code: &'c Code,
    report: Report,
    check: &'static str,
}

impl<'c> Out<'c> {
    pub(super) fn new(code: &'c Code, check: &'static str) -> Out<'c> {
        Out { code, report: Report::new(), check }
    }

    /// Adds evidence.
    pub fn add(&mut self, evidence: Evidence) {
        let subject = self.subject(&evidence.subject);
        let steps = evidence.steps.into_iter().map(|step| self.resolve(step)).collect();
        let Place { method, inst } = evidence.at;
        let advice = format!("{}.", evidence.advice);
        let mut notes = evidence.notes;
        notes.push(advice.clone());
        let witness = Witness {
            detector: self.check.to_owned(),
            steps,
            notes,
            advice,
            event: u64::from(method.0) << 32 | u64::from(inst),
            ..Witness::default()
        };
        let message = evidence.message.replace("{}", &subject);
        self.report.add(evidence.rule, &subject, evidence.confidence, &message, witness);
    }

    /// Adds something that could not be looked at.
    pub fn gap(&mut self, what: impl Into<String>, why: impl Into<String>, count: u64) {
        self.report.add_gap(Gap { what: what.into(), why: why.into(), count });
    }

    pub(super) fn into_report(self) -> Report {
        self.report
    }

    fn subject(&self, subject: &Subject) -> String {
        let code = self.code;
        let mut names = match subject {
            Subject::Field(field) => vec![code.field_name(*field)],
            Subject::Fields(fields) => {
                let mut names: Vec<String> = fields.iter().map(|field| code.field_name(*field)).collect();
                names.sort();
                names.dedup();
                names
            }
            Subject::Method(method) => vec![code.method_name(*method)],
            Subject::Locks(locks) => locks.clone(),
            Subject::Elements(class) => vec![class.clone()],
            Subject::Names(names) => {
                let mut names = names.clone();
                names.sort();
                names.dedup();
                names
            }
        };
        names.sort();
        names.join(", ")
    }

    fn resolve(&self, step: StepAt) -> Step {
        let way = match step.way {
            Some(way) => way,
            None => self.code.ways(step.place.method, 1).pop().unwrap_or_default(),
        };
        Step {
            thread: way.thread,
            role: step.role,
            target: step.target,
            place: self.code.frame(step.place.method, Some(step.place.inst)),
            locks: step.locks,
            read_locks: Vec::new(),
            taken: Vec::new(),
            act: None,
            mover: None,
            stack_is_example: !way.stack.is_empty(),
            stack: way.stack,
            note: step.note,
        }
    }
}
