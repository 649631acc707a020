//! Suppressions: findings that somebody has looked at and decided to keep, with a reason.
//!
//! A suppression names a rule, a class, a method, a field, a frame or a fingerprint; all that it names has to fit. It
//! comes from a file or from an annotation on a member of the program; where it comes from is not this file's concern.
//! Nothing is removed: the finding carries who suppressed it and why. What suppressed nothing is stale.

use crate::pattern::matches;
use crate::{Finding, Frame, Report, Rule, Stale, Step, Suppressed};

/// What is suppressed, by whom and why. An empty list fits everything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Suppression {
    /// Only these rules.
    pub rules: Vec<Rule>,
    /// The class that the finding is about: of its fields, its method or its locks; each must fit one of these.
    pub classes: Vec<String>,
    /// The method that the finding is about, or in which one of its sides happens.
    pub methods: Vec<String>,
    /// The field that the finding is about; of several, each must fit one of these.
    pub fields: Vec<String>,
    /// A method anywhere on the stack of one of its sides.
    pub frames: Vec<String>,
    /// The finding itself.
    pub fingerprints: Vec<String>,
    /// Why.
    pub reason: String,
    /// Where it stands.
    pub by: String,
    /// Whether that is the program itself.
    pub in_source: bool,
}

impl Suppression {
    /// Whether it names anything at all.
    pub fn is_empty(&self) -> bool {
        let lists = [&self.classes, &self.methods, &self.fields, &self.frames, &self.fingerprints];
        self.rules.is_empty() && lists.iter().all(|list| list.is_empty())
    }

    /// What it names, for people: `data-race, field com.acme.Stats.hits`.
    pub fn what(&self) -> String {
        let mut parts: Vec<String> = self.rules.iter().map(|rule| rule.name().to_owned()).collect();
        for (word, list) in [
            ("class", &self.classes),
            ("method", &self.methods),
            ("field", &self.fields),
            ("frame", &self.frames),
            ("fingerprint", &self.fingerprints),
        ] {
            parts.extend(list.iter().map(|name| format!("{word} {name}")));
        }
        parts.join(", ")
    }

    /// Whether it fits a finding.
    pub fn fits(&self, finding: &Finding) -> bool {
        let fits = |list: &[String], test: &dyn Fn() -> bool| list.is_empty() || test();
        (self.rules.is_empty() || self.rules.contains(&finding.rule))
            && fits(&self.fingerprints, &|| self.fingerprints.contains(&finding.fingerprint))
            && fits(&self.classes, &|| finding.classes().iter().all(|class| any(&self.classes, class)))
            && fits(&self.fields, &|| {
                has_fields(finding.rule) && finding.subject.split(", ").all(|field| any(&self.fields, field))
            })
            && fits(&self.methods, &|| {
                finding.rule == Rule::NonAtomic && any(&self.methods, &finding.subject)
                    || each_witness(finding, |step| in_method(&self.methods, &step.place))
            })
            && fits(&self.frames, &|| {
                let on_stack = |step: &Step| {
                    std::iter::once(&step.place).chain(&step.stack).any(|f| in_method(&self.frames, f))
                };
                each_witness(finding, on_stack)
            })
    }
}

impl Finding {
    /// The classes it is about: those of its fields, of its method or of its locks.
    pub fn classes(&self) -> Vec<&str> {
        let names = self.subject.split(", ");
        names
            .map(|name| match self.rule {
                Rule::LockOrder => class_of_lock(name),
                _ => name.rsplit_once('.').map_or(name, |(class, _)| class),
            })
            .collect()
    }
}

/// The class of a lock, which is named by its class or by the field that holds it: what has a class in front is a field.
pub(crate) fn class_of_lock(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((before, _)) => {
            let last = before.rsplit_once('.').map_or(before, |(_, last)| last);
            if last.starts_with(char::is_uppercase) { before } else { name }
        }
        None => name,
    }
}

fn has_fields(rule: Rule) -> bool {
    matches!(rule, Rule::DataRace | Rule::HighLevelRace | Rule::StaleValue)
}

fn any(patterns: &[String], name: &str) -> bool {
    patterns.iter().any(|pattern| matches(pattern, name))
}

/// A method is named with its class, with or without its descriptor.
fn in_method(patterns: &[String], frame: &Frame) -> bool {
    if frame.class.is_empty() || frame.method.is_empty() {
        return false;
    }
    let short = format!("{}.{}", frame.class, frame.method_name());
    any(patterns, &short) || patterns.iter().any(|p| *p == format!("{}.{}", frame.class, frame.method))
}

/// A finding that is also seen elsewhere is not suppressed: the test must hold somewhere in every witness.
fn each_witness(finding: &Finding, test: impl Fn(&Step) -> bool) -> bool {
    !finding.witnesses.is_empty() && finding.witnesses.iter().all(|witness| witness.steps.iter().any(&test))
}

/// Applies suppressions: the first that fits is the one that is told. What fits nothing is stale; an annotation is not,
/// since it says something about the code that holds whether or not this run came by.
pub fn suppress(report: &mut Report, suppressions: &[Suppression]) {
    let mut used = vec![false; suppressions.len()];
    for finding in report.findings_mut() {
        finding.suppressed = None;
        for (suppression, used) in suppressions.iter().zip(&mut used) {
            if suppression.is_empty() || !suppression.fits(finding) {
                continue;
            }
            *used = true;
            if finding.suppressed.is_none() {
                finding.suppressed = Some(Suppressed {
                    reason: suppression.reason.clone(),
                    by: suppression.by.clone(),
                    in_source: suppression.in_source,
                });
            }
        }
    }
    let unused = suppressions.iter().zip(used).filter(|(one, used)| !used && !one.in_source);
    report.stale = unused.map(|(one, _)| Stale { what: one.what(), by: one.by.clone() }).collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Confidence, Role, Witness};

    fn step(class: &str, method: &str, caller: &str) -> Step {
        let frame = |class: &str, method: &str| Frame {
            class: class.into(),
            method: method.into(),
            ..Frame::default()
        };
        Step {
            thread: "main".into(),
            role: Role::Write,
            target: String::new(),
            place: frame(class, method),
            locks: Vec::new(),
            stack: vec![frame(class, caller)],
            stack_is_example: false,
            note: String::new(),
            ..Step::default()
        }
    }

    fn report() -> Report {
        let mut report = Report::new();
        let witness = |steps: Vec<Step>| Witness {
            detector: "racer".into(),
            steps,
            notes: Vec::new(),
            tests: Vec::new(),
            event: 0,
            ..Witness::default()
        };
        let here = || witness(vec![step("a.A", "put(I)V", "run()V"), step("a.A", "get()I", "main()V")]);
        report.add(Rule::DataRace, "a.A.x", Confidence::High, "", here());
        report.add(Rule::HighLevelRace, "a.A.x, a.A.y", Confidence::High, "", here());
        report.add(Rule::NonAtomic, "a.A.put", Confidence::High, "", here());
        report.add(Rule::LockOrder, "a.A, a.B", Confidence::High, "", here());
        report
    }

    /// The subjects that a suppression suppresses.
    fn suppressed(one: Suppression) -> Vec<String> {
        let mut report = report();
        suppress(&mut report, &[one]);
        report.findings().filter(|f| f.suppressed.is_some()).map(|f| f.subject.clone()).collect()
    }

    fn list(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_suppression_fits_by_all_that_it_names() {
        let of = Suppression::default;
        assert_eq!(suppressed(Suppression { rules: vec![Rule::DataRace], ..of() }), ["a.A.x"]);
        assert_eq!(suppressed(Suppression { fields: list(&["a.A.x"]), ..of() }), ["a.A.x"]);
        assert_eq!(suppressed(Suppression { fields: list(&["a.A.*"]), ..of() }), ["a.A.x", "a.A.x, a.A.y"]);
        assert_eq!(
            suppressed(Suppression { classes: list(&["a.A"]), ..of() }),
            ["a.A.x", "a.A.x, a.A.y", "a.A.put"]
        );
        assert_eq!(suppressed(Suppression { classes: list(&["a.B"]), ..of() }), [""; 0]);
        assert_eq!(suppressed(Suppression { classes: list(&["a.A", "a.B"]), ..of() }).len(), 4);
        assert_eq!(suppressed(Suppression { methods: list(&["a.A.get"]), ..of() }).len(), 4);
        assert_eq!(suppressed(Suppression { methods: list(&["a.A.put(I)V"]), ..of() }).len(), 4);
        assert_eq!(suppressed(Suppression { methods: list(&["a.A.run"]), ..of() }).len(), 0);
        assert_eq!(suppressed(Suppression { frames: list(&["a.A.run"]), ..of() }).len(), 4);
        let both = Suppression { rules: vec![Rule::LockOrder], frames: list(&["a.A.run"]), ..of() };
        assert_eq!(suppressed(both), ["a.A, a.B"]);
        assert_eq!(suppressed(of()), [""; 0], "what names nothing suppresses nothing");
    }

    #[test]
    fn a_lock_that_is_named_by_its_field_belongs_to_the_class_of_that() {
        for (lock, class) in [
            ("com.acme.Account", "com.acme.Account"),
            ("com.acme.Registry.LOCK", "com.acme.Registry"),
            ("com.acme.Registry.stripes[]", "com.acme.Registry"),
            ("Registry.class", "Registry"),
            ("java.lang.Object", "java.lang.Object"),
            ("lock", "lock"),
        ] {
            assert_eq!(class_of_lock(lock), class);
        }
    }

    #[test]
    fn a_race_that_is_also_seen_elsewhere_is_not_suppressed_by_a_method() {
        let mut report = report();
        let elsewhere = Witness {
            detector: "eraser".into(),
            steps: vec![step("a.A", "clear()V", "run()V")],
            notes: Vec::new(),
            tests: Vec::new(),
            event: 0,
            ..Witness::default()
        };
        report.add(Rule::DataRace, "a.A.x", Confidence::High, "", elsewhere);
        let one = Suppression { methods: list(&["a.A.get"]), ..Suppression::default() };
        let race = report.findings().next().unwrap();
        assert!(!one.fits(race));
    }

    #[test]
    fn what_suppresses_nothing_is_stale_unless_it_is_an_annotation() {
        let mut report = report();
        let by = |by: &str, field: &str, in_source| Suppression {
            fields: list(&[field]),
            by: by.into(),
            in_source,
            ..Suppression::default()
        };
        suppress(
            &mut report,
            &[by("toml:1", "a.A.x", false), by("toml:2", "b.B", false), by("@X", "b.B", true)],
        );
        let stale: Vec<(&str, &str)> =
            report.stale.iter().map(|stale| (stale.by.as_str(), stale.what.as_str())).collect();
        assert_eq!(stale, [("toml:2", "field b.B")]);
    }
}
