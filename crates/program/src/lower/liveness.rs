//! Which locals may still be read where a block starts. Only locals that are written more than once are asked for: all
//! others have one value wherever they may be read.

use classfile::Instruction;

use super::blocks::{Blocks, Raw};
use super::{Result, Trouble};

/// How many words may be looked at for one method.
const MOST_STEPS: usize = 1 << 26;

/// The locals that need parameters, and where they are live.
#[derive(Default)]
pub struct Liveness {
    /// By local: its number among those that need parameters, plus one; or 0.
    numbers: Vec<u16>,
    /// The locals that need parameters.
    pub locals: Vec<u16>,
    /// Words for a block.
    width: usize,
    live: Vec<u64>,
    defined: Vec<u64>,
    writes: Vec<u8>,
}

impl Liveness {
    /// Finds them. `given` are the slots that the method starts with; `careful` takes all locals as written often.
    pub fn find(&mut self, blocks: &Blocks<'_>, locals: u16, given: &[u16], careful: bool) -> Result<()> {
        self.writes.clear();
        self.writes.resize(usize::from(locals), if careful { 2 } else { 0 });
        for slot in given {
            self.wrote(*slot);
        }
        for (_, instruction) in &blocks.insts {
            if let Instruction::Store { local, .. } | Instruction::Increment { local, .. } = instruction {
                self.wrote(*local);
            }
        }
        self.numbers.clear();
        self.numbers.resize(usize::from(locals), 0);
        self.locals.clear();
        for (local, writes) in (0..=u16::MAX).zip(&self.writes) {
            if *writes > 1 {
                self.locals.push(local);
                self.numbers[usize::from(local)] = self.locals.len() as u16;
            }
        }
        self.width = self.locals.len().div_ceil(64);
        if self.width > 0 { self.spread(blocks) } else { Ok(()) }
    }

    fn wrote(&mut self, local: u16) {
        if let Some(writes) = self.writes.get_mut(usize::from(local)) {
            *writes = writes.saturating_add(1);
        }
    }

    fn number(&self, local: u16) -> Option<usize> {
        self.numbers.get(usize::from(local)).filter(|number| **number > 0).map(|n| usize::from(*n) - 1)
    }

    /// Is the local one of those that need parameters?
    pub fn is_asked(&self, local: u16) -> bool {
        self.number(local).is_some()
    }

    /// Marks what the block reads before it writes it, and what it writes.
    fn scan(&mut self, blocks: &Blocks<'_>, number: usize, raw: &Raw) {
        let base = number * self.width;
        for (_, instruction) in blocks.insts.get(raw.start as usize..raw.end as usize).unwrap_or_default() {
            let (local, reads, writes) = match instruction {
                Instruction::Load { local, .. } => (*local, true, false),
                Instruction::Store { local, .. } => (*local, false, true),
                Instruction::Increment { local, .. } => (*local, true, true),
                _ => continue,
            };
            let Some(found) = self.number(local) else { continue };
            let (word, bit) = (base + found / 64, 1u64 << (found % 64));
            if reads && self.defined[word] & bit == 0 {
                self.live[word] |= bit;
            }
            if writes {
                self.defined[word] |= bit;
            }
        }
    }

    fn spread(&mut self, blocks: &Blocks<'_>) -> Result<()> {
        let size = blocks.blocks.len() * self.width;
        let mut steps = size;
        if steps > MOST_STEPS {
            return Err(Trouble::TooComplex);
        }
        for words in [&mut self.live, &mut self.defined] {
            words.clear();
            words.resize(size, 0);
        }
        for number in &blocks.order {
            let raw = blocks.blocks[*number as usize];
            self.scan(blocks, *number as usize, &raw);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for number in blocks.order.iter().rev() {
                let raw = &blocks.blocks[*number as usize];
                let catches = blocks.catches(raw).iter().map(|catch| catch.target);
                for to in blocks.after(raw).iter().copied().chain(catches) {
                    if to as usize >= blocks.blocks.len() {
                        continue;
                    }
                    steps += self.width;
                    for word in 0..self.width {
                        let into = *number as usize * self.width + word;
                        let more = self.live[to as usize * self.width + word] & !self.defined[into];
                        if more & !self.live[into] != 0 {
                            self.live[into] |= more;
                            changed = true;
                        }
                    }
                }
            }
            if steps > MOST_STEPS {
                return Err(Trouble::TooComplex);
            }
        }
        Ok(())
    }

    /// The locals that need a parameter where the block starts.
    pub fn at(&self, block: u32) -> impl Iterator<Item = u16> {
        let base = block as usize * self.width;
        let words = self.live.get(base..base + self.width).unwrap_or_default();
        words.iter().enumerate().flat_map(move |(word, bits)| {
            let mut rest = *bits;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                rest = rest.checked_sub(1).map(|less| rest & less)?;
                Some(word * 64 + bit as usize)
            })
            .filter_map(|number| self.locals.get(number).copied())
        })
    }
}
