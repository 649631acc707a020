//! Where everything stands in the new code: each instruction gets its new place, and branches that no longer reach are
//! made wide until all reach. No byte is written here.

use crate::bytes::{u2_at, u4_at};
use crate::code::Code;
use crate::error::{Error, Reason, Result};
use crate::instruction::{length_at, switch_shape};
use crate::op;

/// Where a snippet goes, in the order in which the places of one instruction follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Entry,
    Fall,
    Before,
    Replace,
    Taken,
    After,
}

/// A snippet at its place; its bytes lie in the edit's store.
#[derive(Clone, Copy, Debug)]
pub(super) struct Insertion {
    pub pc: u32,
    pub place: Place,
    pub start: u32,
    pub length: u32,
    pub peak: i32,
    pub net: i32,
    pub falls: bool,
}

/// One instruction of the old code. The four places are in the new code; see the picture in `edit/mod.rs`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub pc: u32,
    pub length: u32,
    pub opcode: u8,
    pub replaced: bool,
    /// Its branch is a jump over a wide jump now: it needs more than 16 bits, or has code of its own.
    pub wide: bool,
    /// The length of the code that runs when its condition jumps.
    pub taken: u32,
    /// The end of the instruction before.
    pub edge: u32,
    /// Behind what was inserted after the instruction before.
    pub fall: u32,
    /// Where jumps to it land.
    pub label: u32,
    /// The instruction itself.
    pub real: u32,
}

pub(super) struct Layout {
    /// One for each instruction, and a last one for the end of the code.
    pub nodes: Vec<Node>,
    /// For each old pc, the first node at or behind it.
    index: Vec<u32>,
    /// Length of the new code, without what is added behind it.
    pub length: u32,
    offset: usize,
}

impl Layout {
    /// Reads the old code and takes out of `insertions` (sorted here) what can never run.
    pub fn new(code: &Code<'_>, insertions: &mut Vec<Insertion>) -> Result<Layout> {
        let (nodes, index) = nodes(code)?;
        let mut layout = Layout { nodes, index, length: 0, offset: code.offset };
        if !insertions.is_sorted_by_key(|insertion| (insertion.pc, insertion.place)) {
            insertions.sort_by_key(|insertion| (insertion.pc, insertion.place));
        }
        for insertion in insertions.iter() {
            let node = layout.number(insertion.pc)?;
            if node + 1 >= layout.nodes.len() {
                return Err(layout.refused(insertion.pc, "no instruction starts here"));
            }
            let Some(node) = layout.nodes.get_mut(node) else { continue };
            match insertion.place {
                Place::Replace => node.replaced = true,
                Place::Taken if node.replaced || op::inverted(node.opcode).is_none() => {
                    return Err(layout.refused(insertion.pc, "no condition that could jump stands here"));
                }
                Place::Taken => node.wide = true,
                _ => {}
            }
        }
        if insertions.iter().any(|insertion| matches!(insertion.place, Place::After | Place::Fall)) {
            layout.drop_what_never_runs(insertions);
        }
        Ok(layout)
    }

    fn drop_what_never_runs(&self, insertions: &mut Vec<Insertion>) {
        // Does control fall out of each instruction? Of a replaced one, out of the last replacement.
        let mut falls: Vec<bool> = self.nodes.iter().map(|node| op::falls_through(node.opcode)).collect();
        for insertion in insertions.iter().filter(|insertion| insertion.place == Place::Replace) {
            if let Some(place) = self.number(insertion.pc).ok().and_then(|node| falls.get_mut(node)) {
                *place = insertion.falls;
            }
        }
        let out_of = |node: usize| falls.get(node).copied().unwrap_or(true);
        insertions.retain(|insertion| match (insertion.place, self.number(insertion.pc)) {
            (Place::After, Ok(node)) => out_of(node),
            (Place::Fall, Ok(node)) => node == 0 || out_of(node - 1),
            _ => true,
        });
    }

    fn refused(&self, pc: u32, what: &'static str) -> Error {
        Error::refused(self.offset + pc as usize, what)
    }

    /// The number of the node that starts at this very pc (the end of the code is one too).
    pub fn number(&self, pc: u32) -> Result<usize> {
        let number = self.index.get(pc as usize).map_or(usize::MAX, |number| *number as usize);
        match self.nodes.get(number) {
            Some(node) if node.pc == pc => Ok(number),
            _ => {
                let offset = self.offset + pc as usize;
                Err(Error::malformed(offset, "something points where no instruction starts"))
            }
        }
    }

    /// The node that starts at this very pc.
    pub fn node(&self, pc: u32) -> Result<&Node> {
        let number = self.number(pc)?;
        self.nodes.get(number).ok_or_else(|| self.refused(pc, "no instruction starts here"))
    }

    /// The first node at or behind the pc: for debug tables, which some compilers let point into instructions.
    pub fn node_near(&self, pc: u32) -> Result<&Node> {
        let number = self.index.get(pc as usize).map_or(usize::MAX, |number| *number as usize);
        self.nodes.get(number).ok_or_else(|| {
            Error::malformed(self.offset + pc as usize, "a table of the code points behind its end")
        })
    }

    /// Gives everything its place; `behind` bytes are added at the end. Branches are widened until all reach.
    pub fn settle(&mut self, code: &Code<'_>, insertions: &[Insertion], behind: usize) -> Result<()> {
        // Each round widens at least one branch. A few rounds do; after those, all that are left are widened at once,
        // so that no method takes long.
        for round in 0.. {
            self.place(code.bytes, insertions);
            let total = self.length as usize + behind;
            if total > usize::from(u16::MAX) {
                return Err(Error { offset: self.offset, reason: Reason::MethodTooLarge });
            }
            if self.length <= i16::MAX as u32 || !self.widen(code.bytes, round >= 8)? {
                break;
            }
        }
        Ok(())
    }

    fn place(&mut self, code: &[u8], insertions: &[Insertion]) {
        let mut waiting = insertions.iter().peekable();
        let mut at = 0u32;
        let mut edge = 0u32;
        for node in &mut self.nodes {
            let mut inserted = |up_to: Place, from: u32| {
                let mut at = from;
                while let Some(next) = waiting.next_if(|next| next.pc == node.pc && next.place <= up_to) {
                    at = at.saturating_add(next.length);
                }
                at
            };
            node.edge = edge;
            at = inserted(Place::Entry, at);
            node.fall = at;
            at = inserted(Place::Fall, at);
            node.label = at;
            at = inserted(Place::Before, at);
            node.real = at;
            if node.replaced {
                // Nothing at all would leave handlers and frames without ground: then there is a `nop`.
                at = inserted(Place::Replace, at).max(at + 1);
            } else {
                node.taken = inserted(Place::Taken, 0);
                at = at.saturating_add(new_length(code, node));
            }
            edge = at;
            at = inserted(Place::After, at);
        }
        self.length = at;
    }

    /// Marks the branches that do not reach; says whether there were any.
    fn widen(&mut self, code: &[u8], all: bool) -> Result<bool> {
        let mut any = false;
        for number in 0..self.nodes.len() {
            let Some(&node) = self.nodes.get(number) else { break };
            if node.wide || node.replaced || !op::is_short_branch(node.opcode) {
                continue;
            }
            let target = self.node(branch_target(code, node.pc, self.offset)?)?;
            let distance = i64::from(target.label) - i64::from(node.real);
            if (all || i16::try_from(distance).is_err())
                && let Some(node) = self.nodes.get_mut(number)
            {
                node.wide = true;
                any = true;
            }
        }
        Ok(any)
    }
}

/// Where the branch at `pc` (of any width) goes in the old code.
pub(super) fn branch_target(code: &[u8], pc: u32, offset: usize) -> Result<u32> {
    let at = pc as usize;
    let by = match code.get(at) {
        Some(&(op::GOTO_W | op::JSR_W)) => i64::from(u4_at(code, at + 1).unwrap_or_default() as i32),
        _ => i64::from(u2_at(code, at + 1).unwrap_or_default() as i16),
    };
    u32::try_from(i64::from(pc) + by)
        .ok()
        .filter(|target| (*target as usize) < code.len())
        .ok_or_else(|| Error::malformed(offset + at, "a branch leaves the code"))
}

/// How long the instruction is at its new place.
fn new_length(code: &[u8], node: &Node) -> u32 {
    match node.opcode {
        op::TABLESWITCH | op::LOOKUPSWITCH => {
            let padding = |at: u32| 3 - at % 4;
            node.length - padding(node.pc) + padding(node.real)
        }
        op::GOTO | op::JSR if node.wide => 5,
        _ if node.wide => node.taken.saturating_add(8),
        _ if (node.pc as usize) < code.len() => node.length,
        _ => 0,
    }
}

fn nodes(code: &Code<'_>) -> Result<(Vec<Node>, Vec<u32>)> {
    let bytes = code.bytes;
    let mut nodes = Vec::with_capacity(bytes.len() / 2 + 2);
    let mut index = Vec::with_capacity(bytes.len() + 1);
    let mut pc = 0;
    loop {
        let number = nodes.len() as u32;
        index.resize(pc + 1, number);
        let mut node = Node {
            pc: pc as u32,
            length: 0,
            opcode: op::NOP,
            replaced: false,
            wide: false,
            taken: 0,
            edge: 0,
            fall: 0,
            label: 0,
            real: 0,
        };
        let Some(&opcode) = bytes.get(pc) else {
            nodes.push(node);
            return Ok((nodes, index));
        };
        let Some(length) = length_at(bytes, pc) else {
            return Err(Error::malformed(code.offset + pc, "an instruction is malformed"));
        };
        node.opcode = opcode;
        node.length = length as u32;
        nodes.push(node);
        pc += length;
    }
}

/// Are the instruction's bytes the same wherever it stands?
pub(super) fn is_copied(node: &Node) -> bool {
    !node.replaced
        && !matches!(node.opcode, op::TABLESWITCH | op::LOOKUPSWITCH | op::GOTO_W | op::JSR_W)
        && !op::is_short_branch(node.opcode)
}

/// Writes the instruction of `node`, one that is not merely copied, at its new place. `taken` runs when its condition
/// jumps.
pub(super) fn emit(out: &mut Vec<u8>, code: &[u8], layout: &Layout, node: &Node, taken: &[u8]) -> Result<()> {
    let offset = layout.offset;
    let pc = node.pc as usize;
    match node.opcode {
        opcode if op::is_short_branch(opcode) || matches!(opcode, op::GOTO_W | op::JSR_W) => {
            let target = layout.node(branch_target(code, node.pc, offset)?)?.label;
            let by = i64::from(target) - i64::from(node.real);
            match (node.wide, opcode) {
                (_, op::GOTO_W | op::JSR_W) => {
                    out.push(opcode);
                    out.extend_from_slice(&(by as i32).to_be_bytes());
                }
                (false, _) => {
                    out.push(opcode);
                    let by = i16::try_from(by)
                        .map_err(|_| Error { offset: offset + pc, reason: Reason::MethodTooLarge })?;
                    out.extend_from_slice(&by.to_be_bytes());
                }
                (true, op::GOTO | op::JSR) => {
                    out.push(if opcode == op::GOTO { op::GOTO_W } else { op::JSR_W });
                    out.extend_from_slice(&(by as i32).to_be_bytes());
                }
                (true, _) => {
                    // The opposite condition jumps over a wide jump.
                    let over = i16::try_from(taken.len() + 8)
                        .map_err(|_| Error { offset: offset + pc, reason: Reason::MethodTooLarge })?;
                    out.push(op::inverted(opcode).unwrap_or(opcode));
                    out.extend_from_slice(&over.to_be_bytes());
                    out.extend_from_slice(taken);
                    out.push(op::GOTO_W);
                    out.extend_from_slice(&((by - 3 - taken.len() as i64) as i32).to_be_bytes());
                }
            }
        }
        _ => emit_switch(out, code, layout, node)?,
    }
    Ok(())
}

fn emit_switch(out: &mut Vec<u8>, code: &[u8], layout: &Layout, node: &Node) -> Result<()> {
    let pc = node.pc as usize;
    let broken = || Error::malformed(layout.offset + pc, "a switch is malformed");
    let (words, size) = switch_shape(code, pc, node.opcode).ok_or_else(broken)?;
    out.push(node.opcode);
    out.resize(out.len() + (3 - node.real as usize % 4), 0);
    let jump = |out: &mut Vec<u8>, at: usize| -> Result<()> {
        let by = i64::from(u4_at(code, at).ok_or_else(broken)? as i32);
        let target = u32::try_from(i64::from(node.pc) + by)
            .ok()
            .filter(|target| (*target as usize) < code.len())
            .ok_or_else(|| Error::malformed(layout.offset + pc, "a branch leaves the code"))?;
        let by = i64::from(layout.node(target)?.label) - i64::from(node.real);
        out.extend_from_slice(&(by as i32).to_be_bytes());
        Ok(())
    };
    let copy = |out: &mut Vec<u8>, from: usize, to: usize| -> Result<()> {
        out.extend_from_slice(code.get(from..to).ok_or_else(broken)?);
        Ok(())
    };
    jump(out, words)?;
    if node.opcode == op::TABLESWITCH {
        copy(out, words + 4, words + 12)?;
        for case in 0..size / 4 {
            jump(out, words + 12 + 4 * case)?;
        }
    } else {
        copy(out, words + 4, words + 8)?;
        for case in 0..size / 8 {
            let at = words + 8 + 8 * case;
            copy(out, at, at + 4)?;
            jump(out, at + 4)?;
        }
    }
    Ok(())
}
