//! Calls: which methods they reach, and what flows in and out. Calls of library methods go on in `library.rs`.

use std::rc::Rc;

use classfile::MethodType;
use rustc_hash::FxHashMap;

use super::graph::Node;
use super::{Analysis, Callee, Caller, Made, Object, Set, Watch};
use crate::ir::{CallKind, Handle, HandleKind, Kind, MethodRef};
use crate::{ClassId, MethodId, Origin};

/// A call: by an instruction, or by a closure that is run.
#[derive(Clone)]
pub struct Site {
    /// Who calls.
    pub caller: Caller,
    /// The instruction, if it is one.
    pub inst: Option<(MethodId, u32)>,
    /// The method that is named, before the receiver has its say.
    pub named: Option<MethodId>,
    /// The class it is asked of, and its name and descriptor.
    pub owner: Option<ClassId>,
    pub name: Box<str>,
    pub descriptor: Box<str>,
    pub is_static: bool,
    /// What is given, the receiver first; none for numbers.
    pub arguments: Vec<Option<Node>>,
    pub result: Option<Node>,
    /// Has it turned out to be a library's call?
    pub seen: bool,
    /// Where the library holds what it is given.
    pub held: Option<Node>,
    /// For a library's call: does the library keep what it is given?
    pub keeps: bool,
}

/// The place by way of which a closure is run.
pub struct Entry {
    /// What its method takes; none for numbers.
    pub params: Vec<Option<Node>>,
    pub result: Node,
    pub hub: u32,
}

impl Site {
    /// A call that nobody names: of a library that gets these arguments.
    pub fn library(method: MethodId, inst: u32, arguments: Vec<Option<Node>>, result: Option<Node>) -> Site {
        Site {
            caller: Caller::Method(method),
            inst: Some((method, inst)),
            named: None,
            owner: None,
            name: Box::default(),
            descriptor: Box::default(),
            is_static: true,
            arguments,
            result,
            seen: false,
            held: None,
            keeps: true,
        }
    }
}

impl Analysis<'_> {
    /// Adds the call of an instruction.
    #[allow(clippy::too_many_arguments)] // an instruction and where it stands
    pub fn call(
        &mut self,
        method: MethodId,
        class: ClassId,
        inst: u32,
        kind: CallKind,
        named: MethodRef,
        arguments: Vec<Option<Node>>,
        result: Option<Node>,
    ) {
        let program = self.program;
        let table = &program.class(class).code.table;
        let Some(member) = table.method(named) else { return };
        let (_, name, descriptor) = table.names(member);
        let site = Site {
            caller: Caller::Method(method),
            inst: Some((method, inst)),
            named: program.method_of(class, named),
            owner: program.class_of(class, member.owner),
            name: name.into(),
            descriptor: descriptor.into(),
            is_static: kind == CallKind::Static,
            arguments,
            result,
            seen: false,
            held: None,
            keeps: true,
        };
        if let (CallKind::Static, Some(owner)) = (kind, site.owner) {
            self.touch(method, owner);
        }
        match kind {
            CallKind::Static | CallKind::Special => self.direct(site),
            CallKind::Virtual | CallKind::Interface => self.by_receiver(site),
        }
    }

    /// Does the method have code that is followed?
    pub fn is_followed(&self, method: MethodId) -> bool {
        let owner = self.program.method(method).owner;
        self.program.class(owner).origin == Origin::Input && self.program.body(method).is_some()
    }

    /// A call of just the method that is named.
    pub fn direct(&mut self, site: Site) {
        let target = site.named.filter(|target| self.is_followed(*target));
        self.sites.push(site);
        let number = self.sites.len() as u32 - 1;
        match target {
            Some(target) => self.link(number, target, None),
            None => self.library_call(number),
        }
    }

    /// A call of the method that the receiver's class has.
    pub fn by_receiver(&mut self, site: Site) {
        let receiver = site.arguments.first().copied().flatten();
        self.sites.push(site);
        let number = self.sites.len() as u32 - 1;
        if let Some(receiver) = receiver {
            self.watch(receiver, Watch::Receiver(number));
        }
    }

    /// Objects arrived at a call that depends on them.
    pub fn receivers(&mut self, number: u32, objects: &Set) {
        // Most are of few classes.
        let mut known: FxHashMap<ClassId, Option<MethodId>> = FxHashMap::default();
        let mut chosen: FxHashMap<MethodId, Set> = FxHashMap::default();
        let named = self.sites[number as usize].named;
        for object in objects.iter() {
            if self.crowds.on && self.is_crowd(object) {
                self.crowd_receives(number, object);
                continue;
            }
            let found = self.object(object);
            if found.made == Made::Closure && self.closure_runs(object, &self.sites[number as usize].name) {
                if self.ran.insert((number, object)) {
                    let site = &self.sites[number as usize];
                    let (caller, inst, result) = (site.caller, site.inst, site.result);
                    let arguments: Vec<Option<Node>> = site.arguments.iter().skip(1).copied().collect();
                    self.run_closure(object, caller, inst, &arguments, result);
                }
                continue;
            }
            let class = found.class.or_else(|| self.types.interface(object));
            let target = match (class, named) {
                (Some(class), Some(named)) => match known.get(&class) {
                    Some(target) => *target,
                    None => {
                        let target = self.program.dispatch(class, named);
                        let target = target.filter(|target| self.is_followed(*target));
                        known.insert(class, target);
                        target
                    }
                },
                _ => None,
            };
            match target {
                Some(target) => {
                    chosen.entry(target).or_default().insert(object);
                }
                None => self.library_call(number),
            }
        }
        let mut chosen: Vec<(MethodId, Set)> = chosen.into_iter().collect();
        chosen.sort_unstable_by_key(|(target, _)| *target);
        for (target, receivers) in chosen {
            self.link(number, target, Some(&receivers));
        }
    }

    /// Is that the method that the closure implements?
    pub fn closure_runs(&self, object: u32, name: &str) -> bool {
        let Some((class, closure)) = self.types.closures.get(&object) else { return false };
        let table = &self.program.class(*class).code.table;
        table.closures.get(closure.index()).is_some_and(|closure| table.text(closure.method.name) == name)
    }

    /// Lets arguments and result flow between a call and a method. Receivers that decided are the only ones that flow.
    pub fn link(&mut self, number: u32, target: MethodId, receivers: Option<&Set>) {
        let Some(base) = self.base(target) else { return };
        let program = self.program;
        if let Some(receivers) = receivers {
            self.graph.put_all(base, receivers);
        }
        if !self.linked.insert((number, target)) {
            return;
        }
        let site = &self.sites[number as usize];
        let (caller, inst, result) = (site.caller, site.inst, site.result);
        let arguments = site.arguments.clone();
        self.calls.insert((caller, Callee::Method(target)));
        if let Some((method, inst)) = inst {
            self.targets.push((method, inst, target));
        }
        let Some(body) = program.body(target) else { return };
        let skipped = usize::from(receivers.is_some());
        for (param, argument) in body.params().iter().zip(&arguments).skip(skipped) {
            if let Some(argument) = argument.filter(|_| body.kind(*param) == Kind::Ref) {
                self.flow(argument, base + param.0);
            }
        }
        if let Some(result) = result {
            self.flow(base + body.kinds.len() as u32, result);
        }
    }

    /// Runs the method of a closure with some arguments. All who run it do so by way of one place: a library may run one
    /// closure by way of another, and so on without end.
    pub fn run_closure(
        &mut self,
        object: u32,
        caller: Caller,
        inst: Option<(MethodId, u32)>,
        arguments: &[Option<Node>],
        result: Option<Node>,
    ) {
        let entry = match self.entries.get(&object) {
            Some(entry) => Rc::clone(entry),
            None => {
                let Some(entry) = self.enter_closure(object) else { return };
                entry
            }
        };
        for (argument, param) in arguments.iter().zip(&entry.params) {
            if let (Some(argument), Some(param)) = (argument, param) {
                self.flow(*argument, *param);
            }
        }
        if let Some(result) = result {
            self.flow(entry.result, result);
        }
        self.calls.insert((caller, Callee::Library(entry.hub)));
        let target = self.closure_method(object).filter(|target| self.is_followed(*target));
        if let (Some((method, inst)), Some(target)) = (inst, target) {
            self.targets.push((method, inst, target));
        }
    }

    /// Makes the place by way of which a closure is run: what it captured comes before the arguments.
    fn enter_closure(&mut self, object: u32) -> Option<Rc<Entry>> {
        let (class, handle, mut all) = self.closure_parts(object)?;
        let program = self.program;
        let table = &program.class(class).code.table;
        let (_, closure) = self.types.closures.get(&object)?;
        let implemented = table.text(table.closures.get(closure.index())?.method.descriptor);
        let types = MethodType::parse(implemented.as_bytes())?;
        let params: Vec<Option<Node>> =
            types.parameters().map(|of| of.is_reference().then(|| self.graph.add(1))).collect();
        all.extend(&params);
        let result = self.graph.add(1);
        let hub = self.add_hub(result, false);
        let entry = Rc::new(Entry { params, result, hub });
        self.entries.insert(object, Rc::clone(&entry));
        let (_, name, descriptor) = table.names(handle.member);
        let owner = program.class_of(class, handle.member.owner);
        let selector = program.selector(name, descriptor);
        let named = owner.zip(selector).and_then(|(owner, selector)| program.find_method(owner, selector));
        let mut site = Site {
            caller: Caller::Library(hub),
            inst: None,
            named,
            owner,
            name: name.into(),
            descriptor: descriptor.into(),
            is_static: handle.kind == HandleKind::Static,
            arguments: all,
            result: Some(result),
            seen: false,
            held: None,
            keeps: true,
        };
        match handle.kind {
            HandleKind::Virtual | HandleKind::Interface => self.by_receiver(site),
            HandleKind::New => {
                let made = owner.filter(|class| !super::code::is_value(program.class(*class).name()))?;
                let place = self.object(object).place;
                let made = self.add_object(Object { made: Made::New, class: Some(made), place });
                let here = self.graph.add(1);
                self.graph.put(here, made);
                self.flow(here, result);
                site.arguments.insert(0, Some(here));
                site.result = None;
                self.direct(site);
            }
            _ => self.direct(site),
        }
        Some(entry)
    }

    /// The method that a closure names, before a receiver has its say.
    pub fn closure_method(&self, object: u32) -> Option<MethodId> {
        let (class, handle, _) = self.closure_parts(object)?;
        let program = self.program;
        let (_, name, descriptor) = program.class(class).code.table.names(handle.member);
        let owner = program.class_of(class, handle.member.owner)?;
        program.find_method(owner, program.selector(name, descriptor)?)
    }

    /// The class that made a closure, what it runs, and the nodes of what it captured.
    fn closure_parts(&self, object: u32) -> Option<(ClassId, Handle, Vec<Option<Node>>)> {
        let (class, closure) = *self.types.closures.get(&object)?;
        let (method, inst) = self.object(object).place?;
        let body = self.program.body(method)?;
        let base = (*self.bases.get(method.index())?)?;
        let crate::ir::Op::Closure { captured, .. } = body.insts.get(inst as usize)?.op else { return None };
        let nodes = body
            .list(captured)
            .iter()
            .map(|reg| (body.kind(*reg) == Kind::Ref).then(|| base + reg.0))
            .collect();
        let handle = self.program.class(class).code.table.closures.get(closure.index())?.body;
        Some((class, handle, nodes))
    }
}
