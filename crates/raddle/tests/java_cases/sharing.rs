//! Judges by what runs have shown what the checks over code take for local: an access of which the analysis says that no
//! two threads share its object must never have touched anything that two threads accessed. Where a line has several
//! accesses of one kind to fields of one name, a trace cannot tell them apart; then all of them have to be local.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use events::models::Models;
use program::input::{self, Jdk, Options};
use program::ir::{FieldRef, Op};
use program::points::{Points, World};
use program::{Program, Sharing};

use crate::plans::{Site, classes_of, shared};

/// The accesses that the analysis takes for local, in code that it reached.
fn local(name: &str, folder: &Path) -> BTreeSet<Site> {
    let found = input::read(&classes_of(name, folder), &Options::default()).expect("readable");
    let jdk = Jdk::find(None).expect("readable").expect("a JDK is installed");
    let program = Program::load(found, Some(&jdk), 1);
    let models = Models::builtin().expect("they parse");
    let points = Points::new(&program, &models, World::Guess);
    let sharing = Sharing::new(&program, &points);
    let mut sites: BTreeMap<Site, bool> = BTreeMap::new();
    for method in program.input_methods().filter(|method| points.is_reached(*method)) {
        let Some(body) = program.body(method) else { continue };
        let owner = program.method(method).owner;
        let class = program.class(owner);
        let (own, descriptor) = program.names_of(method);
        let named = format!("{}.{own}{descriptor}", class.name().replace('/', "."));
        let field = |field: FieldRef| {
            let found = program.field_of(owner, field);
            found.map(|field| program.field(field).name.to_string())
        };
        for (inst, number) in body.insts.iter().zip(0..) {
            let (write, field) = match inst.op {
                Op::Get { field: of, .. } => (false, field(of)),
                Op::Put { field: of, .. } => (true, field(of)),
                Op::Load { .. } => (false, None),
                Op::Store { .. } => (true, None),
                _ => continue,
            };
            let is_local = !sharing.maybe_shared(&program, &points, method, number);
            *sites.entry((named.clone(), u32::from(inst.line), write, field)).or_insert(true) &= is_local;
        }
    }
    sites.into_iter().filter(|(_, is_local)| *is_local).map(|(site, _)| site).collect()
}

/// How many accesses of a program are taken for local, and which of them touched what two threads accessed in a run.
pub fn judge(name: &str, folder: &Path, trace: &Path) -> (usize, Vec<Site>) {
    let local = local(name, folder);
    let wrong = local.intersection(&shared(trace)).cloned().collect();
    (local.len(), wrong)
}
