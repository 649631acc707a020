//! An operand stack of whatever somebody wants to know of its slots; a long takes two. Knows what each instruction takes
//! off and puts there; what it puts there is the default, unless it only moves what was there. Locals are for the
//! caller.

use classfile::{Constant, Instruction, MethodType, Pool, Type, op};

/// The stack, its top last. Taking more than there is takes all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stack<V>(Vec<V>);

impl<V> From<Vec<V>> for Stack<V> {
    fn from(slots: Vec<V>) -> Self {
        Stack(slots)
    }
}

impl<V: Copy + Default> Stack<V> {
    pub fn push(&mut self, value: V) {
        self.0.push(value);
    }

    pub fn pop(&mut self) -> V {
        self.0.pop().unwrap_or_default()
    }

    pub fn top(&self) -> V {
        self.peek(0)
    }

    /// The slot so many below the top.
    pub fn peek(&self, below: usize) -> V {
        self.0.iter().rev().nth(below).copied().unwrap_or_default()
    }

    pub fn slots(&self) -> &[V] {
        &self.0
    }

    pub fn slots_mut(&mut self) -> &mut [V] {
        &mut self.0
    }

    /// Forgets all but the upper slots.
    pub fn keep_upper(&mut self, count: usize) {
        self.0.drain(..self.0.len().saturating_sub(count));
    }

    fn take(&mut self, slots: usize) {
        self.0.truncate(self.0.len().saturating_sub(slots));
    }

    fn give(&mut self, slots: usize) {
        self.0.resize(self.0.len() + slots, V::default());
    }

    /// The upper `count` slots once more, below `under` slots.
    fn repeat(&mut self, count: usize, under: usize) {
        let mut upper: Vec<V> = (0..count).map(|_| self.pop()).collect();
        upper.reverse();
        let mut lower: Vec<V> = (0..under).map(|_| self.pop()).collect();
        lower.reverse();
        self.0.extend(upper.iter().chain(&lower).chain(&upper));
    }

    /// An instruction without operands.
    pub fn run_plain(&mut self, opcode: u8) {
        match opcode {
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

    /// Any instruction.
    pub fn run(&mut self, instruction: &Instruction<'_>, pool: &Pool<'_>) {
        let (takes, gives) = match *instruction {
            Instruction::Plain(opcode) => return self.run_plain(opcode),
            Instruction::Increment { .. } | Instruction::Ret { .. } => (0, 0),
            Instruction::Int(_) | Instruction::New(_) => (0, 1),
            Instruction::Constant(index) => (0, constant_slots(pool, index)),
            Instruction::Load { kind, .. } => (0, usize::from(kind.slots())),
            Instruction::Store { kind, .. } => (usize::from(kind.slots()), 0),
            Instruction::Branch { opcode, .. } => match opcode {
                op::GOTO => (0, 0),
                op::JSR => (0, 1),
                op::IF_ICMPEQ..=op::IF_ACMPNE => (2, 0),
                _ => (1, 0),
            },
            Instruction::Switch(_) => (1, 0),
            Instruction::Field { opcode, member } => {
                let of = pool.descriptor_of(member).ok().and_then(Type::parse);
                let slots = of.map_or(0, |of| usize::from(of.slots()));
                match opcode {
                    op::GETSTATIC => (0, slots),
                    op::PUTSTATIC => (slots, 0),
                    op::GETFIELD => (1, slots),
                    _ => (1 + slots, 0),
                }
            }
            Instruction::Invoke { opcode, member } => {
                let receiver = usize::from(!matches!(opcode, op::INVOKESTATIC | op::INVOKEDYNAMIC));
                let of = pool.descriptor_of(member).ok().and_then(MethodType::parse);
                let slots = of.map(|of| (of.parameter_slots() as usize, of.result_slots() as usize));
                slots.map_or((receiver, 0), |(takes, gives)| (receiver + takes, gives))
            }
            Instruction::NewArray(_)
            | Instruction::NewObjectArray(_)
            | Instruction::CheckCast(_)
            | Instruction::InstanceOf(_) => (1, 1),
            Instruction::NewMultiArray { dimensions, .. } => (usize::from(dimensions), 1),
        };
        self.take(takes);
        self.give(gives);
    }
}

/// How many slots below the top the index of an array access is; the array is below it.
pub(crate) fn element_below(opcode: u8) -> usize {
    if opcode <= op::SALOAD { 0 } else { stored_slots(opcode) }
}

/// The slots of what an array store stores.
fn stored_slots(opcode: u8) -> usize {
    if matches!(opcode, op::LASTORE | op::DASTORE) { 2 } else { 1 }
}

fn constant_slots(pool: &Pool<'_>, index: u16) -> usize {
    let wide = match pool.get(index) {
        Ok(Constant::Long(_) | Constant::Double(_)) => true,
        Ok(Constant::Dynamic { .. }) => {
            pool.dynamic_ref(index).is_ok_and(|of| matches!(of.descriptor, b"J" | b"D"))
        }
        _ => false,
    };
    1 + usize::from(wide)
}

/// How many slots an instruction without operands takes off the stack, and how many it puts there.
fn shape(opcode: u8) -> (usize, usize) {
    // Arithmetic comes in fours: int, long, float, double.
    let wide = |first: u8| 1 + usize::from((opcode - first) % 2 == 1);
    match opcode {
        op::ACONST_NULL | op::FCONST_0..=op::FCONST_2 | op::ICONST_M1..=op::ICONST_5 => (0, 1),
        op::LCONST_0 | op::LCONST_1 | op::DCONST_0 | op::DCONST_1 => (0, 2),
        op::LALOAD | op::DALOAD => (2, 2),
        op::IALOAD..=op::SALOAD => (2, 1),
        op::IASTORE..=op::SASTORE => (2 + stored_slots(opcode), 0),
        op::POP | op::MONITORENTER | op::MONITOREXIT => (1, 0),
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
        op::IRETURN | op::FRETURN | op::ARETURN | op::ATHROW => (1, 0),
        op::LRETURN | op::DRETURN => (2, 0),
        op::NOP | op::RETURN => (0, 0),
        // The rest: conversions of one slot, the length of an array.
        _ => (1, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plain_instruction_leaves_as_many_slots_as_the_format_says() {
        // Against the snippets of `classfile`, which count for themselves.
        for opcode in 0..=op::MONITOREXIT {
            let mut snippet = classfile::Snippet::new();
            if snippet.plain(opcode).is_err() {
                continue;
            }
            let mut stack = Stack(vec![0u8; 10]);
            stack.run_plain(opcode);
            assert_eq!(stack.0.len() as i32 - 10, snippet.net(), "{opcode:#x}");
        }
    }
}
