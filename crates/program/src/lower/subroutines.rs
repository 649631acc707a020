//! Subroutines (`jsr` and `ret`), as compilers made them for `finally` until about 2003: each call gets blocks of its own,
//! copies of the subroutine's that lead back to where it was called. Copies share their instructions, and all have the
//! same pcs.
//!
//! Which call a `ret` goes back to is told by the local that holds the address, which every compiler stores first thing in
//! the subroutine. Code that keeps the address elsewhere, or that would grow too large, is refused. A subroutine that is
//! left by a jump or an exception is forgotten where no `ret` can follow that needs its address.

use classfile::{Instruction, op};
use rustc_hash::FxHashMap;

use super::blocks::{Blocks, Catch, Raw};
use super::{Result, Trouble};

/// How many instructions all blocks with their copies may have, and how many blocks there may be.
const MOST_INSTS: usize = 1 << 18;
const MOST_BLOCKS: usize = 1 << 16;
/// Blocks, times locals with addresses in them.
const MOST_LIVE: usize = 1 << 22;

/// A call that has not come back: the subroutine's first block, the block to go back to, the local with the address.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Call {
    target: u32,
    back: u32,
    local: u16,
}

/// Makes the copies. Blocks are cut and led already; a `jsr` leads to its subroutine and to the block behind it.
pub fn inline(blocks: &mut Blocks<'_>) -> Result<()> {
    let mut copies = Copies {
        needed: needed(blocks)?,
        numbers: FxHashMap::default(),
        work: Vec::new(),
        insts: 0,
        old: blocks,
    };
    copies.number(0, Vec::new())?;
    let (mut made, mut after, mut catches) = (Vec::new(), Vec::new(), Vec::new());
    // The handler that a synchronized method implies comes after the last block.
    let (implied, last) = (copies.old.blocks.len() as u32, u32::MAX);
    while let Some((number, calls)) = copies.work.get(made.len()).cloned() {
        let raw = copies.old.blocks.get(number as usize).copied().unwrap_or_default();
        let first = (after.len() as u32, catches.len() as u32);
        for (to, calls) in copies.leads(&raw, &calls)? {
            after.push(copies.number(to, calls)?);
        }
        for index in raw.catches.0..raw.catches.1 {
            let Some(catch) = copies.old.catches.get(index as usize).copied() else { continue };
            let target = match catch.target == implied {
                true => last,
                false => copies.number(catch.target, calls.clone())?,
            };
            catches.push(Catch { target, class: catch.class });
        }
        made.push(Raw {
            after: (first.0, after.len() as u32),
            catches: (first.1, catches.len() as u32),
            ..raw
        });
    }
    for catch in catches.iter_mut().filter(|catch| catch.target == last) {
        catch.target = made.len() as u32;
    }
    blocks.blocks = made;
    blocks.after = after;
    blocks.catches = catches;
    Ok(())
}

struct Copies<'a, 'c> {
    old: &'a Blocks<'c>,
    /// By local with an address: the blocks from which a `ret` may need it.
    needed: FxHashMap<u16, Vec<bool>>,
    /// By block and calls: the copy.
    numbers: FxHashMap<(u32, Vec<Call>), u32>,
    /// The copies so far.
    work: Vec<(u32, Vec<Call>)>,
    insts: usize,
}

impl Copies<'_, '_> {
    /// The copy of a block within some calls.
    fn number(&mut self, block: u32, mut calls: Vec<Call>) -> Result<u32> {
        // In its first block the address may still be on the stack.
        let needed = |call: &Call| {
            let at = self.needed.get(&call.local).and_then(|at| at.get(block as usize));
            call.target == block || at.copied().unwrap_or_default()
        };
        calls.retain(|call| needed(call));
        let key = (block, calls);
        if let Some(known) = self.numbers.get(&key) {
            return Ok(*known);
        }
        let number = self.work.len() as u32;
        if let Some(raw) = self.old.blocks.get(block as usize) {
            self.insts += (raw.end - raw.start) as usize;
        }
        if self.insts > MOST_INSTS || self.work.len() >= MOST_BLOCKS {
            return Err(Trouble::Subroutine);
        }
        self.work.push(key.clone());
        self.numbers.insert(key, number);
        Ok(number)
    }

    /// Where a block leads to, and within which calls.
    fn leads(&self, raw: &Raw, calls: &[Call]) -> Result<Vec<(u32, Vec<Call>)>> {
        let after = self.old.after(raw);
        match last(self.old, raw) {
            Some(Instruction::Ret { local }) => {
                let at = calls.iter().rposition(|call| call.local == local).ok_or(Trouble::Subroutine)?;
                let back = calls.get(at).map(|call| call.back).ok_or(Trouble::Subroutine)?;
                Ok(vec![(back, calls.get(..at).unwrap_or_default().to_vec())])
            }
            Some(Instruction::Branch { opcode: op::JSR, .. }) => {
                let [target, back] = *after else { return Err(Trouble::Subroutine) };
                let mut calls = calls.to_vec();
                if let Some(local) = address(self.old, target) {
                    // An earlier address in the same place is lost, and whoever enters it again has left it.
                    calls.retain(|call| call.target != target && call.local != local);
                    calls.push(Call { target, back, local });
                }
                Ok(vec![(target, calls)])
            }
            _ => Ok(after.iter().map(|to| (*to, calls.to_vec())).collect()),
        }
    }
}

fn last<'c>(blocks: &Blocks<'c>, raw: &Raw) -> Option<Instruction<'c>> {
    let last = raw.end.checked_sub(1).filter(|last| *last >= raw.start)?;
    blocks.insts.get(last as usize).map(|last| last.1)
}

/// The local in which a subroutine keeps its address; none if it drops the address or does not look at it.
fn address(blocks: &Blocks<'_>, target: u32) -> Option<u16> {
    let raw = blocks.blocks.get(target as usize)?;
    match blocks.insts.get(raw.start as usize)?.1 {
        Instruction::Store { local, .. } => Some(local),
        _ => None,
    }
}

/// By local that a `ret` uses: from which blocks on its address may be needed.
fn needed(blocks: &Blocks<'_>) -> Result<FxHashMap<u16, Vec<bool>>> {
    let mut ends: FxHashMap<u16, Vec<u32>> = FxHashMap::default();
    let mut backs: FxHashMap<u16, Vec<u32>> = FxHashMap::default();
    for (number, raw) in (0u32..).zip(&blocks.blocks) {
        match last(blocks, raw) {
            Some(Instruction::Ret { local }) => ends.entry(local).or_default().push(number),
            Some(Instruction::Branch { opcode: op::JSR, .. }) => {
                if let [target, back] = *blocks.after(raw)
                    && let Some(local) = address(blocks, target)
                {
                    backs.entry(local).or_default().push(back);
                }
            }
            _ => {}
        }
    }
    if ends.len().saturating_mul(blocks.blocks.len()) > MOST_LIVE {
        return Err(Trouble::Subroutine);
    }
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); blocks.blocks.len()];
    let mut steps = 0;
    for (number, raw) in (0u32..).zip(&blocks.blocks) {
        let returns = match last(blocks, raw) {
            Some(Instruction::Ret { local }) => backs.get(&local).map(Vec::as_slice).unwrap_or_default(),
            _ => &[],
        };
        let caught = blocks.catches(raw).iter().map(|catch| catch.target);
        for to in blocks.after(raw).iter().chain(returns).copied().chain(caught) {
            steps += 1;
            if let Some(list) = before.get_mut(to as usize) {
                list.push(number);
            }
        }
        if steps > MOST_LIVE {
            return Err(Trouble::Subroutine);
        }
    }
    if ends.len().saturating_mul(steps) > 4 * MOST_LIVE {
        return Err(Trouble::Subroutine);
    }
    let mut found = FxHashMap::default();
    for (local, mut work) in ends {
        let mut at = vec![false; blocks.blocks.len()];
        while let Some(number) = work.pop() {
            let Some(raw) = blocks.blocks.get(number as usize) else { continue };
            let insts = blocks.insts.get(raw.start as usize..raw.end as usize).unwrap_or_default();
            let stores =
                |inst: &Instruction<'_>| matches!(inst, Instruction::Store { local: to, .. } if *to == local);
            if at.get(number as usize) == Some(&false) && !insts.iter().any(|(_, inst)| stores(inst)) {
                if let Some(place) = at.get_mut(number as usize) {
                    *place = true;
                }
                work.extend(before.get(number as usize).into_iter().flatten());
            }
        }
        found.insert(local, at);
    }
    Ok(found)
}
