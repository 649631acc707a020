//! Tests of the model tables: the grammar, its errors, look-ups, the built-in tables, hostile input.

mod builtin;
mod errors;
mod grammar;
mod hostile;
mod lookups;

use super::Models;

/// A table that has to be right.
fn table(text: &str) -> Models {
    let mut models = Models::empty();
    if let Err(errors) = models.add("t", text) {
        panic!("{}", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    }
    models
}

/// The first error of a table, as it is printed.
fn error(text: &str) -> String {
    let mut models = Models::empty();
    match models.add("t", text) {
        Ok(()) => panic!("this should be wrong: {text}"),
        Err(errors) => errors[0].to_string(),
    }
}
