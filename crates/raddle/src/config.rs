//! `raddle.toml`: options and suppressions that belong to a project.
//!
//! The file is the one named by `--config`, or the nearest of its name in this folder or one above. Every option of the
//! command line can stand in it under its own name (`fail-on = "high"`); in a table with the name of a subcommand it
//! holds for that one only. What the command line says comes first. Paths are taken from the folder of the file.
//!
//! The options become arguments that are put before those of the user, so that there is one place that knows what an
//! option means: the definition of the command line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{CommandFactory as _, FromArgMatches as _, Parser as _};
use findings::Suppression;
use toml::de::DeTable;

use crate::cli::Cli;
use crate::config_options::{self, Options, Setting};
use crate::config_suppress;
use crate::error::Failure;

/// The name of the file.
pub const NAME: &str = "raddle.toml";

/// A larger file is none of ours.
const LARGEST: u64 = 16 << 20;

/// What the file says beside the options.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The folder it lies in, if there is one.
    pub folder: Option<PathBuf>,
    /// What it suppresses.
    pub suppressions: Vec<Suppression>,
}

/// A file that was read: where messages say it is, and what it holds.
pub struct File {
    /// Its name for messages.
    pub name: String,
    /// What suppressions are said to stand in: the name without a folder.
    pub short: String,
    /// Its text.
    pub text: String,
}

impl File {
    /// An error at a byte of the text.
    pub fn error(&self, at: usize, what: &str, help: Option<String>) -> Failure {
        let before = self.text.get(..at).unwrap_or(&self.text);
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        let text = format!("{}:{}:{column}: {what}", self.name, self.line(at));
        match help {
            Some(help) => Failure::with_help(text, help),
            None => Failure::new(text),
        }
    }

    /// The line of a byte of the text, from 1.
    pub fn line(&self, at: usize) -> usize {
        self.text.get(..at).unwrap_or(&self.text).matches('\n').count() + 1
    }
}

/// The command line, completed by the file. The inner error is one of the command line itself.
pub fn parse(args: Vec<OsString>) -> Result<Result<Cli, clap::Error>, Failure> {
    let matches = match Cli::command().try_get_matches_from(&args) {
        Ok(matches) => matches,
        Err(error) => return Ok(Err(error)),
    };
    let plain = Cli::from_arg_matches(&matches);
    let Ok(cli) = &plain else { return Ok(plain) };
    let Some((command, given)) = matches.subcommand() else { return Ok(plain) };
    if cli.no_config || !config_options::is_for(command) {
        return Ok(plain);
    }
    let Some((path, folder)) = (match &cli.config {
        Some(path) => Some((path.clone(), path.parent().unwrap_or(Path::new("")).to_owned())),
        None => find(),
    }) else {
        return Ok(plain);
    };
    let file = read(&path)?;
    let table = DeTable::parse(&file.text)
        .map_err(|error| file.error(error.span().map_or(0, |span| span.start), error.message(), None))?;
    let settings = Options::new(&file, &folder).settings(table.get_ref(), command)?;
    let suppressions = config_suppress::read(&file, table.get_ref())?;

    let is_given = |setting: &Setting| given.value_source(&setting.id) == Some(ValueSource::CommandLine);
    let wanted: Vec<&Setting> = settings.iter().filter(|setting| !is_given(setting)).collect();
    let mut cli = match Cli::try_parse_from(with(&args, command, wanted.iter().flat_map(|s| &s.arguments))) {
        Ok(cli) => cli,
        // The command line alone was right, so one of the settings is not.
        Err(error) => {
            let wrong = wanted
                .iter()
                .find(|setting| Cli::try_parse_from(with(&args, command, setting.arguments.iter())).is_err());
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
            let at = wrong.map_or(0, |setting| setting.at);
            return Err(file.error(
                at,
                first,
                Some(format!("raddle {command} --help tells what is possible")),
            ));
        }
    };
    if let Some(tell) = cli.command.tell_mut() {
        tell.config = Config { folder: Some(folder), suppressions };
    }
    Ok(Ok(cli))
}

/// The nearest file of our name, here or above, and its folder: in words that lead there from here.
fn find() -> Option<(PathBuf, PathBuf)> {
    let here = std::env::current_dir().ok()?;
    let mut folder = PathBuf::new();
    for above in here.ancestors() {
        if above.join(NAME).is_file() {
            return Some((folder.join(NAME), folder));
        }
        folder.push("..");
    }
    None
}

fn read(path: &Path) -> Result<File, Failure> {
    let name = path.display().to_string();
    let fail = |error: &dyn std::fmt::Display| Failure::new(format!("{name}: {error}"));
    let size = std::fs::metadata(path).map_err(|error| fail(&error))?.len();
    if size > LARGEST {
        return Err(fail(&"too large for a file of options"));
    }
    let text = std::fs::read_to_string(path).map_err(|error| fail(&error))?;
    let short = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(File { name, short, text })
}

/// The arguments with others put behind the name of the subcommand.
fn with<'a>(args: &[OsString], command: &str, more: impl Iterator<Item = &'a OsString>) -> Vec<OsString> {
    let mut out = args.to_vec();
    let is_value = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| args.get(at));
        before.is_some_and(|before| before == "--color" || before == "--config")
    };
    let place = (1..args.len()).find(|&at| args[at] == command && !is_value(at));
    let place = place.map_or(args.len(), |at| at + 1);
    out.splice(place..place, more.cloned());
    out
}
