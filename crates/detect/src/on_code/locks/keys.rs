//! When two accesses of one object's field are under the same lock: if the lock has the same place seen from the object,
//! is the same wherever it is written, or is the same object. Which objects a lock may be tells less: where there are many
//! objects whose field it is, there may be as many locks, each for one of them, and a lock that may be the same is taken to
//! be; most who lock an object of a kind mean the right one. A single variable needs a single lock.

use program::FieldId;

use super::{Fact, Known, Mode, Path};
use crate::on_code::Code;

/// A lock as seen from the object that is accessed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Key {
    /// The object itself, or what its fields lead to.
    Below(Vec<FieldId>),
    /// That from which fields lead to the object.
    Above(Vec<FieldId>),
    /// One that is the same everywhere.
    Global(Path),
    /// What these fields lead to from somewhere else: nothing says whether the object is there, too.
    Elsewhere(Vec<FieldId>),
    /// One of some objects.
    Objects(Vec<u32>),
    /// Any.
    Unclear,
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
    for (Fact { lock, mode, monitor }, at) in facts.iter().zip(1..) {
        let mut add = |key| guards.push(Guard { key, mode: *mode, monitor: *monitor });
        match lock {
            Known::Objects(objects) => add(Key::Objects(objects.clone())),
            Known::Path(path) => {
                if path.is_global() {
                    add(Key::Global(path.clone()));
                }
                let below = object.and_then(|object| path.from(object));
                let above = object.and_then(|object| object.from(path));
                // What it may be is the next fact, if that is known.
                let has_objects = matches!(facts.get(at), Some(Fact { lock: Known::Objects(_), .. }));
                match (below, above) {
                    (Some(fields), _) => add(Key::Below(fields.to_vec())),
                    (None, Some(fields)) => add(Key::Above(fields.to_vec())),
                    (None, None) if path.is_local() && !has_objects => add(Key::Unclear),
                    (None, None) if !path.is_global() && !path.is_local() && !path.fields.is_empty() => {
                        add(Key::Elsewhere(path.fields.clone()));
                    }
                    (None, None) => {}
                }
            }
        }
    }
    guards
}

/// Is there a lock that keeps two accesses apart? A lock in read mode keeps a reader from writers.
pub fn have_common(code: &Code, one: &[Guard], other: &[Guard], single: bool) -> bool {
    one.iter().any(|a| {
        other.iter().any(|b| is_same(code, a, b, single) && (a.mode == Mode::Alone || b.mode == Mode::Alone))
    })
}

/// Are both the same lock, for what there is a `single` one of or for what there may be many of?
pub fn is_same(code: &Code, one: &Guard, other: &Guard, single: bool) -> bool {
    one.monitor == other.monitor
        && match (&one.key, &other.key) {
            (Key::Objects(a), Key::Objects(b)) => {
                let mut both = a.iter().copied().filter(|object| b.contains(object));
                // Each of several tasks locks itself, not another one.
                let known = a.len() == 1 && b.len() == 1;
                let once = code.once();
                both.any(|object| {
                    !single || once.is_one(code, object) && (known || !once.is_own_task(code, object))
                })
            }
            (Key::Unclear | Key::Elsewhere(_), _) => false,
            (a, b) => a == b,
        }
}
