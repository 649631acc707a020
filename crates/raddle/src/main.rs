//! The command: flags, files, exit codes. Everything it tells is made by `findings`, everything it finds by `detect`.

mod analyze;
mod baseline;
mod check;
mod check_cache;
mod cli;
mod cli_examples;
mod cli_report;
mod code;
mod completions;
mod config;
mod config_options;
mod config_suppress;
mod error;
mod explain;
mod filter;
mod init;
mod output;
mod plan;
mod progress;
mod report;
mod report_again;
mod report_annotations;
mod report_judge;
mod report_sources;
mod rules;
mod run;
mod select;
mod trace;

use std::process::ExitCode;

use cli::{Cli, Command};
use error::{Failure, Outcome};

/// Analyses keep very many small lists that grow now and then.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let outcome = match config::parse(std::env::args_os().collect()) {
        Ok(Ok(cli)) => dispatch(cli),
        Ok(Err(usage)) => cli::usage(&usage),
        Err(failure) => Err(failure),
    };
    match outcome {
        Ok(outcome) => outcome.code(),
        Err(failure) => failure.tell(),
    }
}

fn dispatch(cli: Cli) -> Result<Outcome, Failure> {
    let color = cli.color;
    match cli.command {
        Command::Run(mut args) => {
            args.report.tell.class_path = run::class_path(&args.command);
            run::run(&args, color)
        }
        Command::Check(args) => check::run(args, color),
        Command::Analyze(args) => analyze::run(&args, color),
        Command::Trace(args) => trace::run(&args),
        Command::Rules => rules::run(color),
        Command::Explain(args) => explain::run(&args.name, color),
        Command::Report(args) => report_again::run(&args, color),
        Command::Baseline(args) => baseline::run(&args),
        Command::Init => init::run(),
        Command::Schema(args) => completions::schema(args.of),
        Command::Completions(args) => completions::run(args.shell),
        Command::Man(args) => completions::man(args.to.as_deref()),
    }
}
