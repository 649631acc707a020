//! `cargo xtask models`: resolves every line of the built-in model tables against each JDK that is there.
//!
//! For each JDK a small Java program (`java/Facts.java`, compiled for 11) reads the class files of `jrt:/` and tells
//! what classes, fields and methods there are, and which methods each body calls. A line has to hold on every JDK of
//! its range: the class and method exist; `this` is not used of a static method, nor the result of a void one; fields
//! on the way to a target exist; a body line's method has a body; an inside line's method really makes that call.
//! Names of frameworks outside the JDK are not looked at. Methods of covered classes that no line and no `ignore`
//! speaks of are listed, so that omissions are decisions.

mod check;
mod facts;
pub mod jdks;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::PathBuf;

use events::models::{Mark, Models, Placement};

/// Runs the check; the arguments name JDK folders, or none for those that are found.
pub fn run(args: &[&str]) -> Result<(), String> {
    let models = Models::builtin()
        .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    let problems = resolve(&models, &jdks::find(args)?)?;
    match problems.len() {
        0 => Ok(()),
        count => {
            for problem in &problems {
                println!("{problem}");
            }
            Err(format!("{count} problems in the model tables"))
        }
    }
}

/// What does not hold on some of these JDKs.
fn resolve(models: &Models, homes: &[PathBuf]) -> Result<BTreeSet<String>, String> {
    let classes = classes(models);
    let mut problems: BTreeSet<String> = BTreeSet::new();
    let mut versions = Vec::new();
    for home in homes {
        let facts = facts::Facts::ask(home, &classes)?;
        let checked = check::Check::new(models, &facts).run();
        println!(
            "JDK {}: {} lines and {} kinds resolved, {} of packages that it lacks, {} problems, {} methods without a line",
            facts.version,
            checked.lines,
            checked.kinds,
            checked.absent,
            checked.problems.len(),
            checked.omissions.len()
        );
        problems
            .extend(checked.problems.into_iter().map(|problem| format!("{problem} (JDK {})", facts.version)));
        problems.extend(checked.omissions);
        versions.push(facts.version);
    }
    let unseen = |line: &&events::models::Line| !versions.iter().any(|version| line.jdk.contains(*version));
    for line in models.lines().iter().filter(unseen) {
        problems.insert(format!(
            "{}:{}: no JDK of this range was there to check it",
            models.file(line.source),
            line.source.line
        ));
    }
    Ok(problems)
}

/// Every class that the tables speak of.
fn classes(models: &Models) -> BTreeSet<String> {
    let mut classes = BTreeSet::new();
    for line in models.lines() {
        classes.insert(line.class.to_string());
        if let Placement::Inside { owner, .. } = &line.placement {
            classes.insert(owner.to_string());
        }
    }
    classes.extend(models.kinds().iter().map(|kind| kind.class.to_string()));
    classes.extend(models.ignores().iter().map(|ignore| ignore.class.to_string()));
    for root in models.roots() {
        if let Mark::Method(class, _) = &root.mark
            && !class.starts_with('*')
        {
            classes.insert(class.to_string());
        }
    }
    classes.insert("java/lang/Thread".to_owned());
    classes
}
