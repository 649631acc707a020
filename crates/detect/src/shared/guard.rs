//! Locks that do not guard what they should: which two accesses show it, and how to say so.

use events::{Access, LockId, SiteId, Symbols, ThreadId, VarId};
use findings::{Confidence, NO_COMMON_LOCK, NOTHING_IN_COMMON, Role, Rule};
use rustc_hash::FxHashMap;

use super::history::Past;
use super::lockset::{LockSet, LockSets};
use crate::detector::Now;
use crate::evidence::{Details, Evidence, NarrowingAt, StepAt, Subject, Target};
use crate::lock_names;

const GUARD_IT: &str = "Guard every access with the same lock, or make the field volatile or atomic if single reads \
                        and writes are all it needs.";

/// At most this many accesses are told of when a candidate lock set shrinks.
const TOLD: usize = 6;

/// `{a, b}`; `no lock` for the empty set.
pub fn set_name(set: LockSet, sets: &LockSets, symbols: &Symbols) -> String {
    if set.is_empty() {
        return "no lock".to_owned();
    }
    let names: Vec<String> =
        sets.locks(set).iter().map(|&lock| lock_names::shown(lock, sets, symbols)).collect();
    format!("{{{}}}", names.join(", "))
}

/// The name of a thread.
pub fn thread_name(thread: ThreadId, symbols: &Symbols) -> &str {
    symbols.str(symbols.threads.get(thread).name)
}

/// `pkg.Class.method(File.java:42)`, with what is known of it.
pub fn site_name(site: SiteId, symbols: &Symbols) -> String {
    let site = symbols.sites.get(site);
    let line = match (site.file, site.line) {
        (Some(file), 0) => symbols.str(file).to_owned(),
        (Some(file), line) => format!("{}:{line}", symbols.str(file)),
        (None, line) => format!("line {line}"),
    };
    match site.method.map(|method| symbols.methods.get(method)) {
        Some(method) => {
            let name = symbols.str(method.name);
            let name = name.split_once('(').map_or(name, |(name, _)| name);
            format!("{}.{name}({line})", symbols.class_name(method.class))
        }
        None => line,
    }
}

/// How the locks held at all accesses became fewer until none was left: "T1 held {a}, T2 held {b}: nothing in
/// common". Only accesses that took a lock away are told. None if a lock is left.
pub fn shrinking(accesses: &[Past], sets: &mut LockSets, symbols: &Symbols) -> Option<String> {
    let mut left: Option<LockSet> = None;
    let mut told: Vec<String> = Vec::new();
    for access in accesses {
        let now = left.map_or(access.locks, |left| sets.intersect(left, access.locks));
        if left != Some(now) {
            let thread = thread_name(access.epoch.thread, symbols);
            told.push(format!("{thread} held {}", set_name(access.locks, sets, symbols)));
        }
        left = Some(now);
    }
    if !left?.is_empty() {
        return None;
    }
    let leave_out = told.len().saturating_sub(TOLD);
    told.drain(1..1 + leave_out.min(told.len() - 1));
    Some(format!("{}{NOTHING_IN_COMMON}", told.join(", ")))
}

/// What to do about it: name the lock that most accesses hold, if there is one.
pub fn advice(accesses: &[Past], sets: &LockSets, symbols: &Symbols) -> String {
    let mut holders: FxHashMap<LockId, usize> = FxHashMap::default();
    for access in accesses {
        for &lock in sets.locks(access.locks) {
            *holders.entry(lock).or_default() += 1;
        }
    }
    let best = holders.into_iter().max_by_key(|&(lock, count)| (count, std::cmp::Reverse(lock)));
    match best {
        Some((lock, count)) if count * 2 > accesses.len() || accesses.len() == 2 => format!(
            "Guard every access with the same lock, for example {}, which {} hold already.",
            lock_names::shown(lock, sets, symbols),
            if count * 2 > accesses.len() { "most accesses" } else { "some accesses" }
        ),
        _ => GUARD_IT.to_owned(),
    }
}

/// The two accesses to show for a variable that no lock protects, given the one that the current thread makes now: it
/// and its rival, or else the first pair of rivals that there was. In the papers' mode any access of another thread will
/// do beside the current one, the more it conflicts the better.
pub fn sides(access: &Access, paper: bool, now: &mut Now<'_>) -> Option<(Past, Past)> {
    let (var, write) = (access.var, access.writes());
    let epoch = now.hand_over.epoch(now.thread);
    let mine = Past { epoch, site: access.site(), locks: now.held.protecting(write), write };
    let rival = now.history.rival(var, now.thread, mine.write, mine.locks, now.hand_over, now.sets);
    if let Some(rival) = rival {
        return Some((rival, mine));
    }
    if !paper {
        return now.history.pair(var);
    }
    let others = now.history.accesses(var).filter(|other| other.epoch.thread != now.thread);
    let conflict =
        |other: &Past| (mine.write || other.write, now.sets.disjoint(other.locks, mine.locks), other.write);
    others.max_by_key(conflict).map(|other| (other, mine))
}

/// How sure it is that a variable is badly guarded. Where no access had a lock, locks are not what the program goes by
/// there, and they show little: if the accesses are not kept apart by anything else, `fasttrack` is likely to see it. The
/// papers know no such difference.
pub fn confidence(var: VarId, (other, mine): &(Past, Past), paper: bool, now: &Now<'_>) -> Confidence {
    let guarded = |access: &Past| !access.locks.is_empty();
    if paper || guarded(other) || guarded(mine) || now.history.accesses(var).any(|access| guarded(&access)) {
        Confidence::Medium
    } else {
        Confidence::Low
    }
}

/// What to say about a variable that no lock protects: both sides, why that is bad, and what to do.
pub fn evidence(
    var: VarId,
    (other, mine): (Past, Past),
    message: &str,
    confidence: Confidence,
    now: &mut Now<'_>,
) -> Evidence {
    let step = |access: &Past| {
        let role = if access.write { Role::Write } else { Role::Read };
        let target = now.variable(var).object.map(|_| Target::Variable(var));
        StepAt::new(access.epoch.thread, access.site, role, target, access.locks)
    };
    let steps = vec![step(&other), step(&mine)];
    let accesses = all_accesses(var, &other, &mine, now);
    let advice = advice(&accesses, now.sets, now.symbols);
    Evidence {
        rule: Rule::DataRace,
        subject: Subject::SeenAt(var, [other.site, mine.site]),
        confidence,
        message: message.to_owned(),
        steps,
        notes: notes(&accesses, &advice, now),
        details: Details { narrowing: narrowing(&accesses, now.sets), advice, ..Details::default() },
    }
}

/// Two accesses, and those that the history has besides and that are not like one of them.
fn all_accesses(var: VarId, other: &Past, mine: &Past, now: &Now<'_>) -> Vec<Past> {
    let mut accesses = vec![*other, *mine];
    let others = now.history.accesses(var).filter(|access| {
        let same = |known: &Past| {
            known.epoch.thread == access.epoch.thread
                && known.write == access.write
                && known.locks == access.locks
        };
        !same(other) && !same(mine)
    });
    accesses.extend(others);
    accesses
}

/// Why accesses are badly guarded, the first two of which show it, and what to do.
fn notes(accesses: &[Past], advice: &str, now: &mut Now<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if let [other, mine, ..] = accesses
        && now.sets.disjoint(other.locks, mine.locks)
    {
        notes.push(NO_COMMON_LOCK.to_owned());
    }
    notes.extend(shrinking(accesses, now.sets, now.symbols));
    notes.push(advice.to_owned());
    notes
}

/// The accesses at which the locks in common become fewer, in an order in which that takes as long as possible: each
/// leaves as many locks as any does that takes one away. Nothing if a lock is left.
fn narrowing(accesses: &[Past], sets: &mut LockSets) -> Vec<NarrowingAt> {
    let size = |set: LockSet, sets: &LockSets| sets.locks(set).len();
    let at = |access: &Past, left| NarrowingAt {
        thread: access.epoch.thread,
        site: access.site,
        write: access.write,
        locks: access.locks,
        left,
    };
    // Of equally good ones the first: max_by_key would take the last.
    let Some(first) = accesses.iter().rev().max_by_key(|access| size(access.locks, sets)) else {
        return Vec::new();
    };
    let mut left = first.locks;
    let mut told = vec![at(first, left)];
    while !left.is_empty() {
        let mut best: Option<(LockSet, &Past)> = None;
        for access in accesses {
            let smaller = sets.intersect(left, access.locks);
            let better = best.is_none_or(|(set, _)| size(smaller, sets) > size(set, sets));
            if smaller != left && better {
                best = Some((smaller, access));
            }
        }
        let Some((smaller, access)) = best else { return Vec::new() };
        left = smaller;
        told.push(at(access, left));
    }
    if let ([only], Some(other)) = (told.as_slice(), accesses.iter().find(|access| **access != *first)) {
        // Nothing was ever held: two accesses show that better than one.
        told = vec![*only, at(other, LockSet::EMPTY)];
    }
    let leave_out = told.len().saturating_sub(TOLD);
    told.drain(1..1 + leave_out.min(told.len() - 1));
    told
}

/// What to do about two accesses with these locks.
pub fn advice_for_two(first: LockSet, second: LockSet, sets: &LockSets, symbols: &Symbols) -> String {
    match (sets.locks(first), sets.locks(second)) {
        ([], [lock, ..]) | ([lock, ..], []) => {
            let lock = lock_names::shown(*lock, sets, symbols);
            format!("Hold {lock} at both places, as one of them does already.")
        }
        _ => GUARD_IT.to_owned(),
    }
}
