//! Which regions come one after the other: in one pass through some method, without going round a loop, a call or block
//! that leads to the one is followed by a call or block that leads to the other. Regions that only different rounds of a
//! loop (or different calls from outside) lead to have nothing to do with each other, and neither have regions that are
//! reached by way of different objects: the two calls (or blocks) must be given (or lock) some object in common, and one
//! that other threads may reach.

use std::rc::Rc;

use program::ir::{BlockId, Body, Edges, Kind, Reg, Shape};
use rustc_hash::{FxHashMap, FxHashSet};

use super::instances::Instance;
use super::{Given, RegionId, Regions};

/// What is known so far.
pub struct Sequence<'a, 'p> {
    regions: &'a Regions<'p>,
    /// By instance: the regions that start in it or in what it calls. Filled when first asked for.
    below: Option<Below>,
    answers: FxHashMap<(usize, RegionId, RegionId), bool>,
    /// By instance: its blocks' intervals.
    orders: FxHashMap<u32, Rc<[(u32, u32)]>>,
}

/// Regions by instance, and instances by region.
struct Below {
    regions: Vec<FxHashSet<RegionId>>,
    instances: FxHashMap<RegionId, Vec<u32>>,
}

/// More regions than that are not told apart below one instance.
const MOST_BELOW: usize = 512;

impl<'a, 'p> Sequence<'a, 'p> {
    /// Nothing is known yet.
    pub fn new(regions: &'a Regions<'p>) -> Self {
        Sequence { regions, below: None, answers: FxHashMap::default(), orders: FxHashMap::default() }
    }

    /// May the process run the second region after the first in one pass through a method?
    pub fn follows(&mut self, process: usize, first: RegionId, second: RegionId) -> bool {
        if let Some(known) = self.answers.get(&(process, first, second)) {
            return *known;
        }
        let regions = self.regions;
        let below = self.below.get_or_insert_with(|| below(regions));
        let runs = |instance: u32| {
            regions.processes.get(process).is_some_and(|process| process.runs_instance(instance))
        };
        let leads = |instance: u32, region: RegionId| {
            below.regions.get(instance as usize).is_some_and(|below| below.contains(&region))
        };
        let above = below.instances.get(&first).into_iter().flatten();
        let answer = above.filter(|number| runs(**number) && leads(**number, second)).any(|number| {
            let Some(instance) = regions.instances.all.get(*number as usize) else { return false };
            let starts = |region: RegionId| -> Vec<u32> {
                let own = instance.starts().filter(|(found, _)| *found == region).map(|(_, at)| at);
                let called = instance.calls.iter().filter(|(_, callee)| leads(*callee, region));
                own.chain(called.map(|(at, _)| *at)).collect()
            };
            let (from, to) = (starts(first), starts(second));
            let body = instance.code.body;
            let intervals = self.orders.entry(*number);
            let intervals = intervals.or_insert_with(|| Shape::new(body, Edges::All).intervals().into());
            let order = Order { body, intervals };
            from.iter().any(|from| {
                let alike = to
                    .iter()
                    .copied()
                    .filter(|to| is_alike(&regions.given, instance, *from, *to))
                    .collect::<Vec<_>>();
                order.comes_after(*from, &alike)
            })
        });
        self.answers.insert((process, first, second), answer);
        answer
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

/// The regions that start in each instance or in what it calls.
fn below(regions: &Regions<'_>) -> Below {
    let all = &regions.instances.all;
    let mut found: Vec<FxHashSet<RegionId>> =
        all.iter().map(|instance| instance.starts().map(|(region, _)| region).collect()).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (number, instance) in all.iter().enumerate().rev() {
            for (_, callee) in &instance.calls {
                let more: Vec<RegionId> = match (found.get(number), found.get(*callee as usize)) {
                    (Some(own), Some(callee)) if own.len() < MOST_BELOW => {
                        callee.difference(own).copied().collect()
                    }
                    _ => continue,
                };
                if let Some(own) = found.get_mut(number) {
                    changed |= !more.is_empty();
                    own.extend(more);
                }
            }
        }
    }
    let mut instances: FxHashMap<RegionId, Vec<u32>> = FxHashMap::default();
    for (number, regions) in (0u32..).zip(&found) {
        for region in regions {
            instances.entry(*region).or_default().push(number);
        }
    }
    Below { regions: found, instances }
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
