//! `causal`: high-level races and stale values by causal dependencies.
//!
//! Dias, Pessanha, Lourenço, *Precise detection of atomicity violations* (2012): MoTH. Regions are `@Atomic` methods,
//! monitors and locks (`on_code/regions`); `graph.rs` and `heap.rs` build the graph of dependencies of section 4,
//! `correlation.rs` searches it, `compare.rs` has the definitions 5 to 9 and `stale.rs` those of stale values.
//!
//! What the paper leaves open is decided like this:
//! - A region is a piece of code, not a method: what a region calls belongs to it, and a method called both inside and
//!   outside is looked at for each.
//! - Nested regions under the same lock are one; under another lock each is a region, and the innermost one is what
//!   a value leaves (`StringBuffer.append` holds its own lock all the time, and is stale all the same).
//! - `wait` ends a region, unless it is in a loop that checks again.
//! - Locks are compared by the objects they may be; the same lock is known again in a callee by its name from the
//!   parameters, static fields and class literals on.
//! - With `--paper` variables are fields of classes and any path in the graph counts. What the refinements
//!   without it are is said in `compare.rs` and `stale.rs`; see `regions/variables.rs` and `regions/views.rs` for what
//!   counts as a variable.
//!
//! What it misses: what only reflection or a library's own threads do; values that pass through fields of objects from
//! one method's run to the next; locks that are only tried for. It is wrong where values need not fit together, or where
//! order is kept by other means than locks, start and join.

mod compare;
mod correlation;
mod graph;
mod heap;
mod report;
mod stale;
#[cfg(test)]
mod tests;
mod through;

use findings::{Report, Rule};
use rustc_hash::{FxHashMap, FxHashSet};

use super::regions::paths::Stable;
use super::regions::telling::Teller;
use super::regions::variables::VarId;
use super::regions::views::Access;
use super::regions::{Given, Regions};
use super::{Code, CodeSpec, Out};
use crate::Options;

/// The check.
pub static SPEC: CodeSpec = CodeSpec {
    name: "causal",
    about: "high-level races and stale values: which values depend on which, from one atomic block to the next",
    explain: "\
From Dias, Pessanha and Lourenço, Precise detection of atomicity violations (2012).

A value that is read under a lock says nothing about the variable any more once the lock has been given up. If it \
then decides what is written under the lock next time, whatever others wrote in between is lost: a stale value. And if \
one thread writes x and y in one block, another one that reads x in one block and y in the next, and makes something \
of both, may have put an old x and a new y together: a high-level race.

Which value depends on which is found in the code: by what is computed from it, by which conditions it decides, \
through calls. Atomic blocks are synchronized blocks and methods, lock() to unlock(), and methods with an annotation \
called Atomic. Who runs a block comes from main, threads, tasks and what frameworks call; without any of these every \
public method is run by threads of its own.

It misses what reflection does, locks that are only tried for, and values that are kept in a field from one call of \
a method to the next. It may be wrong where values need not fit together.

By default only blocks under the same lock are compared, variables that nobody writes while others run do not count, \
two uses must be of fields of one class and come one after the other, two reads must lead to something that depends \
on both, two writes must be read together by somebody who does not wait for them, and a stale value must be written back, or decide \
about a block that uses the variable without another look. A lock that is only taken under a certain other one is left out. With --paper a \
variable is a field of a class, whatever the object, and the paper's definitions are used as they are.",
    rules: &[Rule::HighLevelRace, Rule::StaleValue],
    check,
};

fn check(code: &Code, options: &Options, out: &mut Out<'_>) {
    let given = Given::new(code);
    let stable = Stable::new(given.program, given.points);
    let regions = Regions::new(given, &stable, options.paper);
    let (graph, left_out) = graph::Graph::new(&regions, options.paper);
    gap(out, "methods that causal did not look at as a whole", "they are too large, or too many", left_out);
    let mut correlation = correlation::Correlation::new(&regions, &graph, options.paper);
    let (conflicts, left_out) = compare::conflicts(&regions, &mut correlation, options.paper);
    gap(out, "views that causal did not compare", "there are too many", left_out);
    let stale = stale::stale_values(&regions, &graph, options.paper);
    let given_up = stale.given_up + correlation.given_up;
    gap(out, "values that causal did not follow to the end", "too much depends on them", given_up);
    let what = "uses of values that causal did not judge";
    gap(out, what, "more kinds of threads read these values than are told apart", stale.by_others);
    let mut stale = stale.values;
    let mut teller = Teller::new(code, &regions);
    // A report keeps but a few witnesses for each subject.
    let mut told: FxHashMap<Vec<VarId>, usize> = FxHashMap::default();
    for conflict in &conflicts {
        let times = told.entry(conflict.vars.clone()).or_default();
        if *times < Report::WITNESSES_PER_DETECTOR
            && let Some(evidence) = report::high_level_race(&mut teller, conflict)
        {
            *times += 1;
            out.add(evidence);
        }
    }
    // A lost update tells more than a condition.
    stale.sort_by_key(|value| (value.var, value.used.var != value.var, value.by_control));
    let mut told: FxHashMap<VarId, FxHashSet<_>> = FxHashMap::default();
    for value in &stale {
        let place = |access: &Access| {
            let instance = regions.instances.all.get(access.instance as usize);
            (instance.map(|instance| instance.method), access.inst)
        };
        let places = told.entry(value.var).or_default();
        if places.len() < Report::WITNESSES_PER_DETECTOR
            && places.insert((place(&value.read), place(&value.used)))
            && let Some(evidence) = report::stale_value(&mut teller, value)
        {
            out.add(evidence);
        }
    }
    gaps(&regions, out);
}

/// What the regions themselves are missing.
pub(super) fn gaps(regions: &Regions<'_>, out: &mut Out<'_>) {
    let calls = regions.instances.left_out;
    let what = "atomic blocks, and calls within them, that were not followed";
    gap(out, what, "there are too many, or too deep", calls);
    gap(out, "threads that were not looked at", "there are too many", regions.processes.left_out());
}

fn gap(out: &mut Out<'_>, what: &str, why: &str, count: u64) {
    if count > 0 {
        out.gap(what, why, count);
    }
}
