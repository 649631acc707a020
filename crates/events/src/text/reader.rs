//! Reads the text form, whole or as a stream.

use std::io::Read;

use super::line::{Fault, Line, Token};
use super::names::{Names, Trouble};
use super::{HEADER, Mark, Parsed};
use crate::error::quote;
use crate::window::{LONGEST, Stuck, Window};
use crate::{
    Block, Channel, Event, Flow, FlowId, FlowKind, Gap, Lender, Mode, Op, Place, Progress, Site, SiteId,
    Source, Stack, Symbols, ThreadId, TraceError,
};

/// About how many events a batch has.
const BATCH: usize = 4096;

/// What comes after `of`.
const USED: &str = "the field of what is used there";

/// What the lines so far have said.
#[derive(Default)]
struct Content {
    names: Names,
    gaps: Vec<Gap>,
    /// The rules marked in the last line.
    rules: Vec<String>,
}

impl Content {
    /// Reads a line; an event, if it is one.
    fn line(&mut self, number: u64, text: &str) -> Result<Option<Event>, Trouble> {
        self.rules.clear();
        let mut line = Line::new(text);
        let Some(first) = line.token()? else { return Ok(None) };
        if first.text.starts_with('!') {
            self.directive(first, &mut line)?;
            end(&mut line)?;
            return Ok(None);
        }
        let thread = self.thread(first)?;
        let op = self.operation(&mut line)?;
        let mut next = line.token()?;
        let site = match next {
            Some(token) if token.text == "@" => self.place(&mut line, &mut next)?,
            _ => {
                let line = i32::try_from(number).unwrap_or(0);
                self.names.symbols.sites.intern(Site { line, ..Site::NOWHERE })
            }
        };
        if let Some(token) = next {
            self.marks(token, &mut line)?;
        }
        Ok(Some(Event { thread, site, op }))
    }

    fn thread(&mut self, token: Token<'_>) -> Result<ThreadId, Fault> {
        Ok(self.names.symbols.thread(&token.name()?))
    }

    fn operation(&mut self, line: &mut Line<'_>) -> Result<Op, Trouble> {
        let verb = line.need("an operation")?;
        Ok(match verb.text {
            "read" => Op::Read { var: self.names.variable(line.need("a variable")?)? },
            "write" => Op::Write { var: self.names.variable(line.need("a variable")?)? },
            "vread" => {
                let var = self.names.variable(line.need("a variable")?)?;
                Op::VolatileRead { var, update: line.takes("update")? }
            }
            "vwrite" => {
                let var = self.names.variable(line.need("a variable")?)?;
                Op::VolatileWrite { var, update: line.takes("update")? }
            }
            "acquire" => {
                let lock = self.names.lock(line.need("a lock")?)?;
                Op::Acquire { lock, mode: mode(line)?, tries: line.takes("tries")? }
            }
            "release" => {
                let lock = self.names.lock(line.need("a lock")?)?;
                Op::Release { lock, mode: mode(line)? }
            }
            "reenter" => Op::Reenter { lock: self.names.lock(line.need("a lock")?)? },
            "reexit" => Op::Reexit { lock: self.names.lock(line.need("a lock")?)? },
            "wait" => Op::Wait { lock: self.names.lock(line.need("a lock")?)? },
            "woken" => Op::Woken { lock: self.names.lock(line.need("a lock")?)? },
            "signal" | "observe" => {
                let name = self.names.string(line.need("a channel")?)?;
                let on = self.names.symbols.channels.intern(Channel { name });
                if verb.text == "signal" { Op::Signal { on } } else { Op::Observe { on } }
            }
            "fork" => Op::Fork { child: self.thread(line.need("a thread")?)? },
            "join" => Op::Join { child: self.thread(line.need("a thread")?)? },
            "start" => Op::Start,
            "end" => Op::End,
            "begin" | "finish" => {
                let name = self.names.string(line.need("a block")?)?;
                let block = self.names.symbols.blocks.intern(Block { name });
                if verb.text == "begin" { Op::Begin { block } } else { Op::Finish { block } }
            }
            "freeze" => Op::Freeze { object: self.names.object(line.need("an object")?)? },
            "free" => Op::Free { object: self.names.object(line.need("an object")?)? },
            "mark" => Op::Mark { text: self.names.string(line.need("a text")?)? },
            "flow" => {
                let token = line.need("a flow's number")?;
                let flow = FlowId(token.number()?);
                if flow.index() >= self.names.symbols.flows.len() {
                    let reason = format!("flow {} has not been declared with `!flow`", flow.0);
                    return Err(Fault::new(token.at, reason).into());
                }
                Op::Flow { flow, used: !line.takes("read")? }
            }
            other => {
                const WHAT: &str = "an operation (read, write, acquire, release, fork, join, …)";
                return Err(Fault::expected(verb.at, WHAT, other).into());
            }
        })
    }

    /// A site and its callers. `next` is the token that ended them, if any.
    fn place<'a>(&mut self, line: &mut Line<'a>, next: &mut Option<Token<'a>>) -> Result<SiteId, Fault> {
        let mut tokens = vec![(line.need("a place")?, None)];
        loop {
            *next = line.token()?;
            match *next {
                Some(token) if token.text == "<" => tokens.push((line.need("a caller's place")?, None)),
                Some(token) if token.text == "of" => {
                    let of = line.need(USED)?;
                    if let Some((_, taken)) = tokens.last_mut() {
                        *taken = Some(of);
                    }
                }
                _ => break,
            }
        }
        let mut caller = None;
        for (token, of) in tokens.into_iter().rev() {
            caller = Some(self.names.site(token, of, caller)?);
        }
        caller.ok_or_else(|| Fault::new(0, "expected a place"))
    }

    /// A site without callers of its own.
    fn lone_site(&mut self, line: &mut Line<'_>, what: &str) -> Result<SiteId, Fault> {
        let site = line.need(what)?;
        let of = if line.takes("of")? { Some(line.need(USED)?) } else { None };
        self.names.site(site, of, None)
    }

    fn marks(&mut self, token: Token<'_>, line: &mut Line<'_>) -> Result<(), Fault> {
        let Some(mut rest) = token.after("//~") else {
            return Err(Fault::expected(
                token.at,
                "the end of the line, `@ PLACE`, `//~ RULE` or `# comment`",
                token.text,
            ));
        };
        let mut wanted = true;
        loop {
            for (i, rule) in rest.text.split(',').enumerate() {
                wanted |= i > 0;
                if rule.is_empty() {
                    continue;
                }
                if !wanted {
                    return Err(Fault::expected(rest.at, "`,` between two rules", rest.text));
                }
                self.rules.push(rule.to_owned());
                wanted = false;
            }
            match line.token()? {
                Some(token) => rest = token,
                None if wanted => return Err(Fault::new(rest.at, "expected a rule after `//~` and `,`")),
                None => return Ok(()),
            }
        }
    }

    fn directive(&mut self, directive: Token<'_>, line: &mut Line<'_>) -> Result<(), Fault> {
        match directive.text {
            "!final" => self.names.declare_final(line.need("a field")?),
            "!gap" => {
                let what = line.need("what is missing")?.name()?.into_owned();
                let why = line.need("why it is missing")?.name()?.into_owned();
                let count = line.need("how many are missing")?.number()?;
                self.gaps.push(Gap { what, why, count });
                Ok(())
            }
            "!stack" => {
                let thread = line.need("a thread")?;
                let thread = self.thread(thread)?;
                line.sign("@")?;
                let site = self.lone_site(line, "a place")?;
                let mut callers = Vec::new();
                while line.takes("<")? {
                    callers.push(self.lone_site(line, "a caller's place")?);
                }
                self.names.symbols.stacks.push(Stack { thread, site, callers });
                Ok(())
            }
            "!flow" => {
                let number = line.need("the flow's number")?;
                let next = self.names.symbols.flows.len();
                if number.number::<u32>()? as usize != next {
                    return Err(Fault::expected(number.at, &format!("{next}, the next flow"), number.text));
                }
                let mut kind = FlowKind::default();
                let word = line.need("`@` or what is known of the flow")?;
                if word.text != "@" {
                    kind = FlowKind::named(word.text).ok_or_else(|| {
                        Fault::expected(word.at, "back, beside, unlikely or any", word.text)
                    })?;
                    line.sign("@")?;
                }
                let mut sign = None;
                let from = self.place(line, &mut sign)?;
                match sign {
                    Some(token) if token.text == ">" => {}
                    Some(token) => return Err(Fault::expected(token.at, "`>`", token.text)),
                    None => return line.sign(">"),
                }
                let mut rest = None;
                let to = self.place(line, &mut rest)?;
                self.names.symbols.flows.push(Flow { from, to, kind });
                rest.map_or(Ok(()), |token| Err(Fault::expected(token.at, "the end of the line", token.text)))
            }
            other => Err(Fault::expected(directive.at, "!final, !gap, !stack or !flow", other)),
        }
    }
}

fn mode(line: &mut Line<'_>) -> Result<Mode, Fault> {
    Ok(if line.takes("read")? { Mode::Read } else { Mode::Exclusive })
}

fn end(line: &mut Line<'_>) -> Result<(), Fault> {
    match line.token()? {
        None => Ok(()),
        Some(token) => Err(Fault::expected(token.at, "the end of the line", token.text)),
    }
}

fn at(file: &str, line: u64, fault: Fault) -> TraceError {
    TraceError::new(file, Place::Line { line, column: fault.at as u64 + 1 }, fault.reason)
}

/// A line without its end.
fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Checks the first line of a file.
fn header(line: &str) -> Result<(), Fault> {
    if line == HEADER {
        return Ok(());
    }
    match line.strip_prefix("raddle text ") {
        Some(version) => {
            let reason = format!("version {} of the text form is not known, only version 1", quote(version));
            Err(Fault::new("raddle text ".len(), reason))
        }
        None => Err(Fault::expected(0, "`raddle text 1`", line)),
    }
}

pub(super) fn parse(file: &str, text: &str) -> Result<Parsed, TraceError> {
    let mut content = Content::default();
    let (mut events, mut marks) = (Vec::new(), Vec::new());
    let mut first = true;
    for (number, line) in (1..).zip(text.as_bytes().split(|&b| b == b'\n')) {
        let fail = |fault| at(file, number, fault);
        let (line, _) = first_line(line).map_err(fail)?;
        if line.len() >= LONGEST {
            return Err(fail(too_long()));
        }
        if first && line.trim_start().starts_with("raddle text ") {
            first = false;
            header(line.trim()).map_err(fail)?;
            continue;
        }
        match content.line(number, line) {
            Ok(None) => {}
            Ok(Some(event)) => {
                first = false;
                let rules = content.rules.drain(..);
                marks.extend(rules.map(|rule| Mark { event: events.len() as u64, line: number, rule }));
                events.push(event);
            }
            Err(Trouble::Fault(fault)) => return Err(fail(fault)),
            // Nothing is freed while a trace is kept whole.
            Err(Trouble::Freed) => return Err(fail(Fault::new(0, "an object that was freed"))),
        }
    }
    Ok(Parsed { symbols: content.names.symbols.into_inner(), events, marks, gaps: content.gaps })
}

fn too_long() -> Fault {
    Fault::new(0, "the line is longer than 1 MiB")
}

/// Reads a text trace from a stream.
pub struct Reader {
    file: String,
    window: Window,
    total: Option<u64>,
    content: Content,
    /// Lines read so far.
    line: u64,
}

impl Reader {
    /// A reader of a text trace, whose first line has to be [`HEADER`]. `total` is the stream's length, if it is known.
    pub fn new(name: String, stream: Box<dyn Read>, total: Option<u64>) -> Result<Self, TraceError> {
        let window = Window::new(stream);
        let mut reader = Self { file: name, window, total, content: Content::default(), line: 0 };
        if !reader.ready()? {
            return Err(at(&reader.file, 1, Fault::new(0, "expected `raddle text 1`, found an empty file")));
        }
        let (line, length) = first_line(reader.window.lines()).map_err(|fault| at(&reader.file, 1, fault))?;
        header(line).map_err(|fault| at(&reader.file, 1, fault))?;
        reader.window.consume(length);
        reader.line = 1;
        Ok(reader)
    }

    fn ready(&mut self) -> Result<bool, TraceError> {
        self.window.ready().map_err(|stuck| match stuck {
            Stuck::TooLong => at(&self.file, self.line + 1, too_long()),
            Stuck::Io(error) => {
                TraceError::io(&*self.file, Place::Line { line: self.line + 1, column: 1 }, &error)
            }
        })
    }
}

/// The first of some lines, and how long it is with its end.
fn first_line(lines: &[u8]) -> Result<(&str, usize), Fault> {
    let length = memchr::memchr(b'\n', lines).map_or(lines.len(), |end| end + 1);
    match std::str::from_utf8(trimmed(&lines[..length])) {
        Ok(line) => Ok((line, length)),
        Err(error) => Err(Fault::new(error.valid_up_to(), "not UTF-8")),
    }
}

impl Source for Reader {
    fn fill(&mut self, batch: &mut Vec<Event>) -> Result<bool, TraceError> {
        batch.clear();
        self.content.names.recycle();
        while batch.len() < BATCH && self.ready()? {
            let number = self.line + 1;
            let (line, length) =
                first_line(self.window.lines()).map_err(|fault| at(&self.file, number, fault))?;
            match self.content.line(number, line) {
                Ok(None) => {}
                Ok(Some(event)) => {
                    if let Op::Free { object } = event.op {
                        self.content.names.free(object);
                    }
                    batch.push(event);
                }
                Err(Trouble::Fault(fault)) => return Err(at(&self.file, number, fault)),
                // The object comes back: once this batch has been worked off, under a new index.
                Err(Trouble::Freed) => return Ok(true),
            }
            self.window.consume(length);
            self.line += 1;
        }
        Ok(!batch.is_empty())
    }

    fn lender(&self) -> &Lender<Symbols> {
        &self.content.names.symbols
    }

    fn gaps(&self) -> &[Gap] {
        &self.content.gaps
    }

    fn progress(&self) -> Progress {
        Progress { read: self.window.consumed(), total: self.total }
    }
}
