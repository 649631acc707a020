//! What is on the operand stack in one iteration of a loop, as far as array accesses need it: arrays that stay the same,
//! constants, and counters with a constant added. A counter is named by its value at the start of the iteration, so that
//! what is known stays true when it is incremented. Everything else is unknown. Places are slots: a long takes two.

use classfile::op;

use crate::stack::element_below;

/// Where an array comes from, which is the same in all iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// A local that the loop does not store to.
    Local(u16),
    /// A final field of `this`, by its constant.
    Field(u16),
}

/// What a slot of the stack holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Value {
    #[default]
    Unknown,
    Constant(i32),
    /// A counter at the start of the iteration, and what is added.
    Counter(u16, i32),
    Same(Base),
}

/// The operand stack; below what is known there is more that is not.
pub(super) type Stack = crate::stack::Stack<Value>;

impl Stack {
    /// What is known wherever the control comes from.
    pub fn meet(&mut self, other: &Stack) {
        let both = self.slots().len().min(other.slots().len());
        self.keep_upper(both);
        let others = other.slots().iter().skip(other.slots().len() - both);
        for (mine, other) in self.slots_mut().iter_mut().zip(others) {
            if *mine != *other {
                *mine = Value::Unknown;
            }
        }
    }

    /// Array and index of the element that the instruction reads or writes.
    pub fn element(&self, opcode: u8) -> (Value, Value) {
        let above = element_below(opcode);
        (self.peek(above + 1), self.peek(above))
    }

    /// An instruction without operands.
    pub fn plain(&mut self, opcode: u8) {
        if !matches!(opcode, op::IADD | op::ISUB) {
            return self.run_plain(opcode);
        }
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
    fn copies_go_where_they_should() {
        let mut stack = Stack::from(vec![Same(Base::Local(0)), Counter(1, 0), Constant(7)]);
        assert_eq!(stack.element(op::IASTORE), (Same(Base::Local(0)), Counter(1, 0)));
        stack.plain(op::DUP_X2);
        assert_eq!(stack.slots(), [Constant(7), Same(Base::Local(0)), Counter(1, 0), Constant(7)]);
        stack.plain(op::SWAP);
        stack.plain(op::DUP2_X1);
        assert_eq!(
            stack.slots()[1..],
            [Constant(7), Counter(1, 0), Same(Base::Local(0)), Constant(7), Counter(1, 0)]
        );
    }

    #[test]
    fn stacks_meet_at_their_tops() {
        let mut one = Stack::from(vec![Unknown, Same(Base::Local(0)), Constant(1)]);
        one.meet(&Stack::from(vec![Same(Base::Local(0)), Constant(2)]));
        assert_eq!(one.slots(), [Same(Base::Local(0)), Unknown]);
    }
}
