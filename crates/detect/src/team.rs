//! A pass over a trace by two analyses, each with some of the detectors and on a thread of its own.
//!
//! Detectors that go by the history of accesses share one analysis, all others the second: hardly anything is computed
//! twice then. The second may be a few batches behind, so that whoever reads the trace goes on meanwhile; it has on loan the
//! names behind the ids, and a reader with a new name waits for it. The report is the one that a single [`Analysis`] with
//! all detectors makes, byte for byte.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use events::{Lender, Loan, Stretches, Symbols};
use findings::{Coverage, Report};

use crate::analysis::{Analysis, Malformed};
use crate::detector::{Options, Spec};

/// What both look at.
struct Batch {
    stretches: Arc<Stretches>,
    symbols: Loan<Symbols>,
}

enum Work {
    Look(Batch),
    Do(fn()),
    Finish(Loan<Symbols>),
}

enum Done {
    /// With what was looked at, for its room. The names have been given back.
    Looked(Result<(), Malformed>, Arc<Stretches>),
    Finished(Box<Result<Report, Malformed>>),
}

/// Batches that the other thread may be behind: enough for the two to wait for each other seldom, few enough for a cache.
const BEHIND: usize = 3;

/// The analysis on the other thread.
struct Teammate {
    work: Sender<Work>,
    done: Receiver<Done>,
    thread: JoinHandle<()>,
}

/// How a batch is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pace {
    /// By one analysis after the other: the processors are needed elsewhere.
    InTurn,
    /// By both at the same time, one of them perhaps somewhat later.
    Together,
}

/// A pass over a trace.
pub struct Team {
    here: Analysis,
    there: Option<Teammate>,
    /// Batches that the other thread has not answered for.
    behind: usize,
    /// Kept for their room.
    spare: Vec<Stretches>,
    specs: Vec<&'static Spec>,
}

impl Team {
    /// A pass for these detectors on up to so many threads.
    pub fn new(specs: &[&'static Spec], options: &Options, threads: usize) -> Self {
        let specs = specs.to_vec();
        let (by_history, others): (Vec<_>, Vec<_>) = specs.iter().partition(|spec| spec.uses.history);
        if threads > 1
            && !by_history.is_empty()
            && !others.is_empty()
            && let Some(there) = Teammate::start(others, options.clone())
        {
            let here = Analysis::new(&by_history, options);
            return Self { here, there: Some(there), behind: 0, spare: Vec::new(), specs };
        }
        Self { here: Analysis::new(&specs, options), there: None, behind: 0, spare: Vec::new(), specs }
    }

    /// Looks at the next events, which are taken away: what is left is room for further ones. What is wrong with them may
    /// be told one of the next times, or at the end.
    pub fn stretches(
        &mut self,
        stretches: &mut Stretches,
        symbols: &Lender<Symbols>,
        pace: Pace,
    ) -> Result<(), Malformed> {
        let Some(there) = &self.there else { return self.here.stretches(stretches, symbols) };
        let room = self.spare.pop().unwrap_or_default();
        let stretches = Arc::new(std::mem::replace(stretches, room));
        there.give(Work::Look(Batch { stretches: stretches.clone(), symbols: symbols.lend() }));
        self.behind += 1;
        match pace {
            Pace::Together => {
                let here = self.here.stretches(&stretches, symbols);
                drop(stretches);
                here.and(self.wait(BEHIND))
            }
            Pace::InTurn => {
                let there = self.wait(0);
                self.here.stretches(&stretches, symbols).and(there)
            }
        }
    }

    /// Waits until the other thread is at most so many batches behind.
    fn wait(&mut self, behind: usize) -> Result<(), Malformed> {
        let mut all = Ok(());
        while self.behind > behind {
            match self.there.as_ref().map(|there| there.done.recv()) {
                Some(Ok(Done::Looked(looked, stretches))) => {
                    self.behind -= 1;
                    self.spare.extend(Arc::into_inner(stretches));
                    all = all.and(looked);
                }
                Some(Err(_)) => fail(self.there.take()),
                Some(Ok(Done::Finished(_))) | None => break,
            }
        }
        all
    }

    /// Does something on the other thread too, such as what changes how much of the processors it gets.
    pub fn elsewhere(&self, act: fn()) {
        if let Some(there) = &self.there {
            there.give(Work::Do(act));
        }
    }

    /// Ends the pass.
    pub fn finish(mut self, symbols: &Lender<Symbols>) -> Result<Report, Malformed> {
        if let Some(there) = &self.there {
            there.give(Work::Finish(symbols.lend()));
        }
        let late = self.wait(0);
        let Self { here, there, specs, .. } = self;
        let rank =
            |detector: &str| specs.iter().position(|spec| spec.name == detector).unwrap_or(specs.len());
        let mut report = late.and(here.finish(symbols))?;
        match there.as_ref().map(|there| there.done.recv()) {
            None => report.settle(rank),
            Some(Ok(Done::Finished(theirs))) => {
                let mut theirs = (*theirs)?;
                // Both have seen the same.
                theirs.coverage = Coverage::default();
                report.join(theirs, rank);
            }
            Some(Ok(Done::Looked(..)) | Err(_)) => fail(there),
        }
        Ok(report)
    }
}

/// The other thread has panicked: so does this one.
fn fail(there: Option<Teammate>) -> ! {
    let ended = there.and_then(|there| there.thread.join().err());
    std::panic::resume_unwind(ended.unwrap_or_else(|| Box::new("an analysis ended before its trace")))
}

impl Teammate {
    /// None if there can be no further thread.
    fn start(specs: Vec<&'static Spec>, options: Options) -> Option<Self> {
        let (work, to_do) = channel();
        let (tell, done) = channel();
        let thread = std::thread::Builder::new().name("analysis".to_owned());
        let thread = thread.spawn(move || run(&specs, &options, &to_do, &tell)).ok()?;
        Some(Self { work, done, thread })
    }

    fn give(&self, work: Work) {
        // If nobody takes it, whoever waits for the answer notices.
        let _ = self.work.send(work);
    }
}

/// What happens on the other thread.
fn run(specs: &[&'static Spec], options: &Options, to_do: &Receiver<Work>, tell: &Sender<Done>) {
    let mut analysis = Analysis::new(specs, options);
    while let Ok(work) = to_do.recv() {
        let told = match work {
            Work::Look(Batch { stretches, symbols }) => {
                let looked = analysis.stretches(&stretches, &symbols);
                drop(symbols);
                tell.send(Done::Looked(looked, stretches))
            }
            Work::Do(act) => {
                act();
                Ok(())
            }
            Work::Finish(symbols) => {
                let report = analysis.finish(&symbols);
                drop(symbols);
                let _ = tell.send(Done::Finished(Box::new(report)));
                return;
            }
        };
        if told.is_err() {
            return;
        }
    }
}
