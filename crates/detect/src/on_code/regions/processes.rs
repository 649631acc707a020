//! Who runs what: a process is a root in which threads start, with all instances that they run. The program's own thread
//! runs nothing beside others before it has started one and after it has waited for all; what it does then counts for no
//! process (see `quiet.rs`). A process that several threads run counts as two.

use std::cell::OnceCell;
use std::rc::Rc;

use program::MethodId;
use program::points::{Callee, Caller, Root, RootKind};
use rustc_hash::FxHashMap;

use super::instances::Instances;
use super::quiet::Quiet;
use super::reach::{Lists, Reach, contains, insert};
use super::{Given, RegionId};

/// A process.
pub struct Process {
    /// `main`, `pkg.Worker.run`.
    pub name: String,
    /// May several threads run it at the same time?
    pub many: bool,
    /// Is it known that there is such a thread? Of a library's public methods it is not.
    pub is_known: bool,
    /// The regions it runs, sorted; processes that run the same ones share them.
    pub regions: Rc<[u32]>,
    /// Where it starts, for finding out what it runs.
    first: Option<u32>,
    reach: Rc<Reach>,
    /// The instances it runs, as bits, once somebody has asked.
    runs: OnceCell<Rc<[u64]>>,
    /// For some instances: the instructions that run beside no other thread.
    quiet: FxHashMap<u32, Vec<bool>>,
}

impl Process {
    /// Does it run this instruction while others may run?
    pub fn runs(&self, instance: u32, inst: u32) -> bool {
        self.runs_instance(instance) && !self.is_quiet(instance, inst)
    }

    /// The instances it runs, as bits. (More than instances may be among them.)
    pub fn run_bits(&self) -> &[u64] {
        self.runs.get_or_init(|| self.first.and_then(|first| self.reach.of(first)).unwrap_or_default())
    }

    /// Does it run this instance?
    pub fn runs_instance(&self, instance: u32) -> bool {
        contains(self.run_bits(), instance)
    }

    fn is_quiet(&self, instance: u32, inst: u32) -> bool {
        self.quiet.get(&instance).is_some_and(|quiet| quiet.get(inst as usize).copied().unwrap_or(true))
    }
}

/// How many processes are known for one instance: a library has as many as public methods.
const MOST_RUNNERS: usize = 32;

/// Who runs what.
pub struct Processes {
    /// All processes; the program's own thread is the first.
    pub all: Vec<Process>,
    /// Roots of which it is not known which regions they run.
    without_regions: u64,
    reach: Rc<Reach>,
    /// By part: the first processes that run it, without the program's own thread.
    runners: Vec<Vec<u32>>,
}

impl Processes {
    /// Finds all processes.
    pub fn new(given: &Given<'_>, instances: &Instances<'_>) -> Processes {
        let spread = Spread::new(given, instances);
        let reach = Rc::new(Reach::new(&spread.graph));
        let mut starts: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (number, instance) in (0u32..).zip(&instances.all) {
            let found: Vec<u32> = instance.starts().map(|(RegionId(region), _)| region).collect();
            if !found.is_empty() {
                starts.insert(number, found);
            }
        }
        let regions = reach.marks(&starts, instances.regions.len());
        let none: Rc<[u32]> = Rc::from([]);
        let mut without_regions = 0;
        let mut main: Vec<MethodId> = Vec::new();
        let mut all: Vec<Process> = Vec::new();
        for (number, root) in given.points.roots().iter().enumerate() {
            if root.kind == RootKind::Main {
                main.push(root.method);
                continue;
            }
            let first = match root.hub {
                None => instances.free.get(&root.method).copied(),
                Some(hub) => spread.hubs.get(&hub).copied(),
            };
            let part = first.and_then(|first| reach.part(first));
            let regions = match part {
                Some(part) => regions.get(part as usize).cloned().flatten(),
                None => Some(Rc::clone(&none)),
            };
            let Some(regions) = regions else {
                without_regions += 1;
                continue;
            };
            all.push(Process {
                name: thread_name(given, root),
                many: given.sharing.is_many(number),
                is_known: root.kind != RootKind::Public,
                regions,
                first,
                reach: Rc::clone(&reach),
                runs: OnceCell::new(),
                quiet: FxHashMap::default(),
            });
        }
        if !main.is_empty() {
            all.insert(0, own_thread(given, instances, &reach, &main));
        }
        let others = (0u32..).zip(&all).skip(usize::from(!main.is_empty()));
        let walkers = others.filter_map(|(number, process)| Some((number, process.first?)));
        let runners = reach.first(walkers, MOST_RUNNERS);
        Processes { all, without_regions, reach, runners }
    }

    /// How many have not been looked at so far, since there were too many.
    pub fn left_out(&self) -> u64 {
        self.without_regions + self.reach.refused()
    }

    /// A process.
    pub fn get(&self, number: usize) -> Option<&Process> {
        self.all.get(number)
    }

    /// May an instance be run by more processes than are known for it?
    pub fn has_more(&self, instance: u32) -> bool {
        let part = self.reach.part(instance).and_then(|part| self.runners.get(part as usize));
        part.is_some_and(|known| known.len() >= MOST_RUNNERS)
    }

    /// Some processes that run an instruction while others may run, in order.
    pub fn runners(&self, instance: u32, inst: u32) -> impl Iterator<Item = usize> {
        // Where it starts is known of all but the program's own thread.
        let own = self.all.first().filter(|own| own.first.is_none() && own.runs_instance(instance));
        let part = self.reach.part(instance);
        let others = part.and_then(|part| self.runners.get(part as usize)).into_iter().flatten();
        let all = own.map(|_| 0).into_iter().chain(others.map(|number| *number as usize));
        all.take(MOST_RUNNERS)
            .filter(move |number| self.all.get(*number).is_some_and(|p| !p.is_quiet(instance, inst)))
    }
}

/// The program's own thread.
fn own_thread(given: &Given<'_>, instances: &Instances<'_>, reach: &Rc<Reach>, main: &[MethodId]) -> Process {
    let mut quiet = Quiet::new(given, instances);
    for method in main.iter().filter_map(|method| instances.free.get(method)) {
        quiet.start(*method);
    }
    let (mut walked, active) = quiet.finish();
    let mut runs = reach.of_all(&active);
    // What also runs beside others runs beside others.
    walked.retain(|instance, _| !contains(&runs, *instance));
    for instance in walked.keys() {
        insert(&mut runs, *instance);
    }
    let mut process = Process {
        name: "main".to_owned(),
        many: false,
        is_known: true,
        regions: Rc::from([]),
        first: None,
        reach: Rc::clone(reach),
        runs: OnceCell::from(Rc::from(runs)),
        quiet: walked,
    };
    let mut regions = Vec::new();
    for (number, instance) in (0u32..).zip(&instances.all) {
        if process.runs_instance(number) {
            let starts = instance.starts().filter(|(_, start)| !process.is_quiet(number, *start));
            regions.extend(starts.map(|(RegionId(region), _)| region));
        }
    }
    regions.sort_unstable();
    regions.dedup();
    process.regions = regions.into();
    process
}

/// The thread that starts in a root.
fn thread_name(given: &Given<'_>, root: &Root) -> String {
    let name = method_name(given, root.method);
    match root.kind {
        RootKind::Entry | RootKind::Public => format!("caller of {name}"),
        RootKind::Finalizer => "finalizer".to_owned(),
        RootKind::Main | RootKind::Task => name,
    }
}

/// `pkg.Class.method`
pub fn method_name(given: &Given<'_>, method: MethodId) -> String {
    let program = given.program;
    let class = program.class(program.method(method).owner).name().replace('/', ".");
    format!("{class}.{}", program.names_of(method).0)
}

/// Who leads to whom: instances, and after them the libraries that call on behalf of others.
struct Spread {
    hubs: FxHashMap<u32, u32>,
    graph: Lists,
}

impl Spread {
    fn new(given: &Given<'_>, instances: &Instances<'_>) -> Self {
        let mut hubs: FxHashMap<u32, u32> = FxHashMap::default();
        // By method: what it leads to besides its calls.
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
        let mut graph = Lists::default();
        for instance in &instances.all {
            let more = by_method.get(&instance.method).into_iter().flatten();
            graph.push(instance.calls.iter().map(|(_, callee)| callee).chain(more).copied());
        }
        for list in by_hub {
            graph.push(list);
        }
        Spread { hubs, graph }
    }
}
