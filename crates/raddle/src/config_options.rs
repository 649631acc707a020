//! The options of `raddle.toml`: which keys there are, what they may hold, and the arguments that they become.
//!
//! The keys are the long names of the command line's options; nothing here lists them a second time.

use std::ffi::OsString;
use std::path::Path;

use clap::{Arg, ArgAction, Command, CommandFactory as _, ValueHint};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::cli::Cli;
use crate::config::File;
use crate::error::Failure;
use crate::select;

/// The key of suppressions, which are no option.
pub const SUPPRESS: &str = "suppress";

/// Options that say where to find the file, or end the command at once: not for the file itself.
const NOT_IN_FILE: [&str; 4] = ["config", "no-config", "help", "version"];

/// Subcommands that say nothing about findings: the file is not for them.
const NOT_FOR_FILE: [&str; 8] =
    ["trace", "rules", "explain", "init", "schema", "completions", "man", "baseline"];

/// An option that the file sets.
pub struct Setting {
    /// The option, by clap's name.
    pub id: String,
    /// What it would be on the command line.
    pub arguments: Vec<OsString>,
    /// Where its value stands in the file.
    pub at: usize,
}

/// Reads options out of a file.
pub struct Options<'a> {
    file: &'a File,
    folder: &'a Path,
    command: Command,
}

/// Whether the file says something to a subcommand. A broken file must not keep `raddle explain` from working.
pub fn is_for(subcommand: &str) -> bool {
    !NOT_FOR_FILE.contains(&subcommand)
}

/// The subcommands that the file is for.
pub fn subcommands(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|command| is_for(command.get_name()))
}

/// The options of a (sub)command that can stand in the file, by their names.
pub fn options(command: &Command) -> impl Iterator<Item = (&str, &Arg)> {
    command
        .get_arguments()
        .filter_map(|arg| arg.get_long().map(|name| (name, arg)))
        .filter(|(name, _)| !NOT_IN_FILE.contains(name))
}

/// Whether an option is a flag.
pub fn is_flag(arg: &Arg) -> bool {
    !arg.get_action().takes_values()
}

/// Whether an option can be given several times.
pub fn is_list(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Append)
}

impl<'a> Options<'a> {
    /// For a file that lies in a folder.
    pub fn new(file: &'a File, folder: &'a Path) -> Self {
        let mut command = Cli::command();
        command.build();
        Self { file, folder, command }
    }

    /// The settings for a subcommand. All of the file is checked, what is said for other subcommands too.
    pub fn settings(&self, table: &DeTable<'_>, command: &str) -> Result<Vec<Setting>, Failure> {
        let mut found: Vec<Setting> = Vec::new();
        let mut specific: Vec<Setting> = Vec::new();
        for (key, value) in table.iter() {
            let name: &str = key.get_ref();
            if name == SUPPRESS {
                continue;
            }
            if let Some(of) = subcommands(&self.command).find(|sub| sub.get_name() == name) {
                let DeValue::Table(inner) = value.get_ref() else {
                    return Err(self.wrong(value, &format!("'{name}' is a table: [{name}]")));
                };
                for (key, value) in inner.iter() {
                    let known: Vec<(&str, &Arg)> = options(of).collect();
                    let setting = self.setting(key, value, &known, &[])?;
                    if name == command {
                        specific.push(setting);
                    }
                }
                continue;
            }
            let known: Vec<(&str, &Arg)> = subcommands(&self.command).flat_map(options).collect();
            let tables: Vec<&str> =
                subcommands(&self.command).map(Command::get_name).chain([SUPPRESS]).collect();
            let setting = self.setting(key, value, &known, &tables)?;
            let of = self.command.find_subcommand(command);
            if of.is_some_and(|of| options(of).any(|(_, arg)| arg.get_id() == setting.id.as_str())) {
                found.push(setting);
            }
        }
        // What is said for the subcommand comes before what is said for all.
        found.retain(|setting| specific.iter().all(|other| other.id != setting.id));
        found.append(&mut specific);
        Ok(found)
    }

    fn wrong(&self, value: &Spanned<DeValue<'_>>, what: &str) -> Failure {
        self.file.error(value.span().start, what, None)
    }

    fn setting(
        &self,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
        known: &[(&str, &Arg)],
        tables: &[&str],
    ) -> Result<Setting, Failure> {
        let name: &str = key.get_ref();
        let Some((_, arg)) = known.iter().find(|(known, _)| *known == name) else {
            let names: Vec<&str> =
                known.iter().map(|(name, _)| *name).chain(tables.iter().copied()).collect();
            let help = match select::nearest(name, &names) {
                Some(near) => format!("did you mean {near}?"),
                None => "raddle init writes a file with every key".to_owned(),
            };
            return Err(self.file.error(key.span().start, &format!("unknown key '{name}'"), Some(help)));
        };
        let arguments = match value.get_ref() {
            DeValue::Boolean(on) if is_flag(arg) => {
                if *on {
                    vec![OsString::from(format!("--{name}"))]
                } else {
                    Vec::new()
                }
            }
            _ if is_flag(arg) => return Err(self.wrong(value, &format!("'{name}' is true or false"))),
            DeValue::Array(items) if is_list(arg) => {
                items.iter().map(|item| self.argument(name, arg, item)).collect::<Result<_, _>>()?
            }
            DeValue::Array(_) => return Err(self.wrong(value, &format!("'{name}' is one value, not a list"))),
            _ => vec![self.argument(name, arg, value)?],
        };
        Ok(Setting { id: arg.get_id().as_str().to_owned(), arguments, at: value.span().start })
    }

    /// `--name=value`, with paths taken from the folder of the file.
    fn argument(&self, name: &str, arg: &Arg, value: &Spanned<DeValue<'_>>) -> Result<OsString, Failure> {
        let text = match value.get_ref() {
            DeValue::String(text) => text.as_ref().to_owned(),
            DeValue::Integer(number) => number.to_string(),
            _ => return Err(self.wrong(value, &format!("'{name}' is a text in quotes"))),
        };
        self.check(name, &text, value)?;
        let mut argument = OsString::from(format!("--{name}="));
        match text.split_once('=').filter(|_| name == "output") {
            Some((format, path)) => {
                argument.push(format!("{format}="));
                argument.push(self.folder.join(path));
            }
            None if arg.get_value_hint() == ValueHint::AnyPath => argument.push(self.folder.join(text)),
            None => argument.push(text),
        }
        Ok(argument)
    }

    /// Names that the definition of the command line does not know.
    fn check(&self, name: &str, text: &str, value: &Spanned<DeValue<'_>>) -> Result<(), Failure> {
        let names: Vec<String> = text.split(',').map(str::to_owned).collect();
        let result = match name {
            "rules" => select::rules(&names).map(drop),
            "detectors" => select::are_detectors(&names),
            "refine" => select::refinements(&names).map(drop),
            _ => Ok(()),
        };
        match result {
            Err(Failure::Error { text, help }) => Err(self.file.error(value.span().start, &text, help)),
            other => other,
        }
    }
}
