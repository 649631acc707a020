//! A method's code cut into blocks: where they start, where they lead, which handlers cover them. In code that handlers
//! cover, blocks also end after calls and monitor instructions, and before a store that follows something that may throw
//! (see `ir/body.rs`).

use classfile::{Code, Instruction, op};

use super::{Result, Trouble, subroutines};

/// No block starts here.
pub const NO_BLOCK: u32 = u32::MAX;

/// A handler as the table has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Catch {
    /// The block it leads to; for the handler that a synchronized method implies, one more than the last.
    pub target: u32,
    /// Class constant, or 0 for everything.
    pub class: u16,
}

/// A block of bytecode.
#[derive(Clone, Copy, Debug, Default)]
pub struct Raw {
    /// Its instructions: indices into [`Blocks::insts`].
    pub start: u32,
    pub end: u32,
    /// Its successors: indices into [`Blocks::after`].
    pub after: (u32, u32),
    /// Its handlers: indices into [`Blocks::catches`]. None if nothing in it can throw.
    pub catches: (u32, u32),
    /// How many edges lead to it.
    pub before: u32,
    /// Is it a handler's first block?
    pub handles: bool,
}

/// The blocks of a method.
#[derive(Default)]
pub struct Blocks<'c> {
    pub insts: Vec<(u16, Instruction<'c>)>,
    pub blocks: Vec<Raw>,
    pub after: Vec<u32>,
    pub catches: Vec<Catch>,
    /// Reached blocks in reverse postorder.
    pub order: Vec<u32>,
    /// Are there subroutines, so that instructions may be in several blocks?
    pub copied: bool,
    /// By pc: the block that starts there.
    at: Vec<u32>,
    /// By pc: how many handlers cover it.
    covered: Vec<i32>,
}

const MOST_CATCHES: usize = 1 << 20;

/// May this instruction throw? (Its operands are not known yet.)
fn may_throw(instruction: &Instruction<'_>) -> bool {
    match instruction {
        Instruction::Plain(opcode) => matches!(
            *opcode,
            op::IALOAD..=op::SALOAD
                | op::IASTORE..=op::SASTORE
                | op::IDIV
                | op::LDIV
                | op::IREM
                | op::LREM
                | op::ARRAYLENGTH
                | op::ATHROW
                | op::MONITORENTER
        ),
        Instruction::Constant(_)
        | Instruction::Field { .. }
        | Instruction::Invoke { .. }
        | Instruction::New(_)
        | Instruction::NewArray(_)
        | Instruction::NewObjectArray(_)
        | Instruction::NewMultiArray { .. }
        | Instruction::CheckCast(_) => true,
        _ => false,
    }
}

/// Must a block with handlers end after it?
fn ends_covered(instruction: &Instruction<'_>) -> bool {
    matches!(instruction, Instruction::Invoke { .. } | Instruction::Plain(op::MONITORENTER | op::MONITOREXIT))
}

impl<'c> Blocks<'c> {
    /// Cuts the code. `whole` says that an implied handler covers everything.
    pub fn cut(&mut self, code: &Code<'c>, whole: bool) -> Result<()> {
        let length = code.bytes.len();
        self.insts.clear();
        self.blocks.clear();
        self.after.clear();
        self.catches.clear();
        self.order.clear();
        self.copied = false;
        self.at.clear();
        self.at.resize(length + 1, NO_BLOCK);
        for step in code.instructions() {
            let (pc, instruction) = step?;
            self.copied |=
                matches!(instruction, Instruction::Ret { .. } | Instruction::Branch { opcode: op::JSR, .. });
            self.insts.push((pc as u16, instruction));
        }
        self.mark(code, whole)?;
        self.form()?;
        self.lead()?;
        self.cover(code, whole)?;
        if self.copied {
            subroutines::inline(self)?;
        }
        self.sort();
        Ok(())
    }

    fn start(&mut self, pc: u32) -> Result<()> {
        match self.at.get_mut(pc as usize) {
            Some(place) => {
                *place = 0;
                Ok(())
            }
            None => Err(Trouble::Malformed("a branch or handler leaves the code")),
        }
    }

    /// Marks where blocks start.
    fn mark(&mut self, code: &Code<'c>, whole: bool) -> Result<()> {
        self.start(0)?;
        let handlers = code.handlers();
        let covered = whole || handlers.len() > 0;
        if covered {
            self.covered.clear();
            self.covered.resize(self.at.len() + 1, 0);
            if let Some(first) = self.covered.first_mut().filter(|_| whole) {
                *first = 1;
            }
            for handler in handlers {
                let (start, end) = (usize::from(handler.start), usize::from(handler.end));
                if start >= end || end >= self.at.len() {
                    return Err(Trouble::Malformed("a handler's range is empty or leaves the code"));
                }
                self.covered[start] += 1;
                self.covered[end] -= 1;
                self.start(start as u32)?;
                self.start(end as u32)?;
                self.start(u32::from(handler.target))?;
            }
            let mut depth = 0;
            for count in &mut self.covered {
                depth += *count;
                *count = depth;
            }
        }
        let mut thrown = false;
        for index in 0..self.insts.len() {
            let (pc, instruction) = self.insts[index];
            let next = self.insts.get(index + 1).map_or(self.at.len() - 1, |next| usize::from(next.0)) as u32;
            if covered {
                if self.at[usize::from(pc)] == 0 {
                    thrown = false;
                }
                if self.covered[usize::from(pc)] > 0 {
                    if thrown
                        && matches!(instruction, Instruction::Store { .. } | Instruction::Increment { .. })
                    {
                        self.start(u32::from(pc))?;
                        thrown = false;
                    }
                    if ends_covered(&instruction) {
                        self.start(next)?;
                    }
                    thrown |= may_throw(&instruction);
                }
            }
            match instruction {
                Instruction::Branch { target, .. } => {
                    self.start(target)?;
                    self.start(next)?;
                }
                Instruction::Switch(switch) => {
                    for target in switch.targets() {
                        self.start(target)?;
                    }
                    self.start(next)?;
                }
                Instruction::Ret { .. } => self.start(next)?,
                Instruction::Plain(opcode) if !op::falls_through(opcode) => self.start(next)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Makes the blocks that were marked.
    fn form(&mut self) -> Result<()> {
        for (index, (pc, _)) in (0u32..).zip(&self.insts) {
            let Some(place) = self.at.get_mut(usize::from(*pc)) else { continue };
            if *place != NO_BLOCK {
                *place = self.blocks.len() as u32;
                if let Some(last) = self.blocks.last_mut() {
                    last.end = index;
                }
                self.blocks.push(Raw { start: index, ..Raw::default() });
            }
        }
        if let Some(last) = self.blocks.last_mut() {
            last.end = self.insts.len() as u32;
        }
        Ok(())
    }

    /// The block at a pc to which something leads.
    fn block_at(&self, pc: u32) -> Result<u32> {
        let found = self.at.get(pc as usize).copied().unwrap_or(NO_BLOCK);
        // A mark within an instruction was never given a number of its own.
        match self.blocks.get(found as usize) {
            Some(block) if self.insts.get(block.start as usize).is_some_and(|i| u32::from(i.0) == pc) => {
                Ok(found)
            }
            _ => Err(Trouble::Malformed("a branch or handler leads into an instruction or out of the code")),
        }
    }

    /// Finds the successors.
    fn lead(&mut self) -> Result<()> {
        for number in 0..self.blocks.len() {
            let start = self.after.len() as u32;
            let Raw { start: first, end, .. } = self.blocks[number];
            let falls = match end.checked_sub(1).and_then(|last| self.insts.get(last as usize)) {
                Some((_, Instruction::Branch { opcode, target })) if end > first => {
                    let (opcode, target) = (*opcode, *target);
                    let block = self.block_at(target)?;
                    self.after.push(block);
                    opcode != op::GOTO
                }
                Some((_, Instruction::Switch(switch))) => {
                    for target in switch.targets() {
                        let block = self.block_at(target)?;
                        self.after.push(block);
                    }
                    false
                }
                Some((_, Instruction::Ret { .. })) => false,
                Some((_, Instruction::Plain(opcode))) => op::falls_through(*opcode),
                _ => true,
            };
            if falls {
                // Checked only if it is reached: dead code may run off the end.
                self.after.push(number as u32 + 1);
            }
            self.blocks[number].after = (start, self.after.len() as u32);
        }
        Ok(())
    }

    /// Finds the handlers of each block.
    fn cover(&mut self, code: &Code<'c>, whole: bool) -> Result<()> {
        if !whole && code.handlers().len() == 0 {
            return Ok(());
        }
        let mut steps = 0;
        for number in 0..self.blocks.len() {
            let raw = self.blocks[number];
            let insts = &self.insts[raw.start as usize..raw.end as usize];
            let Some(pc) = insts.first().map(|first| first.0) else { continue };
            if self.covered[usize::from(pc)] <= 0 || !insts.iter().any(|(_, inst)| may_throw(inst)) {
                continue;
            }
            let start = self.catches.len();
            let mut all = false;
            for handler in code.handlers() {
                steps += 1;
                if handler.start > pc || pc >= handler.end {
                    continue;
                }
                let catch =
                    Catch { target: self.block_at(u32::from(handler.target))?, class: handler.catch_type };
                if !self.catches[start..].contains(&catch) {
                    self.catches.push(catch);
                }
                steps += self.catches.len() - start;
                if catch.class == 0 {
                    all = true;
                    break;
                }
            }
            if whole && !all {
                self.catches.push(Catch { target: self.blocks.len() as u32, class: 0 });
            }
            if steps > 16 * MOST_CATCHES || self.catches.len() > MOST_CATCHES {
                return Err(Trouble::TooComplex);
            }
            self.blocks[number].catches = (start as u32, self.catches.len() as u32);
        }
        Ok(())
    }

    pub fn after(&self, raw: &Raw) -> &[u32] {
        self.after.get(raw.after.0 as usize..raw.after.1 as usize).unwrap_or_default()
    }

    pub fn catches(&self, raw: &Raw) -> &[Catch] {
        self.catches.get(raw.catches.0 as usize..raw.catches.1 as usize).unwrap_or_default()
    }

    /// Puts what is reached into reverse postorder and counts edges.
    fn sort(&mut self) {
        let mut seen = vec![false; self.blocks.len()];
        let mut stack = vec![(0u32, 0usize)];
        if let Some(first) = seen.first_mut() {
            *first = true;
        }
        while let Some((number, next)) = stack.last_mut() {
            let raw = self.blocks[*number as usize];
            let (catches, after) = (raw.catches.1 - raw.catches.0, raw.after.1 - raw.after.0);
            // Handlers first and what follows last, so that the order reads like the code.
            let at = *next as u32;
            *next += 1;
            let to = if at < catches {
                self.catches[(raw.catches.0 + at) as usize].target
            } else if at - catches < after {
                self.after[(raw.after.0 + at - catches) as usize]
            } else {
                self.order.push(*number);
                stack.pop();
                continue;
            };
            let Some(block) = self.blocks.get_mut(to as usize) else { continue };
            block.before += 1;
            block.handles |= at < catches;
            if !std::mem::replace(&mut seen[to as usize], true) {
                stack.push((to, 0));
            }
        }
        self.order.reverse();
    }
}
