//! When two accesses of one object's field are under the same lock: if the lock has the same place seen from the object,
//! is the same wherever it is written, or may be the same object. Where it may be, it is taken to be: different locks
//! from one place are told apart by no caller, and most who lock an object of a kind mean the right one.

use program::FieldId;

use super::{Fact, Known, Mode, Path};

/// A lock as seen from the object that is accessed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Key {
    /// The object itself, or what its fields lead to.
    Below(Vec<FieldId>),
    /// That from which fields lead to the object.
    Above(Vec<FieldId>),
    /// One that is the same everywhere.
    Global(Path),
    /// One of some objects.
    Objects(Vec<u32>),
}

/// A lock that is held at an access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guard {
    /// Which one.
    pub key: Key,
    /// How.
    pub mode: Mode,
    /// Is it a monitor?
    pub monitor: bool,
}

/// The locks held as seen from an object; without one, from nowhere.
pub fn guards(facts: &[Fact], object: Option<&Path>) -> Vec<Guard> {
    let mut guards: Vec<Guard> = Vec::new();
    for Fact { lock, mode, monitor } in facts {
        let mut add = |key| guards.push(Guard { key, mode: *mode, monitor: *monitor });
        match lock {
            Known::Objects(objects) => add(Key::Objects(objects.clone())),
            Known::Path(path) => {
                if path.is_global() {
                    add(Key::Global(path.clone()));
                }
                if let Some(object) = object {
                    if let Some(fields) = path.from(object) {
                        add(Key::Below(fields.to_vec()));
                    } else if let Some(fields) = object.from(path) {
                        add(Key::Above(fields.to_vec()));
                    }
                }
            }
        }
    }
    guards
}

/// Is there a lock that keeps two accesses apart? A lock in read mode keeps a reader from writers.
pub fn have_common(one: &[Guard], other: &[Guard]) -> bool {
    one.iter()
        .any(|a| other.iter().any(|b| is_same(a, b) && (a.mode == Mode::Alone || b.mode == Mode::Alone)))
}

/// May both be the same lock?
pub fn is_same(one: &Guard, other: &Guard) -> bool {
    one.monitor == other.monitor
        && match (&one.key, &other.key) {
            (Key::Objects(a), Key::Objects(b)) => a.iter().any(|object| b.contains(object)),
            (a, b) => a == b,
        }
}
