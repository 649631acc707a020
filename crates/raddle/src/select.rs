//! Names on the command line: rules, detectors, refinements. An unknown one is an error with the nearest known one.

use detect::on_code::CodeSpec;
use detect::{Refinements, Spec, on_code, on_trace};
use findings::Rule;

use crate::error::Failure;

/// The detectors over a trace to run: those named (all, if none is), as far as they report one of the rules named.
pub fn on_trace(names: &[String], rules: &[Rule]) -> Result<Vec<&'static Spec>, Failure> {
    let all: Vec<Row> = on_trace::ALL.iter().map(|spec| (spec.name, spec.rules)).collect();
    let others: Vec<Row> = on_code::ALL.iter().map(|spec| (spec.name, spec.rules)).collect();
    let chosen = detectors(names, rules, &all, &others, "in a trace")?;
    Ok(on_trace::ALL.iter().copied().filter(|spec| chosen.contains(&spec.name)).collect())
}

/// The same for those over code; some have to be named to be run.
pub fn on_code(names: &[String], rules: &[Rule]) -> Result<Vec<&'static CodeSpec>, Failure> {
    let all: Vec<Row> = on_code::ALL.iter().map(|spec| (spec.name, spec.rules)).collect();
    let others: Vec<Row> = on_trace::ALL.iter().map(|spec| (spec.name, spec.rules)).collect();
    let mut chosen = detectors(names, rules, &all, &others, "in code")?;
    if names.is_empty() {
        chosen.retain(|name| !on_code::ON_REQUEST.contains(name));
    }
    Ok(on_code::ALL.iter().copied().filter(|spec| chosen.contains(&spec.name)).collect())
}

/// Whether there are detectors of these names, over traces or code.
pub fn are_detectors(names: &[String]) -> Result<(), Failure> {
    let all: Vec<Row> = on_trace::ALL.iter().map(|spec| (spec.name, spec.rules)).collect();
    let others: Vec<Row> = on_code::ALL.iter().map(|spec| (spec.name, spec.rules)).collect();
    let all = [all, others].concat();
    detectors(names, &Rule::ALL, &all, &[], "anywhere").map(drop)
}

/// A detector: its name, the rules it reports.
type Row = (&'static str, &'static [Rule]);

/// Names of those that were chosen. One that works elsewhere is no mistake: a raddle.toml speaks to all subcommands.
fn detectors(
    names: &[String],
    rules: &[Rule],
    all: &[Row],
    others: &[Row],
    place: &str,
) -> Result<Vec<&'static str>, Failure> {
    let mut chosen: Vec<&'static str> = Vec::new();
    for name in names {
        if name == "all" {
            chosen.extend(all.iter().map(|row| row.0));
        } else if others.iter().any(|row| row.0 == name) {
            continue;
        } else {
            let help = "raddle explain DETECTOR tells how it works";
            chosen.push(one("detector", name, all, |row| row.0, help)?.0);
        }
    }
    if names.is_empty() {
        chosen.extend(all.iter().map(|row| row.0));
    }
    chosen
        .retain(|name| all.iter().any(|row| row.0 == *name && row.1.iter().any(|rule| rules.contains(rule))));
    if chosen.is_empty() {
        let rules: Vec<&str> = rules.iter().map(|rule| rule.name()).collect();
        return Err(Failure::with_help(
            format!("none of the detectors chosen finds {} {place}", rules.join(" or ")),
            "raddle rules lists which detector finds what",
        ));
    }
    Ok(chosen)
}

/// The rules named; all, if none is.
pub fn rules(names: &[String]) -> Result<Vec<Rule>, Failure> {
    if names.is_empty() || names.iter().any(|name| name == "all") {
        return Ok(Rule::ALL.to_vec());
    }
    names
        .iter()
        .map(|name| one("rule", name, &Rule::ALL, |rule| rule.name(), "raddle rules lists them"))
        .collect()
}

/// Atomizer's refinements named.
pub fn refinements(names: &[String]) -> Result<Refinements, Failure> {
    type Row = (&'static str, fn(&mut Refinements));
    const ROWS: &[Row] = &[
        ("reentrant", |r| r.reentrant = true),
        ("thread-local", |r| r.thread_local = true),
        ("thread-local-2", |r| r.thread_local_2 = true),
        ("protected", |r| r.protected = true),
        ("write-protected", |r| r.write_protected = true),
        ("all", |r| *r = Refinements::ALL),
        ("none", |_| {}),
    ];
    if names.is_empty() {
        return Ok(Refinements::ALL);
    }
    let mut chosen = Refinements::NONE;
    for name in names {
        one("refinement", name, ROWS, |row| row.0, "raddle explain atomizer tells what they do")?.1(
            &mut chosen,
        );
    }
    Ok(chosen)
}

/// The row of a name.
pub fn one<T: Copy>(
    kind: &str,
    name: &str,
    rows: &[T],
    name_of: impl Fn(&T) -> &'static str,
    else_help: &str,
) -> Result<T, Failure> {
    if let Some(row) = rows.iter().find(|row| name_of(row) == name) {
        return Ok(*row);
    }
    let known: Vec<&str> = rows.iter().map(&name_of).collect();
    let help = match nearest(name, &known) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("there are {}; {else_help}", known.join(", ")),
    };
    Err(Failure::with_help(format!("no {kind} is called '{name}'"), help))
}

/// The known name that differs least, if it differs little: by at most a third of its letters.
pub fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let name = name.to_lowercase().replace('_', "-");
    known
        .iter()
        .map(|&candidate| (distance(&name, candidate), candidate))
        .min()
        .filter(|&(distance, candidate)| distance <= candidate.len().div_ceil(3))
        .map(|(_, candidate)| candidate)
}

/// How many letters have to be put in, taken out or changed (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    // A name longer than this is near to nothing.
    for (i, x) in a.chars().take(100).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_counts_letters() {
        for (a, b, expected) in [("", "", 0), ("a", "", 1), ("race", "racer", 1), ("kitten", "sitting", 3)] {
            assert_eq!(distance(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn a_misspelt_name_is_recognised_and_a_wild_one_is_not() {
        let known = ["data-race", "lock-order", "non-atomic"];
        assert_eq!(nearest("datarace", &known), Some("data-race"));
        assert_eq!(nearest("Lock_Order", &known), Some("lock-order"));
        assert_eq!(nearest("zebra", &known), None);
    }

    #[test]
    fn refinements_add_up() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(refinements(&[]).unwrap(), Refinements::ALL);
        assert_eq!(refinements(&names(&["none"])).unwrap(), Refinements::NONE);
        assert_eq!(refinements(&names(&["none", "all"])).unwrap(), Refinements::ALL);
        let two = refinements(&names(&["reentrant", "protected"])).unwrap();
        assert_eq!(two, Refinements { reentrant: true, protected: true, ..Refinements::NONE });
        assert!(refinements(&names(&["reentrent"])).is_err());
    }
}
