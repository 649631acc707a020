//! Written traces: the paper's figures and refinements, and each kind of operation.

mod confidence;
mod figures;
mod movers;

use findings::{Report, Role};

use super::SPEC;
use crate::testing::{paper, subjects};
use crate::{Options, Refinements};

/// The refinements that `set` switches on, no others, in the papers' mode.
fn only(set: impl Fn(&mut Refinements)) -> Options {
    let mut refinements = Refinements::NONE;
    set(&mut refinements);
    Options { refinements, ..paper() }
}

/// All refinements but those that `clear` switches off, in the papers' mode.
fn without(clear: impl Fn(&mut Refinements)) -> Options {
    let mut refinements = Refinements::ALL;
    clear(&mut refinements);
    Options { refinements, ..paper() }
}

fn clean(options: &Options, text: &str) {
    assert_eq!(subjects(&SPEC, options, text), [""; 0], "{text}");
}

/// `lock` is used by three threads, so that its operations are movers to one side.
fn shared(lock: &str) -> String {
    ["A", "B", "C"].map(|t| format!("{t} acquire {lock}\n{t} release {lock}\n")).concat()
}

/// `var` is written by three threads under `lock`, or under none.
fn written(var: &str, lock: Option<&str>) -> String {
    let around = |op: &str, t: &str| lock.map_or(String::new(), |lock| format!("{t} {op} {lock}\n"));
    ["A", "B", "C"]
        .map(|t| format!("{}{t} write {var}\n{}", around("acquire", t), around("release", t)))
        .concat()
}

/// Role, class, method, line and the stack's lines of each step of the one witness.
fn steps(report: &Report) -> Vec<(Role, String, Vec<String>)> {
    let finding = report.findings().next().expect("a finding");
    finding.witnesses[0]
        .steps
        .iter()
        .map(|step| {
            let line = |f: &findings::Frame| format!("{}.{}({}:{})", f.class, f.method, f.file, f.line);
            let stack = std::iter::once(line(&step.place)).chain(step.stack.iter().map(line)).collect();
            (step.role, step.note.clone(), stack)
        })
        .collect()
}
