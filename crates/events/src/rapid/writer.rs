//! Writes STD. What STD cannot say is an error that names the event, or, where the caller asked for it, left out and
//! counted: never lost in silence.
//!
//! STD has no classes and objects, so a variable is written by its name in the text form, `pkg.Class@7.field`, and one
//! that is declared in another class than the object's as `pkg.Point3@7.pkg.Point.x`. A variable without class keeps its
//! name as it is. Where both kinds of names could be mistaken for each other the trace is refused.
//!
//! In lossy mode:
//! - `wait` becomes `rel` and `woken` `acq`, which keeps every lock's story whole;
//! - volatile accesses, read mode, re-entries, channels, ranges of more than one element, flows, `start`, `end`,
//!   `freeze`, `free` and `mark` are left out;
//! - a place with a method or file is written as a negative number of its own, one for each place, since a line alone
//!   could be in any file. (In strict mode negative lines are written as they are.)

use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write as _;
use std::io::{self, Write};

use crate::error::quote;
use crate::text::show;
use crate::{Event, Lock, LockId, Mode, Op, SiteId, Slot, Symbols, VarId};

/// What a lossy writer has left out or changed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lost {
    /// Events left out, by operation.
    pub left_out: BTreeMap<&'static str, u64>,
    /// `wait` and `woken` written as `rel` and `acq`.
    pub waits: u64,
    /// Acquires that only tried, written as `acq`.
    pub tries: u64,
    /// Events whose place has a method, file or caller, of which only a number is left.
    pub places: u64,
}

/// Why a trace cannot be written as STD.
#[derive(Debug)]
pub enum WriteError {
    /// The output failed.
    Io(io::Error),
    /// STD cannot say this.
    Event {
        /// The event, counted from 1.
        event: u64,
        /// What it cannot say.
        reason: String,
    },
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Event { event, reason } => write!(f, "event {event}: {reason}"),
        }
    }
}

impl std::error::Error for WriteError {}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Writes a trace as STD, batch by batch.
pub struct Writer<W: Write> {
    out: W,
    text: String,
    line: Draft,
    events: u64,
}

/// What is needed to write a line.
struct Draft {
    lossy: bool,
    lost: Lost,
    variables: Kinds,
    locks: Kinds,
}

/// Which kinds of names have been written, to see when they could be mistaken for each other.
#[derive(Default)]
struct Kinds {
    /// A plain name that looks like structure.
    odd: bool,
    /// A name made from a class or object.
    made: bool,
}

/// What becomes of an event.
enum Fate {
    Written,
    LeftOut(&'static str),
}

impl<W: Write> Writer<W> {
    /// A writer. `lossy`: leave out and count what STD cannot say, instead of refusing it.
    pub fn new(out: W, lossy: bool) -> Self {
        let line =
            Draft { lossy, lost: Lost::default(), variables: Kinds::default(), locks: Kinds::default() };
        Self { out, text: String::new(), line, events: 0 }
    }

    /// Writes the next events.
    pub fn batch(&mut self, events: &[Event], symbols: &Symbols) -> Result<(), WriteError> {
        for event in events {
            self.events += 1;
            let before = self.text.len();
            match self.line.event(&mut self.text, event, symbols) {
                Ok(Fate::Written) => {}
                Ok(Fate::LeftOut(operation)) if self.line.lossy => {
                    self.text.truncate(before);
                    *self.line.lost.left_out.entry(operation).or_default() += 1;
                }
                Ok(Fate::LeftOut(operation)) => {
                    let reason = format!("STD has no {operation}");
                    return Err(WriteError::Event { event: self.events, reason });
                }
                Err(reason) => return Err(WriteError::Event { event: self.events, reason }),
            }
            if self.text.len() >= 1 << 16 {
                self.out.write_all(self.text.as_bytes())?;
                self.text.clear();
            }
        }
        self.out.write_all(self.text.as_bytes())?;
        self.text.clear();
        Ok(())
    }

    /// Flushes the output and gives it back, with what is not in it.
    pub fn finish(mut self) -> Result<(W, Lost), WriteError> {
        self.out.flush()?;
        Ok((self.out, self.line.lost))
    }
}

impl Draft {
    fn event(&mut self, out: &mut String, event: &Event, symbols: &Symbols) -> Result<Fate, String> {
        let thread = |id| symbols.str(symbols.threads.get(id).name);
        name(out, thread(event.thread), "thread")?;
        out.push('|');
        match event.op {
            Op::Read { var } | Op::Write { var } => {
                if matches!(symbols.variables().get(var).slot, Slot::Elements { count: 2.., .. }) {
                    return Ok(Fate::LeftOut("range of array elements"));
                }
                out.push_str(if matches!(event.op, Op::Read { .. }) { "r(" } else { "w(" });
                self.variable(out, var, symbols)?;
                out.push(')');
            }
            Op::Acquire { mode: Mode::Read, .. } | Op::Release { mode: Mode::Read, .. } => {
                return Ok(Fate::LeftOut("read mode of a lock"));
            }
            Op::Acquire { tries: true, .. } if !self.lossy => {
                return Ok(Fate::LeftOut("acquire that only tries"));
            }
            Op::Acquire { lock, tries, .. } => {
                self.lost.tries += u64::from(tries);
                self.lock(out, "acq", lock, symbols)?;
            }
            Op::Release { lock, .. } => self.lock(out, "rel", lock, symbols)?,
            Op::Wait { lock } if self.lossy => {
                self.lost.waits += 1;
                self.lock(out, "rel", lock, symbols)?;
            }
            Op::Woken { lock } if self.lossy => {
                self.lost.waits += 1;
                self.lock(out, "acq", lock, symbols)?;
            }
            Op::Fork { child } => bracketed(out, "fork", thread(child), "thread")?,
            Op::Join { child } => bracketed(out, "join", thread(child), "thread")?,
            Op::Begin { block } => {
                bracketed(out, "begin", symbols.str(symbols.blocks.get(block).name), "block")?;
            }
            Op::Finish { block } => {
                bracketed(out, "end", symbols.str(symbols.blocks.get(block).name), "block")?;
            }
            Op::Wait { .. } => return Ok(Fate::LeftOut("wait")),
            Op::Woken { .. } => return Ok(Fate::LeftOut("woken")),
            Op::VolatileRead { .. } => return Ok(Fate::LeftOut("volatile read")),
            Op::VolatileWrite { .. } => return Ok(Fate::LeftOut("volatile write")),
            Op::Reenter { .. } => return Ok(Fate::LeftOut("reenter")),
            Op::Reexit { .. } => return Ok(Fate::LeftOut("reexit")),
            Op::Signal { .. } => return Ok(Fate::LeftOut("signal")),
            Op::Observe { .. } => return Ok(Fate::LeftOut("observe")),
            Op::Start => return Ok(Fate::LeftOut("start of a thread")),
            Op::End => return Ok(Fate::LeftOut("end of a thread")),
            Op::Freeze { .. } => return Ok(Fate::LeftOut("freeze")),
            Op::Free { .. } => return Ok(Fate::LeftOut("free")),
            Op::Mark { .. } => return Ok(Fate::LeftOut("mark")),
            Op::Flow { .. } => return Ok(Fate::LeftOut("flow")),
        }
        out.push('|');
        self.place(out, event.site, symbols)?;
        out.push('\n');
        Ok(Fate::Written)
    }

    fn variable(&mut self, out: &mut String, id: VarId, symbols: &Symbols) -> Result<(), String> {
        let variable = symbols.variables().get(id);
        let start = out.len();
        let plain = match (variable.object, variable.slot) {
            (None, Slot::Field(field)) if symbols.fields.get(field).class.is_none() => {
                let text = symbols.str(symbols.fields.get(field).name);
                name(out, text, "variable")?;
                Some(text)
            }
            (Some(object), Slot::Field(field)) => {
                show::object(out, symbols, object);
                out.push('.');
                if symbols.fields.get(field).class == Some(symbols.objects().get(object).class) {
                    show::field_alone(out, symbols, field);
                } else {
                    show::field(out, symbols, field);
                }
                None
            }
            _ => {
                show::variable(out, symbols, id);
                None
            }
        };
        self.variables.add(plain.map(|text| text.contains(['.', '@', '%', '[', '"'])), "variables")?;
        fits(&out[start..], "variable")
    }

    fn lock(&mut self, out: &mut String, verb: &str, id: LockId, symbols: &Symbols) -> Result<(), String> {
        out.push_str(verb);
        out.push('(');
        match *symbols.locks.get(id) {
            Lock::Named(text) => {
                let text = symbols.str(text);
                self.locks.add(Some(text.contains('@')), "locks")?;
                name(out, text, "lock")?;
            }
            Lock::Of(object) => {
                self.locks.add(None, "locks")?;
                let start = out.len();
                show::object(out, symbols, object);
                fits(&out[start..], "lock")?;
            }
        }
        out.push(')');
        Ok(())
    }

    fn place(&mut self, out: &mut String, id: SiteId, symbols: &Symbols) -> Result<(), String> {
        let site = symbols.sites.get(id);
        let rich = site.method.is_some() || site.file.is_some() || site.caller.is_some();
        if rich && !self.lossy {
            return Err("STD has no room for a method, a file or callers in its locations".to_owned());
        }
        self.lost.places += u64::from(rich);
        let location =
            if self.lossy && (rich || site.line < 0) { -1 - i64::from(id.0) } else { site.line.into() };
        if location < i32::MIN.into() {
            return Err("more places than STD has locations".to_owned());
        }
        let _ = write!(out, "{location}");
        Ok(())
    }
}

impl Kinds {
    /// A name of this kind is written: plain (and perhaps odd), or made.
    fn add(&mut self, plain: Option<bool>, what: &str) -> Result<(), String> {
        match plain {
            Some(odd) => self.odd |= odd,
            None => self.made = true,
        }
        if self.odd && self.made {
            return Err(format!(
                "{what} with and without a class could not be told apart by their names in STD"
            ));
        }
        Ok(())
    }
}

fn name(out: &mut String, text: &str, what: &str) -> Result<(), String> {
    fits(text, what)?;
    out.push_str(text);
    Ok(())
}

fn bracketed(out: &mut String, verb: &str, text: &str, what: &str) -> Result<(), String> {
    out.push_str(verb);
    out.push('(');
    name(out, text, what)?;
    out.push(')');
    Ok(())
}

fn fits(text: &str, what: &str) -> Result<(), String> {
    if text.is_empty() {
        return Err(format!("a {what} without a name, which STD cannot write"));
    }
    if text.contains(['|', '(', ')', '\n']) {
        return Err(format!(
            "the {what} {} holds a sign that STD cannot write: | ( ) or a line feed",
            quote(text)
        ));
    }
    Ok(())
}
