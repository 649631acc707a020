//! One instruction out of code bytes: which it is, its operands, its length. It looks nothing up in the pool and does
//! not check that a branch lands on an instruction.

use crate::bytes::{u2_at, u4_at};
use crate::error::{Error, Reason, Result};
use crate::op;

/// What a load or store moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Java's own words
pub enum Kind {
    Int,
    Long,
    Float,
    Double,
    Reference,
}

impl Kind {
    /// Places on the stack or among the locals.
    pub fn slots(self) -> u16 {
        if matches!(self, Kind::Long | Kind::Double) { 2 } else { 1 }
    }

    /// In the order in which the opcodes count them.
    fn of(number: u8) -> Kind {
        match number {
            0 => Kind::Int,
            1 => Kind::Long,
            2 => Kind::Float,
            3 => Kind::Double,
            _ => Kind::Reference,
        }
    }
}

/// An instruction. Forms that mean the same are the same here: `iload_1`, `iload 1` and `wide iload 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instruction<'c> {
    /// All that have no operand and no variant of their own: arithmetic, stack, array elements, returns, `athrow`, …
    Plain(u8),
    /// `iconst`, `bipush`, `sipush`.
    Int(i32),
    /// `ldc`, `ldc_w`, `ldc2_w`: the constant's index.
    Constant(u16),
    /// A local onto the stack.
    #[allow(missing_docs)]
    Load { kind: Kind, local: u16 },
    /// The stack's top into a local.
    #[allow(missing_docs)]
    Store { kind: Kind, local: u16 },
    /// `iinc`.
    #[allow(missing_docs)]
    Increment { local: u16, by: i16 },
    /// `ret`.
    #[allow(missing_docs)]
    Ret { local: u16 },
    /// A condition, `goto` or `jsr` (their wide forms too); `target` is a pc.
    #[allow(missing_docs)]
    Branch { opcode: u8, target: u32 },
    /// `tableswitch` or `lookupswitch`.
    Switch(Switch<'c>),
    /// `getstatic`, `putstatic`, `getfield`, `putfield`.
    #[allow(missing_docs)]
    Field { opcode: u8, member: u16 },
    /// Any call, `invokedynamic` included.
    #[allow(missing_docs)]
    Invoke { opcode: u8, member: u16 },
    /// `new` with its class constant.
    New(u16),
    /// `newarray`: the element type as the format numbers it (4 boolean to 11 long).
    NewArray(u8),
    /// `anewarray`: the class constant of the elements.
    NewObjectArray(u16),
    /// `multianewarray`: the class constant of the array.
    #[allow(missing_docs)]
    NewMultiArray { class: u16, dimensions: u8 },
    /// `checkcast`.
    CheckCast(u16),
    /// `instanceof`.
    InstanceOf(u16),
}

/// The cases of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch<'c> {
    pc: u32,
    default: u32,
    /// The first key of a table; `None` where each case has its own.
    low: Option<i32>,
    cases: &'c [u8],
}

impl<'c> Switch<'c> {
    /// Where it goes when no key fits.
    pub fn default_target(&self) -> u32 {
        self.default
    }

    /// Is it a `tableswitch`?
    pub fn is_table(&self) -> bool {
        self.low.is_some()
    }

    /// Keys and the pcs they lead to.
    pub fn cases(&self) -> impl Iterator<Item = (i32, u32)> + use<'c> {
        let Switch { pc, low, cases, .. } = *self;
        let size = if low.is_some() { 4 } else { 8 };
        cases.chunks_exact(size).enumerate().map(move |(number, case)| {
            let word = |at| u4_at(case, at).unwrap_or_default();
            match low {
                Some(low) => (low.wrapping_add(number as i32), pc.wrapping_add(word(0))),
                None => (word(0) as i32, pc.wrapping_add(word(4))),
            }
        })
    }

    /// All targets, the default last.
    pub fn targets(&self) -> impl Iterator<Item = u32> + use<'c> {
        self.cases().map(|(_, target)| target).chain([self.default])
    }
}

/// Padding and operands of a switch: where the operand words start and how many bytes of cases there are.
pub(crate) fn switch_shape(code: &[u8], pc: usize, opcode: u8) -> Option<(usize, usize)> {
    let words = (pc & !3) + 4;
    let size = if opcode == op::TABLESWITCH {
        let (low, high) = (u4_at(code, words + 4)? as i32, u4_at(code, words + 8)? as i32);
        if low > high {
            return None;
        }
        4 * usize::try_from(i64::from(high) - i64::from(low) + 1).ok()?
    } else {
        8 * usize::try_from(u4_at(code, words + 4)? as i32).ok()?
    };
    Some((words, size))
}

/// Length of the instruction at `pc`; `None` when there is none or it does not end within the code.
#[inline]
pub(crate) fn length_at(code: &[u8], pc: usize) -> Option<usize> {
    let opcode = *code.get(pc)?;
    let length = match op::LENGTH[usize::from(opcode)] {
        0 => match opcode {
            op::WIDE => match *code.get(pc + 1)? {
                op::IINC => 6,
                op::ILOAD..=op::ALOAD | op::ISTORE..=op::ASTORE | op::RET => 4,
                _ => return None,
            },
            op::TABLESWITCH | op::LOOKUPSWITCH => {
                let (words, size) = switch_shape(code, pc, opcode)?;
                let head = if opcode == op::TABLESWITCH { 12 } else { 8 };
                words - pc + head + size
            }
            _ => return None,
        },
        length => usize::from(length),
    };
    (length <= code.len() - pc).then_some(length)
}

/// The instruction at `pc` and its length. `offset` is where the code starts in the file, for errors.
pub(crate) fn decode(code: &[u8], pc: usize, offset: usize) -> Result<(Instruction<'_>, usize)> {
    let wrong = |what| Error::malformed(offset + pc, what);
    let Some(length) = length_at(code, pc) else {
        return Err(match code.get(pc) {
            None => Error { offset: offset + pc, reason: Reason::Cut },
            Some(op::COUNT..) => wrong("no such instruction"),
            Some(_) => wrong("an instruction is malformed or does not end within the code"),
        });
    };
    let one = |at: usize| code.get(pc + at).copied().unwrap_or_default();
    let two = |at: usize| u2_at(code, pc + at).unwrap_or_default();
    let target = |by: i64| match u32::try_from(pc as i64 + by) {
        Ok(target) if (target as usize) < code.len() => Ok(target),
        _ => Err(wrong("a branch leaves the code")),
    };
    let opcode = one(0);
    // Loads and stores have four opcodes of their own for the first four locals of each kind.
    let packed = |first: u8| (Kind::of((opcode - first) / 4), u16::from((opcode - first) % 4));
    let instruction = match opcode {
        op::ICONST_M1..=op::ICONST_5 => Instruction::Int(i32::from(opcode) - i32::from(op::ICONST_0)),
        op::BIPUSH => Instruction::Int(i32::from(one(1) as i8)),
        op::SIPUSH => Instruction::Int(i32::from(two(1) as i16)),
        op::LDC => Instruction::Constant(u16::from(one(1))),
        op::LDC_W | op::LDC2_W => Instruction::Constant(two(1)),
        op::ILOAD..=op::ALOAD => {
            Instruction::Load { kind: Kind::of(opcode - op::ILOAD), local: u16::from(one(1)) }
        }
        op::ILOAD_0..=op::ALOAD_3 => {
            let (kind, local) = packed(op::ILOAD_0);
            Instruction::Load { kind, local }
        }
        op::ISTORE..=op::ASTORE => {
            Instruction::Store { kind: Kind::of(opcode - op::ISTORE), local: u16::from(one(1)) }
        }
        op::ISTORE_0..=op::ASTORE_3 => {
            let (kind, local) = packed(op::ISTORE_0);
            Instruction::Store { kind, local }
        }
        op::IINC => Instruction::Increment { local: u16::from(one(1)), by: i16::from(one(2) as i8) },
        op::RET => Instruction::Ret { local: u16::from(one(1)) },
        op::IFEQ..=op::JSR | op::IFNULL | op::IFNONNULL => {
            Instruction::Branch { opcode, target: target(i64::from(two(1) as i16))? }
        }
        op::GOTO_W | op::JSR_W => {
            let by = i64::from(u4_at(code, pc + 1).unwrap_or_default() as i32);
            let opcode = if opcode == op::GOTO_W { op::GOTO } else { op::JSR };
            Instruction::Branch { opcode, target: target(by)? }
        }
        op::TABLESWITCH | op::LOOKUPSWITCH => Instruction::Switch(switch(code, pc, length, opcode, target)?),
        op::GETSTATIC..=op::PUTFIELD => Instruction::Field { opcode, member: two(1) },
        op::INVOKEVIRTUAL..=op::INVOKEDYNAMIC => Instruction::Invoke { opcode, member: two(1) },
        op::NEW => Instruction::New(two(1)),
        op::NEWARRAY => match one(1) {
            number @ 4..=11 => Instruction::NewArray(number),
            _ => return Err(wrong("no such element type")),
        },
        op::ANEWARRAY => Instruction::NewObjectArray(two(1)),
        op::MULTIANEWARRAY => Instruction::NewMultiArray { class: two(1), dimensions: one(3) },
        op::CHECKCAST => Instruction::CheckCast(two(1)),
        op::INSTANCEOF => Instruction::InstanceOf(two(1)),
        op::WIDE => match one(1) {
            op::IINC => Instruction::Increment { local: two(2), by: two(4) as i16 },
            op::RET => Instruction::Ret { local: two(2) },
            inner @ op::ILOAD..=op::ALOAD => {
                Instruction::Load { kind: Kind::of(inner - op::ILOAD), local: two(2) }
            }
            inner => Instruction::Store { kind: Kind::of(inner.wrapping_sub(op::ISTORE)), local: two(2) },
        },
        _ => Instruction::Plain(opcode),
    };
    Ok((instruction, length))
}

fn switch<'c>(
    code: &'c [u8],
    pc: usize,
    length: usize,
    opcode: u8,
    target: impl Fn(i64) -> Result<u32>,
) -> Result<Switch<'c>> {
    let words = (pc & !3) + 4;
    let word = |at| u4_at(code, at).unwrap_or_default() as i32;
    let table = opcode == op::TABLESWITCH;
    let cases = code.get(words + if table { 12 } else { 8 }..pc + length).unwrap_or_default();
    let (size, at) = if table { (4, 0) } else { (8, 4) };
    for case in cases.chunks_exact(size) {
        target(i64::from(u4_at(case, at).unwrap_or_default() as i32))?;
    }
    let default = target(i64::from(word(words)))?;
    Ok(Switch { pc: pc as u32, default, low: table.then(|| word(words + 4)), cases })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(code: &[u8], pc: usize) -> Result<(Instruction<'_>, usize)> {
        decode(code, pc, 100)
    }

    #[test]
    fn all_forms_of_a_load_are_one() {
        let load = Instruction::Load { kind: Kind::Double, local: 2 };
        assert_eq!(at(&[op::DLOAD_2], 0), Ok((load, 1)));
        assert_eq!(at(&[op::DLOAD, 2], 0), Ok((load, 2)));
        assert_eq!(at(&[op::WIDE, op::DLOAD, 0, 2], 0), Ok((load, 4)));
        let store = Instruction::Store { kind: Kind::Reference, local: 300 };
        assert_eq!(at(&[op::WIDE, op::ASTORE, 1, 44], 0), Ok((store, 4)));
        let plus = Instruction::Increment { local: 1, by: -1 };
        assert_eq!(at(&[op::IINC, 1, 0xff], 0), Ok((plus, 3)));
        assert_eq!(at(&[op::WIDE, op::IINC, 0, 1, 0xff, 0xff], 0), Ok((plus, 6)));
    }

    #[test]
    fn a_switch_is_padded_by_its_place() {
        let mut code = vec![op::NOP, op::TABLESWITCH, 0, 0];
        for word in [-1i32, 5, 6, 0, -1] {
            code.extend(word.to_be_bytes());
        }
        let (Instruction::Switch(found), length) = at(&code, 1).expect("a switch") else {
            panic!("no switch")
        };
        assert_eq!(length, code.len() - 1);
        assert_eq!(found.default_target(), 0);
        assert_eq!(found.cases().collect::<Vec<_>>(), [(5, 1), (6, 0)]);
        let mut code = vec![op::LOOKUPSWITCH, 0, 0, 0];
        for word in [0i32, 1, -7, 0] {
            code.extend(word.to_be_bytes());
        }
        let (Instruction::Switch(found), length) = at(&code, 0).expect("a switch") else {
            panic!("no switch")
        };
        assert_eq!((length, found.is_table()), (20, false));
        assert_eq!(found.cases().collect::<Vec<_>>(), [(-7, 0)]);
    }

    #[test]
    fn malformed_code_is_an_error_at_its_pc() {
        let cases: [&[u8]; 9] = [
            &[0xca],
            &[0xff],
            &[op::SIPUSH, 0],
            &[op::GOTO, 0, 3],
            &[op::GOTO, 0xff, 0xff],
            &[op::WIDE, op::NOP, 0, 0],
            &[op::NEWARRAY, 3],
            &[op::TABLESWITCH, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff],
            &[op::LOOKUPSWITCH, 0, 0, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff],
        ];
        for code in cases {
            assert_eq!(at(code, 0).map_err(|e| e.offset), Err(100), "{code:?}");
        }
        assert_eq!(at(&[], 0).map_err(|e| e.reason), Err(Reason::Cut));
    }

    #[test]
    fn wide_jumps_are_the_same_as_short_ones() {
        let short = at(&[op::GOTO, 0, 0], 0).map(|found| found.0);
        assert_eq!(short, at(&[op::GOTO_W, 0, 0, 0, 0], 0).map(|found| found.0));
    }
}
