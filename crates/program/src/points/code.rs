//! What the instructions of a method that is reached mean for the analysis.

use super::calls::Site;
use super::{Analysis, Made, OUTSIDE, Object, Part, Watch};
use crate::ir::{Argument, Body, Caught, ClassRef, Code, HandleKind, Kind, Op, Reg, SiteRef};
use crate::{ClassId, MethodId, Origin};

/// Classes whose objects are values: nothing can be changed in them, and they keep nothing that can.
const VALUES: &[&str] = &[
    "java/lang/String",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Short",
    "java/lang/Byte",
    "java/lang/Character",
    "java/lang/Boolean",
    "java/lang/Float",
    "java/lang/Double",
    "java/math/BigInteger",
    "java/math/BigDecimal",
];

pub fn is_value(class: &str) -> bool {
    VALUES.contains(&class)
}

impl Analysis<'_> {
    /// Adds the body of a method that has been reached.
    pub fn add_body(&mut self, method: MethodId) {
        let program = self.program;
        let (Some(base), Code::Body(body)) = (self.bases[method.index()], &program.code(method).code) else {
            return;
        };
        let owner = program.method(method).owner;
        for (_, block) in body.blocks() {
            for edge in body.all_edges(block) {
                let params = body.list(body.block(edge.target).params);
                for (param, argument) in params.iter().zip(body.list(edge.arguments)) {
                    if body.kind(*param) != Kind::Ref {
                        continue;
                    }
                    match (*argument, edge.caught) {
                        (Reg::CAUGHT, Caught::Class(class)) => match program.class_of(owner, class) {
                            Some(class) => self.flow_filtered(self.thrown, base + param.0, class.0),
                            None => self.flow(self.thrown, base + param.0),
                        },
                        (Reg::CAUGHT, Caught::Any) => self.flow(self.thrown, base + param.0),
                        (argument, _) => self.flow(base + argument.0, base + param.0),
                    }
                }
            }
        }
        for (inst, number) in body.insts.iter().zip(0..) {
            self.add_op(method, owner, body, base, number, &inst.op, inst.result);
        }
    }

    #[allow(clippy::too_many_arguments)] // an instruction and where it stands
    fn add_op(
        &mut self,
        method: MethodId,
        owner: ClassId,
        body: &Body,
        base: u32,
        number: u32,
        op: &Op,
        result: Reg,
    ) {
        let program = self.program;
        let place = Some((method, number));
        let is_ref = |reg: Reg| reg.is_some() && body.kind(reg) == Kind::Ref;
        let node = |reg: Reg| base + reg.0;
        match *op {
            Op::New(class) => {
                let class = program.class_of(owner, class);
                if let Some(class) = class.filter(|class| !is_value(program.class(*class).name())) {
                    let object = self.add_object(Object { made: Made::New, class: Some(class), place });
                    self.graph.put(node(result), object);
                    self.touch(method, class);
                    self.made(class, object);
                }
            }
            Op::NewArray { .. } => {
                let object = self.add_object(Object { made: Made::Array, class: None, place });
                self.graph.put(node(result), object);
            }
            Op::NewArrays { lengths, .. } => {
                let outer = self.add_object(Object { made: Made::Array, class: None, place });
                self.graph.put(node(result), outer);
                let mut outer = outer;
                for _ in 1..lengths.count {
                    let inner = self.add_object(Object { made: Made::Array, class: None, place });
                    let elements = self.part(outer, Part::Elements);
                    self.graph.put(elements, inner);
                    outer = inner;
                }
            }
            Op::Class(class) => {
                let object = self.literal(owner, class);
                self.graph.put(node(result), object);
            }
            Op::Closure { closure, .. } => {
                let object = self.add_object(Object { made: Made::Closure, class: None, place });
                self.types.closures.insert(object, (owner, closure));
                self.sort_in(object, self.types.interface(object));
                self.graph.put(node(result), object);
            }
            Op::Cast { class, value } => match program.class_of(owner, class) {
                Some(class) => self.flow_filtered(node(value), node(result), class.0),
                None => self.flow(node(value), node(result)),
            },
            Op::Get { field, object } if is_ref(result) => {
                if let Some(part) = self.part_of(owner, field) {
                    self.watch(node(object), Watch::Read(part, node(result)));
                }
            }
            Op::Put { field, object, value } if is_ref(value) => {
                if let Some(part) = self.part_of(owner, field) {
                    self.watch(node(object), Watch::Write(part, node(value)));
                }
            }
            Op::GetStatic { field } | Op::PutStatic { field, .. } => {
                let Some(field) = program.field_of(owner, field) else { return };
                let of = program.field(field).owner;
                self.touch(method, of);
                let inside = program.class(of).origin == Origin::Input;
                let here = match inside {
                    true => self.static_node(field),
                    false => self.part(OUTSIDE, Part::Contents),
                };
                match *op {
                    Op::PutStatic { value, .. } if is_ref(value) => self.flow(node(value), here),
                    Op::GetStatic { .. } if is_ref(result) => self.flow(here, node(result)),
                    _ => {}
                }
            }
            Op::Load { array, .. } if is_ref(result) => {
                self.watch(node(array), Watch::Read(Part::Elements, node(result)));
            }
            Op::Store { array, value, .. } if is_ref(value) => {
                self.watch(node(array), Watch::Write(Part::Elements, node(value)));
            }
            Op::Return { value } if is_ref(value) => {
                let returned = base + body.kinds.len() as u32;
                self.flow(node(value), returned);
            }
            Op::Throw { value } => self.flow(node(value), self.thrown),
            Op::Call { kind, method: named, arguments } => {
                let arguments = body.list(arguments);
                let nodes = arguments.iter().map(|reg| is_ref(*reg).then(|| node(*reg))).collect();
                let result = is_ref(result).then(|| node(result));
                self.call(method, owner, number, kind, named, nodes, result);
            }
            Op::Concat { values, .. } => {
                // It calls their toString.
                let nodes = body.list(values).iter().filter(|reg| is_ref(**reg)).map(|reg| node(*reg));
                let nodes: Vec<u32> = nodes.collect();
                if !nodes.is_empty() {
                    let arguments = nodes.into_iter().map(Some).collect();
                    let site = Site::library(method, number, arguments, None);
                    self.hold(site, false);
                }
            }
            Op::Dynamic { site, arguments } => {
                let arguments = body.list(arguments);
                let mut nodes: Vec<Option<u32>> =
                    arguments.iter().map(|reg| is_ref(*reg).then(|| node(*reg))).collect();
                let result = is_ref(result).then(|| node(result));
                match self.bootstrap(owner, site) {
                    // A switch over patterns asks for the class, and whether constants are equal.
                    "java/lang/runtime/SwitchBootstraps" => {}
                    // A record's own methods call those of what its fields hold, and keep nothing.
                    "java/lang/runtime/ObjectMethods" => {
                        for part in self.components(owner, site) {
                            let read = self.graph.add(1);
                            for record in nodes.clone().into_iter().take(arguments.len()).flatten() {
                                self.watch(record, Watch::Read(part, read));
                            }
                            nodes.push(Some(read));
                        }
                        self.hold(Site::library(method, number, nodes, None), false);
                    }
                    _ => self.hold(Site::library(method, number, nodes, result), true),
                }
            }
            _ => {}
        }
    }

    /// The class that makes a dynamic call site.
    fn bootstrap(&self, owner: ClassId, site: SiteRef) -> &str {
        let table = &self.program.class(owner).code.table;
        table.sites.get(site.index()).map_or("", |site| table.names(site.bootstrap.member).0)
    }

    /// The fields that hold objects among those that a record's method is made of.
    fn components(&self, owner: ClassId, site: SiteRef) -> Vec<Part> {
        let program = self.program;
        let table = &program.class(owner).code.table;
        let arguments = table.sites.get(site.index()).map(|site| site.arguments.as_slice());
        let field = |argument: &Argument| {
            let Argument::Handle(handle) = argument else { return None };
            let handle = table.handles.get(handle.index()).filter(|handle| handle.kind == HandleKind::Get)?;
            let (_, name, descriptor) = table.names(handle.member);
            let class = program.class_of(owner, handle.member.owner)?;
            let holds = descriptor.starts_with(['L', '[']);
            program.find_field(class, name, descriptor).filter(|_| holds).map(Part::Field)
        };
        arguments.unwrap_or_default().iter().filter_map(field).collect()
    }

    /// The part of an object that a field is: what is in a library's object is not told apart.
    fn part_of(&self, owner: ClassId, field: crate::ir::FieldRef) -> Option<Part> {
        let field = self.program.field_of(owner, field)?;
        let of = self.program.field(field).owner;
        Some(match self.program.class(of).origin {
            Origin::Input => Part::Field(field),
            _ => Part::Contents,
        })
    }

    fn literal(&mut self, owner: ClassId, class: ClassRef) -> u32 {
        let name = self.program.class(owner).code.table.class(class);
        if let Some(known) = self.literals.get(name) {
            return *known;
        }
        let class = self.program.class_named("java/lang/Class");
        let object = self.add_object(Object { made: Made::Literal, class, place: None });
        self.literals.insert(name.into(), object);
        object
    }

    /// A class is used: its initialiser (and those above it) may run, in the thread of whoever uses it.
    pub fn touch(&mut self, from: MethodId, class: ClassId) {
        let program = self.program;
        for class in program.chain(class) {
            if program.class(class).origin != Origin::Input {
                continue;
            }
            let Some(selector) = program.selector("<clinit>", "()V") else { return };
            let Some(start) = program.declared(class, selector) else { continue };
            if start != from && self.base(start).is_some() {
                self.calls.insert((super::Caller::Method(from), super::Callee::Method(start)));
            }
        }
    }
}
