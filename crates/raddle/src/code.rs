//! Reads code and checks it: the whole of `raddle check`, and a part of `raddle run --check`.
//!
//! An input that cannot be read is an error; what is broken inside of one, or missing, is a gap of the report.

use std::path::{Path, PathBuf};

use detect::on_code::{self, Code, CodeSpec};
use detect::{MayAccess, Options};
use events::models::Models;
use findings::{Gap, Report, Rule};
use program::Program;
use program::input::{self, Found, Jdk};
use program::points::World;

use crate::check_cache::{Entry, Key};
use crate::error::Failure;
use crate::output::WholeFile;
use crate::plan::PlanFile;
use crate::progress::Stage;

/// What is checked, and how.
pub struct Checking<'a> {
    /// Jars, folders with classes, class files.
    pub inputs: &'a [PathBuf],
    /// What for.
    pub specs: Vec<&'static CodeSpec>,
    /// How strictly.
    pub options: Options,
    /// What is taken for roots.
    pub world: World,
    /// The JDK, if not the one that is installed.
    pub jdk: Option<&'a Path>,
    /// How many threads may work, if not as many as there are processors.
    pub threads: Option<u16>,
    /// Models besides the built-in ones.
    pub models: &'a [PathBuf],
    /// Where a plan is to be written.
    pub plan: Option<&'a Path>,
    /// Whether a run shall know what locked blocks may access.
    pub for_run: bool,
    /// Whether what was found in the same inputs before will do.
    pub keep: bool,
}

/// What a check came to.
pub struct Checked {
    /// Findings, gaps and coverage.
    pub report: Report,
    /// What there is to tell of the plan, if one was written.
    pub said: Option<String>,
    /// What locked blocks may access, if a run shall know it.
    pub may_access: Option<MayAccess>,
    /// Whether it is what was found before.
    pub from_cache: bool,
}

impl Checking<'_> {
    /// Does it.
    pub fn run(&self, stage: &Stage) -> Result<Checked, Failure> {
        if let Some(path) = self.inputs.iter().find(|path| !path.exists()) {
            return Err(Failure::new(format!("{}: no such file or folder", path.display())));
        }
        stage.begin("reading classes");
        let jdk = Jdk::find(self.jdk).map_err(|error| Failure::new(error.to_string()))?;
        let mut reading = input::Options::default();
        if let Some(threads) = self.threads {
            reading.threads = usize::from(threads);
        }
        if let Some(jdk) = &jdk {
            reading.java = jdk.version;
        }
        let (models, texts) = self.models(reading.java)?;
        if let Some(path) = self.plan {
            WholeFile::try_out(path)?;
        }
        let mut writing = self.plan.map(|path| PlanFile::new(path, reading.java));
        let found = self.read(&reading, writing.as_mut())?;
        // A plan and what a run shall know are not kept.
        let keep = self.keep && self.plan.is_none() && !self.for_run;
        let kept = if keep { self.kept(jdk.as_ref(), &texts, &found) } else { None };
        if let Some(report) = kept.as_ref().and_then(Entry::read) {
            return Ok(Checked { report, said: None, may_access: None, from_cache: true });
        }
        stage.begin("linking classes");
        let program = Program::load(found, jdk.as_ref(), reading.threads);
        stage.begin("following calls");
        let code = Code::with_threads(program, models, self.world, reading.threads);
        let begin = |name| stage.begin(name);
        let mut report = on_code::check(&code, &self.specs, &self.options, reading.threads, begin);
        if jdk.is_none() {
            report.add_gap(Gap {
                what: "the JDK's classes".to_owned(),
                why: "no JDK was found; name one with --jdk".to_owned(),
                count: 1,
            });
        }
        if let Some(kept) = kept {
            kept.write(&report);
        }
        let said = writing.map(|plan| {
            stage.begin("writing the plan");
            // Whoever does not ask for stale values does not watch any.
            let flows = match self.specs.iter().any(|spec| spec.rules.contains(&Rule::StaleValue)) {
                true => on_code::flows(&code, &self.options),
                false => Vec::new(),
            };
            plan.write(&code, &flows)
        });
        let may_access = self.for_run.then(|| on_code::may_access(&code));
        Ok(Checked { report, said: said.transpose()?, may_access, from_cache: false })
    }

    /// All classes of the inputs; a plan that is to be written gets to know them.
    fn read(&self, reading: &input::Options, mut plan: Option<&mut PlanFile>) -> Result<Found, Failure> {
        let mut found = Found::default();
        for path in self.inputs {
            let one = std::slice::from_ref(path);
            let one = input::read(one, reading).map_err(|error| Failure::new(error.to_string()))?;
            if let Some(plan) = &mut plan {
                plan.add_input(path, &one);
            }
            found.classes.extend(one.classes);
            found.gaps.extend(one.gaps);
        }
        if found.classes.is_empty() {
            return Err(Failure::with_help(
                "there are no classes in what was named",
                "name jars, folders with classes, or class files; sources have to be compiled first",
            ));
        }
        Ok(found)
    }

    /// Where what is found in these inputs, with these options, is kept.
    fn kept(&self, jdk: Option<&Jdk>, models: &[String], found: &Found) -> Option<Entry> {
        let mut key = Key::new()?;
        let Options { paper, stale_uses, .. } = &self.options;
        key.text(&format!("paper={paper} stale={stale_uses:?} world={:?}", self.world));
        for spec in &self.specs {
            key.text(spec.name);
        }
        for text in models {
            key.text(text);
        }
        match jdk {
            Some(jdk) => key.file_as_it_is(jdk.image.path()).ok()?,
            None => key.text("no JDK"),
        }
        key.inputs(found);
        key.entry()
    }

    fn models(&self, java: u16) -> Result<(Models, Vec<String>), Failure> {
        let (mut models, texts) = read_models(self.models)?;
        models.keep_jdk(java);
        Ok((models, texts))
    }
}

/// The built-in models and those that were named, and the text of these.
pub fn read_models(named: &[PathBuf]) -> Result<(Models, Vec<String>), Failure> {
    let wrong = |errors: Vec<events::models::ModelError>| match errors.first() {
        Some(first) => Failure::new(first.to_string()),
        None => Failure::new("the models cannot be read"),
    };
    let mut models = Models::builtin().map_err(wrong)?;
    let mut texts = Vec::new();
    for path in named {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::new(format!("--models {}: {error}", path.display())))?;
        models.add(&path.display().to_string(), &text).map_err(wrong)?;
        texts.push(text);
    }
    Ok((models, texts))
}
