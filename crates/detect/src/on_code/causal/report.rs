//! Conflicts and stale values as evidence that a person can follow.

use findings::{Confidence, Role, Rule};

use super::compare::{Conflict, Kind};
use super::stale::Stale;
use crate::on_code::regions::telling::Teller;
use crate::on_code::{Evidence, Place};

/// A conflict between views.
pub fn high_level_race(teller: &mut Teller<'_, '_>, conflict: &Conflict) -> Option<Evidence> {
    let (one, whole) = conflict.together;
    let (other, first, second) = conflict.apart;
    let (first_var, second_var) = conflict.pair;
    let (thread, thread_apart) = teller.threads(one, other);
    let writes = |kind: Kind| kind == Kind::Write;
    let role = |kind: Kind| if writes(kind) { Role::Write } else { Role::Read };
    let set = teller.set(&conflict.vars);

    let mut steps = Vec::new();
    let mut at = None;
    for (process, name, region, var, kind, note) in [
        (
            one,
            &thread,
            whole,
            first_var,
            conflict.together_kind,
            format!("uses {set} together in this block"),
        ),
        (one, &thread, whole, second_var, conflict.together_kind, String::new()),
        (other, &thread_apart, first, first_var, conflict.apart_kind, "in one block".to_owned()),
        (other, &thread_apart, second, second_var, conflict.apart_kind, "in another block".to_owned()),
    ] {
        let access = teller.access(process, region, var, writes(kind))?;
        let step = teller.step(process, name, role(kind), &access, note);
        at = Some(step.place);
        steps.push(step);
    }
    let (uses, uses_apart) = match conflict.together_kind {
        Kind::Read => ("reads", "writes"),
        Kind::Write => ("writes", "reads"),
    };
    let lock = teller.lock(whole);
    let seen = match conflict.apart_kind {
        Kind::Read => format!("{thread_apart} then has read old values together with new ones"),
        Kind::Write => format!("{thread} then sees only a part of what {thread_apart} writes"),
    };
    Some(Evidence {
        rule: Rule::HighLevelRace,
        subject: teller.subject(&conflict.vars),
        confidence: teller.confidence(one, other, Confidence::Medium),
        message: format!(
            "{thread} {uses} {{}} together while it holds {lock}, but {thread_apart} {uses_apart} them one after the \
             other in separate blocks"
        ),
        at: at?,
        steps,
        notes: vec![format!(
            "Between the two blocks of {thread_apart}, the block of {thread} can run: {seen}."
        )],
        advice: format!(
            "If the values have to fit together, use them in one block in {thread_apart} too; if not, {thread} need not \
             use them in one block"
        ),
    })
}

/// A stale value.
pub fn stale_value(teller: &mut Teller<'_, '_>, stale: &Stale) -> Option<Evidence> {
    let (thread, writer) = teller.threads(stale.process, stale.writer.0);
    let name = teller.name(stale.var);
    let target = teller.name(stale.used.var);
    let read_role = if stale.read.write { Role::Write } else { Role::Read };
    let leaves = "the value leaves the block with the lock given up".to_owned();
    let read = teller.step(stale.process, &thread, read_role, &stale.read, leaves);
    let role = Role::Interference;
    let between = format!("can write {name} in between");
    let write = teller.step(stale.writer.0, &writer, role, &stale.writer.1, between);
    let what = match (stale.by_control, stale.used.var == stale.var) {
        (false, true) => format!("writes back to {name} what was computed from the old value"),
        (false, false) => format!("writes to {target} what was computed from the old value of {name}"),
        (true, _) => format!("writes {target} because of the old value of {name}"),
    };
    let mut used = teller.step(stale.process, &thread, Role::Use, &stale.used, what.clone());
    // Where the value comes into the last region tells more than where it is written there.
    let mut at = used.place;
    if let Some((instance, inst)) = stale.entered {
        let method = teller.regions.instances.all.get(instance as usize)?.method;
        at = Place { method, inst };
        if let (Some(way), Some(frame)) = (&mut used.way, teller.frame(instance, inst))
            && !way.stack.contains(&frame)
        {
            way.stack.insert(0, frame);
        }
    }
    Some(Evidence {
        rule: Rule::StaleValue,
        subject: teller.subject(&[stale.var]),
        confidence: teller.confidence(stale.process, stale.writer.0, stale.confidence),
        message: format!(
            "{thread} reads {{}} in one block and {what} in another, while {writer} may have written it in between"
        ),
        at,
        steps: vec![read, write, used],
        notes: Vec::new(),
        advice: "Do both in one block, or look at the value again before using it in the second one".into(),
    })
}
