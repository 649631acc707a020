//! What each instruction does to locals and stack, and which operation it becomes. Branches, switches, returns and throws
//! end blocks: `build.rs` knows them.

use classfile::{Instruction, Kind as Moved, op};

use super::build::Builder;
use super::constants::Dynamic;
use super::{Result, Trouble};
use crate::ir::{Binary, CallKind, ClassRef, Condition, Convert, Element, Kind, List, Op, Reg};

fn malformed<T>(what: &'static str) -> Result<T> {
    Err(Trouble::Malformed(what))
}

fn kind_of(moved: Moved) -> Kind {
    match moved {
        Moved::Int => Kind::Int,
        Moved::Long => Kind::Long,
        Moved::Float => Kind::Float,
        Moved::Double => Kind::Double,
        Moved::Reference => Kind::Ref,
    }
}

/// The opcodes of arithmetic come in fours.
const FOURS: [Kind; 4] = [Kind::Int, Kind::Long, Kind::Float, Kind::Double];

fn four(opcode: u8, first: u8) -> Kind {
    FOURS.get(usize::from((opcode - first) % 4)).copied().unwrap_or(Kind::Int)
}

/// Elements in the order of the array opcodes.
const ELEMENTS: [Element; 8] = [
    Element::Int,
    Element::Long,
    Element::Float,
    Element::Double,
    Element::Ref,
    Element::Byte,
    Element::Char,
    Element::Short,
];

fn element(opcode: u8, first: u8) -> Element {
    ELEMENTS.get(usize::from(opcode - first)).copied().unwrap_or(Element::Int)
}

fn binary(opcode: u8) -> Option<(Binary, Kind)> {
    const ARITHMETIC: [Binary; 5] = [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div, Binary::Rem];
    const BITS: [Binary; 6] = [Binary::Shl, Binary::Shr, Binary::Ushr, Binary::And, Binary::Or, Binary::Xor];
    Some(match opcode {
        op::IADD..=op::DREM => {
            (*ARITHMETIC.get(usize::from((opcode - op::IADD) / 4))?, four(opcode, op::IADD))
        }
        op::ISHL..=op::LXOR => {
            let kind = if (opcode - op::ISHL).is_multiple_of(2) { Kind::Int } else { Kind::Long };
            (*BITS.get(usize::from((opcode - op::ISHL) / 2))?, kind)
        }
        op::LCMP => (Binary::CompareLow, Kind::Long),
        op::FCMPL => (Binary::CompareLow, Kind::Float),
        op::FCMPG => (Binary::CompareHigh, Kind::Float),
        op::DCMPL => (Binary::CompareLow, Kind::Double),
        op::DCMPG => (Binary::CompareHigh, Kind::Double),
        _ => return None,
    })
}

/// The class of what `newarray` makes.
fn primitive_array(number: u8) -> Option<&'static str> {
    ["[Z", "[C", "[F", "[D", "[B", "[S", "[I", "[J"].get(usize::from(number).checked_sub(4)?).copied()
}

impl Builder<'_, '_> {
    pub fn push(&mut self, reg: Reg) -> Result<()> {
        // A long is one value here and two places there, so this is no check of the code, only a limit.
        if self.stack.len() >= self.most_stack.max(1) {
            return malformed("the stack gets deeper than it may");
        }
        self.stack.push(reg);
        Ok(())
    }

    fn pop_any(&mut self) -> Result<Reg> {
        match self.stack.pop() {
            Some(reg) => Ok(reg),
            None => malformed("the stack is empty"),
        }
    }

    pub fn pop(&mut self, kind: Kind) -> Result<Reg> {
        let reg = self.pop_any()?;
        if self.draft.kind(reg) == kind {
            Ok(reg)
        } else {
            malformed("a value is not of the kind it must be")
        }
    }

    /// Emits an operation and pushes its result.
    pub fn make(&mut self, op: Op, kind: Kind) -> Result<()> {
        let reg = self.emit(op, Some(kind), false);
        self.push(reg)
    }

    /// As `make`, for an object that is never null.
    fn make_safe(&mut self, op: Op) -> Result<()> {
        let reg = self.emit(op, Some(Kind::Ref), true);
        self.push(reg)
    }

    fn is_safe(&self, reg: Reg) -> bool {
        self.draft.safe.get(reg.index()).copied().unwrap_or(false)
    }

    /// Is it the class whose code this is? Its initialiser has been started.
    fn is_own(&self, class: ClassRef) -> bool {
        class == self.this
    }

    /// Runs an instruction that does not end a block.
    pub fn step(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        match *instruction {
            Instruction::Plain(opcode) => self.plain(opcode),
            Instruction::Int(value) => self.make(Op::Int(value), Kind::Int),
            Instruction::Constant(index) => {
                let (op, kind) = self.constants.loaded(index)?;
                self.threw |= op.may_throw();
                let safe = matches!(op, Op::Text(_) | Op::Class(_) | Op::Handle(_) | Op::MethodType(_));
                if safe { self.make_safe(op) } else { self.make(op, kind) }
            }
            Instruction::Load { kind, local } => {
                let reg = self.locals.get(usize::from(local)).copied().unwrap_or(Reg::NONE);
                if reg == Reg::NONE {
                    return malformed("a local is read before it is written");
                }
                if self.draft.kind(reg) != kind_of(kind) {
                    return malformed("a local is not of the kind that is read");
                }
                self.push(reg)
            }
            Instruction::Store { kind, local } => {
                let reg = self.pop(kind_of(kind))?;
                self.set(local, reg)?;
                if kind.slots() == 2 { self.set(local.saturating_add(1), Reg::NONE) } else { Ok(()) }
            }
            Instruction::Increment { local, by } => {
                let left = self.locals.get(usize::from(local)).copied().unwrap_or(Reg::NONE);
                if left == Reg::NONE || self.draft.kind(left) != Kind::Int {
                    return malformed("a local that is incremented is no int");
                }
                let right = self.emit(Op::Int(i32::from(by)), Some(Kind::Int), false);
                let sum = Op::Binary { op: Binary::Add, kind: Kind::Int, left, right };
                let sum = self.emit(sum, Some(Kind::Int), false);
                self.set(local, sum)
            }
            Instruction::Field { opcode, member } => self.field(opcode, member),
            Instruction::Invoke { opcode: op::INVOKEDYNAMIC, member } => self.dynamic(member),
            Instruction::Invoke { opcode, member } => self.call(opcode, member),
            Instruction::New(index) => {
                let class = self.constants.class(index)?;
                self.threw |= !self.is_own(class);
                self.make_safe(Op::New(class))
            }
            Instruction::NewArray(number) => {
                let length = self.pop(Kind::Int)?;
                let Some(name) = primitive_array(number) else { return malformed("no such array") };
                let class = self.constants.named_class(name);
                self.threw = true;
                self.make_safe(Op::NewArray { class, length })
            }
            Instruction::NewObjectArray(index) => {
                let length = self.pop(Kind::Int)?;
                let class = self.constants.array_of(index)?;
                self.threw = true;
                self.make_safe(Op::NewArray { class, length })
            }
            Instruction::NewMultiArray { class, dimensions } => {
                let class = self.constants.class(class)?;
                let lengths = self.take(&[Kind::Int; 255][..usize::from(dimensions)], false)?;
                self.threw = true;
                self.make_safe(Op::NewArrays { class, lengths })
            }
            Instruction::CheckCast(index) => {
                let class = self.constants.class(index)?;
                let value = self.pop(Kind::Ref)?;
                self.threw = true;
                let safe = self.is_safe(value);
                let reg = self.emit(Op::Cast { class, value }, Some(Kind::Ref), safe);
                self.push(reg)
            }
            Instruction::InstanceOf(index) => {
                let class = self.constants.class(index)?;
                let value = self.pop(Kind::Ref)?;
                self.make(Op::InstanceOf { class, value }, Kind::Int)
            }
            Instruction::Ret { .. } | Instruction::Branch { .. } | Instruction::Switch(_) => Ok(()),
        }
    }

    fn set(&mut self, local: u16, reg: Reg) -> Result<()> {
        match self.locals.get_mut(usize::from(local)) {
            Some(place) => *place = reg,
            None => return malformed("there is no such local"),
        }
        Ok(())
    }

    /// Pops operands of these kinds, a receiver below them if there is one, and makes a list of them.
    fn take(&mut self, kinds: &[Kind], receiver: bool) -> Result<List> {
        let count = kinds.len() + usize::from(receiver);
        let Some(from) = self.stack.len().checked_sub(count) else {
            return malformed("the stack does not hold the arguments");
        };
        let found = self.stack.get(from..).unwrap_or_default();
        let expected = std::iter::repeat_n(&Kind::Ref, usize::from(receiver)).chain(kinds);
        if !found.iter().zip(expected).all(|(reg, kind)| self.draft.kind(*reg) == *kind) {
            return malformed("an argument is not of the kind it must be");
        }
        let start = self.draft.lists.len() as u32;
        self.draft.lists.extend_from_slice(found);
        self.stack.truncate(from);
        Ok(List { start, count: count as u32 })
    }

    fn field(&mut self, opcode: u8, index: u16) -> Result<()> {
        let (field, kind) = self.constants.field(index)?;
        let own = self.constants.table.field(field).is_some_and(|member| self.is_own(member.owner));
        match opcode {
            op::GETSTATIC => {
                self.threw |= !own;
                self.make(Op::GetStatic { field }, kind)
            }
            op::PUTSTATIC => {
                let value = self.pop(kind)?;
                self.threw |= !own;
                self.emit(Op::PutStatic { field, value }, None, false);
                Ok(())
            }
            op::GETFIELD => {
                let object = self.pop(Kind::Ref)?;
                self.threw |= !self.is_safe(object);
                self.make(Op::Get { field, object }, kind)
            }
            _ => {
                let value = self.pop(kind)?;
                let object = self.pop(Kind::Ref)?;
                self.threw |= !self.is_safe(object);
                self.emit(Op::Put { field, object, value }, None, false);
                Ok(())
            }
        }
    }

    fn call(&mut self, opcode: u8, index: u16) -> Result<()> {
        let method = self.constants.method(index)?;
        let kind = match opcode {
            op::INVOKESTATIC => CallKind::Static,
            op::INVOKESPECIAL => CallKind::Special,
            op::INVOKEVIRTUAL => CallKind::Virtual,
            _ => CallKind::Interface,
        };
        let Some(signature) = self.constants.signature(method).cloned() else {
            return malformed("no such method");
        };
        let arguments = self.take(&signature.parameters, kind != CallKind::Static)?;
        self.threw = true;
        let op = Op::Call { kind, method, arguments };
        match signature.result {
            Some(result) => self.make(op, result),
            None => {
                self.emit(op, None, false);
                Ok(())
            }
        }
    }

    fn dynamic(&mut self, index: u16) -> Result<()> {
        let (made, signature) = self.constants.dynamic(index)?;
        let list = self.take(&signature.parameters, false)?;
        match made {
            Dynamic::Closure(closure) => self.make_safe(Op::Closure { closure, captured: list }),
            Dynamic::Concat(recipe) => {
                self.threw = true;
                self.make_safe(Op::Concat { recipe, values: list })
            }
            Dynamic::Site(site) => {
                self.threw = true;
                let op = Op::Dynamic { site, arguments: list };
                match signature.result {
                    Some(result) => self.make(op, result),
                    None => {
                        self.emit(op, None, false);
                        Ok(())
                    }
                }
            }
        }
    }

    /// Pops values that take so many places, the top last.
    fn group(&mut self, slots: u16) -> Result<([Reg; 2], usize)> {
        let mut found = [Reg::NONE; 2];
        let (mut left, mut count) = (slots, 0);
        while left > 0 {
            let reg = self.pop_any()?;
            let size = if matches!(self.draft.kind(reg), Kind::Long | Kind::Double) { 2 } else { 1 };
            let Some(rest) = u16::checked_sub(left, size) else {
                return malformed("half of a long is moved");
            };
            left = rest;
            found = [reg, found[0]];
            count += 1;
        }
        Ok((found, count))
    }

    /// Copies the values in the top `over` places below `under` more.
    fn copy(&mut self, over: u16, under: u16) -> Result<()> {
        let (top, count) = self.group(over)?;
        let (below, depth) = self.group(under)?;
        for (regs, count) in [(top, count), (below, depth), (top, count)] {
            for reg in regs.into_iter().take(count) {
                self.push(reg)?;
            }
        }
        Ok(())
    }

    fn plain(&mut self, opcode: u8) -> Result<()> {
        if let Some((op, kind)) = binary(opcode) {
            let shift = matches!(op, Binary::Shl | Binary::Shr | Binary::Ushr);
            let compares = matches!(op, Binary::CompareLow | Binary::CompareHigh);
            let right = self.pop(if shift { Kind::Int } else { kind })?;
            let left = self.pop(kind)?;
            let op = Op::Binary { op, kind, left, right };
            self.threw |= op.may_throw();
            return self.make(op, if compares { Kind::Int } else { kind });
        }
        match opcode {
            op::NOP => Ok(()),
            op::ACONST_NULL => self.make(Op::Null, Kind::Ref),
            op::LCONST_0 | op::LCONST_1 => self.make(Op::Long(i64::from(opcode - op::LCONST_0)), Kind::Long),
            op::FCONST_0..=op::FCONST_2 => {
                self.make(Op::Float(f32::from(opcode - op::FCONST_0).to_bits()), Kind::Float)
            }
            op::DCONST_0 | op::DCONST_1 => {
                self.make(Op::Double(f64::from(opcode - op::DCONST_0).to_bits()), Kind::Double)
            }
            op::IALOAD..=op::SALOAD => {
                let element = element(opcode, op::IALOAD);
                let index = self.pop(Kind::Int)?;
                let array = self.pop(Kind::Ref)?;
                self.threw = true;
                self.make(Op::Load { element, array, index }, element.kind())
            }
            op::IASTORE..=op::SASTORE => {
                let element = element(opcode, op::IASTORE);
                let value = self.pop(element.kind())?;
                let index = self.pop(Kind::Int)?;
                let array = self.pop(Kind::Ref)?;
                self.threw = true;
                self.emit(Op::Store { element, array, index, value }, None, false);
                Ok(())
            }
            op::POP => self.group(1).map(drop),
            op::POP2 => self.group(2).map(drop),
            op::DUP => self.copy(1, 0),
            op::DUP_X1 => self.copy(1, 1),
            op::DUP_X2 => self.copy(1, 2),
            op::DUP2 => self.copy(2, 0),
            op::DUP2_X1 => self.copy(2, 1),
            op::DUP2_X2 => self.copy(2, 2),
            op::SWAP => {
                let (top, _) = self.group(1)?;
                let (below, _) = self.group(1)?;
                self.push(top[0])?;
                self.push(below[0])
            }
            op::INEG..=op::DNEG => {
                let kind = four(opcode, op::INEG);
                let value = self.pop(kind)?;
                self.make(Op::Negate { kind, value }, kind)
            }
            op::I2L..=op::I2S => {
                let found = Convert::ALL.get(usize::from(opcode - op::I2L)).copied();
                let Some(op) = found else { return malformed("no such conversion") };
                let value = self.pop(op.kinds().0)?;
                self.make(Op::Convert { op, value }, op.kinds().1)
            }
            op::ARRAYLENGTH => {
                let array = self.pop(Kind::Ref)?;
                self.threw |= !self.is_safe(array);
                self.make(Op::Length { array }, Kind::Int)
            }
            op::MONITORENTER => {
                let object = self.pop(Kind::Ref)?;
                self.threw |= !self.is_safe(object);
                self.emit(Op::Enter { object }, None, false);
                Ok(())
            }
            op::MONITOREXIT => {
                let object = self.pop(Kind::Ref)?;
                self.emit(Op::Exit { object }, None, false);
                Ok(())
            }
            // What ends a block is emitted by `end`.
            op::ATHROW | op::IRETURN..=op::RETURN => Ok(()),
            _ => malformed("no such instruction"),
        }
    }

    /// Emits the branch of a condition.
    pub fn branch(&mut self, opcode: u8) -> Result<()> {
        const ALL: [Condition; 6] = [
            Condition::Equal,
            Condition::NotEqual,
            Condition::Less,
            Condition::NotLess,
            Condition::Greater,
            Condition::NotGreater,
        ];
        let (number, kind, two) = match opcode {
            op::IFEQ..=op::IFLE => (opcode - op::IFEQ, Kind::Int, false),
            op::IF_ICMPEQ..=op::IF_ICMPLE => (opcode - op::IF_ICMPEQ, Kind::Int, true),
            op::IF_ACMPEQ | op::IF_ACMPNE => (opcode - op::IF_ACMPEQ, Kind::Ref, true),
            op::IFNULL | op::IFNONNULL => (opcode - op::IFNULL, Kind::Ref, false),
            _ => return Err(Trouble::Malformed("a branch of an unknown kind")),
        };
        let right = if two { self.pop(kind)? } else { Reg::NONE };
        let left = self.pop(kind)?;
        let condition = ALL.get(usize::from(number)).copied().unwrap_or(Condition::Equal);
        self.emit(Op::Branch { condition, left, right }, None, false);
        Ok(())
    }
}
