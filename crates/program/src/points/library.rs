//! What a call of a library's method may do: keep what it is given, hand out what it keeps, call back, have other threads
//! run it. See the head of `mod.rs`. Which JDK methods keep nothing is listed here: the model tables speak of order, not
//! of what is kept.

use std::rc::Rc;

use classfile::{MethodType, flags};
use events::models::{Action, Base, Reach};

use super::calls::Site;
use super::code::is_value;
use super::graph::Node;
use super::roots::RootKind;
use super::{Analysis, Callee, Caller, Made, OUTSIDE, Object, Part, Set, Watch};
use crate::ir::Kind;
use crate::{ClassId, MethodId, Origin};

/// Classes whose methods keep nothing of what they are given, and hand out nothing but their receiver.
const KEEP_NOTHING: &[&str] = &[
    "java/lang/Object",
    "java/lang/String",
    "java/lang/StringBuilder",
    "java/lang/StringBuffer",
    "java/lang/AbstractStringBuilder",
    "java/lang/Math",
    "java/lang/StrictMath",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Short",
    "java/lang/Byte",
    "java/lang/Character",
    "java/lang/Boolean",
    "java/lang/Float",
    "java/lang/Double",
    "java/io/PrintStream",
];

/// A method of the inputs that a library may call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Callback {
    pub method: MethodId,
    /// Is it what a task does: `run` or `call`? Libraries that only keep tasks do not run them.
    pub is_task: bool,
    /// Is it one of `Object`, or `compareTo`: called whatever the object was handed over for?
    pub is_plain: bool,
}

/// A place where a library holds objects.
pub struct Hub {
    pub node: Node,
    /// Does the library keep them, or only look at them?
    pub keeps: bool,
    /// Those that have been dealt with.
    pub seen: Set,
    /// Are all of those merged, since it is the outside's?
    pub merged: bool,
}

fn is_task(name: &str, descriptor: &str) -> bool {
    matches!((name, descriptor), ("run" | "compute", "()V") | ("call" | "compute", "()Ljava/lang/Object;"))
        || matches!((name, descriptor), ("exec", "()Z"))
}

fn is_plain(name: &str) -> bool {
    matches!(name, "equals" | "hashCode" | "toString" | "compareTo" | "clone" | "finalize")
}

impl Analysis<'_> {
    /// Is it an object in which a library keeps things?
    fn is_holder(&self, object: u32) -> bool {
        let found = self.object(object);
        let program = self.program;
        match (found.made, found.class) {
            (Made::Library | Made::Outside, _) => true,
            (Made::New | Made::Given | Made::Crowd, Some(class)) => program.chain(class).any(|class| {
                let class = program.class(class);
                // Nothing but Object is above nothing.
                class.origin != Origin::Input && class.superclass.is_some()
            }),
            _ => false,
        }
    }

    /// A call turned out to be one of a library's method.
    pub fn library_call(&mut self, number: u32) {
        let site = &mut self.sites[number as usize];
        if std::mem::replace(&mut site.seen, true) {
            return;
        }
        let program = self.program;
        let owner = site.named.map(|named| program.method(named).owner).or(site.owner);
        let name = owner.map_or("", |owner| program.class(owner).name());
        // Arrays have no class here, and no methods but those of Object.
        let is_objects = name == "java/lang/Object" || owner.is_none() && !site.name.is_empty();
        if is_objects && &*site.name == "clone" {
            // A copy counts as the object itself; what is in it stays in there.
            let from = site.arguments.first().copied().flatten();
            if let Some((from, to)) = from.zip(site.result) {
                self.flow(from, to);
            }
            return;
        }
        // The others look at the receiver alone, but for this one.
        if name == "java/lang/Object" && &*site.name != "equals" {
            return;
        }
        let site = site.clone();
        self.hold_at(number, site, !KEEP_NOTHING.contains(&name));
        self.start_thread(number);
    }

    /// A library gets hold of what a call gives it.
    pub fn hold(&mut self, site: Site, keeps: bool) {
        self.sites.push(site.clone());
        self.hold_at(self.sites.len() as u32 - 1, site, keeps);
    }

    fn hold_at(&mut self, number: u32, site: Site, keeps: bool) {
        let program = self.program;
        let held = self.graph.add(1);
        {
            let site = &mut self.sites[number as usize];
            site.held = Some(held);
            site.keeps = keeps;
        }
        let later = self.later(&site);
        let types = MethodType::parse(site.descriptor.as_bytes());
        for (place, argument) in site.arguments.iter().enumerate() {
            let Some(argument) = *argument else { continue };
            let position = if site.is_static { Some(place) } else { place.checked_sub(1) };
            if let Some(position) = position.filter(|position| later.contains(position)) {
                let declared = types.and_then(|types| types.parameters().nth(position)?.class_name());
                let declared = declared.and_then(|name| program.class_named(&String::from_utf8_lossy(name)));
                self.watch(argument, Watch::Task(number, declared));
            } else {
                self.flow(argument, held);
            }
        }
        let unknown = site.owner.is_some_and(|owner| program.class(owner).origin == Origin::Missing);
        if unknown || (site.is_static && keeps && may_register(&site.name)) {
            self.graph.put(held, OUTSIDE);
        }
        let hub = self.hub(held, keeps);
        self.calls.insert((site.caller, Callee::Library(hub)));
        if !keeps {
            self.watch(held, Watch::Handed(number));
        }
        let Some(result) = site.result else { return };
        let returned = MethodType::parse(site.descriptor.as_bytes()).and_then(|types| types.result());
        let class = returned.and_then(|of| of.class_name()).map(String::from_utf8_lossy);
        if class.as_deref().is_some_and(is_value) {
            return;
        }
        self.flow(held, result);
        if site.is_static && keeps {
            let class = class.and_then(|name| program.class_named(&name));
            let class = class.filter(|class| program.class(*class).origin != Origin::Input);
            let made = self.add_object(Object { made: Made::Library, class, place: site.inst });
            self.graph.put(held, made);
            let outside = self.part(OUTSIDE, Part::Contents);
            self.flow(outside, result);
        }
        if &*site.name == "currentThread" {
            self.flow(self.threads, result);
        }
    }

    /// The arguments that model tables say other threads run.
    fn later(&self, site: &Site) -> Vec<usize> {
        let Some(owner) = site.owner else { return Vec::new() };
        let program = self.program;
        let is_below = |below: &str, above: &str| {
            below == above
                || program
                    .class_named(below)
                    .zip(program.class_named(above))
                    .is_some_and(|(below, above)| program.is_below(below, above))
        };
        let lines = self.models.call_on(&site.name, &site.descriptor, program.class(owner).name(), is_below);
        let effects = lines.iter().flat_map(|line| &line.effects);
        effects
            .filter_map(|effect| match &effect.action {
                Action::Runs { code, now: false } if code.reach == Reach::Itself => match code.base {
                    Base::Arg(number) => Some(usize::from(number)),
                    _ => None,
                },
                _ => None,
            })
            .collect()
    }

    /// `start` of a thread object: its `run` is a thread's first method. So is what a fork-join task computes, and a task
    /// that is handed to a method by reflection.
    fn start_thread(&mut self, number: u32) {
        let program = self.program;
        let site = &self.sites[number as usize];
        let of = site.owner.map_or("", |owner| program.class(owner).name());
        if let (Some(held), "java/lang/reflect/Method", "invoke") = (site.held, of, &*site.name) {
            self.watch(held, Watch::Reflected(number));
            return;
        }
        let Some(receiver) = site.arguments.first().copied().flatten().filter(|_| !site.is_static) else {
            return;
        };
        let above = match (&*site.name, &*site.descriptor) {
            ("start", "()V") => "java/lang/Thread",
            ("fork" | "invoke" | "join", _) => "java/util/concurrent/ForkJoinTask",
            _ => return,
        };
        let owner = site.named.map(|named| program.method(named).owner).or(site.owner);
        let above = program.class_named(above);
        let fits = match (owner, above) {
            (Some(owner), Some(above)) => {
                program.is_below(owner, above) || program.class(owner).origin == Origin::Missing
            }
            _ => false,
        };
        if fits {
            self.watch(receiver, Watch::Task(number, above));
        }
    }

    fn hub_place(&self, mut hub: u32) -> u32 {
        while self.hub_same[hub as usize] != hub {
            hub = self.hub_same[hub as usize];
        }
        hub
    }

    /// The place where a library may call methods of what is in a node.
    fn hub(&mut self, node: Node, keeps: bool) -> u32 {
        let node = self.graph.find(node);
        if let Some(hub) = self.hub_of.get(&node) {
            return self.hub_place(*hub);
        }
        let hub = self.add_hub(node, keeps);
        self.hub_of.insert(node, hub);
        self.changed_hubs.push(hub);
        hub
    }

    pub fn add_hub(&mut self, node: Node, keeps: bool) -> u32 {
        let hub = self.hubs.len() as u32;
        self.hubs.push(Hub { node, keeps, seen: Set::default(), merged: false });
        self.hub_same.push(hub);
        hub
    }

    /// Moves the places of nodes that became part of others.
    pub fn move_hubs(&mut self) {
        for (gone, into) in std::mem::take(&mut self.graph.merged) {
            let node = self.graph.find(into);
            let Some(hub) = self.hub_of.remove(&gone) else {
                // What came along has not been looked at.
                self.changed_hubs.extend(self.hub_of.get(&node));
                continue;
            };
            match self.hub_of.get(&node).copied() {
                Some(other) => {
                    self.hub_same[hub as usize] = other;
                    self.forget_unmerged(hub, node);
                    self.forget_unmerged(other, node);
                    let seen = std::mem::take(&mut self.hubs[hub as usize].seen);
                    let (gone, stays) = (self.hubs[hub as usize].keeps, &mut self.hubs[other as usize]);
                    match (gone, stays.keeps) {
                        // What was dealt with in one has been in both.
                        (true, true) | (false, false) => stays.seen.join(&seen, &mut Set::default()),
                        (true, false) => (stays.keeps, stays.seen) = (true, seen),
                        (false, true) => {}
                    }
                    self.changed_hubs.push(other);
                }
                None => {
                    self.hubs[hub as usize].node = node;
                    self.hub_of.insert(node, hub);
                    self.forget_unmerged(hub, node);
                    self.changed_hubs.push(hub);
                }
            }
        }
    }

    /// A place became part of the outside: what was dealt with elsewhere has yet to be merged.
    fn forget_unmerged(&mut self, hub: u32, node: Node) {
        let hub = &mut self.hubs[hub as usize];
        if !hub.merged && node == self.graph.find(self.outside) {
            // From now on what is dealt with here is merged.
            hub.merged = true;
            hub.seen = hub.seen.common(&self.merged);
        }
    }

    /// Looks at all objects of places that have changed.
    pub fn look_again(&mut self) {
        while !self.changed_hubs.is_empty() {
            let mut changed: Vec<u32> = std::mem::take(&mut self.changed_hubs);
            for hub in &mut changed {
                *hub = self.hub_place(*hub);
            }
            changed.sort_unstable();
            changed.dedup();
            for hub in changed {
                let hub = self.hub_place(hub);
                let here = self.graph.objects(self.hubs[hub as usize].node);
                let here = here.without(&self.hubs[hub as usize].seen);
                self.kept(hub, &here);
                self.move_hubs();
            }
        }
    }

    /// What is in two nodes is held by a library in one place from now on.
    fn unify(&mut self, one: Node, other: Node) {
        self.graph.unify(one, other);
        self.move_hubs();
    }

    /// A library holds objects.
    pub fn kept(&mut self, hub: u32, objects: &Set) {
        let place = self.hub_place(hub);
        let Hub { keeps, seen, .. } = &self.hubs[place as usize];
        let keeps = *keeps;
        let mut fresh = objects.without(seen);
        if !keeps && fresh.meets(&self.merged) {
            // What the outside holds is called back there.
            let outside = self.hub(self.outside, true);
            self.calls.insert((Caller::Library(place), Callee::Library(outside)));
            let merged = fresh.common(&self.merged);
            self.hubs[place as usize].seen.join(&merged, &mut Set::default());
            fresh = fresh.without(&merged);
        }
        for object in fresh.iter() {
            self.keep(hub, object);
        }
    }

    fn keep(&mut self, hub: u32, object: u32) {
        let hub = self.hub_place(hub);
        if !self.hubs[hub as usize].seen.insert(object) {
            return;
        }
        let Hub { node: held, keeps, .. } = self.hubs[hub as usize];
        let found = self.object(object);
        if self.is_crowd(object) && self.graph.find(held) == self.graph.find(self.outside) {
            return;
        }
        if keeps {
            // What is in one can be taken out of the other: they are one place.
            if found.made == Made::Array {
                let elements = self.part(object, Part::Elements);
                self.unify(elements, held);
            } else if self.is_holder(object) {
                let contents = self.part(object, Part::Contents);
                self.unify(contents, held);
            }
            let is_thread = found.class.is_some_and(|class| self.is_thread(class));
            if is_thread && !self.is_crowd(object) {
                self.run_task(object, held, None);
            }
        }
        let hub = self.hub_place(hub);
        let held = self.hubs[hub as usize].node;
        if self.graph.find(held) == self.graph.find(self.outside) {
            self.merge(object);
            self.move_hubs();
        }
        if !self.is_crowd(object) {
            self.call_back(hub, held, object);
        } else if self.crowds.on && found.made == Made::Crowd {
            self.crowd_called_back(hub, held, object);
        }
    }

    /// An object was handed to a library that keeps nothing: it may look at what is in it all the same.
    pub fn handed(&mut self, number: u32, object: u32) {
        let site = &self.sites[number as usize];
        let caller = site.caller;
        let Some(held) = site.held else { return };
        if self.object(object).made == Made::Array {
            let elements = self.part(object, Part::Elements);
            self.flow(elements, held);
        } else if self.is_holder(object) {
            let contents = self.part(object, Part::Contents);
            let hub = self.hub(contents, true);
            self.calls.insert((caller, Callee::Library(hub)));
        }
    }

    pub fn is_thread(&self, class: ClassId) -> bool {
        let thread = self.program.class_named("java/lang/Thread");
        thread.is_some_and(|thread| self.program.is_below(class, thread))
    }

    /// The methods of a class that libraries may call: those that override what a library type declares.
    pub fn callbacks(&mut self, class: ClassId) -> Rc<[Callback]> {
        if let Some(known) = self.callbacks.get(&class) {
            return Rc::clone(known);
        }
        let program = self.program;
        let mut found: Vec<Callback> = Vec::new();
        for above in program.class(class).above() {
            if program.class(*above).origin == Origin::Input {
                continue;
            }
            for declared in program.class(*above).methods() {
                let access = program.method(declared).access;
                let (name, descriptor) = program.names_of(declared);
                if access & (flags::STATIC | flags::PRIVATE) != 0 || name == "<init>" {
                    continue;
                }
                let Some(method) = program.dispatch(class, declared) else { continue };
                if self.is_followed(method) && !found.iter().any(|known| known.method == method) {
                    let (is_task, is_plain) = (is_task(name, descriptor), is_plain(name));
                    found.push(Callback { method, is_task, is_plain });
                }
            }
        }
        let found: Rc<[Callback]> = found.into();
        self.callbacks.insert(class, Rc::clone(&found));
        found
    }

    /// A library holds an object and may call its methods.
    fn call_back(&mut self, hub: u32, held: Node, object: u32) {
        let found = self.object(object);
        let caller = Caller::Library(hub);
        if found.made == Made::Closure {
            if let Some(arguments) = self.closure_arguments(object, held, false) {
                self.run_closure(object, caller, None, &arguments, Some(held));
            }
            return;
        }
        let Some(class) = found.class else { return };
        if self.program.class(class).origin != Origin::Input {
            return;
        }
        let callbacks = self.callbacks(class);
        if callbacks.iter().all(|callback| callback.is_task) {
            return;
        }
        let (given, own) = self.back(class);
        if self.backed.insert(object) {
            for callback in callbacks.iter().filter(|callback| !callback.is_task) {
                if let Some(base) = self.base(callback.method) {
                    self.graph.put(base, object);
                }
            }
        }
        if self.calls.insert((caller, Callee::Library(own))) {
            self.flow(held, given);
            self.flow(given + 1, held);
        }
    }

    /// Where libraries give something to what they call back on objects of a class, and (the next node) get something;
    /// and who calls then. No caller tells apart who calls back: one place for each class is enough.
    fn back(&mut self, class: ClassId) -> (Node, u32) {
        if let Some(known) = self.backs.get(&class) {
            return *known;
        }
        let given = self.graph.add(2);
        let hub = self.add_hub(given + 1, false);
        self.backs.insert(class, (given, hub));
        for callback in self.callbacks(class).iter().filter(|callback| !callback.is_task) {
            self.calls.insert((Caller::Library(hub), Callee::Method(callback.method)));
            self.called(callback.method, None, given, given + 1);
        }
        (given, hub)
    }

    /// A library calls a method on an object, with what is in one node, and puts what it gets into another.
    pub fn called(&mut self, method: MethodId, object: Option<u32>, given: Node, got: Node) {
        let Some(base) = self.base(method) else { return };
        let Some(body) = self.program.body(method) else { return };
        if let Some(object) = object {
            self.graph.put(base, object);
        }
        let places = (self.graph.find(given), self.graph.find(got));
        if !self.called.insert((method, places.0, places.1)) {
            return;
        }
        let (_, descriptor) = self.program.names_of(method);
        let types = MethodType::parse(descriptor.as_bytes());
        let parameters = types.into_iter().flat_map(|types| types.parameters());
        for (param, of) in body.params().iter().skip(1).zip(parameters) {
            if body.kind(*param) != Kind::Ref {
                continue;
            }
            let class = of.class_name().map(String::from_utf8_lossy);
            match class.and_then(|name| self.program.class_named(&name)) {
                Some(class) => self.flow_filtered(given, base + param.0, class.0),
                None => self.flow(given, base + param.0),
            }
        }
        self.flow(base + body.kinds.len() as u32, got);
    }

    /// What a library gives to a closure: what it holds, for each parameter. `None` if libraries that only keep it do not
    /// run it.
    pub fn closure_arguments(&self, object: u32, held: Node, later: bool) -> Option<Vec<Option<Node>>> {
        let (class, closure) = self.types.closures.get(&object)?;
        let table = &self.program.class(*class).code.table;
        let method = table.closures.get(closure.index())?.method;
        let (_, name, descriptor) = table.names(method);
        if !later && is_task(name, descriptor) {
            return None;
        }
        let types = MethodType::parse(descriptor.as_bytes())?;
        Some(types.parameters().map(|of| of.is_reference().then_some(held)).collect())
    }

    /// An object is handed to a method that is not known; if it is a task, it may be run by another thread.
    pub fn reflected(&mut self, number: u32, object: u32) {
        if self.is_crowd(object) {
            return self.crowd_reflected(number, object);
        }
        let is_task = match (self.object(object).made, self.object(object).class) {
            (Made::Closure, _) => self.closure_arguments(object, self.outside, false).is_none(),
            (_, Some(class)) => {
                self.program.class(class).origin == Origin::Input
                    && self.callbacks(class).iter().any(|callback| callback.is_task)
            }
            _ => false,
        };
        if is_task {
            self.task(number, object);
        }
    }

    /// An object that another thread runs arrived at a call.
    pub fn task(&mut self, number: u32, object: u32) {
        let site = &self.sites[number as usize];
        let is_start = site.named.is_some() && &*site.name == "start";
        let Some(held) = site.held else { return };
        if self.is_holder(object) && self.object(object).class.is_none_or(|class| !self.is_task_class(class))
        {
            // A collection of tasks. Many collections are one place.
            let contents = self.part(object, Part::Contents);
            if self.collections.insert((number, self.graph.find(contents))) {
                self.watch(contents, Watch::Task(number, None));
            }
            return;
        }
        if is_start && !self.object(object).class.is_some_and(|class| self.is_thread(class)) {
            return;
        }
        if self.tasks.insert((number, object)) {
            let inst = self.sites[number as usize].inst;
            self.run_task(object, held, inst);
        }
    }

    /// Does the class, one of the inputs, say what a task does?
    fn is_task_class(&mut self, class: ClassId) -> bool {
        self.program.class(class).origin == Origin::Input && !self.callbacks(class).is_empty()
    }

    /// Makes roots of what a task's object does. `inst` hands it over.
    pub fn run_task(&mut self, object: u32, held: Node, inst: Option<(MethodId, u32)>) {
        self.exchanged.insert(held);
        let found = self.object(object);
        if found.made == Made::Closure {
            let Some(arguments) = self.closure_arguments(object, held, true) else { return };
            let hub = self.task_hub(object);
            self.run_closure(object, Caller::Library(hub), None, &arguments, Some(held));
            self.add_closure_root(object, hub, inst);
            return;
        }
        let Some(class) = found.class else { return };
        let is_thread = self.is_thread(class);
        let callbacks = self.callbacks(class);
        let has_task = callbacks.iter().any(|callback| callback.is_task);
        for callback in callbacks.iter() {
            let wanted = if is_thread || has_task { callback.is_task } else { !callback.is_plain };
            if wanted {
                self.called(callback.method, Some(object), held, held);
                self.add_root(callback.method, RootKind::Task, Some(object), inst);
            }
        }
        if is_thread {
            self.graph.put(self.threads, object);
        }
    }

    /// A place of its own for the thread that runs a closure, whatever became of what the closure holds.
    fn task_hub(&mut self, object: u32) -> u32 {
        if let Some(hub) = self.task_hubs.get(&object) {
            return *hub;
        }
        let node = self.graph.add(1);
        let hub = self.add_hub(node, false);
        self.task_hubs.insert(object, hub);
        hub
    }
}

/// May a static method of this name put its arguments where others find them?
fn may_register(name: &str) -> bool {
    ["set", "register", "add", "put", "install", "load"].iter().any(|start| name.starts_with(start))
}
