//! What all checks over code share: the program with its analyses, computed once; names as reports write them; how threads
//! come to a place.

use std::collections::VecDeque;
use std::sync::{Mutex, OnceLock, PoisonError};

use events::models::{Line, Models};
use findings::{Frame, Gap, Report};
use program::ir::{Op, Reg};
use program::points::{Callee, Caller, Points, Root, RootKind, World};
use program::{FieldId, MethodId, Origin, Program, Sharing, flags};
use rustc_hash::{FxHashMap, FxHashSet};

use super::accesses::Accesses;
use super::evidence::Place;
use super::locks::{Base, Depth, Known, Locks, Mode, Slot};
use super::lockset::phases::{Phase, Phases};
use super::makers::Makers;
use super::once::Once;

/// A program as the checks see it.
pub struct Code {
    /// Classes, methods, fields.
    pub program: Program,
    /// What registers may hold; who calls whom; where threads start.
    pub points: Points,
    /// What several threads may access.
    pub sharing: Sharing,
    /// What library calls mean.
    pub models: Models,
    /// Which locks are held where.
    pub locks: Locks,
    accesses: OnceLock<Accesses>,
    makers: OnceLock<Makers>,
    once: OnceLock<Once>,
    callers: OnceLock<Callers>,
    /// Ways that were asked for.
    ways: Mutex<FxHashMap<(MethodId, usize), Vec<Way>>>,
}

/// How a thread comes to a method.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Way {
    /// The thread, as a report names it.
    pub thread: String,
    /// Which of the program's roots it starts in.
    pub root: Option<usize>,
    /// The calls, innermost first, without the method itself.
    pub stack: Vec<Frame>,
    /// Is it sure that whoever starts in the root comes there, as far as calls go? Not where a call has several targets,
    /// or is made by a library.
    pub direct: bool,
}

/// Who calls each method and library place, and which roots start there.
struct Callers {
    /// Callee, caller, instruction; sorted.
    calls: Vec<(Caller, Caller, u32)>,
    roots: FxHashMap<Caller, Vec<usize>>,
}

/// No instruction is known.
const NO_INST: u32 = u32::MAX;

impl Code {
    /// Analyses a program.
    pub fn new(program: Program, models: Models, world: World) -> Code {
        Code::with_threads(program, models, world, 1)
    }

    /// Analyses a program with so many threads; what comes out is the same for any number.
    pub fn with_threads(program: Program, models: Models, world: World, threads: usize) -> Code {
        let points = Points::new(&program, &models, world);
        let find_sharing = || Sharing::new(&program, &points);
        let find_locks = || Locks::new(&program, &points, &models);
        let (sharing, locks) = std::thread::scope(|scope| {
            let helper = match threads {
                0 | 1 => None,
                _ => std::thread::Builder::new().spawn_scoped(scope, find_locks).ok(),
            };
            let sharing = find_sharing();
            let locks = match helper.map(|helper| helper.join()) {
                None => find_locks(),
                Some(Ok(locks)) => locks,
                Some(Err(panic)) => std::panic::resume_unwind(panic),
            };
            (sharing, locks)
        });
        let (accesses, once, callers) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let (makers, ways) = (OnceLock::new(), Mutex::default());
        let mut code =
            Code { program, points, sharing, models, locks, accesses, makers, once, callers, ways };
        code.leave_out_who_is_alone();
        code
    }

    /// Locks have to be held where threads run beside each other, and not before or after; and by those who know an
    /// object, not by who is making it.
    fn leave_out_who_is_alone(&mut self) {
        let has_main = self.points.roots().iter().any(|root| root.kind == RootKind::Main);
        let phases = has_main.then(|| Phases::new(self));
        let is_alone = |method, inst| {
            phases.as_ref().is_some_and(|phases| phases.at(self, Place { method, inst }) != Phase::During)
        };
        let entries = |is_alone: &dyn Fn(MethodId, u32) -> bool| {
            self.locks.entries_but(&self.program, &self.points, &self.models, is_alone)
        };
        let all = has_main.then(|| entries(&is_alone));
        let making = self.makers().calls(self);
        let is_making = |method, inst| making.contains(&(method, inst)) || is_alone(method, inst);
        let known = (!making.is_empty()).then(|| entries(&is_making));
        self.locks.set_entries(all, known);
    }

    /// Who makes objects.
    pub fn makers(&self) -> &Makers {
        self.makers.get_or_init(|| Makers::new(self))
    }

    /// Every access of the inputs' fields.
    pub fn accesses(&self) -> &Accesses {
        self.accesses.get_or_init(|| Accesses::new(self))
    }

    /// What runs once, and what there is one of.
    pub fn once(&self) -> &Once {
        self.once.get_or_init(|| Once::new(self))
    }

    /// `pkg.Class.field`.
    pub fn field_name(&self, field: FieldId) -> String {
        let field = self.program.field(field);
        format!("{}.{}", dotted(self.program.class(field.owner).name()), field.name)
    }

    /// `pkg.Class.method`.
    pub fn method_name(&self, method: MethodId) -> String {
        let owner = self.program.method(method).owner;
        format!("{}.{}", dotted(self.program.class(owner).name()), self.program.names_of(method).0)
    }

    /// A place as reports show it; without an instruction the method alone.
    pub fn frame(&self, method: MethodId, inst: Option<u32>) -> Frame {
        let class = self.program.class(self.program.method(method).owner);
        let (name, descriptor) = self.program.names_of(method);
        let body = self.program.body(method);
        let line = body.zip(inst).and_then(|(body, inst)| body.insts.get(inst as usize)).map(|i| i.line);
        Frame {
            class: dotted(class.name()),
            method: format!("{name}{descriptor}"),
            file: class.code.source.map(|file| class.code.table.text(file).to_owned()).unwrap_or_default(),
            line: i32::from(line.unwrap_or_default()),
        }
    }

    /// Methods of the inputs that have code and are reached from a root, in order.
    pub fn methods(&self) -> impl Iterator<Item = MethodId> {
        let reached = |method: &MethodId| self.points.is_reached(*method);
        self.program.input_methods().filter(reached).filter(|method| self.program.body(*method).is_some())
    }

    /// What models say of a method that code names.
    pub fn call_lines<'c>(&'c self, owner: &str, name: &'c str, descriptor: &'c str) -> Vec<&'c Line> {
        if self.models.calls(name, descriptor).next().is_none() {
            return Vec::new();
        }
        let program = &self.program;
        let is_below = |below: &str, above: &str| {
            let classes = program.class_named(below).zip(program.class_named(above));
            below == above || classes.is_some_and(|(below, above)| program.is_below(below, above))
        };
        self.models.call_on(name, descriptor, owner, is_below)
    }

    /// Methods that libraries call back.
    pub fn called_by_libraries(&self) -> impl Iterator<Item = MethodId> {
        self.points.calls().iter().filter_map(|(caller, callee)| match (caller, callee) {
            (Caller::Library(_), Callee::Method(method)) => Some(*method),
            _ => None,
        })
    }

    /// Are the threads known, because the code itself starts them? Not in a library: its callers may have some.
    pub fn starts_threads(&self) -> bool {
        let is_own = |root: &Root| matches!(root.kind, RootKind::Task | RootKind::Entry);
        let roots = self.points.roots();
        roots.iter().any(is_own) && !roots.iter().any(|root| root.kind == RootKind::Public)
    }

    /// A lock as people read it.
    pub fn lock_name(&self, method: MethodId, slot: &Slot) -> String {
        let name = match (slot.path.fields.last(), &slot.path.base) {
            (Some(field), _) => self.field_name(*field),
            (None, Base::Static(field)) => self.field_name(*field),
            (None, Base::Class(name)) => format!("{}.class", dotted(name)),
            (None, Base::Param(0)) if self.program.method(method).access & flags::STATIC == 0 => {
                dotted(self.program.class(self.program.method(method).owner).name())
            }
            (None, _) => self.class_of(method, slot.reg).unwrap_or_else(|| "a lock".to_owned()),
        };
        if slot.mode == Mode::Read { format!("{name} (read)") } else { name }
    }

    /// Does some code lock the object that a field holds?
    pub fn is_locked(&self, field: FieldId) -> bool {
        let is_read = |method: MethodId, reg: Reg| {
            let body = self.program.body(method);
            let made = body.and_then(|body| body.insts.iter().find(|inst| inst.result == reg));
            match made.map(|inst| inst.op) {
                Some(Op::Get { field: read, .. } | Op::GetStatic { field: read }) => {
                    self.program.field_of(self.program.method(method).owner, read) == Some(field)
                }
                _ => false,
            }
        };
        self.methods().any(|method| {
            let slots = self.locks.of(method).map(|locks| locks.slots.as_slice()).unwrap_or_default();
            slots.iter().any(|slot| {
                let named = match slot.path.fields.last() {
                    Some(last) => *last == field,
                    None => slot.path.base == Base::Static(field),
                };
                named || is_read(method, slot.reg)
            })
        })
    }

    /// The class of what a register may hold, if it is one; its field where that is where it comes from.
    fn class_of(&self, method: MethodId, reg: Reg) -> Option<String> {
        let body = self.program.body(method)?;
        let defined = body.insts.iter().find(|inst| inst.result == reg).map(|inst| inst.op);
        if let Some(Op::Get { field, .. } | Op::GetStatic { field }) = defined {
            return Some(self.field_name(self.program.field_of(self.program.method(method).owner, field)?));
        }
        let objects = self.points.of(method, reg)?;
        let mut classes: Vec<_> = objects.iter().map(|object| self.points.object(object).class).collect();
        classes.sort_unstable();
        classes.dedup();
        let [Some(class)] = classes[..] else { return None };
        Some(dotted(self.program.class(class).name()))
    }

    /// The locks that are sure to be held in a method where its own stand so, as people read them; `own`: for its object,
    /// once others know it.
    pub fn lock_names(&self, method: MethodId, state: &[Depth], own: bool) -> Vec<String> {
        let mut names = Vec::new();
        for fact in if own { self.locks.entry_known(method) } else { self.locks.entry(method) } {
            if let Known::Path(path) = &fact.lock {
                let slot =
                    Slot { path: path.clone(), reg: Reg::NONE, mode: fact.mode, monitor: fact.monitor };
                names.push(self.lock_name(method, &slot));
            }
        }
        if let Some(locks) = self.locks.of(method) {
            let held = locks.slots.iter().zip(state).filter(|(_, depth)| depth.least > 0);
            names.extend(held.map(|(slot, _)| self.lock_name(method, slot)));
        }
        let mut seen = FxHashSet::default();
        names.retain(|name| seen.insert(name.clone()));
        names
    }

    /// Ways on which threads come to a method, the shortest first, each from another root; at most `most`.
    pub fn ways(&self, method: MethodId, most: usize) -> Vec<Way> {
        let known = || self.ways.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ways) = known().get(&(method, most)) {
            return ways.clone();
        }
        // Others need not wait meanwhile.
        let ways = self.find_ways(method, most);
        known().insert((method, most), ways.clone());
        ways
    }

    fn find_ways(&self, method: MethodId, most: usize) -> Vec<Way> {
        let callers = self.callers.get_or_init(|| self.find_callers());
        let start = Caller::Method(method);
        let mut from: FxHashMap<Caller, (Caller, u32)> = FxHashMap::default();
        let mut seen: FxHashSet<Caller> = FxHashSet::from_iter([start]);
        let mut queue = VecDeque::from([start]);
        let mut found = Vec::new();
        while let Some(node) = queue.pop_front() {
            for root in callers.roots.get(&node).into_iter().flatten() {
                found.push(self.way(*root, node, &from));
                if found.len() >= most {
                    return found;
                }
            }
            let first = callers.calls.partition_point(|call| call.0 < node);
            let calls = callers.calls.get(first..).unwrap_or_default();
            for (_, caller, inst) in calls.iter().take_while(|call| call.0 == node) {
                if seen.insert(*caller) {
                    from.insert(*caller, (node, *inst));
                    queue.push_back(*caller);
                }
            }
        }
        found
    }

    /// Do several targets of one call lead to the method, so that different tasks of one place come there?
    pub fn is_met_by_several(&self, method: MethodId) -> bool {
        const MOST: usize = 2000;
        let callers = self.callers.get_or_init(|| self.find_callers());
        let mut seen: FxHashSet<Caller> = FxHashSet::from_iter([Caller::Method(method)]);
        let mut work = vec![Caller::Method(method)];
        let mut sites: FxHashMap<(Caller, u32), Caller> = FxHashMap::default();
        while let Some(node) = work.pop() {
            let first = callers.calls.partition_point(|call| call.0 < node);
            let calls = callers.calls.get(first..).unwrap_or_default();
            for (_, caller, inst) in calls.iter().take_while(|call| call.0 == node) {
                if sites.insert((*caller, *inst), node).is_some_and(|other| other != node) {
                    return *inst != NO_INST || matches!(caller, Caller::Library(_));
                }
                if seen.insert(*caller) && seen.len() < MOST {
                    work.push(*caller);
                }
            }
        }
        false
    }

    /// For each of two methods a way, by different threads if there are such.
    pub fn two_ways(&self, one: MethodId, other: MethodId) -> (Option<Way>, Option<Way>) {
        const MOST: usize = 8;
        let (ones, others) = (self.ways(one, MOST), self.ways(other, MOST));
        let pair = ones.iter().flat_map(|a| others.iter().map(move |b| (a, b)));
        match pair.into_iter().find(|(a, b)| a.root != b.root) {
            Some((a, b)) => (Some(a.clone()), Some(b.clone())),
            None => (ones.into_iter().next(), others.into_iter().next()),
        }
    }

    fn way(&self, root: usize, start: Caller, from: &FxHashMap<Caller, (Caller, u32)>) -> Way {
        let mut stack = Vec::new();
        let mut node = start;
        let mut direct = true;
        while let Some((next, inst)) = from.get(&node) {
            direct &= match (node, next) {
                (Caller::Method(method), Caller::Method(_)) => {
                    self.points.targets(method, *inst).count() == 1
                }
                // The thread itself calls the closure that it was given.
                _ => node == start,
            };
            // What a library does on the way is not known.
            if let Caller::Method(method) = node {
                stack.push(self.frame(method, Some(*inst).filter(|inst| *inst != NO_INST)));
            }
            node = *next;
        }
        stack.reverse();
        let thread = self.points.roots().get(root).map(|root| self.thread_name(root)).unwrap_or_default();
        Way { thread, root: Some(root), stack, direct }
    }

    /// The thread that starts in a root, as a report names it.
    fn thread_name(&self, root: &Root) -> String {
        let name = self.method_name(root.method);
        match root.kind {
            RootKind::Main if name.ends_with(".main") => "main".to_owned(),
            RootKind::Main | RootKind::Task => name,
            RootKind::Entry | RootKind::Public => format!("caller of {name}"),
            RootKind::Finalizer => "finalizer".to_owned(),
        }
    }

    fn find_callers(&self) -> Callers {
        let mut calls: Vec<(Caller, Caller, u32)> = Vec::new();
        for (method, inst, callee) in self.points.all_targets() {
            calls.push((Caller::Method(callee), Caller::Method(method), inst));
        }
        for (caller, callee) in self.points.calls() {
            let callee = match *callee {
                Callee::Method(method) => Caller::Method(method),
                Callee::Library(place) => Caller::Library(place),
            };
            calls.push((callee, *caller, NO_INST));
        }
        calls.sort_unstable();
        // Where the instruction is known, the call without one tells nothing more.
        calls.dedup_by(|later, first| {
            (later.0, later.1) == (first.0, first.1) && (later.2 == first.2 || later.2 == NO_INST)
        });
        let mut roots: FxHashMap<Caller, Vec<usize>> = FxHashMap::default();
        for (number, root) in self.points.roots().iter().enumerate() {
            let node = root.hub.map_or(Caller::Method(root.method), Caller::Library);
            roots.entry(node).or_default().push(number);
        }
        Callers { calls, roots }
    }

    /// Says in a report what was looked at and what was not.
    pub(super) fn cover(&self, report: &mut Report) {
        for gap in self.program.gaps().iter().chain(self.points.gaps()) {
            report.add_gap(Gap { what: gap.what.clone(), why: gap.why.clone(), count: gap.count });
        }
        let inputs = self.program.classes().filter(|(_, class)| class.origin == Origin::Input);
        report.coverage.classes_seen = inputs.count() as u64;
        report.coverage.methods_analysed = self.methods().count() as u64;
        report.coverage.threads = self.points.roots().len() as u64;
        let with_code = |method: &MethodId| self.program.body(*method).is_some();
        let all = self.program.input_methods().filter(with_code).count() as u64;
        let unreached = all.saturating_sub(report.coverage.methods_analysed);
        if unreached > report.coverage.methods_analysed {
            report.add_gap(Gap {
                what: "methods that nothing calls".to_owned(),
                why: "no thread that starts in the inputs comes there; if others call them, use --library"
                    .to_owned(),
                count: unreached,
            });
        }
    }
}

/// A class's name as people write it.
pub(super) fn dotted(name: &str) -> String {
    name.replace('/', ".")
}
