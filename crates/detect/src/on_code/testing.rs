//! How a check's tests are written: a program in text form with `//~ rule` marks, one call. A mark stands in the line of
//! the instruction at which the check finds something ([`super::Evidence::at`]); several rules are separated by commas.
//!
//! Classes that the text does not have are missing. [`JDK`] outlines those of the JDK that threads need.

use events::models::Models;
use findings::Report;
use program::points::World;
use program::{MethodId, Program};

use super::{Code, CodeSpec, check as run};
use crate::Options;

/// Outlines of JDK classes, to be put in front of a test's program: nothing in them is followed, models say what they do.
pub const JDK: &str = "class java.lang.Object extends nothing { method public void <init>() unread } \
    interface java.lang.Runnable { method public abstract void run() } \
    class java.lang.Thread implements java.lang.Runnable { method public void <init>() unread \
    method public void <init>(java.lang.Runnable) unread method public void run() unread \
    method public void start() unread method public final void join() unread } ";

/// A program in text form, analysed.
pub fn code(text: &str) -> Code {
    let program = Program::from_text(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let models = Models::builtin().unwrap_or_else(|e| panic!("{e:?}"));
    Code::new(program, models, World::Guess)
}

/// Runs a check over a program; one without `main` is a library.
pub fn report(spec: &'static CodeSpec, options: &Options, text: &str) -> Report {
    // What is broken must not look like what is clean.
    for class in program::ir::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}")) {
        assert_eq!(program::ir::verify(&class), [], "in\n{text}");
    }
    run(&code(text), &[spec], options, 1, |_| ())
}

/// Runs a check over a program and compares the lines at which it found something with the marks.
pub fn check(spec: &'static CodeSpec, options: &Options, text: &str) -> Report {
    let code = code(text);
    let report = report(spec, options, text);
    let line = |event: u64| {
        let (method, inst) = (MethodId((event >> 32) as u32), event as u32);
        code.frame(method, Some(inst)).line
    };
    let mut found: Vec<(i32, String)> = report
        .findings()
        .flat_map(|finding| finding.witnesses.iter().map(|w| (line(w.event), finding.rule.name().to_owned())))
        .collect();
    found.sort_unstable();
    found.dedup();
    let mut expected: Vec<(i32, String)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if let Some((_, rules)) = line.split_once("//~ ") {
            expected.extend(rules.split(',').map(|rule| (number, rule.trim().to_owned())));
        }
    }
    assert_eq!(found, expected, "(line, rule) found and marked differ in\n{text}\n{report:#?}");
    report
}

/// The subjects found for a program, in order.
pub fn subjects(spec: &'static CodeSpec, options: &Options, text: &str) -> Vec<String> {
    report(spec, options, text).findings().map(|finding| finding.subject.clone()).collect()
}

#[cfg(test)]
mod tests {
    use findings::{Confidence, Role, Rule};
    use program::ir::Op;

    use super::super::{Evidence, Out, Place, StepAt, Subject};
    use super::*;

    /// Finds every write to a field.
    static WRITES: CodeSpec = CodeSpec {
        name: "writes",
        about: "writes",
        explain: "",
        rules: &[Rule::DataRace],
        check: |code: &Code, _: &Options, out: &mut Out<'_>| {
            for method in code.methods() {
                let insts = code.program.body(method).map(|body| body.insts.as_slice()).unwrap_or_default();
                for (inst, number) in insts.iter().zip(0..) {
                    let Op::Put { field, .. } = inst.op else { continue };
                    let Some(field) = code.program.field_of(code.program.method(method).owner, field) else {
                        continue;
                    };
                    let at = Place { method, inst: number };
                    out.add(Evidence {
                        rule: Rule::DataRace,
                        subject: Subject::Field(field),
                        confidence: Confidence::Low,
                        message: "{} is written".into(),
                        at,
                        steps: vec![StepAt::new(Role::Write, at)],
                        notes: Vec::new(),
                        advice: "Hold a lock".into(),
                    });
                }
            }
        },
    };

    #[test]
    fn marks_are_compared_with_lines_and_steps_tell_how_a_thread_came_there() {
        let text = format!(
            "{JDK}
            class a.Main {{
                method public static void main(java.lang.String[] args) {{
                    task = new a.Task
                    call special void a.Task.<init>()(task)
                    call virtual void a.Task.start()(task)
                    return
                }}
                method public static void unused(a.Task t) {{ n = 1 put int a.Task.x of t = n return }}
            }}
            class a.Task extends java.lang.Thread source \"Task.java\" {{
                field int x
                method void <init>() {{ call special void java.lang.Thread.<init>()(this) return }}
                method public void run() {{ call virtual void a.Task.set()(this) return }}
                method void set() {{
                    one = 1
                    put int a.Task.x of this = one //~ data-race
                    return
                }}
            }}"
        );
        let report = check(&WRITES, &Options::default(), &text);
        let finding = report.findings().next().expect("a finding");
        assert_eq!((finding.subject.as_str(), finding.message.as_str()), ("a.Task.x", "a.Task.x is written"));
        let step = &finding.witnesses[0].steps[0];
        assert_eq!((step.thread.as_str(), step.place.method.as_str()), ("a.Task.run", "set()V"));
        assert_eq!(
            step.stack.iter().map(|frame| frame.to_prose()).collect::<Vec<_>>(),
            ["a.Task.run (Task.java:14)"]
        );
        assert_eq!(subjects(&WRITES, &Options::default(), &text), ["a.Task.x"]);
        assert_eq!(report.coverage.methods_analysed, 4);
    }

    #[test]
    fn methods_that_nothing_calls_are_a_gap_when_there_are_more_of_them_than_others() {
        let text = "class A {
            method public static void main(java.lang.String[] args) { return }
            method public void one() { return }
            method public void two() { return } }";
        let gaps: Vec<_> = report(&WRITES, &Options::default(), text).gaps().collect();
        assert_eq!((gaps.len(), gaps[0].count), (1, 2));
        assert!(gaps[0].why.contains("--library"));
    }
}
