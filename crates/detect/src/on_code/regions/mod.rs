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

/// Everything that is known of a program's regions.
pub struct Regions<'p> {
    /// The program.
    pub given: Given<'p>,
    /// Methods within regions.
    pub instances: instances::Instances<'p>,
    /// Variables, and which regions may be under one lock.
    pub variables: variables::Variables,
    /// Who runs what.
    pub processes: processes::Processes,
    /// What regions read and write.
    pub views: views::Views,
}

impl<'p> Regions<'p> {
    /// Looks at a program. `stable` outlives the result; see [`paths::Stable::new`].
    pub fn new(given: Given<'p>, stable: &'p paths::Stable, paper: bool) -> Regions<'p> {
        let instances = instances::Instances::new(&given, stable);
        let variables = variables::Variables::new(&given, &instances, paper);
        let processes = processes::Processes::new(&given, &instances);
        let views = views::Views { accesses: Vec::new(), views: Vec::new() };
        let mut regions = Regions { given, instances, variables, processes, views };
        regions.views = views::Views::new(&regions, paper);
        regions
    }

    /// Some processes that run an instruction while others may run.
    pub fn runners(&self, instance: u32, inst: u32) -> impl Iterator<Item = usize> {
        self.processes.runners(instance, inst)
    }
}
