//! `raddle check`: class files in, one report out. Nothing is run.
//!
//! What was found in the same inputs before is told again (`check_cache.rs`).
//!
//! An input that cannot be read is an error; what is broken inside of one, or missing, is a gap of the report.

use std::path::Path;
use std::time::Instant;

use detect::Options;
use detect::on_code::{self, Code, CodeSpec};
use events::models::Models;
use findings::{Gap, Report};
use program::Program;
use program::input::{self, Jdk};
use program::points::World;

use crate::analyze::stats;
use crate::check_cache::{Entry, Key};
use crate::cli::CheckArgs;
use crate::error::{Failure, Outcome};
use crate::filter::Filter;
use crate::output::{Color, Stream};
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
    let (models, texts) = models(&args, reading.java)?;
    let kept = match args.no_cache {
        true => None,
        false => kept(&args, &specs, jdk.as_ref(), &texts),
    };
    let mut report = match kept.as_ref().and_then(Entry::read) {
        Some(report) => report,
        None => {
            let report = look(&args, &specs, jdk.as_ref(), models, reading, &stage)?;
            if let Some(kept) = kept {
                kept.write(&report);
            }
            report
        }
    };
    drop(stage);

    if args.stats {
        stats("methods", report.coverage.methods_analysed, start.elapsed());
    }
    let filter = Filter::new(&args.include, &args.exclude);
    report.retain(|finding| filter.keeps(finding));
    telling.tell(&mut report, Stream::Out)?;
    Ok(telling.outcome(&report))
}

/// Reads and checks the inputs.
fn look(
    args: &CheckArgs,
    specs: &[&'static CodeSpec],
    jdk: Option<&Jdk>,
    models: Models,
    reading: input::Options,
    stage: &Stage,
) -> Result<Report, Failure> {
    let found = input::read(&args.inputs, &reading).map_err(|error| Failure::new(error.to_string()))?;
    if found.classes.is_empty() {
        return Err(Failure::with_help(
            "there are no classes in what was named",
            "name jars, folders with classes, or class files; sources have to be compiled first",
        ));
    }
    stage.begin("linking classes");
    let program = Program::load(found, jdk, reading.threads);
    stage.begin("following calls");
    let world = if args.library { World::Library } else { World::Guess };
    let code = Code::new(program, models, world);
    let options = Options { paper: args.paper, ..Options::default() };
    let mut report = on_code::check(&code, specs, &options, |name| stage.begin(name));
    if jdk.is_none() {
        report.add_gap(Gap {
            what: "the JDK's classes".to_owned(),
            why: "no JDK was found; name one with --jdk".to_owned(),
            count: 1,
        });
    }
    Ok(report)
}

/// Where what is found in these inputs, with these options, is kept.
fn kept(
    args: &CheckArgs,
    specs: &[&'static CodeSpec],
    jdk: Option<&Jdk>,
    models: &[String],
) -> Option<Entry> {
    let mut key = Key::new()?;
    key.text(&format!("paper={} library={}", args.paper, args.library));
    for spec in specs {
        key.text(spec.name);
    }
    for text in models {
        key.text(text);
    }
    match jdk {
        Some(jdk) => key.file_as_it_is(jdk.image.path()).ok()?,
        None => key.text("no JDK"),
    }
    for input in &args.inputs {
        key.input(input).ok()?;
    }
    key.entry()
}

/// The built-in models and those that were named, and the texts of these.
fn models(args: &CheckArgs, java: u16) -> Result<(Models, Vec<String>), Failure> {
    let wrong = |errors: Vec<events::models::ModelError>| match errors.first() {
        Some(first) => Failure::new(first.to_string()),
        None => Failure::new("the models cannot be read"),
    };
    let mut models = Models::builtin().map_err(wrong)?;
    let mut texts = Vec::new();
    for path in &args.models {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::new(format!("--models {}: {error}", Path::display(path))))?;
        models.add(&path.display().to_string(), &text).map_err(wrong)?;
        texts.push(text);
    }
    models.keep_jdk(java);
    Ok((models, texts))
}
