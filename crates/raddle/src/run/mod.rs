//! `raddle run`: starts a command, watches every JVM that it starts, and reports when it has ended.
//!
//! Standard input, output and error are the command's own while it runs; nothing is printed meanwhile. If it runs longer
//! than the analysis can follow it has to wait for it (the agent's part); if this process dies it goes on alone.

mod folder;
mod remarks;
mod signals;
mod start;
mod watch;

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use events::session::alive::{alive, process_of};
use events::{OpSet, Progress};
use findings::{Gap, Report, Road};
use program::points::World;

use crate::cli::RunArgs;
use crate::code::{self, Checking};
use crate::error::{Failure, Outcome};
use crate::filter::Filter;
use crate::output::{Color, Stream, WholeFile, tell};
use crate::plan;
use crate::progress::{Line, Stage};
use crate::report::Wanted;
use crate::select;
use folder::Folder;
use remarks::Seen;
use signals::Receiver;
pub use start::class_path;
use watch::{Shared, Watched, watch};

/// How often new JVMs and the end of the command are looked for.
const LOOK: Duration = Duration::from_millis(10);
/// How long JVMs may outlive the command.
const GRACE: Duration = Duration::from_secs(5);

/// The plan in the session folder, if the code was checked.
const PLAN: &str = "plan";

/// Runs it.
pub fn run(args: &RunArgs, color: Color) -> Result<Outcome, Failure> {
    let mut wanted = Wanted::new(&args.report, color)?;
    if let Some(path) = &args.record {
        WholeFile::try_out(path)?;
    }
    // The agent reads them too, but cannot end the program for what is wrong with them.
    code::read_models(&args.models)?;
    let agent = start::agent()?;
    let folder = Folder::create(args.session.as_deref(), args.budget << 20)?;
    let own_plan = folder.path().join(PLAN);
    let checked = check(args, &mut wanted, &own_plan)?;
    let plan = if checked.is_some() { Some(own_plan.as_path()) } else { args.plan.as_deref() };
    let planned = plan.map(plan::read).transpose()?;
    if planned.as_ref().is_none_or(|(_, plan)| plan.flows() == 0) {
        // Nobody will tell of any value.
        wanted.specs.retain(|spec| !spec.ops.meets(OpSet::FLOW));
        if wanted.specs.is_empty() && planned.is_none() {
            return Err(Failure::with_help(
                "a run without a plan watches no values, and nothing else was asked for",
                "--check finds out which could be stale and has them watched",
            ));
        }
    }
    let plan_path = planned.as_ref().map(|(path, _)| path.as_path());
    let mut command = start::command(args, &agent, folder.path(), plan_path)?;
    let place = folder.path().to_owned();
    let folder = Arc::new(Mutex::new(Some(folder)));
    let signals = Receiver::new(Arc::clone(&folder)).map_err(|e| Failure::new(format!("signals: {e}")))?;

    let child = command.spawn().map_err(|error| {
        let program = Path::new(command.get_program());
        Failure::new(format!("{}: cannot be started: {error}", program.display()))
    })?;
    signals.is(child.id());
    let watching = Watching { args, wanted: &wanted, place: &place, signals: &signals };
    let (status, watched) = watching.all(child)?;
    let blind = planned.as_ref().and_then(|(_, plan)| plan::blind(plan));
    let found = Found { watched, checked, blind };
    let outcome = finish(args, &wanted, status, found, &folder::tools(&place));
    drop(folder.lock().unwrap_or_else(PoisonError::into_inner).take());
    outcome
}

/// What the code says, if it was to be checked; what the run shall know of it is put where it is wanted. Comes before the program starts, which may want all processors.
fn check(args: &RunArgs, wanted: &mut Wanted, plan: &Path) -> Result<Option<Report>, Failure> {
    if args.check.is_empty() {
        return Ok(None);
    }
    let checking = Checking {
        inputs: &args.check,
        specs: select::on_code(&[], wanted.rules())?,
        options: wanted.options.clone(),
        world: World::Guess,
        jdk: None,
        threads: None,
        models: &args.models,
        plan: Some(plan),
        for_run: true,
        keep: false,
    };
    let stage = Stage::new(!args.report.no_progress);
    let checked = checking.run(&stage)?;
    wanted.options.may_access = checked.may_access.map(Arc::new);
    let mut report = checked.report;
    let filter = Filter::new(&args.include, &args.exclude);
    report.retain(|finding| filter.keeps(finding));
    Ok(Some(report))
}

/// What both roads have found.
struct Found {
    watched: Vec<Watched>,
    /// What the code says, if it was checked.
    checked: Option<Report>,
    /// What the plan could not follow.
    blind: Option<Gap>,
}

struct Watching<'a> {
    args: &'a RunArgs,
    wanted: &'a Wanted,
    place: &'a Path,
    signals: &'a Receiver,
}

type Watchers<'scope> = Vec<(PathBuf, ScopedJoinHandle<'scope, Watched>)>;

impl Watching<'_> {
    /// Watches every JVM until the command has ended and all has been analysed.
    fn all(&self, mut child: Child) -> Result<(ExitStatus, Vec<Watched>), Failure> {
        let shared = Shared::default();
        let shared = &shared;
        thread::scope(|scope| {
            let mut seen = BTreeSet::new();
            let mut watchers = Vec::new();
            let status = loop {
                self.look(scope, shared, &mut seen, &mut watchers);
                match child.try_wait() {
                    Ok(Some(status)) => break status,
                    Ok(None) => thread::sleep(LOOK),
                    Err(error) => {
                        shared.leave.store(true, Ordering::Relaxed);
                        return Err(Failure::new(format!("the command cannot be waited for: {error}")));
                    }
                }
            };
            self.signals.is_nobody();
            shared.ended.store(true, Ordering::Relaxed);
            self.look(scope, shared, &mut seen, &mut watchers);

            // What is left to analyse may take a while, and nobody else prints now.
            let ended = Instant::now();
            let mut line = Line::new("analysing", !self.args.report.no_progress);
            let mut before = 0;
            while watchers.iter().any(|(_, watcher)| !watcher.is_finished()) {
                if ended.elapsed() > GRACE && watchers.iter().any(|(session, _)| alive(session)) {
                    shared.leave.store(true, Ordering::Relaxed);
                }
                thread::sleep(LOOK / 5);
                self.look(scope, shared, &mut seen, &mut watchers);
                let events = shared.events.load(Ordering::Relaxed);
                line.batch((events - before) as usize, Progress::default());
                before = events;
            }
            let panicked = || Failure::new("the analysis of a JVM failed");
            let watched = watchers.into_iter().map(|(_, watcher)| watcher.join().map_err(|_| panicked()));
            Ok((status, watched.collect::<Result<_, _>>()?))
        })
    }
}

impl Watching<'_> {
    /// Begins to watch the JVMs that are new.
    fn look<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        shared: &'scope Shared,
        seen: &mut BTreeSet<PathBuf>,
        watchers: &mut Watchers<'scope>,
    ) {
        for session in folder::sessions(self.place) {
            if !seen.insert(session.clone()) {
                continue;
            }
            let record = self.args.record.as_deref().map(|path| one_of_many(path, &session));
            let of = session.clone();
            let run = move || watch(&session, self.wanted, record.as_deref(), shared);
            match thread::Builder::new().name("watch".into()).spawn_scoped(scope, run) {
                Ok(watcher) => watchers.push((of, watcher)),
                Err(error) => tell(&format!("no thread to watch a JVM: {error}")),
            }
        }
    }
}

/// Merges what was found, tells it, and picks the exit code.
fn finish(
    args: &RunArgs,
    wanted: &Wanted,
    status: ExitStatus,
    found: Found,
    tools: &BTreeSet<String>,
) -> Result<Outcome, Failure> {
    let jvms = found.watched.iter().filter(|one| one.counts_for_anything()).count();
    let mut report = Report::new();
    if let Some(blind) = found.blind.filter(|_| jvms > 0) {
        report.add_gap(blind);
    }
    let mut errors = Vec::new();
    let mut records = Vec::new();
    let mut seen = Seen::default();
    for one in found.watched {
        if one.counts_for_anything() {
            seen.add(&one);
        }
        report.merge(one.report);
        errors.extend(one.errors);
        records.extend(one.record);
    }
    if let (Some(path), [only]) = (&args.record, records.as_slice())
        && path != only
        && let Err(error) = std::fs::rename(only, path)
    {
        errors.push(Failure::new(format!("{}: {error}", path.display())));
    }
    if let Some(mut checked) = found.checked {
        // Those that ran are counted, not those that could.
        checked.coverage.threads = 0;
        report.merge(checked);
    }
    if !wanted.options.paper {
        report.gather_sets();
    }
    if !args.check.is_empty() {
        report.tell_roads(road);
    }
    let mut complete = errors.is_empty();
    for error in errors {
        error.tell();
    }
    if !tools.is_empty() && !args.report.quiet && jvms > 0 {
        let names = remarks::names(tools);
        tell(&format!(
            "JVMs of {names} were left alone; --include would watch the classes that it names in them too"
        ));
    }
    if jvms == 0 {
        tell(&remarks::nobody(tools));
        complete = false;
    } else {
        // The program comes first: how it ended is told even if its report cannot be.
        if let Err(error) = wanted.tell(&mut report, Stream::Error) {
            error.tell();
            complete = false;
        }
        if !args.report.quiet {
            tell(&seen.coverage());
            seen.remarks().iter().for_each(|remark| tell(remark));
        }
    }
    let doubts = seen.doubts(&args.include);
    doubts.iter().for_each(|doubt| tell(doubt));
    let outcome = wanted.outcome(&report);
    Ok(match code(status) {
        0 if !complete => Outcome::Incomplete,
        0 if wanted.is_strict() && !doubts.is_empty() && !args.report.exit_zero => Outcome::Findings,
        0 => outcome,
        code => Outcome::Program(code),
    })
}

/// The road that a detector goes.
fn road(detector: &str) -> Road {
    let on_code = detect::on_code::ALL.iter().any(|spec| spec.name == detector);
    if on_code { Road::Code } else { Road::Run }
}

/// The exit code as a shell would tell it.
fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    // A code that does not fit is a failure all the same.
    u8::try_from(code).unwrap_or(1)
}

/// `app.trace` with the number of a JVM's process: `app-1234.trace`. A device or pipe stays what it is.
fn one_of_many(path: &Path, session: &Path) -> PathBuf {
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return path.to_owned();
    }
    let pid = process_of(session).map_or(0, |(pid, _)| pid);
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{pid}"));
    if let Some(ending) = path.extension() {
        name.push(".");
        name.push(ending);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_process_comes_before_the_ending() {
        let of = |path: &str| one_of_many(Path::new(path), Path::new("/tmp/raddle-1-2/34-567"));
        assert_eq!(of("out/app.trace"), Path::new("out/app-34.trace"));
        assert_eq!(of("app"), Path::new("app-34"));
    }

    #[test]
    fn a_program_that_was_killed_ends_as_a_shell_says() {
        assert_eq!(code(ExitStatus::from_raw(9)), 137);
        assert_eq!(code(ExitStatus::from_raw(3 << 8)), 3);
        assert_eq!(code(ExitStatus::from_raw(0)), 0);
    }
}
