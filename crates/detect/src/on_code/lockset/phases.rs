//! What the program's own thread does before it starts others and after it has waited for them. Only what is plain: in one
//! method, or in what it calls; a call that starts threads and waits for them itself is over when it returns.

use std::cell::RefCell;
use std::rc::Rc;

use events::models::{Action, Condition};
use program::MethodId;
use program::ir::Op;
use program::points::{Root, RootKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::turns::in_turn;
use crate::on_code::accesses::leads;
use crate::on_code::{Code, Place, Way};

/// When something happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Before any thread was started.
    Before,
    /// While threads run, as far as is known.
    During,
    /// After all threads were waited for.
    After,
}

/// The phases of the program's own thread.
pub struct Phases {
    /// By method: its instructions that start threads, and those that wait for some. Calls of methods count too.
    marks: FxHashMap<MethodId, Marks>,
    /// When methods begin that only the program's own thread runs.
    entries: FxHashMap<MethodId, Phase>,
}

#[derive(Default, Clone)]
struct Marks {
    starts: FxHashSet<u32>,
    waits: FxHashSet<u32>,
}

impl Phases {
    /// Finds them.
    pub fn new(code: &Code) -> Phases {
        let mut phases = Phases { marks: marks(code), entries: FxHashMap::default() };
        phases.enter(code);
        phases
    }

    /// When the program's own thread is at a place; [`Phase::During`] for others.
    pub fn at(&self, code: &Code, place: Place) -> Phase {
        let Some(entry) = self.entries.get(&place.method) else { return Phase::During };
        self.inside(code, *entry, place)
    }

    fn inside(&self, code: &Code, entry: Phase, place: Place) -> Phase {
        let (Some(body), Some(marks)) = (code.program.body(place.method), self.marks.get(&place.method))
        else {
            return entry;
        };
        let before = |from: &u32| leads(body, *from, place.inst);
        if !marks.starts.iter().any(before) {
            return entry;
        }
        let later = marks.starts.iter().any(|start| leads(body, place.inst, *start));
        let waited = marks.waits.iter().any(before);
        if entry != Phase::During && waited && !later { Phase::After } else { Phase::During }
    }

    /// Follows the calls of the program's own thread.
    fn enter(&mut self, code: &Code) {
        let mut work = Vec::new();
        for root in code.points.roots().iter().filter(|root| root.kind == RootKind::Main) {
            if code.sharing.is_main_alone(root.method) {
                self.entries.insert(root.method, Phase::Before);
                work.push(root.method);
            }
        }
        // Each phase changes at most once, to `During`.
        while let Some(method) = work.pop() {
            let Some(entry) = self.entries.get(&method).copied() else { continue };
            let calls: Vec<(u32, MethodId)> = code.points.targets_of(method).collect();
            for (inst, callee) in calls {
                if !code.sharing.is_main_alone(callee) {
                    continue;
                }
                let phase = self.inside(code, entry, Place { method, inst });
                let changed = match self.entries.get(&callee) {
                    None => true,
                    Some(known) => *known != phase && *known != Phase::During,
                };
                if changed {
                    let joined = if self.entries.contains_key(&callee) { Phase::During } else { phase };
                    self.entries.insert(callee, joined);
                    work.push(callee);
                }
            }
        }
        // What libraries call back is called at some time.
        let called: Vec<MethodId> = code.called_by_libraries().collect();
        for method in called {
            self.entries.remove(&method);
        }
    }
}

/// Methods that wait for tasks.
const WAITS: &[&str] = &["awaitTermination", "invokeAll", "invokeAny", "close", "get", "join", "await"];

/// What starts threads and waits for them, by what models say and by calls.
fn marks(code: &Code) -> FxHashMap<MethodId, Marks> {
    let mut all: FxHashMap<MethodId, Marks> = FxHashMap::default();
    for method in code.methods() {
        let Some(body) = code.program.body(method) else { continue };
        let table = &code.program.class(code.program.method(method).owner).code.table;
        for (inst, number) in body.insts.iter().zip(0..) {
            let Op::Call { method: named, .. } = inst.op else { continue };
            let Some((owner, name, descriptor)) = table.method(named).map(|member| table.names(member))
            else {
                continue;
            };
            // What a stream does is done when the call returns.
            if name == "<init>" || owner.starts_with("java/util/stream/") {
                continue;
            }
            // These two are seen inside of the JDK by those who watch a run.
            let thread = code.program.class_named(owner).zip(code.program.class_named("java/lang/Thread"));
            if thread.is_some_and(|(owner, thread)| code.program.is_below(owner, thread)) {
                let marks = all.entry(method).or_default();
                match name {
                    "start" => drop(marks.starts.insert(number)),
                    "join" => drop(marks.waits.insert(number)),
                    _ => {}
                }
            }
            if WAITS.contains(&name) && owner.starts_with("java/util/concurrent/") {
                all.entry(method).or_default().waits.insert(number);
            }
            for line in code.call_lines(owner, name, descriptor) {
                for effect in &line.effects {
                    let marks = all.entry(method).or_default();
                    match &effect.action {
                        Action::Fork(_) | Action::Runs { now: false, .. } => {
                            marks.starts.insert(number);
                        }
                        Action::Join(_) | Action::Observe(_) if effect.condition != Condition::False => {
                            marks.waits.insert(number);
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    let mut callers: FxHashMap<MethodId, Vec<(MethodId, u32)>> = FxHashMap::default();
    for (caller, inst, callee) in code.points.all_targets() {
        callers.entry(callee).or_default().push((caller, inst));
    }
    let mut work: Vec<MethodId> = all.keys().copied().collect();
    work.sort_unstable();
    while let Some(method) = work.pop() {
        let Some(marks) = all.get(&method) else { continue };
        let (starts, waits) = (!marks.starts.is_empty(), !marks.waits.is_empty());
        // Started and waited for: over when it returns.
        let (starts, waits) = (starts && !waits, waits && !starts);
        for (caller, inst) in callers.get(&method).into_iter().flatten() {
            let marks = all.entry(*caller).or_default();
            let mut changed = starts && marks.starts.insert(*inst);
            changed |= waits && marks.waits.insert(*inst);
            if changed {
                work.push(*caller);
            }
        }
    }
    all
}

/// Which threads run two places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Threads {
    /// One and the same.
    One,
    /// Several, if callers of a library have some.
    Callers,
    /// Several that the program starts.
    Several,
}

/// Which threads run what.
#[derive(Default)]
pub struct Runners {
    /// Ways to methods, as far as they were asked for.
    ways: RefCell<FxHashMap<MethodId, Rc<[Way]>>>,
    /// Whether one of two roots' tasks is over before the other's begin.
    in_turn: RefCell<FxHashMap<(usize, usize), bool>>,
}

impl Runners {
    fn ways(&self, code: &Code, method: MethodId, most: usize) -> Rc<[Way]> {
        let mut known = self.ways.borrow_mut();
        Rc::clone(known.entry(method).or_insert_with(|| code.ways(method, most).into()))
    }

    fn in_turn(&self, code: &Code, one: usize, other: usize) -> bool {
        let key = (one.min(other), one.max(other));
        if let Some(known) = self.in_turn.borrow().get(&key) {
            return *known;
        }
        let roots = code.points.roots();
        let pair = roots.get(key.0).zip(roots.get(key.1));
        let answer = pair.is_some_and(|(one, other)| in_turn(code, one, other));
        self.in_turn.borrow_mut().insert(key, answer);
        answer
    }

    /// May two threads run the methods, as far as the places show where tasks are handed over? One task that is made once
    /// and handed over once, alone or with others, is one thread. Threads of one root do not share what is a task of its
    /// `own`.
    pub fn threads(&self, code: &Code, one: MethodId, other: MethodId, own: bool) -> Threads {
        const MOST: usize = 12;
        let (ones, others) = (self.ways(code, one, MOST), self.ways(code, other, MOST));
        let roots = code.points.roots();
        let root = |way: &Way| way.root.and_then(|root| roots.get(root).map(|found| (root, found)));
        let mut best = if ones.len().max(others.len()) == MOST { Threads::Callers } else { Threads::One };
        for (a, b) in ones.iter().flat_map(|a| others.iter().map(move |b| (a, b))) {
            let (Some((first, one_root)), Some((second, other_root))) = (root(a), root(b)) else { continue };
            let kinds = [one_root.kind, other_root.kind];
            let are_two = if first != second {
                kinds != [RootKind::Main; 2] && !self.in_turn(code, first, second)
            } else {
                // What runs the tasks of others may run each of them once.
                let is_same = one == other && !a.direct && !code.is_met_by_several(one);
                !is_same && !own && self.is_several(code, one_root)
            };
            let is_known =
                |kind: &RootKind| matches!(kind, RootKind::Main | RootKind::Task | RootKind::Entry);
            match are_two {
                true if kinds.iter().all(is_known) => return Threads::Several,
                true => best = Threads::Callers,
                false => {}
            }
        }
        best
    }

    /// May several threads start in a root at the same time?
    fn is_several(&self, code: &Code, root: &Root) -> bool {
        let [object] = root.objects[..] else { return root.kind != RootKind::Main };
        if root.kind != RootKind::Task || !code.once().is_made(code, object) {
            return root.kind != RootKind::Main;
        }
        let mut places = root.handed.iter().map(|(_, place)| *place);
        match (places.next(), places.next()) {
            (None, _) => false,
            (Some((method, inst)), None) => {
                let Some(body) = code.program.body(method) else { return true };
                let Some(list) = body.insts.get(inst as usize).and_then(|call| call.op.list()) else {
                    return true;
                };
                let many = body.list(list).iter().any(|reg| {
                    code.points.of(method, *reg).is_some_and(|set| set.contains(object) && set.len() > 1)
                });
                !many && !code.once().is_run(code, method, inst)
            }
            _ => true,
        }
    }
}
