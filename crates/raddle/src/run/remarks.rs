//! What the report of a run rests on: how much was watched in all JVMs, and what makes a report of nothing worth little.
//!
//! Doubts hold for the run as a whole and fail it under `--strict`. That one of several JVMs did nothing of interest is
//! common (a build starts them for modules without threads, too): it is a remark.

use std::collections::BTreeSet;

use findings::{Coverage, plural, thousands};

use super::watch::Watched;

/// What was seen of all JVMs.
#[derive(Default)]
pub struct Seen {
    coverage: Coverage,
    jvms: u64,
    counts: Vec<(String, u64)>,
    /// How many classes each of the user's patterns stood for.
    named: Vec<(String, u64)>,
    /// JVMs of which no class was watched, and those without a second thread.
    unwatched: Vec<String>,
    single: Vec<String>,
}

impl Seen {
    /// One more JVM.
    pub fn add(&mut self, one: &Watched) {
        let coverage = &one.report.coverage;
        self.jvms += 1;
        if is_unwatched(coverage) {
            self.unwatched.push(one.jvm.clone());
        }
        if coverage.threads <= 1 {
            self.single.push(one.jvm.clone());
        }
        self.coverage.add(coverage.clone());
        add_all(&mut self.counts, &one.counts);
        add_all(&mut self.named, &one.named);
    }

    /// What makes a report of nothing worth little. `include`: the user's patterns of classes to watch.
    pub fn doubts(&self, include: &[String]) -> Vec<String> {
        let mut doubts = Vec::new();
        if self.jvms == 0 {
            return doubts;
        }
        if self.unwatched.len() as u64 == self.jvms {
            doubts.push(
                "NO CLASS WAS WATCHED: nothing can have been found (--include and --exclude decide which are)"
                    .to_owned(),
            );
        }
        for pattern in include {
            // A JVM that could not be watched at all has told nothing of its classes.
            if self.named.iter().any(|(named, classes)| named == pattern && *classes == 0) {
                doubts.push(format!("--include {pattern} STANDS FOR NO CLASS that was loaded"));
            }
        }
        if self.single.len() as u64 == self.jvms {
            doubts.push(
                "NO THREAD BESIDE MAIN was seen: a program of one thread has no concurrency errors to find"
                    .to_owned(),
            );
        }
        doubts
    }

    /// The same of some JVMs, while others make up for it.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        for (jvms, what) in
            [(&self.unwatched, "no class was watched"), (&self.single, "no thread beside main was seen")]
        {
            match jvms.as_slice() {
                [] => {}
                some if some.len() as u64 == self.jvms => {}
                [one] => remarks.push(format!("of {one} {what}")),
                [one, rest @ ..] => {
                    remarks.push(format!(
                        "of {one} and {} {what}",
                        plural(rest.len() as u64, "other", "others")
                    ));
                }
            }
        }
        remarks
    }

    /// `watched 1 JVM: 812 classes seen, 640 woven, 150 left out as a framework's own; 9 threads, 1,200,345 events`.
    pub fn coverage(&self) -> String {
        let seen = &self.coverage;
        let mut text = format!("watched {}: ", plural(self.jvms, "JVM", "JVMs"));
        if seen.classes_seen == 0 {
            text.push_str("classes were not counted");
        } else {
            let all = plural(seen.classes_seen, "class", "classes");
            text.push_str(&format!("{all} seen, {} woven", thousands(seen.classes_woven)));
        }
        for (why, classes) in &seen.left_out {
            text.push_str(&format!(", {} left out {why}", thousands(*classes)));
        }
        for (what, number) in self.counts.iter().filter(|(_, number)| *number > 0) {
            text.push_str(&format!(", {} {what}", thousands(*number)));
        }
        let threads = plural(seen.threads, "thread", "threads");
        let events = plural(seen.events, "event", "events");
        format!("{text}; {threads}, {events}")
    }
}

/// Tools as people are told of them.
pub fn names(tools: &BTreeSet<String>) -> String {
    tools.iter().map(String::as_str).collect::<Vec<_>>().join(" and ")
}

/// What is said where no JVM was watched: `tools` are those whose JVMs were left alone.
pub fn nobody(tools: &BTreeSet<String>) -> String {
    let mut text = "NO JVM WAS WATCHED: ".to_owned();
    if tools.is_empty() {
        text.push_str("the command started none that runs a program and reads JAVA_TOOL_OPTIONS");
        return text;
    }
    text.push_str(&format!("those of {} are left alone, and no other loaded the agent", names(tools)));
    if tools.contains("Gradle") {
        text.push_str(
            "; tests that are up to date are not run again (gradle cleanTest test), and a daemon that was there before \
             starts JVMs as if nobody watched (gradle --stop ends it)",
        );
    }
    text
}

/// Whether no class of a JVM was watched. One that was killed early has told what its classes did, but perhaps not how
/// many they were.
fn is_unwatched(coverage: &Coverage) -> bool {
    coverage.classes_woven == 0 && (coverage.classes_seen > 0 || coverage.variables == 0)
}

fn add_all(all: &mut Vec<(String, u64)>, more: &[(String, u64)]) {
    for (what, number) in more {
        match all.iter_mut().find(|(known, _)| known == what) {
            Some((_, count)) => *count += number,
            None => all.push((what.clone(), *number)),
        }
    }
}
