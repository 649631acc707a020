//! What JaCoCo has put into a class before us: an array of flags that all threads set without any order, and do so on
//! purpose. Its stores are recognised by where the array comes from, so that the program's own arrays are still watched.

use classfile::{Class, Instruction, Kind as Moves, op};

/// JaCoCo's method that hands out the array, and the constant that does the same in newer classes.
const METHOD: &[u8] = b"$jacocoInit";
const CONSTANT: &[u8] = b"$jacocoData";

/// Whether JaCoCo has been at this class.
pub fn is_covered(class: &Class<'_>) -> bool {
    class.methods.iter().any(|method| is_tools(class, method.name))
}

/// Whether this name of a method is the tool's.
pub fn is_tools(class: &Class<'_>, name: u16) -> bool {
    class.pool.utf8(name).is_ok_and(|name| name == METHOD)
}

/// Follows the instructions of one method.
#[derive(Default)]
pub struct Coverage {
    covered: bool,
    /// The array was put on the stack.
    pushed: bool,
    /// The local that holds it.
    local: Option<u16>,
    /// How much of `load array, push index, push true` has come.
    matched: u8,
}

impl Coverage {
    /// For a method of this class.
    pub fn new(covered: bool) -> Self {
        Self { covered, ..Self::default() }
    }

    /// Goes past an instruction; whether it sets one of JaCoCo's flags.
    pub fn sets_a_flag(&mut self, class: &Class<'_>, instruction: &Instruction<'_>) -> bool {
        if !self.covered {
            return false;
        }
        let pool = &class.pool;
        let before = std::mem::take(&mut self.matched);
        match *instruction {
            Instruction::Invoke { opcode: op::INVOKESTATIC, member } => {
                self.pushed |= pool.member_ref(member).is_ok_and(|member| member.name == METHOD);
            }
            Instruction::Constant(index) if self.local.is_none() => {
                self.pushed |= pool.dynamic_ref(index).is_ok_and(|constant| constant.name == CONSTANT);
            }
            Instruction::Store { kind: Moves::Reference, local } if self.pushed && self.local.is_none() => {
                self.local = Some(local);
            }
            Instruction::Load { kind: Moves::Reference, local } if self.local == Some(local) => {
                self.matched = 1
            }
            Instruction::Int(1) if before == 2 => self.matched = 3,
            Instruction::Int(_) | Instruction::Constant(_) if before == 1 => self.matched = 2,
            Instruction::Plain(op::BASTORE) => return before == 3,
            _ => {}
        }
        false
    }
}
