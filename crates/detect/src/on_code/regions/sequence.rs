//! Which regions come one after the other: in one pass through some method, without going round a loop, a call or block
//! that leads to the one is followed by a call or block that leads to the other. Regions that only different rounds of a
//! loop (or different calls from outside) lead to have nothing to do with each other, and neither have regions that are
//! reached by way of different objects: the two calls (or blocks) must be given (or lock) some object in common, and one
//! that other threads may reach.

use std::rc::Rc;

use program::ir::{BlockId, Body, Edges, Kind, Reg, Shape};
use rustc_hash::{FxHashMap, FxHashSet};

use super::instances::Instance;
use super::reach::{bits, contains, insert};
use super::{Given, RegionId, Regions};

/// What is known so far.
pub struct Sequence<'a, 'p> {
    regions: &'a Regions<'p>,
    /// By instance: who calls it. Filled when first asked for.
    callers: Option<Callers>,
    /// The instances in which regions can come one after the other at all.
    passing: Option<Rc<Passing>>,
    /// By region: what leads to it.
    above: FxHashMap<RegionId, Rc<Above>>,
    /// By process: which of the passing instances it runs, as bits.
    runs: FxHashMap<usize, Vec<u64>>,
    /// Pairs of regions that do not follow each other in any instance.
    never: FxHashSet<(RegionId, RegionId)>,
    answers: FxHashMap<(usize, RegionId, RegionId), bool>,
    /// By instance and pair of regions, whoever runs it.
    passes: FxHashMap<(u32, RegionId, RegionId), bool>,
    /// How much more may be looked at.
    steps: usize,
    /// Questions that were not looked into since there were too many.
    pub left_out: u64,
}

/// The instances with a call or block that leads to a region, followed by another one.
struct Passing {
    /// The instance, and the two instructions of each such pair. They are few among all instances.
    all: Vec<(u32, Vec<(u32, u32)>)>,
    /// Instances of which not all pairs are known.
    left_out: u64,
}

/// The instances that lead to a region, as bits: all, and by their numbers among the passing ones.
struct Above {
    all: Vec<u64>,
    passing: Vec<u64>,
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
            passing: None,
            runs: FxHashMap::default(),
            never: FxHashSet::default(),
            passes: FxHashMap::default(),
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
        if self.never.contains(&(first, second)) {
            return Some(false);
        }
        let Some(runner) = regions.processes.get(process) else { return Some(false) };
        let left_out = &mut self.left_out;
        let passing = self.passing.get_or_insert_with(|| {
            let passing = Rc::new(Passing::new(regions));
            *left_out += passing.left_out;
            passing
        });
        let passing = Rc::clone(passing);
        let (ones, others) = (self.above(first, &passing), self.above(second, &passing));
        let runs = self.runs.entry(process).or_insert_with(|| passing.of(runner.run_bits()));
        self.steps = self.steps.saturating_sub(1 + runs.len() / 4);
        let both: Vec<u64> =
            ones.passing.iter().zip(&others.passing).map(|(one, other)| one & other).collect();
        let run: Vec<u64> = both.iter().zip(runs.iter()).map(|(both, runs)| both & runs).collect();
        for index in bits(&run) {
            let Some((number, pairs)) = passing.all.get(index as usize) else { continue };
            if self.passes(*number, pairs, (first, &ones.all), (second, &others.all)) {
                return Some(true);
            }
            if self.steps == 0 {
                return None;
            }
        }
        // Whoever runs less will not do it either.
        if run == both {
            self.never.insert((first, second));
        }
        Some(false)
    }

    /// Is the second region reached after the first in one pass through an instance?
    fn passes(
        &mut self,
        number: u32,
        pairs: &[(u32, u32)],
        first: (RegionId, &[u64]),
        second: (RegionId, &[u64]),
    ) -> bool {
        let key = (number, first.0, second.0);
        if let Some(known) = self.passes.get(&key) {
            return *known;
        }
        let Some(instance) = self.regions.instances.all.get(number as usize) else { return false };
        let leads = |(region, above): (RegionId, &[u64]), at: u32| {
            let mut called = calls_at(instance, at).iter().map(|(_, callee)| *callee);
            called.any(|callee| contains(above, callee))
                || instance.starts().any(|start| start == (region, at))
        };
        self.steps = self.steps.saturating_sub(8 + 2 * pairs.len());
        let answer = pairs.iter().any(|(from, to)| leads(first, *from) && leads(second, *to));
        self.passes.insert(key, answer);
        answer
    }

    /// The instances in which a region starts or that lead there.
    fn above(&mut self, region: RegionId, passing: &Passing) -> Rc<Above> {
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
        let found = Rc::new(Above { passing: passing.of(&found), all: found });
        self.above.insert(region, Rc::clone(&found));
        found
    }
}

/// More calls than that in one instance are not all compared with each other; the first ones are.
const MOST_SITES: usize = 256;
/// How many pairs are known of all instances together.
const MOST_PAIRS: usize = 8_000_000;

impl Passing {
    fn new(regions: &Regions<'_>) -> Passing {
        let all = &regions.instances.all;
        // What leads to a region: what starts one, and what calls that.
        let mut callers: Vec<Vec<u32>> = vec![Vec::new(); all.len()];
        let mut leading = vec![0u64; all.len().div_ceil(64)];
        let mut work = Vec::new();
        for (number, instance) in (0u32..).zip(all) {
            for (_, callee) in &instance.calls {
                if let Some(callers) = callers.get_mut(*callee as usize) {
                    callers.push(number);
                }
            }
            if instance.starts().next().is_some() {
                work.push(number);
            }
        }
        while let Some(number) = work.pop() {
            if !contains(&leading, number) {
                insert(&mut leading, number);
                work.extend(callers.get(number as usize).into_iter().flatten());
            }
        }
        let mut found = Passing { all: Vec::new(), left_out: 0 };
        let mut room = MOST_PAIRS;
        for number in bits(&leading) {
            let Some(instance) = all.get(number as usize) else { continue };
            let called = instance.calls.iter().filter(|(_, callee)| contains(&leading, *callee));
            let mut sites: Vec<u32> = called.map(|(at, _)| *at).collect();
            sites.extend(instance.starts().map(|(_, at)| at));
            sites.sort_unstable();
            sites.dedup();
            if sites.len() > MOST_SITES || room == 0 {
                found.left_out += 1;
                sites.truncate(if room == 0 { 0 } else { MOST_SITES });
            }
            let pairs = pairs(&regions.given, instance, &sites);
            room = room.saturating_sub(pairs.len());
            if !pairs.is_empty() {
                found.all.push((number, pairs));
            }
        }
        found
    }

    /// Which of them are in a set of instances, by their numbers here.
    fn of(&self, set: &[u64]) -> Vec<u64> {
        let mut found = vec![0; self.all.len().div_ceil(64)];
        for (number, (instance, _)) in (0u32..).zip(&self.all) {
            if contains(set, *instance) {
                insert(&mut found, number);
            }
        }
        found
    }
}

/// The pairs of instructions of which the second may come after the first in one pass, with an object in common.
fn pairs(given: &Given<'_>, instance: &Instance<'_>, sites: &[u32]) -> Vec<(u32, u32)> {
    let mut order: Option<Order<'_>> = None;
    let mut found = Vec::new();
    for from in sites {
        let others = sites.iter().copied().filter(|to| to != from);
        let alike: Vec<u32> = others.filter(|to| is_alike(given, instance, *from, *to)).collect();
        if alike.is_empty() {
            continue;
        }
        let order = order.get_or_insert_with(|| {
            let body = instance.code.body;
            Order { body, intervals: Shape::new(body, Edges::All).intervals() }
        });
        let after = order.after(*from);
        found.extend(alike.into_iter().filter(|to| order.is_after(*from, *to, &after)).map(|to| (*from, to)));
    }
    found
}

/// What an instruction of an instance calls.
fn calls_at<'i>(instance: &'i Instance<'_>, at: u32) -> &'i [(u32, u32)] {
    let start = instance.calls.partition_point(|(inst, _)| *inst < at);
    let after = instance.calls.get(start..).unwrap_or_default();
    let count = after.iter().take_while(|(inst, _)| *inst == at).count();
    after.get(..count).unwrap_or_default()
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
    intervals: Vec<(u32, u32)>,
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

    /// The blocks that come after that of an instruction without going round a loop.
    fn after(&self, from: u32) -> FxHashSet<BlockId> {
        let mut seen: FxHashSet<BlockId> = FxHashSet::default();
        let mut work: Vec<BlockId> = self.block_of(from).into_iter().collect();
        while let Some(id) = work.pop() {
            for edge in self.body.all_edges(&self.body.block(id)) {
                if !self.goes_back(id, edge.target) && seen.insert(edge.target) {
                    work.push(edge.target);
                }
            }
        }
        seen
    }

    /// Is there a way from an instruction to another one that goes round no loop?
    fn is_after(&self, from: u32, to: u32, after: &FxHashSet<BlockId>) -> bool {
        let (Some(start), Some(end)) = (self.block_of(from), self.block_of(to)) else { return false };
        if start == end { to > from } else { after.contains(&end) }
    }
}
