//! The edges of the lock graph: a lock that is held, and one that is taken then, in the same method or in one that is
//! called from there. A lock that is held already is only taken again, which gives no edge; `tryLock` cannot block.

use program::MethodId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::on_code::locks::keys::{Guard, guards};
use crate::on_code::locks::{Base, Change, Depth, Fact, Known, Mode, Path, Paths, Slot};
use crate::on_code::{Code, Place};

/// A lock, as far as locks are told apart. What there is but one of is an object whatever the code calls it, so that a
/// static lock is the same as a parameter that it was passed for.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Node {
    /// One that is the same wherever it is written.
    Global(Path),
    /// All that one place makes.
    Object(u32),
}

impl Node {
    /// Is it a single lock, and not one of those that a place makes?
    pub fn is_one(&self, code: &Code) -> bool {
        match self {
            Node::Global(_) => true,
            Node::Object(object) => code.once().is_made(code, *object),
        }
    }
}

/// A lock that is taken by a method or what it calls.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Taken {
    place: Place,
    slot: Slot,
    /// The lock in the terms of the method; its own terms mean nothing if this is local.
    path: Path,
    nodes: Vec<Node>,
    /// Is it known which lock it is?
    sure: bool,
    /// The calls that lead there, the method's own first.
    calls: Vec<Place>,
}

/// A lock that is taken while another is held.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The lock that is held.
    pub from: Node,
    /// The lock that is taken.
    pub to: Node,
    /// How they are held.
    pub modes: (Mode, Mode),
    /// Where the first was taken.
    pub hold: Place,
    /// Where the second is taken.
    pub take: Place,
    /// The calls that lead from one to the other, outermost first.
    pub calls: Vec<Place>,
    /// The locks as people read them.
    pub names: (String, String),
    /// Are both parameters of the method, so that a caller may swap them?
    pub swappable: Option<(u32, u32)>,
    /// Locks that are sure to be held all the time, but for the first.
    pub gates: Vec<Guard>,
    /// Is it known which locks they are? Not where one may be several.
    pub sure: bool,
}

/// Calls with more targets are not followed: most of them would never happen.
const MOST_TARGETS: usize = 4;
/// Longer chains of calls are not followed.
const MOST_CALLS: usize = 5;
/// More locks below one method are not followed.
const MOST_TAKEN: usize = 64;
/// Edges between parameters of methods that are called from more places are taken as they are.
const MOST_SITES: usize = 16;
/// A lock that may be more objects than these tells nothing.
const MOST_OBJECTS: usize = 4;

/// What was not followed.
#[derive(Default)]
pub struct Cut {
    /// Calls with many targets, some of which take locks.
    pub wide: usize,
    /// Places that take a lock at the end of a long chain of calls.
    pub deep: FxHashSet<Place>,
    /// Methods below which many locks are taken.
    pub full: FxHashSet<MethodId>,
    /// Places that take a lock which may be many objects.
    pub vague: usize,
}

/// Finds all edges; says what was not followed.
pub fn edges(code: &Code) -> (Vec<Edge>, Cut) {
    let mut cut = Cut::default();
    let (callers, wide) = callers(code);
    let taken = taken(code, &callers, &mut cut);
    let takes = |targets: &Vec<MethodId>| targets.iter().any(|target| taken.contains_key(target));
    cut.wide = wide.iter().filter(|targets| takes(targets)).count();
    let mut edges = Vec::new();
    let mut seen = FxHashSet::default();
    let roots: FxHashSet<MethodId> = code.points.roots().iter().map(|root| root.method).collect();
    for method in code.methods() {
        let (Some(locks), Some(body)) = (code.locks.of(method), code.program.body(method)) else { continue };
        let empty = Vec::new();
        let below = taken.get(&method).unwrap_or(&empty);
        let mut by_inst: FxHashMap<u32, Vec<&Taken>> = FxHashMap::default();
        for found in below {
            let inst = found.calls.first().map_or(found.place.inst, |call| call.inst);
            by_inst.entry(inst).or_default().push(found);
        }
        locks.each(body, |inst, state| {
            for found in by_inst.get(&inst).into_iter().flatten() {
                let own = of(code, method, &locks.slots, state, found);
                for edge in own.into_iter().flat_map(|edge| lift(code, &callers, &roots, edge)) {
                    if seen.insert((edge.from.clone(), edge.to.clone(), edge.modes, edge.hold, edge.take)) {
                        edges.push(edge);
                    }
                }
            }
        });
    }
    (edges, cut)
}

/// The edges to a lock that is taken where the method's own locks stand so.
fn of(code: &Code, method: MethodId, slots: &[Slot], state: &[Depth], found: &Taken) -> Vec<Edge> {
    let waits = found.calls.is_empty()
        && code
            .locks
            .of(method)
            .is_some_and(|locks| matches!(locks.ops.get(&found.place.inst), Some((Change::Wait, _))));
    let is_it = |slot: &Slot| slot.path == found.path && slot.monitor == found.slot.monitor;
    let again = slots.iter().zip(state).any(|(slot, depth)| depth.most > 0 && is_it(slot))
        || code.locks.entry(method).iter().any(|fact| fact.lock == Known::Path(found.path.clone()));
    if again && !waits {
        return Vec::new();
    }
    let mut edges = Vec::new();
    for (number, (slot, depth)) in slots.iter().zip(state).enumerate() {
        if depth.most == 0 || depth.since == Depth::SEVERAL || is_it(slot) {
            continue;
        }
        let mut facts: Vec<Fact> = code.locks.entry(method).to_vec();
        for (other, (slot, depth)) in slots.iter().zip(state).enumerate() {
            if other != number && depth.least > 0 && !(waits && is_it(slot)) {
                facts.extend(code.locks.facts(&code.points, method, slot));
            }
        }
        let swappable = match (&slot.path.base, &found.path.base) {
            (Base::Param(one), Base::Param(other)) if slot.path.fields.is_empty() => {
                (one != other && found.path.fields.is_empty()).then_some((*one, *other))
            }
            _ => None,
        };
        let (held, sure) = nodes(code, method, slot);
        for from in &held {
            for to in &found.nodes {
                edges.push(Edge {
                    sure: sure && found.sure,
                    from: from.clone(),
                    to: to.clone(),
                    modes: (slot.mode, found.slot.mode),
                    hold: Place { method, inst: depth.since },
                    take: found.place,
                    calls: found.calls.clone(),
                    names: (code.lock_name(method, slot), code.lock_name(found.place.method, &found.slot)),
                    swappable,
                    gates: guards(&facts, None),
                });
            }
        }
    }
    edges
}

/// Who calls each method, and where.
type Callers = FxHashMap<MethodId, Vec<(MethodId, u32)>>;

/// An edge between two parameters, once for each call: which two objects meet is known there only.
fn lift(code: &Code, callers: &Callers, roots: &FxHashSet<MethodId>, edge: Edge) -> Vec<Edge> {
    let method = edge.hold.method;
    let is_root = roots.contains(&method);
    let sites = callers.get(&method).map(Vec::as_slice).unwrap_or_default();
    let Some((one, other)) =
        edge.swappable.filter(|_| !is_root && !sites.is_empty() && sites.len() <= MOST_SITES)
    else {
        return vec![edge];
    };
    let mut lifted = Vec::new();
    for (caller, inst) in sites {
        let Some(body) = code.program.body(*caller) else { continue };
        let Some(list) = body.insts.get(*inst as usize).and_then(|call| call.op.list()) else { continue };
        let list = body.list(list);
        let paths = Paths::new(&code.program, &code.points, &code.locks.stable, *caller, body);
        let (Some(one), Some(other)) = (list.get(one as usize), list.get(other as usize)) else { continue };
        let (first, second) = (paths.of(*one), paths.of(*other));
        if first == second {
            continue;
        }
        let mode = |reg, known| match paths.view(reg) {
            Some(true) => Mode::Read,
            _ => known,
        };
        let modes = (mode(*one, edge.modes.0), mode(*other, edge.modes.1));
        // The callers have chosen; whether this one may be called the other way round is not known.
        let swappable = edge.swappable;
        let slot = |path: Path, reg, mode| Slot { path, reg, mode, monitor: true };
        let (first, second) = (slot(first, *one, modes.0), slot(second, *other, modes.1));
        let names = (code.lock_name(*caller, &first), code.lock_name(*caller, &second));
        let (firsts, one_sure) = nodes(code, *caller, &first);
        let (seconds, other_sure) = nodes(code, *caller, &second);
        for from in &firsts {
            for to in &seconds {
                lifted.push(Edge {
                    sure: one_sure && other_sure,
                    from: from.clone(),
                    to: to.clone(),
                    modes,
                    names: names.clone(),
                    swappable,
                    ..edge.clone()
                });
            }
        }
    }
    lifted
}

/// What a lock may be, nothing if it may be too much; and whether it is sure to be that.
fn nodes(code: &Code, method: MethodId, slot: &Slot) -> (Vec<Node>, bool) {
    let objects = code.points.of(method, slot.reg).into_iter().flat_map(|set| set.iter());
    let mut objects: Vec<u32> = objects.take(MOST_OBJECTS + 1).collect();
    let sure = objects.len() == 1;
    if slot.path.is_global() {
        let node = match objects[..] {
            [only] if code.once().is_made(code, only) => Node::Object(only),
            _ => Node::Global(slot.path.clone()),
        };
        return (vec![node], true);
    }
    objects.retain(|object| !code.points.is_anything(*object));
    if objects.len() > MOST_OBJECTS {
        return (Vec::new(), false);
    }
    (objects.into_iter().map(Node::Object).collect(), sure)
}

/// May a lock be more objects than are told apart?
fn is_vague(code: &Code, method: MethodId, slot: &Slot) -> bool {
    let objects = code.points.of(method, slot.reg).into_iter().flat_map(|set| set.iter());
    let objects = objects.filter(|object| !code.points.is_anything(*object));
    !slot.path.is_global() && objects.take(MOST_OBJECTS + 1).count() > MOST_OBJECTS
}

/// By method: the locks that it and what it calls take, in the method's terms.
fn taken(code: &Code, callers: &Callers, cut: &mut Cut) -> FxHashMap<MethodId, Vec<Taken>> {
    let mut all: FxHashMap<MethodId, Vec<Taken>> = FxHashMap::default();
    let mut work: Vec<(MethodId, Taken)> = Vec::new();
    for method in code.methods() {
        let Some(locks) = code.locks.of(method) else { continue };
        let mut ops: Vec<(&u32, &(Change, Option<usize>))> = locks.ops.iter().collect();
        ops.sort_unstable_by_key(|(inst, _)| **inst);
        for (inst, (change, slot)) in ops {
            let Some(slot) = slot.and_then(|slot| locks.slots.get(slot)) else { continue };
            if !matches!(change, Change::Acquire | Change::Wait) {
                continue;
            }
            let place = Place { method, inst: *inst };
            let (nodes, sure) = nodes(code, method, slot);
            cut.vague += usize::from(is_vague(code, method, slot));
            let path = slot.path.clone();
            work.push((method, Taken { place, slot: slot.clone(), path, nodes, sure, calls: Vec::new() }));
        }
    }
    work.reverse();
    while let Some((method, found)) = work.pop() {
        let known = all.entry(method).or_default();
        let same = |other: &Taken| {
            other.place == found.place
                && other.path == found.path
                && other.calls.first() == found.calls.first()
        };
        if known.iter().any(same) {
            continue;
        }
        if known.len() >= MOST_TAKEN {
            cut.full.insert(method);
            continue;
        }
        known.push(found.clone());
        if found.calls.len() >= MOST_CALLS {
            if callers.contains_key(&method) {
                cut.deep.insert(found.place);
            }
            continue;
        }
        // A wait below takes again what was held before it.
        let waits = found.calls.is_empty()
            && code
                .locks
                .of(method)
                .is_some_and(|locks| matches!(locks.ops.get(&found.place.inst), Some((Change::Wait, _))));
        if waits {
            continue;
        }
        for (caller, inst) in callers.get(&method).into_iter().flatten() {
            let Some(body) = code.program.body(*caller) else { continue };
            let list = body.insts.get(*inst as usize).and_then(|call| call.op.list());
            let paths = Paths::new(&code.program, &code.points, &code.locks.stable, *caller, body);
            let path = match found.path.base {
                Base::Param(number) => {
                    let reg = list.and_then(|list| body.list(list).get(number as usize).copied());
                    reg.map(|reg| {
                        let mut whole = paths.of(reg);
                        whole.fields.extend(&found.path.fields);
                        whole
                    })
                }
                Base::Local(_) => None,
                _ => Some(found.path.clone()),
            };
            // A path that means nothing here must equal none that does.
            let lost = Path { base: Base::Local(program::ir::Reg::NONE), fields: Vec::new() };
            let mut up = found.clone();
            up.path = path.unwrap_or(lost);
            up.calls.insert(0, Place { method: *caller, inst: *inst });
            work.push((*caller, up));
        }
    }
    all
}

/// Who calls a method, where few others are called by the same instruction; and what is called by the others.
fn callers(code: &Code) -> (Callers, Vec<Vec<MethodId>>) {
    let mut targets: FxHashMap<(MethodId, u32), Vec<MethodId>> = FxHashMap::default();
    for (caller, inst, callee) in code.points.all_targets() {
        targets.entry((caller, inst)).or_default().push(callee);
    }
    let (mut sites, wide): (Vec<_>, Vec<_>) =
        targets.into_iter().partition(|(_, targets)| targets.len() <= MOST_TARGETS);
    sites.sort_unstable();
    let mut callers = Callers::default();
    for (site, targets) in sites {
        for callee in targets {
            callers.entry(callee).or_default().push(site);
        }
    }
    (callers, wide.into_iter().map(|(_, targets)| targets).collect())
}
