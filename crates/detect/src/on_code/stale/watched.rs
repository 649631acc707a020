//! Which of the flows that are possible a run can watch. At run time it is told where a value arrives and where it is used,
//! and nothing in between; so only those will do where the code leaves no doubt: what is used there was certainly computed
//! from what was read here, in the same run of the method.
//!
//! A value may also come from a method that is called, if that is one method, which certainly returns what it reads and
//! reads or writes nothing after it; and go to one that certainly writes it. Whether the value is then the one of the last
//! read or of an earlier one makes no difference: an earlier one is older still.
//!
//! Watched besides what is reported is what would be, were there a thread that writes in between: cheap, and whoever comes
//! in between all the same was not seen in the code. Array elements are not watched.

use std::collections::BTreeMap;

use events::FlowKind;
use program::MethodId;
use program::ir::{BlockId, Body, Op, Reg};
use rustc_hash::FxHashSet;

use super::flow::{Read, Source, Use, UseKind};
use super::summary::Summaries;
use super::{is_back, is_shared, writer};
use crate::Options;
use crate::on_code::{Code, Place};

/// A flow for a run to watch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WatchedFlow {
    /// The method in which the value arrives and is used.
    pub method: MethodId,
    /// What is known of it.
    pub kind: FlowKind,
    /// The instruction that gives the value: a read, or a call.
    pub read: u32,
    /// The read, perhaps in the method that is called.
    pub source: Place,
    /// The instructions that use it, ascending.
    pub uses: Vec<u32>,
}

/// The flows that a run can watch, by method.
pub fn flows(code: &Code, options: &Options) -> Vec<WatchedFlow> {
    let summaries = Summaries::new(code, options.paper);
    let mut found: BTreeMap<(MethodId, u32, Place, u8), Vec<u32>> = BTreeMap::new();
    for (method, flow) in &summaries.flows {
        let method = *method;
        let Some(body) = code.program.body(method) else { continue };
        for used in &flow.uses {
            let Some(Source::Read(read)) = flow.sources.get(used.source as usize) else { continue };
            let Some(kind) = kind(code, method, read, used, options.paper) else { continue };
            let watching = Watching { code, method, body };
            if !read.variable.elements && used.always && watching.is_certain(read, used) {
                let uses = found.entry((method, read.inst, read.place, kind.number())).or_default();
                uses.push(used.inst);
            }
        }
    }
    let flow = |((method, read, source, kind), mut uses): (_, Vec<u32>)| {
        uses.sort_unstable();
        uses.dedup();
        let kind = FlowKind::of(u64::from(kind)).unwrap_or_default();
        WatchedFlow { method, kind, read, source, uses }
    };
    found.into_iter().map(flow).collect()
}

fn kind(code: &Code, method: MethodId, read: &Read, used: &Use, paper: bool) -> Option<FlowKind> {
    if paper {
        return Some(FlowKind::Any);
    }
    let back = is_back(read, used)?;
    Some(match (writer(code, method, read, used), back) {
        _ if !is_shared(code, read.place) => return None,
        (None, _) => FlowKind::Unlikely,
        (Some(_), true) => FlowKind::Back,
        (Some(_), false) => FlowKind::Beside,
    })
}

struct Watching<'c> {
    code: &'c Code,
    method: MethodId,
    body: &'c Body,
}

impl Watching<'_> {
    fn is_certain(&self, read: &Read, used: &Use) -> bool {
        let Some(gives) = self.body.insts.get(read.inst as usize) else { return false };
        if !gives.result.is_some() || !self.is_read_at(read) {
            return false;
        }
        let Some(uses) = self.body.insts.get(used.inst as usize) else { return false };
        let derived = derived(self.code, self.method, self.body, gives.result, DEEPEST);
        let is_used = match used.reg {
            Reg::NONE => self.body.uses(&uses.op).any(|reg| derived.contains(&reg)),
            reg => derived.contains(&reg),
        };
        is_used
            && match &used.kind {
                UseKind::Written { place: Some(place), .. } => self.writes_at(used.inst, *place),
                _ => true,
            }
    }

    /// Whether the value that an instruction gives is the one that is read at a place, and nothing is accessed after that.
    fn is_read_at(&self, read: &Read) -> bool {
        if read.place.method == self.method {
            return read.place.inst == read.inst;
        }
        let Some(callee) = self.only_target(read.inst) else { return false };
        let Some(body) = self.code.program.body(callee).filter(|_| read.place.method == callee) else {
            return false;
        };
        let Some(inst) = body.insts.get(read.place.inst as usize) else { return false };
        let derived = derived(self.code, callee, body, inst.result, DEEPEST);
        body.insts.iter().all(|inst| match inst.op {
            Op::Return { value } => derived.contains(&value),
            _ => true,
        }) && accesses_nothing_after(body, read.place.inst)
    }

    /// Whether a call certainly leads to the write at a place.
    fn writes_at(&self, call: u32, place: Place) -> bool {
        let callee = self.only_target(call).filter(|callee| *callee == place.method);
        let body = callee.and_then(|callee| self.code.program.body(callee));
        body.is_some_and(|body| !returns_without(body, place.inst))
    }

    fn only_target(&self, call: u32) -> Option<MethodId> {
        only_target(self.code, self.method, call)
    }
}

/// Methods that are called are looked into so deep.
const DEEPEST: usize = 3;

fn only_target(code: &Code, method: MethodId, call: u32) -> Option<MethodId> {
    let mut targets = code.points.targets(method, call);
    let only = targets.next()?;
    targets.all(|other| other == only).then_some(only)
}

/// The registers whose values are certainly computed from that of a register: in a loop, from one that it had.
fn derived(code: &Code, method: MethodId, body: &Body, from: Reg, depth: usize) -> FxHashSet<Reg> {
    // All that may be, to begin with; then those go that are not.
    let mut derived: FxHashSet<Reg> = FxHashSet::from_iter([from]);
    let results = body.insts.iter().map(|inst| inst.result);
    let params = body.blocks().flat_map(|(_, block)| body.list(block.params).iter().copied());
    derived.extend(results.chain(params).filter(|reg| reg.is_some()));
    loop {
        let mut gone: Vec<Reg> = body.params().iter().copied().filter(|reg| *reg != from).collect();
        for (inst, number) in body.insts.iter().zip(0..) {
            if inst.result != from && !passes_on(code, method, body, number, &derived, depth) {
                gone.push(inst.result);
            }
        }
        for (_, block) in body.blocks() {
            for edge in body.all_edges(block) {
                let params = body.list(body.block(edge.target).params);
                let pairs = params.iter().zip(body.list(edge.arguments));
                gone.extend(pairs.filter(|(_, given)| !derived.contains(given)).map(|(param, _)| *param));
            }
        }
        let before = derived.len();
        for reg in gone.iter().filter(|reg| **reg != from) {
            derived.remove(reg);
        }
        if derived.len() == before {
            return derived;
        }
    }
}

/// Whether what an instruction gives is computed from one of these.
fn passes_on(
    code: &Code,
    method: MethodId,
    body: &Body,
    number: u32,
    derived: &FxHashSet<Reg>,
    depth: usize,
) -> bool {
    let Some(inst) = body.insts.get(number as usize) else { return false };
    match inst.op {
        // What is read is another value.
        Op::Get { .. } | Op::GetStatic { .. } | Op::Load { .. } | Op::New(_) => false,
        Op::Call { arguments, .. } => {
            let arguments = body.list(arguments);
            let given = |(_, reg): &(usize, &Reg)| derived.contains(reg);
            let callee = only_target(code, method, number);
            let callees = code.points.targets(method, number).count();
            match callee.and_then(|callee| Some((callee, code.program.body(callee)?))) {
                Some((callee, inner)) if depth > 0 => {
                    arguments.iter().enumerate().filter(given).any(|(at, _)| {
                        inner
                            .params()
                            .get(at)
                            .is_some_and(|param| returns(code, callee, inner, *param, depth - 1))
                    })
                }
                // A library's method computes from what it is given.
                None if callees == 0 => arguments.iter().any(|reg| derived.contains(reg)),
                _ => false,
            }
        }
        _ => body.uses(&inst.op).any(|reg| derived.contains(&reg)),
    }
}

/// Whether a method certainly returns something computed from a parameter.
fn returns(code: &Code, method: MethodId, body: &Body, param: Reg, depth: usize) -> bool {
    let derived = derived(code, method, body, param, depth);
    body.insts.iter().all(|inst| match inst.op {
        Op::Return { value } => derived.contains(&value),
        _ => true,
    })
}

/// The blocks, and where in them to begin, that are reached from behind an instruction; `stop` ends a way.
fn reaches(body: &Body, start: (BlockId, usize), mut look: impl FnMut(u32, &Op) -> Way) -> bool {
    let mut seen: FxHashSet<BlockId> = FxHashSet::default();
    let mut work = vec![start];
    while let Some((id, from)) = work.pop() {
        let block = body.block(id);
        let insts = body.insts(&block).iter().zip(block.insts.start..).skip(from);
        let mut goes_on = true;
        for (inst, number) in insts {
            match look(number, &inst.op) {
                Way::Found => return true,
                Way::Ends => {
                    goes_on = false;
                    break;
                }
                Way::GoesOn => {}
            }
        }
        if goes_on {
            let next = body.edges(&block).iter().map(|edge| edge.target);
            work.extend(next.filter(|target| seen.insert(*target)).map(|target| (target, 0)));
        }
    }
    false
}

enum Way {
    GoesOn,
    Ends,
    Found,
}

/// Whether nothing but its own monitors is touched from behind an instruction on.
fn accesses_nothing_after(body: &Body, read: u32) -> bool {
    let block = body.blocks().find(|(_, block)| block.insts.range().contains(&(read as usize)));
    let Some((id, block)) = block else { return false };
    let from = (read - block.insts.start) as usize + 1;
    !reaches(body, (id, from), |_, op| match op {
        Op::Int(_)
        | Op::Long(_)
        | Op::Float(_)
        | Op::Double(_)
        | Op::Null
        | Op::Text(_)
        | Op::Binary { .. }
        | Op::Negate { .. }
        | Op::Convert { .. }
        | Op::Length { .. }
        | Op::InstanceOf { .. }
        | Op::Cast { .. }
        | Op::Exit { .. }
        | Op::Jump
        | Op::Branch { .. }
        | Op::Switch { .. } => Way::GoesOn,
        Op::Return { .. } | Op::Throw { .. } => Way::Ends,
        _ => Way::Found,
    })
}

/// Whether a method may return without a write at a place.
fn returns_without(body: &Body, write: u32) -> bool {
    reaches(body, (BlockId::ENTRY, 0), |number, op| match op {
        _ if number == write => Way::Ends,
        Op::Return { .. } => Way::Found,
        _ => Way::GoesOn,
    })
}
