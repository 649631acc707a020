//! Stale values (MoTH, Definitions 10 and 11): a value of a global variable leaves the region in which it was read and
//! influences a write in another region (or in another run of the same one), while some other process writes the variable.
//!
//! Nested regions under different locks: the innermost one is what the value leaves. By default a region around both ends
//! protects the value all the same from whoever writes the variable under the lock of that region. An object that is its
//! own lock, for the reader and for the writer, is no such lock: another object of its class around both is none of it.
//!
//! By default, beyond the paper, a path counts if
//! - the value is written back to its own variable: a lost update;
//! - or goes, as data, into another variable under the same lock;
//! - or decides whether a region runs that uses the variable again, writes it or relies on it: check, then act. (A region
//!   that has written something itself has acted already, and is no mere check);
//!
//! if the region at the end does not look at the variable again before it writes, and if the value was not taken out where
//! it was read: the region there writes the variable too, or moves on the index or reference that led to it. Then nobody
//! else gets that value. Nor does a check count that only decides whether another region looks at the variable again, if
//! that look leads to the write as well: then the second look is the one that may be stale.

use std::rc::Rc;

use findings::Confidence;
use program::ir::{BlockId, Inst, Op, Reg};
use rustc_hash::{FxHashMap, FxHashSet};

use super::correlation::after;
use super::graph::{Graph, Kind, Node, What};
use crate::on_code::regions::instances::Instance;
use crate::on_code::regions::paths::Defs;
use crate::on_code::regions::variables::VarId;
use crate::on_code::regions::views::Access;
use crate::on_code::regions::{RegionId, Regions};

/// How many steps one search may take, and all together.
const STEPS: usize = 20_000;
const ALL_STEPS: usize = 2_000_000;
/// Ends of paths that are looked at for one variable.
const MOST_ENDS: usize = 4096;

/// A value that may be stale.
#[derive(Clone, Debug)]
pub struct Stale {
    /// The variable.
    pub var: VarId,
    /// Where it is read (or was written before it left the region).
    pub read: Access,
    /// The write that it influences.
    pub used: Access,
    /// The call by which the value comes into the last region, in which instance; none if there is no call.
    pub entered: Option<(u32, u32)>,
    /// Does it decide whether the write happens, and nothing else?
    pub by_control: bool,
    /// Who reads and uses it.
    pub process: usize,
    /// Who writes the variable in between, and where.
    pub writer: (usize, Access),
    /// How sure.
    pub confidence: Confidence,
}

/// A path's end.
struct End {
    used: Access,
    by_control: bool,
    /// Regions of the start that were never left.
    kept: Vec<RegionId>,
    entered: Option<(u32, u32)>,
}

/// What was found, and what was not looked at.
pub struct Found {
    /// The values, in the order of the code.
    pub values: Vec<Stale>,
    /// Searches that were given up.
    pub given_up: u64,
    /// Uses of a value that none of the threads comes to that are known to read it, where not all are known.
    pub by_others: u64,
}

/// Finds all.
pub fn stale_values(regions: &Regions<'_>, graph: &Graph, paper: bool) -> Found {
    let mut writes: FxHashMap<VarId, Vec<Access>> = FxHashMap::default();
    let mut reads: FxHashMap<VarId, Vec<Access>> = FxHashMap::default();
    let mut by_node: FxHashMap<Node, Access> = FxHashMap::default();
    for access in &regions.views.accesses {
        by_node.insert(graph.node(access.instance, What::Version(access.inst)), *access);
        let of = if access.write { &mut writes } else { &mut reads };
        of.entry(access.var).or_default().push(*access);
    }
    let (again, depends) = (FxHashMap::default(), FxHashMap::default());
    let mut search = Search { regions, graph, by_node, reads, writes, paper, again, depends, by_others: 0 };
    let mut found: Vec<Stale> = Vec::new();
    let mut room = ALL_STEPS;
    let mut given_up = 0;
    let mut ends_of: FxHashMap<VarId, usize> = FxHashMap::default();
    for access in &regions.views.accesses {
        // Nobody else may write it: nothing to look for.
        if !search.writes.contains_key(&access.var) {
            continue;
        }
        let open = regions.instances.open(access.instance, access.inst);
        if open.is_empty() {
            continue;
        }
        let mut steps = STEPS.min(room);
        let before = steps;
        let ends = search.ends(access, open, &mut steps);
        room -= before - steps;
        if steps == 0 {
            given_up += 1;
        }
        let seen = ends_of.entry(access.var).or_default();
        for end in ends {
            *seen += 1;
            if *seen > MOST_ENDS {
                given_up += u64::from(*seen == MOST_ENDS + 1);
                break;
            }
            found.extend(search.judge(access, open, end));
        }
    }
    Found { values: found, given_up, by_others: search.by_others }
}

struct Search<'a, 'p> {
    regions: &'a Regions<'p>,
    graph: &'a Graph,
    by_node: FxHashMap<Node, Access>,
    reads: FxHashMap<VarId, Vec<Access>>,
    writes: FxHashMap<VarId, Vec<Access>>,
    paper: bool,
    /// What is known of writes that come after another look at a variable.
    again: FxHashMap<(RegionId, VarId, Node), bool>,
    /// What depends on accesses, by their nodes, as far as anybody asked.
    depends: FxHashMap<Node, Rc<FxHashSet<Node>>>,
    by_others: u64,
}

/// Where a path is: its node, whether it has gone into a method, whether a condition was on it, which of the regions
/// around its start it has never left (as bits).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    node: Node,
    inside: bool,
    control: bool,
    kept: u32,
}

/// Where a path came from, and by which edge (and call).
type Paths = FxHashMap<State, Option<(State, (Kind, u32))>>;

impl Search<'_, '_> {
    /// The writes in regions that the version of an access reaches after it has left its region.
    fn ends(&self, access: &Access, open: &[RegionId], steps: &mut usize) -> Vec<End> {
        let innermost = 1u32 << (open.len().min(32) - 1);
        let all = innermost | (innermost - 1);
        let node = self.graph.node(access.instance, What::Version(access.inst));
        let start = State { node, inside: false, control: false, kept: all };
        let mut from = Paths::default();
        from.insert(start, None);
        let mut found = Vec::new();
        // Data first: a path without conditions tells more.
        let mut work = vec![start];
        let mut later = Vec::new();
        while let Some(state) = work.pop().or_else(|| later.pop()) {
            if *steps == 0 {
                break;
            }
            *steps -= 1;
            for edge in self.graph.edges(state.node) {
                let Some(inside) = after(edge, state.inside, self.paper) else { continue };
                let (instance, inst) = self.graph.place(self.regions, edge.to);
                let around = self.regions.instances.open(instance, inst);
                let mut kept = state.kept;
                for (bit, region) in open.iter().enumerate().take(32) {
                    if !around.contains(region) {
                        kept &= !(1 << bit);
                    }
                }
                let next = State { node: edge.to, inside, control: state.control || edge.control, kept };
                let plain = State { control: false, ..next };
                if from.contains_key(&next) || from.contains_key(&plain) {
                    continue;
                }
                from.insert(next, Some((state, (edge.kind, edge.inst))));
                let used = self.by_node.get(&edge.to).filter(|used| used.write);
                if let Some(used) = used {
                    if kept & innermost == 0 && !around.is_empty() {
                        found.push(End {
                            used: *used,
                            by_control: next.control,
                            kept: open
                                .iter()
                                .enumerate()
                                .filter(|(bit, _)| *bit < 32 && kept >> bit & 1 == 1)
                                .map(|(_, region)| *region)
                                .collect(),
                            entered: self.entered(&from, next, around.last().copied()),
                        });
                    }
                    // What goes on from a region starts there.
                    if !self.paper && !around.is_empty() {
                        continue;
                    }
                }
                if next.control { later.push(next) } else { work.push(next) }
            }
        }
        found
    }

    /// The last call on a path by which the value comes into a region.
    fn entered(&self, from: &Paths, mut state: State, region: Option<RegionId>) -> Option<(u32, u32)> {
        let region = region?;
        let mut outside = false;
        while let Some((before, (kind, inst))) = from.get(&state).copied().flatten() {
            let (instance, place) = self.graph.place(self.regions, before.node);
            let at = if kind == Kind::Call { inst } else { place };
            outside |= !self.regions.instances.open(instance, at).contains(&region);
            match kind {
                Kind::Call if outside => return Some((instance, inst)),
                // A parameter of the method that starts the region: the call is still to come.
                _ if outside && (kind == Kind::Return || place != Defs::ENTRY) => return None,
                _ => state = before,
            }
        }
        None
    }

    /// Definition 11, with what is asked beyond it.
    fn judge(&mut self, access: &Access, open: &[RegionId], end: End) -> Option<Stale> {
        let confidence = if self.paper { Confidence::Medium } else { self.weigh(access, open, &end)? };
        let runners = |access: &Access| self.regions.runners(access.instance, access.inst);
        let mut by_known = false;
        for number in runners(access) {
            let Some(process) = self.regions.processes.get(number) else { continue };
            if !process.runs(end.used.instance, end.used.inst) {
                continue;
            }
            by_known = true;
            for write in self.writes.get(&access.var).into_iter().flatten() {
                let mut around = self.regions.instances.open(write.instance, write.inst);
                if self.paper && around.is_empty() {
                    continue;
                }
                if self.is_own_lock(access) && self.is_own_lock(write) {
                    around = around.split_last().map_or(&[], |(_, outer)| outer);
                }
                if !self.paper && self.is_protected(&end.kept, around) {
                    continue;
                }
                let writer = runners(write).find(|other| *other != number || process.many || self.paper);
                if let Some(writer) = writer {
                    return Some(Stale {
                        var: access.var,
                        read: *access,
                        used: end.used,
                        entered: end.entered,
                        by_control: end.by_control,
                        process: number,
                        writer: (writer, *write),
                        confidence,
                    });
                }
            }
        }
        self.by_others += u64::from(!by_known && self.regions.processes.has_more(access.instance));
        None
    }

    fn inst(&self, access: &Access) -> Option<(&Instance<'_>, &Inst)> {
        let instance = self.regions.instances.all.get(access.instance as usize)?;
        Some((instance, instance.code.body.insts.get(access.inst as usize)?))
    }

    /// Is an object accessed under its own lock?
    fn is_own_lock(&self, access: &Access) -> bool {
        self.inst(access).is_some_and(|(instance, inst)| match inst.op {
            Op::Get { object, .. } | Op::Put { object, .. } => instance.is_locked_by(access.inst, object),
            _ => false,
        })
    }

    /// Does the region that reads a value take it out, so that nobody else gets it?
    fn is_taken(&self, access: &Access, region: RegionId) -> bool {
        const DEEPEST: usize = 16;
        let writes = &self.regions.views.of(region).writes;
        if writes.contains(&access.var) {
            return true;
        }
        let Some((instance, inst)) = self.inst(access) else { return false };
        let (body, defs) = (instance.code.body, &instance.code.defs);
        let mut work: Vec<Reg> = match inst.op {
            Op::Get { object, .. } => vec![object],
            Op::Load { array, index, .. } => vec![array, index],
            _ => return false,
        };
        for _ in 0..DEEPEST {
            let Some(found) = work.pop().and_then(|reg| Some((defs.place(reg), defs.inst(body, reg)?)))
            else {
                continue;
            };
            let var = self.regions.variables.at(instance.method, found.0, &found.1.op).map(|(var, _)| var);
            if var.is_some_and(|var| writes.contains(&var)) {
                return true;
            }
            work.extend(body.uses(&found.1.op));
        }
        false
    }

    fn lock(&self, region: RegionId) -> u32 {
        self.regions.variables.locks.get(region.index()).copied().unwrap_or(u32::MAX)
    }

    /// Does a region that was never left keep away whoever writes in these?
    fn is_protected(&self, kept: &[RegionId], around: &[RegionId]) -> bool {
        kept.iter().any(|kept| around.iter().any(|region| self.lock(*region) == self.lock(*kept)))
    }

    /// How sure a path is; none if it is not told.
    fn weigh(&mut self, access: &Access, open: &[RegionId], end: &End) -> Option<Confidence> {
        let first = *open.last()?;
        let around = self.regions.instances.open(end.used.instance, end.used.inst);
        let last = *around.last()?;
        let same_var = end.used.var == access.var;
        // A value that is written back may have been changed in the first region already: that one was the last.
        let taken = (end.by_control || !same_var) && self.is_taken(access, first);
        if taken || self.looks_again(last, access.var, &end.used) {
            return None;
        }
        if !end.by_control {
            return match same_var {
                true => Some(Confidence::Medium),
                false if self.lock(first) == self.lock(last) => Some(Confidence::Low),
                false => None,
            };
        }
        if !self.regions.views.of(first).writes.is_empty() || self.is_checked_on_the_way(access, first, end) {
            return None;
        }
        let view = self.regions.views.of(last);
        let uses = view.writes.contains(&access.var) || view.reads.contains(&access.var);
        (self.lock(first) == self.lock(last) && (same_var || uses)).then_some(Confidence::Medium)
    }

    /// Does a read only decide whether another region looks at the variable, on which the end depends as well?
    fn is_checked_on_the_way(&mut self, access: &Access, first: RegionId, end: &End) -> bool {
        const MOST_READS: usize = 64;
        let goal = self.graph.node(end.used.instance, What::Version(end.used.inst));
        let decided = self.depending(access);
        let around = |access: &Access| self.regions.instances.open(access.instance, access.inst);
        let last = around(&end.used).last().copied();
        let looks: Vec<Access> = self.reads.get(&access.var).into_iter().flatten().copied().collect();
        let is_between = |look: &&Access| {
            let region = around(look).last().copied();
            let elsewhere = region.is_some_and(|region| region != first && Some(region) != last);
            let is_decided = || {
                let block = self.inst(look).and_then(|(instance, _)| {
                    let blocks = &instance.code.body.blocks;
                    blocks.partition_point(|block| block.insts.start <= look.inst).checked_sub(1)
                });
                let guards = [Some(BlockId::ENTRY), block.map(|block| BlockId(block as u32))];
                let mut guards = guards.into_iter().flatten();
                guards.any(|block| decided.contains(&self.graph.node(look.instance, What::Guard(block))))
            };
            elsewhere && is_decided()
        };
        let between: Vec<Access> = looks.iter().take(MOST_READS).filter(is_between).copied().collect();
        between.iter().any(|look| self.depending(look).contains(&goal))
    }

    /// What depends on an access, as far as the search goes.
    fn depending(&mut self, access: &Access) -> Rc<FxHashSet<Node>> {
        let start = self.graph.node(access.instance, What::Version(access.inst));
        if let Some(known) = self.depends.get(&start) {
            return known.clone();
        }
        let mut found: FxHashSet<Node> = FxHashSet::default();
        let mut seen: FxHashSet<(Node, bool)> = FxHashSet::default();
        let mut work = vec![(start, false)];
        while let Some((node, inside)) = work.pop() {
            if seen.len() > STEPS {
                break;
            }
            for edge in self.graph.edges(node) {
                let Some(inside) = after(edge, inside, self.paper) else { continue };
                if seen.insert((edge.to, inside)) {
                    found.insert(edge.to);
                    work.push((edge.to, inside));
                }
            }
        }
        let found = Rc::new(found);
        self.depends.insert(start, found.clone());
        found
    }

    /// Does a region read the variable again to decide whether the write happens?
    fn looks_again(&mut self, region: RegionId, var: VarId, used: &Access) -> bool {
        let goal = self.graph.node(used.instance, What::Version(used.inst));
        if let Some(known) = self.again.get(&(region, var, goal)) {
            return *known;
        }
        let answer = self.is_decided_again(region, var, goal);
        self.again.insert((region, var, goal), answer);
        answer
    }

    fn is_decided_again(&self, region: RegionId, var: VarId, goal: Node) -> bool {
        const MOST_NODES: usize = 2_000;
        let in_region = |node: Node| {
            let (instance, inst) = self.graph.place(self.regions, node);
            self.regions.instances.open(instance, inst).contains(&region)
        };
        let reads = self.reads.get(&var).into_iter().flatten();
        let starts = reads.map(|read| self.graph.node(read.instance, What::Version(read.inst)));
        let mut work: Vec<(Node, bool)> =
            starts.filter(|node| in_region(*node)).map(|node| (node, false)).collect();
        let mut seen: FxHashSet<(Node, bool)> = FxHashSet::default();
        while let Some((node, control)) = work.pop() {
            if node == goal && control {
                return true;
            }
            if seen.len() > MOST_NODES {
                return false;
            }
            for edge in self.graph.edges(node) {
                let state = (edge.to, control || edge.control);
                if in_region(edge.to) && seen.insert(state) {
                    work.push(state);
                }
            }
        }
        false
    }
}
