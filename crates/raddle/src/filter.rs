//! `--include` and `--exclude`: which findings are told, by the classes they touch.
//!
//! Filtering comes after the analysis: synchronisation in a class that is left out still counts. A finding is told if
//! its subject's class or the class of one of its steps is included, and is left out if its subject's class is excluded
//! or all of its steps are in excluded classes.

use findings::{Finding, matches};

/// Patterns to keep and to leave out.
#[derive(Debug, Default)]
pub struct Filter {
    include: Vec<String>,
    exclude: Vec<String>,
}

impl Filter {
    /// The filter of these patterns; without `include`, all is included.
    pub fn new(include: &[String], exclude: &[String]) -> Self {
        Self { include: include.to_vec(), exclude: exclude.to_vec() }
    }

    /// Whether a finding is told.
    pub fn keeps(&self, finding: &Finding) -> bool {
        let of_subject = finding.classes();
        let of_steps: Vec<&str> = finding
            .witnesses
            .iter()
            .flat_map(|witness| &witness.steps)
            .map(|step| step.place.class.as_str())
            .filter(|class| !class.is_empty())
            .collect();
        let included = self.include.is_empty()
            || of_subject.iter().chain(&of_steps).any(|class| any(&self.include, class));
        let excluded = !of_subject.is_empty() && of_subject.iter().all(|class| any(&self.exclude, class))
            || !of_steps.is_empty() && of_steps.iter().all(|class| any(&self.exclude, class));
        included && !excluded
    }
}

fn any(patterns: &[String], class: &str) -> bool {
    patterns.iter().any(|pattern| matches(pattern, class))
}

#[cfg(test)]
mod tests {
    use findings::{Confidence, Frame, Report, Role, Rule, Step, Witness};

    use super::*;

    fn finding(subject: &str, class: &str) -> Finding {
        let step = Step {
            thread: "main".into(),
            role: Role::Read,
            target: String::new(),
            place: Frame { class: class.into(), ..Frame::default() },
            locks: Vec::new(),
            stack: Vec::new(),
            stack_is_example: false,
            note: String::new(),
            ..Step::default()
        };
        let witness = Witness {
            detector: "racer".into(),
            steps: vec![step],
            notes: Vec::new(),
            tests: Vec::new(),
            event: 0,
            ..Witness::default()
        };
        let mut report = Report::new();
        report.add(Rule::DataRace, subject, Confidence::Low, "", witness);
        report.findings().next().unwrap().clone()
    }

    #[test]
    fn a_finding_is_told_for_its_subject_or_its_steps() {
        let found = finding("com.acme.Account.balance", "org.lib.Pool");
        let keeps = |include: &[&str], exclude: &[&str]| {
            let own = |patterns: &[&str]| patterns.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>();
            Filter::new(&own(include), &own(exclude)).keeps(&found)
        };
        assert!(keeps(&[], &[]));
        assert!(keeps(&["com.acme.*"], &[]));
        assert!(keeps(&["org.lib.*"], &[]));
        assert!(!keeps(&["net.*"], &[]));
        assert!(!keeps(&[], &["com.acme.*"]));
        assert!(!keeps(&[], &["org.lib.Pool"]));
        assert!(keeps(&[], &["net.*"]));
    }
}
