//! The checks over a program's code. To add one, write its file and name its `SPEC` here.
//!
//! A check is a plain function over a [`Code`]: the program, what its registers may hold, what its threads share. It puts
//! what it finds into an [`Out`], as ids; rule, subject and so the fingerprint are those of the detectors over a trace.
//! Its tests stand at its end: a program in text form with `//~ rule` marks (see [`testing`]).

pub mod accesses;
mod branches;
mod causal;
mod code;
mod evidence;
mod lock_order;
pub mod locks;
mod lockset;
mod regions;
mod stale;
#[cfg(test)]
mod testing;
mod views_code;

use findings::{Report, Rule};

pub use branches::may_access;
pub use code::{Code, Way};
pub use evidence::{Evidence, Out, Place, StepAt, Subject};
pub use stale::{WatchedFlow, flows};

use crate::Options;

/// Everything there is to know about a check before it runs. `--help`, `explain` and the docs come from here.
#[derive(Debug)]
pub struct CodeSpec {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line: how it finds what it finds.
    pub about: &'static str,
    /// A few paragraphs for `explain`: the paper, what it means, what it can miss, when it is wrong.
    pub explain: &'static str,
    /// The rules it reports.
    pub rules: &'static [Rule],
    /// Does it.
    pub check: fn(&Code, &Options, &mut Out<'_>),
}

/// Every check over code, in the order in which they are listed and run.
pub const ALL: &[&CodeSpec] =
    &[&stale::SPEC, &causal::SPEC, &lockset::SPEC, &lock_order::SPEC, &views_code::SPEC];

/// Those that run only if they are named: for comparison, with more false alarms than others of the same rule.
pub const ON_REQUEST: &[&str] = &["views-code"];

/// The check of a name.
pub fn by_name(name: &str) -> Option<&'static CodeSpec> {
    ALL.iter().copied().find(|spec| spec.name == name)
}

/// Runs checks; `begin` is told the name of each before it runs.
pub fn check(
    code: &Code,
    specs: &[&'static CodeSpec],
    options: &Options,
    mut begin: impl FnMut(&'static str),
) -> Report {
    let mut out = Out::new(code);
    for spec in specs {
        begin(spec.name);
        out.turn_to(spec.name);
        (spec.check)(code, options, &mut out);
    }
    let mut report = out.into_report();
    code.cover(&mut report);
    report
}
