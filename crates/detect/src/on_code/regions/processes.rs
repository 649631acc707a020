//! Who runs what: a process is a root in which threads start, with all instances that they run. The program's own thread
//! runs nothing beside others before it has started one and after it has waited for all; what it does then counts for no
//! process (see `quiet.rs`). A process that several threads run counts as two.

use std::rc::Rc;

use program::MethodId;
use program::points::{Callee, Caller, RootKind};
use rustc_hash::FxHashMap;

use super::instances::{Instance, Instances};
use super::quiet::Quiet;
use super::reach::Reach;
use super::{Given, RegionId};

/// A process.
pub struct Process {
    /// `main`, `pkg.Worker.run`.
    pub name: String,
    /// May several threads run it at the same time?
    pub many: bool,
    /// Is it known that there is such a thread? Of a library's public methods it is not.
    pub is_known: bool,
    /// The instances it runs, as bits.
    runs: Rc<[u64]>,
    /// The regions it runs, sorted.
    pub regions: Vec<RegionId>,
    /// For some instances: the instructions that run beside no other thread.
    quiet: FxHashMap<u32, Vec<bool>>,
}

impl Process {
    /// Does it run this instruction while others may run?
    pub fn runs(&self, instance: u32, inst: u32) -> bool {
        self.runs_instance(instance) && !self.is_quiet(instance, inst)
    }

    /// The instances it runs, as bits.
    pub fn run_bits(&self) -> &[u64] {
        &self.runs
    }

    /// Does it run this instance?
    pub fn runs_instance(&self, instance: u32) -> bool {
        contains(&self.runs, instance)
    }

    fn is_quiet(&self, instance: u32, inst: u32) -> bool {
        self.quiet.get(&instance).is_some_and(|quiet| quiet.get(inst as usize).copied().unwrap_or(true))
    }
}

fn contains(set: &[u64], number: u32) -> bool {
    set.get(number as usize / 64).is_some_and(|bits| bits >> (number % 64) & 1 == 1)
}

fn insert(set: &mut [u64], number: u32) {
    if let Some(bits) = set.get_mut(number as usize / 64) {
        *bits |= 1 << (number % 64);
    }
}

/// How many instances all processes together may run or not run; roots beyond are left out.
const MOST_RUNS: usize = 300_000_000;
/// How many steps it may take to find out.
const MOST_STEPS: usize = 60_000_000;

/// Finds all processes; says how many were left out.
pub fn processes(given: &Given<'_>, instances: &Instances<'_>) -> (Vec<Process>, u64) {
    let mut spread = Spread::new(given, instances);
    let reach = spread.reach();
    let mut found: Vec<Process> = Vec::new();
    let mut left_out = 0;
    let mut main: Vec<MethodId> = Vec::new();
    for (number, root) in given.points.roots().iter().enumerate() {
        if root.kind == RootKind::Main {
            main.push(root.method);
            continue;
        }
        if found.len().saturating_mul(instances.all.len()) > MOST_RUNS || spread.steps == 0 {
            left_out += 1;
            continue;
        }
        let name = method_name(given, root.method);
        let name = match root.kind {
            RootKind::Entry | RootKind::Public => format!("caller of {name}"),
            RootKind::Finalizer => "finalizer".to_owned(),
            RootKind::Main | RootKind::Task => name,
        };
        let first = match root.hub {
            None => instances.free.get(&root.method).copied(),
            Some(hub) => spread.hub(hub),
        };
        let whole = first.and_then(|first| reach.as_ref()?.of(first));
        found.push(Process {
            name,
            many: given.sharing.is_many(number),
            is_known: root.kind != RootKind::Public,
            runs: whole.unwrap_or_else(|| spread.run(first.into_iter().collect()).into()),
            regions: Vec::new(),
            quiet: FxHashMap::default(),
        });
    }
    if !main.is_empty() {
        let mut quiet = Quiet::new(given, instances);
        for method in main.iter().filter_map(|method| instances.free.get(method)) {
            quiet.start(*method);
        }
        let (mut walked, active) = quiet.finish();
        let mut runs = spread.run(active);
        // What also runs beside others runs beside others.
        walked.retain(|instance, _| !contains(&runs, *instance));
        for instance in walked.keys() {
            insert(&mut runs, *instance);
        }
        let main = Process {
            name: "main".to_owned(),
            many: false,
            is_known: true,
            runs: runs.into(),
            regions: Vec::new(),
            quiet: walked,
        };
        found.insert(0, main);
    }
    let with_regions: Vec<(u32, &Instance<'_>)> =
        (0u32..).zip(&instances.all).filter(|(_, instance)| instance.starts().next().is_some()).collect();
    for process in &mut found {
        let mut regions = Vec::new();
        for (number, instance) in with_regions.iter().copied() {
            if process.runs_instance(number) {
                let starts = instance.starts().filter(|(_, start)| !process.is_quiet(number, *start));
                regions.extend(starts.map(|(region, _)| region));
            }
        }
        regions.sort_unstable();
        regions.dedup();
        process.regions = regions;
    }
    (found, left_out)
}

/// `pkg.Class.method`
pub fn method_name(given: &Given<'_>, method: MethodId) -> String {
    let program = given.program;
    let class = program.class(program.method(method).owner).name().replace('/', ".");
    format!("{class}.{}", program.names_of(method).0)
}

/// Who leads to whom: instances, and after them the libraries that call on behalf of others.
struct Spread<'a, 'p> {
    instances: &'a Instances<'p>,
    hubs: FxHashMap<u32, u32>,
    /// By method: what it leads to besides its calls.
    by_method: FxHashMap<MethodId, Vec<u32>>,
    by_hub: Vec<Vec<u32>>,
    /// In which round each was met last.
    met: Vec<u32>,
    round: u32,
    steps: usize,
}

impl<'a, 'p> Spread<'a, 'p> {
    fn new(given: &Given<'_>, instances: &'a Instances<'p>) -> Self {
        let mut hubs: FxHashMap<u32, u32> = FxHashMap::default();
        let mut by_method: FxHashMap<MethodId, Vec<u32>> = FxHashMap::default();
        let mut by_hub: Vec<Vec<u32>> = Vec::new();
        let count = instances.all.len() as u32;
        let mut number = |hub: u32, by_hub: &mut Vec<Vec<u32>>| {
            *hubs.entry(hub).or_insert_with(|| {
                by_hub.push(Vec::new());
                count + by_hub.len() as u32 - 1
            })
        };
        for (caller, callee) in given.points.calls() {
            let is_start = matches!(callee, Callee::Method(m) if given.program.names_of(*m).0 == "<clinit>");
            if matches!((caller, callee), (Caller::Method(_), Callee::Method(_))) && !is_start {
                continue;
            }
            let to = match *callee {
                Callee::Method(method) => instances.free.get(&method).copied(),
                Callee::Library(hub) => Some(number(hub, &mut by_hub)),
            };
            let from = match *caller {
                Caller::Method(method) => Err(method),
                Caller::Library(hub) => Ok(number(hub, &mut by_hub)),
            };
            let Some(to) = to else { continue };
            match from {
                Err(method) => by_method.entry(method).or_default().push(to),
                Ok(hub) => {
                    if let Some(list) = by_hub.get_mut((hub - count) as usize) {
                        list.push(to);
                    }
                }
            }
        }
        for (caller, target) in &instances.elsewhere {
            if let Some(to) = instances.free.get(target) {
                by_method.entry(*caller).or_default().push(*to);
            }
        }
        let met = vec![0; instances.all.len() + by_hub.len()];
        Spread { instances, hubs, by_method, by_hub, met, round: 0, steps: MOST_STEPS }
    }

    fn hub(&self, hub: u32) -> Option<u32> {
        self.hubs.get(&hub).copied()
    }

    /// What is reached from each instance and library; `None` if that is too much.
    fn reach(&self) -> Option<Reach> {
        let count = self.instances.all.len() as u32;
        let lists: Vec<Vec<u32>> = self
            .instances
            .all
            .iter()
            .map(|instance| {
                let more = self.by_method.get(&instance.method).into_iter().flatten();
                instance.calls.iter().map(|(_, callee)| callee).chain(more).copied().collect()
            })
            .collect();
        Reach::new(count + self.by_hub.len() as u32, count, |node| {
            let list = match lists.get(node as usize) {
                Some(list) => Some(list),
                None => self.by_hub.get((node - count) as usize),
            };
            list.map_or(&[], Vec::as_slice)
        })
    }

    /// Everything that is run from some nodes on.
    fn run(&mut self, mut work: Vec<u32>) -> Vec<u64> {
        let mut runs = vec![0; self.instances.all.len().div_ceil(64)];
        self.round += 1;
        let count = self.instances.all.len() as u32;
        while let Some(node) = work.pop() {
            let Some(met) = self.met.get_mut(node as usize).filter(|met| **met != self.round) else {
                continue;
            };
            *met = self.round;
            let before = work.len();
            match self.instances.all.get(node as usize) {
                Some(instance) => {
                    insert(&mut runs, node);
                    work.extend(instance.calls.iter().map(|(_, callee)| *callee));
                    work.extend(self.by_method.get(&instance.method).into_iter().flatten());
                }
                None => work.extend(self.by_hub.get((node - count) as usize).into_iter().flatten()),
            }
            self.steps = self.steps.saturating_sub(work.len().saturating_sub(before) + 1);
        }
        runs
    }
}
