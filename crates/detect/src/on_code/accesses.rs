//! Every access of the inputs' fields by code that is reached: where, of which object, under which locks, whether while
//! the object is still being made. Shared by the checks.

use program::ir::{BlockId, Body, CallKind, FieldRef, Op, Reg};
use program::{FieldId, MethodId, Origin, flags};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Place;
use super::code::Code;
use super::locks::keys::{Guard, guards};
use super::locks::{Base, Depth, Path, Paths};

/// A field, or the elements of the arrays that a field holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Variable {
    /// The field.
    pub field: FieldId,
    /// Is it about the elements?
    pub elements: bool,
}

/// One access in the code.
#[derive(Clone, Debug)]
pub struct Access {
    /// Where.
    pub place: Place,
    /// Does it write?
    pub write: bool,
    /// The object; none for static fields.
    pub object: Option<Path>,
    /// The locks that are sure to be held, as seen from the object.
    pub guards: Vec<Guard>,
    /// The locks as people read them.
    pub locks: Vec<String>,
    /// Nobody else knows the object yet: it is being made.
    pub early: bool,
}

/// All accesses, by variable.
pub struct Accesses {
    /// In the order of the code.
    pub of: FxHashMap<Variable, Vec<Access>>,
}

/// What an instruction accesses: the variable, its object, whether it writes.
pub fn accessed(
    code: &Code,
    method: MethodId,
    paths: &Paths<'_>,
    op: &Op,
) -> Option<(Variable, Option<Reg>, bool)> {
    let owner = code.program.method(method).owner;
    let field = |field: FieldRef| {
        let field = code.program.field_of(owner, field)?;
        let info = code.program.field(field);
        (code.program.class(info.owner).origin == Origin::Input).then_some(field)
    };
    let plain = |found: FieldRef| Some(Variable { field: field(found)?, elements: false });
    let elements = |array: Reg| match paths.definition(array)?.1 {
        Op::Get { field: of, object } => Some((Variable { field: field(of)?, elements: true }, Some(object))),
        Op::GetStatic { field: of } => Some((Variable { field: field(of)?, elements: true }, None)),
        _ => None,
    };
    match *op {
        Op::Get { field, object } => Some((plain(field)?, Some(object), false)),
        Op::Put { field, object, .. } => Some((plain(field)?, Some(object), true)),
        Op::GetStatic { field } => Some((plain(field)?, None, false)),
        Op::PutStatic { field, .. } => Some((plain(field)?, None, true)),
        Op::Load { array, .. } => elements(array).map(|(variable, object)| (variable, object, false)),
        Op::Store { array, .. } => elements(array).map(|(variable, object)| (variable, object, true)),
        _ => None,
    }
}

impl Accesses {
    /// Gathers those of all methods that are reached.
    pub fn new(code: &Code) -> Accesses {
        let mut of: FxHashMap<Variable, Vec<Access>> = FxHashMap::default();
        for method in code.methods() {
            let Some(body) = code.program.body(method) else { continue };
            let paths = Paths::new(&code.program, &code.points, &code.locks.stable, method, body);
            let early = code.makers().contains(method);
            let mut see = |inst: u32, state: &[Depth]| {
                let Some(op) = body.insts.get(inst as usize).map(|inst| inst.op) else { return };
                let Some((variable, object, write)) = accessed(code, method, &paths, &op) else { return };
                let is_static = code.program.field(variable.field).access & flags::STATIC != 0;
                let object = object.filter(|_| !is_static).map(|reg| (reg, paths.of(reg)));
                // In an initialiser of the class, static fields are nobody else's; in a constructor, those of `this`;
                // and everywhere what this method has just made and not handed out.
                let early = match &object {
                    None => code.program.names_of(method).0 == "<clinit>",
                    Some((reg, path)) => {
                        early && path.base == Base::Param(0) || is_new(code, method, body, &paths, *reg, inst)
                    }
                };
                let object = object.map(|(_, path)| path);
                // Who makes the object needs no lock for it, whatever those need who know it later.
                let own = matches!(&object, Some(Path { base: Base::Param(0), fields }) if fields.is_empty());
                let facts = code.locks.held(&code.points, method, state, own);
                let access = Access {
                    place: Place { method, inst },
                    write,
                    guards: guards(&facts, object.as_ref()),
                    locks: code.lock_names(method, state, own),
                    object,
                    early,
                };
                of.entry(variable).or_default().push(access);
            };
            match code.locks.of(method) {
                Some(locks) => locks.each(body, see),
                None => (0..body.insts.len() as u32).for_each(|inst| see(inst, &[])),
            }
        }
        Accesses { of }
    }
}

/// Is it an object that the method has made and not handed out before an instruction?
pub fn is_new(code: &Code, method: MethodId, body: &Body, paths: &Paths<'_>, object: Reg, inst: u32) -> bool {
    matches!(paths.definition(object), Some((_, Op::New(_))))
        && !has_escaped(code, method, body, object, inst)
}

/// Has a method let an object that it made escape before an instruction?
fn has_escaped(code: &Code, method: MethodId, body: &Body, object: Reg, inst: u32) -> bool {
    let table = &code.program.class(code.program.method(method).owner).code.table;
    let escapes = |op: &Op| match *op {
        Op::Put { value, .. } | Op::PutStatic { value, .. } | Op::Store { value, .. } => value == object,
        Op::Call { kind, method, arguments } => {
            let arguments = body.list(arguments);
            let made = kind == CallKind::Special
                && table.method(method).is_some_and(|member| table.text(member.name) == "<init>");
            arguments.iter().skip(usize::from(made)).any(|argument| *argument == object)
        }
        Op::Closure { captured, .. } => body.list(captured).contains(&object),
        Op::Dynamic { arguments, .. } => body.list(arguments).contains(&object),
        _ => false,
    };
    let passed = body.edges.iter().any(|edge| body.list(edge.arguments).contains(&object));
    let mut places = body.insts.iter().zip(0..).filter(|(found, _)| escapes(&found.op));
    passed || places.any(|(_, number)| leads(body, number, inst))
}

/// Is there a way from one instruction to another?
pub fn leads(body: &Body, from: u32, to: u32) -> bool {
    let block_of = |inst: u32| {
        body.blocks().find(|(_, block)| block.insts.range().contains(&(inst as usize))).map(|(id, _)| id)
    };
    let (Some(start), Some(end)) = (block_of(from), block_of(to)) else { return false };
    if start == end && from < to {
        return true;
    }
    let mut seen: FxHashSet<BlockId> = FxHashSet::default();
    let mut work = vec![start];
    while let Some(id) = work.pop() {
        for edge in body.all_edges(&body.block(id)) {
            if edge.target == end {
                return true;
            }
            if seen.insert(edge.target) {
                work.push(edge.target);
            }
        }
    }
    false
}
