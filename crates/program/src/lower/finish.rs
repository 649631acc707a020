//! The draft of a body to the body: parameters that hold one value go, registers and blocks are numbered in order.
//! (Braun and others: Simple and efficient construction of static single assignment form, section 3.1.)

use super::build::Draft;
use super::{Result, Trouble};
use crate::ir::{Block, BlockId, Body, Edge, List, Op, Reg};

const NONE: u32 = u32::MAX;
/// Several values, or a value of its own: the parameter stays.
const MANY: u32 = u32::MAX - 2;

/// More rounds than any loop nest needs; after them some parameters stay that could go, which is no error.
const MOST_ROUNDS: u32 = 64;

/// What a register stands for, with paths made short.
fn value_of(same: &mut [u32], reg: Reg) -> Reg {
    if !reg.is_some() {
        return reg;
    }
    let mut at = reg.0;
    while let Some(next) = same.get(at as usize).copied().filter(|next| *next != NONE) {
        if let Some(after) = same.get(next as usize).copied().filter(|after| *after != NONE)
            && let Some(place) = same.get_mut(at as usize)
        {
            *place = after;
        }
        at = next;
    }
    Reg(at)
}

/// Finds the parameters that hold one value: for each register the one it stands for.
fn find_same(draft: &Draft, numbers: &[u32]) -> Vec<u32> {
    let mut same = vec![NONE; draft.kinds.len()];
    if draft.arguments.is_empty() {
        return same;
    }
    let mut only = vec![NONE; draft.kinds.len()];
    for _ in 0..MOST_ROUNDS {
        let mut changed = false;
        for edge in &draft.edges {
            let Some(target) = block_of(draft, numbers, edge.target) else { continue };
            let start = edge.arguments as usize;
            let given = draft.arguments.get(start..start + edge.count as usize).unwrap_or_default();
            for (param, argument) in (target.params.0..).zip(given) {
                if same[param as usize] != NONE {
                    continue;
                }
                let value = value_of(&mut same, *argument);
                let place = &mut only[param as usize];
                if value.0 == param || *place == value.0 {
                    continue;
                }
                *place = if *place == NONE && value.is_some() { value.0 } else { MANY };
            }
        }
        for block in &draft.blocks {
            for param in block.params.0..block.params.0 + block.params.1 {
                let value = std::mem::replace(&mut only[param as usize], NONE);
                if value == NONE || value == MANY || same[param as usize] != NONE {
                    continue;
                }
                // Two parameters may have found each other; only one of them can go.
                let value = value_of(&mut same, Reg(value));
                if value.0 != param {
                    same[param as usize] = value.0;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    same
}

fn block_of<'d>(draft: &'d Draft, numbers: &[u32], raw: u32) -> Option<&'d super::build::DraftBlock> {
    draft.blocks.get(numbers.get(raw as usize).copied()? as usize)
}

/// Makes the body.
pub fn finish(draft: &mut Draft) -> Result<Body> {
    let most = draft.blocks.iter().map(|block| block.raw).filter(|raw| *raw != NONE).max();
    // The draft's number of each block of the bytecode.
    let mut numbers = vec![NONE; most.map_or(0, |most| most as usize + 1)];
    for (number, block) in (0u32..).zip(&draft.blocks) {
        if let Some(place) = numbers.get_mut(block.raw as usize) {
            *place = number;
        }
    }
    let mut same = find_same(draft, &numbers);
    let mut body = Body {
        kinds: Vec::with_capacity(draft.kinds.len()),
        blocks: Vec::with_capacity(draft.blocks.len()),
        insts: Vec::with_capacity(draft.insts.len()),
        edges: Vec::with_capacity(draft.edges.len()),
        regs: Vec::with_capacity(draft.lists.len() + draft.arguments.len()),
        keys: std::mem::take(&mut draft.keys),
    };
    // The new number of each register, in the order of definitions.
    let mut renamed = vec![NONE; draft.kinds.len()];
    for block in &draft.blocks {
        let params = (block.params.0..block.params.0 + block.params.1).filter(|p| same[*p as usize] == NONE);
        let results = draft.insts[block.insts.0 as usize..block.insts.1 as usize].iter();
        let results = results.map(|inst| inst.result).filter(|reg| *reg != Reg::NONE);
        for reg in params.map(Reg).chain(results) {
            renamed[reg.index()] = body.kinds.len() as u32;
            body.kinds.push(draft.kinds[reg.index()]);
        }
    }
    let mut lost = false;
    let mut rename = |reg: Reg| match value_of(&mut same, reg) {
        Reg::CAUGHT => Reg::CAUGHT,
        found => {
            let number = renamed.get(found.index()).copied().unwrap_or(NONE);
            lost |= number == NONE;
            Reg(number)
        }
    };
    let mut kept = Vec::new();
    for block in &draft.blocks {
        let start = body.regs.len() as u32;
        for param in block.params.0..block.params.0 + block.params.1 {
            if renamed[param as usize] != NONE {
                body.regs.push(Reg(renamed[param as usize]));
            }
        }
        let params = List { start, count: body.regs.len() as u32 - start };
        let first = body.insts.len() as u32;
        for inst in &draft.insts[block.insts.0 as usize..block.insts.1 as usize] {
            let mut inst = *inst;
            if inst.result != Reg::NONE {
                inst.result = rename(inst.result);
            }
            inst.op.map(&mut rename);
            if let Op::NewArrays { lengths: list, .. }
            | Op::Call { arguments: list, .. }
            | Op::Closure { captured: list, .. }
            | Op::Concat { values: list, .. }
            | Op::Dynamic { arguments: list, .. } = &mut inst.op
            {
                let from = draft.lists.get(list.range()).unwrap_or_default();
                list.start = body.regs.len() as u32;
                body.regs.extend(from.iter().map(|reg| rename(*reg)));
            }
            body.insts.push(inst);
        }
        let insts = List { start: first, count: body.insts.len() as u32 - first };
        let edges = body.edges.len() as u32;
        for number in block.edges.0..block.catches.1 {
            let edge = draft.edges[number as usize];
            let Some(target) = block_of(draft, &numbers, edge.target) else {
                return Err(Trouble::Malformed("an edge leads to code that is not reached"));
            };
            let start = edge.arguments as usize;
            let given = draft.arguments.get(start..start + edge.count as usize).unwrap_or_default();
            kept.clear();
            for (param, argument) in (target.params.0..).zip(given) {
                if renamed[param as usize] != NONE {
                    kept.push(rename(*argument));
                }
            }
            let arguments = body.add_list(&kept);
            let target = BlockId(numbers.get(edge.target as usize).copied().unwrap_or_default());
            body.edges.push(Edge { target, arguments, caught: edge.caught });
        }
        let normal = block.edges.1 - block.edges.0;
        let catches = List { start: edges + normal, count: body.edges.len() as u32 - edges - normal };
        body.blocks.push(Block { params, insts, edges: List { start: edges, count: normal }, catches });
    }
    if lost {
        return Err(Trouble::Malformed("a value is used where none was made"));
    }
    Ok(body)
}
