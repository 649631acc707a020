//! Which writes a read of a variable may see within a method and the methods it calls: the versions of global variables
//! in Figure 4 of MoTH. A version is the instruction that wrote it; a version that comes from elsewhere (the paper's h?)
//! is [`ELSEWHERE`]. As in the paper versions come out of a callee and do not go into one.
//!
//! With `--paper` a write replaces all versions of its variable (Definition 4). By default it replaces those that were
//! written to the same object for sure: a variable may be a field of several objects.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use program::MethodId;
use program::ir::{Body, Op, Reg};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::on_code::regions::instances::{Code, Instances};
use crate::on_code::regions::variables::{Use, VarId, Variables};

/// The version that a variable has before a method is entered.
pub const ELSEWHERE: u32 = u32::MAX;

/// More variables than that are not told to callers, nor what library objects hold.
const MOST_EXITS: usize = 64;

/// Variables written, times blocks, that one method may have.
const MOST_VERSIONS: usize = 500_000;

/// Versions of variables at a point; a variable without any has the one from elsewhere.
type Versions = BTreeMap<VarId, BTreeSet<u32>>;

/// What is known of a method.
#[derive(Debug, Default)]
pub struct Heap {
    /// For each instruction that reads: the instructions (writes and calls) whose versions it may see.
    pub reads: FxHashMap<u32, Vec<u32>>,
    /// The versions at the method's end, of those variables that it or a callee writes.
    pub exits: BTreeMap<VarId, Vec<u32>>,
    /// Whether there are more than are kept.
    pub is_cut: bool,
}

/// Follows the versions in the methods of chosen instances, callees first. Says how many methods are too large for it.
pub fn follow(
    instances: &Instances<'_>,
    chosen: &[bool],
    variables: &Variables,
    paper: bool,
) -> (FxHashMap<MethodId, Rc<Heap>>, u64) {
    let mut order = callees_first(instances);
    order.retain(|number| chosen.get(*number as usize).copied().unwrap_or_default());
    let mut found: FxHashMap<MethodId, Rc<Heap>> = FxHashMap::default();
    let mut too_large = 0;
    // Twice, so that a method that calls itself knows what it does.
    for _ in 0..2 {
        too_large = 0;
        for number in &order {
            let Some(instance) = instances.all.get(*number as usize) else { continue };
            let mut callees: FxHashMap<u32, Vec<Rc<Heap>>> = FxHashMap::default();
            for (inst, callee) in &instance.calls {
                let method = instances.all.get(*callee as usize).map(|callee| callee.method);
                if let Some(heap) = method.and_then(|method| found.get(&method)) {
                    callees.entry(*inst).or_default().push(Rc::clone(heap));
                }
            }
            let walk = Walk { method: instance.method, code: &instance.code, variables, callees, paper };
            let heap = if walk.size() > MOST_VERSIONS { None } else { Some(walk.heap()) };
            too_large += u64::from(heap.is_none());
            found.insert(instance.method, Rc::new(heap.unwrap_or_default()));
        }
    }
    (found, too_large)
}

/// One instance of each method, those it calls before it.
fn callees_first(instances: &Instances<'_>) -> Vec<u32> {
    let mut order = Vec::new();
    let mut seen: FxHashSet<MethodId> = FxHashSet::default();
    for start in 0..instances.all.len() as u32 {
        let mut stack = vec![(start, 0usize)];
        while let Some((number, next)) = stack.last_mut() {
            let Some(instance) = instances.all.get(*number as usize) else { break };
            if *next == 0 && !seen.insert(instance.method) {
                stack.pop();
                continue;
            }
            *next += 1;
            match instance.calls.get(*next - 1) {
                Some((_, callee)) => stack.push((*callee, 0)),
                None => {
                    order.push(*number);
                    stack.pop();
                }
            }
        }
    }
    order
}

struct Walk<'a, 'p> {
    method: MethodId,
    code: &'a Code<'p>,
    variables: &'a Variables,
    callees: FxHashMap<u32, Vec<Rc<Heap>>>,
    paper: bool,
}

impl Walk<'_, '_> {
    /// How many versions there may be at the starts of all blocks.
    fn size(&self) -> usize {
        let body = self.code.body;
        let written = (0u32..).zip(&body.insts).filter_map(|(at, inst)| {
            let (var, how) = self.variables.at(self.method, at, &inst.op)?;
            (how != Use::Read).then_some(var)
        });
        let called = self.callees.values().flatten().flat_map(|heap| heap.exits.keys().copied());
        let vars: FxHashSet<VarId> = written.chain(called).collect();
        vars.len().saturating_mul(body.blocks.len())
    }

    fn heap(&self) -> Heap {
        let body = self.code.body;
        let mut states: Vec<Option<Versions>> = vec![None; body.blocks.len()];
        if let Some(first) = states.first_mut() {
            *first = Some(Versions::new());
        }
        // What dominates comes first.
        let mut work = BTreeSet::from([0usize]);
        while let Some(number) = work.pop_first() {
            let (Some(block), Some(before)) =
                (body.blocks.get(number), states.get(number).cloned().flatten())
            else {
                continue;
            };
            let mut after = before.clone();
            for (inst, at) in body.insts(block).iter().zip(block.insts.start..) {
                self.step(&inst.op, at, &mut after);
            }
            let normal = body.edges(block).iter().map(|edge| edge.target.index());
            for target in normal {
                if join(states.get_mut(target), &after) {
                    work.insert(target);
                }
            }
            for edge in body.catches(block) {
                let target = edge.target.index();
                if join(states.get_mut(target), &before) | join(states.get_mut(target), &after) {
                    work.insert(target);
                }
            }
        }
        let mut heap = Heap::default();
        let mut exits: Option<Versions> = None;
        for (block, state) in body.blocks.iter().zip(&states) {
            let Some(mut versions) = state.clone() else { continue };
            for (inst, at) in body.insts(block).iter().zip(block.insts.start..) {
                if let Some((var, Use::Read | Use::Both)) = self.variables.at(self.method, at, &inst.op) {
                    let seen = versions.get(&var).map(|seen| seen.iter().copied().collect());
                    heap.reads.insert(at, seen.unwrap_or_else(|| vec![ELSEWHERE]));
                }
                self.step(&inst.op, at, &mut versions);
                if let Op::Return { .. } = inst.op {
                    join(Some(&mut exits), &versions);
                }
            }
        }
        let mut exits = exits.unwrap_or_default();
        exits.retain(|var, _| self.variables.get(*var).is_some_and(|variable| !variable.is_contents));
        heap.is_cut = exits.len() > MOST_EXITS;
        heap.exits = exits
            .into_iter()
            .take(MOST_EXITS)
            .map(|(var, versions)| (var, versions.into_iter().collect()))
            .collect();
        heap
    }

    fn step(&self, op: &Op, at: u32, versions: &mut Versions) {
        match self.variables.at(self.method, at, op) {
            Some((var, Use::Write)) => {
                let old = versions.entry(var).or_insert_with(|| BTreeSet::from([ELSEWHERE]));
                if self.paper {
                    old.clear();
                } else {
                    let (body, values) = (self.code.body, &self.code.values);
                    let here = target(body, at);
                    let same = |version: u32| match (target(body, version), here) {
                        (Some(one), Some(other)) => values.same(one, other),
                        (one, other) => one.is_none() && other.is_none() && version != ELSEWHERE,
                    };
                    // What comes from elsewhere may be another object's; a static field has but one.
                    old.retain(
                        |version| {
                            if *version == ELSEWHERE { here.is_some() } else { !same(*version) }
                        },
                    );
                    // Elements of an array differ by their index.
                    if matches!(op, Op::Store { .. }) {
                        old.insert(ELSEWHERE);
                    }
                }
                old.insert(at);
            }
            Some((var, Use::Both)) => {
                versions.entry(var).or_insert_with(|| BTreeSet::from([ELSEWHERE])).insert(at);
            }
            Some((_, Use::Read)) | None => {}
        }
        let Some(callees) = self.callees.get(&at) else { return };
        for var in callees.iter().flat_map(|heap| heap.exits.keys()).copied().collect::<BTreeSet<_>>() {
            let surely = callees
                .iter()
                .all(|heap| heap.exits.get(&var).is_some_and(|versions| !versions.contains(&ELSEWHERE)));
            let old = versions.entry(var).or_insert_with(|| BTreeSet::from([ELSEWHERE]));
            if surely && self.paper {
                old.clear();
            }
            old.insert(at);
        }
    }
}

/// The object whose field an instruction writes.
fn target(body: &Body, inst: u32) -> Option<Reg> {
    match body.insts.get(inst as usize)?.op {
        Op::Put { object, .. } => Some(object),
        Op::Store { array, .. } => Some(array),
        _ => None,
    }
}

/// Adds what holds on another path: a variable that is not written there has its version from elsewhere. Says whether
/// anything is new.
fn join(place: Option<&mut Option<Versions>>, more: &Versions) -> bool {
    let Some(place) = place else { return false };
    let Some(old) = place else {
        *place = Some(more.clone());
        return true;
    };
    let mut new = false;
    for (var, versions) in more {
        let known = old.entry(*var).or_insert_with(|| {
            new = true;
            BTreeSet::from([ELSEWHERE])
        });
        for version in versions {
            new |= known.insert(*version);
        }
    }
    for (var, versions) in old.iter_mut() {
        if !more.contains_key(var) {
            new |= versions.insert(ELSEWHERE);
        }
    }
    new
}
