//! Names of locks, the same on both roads: a lock is known by its class if that says something. All `java.lang.Object` of
//! a program are no one lock to anybody, nor are its `ReentrantLock`s, lists, strings and arrays: those are known by the
//! field that the code takes them from, and classes by themselves (`Registry.class`).
//!
//! Where the code does not tell the field, the class it is.

use events::{Lock, LockId, Object, SiteId, StrId, Symbols};

use crate::shared::lockset::LockSets;

/// The class of classes.
pub(crate) const CLASS: &str = "java.lang.Class";

/// Does the class of a lock say nothing of what it is for? That of an array, or one of the platform's own.
pub(crate) fn says_nothing(class: &str) -> bool {
    let platform = ["java.", "javax.", "jdk.", "sun.", "com.sun."];
    class.ends_with(']') || platform.iter().any(|of| class.starts_with(of))
}

/// The object whose lock it is, if that one's class says nothing.
fn nameless(lock: LockId, symbols: &Symbols) -> Option<Object> {
    let Lock::Of(object) = *symbols.locks.get(lock) else { return None };
    let object = *symbols.objects().get(object);
    says_nothing(symbols.class_name(object.class)).then_some(object)
}

/// What tells the two locks of one object apart: a `ReentrantLock` has a monitor as well.
fn which(class: &str) -> &str {
    ["monitor", "lock"].into_iter().find(|which| class.rsplit('.').next() == Some(which)).unwrap_or_default()
}

/// The field that a lock is called after, of those from which the code takes it at some places. Whichever of them comes
/// first, it is the same.
pub(crate) fn field_of(
    lock: LockId,
    places: impl IntoIterator<Item = SiteId>,
    symbols: &Symbols,
) -> Option<StrId> {
    nameless(lock, symbols)?;
    let names = places.into_iter().filter_map(|site| symbols.sites.get(site).of);
    names.min_by_key(|&name| symbols.str(name))
}

/// A lock without its object's number, as a fingerprint needs it.
pub(crate) fn kind(lock: LockId, field: Option<StrId>, symbols: &Symbols) -> String {
    match (field, nameless(lock, symbols)) {
        (Some(field), Some(object)) => match which(symbols.class_name(object.class)) {
            "" => symbols.str(field).to_owned(),
            which => format!("{}.{which}", symbols.str(field)),
        },
        _ => symbols.lock_kind(lock).to_owned(),
    }
}

/// A lock as it is shown: `pkg.Account@7`, `pkg.Registry.lock@7`, `pkg.Registry.class`.
pub(crate) fn shown(lock: LockId, sets: &LockSets, symbols: &Symbols) -> String {
    let field = field_of(lock, sets.example(lock), symbols);
    match (field, nameless(lock, symbols)) {
        (Some(_), Some(object)) if symbols.class_name(object.class) == CLASS => kind(lock, field, symbols),
        (Some(_), Some(object)) => format!("{}@{}", kind(lock, field, symbols), object.label),
        _ => symbols.lock_name(lock),
    }
}
