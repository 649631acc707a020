//! What the locks of a cycle are called: as in a report of a run (`lock_names.rs`), so that both have one fingerprint. The
//! field is the one that the code names where it takes the lock, and nothing is followed further than a run follows it.

use program::FieldId;
use program::ir::{Op, Reg};
use program::points::Made;

use super::edges::{Edge, Node};
use crate::lock_names::{CLASS, says_nothing};
use crate::on_code::code::dotted;
use crate::on_code::locks::{Base, Paths};
use crate::on_code::{Code, Place};

/// How many times an element may be taken, a type changed, or a view asked for.
const DEEPEST: usize = 12;

/// The name of each lock that is held in a cycle.
pub fn names(code: &Code, cycle: &[&Edge]) -> Vec<String> {
    let of = |node: &Node| {
        let class = class(code, node);
        if class.as_deref().is_some_and(|class| !says_nothing(class)) {
            return class;
        }
        let holds = cycle.iter().filter(|edge| edge.from == *node).map(|edge| edge.hold);
        let takes = cycle.iter().filter(|edge| edge.to == *node).map(|edge| edge.take);
        holds.chain(takes).filter_map(|place| taken_from(code, place)).min().or(class)
    };
    cycle.iter().map(|edge| of(&edge.from).unwrap_or_else(|| "a lock".to_owned())).collect()
}

/// The class of a lock, as far as it is known.
fn class(code: &Code, node: &Node) -> Option<String> {
    let of_object = |object: u32| {
        let object = code.points.object(object);
        match (object.made, object.class) {
            (Made::Array, _) => Some("java.lang.Object[]".to_owned()),
            (_, class) => class.map(|class| dotted(code.program.class(class).name())),
        }
    };
    match node {
        Node::Object(object) => of_object(*object),
        Node::Global(path) => match (path.fields.last(), &path.base) {
            (None, Base::Class(_)) => Some(CLASS.to_owned()),
            (None, Base::Static(field)) => {
                let objects = code.points.of_static(*field).into_iter().flat_map(|set| set.iter());
                let mut classes: Vec<Option<String>> = objects.map(of_object).collect();
                classes.sort();
                classes.dedup();
                match classes.as_slice() {
                    [Some(one)] => Some(one.clone()),
                    _ => Some(declared(code, *field)),
                }
            }
            (Some(field), _) => Some(declared(code, *field)),
            _ => None,
        },
    }
}

fn declared(code: &Code, field: FieldId) -> String {
    let descriptor = &code.program.field(field).descriptor;
    match descriptor.strip_prefix('L') {
        Some(class) => dotted(class.trim_end_matches(';')),
        None => "java.lang.Object[]".to_owned(),
    }
}

/// The field that the lock comes from which is taken at a place, as the code there names it.
fn taken_from(code: &Code, place: Place) -> Option<String> {
    let body = code.program.body(place.method)?;
    let paths = Paths::new(&code.program, &code.points, &code.locks.stable, place.method, body);
    let lock = match body.insts.get(place.inst as usize)?.op {
        Op::Enter { object } => object,
        Op::Call { arguments, .. } => *body.list(arguments).first()?,
        _ => return None,
    };
    let table = &code.program.class(code.program.method(place.method).owner).code.table;
    let follow = |mut reg: Reg| {
        let mut elements = 0;
        for _ in 0..DEEPEST {
            let (_, op) = paths.definition(reg)?;
            reg = match op {
                Op::Cast { value, .. } => value,
                Op::Load { array, .. } => {
                    elements += 1;
                    array
                }
                Op::Call { arguments, .. } if paths.view(reg).is_some() => *body.list(arguments).first()?,
                Op::Class(class) => return Some(format!("{}.class", dotted(table.class(class)))),
                Op::Get { field, .. } | Op::GetStatic { field } => {
                    let (owner, name, _) = table.names(table.field(field)?);
                    return Some(format!("{}.{name}{}", dotted(owner), "[]".repeat(elements)));
                }
                _ => return None,
            };
        }
        None
    };
    follow(lock)
}
