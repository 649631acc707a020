//! Who calls whom, which objects a register may hold, which methods start threads: one analysis, since each needs the
//! others. Objects are told apart by the place that made them, fields by object and field (Andersen's analysis, with the
//! calls found on the way); paths and callers are not told apart.
//!
//! The inputs' code is followed; the JDK and other libraries are known by what they can do at most. An object of a library
//! class keeps whatever is handed to its methods (its *contents*), hands it out again from any of them, and calls back the
//! methods of the inputs' objects among it that a library type declares. What is in a library's static fields is one object,
//! the *outside*. Model tables say which arguments are run by other threads. Strings and boxes are not objects here.
//!
//! Not followed: reflection, and objects that only a library makes of the inputs' classes (by name, from a file). Calls on
//! them have no target.

mod calls;
mod code;
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
    graph: Graph,
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

/// How many steps the analysis may take for each register of the program; then it is given up as a gap.
const STEPS_PER_NODE: usize = 400;
const LEAST_STEPS: usize = 2_000_000;
/// How many edges there may be; each takes some thirty bytes.
const MOST_EDGES: usize = 40_000_000;

impl Points {
    /// Analyses a program.
    pub fn new(program: &Program, models: &Models, world: World) -> Points {
        let mut analysis = Analysis::new(program, models);
        analysis.find_roots(world);
        let done = analysis.settle();
        let Analysis {
            types,
            graph,
            bases,
            parts,
            statics,
            mut targets,
            calls,
            mut roots,
            exchanged,
            hub_same,
            merged,
            merged_parts,
            ..
        } = analysis;
        let place = |mut hub: u32| {
            while hub_same[hub as usize] != hub {
                hub = hub_same[hub as usize];
            }
            hub
        };
        let mut calls: Vec<(Caller, Callee)> = calls.into_iter().collect();
        for (caller, callee) in &mut calls {
            if let Caller::Library(hub) = caller {
                *hub = place(*hub);
            }
            if let Callee::Library(hub) = callee {
                *hub = place(*hub);
            }
        }
        targets.sort_unstable();
        targets.dedup();
        calls.sort_unstable();
        calls.dedup();
        roots.sort_by_key(|root| root.method);
        let mut exchanged: Vec<Node> = exchanged.into_iter().map(|node| graph.find(node)).collect();
        exchanged.sort_unstable();
        exchanged.dedup();
        let mut gaps = Vec::new();
        if !done {
            gaps.push(Gap::new("points-to analysis", "it would take too long and was given up"));
        }
        Points {
            objects: types.objects,
            graph,
            bases,
            parts,
            statics,
            targets,
            calls,
            roots,
            exchanged,
            merged,
            merged_parts,
            gaps,
        }
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
        reg.is_some().then(|| self.graph.objects(base + reg.0))
    }

    /// The objects that a part of an object may hold.
    pub fn part(&self, object: u32, part: Part) -> Option<&Set> {
        let node = match self.merged.contains(object) {
            true if part == Part::Contents => self.parts.get(&(OUTSIDE, part)),
            true => self.merged_parts.get(&part),
            false => self.parts.get(&(object, part)),
        };
        node.map(|node| self.graph.objects(*node))
    }

    /// The objects that the outside holds: their parts are not told apart, but by field.
    pub fn merged(&self) -> &Set {
        &self.merged
    }

    /// The objects that a static field may hold.
    pub fn of_static(&self, field: FieldId) -> Option<&Set> {
        self.statics.get(&field).map(|node| self.graph.objects(*node))
    }

    /// All parts of objects with what they may hold; those of merged objects as parts of the outside.
    pub fn parts(&self) -> impl Iterator<Item = (u32, Part, &Set)> {
        let merged = self.merged_parts.iter().map(|(part, node)| (OUTSIDE, *part, *node));
        let own = self.parts.iter().map(|((object, part), node)| (*object, *part, *node));
        own.chain(merged).map(|(object, part, node)| (object, part, self.graph.objects(node)))
    }

    /// All static fields that objects were put into.
    pub fn statics(&self) -> impl Iterator<Item = (FieldId, &Set)> {
        self.statics.iter().map(|(field, node)| (*field, self.graph.objects(*node)))
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
        self.exchanged.iter().flat_map(|node| self.graph.objects(*node).iter())
    }

    /// What is missing from the analysis. If there is a gap, nothing may be taken as known.
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// How much work it was, for measuring.
    pub fn steps(&self) -> usize {
        self.graph.steps
    }
}

/// What decides whether an object passes a cast.
struct Types<'p> {
    program: &'p Program,
    objects: Vec<Object>,
    /// For closures, the class and its closure.
    closures: FxHashMap<u32, (ClassId, crate::ir::ClosureRef)>,
}

impl Types<'_> {
    fn passes(&self, object: u32, filter: Filter) -> bool {
        let class = ClassId(filter);
        let of_library = self.program.class(class).origin != Origin::Input;
        let found = &self.objects[object as usize];
        match (found.made, found.class) {
            (Made::Closure, _) => match self.interface(object) {
                Some(interface) => self.program.is_below(interface, class) || of_library,
                None => true,
            },
            // What a library object hands out may be of any class of the library.
            (_, Some(own)) if self.program.class(own).origin != Origin::Input => of_library,
            (_, Some(own)) => self.program.is_below(own, class),
            (_, None) => of_library,
        }
    }

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
    /// Another thread runs them.
    Task(u32),
}

/// The analysis under way.
struct Analysis<'p> {
    program: &'p Program,
    models: &'p Models,
    types: Types<'p>,
    graph: Graph,
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
    targets: Vec<(MethodId, u32, MethodId)>,
    calls: FxHashSet<(Caller, Callee)>,
    linked: FxHashSet<(u32, MethodId)>,
    /// Which of a class's methods libraries may call.
    callbacks: FxHashMap<ClassId, std::rc::Rc<[library::Callback]>>,
    /// Objects that the outside holds: their parts are not told apart, but by field.
    merged: Set,
    merged_parts: FxHashMap<Part, Node>,
    literals: FxHashMap<Box<str>, u32>,
    givens: FxHashMap<ClassId, u32>,
    /// Where closures are run.
    entries: FxHashMap<u32, std::rc::Rc<calls::Entry>>,
    /// Which objects have been dealt with at a call: as a receiver that is a closure, as a task.
    ran: FxHashSet<(u32, u32)>,
    tasks: FxHashSet<(u32, u32)>,
    /// Where calls that hand tasks over keep what they give and get.
    exchanged: FxHashSet<Node>,
    roots: Vec<Root>,
    root_of: FxHashMap<MethodId, u32>,
    pending: Vec<MethodId>,
    /// All exceptions that are thrown.
    thrown: Node,
    /// All thread objects.
    threads: Node,
    /// What the outside holds.
    outside: Node,
}

impl<'p> Analysis<'p> {
    fn new(program: &'p Program, models: &'p Models) -> Analysis<'p> {
        let mut graph = Graph::default();
        let thrown = graph.add(2);
        let outside = Object { made: Made::Outside, class: None, place: None };
        let types = Types { program, objects: vec![outside], closures: FxHashMap::default() };
        let mut analysis = Analysis {
            program,
            models,
            types,
            graph,
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
            targets: Vec::new(),
            calls: FxHashSet::default(),
            linked: FxHashSet::default(),
            callbacks: FxHashMap::default(),
            merged: Set::default(),
            merged_parts: FxHashMap::default(),
            literals: FxHashMap::default(),
            givens: FxHashMap::default(),
            entries: FxHashMap::default(),
            ran: FxHashSet::default(),
            tasks: FxHashSet::default(),
            exchanged: FxHashSet::default(),
            roots: Vec::new(),
            root_of: FxHashMap::default(),
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

    /// Follows everything until nothing is new; false if it was given up.
    fn settle(&mut self) -> bool {
        loop {
            while let Some(method) = self.pending.pop() {
                self.add_body(method);
            }
            self.look_again();
            for (watcher, objects) in std::mem::take(&mut self.graph.told) {
                self.arrived(self.watches[watcher as usize], &objects);
            }
            let most = LEAST_STEPS.max(self.bases.len() * STEPS_PER_NODE);
            if self.graph.steps > most || self.graph.size() > MOST_EDGES {
                return false;
            }
            let step = self.graph.step();
            self.move_hubs();
            let Some((node, watchers, objects)) = step else {
                if self.pending.is_empty() && self.changed_hubs.is_empty() && self.graph.told.is_empty() {
                    return true;
                }
                continue;
            };
            for watcher in watchers {
                self.arrived(self.watches[watcher as usize], &objects);
            }
            if let Some(hub) = self.hub_of.get(&self.graph.find(node)).copied() {
                self.kept(hub, &objects);
            }
        }
    }

    fn flow(&mut self, from: Node, to: Node) {
        self.flow_filtered(from, to, graph::ALL);
    }

    fn flow_filtered(&mut self, from: Node, to: Node, filter: Filter) {
        if filter != graph::ALL && !self.graph.has_mask(filter) {
            let all = 0..self.types.objects.len() as u32;
            self.graph.set_mask(filter, all.filter(|object| self.types.passes(*object, filter)).collect());
        }
        self.graph.flow(from, to, filter);
    }

    fn watch(&mut self, node: Node, watch: Watch) {
        self.watches.push(watch);
        let here = self.graph.watch(node, self.watches.len() as u32 - 1);
        self.arrived(watch, &here);
    }

    fn arrived(&mut self, watch: Watch, objects: &Set) {
        match watch {
            Watch::Read(part, to) => self.each_part(objects, part, |analysis, from| analysis.flow(from, to)),
            Watch::Write(part, from) => self.each_part(objects, part, |analysis, to| analysis.flow(from, to)),
            Watch::Receiver(site) => self.receivers(site, objects),
            Watch::Handed(site) => {
                // What the outside holds is dealt with once for all, see `kept`.
                for object in objects.without(&self.merged).iter() {
                    self.handed(site, object);
                }
            }
            Watch::Task(site) => {
                for object in objects.iter() {
                    self.task(site, object);
                }
            }
        }
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
            return self.part(OUTSIDE, part);
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
        if object == OUTSIDE || !self.merged.insert(object) {
            return;
        }
        for part in self.parts_of.remove(&object).unwrap_or_default() {
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
            let types = &self.types;
            self.graph.add_to_masks(number, |filter| types.passes(number, filter));
        }
        number
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
