//! One instruction of the register code: what it does, to which registers. Twenty-four bytes, without allocation: lists
//! of operands stand in the [`Body`](super::Body). Nothing is resolved here: references are indices into the tables of
//! the class ([`super::Table`]).

use super::words::{Binary, CallKind, Condition, Convert, Element, Kind};
use super::{ClassRef, ClosureRef, FieldRef, HandleRef, MethodRef, SiteRef, TextId};

/// A register: defined once, by an instruction or as a parameter of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(pub u32);

impl Reg {
    /// No register: the result of an instruction that has none, the zero or null that a branch compares with.
    pub const NONE: Reg = Reg(u32::MAX);
    /// Among the arguments of a catch edge: the exception that was thrown.
    pub const CAUGHT: Reg = Reg(u32::MAX - 1);

    /// Its index, for vectors by register.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Is it neither [`Reg::NONE`] nor [`Reg::CAUGHT`]?
    pub fn is_some(self) -> bool {
        self < Reg::CAUGHT
    }
}

/// Where a list of registers (or of a switch's keys) stands in its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct List {
    /// Its first element.
    pub start: u32,
    /// How many there are.
    pub count: u32,
}

impl List {
    /// As a range of indices.
    pub fn range(self) -> std::ops::Range<usize> {
        let start = self.start as usize;
        start..start.saturating_add(self.count as usize)
    }
}

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// An int constant.
    Int(i32),
    /// A long constant.
    Long(i64),
    /// A float constant, by its bits.
    Float(u32),
    /// A double constant, by its bits.
    Double(u64),
    /// null
    Null,
    /// A string literal.
    Text(TextId),
    /// A class literal.
    Class(ClassRef),
    /// A method handle.
    Handle(HandleRef),
    /// A method type, as a descriptor.
    MethodType(TextId),
    /// Arithmetic.
    #[allow(missing_docs)]
    Binary { op: Binary, kind: Kind, left: Reg, right: Reg },
    /// Minus.
    #[allow(missing_docs)]
    Negate { kind: Kind, value: Reg },
    /// Conversion of a number.
    #[allow(missing_docs)]
    Convert { op: Convert, value: Reg },
    /// Reads a field of an object.
    #[allow(missing_docs)]
    Get { field: FieldRef, object: Reg },
    /// Writes a field of an object.
    #[allow(missing_docs)]
    Put { field: FieldRef, object: Reg, value: Reg },
    /// Reads a static field.
    #[allow(missing_docs)]
    GetStatic { field: FieldRef },
    /// Writes a static field.
    #[allow(missing_docs)]
    PutStatic { field: FieldRef, value: Reg },
    /// Reads an array element.
    #[allow(missing_docs)]
    Load { element: Element, array: Reg, index: Reg },
    /// Writes an array element.
    #[allow(missing_docs)]
    Store { element: Element, array: Reg, index: Reg, value: Reg },
    /// An array's length.
    #[allow(missing_docs)]
    Length { array: Reg },
    /// A new object; its constructor is called by an instruction of its own.
    New(ClassRef),
    /// A new array; the class is the array's own (`int[]`).
    #[allow(missing_docs)]
    NewArray { class: ClassRef, length: Reg },
    /// A new array of arrays, one length for each dimension that is made.
    #[allow(missing_docs)]
    NewArrays { class: ClassRef, lengths: List },
    /// Calls a method: receiver first (if there is one), then the arguments.
    #[allow(missing_docs)]
    Call { kind: CallKind, method: MethodRef, arguments: List },
    /// Makes an object that implements an interface by a method (a lambda or method reference) with captured values.
    #[allow(missing_docs)]
    Closure { closure: ClosureRef, captured: List },
    /// Joins values to a string; it calls `toString` of those that are objects. In the recipe, U+0001 stands for a value.
    #[allow(missing_docs)]
    Concat { recipe: TextId, values: List },
    /// Any other dynamic call site or constant.
    #[allow(missing_docs)]
    Dynamic { site: SiteRef, arguments: List },
    /// Is it an object of that class?
    #[allow(missing_docs)]
    InstanceOf { class: ClassRef, value: Reg },
    /// The same value, or an exception if its class is not that one.
    #[allow(missing_docs)]
    Cast { class: ClassRef, value: Reg },
    /// Enters a monitor.
    #[allow(missing_docs)]
    Enter { object: Reg },
    /// Leaves a monitor. Counts as never throwing: it throws only where monitors are not paired.
    #[allow(missing_docs)]
    Exit { object: Reg },
    /// Ends the method; [`Reg::NONE`] for void.
    #[allow(missing_docs)]
    Return { value: Reg },
    /// Throws.
    #[allow(missing_docs)]
    Throw { value: Reg },
    /// Goes to the block's only edge.
    Jump,
    /// Goes to the block's first edge if the condition holds, else to the second. Without `right`, compares with zero or
    /// null.
    #[allow(missing_docs)]
    Branch { condition: Condition, left: Reg, right: Reg },
    /// Goes to the edge of the key that fits, else to the last one. The list is one of keys.
    #[allow(missing_docs)]
    Switch { value: Reg, keys: List },
}

/// An instruction with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inst {
    /// What it does.
    pub op: Op,
    /// The register it defines, or [`Reg::NONE`].
    pub result: Reg,
    /// Where it stands in the bytecode.
    pub pc: u16,
    /// The source line; 0 if it is not known.
    pub line: u16,
}

const _: () = assert!(size_of::<Inst>() == 24);

impl Op {
    /// Does it end a block?
    pub fn is_end(&self) -> bool {
        matches!(
            self,
            Op::Return { .. } | Op::Throw { .. } | Op::Jump | Op::Branch { .. } | Op::Switch { .. }
        )
    }

    /// Can it throw, whatever its operands are? Errors of the virtual machine (no memory, no such class) do not count,
    /// exceptions of class initialisers do.
    pub fn may_throw(&self) -> bool {
        let divides =
            matches!(self, Op::Binary { op: Binary::Div | Binary::Rem, kind: Kind::Int | Kind::Long, .. });
        divides
            || matches!(
                self,
                Op::Get { .. }
                    | Op::Put { .. }
                    | Op::GetStatic { .. }
                    | Op::PutStatic { .. }
                    | Op::Load { .. }
                    | Op::Store { .. }
                    | Op::Length { .. }
                    | Op::New(_)
                    | Op::NewArray { .. }
                    | Op::NewArrays { .. }
                    | Op::Call { .. }
                    | Op::Concat { .. }
                    | Op::Dynamic { .. }
                    | Op::Cast { .. }
                    | Op::Enter { .. }
                    | Op::Throw { .. }
            )
    }

    /// The list of registers among its operands.
    pub fn list(&self) -> Option<List> {
        match *self {
            Op::NewArrays { lengths: list, .. }
            | Op::Call { arguments: list, .. }
            | Op::Closure { captured: list, .. }
            | Op::Concat { values: list, .. }
            | Op::Dynamic { arguments: list, .. } => Some(list),
            _ => None,
        }
    }

    /// The registers it uses that are not in a list. Unused places hold [`Reg::NONE`].
    pub fn operands(&self) -> [Reg; 3] {
        let n = Reg::NONE;
        match *self {
            Op::Binary { left, right, .. } | Op::Branch { left, right, .. } => [left, right, n],
            Op::Negate { value, .. }
            | Op::Convert { value, .. }
            | Op::PutStatic { value, .. }
            | Op::InstanceOf { value, .. }
            | Op::Cast { value, .. }
            | Op::Return { value }
            | Op::Throw { value }
            | Op::Switch { value, .. } => [value, n, n],
            Op::Get { object, .. } | Op::Enter { object } | Op::Exit { object } => [object, n, n],
            Op::Put { object, value, .. } => [object, value, n],
            Op::Load { array, index, .. } => [array, index, n],
            Op::Store { array, index, value, .. } => [array, index, value],
            Op::Length { array } => [array, n, n],
            Op::NewArray { length, .. } => [length, n, n],
            _ => [n, n, n],
        }
    }

    /// Changes the registers it uses that are not in a list.
    pub fn map(&mut self, mut change: impl FnMut(Reg) -> Reg) {
        let mut set = |place: &mut Reg| {
            if *place != Reg::NONE {
                *place = change(*place);
            }
        };
        match self {
            Op::Binary { left, right, .. } | Op::Branch { left, right, .. } => {
                set(left);
                set(right);
            }
            Op::Negate { value, .. }
            | Op::Convert { value, .. }
            | Op::PutStatic { value, .. }
            | Op::InstanceOf { value, .. }
            | Op::Cast { value, .. }
            | Op::Return { value }
            | Op::Throw { value }
            | Op::Switch { value, .. } => set(value),
            Op::Get { object, .. } | Op::Enter { object } | Op::Exit { object } => set(object),
            Op::Put { object, value, .. } => {
                set(object);
                set(value);
            }
            Op::Load { array, index, .. } => {
                set(array);
                set(index);
            }
            Op::Store { array, index, value, .. } => {
                set(array);
                set(index);
                set(value);
            }
            Op::Length { array } => set(array),
            Op::NewArray { length, .. } => set(length),
            _ => {}
        }
    }
}
