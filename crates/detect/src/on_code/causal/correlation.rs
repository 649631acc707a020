//! Direct and common correlation (MoTH, Definitions 1 and 2): paths in the graph of dependencies.
//!
//! With `--paper` any path counts. By default only those that a run can take: a value that goes into a method by one call
//! does not come out by another. Such a path first leads out of methods and then into methods; what lies between a call
//! and its return is one edge (see `through.rs`).

use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Edge, Graph, Kind, Node, What};
use crate::on_code::regions::RegionId;
use crate::on_code::regions::Regions;
use crate::on_code::regions::processes::Process;
use crate::on_code::regions::variables::VarId;

/// How many nodes one search may look at, and all together.
const MOST_NODES: usize = 20_000;
const ALL_NODES: usize = 4_000_000;

/// Which edges may follow, given that the path has gone into a method or not. What it is afterwards.
pub fn after(edge: &Edge, inside: bool, paper: bool) -> Option<bool> {
    match edge.kind {
        Kind::Within | Kind::Through => Some(inside),
        Kind::Call => Some(true),
        Kind::Return if paper || !inside => Some(false),
        Kind::Return => None,
    }
}

/// What is known of paths.
pub struct Correlation<'a, 'p> {
    regions: &'a Regions<'p>,
    graph: &'a Graph,
    paper: bool,
    /// Versions by region and variable.
    versions: FxHashMap<(RegionId, VarId), Vec<Node>>,
    /// What a process makes of what it reads in a region.
    reached: FxHashMap<(usize, RegionId, VarId), FxHashSet<Node>>,
    room: usize,
    /// Searches that were given up.
    pub given_up: u64,
}

impl<'a, 'p> Correlation<'a, 'p> {
    /// For a graph.
    pub fn new(regions: &'a Regions<'p>, graph: &'a Graph, paper: bool) -> Self {
        let mut versions: FxHashMap<(RegionId, VarId), Vec<Node>> = FxHashMap::default();
        for access in &regions.views.accesses {
            let node = graph.node(access.instance, What::Version(access.inst));
            for region in regions.instances.open(access.instance, access.inst) {
                versions.entry((*region, access.var)).or_default().push(node);
            }
        }
        Correlation {
            regions,
            graph,
            paper,
            versions,
            reached: FxHashMap::default(),
            room: ALL_NODES,
            given_up: 0,
        }
    }

    /// Is there something that depends both on one variable as a process reads it in one region, and on another as it
    /// reads it in another region?
    pub fn common(&mut self, process: usize, one: (RegionId, VarId), other: (RegionId, VarId)) -> bool {
        if one.1 == other.1 {
            return false;
        }
        self.search(process, one);
        self.search(process, other);
        let found = |of: (RegionId, VarId)| self.reached.get(&(process, of.0, of.1));
        let (Some(first), Some(second)) = (found(one), found(other)) else { return false };
        let (few, many) = if first.len() < second.len() { (first, second) } else { (second, first) };
        few.iter().any(|node| many.contains(node) && !self.is_version(*node, one.1, other.1))
    }

    /// Is it a version of one of these variables?
    fn is_version(&self, node: Node, one: VarId, other: VarId) -> bool {
        let (instance, what) = self.graph.what(node);
        let What::Version(inst) = what else { return false };
        let Some(found) = self.regions.instances.all.get(instance as usize) else { return false };
        let Some(op) = found.code.body.insts.get(inst as usize).map(|inst| inst.op) else { return false };
        let var = self.regions.variables.at(found.method, inst, &op).map(|(var, _)| var);
        var == Some(one) || var == Some(other)
    }

    fn search(&mut self, process: usize, (region, var): (RegionId, VarId)) {
        if self.reached.contains_key(&(process, region, var)) {
            return;
        }
        let runner: Option<&Process> = self.regions.processes.get(process);
        let runs = |node: Node| {
            let (instance, _) = self.graph.what(node);
            self.paper || runner.is_some_and(|runner| runner.runs_instance(instance))
        };
        let mut seen: FxHashSet<(Node, bool)> = FxHashSet::default();
        let mut found = FxHashSet::default();
        let mut given_up = false;
        let starts = self.versions.get(&(region, var)).cloned().unwrap_or_default();
        let mut work: Vec<(Node, bool)> =
            starts.into_iter().filter(|node| runs(*node)).map(|node| (node, false)).collect();
        while let Some((node, inside)) = work.pop() {
            if found.len() >= MOST_NODES.min(self.room) {
                given_up = true;
                break;
            }
            for edge in self.graph.edges(node) {
                let Some(inside) = after(edge, inside, self.paper) else { continue };
                if runs(edge.to) && seen.insert((edge.to, inside)) {
                    found.insert(edge.to);
                    work.push((edge.to, inside));
                }
            }
        }
        self.room -= found.len().min(self.room);
        self.given_up += u64::from(given_up);
        self.reached.insert((process, region, var), found);
    }
}
