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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::on_code::testing::{JDK, code};

    /// A tank whose gauge reads the capacity on one branch only, and two threads that use it.
    const TANK: &str = "
        class Tank extends java.lang.Thread {
            field int level
            field int capacity
            method void <init>() { call special void java.lang.Thread.<init>()(this) return }
            method int shown() {
                enter this
                level = get int Tank.level of this
                ten = 10
                if level < ten then low else enough
                low: exit this return ten
                enough: capacity = get int Tank.capacity of this exit this return capacity
            }
            method void refill(int level) {
                enter this
                put int Tank.level of this = level
                exit this
                return
            }
            method void resize(int capacity) {
                enter this
                put int Tank.capacity of this = capacity
                exit this
                return
            }
            method public void run() {
                shown = call virtual int Tank.shown()(this)
                call virtual void Tank.refill(int)(this, shown)
                call virtual void Tank.resize(int)(this, shown)
                return
            }
        }
        class Main {
            method public static void main(java.lang.String[] args) {
                tank = new Tank
                call special void Tank.<init>()(tank)
                call virtual void Tank.start()(tank)
                shown = call virtual int Tank.shown()(tank)
                call virtual void Tank.refill(int)(tank, shown)
                return
            }
        }";

    #[test]
    fn a_region_may_access_what_any_of_its_branches_does_and_no_more() {
        let code = code(&format!("{JDK}{TANK}"));
        let found = may_access(&code);
        let begin = |name: &str| {
            let method = code.methods().find(|method| code.program.names_of(*method).0 == name);
            code.frame(method.expect("a method of that name"), Some(0))
        };
        let may = |method: &str, write: bool, field: &str| found.may(&begin(method), write, field);
        assert!(may("shown", false, "Tank.level") && may("shown", false, "Tank.capacity"), "{found:?}");
        assert!(!may("shown", true, "Tank.level") && !may("shown", true, "Tank.capacity"));
        assert!(may("refill", true, "Tank.level") && !may("refill", true, "Tank.capacity"));
        assert!(!may("refill", false, "Tank.capacity") && !may("run", false, "Tank.level"));
    }
}
