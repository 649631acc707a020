//! `raddle init`: writes a `raddle.toml` in which every option stands as a comment, with what it does.
//!
//! It is made from the definition of the command line, so that it is never out of date.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use clap::{Arg, Command, CommandFactory as _};
use findings::wrap;

use crate::cli::Cli;
use crate::config::NAME;
use crate::config_options::{is_flag, is_list, options, subcommands};
use crate::error::{Failure, Outcome};
use crate::output::to_stdout;

const HEAD: &str = "\
# Options of Raddle for this project. A line without the # in front sets an option as the command line would; the
# command line comes first. Paths are taken from the folder of this file.
";

const SUPPRESSIONS: &str = r#"
# Findings that stay, each with a reason. All that a suppression names must fit: rule, class, method, field, frame (a
# method anywhere on the stack), fingerprint. `*` stands for any letters.
#
# [[suppress]]
# rule = "data-race"
# field = "com.acme.Stats.hits"
# reason = "an estimate is enough here"
"#;

/// Runs it.
pub fn run() -> Result<Outcome, Failure> {
    let path = Path::new(NAME);
    let text = text();
    let mut file = std::fs::File::options().write(true).create_new(true).open(path).map_err(|error| {
        if error.kind() == std::io::ErrorKind::AlreadyExists {
            Failure::with_help(format!("{NAME} is there already"), "move it away to get a new one")
        } else {
            Failure::new(format!("{NAME}: {error}"))
        }
    })?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_data()).map_err(|error| {
        // Half a file would be worse than none.
        let _ = std::fs::remove_file(path);
        Failure::new(format!("{NAME}: {error}"))
    })?;
    to_stdout(|out| writeln!(out, "wrote {NAME}; every option in it is a comment"))?;
    Ok(Outcome::Clean)
}

/// What it writes.
fn text() -> String {
    let mut command = Cli::command();
    command.build();
    let tables: Vec<&Command> = subcommands(&command).collect();
    let shared =
        |name: &str| tables.iter().filter(|table| options(table).any(|(other, _)| other == name)).count() > 1;
    let mut out = String::from(HEAD);
    let mut told: Vec<&str> = Vec::new();
    for (name, arg) in tables.iter().flat_map(|table| options(table)) {
        if shared(name) && !told.contains(&name) {
            told.push(name);
            option(name, arg, &mut out);
        }
    }
    for table in &tables {
        let own: Vec<(&str, &Arg)> = options(table).filter(|(name, _)| !shared(name)).collect();
        if !own.is_empty() {
            let name = table.get_name();
            let _ =
                write!(out, "\n# For raddle {name} only; any option above can stand here too.\n[{name}]\n");
        }
        own.into_iter().for_each(|(name, arg)| option(name, arg, &mut out));
    }
    out.push_str(SUPPRESSIONS);
    out
}

fn option(name: &str, arg: &Arg, out: &mut String) {
    let help = arg.get_help().map(|help| help.to_string()).unwrap_or_default();
    let help = help.replace(", separated by commas", "").replace("; any number of times", "; a list");
    out.push('\n');
    out.push_str(&wrap(&help, "# ", "# ", 110));
    let value = match arg.get_default_values().first() {
        _ if is_flag(arg) => "false".to_owned(),
        _ if is_list(arg) => "[]".to_owned(),
        Some(value) => match value.to_string_lossy() {
            number if number.parse::<u64>().is_ok() => number.into_owned(),
            text => format!("\"{text}\""),
        },
        None => "\"…\"".to_owned(),
    };
    let _ = writeln!(out, "# {name} = {value}");
}

#[cfg(test)]
mod tests {
    use toml::de::DeTable;

    use super::*;
    use crate::config::File;
    use crate::config_options::Options;

    #[test]
    fn every_line_can_be_uncommented_and_every_option_is_there() {
        let text = text();
        let is_setting =
            |line: &str| line.split_once(" = ").is_some_and(|(key, _)| !key.contains(' ') && !key.is_empty());
        let lines: Vec<String> = text
            .lines()
            .map(|line| match line.strip_prefix("# ") {
                Some(rest) if is_setting(rest) || rest == "[[suppress]]" => rest.to_owned(),
                _ => line.to_owned(),
            })
            .collect();
        let file = File { name: NAME.into(), short: NAME.into(), text: lines.join("\n") };
        let table = DeTable::parse(&file.text).unwrap();
        assert_eq!(crate::config_suppress::read(&file, table.get_ref()).unwrap().len(), 1);
        let mut command = Cli::command();
        command.build();
        for sub in subcommands(&command) {
            let settings =
                Options::new(&file, Path::new("")).settings(table.get_ref(), sub.get_name()).unwrap();
            for (name, arg) in options(sub) {
                assert!(settings.iter().any(|setting| arg.get_id() == setting.id.as_str()), "{name}");
            }
        }
    }

    #[test]
    fn as_it_is_written_it_sets_nothing() {
        let file = File { name: NAME.into(), short: NAME.into(), text: text() };
        let table = DeTable::parse(&file.text).unwrap();
        let settings = Options::new(&file, Path::new("")).settings(table.get_ref(), "run").unwrap();
        assert!(settings.is_empty());
    }
}
