//! A pass over a trace by two analyses, each with some of the detectors and on a thread of its own.
//!
//! Detectors that go by the history of accesses share one analysis, all others the second: hardly anything is computed
//! twice then. Both look at the same batch at the same time and wait for each other, because the names behind the ids
//! change with the next one. The report is the one that a single [`Analysis`] with all detectors makes, byte for byte.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use events::{Stretches, Symbols};
use findings::{Coverage, Report};

use crate::analysis::{Analysis, Malformed};
use crate::detector::{Options, Spec};

/// What both look at.
struct Batch {
    stretches: Stretches,
    symbols: Symbols,
}

enum Work {
    Look(Arc<Batch>),
    Do(fn()),
    Finish(Arc<Batch>),
}

enum Done {
    Looked(Result<(), Malformed>),
    Finished(Box<Result<Report, Malformed>>),
}

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
    /// By both at the same time.
    Together,
}

/// A pass over a trace.
pub struct Team {
    here: Analysis,
    there: Option<Teammate>,
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
            return Self { here: Analysis::new(&by_history, options), there: Some(there), specs };
        }
        Self { here: Analysis::new(&specs, options), there: None, specs }
    }

    /// Looks at the next events. What is handed over is given back as it was.
    pub fn stretches(
        &mut self,
        stretches: &mut Stretches,
        symbols: &mut Symbols,
        pace: Pace,
    ) -> Result<(), Malformed> {
        let Some(there) = &self.there else { return self.here.stretches(stretches, symbols) };
        let batch =
            Arc::new(Batch { stretches: std::mem::take(stretches), symbols: std::mem::take(symbols) });
        there.give(Work::Look(batch.clone()));
        let looked = match pace {
            Pace::Together => {
                let here = self.here.stretches(&batch.stretches, &batch.symbols);
                self.wait().and(here)
            }
            Pace::InTurn => {
                let there = self.wait();
                self.here.stretches(&batch.stretches, &batch.symbols).and(there)
            }
        };
        // The other thread has let go of it before it said that it is done.
        if let Some(batch) = Arc::into_inner(batch) {
            (*stretches, *symbols) = (batch.stretches, batch.symbols);
        }
        looked
    }

    fn wait(&mut self) -> Result<(), Malformed> {
        match self.there.as_ref().map(|there| there.done.recv()) {
            Some(Ok(Done::Looked(looked))) => looked,
            Some(Err(_)) => self.fail(),
            Some(Ok(Done::Finished(_))) | None => Ok(()),
        }
    }

    /// The other thread has panicked: so does this one.
    fn fail(&mut self) -> ! {
        let ended = self.there.take().and_then(|there| there.thread.join().err());
        std::panic::resume_unwind(ended.unwrap_or_else(|| Box::new("an analysis ended before its trace")))
    }

    /// Does something on the other thread too, such as what changes how much of the processors it gets.
    pub fn elsewhere(&self, act: fn()) {
        if let Some(there) = &self.there {
            there.give(Work::Do(act));
        }
    }

    /// Ends the pass.
    pub fn finish(mut self, symbols: &mut Symbols) -> Result<Report, Malformed> {
        let rank = |specs: &[&'static Spec], detector: &str| {
            specs.iter().position(|spec| spec.name == detector).unwrap_or(specs.len())
        };
        let Some(there) = &self.there else {
            let mut report = self.here.finish(symbols)?;
            report.settle(|detector| rank(&self.specs, detector));
            return Ok(report);
        };
        let batch = Arc::new(Batch { stretches: Stretches::default(), symbols: std::mem::take(symbols) });
        there.give(Work::Finish(batch.clone()));
        let theirs = match there.done.recv() {
            Ok(Done::Finished(report)) => *report,
            _ => self.fail(),
        };
        let ours = self.here.finish(&batch.symbols);
        if let Some(batch) = Arc::into_inner(batch) {
            *symbols = batch.symbols;
        }
        let (mut report, mut theirs) = (ours?, theirs?);
        // Both have seen the same.
        theirs.coverage = Coverage::default();
        report.join(theirs, |detector| rank(&self.specs, detector));
        Ok(report)
    }
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
            Work::Look(batch) => {
                let looked = analysis.stretches(&batch.stretches, &batch.symbols);
                drop(batch);
                tell.send(Done::Looked(looked))
            }
            Work::Do(act) => {
                act();
                Ok(())
            }
            Work::Finish(batch) => {
                let report = analysis.finish(&batch.symbols);
                drop(batch);
                let _ = tell.send(Done::Finished(Box::new(report)));
                return;
            }
        };
        if told.is_err() {
            return;
        }
    }
}
