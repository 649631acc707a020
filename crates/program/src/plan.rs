//! What need not be watched in a run of the program: accesses to objects that no two threads can reach (section 3.2.1 of
//! *Racer*), for the whole program as it was given. The result is an [`events::plan::Plan`].
//!
//! Stricter than [`Sharing`], since a wrong finding can be looked at and a missing probe cannot. An object counts as
//! *open* if something that was not followed may hand it to another thread: what static fields hold, exceptions, what
//! libraries keep that may have threads of their own, and all that can be reached from there. An access needs no probe if
//! none of its objects is open and none has escaped; or, in a field, if the one thread that accesses it is known.
//! Static fields keep their probes, and so does whatever code the analysis did not reach.
//!
//! What cannot be followed (reflection, native code, …) is listed as *blind* and costs the facts that count threads; so do
//! handles on fields that are not known (`handles.rs`).

use classfile::flags;
use events::plan::{ClassFacts, ClassHash, MethodFacts, Plan};
use rustc_hash::FxHashMap;

use crate::handles::Handles;
use crate::ir::{Code, FieldRef, Op, Reg};
use crate::points::{Made, OUTSIDE, Part, Points, Root, RootKind, Set};
use crate::{ClassId, ClassInfo, MethodId, Origin, Program, Sharing};

/// Packages and classes of the JDK whose objects run what they hold in the thread that calls them, if at all.
const CALM: &[&str] =
    &["java/io/", "java/lang/", "java/math/", "java/nio/", "java/text/", "java/time/", "java/util/"];
/// What begins like one of these and may have threads, or start them, all the same.
const NOT_CALM: &[&str] = &[
    "java/lang/Process",
    "java/lang/Runtime",
    "java/lang/Thread",
    "java/lang/ref/",
    "java/nio/channels/",
    "java/nio/file/",
    "java/util/ServiceLoader",
    "java/util/Timer",
    "java/util/concurrent/",
    "java/util/logging/",
    "java/util/prefs/",
    "java/util/zip/",
];

/// Calls after which objects may be where nobody saw them go: class, and how the method's name starts.
const BLIND: &[(&str, &str)] = &[
    ("java/io/ObjectInputStream", "read"),
    ("java/lang/Class", "forName"),
    ("java/lang/Class", "newInstance"),
    ("java/lang/ClassLoader", "defineClass"),
    ("java/lang/ClassLoader", "loadClass"),
    ("java/lang/invoke/MethodHandle", "invoke"),
    ("java/lang/invoke/MethodHandles$Lookup", "define"),
    ("java/lang/reflect/Array", "set"),
    ("java/lang/reflect/Constructor", "newInstance"),
    ("java/lang/reflect/Field", "get"),
    ("java/lang/reflect/Field", "set"),
    ("java/lang/reflect/Method", "invoke"),
    ("java/lang/reflect/Proxy", "newProxyInstance"),
    ("java/util/ServiceLoader", "load"),
    ("javax/script/", ""),
];

fn is_among(calls: &[(&str, &str)], owner: &str, name: &str) -> bool {
    calls.iter().any(|(class, start)| {
        let named = if class.ends_with('/') { owner.starts_with(class) } else { owner == *class };
        named && name.starts_with(start)
    })
}

/// Does a library's class run nothing in threads of its own?
fn is_calm(name: &str) -> bool {
    CALM.iter().any(|start| name.starts_with(start)) && !NOT_CALM.iter().any(|start| name.starts_with(start))
}

/// Makes the plan of a program. `hash_of` gives the hash of the bytes of a class by where it was found; a class without
/// one is not in the plan. The caller fills in what Java and which inputs it was.
pub fn plan(
    program: &Program,
    points: &Points,
    sharing: &Sharing,
    hash_of: impl Fn(&str) -> Option<ClassHash>,
) -> Plan {
    let mut plan = Plan { roots: roots(program, points), ..Plan::default() };
    let mut unread = !points.gaps().is_empty();
    for method in program.input_methods() {
        let about = About { program, method };
        match &program.code(method).code {
            Code::Gap(why) => {
                let table = &program.class(program.method(method).owner).code.table;
                plan.blind.push(format!("{}: {}", about.text(), table.text(*why)));
                unread = true;
            }
            Code::Absent if program.method(method).access & flags::NATIVE != 0 => {
                plan.blind.push(format!("{}: it is native", about.text()));
            }
            _ => about.look(&mut plan.blind),
        }
    }
    let tests =
        points.roots().iter().any(|root| root.kind == RootKind::Main && !is_launched(program, points, root));
    plan.blind.extend(points.gaps().iter().map(|gap| format!("{}: {}", gap.what, gap.why)));
    let facts = Facts {
        program,
        points,
        sharing,
        open: open(program, points),
        // Tests may be run by several threads, and what is blind may count as another one.
        counts_threads: plan.blind.is_empty() && !Handles::new(program).anything && !tests,
        nothing: unread,
    };
    for (_, class) in program.classes().filter(|(_, class)| class.origin == Origin::Input) {
        if let Some(hash) = hash_of(&class.place) {
            plan.classes.push((hash, facts.class(class)));
        }
    }
    plan
}

/// Is the root a `main`, or the constructor of what it is called on?
fn is_launched(program: &Program, points: &Points, root: &Root) -> bool {
    let is_main = |method: MethodId| program.names_of(method).0 == "main";
    let of_main = |other: &Root| {
        is_main(other.method) && program.method(other.method).owner == program.method(root.method).owner
    };
    is_main(root.method) || program.names_of(root.method).0 == "<init>" && points.roots().iter().any(of_main)
}

fn dotted(name: &str) -> String {
    name.replace('/', ".")
}

fn roots(program: &Program, points: &Points) -> Vec<String> {
    let text = |root: &Root| {
        let kind = match root.kind {
            RootKind::Main => "main",
            RootKind::Task => "task",
            RootKind::Entry => "entry",
            RootKind::Public => "public",
            RootKind::Finalizer => "finalizer",
        };
        format!("{kind} {}", About { program, method: root.method }.text())
    };
    let mut all: Vec<String> = points.roots().iter().map(text).collect();
    all.sort();
    all.dedup();
    all
}

/// A method with what people call it.
struct About<'p> {
    program: &'p Program,
    method: MethodId,
}

impl About<'_> {
    fn text(&self) -> String {
        let (name, descriptor) = self.program.names_of(self.method);
        let owner = self.program.method(self.method).owner;
        format!("{}.{name}{descriptor}", dotted(self.program.class(owner).name()))
    }

    /// Notes calls that cannot be followed.
    fn look(&self, blind: &mut Vec<String>) {
        let Some(body) = self.program.body(self.method) else { return };
        let table = &self.program.class(self.program.method(self.method).owner).code.table;
        for inst in &body.insts {
            let Op::Call { method, .. } = inst.op else { continue };
            let Some(member) = table.method(method) else { continue };
            let (owner, name, _) = table.names(member);
            if is_among(BLIND, owner, name) {
                let what = format!("{}: it calls {}.{name}", self.text(), dotted(owner));
                if blind.last() != Some(&what) {
                    blind.push(what);
                }
            }
        }
    }
}

/// The objects that something which was not followed may hand to another thread.
fn open(program: &Program, points: &Points) -> Set {
    let thread = program.class_named("java/lang/Thread");
    let is_thread = |class: ClassId| thread.is_some_and(|thread| program.is_below(class, thread));
    let throwable = program.class_named("java/lang/Throwable");
    let mut work: Vec<u32> = vec![OUTSIDE];
    work.extend(points.merged().iter());
    work.extend(points.statics().flat_map(|(_, objects)| objects.iter()));
    let mut inside: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (object, _, objects) in points.parts() {
        inside.entry(object).or_default().extend(objects.iter());
    }
    for (number, object) in (0u32..).zip(points.objects()) {
        let of_library = |class: &ClassId| program.class(*class).origin != Origin::Input;
        let is_open = match (object.made, object.class) {
            (Made::Given, _) | (Made::Library, None) => true,
            (_, Some(class)) => {
                let mut above = program.chain(class).filter(|above| of_library(above));
                throwable.is_some_and(|throwable| program.is_below(class, throwable))
                    // What a thread runs is known; what else it was given, and is not one itself, is not.
                    || (!is_thread(class) && above.any(|above| !is_calm(program.class(above).name())))
            }
            _ => false,
        };
        if is_open {
            work.push(number);
        }
        if object.class.is_some_and(is_thread) {
            let held = points.part(number, Part::Contents).into_iter().flat_map(|set| set.iter());
            work.extend(held.filter(|held| !points.object(*held).class.is_some_and(is_thread)));
        }
    }
    let mut open = Set::default();
    while let Some(object) = work.pop() {
        if !open.insert(object) {
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
    open
}

struct Facts<'p> {
    program: &'p Program,
    points: &'p Points,
    sharing: &'p Sharing,
    open: Set,
    /// Is it known which threads access a field?
    counts_threads: bool,
    /// Is anything unread that could do anything? Then there are no facts.
    nothing: bool,
}

impl Facts<'_> {
    fn class(&self, class: &ClassInfo) -> ClassFacts {
        let mut facts = ClassFacts { name: dotted(class.name()), methods: Vec::new() };
        for method in class.methods() {
            let found = self.method(method);
            if found.unused || !found.spared.is_empty() {
                facts.methods.push(found);
            }
        }
        facts
    }

    fn method(&self, method: MethodId) -> MethodFacts {
        let (name, descriptor) = self.program.names_of(method);
        let index = u16::try_from(self.program.method(method).index).unwrap_or(u16::MAX);
        let mut facts = MethodFacts { index, name: format!("{name}{descriptor}"), ..MethodFacts::default() };
        let Some(body) = self.program.body(method) else { return facts };
        if !self.points.is_reached(method) {
            facts.unused = !self.nothing;
            return facts;
        }
        // Code that was copied (subroutines) stands in several places: all have to need no probe.
        let mut told = Vec::new();
        for inst in &body.insts {
            let (object, field) = match inst.op {
                Op::Get { object, field } | Op::Put { object, field, .. } => (object, Some(field)),
                Op::Load { array, .. } | Op::Store { array, .. } => (array, None),
                _ => continue,
            };
            match self.needs_no_probe(method, object, field) {
                true => facts.spared.push(inst.pc),
                false => told.push(inst.pc),
            }
        }
        told.sort_unstable();
        facts.spared.sort_unstable();
        facts.spared.dedup();
        facts.spared.retain(|pc| told.binary_search(pc).is_err());
        facts
    }

    fn needs_no_probe(&self, method: MethodId, object: Reg, field: Option<FieldRef>) -> bool {
        let Some(objects) = self.points.of(method, object).filter(|objects| !objects.is_empty()) else {
            // Nothing, or what nobody has seen being made.
            return false;
        };
        if self.nothing || objects.meets(&self.open) {
            return false;
        }
        let owner = self.program.method(method).owner;
        let field = field.and_then(|field| self.program.field_of(owner, field)).map(Part::Field);
        objects.iter().all(|object| {
            !self.sharing.has_escaped(object)
                || field.is_some_and(|part| self.counts_threads && !self.sharing.is_shared(object, part))
        })
    }
}
