//! The flags of all subcommands that make or tell findings.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::config::Config;

/// What is looked for, and how it is told: the same wherever findings are made.
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// Only these detectors, separated by commas, or `all`
    #[arg(long, value_name = "DETECTOR,…", value_delimiter = ',')]
    pub detectors: Vec<String>,

    /// The papers' definitions, without our refinements
    #[arg(long)]
    pub paper: bool,

    /// Atomizer's refinements: reentrant, thread-local, thread-local-2, protected, write-protected, all, none
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub refine: Vec<String>,

    /// No progress on standard error
    #[arg(long)]
    pub no_progress: bool,

    #[command(flatten)]
    pub tell: TellArgs,
}

impl std::ops::Deref for ReportArgs {
    type Target = TellArgs;

    fn deref(&self) -> &TellArgs {
        &self.tell
    }
}

/// How findings are judged and told: the same wherever there are findings.
#[derive(Args, Debug)]
pub struct TellArgs {
    /// Only these rules, separated by commas
    #[arg(long, value_name = "RULE,…", value_delimiter = ',')]
    pub rules: Vec<String>,

    /// Gaps (what could not be watched or read) count as findings do
    #[arg(long)]
    pub strict: bool,

    /// The lowest confidence that makes the exit code 1
    #[arg(long, value_name = "LEVEL", default_value = "low")]
    pub fail_on: Level,

    /// Exit with 0 in spite of findings
    #[arg(long)]
    pub exit_zero: bool,

    /// Findings of this file are known and do not count (raddle baseline writes one)
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Leave out what the baseline knows
    #[arg(long)]
    pub new_only: bool,

    /// Where sources lie, below which packages are folders; else they are looked for in the project; any number of times
    #[arg(long, value_name = "DIR")]
    pub source: Vec<PathBuf>,

    /// Compiled classes, folders or jars, whose @SuppressRaddle and @RacyOnPurpose count; else target/classes and the
    /// like; any number of times
    #[arg(long, value_name = "PATH")]
    pub classes: Vec<PathBuf>,

    /// The format on standard output (under `run` on standard error): text, json, jsonl, sarif, junit, github, markdown,
    /// html, perfetto, baseline
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: String,

    /// Write the report to a file too; any number of times
    #[arg(long, value_name = "FORMAT=FILE")]
    pub output: Vec<String>,

    /// Only the headlines
    #[arg(long, short)]
    pub quiet: bool,

    /// The class path of the program that is watched, where its command tells it.
    #[arg(skip)]
    pub class_path: Vec<PathBuf>,

    /// What raddle.toml says beside the options.
    #[arg(skip)]
    pub config: Config,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Level {
    Low,
    Medium,
    High,
}
