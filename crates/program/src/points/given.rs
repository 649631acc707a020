//! Objects that come from outside: receivers and arguments of what frameworks and a library's users call, and what
//! frameworks put into fields. Whoever made such an object ran one of its constructors, so that these are roots too; with
//! parameters that come from outside in turn.
//!
//! A framework makes its servlets, listeners and beans once, before anybody calls them: their constructors are run by the
//! program's own thread. What it makes for each call (arguments, some kinds of receivers) is made by the callers. Of a
//! library every public constructor is a root anyway, and what its public methods return is outside from then on.
//!
//! Not known: which of several implementations is put into a field (all are), and what configuration files say.

use classfile::{MethodType, flags};
use events::models::Mark;

use super::{Analysis, Made, OUTSIDE, Object, Part, RootKind};
use crate::ir::{Annotation, Kind};
use crate::{ClassId, ClassInfo, MethodId, Origin};

/// Fields and methods through which frameworks give something to the objects they make, by annotation.
const INJECTED: &[&str] = &["*/Autowired", "*/Inject", "*/Resource", "*/EJB"];
/// Methods whose results frameworks give to others, by annotation.
const PRODUCERS: &[&str] = &["*/Bean", "*/Produces"];
/// Receivers of these are made for each call, unless their class says otherwise: annotations of methods, and classes.
const MADE_FOR_A_CALL: &[&str] = &["*/GET", "*/POST", "*/PUT", "*/DELETE", "*/PATCH", "*/HEAD"];
const CLASSES_MADE_FOR_A_CALL: &[&str] = &["org/quartz/Job"];
/// What a class says that is made once.
const MADE_ONCE: &[&str] =
    &["*/Singleton", "*/ApplicationScoped", "*/Component", "*/Service", "*/RestController"];
/// Methods that are called before all others: classes and interfaces of any package, and a name.
const SET_UP: &[(&str, &str)] =
    &[("*/HttpServlet", "init"), ("*/GenericServlet", "init"), ("*/Servlet", "init"), ("*/Filter", "init")];

/// Is one of the annotations among those patterns?
fn has(class: &ClassInfo, annotations: &[Annotation], patterns: &[&str]) -> bool {
    annotations.iter().any(|found| {
        let name = class.code.table.class(found.class);
        patterns.iter().any(|pattern| Mark::names(pattern, name))
    })
}

impl Analysis<'_> {
    /// Methods whose results a framework keeps and gives to others.
    pub fn is_producer(&self, method: MethodId) -> bool {
        let class = self.program.class(self.program.method(method).owner);
        has(class, &self.program.code(method).annotations, PRODUCERS) && self.is_followed(method)
    }

    /// Who makes the receiver of a root: the program's own thread if it is there before anybody calls.
    fn maker(&self, method: MethodId, kind: RootKind) -> RootKind {
        let program = self.program;
        let owner = program.class(program.method(method).owner);
        let names = |pattern: &&str| {
            owner.above().iter().any(|above| Mark::names(pattern, program.class(*above).name()))
        };
        let for_a_call = has(owner, &program.code(method).annotations, MADE_FOR_A_CALL)
            || CLASSES_MADE_FOR_A_CALL.iter().any(names);
        match kind {
            RootKind::Entry if !for_a_call || has(owner, &owner.code.annotations, MADE_ONCE) => {
                RootKind::Main
            }
            _ => kind,
        }
    }

    /// A root that is called from outside: receiver and arguments come from there.
    pub fn add_outer_root(&mut self, method: MethodId, kind: RootKind) {
        let program = self.program;
        let Some(base) = self.base(method) else { return };
        self.add_root(method, kind, None, None);
        let info = program.method(method);
        self.touch(method, info.owner);
        if info.access & flags::STATIC == 0 {
            self.give(base, info.owner, self.maker(method, kind), true);
            if kind == RootKind::Public {
                // What it was made by may be one of the library's methods.
                self.flow_filtered(self.outside, base, info.owner.0);
            }
        }
        self.give_arguments(method, kind);
        if kind == RootKind::Public || self.is_producer(method) {
            self.give_away(method);
        }
    }

    /// What a method returns is outside.
    fn give_away(&mut self, method: MethodId) {
        let (Some(base), Some(body)) = (self.base(method), self.program.body(method)) else { return };
        let (_, descriptor) = self.program.names_of(method);
        let result = MethodType::parse(descriptor.as_bytes()).and_then(|types| types.result());
        let class = result.and_then(|of| of.class_name()).map(String::from_utf8_lossy);
        let is_ref = result.is_some_and(|of| of.is_reference());
        if is_ref && !class.as_deref().is_some_and(super::code::is_value) {
            self.flow(base + body.kinds.len() as u32, self.outside);
        }
    }

    /// Arguments come from outside; `kind` tells for whom they were made.
    fn give_arguments(&mut self, method: MethodId, kind: RootKind) {
        let program = self.program;
        let (Some(base), Some(body)) = (self.base(method), program.body(method)) else { return };
        let own = usize::from(program.method(method).access & flags::STATIC == 0);
        let (_, descriptor) = program.names_of(method);
        let types = MethodType::parse(descriptor.as_bytes());
        let types = types.into_iter().flat_map(|types| types.parameters());
        for (param, of) in body.params().iter().skip(own).zip(types) {
            let class = of.class_name().map(String::from_utf8_lossy);
            if body.kind(*param) == Kind::Ref {
                self.give_named(base + param.0, class.as_deref(), kind);
            }
        }
    }

    /// Puts what comes from outside as an object of the class of that name into a node.
    fn give_named(&mut self, node: u32, class: Option<&str>, kind: RootKind) {
        if class.is_some_and(super::code::is_value) {
            return;
        }
        match class.and_then(|name| self.program.class_named(name)) {
            Some(class) => {
                self.give(node, class, kind, false);
                self.flow_filtered(self.outside, node, class.0);
            }
            None => self.flow(self.outside, node),
        }
    }

    /// Puts objects that come from outside as some of this class into a node. A receiver is there whatever is known of
    /// classes below its own.
    fn give(&mut self, node: u32, class: ClassId, kind: RootKind, is_receiver: bool) {
        let mut instances = self.instances(class);
        if instances.is_empty() && is_receiver {
            instances.push(class);
        }
        for class in &instances {
            if kind != RootKind::Public && self.made_as.insert((*class, kind)) {
                self.unmade.push((*class, kind));
            }
        }
        if self.crowds.on {
            if self.program.class(class).origin == Origin::Input {
                let crowd = self.given_crowd(class, instances.into_iter());
                self.graph.put(node, crowd);
            }
            return;
        }
        for class in instances {
            let object = self.given(class);
            self.graph.put(node, object);
        }
    }

    /// The classes of the inputs that an object given from outside as this one may have.
    fn instances(&self, class: ClassId) -> Vec<ClassId> {
        let program = self.program;
        let below = program.class(class).below().iter().copied();
        let concrete = |class: &ClassId| {
            let class = program.class(*class);
            class.origin == Origin::Input && class.code.access & (flags::ABSTRACT | flags::INTERFACE) == 0
        };
        // `Object` and the like stand for anything: what comes from outside is then the outside alone.
        if program.class(class).origin == Origin::Input {
            below.filter(concrete).collect()
        } else {
            Vec::new()
        }
    }

    pub fn given(&mut self, class: ClassId) -> u32 {
        if let Some(known) = self.givens.get(&class) {
            return *known;
        }
        let object = self.add_object(Object { made: Made::Given, class: Some(class), place: None });
        self.givens.insert(class, object);
        // Whoever made it holds it.
        let outside = self.part(OUTSIDE, Part::Contents);
        self.graph.put(outside, object);
        object
    }

    /// Makes what comes from outside: runs constructors and gives what frameworks put into it. One after the other, since
    /// each may need more.
    pub fn make_given(&mut self) {
        while let Some((class, kind)) = self.unmade.pop() {
            let program = self.program;
            let chain: Vec<ClassId> = program.chain(class).collect();
            for constructor in self.constructors(class) {
                self.make_by(constructor, class, kind);
            }
            for above in chain.into_iter().filter(|above| program.class(*above).origin == Origin::Input) {
                self.inject(class, above, kind);
            }
        }
    }

    /// The constructors by which an object that comes from outside may have been made: public ones and those that frameworks
    /// are told to take; else all. (An enum's constants are made by itself.)
    fn constructors(&self, class: ClassId) -> Vec<MethodId> {
        let program = self.program;
        let info = program.class(class);
        if info.code.access & flags::ENUM != 0 {
            return Vec::new();
        }
        let is_one = |method: &MethodId| program.names_of(*method).0 == "<init>" && self.is_followed(*method);
        let all: Vec<MethodId> = info.methods().filter(is_one).collect();
        let is_open = |method: &MethodId| {
            program.method(*method).access & flags::PUBLIC != 0
                || has(info, &program.code(*method).annotations, INJECTED)
        };
        let open: Vec<MethodId> = all.iter().copied().filter(is_open).collect();
        if open.is_empty() { all } else { open }
    }

    /// A method runs on an object of a class that comes from outside, before anybody else has it.
    fn make_by(&mut self, method: MethodId, class: ClassId, kind: RootKind) {
        let Some(base) = self.base(method) else { return };
        self.add_root(method, kind, None, None);
        self.touch(method, class);
        let object = self.given(class);
        match self.crowds.on {
            true => {
                let crowd = self.given_crowd(class, std::iter::empty());
                self.graph.put(base, crowd);
            }
            false => self.graph.put(base, object),
        }
        self.give_arguments(method, kind);
    }

    /// Gives what frameworks put into the fields that a class declares, in an object of a class below it, and calls what
    /// they call before all else.
    fn inject(&mut self, class: ClassId, declaring: ClassId, kind: RootKind) {
        let program = self.program;
        let info = program.class(declaring);
        for (field, code) in info.fields().zip(&info.code.fields) {
            if code.access & flags::STATIC == 0 && has(info, &code.annotations, INJECTED) {
                let object = self.given(class);
                let node = self.part(object, Part::Field(field));
                let descriptor = info.code.table.text(code.descriptor);
                let name = descriptor.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
                self.give_named(node, name, kind);
            }
        }
        for method in info.methods().filter(|method| program.method(*method).access & flags::STATIC == 0) {
            let (name, _) = program.names_of(method);
            let is_set_up = SET_UP.iter().any(|(pattern, of)| {
                let mut above = info.above().iter();
                *of == name && above.any(|above| Mark::names(pattern, program.class(*above).name()))
            });
            let injected = name != "<init>" && has(info, &program.code(method).annotations, INJECTED);
            if (is_set_up || injected) && self.is_followed(method) {
                self.make_by(method, class, kind);
            }
        }
    }
}
