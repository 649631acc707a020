//! What all callers of a method hold: the greatest solution of "held at entry is what is held at every call". A thread
//! starts with nothing. What the program's own thread calls before it has started others does not count. A lambda that is handed to a library and run there before the call returns begins with what is
//! held at that call. What `@GuardedBy` says of a method is held, whoever calls it.

use events::models::{Action, Models};
use program::ir::{Body, Closure, HandleKind, Op, Reg};
use program::points::{Callee, Caller, Points};
use program::{ClassId, MethodId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

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
    /// If the callee is the body of a closure that somebody passed on: how what is known comes there.
    by: Option<Through>,
}

/// A closure that a method makes and gives to a call, and that is run while that call lasts.
#[derive(Clone)]
struct Through {
    maker: MethodId,
    /// What the maker gives to the call, in the order of its parameters.
    given: Vec<Reg>,
    /// What the closure has captured: the first parameters of its body.
    captured: Vec<Reg>,
}

/// By method: what is sure to be held when it begins, by whoever is not alone when he calls it.
pub fn entries(
    program: &Program,
    points: &Points,
    models: &Models,
    locks: &Locks,
    is_alone: &dyn Fn(MethodId, u32) -> bool,
) -> Vec<Vec<Fact>> {
    // Without a lock anywhere there is nothing to follow.
    let declared = declared(program, points, locks);
    if locks.methods.is_empty() && declared.is_empty() {
        return Vec::new();
    }
    let said = |method: MethodId| declared.get(&method).cloned().unwrap_or_default();
    let passed = passed(program, points);
    let (sites, now) = sites(program, points, models, &passed);
    let run_here = run_here(points, &passed);
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
        let by_library = matches!(caller, Caller::Library(_))
            && !now.contains_key(&callee)
            && !run_here.contains(&(*caller, callee));
        let initialises = program.names_of(callee).0 == "<clinit>";
        if by_library || initialises {
            start(callee, &mut known, &mut work);
        }
    }
    let (alone, sites): (Vec<Site>, Vec<Site>) =
        sites.into_iter().partition(|site| is_alone(site.caller, site.inst));
    let others: FxHashSet<MethodId> = sites.iter().map(|site| site.callee).collect();
    // What is only called so may do something later, when others run.
    for site in alone.iter().filter(|site| !others.contains(&site.callee)) {
        start(site.callee, &mut known, &mut work);
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
            let mut told = match &site.by {
                None => translate(facts, &site.arguments, &paths),
                Some(by) => through(program, points, locks, facts, by),
            };
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

/// Facts of a method that runs a closure, in the terms of the closure's body.
fn through(program: &Program, points: &Points, locks: &Locks, facts: &[Fact], by: &Through) -> Vec<Fact> {
    let Some(body) = program.body(by.maker) else { return Vec::new() };
    let paths = Paths::new(program, points, &locks.stable, by.maker, body);
    let given: Vec<Path> = by.given.iter().map(|reg| paths.of(*reg)).collect();
    let mut made = Vec::new();
    for fact in facts {
        let lock = match &fact.lock {
            Known::Path(Path { base: Base::Param(number), fields }) => {
                let Some(start) = given.get(*number as usize) else { continue };
                let mut whole = start.clone();
                whole.fields.extend(fields);
                Known::Path(whole)
            }
            Known::Path(path) if !path.is_global() => continue,
            other => other.clone(),
        };
        made.push(Fact { lock, ..*fact });
    }
    translate(&made, &by.captured, &paths)
}

/// All calls of methods with code, and the lambdas that are only run by libraries before the call that got them returns.
fn sites(
    program: &Program,
    points: &Points,
    models: &Models,
    passed: &Passed,
) -> (Vec<Site>, FxHashMap<MethodId, bool>) {
    let mut sites = Vec::new();
    for (caller, inst, callee) in points.all_targets() {
        let Some(body) = program.body(caller) else { continue };
        let Some(op) = body.insts.get(inst as usize).map(|inst| inst.op) else { continue };
        let Op::Call { method, arguments, .. } = op else { continue };
        let table = &program.class(program.method(caller).owner).code.table;
        let named = table.method(method).map(|member| table.text(member.name));
        // A lambda that is called by its interface has other parameters.
        let lines_up = named == Some(program.names_of(callee).0);
        if let Some(all) = passed.get(&(caller, inst, callee)) {
            let site =
                |by: &Through| Site { caller, inst, callee, arguments: Vec::new(), by: Some(by.clone()) };
            sites.extend(all.iter().map(site));
            continue;
        }
        let arguments = if lines_up { body.list(arguments).to_vec() } else { Vec::new() };
        sites.push(Site { caller, inst, callee, arguments, by: None });
    }
    let mut now: FxHashMap<MethodId, bool> = FxHashMap::default();
    for caller in program.input_methods().filter(|method| points.is_reached(*method)) {
        let Some(body) = program.body(caller) else { continue };
        let owner = program.method(caller).owner;
        for inst in &body.insts {
            let Op::Closure { closure, captured } = inst.op else { continue };
            let table = &program.class(owner).code.table;
            let Some(made) = table.closures.get(closure.index()) else { continue };
            let Some(callee) = run_by(program, owner, made) else { continue };
            let place = run_now(program, points, models, caller, inst.result);
            let fits = place.is_some() && !matches!(made.body.kind, HandleKind::New);
            let known = now.entry(callee).or_insert(true);
            *known &= fits;
            if let Some(inst) = place.filter(|_| fits) {
                let arguments = body.list(captured).to_vec();
                sites.push(Site { caller, inst, callee, arguments, by: None });
            }
        }
    }
    now.retain(|_, fits| *fits);
    (sites, now)
}

/// The method with code that a closure runs.
fn run_by(program: &Program, owner: ClassId, made: &Closure) -> Option<MethodId> {
    let table = &program.class(owner).code.table;
    let (_, name, descriptor) = table.names(made.body.member);
    let class = program.class_of(owner, made.body.member.owner)?;
    let target = program.find_method(class, program.selector(name, descriptor)?)?;
    program.body(target).map(|_| target)
}

/// By calling method, instruction and body of a closure.
type Passed = FxHashMap<(MethodId, u32, MethodId), Vec<Through>>;

/// The bodies of closures that only methods run, with the place by way of which each is run: no library calls them.
fn run_here(points: &Points, passed: &Passed) -> FxHashSet<(Caller, MethodId)> {
    let bodies: FxHashSet<MethodId> = passed.keys().map(|(_, _, callee)| *callee).collect();
    let direct: FxHashSet<(MethodId, MethodId)> =
        points.all_targets().map(|(caller, _, callee)| (caller, callee)).collect();
    let mut entered: FxHashMap<Caller, Vec<Caller>> = FxHashMap::default();
    for (caller, callee) in points.calls() {
        if let Callee::Library(place) = *callee {
            entered.entry(Caller::Library(place)).or_default().push(*caller);
        }
    }
    let mut found = FxHashSet::default();
    for (place, callee) in points.calls() {
        let (Caller::Library(_), Callee::Method(callee)) = (place, *callee) else { continue };
        let by = entered.get(place).map(Vec::as_slice).unwrap_or_default();
        let is_direct = |by: &Caller| matches!(by, Caller::Method(by) if direct.contains(&(*by, callee)));
        if bodies.contains(&callee) && !by.is_empty() && by.iter().all(is_direct) {
            found.insert((*place, callee));
        }
    }
    found
}

/// By a call and the body of a closure that it runs: how the closures come there, if each that runs that body is given
/// to one call by its maker, and whoever is called does nothing with it but call it.
fn passed(program: &Program, points: &Points) -> Passed {
    let mut found = Passed::default();
    let mut otherwise: FxHashSet<MethodId> = FxHashSet::default();
    for maker in program.input_methods().filter(|method| points.is_reached(*method)) {
        let Some(body) = program.body(maker) else { continue };
        let owner = program.method(maker).owner;
        for inst in &body.insts {
            let Op::Closure { closure, captured } = inst.op else { continue };
            let made = program.class(owner).code.table.closures.get(closure.index());
            let Some(callee) = made.and_then(|made| run_by(program, owner, made)) else { continue };
            let is_new = made.is_some_and(|made| matches!(made.body.kind, HandleKind::New));
            let runs = if is_new { None } else { runs(program, points, maker, inst.result) };
            match runs {
                Some((given, calls)) => {
                    for (method, inst) in calls {
                        let captured = body.list(captured).to_vec();
                        let by = Through { maker, given: given.clone(), captured };
                        found.entry((method, inst, callee)).or_default().push(by);
                    }
                }
                None => drop(otherwise.insert(callee)),
            }
        }
    }
    found.retain(|(_, _, callee), _| !otherwise.contains(callee));
    found
}

/// Where a closure is run: method and instruction.
type Run = (MethodId, u32);

/// What a maker gives to the one call that gets its closure, and where those who are called run it.
fn runs(program: &Program, points: &Points, maker: MethodId, closure: Reg) -> Option<(Vec<Reg>, Vec<Run>)> {
    let body = program.body(maker)?;
    let (call, number) = only_use(body, closure)?;
    let Op::Call { arguments, .. } = call else { return None };
    let given = body.list(arguments).to_vec();
    let mut at = given.iter().enumerate().filter(|(_, reg)| **reg == closure).map(|(at, _)| at);
    let (at, None) = (at.next()?, at.next()) else { return None };
    let mut calls = Vec::new();
    for target in points.targets(maker, number) {
        let inner = program.body(target)?;
        let param = *inner.params().get(at)?;
        if inner.edges.iter().any(|edge| inner.list(edge.arguments).contains(&param)) {
            return None;
        }
        for (inst, number) in inner.insts.iter().zip(0..) {
            if !inner.uses(&inst.op).any(|reg| reg == param) {
                continue;
            }
            let Op::Call { arguments, .. } = inst.op else { return None };
            match inner.list(arguments) {
                [first, rest @ ..] if *first == param && !rest.contains(&param) => {
                    calls.push((target, number))
                }
                _ => return None,
            }
        }
    }
    (!calls.is_empty()).then_some((given, calls))
}

/// The one instruction that uses a register, if no edge does.
fn only_use(body: &Body, reg: Reg) -> Option<(Op, u32)> {
    let mut found = None;
    for (inst, number) in body.insts.iter().zip(0..) {
        let uses = body.uses(&inst.op).any(|used| used == reg);
        if uses && found.replace((inst.op, number)).is_some() {
            return None;
        }
    }
    let passed = body.edges.iter().any(|edge| body.list(edge.arguments).contains(&reg));
    found.filter(|_| !passed)
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
    let (op, number) = only_use(body, closure)?;
    let Op::Call { method: named, .. } = op else { return None };
    if points.targets(method, number).next().is_some() {
        return None;
    }
    let table = &program.class(program.method(method).owner).code.table;
    let (owner, name, descriptor) = table.names(table.method(named)?);
    let later = |action: &Action| matches!(action, Action::Runs { now: false, .. } | Action::Fork(_));
    let is_below = |below: &str, above: &str| {
        let classes = program.class_named(below).zip(program.class_named(above));
        below == above || classes.is_some_and(|(below, above)| program.is_below(below, above))
    };
    let lines = models.call_on(name, descriptor, owner, is_below);
    let keeps = lines.iter().any(|line| line.effects.iter().any(|e| later(&e.action)));
    let keeps = keeps && !owner.starts_with("java/util/stream/");
    (name != "<init>" && !keeps).then_some(number)
}
