//! Names for objects that mean the same object wherever they are spelled within one run of a method: a parameter, a class
//! literal, a static field, and fields that never change below them. With them a lock is known again in a method that is
//! called. (Value numbering does the same within one body; see `program::ir::Values`.)

use program::ir::{Body, Op, Reg};
use program::points::Points;
use program::{ClassId, FieldId, MethodId, Origin, Program, flags};

/// Where a path starts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Start {
    /// A parameter of the method, the receiver first.
    Param(u32),
    /// A class literal.
    Class(Box<str>),
    /// A static field that never changes.
    Static(FieldId),
}

/// A start and the fields that lead on from it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path {
    /// Where it starts.
    pub start: Start,
    /// The fields, none of which ever changes.
    pub fields: Vec<FieldId>,
}

impl Path {
    fn new(start: Start) -> Path {
        Path { start, fields: Vec::new() }
    }

    /// Is it just this parameter?
    pub fn is_param(&self, number: u32) -> bool {
        self.fields.is_empty() && self.start == Start::Param(number)
    }

    /// The same object as a method names it that is called with these arguments.
    pub fn inside(&self, arguments: &[Option<Path>]) -> Option<Path> {
        if !matches!(self.start, Start::Param(_)) {
            return Some(self.clone());
        }
        let (number, argument) = (0u32..).zip(arguments).find_map(|(number, argument)| {
            let argument = argument.as_ref()?;
            (argument.start == self.start && self.fields.starts_with(&argument.fields))
                .then_some((number, argument))
        })?;
        let fields = self.fields.get(argument.fields.len()..).unwrap_or_default().to_vec();
        Some(Path { start: Start::Param(number), fields })
    }
}

/// Fields that have one value from their first read on: final ones, and those that only constructors write, to `this`.
pub struct Stable {
    fields: Vec<bool>,
}

impl Stable {
    /// Looks at every write that is reached.
    pub fn new(program: &Program, points: &Points) -> Stable {
        let mut fields: Vec<bool> = (0..program.field_count() as u32)
            .map(|field| {
                let field = program.field(FieldId(field));
                let known = program.class(field.owner).origin == Origin::Input;
                known && field.access & flags::VOLATILE == 0 || field.access & flags::FINAL != 0
            })
            .collect();
        for method in program.input_methods().filter(|method| points.is_reached(*method)) {
            let Some(body) = program.body(method) else { continue };
            let owner = program.method(method).owner;
            let name = program.names_of(method).0;
            for inst in &body.insts {
                let (field, first) = match inst.op {
                    Op::Put { field, object, .. } => (field, name == "<init>" && object == Reg(0)),
                    Op::PutStatic { field, .. } => (field, name == "<clinit>"),
                    _ => continue,
                };
                if let Some(place) = program.field_of(owner, field).and_then(|id| fields.get_mut(id.index()))
                {
                    *place &= first;
                }
            }
        }
        Stable { fields }
    }

    /// Does the field never change?
    pub fn contains(&self, field: FieldId) -> bool {
        self.fields.get(field.index()).copied().unwrap_or_default()
    }
}

/// The instruction or block that defines each register of a body.
pub struct Defs {
    /// The instruction, or the first one of the block whose parameter it is; `ENTRY` for the method's parameters.
    places: Vec<u32>,
    is_param: Vec<bool>,
}

impl Defs {
    /// The place of a method's parameters.
    pub const ENTRY: u32 = u32::MAX;

    /// Looks at a body.
    pub fn new(body: &Body) -> Defs {
        let mut places = vec![Defs::ENTRY; body.kinds.len()];
        let mut is_param = vec![false; body.kinds.len()];
        for (id, block) in body.blocks() {
            for reg in body.list(block.params) {
                if let (Some(place), Some(param)) =
                    (places.get_mut(reg.index()), is_param.get_mut(reg.index()))
                {
                    *place = if id.index() == 0 { Defs::ENTRY } else { block.insts.start };
                    *param = true;
                }
            }
        }
        for (number, inst) in (0u32..).zip(&body.insts) {
            if let Some(place) = places.get_mut(inst.result.index()).filter(|_| inst.result.is_some()) {
                *place = number;
            }
        }
        Defs { places, is_param }
    }

    /// Where the register is defined.
    pub fn place(&self, reg: Reg) -> u32 {
        self.places.get(reg.index()).copied().unwrap_or(Defs::ENTRY)
    }

    /// The instruction that defines it, if one does.
    pub fn inst<'b>(&self, body: &'b Body, reg: Reg) -> Option<&'b program::ir::Inst> {
        let param = self.is_param.get(reg.index()).copied().unwrap_or(true);
        if param { None } else { body.insts.get(self.place(reg) as usize) }
    }
}

/// How deep a path may be.
const DEEPEST: usize = 4;

/// What is needed to name the objects of a method.
pub struct Namer<'p> {
    /// The program.
    pub program: &'p Program,
    /// Fields that never change.
    pub stable: &'p Stable,
    /// The method.
    pub method: MethodId,
    /// Its body.
    pub body: &'p Body,
}

impl Namer<'_> {
    fn owner(&self) -> ClassId {
        self.program.method(self.method).owner
    }

    /// The name of what a register holds, if it has one.
    pub fn path(&self, defs: &Defs, reg: Reg) -> Option<Path> {
        let mut fields = Vec::new();
        let mut at = reg;
        // Each step goes back to an earlier definition; the bound is for code that is not in order.
        for _ in 0..64 {
            let Some(inst) = defs.inst(self.body, at) else {
                let number = self.body.params().iter().position(|param| *param == at)?;
                return finish(Start::Param(number as u32), fields);
            };
            match inst.op {
                Op::Cast { value, .. } => at = value,
                Op::Get { field, object } if fields.len() < DEEPEST => {
                    let field = self.program.field_of(self.owner(), field)?;
                    if !self.stable.contains(field) {
                        return None;
                    }
                    fields.push(field);
                    at = object;
                }
                Op::GetStatic { field } => {
                    let field = self.program.field_of(self.owner(), field)?;
                    return self.stable.contains(field).then(|| finish(Start::Static(field), fields))?;
                }
                Op::Class(class) => {
                    let name = self.program.class(self.owner()).code.table.class(class);
                    return finish(Start::Class(name.into()), fields);
                }
                _ => return None,
            }
        }
        None
    }
}

fn finish(start: Start, mut fields: Vec<FieldId>) -> Option<Path> {
    fields.reverse();
    Some(Path { fields, ..Path::new(start) })
}
