//! How many places the operand stack gains or loses by an instruction. Types are the business of `flow`.

use crate::descriptor::{MethodType, Type};
use crate::error::{Error, Result};
use crate::instruction::{Instruction, decode};
use crate::op;
use crate::pool::Pool;

/// What the stack gains (or loses) by an instruction without operands.
pub(crate) fn plain_effect(opcode: u8) -> Option<i32> {
    Some(match opcode {
        op::NOP | op::INEG..=op::DNEG | op::I2F | op::F2I | op::L2D | op::D2L | op::I2B..=op::I2S => 0,
        op::ACONST_NULL | op::FCONST_0..=op::FCONST_2 | op::ICONST_M1..=op::ICONST_5 => 1,
        op::LCONST_0 | op::LCONST_1 | op::DCONST_0 | op::DCONST_1 => 2,
        op::IALOAD | op::FALOAD | op::AALOAD..=op::SALOAD => -1,
        op::LALOAD | op::DALOAD => 0,
        op::IASTORE | op::FASTORE | op::AASTORE..=op::SASTORE => -3,
        op::LASTORE | op::DASTORE => -4,
        op::POP => -1,
        op::POP2 => -2,
        op::DUP | op::DUP_X1 | op::DUP_X2 => 1,
        op::DUP2 | op::DUP2_X1 | op::DUP2_X2 => 2,
        op::SWAP => 0,
        // Arithmetic comes in fours: int, long, float, double.
        op::IADD..=op::DREM => {
            if (opcode - op::IADD).is_multiple_of(2) {
                -1
            } else {
                -2
            }
        }
        // The shift distance is an int for longs too.
        op::ISHL..=op::LUSHR => -1,
        op::IAND | op::IOR | op::IXOR => -1,
        op::LAND | op::LOR | op::LXOR => -2,
        op::I2L | op::I2D | op::F2L | op::F2D => 1,
        op::L2I | op::L2F | op::D2I | op::D2F => -1,
        op::LCMP | op::DCMPL | op::DCMPG => -3,
        op::FCMPL | op::FCMPG => -1,
        op::IRETURN | op::FRETURN | op::ARETURN | op::ATHROW => -1,
        op::LRETURN | op::DRETURN => -2,
        op::RETURN => 0,
        op::ARRAYLENGTH => 0,
        op::MONITORENTER | op::MONITOREXIT => -1,
        _ => return None,
    })
}

/// What the stack gains by a field access or a call with that descriptor.
pub(crate) fn member_effect(opcode: u8, descriptor: &[u8]) -> Option<i32> {
    Some(match opcode {
        op::GETSTATIC => i32::from(Type::parse(descriptor)?.slots()),
        op::PUTSTATIC => -i32::from(Type::parse(descriptor)?.slots()),
        op::GETFIELD => i32::from(Type::parse(descriptor)?.slots()) - 1,
        op::PUTFIELD => -i32::from(Type::parse(descriptor)?.slots()) - 1,
        op::INVOKEVIRTUAL..=op::INVOKEDYNAMIC => {
            let types = MethodType::parse(descriptor)?;
            let receiver = i32::from(!matches!(opcode, op::INVOKESTATIC | op::INVOKEDYNAMIC));
            types.result_slots() as i32 - types.parameter_slots() as i32 - receiver
        }
        _ => return None,
    })
}

/// What the stack gains by the instruction at `pc`.
pub(crate) fn effect(code: &[u8], pc: u32, offset: usize, pool: &Pool<'_>) -> Result<i32> {
    let (instruction, _) = decode(code, pc as usize, offset)?;
    let opcode = code.get(pc as usize).copied().unwrap_or_default();
    let unreadable = Error::malformed(offset + pc as usize, "a descriptor cannot be read");
    Ok(match instruction {
        Instruction::Plain(opcode) => plain_effect(opcode).unwrap_or(0),
        Instruction::Int(_) | Instruction::New(_) => 1,
        Instruction::Constant(_) => 1 + i32::from(opcode == op::LDC2_W),
        Instruction::Load { kind, .. } => i32::from(kind.slots()),
        Instruction::Store { kind, .. } => -i32::from(kind.slots()),
        Instruction::Branch { opcode, .. } => match opcode {
            op::GOTO => 0,
            op::JSR => 1,
            op::IF_ICMPEQ..=op::IF_ACMPNE => -2,
            _ => -1,
        },
        Instruction::Switch(_) => -1,
        Instruction::Field { opcode, member } | Instruction::Invoke { opcode, member } => {
            member_effect(opcode, pool.descriptor_of(member)?).ok_or(unreadable)?
        }
        Instruction::NewMultiArray { dimensions, .. } => 1 - i32::from(dimensions),
        Instruction::Increment { .. }
        | Instruction::Ret { .. }
        | Instruction::NewArray(_)
        | Instruction::NewObjectArray(_)
        | Instruction::CheckCast(_)
        | Instruction::InstanceOf(_) => 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plain_instruction_has_an_effect_and_no_other() {
        for opcode in 0..op::COUNT {
            let plain = op::LENGTH[usize::from(opcode)] == 1
                && !(op::ILOAD_0..=op::ALOAD_3).contains(&opcode)
                && !(op::ISTORE_0..=op::ASTORE_3).contains(&opcode);
            assert_eq!(plain_effect(opcode).is_some(), plain, "{opcode:#x}");
        }
    }

    #[test]
    fn calls_and_fields_are_counted_by_their_types() {
        assert_eq!(member_effect(op::INVOKEVIRTUAL, b"(IJ)D"), Some(-2));
        assert_eq!(member_effect(op::INVOKESTATIC, b"(IJ)D"), Some(-1));
        assert_eq!(member_effect(op::PUTFIELD, b"J"), Some(-3));
        assert_eq!(member_effect(op::GETSTATIC, b"[J"), Some(1));
        assert_eq!(member_effect(op::GETSTATIC, b"()V"), None);
    }
}
