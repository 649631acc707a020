//! Which locks are held where: in each method by what it does itself, and at its entry by what all of its callers hold.
//! Both a sure answer (held on every path, by every caller) and, within a method, a possible one.
//!
//! A lock is known by its path ([`paths`]) or by the objects it may be. `tryLock` counts where its result was looked at.
//! Locks that a method takes and leaves held for its caller are not followed. `@GuardedBy` on a method says what its callers
//! hold, and is believed; `lockset-code` looks after that.

mod effects;
mod entry;
pub mod keys;
mod paths;

use program::ir::{Body, Condition, Op, Reg};
use program::{MethodId, Program};
use rustc_hash::FxHashMap;

pub use effects::{Change, Effects, LockOp, Mode};
pub use paths::{Base, LONGEST, Path, Paths, Stable};

use events::models::Models;
use program::points::Points;

/// A lock that a method uses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Which one.
    pub path: Path,
    /// A register that holds it.
    pub reg: Reg,
    /// How it is taken.
    pub mode: Mode,
    /// Is it a monitor?
    pub monitor: bool,
}

/// How a lock stands at a place: how often it is held at least and at most, and where it was taken first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Depth {
    /// On every path.
    pub least: u8,
    /// On some path.
    pub most: u8,
    /// The instruction that took it, if it is one; [`Depth::SEVERAL`] otherwise.
    pub since: u32,
}

impl Depth {
    /// Several instructions may have taken it.
    pub const SEVERAL: u32 = u32::MAX;
    const DEEPEST: u8 = 16;
}

/// What a method does with locks.
#[derive(Clone, Debug, Default)]
pub struct MethodLocks {
    /// Its locks.
    pub slots: Vec<Slot>,
    /// By instruction: what happens to which lock; no slot for a condition.
    pub ops: FxHashMap<u32, (Change, Option<usize>)>,
    /// By block: how locks stand at its start; empty where nothing leads.
    starts: Vec<Vec<Depth>>,
}

impl MethodLocks {
    /// Follows the locks of a body; `None` if it uses none.
    fn new(
        program: &Program,
        models: &Models,
        effects: &mut Effects,
        paths: &Paths<'_>,
        aliases: &Aliases,
        method: MethodId,
        body: &Body,
    ) -> Option<MethodLocks> {
        let class = program.method(method).owner;
        let mut found = MethodLocks::default();
        for (inst, number) in body.insts.iter().zip(0..) {
            let Some(op) = effects.of(program, models, class, body, &inst.op) else { continue };
            let slot = op.lock.map(|reg| found.slot(&op, reg, paths, aliases));
            found.ops.insert(number, (op.change, slot));
        }
        if found.ops.is_empty() {
            return None;
        }
        found.flow(body);
        Some(found)
    }

    fn slot(&mut self, op: &LockOp, reg: Reg, paths: &Paths<'_>, aliases: &Aliases) -> usize {
        let mut path = paths.of(reg);
        let mut mode = op.mode;
        if !op.monitor {
            if let Some(read) = paths.view(reg) {
                mode = if read { Mode::Read } else { Mode::Alone };
            } else if let Some(last) = path.fields.last()
                && let Some((lock, read)) = aliases.views.get(last)
            {
                path.fields.pop();
                path.fields.push(*lock);
                mode = if *read { Mode::Read } else { Mode::Alone };
            }
        }
        let known = |slot: &Slot| slot.path == path && slot.mode == mode && slot.monitor == op.monitor;
        self.slots.iter().position(known).unwrap_or_else(|| {
            self.slots.push(Slot { path, reg, mode, monitor: op.monitor });
            self.slots.len() - 1
        })
    }

    fn flow(&mut self, body: &Body) {
        self.starts = vec![Vec::new(); body.blocks.len()];
        // By block: the attempt whose result is still to be looked at there, on whichever way one came.
        let mut pending: Vec<Option<Attempt>> = vec![None; body.blocks.len()];
        let mut work = Vec::new();
        if let Some(entry) = self.starts.first_mut() {
            *entry = vec![Depth::default(); self.slots.len()];
            work.push(0u32);
        }
        // Depths only move apart, and are bounded; who took a lock is one place, and then several; attempts are only
        // forgotten: this ends.
        while let Some(number) = work.pop() {
            let id = program::ir::BlockId(number);
            let block = body.block(id);
            let Some(start) = self.starts.get(id.index()).cloned() else { continue };
            let mut state = start.clone();
            let mut tried = pending.get(id.index()).copied().flatten();
            for (inst, number) in body.insts(&block).iter().zip(block.insts.start..) {
                if let Some((change, Some(slot))) = self.ops.get(&number) {
                    // What happened to the lock meanwhile is not told apart from the attempt.
                    tried = tried.filter(|tried| tried.slot != *slot);
                    if *change == Change::Try {
                        tried =
                            Some(Attempt { result: inst.result, slot: *slot, inst: number, before: false });
                    }
                }
                self.step(number, &mut state);
            }
            let end = body.insts(&block).last().map(|inst| inst.op);
            for (edge, at) in body.edges(&block).iter().zip(0..) {
                let mut out = state.clone();
                let mut left = None;
                if let Some(tried) = tried
                    && let Some(depth) = out.get_mut(tried.slot)
                {
                    match end.and_then(|end| is_true(&end, tried.result, at)) {
                        Some(is_true) => tried.looked_at(depth, is_true),
                        None => left = Some(tried.passed_on(depth)),
                    }
                }
                self.join(edge.target.0, &out, left, &mut pending, &mut work);
            }
            for edge in body.catches(&block) {
                self.join(edge.target.0, &start, None, &mut pending, &mut work);
            }
        }
    }

    fn join(
        &mut self,
        target: u32,
        state: &[Depth],
        tried: Option<Attempt>,
        pending: &mut [Option<Attempt>],
        work: &mut Vec<u32>,
    ) {
        let Some(known) = self.starts.get_mut(target as usize) else { return };
        let Some(waiting) = pending.get_mut(target as usize) else { return };
        if known.is_empty() && !state.is_empty() {
            *known = state.to_vec();
            *waiting = tried;
            work.push(target);
            return;
        }
        let mut changed = false;
        if waiting.is_some() && *waiting != tried {
            *waiting = None;
            changed = true;
        }
        for (known, new) in known.iter_mut().zip(state) {
            let joined = Depth {
                least: known.least.min(new.least),
                most: known.most.max(new.most),
                since: match (known.most, new.most) {
                    // Where it was taken when it was held does not matter any more; kept, it would change for ever.
                    (0, 0) => 0,
                    (0, _) => new.since,
                    (_, 0) => known.since,
                    _ if known.since == new.since => known.since,
                    _ => Depth::SEVERAL,
                },
            };
            changed |= joined != *known;
            *known = joined;
        }
        if changed {
            work.push(target);
        }
    }

    /// How locks stand after an instruction.
    pub fn step(&self, inst: u32, state: &mut [Depth]) {
        let Some((change, Some(slot))) = self.ops.get(&inst) else { return };
        let Some(depth) = state.get_mut(*slot) else { return };
        match change {
            Change::Acquire | Change::Trial => take(depth, inst),
            Change::Release => {
                depth.least = depth.least.saturating_sub(1);
                depth.most = depth.most.saturating_sub(1);
            }
            Change::Try | Change::Wait => {}
        }
    }

    /// How locks stand where a block starts; empty where nothing leads.
    pub fn start(&self, block: program::ir::BlockId) -> &[Depth] {
        self.starts.get(block.index()).map(Vec::as_slice).unwrap_or_default()
    }

    /// How locks stand before each instruction of the body that can be reached.
    pub fn each(&self, body: &Body, mut see: impl FnMut(u32, &[Depth])) {
        for (id, block) in body.blocks() {
            let mut state = self.start(id).to_vec();
            if state.is_empty() && !self.slots.is_empty() {
                continue;
            }
            for (_, number) in body.insts(block).iter().zip(block.insts.start..) {
                see(number, &state);
                self.step(number, &mut state);
            }
        }
    }
}

fn take(depth: &mut Depth, inst: u32) {
    if depth.most == 0 {
        depth.since = inst;
    }
    depth.least = depth.least.saturating_add(1).min(Depth::DEEPEST);
    depth.most = depth.most.saturating_add(1).min(Depth::DEEPEST);
}

/// A lock that was tried to be taken, until it is looked at whether it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Attempt {
    /// Whether it was.
    result: Reg,
    slot: usize,
    inst: u32,
    /// Was it in an earlier block? Then the lock counts as perhaps held already.
    before: bool,
}

impl Attempt {
    /// It is looked at, and turns out to be so.
    fn looked_at(self, depth: &mut Depth, is_true: bool) {
        match (is_true, self.before) {
            (true, false) => take(depth, self.inst),
            (true, true) => depth.least = depth.least.saturating_add(1).min(depth.most),
            (false, false) => {}
            (false, true) => depth.most = depth.most.saturating_sub(1).max(depth.least),
        }
    }

    /// Nothing is known yet: the lock may be held.
    fn passed_on(self, depth: &mut Depth) -> Attempt {
        if !self.before {
            if depth.most == 0 {
                depth.since = self.inst;
            }
            depth.most = depth.most.saturating_add(1).min(Depth::DEEPEST);
        }
        Attempt { before: true, ..self }
    }
}

/// Whether an edge is taken when a register is true, or when it is false.
fn is_true(end: &Op, reg: Reg, edge: usize) -> Option<bool> {
    let Op::Branch { condition, left, right: Reg::NONE } = *end else { return None };
    if left != reg {
        return None;
    }
    match condition {
        Condition::NotEqual => Some(edge == 0),
        Condition::Equal => Some(edge == 1),
        _ => None,
    }
}

/// Fields that hold a view of a read/write lock that another field of the object holds.
#[derive(Default)]
struct Aliases {
    /// The lock's field, and whether the view is the one for readers.
    views: FxHashMap<program::FieldId, (program::FieldId, bool)>,
}

impl Aliases {
    fn new(program: &Program, points: &Points, stable: &Stable) -> Aliases {
        let mut aliases = Aliases::default();
        for method in program.input_methods() {
            if !matches!(program.names_of(method).0, "<init>" | "<clinit>") {
                continue;
            }
            let Some(body) = program.body(method) else { continue };
            let owner = program.method(method).owner;
            let paths = Paths::new(program, points, stable, method, body);
            // What the constructor puts where, for locks that it has in a register only.
            let put = |op: &Op| match *op {
                Op::Put { field, value, .. } | Op::PutStatic { field, value } => {
                    program.field_of(owner, field).map(|field| (field, value))
                }
                _ => None,
            };
            for (field, value) in body.insts.iter().filter_map(|inst| put(&inst.op)) {
                let Some(read) = paths.view(value) else { continue };
                let Some((_, Op::Call { arguments, .. })) = paths.definition(value) else { continue };
                let Some(lock) = body.list(arguments).first().copied() else { continue };
                let path = paths.of(lock);
                let direct = body.insts.iter().filter_map(|inst| put(&inst.op)).find(|put| put.1 == lock);
                let of_static = match path.base {
                    Base::Static(field) if path.fields.is_empty() => Some(field),
                    _ => None,
                };
                if let Some(lock) = path.fields.last().copied().or(of_static).or(direct.map(|put| put.0)) {
                    aliases.views.insert(field, (lock, read));
                }
            }
        }
        aliases
    }
}

/// What is held where, for all methods that are reached.
pub struct Locks {
    /// Which fields never change.
    pub stable: Stable,
    methods: FxHashMap<MethodId, MethodLocks>,
    /// By method: what is sure to be held when it begins.
    entries: Vec<Vec<Fact>>,
    /// The same, but for calls by who is making the method's object; none if there are no such calls.
    known: Option<Vec<Vec<Fact>>>,
    aliases: Aliases,
}

/// By method: what is sure to be held when it begins.
pub(super) struct Entries(Vec<Vec<Fact>>);

/// A lock that is sure to be held.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Fact {
    /// Which one.
    pub lock: Known,
    /// How.
    pub mode: Mode,
    /// Is it a monitor?
    pub monitor: bool,
}

/// How a lock is known.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Known {
    /// By its path, in the terms of the method.
    Path(Path),
    /// As one of some objects.
    Objects(Vec<u32>),
}

/// Larger sets tell nothing.
const MOST_OBJECTS: usize = 16;

impl Locks {
    /// Follows all locks.
    pub fn new(program: &Program, points: &Points, models: &Models) -> Locks {
        let stable = Stable::new(program);
        let aliases = Aliases::new(program, points, &stable);
        let mut effects = Effects::default();
        let mut methods = FxHashMap::default();
        for method in program.input_methods().filter(|method| points.is_reached(*method)) {
            let Some(body) = program.body(method) else { continue };
            let paths = Paths::new(program, points, &stable, method, body);
            let locks = MethodLocks::new(program, models, &mut effects, &paths, &aliases, method, body);
            if let Some(locks) = locks {
                methods.insert(method, locks);
            }
        }
        let mut locks = Locks { stable, methods, entries: Vec::new(), known: None, aliases };
        locks.entries = entry::entries(program, points, models, &locks, &|_, _| false);
        locks
    }

    /// What is sure to be held whenever methods begin, but for calls by somebody who is alone: what he holds says nothing
    /// about others.
    pub(super) fn entries_but(
        &self,
        program: &Program,
        points: &Points,
        models: &Models,
        is_alone: &dyn Fn(MethodId, u32) -> bool,
    ) -> Entries {
        Entries(entry::entries(program, points, models, self, is_alone))
    }

    /// Takes these from now on: for all, and for a method's own object once others know it.
    pub(super) fn set_entries(&mut self, all: Option<Entries>, known: Option<Entries>) {
        if let Some(Entries(all)) = all {
            self.entries = all;
        }
        self.known = known.map(|Entries(known)| known);
    }

    /// A path that ends with a view of a read/write lock leads to that lock.
    pub fn without_view(&self, mut path: Path) -> Path {
        if let Some((lock, _)) = path.fields.last().and_then(|last| self.aliases.views.get(last)) {
            path.fields.pop();
            path.fields.push(*lock);
        }
        path
    }

    /// What a method does with locks; `None` if nothing.
    pub fn of(&self, method: MethodId) -> Option<&MethodLocks> {
        self.methods.get(&method)
    }

    /// What is sure to be held whenever the method begins, in its terms.
    pub fn entry(&self, method: MethodId) -> &[Fact] {
        self.entries.get(method.index()).map(Vec::as_slice).unwrap_or_default()
    }

    /// What is sure to be held whenever the method begins on an object that others may know.
    pub fn entry_known(&self, method: MethodId) -> &[Fact] {
        match &self.known {
            Some(known) => known.get(method.index()).map(Vec::as_slice).unwrap_or_default(),
            None => self.entry(method),
        }
    }

    /// The facts about a lock of a method that is held.
    pub fn facts(&self, points: &Points, method: MethodId, slot: &Slot) -> Vec<Fact> {
        let Slot { path, reg, mode, monitor } = slot;
        let (mode, monitor) = (*mode, *monitor);
        let mut facts = vec![Fact { lock: Known::Path(path.clone()), mode, monitor }];
        // What comes from outside may be anything.
        let known = points.of(method, *reg).into_iter().flat_map(|set| set.iter());
        let objects: Vec<u32> =
            known.filter(|object| !points.is_anything(*object)).take(MOST_OBJECTS + 1).collect();
        if !objects.is_empty() && objects.len() <= MOST_OBJECTS {
            facts.push(Fact { lock: Known::Objects(objects), mode, monitor });
        }
        facts
    }

    /// All that is sure to be held in a method where its own locks stand so; `own`: for its object, once others know it.
    pub fn held(&self, points: &Points, method: MethodId, state: &[Depth], own: bool) -> Vec<Fact> {
        let mut facts = if own { self.entry_known(method) } else { self.entry(method) }.to_vec();
        if let Some(locks) = self.of(method) {
            for (slot, depth) in locks.slots.iter().zip(state) {
                if depth.least > 0 {
                    facts.extend(self.facts(points, method, slot));
                }
            }
        }
        facts
    }
}
