//! Which registers must hold the same object: value numbering over casts, class literals, string literals and fields that
//! never change. Says nothing of registers that may hold the same.

use rustc_hash::FxHashMap;

use super::{Body, FieldRef, Op, Reg, Table};

/// A number for each register; registers with one number hold the same value whenever both are defined.
#[derive(Clone, Debug)]
pub struct Values {
    numbers: Vec<Reg>,
}

#[derive(PartialEq, Eq, Hash)]
enum Key<'t> {
    Class(&'t str),
    Text(&'t str),
    Field(Reg, &'t str, &'t str),
    Static(&'t str, &'t str),
}

impl Values {
    /// Numbers the registers. `is_stable` says of a field that it has one value from its first read on: a final one.
    pub fn new(body: &Body, table: &Table, is_stable: impl Fn(FieldRef) -> bool) -> Values {
        let mut numbers: Vec<Reg> = (0..body.kinds.len() as u32).map(Reg).collect();
        let mut known: FxHashMap<Key<'_>, Reg> = FxHashMap::default();
        // Definitions come before uses in the order of blocks, so that one round is enough.
        for inst in &body.insts {
            if !inst.result.is_some() {
                continue;
            }
            let number = |reg: Reg| numbers.get(reg.index()).copied().unwrap_or(reg);
            let named = |field: FieldRef| table.field(field).map(|member| table.names(member));
            let key = match inst.op {
                Op::Cast { value, .. } => {
                    let same = number(value);
                    if let Some(place) = numbers.get_mut(inst.result.index()) {
                        *place = same;
                    }
                    continue;
                }
                Op::Class(class) => Key::Class(table.class(class)),
                Op::Text(text) => Key::Text(table.text(text)),
                Op::Get { field, object } if is_stable(field) => match named(field) {
                    Some((owner, name, _)) => Key::Field(number(object), owner, name),
                    None => continue,
                },
                Op::GetStatic { field } if is_stable(field) => match named(field) {
                    Some((owner, name, _)) => Key::Static(owner, name),
                    None => continue,
                },
                _ => continue,
            };
            let first = *known.entry(key).or_insert(inst.result);
            if let Some(place) = numbers.get_mut(inst.result.index()) {
                *place = first;
            }
        }
        Values { numbers }
    }

    /// The first register that holds the same value.
    pub fn of(&self, reg: Reg) -> Reg {
        self.numbers.get(reg.index()).copied().unwrap_or(reg)
    }

    /// Do both hold the same value?
    pub fn same(&self, one: Reg, other: Reg) -> bool {
        self.of(one) == self.of(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse_class;

    #[test]
    fn casts_literals_and_final_fields_are_the_same_value() {
        let text = "class A { field final ref.R lock field ref.R other
            method void m(java.lang.Object o) {
                a = get ref.R A.lock of this
                b = get ref.R A.lock of this
                c = get ref.R A.other of this
                d = get ref.R A.other of this
                e = cast A o
                f = get ref.R A.lock of e
                g = get ref.R A.lock of o
                h = class A
                i = class A
                j = class B
                return
            } }";
        let class = parse_class(text).expect("a class");
        let body = class.method("m").and_then(|m| m.body()).expect("a body");
        let table = &class.table;
        let values = Values::new(body, table, |field| {
            table.field(field).is_some_and(|f| table.text(f.name) == "lock")
        });
        let [a, b, c, d, _, f, g, h, i, j] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map(Reg);
        assert!(values.same(a, b) && values.same(f, g) && values.same(h, i));
        assert!(!values.same(c, d) && !values.same(a, f) && !values.same(h, j));
    }
}
