//! The conflicts of one comparison, by the fields that they are about.
//!
//! How much of an object a thread has used together depends on how far it got: a lift that looked for a call, and no more, has
//! used two fields, and one that let people in as well, three. Each is a conflict with the same blocks of somebody who uses
//! these fields apart. So one whose blocks apart all begin where those of a conflict about more fields begin is a **part**
//! of that one: it tells nothing new, and whether it is there is chance.

use events::{SiteId, Symbols};
use findings::Report;
use rustc_hash::FxHashMap;

use super::compare::{Conflict, Group};
use super::table::Table;
use crate::VariableKind;

/// Conflicts about the same fields.
#[derive(Default)]
pub(super) struct Heard {
    /// The first of them, as many as are told in full.
    pub(super) conflicts: Vec<Conflict>,
    /// How many there are beyond those.
    pub(super) more: u64,
    /// Where the blocks begin in which the fields are used apart.
    apart: Vec<SiteId>,
}

/// All of them, in the order in which each was first heard of.
#[derive(Default)]
pub(super) struct AllHeard {
    all: Vec<(Vec<VariableKind>, Heard)>,
    numbers: FxHashMap<Vec<VariableKind>, usize>,
}

impl AllHeard {
    /// One more conflict; `kinds` are sorted.
    pub(super) fn add(
        &mut self,
        kinds: Vec<VariableKind>,
        conflict: &Conflict,
        group: &Group,
        tables: &[Option<Table>],
    ) {
        let number = *self.numbers.entry(kinds).or_insert_with_key(|kinds| {
            self.all.push((kinds.clone(), Heard::default()));
            self.all.len() - 1
        });
        let heard = &mut self.all[number].1;
        if heard.conflicts.len() < Report::WITNESSES_PER_DETECTOR {
            heard.conflicts.push(conflict.clone());
        } else {
            heard.more += 1;
        }
        for overlap in &conflict.overlaps {
            let (table, view) = group.seen(overlap.seen).origin;
            let table = tables.get(table as usize).and_then(Option::as_ref);
            if let Some(view) = table.and_then(|table| table.views.get(view as usize))
                && !heard.apart.contains(&view.site)
            {
                heard.apart.push(view.site);
            }
        }
    }

    /// Those that are no part of another one.
    pub(super) fn whole(self, symbols: &Symbols) -> Vec<(Vec<VariableKind>, Heard)> {
        let known = |site: &SiteId| symbols.sites.get(*site).file.is_some();
        let is_part = |(kinds, heard): &(Vec<VariableKind>, Heard)| {
            heard.apart.iter().all(known)
                && self.all.iter().any(|(more, other)| {
                    more.len() > kinds.len()
                        && heard.apart.iter().all(|site| other.apart.contains(site))
                        && kinds.iter().all(|kind| more.binary_search(kind).is_ok())
                })
        };
        let parts: Vec<bool> = self.all.iter().map(is_part).collect();
        self.all.into_iter().zip(parts).filter(|(_, is_part)| !is_part).map(|(heard, _)| heard).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::SPEC;
    use crate::testing::{paper, subjects};

    /// Two threads use fields together, one of them fewer; a third uses them apart, each time in blocks that begin at the
    /// given lines.
    fn trace(apart: &[(u32, &str)], fewer_apart: &[(u32, &str)]) -> String {
        let mut text = String::new();
        let mut block = |thread: &str, line: u32, object: u32, fields: &str| {
            text += &format!("{thread} acquire m @ A.go(A.java:{line})\n");
            for field in fields.split(' ') {
                text += &format!("{thread} write A@{object}.{field}\n");
            }
            text += &format!("{thread} release m\n");
        };
        // What is about two fields comes first: of two conflicts it is the later one that may be the greater.
        block("two", 1, 2, "x y");
        block("three", 2, 1, "x y z");
        for (object, blocks) in [(1, apart), (2, fewer_apart)] {
            for (line, fields) in blocks {
                block("apart", *line, object, fields);
            }
        }
        text
    }

    fn found(apart: &[(u32, &str)], fewer_apart: &[(u32, &str)]) -> Vec<String> {
        subjects(&SPEC, &paper(), &trace(apart, fewer_apart))
    }

    #[test]
    fn what_the_same_blocks_do_to_fewer_fields_is_no_second_finding() {
        let blocks = [(10, "x z"), (20, "y z")];
        assert_eq!(found(&blocks, &blocks), ["A.x, A.y, A.z"]);
    }

    #[test]
    fn what_other_blocks_do_to_fewer_fields_is_one() {
        let both = ["A.x, A.y", "A.x, A.y, A.z"];
        assert_eq!(found(&[(10, "x z"), (20, "y z")], &[(10, "x"), (30, "y")]), both);
        assert_eq!(found(&[(10, "x z"), (20, "y")], &[(30, "x"), (40, "y")]), both);
    }

    #[test]
    fn blocks_of_which_nobody_knows_where_they_begin_are_not_the_same() {
        let blocks = [(10, "x z"), (20, "y z")];
        let mut text = String::new();
        for line in trace(&blocks, &blocks).lines() {
            text += line.split(" @ ").next().unwrap_or_default();
            text += "\n";
        }
        assert_eq!(subjects(&SPEC, &paper(), &text), ["A.x, A.y", "A.x, A.y, A.z"]);
    }
}
