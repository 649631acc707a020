//! The checks over a program's code. To add one, write its file and name its `SPEC` here.
//!
//! A check is a plain function over a [`Code`]: the program, what its registers may hold, what its threads share. It puts
//! what it finds into an [`Out`], as ids; rule, subject and so the fingerprint are those of the detectors over a trace.
//! Its tests stand at its end: a program in text form with `//~ rule` marks (see [`testing`]).

pub mod accesses;
mod branches;
mod causal;
mod circles;
mod code;
mod evidence;
mod guarded_by;
mod lock_order;
pub mod locks;
mod lockset;
mod makers;
mod once;
mod regions;
mod stale;
#[cfg(test)]
mod testing;
mod views_code;

use std::sync::atomic::{AtomicUsize, Ordering};

use findings::{Report, Rule};

pub use branches::may_access;
pub use code::{Code, Way};
pub use evidence::{Evidence, Out, Place, StepAt, Subject};
pub use stale::{WatchedFlow, flows};

use crate::Options;

/// Everything there is to know about a check before it runs. `--help`, `explain` and the docs come from here.
#[derive(Debug)]
pub struct CodeSpec {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line: how it finds what it finds.
    pub about: &'static str,
    /// A few paragraphs for `explain`: the paper, what it means, what it can miss, when it is wrong.
    pub explain: &'static str,
    /// The rules it reports.
    pub rules: &'static [Rule],
    /// Does it.
    pub check: fn(&Code, &Options, &mut Out<'_>),
}

/// Every check over code, in the order in which they are listed and run.
pub const ALL: &[&CodeSpec] =
    &[&stale::SPEC, &causal::SPEC, &lockset::SPEC, &lock_order::SPEC, &views_code::SPEC];

/// Those that run only if they are named: for comparison, with more false alarms than others of the same rule.
pub const ON_REQUEST: &[&str] = &["views-code"];

/// The check of a name.
pub fn by_name(name: &str) -> Option<&'static CodeSpec> {
    ALL.iter().copied().find(|spec| spec.name == name)
}

/// Runs checks, up to so many at the same time; `begin` is told the name of each before it runs. Each writes a report of
/// its own, and these are put together in the order of the checks: the result does not depend on the number of threads.
pub fn check(
    code: &Code,
    specs: &[&'static CodeSpec],
    options: &Options,
    threads: usize,
    begin: impl Fn(&'static str) + Sync,
) -> Report {
    let run = |spec: &&'static CodeSpec| {
        begin(spec.name);
        let mut out = Out::new(code, spec.name);
        (spec.check)(code, options, &mut out);
        out.into_report()
    };
    let mut report = Report::new();
    for found in in_order(specs, threads, run) {
        report.merge(found);
    }
    code.cover(&mut report);
    report
}

/// Does something with each item, up to so many at the same time; the results are in the order of the items.
fn in_order<T: Sync, R: Send>(items: &[T], threads: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(number) else { break done };
            done.push((number, work(item)));
        }
    };
    let mut done = std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads.min(items.len()))
            .map(|_| std::thread::Builder::new().spawn_scoped(scope, worker))
            .collect();
        let mut done = worker();
        for helper in helpers.into_iter().flatten() {
            match helper.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use findings::{Format, Style};

    use super::*;

    /// A field that most accesses lock, two locks taken either way round, a value that is written back late.
    const SEVERAL: &str = "public class Library {
            field private int x
            field private final java.lang.Object other
            method public void <init>() {
                lock = new java.lang.Object
                put java.lang.Object Library.other of this = lock
                return
            }
            method public void set(int value) { enter this put int Library.x of this = value exit this return }
            method public int get() { enter this value = get int Library.x of this exit this return value }
            method public int peek() { value = get int Library.x of this return value }
            method public void late() {
                enter this
                value = get int Library.x of this
                exit this
                enter this
                put int Library.x of this = value
                exit this
                return
            }
            method public void up() {
                lock = get java.lang.Object Library.other of this
                enter this enter lock exit lock exit this return
            }
            method public void down() {
                lock = get java.lang.Object Library.other of this
                enter lock enter this exit this exit lock return
            }
        }";

    #[test]
    fn the_number_of_threads_changes_no_byte_of_the_report() {
        let code = testing::code(SEVERAL);
        let json = |threads: usize| {
            let report = check(&code, ALL, &Options::default(), threads, |_| ());
            let mut text = Vec::new();
            Format::Json.renderer(Style::default()).render(&report, &mut text).expect("memory does not fail");
            (report.findings().count(), String::from_utf8(text).expect("text"))
        };
        let (count, one) = json(1);
        assert!(count >= 3, "{one}");
        for threads in [0, 2, 3, 16] {
            assert_eq!(json(threads).1, one, "with {threads} threads");
        }
    }

    #[test]
    fn results_are_in_the_order_of_the_items_whoever_is_done_first() {
        let items: Vec<u64> = (0..40).collect();
        let slow = |item: &u64| {
            std::thread::sleep(std::time::Duration::from_millis((40 - item) % 7));
            item * 2
        };
        for threads in [1, 2, 7, 100] {
            assert_eq!(in_order(&items, threads, slow), (0..40).map(|item| item * 2).collect::<Vec<u64>>());
        }
        assert_eq!(in_order(&[], 4, slow), Vec::<u64>::new());
    }
}
