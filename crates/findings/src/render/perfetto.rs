//! A trace for the Perfetto viewer: native track events, made of the findings' witnesses.
//!
//! Each witness is a process of its own: a track for each thread with its steps, a track for each lock with who holds
//! it, arrows where one step has to come before another for the defect to happen. Time is made up: a step takes
//! a millisecond, in the order in which the witness tells them. A data race has no arrow, since nothing orders it.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::protobuf::Message;
use super::{Render, words};
use crate::{Finding, Report, Role, Rule, Step, Witness};

pub(super) struct Perfetto;

/// Nanoseconds from step to step, and that a step takes.
const STEP: u64 = 1_000_000;
const LASTS: u64 = 800_000;

/// Field numbers of the trace format.
mod field {
    pub const PACKET: u32 = 1;
    pub const TIMESTAMP: u32 = 8;
    pub const SEQUENCE: u32 = 10;
    pub const TRACK_EVENT: u32 = 11;
    pub const SEQUENCE_FLAGS: u32 = 13;
    pub const TRACK_DESCRIPTOR: u32 = 60;
    pub const TRACK_UUID: u32 = 1;
    pub const TRACK_NAME: u32 = 2;
    pub const TRACK_PROCESS: u32 = 3;
    pub const TRACK_THREAD: u32 = 4;
    pub const TRACK_PARENT: u32 = 5;
    pub const PID: u32 = 1;
    pub const PROCESS_NAME: u32 = 6;
    pub const TID: u32 = 2;
    pub const THREAD_NAME: u32 = 5;
    pub const EVENT_ANNOTATION: u32 = 4;
    pub const EVENT_TYPE: u32 = 9;
    pub const EVENT_TRACK: u32 = 11;
    pub const EVENT_CATEGORY: u32 = 22;
    pub const EVENT_NAME: u32 = 23;
    pub const EVENT_FLOW: u32 = 47;
    pub const EVENT_FLOW_END: u32 = 48;
    pub const ANNOTATION_STRING: u32 = 6;
    pub const ANNOTATION_NAME: u32 = 10;
}

const SLICE_BEGIN: u64 = 1;
const SLICE_END: u64 = 2;

impl Render for Perfetto {
    fn render(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let mut trace = Trace { out, next: 1, begun: false };
        for finding in report.findings() {
            for witness in finding.witnesses.iter().filter(|witness| !witness.steps.is_empty()) {
                trace.witness(finding, witness)?;
            }
        }
        Ok(())
    }
}

struct Trace<'a> {
    out: &'a mut dyn Write,
    next: u64,
    begun: bool,
}

/// The ends of the arrows at one step.
#[derive(Default, Clone)]
struct Arrows {
    from: Vec<u64>,
    to: Vec<u64>,
}

impl Trace<'_> {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn packet(&mut self, fill: impl FnOnce(&mut Message)) -> io::Result<()> {
        let mut packet = Message::default();
        packet.varint(field::SEQUENCE, 1);
        if !self.begun {
            // Nothing was said before that the reader would have to know.
            packet.varint(field::SEQUENCE_FLAGS, 1);
            self.begun = true;
        }
        fill(&mut packet);
        let mut outer = Message::default();
        outer.message(field::PACKET, &packet);
        self.out.write_all(outer.bytes())
    }

    fn track(&mut self, fill: impl FnOnce(&mut Message)) -> io::Result<u64> {
        let uuid = self.number();
        let mut track = Message::default();
        track.varint(field::TRACK_UUID, uuid);
        fill(&mut track);
        self.packet(|packet| packet.message(field::TRACK_DESCRIPTOR, &track))?;
        Ok(uuid)
    }

    fn slice(&mut self, track: u64, from: u64, to: u64, fill: impl FnOnce(&mut Message)) -> io::Result<()> {
        let event = |kind: u64| {
            let mut event = Message::default();
            event.varint(field::EVENT_TYPE, kind);
            event.varint(field::EVENT_TRACK, track);
            event
        };
        let mut begin = event(SLICE_BEGIN);
        fill(&mut begin);
        self.event(from, &begin)?;
        self.event(to, &event(SLICE_END))
    }

    fn event(&mut self, at: u64, event: &Message) -> io::Result<()> {
        self.packet(|packet| {
            packet.varint(field::TIMESTAMP, at);
            packet.message(field::TRACK_EVENT, event);
        })
    }

    fn witness(&mut self, finding: &Finding, witness: &Witness) -> io::Result<()> {
        let pid = self.number();
        let name = format!("{} ({})", words::headline(finding), witness.detector);
        let process = self.track(|track| {
            let mut process = Message::default();
            process.varint(field::PID, pid);
            process.string(field::PROCESS_NAME, &name);
            track.message(field::TRACK_PROCESS, &process);
        })?;
        let arrows = self.arrows(finding.rule, &witness.steps);
        self.threads(pid, process, finding, witness, &arrows)?;
        self.locks(process, &witness.steps)
    }

    fn threads(
        &mut self,
        pid: u64,
        process: u64,
        finding: &Finding,
        witness: &Witness,
        arrows: &[Arrows],
    ) -> io::Result<()> {
        let mut tracks: BTreeMap<&str, u64> = BTreeMap::new();
        for ((i, step), arrows) in (0..).zip(&witness.steps).zip(arrows) {
            let track = match tracks.get(step.thread.as_str()) {
                Some(&track) => track,
                None => {
                    let tid = self.number();
                    let track = self.track(|track| {
                        let mut thread = Message::default();
                        thread.varint(field::PID, pid);
                        thread.varint(field::TID, tid);
                        thread.string(field::THREAD_NAME, &step.thread);
                        track.varint(field::TRACK_PARENT, process);
                        track.message(field::TRACK_THREAD, &thread);
                    })?;
                    tracks.insert(&step.thread, track);
                    track
                }
            };
            let at = i * STEP;
            self.slice(track, at, at + LASTS, |event| {
                event.string(field::EVENT_CATEGORY, finding.rule.name());
                event.string(field::EVENT_NAME, words::does(step).0.trim_start_matches([' ', ':']));
                annotate(event, step);
                arrows.from.iter().for_each(|&id| event.fixed64(field::EVENT_FLOW, id));
                arrows.to.iter().for_each(|&id| event.fixed64(field::EVENT_FLOW_END, id));
            })?;
        }
        Ok(())
    }

    /// Who holds each lock. Steps that follow each other in one thread are one slice.
    fn locks(&mut self, process: u64, steps: &[Step]) -> io::Result<()> {
        let mut held: BTreeMap<&str, Vec<(&str, u64, u64)>> = BTreeMap::new();
        for (i, step) in (0..).zip(steps) {
            let (from, to) = (i * STEP, i * STEP + LASTS);
            let takes = matches!(step.role, Role::Acquire | Role::Holds).then_some(&step.target);
            let mut locks: Vec<&str> = step.locks.iter().chain(takes).map(String::as_str).collect();
            locks.sort_unstable();
            locks.dedup();
            for lock in locks {
                let slices = held.entry(lock).or_default();
                match slices.last_mut() {
                    Some((thread, _, end)) if *thread == step.thread && *end + STEP - LASTS == from => {
                        *end = to
                    }
                    _ => slices.push((&step.thread, from, to)),
                }
            }
        }
        for (lock, slices) in held {
            let track = self.track(|track| {
                track.varint(field::TRACK_PARENT, process);
                track.string(field::TRACK_NAME, &format!("lock {lock}"));
            })?;
            for (thread, from, to) in slices {
                self.slice(track, from, to, |event| {
                    event.string(field::EVENT_CATEGORY, "lock");
                    event.string(field::EVENT_NAME, &format!("held by {thread}"));
                })?;
            }
        }
        Ok(())
    }

    /// What has to come before what: who wants a lock waits for who holds it; what comes into the middle of a block, or
    /// between a read and its use, comes after what stands before it.
    fn arrows(&mut self, rule: Rule, steps: &[Step]) -> Vec<Arrows> {
        let mut arrows = vec![Arrows::default(); steps.len()];
        let mut pairs = Vec::new();
        match rule {
            Rule::LockOrder => {
                for (i, wants) in steps.iter().enumerate().filter(|(_, step)| step.role == Role::Wants) {
                    let is_holder = |step: &Step| {
                        step.role == Role::Holds && step.target == wants.target && step.thread != wants.thread
                    };
                    pairs.extend(steps.iter().position(is_holder).map(|holds| (i, holds)));
                }
            }
            Rule::NonAtomic | Rule::StaleValue => {
                let changes = |pair: &[Step]| matches!(pair, [a, b] if a.thread != b.thread);
                let steps = steps.windows(2).enumerate().filter(|(_, pair)| changes(pair));
                pairs.extend(steps.map(|(i, _)| (i, i + 1)));
            }
            Rule::DataRace | Rule::HighLevelRace => {}
        }
        for (from, to) in pairs {
            let id = self.number();
            if let Some(step) = arrows.get_mut(from) {
                step.from.push(id);
            }
            if let Some(step) = arrows.get_mut(to) {
                step.to.push(id);
            }
        }
        arrows
    }
}

/// What the viewer shows beside a step.
fn annotate(event: &mut Message, step: &Step) {
    let mut add = |name: &str, value: &str| {
        if !value.is_empty() {
            let mut annotation = Message::default();
            annotation.string(field::ANNOTATION_NAME, name);
            annotation.string(field::ANNOTATION_STRING, value);
            event.message(field::EVENT_ANNOTATION, &annotation);
        }
    };
    add("place", &step.place.to_prose());
    add("locks", &words::holding(step));
    let stack: Vec<String> = step.stack.iter().map(crate::Frame::to_prose).collect();
    add(if step.stack_is_example { "example stack" } else { "stack" }, &stack.join("\n"));
    add("note", &step.note);
}

#[cfg(test)]
#[path = "perfetto_tests.rs"]
mod tests;
