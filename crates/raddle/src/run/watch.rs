//! One JVM: its session is read and analysed while it runs, and recorded if that was asked for.
//!
//! While the program runs it comes first: the analysis takes what it leaves of the processors, and what the session has
//! room for is analysed afterwards.
//!
//! Whatever goes wrong here, the session is read on to its end where that is possible: a program must not wait for a
//! reader that has given up.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use detect::{Pace, Team};
use events::session::alive::{alive, process_of};
use events::session::counts::{LEFT_OUT, NAMED};
use events::session::names::{CLASSES_SEEN, CLASSES_WOVEN};
use events::session::{Poll, Reader};
use events::{Event, Place, Source as _, Stretches, TraceError, binary};
use findings::{Gap, Report};

use crate::error::Failure;
use crate::output::WholeFile;
use crate::report::Wanted;

/// What all watchers share with the command.
#[derive(Default)]
pub struct Shared {
    /// The command has ended, and JVMs that still run are left alone.
    pub leave: AtomicBool,
    /// The command has ended: nobody needs the processors more than we do.
    pub ended: AtomicBool,
    /// Events of all JVMs so far.
    pub events: AtomicU64,
}

/// What watching one JVM came to.
pub struct Watched {
    /// Its findings, gaps and coverage.
    pub report: Report,
    /// What went wrong, if anything.
    pub errors: Vec<Failure>,
    /// The trace, if one was asked for and could be written.
    pub record: Option<PathBuf>,
    /// How many classes each of the user's patterns for classes to watch stood for.
    pub named: Vec<(String, u64)>,
    /// What else the agent has counted.
    pub counts: Vec<(String, u64)>,
    /// The JVM, as people are told of it.
    pub jvm: String,
    /// Whether it got so far as to report anything.
    pub ready: bool,
}

impl Watched {
    /// Whether there was something to watch: `java -version` and the like run no program.
    pub fn counts_for_anything(&self) -> bool {
        let coverage = &self.report.coverage;
        let did = coverage.classes_seen > 0 || coverage.variables > 0 || coverage.threads > 1;
        self.ready && (did || self.report.gaps().next().is_some() || !self.errors.is_empty())
    }
}

/// How long to wait for an agent that has not written its first page.
const SOON: Duration = Duration::from_millis(2);

/// Less than so many events at a time: the reader has caught up, and leaves the processor to the program for a moment.
const FEW: usize = 256;

/// How much the program goes before the analysis. Where other programs keep the processors busy, the analysis may not be
/// allowed to take it back when the program has ended; so it is not more.
const NICE: i32 = 10;

/// Watches the JVM of a session folder until it ends. `record` is where its trace goes.
pub fn watch(folder: &Path, wanted: &Wanted, record: Option<&Path>, shared: &Shared) -> Watched {
    let mut watched = Watched {
        report: Report::new(),
        errors: Vec::new(),
        record: None,
        named: Vec::new(),
        counts: Vec::new(),
        jvm: jvm(folder),
        ready: false,
    };
    let reader = loop {
        match Reader::live(folder) {
            Ok(Some(reader)) => break reader,
            Ok(None) if alive(folder) && !shared.leave.load(Ordering::Relaxed) => std::thread::sleep(SOON),
            Ok(None) => {
                let why = "it ended before it was ready to be watched".to_owned();
                watched.report.add_gap(Gap { what: jvm(folder), why, count: 1 });
                return watched;
            }
            Err(error) => {
                watched.lost(folder, error);
                return watched;
            }
        }
    };
    watched.ready = true;
    Watch { folder, wanted, shared, reader, watched }.run(record)
}

struct Watch<'a> {
    folder: &'a Path,
    wanted: &'a Wanted,
    shared: &'a Shared,
    reader: Reader,
    watched: Watched,
}

impl Watch<'_> {
    fn run(mut self, record: Option<&Path>) -> Watched {
        let mut recording = record.and_then(|path| match Recording::create(path) {
            Ok(recording) => Some(recording),
            Err(error) => {
                self.watched.errors.push(error);
                None
            }
        });
        let mut stretches = Stretches::default();
        // If a thread may not, it works as before.
        let mut kind = rustix::process::nice(NICE).is_ok();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let mut team = Some(Team::new(&self.wanted.specs, &self.wanted.options, threads));
        let mut pace = Pace::InTurn;
        loop {
            if pace == Pace::InTurn && self.shared.ended.load(Ordering::Relaxed) {
                pace = Pace::Together;
                if std::mem::take(&mut kind) {
                    take_back();
                    team.iter().for_each(|team| team.elsewhere(take_back));
                }
            }
            match self.reader.poll(&mut stretches) {
                Ok(Poll::Events) => {}
                Ok(Poll::Nothing) if self.is_left() => break,
                Ok(Poll::Nothing) => {
                    self.reader.nap();
                    continue;
                }
                Ok(Poll::End) => break,
                Err(error) => {
                    self.watched.lost(self.folder, error);
                    break;
                }
            }
            let events = stretches.len();
            self.shared.events.fetch_add(events as u64, Ordering::Relaxed);
            if let Some(open) = &mut recording
                && let Err(error) = open.batch(&stretches, &self.reader)
            {
                self.watched.errors.push(error);
                recording = None;
            }
            if let Some(running) = &mut team
                && let Err(wrong) = running.stretches(&mut stretches, self.reader.lender(), pace)
            {
                let name = self.folder.display().to_string();
                self.watched
                    .lost(self.folder, TraceError::new(name, Place::Event(wrong.event), wrong.reason));
                team = None;
            }
            if self.is_left() {
                break;
            }
            if events < FEW {
                self.reader.nap();
            }
        }
        self.finish(team, recording)
    }

    /// Whether the JVM runs on although the command has ended.
    fn is_left(&mut self) -> bool {
        if !self.shared.leave.load(Ordering::Relaxed) || !alive(self.folder) {
            return false;
        }
        let why = "it still runs; what it does from now on is not watched".to_owned();
        self.watched.report.add_gap(Gap { what: jvm(self.folder), why, count: 1 });
        true
    }

    fn finish(mut self, team: Option<Team>, recording: Option<Recording>) -> Watched {
        match team.map(|team| team.finish(self.reader.lender())) {
            Some(Ok(report)) => self.watched.report.merge(report),
            Some(Err(wrong)) => {
                let name = self.folder.display().to_string();
                let error = TraceError::new(name, Place::Event(wrong.event), wrong.reason);
                self.watched.lost(self.folder, error);
            }
            None => {}
        }
        for gap in self.reader.gaps() {
            let gap = Gap { what: gap.what.clone(), why: gap.why.clone(), count: gap.count };
            self.watched.report.add_gap(gap);
        }
        if let Some(damage) = self.reader.damage() {
            self.watched.errors.push(Failure::new(damage.to_string()));
        }
        for (what, number) in self.reader.counts() {
            let coverage = &mut self.watched.report.coverage;
            if let Some(pattern) = what.strip_prefix(NAMED) {
                self.watched.named.push((pattern.to_owned(), *number));
            } else if let Some(why) = what.strip_prefix(LEFT_OUT) {
                if *number > 0 {
                    coverage.left_out.insert(why.to_owned(), *number);
                }
            } else {
                match what.as_str() {
                    CLASSES_SEEN => coverage.classes_seen = *number,
                    CLASSES_WOVEN => coverage.classes_woven = *number,
                    _ => self.watched.counts.push((what.clone(), *number)),
                }
            }
        }
        if let Some(recording) = recording {
            match recording.finish(&self.reader) {
                Ok(path) => self.watched.record = Some(path),
                Err(error) => self.watched.errors.push(error),
            }
        }
        self.watched
    }
}

impl Watched {
    fn lost(&mut self, folder: &Path, error: TraceError) {
        let why = "it could not be analysed to its end".to_owned();
        self.report.add_gap(Gap { what: jvm(folder), why, count: 1 });
        self.errors.push(error.into());
    }
}

/// The program has ended: the processors are ours.
fn take_back() {
    let _ = rustix::process::nice(-NICE);
}

/// The JVM as people are told of it.
fn jvm(folder: &Path) -> String {
    match process_of(folder) {
        Some((pid, _)) => format!("the JVM with process number {pid}"),
        None => "a JVM".to_owned(),
    }
}

/// A trace that is being written.
struct Recording {
    path: PathBuf,
    writer: binary::Writer<WholeFile>,
    batch: Vec<Event>,
}

impl Recording {
    fn create(path: &Path) -> Result<Self, Failure> {
        let file = WholeFile::create(path)?;
        let writer = binary::Writer::new(file).map_err(|error| unwritten(path, &error))?;
        Ok(Self { path: path.to_owned(), writer, batch: Vec::new() })
    }

    fn batch(&mut self, stretches: &Stretches, reader: &Reader) -> Result<(), Failure> {
        self.batch.clear();
        stretches.uncut(&mut self.batch);
        self.writer.batch(&self.batch, reader.symbols()).map_err(|error| unwritten(&self.path, &error))
    }

    fn finish(mut self, reader: &Reader) -> Result<PathBuf, Failure> {
        reader.gaps().iter().for_each(|gap| self.writer.gap(gap.clone()));
        let file = self.writer.finish(reader.symbols()).map_err(|error| unwritten(&self.path, &error))?;
        file.finish()?;
        Ok(self.path)
    }
}

fn unwritten(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("{}: {error}", path.display()))
}
