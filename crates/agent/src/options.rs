//! What the agent is told on the JVM's command line: `key=value` pairs with commas between them. A comma or per cent
//! sign in a value is written `%2C` or `%25`.

use std::path::PathBuf;

/// What to record, and where to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The folder in which each JVM makes one of its own for whoever reads it.
    pub session: Option<PathBuf>,
    /// Without a reader: the trace to write; `%p` stands for the process.
    pub record: Option<String>,
    /// The process that reads.
    pub reader: u32,
    /// Classes whose accesses are watched; none: all of the program's own.
    pub include: Vec<String>,
    /// Classes whose accesses are not watched.
    pub exclude: Vec<String>,
    /// Classes that are left entirely alone, synchronisation and all.
    pub leave: Vec<String>,
    /// Further model tables.
    pub models: Vec<PathBuf>,
    /// What need not be watched, if there is a plan.
    pub plan: Option<PathBuf>,
    /// Whether exported methods are blocks too.
    pub export: bool,
    /// Whether final fields are watched like others, also once their constructor has ended.
    pub finals: bool,
    /// How large the chunks may grow, in bytes.
    pub budget: u64,
    /// Whether array accesses in loops are told one by one: for tests, which compare.
    pub one_by_one: bool,
    /// Whether everything is recorded, also what tells no detector anything: for tests, which compare.
    pub unfiltered: bool,
    /// A folder for woven classes, to look at.
    pub dump: Option<PathBuf>,
}

/// What a session may take on disk unless told otherwise.
const BUDGET: u64 = 4 << 30;

impl Options {
    /// Reads them; an unknown key is an error that names it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut options = Self { budget: BUDGET, ..Self::default() };
        for pair in text.split(',').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = value.replace("%2C", ",").replace("%25", "%");
            let number = || value.parse::<u64>().map_err(|_| format!("{key}={value}: not a number"));
            match key {
                "session" => options.session = Some(value.into()),
                "record" => options.record = Some(value),
                "reader" => {
                    options.reader = u32::try_from(number()?).map_err(|_| format!("{pair}: too large"))?
                }
                "include" => options.include.push(value),
                "exclude" => options.exclude.push(value),
                "leave" => options.leave.push(value),
                "models" => options.models.push(value.into()),
                "plan" => options.plan = Some(value.into()),
                "blocks" if value == "export" => options.export = true,
                "blocks" if value == "synch" => options.export = false,
                "finals" if value == "all" => options.finals = true,
                "budget" => options.budget = number()? << 20,
                "ranges" if value == "off" => options.one_by_one = true,
                "filter" if value == "off" => options.unfiltered = true,
                "dump" => options.dump = Some(value.into()),
                _ => return Err(format!("{pair}: the agent knows no such option")),
            }
        }
        if options.session.is_none() && options.record.is_none() {
            return Err("say where to: record=FILE writes a trace".to_owned());
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_may_hold_commas() {
        let options =
            Options::parse("record=a%2Cb-%25p.trace,exclude=com.foo.*,budget=64").unwrap_or_default();
        assert_eq!(options.record.as_deref(), Some("a,b-%p.trace"));
        assert_eq!((options.exclude.len(), options.budget), (1, 64 << 20));
    }

    #[test]
    fn an_unknown_key_is_an_error() {
        assert!(Options::parse("record=x,colour=red").is_err_and(|error| error.contains("colour")));
        assert!(Options::parse("").is_err());
    }
}
