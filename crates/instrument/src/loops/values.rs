//! What is on the operand stack in one iteration of a loop, as far as array accesses need it: arrays that stay the same,
//! constants, and counters with a constant added. A counter is named by its value at the start of the iteration, so that
//! what is known stays true when it is incremented. Everything else is unknown. Places are slots: a long takes two.

use classfile::{Instruction, Type, op};

/// Where an array comes from, which is the same in all iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// A local that the loop does not store to.
    Local(u16),
    /// A final field of `this`, by its constant.
    Field(u16),
}

/// What a slot of the stack holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Unknown,
    Constant(i32),
    /// A counter at the start of the iteration, and what is added.
    Counter(u16, i32),
    Same(Base),
}

/// The operand stack; below what is known there is more that is not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stack(Vec<Value>);

impl Stack {
    pub fn push(&mut self, value: Value) {
        self.0.push(value);
    }

    pub fn pop(&mut self) -> Value {
        self.0.pop().unwrap_or(Value::Unknown)
    }

    pub fn top(&self) -> Value {
        self.0.last().copied().unwrap_or(Value::Unknown)
    }

    fn take(&mut self, slots: usize) {
        self.0.truncate(self.0.len().saturating_sub(slots));
    }

    fn give(&mut self, slots: usize) {
        self.0.resize(self.0.len() + slots, Value::Unknown);
    }

    /// What is known wherever the control comes from.
    pub fn meet(&mut self, other: &Stack) {
        let both = self.0.len().min(other.0.len());
        self.0.drain(..self.0.len() - both);
        let others = other.0.iter().skip(other.0.len() - both);
        for (mine, other) in self.0.iter_mut().zip(others) {
            if *mine != *other {
                *mine = Value::Unknown;
            }
        }
    }

    /// The upper `count` slots once more, below `under` slots.
    fn repeat(&mut self, count: usize, under: usize) {
        let mut upper: Vec<Value> = (0..count).map(|_| self.pop()).collect();
        upper.reverse();
        let mut lower: Vec<Value> = (0..under).map(|_| self.pop()).collect();
        lower.reverse();
        self.0.extend(upper.iter().chain(&lower).chain(&upper));
    }

    /// Array and index of the element that the instruction reads or writes.
    pub fn element(&self, opcode: u8) -> (Value, Value) {
        let above = if opcode <= op::SALOAD { 0 } else { stored_slots(opcode) };
        let at = |below: usize| {
            self.0
                .len()
                .checked_sub(below + 1)
                .and_then(|at| self.0.get(at))
                .copied()
                .unwrap_or(Value::Unknown)
        };
        (at(above + 1), at(above))
    }

    /// An instruction without operands.
    pub fn plain(&mut self, opcode: u8) {
        match opcode {
            op::IADD | op::ISUB => {
                let (right, left) = (self.pop(), self.pop());
                self.push(match (left, right) {
                    (Value::Counter(local, more), Value::Constant(by)) if opcode == op::IADD => {
                        Value::Counter(local, more.wrapping_add(by))
                    }
                    (Value::Constant(by), Value::Counter(local, more)) if opcode == op::IADD => {
                        Value::Counter(local, more.wrapping_add(by))
                    }
                    (Value::Counter(local, more), Value::Constant(by)) => {
                        Value::Counter(local, more.wrapping_sub(by))
                    }
                    _ => Value::Unknown,
                });
            }
            op::DUP => self.repeat(1, 0),
            op::DUP_X1 => self.repeat(1, 1),
            op::DUP_X2 => self.repeat(1, 2),
            op::DUP2 => self.repeat(2, 0),
            op::DUP2_X1 => self.repeat(2, 1),
            op::DUP2_X2 => self.repeat(2, 2),
            op::SWAP => {
                let (upper, lower) = (self.pop(), self.pop());
                self.push(upper);
                self.push(lower);
            }
            _ => {
                let (takes, gives) = shape(opcode);
                self.take(takes);
                self.give(gives);
            }
        }
    }

    /// Any other instruction of a quiet loop; those that load and store locals are for the caller.
    pub fn other(&mut self, instruction: &Instruction<'_>, descriptor: Option<&[u8]>) {
        match instruction {
            Instruction::Branch { opcode, .. } => self.take(match *opcode {
                op::GOTO => 0,
                op::IF_ICMPEQ..=op::IF_ACMPNE => 2,
                _ => 1,
            }),
            Instruction::Switch(_) => self.take(1),
            Instruction::Field { opcode, .. } => {
                let slots = descriptor.and_then(Type::parse).map_or(0, |of| usize::from(of.slots()));
                self.take(1 + if *opcode == op::PUTFIELD { slots } else { 0 });
                self.give(if *opcode == op::GETFIELD { slots } else { 0 });
            }
            Instruction::Invoke { .. } => {
                if let Some(of) = descriptor.and_then(classfile::MethodType::parse) {
                    self.take(of.parameter_slots() as usize);
                    self.give(of.result_slots() as usize);
                }
            }
            _ => {}
        }
    }
}

/// The slots of what an array store stores.
fn stored_slots(opcode: u8) -> usize {
    if matches!(opcode, op::LASTORE | op::DASTORE) { 2 } else { 1 }
}

/// How many slots an instruction takes off the stack, and how many it puts there.
fn shape(opcode: u8) -> (usize, usize) {
    // Arithmetic comes in fours: int, long, float, double.
    let wide = |first: u8| 1 + usize::from((opcode - first) % 2 == 1);
    match opcode {
        op::ACONST_NULL | op::FCONST_0..=op::FCONST_2 => (0, 1),
        op::LCONST_0 | op::LCONST_1 | op::DCONST_0 | op::DCONST_1 => (0, 2),
        op::LALOAD | op::DALOAD => (2, 2),
        op::IALOAD..=op::SALOAD => (2, 1),
        op::IASTORE..=op::SASTORE => (2 + stored_slots(opcode), 0),
        op::POP => (1, 0),
        op::POP2 => (2, 0),
        op::IADD..=op::DREM => (2 * wide(op::IADD), wide(op::IADD)),
        op::INEG..=op::DNEG => (wide(op::INEG), wide(op::INEG)),
        op::ISHL..=op::LUSHR => (1 + wide(op::ISHL), wide(op::ISHL)),
        op::IAND..=op::LXOR => (2 * wide(op::IAND), wide(op::IAND)),
        op::I2L | op::I2D | op::F2L | op::F2D => (1, 2),
        op::L2I | op::L2F | op::D2I | op::D2F => (2, 1),
        op::L2D | op::D2L => (2, 2),
        op::LCMP | op::DCMPL | op::DCMPG => (4, 1),
        op::FCMPL | op::FCMPG => (2, 1),
        op::NOP => (0, 0),
        // The rest of a quiet loop's: conversions of one slot, the length of an array.
        _ => (1, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Value::{Constant, Counter, Same, Unknown};

    #[test]
    fn constants_are_added_to_counters_on_either_side() {
        let mut stack = Stack::default();
        for (values, opcode, expected) in [
            ([Counter(1, 2), Constant(3)], op::IADD, Counter(1, 5)),
            ([Constant(3), Counter(1, 2)], op::IADD, Counter(1, 5)),
            ([Counter(1, 2), Constant(3)], op::ISUB, Counter(1, -1)),
            ([Constant(3), Counter(1, 2)], op::ISUB, Unknown),
            ([Counter(1, 2), Counter(1, 2)], op::IADD, Unknown),
        ] {
            values.into_iter().for_each(|value| stack.push(value));
            stack.plain(opcode);
            assert_eq!(stack.pop(), expected);
        }
    }

    #[test]
    fn every_plain_instruction_leaves_as_many_slots_as_the_format_says() {
        // Against the snippets of `classfile`, which count for themselves.
        for opcode in (0..=op::ARRAYLENGTH).filter(|opcode| !(op::IRETURN..=op::RETURN).contains(opcode)) {
            let mut snippet = classfile::Snippet::new();
            if snippet.plain(opcode).is_err() || (op::ICONST_M1..=op::ICONST_5).contains(&opcode) {
                continue;
            }
            let mut stack = Stack(vec![Unknown; 10]);
            stack.plain(opcode);
            assert_eq!(stack.0.len() as i32 - 10, snippet.net(), "{opcode:#x}");
        }
    }

    #[test]
    fn copies_go_where_they_should() {
        let mut stack = Stack(vec![Same(Base::Local(0)), Counter(1, 0), Constant(7)]);
        assert_eq!(stack.element(op::IASTORE), (Same(Base::Local(0)), Counter(1, 0)));
        stack.plain(op::DUP_X2);
        assert_eq!(stack.0, [Constant(7), Same(Base::Local(0)), Counter(1, 0), Constant(7)]);
        stack.plain(op::SWAP);
        stack.plain(op::DUP2_X1);
        assert_eq!(
            stack.0[1..],
            [Constant(7), Counter(1, 0), Same(Base::Local(0)), Constant(7), Counter(1, 0)]
        );
    }

    #[test]
    fn stacks_meet_at_their_tops() {
        let mut one = Stack(vec![Unknown, Same(Base::Local(0)), Constant(1)]);
        one.meet(&Stack(vec![Same(Base::Local(0)), Constant(2)]));
        assert_eq!(one.0, [Same(Base::Local(0)), Unknown]);
    }
}
