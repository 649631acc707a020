//! What a method means for the values of those who call it: what it hands out of shared data, where it writes what it is
//! given, what it passes through, for which locks it waits.
//!
//! Callees come before their callers. Methods that call each other in a circle are followed in rounds, in each of which
//! every method sees what the round before has shown of the others; what was shown once stays. So the order in which
//! methods are looked at changes nothing.

use program::MethodId;
use program::ir::Op;
use rustc_hash::{FxHashMap, FxHashSet};

use super::flow::{Flow, Follow};
use super::waits::Wait;
use crate::on_code::accesses::{Variable, accessed};
use crate::on_code::circles;
use crate::on_code::locks::{Path, Paths};
use crate::on_code::{Code, Place};

/// A method seen from outside. Paths are in its own terms.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Shared data that it returns.
    pub returns: Vec<Return>,
    /// Parameters that it writes to fields, unless it looks at the field first.
    pub writes: Vec<Written>,
    /// Parameters on which its result depends.
    pub passes: Vec<u32>,
    /// What it overwrites.
    pub overwrites: Vec<(Variable, Option<Path>)>,
    /// For what it may wait.
    pub waits: Vec<Wait>,
}

/// Shared data that a method returns.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Return {
    /// Which variable.
    pub variable: Variable,
    /// Of which object.
    pub object: Option<Path>,
    /// Where it is read.
    pub place: Place,
    /// The lock under which it is read; none if that is left to the caller.
    pub lock: Option<Path>,
    /// What may have been waited for since then, if the value is an old one for that.
    pub after: Vec<Wait>,
}

/// A parameter that a method writes to a field.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Written {
    /// Which parameter.
    pub param: u32,
    /// Which variable.
    pub variable: Variable,
    /// Of which object.
    pub object: Option<Path>,
    /// Where.
    pub place: Place,
    /// The innermost lock that the method takes for it.
    pub lock: Option<Path>,
    /// What may have been waited for before that.
    pub after: Vec<Wait>,
}

impl Summary {
    /// Notes something that is returned.
    pub fn returned(&mut self, found: Return) {
        let key = |r: &Return| (r.variable, r.object.clone(), r.place, r.lock.clone());
        match self.returns.iter_mut().find(|known| key(known) == key(&found)) {
            Some(known) => add_all(&mut known.after, &found.after),
            None => self.returns.push(found),
        }
    }

    /// Notes something that is written.
    pub fn written(&mut self, found: Written) {
        let key = |w: &Written| (w.param, w.variable, w.object.clone(), w.place, w.lock.clone());
        match self.writes.iter_mut().find(|known| key(known) == key(&found)) {
            Some(known) => add_all(&mut known.after, &found.after),
            None => self.writes.push(found),
        }
    }

    fn add(&mut self, other: Summary) {
        other.returns.into_iter().for_each(|found| self.returned(found));
        other.writes.into_iter().for_each(|found| self.written(found));
        add_all(&mut self.passes, &other.passes);
        add_all(&mut self.overwrites, &other.overwrites);
        add_all(&mut self.waits, &other.waits);
    }

    /// In an order that only depends on what is in it, and no more than so much of each; whether something was cut.
    fn settle(&mut self, code: &Code) -> bool {
        self.passes.sort_unstable();
        self.waits.sort_unstable();
        let mut cut = shorten(code, &mut self.returns, |found| Some(found.place));
        cut |= shorten(code, &mut self.writes, |found| Some(found.place));
        cut | shorten(code, &mut self.overwrites, |_| None)
    }
}

/// Adds what is not there yet; keeps the order of the rest.
pub fn add_all<T: Clone + PartialEq>(known: &mut Vec<T>, more: &[T]) {
    for one in more {
        if !known.contains(one) {
            known.push(one.clone());
        }
    }
}

fn shorten<T: Ord + HasVariable>(
    code: &Code,
    list: &mut Vec<T>,
    place: impl Fn(&T) -> Option<Place>,
) -> bool {
    list.sort_unstable();
    if list.len() <= MOST {
        return false;
    }
    // Numbers of fields and methods depend on the order of the inputs; names do not.
    list.sort_by_cached_key(|one| {
        let frame = place(one).map(|place| code.frame(place.method, Some(place.inst)).to_prose());
        (code.field_name(one.variable().field), frame)
    });
    list.truncate(MOST);
    list.sort_unstable();
    true
}

trait HasVariable {
    fn variable(&self) -> Variable;
}

impl HasVariable for Return {
    fn variable(&self) -> Variable {
        self.variable
    }
}

impl HasVariable for Written {
    fn variable(&self) -> Variable {
        self.variable
    }
}

impl HasVariable for (Variable, Option<Path>) {
    fn variable(&self) -> Variable {
        self.0
    }
}

/// What was found of all methods.
pub struct Summaries {
    known: FxHashMap<MethodId, Summary>,
    /// What the methods do in which something old is used, or that were given up; in their order.
    pub flows: Vec<(MethodId, Flow)>,
    /// Methods of which more is known than is kept.
    pub cut: Vec<MethodId>,
    /// Calls that are not followed, since they have too many targets.
    pub wide: usize,
    /// What is written when others may know it already; nothing else can be stale. None: whatever there is, for the paper.
    changing: Option<FxHashSet<Variable>>,
}

/// Calls with more targets are not followed: most of them would never happen.
pub const MOST_TARGETS: usize = 8;
/// No more of each is kept of a method.
const MOST: usize = 64;
/// After so many rounds a circle is left as it is.
const MOST_ROUNDS: usize = 64;

impl Summaries {
    /// Follows all methods that are reached.
    pub fn new(code: &Code, paper: bool) -> Summaries {
        let methods: Vec<MethodId> = code.methods().collect();
        let mut callees: FxHashMap<MethodId, Vec<MethodId>> = FxHashMap::default();
        let mut calls: Vec<(MethodId, u32, MethodId)> = code.points.all_targets().collect();
        calls.sort_unstable();
        for same in calls.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            if same.len() <= MOST_TARGETS {
                let with_code = same.iter().filter(|call| code.program.body(call.2).is_some());
                with_code.for_each(|call| callees.entry(call.0).or_default().push(call.2));
            }
        }
        let changing = (!paper).then(|| {
            let of = code.accesses().of.iter();
            let changes = of.filter(|(_, all)| all.iter().any(|access| access.write && !access.early));
            changes.map(|(variable, _)| *variable).collect()
        });
        let (known, flows, cut) = (FxHashMap::default(), Vec::new(), Vec::new());
        let mut found = Summaries { known, flows, cut, wide: 0, changing };
        for circle in circles::of(&methods, &callees) {
            let calls_itself =
                |method: &MethodId| callees.get(method).is_some_and(|called| called.contains(method));
            match circle.as_slice() {
                [method] if !calls_itself(method) => {
                    let mut flow = found.follow(code, *method, paper);
                    let summary = std::mem::take(&mut flow.summary);
                    found.known.insert(*method, summary);
                    found.keep(*method, flow);
                }
                _ => found.circle(code, &circle, &callees, paper),
            }
        }
        found.flows.sort_unstable_by_key(|(method, _)| *method);
        found.cut.sort_unstable();
        found.cut.dedup();
        found
    }

    /// The summary of a method; `None` if it has no code.
    pub fn of(&self, method: MethodId) -> Option<&Summary> {
        self.known.get(&method)
    }

    /// Can others change it while somebody has an old value of it?
    pub fn may_change(&self, variable: Variable) -> bool {
        self.changing.as_ref().is_none_or(|changing| changing.contains(&variable))
    }

    fn keep(&mut self, method: MethodId, flow: Flow) {
        self.wide += flow.wide;
        if flow.cut {
            self.cut.push(method);
        }
        if !flow.uses.is_empty() || flow.given_up {
            self.flows.push((method, flow));
        }
    }

    fn circle(
        &mut self,
        code: &Code,
        circle: &[MethodId],
        callees: &FxHashMap<MethodId, Vec<MethodId>>,
        paper: bool,
    ) {
        for method in circle {
            self.known.insert(*method, Summary::default());
        }
        let mut callers: FxHashMap<MethodId, Vec<MethodId>> = FxHashMap::default();
        for method in circle {
            for callee in callees.get(method).into_iter().flatten() {
                callers.entry(*callee).or_default().push(*method);
            }
        }
        let mut last: FxHashMap<MethodId, Flow> = FxHashMap::default();
        let mut open: FxHashSet<MethodId> = circle.iter().copied().collect();
        for _ in 0..MOST_ROUNDS {
            let mut changed = Vec::new();
            for method in circle.iter().filter(|method| open.contains(method)) {
                let mut flow = self.follow(code, *method, paper);
                let mut whole = self.known.get(method).cloned().unwrap_or_default();
                whole.add(std::mem::take(&mut flow.summary));
                flow.cut |= whole.settle(code);
                last.insert(*method, flow);
                if self.known.get(method) != Some(&whole) {
                    changed.push((*method, whole));
                }
            }
            open.clear();
            for (method, whole) in changed {
                self.known.insert(method, whole);
                open.extend(callers.get(&method).into_iter().flatten());
            }
            if open.is_empty() {
                break;
            }
        }
        self.cut.extend(open);
        for (method, flow) in last {
            self.keep(method, flow);
        }
    }

    fn follow(&self, code: &Code, method: MethodId, paper: bool) -> Flow {
        let mut flow = Follow::run(code, method, paper, self);
        let Some(body) = code.program.body(method) else { return flow };
        let paths = Paths::new(&code.program, &code.points, &code.locks.stable, method, body);
        for inst in &body.insts {
            if !matches!(inst.op, Op::Put { .. } | Op::PutStatic { .. } | Op::Store { .. }) {
                continue;
            }
            let Some((variable, object, _)) = accessed(code, method, &paths, &inst.op) else { continue };
            let is_static = code.program.field(variable.field).access & program::flags::STATIC != 0;
            let object = object.filter(|_| !is_static).map(|reg| paths.of(reg));
            let found = (variable, object);
            if !found.1.as_ref().is_some_and(Path::is_local) && !flow.summary.overwrites.contains(&found) {
                flow.summary.overwrites.push(found);
            }
        }
        flow.cut |= flow.summary.settle(code);
        flow
    }
}
