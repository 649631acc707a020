//! The suppressions of `raddle.toml`: `[[suppress]]` tables, each with a reason.

use findings::{Rule, Suppression};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::config::File;
use crate::config_options::SUPPRESS;
use crate::error::Failure;
use crate::select;

const KEYS: [&str; 7] = ["rule", "class", "method", "field", "frame", "fingerprint", "reason"];

/// Reads all of them.
pub fn read(file: &File, table: &DeTable<'_>) -> Result<Vec<Suppression>, Failure> {
    let Some((_, value)) = table.iter().find(|(key, _)| key.get_ref() == SUPPRESS) else {
        return Ok(Vec::new());
    };
    let not_tables = |at: usize| file.error(at, "suppressions are tables: [[suppress]]", None);
    let DeValue::Array(items) = value.get_ref() else { return Err(not_tables(value.span().start)) };
    let mut found = Vec::new();
    for item in items.iter() {
        let DeValue::Table(one) = item.get_ref() else { return Err(not_tables(item.span().start)) };
        found.push(suppression(file, item.span().start, one)?);
    }
    Ok(found)
}

fn suppression(file: &File, at: usize, table: &DeTable<'_>) -> Result<Suppression, Failure> {
    let mut one = Suppression { by: format!("{}:{}", file.short, file.line(at)), ..Suppression::default() };
    for (key, value) in table.iter() {
        let name: &str = key.get_ref();
        match name {
            "rule" => one.rules = rules(file, value)?,
            "class" => one.classes = texts(file, name, value)?,
            "method" => one.methods = texts(file, name, value)?,
            "field" => one.fields = texts(file, name, value)?,
            "frame" => one.frames = texts(file, name, value)?,
            "fingerprint" => one.fingerprints = texts(file, name, value)?,
            "reason" => one.reason = texts(file, name, value)?.join(" ").trim().to_owned(),
            _ => {
                let help = match select::nearest(name, &KEYS) {
                    Some(near) => format!("did you mean {near}?"),
                    None => format!("there are {}", KEYS.join(", ")),
                };
                let what = format!("unknown key '{name}' of a suppression");
                return Err(file.error(key.span().start, &what, Some(help)));
            }
        }
    }
    if one.reason.is_empty() {
        let help = "say why it stays: reason = \"an estimate is enough here\"";
        return Err(file.error(at, "a suppression without a reason", Some(help.to_owned())));
    }
    if one.is_empty() {
        let help = "name a rule, class, method, field, frame or fingerprint";
        return Err(file.error(at, "a suppression that names nothing", Some(help.to_owned())));
    }
    Ok(one)
}

/// One text or several.
fn texts(file: &File, name: &str, value: &Spanned<DeValue<'_>>) -> Result<Vec<String>, Failure> {
    let wrong = |at: usize| file.error(at, &format!("'{name}' is a text in quotes, or a list of such"), None);
    match value.get_ref() {
        DeValue::String(text) => Ok(vec![text.as_ref().to_owned()]),
        DeValue::Array(items) => items
            .iter()
            .map(|item| match item.get_ref() {
                DeValue::String(text) => Ok(text.as_ref().to_owned()),
                _ => Err(wrong(item.span().start)),
            })
            .collect(),
        _ => Err(wrong(value.span().start)),
    }
}

fn rules(file: &File, value: &Spanned<DeValue<'_>>) -> Result<Vec<Rule>, Failure> {
    let names = texts(file, "rule", value)?;
    select::rules(&names).map_err(|failure| match failure {
        Failure::Error { text, help } => file.error(value.span().start, &text, help),
        other => other,
    })
}
