//! Who makes objects: constructors, and what nobody but constructors calls on the object that is being made. And the calls on
//! it that they make while nobody else knows it: such a caller needs no lock, and so says nothing about those who do.
//!
//! An object is known to others once it has been put somewhere, been captured, passed on, given another name, or once a library has been called
//! on it. What a constructor calls on its object is looked into.

use program::ir::{Body, Op};
use program::points::Points;
use program::{MethodId, Program, flags};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Code;
use super::accesses::leads;

/// Who makes objects.
pub struct Makers {
    methods: FxHashSet<MethodId>,
}

impl Makers {
    /// Finds them.
    pub fn new(code: &Code) -> Makers {
        Makers { methods: makers(code) }
    }

    /// Is it a method that nobody calls but to make its object?
    pub fn contains(&self, method: MethodId) -> bool {
        self.methods.contains(&method)
    }

    /// The calls of other methods than constructors on an object that is being made and that nobody else knows yet.
    pub fn calls(&self, code: &Code) -> FxHashSet<(MethodId, u32)> {
        let mut leaks = Leaks::new(code, &self.methods);
        leaks.spread();
        let mut found = FxHashSet::default();
        for method in &self.methods {
            let (Some(body), Some(own)) = (code.program.body(*method), leaks.of.get(method)) else {
                continue;
            };
            if leaks.late.contains(method) {
                continue;
            }
            let calls = own.calls.iter().filter(|(inst, callee)| {
                code.program.names_of(*callee).0 != "<init>"
                    && !own.places.contains(inst)
                    && !own.is_known(body, *inst)
            });
            found.extend(calls.map(|(inst, _)| (*method, *inst)));
        }
        found
    }
}

/// Where a method lets its object become known, and what it calls on it.
#[derive(Default)]
struct Own {
    places: FxHashSet<u32>,
    /// It cannot be told where.
    anywhere: bool,
    calls: Vec<(u32, MethodId)>,
}

impl Own {
    fn is_known(&self, body: &Body, inst: u32) -> bool {
        self.anywhere || self.places.iter().any(|place| leads(body, *place, inst))
    }
}

/// Where objects become known.
struct Leaks<'c> {
    code: &'c Code,
    /// Constructors and all that is called from there on the same object.
    of: FxHashMap<MethodId, Own>,
    makers: &'c FxHashSet<MethodId>,
    /// Makers that are also called when the object may be known already.
    late: FxHashSet<MethodId>,
}

impl<'c> Leaks<'c> {
    fn new(code: &'c Code, makers: &'c FxHashSet<MethodId>) -> Leaks<'c> {
        let mut of: FxHashMap<MethodId, Own> = FxHashMap::default();
        let mut work: Vec<MethodId> = makers.iter().copied().collect();
        work.sort_unstable();
        while let Some(method) = work.pop() {
            if of.contains_key(&method) {
                continue;
            }
            let own = own(&code.program, &code.points, method);
            work.extend(own.calls.iter().map(|(_, callee)| *callee));
            of.insert(method, own);
        }
        Leaks { code, of, makers, late: FxHashSet::default() }
    }

    /// A call of what lets the object become known does so itself; and what is called after that is called late.
    fn spread(&mut self) {
        let mut callers: FxHashMap<MethodId, Vec<(MethodId, u32)>> = FxHashMap::default();
        for (caller, own) in &self.of {
            for (inst, callee) in &own.calls {
                callers.entry(*callee).or_default().push((*caller, *inst));
            }
        }
        let leaks = |own: &Own| own.anywhere || !own.places.is_empty();
        let mut work: Vec<MethodId> =
            self.of.iter().filter(|(_, own)| leaks(own)).map(|(method, _)| *method).collect();
        while let Some(method) = work.pop() {
            for (caller, inst) in callers.get(&method).into_iter().flatten() {
                let Some(own) = self.of.get_mut(caller) else { continue };
                let first = !leaks(own);
                if own.places.insert(*inst) && first {
                    work.push(*caller);
                }
            }
        }
        let mut work: Vec<MethodId> = Vec::new();
        for method in self.makers {
            let (Some(body), Some(own)) = (self.code.program.body(*method), self.of.get(method)) else {
                continue;
            };
            for (inst, callee) in &own.calls {
                if own.is_known(body, *inst) && self.late.insert(*callee) {
                    work.push(*callee);
                }
            }
        }
        while let Some(method) = work.pop() {
            for (_, callee) in self.of.get(&method).into_iter().flat_map(|own| &own.calls) {
                if self.late.insert(*callee) {
                    work.push(*callee);
                }
            }
        }
    }
}

/// What a library may do with an object that it is called on, without others getting to know it.
const HARMLESS: &[&str] = &["<init>", "getClass", "hashCode"];

fn own(program: &Program, points: &Points, method: MethodId) -> Own {
    let mut own = Own::default();
    let Some(body) = program.body(method) else { return own };
    let Some(this) = body.params().first().copied() else { return own };
    let table = &program.class(program.method(method).owner).code.table;
    own.anywhere = body.edges.iter().any(|edge| body.list(edge.arguments).contains(&this));
    for (inst, number) in body.insts.iter().zip(0..) {
        let known = match inst.op {
            Op::Put { value, .. } | Op::PutStatic { value, .. } | Op::Store { value, .. } => value == this,
            // It goes on under another name.
            Op::Cast { value, .. } | Op::Return { value } | Op::Throw { value } => value == this,
            Op::Closure { captured: list, .. } | Op::Dynamic { arguments: list, .. } => {
                body.list(list).contains(&this)
            }
            Op::Call { method: named, arguments, .. } => match body.list(arguments) {
                [first, rest @ ..] if *first == this && !rest.contains(&this) => {
                    let before = own.calls.len();
                    own.calls.extend(points.targets(method, number).map(|callee| (number, callee)));
                    let name = table.method(named).map_or("", |member| table.text(member.name));
                    own.calls.len() == before && !HARMLESS.contains(&name)
                }
                arguments => arguments.contains(&this),
            },
            _ => false,
        };
        if known {
            own.places.insert(number);
        }
    }
    own
}

/// Constructors, and what nobody but constructors calls on the object that is being made.
fn makers(code: &Code) -> FxHashSet<MethodId> {
    let program = &code.program;
    let mut makers: FxHashSet<MethodId> =
        code.methods().filter(|method| program.names_of(*method).0 == "<init>").collect();
    let roots: FxHashSet<MethodId> = code.points.roots().iter().map(|root| root.method).collect();
    let mut callers: FxHashMap<MethodId, Vec<(MethodId, bool)>> = FxHashMap::default();
    for (caller, inst, callee) in code.points.all_targets() {
        let on_this = program.body(caller).is_some_and(|body| is_on_this(body, inst));
        callers.entry(callee).or_default().push((caller, on_this));
    }
    let by_library: FxHashSet<MethodId> = code.called_by_libraries().collect();
    loop {
        let more: Vec<MethodId> = code
            .methods()
            .filter(|method| {
                !makers.contains(method) && !roots.contains(method) && !by_library.contains(method)
            })
            .filter(|method| program.method(*method).access & flags::STATIC == 0)
            .filter(|method| {
                let callers = callers.get(method).map(Vec::as_slice).unwrap_or_default();
                !callers.is_empty()
                    && callers.iter().all(|(caller, on_this)| *on_this && makers.contains(caller))
            })
            .collect();
        if more.is_empty() {
            return makers;
        }
        makers.extend(more);
    }
}

fn is_on_this(body: &Body, inst: u32) -> bool {
    let call = body.insts.get(inst as usize).and_then(|call| call.op.list());
    call.is_some_and(|list| body.list(list).first() == body.params().first())
}
