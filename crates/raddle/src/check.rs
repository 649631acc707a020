//! `raddle check`: class files in, one report out. Nothing is run.
//!
//! An input that cannot be read is an error; what is broken inside of one, or missing, is a gap of the report.

use std::path::Path;
use std::time::Instant;

use detect::Options;
use detect::on_code::{self, Code};
use events::models::Models;
use findings::Gap;
use program::Program;
use program::input::{self, Found, Jdk};
use program::points::World;

use crate::analyze::stats;
use crate::cli::CheckArgs;
use crate::error::{Failure, Outcome};
use crate::filter::Filter;
use crate::output::{Color, Stream, WholeFile, tell};
use crate::plan::PlanFile;
use crate::progress::Stage;
use crate::report::Telling;
use crate::select;

/// Runs it.
pub fn run(mut args: CheckArgs, color: Color) -> Result<Outcome, Failure> {
    if args.tell.classes.is_empty() {
        // What is checked says itself what shall be left alone.
        args.tell.classes.clone_from(&args.inputs);
    }
    let missing = args.inputs.iter().find(|path| !path.exists());
    if let Some(path) = missing {
        return Err(Failure::new(format!("{}: no such file or folder", path.display())));
    }
    let telling = Telling::new(&args.tell, color)?;
    let specs = select::on_code(&args.detectors, &telling.rules)?;
    let options = Options { paper: args.paper, ..Options::default() };

    let start = Instant::now();
    let stage = Stage::new(!args.no_progress);
    stage.begin("reading classes");
    let jdk = Jdk::find(args.jdk.as_deref()).map_err(|error| Failure::new(error.to_string()))?;
    let mut reading = input::Options::default();
    if let Some(threads) = args.threads {
        reading.threads = usize::from(threads);
    }
    if let Some(jdk) = &jdk {
        reading.java = jdk.version;
    }
    let models = models(&args, reading.java)?;
    if let Some(path) = &args.write_plan {
        WholeFile::try_out(path)?;
    }
    let mut writing = args.write_plan.as_deref().map(|path| PlanFile::new(path, reading.java));
    let mut found = Found::default();
    for path in &args.inputs {
        let one = std::slice::from_ref(path);
        let one = input::read(one, &reading).map_err(|error| Failure::new(error.to_string()))?;
        if let Some(plan) = &mut writing {
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
    stage.begin("linking classes");
    let program = Program::load(found, jdk.as_ref(), reading.threads);
    stage.begin("following calls");
    let world = if args.library { World::Library } else { World::Guess };
    let code = Code::new(program, models, world);
    let mut report = on_code::check(&code, &specs, &options, |name| stage.begin(name));
    if jdk.is_none() {
        report.add_gap(Gap {
            what: "the JDK's classes".to_owned(),
            why: "no JDK was found; name one with --jdk".to_owned(),
            count: 1,
        });
    }
    let written = writing.map(|plan| {
        stage.begin("writing the plan");
        plan.write(&code)
    });
    drop(stage);
    if let Some(said) = written.transpose()?
        && !args.tell.quiet
    {
        tell(&said);
    }

    if args.stats {
        stats("methods", report.coverage.methods_analysed, start.elapsed());
    }
    let filter = Filter::new(&args.include, &args.exclude);
    report.retain(|finding| filter.keeps(finding));
    telling.tell(&mut report, Stream::Out)?;
    Ok(telling.outcome(&report))
}

/// The built-in models and those that were named.
fn models(args: &CheckArgs, java: u16) -> Result<Models, Failure> {
    let wrong = |errors: Vec<events::models::ModelError>| match errors.first() {
        Some(first) => Failure::new(first.to_string()),
        None => Failure::new("the models cannot be read"),
    };
    let mut models = Models::builtin().map_err(wrong)?;
    for path in &args.models {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::new(format!("--models {}: {error}", Path::display(path))))?;
        models.add(&path.display().to_string(), &text).map_err(wrong)?;
    }
    models.keep_jdk(java);
    Ok(models)
}
