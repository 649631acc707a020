//! What is made from the definition of the command line and of the formats: shell completions, manual pages, schemas.

use std::path::Path;

use clap::{Command, CommandFactory as _};
use clap_complete::Shell;
use clap_mangen::Man;
use findings::{JSON_LINES_SCHEMA, JSON_SCHEMA};

use crate::cli::{Cli, SchemaOf};
use crate::error::{Failure, Outcome};
use crate::output::{WholeFile, to_stdout};

/// `raddle completions`.
pub fn run(shell: Shell) -> Result<Outcome, Failure> {
    // It is made in memory first: the library does not expect that writing fails.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "raddle", &mut script);
    to_stdout(|out| out.write_all(&script))?;
    Ok(Outcome::Clean)
}

/// `raddle schema`.
pub fn schema(of: SchemaOf) -> Result<Outcome, Failure> {
    let text = match of {
        SchemaOf::Json => JSON_SCHEMA,
        SchemaOf::Jsonl => JSON_LINES_SCHEMA,
    };
    to_stdout(|out| out.write_all(text.as_bytes()))?;
    Ok(Outcome::Clean)
}

/// `raddle man`.
pub fn man(to: Option<&Path>) -> Result<Outcome, Failure> {
    let mut command = Cli::command();
    command.build();
    let Some(folder) = to else {
        to_stdout(|out| Man::new(command).render(out))?;
        return Ok(Outcome::Clean);
    };
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::new(format!("{}: {error}", folder.display())))?;
    pages(&command, folder)?;
    Ok(Outcome::Clean)
}

/// `raddle.1`, `raddle-run.1`, `raddle-trace-cat.1`.
fn pages(command: &Command, folder: &Path) -> Result<(), Failure> {
    let man = Man::new(command.clone());
    let mut file = WholeFile::create(&folder.join(man.get_filename()))?;
    man.render(&mut file).map_err(|error| file.fail(&error))?;
    file.finish()?;
    let mut subcommands = command.get_subcommands().filter(|command| !command.is_hide_set());
    subcommands.try_for_each(|command| pages(command, folder))
}
