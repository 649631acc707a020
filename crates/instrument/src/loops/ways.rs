//! Where a loop is entered and left, and how far the last iteration has come then: by a condition, by a switch, by an
//! exception. And what its head reads on every way.

use classfile::{Instruction, Kind as Moves, op};

use super::plan::{Done, Field, Look, Ranged, Spot};
use crate::blocks::{Edge, Way};

impl Look<'_, '_> {
    /// Finds the reads of final fields of `this`: `aload_0` and `getfield`, as compilers write it.
    pub fn final_reads(&self, ranged: &mut Ranged) {
        let reads = |block: usize| {
            let this = Instruction::Load { kind: Moves::Reference, local: 0 };
            let steps = self.steps(block).zip(self.steps(block).skip(1));
            steps.filter_map(move |((_, _, before), (step, pc, instruction))| match *instruction {
                Instruction::Field { opcode: op::GETFIELD, member }
                    if *before == this && (self.about.field)(member) == Field::Final =>
                {
                    Some((step, pc, member))
                }
                _ => None,
            })
        };
        if !self.about.has_this {
            return;
        }
        let known: Vec<(usize, u32, u16)> = reads(self.of.header).collect();
        let throws = |step: usize, instruction: &Instruction<'_>| {
            may_throw(instruction) && !known.iter().any(|(read, ..)| *read == step)
        };
        let mut steps = self.steps(self.of.header);
        let until = steps.find(|(step, _, instruction)| throws(*step, instruction)).map(|(step, ..)| step);
        for (_, pc, member) in known.iter().filter(|(step, ..)| until.is_none_or(|until| *step < until)) {
            if !ranged.head_reads.iter().any(|(_, other)| other == member) {
                ranged.head_reads.push((*pc, *member));
            }
        }
        for (_, pc, member) in self.of.blocks.iter().flat_map(|block| reads(*block)) {
            let mut head = ranged.head_reads.iter();
            if head.any(|(other, of)| *of == member && *other != pc) {
                ranged.further_reads.push(pc);
            }
        }
    }

    /// Where the loop is entered; `None` if there is an edge on which no code can stand.
    pub fn entries(&self) -> Option<Vec<Spot>> {
        let header = self.graph.blocks.get(self.of.header)?;
        let mut spots = Vec::new();
        if self.of.header == 0 {
            spots.push(Spot::Fall(0));
        }
        for edge in &header.into {
            if self.of.has(edge.from) || self.graph.place(edge.from) == usize::MAX {
                continue;
            }
            spots.push(match edge.way {
                Way::Fall => Spot::Fall(header.start),
                Way::Taken => Spot::Taken(self.graph.last(edge.from)?.0),
                Way::Goto => Spot::Before(self.graph.last(edge.from)?.0),
                Way::Switch | Way::Thrown => return None,
            });
        }
        Some(spots)
    }

    /// Where the loop is left but for exceptions, and how many deeds are done then.
    pub fn exits(&self, deeds: &[Done]) -> Option<Vec<(Spot, usize)>> {
        let mut spots: Vec<(Spot, usize)> = Vec::new();
        for from in &self.of.blocks {
            let block = self.graph.blocks.get(*from)?;
            for edge in block.out.iter().filter(|edge| edge.way != Way::Thrown && !self.of.has(edge.to)) {
                let done = deeds.iter().filter(|deed| self.is_done(**deed, *from, block.behind)).count();
                let spot = match edge.way {
                    Way::Fall => Spot::Fall(block.end),
                    Way::Taken => Spot::Taken(self.graph.last(*from)?.0),
                    // At the target, if nobody else comes there.
                    _ => {
                        let target = self.graph.blocks.get(edge.to)?;
                        let alone = |edge: &Edge| edge.way == Way::Switch && self.of.has(edge.from);
                        if edge.to == 0 || !target.into.iter().all(alone) {
                            return None;
                        }
                        Spot::Before(target.start)
                    }
                };
                match spots.iter().find(|(known, _)| *known == spot) {
                    Some((_, known)) if *known != done => return None,
                    Some(_) => {}
                    None => spots.push((spot, done)),
                }
            }
        }
        Some(spots)
    }

    /// Where something may be thrown.
    pub fn thrown(&self, deeds: &[Done]) -> Vec<(usize, u32, u32)> {
        let mut found: Vec<(usize, u32, u32)> = Vec::new();
        let mut now: Option<((usize, u32, u32), bool)> = None;
        let mut blocks = self.of.blocks.clone();
        blocks.sort_unstable();
        for block in blocks {
            for (step, pc, instruction) in self.steps(block) {
                let end = self.graph.steps.get(step + 1).map(|(pc, _)| *pc);
                let end = end.unwrap_or_else(|| self.graph.blocks.get(block).map_or(pc, |block| block.end));
                let done = deeds.iter().filter(|deed| self.is_done(**deed, block, step)).count();
                match &mut now {
                    Some(((known, _, until), throws)) if *known == done && *until == pc => {
                        *until = end;
                        *throws |= may_throw(instruction);
                    }
                    _ => {
                        found.extend(now.filter(|(_, throws)| *throws).map(|(range, _)| range));
                        now = Some(((done, pc, end), may_throw(instruction)));
                    }
                }
            }
        }
        found.extend(now.filter(|(_, throws)| *throws).map(|(range, _)| range));
        found
    }
}

/// May an instruction of a quiet loop throw?
fn may_throw(instruction: &Instruction<'_>) -> bool {
    match instruction {
        Instruction::Plain(opcode) => matches!(
            *opcode,
            op::IALOAD..=op::SALOAD
                | op::IASTORE..=op::SASTORE
                | op::ARRAYLENGTH
                | op::IDIV
                | op::LDIV
                | op::IREM
                | op::LREM
        ),
        Instruction::Field { .. } | Instruction::Invoke { .. } | Instruction::Constant(_) => true,
        _ => false,
    }
}
