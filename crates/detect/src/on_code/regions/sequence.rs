//! Which regions come one after the other: in one pass through some method, without going round a loop, a call or block
//! that leads to the one is followed by a call or block that leads to the other. Regions that only different rounds of a
//! loop (or different calls from outside) lead to have nothing to do with each other, and neither have regions that are
//! reached by way of different objects: the two calls (or blocks) must be given (or lock) some object in common, and one
//! that other threads may reach.

use std::rc::Rc;

use program::ir::{BlockId, Body, Edges, Kind, Reg, Shape};
use rustc_hash::{FxHashMap, FxHashSet};

use super::instances::Instance;
use super::reach::contains;
use super::{Given, RegionId, Regions};

/// What is known so far.
pub struct Sequence<'a, 'p> {
    regions: &'a Regions<'p>,
    /// By instance: who calls it. Filled when first asked for.
    callers: Option<Callers>,
    /// By region: the instances that lead to it, as bits.
    above: FxHashMap<RegionId, Rc<[u64]>>,
    answers: FxHashMap<(usize, RegionId, RegionId), bool>,
    /// By instance and pair of regions, whoever runs it.
    passes: FxHashMap<(u32, RegionId, RegionId), bool>,
    /// By instance: its blocks' intervals.
    orders: FxHashMap<u32, Rc<[(u32, u32)]>>,
    /// How much more may be looked at.
    steps: usize,
    /// Questions that were not looked into since there were too many.
    pub left_out: u64,
}

/// Who calls each instance, and where each region starts.
struct Callers {
    /// Callee and caller, sorted.
    calls: Vec<(u32, u32)>,
    starts: FxHashMap<RegionId, Vec<u32>>,
}

/// How many calls, instructions and words of sets are looked at before questions are left out.
const MOST_STEPS: usize = 400_000_000;

impl<'a, 'p> Sequence<'a, 'p> {
    /// Nothing is known yet.
    pub fn new(regions: &'a Regions<'p>) -> Self {
        Sequence {
            regions,
            callers: None,
            above: FxHashMap::default(),
            answers: FxHashMap::default(),
            passes: FxHashMap::default(),
            orders: FxHashMap::default(),
            steps: MOST_STEPS,
            left_out: 0,
        }
    }

    /// May the process run the second region after the first in one pass through a method?
    pub fn follows(&mut self, process: usize, first: RegionId, second: RegionId) -> bool {
        if let Some(known) = self.answers.get(&(process, first, second)) {
            return *known;
        }
        if self.steps == 0 {
            self.left_out += 1;
            return false;
        }
        let answer = self.look(process, first, second);
        // Half an answer is none.
        let answer = answer.unwrap_or_else(|| {
            self.left_out += 1;
            false
        });
        self.answers.insert((process, first, second), answer);
        answer
    }

    /// As `follows`; `None` if there was no time to find out.
    fn look(&mut self, process: usize, first: RegionId, second: RegionId) -> Option<bool> {
        let regions = self.regions;
        let Some(process) = regions.processes.get(process) else { return Some(false) };
        let (ones, others) = (self.above(first), self.above(second));
        self.steps = self.steps.saturating_sub(ones.len() / 4);
        let words = ones.iter().zip(others.iter()).zip(process.run_bits());
        for (word, ((one, other), runs)) in (0u32..).zip(words) {
            let mut rest = one & other & runs;
            while rest != 0 {
                let number = word * 64 + rest.trailing_zeros();
                rest &= rest - 1;
                if self.passes(number, (first, &ones), (second, &others)) {
                    return Some(true);
                }
                if self.steps == 0 {
                    return None;
                }
            }
        }
        Some(false)
    }

    /// Is the second region reached after the first in one pass through an instance?
    fn passes(&mut self, number: u32, first: (RegionId, &[u64]), second: (RegionId, &[u64])) -> bool {
        let key = (number, first.0, second.0);
        if let Some(known) = self.passes.get(&key) {
            return *known;
        }
        let Some(instance) = self.regions.instances.all.get(number as usize) else { return false };
        let starts = |(region, above): (RegionId, &[u64])| -> Vec<u32> {
            let own = instance.starts().filter(|(found, _)| *found == region).map(|(_, at)| at);
            let called = instance.calls.iter().filter(|(_, callee)| contains(above, *callee));
            own.chain(called.map(|(at, _)| *at)).collect()
        };
        let (from, to) = (starts(first), starts(second));
        let body = instance.code.body;
        self.steps = self.steps.saturating_sub(8 + 2 * instance.calls.len() + from.len() * body.blocks.len());
        let intervals = self.orders.entry(number);
        let intervals = intervals.or_insert_with(|| Shape::new(body, Edges::All).intervals().into());
        let order = Order { body, intervals };
        let given = &self.regions.given;
        let answer = from.iter().any(|from| {
            let alike =
                to.iter().copied().filter(|to| is_alike(given, instance, *from, *to)).collect::<Vec<_>>();
            !alike.is_empty() && order.comes_after(*from, &alike)
        });
        self.passes.insert(key, answer);
        answer
    }

    /// The instances in which a region starts or that lead there.
    fn above(&mut self, region: RegionId) -> Rc<[u64]> {
        if let Some(known) = self.above.get(&region) {
            return Rc::clone(known);
        }
        let regions = self.regions;
        let callers = self.callers.get_or_insert_with(|| Callers::new(regions));
        let mut found = vec![0u64; regions.instances.all.len().div_ceil(64)];
        // Sets are kept: what they take counts too.
        self.steps = self.steps.saturating_sub(found.len() * 16);
        let mut work: Vec<u32> = callers.starts.get(&region).cloned().unwrap_or_default();
        while let Some(number) = work.pop() {
            let Some(word) = found.get_mut(number as usize / 64) else { continue };
            let bit = 1 << (number % 64);
            if *word & bit != 0 {
                continue;
            }
            *word |= bit;
            let before = work.len();
            let start = callers.calls.partition_point(|(callee, _)| *callee < number);
            let calls = callers.calls.get(start..).unwrap_or_default();
            work.extend(calls.iter().take_while(|(callee, _)| *callee == number).map(|(_, caller)| *caller));
            self.steps = self.steps.saturating_sub(1 + work.len() - before);
        }
        let found: Rc<[u64]> = found.into();
        self.above.insert(region, Rc::clone(&found));
        found
    }
}

impl Callers {
    fn new(regions: &Regions<'_>) -> Callers {
        let mut calls = Vec::new();
        let mut starts: FxHashMap<RegionId, Vec<u32>> = FxHashMap::default();
        for (number, instance) in (0u32..).zip(&regions.instances.all) {
            calls.extend(instance.calls.iter().map(|(_, callee)| (*callee, number)));
            for (region, _) in instance.starts() {
                starts.entry(region).or_default().push(number);
            }
        }
        calls.sort_unstable();
        calls.dedup();
        Callers { calls, starts }
    }
}

/// Do two calls or starts of regions have an object in common that others may reach, as far as they have any?
fn is_alike(given: &Given<'_>, instance: &Instance<'_>, one: u32, other: u32) -> bool {
    let code = &instance.code;
    let objects = |inst: u32| -> Vec<Reg> {
        let Some(inst) = code.body.insts.get(inst as usize) else { return Vec::new() };
        code.body.uses(&inst.op).filter(|reg| reg.is_some() && code.body.kind(*reg) == Kind::Ref).collect()
    };
    let (ones, others) = (objects(one), objects(other));
    let may_be_reached = |reg: Reg| {
        let found = given.points.of(instance.method, reg);
        found.is_none_or(|found| found.iter().any(|object| given.sharing.has_escaped(object)))
    };
    ones.is_empty()
        || others.is_empty()
        || ones
            .iter()
            .any(|one| others.iter().any(|other| code.values.same(*one, *other)) && may_be_reached(*one))
}

/// In which order the blocks of a body can run.
struct Order<'b> {
    body: &'b Body,
    intervals: &'b [(u32, u32)],
}

impl Order<'_> {
    fn block_of(&self, inst: u32) -> Option<BlockId> {
        let after = self.body.blocks.partition_point(|block| block.insts.start <= inst);
        after.checked_sub(1).map(|block| BlockId(block as u32))
    }

    fn goes_back(&self, from: BlockId, to: BlockId) -> bool {
        match (self.intervals.get(to.index()), self.intervals.get(from.index())) {
            (Some(above), Some(below)) => above.0 <= below.0 && below.1 <= above.1,
            _ => true,
        }
    }

    /// Is there a way from an instruction to one of the others that goes round no loop?
    fn comes_after(&self, from: u32, to: &[u32]) -> bool {
        let Some(start) = self.block_of(from) else { return false };
        let ends: FxHashSet<BlockId> = to
            .iter()
            .filter_map(|inst| self.block_of(*inst).map(|block| (block, *inst)))
            .filter(|(block, inst)| *block != start || *inst > from)
            .map(|(block, _)| block)
            .collect();
        if ends.contains(&start) {
            return true;
        }
        let mut seen: FxHashSet<BlockId> = FxHashSet::default();
        let mut work = vec![start];
        while let Some(id) = work.pop() {
            for edge in self.body.all_edges(&self.body.block(id)) {
                if self.goes_back(id, edge.target) {
                    continue;
                }
                if ends.contains(&edge.target) {
                    return true;
                }
                if seen.insert(edge.target) {
                    work.push(edge.target);
                }
            }
        }
        false
    }
}
