//! The command: flags, files, exit codes. Everything it tells is made by `findings`, everything it finds by `detect`.

mod analyze;
mod cli;
mod error;
mod explain;
mod filter;
mod output;
mod progress;
mod report;
mod rules;
mod run;
mod select;
mod trace;

use std::process::ExitCode;

use clap::Parser as _;

use cli::{Cli, Command};
use error::{Failure, Outcome};

fn main() -> ExitCode {
    let outcome = match Cli::try_parse() {
        Ok(cli) => dispatch(cli),
        Err(error) => cli::usage(&error),
    };
    match outcome {
        Ok(outcome) => outcome.code(),
        Err(failure) => failure.tell(),
    }
}

fn dispatch(cli: Cli) -> Result<Outcome, Failure> {
    let color = cli.color;
    match cli.command {
        Command::Run(args) => run::run(&args, color),
        Command::Analyze(args) => analyze::run(&args, color),
        Command::Trace(args) => trace::run(&args),
        Command::Rules => rules::run(color),
        Command::Explain(args) => explain::run(&args.name, color),
    }
}
