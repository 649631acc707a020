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
    /// The instances it runs, by number.
    runs: Vec<bool>,
    /// The regions it runs, sorted.
    pub regions: Vec<RegionId>,
    /// For some instances: the instructions that run beside no other thread.
    quiet: FxHashMap<u32, Vec<bool>>,
}

impl Process {
    /// Does it run this instruction while others may run?
    pub fn runs(&self, instance: u32, inst: u32) -> bool {
        self.runs.get(instance as usize).copied().unwrap_or_default() && !self.is_quiet(instance, inst)
    }

    /// Does it run this instance?
    pub fn runs_instance(&self, instance: u32) -> bool {
        self.runs.get(instance as usize).copied().unwrap_or_default()
    }

    fn is_quiet(&self, instance: u32, inst: u32) -> bool {
        self.quiet.get(&instance).is_some_and(|quiet| quiet.get(inst as usize).copied().unwrap_or(true))
    }
}

/// How many instances all processes together may run; what is beyond is left out.
const MOST_RUNS: usize = 200_000_000;

/// Finds all processes; says how many were left out.
pub fn processes(given: &Given<'_>, instances: &Instances<'_>) -> (Vec<Process>, u64) {
    let called = called_by_libraries(given);
    let mut found: Vec<Process> = Vec::new();
    let mut left_out = 0;
    let mut room = MOST_RUNS;
    let mut main: Vec<MethodId> = Vec::new();
    for (number, root) in given.points.roots().iter().enumerate() {
        if root.kind == RootKind::Main {
            main.push(root.method);
            continue;
        }
        room = room.saturating_sub(instances.all.len());
        if room == 0 {
            left_out += 1;
            continue;
        }
        let first: Vec<MethodId> = match root.hub {
            None => vec![root.method],
            Some(hub) => called.of(Callee::Library(hub)),
        };
        let name = method_name(given, root.method);
        let name = match root.kind {
            RootKind::Entry | RootKind::Public => format!("caller of {name}"),
            RootKind::Finalizer => "finalizer".to_owned(),
            RootKind::Main | RootKind::Task => name,
        };
        let mut process = Process {
            name,
            many: given.sharing.is_many(number),
            runs: vec![false; instances.all.len()],
            regions: Vec::new(),
            quiet: FxHashMap::default(),
        };
        let work = first.iter().filter_map(|method| instances.free.get(method).copied()).collect();
        spread(instances, &called, &mut process.runs, work);
        found.push(process);
    }
    if !main.is_empty() {
        let mut quiet = Quiet::new(given, instances);
        for method in main.iter().filter_map(|method| instances.free.get(method)) {
            quiet.start(*method);
        }
        let mut process = Process {
            name: "main".to_owned(),
            many: false,
            runs: vec![false; instances.all.len()],
            regions: Vec::new(),
            quiet: FxHashMap::default(),
        };
        let (walked, active) = quiet.finish();
        spread(instances, &called, &mut process.runs, active);
        for (instance, insts) in walked {
            // What also runs beside others runs beside others.
            if !process.runs_instance(instance) {
                process.quiet.insert(instance, insts);
            }
        }
        let walked: Vec<u32> = process.quiet.keys().copied().collect();
        for instance in walked {
            if let Some(place) = process.runs.get_mut(instance as usize) {
                *place = true;
            }
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

/// Methods that libraries call on behalf of callers.
struct Called {
    by_caller: FxHashMap<Caller, Vec<Callee>>,
}

fn called_by_libraries(given: &Given<'_>) -> Called {
    let mut by_caller: FxHashMap<Caller, Vec<Callee>> = FxHashMap::default();
    for (caller, callee) in given.points.calls() {
        let is_start = matches!(callee, Callee::Method(m) if given.program.names_of(*m).0 == "<clinit>");
        let direct = matches!((caller, callee), (Caller::Method(_), Callee::Method(_)));
        if !direct || is_start {
            by_caller.entry(*caller).or_default().push(*callee);
        }
    }
    Called { by_caller }
}

impl Called {
    fn of(&self, first: Callee) -> Vec<MethodId> {
        let mut found = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut work = vec![first];
        while let Some(callee) = work.pop() {
            if !seen.insert(callee) {
                continue;
            }
            match callee {
                Callee::Method(method) => found.push(method),
                Callee::Library(hub) => {
                    work.extend(self.by_caller.get(&Caller::Library(hub)).into_iter().flatten());
                }
            }
        }
        found
    }
}

/// Marks everything that is run from some instances on.
fn spread(instances: &Instances<'_>, called: &Called, runs: &mut [bool], mut work: Vec<u32>) {
    let mut seen_hubs = rustc_hash::FxHashSet::default();
    while let Some(number) = work.pop() {
        let Some(place) = runs.get_mut(number as usize) else { continue };
        if std::mem::replace(place, true) {
            continue;
        }
        let Some(instance) = instances.all.get(number as usize) else { continue };
        work.extend(instance.calls.iter().map(|(_, callee)| *callee));
        for callee in called.by_caller.get(&Caller::Method(instance.method)).into_iter().flatten() {
            if seen_hubs.insert(*callee) {
                let methods = called.of(*callee);
                work.extend(methods.iter().filter_map(|method| instances.free.get(method).copied()));
            }
        }
    }
}
