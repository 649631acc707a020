//! Variables as code knows them. With `--paper` a variable is a field of a class, as in MoTH's section 3: all objects of a
//! class are one. By default objects are told apart by where they were made, as far as no access may touch two of them:
//! a variable is a field of all objects that some access of that field does not tell apart. The elements of arrays and
//! what library objects hold are variables in the same way.

use program::ir::{Op, Reg};
use program::points::{OUTSIDE, Part};
use program::{FieldId, MethodId, Origin, flags};
use rustc_hash::FxHashMap;

use super::Given;
use super::instances::{Instances, Region};

/// A variable's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// What a variable is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its field; none for elements and contents.
    pub field: Option<FieldId>,
    /// `pkg.Class.field`, `elements of int[]`.
    pub name: String,
    /// Is it what a library object holds? Such variables carry values, and are in no view.
    pub is_contents: bool,
    /// May it be told from constants: is it neither final nor of a class whose code is not at hand?
    pub counts: bool,
    /// Is it volatile?
    pub is_volatile: bool,
}

/// How an instruction uses a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Reads it.
    Read,
    /// Writes it.
    Write,
    /// Hands something to a library object and gets something back.
    Both,
}

/// The variables of a program.
pub struct Variables {
    /// All of them.
    pub all: Vec<Variable>,
    /// By method and instruction.
    uses: FxHashMap<MethodId, Vec<u32>>,
    /// By region: regions with different numbers are never under the same lock.
    pub locks: Vec<u32>,
}

const NONE: u32 = u32::MAX;
/// The owner of variables without an object: static fields, and every field with `--paper`.
const NOBODY: u32 = u32::MAX;
/// The owner where no object is known.
const UNKNOWN: u32 = u32::MAX - 1;

/// What tells classes from objects.
const OF_CLASS: u32 = 1 << 30;

/// Sets that grow together.
struct Union<K> {
    numbers: FxHashMap<K, u32>,
    above: Vec<u32>,
}

impl<K> Default for Union<K> {
    fn default() -> Self {
        Union { numbers: FxHashMap::default(), above: Vec::new() }
    }
}

impl<K: std::hash::Hash + Eq> Union<K> {
    fn number(&mut self, key: K) -> u32 {
        let above = &mut self.above;
        *self.numbers.entry(key).or_insert_with(|| {
            above.push(above.len() as u32);
            above.len() as u32 - 1
        })
    }

    fn find(&mut self, mut number: u32) -> u32 {
        while let Some(up) = self.above.get(number as usize).copied().filter(|up| *up != number) {
            let next = self.above.get(up as usize).copied().unwrap_or(up);
            if let Some(place) = self.above.get_mut(number as usize) {
                *place = next;
            }
            number = next;
        }
        number
    }

    fn join(&mut self, one: u32, other: u32) -> u32 {
        let (one, other) = (self.find(one), self.find(other));
        let (low, high) = (one.min(other), one.max(other));
        if let Some(place) = self.above.get_mut(high as usize) {
            *place = low;
        }
        low
    }
}

impl Variables {
    /// Finds them.
    pub fn new(given: &Given<'_>, instances: &Instances<'_>, paper: bool) -> Variables {
        let mut union = Union::default();
        let mut uses: FxHashMap<MethodId, Vec<u32>> = FxHashMap::default();
        for instance in &instances.all {
            if uses.contains_key(&instance.method) {
                continue;
            }
            let insts = instance.code.body.insts.iter().zip(0u32..);
            let found = insts.map(|(inst, number)| {
                let (part, base) = used(given, instance.method, number, &inst.op)?;
                Some(variable(given, &mut union, instance.method, part, base, paper))
            });
            uses.insert(instance.method, found.map(|var| var.unwrap_or(NONE)).collect());
        }
        // Numbers from zero on, in the order in which they were met.
        let mut parts: Vec<((u32, Part), u32)> = union.numbers.iter().map(|(k, n)| (*k, *n)).collect();
        parts.sort_unstable_by_key(|(_, number)| *number);
        let mut dense: FxHashMap<u32, u32> = FxHashMap::default();
        let mut all = Vec::new();
        for (key, number) in parts {
            let whole = union.find(number);
            dense.entry(whole).or_insert_with(|| {
                all.push(describe(given, key));
                all.len() as u32 - 1
            });
        }
        for number in uses.values_mut().flatten().filter(|number| **number != NONE) {
            *number = dense.get(&union.find(*number)).copied().unwrap_or(NONE);
        }
        Variables { all, uses, locks: locks(given, &instances.regions) }
    }

    /// A variable.
    pub fn get(&self, var: VarId) -> Option<&Variable> {
        self.all.get(var.0 as usize)
    }

    /// The variable that an instruction uses, and how.
    pub fn at(&self, method: MethodId, inst: u32, op: &Op) -> Option<(VarId, Use)> {
        let var = self.uses.get(&method)?.get(inst as usize).copied().filter(|var| *var != NONE)?;
        let how = match op {
            Op::Get { .. } | Op::GetStatic { .. } | Op::Load { .. } => Use::Read,
            Op::Put { .. } | Op::PutStatic { .. } | Op::Store { .. } => Use::Write,
            _ => Use::Both,
        };
        Some((VarId(var), how))
    }
}

/// The part that an instruction uses, and of which register.
fn used(given: &Given<'_>, method: MethodId, inst: u32, op: &Op) -> Option<(Part, Option<Reg>)> {
    let program = given.program;
    let owner = program.method(method).owner;
    match *op {
        Op::Get { field, object } | Op::Put { field, object, .. } => {
            Some((Part::Field(program.field_of(owner, field)?), Some(object)))
        }
        Op::GetStatic { field } | Op::PutStatic { field, .. } => {
            Some((Part::Field(program.field_of(owner, field)?), None))
        }
        Op::Load { array, .. } | Op::Store { array, .. } => Some((Part::Elements, Some(array))),
        Op::Call { kind, arguments, .. } if kind != program::ir::CallKind::Static => {
            let receiver = program.body(method)?.list(arguments).first().copied()?;
            let in_library = given.points.targets(method, inst).next().is_none();
            in_library.then_some((Part::Contents, Some(receiver)))
        }
        _ => None,
    }
}

fn variable(
    given: &Given<'_>,
    union: &mut Union<(u32, Part)>,
    method: MethodId,
    part: Part,
    base: Option<Reg>,
    paper: bool,
) -> u32 {
    let Some(base) = base else { return union.number((NOBODY, part)) };
    if paper && matches!(part, Part::Field(_)) {
        return union.number((NOBODY, part));
    }
    let mut found: Option<u32> = None;
    let mut add = |union: &mut Union<(u32, Part)>, object: u32| {
        let number = union.number((object, part));
        found = Some(found.map_or(number, |found| union.join(found, number)));
    };
    if let Some(objects) = given.points.of(method, base) {
        let merged = given.points.merged();
        if objects.meets(merged) {
            add(union, OUTSIDE);
        }
        for object in objects.without(merged).iter() {
            add(union, object);
        }
    }
    found.unwrap_or_else(|| union.number((UNKNOWN, part)))
}

fn describe(given: &Given<'_>, (object, part): (u32, Part)) -> Variable {
    let program = given.program;
    match part {
        Part::Field(id) => {
            let field = program.field(id);
            let class = program.class(field.owner);
            let name = format!("{}.{}", class.name().replace('/', "."), field.name);
            let synthetic = field.access & flags::SYNTHETIC != 0;
            let counts = class.origin == Origin::Input && field.access & flags::FINAL == 0 && !synthetic;
            let is_volatile = field.access & flags::VOLATILE != 0;
            Variable { field: Some(id), name, is_contents: false, counts, is_volatile }
        }
        Part::Elements => {
            let class = array_name(given, object);
            let name =
                class.map_or_else(|| "array elements".to_owned(), |class| format!("elements of {class}"));
            Variable { field: None, name, is_contents: false, counts: true, is_volatile: false }
        }
        Part::Contents => Variable {
            field: None,
            name: String::new(),
            is_contents: true,
            counts: false,
            is_volatile: false,
        },
    }
}

/// The class of an array: `int[]`.
fn array_name(given: &Given<'_>, object: u32) -> Option<String> {
    if object >= UNKNOWN {
        return None;
    }
    let (method, inst) = given.points.object(object).place?;
    let body = given.program.body(method)?;
    let class = match body.insts.get(inst as usize)?.op {
        Op::NewArray { class, .. } | Op::NewArrays { class, .. } => class,
        _ => return None,
    };
    let owner = given.program.method(method).owner;
    Some(type_name(given.program.class(owner).code.table.class(class)))
}

/// A type as people write it: `[I` is `int[]`.
pub fn type_name(name: &str) -> String {
    let element = name.trim_start_matches('[');
    let dimensions = name.len() - element.len();
    let word = match (dimensions, element) {
        (0, _) => element.replace('/', "."),
        (_, "Z") => "boolean".to_owned(),
        (_, "B") => "byte".to_owned(),
        (_, "C") => "char".to_owned(),
        (_, "S") => "short".to_owned(),
        (_, "I") => "int".to_owned(),
        (_, "J") => "long".to_owned(),
        (_, "F") => "float".to_owned(),
        (_, "D") => "double".to_owned(),
        _ => element.strip_prefix('L').unwrap_or(element).trim_end_matches(';').replace('/', "."),
    };
    word + &"[]".repeat(dimensions)
}

/// Which regions may be under the same lock: those whose locks may be the same object.
fn locks(given: &Given<'_>, regions: &[Region]) -> Vec<u32> {
    let mut union: Union<u32> = Union::default();
    let mut crowds: FxHashMap<u32, u32> = FxHashMap::default();
    let points = given.points;
    let found: Vec<u32> = (0u32..)
        .zip(regions)
        .map(|(number, region)| {
            // Methods that are atomic as a whole have one lock in common.
            let Some(lock) = region.lock else { return union.number(NOBODY) };
            let lock = viewed(given, region.method, lock);
            let objects = given.points.of(region.method, lock);
            let mut found: Option<u32> = None;
            for object in objects.into_iter().flat_map(|objects| objects.iter()) {
                // Crowds are the same as far as there are classes in both.
                let number = match points.is_crowded() && points.merged().contains(object) {
                    true => *crowds.entry(object).or_insert_with(|| {
                        let mut number = union.number(object);
                        for class in points.classes_of(given.program, object) {
                            let other = union.number(OF_CLASS | class.0);
                            number = union.join(number, other);
                        }
                        number
                    }),
                    false => union.number(object),
                };
                found = Some(found.map_or(number, |found| union.join(found, number)));
            }
            found.unwrap_or_else(|| union.number(UNKNOWN - 1 - number))
        })
        .collect();
    found.into_iter().map(|number| union.find(number)).collect()
}

/// The read/write lock behind one of its views, if the register was asked of one.
fn viewed(given: &Given<'_>, method: MethodId, lock: Reg) -> Reg {
    let program = given.program;
    let Some(body) = program.body(method) else { return lock };
    let Some(inst) = body.insts.iter().find(|inst| inst.result == lock) else { return lock };
    let Op::Call { method: named, arguments, .. } = inst.op else { return lock };
    let table = &program.class(program.method(method).owner).code.table;
    let name = table.method(named).map_or("", |member| table.text(member.name));
    match name {
        "readLock" | "writeLock" | "asReadLock" | "asWriteLock" => {
            body.list(arguments).first().copied().unwrap_or(lock)
        }
        _ => lock,
    }
}
