//! MoTH's figures and rules on programs in text form.

mod figures;
mod limits;
mod rules_of_control;
mod rules_of_data;
mod verdicts;

use std::collections::BTreeSet;

use program::MethodId;
use program::ir::Reg;

use super::graph::{Graph, What};
use crate::on_code::Code;
use crate::on_code::regions::paths::Stable;
use crate::on_code::regions::{Given, Regions};
use crate::on_code::testing;

/// The edges between named nodes, as `from > to` lines in order. Registers have their numbers (parameters first), so that
/// what is written in a test can be counted: `f.0` is the first parameter of `f`, `f.ret` what it returns, `f@3` the
/// version at its instruction 3, `f?2` the guard of its block 2.
struct Edges {
    data: BTreeSet<String>,
    control: BTreeSet<String>,
}

fn name(code: &Code, regions: &Regions<'_>, graph: &Graph, node: u32) -> String {
    let (instance, what) = graph.what(node);
    let method: MethodId = regions.instances.all[instance as usize].method;
    let method = code.program.names_of(method).0;
    match what {
        What::Register(Reg(reg)) => format!("{method}.{reg}"),
        What::Guard(block) => format!("{method}?{}", block.0),
        What::Returned => format!("{method}.ret"),
        What::Version(inst) => format!("{method}@{inst}"),
        What::Exit(var) => format!("{method}!{}", regions.variables.all[var.0 as usize].name),
    }
}

/// The whole graph of a program with the paper's definitions; every method in it is public and so a root.
fn edges(text: &str) -> Edges {
    let code = testing::code(text);
    let given = Given::new(&code);
    let stable = Stable::new(given.program, given.points);
    let regions = Regions::new(given, &stable, true);
    let (graph, left_out) = Graph::new(&regions, true);
    assert_eq!((left_out, regions.instances.left_out), (0, 0));
    let mut found = Edges { data: BTreeSet::new(), control: BTreeSet::new() };
    for node in 0..graph.len() as u32 {
        for edge in graph.edges(node) {
            let from = name(&code, &regions, &graph, node);
            let to = name(&code, &regions, &graph, edge.to);
            let set = if edge.control { &mut found.control } else { &mut found.data };
            set.insert(format!("{from} > {to}"));
        }
    }
    found
}

impl Edges {
    /// Compares the edges of data that touch a method, without those that only tell its callers.
    #[track_caller]
    fn data_of(&self, method: &str, expected: &[&str]) {
        let touches = |edge: &&String| {
            let of = |end: &str| {
                end.strip_prefix(method).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
            };
            !edge.contains('!') && edge.split(" > ").any(of)
        };
        let found: Vec<&str> = self.data.iter().filter(touches).map(String::as_str).collect();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }

    fn has_control(&self, from: &str, to: &str) -> bool {
        self.control.contains(&format!("{from} > {to}"))
    }

    /// Is there a way of conditions and data from one node to the other?
    fn leads(&self, from: &str, to: &str) -> bool {
        let mut seen = BTreeSet::from([from.to_owned()]);
        let mut work = vec![from.to_owned()];
        while let Some(node) = work.pop() {
            for edge in self.data.iter().chain(&self.control) {
                if let Some((start, end)) = edge.split_once(" > ")
                    && start == node
                    && seen.insert(end.to_owned())
                {
                    work.push(end.to_owned());
                }
            }
        }
        seen.contains(to)
    }
}
