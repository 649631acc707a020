//! `raddle trace stat`: what a trace holds, in numbers.

use std::collections::HashSet;
use std::io::{self, Write};

use events::check::{Checker, Malformed};
use events::{Event, LockId, Mode, Op, Place, Source, TraceError};
use findings::{thousands, visible};

use super::{ending, name, open};
use crate::cli::StatArgs;
use crate::error::{Failure, Outcome};
use crate::output::to_stdout;
use crate::progress::Line;

/// Runs it.
pub fn run(args: &StatArgs) -> Result<Outcome, Failure> {
    let mut line = Line::new(&name(&args.file), !args.no_progress);
    let mut source = open(&args.file)?;
    let mut counts = [0u64; KINDS.len()];
    let mut events = 0u64;
    let mut held = Held::default();
    let mut checker = Checker::default();
    let mut malformed: Option<Malformed> = None;
    let mut batch = Vec::new();
    while source.fill(&mut batch)? {
        for event in &batch {
            counts[kind(event)] += 1;
            held.step(event);
        }
        events += batch.len() as u64;
        if malformed.is_none() {
            malformed = checker.batch(&batch, source.symbols()).err();
        }
        line.batch(batch.len(), source.progress());
    }
    if malformed.is_none() {
        malformed = checker.finish(source.symbols()).err();
    }
    drop(line);
    to_stdout(|out| show(source.as_ref(), events, &counts, &held, out))?;
    if let Some(Malformed { event, reason }) = malformed {
        return Err(TraceError::new(name(&args.file), Place::Event(event), reason).into());
    }
    Ok(ending(source.as_ref()))
}

/// Which locks threads hold at once.
#[derive(Default)]
struct Held {
    /// For each thread its locks, ascending, and whether they are among the sets.
    threads: Vec<(Vec<LockId>, bool)>,
    /// The most that one thread held.
    most: usize,
    /// What threads held when they accessed something.
    sets: HashSet<Vec<LockId>>,
}

impl Held {
    fn step(&mut self, event: &Event) {
        let thread = event.thread.index();
        if self.threads.len() <= thread {
            self.threads.resize(thread + 1, (Vec::new(), false));
        }
        let (locks, known) = &mut self.threads[thread];
        match event.op {
            Op::Read { .. } | Op::Write { .. } if !*known => {
                self.sets.insert(locks.clone());
                *known = true;
            }
            Op::Acquire { lock, .. } | Op::Woken { lock } => {
                if let Err(at) = locks.binary_search(&lock) {
                    locks.insert(at, lock);
                    *known = false;
                }
                self.most = self.most.max(locks.len());
            }
            Op::Release { lock, .. } | Op::Wait { lock } => {
                if let Ok(at) = locks.binary_search(&lock) {
                    locks.remove(at);
                    *known = false;
                }
            }
            _ => {}
        }
    }
}

fn show(
    source: &dyn Source,
    events: u64,
    counts: &[u64],
    held: &Held,
    out: &mut dyn Write,
) -> io::Result<()> {
    let symbols = source.symbols();
    let bytes = source.progress().read;
    let mut row = |name: &str, n: u64| writeln!(out, "{name:<24}{:>16}", thousands(n));
    row("events", events)?;
    for (&kind, &count) in KINDS.iter().zip(counts).filter(|(_, count)| **count > 0) {
        row(&format!("  {kind}"), count)?;
    }
    row("threads", symbols.threads.len() as u64)?;
    row("locks", symbols.locks.len() as u64)?;
    row("  most held at once", held.most as u64)?;
    row("  sets at accesses", held.sets.len() as u64)?;
    row("variables", symbols.variables().len() as u64)?;
    row("objects", symbols.objects().len() as u64)?;
    row("classes", symbols.classes.len() as u64)?;
    row("methods", symbols.methods.len() as u64)?;
    row("sites", symbols.sites.len() as u64)?;
    row("bytes", bytes)?;
    if events > 0 {
        writeln!(out, "{:<24}{:>16.2}", "bytes an event", bytes as f64 / events as f64)?;
    }
    for gap in source.gaps() {
        let text = format!("{}: {}", gap.what, gap.why);
        writeln!(out, "not watched: {} (count {})", visible(&text), thousands(gap.count))?;
    }
    Ok(())
}

/// What is counted apart, as the readable text form calls it.
const KINDS: [&str; 24] = [
    "read",
    "write",
    "flow",
    "vread",
    "vwrite",
    "acquire",
    "acquire read",
    "release",
    "release read",
    "reenter",
    "reexit",
    "wait",
    "woken",
    "signal",
    "observe",
    "fork",
    "join",
    "start",
    "end",
    "begin",
    "finish",
    "freeze",
    "free",
    "mark",
];

fn kind(event: &Event) -> usize {
    match event.op {
        Op::Read { .. } => 0,
        Op::Write { .. } => 1,
        Op::Flow { .. } => 2,
        Op::VolatileRead { .. } => 3,
        Op::VolatileWrite { .. } => 4,
        Op::Acquire { mode: Mode::Exclusive, .. } => 5,
        Op::Acquire { mode: Mode::Read, .. } => 6,
        Op::Release { mode: Mode::Exclusive, .. } => 7,
        Op::Release { mode: Mode::Read, .. } => 8,
        Op::Reenter { .. } => 9,
        Op::Reexit { .. } => 10,
        Op::Wait { .. } => 11,
        Op::Woken { .. } => 12,
        Op::Signal { .. } => 13,
        Op::Observe { .. } => 14,
        Op::Fork { .. } => 15,
        Op::Join { .. } => 16,
        Op::Start => 17,
        Op::End => 18,
        Op::Begin { .. } => 19,
        Op::Finish { .. } => 20,
        Op::Freeze { .. } => 21,
        Op::Free { .. } => 22,
        Op::Mark { .. } => 23,
    }
}
