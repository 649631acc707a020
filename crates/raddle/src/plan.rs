//! Plans as files: `raddle check --write-plan` writes one, `raddle run --plan` has the agent read it. What a plan cannot
//! know is a gap of the run's report.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use detect::on_code::{Code, WatchedFlow};
use events::plan::{ClassHash, FlowFacts, MethodFacts, Plan, PlanInput};
use findings::{Gap, plural, thousands};
use program::MethodId;
use program::input::Found;

use crate::error::Failure;
use crate::output::WholeFile;

/// A plan that is to be written.
pub struct PlanFile {
    path: PathBuf,
    java: u16,
    inputs: Vec<PlanInput>,
    /// The hashes of the classes by where they were found.
    hashes: HashMap<String, ClassHash>,
}

impl PlanFile {
    /// For classes of a JDK of this version.
    pub fn new(path: &Path, java: u16) -> PlanFile {
        PlanFile { path: path.to_owned(), java, inputs: Vec::new(), hashes: HashMap::new() }
    }

    /// Notes what was found in an input, before it is taken apart.
    pub fn add_input(&mut self, path: &Path, found: &Found) {
        let hashes: Vec<ClassHash> = found.classes.iter().map(|class| ClassHash::of(&class.bytes)).collect();
        let places = found.classes.iter().map(|class| class.place.clone());
        self.hashes.extend(places.zip(hashes.iter().copied()));
        let hash = ClassHash::of_all(hashes);
        self.inputs.push(PlanInput { hash, path: path.display().to_string() });
    }

    /// Writes it; what to tell the user.
    pub fn write(self, code: &Code, flows: &[WatchedFlow]) -> Result<String, Failure> {
        let hash_of = |place: &str| self.hashes.get(place).copied();
        let plan = program::plan(&code.program, &code.points, &code.sharing, hash_of);
        let mut plan = Plan { java: self.java, inputs: self.inputs, ..plan };
        watch(&mut plan, code, flows);
        let mut file = WholeFile::create(&self.path)?;
        file.write_all(plan.to_text().as_bytes()).map_err(|error| file.fail(&error))?;
        file.finish()?;
        let mut text = format!(
            "{}: {} in {} {} no probe",
            self.path.display(),
            plural(plan.spared() as u64, "access", "accesses"),
            plural(plan.classes.len() as u64, "class", "classes"),
            if plan.spared() == 1 { "needs" } else { "need" },
        );
        if plan.flows() > 0 {
            let is = if plan.flows() == 1 { "is" } else { "are" };
            text.push_str(&format!("; {} {is} watched", plural(plan.flows() as u64, "value", "values")));
        }
        if let Some(first) = plan.blind.first() {
            let places = plural(plan.blind.len() as u64, "place", "places");
            text.push_str(&format!("; {places} could not be followed ({first})"));
        }
        Ok(text)
    }
}

/// Adds the values that are to be watched. A class without a hash is not in the plan; nor are its values then.
fn watch(plan: &mut Plan, code: &Code, flows: &[WatchedFlow]) {
    let named: HashMap<String, usize> =
        plan.classes.iter().enumerate().rev().map(|(at, (_, class))| (class.name.clone(), at)).collect();
    let at = |method: MethodId| {
        let owner = code.program.method(method).owner;
        named.get(&code.program.class(owner).name().replace('/', ".")).copied()
    };
    let pc = |method: MethodId, inst: u32| {
        code.program.body(method).and_then(|body| body.insts.get(inst as usize)).map(|inst| inst.pc)
    };
    for flow in flows {
        let source = flow.source;
        let (Some(class), Some(source_class)) = (at(flow.method), at(source.method)) else { continue };
        let (Some(read), Some(told)) = (pc(flow.method, flow.read), pc(source.method, source.inst)) else {
            continue;
        };
        let mut uses: Vec<u16> = flow.uses.iter().filter_map(|inst| pc(flow.method, *inst)).collect();
        uses.sort_unstable();
        uses.dedup();
        let reads = &mut facts(plan, code, source.method, source_class).told;
        if let Err(place) = reads.binary_search(&told) {
            reads.insert(place, told);
        }
        facts(plan, code, flow.method, class).flows.push(FlowFacts { kind: flow.kind, read, uses });
    }
}

/// What the plan says of a method.
fn facts<'p>(plan: &'p mut Plan, code: &Code, method: MethodId, class: usize) -> &'p mut MethodFacts {
    let (name, descriptor) = code.program.names_of(method);
    let index = u16::try_from(code.program.method(method).index).unwrap_or(u16::MAX);
    plan.classes[class].1.method_mut(index, &format!("{name}{descriptor}"))
}

/// Reads a plan that a run shall go by. The path is made absolute: the JVM may be started in another folder.
pub fn read(path: &Path) -> Result<(PathBuf, Plan), Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure::new(format!("--plan {}: {error}", path.display()));
    let whole = path.canonicalize().map_err(|error| wrong(&error))?;
    let bytes = std::fs::read(&whole).map_err(|error| wrong(&error))?;
    let plan = Plan::parse(&bytes).map_err(|error| match wrong(&error) {
        Failure::Error { text, .. } => Failure::with_help(text, "raddle check --write-plan writes a new one"),
        other => other,
    })?;
    Ok((whole, plan))
}

/// What the plan has not followed, as a gap of the run.
pub fn blind(plan: &Plan) -> Option<Gap> {
    let first = plan.blind.first()?;
    let others = match plan.blind.len() {
        1 => String::new(),
        count => format!(", and {} more", thousands(count as u64 - 1)),
    };
    let why = format!("it does not follow everything ({first}{others}); what that shares could go unseen");
    Some(Gap { what: "the plan".to_owned(), why, count: plan.blind.len() as u64 })
}
