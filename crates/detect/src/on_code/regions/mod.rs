//! What the detectors over atomic regions share: where regions are, which methods run in them, which threads run those,
//! which variables they read and write. A **region** is code that holds a lock (a monitor, or a lock that model tables
//! know) or a method that is annotated `@Atomic`, whatever the package.
//!
//! Nothing is judged here.

pub mod body;
pub mod groups;
pub mod instances;
pub mod paths;
pub mod processes;
mod quiet;
mod reach;
pub mod sequence;
pub mod telling;
pub mod variables;
pub mod views;

use events::models::Models;
use program::points::Points;
use program::{Program, Sharing};

use super::Code;

/// A region's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegionId(pub u32);

impl RegionId {
    /// Its index, for vectors.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is known of a program.
#[derive(Clone, Copy)]
pub struct Given<'p> {
    /// The program.
    pub program: &'p Program,
    /// The model tables.
    pub models: &'p Models,
    /// Calls and objects.
    pub points: &'p Points,
    /// What threads share.
    pub sharing: &'p Sharing,
}

impl<'p> Given<'p> {
    /// What a check is given.
    pub fn new(code: &'p Code) -> Given<'p> {
        let Code { program, points, sharing, models, .. } = code;
        Given { program, models, points, sharing }
    }
}

/// How many processes are known for one instance: a library has as many as public methods.
const MOST_RUNNERS: usize = 32;

/// Everything that is known of a program's regions.
pub struct Regions<'p> {
    /// The program.
    pub given: Given<'p>,
    /// Methods within regions.
    pub instances: instances::Instances<'p>,
    /// Variables, and which regions may be under one lock.
    pub variables: variables::Variables,
    /// Who runs what.
    pub processes: Vec<processes::Process>,
    /// By instance: some processes that run it, in order.
    runners: Vec<Vec<u32>>,
    /// What regions read and write.
    pub views: views::Views,
    /// Roots that were left out because there are too many.
    pub roots_left_out: u64,
}

impl<'p> Regions<'p> {
    /// Looks at a program. `stable` outlives the result; see [`paths::Stable::new`].
    pub fn new(given: Given<'p>, stable: &'p paths::Stable, paper: bool) -> Regions<'p> {
        let instances = instances::Instances::new(&given, stable);
        let variables = variables::Variables::new(&given, &instances, paper);
        let (processes, roots_left_out) = processes::processes(&given, &instances);
        let mut runners: Vec<Vec<u32>> = vec![Vec::new(); instances.all.len()];
        // Which instances may have more runners.
        let mut open = vec![u64::MAX; runners.len().div_ceil(64)];
        for (number, process) in (0u32..).zip(&processes) {
            for (at, (open, runs)) in open.iter_mut().zip(process.run_bits()).enumerate() {
                let mut rest = *open & runs;
                while rest != 0 {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    let Some(runners) = runners.get_mut(at * 64 + bit as usize) else { break };
                    runners.push(number);
                    if runners.len() == MOST_RUNNERS {
                        *open &= !(1 << bit);
                    }
                }
            }
        }
        let views = views::Views { accesses: Vec::new(), views: Vec::new() };
        let mut regions = Regions { given, instances, variables, processes, runners, views, roots_left_out };
        regions.views = views::Views::new(&regions, paper);
        regions
    }

    /// Some processes that run an instruction while others may run.
    pub fn runners(&self, instance: u32, inst: u32) -> impl Iterator<Item = usize> {
        let all = self.runners.get(instance as usize).into_iter().flatten().map(|number| *number as usize);
        all.filter(move |number| self.processes.get(*number).is_some_and(|p| p.runs(instance, inst)))
    }
}
