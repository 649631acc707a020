//! Data races in code: fields that are written after their object was made, that several threads reach, and that no lock
//! protects which all of them hold (the lock sets of *Eraser*, over code).
//!
//! Two accesses of a field, one of them a write, are reported if different threads may run them at the same time on an
//! object that both can reach, and no lock is sure to be held at both. What callers hold counts. Left out are volatile and
//! final fields, accesses while the object is being made, and what the program's own thread does before it starts others
//! or after it has waited for them. So are tasks of which one is over before the other begins (`turns.rs`), and a pair that
//! something else may hand over (`hand_over.rs`): one side gives order after its access, the other takes order before its
//! own.
//!
//! One place may make many objects, each for a thread of its own; so there has to be more evidence: the field is static,
//! its object is made once, the class calls itself `@ThreadSafe`, or most other accesses are under one lock. For a library,
//! where nothing is known of threads, only the last two count. `@GuardedBy` is taken at its word (`promises.rs`): an access
//! without that lock is a finding. `@NotThreadSafe` and `@Immutable` classes are left alone.
//!
//! What it misses: elements of arrays and collections; a constructor that lets its object escape; locks of the right
//! kind but of another object. It is wrong where something else than locks, start and join keeps threads apart.

mod annotations;
mod hand_over;
pub(super) mod phases;
mod promises;
#[cfg(test)]
mod tests;
mod turns;

use findings::{Confidence, Role, Rule};
use program::points::{Part, Set};
use program::{FieldId, flags};

use self::annotations::{Promise, promise};
use self::hand_over::HandOver;
use self::phases::{Phase, Phases, Runners, Threads};
use super::accesses::Access;
use super::locks::Mode;
use super::locks::keys::{Guard, Key, have_common, is_same};
use super::{Code, CodeSpec, Evidence, Out, Place, StepAt, Subject};
use crate::Options;

/// The check for data races.
pub static SPEC: CodeSpec = CodeSpec {
    name: "lockset-code",
    about: "data races in code: fields that threads share and that no common lock protects",
    explain: "A field that is written after its object was made, and that several threads may reach, needs a lock that \
all of them hold. The check looks at every access, with the locks that are sure to be held there: by the method, by \
whoever calls it, around a lambda that runs under a lock.\n\
\n\
Left out are volatile and final fields, constructors, and what the main thread does before it starts others or after \
it has waited for them. Since one place in the code may make many objects, each for one thread alone, something else \
must show that the field is shared: it is static, its object is made only once, its class is @ThreadSafe, or most \
other accesses are under one lock. In a library only the last two count.\n\
\n\
@GuardedBy is taken at its word, from any package: an access of the field, or a call of the method, without that lock \
is reported, with high confidence only where threads are seen to meet. Classes that are \
@NotThreadSafe or @Immutable are left alone. Not looked at are elements of arrays and collections. It is wrong where \
something else keeps the threads apart: a queue, a flag, a future.",
    rules: &[Rule::DataRace],
    check,
};

fn check(code: &Code, _options: &Options, out: &mut Out<'_>) {
    let view =
        View { phases: Phases::new(code), runners: Runners::default(), hand_over: HandOver::new(code) };
    promises::methods(code, out);
    let accesses = code.accesses();
    let mut variables: Vec<_> = accesses.of.keys().filter(|variable| !variable.elements).collect();
    variables.sort_unstable();
    for variable in variables {
        let field = variable.field;
        let info = code.program.field(field);
        if is_compilers(&info.name) {
            continue;
        }
        if info.access & (flags::FINAL | flags::VOLATILE | flags::SYNTHETIC | flags::ENUM) != 0 {
            continue;
        }
        let promise = promise(&code.program, info.owner);
        let all: Vec<&Access> =
            accesses.of.get(variable).into_iter().flatten().filter(|a| !a.early).collect();
        if promise == Promise::Left || !all.iter().any(|access| access.write) {
            continue;
        }
        if promises::fields(code, &view, field, &all, out) {
            continue;
        }
        let mut room = MOST_PAIRS;
        if let Some(found) = race(code, &view, promise, field, &all, &mut room) {
            out.add(found);
        } else if room == 0 {
            let what = format!("field {}", code.field_name(field));
            out.gap(what, "there are too many accesses to compare each with each", 1);
        }
    }
}

fn step(access: &Access) -> StepAt {
    let role = if access.write { Role::Write } else { Role::Read };
    StepAt { locks: access.locks.clone(), ..StepAt::new(role, access.place) }
}

/// How many pairs of accesses are looked at for one field.
const MOST_PAIRS: usize = 50_000;
/// The value of a pair that cannot be told better.
const MOST_TELLING: u32 = 15;

/// Is it the name of a field that compilers add? Not all of them are marked as such. Users' fields may have a dollar, too.
fn is_compilers(name: &str) -> bool {
    const STARTS: &[&str] = &["$", "this$", "val$", "bitmap$", "class$", "array$", "__$"];
    STARTS.iter().any(|start| name.starts_with(start)) || name == "MODULE$"
}

/// The pair of accesses that shows best that a field is not protected.
fn race(
    code: &Code,
    view: &View,
    promise: Promise,
    field: FieldId,
    all: &[&Access],
    room: &mut usize,
) -> Option<Evidence> {
    let shared: Vec<&Access> =
        all.iter().copied().filter(|access| is_shared(code, &view.phases, access)).collect();
    let majority = majority(code, &shared);
    let evidence = evidence(code, promise, field, &shared, majority)?;
    let guarded = |access: &Access| majority.is_some_and(|lock| is_under(code, access, lock));
    let mut best: Option<(&Access, &Access, u32, Threads)> = None;
    'pairs: for one in &shared {
        for other in &shared {
            if *room == 0 || best.is_some_and(|(_, _, value, _)| value == MOST_TELLING) {
                break 'pairs;
            }
            *room -= 1;
            // A write first, then anything; a single place is a pair if several threads run it.
            if !one.write || have_common(code, &one.guards, &other.guards, is_single(code, one, other)) {
                continue;
            }
            let locked = matches!(evidence, Shown::Mostly(..));
            if locked && guarded(one) == guarded(other) {
                continue;
            }
            let threads = can_meet(code, view, one, other, locked);
            let known = matches!(evidence, Shown::Static | Shown::Single);
            if threads == Threads::One || known && threads != Threads::Several {
                continue;
            }
            if matches!(evidence, Shown::Single) && !have_single(code, field, one, other) {
                continue;
            }
            // Most telling: one side as all others do it, the other side a write without any lock.
            let value = 8 * u32::from(threads == Threads::Several)
                + 4 * u32::from(guarded(one) != guarded(other))
                + 2 * u32::from(other.write)
                + u32::from(one.place.method != other.place.method);
            if best.is_none_or(|(_, _, known, _)| value > known) {
                best = Some((one, other, value, threads));
            }
        }
    }
    let (one, other, _, threads) = best?;
    let wrong = if guarded(one) { other } else { one };
    let (first, second) = code.two_ways(one.place.method, other.place.method);
    let nearest = |method| code.ways(method, 1).pop().unwrap_or_default();
    let first = first.unwrap_or_else(|| nearest(one.place.method));
    let mut second = second.unwrap_or_else(|| nearest(other.place.method));
    if second.thread == first.thread {
        second.thread = format!("another {}", first.thread);
    }
    let steps = vec![StepAt { way: Some(first), ..step(one) }, StepAt { way: Some(second), ..step(other) }];
    let notes = match evidence {
        Shown::Mostly(guarded, all) => vec![format!("{guarded} of {all} accesses are under one lock")],
        Shown::Promised => vec!["its class is declared to be safe for threads".to_owned()],
        Shown::Static | Shown::Single => Vec::new(),
    };
    let confidence = match evidence {
        // Never sure: what hands a field from thread to thread is not all seen in code.
        Shown::Static | Shown::Single | Shown::Mostly(..)
            if threads == Threads::Several && code.starts_threads() =>
        {
            Confidence::Medium
        }
        Shown::Promised => Confidence::Medium,
        _ if wrong.write => Confidence::Medium,
        _ => Confidence::Low,
    };
    Some(Evidence {
        rule: Rule::DataRace,
        subject: Subject::Field(field),
        confidence,
        message: "several threads may use {} at the same time, and no lock protects it".into(),
        at: wrong.place,
        steps,
        notes,
        advice: "Hold one lock wherever it is used, make it volatile if single reads and writes will do, or leave it to \
                 one thread"
            .into(),
    })
}

/// What is known of the program's threads beside its locks.
struct View {
    phases: Phases,
    runners: Runners,
    hand_over: HandOver,
}

/// Can two threads be at both accesses, on one object, with nothing to keep them apart?
fn can_meet(code: &Code, view: &View, one: &Access, other: &Access, locked: bool) -> Threads {
    if !code.sharing.may_overlap(one.place.method, other.place.method) || !may_be_one(code, one, other) {
        return Threads::One;
    }
    // What runs once, such as all that a class's initialiser does, is not run by two.
    let is_once = |place: Place| code.once().is_run(code, place.method, place.inst);
    if one.place == other.place && is_once(one.place) {
        return Threads::One;
    }
    let own = one.object.is_some() && objects(code, one).all(|object| code.once().is_own_task(code, object));
    let threads = view.runners.threads(code, one.place.method, other.place.method, own);
    // Where others lock, a lock is what is meant to protect it.
    let kept = !locked
        && (view.hand_over.is_possible(code, one.place, other.place)
            || view.hand_over.is_possible(code, other.place, one.place));
    if kept { Threads::One } else { threads }
}

/// What shows that a field is really shared.
#[derive(Clone, Copy)]
enum Shown {
    Static,
    Single,
    Promised,
    Mostly(usize, usize),
}

fn evidence(
    code: &Code,
    promise: Promise,
    field: FieldId,
    shared: &[&Access],
    majority: Option<&Guard>,
) -> Option<Shown> {
    if let Some(lock) = majority {
        let guarded = shared.iter().filter(|access| is_under(code, access, lock)).count();
        if guarded < shared.len() {
            return Some(Shown::Mostly(guarded, shared.len()));
        }
    }
    if promise == Promise::Safe {
        return Some(Shown::Promised);
    }
    if !code.starts_threads() {
        return None;
    }
    if code.program.field(field).access & flags::STATIC != 0 {
        return Some(Shown::Static);
    }
    let mut all = shared.iter().flat_map(|access| objects(code, access));
    all.any(|object| is_shared_single(code, field, object)).then_some(Shown::Single)
}

/// Is there only one such object, whose field threads share?
fn is_shared_single(code: &Code, field: FieldId, object: u32) -> bool {
    code.sharing.is_shared(object, Part::Field(field)) && code.once().is_made(code, object)
}

/// Are both accesses known to be about one object that threads share? That there is such an object among many says nothing
/// of the others: those may be each thread's own.
fn have_single(code: &Code, field: FieldId, one: &Access, other: &Access) -> bool {
    let Some(others) = set(code, other) else { return false };
    objects(code, one).any(|object| others.contains(object) && is_shared_single(code, field, object))
}

/// The lock of the object, or one for all, that at least two thirds of the accesses hold, two of them and a write among
/// them.
fn majority<'a>(code: &Code, shared: &[&'a Access]) -> Option<&'a Guard> {
    let about = |lock: &&Guard| matches!(lock.key, Key::Below(_) | Key::Global(_));
    shared.iter().flat_map(|access| &access.guards).filter(about).find(|lock| {
        let guarded: Vec<_> = shared.iter().filter(|access| is_under(code, access, lock)).collect();
        guarded.len() >= 2
            && 3 * guarded.len() >= 2 * shared.len()
            && guarded.iter().any(|access| access.write)
    })
}

/// Does a lock protect an access? In read mode it protects reads.
fn is_under(code: &Code, access: &Access, lock: &Guard) -> bool {
    let protects = |guard: &&Guard| guard.mode == Mode::Alone || !access.write;
    access.guards.iter().filter(protects).any(|guard| is_same(code, guard, lock, false))
}

fn is_shared(code: &Code, phases: &Phases, access: &Access) -> bool {
    code.sharing.maybe_shared(&code.program, &code.points, access.place.method, access.place.inst)
        && phases.at(code, access.place) == Phase::During
}

/// Is there one variable, whichever of the two accesses it is?
fn is_single(code: &Code, one: &Access, other: &Access) -> bool {
    let only = |access: &Access| {
        let mut objects = objects(code, access);
        objects.next().filter(|_| objects.next().is_none())
    };
    one.object.is_none()
        || only(one).is_some_and(|object| Some(object) == only(other) && code.once().is_made(code, object))
}

/// The objects that an access may be about.
fn objects<'c>(code: &'c Code, access: &Access) -> impl Iterator<Item = u32> + 'c {
    set(code, access).into_iter().flat_map(|set| set.iter())
}

fn set<'c>(code: &'c Code, access: &Access) -> Option<&'c Set> {
    let body = code.program.body(access.place.method);
    let reg =
        body.and_then(|body| body.insts.get(access.place.inst as usize)).map(|inst| inst.op.operands()[0]);
    reg.and_then(|reg| code.points.of(access.place.method, reg))
}

/// May both be about the same object?
fn may_be_one(code: &Code, one: &Access, other: &Access) -> bool {
    if one.object.is_none() || one.place == other.place {
        return true;
    }
    let sets = set(code, one).zip(set(code, other));
    sets.is_some_and(|(one, other)| code.points.may_meet(&code.program, one, other))
}
