//! What one instruction does to locals and stack, as types. It does not check that the types fit: a verifier does.

use std::borrow::Cow;

use super::state::State;
use crate::descriptor::{MethodType, Type};
use crate::error::{Error, Result};
use crate::instruction::{Instruction, Kind};
use crate::op;
use crate::pool::{Constant, Pool};
use crate::value::{ClassRef, Names, Value};

/// What the instructions need to know besides the state.
pub(super) struct Machine<'c> {
    pub pool: &'c Pool<'c>,
    pub names: Names,
    pub code: &'c [u8],
    pub offset: usize,
    pub max_locals: u16,
    pub max_stack: u16,
    pub this_class: u16,
}

impl Machine<'_> {
    fn wrong<T>(&self, pc: u32, what: &'static str) -> Result<T> {
        Err(Error::malformed(self.offset + pc as usize, what))
    }

    fn named(&mut self, name: &'static [u8]) -> Value {
        Value::Object(self.names.refer(Cow::Borrowed(name)))
    }

    /// Runs the instruction at `pc`: `state` becomes what holds after it (where it falls through or branches to).
    pub fn run(&mut self, state: &mut State, pc: u32, instruction: &Instruction<'_>) -> Result<()> {
        let done = self.step(state, pc, instruction)?;
        if done.is_none() {
            return self.wrong(pc, "an instruction takes more from the stack than there is");
        }
        if state.stack.len() > usize::from(self.max_stack) {
            return self.wrong(pc, "the stack is deeper than the method says");
        }
        if state.locals.len() > usize::from(self.max_locals) {
            return self.wrong(pc, "a local lies beyond those the method says");
        }
        Ok(())
    }

    /// `None` when the stack has too little on it.
    fn step(&mut self, state: &mut State, pc: u32, instruction: &Instruction<'_>) -> Result<Option<()>> {
        let stack = &mut state.stack;
        match *instruction {
            Instruction::Plain(opcode) => return Ok(self.plain(stack, opcode)),
            Instruction::Int(_) => stack.push(Value::Int),
            Instruction::Constant(index) => {
                let value = self.constant(index)?;
                stack.push(value);
            }
            Instruction::Load { kind, local } => {
                let value = match kind {
                    Kind::Int => Value::Int,
                    Kind::Long => Value::Long,
                    Kind::Float => Value::Float,
                    Kind::Double => Value::Double,
                    Kind::Reference => match state.local(local) {
                        value if value.is_reference() || matches!(value, Value::ReturnAddress(_)) => value,
                        _ => Value::SomeObject,
                    },
                };
                state.stack.push(value);
            }
            Instruction::Store { local, .. } => {
                if local >= self.max_locals {
                    return self.wrong(pc, "a local lies beyond those the method says");
                }
                let Some(value) = stack.pop() else { return Ok(None) };
                state.set_local(local, value);
            }
            Instruction::Increment { .. } | Instruction::Ret { .. } => {}
            Instruction::Branch { opcode, target } => match opcode {
                op::GOTO => {}
                op::JSR => stack.push(Value::ReturnAddress(target as u16)),
                op::IF_ICMPEQ..=op::IF_ACMPNE => return Ok(pop(stack, 2)),
                _ => return Ok(pop(stack, 1)),
            },
            Instruction::Switch(_) => return Ok(pop(stack, 1)),
            Instruction::Field { opcode, member } => return self.field(stack, pc, opcode, member),
            Instruction::Invoke { opcode, member } => return self.invoke(state, pc, opcode, member),
            Instruction::New(_) => stack.push(Value::Uninitialized(pc as u16)),
            Instruction::NewArray(number) => {
                const LETTERS: [&[u8]; 8] = [b"[Z", b"[C", b"[F", b"[D", b"[B", b"[S", b"[I", b"[J"];
                let name = LETTERS.get(usize::from(number).wrapping_sub(4)).copied().unwrap_or(b"[I");
                let value = self.named(name);
                return Ok(replace_top(stack, 1, value));
            }
            Instruction::NewObjectArray(class) => {
                let element = self.pool.class_name(class)?;
                let name = if element.first() == Some(&b'[') {
                    [b"[", element].concat()
                } else {
                    [b"[L", element, b";"].concat()
                };
                let value = Value::Object(self.names.refer(Cow::Owned(name)));
                return Ok(replace_top(stack, 1, value));
            }
            Instruction::NewMultiArray { class, dimensions } => {
                return Ok(replace_top(
                    stack,
                    usize::from(dimensions),
                    Value::Object(ClassRef::constant(class)),
                ));
            }
            Instruction::CheckCast(class) => {
                return Ok(replace_top(stack, 1, Value::Object(ClassRef::constant(class))));
            }
            Instruction::InstanceOf(_) => return Ok(replace_top(stack, 1, Value::Int)),
        }
        Ok(Some(()))
    }

    fn constant(&mut self, index: u16) -> Result<Value> {
        Ok(match self.pool.get(index)? {
            Constant::Integer(_) => Value::Int,
            Constant::Float(_) => Value::Float,
            Constant::Long(_) => Value::Long,
            Constant::Double(_) => Value::Double,
            Constant::String { .. } => self.named(b"java/lang/String"),
            Constant::Class { .. } => self.named(b"java/lang/Class"),
            Constant::MethodHandle { .. } => self.named(b"java/lang/invoke/MethodHandle"),
            Constant::MethodType { .. } => self.named(b"java/lang/invoke/MethodType"),
            _ => match Type::parse(self.pool.dynamic_ref(index)?.descriptor) {
                Some(found) => self.names.value(found),
                None => return self.wrong(0, "a dynamic constant's descriptor cannot be read"),
            },
        })
    }

    fn field(&mut self, stack: &mut Vec<Value>, pc: u32, opcode: u8, member: u16) -> Result<Option<()>> {
        let Some(of) = Type::parse(self.pool.descriptor_of(member)?) else {
            return self.wrong(pc, "a field's descriptor cannot be read");
        };
        Ok(match opcode {
            op::GETSTATIC => {
                stack.push(self.names.value(of));
                Some(())
            }
            op::PUTSTATIC => pop(stack, 1),
            op::GETFIELD => {
                let value = self.names.value(of);
                replace_top(stack, 1, value)
            }
            _ => pop(stack, 2),
        })
    }

    fn invoke(&mut self, state: &mut State, pc: u32, opcode: u8, member: u16) -> Result<Option<()>> {
        let Some(types) = MethodType::parse(self.pool.descriptor_of(member)?) else {
            return self.wrong(pc, "a method's descriptor cannot be read");
        };
        if pop(&mut state.stack, types.parameters().count()).is_none() {
            return Ok(None);
        }
        if !matches!(opcode, op::INVOKESTATIC | op::INVOKEDYNAMIC) {
            let Some(receiver) = state.stack.pop() else { return Ok(None) };
            if opcode == op::INVOKESPECIAL && self.pool.member_ref(member)?.name == b"<init>" {
                let made = match receiver {
                    Value::UninitializedThis => Some(ClassRef::constant(self.this_class)),
                    Value::Uninitialized(at) => match crate::instruction::decode(self.code, at.into(), 0) {
                        Ok((Instruction::New(class), _)) => Some(ClassRef::constant(class)),
                        _ => return self.wrong(pc, "no new at the place an object was made"),
                    },
                    _ => None,
                };
                if let Some(class) = made {
                    state.replace(receiver, Value::Object(class));
                }
            }
        }
        if let Some(result) = types.result() {
            let value = self.names.value(result);
            state.stack.push(value);
        }
        Ok(Some(()))
    }

    fn plain(&mut self, stack: &mut Vec<Value>, opcode: u8) -> Option<()> {
        use Value::{Double, Float, Int, Long};
        let by_kind = |number: u8| match number % 4 {
            0 => Int,
            1 => Long,
            2 => Float,
            _ => Double,
        };
        match opcode {
            op::NOP | op::RETURN => Some(()),
            op::ACONST_NULL => replace_top(stack, 0, Value::Null),
            op::LCONST_0 | op::LCONST_1 => replace_top(stack, 0, Long),
            op::FCONST_0..=op::FCONST_2 => replace_top(stack, 0, Float),
            op::DCONST_0 | op::DCONST_1 => replace_top(stack, 0, Double),
            op::AALOAD => {
                let array = stack.iter().rev().nth(1).copied()?;
                let element = self.element(array);
                replace_top(stack, 2, element)
            }
            op::IALOAD..=op::DALOAD => replace_top(stack, 2, by_kind(opcode - op::IALOAD)),
            op::BALOAD..=op::SALOAD => replace_top(stack, 2, Int),
            op::IASTORE..=op::SASTORE => pop(stack, 3),
            op::POP..=op::SWAP => shuffle(stack, opcode),
            op::IADD..=op::DREM => replace_top(stack, 2, by_kind(opcode - op::IADD)),
            op::INEG..=op::DNEG => Some(()),
            op::ISHL..=op::LXOR => {
                replace_top(stack, 2, if (opcode - op::ISHL).is_multiple_of(2) { Int } else { Long })
            }
            op::L2I | op::F2I | op::D2I | op::I2B..=op::I2S => replace_top(stack, 1, Int),
            op::I2L | op::F2L | op::D2L => replace_top(stack, 1, Long),
            op::I2F | op::L2F | op::D2F => replace_top(stack, 1, Float),
            op::I2D | op::L2D | op::F2D => replace_top(stack, 1, Double),
            op::LCMP..=op::DCMPG => replace_top(stack, 2, Int),
            op::ARRAYLENGTH => replace_top(stack, 1, Int),
            op::IRETURN..=op::ARETURN | op::ATHROW | op::MONITORENTER | op::MONITOREXIT => pop(stack, 1),
            _ => None,
        }
    }

    /// What an array of that type holds.
    fn element(&mut self, array: Value) -> Value {
        let Value::Object(class) = array else {
            return if array == Value::Null { Value::Null } else { Value::SomeObject };
        };
        let element = self.names.name(self.pool, class).ok().and_then(|name| {
            Type::parse(name).and_then(Type::element).and_then(Type::class_name).map(<[u8]>::to_vec)
        });
        match element {
            Some(name) => Value::Object(self.names.refer(Cow::Owned(name))),
            None => Value::SomeObject,
        }
    }
}

fn pop(stack: &mut Vec<Value>, count: usize) -> Option<()> {
    let kept = stack.len().checked_sub(count)?;
    stack.truncate(kept);
    Some(())
}

fn replace_top(stack: &mut Vec<Value>, count: usize, by: Value) -> Option<()> {
    pop(stack, count)?;
    stack.push(by);
    Some(())
}

/// How many values at the top, below the first `skip`, make up that many slots.
fn values(stack: &[Value], skip: usize, slots: u16) -> Option<usize> {
    let mut left = slots;
    let mut count = 0;
    while left > 0 {
        let value = stack.iter().rev().nth(skip + count)?;
        left = left.checked_sub(value.slots())?;
        count += 1;
    }
    Some(count)
}

/// The instructions that only move stack places about: all but `swap` copy the top below something.
fn shuffle(stack: &mut Vec<Value>, opcode: u8) -> Option<()> {
    let (copied, over) = match opcode {
        op::POP | op::POP2 => {
            let count = values(stack, 0, u16::from(opcode - op::POP) + 1)?;
            return pop(stack, count);
        }
        op::SWAP => {
            let last = stack.len().checked_sub(2)?;
            stack.get_mut(last..)?.reverse();
            return Some(());
        }
        op::DUP => (1, 0),
        op::DUP_X1 => (1, 1),
        op::DUP_X2 => (1, 2),
        op::DUP2 => (2, 0),
        op::DUP2_X1 => (2, 1),
        _ => (2, 2),
    };
    let top = values(stack, 0, copied)?;
    let below = values(stack, top, over)?;
    let at = stack.len().checked_sub(top + below)?;
    let from = stack.len() - top;
    let again: [Option<Value>; 2] = [stack.get(from).copied(), stack.get(from + 1).copied()];
    stack.splice(at..at, again.into_iter().flatten());
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use Value::{Double, Float, Int, Long, Null};

    fn after(before: &[Value], opcode: u8) -> Vec<Value> {
        let mut stack = before.to_vec();
        shuffle(&mut stack, opcode).expect("enough on the stack");
        stack
    }

    #[test]
    fn duplicates_land_below_the_right_number_of_slots() {
        assert_eq!(after(&[Int, Float], op::DUP_X1), [Float, Int, Float]);
        assert_eq!(after(&[Long, Float], op::DUP_X2), [Float, Long, Float]);
        assert_eq!(after(&[Int, Null, Float], op::DUP_X2), [Float, Int, Null, Float]);
        assert_eq!(after(&[Int, Float], op::DUP2), [Int, Float, Int, Float]);
        assert_eq!(after(&[Long], op::DUP2), [Long, Long]);
        assert_eq!(after(&[Null, Long], op::DUP2_X1), [Long, Null, Long]);
        assert_eq!(after(&[Null, Int, Float], op::DUP2_X1), [Int, Float, Null, Int, Float]);
        assert_eq!(after(&[Double, Long], op::DUP2_X2), [Long, Double, Long]);
        assert_eq!(after(&[Double, Int, Float], op::DUP2_X2), [Int, Float, Double, Int, Float]);
        assert_eq!(after(&[Null, Int, Long], op::DUP2_X2), [Long, Null, Int, Long]);
        assert_eq!(after(&[Int, Float], op::SWAP), [Float, Int]);
        assert_eq!(after(&[Null, Long], op::POP2), [Null]);
    }

    #[test]
    fn too_little_on_the_stack_is_noticed() {
        for opcode in op::POP..=op::SWAP {
            assert_eq!(shuffle(&mut Vec::new(), opcode), None);
        }
        assert_eq!(shuffle(&mut vec![Long], op::POP), None);
    }
}
