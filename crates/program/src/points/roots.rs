//! Where threads start: `main`, tests, what frameworks call, tasks that are handed to other threads; for a library every
//! public method. Roots of tasks are found while the analysis runs.

use classfile::flags;
use events::models::{Mark, Role};

use super::{Analysis, OUTSIDE, Part, World};
use crate::{ClassId, MethodId, Origin};

/// What `main` takes and gives where it gets the command's arguments.
const TAKES_ARGUMENTS: &str = "([Ljava/lang/String;)V";

/// What starts in a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RootKind {
    /// The program itself, or a test: one thread.
    Main,
    /// A thread or task.
    Task,
    /// What a framework calls, from any number of threads.
    Entry,
    /// A public method of a library: any number of threads.
    Public,
    /// A finalizer.
    Finalizer,
}

/// A method in which threads start.
#[derive(Clone, Debug)]
pub struct Root {
    /// The method; for a closure the one that it names.
    pub method: MethodId,
    /// What starts there.
    pub kind: RootKind,
    /// For tasks: the objects that are run.
    pub objects: Vec<u32>,
    /// For tasks: where each was handed over, as far as it is an instruction.
    pub handed: Vec<(u32, (MethodId, u32))>,
    /// For closures: the caller that stands for the thread.
    pub hub: Option<u32>,
}

impl Analysis<'_> {
    /// Finds what starts by itself.
    pub fn find_roots(&mut self, world: World) {
        let program = self.program;
        let mut found = Vec::new();
        if world != World::Library {
            for method in program.input_methods() {
                if let Some(kind) = self.starts_itself(method) {
                    found.push((method, kind));
                }
            }
            let is_main = |method: MethodId| program.names_of(method).0 == "main";
            if !found.iter().any(|(method, _)| is_main(*method)) {
                let mains = program.input_methods().filter(|method| self.is_newer_main(*method));
                found.extend(mains.map(|method| (method, RootKind::Main)));
            }
        }
        if found.iter().any(|(_, kind)| *kind == RootKind::Entry) {
            let producers = program.input_methods().filter(|method| self.is_producer(*method));
            found.extend(producers.map(|method| (method, RootKind::Main)));
        }
        if found.is_empty() {
            for method in program.input_methods() {
                let access = program.method(method).access;
                let class = program.class(program.method(method).owner);
                let is_open = access & flags::PUBLIC != 0 && class.code.access & flags::PUBLIC != 0;
                if is_open && self.is_followed(method) {
                    found.push((method, RootKind::Public));
                }
            }
        }
        let mut owners: Vec<ClassId> =
            found.iter().map(|(method, _)| program.method(*method).owner).collect();
        owners.sort_unstable();
        owners.dedup();
        if owners.len() > self.limits.listed {
            self.crowd_together();
        }
        for (method, kind) in found {
            self.add_outer_root(method, kind);
        }
    }

    /// Is it a `main`, a test or an entry that a framework calls?
    fn starts_itself(&self, method: MethodId) -> Option<RootKind> {
        let program = self.program;
        if !self.is_followed(method) {
            return None;
        }
        let (name, descriptor) = program.names_of(method);
        let info = program.method(method);
        if info.access & flags::STATIC != 0 && (name, descriptor) == ("main", TAKES_ARGUMENTS) {
            return Some(RootKind::Main);
        }
        let class = program.class(info.owner);
        let annotations = &program.code(method).annotations;
        for root in self.models.roots() {
            let fits = match &root.mark {
                Mark::Annotation(pattern) => {
                    annotations.iter().any(|found| Mark::names(pattern, class.code.table.class(found.class)))
                }
                // What the JDK calls is found with the objects on which it does.
                Mark::Method(pattern, _) if is_jdk(pattern) => false,
                Mark::Method(pattern, of) => {
                    of.matches(name, descriptor)
                        && info.access & (flags::PUBLIC | flags::PROTECTED) != 0
                        && class
                            .above()
                            .iter()
                            .any(|above| Mark::names(pattern, program.class(*above).name()))
                }
            };
            if fits {
                return Some(match root.role {
                    Role::Test => RootKind::Main,
                    // What is called once, before anybody else has the object.
                    Role::Entry if is_set_up(&root.mark) => RootKind::Main,
                    Role::Entry => RootKind::Entry,
                });
            }
        }
        None
    }

    /// May a launcher run it since Java 25 (JEP 512)? Static or not, with arguments or not, but not private; where a class
    /// declares several, that with arguments is run.
    fn is_newer_main(&self, method: MethodId) -> bool {
        let program = self.program;
        let info = program.method(method);
        let class = program.class(info.owner);
        let takes = |method: MethodId, arguments: &str| program.names_of(method) == ("main", arguments);
        let is_chosen = takes(method, TAKES_ARGUMENTS)
            || takes(method, "()V") && !class.methods().any(|other| takes(other, TAKES_ARGUMENTS));
        let is_maker = |other: MethodId| {
            program.names_of(other) == ("<init>", "()V") && program.method(other).access & flags::PRIVATE == 0
        };
        is_chosen
            && self.is_followed(method)
            && info.access & flags::PRIVATE == 0
            && (info.access & flags::STATIC != 0
                || class.code.access & flags::ABSTRACT == 0 && class.methods().any(is_maker))
    }

    /// What the JDK calls from threads of its own on an object of this class, whoever has it: finalizers, and what model
    /// tables call entries. (That of threads themselves comes with their start.)
    pub fn made(&mut self, class: ClassId, object: u32) {
        let program = self.program;
        if program.class(class).origin != Origin::Input {
            return;
        }
        let models = self.models;
        for callback in self.callbacks(class).iter() {
            let (name, descriptor) = program.names_of(callback.method);
            let is_entry = || {
                models.roots().iter().any(|root| match &root.mark {
                    Mark::Method(pattern, of) if is_jdk(pattern) && &**pattern != "java/lang/Thread" => {
                        of.matches(name, descriptor)
                            && program
                                .class(class)
                                .above()
                                .iter()
                                .any(|a| program.class(*a).name() == &**pattern)
                    }
                    _ => false,
                })
            };
            let kind = match (name, descriptor) {
                ("finalize", "()V") => RootKind::Finalizer,
                _ if is_entry() => RootKind::Task,
                _ => continue,
            };
            let held = self.part(OUTSIDE, Part::Contents);
            self.called(callback.method, Some(object), held, held);
            self.add_root(callback.method, kind, Some(object), None);
        }
    }

    /// Adds a root, or another object to one that is known.
    pub fn add_root(
        &mut self,
        method: MethodId,
        kind: RootKind,
        object: Option<u32>,
        handed: Option<(MethodId, u32)>,
    ) {
        let number = *self.root_of.entry(method).or_insert(self.roots.len() as u32);
        if number as usize == self.roots.len() {
            self.roots.push(Root { method, kind, objects: Vec::new(), handed: Vec::new(), hub: None });
        }
        let root = &mut self.roots[number as usize];
        root.kind = root.kind.max(kind);
        if let Some(object) = object {
            if self.root_objects.insert((number, object)) {
                root.objects.push(object);
            }
            if let Some(place) = handed.filter(|place| self.handed.insert((number, object, *place))) {
                root.handed.push((object, place));
            }
        }
    }

    /// Adds the root of a closure: the methods it runs are called by its hub.
    pub fn add_closure_root(&mut self, object: u32, hub: u32, handed: Option<(MethodId, u32)>) {
        let Some(method) = self.closure_method(object) else { return };
        let next = self.roots.len();
        let number = *self.root_of_hub.entry(hub).or_insert(next as u32) as usize;
        if number == next {
            let kind = RootKind::Task;
            let objects = vec![object];
            self.roots.push(Root { method, kind, objects, handed: Vec::new(), hub: Some(hub) });
        }
        if let Some(place) = handed.filter(|place| self.handed.insert((number as u32, object, *place))) {
            self.roots[number].handed.push((object, place));
        }
    }
}

/// Is it what a framework calls once an object is made and has all it needs?
fn is_set_up(mark: &Mark) -> bool {
    matches!(mark, Mark::Annotation(name) if name.ends_with("/PostConstruct"))
}

fn is_jdk(pattern: &str) -> bool {
    pattern.starts_with("java/")
}
