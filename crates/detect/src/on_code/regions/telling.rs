//! Regions, locks and accesses as steps of a witness.

use std::collections::VecDeque;

use findings::{Confidence, Frame, Role};
use program::ir::{Body, Op, Reg};
use rustc_hash::{FxHashMap, FxHashSet};

use super::reach::bits;
use super::variables::{VarId, type_name};
use super::views::Access;
use super::{RegionId, Regions};
use crate::on_code::{Code, Place, StepAt, Subject, Way};

/// Tells about regions.
pub struct Teller<'a, 'p> {
    /// The program.
    pub code: &'a Code,
    /// Its regions.
    pub regions: &'a Regions<'p>,
    /// Names of processes are told apart by number if one of them stands for several threads.
    ways: FxHashMap<(usize, u32), Way>,
    /// Of the last processes asked for: how each comes to what it runs.
    trees: VecDeque<(usize, Tree)>,
}

/// By instance that a process runs: which one called it first, and where; none if nobody did.
type Tree = FxHashMap<u32, Option<(u32, u32)>>;

/// How many trees are kept: steps are told of two processes by turns.
const FEW_TREES: usize = 4;

impl<'a, 'p> Teller<'a, 'p> {
    /// Nothing is told yet.
    pub fn new(code: &'a Code, regions: &'a Regions<'p>) -> Self {
        Teller { code, regions, ways: FxHashMap::default(), trees: VecDeque::new() }
    }

    /// The name of a variable.
    pub fn name(&self, var: VarId) -> String {
        self.regions.variables.get(var).map(|variable| variable.name.clone()).unwrap_or_default()
    }

    /// `{a.B.x, a.B.y}`
    pub fn set(&self, vars: &[VarId]) -> String {
        const MOST: usize = 12;
        let mut names: Vec<String> = vars.iter().map(|var| self.name(*var)).collect();
        names.sort();
        names.dedup();
        let more = names.len().saturating_sub(MOST);
        names.truncate(MOST);
        if more > 0 {
            names.push(format!("{more} more"));
        }
        format!("{{{}}}", names.join(", "))
    }

    /// What a finding about some variables is about.
    pub fn subject(&self, vars: &[VarId]) -> Subject {
        Subject::Names(vars.iter().map(|var| self.name(*var)).collect())
    }

    /// The thread of a process.
    pub fn thread(&self, process: usize) -> String {
        self.regions.processes.get(process).map(|process| process.name.clone()).unwrap_or_default()
    }

    /// The threads of two processes; one that several threads run may be both.
    pub fn threads(&self, one: usize, other: usize) -> (String, String) {
        let name = self.thread(one);
        if one == other { (name.clone(), format!("another {name}")) } else { (name, self.thread(other)) }
    }

    /// How sure something is that two processes do: less if nobody knows whether there are such threads.
    pub fn confidence(&self, one: usize, other: usize, best: Confidence) -> Confidence {
        let is_known = |process: usize| self.regions.processes.get(process).is_some_and(|p| p.is_known);
        if is_known(one) && is_known(other) { best } else { Confidence::Low }
    }

    /// An access of a region to a variable, by a process.
    pub fn access(&self, process: usize, region: RegionId, var: VarId, write: bool) -> Option<Access> {
        let process = self.regions.processes.get(process)?;
        let found = |access: &&Access| {
            access.var == var
                && access.write == write
                && process.runs(access.instance, access.inst)
                && self.regions.instances.open(access.instance, access.inst).contains(&region)
        };
        self.regions.views.accesses.iter().find(found).copied()
    }

    /// The step of an access.
    pub fn step(
        &mut self,
        process: usize,
        thread: &str,
        role: Role,
        access: &Access,
        note: String,
    ) -> StepAt {
        let method = self.regions.instances.all.get(access.instance as usize).map(|found| found.method);
        let place = Place { method: method.unwrap_or(program::MethodId(0)), inst: access.inst };
        let open = self.regions.instances.open(access.instance, access.inst);
        let mut way = self.way(process, access.instance);
        way.thread = thread.to_owned();
        StepAt {
            place,
            role,
            target: self.name(access.var),
            locks: open.iter().map(|region| self.lock(*region)).collect(),
            way: Some(way),
            note,
        }
    }

    /// The lock of a region as people read it.
    pub fn lock(&self, region: RegionId) -> String {
        let Some(found) = self.regions.instances.regions.get(region.index()) else { return String::new() };
        let Some(lock) = found.lock else { return "@Atomic".to_owned() };
        let Some(body) = self.code.program.body(found.method) else { return String::new() };
        self.spelled(found.method, body, lock).unwrap_or_else(|| {
            let objects = self.code.points.of(found.method, lock);
            let class = objects.and_then(|set| set.iter().find_map(|o| self.code.points.object(o).class));
            class.map_or("a lock".to_owned(), |class| type_name(self.code.program.class(class).name()))
        })
    }

    /// `a.B.lock`, `class a.B`; the receiver by its class.
    fn spelled(&self, method: program::MethodId, body: &Body, lock: Reg) -> Option<String> {
        let program = &self.code.program;
        let owner = program.method(method).owner;
        match body.insts.iter().find(|inst| inst.result == lock).map(|inst| inst.op) {
            Some(Op::Get { field, .. } | Op::GetStatic { field }) => {
                Some(self.code.field_name(program.field_of(owner, field)?))
            }
            Some(Op::Class(class)) => {
                Some(format!("class {}", type_name(program.class(owner).code.table.class(class))))
            }
            Some(Op::Cast { value, .. }) => self.spelled(method, body, value),
            None if lock == Reg(0) && !super::instances::is_static(program, method) => {
                Some(type_name(program.class(owner).name()))
            }
            _ => None,
        }
    }

    /// How a process comes to an instance: the shortest chain of calls.
    fn way(&mut self, process: usize, instance: u32) -> Way {
        if let Some(known) = self.ways.get(&(process, instance)) {
            return known.clone();
        }
        let way = self.find_way(process, instance);
        self.ways.insert((process, instance), way.clone());
        way
    }

    fn find_way(&mut self, process: usize, instance: u32) -> Way {
        let mut way = Way { thread: self.thread(process), ..Way::default() };
        if !self.trees.iter().any(|(known, _)| *known == process) {
            self.trees.truncate(FEW_TREES - 1);
            self.trees.push_front((process, self.tree(process)));
        }
        let Some((_, from)) = self.trees.iter().find(|(known, _)| *known == process) else { return way };
        let mut at = instance;
        while let Some(Some((caller, inst))) = from.get(&at) {
            if let Some(found) = self.regions.instances.all.get(*caller as usize) {
                way.stack.push(self.code.frame(found.method, Some(*inst)));
            }
            at = *caller;
        }
        way
    }

    /// From all instances without a caller in the process to all that it runs, the nearest first.
    fn tree(&self, process: usize) -> Tree {
        let all = &self.regions.instances.all;
        let Some(runner) = self.regions.processes.get(process) else { return Tree::default() };
        let mut called: FxHashSet<u32> = FxHashSet::default();
        let numbers = || bits(runner.run_bits()).take_while(|number| (*number as usize) < all.len());
        for number in numbers() {
            if let Some(found) = all.get(number as usize) {
                let calls = found.calls.iter().filter(|(inst, _)| runner.runs(number, *inst));
                called.extend(calls.map(|(_, callee)| *callee).filter(|callee| *callee != number));
            }
        }
        let mut queue: VecDeque<u32> = numbers().filter(|number| !called.contains(number)).collect();
        let mut from: Tree = queue.iter().map(|number| (*number, None)).collect();
        while let Some(number) = queue.pop_front() {
            let Some(found) = all.get(number as usize) else { continue };
            for (inst, callee) in &found.calls {
                if runner.runs(number, *inst) && !from.contains_key(callee) {
                    from.insert(*callee, Some((number, *inst)));
                    queue.push_back(*callee);
                }
            }
        }
        from
    }

    /// The place of an instruction as people read it.
    pub fn frame(&self, instance: u32, inst: u32) -> Option<Frame> {
        let method = self.regions.instances.all.get(instance as usize)?.method;
        Some(self.code.frame(method, Some(inst)))
    }
}
