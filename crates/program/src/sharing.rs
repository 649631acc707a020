//! Which objects, and which of their fields, more than one thread may get at (section 3.2.1 of *Racer*, with points-to sets
//! and escape in place of information flow). What is not shared here is never accessed by two threads in any run, as far
//! as the points-to analysis follows the program.
//!
//! An object has *escaped* if it can be reached from a static field, from a library, or from a task that another thread
//! runs. What has not escaped is known to the thread that made it alone, however many run the same code. What has escaped
//! is shared in a field if the methods that access that field are run by two threads. A task that accesses itself (`this`
//! in `run` and in what it calls on itself) is its own thread's, however many tasks there are.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::handles::Handles;
use crate::ir::{Op, Reg};
use crate::points::{Callee, Caller, Made, OUTSIDE, Part, Points, Root, RootKind, Set};
use crate::{FieldId, MethodId, Program};

/// The threads that run a method, as bits.
type Threads = u64;

/// The bits that roots share: the program's own thread, callers from outside, the finalizer, and tasks beyond the last bit.
const MAIN: u32 = 0;
const OUTER: u32 = 1;
const FINALIZER: u32 = 2;
const FIRST_TASK: u32 = 3;
const LAST_TASK: u32 = 63;

/// Who accesses a part of an object.
#[derive(Clone, Copy, Debug, Default)]
struct Accesses {
    threads: Threads,
    /// The object's own thread, if it is a task.
    own: bool,
}

/// What threads share.
pub struct Sharing {
    /// By method.
    threads: Vec<Threads>,
    /// Bits that stand for several threads.
    many: Threads,
    /// By root: does it stand for several threads?
    many_roots: Vec<bool>,
    escaped: FxHashSet<u32>,
    accesses: FxHashMap<(u32, Part), Accesses>,
    /// Threads that access such a part of objects that nobody saw being made: of any that has escaped.
    unknown: FxHashMap<Part, Threads>,
    statics: FxHashMap<FieldId, Threads>,
    /// Tasks: the bit of their root, and whether each is run by one thread.
    tasks: FxHashMap<u32, (u32, bool)>,
    /// Objects that the outside holds and that are no tasks: they are not told apart.
    alike: Set,
    /// Methods whose `this` is the task itself whenever a task's thread runs them.
    own: Vec<bool>,
    /// Tasks that crowds may stand for: who accesses a crowd may access them.
    crowded: Set,
    /// And who accesses one of them may access what a crowd stands for.
    by_crowded: FxHashMap<Part, Threads>,
}

impl Sharing {
    /// Finds what is shared.
    pub fn new(program: &Program, points: &Points) -> Sharing {
        let mut sharing = Sharing {
            threads: vec![0; program.method_count()],
            many: 1 << OUTER,
            many_roots: Vec::new(),
            escaped: FxHashSet::default(),
            accesses: FxHashMap::default(),
            unknown: FxHashMap::default(),
            statics: FxHashMap::default(),
            tasks: FxHashMap::default(),
            alike: Set::default(),
            own: vec![false; program.method_count()],
            crowded: Set::default(),
            by_crowded: FxHashMap::default(),
        };
        sharing.spread(program, points);
        if points.is_crowded() {
            sharing.crowded = points.merged().iter().filter(|o| sharing.tasks.contains_key(o)).collect();
        }
        sharing.alike = points.merged().iter().filter(|o| !sharing.tasks.contains_key(o)).collect();
        sharing.find_own(program, points);
        sharing.escape(program, points);
        sharing.gather(program, points);
        for ((object, part), accesses) in &sharing.accesses {
            if let Some((bit, _)) = sharing.tasks.get(object).filter(|_| sharing.crowded.contains(*object)) {
                let own = if accesses.own { 1 << bit } else { 0 };
                *sharing.by_crowded.entry(*part).or_default() |= accesses.threads | own;
            }
        }
        // Whoever has a handle may access the field, and no instruction says who does.
        for field in Handles::new(program).fields {
            sharing.unknown.insert(Part::Field(field), Threads::MAX);
            sharing.statics.insert(field, Threads::MAX);
        }
        sharing
    }

    /// Finds which threads run which methods.
    fn spread(&mut self, program: &Program, points: &Points) {
        let mut work = Vec::new();
        let mut hubs: FxHashMap<u32, Threads> = FxHashMap::default();
        let mut next = FIRST_TASK;
        for root in points.roots() {
            let bit = match root.kind {
                RootKind::Main => MAIN,
                RootKind::Entry | RootKind::Public => OUTER,
                RootKind::Finalizer => FINALIZER,
                RootKind::Task => {
                    next += 1;
                    (next - 1).min(LAST_TASK)
                }
            };
            let single = is_single(program, points, root);
            self.many_roots.push(!single);
            let many = bit == LAST_TASK || !single;
            if root.kind == RootKind::Task {
                if many {
                    self.many |= 1 << bit;
                }
                for object in root.objects.iter().filter(|object| !points.is_crowd(**object)) {
                    let once = is_run_once(program, points, root, *object);
                    let known = self.tasks.entry(*object).or_insert((bit, once));
                    // Run in several ways: by several threads.
                    known.1 &= known.0 == bit && once;
                }
            }
            match root.hub {
                Some(hub) => {
                    *hubs.entry(hub).or_default() |= 1 << bit;
                    work.push(Caller::Library(hub));
                }
                None => {
                    self.threads[root.method.index()] |= 1 << bit;
                    work.push(Caller::Method(root.method));
                }
            }
        }
        let calls = points.calls();
        while let Some(caller) = work.pop() {
            let threads = match caller {
                Caller::Method(method) => self.threads[method.index()],
                Caller::Library(hub) => hubs.get(&hub).copied().unwrap_or_default(),
            };
            let start = calls.partition_point(|call| call.0 < caller);
            for (_, callee) in calls.iter().skip(start).take_while(|call| call.0 == caller) {
                let (place, next) = match *callee {
                    Callee::Method(method) => (&mut self.threads[method.index()], Caller::Method(method)),
                    Callee::Library(hub) => (hubs.entry(hub).or_default(), Caller::Library(hub)),
                };
                if threads & !*place != 0 {
                    *place |= threads;
                    work.push(next);
                }
            }
        }
    }

    /// Finds the methods whose `this` is the task itself, as far as tasks' threads run them.
    fn find_own(&mut self, program: &Program, points: &Points) {
        let tasks: Threads = !((1 << FIRST_TASK) - 1);
        for method in program.input_methods() {
            let is_static = program.method(method).access & classfile::flags::STATIC != 0;
            self.own[method.index()] = !is_static && self.threads[method.index()] & tasks != 0;
        }
        // What is called otherwise than on `this` is not; and so what it calls, and so on.
        let mut lost: Vec<MethodId> = Vec::new();
        let lose = |own: &mut Vec<bool>, method: MethodId, lost: &mut Vec<MethodId>| {
            if std::mem::replace(&mut own[method.index()], false) {
                lost.push(method);
            }
        };
        for (caller, callee) in points.calls() {
            if let (Caller::Library(_), Callee::Method(method)) = (*caller, *callee) {
                lose(&mut self.own, method, &mut lost);
            }
        }
        for (method, inst, callee) in points.all_targets() {
            if !self.own[callee.index()] || self.threads[method.index()] & tasks == 0 {
                continue;
            }
            let call = program.body(method).and_then(|body| Some((body, body.insts.get(inst as usize)?)));
            let on_this = self.own[method.index()]
                && call.is_some_and(|(body, call)| {
                    call.op.list().is_some_and(|list| body.list(list).first() == Some(&Reg(0)))
                });
            if !on_this {
                lose(&mut self.own, callee, &mut lost);
            }
        }
        // Those that tasks' threads do not run say nothing of what they call.
        while let Some(method) = lost.pop() {
            if self.threads[method.index()] & tasks != 0 {
                for (_, callee) in points.targets_of(method) {
                    lose(&mut self.own, callee, &mut lost);
                }
            }
        }
    }

    /// Finds the objects that other threads can reach.
    fn escape(&mut self, program: &Program, points: &Points) {
        let mut work: Vec<u32> = vec![OUTSIDE];
        if points.is_crowded() {
            work.extend(points.merged().iter());
        }
        work.extend(points.statics().flat_map(|(_, objects)| objects.iter()));
        work.extend(points.exchanged());
        for root in points.roots() {
            work.extend(&root.objects);
        }
        for (number, object) in (0u32..).zip(points.objects()) {
            if object.made == Made::Given {
                work.push(number);
            }
        }
        let mut inside: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (object, _, objects) in points.parts() {
            inside.entry(object).or_default().extend(objects.iter());
        }
        while let Some(object) = work.pop() {
            if !self.escaped.insert(object) {
                continue;
            }
            work.extend(inside.get(&object).into_iter().flatten());
            // A closure holds what it captured.
            let Some((method, inst)) = points.object(object).place else { continue };
            let Some(body) = program.body(method) else { continue };
            if let Some(Op::Closure { captured, .. }) = body.insts.get(inst as usize).map(|inst| inst.op) {
                for reg in body.list(captured) {
                    work.extend(points.of(method, *reg).into_iter().flat_map(|objects| objects.iter()));
                }
            }
        }
    }

    /// Gathers who accesses what.
    fn gather(&mut self, program: &Program, points: &Points) {
        for method in program.input_methods().filter(|method| points.is_reached(*method)) {
            let Some(body) = program.body(method) else { continue };
            let owner = program.method(method).owner;
            for inst in &body.insts {
                match accessed(&inst.op) {
                    Some(Accessed::Static(field)) => {
                        if let Some(field) = program.field_of(owner, field) {
                            *self.statics.entry(field).or_default() |= self.threads[method.index()];
                        }
                    }
                    Some(Accessed::Object(object, field)) => {
                        let part = match field {
                            Some(field) => program.field_of(owner, field).map(Part::Field),
                            None => Some(Part::Elements),
                        };
                        if let (Some(part), Some(objects)) = (part, points.of(method, object)) {
                            if objects.is_empty() {
                                *self.unknown.entry(part).or_default() |= self.threads[method.index()];
                            }
                            if objects.meets(&self.alike) {
                                self.add(method, object, OUTSIDE, part);
                            }
                            for found in objects.without(&self.alike).iter() {
                                self.add(method, object, found, part);
                            }
                        }
                    }
                    None => {}
                }
            }
        }
    }

    fn add(&mut self, method: MethodId, base: Reg, object: u32, part: Part) {
        let threads = self.threads[method.index()];
        let own = base == Reg(0) && self.own[method.index()] && self.tasks.contains_key(&object);
        let known = self.accesses.entry((object, part)).or_default();
        if own {
            let tasks: Threads = !((1 << FIRST_TASK) - 1);
            known.own |= threads & tasks != 0;
            known.threads |= threads & !tasks;
        } else {
            known.threads |= threads;
        }
    }

    /// How many threads these may be; two stands for any number above one.
    fn count(&self, threads: Threads) -> u32 {
        threads.count_ones() + (threads & self.many).count_ones()
    }

    /// May the object be reached by another thread than the one that made it?
    pub fn has_escaped(&self, object: u32) -> bool {
        self.escaped.contains(&object)
    }

    /// May two threads access this part of the object?
    pub fn is_shared(&self, object: u32, part: Part) -> bool {
        if !self.escaped.contains(&object) {
            return false;
        }
        let object = if self.alike.contains(object) { OUTSIDE } else { object };
        let mut accesses = self.accesses.get(&(object, part)).copied().unwrap_or_default();
        if self.crowded.contains(object) {
            let by_crowd = self.accesses.get(&(OUTSIDE, part)).copied().unwrap_or_default();
            accesses.threads |= by_crowd.threads;
        }
        if object == OUTSIDE {
            accesses.threads |= self.by_crowded.get(&part).copied().unwrap_or_default();
        }
        accesses.threads |= self.unknown.get(&part).copied().unwrap_or_default();
        let mut count = self.count(accesses.threads);
        if accesses.own {
            let (bit, once) = self.tasks.get(&object).copied().unwrap_or((LAST_TASK, false));
            let same = accesses.threads >> bit & 1 == 1 && self.many >> bit & 1 == 0;
            count += if !once { 2 } else { u32::from(!same) };
        }
        count >= 2
    }

    /// May two threads access the static field?
    pub fn is_static_shared(&self, field: FieldId) -> bool {
        self.count(self.statics.get(&field).copied().unwrap_or_default()) >= 2
    }

    /// May the access by an instruction touch something that two threads access? False for what is no access; true for
    /// an access to what nobody saw being made, and for one in code that nobody saw being called.
    pub fn maybe_shared(&self, program: &Program, points: &Points, method: MethodId, inst: u32) -> bool {
        let Some(body) = program.body(method) else { return false };
        let owner = program.method(method).owner;
        match body.insts.get(inst as usize).and_then(|inst| accessed(&inst.op)) {
            None => false,
            Some(Accessed::Static(field)) => {
                program.field_of(owner, field).is_none_or(|field| self.is_static_shared(field))
            }
            Some(Accessed::Object(object, field)) => {
                let part = match field {
                    Some(field) => program.field_of(owner, field).map(Part::Field),
                    None => Some(Part::Elements),
                };
                let (Some(part), Some(objects)) = (part, points.of(method, object)) else { return true };
                objects.is_empty()
                    || (objects.meets(&self.alike) && self.is_shared(OUTSIDE, part))
                    || objects.without(&self.alike).iter().any(|object| self.is_shared(object, part))
            }
        }
    }

    /// May several threads start in this root, by its number among [`Points::roots`]?
    pub fn is_many(&self, root: usize) -> bool {
        self.many_roots.get(root).copied().unwrap_or(true)
    }

    /// May one thread run one method while another runs the other?
    pub fn may_overlap(&self, one: MethodId, other: MethodId) -> bool {
        let (one, other) = (self.threads[one.index()], self.threads[other.index()]);
        let different = one != 0 && other != 0 && (one | other).count_ones() >= 2;
        different || one & other & self.many != 0
    }

    /// Is the method run by the program's own thread and by no other?
    pub fn is_main_alone(&self, method: MethodId) -> bool {
        self.threads[method.index()] == 1 << MAIN
    }

    /// May several threads run the method at the same time?
    pub fn is_run_by_many(&self, method: MethodId) -> bool {
        self.count(self.threads[method.index()]) >= 2
    }
}

enum Accessed {
    Static(crate::ir::FieldRef),
    /// A field, or an array's elements.
    Object(Reg, Option<crate::ir::FieldRef>),
}

fn accessed(op: &Op) -> Option<Accessed> {
    match *op {
        Op::Get { field, object } | Op::Put { field, object, .. } => {
            Some(Accessed::Object(object, Some(field)))
        }
        Op::Load { array, .. } | Op::Store { array, .. } => Some(Accessed::Object(array, None)),
        Op::GetStatic { field } | Op::PutStatic { field, .. } => Some(Accessed::Static(field)),
        _ => None,
    }
}

/// Does the instruction run at most once each time its method does?
fn runs_once(program: &Program, method: MethodId, inst: u32) -> bool {
    let Some(body) = program.body(method) else { return false };
    let found = body.blocks().find(|(_, block)| block.insts.range().contains(&(inst as usize)));
    let Some((start, _)) = found else { return false };
    // Is there a way from the block back to itself?
    let mut seen = vec![false; body.blocks.len()];
    let mut work = vec![start];
    while let Some(id) = work.pop() {
        for edge in body.all_edges(&body.block(id)) {
            if edge.target == start {
                return false;
            }
            if let Some(seen) = seen.get_mut(edge.target.index())
                && !std::mem::replace(seen, true)
            {
                work.push(edge.target);
            }
        }
    }
    true
}

/// Is each of the task's objects run by one thread, once?
fn is_run_once(program: &Program, points: &Points, root: &Root, object: u32) -> bool {
    let class = points.object(object).class;
    let thread = program.class_named("java/lang/Thread");
    if class.zip(thread).is_some_and(|(class, thread)| program.is_below(class, thread)) {
        return true; // a thread can be started once
    }
    let mut handed = root.handed.iter().filter(|(task, _)| *task == object);
    let (Some((_, (method, inst))), None) = (handed.next(), handed.next()) else { return false };
    let Some((maker, made)) = points.object(object).place else { return false };
    let Some(body) = program.body(*method) else { return false };
    let (Some(call), Some(new)) = (body.insts.get(*inst as usize), body.insts.get(made as usize)) else {
        return false;
    };
    let given = call.op.list().is_some_and(|list| body.list(list).contains(&new.result));
    let owner = program.method(*method).owner;
    let table = &program.class(owner).code.table;
    let name = match call.op {
        Op::Call { method, .. } => table.method(method).map_or("", |member| table.text(member.name)),
        _ => "",
    };
    // Others may run a task again and again.
    let once = matches!(name, "<init>" | "execute" | "submit" | "startVirtualThread");
    // Made and handed over in one go: each object once, wherever that is.
    let together = body.blocks().any(|(_, block)| {
        block.insts.range().contains(&(*inst as usize)) && block.insts.range().contains(&(made as usize))
    });
    maker == *method && given && once && (together || runs_once(program, *method, *inst))
}

/// Is there but one thread that starts in this root?
fn is_single(program: &Program, points: &Points, root: &Root) -> bool {
    match root.kind {
        RootKind::Main | RootKind::Finalizer => true,
        RootKind::Entry | RootKind::Public => false,
        RootKind::Task => {
            let [object] = root.objects[..] else { return false };
            let Some((maker, made)) = points.object(object).place else { return false };
            let mains = || points.roots().iter().filter(|root| root.kind == RootKind::Main);
            let called = || points.calls().iter().any(|(_, callee)| *callee == Callee::Method(maker));
            mains().any(|main| main.method == maker)
                && runs_once(program, maker, made)
                && is_run_once(program, points, root, object)
                && !called()
        }
    }
}
