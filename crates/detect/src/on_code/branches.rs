//! What each atomic region may access, whichever way its branches go: for the [views](crate::on_trace) of a run, which
//! see only what it did.

use super::Code;
use super::regions::paths::Stable;
use super::regions::{Given, Regions};
use crate::MayAccess;

/// Gathers it. A region is known by the place where it begins, as the run road names places.
pub fn may_access(code: &Code) -> MayAccess {
    let given = Given::new(code);
    let stable = Stable::new(given.program, given.points);
    let regions = Regions::new(given, &stable, false);
    let mut found = MayAccess::default();
    for instance in &regions.instances.all {
        for (region, start) in instance.starts() {
            let begin = code.frame(instance.method, Some(start));
            let view = regions.views.of(region);
            for (write, vars) in [(false, &view.reads), (true, &view.writes)] {
                for variable in vars.iter().filter_map(|var| regions.variables.get(*var)) {
                    found.add(&begin, write, &variable.name);
                }
            }
        }
    }
    found
}
