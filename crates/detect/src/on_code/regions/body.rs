//! The regions of one body: from taking a lock to giving it up, by `enter` and `exit` or by calls that model tables call
//! acquire and release. `wait` ends a region and starts another. Where paths with different locks meet, only the locks
//! held on all of them count. Locks that are only tried for (`tryLock`) start no region.

use events::models::{Action, Base, Condition, LockMode, Models};
use program::ir::{Body, Op, Reg, Values};
use program::{ClassId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// Deeper nesting is not followed, and a gap.
const DEEPEST: usize = 16;

/// A region as its body has it.
#[derive(Clone, Debug)]
pub struct Local {
    /// The instruction that starts it; [`Local::METHOD`] if the whole method is one.
    pub start: u32,
    /// The register that holds the lock.
    pub lock: Option<Reg>,
    /// The region that `wait` ended when it started this one.
    pub instead_of: Option<u32>,
    /// Is the lock one that calls take and give up?
    by_call: bool,
}

impl Local {
    /// The start of a region that is a whole method.
    pub const METHOD: u32 = u32::MAX;
}

/// The regions of a body, and which are open where.
#[derive(Debug, Default)]
pub struct BodyRegions {
    /// All that were found.
    pub regions: Vec<Local>,
    open: Vec<u32>,
    lists: Vec<Vec<u32>>,
    /// How many more there are, too deep in others.
    pub too_deep: u64,
}

/// What an instruction does to locks.
enum Change {
    Take(Reg, bool),
    Give(Reg, bool),
    Wait(Option<Reg>),
}

/// What finds the regions of a body.
pub struct Finder<'p> {
    /// The program.
    pub program: &'p Program,
    /// Which calls take and give up locks.
    pub models: &'p Models,
    /// The class whose code it is.
    pub owner: ClassId,
    /// The body.
    pub body: &'p Body,
    /// Which registers hold the same object.
    pub values: &'p Values,
}

#[derive(Default)]
struct State {
    regions: Vec<Local>,
    by_start: FxHashMap<u32, u32>,
    /// Regions that turned out to be one.
    same: Vec<u32>,
    /// Instructions that start a region too deep in others.
    too_deep: FxHashSet<u32>,
}

impl State {
    fn find(&self, mut region: u32) -> u32 {
        while let Some(next) = self.same.get(region as usize).copied().filter(|next| *next != region) {
            region = next;
        }
        region
    }

    /// The region that starts at an instruction.
    fn start(&mut self, start: u32, lock: Option<Reg>, by_call: bool, instead_of: Option<u32>) -> u32 {
        if let Some(known) = self.by_start.get(&start) {
            return *known;
        }
        self.by_start.insert(start, self.regions.len() as u32);
        self.regions.push(Local { start, lock, instead_of, by_call });
        self.same.push(self.same.len() as u32);
        self.same.len() as u32 - 1
    }
}

impl Finder<'_> {
    /// Finds them. `whole`: the method itself is a region.
    pub fn find(&self, whole: bool) -> BodyRegions {
        let mut state = State::default();
        let first = if whole { vec![state.start(Local::METHOD, None, false, None)] } else { Vec::new() };
        let mut starts: Vec<Option<Vec<u32>>> = vec![None; self.body.blocks.len()];
        if let Some(entry) = starts.first_mut() {
            *entry = Some(first);
        }
        let mut work = vec![0usize];
        while let Some(number) = work.pop() {
            let Some(block) = self.body.blocks.get(number) else { continue };
            let Some(before) = starts.get(number).cloned().flatten() else { continue };
            let mut after = before.clone();
            for (inst, at) in self.body.insts(block).iter().zip(block.insts.start..) {
                self.step(&mut state, &mut after, &inst.op, at);
            }
            let normal = self.body.edges(block).iter().map(|edge| (edge.target, &after));
            let thrown = self.body.catches(block).iter().map(|edge| (edge.target, &before));
            for (target, held) in normal.chain(thrown) {
                let Some(place) = starts.get_mut(target.index()) else { continue };
                let merged = match place {
                    None => held.clone(),
                    Some(old) => self.meet(&mut state, old, held),
                };
                if place.as_ref() != Some(&merged) {
                    *place = Some(merged);
                    work.push(target.index());
                }
            }
        }
        self.list(&mut state, &starts)
    }

    /// What is open at each instruction.
    fn list(&self, state: &mut State, starts: &[Option<Vec<u32>>]) -> BodyRegions {
        let mut found = BodyRegions {
            open: vec![0; self.body.insts.len()],
            lists: vec![Vec::new()],
            regions: Vec::new(),
            too_deep: 0,
        };
        let mut numbers: FxHashMap<Vec<u32>, u32> = FxHashMap::from_iter([(Vec::new(), 0)]);
        for (block, held) in self.body.blocks.iter().zip(starts) {
            let mut held = held.clone().unwrap_or_default();
            for (inst, at) in self.body.insts(block).iter().zip(block.insts.start..) {
                let list: Vec<u32> = held.iter().map(|region| state.find(*region)).collect();
                let number = *numbers.entry(list.clone()).or_insert_with(|| {
                    found.lists.push(list);
                    found.lists.len() as u32 - 1
                });
                if let Some(place) = found.open.get_mut(at as usize) {
                    *place = number;
                }
                self.step(state, &mut held, &inst.op, at);
            }
        }
        found.regions = std::mem::take(&mut state.regions);
        found.too_deep = state.too_deep.len() as u64;
        found
    }

    /// The locks held on both paths.
    fn meet(&self, state: &mut State, one: &[u32], other: &[u32]) -> Vec<u32> {
        let mut both = Vec::new();
        for (one, other) in one.iter().zip(other) {
            let (one, other) = (state.find(*one), state.find(*other));
            if one != other {
                let lock = |region: u32| state.regions.get(region as usize).and_then(|region| region.lock);
                let alike = match (lock(one), lock(other)) {
                    (Some(one), Some(other)) => self.values.same(one, other),
                    _ => false,
                };
                if !alike {
                    break;
                }
                // The one that comes first in the code names both: `wait` in a loop that checks again.
                let (low, high) = (one.min(other), one.max(other));
                if let Some(place) = state.same.get_mut(high as usize) {
                    *place = low;
                }
            }
            both.push(state.find(one));
        }
        both
    }

    fn step(&self, state: &mut State, held: &mut Vec<u32>, op: &Op, at: u32) {
        let Some(change) = self.change(op) else { return };
        let last = |state: &State, held: &[u32], lock: Option<Reg>, by_call: bool| {
            let of = |region: &u32| state.regions.get(*region as usize).filter(|r| r.by_call == by_call);
            let same = held.iter().rposition(|region| {
                of(region)
                    .and_then(|region| region.lock)
                    .zip(lock)
                    .is_some_and(|(a, b)| self.values.same(a, b))
            });
            // The view of a read/write lock is asked for anew each time: the last one taken is meant.
            same.or_else(|| by_call.then(|| held.iter().rposition(|region| of(region).is_some())).flatten())
        };
        match change {
            Change::Take(lock, by_call) if held.len() < DEEPEST => {
                held.push(state.start(at, Some(lock), by_call, None));
            }
            Change::Take(..) => {
                state.too_deep.insert(at);
            }
            Change::Give(lock, by_call) => {
                if let Some(found) = last(state, held, Some(lock), by_call) {
                    held.remove(found);
                }
            }
            Change::Wait(lock) => {
                let found = last(state, held, lock, false).or_else(|| last(state, held, lock, true));
                if let Some(place) = found.and_then(|found| held.get_mut(found)) {
                    let old = state.regions.get(*place as usize).cloned();
                    if let Some(old) = old {
                        *place = state.start(at, old.lock, old.by_call, Some(*place));
                    }
                }
            }
        }
    }

    fn change(&self, op: &Op) -> Option<Change> {
        match *op {
            Op::Enter { object } => Some(Change::Take(object, false)),
            Op::Exit { object } => Some(Change::Give(object, false)),
            Op::Call { method, arguments, .. } => {
                let table = &self.program.class(self.owner).code.table;
                let (owner, name, descriptor) = table.names(table.method(method)?);
                let receiver = self.body.list(arguments).first().copied()?;
                if name == "wait" && matches!(descriptor, "()V" | "(J)V" | "(JI)V") {
                    return Some(Change::Wait(Some(receiver)));
                }
                let lines = self.models.calls(name, descriptor);
                let mut lines = lines.filter(|line| related(self.program, owner, &line.class));
                lines.find_map(|line| {
                    line.effects.iter().find_map(|effect| match &effect.action {
                        Action::Acquire { lock, mode }
                            if lock.base == Base::This
                                && effect.condition == Condition::Always
                                && *mode != LockMode::Optimistic =>
                        {
                            Some(Change::Take(receiver, true))
                        }
                        Action::Release { lock, mode }
                            if lock.base == Base::This && *mode != LockMode::Optimistic =>
                        {
                            Some(Change::Give(receiver, true))
                        }
                        Action::Wait { lock } if lock.base == Base::This => {
                            Some(Change::Wait(lock.fields.is_empty().then_some(receiver)))
                        }
                        _ => None,
                    })
                })
            }
            _ => None,
        }
    }
}

/// May an object of the one class be one of the other?
pub fn related(program: &Program, one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    // A program that knows a lock by its interface alone may not name the class behind it.
    const LOCKS: &str = "java/util/concurrent/locks/";
    let is_lock = |name: &str| matches!(name.strip_prefix(LOCKS), Some("Lock" | "Condition"));
    if is_lock(one) && other.starts_with(LOCKS) {
        return true;
    }
    let (Some(one), Some(other)) = (program.class_named(one), program.class_named(other)) else {
        return false;
    };
    program.is_below(one, other) || program.is_below(other, one)
}

impl BodyRegions {
    /// The regions open before an instruction, the outermost first.
    pub fn at(&self, inst: u32) -> &[u32] {
        self.lists.get(self.list(inst)).map_or(&[], Vec::as_slice)
    }

    /// The number of that list.
    pub fn list(&self, inst: u32) -> usize {
        self.open.get(inst as usize).copied().unwrap_or_default() as usize
    }

    /// All lists of regions that are open together.
    pub fn lists(&self) -> &[Vec<u32>] {
        &self.lists
    }
}
