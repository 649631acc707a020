//! What the program's own thread does while it is alone: before it has started a thread, and after it has waited for all
//! of them. Threads are known by where they were made: waiting for one of a place counts as waiting for all of that place,
//! since a loop that joins threads joins all of them. Executors are alone again once they have terminated.

use std::collections::BTreeSet;

use events::models::Action;
use program::ir::{BlockId, Edges, Op, Reg, Shape};
use program::{MethodId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Given;
use super::body::related;
use super::instances::Instances;

/// Something that nobody waits for.
const UNKNOWN: u32 = u32::MAX;

/// Threads and executors that may be at work, by their objects.
type Running = BTreeSet<u32>;

/// Loops of one body that are looked at for threads that are waited for.
const MOST_LOOPS: usize = 64;

enum Change {
    Start(Option<Reg>),
    Join(Reg),
}

/// The walk through what the program's own thread does.
pub struct Quiet<'g, 'p> {
    given: &'g Given<'p>,
    instances: &'g Instances<'p>,
    /// Methods that may start a thread, or call one that does.
    starters: FxHashSet<MethodId>,
    /// What runs after an instance that was entered alone; none while it is being walked.
    after: FxHashMap<u32, Option<Running>>,
    walked: FxHashMap<u32, Vec<bool>>,
    active: Vec<u32>,
}

impl<'g, 'p> Quiet<'g, 'p> {
    pub fn new(given: &'g Given<'p>, instances: &'g Instances<'p>) -> Self {
        let mut starters = FxHashSet::default();
        for instance in &instances.all {
            let insts = instance.code.body.insts.iter();
            let starts = |op: &Op| matches!(change(given, instance.method, op), Some(Change::Start(_)));
            if insts.into_iter().any(|inst| starts(&inst.op)) {
                starters.insert(instance.method);
            }
        }
        let mut grown = true;
        while grown {
            grown = false;
            for instance in instances.all.iter().filter(|instance| !instance.calls.is_empty()) {
                let calls_one = instance.calls.iter().any(|(_, callee)| {
                    instances.all.get(*callee as usize).is_some_and(|c| starters.contains(&c.method))
                });
                grown |= calls_one && starters.insert(instance.method);
            }
        }
        Quiet {
            given,
            instances,
            starters,
            after: FxHashMap::default(),
            walked: FxHashMap::default(),
            active: Vec::new(),
        }
    }

    /// Walks a `main`.
    pub fn start(&mut self, instance: u32) {
        self.walk(instance, 0);
    }

    /// For each instance that was entered alone, which instructions run alone; and the instances that run beside others.
    pub fn finish(self) -> (FxHashMap<u32, Vec<bool>>, Vec<u32>) {
        (self.walked, self.active)
    }

    fn walk(&mut self, number: u32, depth: u32) -> Running {
        let unknown = || Running::from([UNKNOWN]);
        match self.after.get(&number) {
            Some(Some(known)) => return known.clone(),
            Some(None) => return unknown(),
            None => {}
        }
        let Some(instance) = self.instances.all.get(number as usize) else { return unknown() };
        if depth > 32 {
            self.active.push(number);
            return unknown();
        }
        self.after.insert(number, None);
        let body = instance.code.body;
        // What callees leave running, each looked at once.
        let mut left: FxHashMap<u32, Running> = FxHashMap::default();
        for (inst, callee) in &instance.calls {
            let starts = self
                .instances
                .all
                .get(*callee as usize)
                .is_some_and(|callee| self.starters.contains(&callee.method));
            if starts {
                let running = self.walk(*callee, depth + 1);
                left.entry(*inst).or_default().extend(running);
            }
        }
        let loops = Loops::new(body);
        let joined: Vec<Running> =
            loops.bodies.iter().map(|(_, blocks)| self.joined(instance.method, body, blocks)).collect();
        let mut states: Vec<Option<Running>> = vec![None; body.blocks.len()];
        if let Some(first) = states.first_mut() {
            *first = Some(Running::new());
        }
        let mut work = vec![BlockId::ENTRY];
        let mut result = Running::new();
        while let Some(id) = work.pop() {
            let Some(mut running) = states.get(id.index()).cloned().flatten() else { continue };
            let block = body.block(id);
            for (inst, at) in body.insts(&block).iter().zip(block.insts.start..) {
                self.step(instance.method, &inst.op, at, &left, &mut running);
                if let Op::Return { .. } = inst.op {
                    result.extend(&running);
                }
            }
            for edge in body.all_edges(&block) {
                let mut next = running.clone();
                for ((_, blocks), joined) in loops.bodies.iter().zip(&joined) {
                    if blocks.contains(&id) && !blocks.contains(&edge.target) {
                        next.retain(|object| !joined.contains(object));
                    }
                }
                let Some(place) = states.get_mut(edge.target.index()) else { continue };
                let known = place.get_or_insert_with(|| {
                    work.push(edge.target);
                    next.clone()
                });
                let before = known.len();
                known.extend(next);
                if known.len() > before {
                    work.push(edge.target);
                }
            }
        }
        let mut quiet = vec![true; body.insts.len()];
        for (block, state) in body.blocks.iter().zip(&states) {
            let Some(mut running) = state.clone() else { continue };
            for (inst, at) in body.insts(block).iter().zip(block.insts.start..) {
                if let Some(place) = quiet.get_mut(at as usize) {
                    *place = running.is_empty();
                }
                self.step(instance.method, &inst.op, at, &left, &mut running);
            }
        }
        for (inst, callee) in &instance.calls {
            if !quiet.get(*inst as usize).copied().unwrap_or_default() {
                self.active.push(*callee);
            }
        }
        self.walked.insert(number, quiet);
        self.after.insert(number, Some(result.clone()));
        result
    }

    fn step(
        &self,
        method: MethodId,
        op: &Op,
        at: u32,
        left: &FxHashMap<u32, Running>,
        running: &mut Running,
    ) {
        if let Some(more) = left.get(&at) {
            running.extend(more);
        }
        let objects = |reg: Reg| self.given.points.of(method, reg).into_iter().flat_map(|set| set.iter());
        match change(self.given, method, op) {
            Some(Change::Start(Some(reg))) => {
                let before = running.len();
                running.extend(objects(reg));
                if running.len() == before && objects(reg).next().is_none() {
                    running.insert(UNKNOWN);
                }
            }
            Some(Change::Start(None)) => {
                running.insert(UNKNOWN);
            }
            Some(Change::Join(reg)) => {
                for object in objects(reg) {
                    running.remove(&object);
                }
            }
            None => {}
        }
    }

    /// What is waited for in some blocks.
    fn joined(&self, method: MethodId, body: &program::ir::Body, blocks: &FxHashSet<BlockId>) -> Running {
        let mut found = Running::new();
        for block in blocks {
            for inst in body.insts(&body.block(*block)) {
                if let Some(Change::Join(reg)) = change(self.given, method, &inst.op) {
                    found.extend(self.given.points.of(method, reg).into_iter().flat_map(|set| set.iter()));
                }
            }
        }
        found
    }
}

/// Does an instruction start a thread, or wait for one?
fn change(given: &Given<'_>, method: MethodId, op: &Op) -> Option<Change> {
    let program: &Program = given.program;
    let Op::Call { method: named, arguments, kind } = *op else { return None };
    let class = program.method(method).owner;
    let table = &program.class(class).code.table;
    let (owner, name, descriptor) = table.names(table.method(named)?);
    let body = program.body(method)?;
    let receiver = body.list(arguments).first().copied().filter(|_| kind != program::ir::CallKind::Static);
    let is = |above: &str| match (program.class_named(owner), program.class_named(above)) {
        (Some(owner), Some(above)) => program.is_below(owner, above),
        _ => owner == above,
    };
    match (name, descriptor) {
        ("start", "()V") if is("java/lang/Thread") => return Some(Change::Start(receiver)),
        ("join", "()V") if is("java/lang/Thread") => return receiver.map(Change::Join),
        ("awaitTermination" | "close", _) if is("java/util/concurrent/ExecutorService") => {
            return receiver.map(Change::Join);
        }
        // It waits itself for what it starts.
        ("<init>" | "invokeAll" | "invokeAny", _) => return None,
        _ => {}
    }
    let mut lines = given.models.calls(name, descriptor).filter(|line| related(program, owner, &line.class));
    let later = |action: &Action| matches!(action, Action::Runs { now: false, .. } | Action::Fork(_));
    lines
        .any(|line| line.effects.iter().any(|effect| later(&effect.action)))
        .then_some(Change::Start(receiver))
}

/// The loops of a body: heads and blocks.
struct Loops {
    bodies: Vec<(BlockId, FxHashSet<BlockId>)>,
}

impl Loops {
    fn new(body: &program::ir::Body) -> Loops {
        let shape = Shape::new(body, Edges::Normal);
        let intervals = shape.intervals();
        let dominates = |above: BlockId, below: BlockId| match (
            intervals.get(above.index()),
            intervals.get(below.index()),
        ) {
            (Some(above), Some(below)) => above.0 <= below.0 && below.1 <= above.1,
            _ => false,
        };
        let mut bodies: Vec<(BlockId, FxHashSet<BlockId>)> = Vec::new();
        for (id, block) in body.blocks() {
            for edge in body.edges(block) {
                let is_back = shape.is_reached(id) && dominates(edge.target, id);
                if !is_back || bodies.len() >= MOST_LOOPS {
                    continue;
                }
                let head = edge.target;
                let mut blocks = FxHashSet::from_iter([head]);
                let mut work = vec![id];
                while let Some(at) = work.pop() {
                    if blocks.insert(at) {
                        work.extend(shape.predecessors(at));
                    }
                }
                bodies.push((head, blocks));
            }
        }
        Loops { bodies }
    }
}
