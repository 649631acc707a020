//! Whether a conflict is one only because of the branches that this run took.
//!
//! A block that looks at one field and, if that says so, at a second one has a view with both or with one of them. Where
//! the code is known, a block's view is taken to hold what its code may access as well, as far as that belongs to an
//! object that it did access. If the views then form a chain, they did so in the program's mind all along.

use events::{ObjectId, Symbols};

use super::collect::Collector;
use super::compare::{Conflict, Group, Kind, Mask, select, within};
use crate::evidence::frame;
use crate::{MayAccess, VariableKind};

/// Whether that is so.
pub(super) fn explain(
    may: &MayAccess,
    collected: &Collector,
    group: &Group,
    conflict: &Conflict,
    symbols: &Symbols,
) -> bool {
    let all = group.elements(group.seen(conflict.maximal));
    let object = |element: u32| -> Option<Option<ObjectId>> {
        let element = collected.elements.get(element);
        let is_field = matches!(element.kind, VariableKind::Field(_)) && !element.freed;
        is_field.then(|| symbols.variables().get(element.var).object)
    };
    let extended = |mask: Mask, seen: u32| {
        let seen = group.seen(seen);
        let table = collected.kept.tables.get(seen.origin.0 as usize).and_then(Option::as_ref);
        let Some(view) = table.and_then(|table| table.views.get(seen.origin.1 as usize)) else { return mask };
        let begin = frame(view.site, symbols);
        let used: Vec<Option<ObjectId>> = select(all, &mask).filter_map(object).collect();
        let mut more = mask;
        for (i, &element) in all.iter().enumerate() {
            if object(element).is_some_and(|of| of.is_none() || used.contains(&of)) {
                let name = collected.elements.get(element).kind.name(symbols);
                if may.may(&begin, seen.kind != Kind::Read, &name) {
                    more[i / 64] |= 1 << (i % 64);
                }
            }
        }
        more
    };
    let masks: Vec<Mask> =
        conflict.overlaps.iter().map(|overlap| extended(overlap.mask, overlap.seen)).collect();
    let fit = |a: &Mask, b: &Mask| within(a, b) || within(b, a);
    masks.iter().enumerate().all(|(i, a)| masks[i + 1..].iter().all(|b| fit(a, b)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use findings::Frame;

    use super::super::SPEC;
    use crate::testing::{default, subjects};
    use crate::{MayAccess, Options};

    /// One thread writes both fields of an object together; the other reads them in two blocks that begin at different
    /// lines.
    fn trace(second: &str) -> String {
        format!(
            "
a acquire m @ A.java:1
a write A@1.x
a write A@1.y
a release m
b acquire m @ A.look(A.java:10)
b read A@1.x
b release m
b acquire m @ A.look(A.java:20)
b read {second}
b release m
a acquire m @ A.java:1
a write A@1.x
a write {second}
a write A@1.y
a release m
"
        )
    }

    fn found(options: &Options, second: &str) -> Vec<String> {
        subjects(&SPEC, options, &trace(second))
    }

    fn knowing(accesses: &[(i32, bool, &str)]) -> Options {
        let mut may = MayAccess::default();
        for (line, write, field) in accesses {
            let begin = Frame {
                class: "A".to_owned(),
                method: "look".to_owned(),
                file: "A.java".to_owned(),
                line: *line,
            };
            may.add(&begin, *write, field);
        }
        Options { may_access: Some(Arc::new(may)), ..default() }
    }

    #[test]
    fn a_branch_that_was_not_taken_makes_the_views_a_chain() {
        assert_eq!(found(&default(), "A@1.y"), ["A.x, A.y"]);
        let both = [(10, false, "A.x"), (10, false, "A.y"), (20, false, "A.y")];
        assert!(found(&knowing(&both), "A@1.y").is_empty());
    }

    #[test]
    fn what_the_code_cannot_access_does_not() {
        let apart = [(10, false, "A.x"), (20, false, "A.y")];
        assert_eq!(found(&knowing(&apart), "A@1.y"), ["A.x, A.y"]);
        let written = [(10, false, "A.x"), (10, true, "A.y"), (20, false, "A.y")];
        assert_eq!(
            found(&knowing(&written), "A@1.y"),
            ["A.x, A.y"],
            "it could write y, but only reads count"
        );
    }

    #[test]
    fn a_field_of_another_object_is_no_branch_not_taken() {
        let other = trace("A@1.y").replace("b read A@1.x", "b read A@2.x\nb read A@1.x");
        let elsewhere = other.replace("a write A@1.y\na release", "a write A@1.y\na write A@2.x\na release");
        let y_too = [(10, false, "A.x"), (20, false, "A.x")];
        assert_eq!(subjects(&SPEC, &knowing(&y_too), &elsewhere), subjects(&SPEC, &default(), &elsewhere));
        assert!(!subjects(&SPEC, &default(), &elsewhere).is_empty());
    }
}
