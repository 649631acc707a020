//! What a person is told about a block that is not atomic: three steps, as in the paper's Figure 2, and why they
//! matter.

use std::fmt::Write as _;

use events::{ChannelId, Lock, Op, SiteId, StrId, ThreadId, VarId};
use findings::{Confidence, Mover, Role, Rule};

use super::blocks::Open;
use super::variables::Variables;
use crate::evidence::{act_of, variable_kind};
use crate::lock_names;
use crate::shared::lockset::LockSet;
use crate::{At, Details, Evidence, Now, Out, StepAt, Subject, Target};

/// The number of the object that an access goes to, to know later whether the variable's id still means the same.
pub(super) fn label(op: Op, now: &Now<'_>) -> Option<u64> {
    let var = accessed(op)?;
    now.variable(var).object.map(|object| now.symbols.objects().get(object).label)
}

fn accessed(op: Op) -> Option<VarId> {
    match op {
        Op::Read { var }
        | Op::Write { var }
        | Op::VolatileRead { var, .. }
        | Op::VolatileWrite { var, .. } => Some(var),
        _ => None,
    }
}

/// What an operation is about: the object, if there is one.
#[derive(PartialEq, Eq)]
enum About {
    Object(u64),
    Static(VarId),
    Lock(StrId),
    Channel(ChannelId),
    Thread(ThreadId),
}

fn about(op: Op, label: Option<u64>, now: &Now<'_>) -> Option<About> {
    Some(match op {
        Op::Acquire { lock, .. } | Op::Release { lock, .. } | Op::Reenter { lock } | Op::Reexit { lock } => {
            match *now.symbols.locks.get(lock) {
                Lock::Of(object) => About::Object(now.symbols.objects().get(object).label),
                Lock::Named(name) => About::Lock(name),
            }
        }
        Op::Signal { on } | Op::Observe { on } => About::Channel(on),
        Op::Fork { child } | Op::Join { child } => About::Thread(child),
        _ => match (label, accessed(op)) {
            (Some(label), _) => About::Object(label),
            (None, var) => About::Static(var?),
        },
    })
}

/// Whether an operation is about the same as that with which the block has taken effect.
pub(super) fn is_about_its_commit(open: Open, op: Op, now: &Now<'_>) -> bool {
    let commit = open.commit.and_then(|commit| about(commit.op, commit.label, now));
    commit.is_some() && commit == about(op, label(op, now), now)
}

/// An operation in words.
struct Words {
    /// `at lock release`: as the paper has it.
    note: String,
    /// `releases lock m`: after "it".
    does: String,
    target: Option<Target>,
}

fn words(op: Op, known: bool, variables: &Variables, now: &Now<'_>) -> Words {
    let symbols = now.symbols;
    let target = match op {
        Op::Acquire { lock, .. } | Op::Release { lock, .. } | Op::Reenter { lock } | Op::Reexit { lock } => {
            Some(Target::Lock(lock))
        }
        _ => accessed(op).filter(|_| known).map(Target::Variable),
    };
    let name = match target {
        Some(Target::Lock(lock)) => lock_names::shown(lock, now.sets, now.symbols),
        Some(Target::Variable(var)) => variable_kind(var, now),
        None => "a field of an object that has died".to_owned(),
    };
    let halfway = |var| known && variables.writes_are_protected(var);
    let (note, does) = match op {
        Op::Acquire { .. } => ("at lock acquire".to_owned(), format!("acquires lock {name}")),
        Op::Release { .. } => ("at lock release".to_owned(), format!("releases lock {name}")),
        Op::Reenter { .. } => ("at lock acquire".to_owned(), format!("acquires lock {name} once more")),
        Op::Reexit { .. } => {
            ("at lock release".to_owned(), format!("undoes a second acquire of lock {name}"))
        }
        Op::Read { .. } => (
            format!("at a read of {name}, which no lock protects"),
            format!("reads {name}, which no lock protects"),
        ),
        Op::Write { var } if halfway(var) => (
            format!("at a write of {name}, which is also read without its lock"),
            format!("writes {name}, which is also read without its lock"),
        ),
        Op::Write { .. } => (
            format!("at a write of {name}, which no lock protects"),
            format!("writes {name}, which no lock protects"),
        ),
        Op::VolatileRead { .. } => ("at a volatile read".to_owned(), format!("reads the volatile {name}")),
        Op::VolatileWrite { update: false, .. } => {
            ("at a volatile write".to_owned(), format!("writes the volatile {name}"))
        }
        Op::VolatileWrite { .. } => ("at an atomic update".to_owned(), format!("atomically updates {name}")),
        Op::Signal { on } => {
            let name = symbols.str(symbols.channels.get(on).name);
            (format!("at a signal on {name}"), format!("signals {name}"))
        }
        Op::Observe { on } => {
            let name = symbols.str(symbols.channels.get(on).name);
            (format!("at waiting for {name}"), format!("waits for {name}"))
        }
        Op::Fork { child } => {
            let name = symbols.str(symbols.threads.get(child).name);
            (format!("at the start of thread {name}"), format!("starts thread {name}"))
        }
        Op::Join { child } => {
            let name = symbols.str(symbols.threads.get(child).name);
            (
                format!("at waiting for the end of thread {name}"),
                format!("waits for the end of thread {name}"),
            )
        }
        _ => (String::new(), "goes on".to_owned()),
    };
    Words { note, does, target }
}

/// `Account.java:42`, as short as it can be.
fn place(site: SiteId, now: &Now<'_>) -> String {
    let site = now.symbols.sites.get(site);
    let mut place = match (site.file, site.method) {
        (Some(file), _) => now.symbols.str(file).to_owned(),
        (None, Some(method)) => {
            let method = now.symbols.methods.get(method);
            format!("{}.{}", now.symbols.class_name(method.class), now.symbols.str(method.name))
        }
        (None, None) if site.line > 0 => return format!("line {}", site.line),
        (None, None) => return "an unknown place".to_owned(),
    };
    if site.line > 0 {
        let _ = write!(place, ":{}", site.line);
    }
    place
}

/// How an operation that is told of moves: one that moves both ways never is.
fn mover(op: Op) -> Mover {
    match op {
        Op::Acquire { .. } | Op::Reenter { .. } | Op::Observe { .. } | Op::Join { .. } => Mover::Right,
        Op::Release { .. } | Op::Reexit { .. } | Op::Signal { .. } | Op::Fork { .. } => Mover::Left,
        _ => Mover::Neither,
    }
}

/// What would make the block atomic, as far as its two steps tell.
fn advice(commit: Op, violation: Op, now: &Now<'_>) -> String {
    let name = |var| variable_kind(var, now);
    match (commit, violation) {
        (Op::Release { lock: first, .. }, Op::Acquire { lock: second, .. }) if first == second => {
            let lock = lock_names::shown(first, now.sets, now.symbols);
            format!("Hold {lock} over the whole block instead of giving it up and taking it again")
        }
        (Op::Release { lock, .. }, Op::Acquire { .. }) => {
            let lock = lock_names::shown(lock, now.sets, now.symbols);
            format!("Keep {lock} until the block is done, or take all locks that the block needs before giving one up")
        }
        (_, Op::Acquire { .. } | Op::Reenter { .. }) => {
            "Take the lock before that step, or put both steps under one lock".to_owned()
        }
        (_, Op::Read { var } | Op::Write { var }) => {
            format!("Protect {} by one lock wherever it is used, and hold that lock over the whole block", name(var))
        }
        (_, Op::VolatileRead { .. } | Op::VolatileWrite { .. }) => {
            "A volatile variable makes single accesses atomic, not several together: put both steps under one lock, \
             or do them in one atomic update"
                .to_owned()
        }
        _ => "Do not wait inside the block for what another thread does, or do not call it atomic".to_owned(),
    }
}

/// How an event breaks a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Breaks {
    /// It is about something else than the commit.
    Perhaps,
    /// It is about the same.
    Surely,
    /// So it is, and something else has broken this execution of the block before: there are no two sightings.
    AfterAll,
}

/// Reports that an event breaks an open block that has committed.
pub(super) fn violation(
    open: Open,
    breaks: Breaks,
    at: At,
    variables: &Variables,
    now: &mut Now<'_>,
    out: &mut Out,
) {
    let (event, subject) = (at.event, Subject::Block(open.block));
    let confidence = if breaks == Breaks::Perhaps { Confidence::Low } else { Confidence::Medium };
    let Some(commit) = open.commit else { return };
    let wanted = match breaks {
        Breaks::AfterAll => out.is_surer(Rule::NonAtomic, &subject, confidence, now),
        _ => out.wants_so_sure(Rule::NonAtomic, &subject, confidence, now),
    };
    if !wanted {
        return;
    }
    let first = words(commit.op, label(commit.op, now) == commit.label, variables, now);
    let second = words(event.op, true, variables, now);
    let locks = match event.op {
        // Held a moment ago: the lock itself is what the thread asked for.
        Op::Acquire { lock, .. } => now.sets.without(now.held.all, lock),
        _ => now.held.all,
    };
    let step = |role, site, locks: LockSet| StepAt::new(event.thread, site, role, None, locks);
    let told = |step: StepAt, op: Op, words: Words| StepAt {
        target: words.target,
        act: act_of(op),
        mover: Some(mover(op)),
        note: words.note,
        ..step
    };
    let (committed, violated) = (place(commit.site, now), place(event.site, now));
    let advice = format!("{}.", advice(commit.op, event.op, now));
    let mut notes = vec![
        format!(
            "Between {committed} and {violated} other threads can see the block half done, or change what it has \
             already looked at."
        ),
        advice.clone(),
    ];
    if open.waited {
        notes.push("The block has waited before; only what it did since then counts here.".to_owned());
    }
    let evidence = Evidence {
        rule: Rule::NonAtomic,
        subject,
        confidence,
        message: format!(
            "{{}} is not atomic: it {} at {committed} and then {} at {violated}; other threads can act in between",
            first.does, second.does
        ),
        steps: vec![
            step(Role::BlockEntered, open.site, open.locks),
            told(step(Role::Commit, commit.site, commit.locks), commit.op, first),
            told(step(Role::Violation, event.site, locks), event.op, second),
        ],
        notes,
        details: Details { advice, ..Details::default() },
    };
    match breaks {
        Breaks::AfterAll => out.add_counted(evidence, Some(at), now),
        _ => out.add(evidence, Some(at), now),
    }
}
