//! What locked blocks may access, on branches that a run did not take too. The code road finds it out, `views` of a run
//! uses it: data that is handed over, nothing more.

use std::collections::{BTreeMap, BTreeSet};

use findings::Frame;

/// By the place where blocks begin: what they may read and write, by name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MayAccess(BTreeMap<Place, Fields>);

/// Class, method, line.
type Place = (String, String, i32);

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Fields {
    read: BTreeSet<String>,
    written: BTreeSet<String>,
}

fn place(of: &Frame) -> Place {
    (of.class.clone(), of.method.clone(), of.line)
}

impl MayAccess {
    /// A block that begins there may read or write this field.
    pub fn add(&mut self, begin: &Frame, write: bool, field: &str) {
        let fields = self.0.entry(place(begin)).or_default();
        let fields = if write { &mut fields.written } else { &mut fields.read };
        fields.insert(field.to_owned());
    }

    /// Whether a block that begins there may do so.
    pub fn may(&self, begin: &Frame, write: bool, field: &str) -> bool {
        self.0.get(&place(begin)).is_some_and(|fields| {
            let fields = if write { &fields.written } else { &fields.read };
            fields.contains(field)
        })
    }
}
