//! Which loops of a method are told as ranges, and what is known of them. Nothing is inserted here.

use classfile::{Code, Constant, Instruction, Kind as Moves, Pool, Result, op};

use super::values::{Base, Stack, Value};
use crate::blocks::{Graph, Loop, Way};

/// Accesses that are told as ranges in one loop at most: each needs code wherever the loop is left.
const MOST_ACCESSES: usize = 16;
/// Increments that a loop may have: each is looked at with each other.
const MOST_INCREMENTS: usize = 100;
/// The longest code that is looked at. The JVM does not compile methods of more than 8000 bytes, and ranges add some.
const LONGEST: usize = 5000;

/// A field that an instruction in a loop names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// One that may be volatile.
    Other,
    /// An instance field of the class itself that is not volatile.
    Plain,
    /// Such a one that is final.
    Final,
}

/// What is known of the method beside its code.
pub(super) struct About<'w> {
    pub pool: &'w Pool<'w>,
    /// Is local 0 `this` in all of the method, and its constructor over?
    pub has_this: bool,
    /// Is the access at a pc one of which nothing is told at all?
    pub untold: &'w dyn Fn(u32) -> bool,
    pub field: &'w dyn Fn(u16) -> Field,
}

/// An int local that goes up or down by the same in each iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counter {
    pub local: u16,
    /// Never 0.
    pub step: i32,
}

/// An array access that every iteration does once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub pc: u32,
    pub opcode: u8,
    pub array: Base,
    /// Which of the loop's counters, and what is added to its value at the start of the iteration.
    pub counter: usize,
    pub more: i32,
}

/// What each iteration does once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    Access(usize),
    Increment(usize),
}

/// Where code is inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    Before(u32),
    Fall(u32),
    Taken(u32),
}

/// A loop that is told as ranges.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ranged {
    pub counters: Vec<Counter>,
    pub accesses: Vec<Access>,
    /// In the order in which an iteration does them.
    pub deeds: Vec<Deed>,
    /// Where it is entered.
    pub entries: Vec<Spot>,
    /// Where it is left, and how many of the deeds the last iteration has done then.
    pub exits: Vec<(Spot, usize)>,
    /// Where something may be thrown: how many deeds are done, and the pcs from and until.
    pub thrown: Vec<(usize, u32, u32)>,
    /// Its first pc.
    pub start: u32,
    /// Final fields of `this` that its head reads before anything can be thrown: pcs and constants.
    pub head_reads: Vec<(u32, u16)>,
    /// Where else in the loop these are read.
    pub further_reads: Vec<u32>,
}

/// A deed and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Done {
    pub block: usize,
    pub step: usize,
}

/// Can there be a loop worth looking at? Quickly, since most methods have none.
fn is_worth_it(code: &Code<'_>) -> Result<bool> {
    // Looking for a byte is much faster than reading instructions; wide increments are rare enough to be left out.
    if code.bytes.len() > LONGEST || !code.bytes.contains(&op::IINC) {
        return Ok(false);
    }
    let (mut accesses, mut increments) = (None, None);
    for step in code.opcodes() {
        let (pc, opcode) = step?;
        match opcode {
            op::IALOAD..=op::SALOAD | op::IASTORE..=op::SASTORE => accesses = Some(pc),
            op::IINC => increments = Some(pc),
            op::IFEQ..=op::GOTO | op::IFNULL | op::IFNONNULL | op::GOTO_W => {
                // Both behind the target of a jump back.
                if let (Some(access), Some(increment)) = (accesses, increments)
                    && let (Instruction::Branch { target, .. }, _) = code.instruction_at(pc)?
                    && target <= access.min(increment)
                {
                    return Ok(true);
                }
            }
            _ => {}
        }
    }
    Ok(false)
}

/// The loops of a method that are told as ranges. No two have a block in common.
pub(super) fn find(code: &Code<'_>, about: &About<'_>) -> Result<Vec<Ranged>> {
    let mut found = Vec::new();
    if !is_worth_it(code)? {
        return Ok(found);
    }
    let Some(graph) = Graph::new(code)? else { return Ok(found) };
    let Some(loops) = graph.loops() else { return Ok(found) };
    let mut taken: Vec<usize> = Vec::new();
    for (number, of) in loops.iter().enumerate() {
        if taken.iter().any(|header| of.has(*header)) {
            continue;
        }
        let inner: Vec<&Loop> = loops.iter().take(number).filter(|other| of.has(other.header)).collect();
        let mut look = Look { graph: &graph, of, inner: &inner, about, stored: Vec::new() };
        if let Some(ranged) = look.ranged() {
            taken.push(of.header);
            found.push(ranged);
        }
    }
    Ok(found)
}

/// A look at one loop.
pub(super) struct Look<'l, 'c> {
    pub graph: &'l Graph<'c>,
    pub of: &'l Loop,
    inner: &'l [&'l Loop],
    pub about: &'l About<'l>,
    /// The locals that the loop stores to, ascending.
    stored: Vec<u16>,
}

impl<'c> Look<'_, 'c> {
    /// The instructions of a block with their numbers.
    pub fn steps(&self, block: usize) -> impl Iterator<Item = (usize, u32, &Instruction<'c>)> {
        let (first, behind) =
            self.graph.blocks.get(block).map_or((0, 0), |block| (block.first, block.behind));
        let steps = self.graph.steps.get(first..behind).unwrap_or_default();
        (first..).zip(steps).map(|(number, (pc, instruction))| (number, *pc, instruction))
    }

    fn ranged(&mut self) -> Option<Ranged> {
        if !self.is_quiet() {
            return None;
        }
        self.stored = self.stored_locals();
        let (counters, increments) = self.counters()?;
        let (accesses, places) = self.accesses(&counters, &increments)?;
        let mut ranged = Ranged { start: self.graph.blocks.get(self.of.header)?.start, ..Ranged::default() };
        // Only counters that are used are kept.
        let mut deeds: Vec<(Done, Deed)> = Vec::new();
        for (access, place) in accesses.into_iter().zip(places) {
            let (counter, increment) = (*counters.get(access.counter)?, *increments.get(access.counter)?);
            let known = ranged.counters.iter().position(|known| *known == counter);
            let number = known.unwrap_or_else(|| {
                ranged.counters.push(counter);
                deeds.push((increment, Deed::Increment(ranged.counters.len() - 1)));
                ranged.counters.len() - 1
            });
            deeds.push((place, Deed::Access(ranged.accesses.len())));
            ranged.accesses.push(Access { counter: number, ..access });
        }
        if ranged.accesses.is_empty() || ranged.accesses.len() > MOST_ACCESSES {
            return None;
        }
        deeds.sort_by_key(|(place, _)| (self.graph.place(place.block), place.step));
        let places: Vec<Done> = deeds.iter().map(|(place, _)| *place).collect();
        ranged.deeds = deeds.into_iter().map(|(_, deed)| deed).collect();
        self.final_reads(&mut ranged);
        ranged.entries = self.entries()?;
        ranged.exits = self.exits(&places)?;
        ranged.thrown = self.thrown(&places);
        (!ranged.exits.is_empty()).then_some(ranged)
    }

    /// Does it only compute, with locals, arrays and plain fields, and handle no exception?
    fn is_quiet(&self) -> bool {
        self.of.blocks.iter().all(|block| {
            let Some(found) = self.graph.blocks.get(*block) else { return false };
            found.into.iter().all(|edge| edge.way != Way::Thrown)
                && self.steps(*block).all(|(_, _, instruction)| self.is_quiet_step(instruction))
        })
    }

    fn is_quiet_step(&self, instruction: &Instruction<'_>) -> bool {
        let pool = self.about.pool;
        match *instruction {
            Instruction::Plain(opcode) => !matches!(opcode, op::ATHROW | op::MONITORENTER | op::MONITOREXIT),
            Instruction::Int(_)
            | Instruction::Load { .. }
            | Instruction::Store { .. }
            | Instruction::Increment { .. }
            | Instruction::Branch { .. }
            | Instruction::Switch(_) => true,
            Instruction::Constant(index) => matches!(
                pool.get(index),
                Ok(Constant::Integer(_)
                    | Constant::Float(_)
                    | Constant::Long(_)
                    | Constant::Double(_)
                    | Constant::String { .. })
            ),
            Instruction::Field { opcode: op::GETFIELD, member } => (self.about.field)(member) != Field::Other,
            Instruction::Field { opcode: op::PUTFIELD, member } => (self.about.field)(member) == Field::Plain,
            Instruction::Invoke { opcode: op::INVOKESTATIC, member } => {
                let owner = pool.member_ref(member).map(|found| found.owner);
                matches!(owner, Ok(b"java/lang/Math" | b"java/lang/StrictMath"))
            }
            _ => false,
        }
    }

    /// Is the block run exactly once in each iteration that is not left?
    fn is_in_every(&self, block: usize) -> bool {
        self.of.latches.iter().all(|latch| self.graph.dominates(block, *latch))
            && !self.inner.iter().any(|inner| inner.has(block))
    }

    fn stored_locals(&self) -> Vec<u16> {
        let mut stored = Vec::new();
        for (_, _, instruction) in self.of.blocks.iter().flat_map(|block| self.steps(*block)) {
            if let Instruction::Store { kind, local } = *instruction {
                stored.extend(local..local.saturating_add(kind.slots()));
            }
        }
        stored.sort_unstable();
        stored.dedup();
        stored
    }

    fn is_stored(&self, local: u16) -> bool {
        self.stored.binary_search(&local).is_ok()
    }

    /// The counters, and where each is incremented.
    fn counters(&self) -> Option<(Vec<Counter>, Vec<Done>)> {
        let mut all: Vec<(u16, i16, Done)> = Vec::new();
        for block in &self.of.blocks {
            for (step, _, instruction) in self.steps(*block) {
                if let Instruction::Increment { local, by } = *instruction {
                    all.push((local, by, Done { block: *block, step }));
                }
            }
        }
        if all.len() > MOST_INCREMENTS {
            return None;
        }
        let once = |local: u16| all.iter().filter(|(other, ..)| *other == local).count() == 1;
        let (mut counters, mut places) = (Vec::new(), Vec::new());
        for (local, by, place) in &all {
            if *by != 0 && once(*local) && self.is_in_every(place.block) && !self.is_stored(*local) {
                counters.push(Counter { local: *local, step: i32::from(*by) });
                places.push(*place);
            }
        }
        (!counters.is_empty()).then_some((counters, places))
    }

    /// Has a deed been done when control comes to an instruction? Within a loop this is certain: were there a way past
    /// the deed and one through it, the loop could start again without it, or it would be in an inner loop.
    pub fn is_done(&self, deed: Done, block: usize, step: usize) -> bool {
        if deed.block == block { deed.step < step } else { self.graph.dominates(deed.block, block) }
    }

    /// The accesses, and where they stand.
    fn accesses(&self, counters: &[Counter], increments: &[Done]) -> Option<(Vec<Access>, Vec<Done>)> {
        let (mut accesses, mut places) = (Vec::new(), Vec::new());
        let mut order = self.of.blocks.clone();
        order.sort_by_key(|block| self.graph.place(*block));
        let mut ends: Vec<(usize, Stack)> = Vec::new();
        for block in order {
            let mut stack = self.stack_at(block, &ends)?;
            let in_every = self.is_in_every(block);
            for (step, pc, instruction) in self.steps(block) {
                if let Instruction::Plain(opcode @ (op::IALOAD..=op::SALOAD | op::IASTORE..=op::SASTORE)) =
                    *instruction
                    && in_every
                    && !(self.about.untold)(pc)
                    && let (Value::Same(array), Value::Counter(local, more)) = stack.element(opcode)
                    && let Some(counter) = counters.iter().position(|counter| counter.local == local)
                {
                    accesses.push(Access { pc, opcode, array, counter, more });
                    places.push(Done { block, step });
                }
                let counter = |local: u16| {
                    let number = counters.iter().position(|counter| counter.local == local)?;
                    let is_done = self.is_done(*increments.get(number)?, block, step);
                    let step = counters.get(number)?.step;
                    Some(Value::Counter(local, if is_done { step } else { 0 }))
                };
                self.run(&mut stack, instruction, counter);
            }
            ends.push((block, stack));
        }
        Some((accesses, places))
    }

    /// What is known of the stack where a block begins, from the ends of those before it.
    fn stack_at(&self, block: usize, ends: &[(usize, Stack)]) -> Option<Stack> {
        if block == self.of.header || self.inner.iter().any(|inner| inner.header == block) {
            return Some(Stack::default());
        }
        let mut known: Option<Stack> = None;
        for edge in &self.graph.blocks.get(block)?.into {
            // A way into the loop that does not come by its header is none.
            let Some((_, end)) = ends.iter().find(|(from, _)| *from == edge.from) else { continue };
            match &mut known {
                Some(known) => known.meet(end),
                None => known = Some(end.clone()),
            }
        }
        Some(known.unwrap_or_default())
    }

    fn run(&self, stack: &mut Stack, instruction: &Instruction<'_>, counter: impl Fn(u16) -> Option<Value>) {
        let pool = self.about.pool;
        match *instruction {
            Instruction::Plain(opcode) => stack.plain(opcode),
            Instruction::Int(value) => stack.push(Value::Constant(value)),
            Instruction::Constant(index) => match pool.get(index) {
                Ok(Constant::Integer(value)) => stack.push(Value::Constant(value)),
                _ => stack.run(instruction, pool),
            },
            Instruction::Load { kind: Moves::Int, local } => {
                stack.push(counter(local).unwrap_or(Value::Unknown));
            }
            Instruction::Load { kind: Moves::Reference, local } if !self.is_stored(local) => {
                stack.push(Value::Same(Base::Local(local)));
            }
            Instruction::Field { opcode: op::GETFIELD, member }
                if self.about.has_this
                    && (self.about.field)(member) == Field::Final
                    && stack.top() == Value::Same(Base::Local(0))
                    && pool.member_ref(member).is_ok_and(|found| found.descriptor.starts_with(b"[")) =>
            {
                stack.pop();
                stack.push(Value::Same(Base::Field(member)));
            }
            _ => stack.run(instruction, pool),
        }
    }
}
