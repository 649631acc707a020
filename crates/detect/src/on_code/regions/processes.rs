//! Who runs what: a process is a root in which threads start, with all instances that they run. The program's own thread
//! runs nothing beside others before it has started one and after it has waited for all; what it does then counts for no
//! process (see `quiet.rs`). A process that several threads run counts as two.

use program::MethodId;
use program::points::{Callee, Caller, RootKind};
use rustc_hash::FxHashMap;

use super::instances::Instances;
use super::quiet::Quiet;
use super::{Given, RegionId};

/// A process.
pub struct Process {
    /// `main`, `pkg.Worker.run`.
    pub name: String,
    /// May several threads run it at the same time?
    pub many: bool,
    /// The instances it runs, as bits.
    runs: Vec<u64>,
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

    /// Does it run this instance?
    pub fn runs_instance(&self, instance: u32) -> bool {
        self.runs.get(instance as usize / 64).is_some_and(|bits| bits >> (instance % 64) & 1 == 1)
    }

    fn add(&mut self, instance: u32) {
        if let Some(bits) = self.runs.get_mut(instance as usize / 64) {
            *bits |= 1 << (instance % 64);
        }
    }

    fn new(name: String, many: bool, instances: usize) -> Process {
        let runs = vec![0; instances.div_ceil(64)];
        Process { name, many, runs, regions: Vec::new(), quiet: FxHashMap::default() }
    }

    fn is_quiet(&self, instance: u32, inst: u32) -> bool {
        self.quiet.get(&instance).is_some_and(|quiet| quiet.get(inst as usize).copied().unwrap_or(true))
    }
}

/// How many instances all processes together may run or not run; roots beyond are left out.
const MOST_RUNS: usize = 2_000_000_000;
/// How many steps it may take to find out.
const MOST_STEPS: usize = 400_000_000;

/// Finds all processes; says how many were left out.
pub fn processes(given: &Given<'_>, instances: &Instances<'_>) -> (Vec<Process>, u64) {
    let mut spread = Spread::new(given, instances);
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
        let mut process = Process::new(name, given.sharing.is_many(number), instances.all.len());
        let first = match root.hub {
            None => instances.free.get(&root.method).copied(),
            Some(hub) => spread.hub(hub),
        };
        spread.run(&mut process, first.into_iter().collect());
        found.push(process);
    }
    if !main.is_empty() {
        let mut quiet = Quiet::new(given, instances);
        for method in main.iter().filter_map(|method| instances.free.get(method)) {
            quiet.start(*method);
        }
        let mut process = Process::new("main".to_owned(), false, instances.all.len());
        let (walked, active) = quiet.finish();
        spread.run(&mut process, active);
        for (instance, insts) in walked {
            // What also runs beside others runs beside others.
            if !process.runs_instance(instance) {
                process.quiet.insert(instance, insts);
            }
        }
        let walked: Vec<u32> = process.quiet.keys().copied().collect();
        for instance in walked {
            process.add(instance);
        }
        found.insert(0, process);
    }
    for process in &mut found {
        let mut regions = Vec::new();
        for (number, instance) in (0u32..).zip(&instances.all) {
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
        let met = vec![0; instances.all.len() + by_hub.len()];
        Spread { instances, hubs, by_method, by_hub, met, round: 0, steps: MOST_STEPS }
    }

    fn hub(&self, hub: u32) -> Option<u32> {
        self.hubs.get(&hub).copied()
    }

    /// Marks everything that a process runs.
    fn run(&mut self, process: &mut Process, mut work: Vec<u32>) {
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
                    process.add(node);
                    work.extend(instance.calls.iter().map(|(_, callee)| *callee));
                    work.extend(self.by_method.get(&instance.method).into_iter().flatten());
                }
                None => work.extend(self.by_hub.get((node - count) as usize).into_iter().flatten()),
            }
            self.steps = self.steps.saturating_sub(work.len().saturating_sub(before) + 1);
        }
    }
}
