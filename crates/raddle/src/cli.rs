//! The flags. What they mean is in the help texts; what is done with them is in each subcommand's file.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand, ValueEnum};
use detect::StaleUses;

use crate::cli_examples as examples;
pub use crate::cli_report::{Level, ReportArgs, TellArgs};
use crate::error::{Failure, Outcome};
use crate::output::Color;

/// Finds concurrency errors in JVM programs: data races, high-level data races, blocks that are not atomic, lock-order
/// cycles.
#[derive(Parser, Debug)]
#[command(name = "raddle", version, before_help = examples::EXAMPLES, arg_required_else_help = true)]
#[command(disable_help_subcommand = true)]
pub struct Cli {
    /// When to colour; `auto` is on a terminal and not when NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,

    /// Take options and suppressions from this file, instead of the raddle.toml of this folder or the nearest above
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Take no options and suppressions from a file
    #[arg(long, global = true, conflicts_with = "config")]
    pub no_config: bool,

    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Watch a program run, and look for concurrency errors
    Run(RunArgs),
    /// Look for concurrency errors in a program's code, without running it
    Check(CheckArgs),
    /// Look for concurrency errors in traces
    Analyze(AnalyzeArgs),
    /// Look at traces, and convert them
    Trace(TraceArgs),
    /// List what can be found, and by which detectors
    #[command(before_help = examples::RULES)]
    Rules,
    /// Explain a rule or a detector
    Explain(ExplainArgs),
    /// Show a report again, in any format, without running anything
    Report(ReportAgainArgs),
    /// Write down which findings are there already
    Baseline(BaselineArgs),
    /// Write a raddle.toml in which every option is explained
    #[command(before_help = examples::INIT)]
    Init,
    /// Print the JSON Schema of a format
    Schema(SchemaArgs),
    /// Print a script that completes the command's words in a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write one for each subcommand
    Man(ManArgs),
}

#[derive(Args, Debug)]
#[command(before_help = examples::ANALYZE)]
pub struct AnalyzeArgs {
    /// Traces in any form (binary, readable text, STD); `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub report: ReportArgs,

    /// Only findings that touch a class of this pattern (`com.acme.*`); any number of times
    #[arg(long, value_name = "PATTERN")]
    pub include: Vec<String>,

    /// No findings about classes of this pattern; any number of times
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,

    /// Tell on standard error what the analysis cost
    #[arg(long)]
    pub stats: bool,
}

#[derive(Args, Debug)]
#[command(before_help = examples::CHECK)]
pub struct CheckArgs {
    /// What is checked: jars, folders with classes, class files
    #[arg(required = true, value_name = "PATH")]
    pub inputs: Vec<PathBuf>,

    /// Only these detectors, separated by commas, or `all`
    #[arg(long, value_name = "DETECTOR,…", value_delimiter = ',')]
    pub detectors: Vec<String>,

    /// The papers' definitions, without our refinements
    #[arg(long)]
    pub paper: bool,

    /// What a stale value has to be used for to be told: written back, or also printed, or also returned
    #[arg(long, value_name = "USE", default_value = "written")]
    pub stale_uses: Uses,

    /// No progress on standard error
    #[arg(long)]
    pub no_progress: bool,

    /// The inputs are a library: any thread may call every public method
    #[arg(long)]
    pub library: bool,

    /// The JDK that the program runs on; else that of JAVA_HOME, or of the `java` on the path
    #[arg(long, value_name = "DIR")]
    pub jdk: Option<PathBuf>,

    /// How many threads may work at the same time; else as many as there are processors
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,

    /// What library calls mean, in addition to what is built in; any number of times
    #[arg(long, value_name = "FILE")]
    pub models: Vec<PathBuf>,

    /// Look again, whatever was found in the same inputs before, and keep nothing
    #[arg(long)]
    pub no_cache: bool,

    /// Only findings that touch a class of this pattern (`com.acme.*`); any number of times
    #[arg(long, value_name = "PATTERN")]
    pub include: Vec<String>,

    /// No findings about classes of this pattern; any number of times
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,

    /// Write down which accesses need not be watched when just this program runs (raddle run --plan)
    #[arg(long, value_name = "FILE")]
    pub write_plan: Option<PathBuf>,

    /// Tell on standard error what the check cost
    #[arg(long)]
    pub stats: bool,

    #[command(flatten)]
    pub tell: TellArgs,
}

/// What stale values are used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Uses {
    Written,
    Printed,
    Returned,
}

impl From<Uses> for StaleUses {
    fn from(uses: Uses) -> StaleUses {
        match uses {
            Uses::Written => StaleUses::Written,
            Uses::Printed => StaleUses::Printed,
            Uses::Returned => StaleUses::Returned,
        }
    }
}

#[derive(Args, Debug)]
#[command(before_help = examples::RUN)]
pub struct RunArgs {
    /// The program and its arguments, after `--`
    #[arg(required = true, value_name = "COMMAND", trailing_var_arg = true)]
    pub command: Vec<OsString>,

    #[command(flatten)]
    pub report: ReportArgs,

    /// Watch the accesses of classes of this pattern (`com.acme.*`) only; any number of times
    #[arg(long, value_name = "PATTERN")]
    pub include: Vec<String>,

    /// Do not watch the accesses of classes of this pattern; any number of times
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,

    /// Leave classes of this pattern alone, their synchronisation too; any number of times
    #[arg(long, value_name = "PATTERN")]
    pub leave: Vec<String>,

    /// What library calls mean, in addition to what is built in; any number of times
    #[arg(long, value_name = "FILE")]
    pub models: Vec<PathBuf>,

    /// Do not watch what this plan says no two threads can reach (raddle check --write-plan writes one)
    #[arg(long, value_name = "FILE")]
    pub plan: Option<PathBuf>,

    /// Check this code first (a jar, a folder with classes), do not watch what no two threads can reach, and say of each
    /// finding whether the run, the code or both show it; any number of times
    #[arg(long, value_name = "PATH", conflicts_with = "plan")]
    pub check: Vec<PathBuf>,

    /// Which blocks should be atomic beside @Atomic methods: `synch` is synchronized methods and blocks, `export` these and
    /// all methods that are not private but for main and run
    #[arg(long, value_name = "WHICH", default_value = "synch")]
    pub blocks: Blocks,

    /// Record everything, also what tells no detector anything: slow, and finds the same
    #[arg(long, hide = true)]
    pub unfiltered: bool,

    /// Write the trace too; one of several JVMs gets its process number before the ending
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,

    /// Keep what is shared with the JVMs in this folder, which must be new or empty
    #[arg(long, value_name = "DIR")]
    pub session: Option<PathBuf>,

    /// How much room, in memory or on disk, a JVM may use before its threads have to wait
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(32..))]
    pub budget: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Blocks {
    Synch,
    Export,
}

#[derive(Args, Debug)]
#[command(before_help = examples::TRACE, arg_required_else_help = true, disable_help_subcommand = true)]
pub struct TraceArgs {
    #[command(subcommand)]
    pub command: TraceCommand,
}

#[derive(Subcommand, Debug)]
pub enum TraceCommand {
    /// Tell what a trace holds
    Stat(StatArgs),
    /// Write a trace as readable text to standard output
    Cat(CatArgs),
    /// Write a trace in another form
    Convert(ConvertArgs),
    /// Write what a JVM reports to a trace, until it ends; started by the agent (`record=FILE`)
    #[command(hide = true)]
    Follow(FollowArgs),
}

#[derive(Args, Debug)]
#[command(before_help = examples::STAT)]
pub struct StatArgs {
    /// The trace; `-` is standard input
    pub file: PathBuf,

    /// No progress on standard error
    #[arg(long)]
    pub no_progress: bool,
}

#[derive(Args, Debug)]
#[command(before_help = examples::CAT)]
pub struct CatArgs {
    /// The trace; `-` is standard input
    pub file: PathBuf,

    /// Begin at this event, counted from 1
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub from: u64,

    /// At most this many events
    #[arg(long, value_name = "N")]
    pub count: Option<u64>,

    /// Only the events of this thread; any number of times
    #[arg(long, value_name = "NAME")]
    pub thread: Vec<String>,
}

#[derive(Args, Debug)]
#[command(before_help = examples::CONVERT)]
pub struct ConvertArgs {
    /// The trace to read; `-` is standard input
    #[arg(value_name = "IN")]
    pub from: PathBuf,

    /// The trace to write; `-` is standard output
    #[arg(value_name = "OUT")]
    pub out: PathBuf,

    /// The form to write; without it the end of OUT decides: .trace binary, .txt text, .std STD
    #[arg(long, value_name = "FORM")]
    pub to: Option<To>,

    /// For STD: leave out what it cannot hold, and count it
    #[arg(long)]
    pub lossy: bool,

    /// No progress on standard error
    #[arg(long)]
    pub no_progress: bool,
}

#[derive(Args, Debug)]
#[command(before_help = examples::FOLLOW)]
pub struct FollowArgs {
    /// The session folder of a JVM; it is removed when all has been written, with the folder that it is in
    #[arg(value_name = "SESSION")]
    pub session: PathBuf,

    /// The trace to write
    #[arg(value_name = "OUT")]
    pub out: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum To {
    Binary,
    Text,
    Std,
}

#[derive(Args, Debug)]
#[command(before_help = examples::EXPLAIN)]
pub struct ExplainArgs {
    /// A rule or a detector
    #[arg(value_name = "RULE|DETECTOR")]
    pub name: String,
}

#[derive(Args, Debug)]
#[command(before_help = examples::REPORT)]
pub struct ReportAgainArgs {
    /// Reports that --format json or --output json=FILE wrote; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub tell: TellArgs,
}

#[derive(Args, Debug)]
#[command(before_help = examples::BASELINE)]
pub struct BaselineArgs {
    /// Reports that --format json or --output json=FILE wrote; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// The baseline to write; `-` is standard output
    #[arg(long, value_name = "FILE", default_value = "raddle.baseline")]
    pub to: PathBuf,
}

#[derive(Args, Debug)]
#[command(before_help = examples::SCHEMA)]
pub struct SchemaArgs {
    /// Which format
    #[arg(value_name = "FORMAT", default_value = "json")]
    pub of: SchemaOf,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SchemaOf {
    Json,
    Jsonl,
}

#[derive(Args, Debug)]
#[command(before_help = examples::COMPLETIONS)]
pub struct CompletionsArgs {
    /// Which shell
    pub shell: clap_complete::Shell,
}

#[derive(Args, Debug)]
#[command(before_help = examples::MAN)]
pub struct ManArgs {
    /// Write a page for the command and for each subcommand into this folder
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
}

impl Command {
    /// The flags that say how findings are told, of a subcommand that has them.
    pub fn tell_mut(&mut self) -> Option<&mut TellArgs> {
        match self {
            Command::Run(args) => Some(&mut args.report.tell),
            Command::Check(args) => Some(&mut args.tell),
            Command::Analyze(args) => Some(&mut args.report.tell),
            Command::Report(args) => Some(&mut args.tell),
            _ => None,
        }
    }
}

/// What clap has to say: help goes to standard output, an error becomes one line like any other.
pub fn usage(error: &clap::Error) -> Result<Outcome, Failure> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            error.print().and_then(|()| std::io::stdout().flush()).map_err(|e| Failure::stdout(&e))?;
            return Ok(Outcome::Clean);
        }
        // Nothing was asked for: the help is what helps, but it did not run.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            return Ok(Outcome::Incomplete);
        }
        _ => {}
    }
    let text = error.to_string();
    let paragraph: Vec<&str> =
        text.lines().take_while(|line| !line.trim().is_empty()).map(str::trim).collect();
    let what = paragraph.join(" ");
    // The tip that an unknown flag could be meant as a value hardly ever helps.
    let tip =
        text.lines().find_map(|line| line.trim().strip_prefix("tip: ")).filter(|t| !t.starts_with("to pass"));
    let usage = text.lines().find_map(|line| line.trim().strip_prefix("Usage: "));
    let help = tip.or(usage).map_or_else(|| "raddle --help".to_owned(), str::to_owned);
    Err(Failure::with_help(what.strip_prefix("error: ").unwrap_or(&what), help))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_flags_do_not_contradict_each_other() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_help_begins_with_examples() {
        fn look(command: &mut clap::Command) {
            let help = command.render_help().to_string();
            assert!(help.starts_with("Examples:\n  "), "{help}");
            command.get_subcommands_mut().for_each(look);
        }
        let mut command = Cli::command();
        command.build();
        look(&mut command);
    }
}
