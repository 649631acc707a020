//! `raddle trace convert`: a trace in another form.
//!
//! The trace is checked on the way: what is written is one that a run can have made. A file appears only when it is
//! complete. Of a damaged trace the readable part is written, with its gap, and the damage is an error all the same.

use std::io::{self, Write};
use std::path::Path;

use events::check::Checker;
use events::rapid::{Lost, WriteError};
use events::{Event, Form, Gap, Place, Source, Symbols, TraceError, binary, rapid, text};
use findings::{plural, visible};

use super::{name, open};
use crate::cli::{ConvertArgs, To};
use crate::error::{Failure, Outcome};
use crate::output::{WholeFile, to_stdout};
use crate::progress::Line;

/// Runs it.
pub fn run(args: &ConvertArgs) -> Result<Outcome, Failure> {
    let form = form(args)?;
    if args.lossy && form != Form::Rapid {
        return Err(Failure::new("--lossy is for STD only: the other forms hold everything"));
    }
    let mut source = open(&args.from)?;
    let mut line = Line::new(&name(&args.from), !args.no_progress);
    let lost = if args.out == Path::new("-") {
        to_stdout(|out| match pump(source.as_mut(), Sink::new(form, out, args.lossy)?, &mut line, args) {
            Err(Trouble::Out(error)) => Err(error),
            other => Ok(other),
        })?
        .map_err(|trouble| trouble.failure(args, None))?
    } else {
        let mut file = WholeFile::create(&args.out)?;
        let sink = Sink::new(form, &mut file as &mut dyn Write, args.lossy).map_err(Trouble::Out);
        match sink.and_then(|sink| pump(source.as_mut(), sink, &mut line, args)) {
            Ok(lost) => {
                file.finish()?;
                lost
            }
            Err(trouble) => return Err(trouble.failure(args, Some(&file))),
        }
    };
    drop(line);
    tell_lost(&lost, source.gaps(), form);
    let Some(damage) = source.damage() else { return Ok(Outcome::Clean) };
    let help = format!("what could be read is in {}, with a gap that says what is missing", place(&args.out));
    Failure::with_help(damage.to_string(), help).tell();
    Ok(Outcome::Incomplete)
}

/// Where the trace was written.
fn place(out: &Path) -> String {
    if out == Path::new("-") { "what was printed".to_owned() } else { name(out) }
}

/// The form asked for, or that of the file's name.
fn form(args: &ConvertArgs) -> Result<Form, Failure> {
    Ok(match args.to {
        Some(To::Binary) => Form::Binary,
        Some(To::Text) => Form::Text,
        Some(To::Std) => Form::Rapid,
        None => match args.out.extension().and_then(|end| end.to_str()) {
            Some("trace") => Form::Binary,
            Some("txt") => Form::Text,
            Some("std") => Form::Rapid,
            _ => {
                return Err(Failure::with_help(
                    format!("{}: the name does not tell which form to write", name(&args.out)),
                    "end it in .trace (binary), .txt (text) or .std (STD), or say --to binary, text or std",
                ));
            }
        },
    })
}

/// What can go wrong on the way.
enum Trouble {
    /// With the trace that is read.
    Trace(TraceError),
    /// With what is written.
    Out(io::Error),
    /// The form cannot say it.
    Cannot { event: u64, reason: String },
}

impl Trouble {
    fn failure(self, args: &ConvertArgs, file: Option<&WholeFile>) -> Failure {
        match (self, file) {
            (Trouble::Trace(error), _) => error.into(),
            (Trouble::Out(error), Some(file)) => file.fail(&error),
            (Trouble::Out(error), None) => Failure::stdout(&error),
            (Trouble::Cannot { event, reason }, _) => Failure::with_help(
                TraceError::new(name(&args.from), Place::Event(event), reason).to_string(),
                "--lossy leaves out what STD cannot say; --to binary or text keeps everything",
            ),
        }
    }
}

impl From<WriteError> for Trouble {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Io(error) => Trouble::Out(error),
            WriteError::Event { event, reason } => Trouble::Cannot { event, reason },
        }
    }
}

/// A writer of any form.
enum Sink<'a> {
    Binary(binary::Writer<&'a mut dyn Write>),
    Text(text::Writer<&'a mut dyn Write>),
    Std(rapid::Writer<&'a mut dyn Write>),
}

impl<'a> Sink<'a> {
    fn new(form: Form, out: &'a mut dyn Write, lossy: bool) -> io::Result<Self> {
        Ok(match form {
            Form::Binary => Sink::Binary(binary::Writer::new(out)?),
            Form::Text => Sink::Text(text::Writer::new(out)?),
            Form::Rapid => Sink::Std(rapid::Writer::new(out, lossy)),
        })
    }

    fn batch(&mut self, events: &[Event], symbols: &Symbols) -> Result<(), Trouble> {
        match self {
            Sink::Binary(writer) => writer.batch(events, symbols).map_err(Trouble::Out),
            Sink::Text(writer) => writer.batch(events, symbols).map_err(Trouble::Out),
            Sink::Std(writer) => Ok(writer.batch(events, symbols)?),
        }
    }

    fn finish(self, gaps: &[Gap], symbols: &Symbols) -> Result<Lost, Trouble> {
        match self {
            Sink::Binary(mut writer) => {
                gaps.iter().for_each(|gap| writer.gap(gap.clone()));
                writer.finish(symbols).map_err(Trouble::Out)?;
            }
            Sink::Text(writer) => {
                writer.finish(gaps, symbols).map_err(Trouble::Out)?;
            }
            Sink::Std(writer) => return Ok(writer.finish()?.1),
        }
        Ok(Lost::default())
    }
}

fn pump(
    source: &mut dyn Source,
    mut sink: Sink<'_>,
    line: &mut Line,
    args: &ConvertArgs,
) -> Result<Lost, Trouble> {
    let mut checker = Checker::default();
    let malformed = |m: events::check::Malformed| {
        Trouble::Trace(TraceError::new(name(&args.from), Place::Event(m.event), m.reason))
    };
    let mut batch = Vec::new();
    while source.fill(&mut batch).map_err(Trouble::Trace)? {
        checker.batch(&batch, source.symbols()).map_err(malformed)?;
        sink.batch(&batch, source.symbols())?;
        line.batch(batch.len(), source.progress());
    }
    checker.finish(source.symbols()).map_err(malformed)?;
    sink.finish(source.gaps(), source.symbols())
}

/// Says on standard error what STD could not hold.
fn tell_lost(lost: &Lost, gaps: &[Gap], form: Form) {
    let mut parts: Vec<String> =
        lost.left_out.iter().map(|(operation, n)| format!("{operation} ({n})")).collect();
    if form == Form::Rapid && !gaps.is_empty() {
        parts.push(plural(gaps.len() as u64, "gap", "gaps"));
    }
    let mut text = String::new();
    if !parts.is_empty() {
        text.push_str(&format!("raddle: left out: {}\n", visible(&parts.join(", "))));
    }
    if lost.waits > 0 {
        text.push_str(&format!("raddle: written as rel and acq: {}\n", plural(lost.waits, "wait", "waits")));
    }
    if lost.tries > 0 {
        let tries = plural(lost.tries, "acquire that only tried", "acquires that only tried");
        text.push_str(&format!("raddle: written as acq: {tries}\n"));
    }
    if lost.places > 0 {
        let places = plural(lost.places, "event", "events");
        text.push_str(&format!("raddle: only a number is left of the place of {places}\n"));
    }
    let _ = io::stderr().write_all(text.as_bytes());
}
