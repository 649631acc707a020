//! Crowds: what stands for merged objects once they are too many to be listed. There is one for each class, for the merged
//! objects of that class and those below it; one for arrays, one for objects of libraries; and the outside stands for
//! all. A cast makes of the outside the crowd of its class. A call on a crowd goes by way of a **group**: all calls of one
//! method on one crowd share what they give and get, so that calls and targets add up instead of multiplying.
//!
//! Tasks stay known one by one: how many threads there are depends on them. Only where a node holds too many does a crowd
//! stand for them as well; who has other threads run that crowd runs each of them.

use std::rc::Rc;

use classfile::MethodType;
use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Casts, Filter, Node};
use super::{Analysis, Callee, Caller, Made, OUTSIDE, Object, Set};
use crate::ir::Kind;
use crate::{ClassId, MethodId, Origin, Program};

/// The crowd of arrays.
pub const ARRAYS: u32 = 1;
/// The crowd of libraries' objects.
pub const LIBRARY: u32 = 2;
const FIRST: u32 = 3;

/// The crowd of a class.
fn crowd(class: ClassId) -> u32 {
    class.0 + FIRST
}

/// The class of a crowd, if it has one.
fn class_of(crowd: u32) -> Option<ClassId> {
    crowd.checked_sub(FIRST).map(ClassId)
}

/// All crowds as objects, the lowest numbers; their count is a multiple of sixty-four.
pub fn all(program: &Program) -> Vec<Object> {
    let object = |made, class| Object { made, class, place: None };
    let mut all = vec![object(Made::Outside, None), object(Made::Array, None), object(Made::Library, None)];
    all.extend(program.classes().map(|(class, _)| object(Made::Crowd, Some(class))));
    all.resize(all.len().next_multiple_of(64), object(Made::Crowd, None));
    all
}

/// What casts make of crowds.
pub struct Hierarchy<'p> {
    program: &'p Program,
    /// Do crowds stand for merged objects?
    on: bool,
}

impl<'p> Hierarchy<'p> {
    pub fn new(program: &'p Program) -> Hierarchy<'p> {
        Hierarchy { program, on: false }
    }

    fn is_library(&self, class: ClassId) -> bool {
        self.program.class(class).origin != Origin::Input
    }
}

impl Casts for Hierarchy<'_> {
    fn narrowed(&self, from: u32, filter: Filter) -> Option<u32> {
        let program = self.program;
        let class = ClassId(filter);
        let Some(own) = class_of(from) else {
            return match self.is_library(class) {
                true => Some(from),
                false => (self.on && from == OUTSIDE).then(|| crowd(class)),
            };
        };
        if program.is_below(own, class) {
            return Some(from);
        }
        // Closures pass all casts to a library's interfaces.
        if self.is_library(own) && self.is_library(class) {
            return Some(from);
        }
        if !self.is_library(class) && program.is_below(class, own) {
            return Some(crowd(class));
        }
        let (below, others) = (program.class(own).below(), program.class(class).below());
        if !below.iter().any(|found| program.is_below(*found, class)) {
            return None;
        }
        Some(if self.is_library(class) || below.len() <= others.len() { from } else { crowd(class) })
    }
}

/// All calls of one method on one crowd.
struct Group {
    crowd: u32,
    named: MethodId,
    /// What is given, without the receiver; none for numbers.
    params: Rc<[Option<Node>]>,
    result: Node,
    hub: u32,
    sites: Vec<u32>,
    targets: Vec<MethodId>,
    closures: Vec<u32>,
    /// Is a library's method among the targets?
    in_library: bool,
}

/// What libraries call back on a crowd that they hold.
struct Back {
    given: Node,
    got: Node,
    hub: u32,
    done: FxHashSet<MethodId>,
    /// Where it is held.
    held: Vec<Node>,
}

/// Calls that hand over one crowd.
#[derive(Clone)]
struct Demand {
    /// The class that they ask for.
    class: Option<ClassId>,
    /// The first two of them.
    sites: Vec<u32>,
}

/// What is known of crowds.
#[derive(Default)]
pub struct Crowds {
    /// Do they stand for merged objects?
    pub on: bool,
    /// Is every object merged?
    pub all: bool,
    classes: FxHashSet<ClassId>,
    /// The inputs' classes of merged objects, in the order in which they came.
    pub list: Vec<ClassId>,
    closures: Vec<u32>,
    /// By interface.
    closures_of: FxHashMap<ClassId, Vec<u32>>,
    groups: Vec<Group>,
    group_of: FxHashMap<(u32, MethodId), u32>,
    by_owner: FxHashMap<ClassId, Vec<u32>>,
    joined: FxHashSet<(u32, u32)>,
    backs: FxHashMap<u32, Back>,
    /// Merged objects that are tasks, and those of each class or interface.
    tasks: Vec<u32>,
    tasks_of: FxHashMap<ClassId, Vec<u32>>,
    /// By interface: merged closures that are tasks only to those who ask for just them.
    others_of: FxHashMap<ClassId, Vec<u32>>,
    /// Calls that hand over a crowd of tasks.
    task_sites: FxHashSet<(u32, u32, Option<ClassId>)>,
    /// By crowd.
    demands: FxHashMap<u32, Vec<Demand>>,
    /// Crowds of libraries' classes among them.
    open_demands: Vec<u32>,
    /// By the class that is asked for: what is given and got, and how often a task was handed over.
    task_nodes: FxHashMap<Option<ClassId>, Node>,
    task_times: FxHashMap<(Option<ClassId>, u32), u8>,
    /// Tasks that crowds stand for.
    given_up: Set,
    given: FxHashSet<ClassId>,
}

impl Analysis<'_> {
    pub fn is_crowd(&self, object: u32) -> bool {
        object < self.graph.first()
    }

    /// From now on crowds stand for merged objects.
    pub fn crowd_together(&mut self) {
        if std::mem::replace(&mut self.crowds.on, true) {
            return;
        }
        self.graph.casts.on = true;
        let merged: Vec<u32> = self.merged.iter().collect();
        for number in 0..self.graph.first() {
            self.merged.insert(number);
        }
        self.merge_parts(OUTSIDE);
        self.graph.close(self.outside);
        self.graph.tell_again();
        for object in merged {
            self.join_crowd(object);
        }
    }

    /// Gives up telling objects apart.
    pub fn merge_all(&mut self) {
        if std::mem::replace(&mut self.crowds.all, true) {
            return;
        }
        self.crowd_together();
        for object in self.graph.first()..self.types.objects.len() as u32 {
            self.graph.put(self.outside, object);
        }
    }

    /// Merges what is in nodes that hold too much; where that was done already, crowds stand for the tasks that are left.
    pub fn thin_out(&mut self) {
        for node in std::mem::take(&mut self.graph.overfull) {
            let objects = self.graph.objects(node);
            if objects.len() <= self.limits.in_node || node == self.graph.find(self.outside) {
                continue;
            }
            let told_apart = objects.without(&self.merged);
            let merged = objects.common(&self.merged);
            self.graph.put_all(self.outside, &told_apart);
            if self.crowds.on && merged.len() > self.limits.in_node {
                for object in merged.without(&self.crowds.given_up).iter() {
                    self.give_up(object);
                }
            }
        }
    }

    /// From now on a crowd stands for a merged task. Threads stay known: libraries run those that they hold.
    fn give_up(&mut self, task: u32) {
        let found = self.object(task);
        let is_closure = found.made == Made::Closure;
        let own = if is_closure { self.types.interface(task) } else { found.class };
        let Some(own) = own.filter(|_| !self.is_crowd(task)) else { return };
        let is_input = self.program.class(own).origin == Origin::Input;
        if (!is_closure && !is_input) || self.is_thread(own) || !self.crowds.given_up.insert(task) {
            return;
        }
        self.graph.replace(task, crowd(own));
    }

    /// A call by reflection gets a crowd: its tasks may be run, as may those that join it, whether they are still known one
    /// by one or not. Where a crowd is, its merged objects need not be: nothing else leaves the outside.
    pub fn crowd_reflected(&mut self, site: u32, of: u32) {
        if self.crowds.on {
            self.ask_for_tasks(site, of, None);
        }
    }

    /// Is it what a task does that libraries may call on objects of the class?
    fn runs_tasks(&mut self, class: ClassId) -> bool {
        self.is_thread(class) || self.callbacks(class).iter().any(|callback| callback.is_task)
    }

    /// An object was merged: it joins its crowd.
    pub fn join_crowd(&mut self, object: u32) {
        let program = self.program;
        let found = self.object(object);
        if found.made == Made::Closure {
            let Some(interface) = self.types.interface(object) else { return };
            if self.closure_arguments(object, self.outside, false).is_some() {
                self.graph.replace(object, crowd(interface));
                self.crowds.others_of.entry(interface).or_default().push(object);
            } else {
                self.crowds.tasks.push(object);
                self.crowds.tasks_of.entry(interface).or_default().push(object);
            }
            self.crowds.closures.push(object);
            self.crowds.closures_of.entry(interface).or_default().push(object);
            for above in program.class(interface).above() {
                for group in self.crowds.by_owner.get(above).cloned().unwrap_or_default() {
                    self.extend_by_closure(group, object);
                }
            }
            let backs: Vec<u32> = self.crowds.backs.keys().copied().collect();
            for back in backs {
                self.extend_back_by_closure(back, object);
            }
            self.more_tasks(object);
            return;
        }
        let class = found.class.filter(|class| program.class(*class).origin == Origin::Input);
        let Some(class) = class else {
            self.graph.replace(object, if found.made == Made::Array { ARRAYS } else { LIBRARY });
            return;
        };
        if self.runs_tasks(class) {
            self.crowds.tasks.push(object);
            self.crowds.tasks_of.entry(class).or_default().push(object);
            self.more_tasks(object);
        } else {
            self.graph.replace(object, crowd(class));
        }
        if !self.crowds.classes.insert(class) {
            return;
        }
        self.crowds.list.push(class);
        for above in program.class(class).above() {
            for group in self.crowds.by_owner.get(above).cloned().unwrap_or_default() {
                self.extend(group, class);
            }
            if self.crowds.backs.contains_key(&crowd(*above)) {
                self.extend_back(crowd(*above), class);
            }
        }
        self.more_tasks(crowd(class));
    }

    /// A call gets a crowd as its receiver.
    pub fn crowd_receives(&mut self, number: u32, crowd: u32) {
        let program = self.program;
        let named = self.sites[number as usize].named;
        if class_of(crowd).is_none_or(|class| program.class(class).origin != Origin::Input) {
            self.library_call(number);
        }
        if crowd == ARRAYS || crowd == LIBRARY {
            return;
        }
        let Some(named) = named else { return self.library_call(number) };
        let group = self.group(crowd, named);
        if !self.crowds.joined.insert((number, group)) {
            return;
        }
        let found = &mut self.crowds.groups[group as usize];
        found.sites.push(number);
        let (params, got, in_library) = (Rc::clone(&found.params), found.result, found.in_library);
        let site = &self.sites[number as usize];
        let (arguments, result) = (site.arguments.clone(), site.result);
        for (argument, param) in arguments.iter().skip(1).zip(params.iter()) {
            if let (Some(argument), Some(param)) = (argument, param) {
                self.flow(*argument, *param);
            }
        }
        if let Some(result) = result {
            self.flow(got, result);
        }
        if in_library {
            self.library_call(number);
        }
    }

    fn group(&mut self, of: u32, named: MethodId) -> u32 {
        if let Some(known) = self.crowds.group_of.get(&(of, named)) {
            return *known;
        }
        let program = self.program;
        let (_, descriptor) = program.names_of(named);
        let types = MethodType::parse(descriptor.as_bytes());
        let parameters = types.into_iter().flat_map(|types| types.parameters());
        let params = parameters.map(|of| of.is_reference().then(|| self.graph.add(1))).collect();
        let result = self.graph.add(1);
        let hub = self.add_hub(result, false);
        let number = self.crowds.groups.len() as u32;
        self.crowds.groups.push(Group {
            crowd: of,
            named,
            params,
            result,
            hub,
            sites: Vec::new(),
            targets: Vec::new(),
            closures: Vec::new(),
            in_library: false,
        });
        self.crowds.group_of.insert((of, named), number);
        let owner = program.method(named).owner;
        self.crowds.by_owner.entry(owner).or_default().push(number);
        let below = |class: ClassId| program.class(class).below();
        let all = match class_of(of) {
            Some(class) if below(class).len() < below(owner).len() => below(class),
            _ => below(owner),
        };
        for class in all.iter().filter(|class| program.is_below(**class, owner)) {
            if self.crowds.classes.contains(class) {
                self.extend(number, *class);
            }
        }
        for class in below(owner) {
            for closure in self.crowds.closures_of.get(class).cloned().unwrap_or_default() {
                self.extend_by_closure(number, closure);
            }
        }
        number
    }

    /// A class joined the crowd of a group.
    fn extend(&mut self, group: u32, class: ClassId) {
        let program = self.program;
        let Group { crowd: of, named, result, in_library, .. } = self.crowds.groups[group as usize];
        if class_of(of).is_some_and(|of| !program.is_below(class, of)) {
            return;
        }
        let target = program.dispatch(class, named).filter(|target| self.is_followed(*target));
        let Some(target) = target else {
            if !in_library {
                self.crowds.groups[group as usize].in_library = true;
                for site in self.crowds.groups[group as usize].sites.clone() {
                    self.library_call(site);
                }
            }
            return;
        };
        if self.crowds.groups[group as usize].targets.contains(&target) {
            return;
        }
        self.crowds.groups[group as usize].targets.push(target);
        let Some(base) = self.base(target) else { return };
        let Some(body) = program.body(target) else { return };
        let owner = program.method(target).owner;
        let this = match class_of(of) {
            Some(class) if program.is_below(class, owner) => of,
            _ => crowd(owner),
        };
        self.graph.put(base, this);
        let params = Rc::clone(&self.crowds.groups[group as usize].params);
        for (param, given) in body.params().iter().skip(1).zip(params.iter()) {
            if let Some(given) = given.filter(|_| body.kind(*param) == Kind::Ref) {
                self.flow(given, base + param.0);
            }
        }
        self.flow(base + body.kinds.len() as u32, result);
    }

    /// Is a closure in a crowd?
    fn is_in(&self, closure: u32, of: u32) -> bool {
        let program = self.program;
        let Some(interface) = self.types.interface(closure) else { return false };
        class_of(of).is_none_or(|class| {
            program.is_below(interface, class) || program.class(class).origin != Origin::Input
        })
    }

    fn extend_by_closure(&mut self, group: u32, object: u32) {
        let program = self.program;
        let Group { crowd: of, named, result, hub, .. } = self.crowds.groups[group as usize];
        let (name, _) = program.names_of(named);
        let owner = program.method(named).owner;
        let interface = self.types.interface(object);
        let fits = interface.is_some_and(|interface| program.is_below(interface, owner));
        if !fits || !self.is_in(object, of) || !self.closure_runs(object, name) {
            return;
        }
        if self.crowds.groups[group as usize].closures.contains(&object) {
            return;
        }
        self.crowds.groups[group as usize].closures.push(object);
        let params = Rc::clone(&self.crowds.groups[group as usize].params);
        self.run_closure(object, Caller::Library(hub), None, &params, Some(result));
    }

    /// A library holds a crowd of the inputs' objects in a node and may call their methods.
    pub fn crowd_called_back(&mut self, hub: u32, held: Node, of: u32) {
        if !self.crowds.backs.contains_key(&of) {
            let given = self.graph.add(2);
            let own = self.add_hub(given + 1, false);
            let back = Back { given, got: given + 1, hub: own, done: FxHashSet::default(), held: Vec::new() };
            self.crowds.backs.insert(of, back);
            let class = class_of(of);
            for found in self.crowds.list.clone() {
                if class.is_none_or(|class| self.program.is_below(found, class)) {
                    self.extend_back(of, found);
                }
            }
            for closure in self.crowds.closures.clone() {
                self.extend_back_by_closure(of, closure);
            }
        }
        let Some(back) = self.crowds.backs.get_mut(&of) else { return };
        back.held.push(held);
        let (given, got, own) = (back.given, back.got, back.hub);
        self.calls.insert((Caller::Library(hub), Callee::Library(own)));
        self.flow(held, given);
        self.flow(got, held);
    }

    fn extend_back(&mut self, of: u32, class: ClassId) {
        for callback in self.callbacks(class).iter().filter(|callback| !callback.is_task) {
            let Some(back) = self.crowds.backs.get_mut(&of) else { return };
            let (given, got, hub) = (back.given, back.got, back.hub);
            if back.done.insert(callback.method) {
                let this = crowd(self.program.method(callback.method).owner);
                self.called(callback.method, Some(this), given, got);
                self.calls.insert((Caller::Library(hub), Callee::Method(callback.method)));
            }
        }
    }

    fn extend_back_by_closure(&mut self, of: u32, closure: u32) {
        let Some(back) = self.crowds.backs.get(&of) else { return };
        let (given, got, hub) = (back.given, back.got, back.hub);
        if !self.is_in(closure, of) {
            return;
        }
        if let Some(arguments) = self.closure_arguments(closure, given, false) {
            self.run_closure(closure, Caller::Library(hub), None, &arguments, Some(got));
        }
    }

    /// A call has other threads run a crowd, as far as its objects are of the class that the call asks for.
    pub fn crowd_of_tasks(&mut self, site: u32, of: u32, class: Option<ClassId>) {
        if self.ask_for_tasks(site, of, class) && class_of(of).is_none() && of != ARRAYS {
            self.task(site, of);
        }
    }

    /// A call asks for a crowd's tasks; is that new?
    fn ask_for_tasks(&mut self, site: u32, of: u32, class: Option<ClassId>) -> bool {
        if !self.crowds.task_sites.insert((site, of, class)) {
            return false;
        }
        if let Some(held) = self.sites[site as usize].held {
            let node = self.task_node(class);
            self.flow(held, node);
            self.flow(node, held);
            self.exchanged.insert(held);
        }
        if self.demand(site, of, class) {
            for task in self.tasks_among(of, class) {
                self.crowd_task(site, of, class, task);
            }
        }
        true
    }

    /// Notes that a call asks for a crowd's tasks. Does it matter? Each task is known to be handed over often once two
    /// calls have done so.
    fn demand(&mut self, site: u32, of: u32, class: Option<ClassId>) -> bool {
        if !self.crowds.demands.contains_key(&of)
            && class_of(of).is_some_and(|class| self.program.class(class).origin != Origin::Input)
        {
            self.crowds.open_demands.push(of);
        }
        let demands = self.crowds.demands.entry(of).or_default();
        match demands.iter_mut().find(|demand| demand.class == class) {
            Some(demand) if demand.sites.len() >= 2 => return false,
            Some(demand) => demand.sites.push(site),
            None => demands.push(Demand { class, sites: vec![site] }),
        }
        true
    }

    /// Tasks that may be in a crowd and of a class; in a collection, of which no class is known, there is anything, and
    /// only what is made to be a task is taken for one.
    fn tasks_among(&self, of: u32, class: Option<ClassId>) -> Vec<u32> {
        let program = self.program;
        let below = |class: ClassId| program.class(class).below();
        // Closures are in the crowd of every class of a library.
        let own = class_of(of).filter(|own| program.class(*own).origin == Origin::Input);
        let narrow = match (own, class) {
            (Some(own), Some(class)) if below(own).len() > below(class).len() => class,
            (Some(one), _) | (None, Some(one)) => one,
            (None, None) => return self.crowds.tasks.clone(),
        };
        let mut found = Vec::new();
        for of in below(narrow) {
            found.extend(self.crowds.tasks_of.get(of).into_iter().flatten());
            if class.is_none() {
                continue;
            }
            found.extend(self.crowds.others_of.get(of).into_iter().flatten());
            if self.crowds.classes.contains(of) {
                found.push(crowd(*of));
            }
        }
        found
    }

    /// A task, or a crowd, is new: calls that ask for such run it.
    fn more_tasks(&mut self, task: u32) {
        let program = self.program;
        let found = self.object(task);
        let is_closure = found.made == Made::Closure;
        let is_other = self.is_crowd(task) || self.closure_arguments(task, self.outside, false).is_some();
        let own = if is_closure { self.types.interface(task) } else { found.class };
        let mut crowds = vec![OUTSIDE];
        let above = own.map(|own| program.class(own).above()).unwrap_or_default();
        crowds.extend(above.iter().map(|class| crowd(*class)));
        if is_closure {
            crowds.extend(&self.crowds.open_demands);
            crowds.sort_unstable();
            crowds.dedup();
        }
        for of in crowds {
            for Demand { class, sites } in self.crowds.demands.get(&of).cloned().unwrap_or_default() {
                for site in sites.iter().filter(|_| class.is_some() || !is_other) {
                    self.crowd_task(*site, of, class, task);
                }
            }
        }
    }

    fn crowd_task(&mut self, site: u32, of: u32, class: Option<ClassId>, task: u32) {
        self.graph.steps += 1;
        let fits = match (self.object(task).made, self.object(task).class, class_of(of)) {
            (_, _, None) => of == OUTSIDE,
            (Made::Closure, _, _) => self.is_in(task, of),
            (_, Some(own), Some(class)) => self.program.is_below(own, class),
            (_, None, _) => false,
        };
        if !fits || !self.may_be(task, class) {
            return;
        }
        // Of classes whose objects are known one by one no crowd is run.
        let by_class = self.is_crowd(task) && self.object(task).class.is_some_and(|c| self.runs_tasks(c));
        // That a task is handed over twice says that it is handed over often.
        let times = self.crowds.task_times.entry((class, task)).or_default();
        if by_class || *times >= 2 {
            return;
        }
        *times += 1;
        let held = self.task_node(class);
        let inst = self.sites[site as usize].inst;
        self.run_task(task, held, inst);
    }

    /// Where all calls that have a crowd of a class run by other threads keep what they give and get.
    fn task_node(&mut self, class: Option<ClassId>) -> Node {
        match self.crowds.task_nodes.get(&class) {
            Some(node) => *node,
            None => {
                let node = self.graph.add(1);
                self.crowds.task_nodes.insert(class, node);
                node
            }
        }
    }

    /// Objects of a class, or below it, may come from outside: gives their crowd.
    pub fn given_crowd(&mut self, class: ClassId, below: impl Iterator<Item = ClassId>) -> u32 {
        if self.crowds.given.insert(class) {
            for class in below {
                self.given(class);
            }
        }
        crowd(class)
    }

    /// Writes down who calls whom by way of groups; gives the number of calls with too many targets to list.
    pub fn call_groups(&mut self) -> u64 {
        let mut wide = 0;
        for group in std::mem::take(&mut self.crowds.groups) {
            let through = group.targets.len() + group.closures.len() > self.limits.targets;
            if through {
                for target in &group.targets {
                    self.calls.insert((Caller::Library(group.hub), Callee::Method(*target)));
                }
            }
            let closures: Vec<MethodId> = group
                .closures
                .iter()
                .filter_map(|closure| self.closure_method(*closure))
                .filter(|method| self.is_followed(*method))
                .collect();
            for site in &group.sites {
                let site = &self.sites[*site as usize];
                let (caller, inst) = (site.caller, site.inst);
                if through || !group.closures.is_empty() {
                    self.calls.insert((caller, Callee::Library(group.hub)));
                }
                if through {
                    wide += u64::from(inst.is_some());
                    continue;
                }
                for target in &group.targets {
                    self.calls.insert((caller, Callee::Method(*target)));
                }
                if let Some((method, inst)) = inst {
                    let all = group.targets.iter().chain(&closures);
                    self.targets.extend(all.map(|target| (method, inst, *target)));
                }
            }
        }
        wide
    }
}
