//! The graph of causal dependencies (MoTH, section 4): an edge from x to y says that the value of x influences what is
//! written to y. Figure 4 gives the edges of data, Figure 5 those of control; both are built here for the register code.
//!
//! Registers are set once, so that a register is its own version. A version of a global variable is the instruction that
//! writes it, or the one that reads what comes from elsewhere. A **guard** stands for the conditions under which a block
//! runs (the paper's IS), from post-dominators; the guard of a method's first block holds what its callers say.
//!
//! As in the paper a value does not depend on the object whose field it was, and a call not on its receiver. A library's
//! method gives back what depends on all it was given, and its object keeps it.

use std::collections::VecDeque;

use program::ir::{BlockId, CallKind, Control, Edges, Op, Reg};
use rustc_hash::FxHashMap;

use super::heap::{self, ELSEWHERE, Heap};
use crate::on_code::regions::Regions;
use crate::on_code::regions::instances::{Instance, Instances, is_static};
use crate::on_code::regions::paths::Defs;
use crate::on_code::regions::variables::{Use, VarId};

use What::{Exit, Guard, Register, Returned, Version};

/// A node.
pub type Node = u32;

/// How an edge came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Within one instance.
    Within,
    /// From a caller to the instance it calls.
    Call,
    /// From an instance to its caller.
    Return,
    /// From what a call is given to what it gives back, by way of the callee.
    Through,
}

/// An edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// Where it leads.
    pub to: Node,
    /// How it came to be.
    pub kind: Kind,
    /// Is it a condition that decides whether something happens?
    pub control: bool,
    /// For calls: the instruction of the caller.
    pub inst: u32,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum What {
    /// A register.
    Register(Reg),
    /// The conditions under which a block runs.
    Guard(BlockId),
    /// What the method returns.
    Returned,
    /// The version of a variable at an instruction: written there, or read there as it was before.
    Version(u32),
    /// The version of a variable at the method's end.
    Exit(VarId),
}

/// Where the nodes of an instance start.
struct Layout {
    base: Node,
    regs: u32,
    blocks: u32,
}

/// The graph.
pub struct Graph {
    layouts: Vec<Layout>,
    exits: FxHashMap<(u32, VarId), Node>,
    exit_of: Vec<(u32, VarId)>,
    first_exit: Node,
    /// By node, without those of exits.
    instance_of: Vec<u32>,
    starts: Vec<u32>,
    edges: Vec<Edge>,
}

/// A call, with what goes in and out.
pub(super) struct Site {
    pub caller: u32,
    pub callee: u32,
    /// Given node, node of the callee, whether it is a condition.
    pub ins: Vec<(Node, Node, bool)>,
    /// Node of the callee, node of the caller.
    pub outs: Vec<(Node, Node)>,
}

/// The graph being built.
pub(super) struct Builder<'a, 'p> {
    regions: &'a Regions<'p>,
    pub graph: Graph,
    pub found: Vec<(Node, Edge)>,
    /// Instruction and call.
    pub sites: Vec<(u32, Site)>,
    paper: bool,
}

/// How many instructions the graph is made of: those closest to regions. The instances beyond are left out.
const MOST_INSTS: usize = 400_000;

/// Which instances there is room for: those with regions first, then what calls them or is called by them, and so on.
fn chosen(instances: &Instances<'_>, room: usize) -> Vec<bool> {
    let all = &instances.all;
    let size = |instance: &Instance<'_>| instance.code.body.insts.len();
    if all.iter().map(size).sum::<usize>() <= room {
        return vec![true; all.len()];
    }
    let mut callers: Vec<Vec<u32>> = vec![Vec::new(); all.len()];
    for (number, instance) in (0u32..).zip(all) {
        for (_, callee) in &instance.calls {
            if let Some(callers) = callers.get_mut(*callee as usize) {
                callers.push(number);
            }
        }
    }
    let has_region =
        |instance: &Instance<'_>| !instance.open(0).is_empty() || instance.starts().next().is_some();
    let mut queue: VecDeque<u32> =
        (0u32..).zip(all).filter(|(_, instance)| has_region(instance)).map(|(number, _)| number).collect();
    let mut met = vec![false; all.len()];
    let mut chosen = vec![false; all.len()];
    let mut left = room;
    while let Some(number) = queue.pop_front() {
        let Some(instance) = all.get(number as usize) else { continue };
        if met.get_mut(number as usize).is_none_or(|met| std::mem::replace(met, true)) {
            continue;
        }
        // A large one is left out, so that smaller ones have room.
        if size(instance) > left {
            continue;
        }
        left -= size(instance);
        if let Some(chosen) = chosen.get_mut(number as usize) {
            *chosen = true;
        }
        queue.extend(instance.calls.iter().map(|(_, callee)| *callee));
        queue.extend(callers.get(number as usize).into_iter().flatten());
    }
    chosen
}

impl Graph {
    /// Builds the graph of all instances; says how many are missing in whole or in part.
    pub fn new(regions: &Regions<'_>, paper: bool) -> (Graph, u64) {
        let chosen = chosen(&regions.instances, MOST_INSTS);
        let (heaps, too_large) = heap::follow(&regions.instances, &chosen, &regions.variables, paper);
        let none = Heap::default();
        let heap_of = |instance: &Instance<'_>| heaps.get(&instance.method).map_or(&none, |heap| &**heap);
        let mut graph = Graph {
            layouts: Vec::new(),
            exits: FxHashMap::default(),
            exit_of: Vec::new(),
            first_exit: 0,
            instance_of: Vec::new(),
            starts: Vec::new(),
            edges: Vec::new(),
        };
        let mut next: Node = 0;
        let mut left_out = too_large + heaps.values().filter(|heap| heap.is_cut).count() as u64;
        for ((number, instance), chosen) in (0u32..).zip(&regions.instances.all).zip(&chosen) {
            let body = instance.code.body;
            let (regs, blocks) = (body.kinds.len() as u32, body.blocks.len() as u32);
            let size = regs + blocks + 1 + body.insts.len() as u32;
            if !chosen {
                left_out += 1;
                graph.layouts.push(Layout { base: next, regs: 0, blocks: 0 });
                continue;
            }
            graph.layouts.push(Layout { base: next, regs, blocks });
            next += size;
            graph.instance_of.resize(next as usize, number);
        }
        graph.first_exit = next;
        for (number, instance) in (0u32..).zip(&regions.instances.all) {
            if !chosen.get(number as usize).copied().unwrap_or_default() {
                continue;
            }
            for var in heap_of(instance).exits.keys() {
                graph.exits.insert((number, *var), graph.first_exit + graph.exit_of.len() as u32);
                graph.exit_of.push((number, *var));
            }
        }
        let mut builder = Builder { regions, graph, found: Vec::new(), sites: Vec::new(), paper };
        for (number, instance) in (0u32..).zip(&regions.instances.all) {
            if builder.graph.layout(number).regs + builder.graph.layout(number).blocks > 0 {
                builder.add(number, instance, heap_of(instance));
            }
        }
        if !paper && !super::through::add(&mut builder) {
            left_out += 1;
        }
        (builder.finish(), left_out)
    }

    fn layout(&self, instance: u32) -> &Layout {
        static NONE: Layout = Layout { base: 0, regs: 0, blocks: 0 };
        self.layouts.get(instance as usize).unwrap_or(&NONE)
    }

    /// The node of something in an instance.
    pub fn node(&self, instance: u32, what: What) -> Node {
        let layout = self.layout(instance);
        if layout.blocks == 0 {
            return Node::MAX;
        }
        layout.base
            + match what {
                Register(reg) => reg.0,
                Guard(block) => layout.regs + block.0,
                Returned => layout.regs + layout.blocks,
                Version(inst) => layout.regs + layout.blocks + 1 + inst,
                Exit(var) => {
                    return self.exits.get(&(instance, var)).copied().unwrap_or(Node::MAX);
                }
            }
    }

    /// What a node is, and of which instance.
    pub fn what(&self, node: Node) -> (u32, What) {
        if node >= self.first_exit {
            let known = self.exit_of.get((node - self.first_exit) as usize);
            return known.map_or((u32::MAX, Returned), |(instance, var)| (*instance, Exit(*var)));
        }
        let instance = self.instance_of.get(node as usize).copied().unwrap_or(u32::MAX);
        let layout = self.layout(instance);
        let at = node - layout.base;
        let what = if at < layout.regs {
            Register(Reg(at))
        } else if at < layout.regs + layout.blocks {
            Guard(BlockId(at - layout.regs))
        } else if at == layout.regs + layout.blocks {
            Returned
        } else {
            Version(at - layout.regs - layout.blocks - 1)
        };
        (instance, what)
    }

    /// The instruction at which a node gets its value, for finding the regions around it; [`Defs::ENTRY`] if it belongs
    /// to the method as a whole.
    pub fn place(&self, regions: &Regions<'_>, node: Node) -> (u32, u32) {
        let (number, what) = self.what(node);
        let Some(instance) = regions.instances.all.get(number as usize) else { return (number, Defs::ENTRY) };
        let place = match what {
            Register(reg) => instance.code.defs.place(reg),
            Guard(BlockId::ENTRY) | Returned | Exit(_) => Defs::ENTRY,
            Guard(block) => instance.code.body.block(block).insts.start,
            Version(inst) => inst,
        };
        (number, place)
    }

    /// The edges from a node.
    pub fn edges(&self, node: Node) -> &[Edge] {
        let at = |index: usize| self.starts.get(index).copied().unwrap_or_default() as usize;
        self.edges.get(at(node as usize)..at(node as usize + 1)).unwrap_or_default()
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.first_exit as usize + self.exit_of.len()
    }
}

/// What an instruction of an instance calls; calls are in the order of instructions.
fn calls_at<'i>(instance: &'i Instance<'_>, at: u32) -> &'i [(u32, u32)] {
    let start = instance.calls.partition_point(|(inst, _)| *inst < at);
    let after = instance.calls.get(start..).unwrap_or_default();
    let count = after.iter().take_while(|(inst, _)| *inst == at).count();
    after.get(..count).unwrap_or_default()
}

impl Builder<'_, '_> {
    fn edge(&mut self, from: Node, to: Node, control: bool) {
        if from != Node::MAX && to != Node::MAX && from != to {
            self.found.push((from, Edge { to, kind: Kind::Within, control, inst: 0 }));
        }
    }

    fn data(&mut self, instance: u32, from: Reg, to: Node) {
        if from.is_some() {
            let from = self.graph.node(instance, Register(from));
            self.edge(from, to, false);
        }
    }

    fn add(&mut self, number: u32, instance: &Instance<'_>, heap: &Heap) {
        let body = instance.code.body;
        let control = Control::new(body, Edges::Normal);
        for (id, block) in body.blocks() {
            let guard = self.graph.node(number, Guard(id));
            self.edge(self.graph.node(number, Guard(BlockId::ENTRY)), guard, true);
            for decider in control.of(id) {
                self.edge(self.graph.node(number, Guard(decider)), guard, true);
                let decides = body.block(decider);
                if let Some(last) = body.insts(&decides).last() {
                    for reg in body.uses(&last.op) {
                        let from = self.graph.node(number, Register(reg));
                        self.edge(from, guard, true);
                    }
                }
            }
            for edge in body.all_edges(block) {
                let params = body.list(body.block(edge.target).params);
                for (param, argument) in params.iter().zip(body.list(edge.arguments)) {
                    let to = self.graph.node(number, Register(*param));
                    self.data(number, *argument, to);
                    self.edge(guard, to, true);
                }
            }
            for (inst, at) in body.insts(block).iter().zip(block.insts.start..) {
                self.inst(number, instance, heap, guard, at, inst);
            }
        }
        for (var, versions) in &heap.exits {
            let exit = self.graph.node(number, Exit(*var));
            for version in versions.iter().filter(|version| **version != ELSEWHERE) {
                self.version(number, instance, *var, *version, exit);
            }
        }
    }

    /// Lets what a variable got at an instruction flow on: a write, or a call that wrote it.
    fn version(&mut self, number: u32, instance: &Instance<'_>, var: VarId, at: u32, to: Node) {
        let calls = calls_at(instance, at);
        if calls.is_empty() {
            let from = self.graph.node(number, Version(at));
            self.edge(from, to, false);
            return;
        }
        for (_, callee) in calls {
            let from = self.graph.node(*callee, Exit(var));
            if from != Node::MAX {
                let edge = Edge { to, kind: Kind::Return, control: false, inst: at };
                self.found.push((from, edge));
                let site = Site { caller: number, callee: *callee, ins: Vec::new(), outs: vec![(from, to)] };
                self.add_site(at, site);
            }
        }
    }

    fn inst(
        &mut self,
        number: u32,
        instance: &Instance<'_>,
        heap: &Heap,
        guard: Node,
        at: u32,
        inst: &program::ir::Inst,
    ) {
        let body = instance.code.body;
        let result = match inst.result.is_some() {
            true => self.graph.node(number, Register(inst.result)),
            false => Node::MAX,
        };
        self.edge(guard, result, true);
        let used = self.regions.variables.at(instance.method, at, &inst.op);
        let version = self.graph.node(number, Version(at));
        if let Some((var, Use::Read | Use::Both)) = used {
            for source in heap.reads.get(&at).map(Vec::as_slice).unwrap_or(&[ELSEWHERE]) {
                match *source {
                    ELSEWHERE if used.is_some_and(|(_, how)| how == Use::Both) => {}
                    ELSEWHERE => self.edge(version, result, false),
                    source => self.version(number, instance, var, source, result),
                }
            }
        }
        match inst.op {
            Op::Get { .. } | Op::GetStatic { .. } | Op::Enter { .. } | Op::Exit { .. } => {}
            Op::Load { index, .. } => self.data(number, index, result),
            Op::Put { value, .. } | Op::PutStatic { value, .. } => {
                self.data(number, value, version);
                self.edge(guard, version, true);
            }
            Op::Store { index, value, .. } => {
                self.data(number, value, version);
                self.data(number, index, version);
                self.edge(guard, version, true);
            }
            Op::Return { value } => {
                let to = self.graph.node(number, Returned);
                self.data(number, value, to);
                self.edge(guard, to, true);
            }
            Op::Call { kind, arguments, .. } => {
                let arguments = body.list(arguments);
                if calls_at(instance, at).is_empty() {
                    let own = usize::from(kind != CallKind::Static);
                    for reg in arguments.iter().skip(own) {
                        self.data(number, *reg, version);
                    }
                    for reg in arguments {
                        self.data(number, *reg, result);
                    }
                } else {
                    self.calls(number, instance, at, arguments, guard, result);
                }
            }
            Op::Closure { captured, .. } => {
                let captured = body.list(captured);
                for reg in captured {
                    self.data(number, *reg, result);
                }
                self.calls(number, instance, at, captured, guard, result);
            }
            _ => {
                for reg in body.uses(&inst.op) {
                    self.data(number, reg, result);
                }
            }
        }
    }

    /// The edges into and out of the methods that an instruction calls.
    fn calls(
        &mut self,
        number: u32,
        instance: &Instance<'_>,
        at: u32,
        arguments: &[Reg],
        guard: Node,
        result: Node,
    ) {
        for (_, callee) in calls_at(instance, at) {
            let Some(target) = self.regions.instances.all.get(*callee as usize) else { continue };
            let receiver = usize::from(!is_static(self.regions.given.program, target.method));
            let mut ins = vec![(guard, self.graph.node(*callee, Guard(BlockId::ENTRY)), true)];
            let params = target.code.body.params();
            for (param, argument) in params.iter().zip(arguments).skip(receiver) {
                if argument.is_some() {
                    let from = self.graph.node(number, Register(*argument));
                    ins.push((from, self.graph.node(*callee, Register(*param)), false));
                }
            }
            let mut outs = Vec::new();
            if result != Node::MAX {
                outs.push((self.graph.node(*callee, Returned), result));
            }
            for (from, to, control) in &ins {
                self.found.push((*from, Edge { to: *to, kind: Kind::Call, control: *control, inst: at }));
            }
            for (from, to) in &outs {
                self.found.push((*from, Edge { to: *to, kind: Kind::Return, control: false, inst: at }));
            }
            self.add_site(at, Site { caller: number, callee: *callee, ins, outs });
        }
    }

    fn add_site(&mut self, at: u32, site: Site) {
        if !self.paper {
            self.sites.push((at, site));
        }
    }

    fn finish(self) -> Graph {
        let Builder { mut graph, mut found, .. } = self;
        found.retain(|(from, edge)| *from != Node::MAX && edge.to != Node::MAX);
        found.sort_unstable();
        found.dedup();
        let mut starts = vec![0u32; graph.len() + 1];
        for (from, _) in &found {
            if let Some(place) = starts.get_mut(*from as usize + 1) {
                *place += 1;
            }
        }
        let mut sum = 0;
        for place in &mut starts {
            sum += *place;
            *place = sum;
        }
        graph.starts = starts;
        graph.edges = found.into_iter().map(|(_, edge)| edge).collect();
        graph
    }
}
