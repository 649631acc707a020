//! Which object a register holds, as a path that can be written down: from a parameter, a static field or a class, by
//! way of fields that never change. Registers with equal paths hold the same object; nothing is said of others.

use program::ir::{Body, Op, Reg};
use program::points::Points;
use program::{FieldId, MethodId, Origin, Program, flags};
use rustc_hash::FxHashSet;

/// Where a path starts.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Base {
    /// A parameter; the receiver is the first.
    Param(u32),
    /// A static field that never changes.
    Static(FieldId),
    /// A class as an object.
    Class(Box<str>),
    /// Whatever a register of the method holds.
    Local(Reg),
}

/// An object, by how one gets there.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Path {
    /// The start.
    pub base: Base,
    /// The fields to follow.
    pub fields: Vec<FieldId>,
}

impl Path {
    /// Is it the same object wherever it is written?
    pub fn is_global(&self) -> bool {
        matches!(self.base, Base::Static(_) | Base::Class(_))
    }

    /// Does it mean nothing outside of its method?
    pub fn is_local(&self) -> bool {
        matches!(self.base, Base::Local(_))
    }

    /// The fields that lead from `start` to this object.
    pub fn from(&self, start: &Path) -> Option<&[FieldId]> {
        if self.base == start.base { self.fields.strip_prefix(start.fields.as_slice()) } else { None }
    }
}

/// The fields that change after their object was made. Final fields do not, nor do those that only constructors of
/// their class write.
pub struct Stable {
    changed: FxHashSet<FieldId>,
}

impl Stable {
    /// Looks at every write of the inputs.
    pub fn new(program: &Program) -> Stable {
        let mut changed = FxHashSet::default();
        for method in program.input_methods() {
            let Some(body) = program.body(method) else { continue };
            let owner = program.method(method).owner;
            let name = program.names_of(method).0;
            for inst in &body.insts {
                let (field, own) = match inst.op {
                    Op::Put { field, object, .. } => (field, name == "<init>" && object == Reg(0)),
                    Op::PutStatic { field, .. } => (field, name == "<clinit>"),
                    _ => continue,
                };
                let Some(field) = program.field_of(owner, field) else { continue };
                if !own || program.field(field).owner != owner {
                    changed.insert(field);
                }
            }
        }
        Stable { changed }
    }

    /// Does the field keep its first value?
    pub fn has(&self, program: &Program, field: FieldId) -> bool {
        let info = program.field(field);
        info.access & flags::FINAL != 0
            || (program.class(info.owner).origin == Origin::Input
                && info.access & flags::PRIVATE != 0
                && !self.changed.contains(&field))
    }
}

/// Longer paths are not followed.
pub const LONGEST: usize = 4;
const DEEPEST: usize = 12;

/// The paths of a method's registers.
pub struct Paths<'p> {
    program: &'p Program,
    points: &'p Points,
    stable: &'p Stable,
    method: MethodId,
    body: &'p Body,
    /// By register: the instruction that defines it, from 1; 0 for parameters of blocks.
    defined: Vec<u32>,
}

impl<'p> Paths<'p> {
    /// For the body of a method.
    pub fn new(
        program: &'p Program,
        points: &'p Points,
        stable: &'p Stable,
        method: MethodId,
        body: &'p Body,
    ) -> Paths<'p> {
        let mut defined = vec![0; body.kinds.len()];
        for (inst, number) in body.insts.iter().zip(1..) {
            if let Some(place) = defined.get_mut(inst.result.index()) {
                *place = number;
            }
        }
        Paths { program, points, stable, method, body, defined }
    }

    /// The operation that gives a register its value, and its number.
    pub fn definition(&self, reg: Reg) -> Option<(u32, Op)> {
        let number = self.defined.get(reg.index())?.checked_sub(1)?;
        self.body.insts.get(number as usize).map(|inst| (number, inst.op))
    }

    /// The path of a register.
    pub fn of(&self, reg: Reg) -> Path {
        self.follow(reg, DEEPEST)
    }

    fn follow(&self, reg: Reg, depth: usize) -> Path {
        let local = Path { base: Base::Local(reg), fields: Vec::new() };
        if let Some(param) = self.body.params().iter().position(|param| *param == reg) {
            return Path { base: Base::Param(param as u32), fields: Vec::new() };
        }
        let Some((number, op)) = self.definition(reg) else { return local };
        if depth == 0 {
            return local;
        }
        let owner = self.program.method(self.method).owner;
        match op {
            Op::Cast { value, .. } => self.follow(value, depth - 1),
            Op::Class(class) => {
                let name = self.program.class(owner).code.table.class(class);
                Path { base: Base::Class(name.into()), fields: Vec::new() }
            }
            Op::GetStatic { field } => match self.program.field_of(owner, field) {
                Some(field) if self.stable.has(self.program, field) => {
                    Path { base: Base::Static(field), fields: Vec::new() }
                }
                _ => local,
            },
            Op::Get { field, object } => match self.program.field_of(owner, field) {
                Some(field) if self.stable.has(self.program, field) => {
                    self.longer(self.follow(object, depth - 1), field).unwrap_or(local)
                }
                _ => local,
            },
            Op::Call { arguments, .. } => {
                let Some(first) = self.body.list(arguments).first() else { return local };
                if self.view(reg).is_some() {
                    return self.follow(*first, depth - 1);
                }
                match self.getter(number) {
                    Some(field) => self.longer(self.follow(*first, depth - 1), field).unwrap_or(local),
                    None => local,
                }
            }
            _ => local,
        }
    }

    fn longer(&self, mut path: Path, field: FieldId) -> Option<Path> {
        path.fields.push(field);
        (path.fields.len() <= LONGEST).then_some(path)
    }

    /// The field that a call hands out, if all it does is to read one that never changes, of its first argument.
    fn getter(&self, call: u32) -> Option<FieldId> {
        let mut targets = self.points.targets(self.method, call);
        let (target, None) = (targets.next()?, targets.next()) else { return None };
        let body = self.program.body(target)?;
        let [read, end] = body.insts.as_slice() else { return None };
        let (Op::Get { field, object }, Op::Return { value }) = (read.op, end.op) else { return None };
        if Some(&object) != body.params().first() || value != read.result {
            return None;
        }
        let field = self.program.field_of(self.program.method(target).owner, field)?;
        self.stable.has(self.program, field).then_some(field)
    }

    /// Whether a register is a view of a read/write lock, handed out by the lock: is it the one for readers?
    pub fn view(&self, reg: Reg) -> Option<bool> {
        let (_, Op::Call { method, .. }) = self.definition(reg)? else { return None };
        let table = &self.program.class(self.program.method(self.method).owner).code.table;
        let (owner, name, _) = table.names(table.method(method)?);
        if !owner.starts_with("java/util/concurrent/locks/") {
            return None;
        }
        match name {
            "readLock" | "asReadLock" => Some(true),
            "writeLock" | "asWriteLock" => Some(false),
            _ => None,
        }
    }
}
