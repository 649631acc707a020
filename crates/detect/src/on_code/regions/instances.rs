//! Methods in the regions from which they are called. A body that is run both under a lock and without is looked at once
//! for each, so that what it accesses belongs to the right region. A region nested in one under the same lock is part of
//! that one; under another lock it is a region of its own, within the other.
//!
//! How far calls are followed within regions is bounded; what was left out is counted.

use std::rc::Rc;

use program::ir::{Body, Op, Reg, Values};
use program::points::{Callee, Caller};
use program::{MethodId, flags};
use rustc_hash::{FxHashMap, FxHashSet};

use super::body::{BodyRegions, Finder, Local};
use super::paths::{Defs, Namer, Path, Stable};
use super::{Given, RegionId};

/// A region, as it is the same in every run.
#[derive(Clone, Debug)]
pub struct Region {
    /// The method that starts it.
    pub method: MethodId,
    /// The register that holds the lock; none if it is the whole method.
    pub lock: Option<Reg>,
}

/// An open region around a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Around {
    /// Which.
    pub region: RegionId,
    /// Its lock, as the method that is called names it.
    path: Option<Path>,
    /// Is it a whole method, with no lock that could be told from others?
    whole: bool,
}

/// What is known of a body, whatever regions it is called from.
pub struct Code<'p> {
    /// The body.
    pub body: &'p Body,
    /// Where registers are defined.
    pub defs: Defs,
    /// Which registers hold the same value.
    pub values: Values,
    /// Its own regions.
    pub regions: BodyRegions,
    ids: Vec<RegionId>,
    paths: Vec<Option<Path>>,
    /// The methods that instructions call: those of closures at the place that makes them.
    calls: Vec<(u32, MethodId)>,
}

/// A method within regions.
pub struct Instance<'p> {
    /// The method.
    pub method: MethodId,
    /// Its code.
    pub code: Rc<Code<'p>>,
    /// The regions it is called in, the outermost first.
    pub around: Rc<[Around]>,
    /// What it calls: instruction, instance.
    pub calls: Vec<(u32, u32)>,
    /// Which of its own regions are part of one around them.
    absorbed: Vec<bool>,
    /// The regions open in it, by the number of the body's list; the last are those around all of it.
    open: Vec<Vec<RegionId>>,
    depth: u32,
}

/// All instances.
pub struct Instances<'p> {
    /// All regions.
    pub regions: Vec<Region>,
    /// All of them.
    pub all: Vec<Instance<'p>>,
    /// The first instances: methods that are called outside of any region that is known.
    pub free: FxHashMap<MethodId, u32>,
    /// Calls that were not followed as part of a region: caller and target.
    pub elsewhere: Vec<(MethodId, MethodId)>,
    /// Calls within regions that were not followed.
    pub left_out: u64,
}

/// Calls with more targets than that are not followed within regions.
const MOST_TARGETS: usize = 12;
/// How many calls deep a region is followed.
const DEEPEST: u32 = 16;
/// How many regions around a method are told apart.
const MOST_AROUND: usize = 4;
/// How many instructions instances may have: a part of the program's own, and this many more.
const LEAST_SIZE: usize = 200_000;
const SIZE_PER_INST: usize = 1;

struct Maker<'g, 'p> {
    given: &'g Given<'p>,
    stable: &'p Stable,
    codes: FxHashMap<MethodId, Rc<Code<'p>>>,
    known: FxHashMap<(MethodId, Rc<[Around]>), u32>,
    found: Instances<'p>,
    tasks: FxHashSet<MethodId>,
    size: usize,
    most: usize,
}

impl<'p> Instances<'p> {
    /// Follows everything that threads run.
    pub fn new(given: &Given<'p>, stable: &'p Stable) -> Instances<'p> {
        let (program, points) = (given.program, given.points);
        let found = Instances {
            regions: Vec::new(),
            all: Vec::new(),
            free: FxHashMap::default(),
            elsewhere: Vec::new(),
            left_out: 0,
        };
        let reached = program.input_methods().filter(|method| points.is_reached(*method));
        let size: usize = reached.filter_map(|method| program.body(method)).map(|b| b.insts.len()).sum();
        let mut maker = Maker {
            given,
            stable,
            codes: FxHashMap::default(),
            known: FxHashMap::default(),
            found,
            tasks: points.roots().iter().map(|root| root.method).collect(),
            size: 0,
            most: LEAST_SIZE.saturating_add(size.saturating_mul(SIZE_PER_INST)),
        };
        let mut first: Vec<MethodId> = points.roots().iter().map(|root| root.method).collect();
        let closures = maker.closures();
        for (caller, callee) in points.calls() {
            let Callee::Method(method) = *callee else { continue };
            let by_library = matches!(caller, Caller::Library(_)) && !closures.contains(&method);
            if by_library || program.names_of(method).0 == "<clinit>" {
                first.push(method);
            }
        }
        first.sort_unstable();
        first.dedup();
        for method in first {
            maker.instance(method, Rc::from([]), 0);
        }
        // In the order in which they are found: what is close to a root, and close to its region, comes first.
        let (mut next, mut called) = (0, 0);
        loop {
            while next < maker.found.all.len() {
                maker.follow(next);
                next += 1;
            }
            // What such calls lead to is run all the same.
            let Some((_, target)) = maker.found.elsewhere.get(called).copied() else { break };
            called += 1;
            maker.instance(target, Rc::from([]), 0);
        }
        maker.found
    }

    /// The regions open at an instruction of an instance, the outermost first.
    pub fn open(&self, instance: u32, inst: u32) -> &[RegionId] {
        self.all.get(instance as usize).map_or(&[], |instance| instance.open(inst))
    }
}

impl Instance<'_> {
    /// The regions open at an instruction, the outermost first.
    pub fn open(&self, inst: u32) -> &[RegionId] {
        let found = match inst {
            Defs::ENTRY => self.open.last(),
            inst => self.open.get(self.code.regions.list(inst)),
        };
        found.map_or(&[], Vec::as_slice)
    }

    /// Is the lock of the innermost region at an instruction the very object in a register?
    pub fn is_locked_by(&self, inst: u32, object: Reg) -> bool {
        let own = self.code.regions.at(inst).iter().rev().find(|local| self.region(**local).is_some());
        if let Some(local) = own.and_then(|local| self.code.regions.regions.get(*local as usize)) {
            return local.lock.is_some_and(|lock| self.code.values.same(lock, object));
        }
        let object = self.code.values.of(object);
        let param = self.code.body.params().iter().position(|param| *param == object);
        let path = self.around.last().and_then(|around| around.path.as_ref());
        param.zip(path).is_some_and(|(param, path)| path.is_param(param as u32))
    }

    /// The region that one of its body's is, unless it is part of one around it.
    fn region(&self, local: u32) -> Option<RegionId> {
        let absorbed = self.absorbed.get(local as usize).copied().unwrap_or_default();
        if absorbed { None } else { self.code.ids.get(local as usize).copied() }
    }

    /// The regions that start in it, with the instruction (the first one for a whole method).
    pub fn starts(&self) -> impl Iterator<Item = (RegionId, u32)> {
        (0u32..).zip(&self.code.regions.regions).filter_map(|(number, local)| {
            let start = if local.start == Local::METHOD { 0 } else { local.start };
            self.region(number).map(|region| (region, start))
        })
    }
}

impl<'p> Maker<'_, 'p> {
    /// The methods of closures that no thread is started with.
    fn closures(&self) -> FxHashSet<MethodId> {
        let program = self.given.program;
        let mut found = FxHashSet::default();
        for method in program.input_methods().filter(|method| self.given.points.is_reached(*method)) {
            let Some(body) = program.body(method) else { continue };
            found.extend(body.insts.iter().filter_map(|inst| self.closure(method, &inst.op)));
        }
        found
    }

    /// The method of a closure that is made here, if no thread is started with it.
    fn closure(&self, method: MethodId, op: &Op) -> Option<MethodId> {
        let program = self.given.program;
        let Op::Closure { closure, .. } = *op else { return None };
        let class = program.method(method).owner;
        let table = &program.class(class).code.table;
        let member = table.closures.get(closure.index())?.body.member;
        let (_, name, descriptor) = table.names(member);
        let owner = program.class_of(class, member.owner)?;
        let found = program.find_method(owner, program.selector(name, descriptor)?)?;
        (program.body(found).is_some() && !self.tasks.contains(&found)).then_some(found)
    }

    fn code(&mut self, method: MethodId) -> Option<Rc<Code<'p>>> {
        if let Some(known) = self.codes.get(&method) {
            return Some(Rc::clone(known));
        }
        let program = self.given.program;
        let body = program.body(method)?;
        let owner = program.method(method).owner;
        let table = &program.class(owner).code.table;
        let defs = Defs::new(body);
        let stable = self.stable;
        let values = Values::new(body, table, |field| {
            program.field_of(owner, field).is_some_and(|field| stable.contains(field))
        });
        let finder = Finder { program, models: self.given.models, owner, body, values: &values };
        let regions = finder.find(self.is_atomic(method));
        let namer = Namer { program, stable, method, body };
        let mut ids = Vec::new();
        let mut paths = Vec::new();
        for local in &regions.regions {
            ids.push(RegionId(self.found.regions.len() as u32));
            self.found.regions.push(Region { method, lock: local.lock });
            paths.push(local.lock.and_then(|lock| namer.path(&defs, lock)));
        }
        let mut calls: Vec<(u32, MethodId)> = self.given.points.targets_of(method).collect();
        calls.sort_unstable();
        calls.dedup();
        for same in calls.chunk_by(|one, other| one.0 == other.0) {
            if same.len() > MOST_TARGETS {
                self.found.left_out += 1;
                self.found.elsewhere.extend(same.iter().map(|(_, target)| (method, *target)));
            }
        }
        let is_wide = |inst: u32| {
            let first = calls.partition_point(|call| call.0 < inst);
            calls.get(first + MOST_TARGETS).is_some_and(|call| call.0 == inst)
        };
        let mut calls: Vec<(u32, MethodId)> =
            calls.iter().copied().filter(|(inst, _)| !is_wide(*inst)).collect();
        for (number, inst) in (0u32..).zip(&body.insts) {
            calls.extend(self.closure(method, &inst.op).map(|target| (number, target)));
        }
        calls.sort_unstable();
        calls.dedup();
        self.found.left_out += regions.too_deep;
        let code = Rc::new(Code { body, defs, values, regions, ids, paths, calls });
        self.codes.insert(method, Rc::clone(&code));
        Some(code)
    }

    /// Is the method as a whole said to be atomic?
    fn is_atomic(&self, method: MethodId) -> bool {
        let program = self.given.program;
        let class = program.class(program.method(method).owner);
        program.code(method).annotations.iter().any(|annotation| {
            let name = class.code.table.class(annotation.class);
            name.rsplit(['/', '$']).next() == Some("Atomic")
        })
    }

    fn instance(&mut self, method: MethodId, around: Rc<[Around]>, depth: u32) -> Option<u32> {
        let key = (method, around);
        if let Some(known) = self.known.get(&key) {
            return Some(*known);
        }
        let code = self.code(method)?;
        if !key.1.is_empty() {
            self.size += code.body.insts.len();
            if depth > DEEPEST || self.size > self.most {
                self.found.left_out += 1;
                return None;
            }
        }
        let absorbed = absorbed(&code, &key.1);
        let outer: Vec<RegionId> = key.1.iter().map(|around| around.region).collect();
        let own = |local: &u32| match absorbed.get(*local as usize) {
            Some(false) => code.ids.get(*local as usize).copied(),
            _ => None,
        };
        let lists = code.regions.lists().iter();
        let mut open: Vec<Vec<RegionId>> =
            lists.map(|list| outer.iter().copied().chain(list.iter().filter_map(own)).collect()).collect();
        open.push(outer);
        let number = self.found.all.len() as u32;
        if key.1.is_empty() {
            self.found.free.insert(method, number);
        }
        self.known.insert(key.clone(), number);
        let around = key.1;
        self.found.all.push(Instance { method, code, around, calls: Vec::new(), absorbed, open, depth });
        Some(number)
    }

    /// Follows the calls of an instance.
    fn follow(&mut self, number: usize) {
        let Some(instance) = self.found.all.get(number) else { return };
        let (code, depth, method) = (Rc::clone(&instance.code), instance.depth, instance.method);
        let namer = Namer { program: self.given.program, stable: self.stable, method, body: code.body };
        let mut calls = Vec::new();
        for (inst, target) in &code.calls {
            let Some(instance) = self.found.all.get(number) else { return };
            let mut open: Vec<Around> = instance.around.to_vec();
            for local in code.regions.at(*inst) {
                if let Some(region) = instance.region(*local) {
                    let path = code.paths.get(*local as usize).cloned().flatten();
                    let whole = path.is_none()
                        && code.regions.regions.get(*local as usize).is_some_and(|r| r.lock.is_none());
                    open.push(Around { region, path, whole });
                }
            }
            if open.len() > MOST_AROUND {
                self.found.left_out += 1;
                open.truncate(MOST_AROUND);
            }
            if open.iter().any(|around| around.path.is_some()) {
                let arguments = code.body.insts.get(*inst as usize).and_then(|inst| inst.op.list());
                let arguments = arguments.map(|list| code.body.list(list)).unwrap_or_default();
                let paths: Vec<_> = arguments.iter().map(|reg| namer.path(&code.defs, *reg)).collect();
                for around in &mut open {
                    around.path = around.path.take().and_then(|path| path.inside(&paths));
                }
            }
            let inner = if open.is_empty() { 0 } else { depth + 1 };
            calls.extend(self.instance(*target, Rc::from(open), inner).map(|callee| (*inst, callee)));
        }
        if let Some(instance) = self.found.all.get_mut(number) {
            instance.calls = calls;
        }
    }
}

/// Which regions of a body are part of one around them.
fn absorbed(code: &Code<'_>, around: &[Around]) -> Vec<bool> {
    let is_static_path = |path: &Option<Path>, number: usize| {
        path.is_some()
            && code.regions.regions.get(number).is_some_and(|local| {
                let outer = if local.start == Local::METHOD { &[] } else { code.regions.at(local.start) };
                outer.iter().any(|outer| {
                    local.instead_of != Some(*outer) && code.paths.get(*outer as usize) == Some(path)
                })
            })
    };
    code.paths
        .iter()
        .enumerate()
        .map(|(number, path)| {
            let local = code.regions.regions.get(number);
            let in_atomic = local.is_some_and(|local| {
                local.start != Local::METHOD
                    && code.regions.at(local.start).iter().any(|outer| {
                        code.regions.regions.get(*outer as usize).is_some_and(|outer| outer.lock.is_none())
                    })
            });
            in_atomic
                || is_static_path(path, number)
                || around.iter().any(|around| around.whole || path.is_some() && around.path == *path)
        })
        .collect()
}

/// Is the method called without a receiver?
pub fn is_static(program: &program::Program, method: MethodId) -> bool {
    program.method(method).access & flags::STATIC != 0
}
