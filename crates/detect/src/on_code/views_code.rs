//! `views-code`: the definition of 2003 on the views that code has, for comparison: the column "Artho" of MoTH's tables.
//!
//! Artho, Havelund, Biere, *High-level data races* (2003), section 3: a view is the set of variables that a region accesses,
//! reads and writes alike; what the views of a process have in common with a maximal view of another one must form
//! a chain. A conflict's subject is, as in the detector over a trace, the fields of all overlaps that diverge.
//!
//! By default only regions under the same lock are compared, and what never changes while others run is in no view
//! (`regions/views.rs`); with `--paper` neither. What no thread makes anything of together is reported all the same: that is
//! why the command leaves this check out unless it is asked for, see [`SPEC`].

use findings::{Confidence, Role, Rule};

use super::regions::groups::{Group, by_lock};
use super::regions::paths::Stable;
use super::regions::telling::Teller;
use super::regions::variables::VarId;
use super::regions::{Given, RegionId, Regions};
use super::{Code, CodeSpec, Evidence, Out};
use crate::Options;

/// The check.
pub static SPEC: CodeSpec = CodeSpec {
    name: "views-code",
    about: "high-level races: variables used together in one atomic block here, and one after the other there",
    explain: "\
From Artho, Havelund and Biere, High-level data races (2003), on code instead of a run.

A view is the set of variables that an atomic block uses. If one thread uses x and y in one block, another thread that \
uses x in one block and y in the next can be interrupted in between. A thread may use only a part of what belongs \
together, as long as its parts form a chain, each containing the one before.

It is there for comparison: it reports variables that nobody puts together, which causal does not, and it misses stale \
values of a single variable. So it is off unless it is asked for with --detectors views-code.

By default views are compared only under locks that may be the same, and variables that nobody writes while others run \
do not count. With --paper the views of all locks are compared, and every field counts.",
    rules: &[Rule::HighLevelRace],
    check,
};

/// Views of one process under one lock, with the first region that has each.
type Sets = Vec<(Vec<VarId>, RegionId)>;

/// Comparisons that are made before the rest is left out.
const MOST_STEPS: usize = 20_000_000;

fn check(code: &Code, options: &Options, out: &mut Out<'_>) {
    let given = Given::new(code);
    let stable = Stable::new(given.program, given.points);
    let regions = Regions::new(given, &stable, options.paper);
    let mut teller = Teller::new(code, &regions);
    let mut steps = MOST_STEPS;
    let mut left_out = 0;
    for group in by_lock(&regions, options.paper) {
        let views: Vec<Sets> = group.iter().map(|group| sets(&regions, group)).collect();
        for (one, sets) in group.iter().zip(&views) {
            for (maximal, region) in sets.iter().filter(|(set, _)| set.len() > 1 && is_maximal(set, sets)) {
                for (other, apart) in group.iter().zip(&views) {
                    if apart.len() < 2 || one.process == other.process && !one.many {
                        continue;
                    }
                    let overlaps = overlaps(maximal, apart);
                    let cost = overlaps.len() * overlaps.len() + apart.len();
                    if steps < cost {
                        left_out += 1;
                        continue;
                    }
                    steps -= cost;
                    let together = (one.process, *region);
                    if let Some(evidence) = conflict(&mut teller, together, other.process, &overlaps) {
                        out.add(evidence);
                    }
                }
            }
        }
    }
    super::causal::gaps(&regions, out);
    if left_out > 0 {
        out.gap("views that views-code did not compare", "there are too many", left_out);
    }
}

/// The distinct views of a process under one lock.
fn sets(regions: &Regions<'_>, group: &Group) -> Sets {
    let mut found = Sets::new();
    for region in &group.regions {
        let view = regions.views.of(*region);
        let mut all: Vec<VarId> = view.reads.iter().chain(&view.writes).copied().collect();
        all.sort_unstable();
        all.dedup();
        if !found.iter().any(|(known, _)| *known == all) {
            found.push((all, *region));
        }
    }
    found
}

fn is_subset(one: &[VarId], other: &[VarId]) -> bool {
    one.iter().all(|var| other.binary_search(var).is_ok())
}

fn is_maximal(set: &[VarId], sets: &Sets) -> bool {
    !sets.iter().any(|(other, _)| other.len() > set.len() && is_subset(set, other))
}

fn overlaps(maximal: &[VarId], views: &Sets) -> Sets {
    let mut found = Sets::new();
    for (view, region) in views {
        let common: Vec<VarId> =
            view.iter().copied().filter(|var| maximal.binary_search(var).is_ok()).collect();
        if !common.is_empty() && !found.iter().any(|(known, _)| *known == common) {
            found.push((common, *region));
        }
    }
    found
}

/// The overlaps that diverge, if there are any.
fn conflict(
    teller: &mut Teller<'_, '_>,
    (one, whole): (usize, RegionId),
    other: usize,
    overlaps: &Sets,
) -> Option<Evidence> {
    let mut vars: Vec<VarId> = Vec::new();
    let mut shown = None;
    for (number, a) in overlaps.iter().enumerate() {
        for b in overlaps.iter().skip(number + 1) {
            if !is_subset(&a.0, &b.0) && !is_subset(&b.0, &a.0) {
                vars.extend(a.0.iter().chain(&b.0));
                shown.get_or_insert((a, b));
            }
        }
    }
    let (a, b) = shown?;
    vars.sort_unstable();
    vars.dedup();
    let only_a = *a.0.iter().find(|var| b.0.binary_search(var).is_err())?;
    let only_b = *b.0.iter().find(|var| a.0.binary_search(var).is_err())?;
    let (thread, thread_apart) = teller.threads(one, other);
    let together = format!("uses {} together in this block", teller.set(&vars));
    let mut steps = Vec::new();
    for (process, name, region, var, note) in [
        (one, &thread, whole, only_a, together),
        (one, &thread, whole, only_b, String::new()),
        (other, &thread_apart, a.1, only_a, "in one block".to_owned()),
        (other, &thread_apart, b.1, only_b, "in another block".to_owned()),
    ] {
        let read = teller.access(process, region, var, false);
        let access = read.or_else(|| teller.access(process, region, var, true))?;
        let role = if access.write { Role::Write } else { Role::Read };
        steps.push(teller.step(process, name, role, &access, note));
    }
    let lock = teller.lock(whole);
    Some(Evidence {
        rule: Rule::HighLevelRace,
        subject: teller.subject(&vars),
        confidence: Confidence::Low,
        message: format!(
            "{thread} uses {{}} together while it holds {lock}, but {thread_apart} uses them one after the other in \
             separate blocks"
        ),
        at: steps.last()?.place,
        steps,
        notes: Vec::new(),
        advice: format!("If the values have to fit together, use them in one block in {thread_apart} too"),
    })
}

#[cfg(test)]
mod tests {
    use super::SPEC;
    use crate::Options;
    use crate::on_code::testing::report;

    /// A library with as many fields; as many methods that use all of them but one in one block, and as many that use one of
    /// them together with each of the others, in separate blocks.
    fn library(fields: usize, methods: usize) -> String {
        let mut text = "public class Wide {\n".to_owned();
        for field in 0..fields {
            text += &format!("field private int f{field}\n");
        }
        for method in 0..methods {
            let writes: String = (0..fields)
                .filter(|n| *n != method % fields)
                .map(|n| format!("put int Wide.f{n} of this = v\n"))
                .collect();
            text += &format!(
                "method public void all{method}(int v) {{ enter this {writes} exit this return }}\n"
            );
            let pairs: String = (0..fields)
                .filter(|n| *n != method % fields)
                .map(|n| {
                    format!(
                        "enter this put int Wide.f{} of this = v put int Wide.f{n} of this = v exit this\n",
                        method % fields
                    )
                })
                .collect();
            text += &format!("method public void parts{method}(int v) {{ {pairs} return }}\n");
        }
        text + "}"
    }

    #[test]
    fn views_for_which_there_is_no_time_are_a_gap() {
        let gaps = |text: &str| -> Vec<String> {
            report(&SPEC, &Options::default(), text).gaps().map(|gap| gap.what).collect()
        };
        let (few, many) = (library(40, 4), library(60, 90));
        assert_eq!(gaps(&few), Vec::<String>::new());
        assert_eq!(gaps(&many), ["views that views-code did not compare"]);
    }
}
