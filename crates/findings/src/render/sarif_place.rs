//! Places of SARIF: locations, the steps of a witness as code flows, related locations.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::place::{self, uri};
use super::words;
use crate::{Finding, Frame, Report, Role, Step, Witness};

/// A text. In SARIF `[…](…)` is a link, which no name may make.
#[derive(Clone, Serialize)]
pub(super) struct Message<'a> {
    pub text: Cow<'a, str>,
}

impl Message<'_> {
    pub(super) fn new(text: String) -> Self {
        Self { text: Cow::Owned(if text.contains("](") { text.replace("](", "] (") } else { text }) }
    }
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Location<'a> {
    physical_location: Physical,
    #[serde(skip_serializing_if = "Option::is_none")]
    logical_locations: Option<[Logical<'a>; 1]>,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Clone, Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct Logical<'a> {
    fully_qualified_name: Cow<'a, str>,
    kind: &'static str,
}

/// A location with a text.
#[derive(Serialize)]
pub(super) struct Located<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    message: Message<'a>,
    #[serde(flatten)]
    location: Location<'a>,
}

/// A code flow: one witness.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Flow<'a> {
    message: Message<'a>,
    thread_flows: Vec<ThreadFlow<'a>>,
}

#[derive(Serialize)]
struct ThreadFlow<'a> {
    id: &'a str,
    locations: Vec<FlowLocation<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FlowLocation<'a> {
    location: Located<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stack: Option<Stack<'a>>,
    kinds: &'static [&'static str],
    state: BTreeMap<&'static str, Message<'a>>,
    execution_order: usize,
    importance: &'static str,
}

#[derive(Serialize)]
struct Stack<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message<'a>>,
    frames: Vec<StackFrame<'a>>,
}

#[derive(Serialize)]
struct StackFrame<'a> {
    location: Location<'a>,
}

/// Frames of one stack. They make up most of a file, and a file has a limit.
const FRAMES: usize = 8;

/// A place. GitHub refuses a result without a file: where none is known the subject stands in its place.
pub(super) fn located<'a>(frame: Option<&'a Frame>, subject: &'a str, report: &Report) -> Location<'a> {
    let place = frame.and_then(|frame| place::of(frame, report));
    let (path, line) = match &place {
        Some(place) => (uri(&place.path), place.line),
        None => (uri(&subject.replace('.', "/")), 0),
    };
    let path = if path.is_empty() { "unknown".to_owned() } else { path };
    let name = match frame {
        Some(frame) if !frame.class.is_empty() && !frame.method.is_empty() => {
            Some((Cow::Owned(format!("{}.{}", frame.class, frame.method)), "function"))
        }
        Some(frame) if !frame.class.is_empty() => Some((Cow::Borrowed(frame.class.as_str()), "type")),
        Some(_) => None,
        None => Some((Cow::Borrowed(subject), "member")),
    };
    Location {
        physical_location: Physical {
            artifact_location: Artifact { uri: path },
            region: (line > 0).then_some(Region { start_line: line }),
        },
        logical_locations: name.map(|(name, kind)| [Logical { fully_qualified_name: name, kind }]),
    }
}

/// The other places of a finding, each once.
pub(super) fn related<'a>(finding: &'a Finding, main: Option<&Step>, report: &Report) -> Vec<Located<'a>> {
    let mut seen: BTreeSet<&Frame> = main.iter().map(|step| &step.place).collect();
    let steps = finding.witnesses.iter().flat_map(|witness| &witness.steps);
    steps
        .filter(|step| !step.place.file.is_empty() && seen.insert(&step.place))
        .enumerate()
        .map(|(i, step)| Located {
            id: Some(i + 1),
            message: Message::new(words::step(step)),
            location: located(Some(&step.place), &finding.subject, report),
        })
        .collect()
}

/// A code flow for each witness, with at most so many steps in all; and how many were left out. The first, which the
/// message rests on, has stacks too.
pub(super) fn flows<'a>(finding: &'a Finding, report: &Report, most: usize) -> (Vec<Flow<'a>>, usize) {
    let (mut room, mut cut) = (most, 0);
    let mut flows = Vec::new();
    for witness in &finding.witnesses {
        let taken = witness.steps.len().min(room);
        cut += witness.steps.len() - taken;
        room -= taken;
        if taken > 0 {
            flows.push(flow(witness, taken, flows.is_empty(), finding, report));
        }
    }
    (flows, cut)
}

fn flow<'a>(
    witness: &'a Witness,
    steps: usize,
    stacks: bool,
    finding: &'a Finding,
    report: &Report,
) -> Flow<'a> {
    let mut threads: Vec<ThreadFlow<'a>> = Vec::new();
    for (i, step) in witness.steps.iter().take(steps).enumerate() {
        let location = FlowLocation {
            location: Located {
                id: None,
                message: Message::new(words::step(step)),
                location: located(Some(&step.place), &finding.subject, report),
            },
            stack: if stacks { stack(step, finding, report) } else { None },
            kinds: kinds(step.role),
            state: BTreeMap::from([("locks held", Message::new(step.locks.join(", ")))]),
            execution_order: i + 1,
            importance: "essential",
        };
        match threads.iter_mut().find(|thread| thread.id == step.thread) {
            Some(thread) => thread.locations.push(location),
            None => threads.push(ThreadFlow { id: &step.thread, locations: vec![location] }),
        }
    }
    Flow { message: Message::new(format!("as {} saw it", witness.detector)), thread_flows: threads }
}

fn stack<'a>(step: &'a Step, finding: &'a Finding, report: &Report) -> Option<Stack<'a>> {
    let frames: Vec<StackFrame<'a>> = std::iter::once(&step.place)
        .chain(&step.stack)
        .take(FRAMES)
        .map(|frame| StackFrame { location: located(Some(frame), &finding.subject, report) })
        .collect();
    let example = step.stack_is_example.then(|| Message::new("an example of how this is reached".into()));
    (!step.stack.is_empty()).then_some(Stack { message: example, frames })
}

/// The words that SARIF has for what happens.
fn kinds(role: Role) -> &'static [&'static str] {
    match role {
        Role::Read | Role::Write | Role::Use => &["value", "memory"],
        Role::Acquire | Role::Holds | Role::Wants => &["acquire", "lock"],
        Role::Release => &["release", "lock"],
        Role::BlockEntered => &["enter", "function"],
        Role::BlockLeft => &["exit", "function"],
        Role::Commit | Role::Violation | Role::Interference => &["danger"],
    }
}
