//! Who calls whom, which objects a register may hold, which methods start threads: one analysis, since each needs the
//! others. Objects are told apart by the place that made them, fields by object and field (Andersen's analysis, with the
//! calls found on the way); paths and callers are not told apart.
//!
//! The inputs' code is followed; the JDK and other libraries are known by what they can do at most. An object of a library
//! class keeps whatever is handed to its methods (its *contents*), hands it out again from any of them, and calls back the
//! methods of the inputs' objects among it that a library type declares. What is in a library's static fields is one object,
//! the *outside*. Model tables say which arguments are run by other threads. Strings and boxes are not objects here.
//!
//! Objects that the outside holds are *merged*: their parts are told apart by field alone. As long as they are few they are
//! listed where they may be; else **crowds** stand for them (`crowds.rs`), so that sets stay small whatever the size
//! of the program. An analysis that takes too long merges all objects: a coarser answer, and still one that leaves
//! nothing out.
//!
//! Not followed: reflection, and objects that only a library makes of the inputs' classes (by name, from a file). Calls on
//! them have no target.

mod calls;
mod code;
mod crowds;
mod given;
mod graph;
mod library;
mod roots;
mod set;

use events::models::Models;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::Reg;
use crate::{ClassId, FieldId, Gap, MethodId, Origin, Program};
use graph::{Filter, Graph, Node};
pub use roots::{Root, RootKind};
pub use set::Set;

/// How an object came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Made {
    /// By `new`.
    New,
    /// As an array.
    Array,
    /// As a lambda or method reference.
    Closure,
    /// As a class literal.
    Literal,
    /// By a library's method that was called.
    Library,
    /// All that libraries keep in static fields.
    Outside,
    /// As one of many that are not told apart: merged objects of a class or below it.
    Crowd,
    /// By whoever calls a library's public methods.
    Given,
}

/// An abstract object: all that one place makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// How it came to be.
    pub made: Made,
    /// Its class; none for arrays and closures.
    pub class: Option<ClassId>,
    /// The method that makes it, and the number of its instruction.
    pub place: Option<(MethodId, u32)>,
}

/// The number of the object that stands for all that libraries keep in static fields.
pub const OUTSIDE: u32 = 0;

/// A part of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// A field.
    Field(FieldId),
    /// An array's elements.
    Elements,
    /// What an object of a library class holds.
    Contents,
}

/// Who calls: a method, or a library on behalf of whoever calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Caller {
    /// A method.
    Method(MethodId),
    /// A library with what it holds in one place.
    Library(u32),
}

/// The result.
pub struct Points {
    objects: Vec<Object>,
    /// The first number that is no crowd.
    first: u32,
    /// Do crowds stand for merged objects?
    crowded: bool,
    /// By node: its set among the sets.
    set_of: Vec<u32>,
    sets: Vec<Set>,
    steps: usize,
    /// By method: the node of its first register; none if it is not reached.
    bases: Vec<Option<Node>>,
    parts: FxHashMap<(u32, Part), Node>,
    statics: FxHashMap<FieldId, Node>,
    /// Methods called by instructions, sorted.
    targets: Vec<(MethodId, u32, MethodId)>,
    /// All calls, those by libraries too, sorted.
    calls: Vec<(Caller, Callee)>,
    roots: Vec<Root>,
    exchanged: Vec<Node>,
    merged: Set,
    merged_classes: Vec<ClassId>,
    merged_parts: FxHashMap<Part, Node>,
    gaps: Vec<Gap>,
}

/// What is called: a method, or a library that may call back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Callee {
    /// A method.
    Method(MethodId),
    /// A library with what it holds in one place.
    Library(u32),
}

/// What is analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum World {
    /// A program if it has a `main`, a test or an entry that a framework calls; a library otherwise.
    Guess,
    /// A library: any thread may call its public methods.
    Library,
}

/// How many edges there may be before all objects are merged; each takes some thirty bytes.
const MOST_EDGES: usize = 20_000_000;

/// How far things are told apart. Whatever the numbers, the analysis leaves nothing out; small ones make it coarser.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How much the analysis may do before all objects are merged: for each method of the program, and at least.
    pub steps: (usize, usize),
    /// How many merged objects are listed one by one before crowds stand for them.
    pub listed: usize,
    /// How many objects a node may hold before they are merged, and merged tasks before crowds stand for them.
    pub in_node: usize,
    /// Calls on crowds with more targets than that are known as calls by way of a library.
    pub targets: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: (5_000, 60_000_000), listed: 96, in_node: 400, targets: 48 }
    }
}

impl Points {
    /// Analyses a program.
    pub fn new(program: &Program, models: &Models, world: World) -> Points {
        Points::within(program, models, world, Limits::default())
    }

    /// Analyses a program within limits.
    pub fn within(program: &Program, models: &Models, world: World, limits: Limits) -> Points {
        let mut analysis = Analysis::new(program, models, limits);
        analysis.find_roots(world);
        analysis.make_given();
        analysis.settle();
        analysis.finish()
    }

    /// All objects; their numbers are those in sets.
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// An object.
    pub fn object(&self, number: u32) -> &Object {
        &self.objects[number as usize]
    }

    /// Is the method ever called?
    pub fn is_reached(&self, method: MethodId) -> bool {
        self.bases.get(method.index()).is_some_and(Option::is_some)
    }

    /// The objects that a register of a method may hold.
    pub fn of(&self, method: MethodId, reg: Reg) -> Option<&Set> {
        let base = (*self.bases.get(method.index())?)?;
        reg.is_some().then(|| self.at(base + reg.0))
    }

    fn at(&self, node: Node) -> &Set {
        static NONE: Set = Set::EMPTY;
        let set = self.set_of.get(node as usize).and_then(|set| self.sets.get(*set as usize));
        set.unwrap_or(&NONE)
    }

    /// May both hold one and the same object?
    pub fn may_meet(&self, program: &Program, one: &Set, other: &Set) -> bool {
        if one.meets(other) {
            return true;
        }
        if !self.crowded || !one.meets(&self.merged) || !other.meets(&self.merged) {
            return false;
        }
        let (ones, others) = (one.common(&self.merged), other.common(&self.merged));
        ones.iter().any(|a| others.iter().any(|b| self.may_be_one(program, a, b)))
    }

    /// May two merged objects be the same one?
    fn may_be_one(&self, program: &Program, one: u32, other: u32) -> bool {
        if one == OUTSIDE || other == OUTSIDE {
            return true;
        }
        if !self.is_crowd(one) && !self.is_crowd(other) {
            return false;
        }
        let (one, other) = (self.object(one), self.object(other));
        let (Some(one), Some(other)) = (one.class, other.class) else { return one.class == other.class };
        let below = program.class(one).below();
        program.is_below(one, other)
            || program.is_below(other, one)
            || below.iter().any(|class| program.is_below(*class, other))
    }

    /// Is it not one object but a crowd of merged ones?
    pub fn is_crowd(&self, object: u32) -> bool {
        object < self.first
    }

    /// Is it a crowd of which not even the class is known?
    pub fn is_anything(&self, object: u32) -> bool {
        self.is_crowd(object) && self.object(object).made != Made::Crowd
    }

    /// Do crowds stand for merged objects?
    pub fn is_crowded(&self) -> bool {
        self.crowded
    }

    /// The classes of the inputs that a crowd's objects may have.
    pub fn classes_of(&self, program: &Program, crowd: u32) -> impl Iterator<Item = ClassId> {
        let class = self.object(crowd).class;
        let all = self.merged_classes.iter().copied();
        all.filter(move |found| class.is_none_or(|class| program.is_below(*found, class)))
    }

    /// The objects that a part of an object may hold.
    pub fn part(&self, object: u32, part: Part) -> Option<&Set> {
        let node = match self.merged.contains(object) {
            true if part == Part::Contents => self.parts.get(&(OUTSIDE, part)),
            true => self.merged_parts.get(&part),
            false => self.parts.get(&(object, part)),
        };
        node.map(|node| self.at(*node))
    }

    /// The objects whose parts are not told apart, but by field, and the crowds that stand for them.
    pub fn merged(&self) -> &Set {
        &self.merged
    }

    /// The objects that a static field may hold.
    pub fn of_static(&self, field: FieldId) -> Option<&Set> {
        self.statics.get(&field).map(|node| self.at(*node))
    }

    /// All parts of objects with what they may hold; those of merged objects as parts of the outside.
    pub fn parts(&self) -> impl Iterator<Item = (u32, Part, &Set)> {
        let merged = self.merged_parts.iter().map(|(part, node)| (OUTSIDE, *part, *node));
        let own = self.parts.iter().map(|((object, part), node)| (*object, *part, *node));
        own.chain(merged).map(|(object, part, node)| (object, part, self.at(node)))
    }

    /// All static fields that objects were put into.
    pub fn statics(&self) -> impl Iterator<Item = (FieldId, &Set)> {
        self.statics.iter().map(|(field, node)| (*field, self.at(*node)))
    }

    /// The methods that an instruction may call, in order; those of libraries are not among them.
    pub fn targets(&self, method: MethodId, inst: u32) -> impl Iterator<Item = MethodId> {
        let start = self.targets.partition_point(|call| (call.0, call.1) < (method, inst));
        let after = self.targets.get(start..).unwrap_or_default();
        after.iter().take_while(move |call| (call.0, call.1) == (method, inst)).map(|call| call.2)
    }

    /// The calls by a method's instructions: instruction, method called; in order.
    pub fn targets_of(&self, method: MethodId) -> impl Iterator<Item = (u32, MethodId)> {
        let start = self.targets.partition_point(|call| call.0 < method);
        let after = self.targets.get(start..).unwrap_or_default();
        after.iter().take_while(move |call| call.0 == method).map(|call| (call.1, call.2))
    }

    /// Every call by an instruction: method, instruction, method called; sorted.
    pub fn all_targets(&self) -> impl Iterator<Item = (MethodId, u32, MethodId)> {
        self.targets.iter().copied()
    }

    /// Every call, in order: by methods, and by libraries that call back.
    pub fn calls(&self) -> &[(Caller, Callee)] {
        &self.calls
    }

    /// The methods in which threads start, in order.
    pub fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// The objects that pass between tasks and those who hand them over: arguments and results.
    pub fn exchanged(&self) -> impl Iterator<Item = u32> {
        self.exchanged.iter().flat_map(|node| self.at(*node).iter())
    }

    /// What is missing from the analysis, or coarser than it might be.
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// How much work it was, for measuring.
    pub fn steps(&self) -> usize {
        self.steps
    }
}

/// What is known of objects by their number.
struct Types<'p> {
    program: &'p Program,
    objects: Vec<Object>,
    /// For closures, the class and its closure.
    closures: FxHashMap<u32, (ClassId, crate::ir::ClosureRef)>,
    /// Objects of the inputs' classes by class, closures by interface.
    by_class: FxHashMap<ClassId, Vec<u32>>,
}

impl Types<'_> {
    /// The interface that a closure implements.
    fn interface(&self, object: u32) -> Option<ClassId> {
        let (class, closure) = self.closures.get(&object)?;
        let table = &self.program.class(*class).code.table;
        self.program.class_of(*class, table.closures.get(closure.index())?.method.owner)
    }
}

/// What waits for objects in a node.
#[derive(Clone, Copy)]
enum Watch {
    /// A part of them is read into the node.
    Read(Part, Node),
    /// A part of them is written from the node.
    Write(Part, Node),
    /// They are receivers of a call.
    Receiver(u32),
    /// A library that keeps nothing gets hold of them in a call.
    Handed(u32),
    /// They are handed to a method by reflection.
    Reflected(u32),
    /// Another thread runs those of a class, if one is known.
    Task(u32, Option<ClassId>),
}

/// The analysis under way.
struct Analysis<'p> {
    program: &'p Program,
    models: &'p Models,
    limits: Limits,
    types: Types<'p>,
    graph: Graph<crowds::Hierarchy<'p>>,
    crowds: crowds::Crowds,
    bases: Vec<Option<Node>>,
    parts: FxHashMap<(u32, Part), Node>,
    parts_of: FxHashMap<u32, Vec<Part>>,
    statics: FxHashMap<FieldId, Node>,
    watches: Vec<Watch>,
    sites: Vec<calls::Site>,
    /// For each place where a library holds objects and may call back, and the place it became one with.
    hubs: Vec<library::Hub>,
    hub_same: Vec<u32>,
    changed_hubs: Vec<u32>,
    /// The place at a node that stands for itself.
    hub_of: FxHashMap<Node, u32>,
    /// The threads that run closures.
    task_hubs: FxHashMap<u32, u32>,
    targets: Vec<(MethodId, u32, MethodId)>,
    calls: FxHashSet<(Caller, Callee)>,
    linked: FxHashSet<(u32, MethodId)>,
    /// By class: where libraries give and get what they call back, and who calls then.
    backs: FxHashMap<ClassId, (Node, u32)>,
    /// Objects that are receivers of what is called back.
    backed: Set,
    /// Methods that libraries call with what is in one node, and put what they return into another.
    called: FxHashSet<(MethodId, Node, Node)>,
    /// Which of a class's methods libraries may call.
    callbacks: FxHashMap<ClassId, std::rc::Rc<[library::Callback]>>,
    /// Objects that the outside holds: their parts are not told apart, but by field.
    merged: Set,
    merged_parts: FxHashMap<Part, Node>,
    literals: FxHashMap<Box<str>, u32>,
    givens: FxHashMap<ClassId, u32>,
    /// Classes of given objects whose constructors have yet to be run, and by which threads; and all that were named.
    unmade: Vec<(ClassId, RootKind)>,
    made_as: FxHashSet<(ClassId, RootKind)>,
    /// Where closures are run.
    entries: FxHashMap<u32, std::rc::Rc<calls::Entry>>,
    /// Which objects have been dealt with at a call: as a receiver that is a closure, as a task.
    ran: FxHashSet<(u32, u32)>,
    tasks: FxHashSet<(u32, u32)>,
    /// Calls that hand over what libraries hold in a place.
    collections: FxHashSet<(u32, Node)>,
    /// Where calls that hand tasks over keep what they give and get.
    exchanged: FxHashSet<Node>,
    roots: Vec<Root>,
    root_of: FxHashMap<MethodId, u32>,
    root_of_hub: FxHashMap<u32, u32>,
    root_objects: FxHashSet<(u32, u32)>,
    /// By root: which objects are handed over where.
    handed: FxHashSet<(u32, u32, (MethodId, u32))>,
    pending: Vec<MethodId>,
    /// All exceptions that are thrown.
    thrown: Node,
    /// All thread objects.
    threads: Node,
    /// What the outside holds.
    outside: Node,
}

impl<'p> Analysis<'p> {
    fn new(program: &'p Program, models: &'p Models, limits: Limits) -> Analysis<'p> {
        let objects = crowds::all(program);
        let mut graph = Graph::new(crowds::Hierarchy::new(program), objects.len() as u32 / 64);
        graph.limit(limits.in_node);
        let bodies = program.input_methods().filter_map(|method| program.body(method));
        graph.reserve(bodies.map(|body| body.kinds.len() + 1).sum());
        let thrown = graph.add(2);
        let closures = FxHashMap::default();
        let types = Types { program, objects, closures, by_class: FxHashMap::default() };
        let mut analysis = Analysis {
            program,
            models,
            limits,
            types,
            graph,
            crowds: crowds::Crowds::default(),
            bases: vec![None; program.method_count()],
            parts: FxHashMap::default(),
            parts_of: FxHashMap::default(),
            statics: FxHashMap::default(),
            watches: Vec::new(),
            sites: Vec::new(),
            hubs: Vec::new(),
            hub_same: Vec::new(),
            changed_hubs: Vec::new(),
            hub_of: FxHashMap::default(),
            task_hubs: FxHashMap::default(),
            targets: Vec::new(),
            calls: FxHashSet::default(),
            linked: FxHashSet::default(),
            backs: FxHashMap::default(),
            backed: Set::default(),
            called: FxHashSet::default(),
            callbacks: FxHashMap::default(),
            merged: Set::default(),
            merged_parts: FxHashMap::default(),
            literals: FxHashMap::default(),
            givens: FxHashMap::default(),
            unmade: Vec::new(),
            made_as: FxHashSet::default(),
            entries: FxHashMap::default(),
            ran: FxHashSet::default(),
            tasks: FxHashSet::default(),
            collections: FxHashSet::default(),
            exchanged: FxHashSet::default(),
            roots: Vec::new(),
            root_of: FxHashMap::default(),
            root_of_hub: FxHashMap::default(),
            root_objects: FxHashSet::default(),
            handed: FxHashSet::default(),
            pending: Vec::new(),
            thrown,
            threads: thrown + 1,
            outside: 0,
        };
        analysis.graph.put(thrown, OUTSIDE);
        let contents = analysis.part(OUTSIDE, Part::Contents);
        analysis.graph.put(contents, OUTSIDE);
        analysis.outside = contents;
        analysis
    }

    /// Follows everything until nothing is new.
    fn settle(&mut self) {
        let (per_method, least) = self.limits.steps;
        let most = least.max(self.bases.len().saturating_mul(per_method));
        loop {
            while let Some(method) = self.pending.pop() {
                self.add_body(method);
            }
            self.look_again();
            for (watcher, objects) in std::mem::take(&mut self.graph.told) {
                self.arrived(self.watches[watcher as usize], &objects);
            }
            self.thin_out();
            if self.graph.steps > most || self.graph.size() > MOST_EDGES {
                self.merge_all();
            }
            let step = self.graph.step();
            self.move_hubs();
            let Some(graph::Step { node, watchers, told, fresh }) = step else {
                if self.pending.is_empty()
                    && self.changed_hubs.is_empty()
                    && self.graph.told.is_empty()
                    && self.graph.overfull.is_empty()
                    && self.graph.is_tidy()
                {
                    return;
                }
                continue;
            };
            if fresh.is_empty() {
                continue;
            }
            let objects = told.as_ref().unwrap_or(&fresh);
            if !objects.is_empty() {
                for watcher in watchers {
                    self.arrived(self.watches[watcher as usize], objects);
                }
            }
            if let Some(hub) = self.hub_of.get(&self.graph.find(node)).copied() {
                self.kept(hub, &fresh);
            }
        }
    }

    /// Makes the result.
    fn finish(mut self) -> Points {
        let wide = self.call_groups();
        let place = |mut hub: u32| {
            while self.hub_same[hub as usize] != hub {
                hub = self.hub_same[hub as usize];
            }
            hub
        };
        let mut calls: Vec<(Caller, Callee)> = self.calls.into_iter().collect();
        for (caller, callee) in &mut calls {
            if let Caller::Library(hub) = caller {
                *hub = place(*hub);
            }
            if let Callee::Library(hub) = callee {
                *hub = place(*hub);
            }
        }
        let mut targets = self.targets;
        targets.sort_unstable();
        targets.dedup();
        calls.sort_unstable();
        calls.dedup();
        let mut roots = self.roots;
        roots.sort_by_key(|root| root.method);
        let mut exchanged: Vec<Node> = self.exchanged.into_iter().collect();
        exchanged.sort_unstable();
        let mut gaps = Vec::new();
        if self.crowds.all {
            let why =
                "the program is large: objects are told apart by their class alone, and all count as shared";
            gaps.push(Gap::new("points-to analysis", why));
        }
        if wide > 0 {
            let what = format!("calls with more than {} targets", self.limits.targets);
            let why = "what is called is looked at, but as if nothing were known of its callers: not their locks, nor \
                       the way that leads there";
            gaps.push(Gap::new(what, why).times(wide));
        }
        let (steps, first) = (self.graph.steps, self.graph.first());
        let (set_of, sets) = self.graph.into_sets();
        Points {
            objects: self.types.objects,
            first,
            crowded: self.crowds.on,
            set_of,
            sets,
            steps,
            bases: self.bases,
            parts: self.parts,
            statics: self.statics,
            targets,
            calls,
            roots,
            exchanged,
            merged: self.merged,
            merged_classes: self.crowds.list,
            merged_parts: self.merged_parts,
            gaps,
        }
    }

    fn flow(&mut self, from: Node, to: Node) {
        self.flow_filtered(from, to, graph::ALL);
    }

    fn flow_filtered(&mut self, from: Node, to: Node, filter: Filter) {
        if filter != graph::ALL && !self.graph.has_mask(filter) {
            let class = self.program.class(ClassId(filter));
            let by_class = &self.types.by_class;
            let objects = class.below().iter().filter_map(|below| by_class.get(below)).flatten();
            self.graph.set_mask(filter, objects.copied().collect(), class.origin != Origin::Input);
        }
        self.graph.flow(from, to, filter);
    }

    /// What is in the node already is told of later: what comes of it may watch more, and so on without end.
    fn watch(&mut self, node: Node, watch: Watch) {
        self.watches.push(watch);
        let watcher = self.watches.len() as u32 - 1;
        let here = self.graph.watch(node, watcher);
        if !here.is_empty() {
            self.graph.told.push((watcher, std::rc::Rc::new(here)));
        }
    }

    fn arrived(&mut self, watch: Watch, objects: &Set) {
        self.graph.steps += 1 + objects.words();
        match watch {
            Watch::Read(part, to) => self.each_part(objects, part, |analysis, from| analysis.flow(from, to)),
            Watch::Write(part, from) => self.each_part(objects, part, |analysis, to| analysis.flow(from, to)),
            Watch::Receiver(site) => self.receivers(site, objects),
            Watch::Handed(site) => {
                // What the outside holds is dealt with once for all, see `kept`.
                for object in objects.without(&self.merged).iter() {
                    self.handed(site, object);
                }
                if self.crowds.on && objects.meets(&self.merged) {
                    self.handed(site, OUTSIDE);
                }
            }
            Watch::Reflected(site) => {
                for object in objects.iter() {
                    self.reflected(site, object);
                }
            }
            Watch::Task(site, class) => {
                for object in objects.iter() {
                    if self.crowds.on && self.is_crowd(object) {
                        self.crowd_of_tasks(site, object, class);
                    } else if self.may_be(object, class) {
                        self.task(site, object);
                    }
                }
            }
        }
    }

    /// May an object be of a class? What a library made may be of any class of the library.
    fn may_be(&self, object: u32, class: Option<ClassId>) -> bool {
        let Some(class) = class else { return true };
        let found = self.object(object);
        let own = if found.made == Made::Closure { self.types.interface(object) } else { found.class };
        own.is_none_or(|own| {
            self.program.is_below(own, class)
                || (self.program.class(own).origin != Origin::Input && found.made != Made::Closure)
        })
    }

    /// Does something with the nodes of a part of some objects; those whose parts are not told apart have one.
    fn each_part(&mut self, objects: &Set, part: Part, mut each: impl FnMut(&mut Self, Node)) {
        if objects.is_empty() {
            return;
        }
        if objects.meets(&self.merged) {
            let node = self.merged_part(part);
            each(self, node);
            for object in objects.without(&self.merged).iter() {
                let node = self.part(object, part);
                each(self, node);
            }
        } else {
            for object in objects.iter() {
                let node = self.part(object, part);
                each(self, node);
            }
        }
    }

    fn merged_part(&mut self, part: Part) -> Node {
        if part == Part::Contents {
            return self.outside;
        }
        match self.merged_parts.get(&part) {
            Some(node) => *node,
            None => {
                let node = self.graph.add(1);
                self.merged_parts.insert(part, node);
                node
            }
        }
    }

    /// From now on the parts of this object are not told apart from those of others that the outside holds.
    fn merge(&mut self, object: u32) {
        if self.is_crowd(object) || !self.merged.insert(object) {
            return;
        }
        self.merge_parts(object);
        if self.crowds.on {
            self.join_crowd(object);
        } else if self.merged.len() > self.limits.listed {
            self.crowd_together();
        }
    }

    fn merge_parts(&mut self, object: u32) {
        for part in self.parts_of.remove(&object).unwrap_or_default() {
            if object == OUTSIDE && part == Part::Contents {
                continue;
            }
            if let Some(node) = self.parts.remove(&(object, part)) {
                let merged = self.merged_part(part);
                self.graph.unify(node, merged);
            }
        }
    }

    /// The node of an object's part.
    fn part(&mut self, object: u32, part: Part) -> Node {
        if self.merged.contains(object) {
            return self.merged_part(part);
        }
        match self.parts.get(&(object, part)) {
            Some(node) => *node,
            None => {
                let node = self.graph.add(1);
                self.parts.insert((object, part), node);
                self.parts_of.entry(object).or_default().push(part);
                node
            }
        }
    }

    fn static_node(&mut self, field: FieldId) -> Node {
        match self.statics.get(&field) {
            Some(node) => *node,
            None => {
                let node = self.graph.add(1);
                self.statics.insert(field, node);
                node
            }
        }
    }

    fn add_object(&mut self, object: Object) -> u32 {
        self.types.objects.push(object);
        let number = self.types.objects.len() as u32 - 1;
        // A closure's interface is known only when its maker has said so.
        if object.made != Made::Closure {
            self.sort_in(number, object.class);
        }
        number
    }

    /// Lets an object pass the filters that it should.
    fn sort_in(&mut self, number: u32, class: Option<ClassId>) {
        let program = self.program;
        let is_closure = self.object(number).made == Made::Closure;
        let class = class.filter(|class| is_closure || program.class(*class).origin == Origin::Input);
        if let Some(class) = class {
            self.types.by_class.entry(class).or_default().push(number);
            self.graph.let_pass(number, program.class(class).above().iter().map(|above| above.0));
        }
        // What a library object hands out may be of any class of the library.
        if class.is_none() || is_closure {
            self.graph.let_free(number);
        }
        if self.crowds.all {
            self.graph.put(self.outside, number);
        }
    }

    fn object(&self, number: u32) -> Object {
        self.types.objects[number as usize]
    }

    /// The node of a register of a method, which is reached by asking.
    fn base(&mut self, method: MethodId) -> Option<Node> {
        if let Some(base) = self.bases[method.index()] {
            return Some(base);
        }
        let body = self.program.body(method)?;
        // One more for what it returns.
        let base = self.graph.add(body.kinds.len() as u32 + 1);
        self.bases[method.index()] = Some(base);
        self.pending.push(method);
        Some(base)
    }
}
