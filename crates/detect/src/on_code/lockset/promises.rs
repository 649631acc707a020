//! Promises of `@GuardedBy` that code does not keep: an access of a field, or a call of a method, without the lock that the
//! annotation names. Those who make the object need no lock. One that is written down and broken is a finding whatever
//! threads do; it is one of high confidence only if threads that the program starts are seen to meet there.

use findings::{Confidence, Role, Rule};
use program::{FieldId, MethodId, flags};

use super::annotations::{Declared, Promise, Unknown, guarded_by, guarded_method, is_held, promise};
use super::phases::Threads;
use super::{View, can_meet, is_shared, objects, step};
use crate::on_code::accesses::{Access, is_new};
use crate::on_code::locks::keys::guards;
use crate::on_code::locks::{Base, Depth, Paths};
use crate::on_code::{Code, Evidence, Out, Place, StepAt, Subject};

/// Reports the accesses of a field without the lock that it says it is guarded by; false if it says nothing.
pub fn fields(code: &Code, view: &View, field: FieldId, all: &[&Access], out: &mut Out<'_>) -> bool {
    let declared = guarded_by(code, field);
    if declared.is_empty() {
        return false;
    }
    let mut locks: Vec<Declared> = Vec::new();
    for found in declared {
        match found {
            Ok(found) => locks.push(found),
            Err(unknown) => {
                let what = format!("{}, guarded by {}", code.field_name(field), unknown.text);
                out.gap(what, unknown.why, 1);
                return true;
            }
        }
    }
    let text = locks.iter().map(|lock| lock.text.as_str()).collect::<Vec<_>>().join(" or ");
    let is_kept = |access: &Access| {
        let objects: Vec<u32> = objects(code, access).collect();
        locks.iter().any(|lock| is_held(code, lock, access.write, &access.guards, &objects))
    };
    for access in all.iter().filter(|access| !is_kept(access)) {
        let mut step = step(access);
        step.note = format!("without {text}");
        out.add(Evidence {
            rule: Rule::DataRace,
            subject: Subject::Field(field),
            confidence: confidence(code, view, access, all),
            message: format!("{{}} is declared to be guarded by {text}, and is used without it"),
            at: access.place,
            steps: vec![step],
            notes: Vec::new(),
            advice: format!("Hold {text} here too, or correct the annotation"),
        });
    }
    true
}

/// How sure it is that a broken promise does harm.
fn confidence(code: &Code, view: &View, access: &Access, all: &[&Access]) -> Confidence {
    // Nothing is known of a library's threads, but that somebody thought of them.
    if !code.starts_threads() {
        return Confidence::Medium;
    }
    if !is_shared(code, &view.phases, access) {
        return Confidence::Low;
    }
    let meets = |other: &&&Access| {
        (access.write || other.write)
            && is_shared(code, &view.phases, other)
            && can_meet(code, view, access, other, false) == Threads::Several
    };
    if all.iter().any(|other| meets(&other)) { Confidence::High } else { Confidence::Medium }
}

/// Reports the calls of methods without the lock that these say their callers hold.
pub fn methods(code: &Code, out: &mut Out<'_>) {
    for (caller, inst, callee) in code.points.all_targets() {
        let owner = code.program.method(callee).owner;
        if promise(&code.program, owner) == Promise::Left {
            continue;
        }
        let mut locks: Vec<Declared> = Vec::new();
        let mut is_known = true;
        for found in guarded_method(code, callee) {
            match found {
                Ok(found) => locks.push(found),
                Err(Unknown { text, why }) => {
                    out.gap(format!("method {}, guarded by {text}", code.method_name(callee)), why, 1);
                    is_known = false;
                }
            }
        }
        if is_known && !locks.is_empty() {
            call(code, Place { method: caller, inst }, callee, &locks, out);
        }
    }
}

fn call(code: &Code, at: Place, callee: MethodId, locks: &[Declared], out: &mut Out<'_>) {
    let Place { method, inst } = at;
    let Some(body) = code.program.body(method) else { return };
    let list = body.insts.get(inst as usize).and_then(|call| call.op.list());
    let receiver = list.and_then(|list| body.list(list).first().copied());
    let receiver = receiver.filter(|_| code.program.method(callee).access & flags::STATIC == 0);
    let paths = Paths::new(&code.program, &code.points, &code.locks.stable, method, body);
    let path = receiver.map(|reg| paths.of(reg));
    let is_early = receiver.zip(path.as_ref()).is_some_and(|(reg, path)| {
        path.base == Base::Param(0) && code.makers().contains(method)
            || is_new(code, method, body, &paths, reg, inst)
    });
    if is_early {
        return;
    }
    let objects: Vec<u32> =
        receiver.and_then(|reg| code.points.of(method, reg)).into_iter().flat_map(|set| set.iter()).collect();
    let mut state: Vec<Depth> = Vec::new();
    if let Some(own) = code.locks.of(method) {
        own.each(body, |number, depths| {
            if number == inst {
                state = depths.to_vec();
            }
        });
    }
    let guards = guards(&code.locks.held(&code.points, method, &state, false), path.as_ref());
    // It may do no more than read.
    if locks.iter().any(|lock| is_held(code, lock, false, &guards, &objects)) {
        return;
    }
    let text = locks.iter().map(|lock| lock.text.as_str()).collect::<Vec<_>>().join(" or ");
    let several = !code.starts_threads() || code.sharing.is_run_by_many(callee);
    let mut step = StepAt::new(Role::Violation, at);
    step.locks = code.lock_names(method, &state, false);
    step.note = format!("without {text}");
    out.add(Evidence {
        rule: Rule::DataRace,
        subject: Subject::Method(callee),
        confidence: if several { Confidence::Medium } else { Confidence::Low },
        message: format!("{{}} is declared to be called with {text} held, and is called without it"),
        at,
        steps: vec![step],
        notes: Vec::new(),
        advice: format!("Hold {text} around the call, or correct the annotation"),
    });
}
