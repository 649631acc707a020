//! Stale values: shared data that is read under a lock, kept in a register after the lock was given up, and then used
//! (Artho, Havelund, Biere, *Using block-local atomicity to detect stale-value concurrency errors*, ATVA 2004).
//!
//! Every acquire of a lock that is not held yet opens a block, and its release ends it; so does `wait`, which then opens
//! another one. A field that is read inside a block gives a shared value of the innermost block; copies, casts,
//! arithmetic and calls carry it on. Calls by summary: a method that reads a field under a lock of its own and returns
//! it gives a value whose block has ended, unless the caller holds that lock.
//!
//! Reported by default is a value that is written back after its block has ended: to the variable it was read from, or,
//! under the same lock, to another field of the same object; if another thread may write the variable in between.
//! Not reported are
//! - values that were taken away (*hand-over*, Figure 5): what was read is overwritten in the same block, or the field that
//!   chose the array element;
//! - writes after a fresh look (*re-check*, Figure 6): the same block reads the variable again and branches on it;
//! - values read in a nested block while an outer lock is held that all writers hold.
//!
//! `--paper` gives the paper's verdicts: any use in another block than that of the read, of any field, once a value.
//! Uses that only let somebody see an old value (Burrows and Leino's more relaxed reporting leaves them out) are told with
//! low confidence if they are asked for: what is printed or logged, or what is returned as well. They are not by default:
//! every getter that locks returns a value that may be old by then.
//!
//! A method that is called may wait for a lock of the caller's, which ends the caller's block (`waits.rs`).
//!
//! What it misses: values that leave the method by a field or a lambda; decisions that rest on a stale value (the write
//! depends on a branch, not on the value); variables that it cannot tell to be the same object's.

mod calls;
mod flow;
mod summary;
#[cfg(test)]
mod tests;
mod waits;
mod watched;

use findings::{Confidence, Role, Rule};
use program::MethodId;
use rustc_hash::FxHashSet;

use self::flow::{Flow, Read, Source, Use, UseKind};
use self::summary::Summaries;
use super::accesses::Access;
use super::locks::keys::{guards, is_same};
use super::lockset::phases::{Runners, Threads};
use super::{Code, CodeSpec, Evidence, Out, Place, StepAt, Subject};
use crate::{Options, StaleUses};

pub use self::watched::{WatchedFlow, flows};

/// The check for stale values.
pub static SPEC: CodeSpec = CodeSpec {
    name: "stale",
    about: "values read under a lock and written back after it was given up (block-local atomicity)",
    explain: "A field is read inside a synchronized block and its value kept in a local variable. When the block has \
ended, other threads may change the field; the copy is stale. Writing something computed from it back to the field \
undoes what they did: a lost update, though every single access is under the lock.\n\
\n\
Reported is a value that is written back to the variable it came from, or under the same lock to another field of the \
same object, if another thread may write the variable in between. Values are followed through arithmetic, calls, \
getters and setters. Two idioms are known to be right: a value that is taken out of shared data in the block that \
read it (a queue, a ticket counter), and one that is written only after a fresh look at the field in the same block. \
wait() ends a block as a release does, wherever it is called.\n\
\n\
With --stale-uses printed, values that are only printed or logged after their block are told too, with low confidence; \
with --stale-uses returned also those that are only returned, as every getter that locks does.\n\
\n\
With --paper every use of such a value after its block is reported, as the paper defines it. The check misses \
decisions that rest on a stale value, and values that leave the method by a field. It can be wrong where something \
else than a lock keeps other writers away.",
    rules: &[Rule::StaleValue],
    check,
};

fn check(code: &Code, options: &Options, out: &mut Out<'_>) {
    let summaries = Summaries::new(code, options.paper);
    gaps(code, &summaries, out);
    for (method, flow) in &summaries.flows {
        match options.paper {
            true => {
                once_each(flow, |_| true, |read, used| by_the_paper(code, *method, read, used), out);
            }
            false => {
                let is_written = |used: &Use| matches!(used.kind, UseKind::Written { .. });
                let told = once_each(flow, is_written, |read, used| judge(code, *method, read, used), out);
                let wanted = options.stale_uses;
                // What is written back is told as that, and not because it is printed too.
                let is_seen = |used: &Use| {
                    !told.contains(&used.source)
                        && (used.kind == UseKind::Printed && wanted >= StaleUses::Printed
                            || used.kind == UseKind::Returned && wanted >= StaleUses::Returned)
                };
                once_each(flow, is_seen, |read, used| judge_seen(code, *method, read, used), out);
            }
        }
    }
}

/// What was not followed.
fn gaps(code: &Code, summaries: &Summaries, out: &mut Out<'_>) {
    let large = summaries.flows.iter().filter(|(_, flow)| flow.given_up).map(|(method, _)| *method);
    let gaps = [
        (large.collect(), "methods that are too large to look for stale values"),
        (summaries.cut.clone(), "methods with more values than are looked at for stale ones"),
    ];
    for (methods, what) in gaps {
        let methods: Vec<MethodId> = methods;
        let mut names: Vec<String> = methods.iter().map(|method| code.method_name(*method)).collect();
        names.sort();
        if let Some(first) = names.first() {
            let why = format!("stale does not follow all of their values; the first is {first}");
            out.gap(what, why, names.len() as u64);
        }
    }
    if summaries.wide > 0 {
        let why = "stale does not follow values through calls with more than eight";
        out.gap("calls with many possible targets", why, summaries.wide as u64);
    }
}

/// Tells each value once, at the first of these uses that is judged to matter; gives those that were told.
fn once_each(
    flow: &Flow,
    is_wanted: impl Fn(&Use) -> bool,
    judge: impl Fn(&Read, &Use) -> Option<Evidence>,
    out: &mut Out<'_>,
) -> FxHashSet<u32> {
    let mut told: FxHashSet<u32> = FxHashSet::default();
    for used in flow.uses.iter().filter(|used| is_wanted(used)) {
        let Some(Source::Read(read)) = flow.sources.get(used.source as usize) else { continue };
        if told.contains(&used.source) {
            continue;
        }
        if let Some(evidence) = judge(read, used) {
            out.add(evidence);
            told.insert(used.source);
        }
    }
    told
}

const ADVICE: &str = "Do both in one block, or look at the value again before it is used";

fn by_the_paper(code: &Code, method: MethodId, read: &Read, used: &Use) -> Option<Evidence> {
    let at = Place { method, inst: used.inst };
    Some(Evidence {
        rule: Rule::StaleValue,
        subject: Subject::Field(read.variable.field),
        confidence: Confidence::Low,
        message: "a value of {} is used after the block in which it was read".into(),
        at,
        steps: vec![
            read_step(code, read),
            StepAt { locks: used.locks.clone(), ..StepAt::new(Role::Use, at) },
        ],
        notes: Vec::new(),
        advice: ADVICE.into(),
    })
}

fn read_step(code: &Code, read: &Read) -> StepAt {
    let mut locks = read.locks.clone();
    if locks.is_empty()
        && let Some(path) = &read.lock
    {
        let slot = super::locks::Slot {
            path: path.clone(),
            reg: program::ir::Reg::NONE,
            mode: super::locks::Mode::Alone,
            monitor: true,
        };
        locks.push(code.lock_name(read.place.method, &slot));
    }
    StepAt { locks, ..StepAt::new(Role::Read, read.place) }
}

/// Whether a use matters, and what there is to say about it.
fn judge(code: &Code, method: MethodId, read: &Read, used: &Use) -> Option<Evidence> {
    let same = is_back(read, used)?;
    let UseKind::Written { variable, place, .. } = &used.kind else { return None };
    if !is_shared(code, read.place) {
        return None;
    }
    let writer = writer(code, method, read, used)?;
    let sure = same && is_known_to_be_shared(code, method, read, writer);
    let at = Place { method, inst: used.inst };
    let mut written = StepAt::new(Role::Write, place.unwrap_or(at));
    written.locks = used.locks.clone();
    written.note = if same { "by what was computed from the old value".into() } else { String::new() };
    if !same {
        written.target = code.field_name(variable.field);
    }
    let (one, other) = code.two_ways(method, writer.place.method);
    written.way = if place.is_none() { one.clone() } else { None };
    let mut first = read_step(code, read);
    first.way = if read.place.method == method { one } else { None };
    let mut between = StepAt::new(Role::Interference, writer.place);
    between.locks = writer.locks.clone();
    between.note = format!("by writing {}", code.field_name(read.variable.field));
    between.way = other;
    let message = match same {
        true => {
            "{} is written from a value that was read before its lock was given up: what others wrote in between is lost"
        }
        false => {
            "a value of {} is used under its lock, but was read before that lock was given up in between"
        }
    };
    Some(Evidence {
        rule: Rule::StaleValue,
        subject: Subject::Field(read.variable.field),
        confidence: match (sure, same) {
            (true, _) => Confidence::High,
            (false, true) => Confidence::Medium,
            (false, false) => Confidence::Low,
        },
        message: message.into(),
        at,
        steps: vec![first, between, written],
        notes: Vec::new(),
        advice: ADVICE.into(),
    })
}

/// A use that only lets somebody see an old value.
fn judge_seen(code: &Code, method: MethodId, read: &Read, used: &Use) -> Option<Evidence> {
    if !is_shared(code, read.place) {
        return None;
    }
    let writer = writer(code, method, read, used)?;
    let at = Place { method, inst: used.inst };
    let mut seen = StepAt::new(Role::Use, at);
    seen.locks = used.locks.clone();
    let (one, other) = code.two_ways(method, writer.place.method);
    seen.way = one.clone();
    let mut first = read_step(code, read);
    first.way = if read.place.method == method { one } else { None };
    let mut between = StepAt::new(Role::Interference, writer.place);
    between.locks = writer.locks.clone();
    between.note = format!("by writing {}", code.field_name(read.variable.field));
    between.way = other;
    let how = if used.kind == UseKind::Printed { "printed" } else { "returned" };
    Some(Evidence {
        rule: Rule::StaleValue,
        subject: Subject::Field(read.variable.field),
        confidence: Confidence::Low,
        message: format!(
            "a value of {{}} is {how} after the block in which it was read, and may be old by then"
        ),
        at,
        steps: vec![first, between, seen],
        notes: Vec::new(),
        advice: "If it has to be the value of that moment, do it in the block; else this is harmless".into(),
    })
}

/// Whether a value is written back to where it was read; else it is written beside that, if at all.
fn is_back(read: &Read, used: &Use) -> Option<bool> {
    let UseKind::Written { variable, object, same_lock, .. } = &used.kind else { return None };
    let same = *variable == read.variable && *object == read.object;
    let beside = *same_lock && *object == read.object && object.is_some() && !variable.elements;
    (same || beside).then_some(same)
}

fn is_shared(code: &Code, place: Place) -> bool {
    code.sharing.maybe_shared(&code.program, &code.points, place.method, place.inst)
}

/// Is it plain that two threads of the program use the very variable: a static field, or that of the only object there
/// is?
fn is_known_to_be_shared(code: &Code, method: MethodId, read: &Read, writer: &Access) -> bool {
    let threads = || Runners::default().threads(code, method, writer.place.method, false);
    let is_one = |place: Place| {
        let body = code.program.body(place.method);
        let inst = body.and_then(|body| body.insts.get(place.inst as usize));
        let objects = inst.and_then(|inst| code.points.of(place.method, inst.op.operands()[0]));
        let mut objects = objects.into_iter().flat_map(|set| set.iter());
        let (Some(object), None) = (objects.next(), objects.next()) else { return None };
        code.once().is_made(code, object).then_some(object)
    };
    let same_object = || is_one(read.place).is_some_and(|one| is_one(writer.place) == Some(one));
    code.starts_threads() && (read.object.is_none() || same_object()) && threads() == Threads::Several
}

/// A write by another thread that may come in between, and that no lock keeps away which is held all the time.
fn writer<'c>(code: &'c Code, method: MethodId, read: &Read, used: &Use) -> Option<&'c Access> {
    let accesses = code.accesses().of.get(&read.variable).map(Vec::as_slice).unwrap_or_default();
    let slots = code.locks.of(method).map(|locks| locks.slots.as_slice()).unwrap_or_default();
    // Locks that were held around the block and still are. (A lock that was given up in between is held anew.)
    let mut outer = code.locks.entry(method).to_vec();
    for (slot, _) in read.outer.iter().filter(|held| used.held.contains(held)) {
        if let Some(slot) = slots.get(*slot) {
            outer.extend(code.locks.facts(&code.points, method, slot));
        }
    }
    for wait in read.waited.iter().chain(&used.waited) {
        wait.take_from(&mut outer);
    }
    let outer = guards(&outer, read.object.as_ref());
    let single = read.object.is_none();
    let others = accesses.iter().filter(|access| access.write && !access.early);
    let mut able = others.filter(|access| {
        code.sharing.may_overlap(method, access.place.method)
            && !access.guards.iter().any(|guard| outer.iter().any(|held| is_same(code, held, guard, single)))
    });
    let elsewhere = able.clone().find(|access| access.place.method != method);
    elsewhere.or_else(|| able.next())
}
