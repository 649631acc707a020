//! What all callers of a method hold: the greatest solution of "held at entry is what is held at every call". A thread
//! starts with nothing. A lambda that is handed to a library and run there before the call returns begins with what is
//! held at that call. What `@GuardedBy` says of a method is held, whoever calls it.

use events::models::{Action, Models};
use program::ir::{HandleKind, Op, Reg};
use program::points::{Callee, Caller, Points};
use program::{MethodId, Program};
use rustc_hash::FxHashMap;

use super::paths::{Base, Path, Paths};
use super::{Fact, Known, Locks, Mode};
use crate::on_code::guarded_by;

/// A call as the callee sees it: what stands for its first parameters.
struct Site {
    caller: MethodId,
    inst: u32,
    callee: MethodId,
    /// Registers of the caller, in the order of the callee's parameters; empty if they do not line up.
    arguments: Vec<Reg>,
}

/// By method: what is sure to be held when it begins.
pub fn entries(program: &Program, points: &Points, models: &Models, locks: &Locks) -> Vec<Vec<Fact>> {
    // Without a lock anywhere there is nothing to follow.
    let declared = declared(program, points, locks);
    if locks.methods.is_empty() && declared.is_empty() {
        return Vec::new();
    }
    let said = |method: MethodId| declared.get(&method).cloned().unwrap_or_default();
    let (sites, now) = sites(program, points, models);
    let mut known: Vec<Option<Vec<Fact>>> = vec![None; program.method_count()];
    let mut work: Vec<MethodId> = Vec::new();
    let start = |method: MethodId, known: &mut Vec<Option<Vec<Fact>>>, work: &mut Vec<MethodId>| {
        if let Some(place) = known.get_mut(method.index()) {
            *place = Some(said(method));
            work.push(method);
        }
    };
    for root in points.roots() {
        start(root.method, &mut known, &mut work);
    }
    for (caller, callee) in points.calls() {
        let Callee::Method(callee) = *callee else { continue };
        let by_library = matches!(caller, Caller::Library(_)) && !now.contains_key(&callee);
        let initialises = program.names_of(callee).0 == "<clinit>";
        if by_library || initialises {
            start(callee, &mut known, &mut work);
        }
    }
    let mut by_caller: FxHashMap<MethodId, Vec<Site>> = FxHashMap::default();
    for site in sites {
        by_caller.entry(site.caller).or_default().push(site);
    }
    while let Some(method) = work.pop() {
        let Some(sites) = by_caller.get(&method) else { continue };
        let Some(entry) = known.get(method.index()).cloned().flatten() else { continue };
        let Some(body) = program.body(method) else { continue };
        let paths = Paths::new(program, points, &locks.stable, method, body);
        let mut held: FxHashMap<u32, Vec<Fact>> = FxHashMap::default();
        if let Some(own) = locks.of(method) {
            let wanted: rustc_hash::FxHashSet<u32> = sites.iter().map(|site| site.inst).collect();
            own.each(body, |inst, state| {
                if wanted.contains(&inst) && state.iter().any(|depth| depth.least > 0) {
                    let mut facts = entry.clone();
                    for (slot, depth) in own.slots.iter().zip(state) {
                        if depth.least > 0 {
                            facts.extend(locks.facts(points, method, slot));
                        }
                    }
                    held.insert(inst, facts);
                }
            });
        }
        for site in sites {
            let facts = held.get(&site.inst).unwrap_or(&entry);
            let mut told = translate(facts, &site.arguments, &paths);
            told.extend(said(site.callee));
            let Some(place) = known.get_mut(site.callee.index()) else { continue };
            let changed = match place {
                None => {
                    told.sort_unstable();
                    told.dedup();
                    *place = Some(told);
                    true
                }
                Some(before) => {
                    let count = before.len();
                    before.retain(|fact| told.contains(fact));
                    before.len() != count
                }
            };
            if changed {
                work.push(site.callee);
            }
        }
    }
    known.into_iter().map(Option::unwrap_or_default).collect()
}

/// What annotations say that callers of methods hold.
fn declared(program: &Program, points: &Points, locks: &Locks) -> FxHashMap<MethodId, Vec<Fact>> {
    let mut all: FxHashMap<MethodId, Vec<Fact>> = FxHashMap::default();
    for method in program.input_methods().filter(|method| points.is_reached(*method)) {
        for (_, named) in guarded_by::of_method(program, method).into_iter().flatten() {
            let by_call = |field| {
                let descriptor = &program.field(field).descriptor;
                descriptor.starts_with("Ljava/util/concurrent/locks/")
            };
            let monitor = !named.field.is_some_and(by_call);
            let lock = Known::Path(locks.without_view(named.path));
            all.entry(method).or_default().push(Fact { lock, mode: Mode::Alone, monitor });
        }
    }
    all
}

/// Facts in the terms of a callee.
fn translate(facts: &[Fact], arguments: &[Reg], paths: &Paths<'_>) -> Vec<Fact> {
    let mut told = Vec::new();
    if facts.is_empty() {
        return told;
    }
    let arguments: Vec<Path> = arguments.iter().map(|reg| paths.of(*reg)).collect();
    for fact in facts {
        match &fact.lock {
            Known::Objects(_) => told.push(fact.clone()),
            Known::Path(path) => {
                if path.is_global() {
                    told.push(fact.clone());
                }
                for (argument, number) in arguments.iter().zip(0..) {
                    if let Some(fields) = path.from(argument) {
                        let path = Path { base: Base::Param(number), fields: fields.to_vec() };
                        told.push(Fact { lock: Known::Path(path), ..*fact });
                    }
                }
            }
        }
    }
    told
}

/// All calls of methods with code, and the lambdas that are only run by libraries before the call that got them returns.
fn sites(program: &Program, points: &Points, models: &Models) -> (Vec<Site>, FxHashMap<MethodId, bool>) {
    let mut sites = Vec::new();
    for (caller, inst, callee) in points.all_targets() {
        let Some(body) = program.body(caller) else { continue };
        let Some(op) = body.insts.get(inst as usize).map(|inst| inst.op) else { continue };
        let Op::Call { method, arguments, .. } = op else { continue };
        let table = &program.class(program.method(caller).owner).code.table;
        let named = table.method(method).map(|member| table.text(member.name));
        // A lambda that is called by its interface has other parameters.
        let lines_up = named == Some(program.names_of(callee).0);
        let arguments = if lines_up { body.list(arguments).to_vec() } else { Vec::new() };
        sites.push(Site { caller, inst, callee, arguments });
    }
    let mut now: FxHashMap<MethodId, bool> = FxHashMap::default();
    for caller in program.input_methods().filter(|method| points.is_reached(*method)) {
        let Some(body) = program.body(caller) else { continue };
        let owner = program.method(caller).owner;
        for inst in &body.insts {
            let Op::Closure { closure, captured } = inst.op else { continue };
            let table = &program.class(owner).code.table;
            let Some(made) = table.closures.get(closure.index()) else { continue };
            let (_, name, descriptor) = table.names(made.body.member);
            let target = program
                .class_of(owner, made.body.member.owner)
                .zip(program.selector(name, descriptor))
                .and_then(|(class, selector)| program.find_method(class, selector));
            let Some(callee) = target.filter(|target| program.body(*target).is_some()) else { continue };
            let place = run_now(program, points, models, caller, inst.result);
            let fits = place.is_some() && !matches!(made.body.kind, HandleKind::New);
            let known = now.entry(callee).or_insert(true);
            *known &= fits;
            if let Some(inst) = place.filter(|_| fits) {
                sites.push(Site { caller, inst, callee, arguments: body.list(captured).to_vec() });
            }
        }
    }
    now.retain(|_, fits| *fits);
    (sites, now)
}

/// The one call that gets a closure, if it is one of a library that does not keep it for later.
fn run_now(
    program: &Program,
    points: &Points,
    models: &Models,
    method: MethodId,
    closure: Reg,
) -> Option<u32> {
    let body = program.body(method)?;
    let mut found = None;
    for (inst, number) in body.insts.iter().zip(0..) {
        let uses = body.uses(&inst.op).any(|reg| reg == closure);
        if uses && found.replace((inst, number)).is_some() {
            return None;
        }
    }
    let passed = body.edges.iter().any(|edge| body.list(edge.arguments).contains(&closure));
    let (inst, number) = found.filter(|_| !passed)?;
    let Op::Call { method: named, .. } = inst.op else { return None };
    if points.targets(method, number).next().is_some() {
        return None;
    }
    let table = &program.class(program.method(method).owner).code.table;
    let (owner, name, descriptor) = table.names(table.method(named)?);
    let later = |action: &Action| matches!(action, Action::Runs { now: false, .. } | Action::Fork(_));
    let keeps = models.calls(name, descriptor).any(|line| line.effects.iter().any(|e| later(&e.action)));
    let keeps = keeps && !owner.starts_with("java/util/stream/");
    (name != "<init>" && !keeps).then_some(number)
}
