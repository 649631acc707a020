//! Plans as files: `raddle check --write-plan` writes one, `raddle run --plan` has the agent read it. What a plan cannot
//! know is a gap of the run's report.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use detect::on_code::Code;
use events::plan::{ClassHash, Plan, PlanInput};
use findings::{Gap, plural, thousands};
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
    pub fn write(self, code: &Code) -> Result<String, Failure> {
        let hash_of = |place: &str| self.hashes.get(place).copied();
        let plan = program::plan(&code.program, &code.points, &code.sharing, hash_of);
        let plan = Plan { java: self.java, inputs: self.inputs, ..plan };
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
        if let Some(first) = plan.blind.first() {
            let places = plural(plan.blind.len() as u64, "place", "places");
            text.push_str(&format!("; {places} could not be followed ({first})"));
        }
        Ok(text)
    }
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
