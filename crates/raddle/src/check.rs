//! `raddle check`: class files in, one report out. Nothing is run.
//!
//! What was found in the same inputs before is told again (`check_cache.rs`).

use std::time::Instant;

use detect::Options;
use program::points::World;

use crate::analyze::stats;
use crate::cli::CheckArgs;
use crate::code::Checking;
use crate::error::{Failure, Outcome};
use crate::filter::Filter;
use crate::output::{Color, Stream, tell};
use crate::progress::Stage;
use crate::report::Telling;
use crate::select;

/// Runs it.
pub fn run(mut args: CheckArgs, color: Color) -> Result<Outcome, Failure> {
    if args.tell.classes.is_empty() {
        // What is checked says itself what shall be left alone.
        args.tell.classes.clone_from(&args.inputs);
    }
    let telling = Telling::new(&args.tell, color)?;
    let start = Instant::now();
    let checking = Checking {
        inputs: &args.inputs,
        specs: select::on_code(&args.detectors, &telling.rules)?,
        options: Options { paper: args.paper, stale_uses: args.stale_uses.into(), ..Options::default() },
        world: if args.library { World::Library } else { World::Guess },
        jdk: args.jdk.as_deref(),
        threads: args.threads,
        models: &args.models,
        plan: args.write_plan.as_deref(),
        keep: !args.no_cache,
        for_run: false,
    };
    let stage = Stage::new(!args.no_progress);
    let checked = checking.run(&stage)?;
    drop(stage);
    if let Some(said) = checked.said
        && !args.tell.quiet
    {
        tell(&said);
    }
    let mut report = checked.report;
    if args.stats {
        stats("methods", report.coverage.methods_analysed, start.elapsed());
        tell(&format!("stats: from_cache={}", checked.from_cache));
    }
    if !args.paper {
        report.gather_sets();
    }
    let filter = Filter::new(&args.include, &args.exclude);
    report.retain(|finding| filter.keeps(finding));
    telling.tell(&mut report, Stream::Out)?;
    Ok(telling.outcome(&report))
}
