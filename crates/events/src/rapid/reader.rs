//! Reads STD from a stream, as fast as memory allows: every line is parsed where it lies, eight bytes at a time.
//!
//! A line that does not fit leaves the fast path at once; `explain.rs` then says what is wrong with it.

use std::io::Read;

use rustc_hash::FxHashMap;

use super::explain::explain;
use super::names::{Key, Names, load, scan};
use crate::error::quote;
use crate::window::{Stuck, Window};
use crate::{
    Block, BlockId, Event, Field, Gap, Lock, LockId, Mode, Op, Place, Progress, Site, SiteId, Slot, Source,
    StrId, Symbols, Thread, ThreadId, TraceError, VarId, Variable,
};

/// About how many events a batch has.
const BATCH: usize = 4096;

/// Locations below this have their site in a plain table.
const DIRECT: usize = 1 << 20;

const NO_SITE: SiteId = SiteId(u32::MAX);

/// Reads an STD trace.
pub struct Reader {
    file: String,
    window: Window,
    total: Option<u64>,
    /// Lines read so far, each of them an event.
    lines: u64,
    content: Content,
}

/// What the lines so far have named.
struct Content {
    symbols: Symbols,
    threads: Names,
    variables: Names,
    locks: Names,
    blocks: Names,
    /// The sites of small locations, and of the others.
    direct: Vec<SiteId>,
    others: FxHashMap<i32, SiteId>,
    /// The thread of the last line.
    last: (Key, ThreadId),
    /// For each thread the blocks it is in.
    open: Vec<Vec<BlockId>>,
}

/// Why a line gives no event.
enum Misfit {
    /// It does not fit the grammar.
    Grammar,
    /// A bare `end` of a thread that is in no block.
    NoBlock,
}

impl Reader {
    /// A reader of an STD trace. `total` is the stream's length, if it is known.
    pub fn new(name: String, stream: Box<dyn Read>, total: Option<u64>) -> Self {
        let content = Content {
            symbols: Symbols::new(),
            threads: Names::default(),
            variables: Names::default(),
            locks: Names::default(),
            blocks: Names::default(),
            direct: Vec::new(),
            others: FxHashMap::default(),
            last: (Key::NONE, ThreadId(0)),
            open: Vec::new(),
        };
        Self { file: name, window: Window::new(stream), total, lines: 0, content }
    }

    fn stuck(&self, stuck: Stuck) -> TraceError {
        let place = Place::Line { line: self.lines + 1, column: 1 };
        match stuck {
            Stuck::TooLong => TraceError::new(&*self.file, place, "the line is longer than 1 MiB"),
            Stuck::Io(error) => TraceError::io(&*self.file, place, &error),
        }
    }

    #[cold]
    fn misfit(&self, misfit: &Misfit, line: &[u8]) -> TraceError {
        let end = memchr::memchr(b'\n', line).unwrap_or(line.len());
        let (column, reason) = match misfit {
            Misfit::Grammar => explain(&line[..end]),
            Misfit::NoBlock => {
                let thread = line.split(|&b| b == b'|').next().unwrap_or(&[]);
                let thread = quote(&String::from_utf8_lossy(thread));
                (0, format!("an `end` without a name of thread {thread}, which is in no block"))
            }
        };
        let place = Place::Line { line: self.lines + 1, column: column as u64 + 1 };
        TraceError::new(&*self.file, place, reason)
    }
}

impl Source for Reader {
    fn fill(&mut self, batch: &mut Vec<Event>) -> Result<bool, TraceError> {
        batch.clear();
        while batch.len() < BATCH {
            match self.window.ready() {
                Ok(true) => {}
                Ok(false) => break,
                Err(stuck) => return Err(self.stuck(stuck)),
            }
            let lines = self.window.lines();
            let mut at = 0;
            while at < lines.len() && batch.len() < BATCH {
                match self.content.line(lines, at) {
                    Ok((event, next)) => {
                        batch.push(event);
                        self.lines += 1;
                        at = next;
                    }
                    Err(misfit) => return Err(self.misfit(&misfit, &lines[at..])),
                }
            }
            self.window.consume(at);
        }
        Ok(!batch.is_empty())
    }

    fn symbols(&self) -> &Symbols {
        &self.content.symbols
    }

    fn gaps(&self) -> &[Gap] {
        &[]
    }

    fn progress(&self) -> Progress {
        Progress { read: self.window.consumed(), total: self.total }
    }
}

/// The first bytes of a word, for comparing.
const fn low(word: u64, bytes: u32) -> u64 {
    word & ((1 << (8 * bytes)) - 1)
}

/// A short text as the low bytes of a word.
const fn word(text: &[u8]) -> u64 {
    let (mut word, mut i) = (0, 0);
    while i < text.len() {
        word |= (text[i] as u64) << (8 * i);
        i += 1;
    }
    word
}

const READ: u64 = word(b"r(");
const WRITE: u64 = word(b"w(");
const ACQUIRE: u64 = word(b"acq(");
const RELEASE: u64 = word(b"rel(");
const FORK: u64 = word(b"fork(");
const JOIN: u64 = word(b"join(");
const BEGIN: u64 = word(b"begin");
const END: u64 = word(b"end");

impl Content {
    /// The event of the line that begins at `at`, and where the next line begins.
    #[inline(always)]
    fn line(&mut self, bytes: &[u8], at: usize) -> Result<(Event, usize), Misfit> {
        let key = scan(bytes, at).ok_or(Misfit::Grammar)?;
        let thread =
            if key == self.last.0 && key.len < 8 { self.last.1 } else { self.thread(key, bytes, at)? };
        let at = expect(bytes, at + key.len, b'|')?;
        self.last = (key, thread);
        let start = load(bytes, at);
        let (op, at) = if low(start, 2) == READ || low(start, 2) == WRITE {
            let (var, at) = self.variable(bytes, at + 2)?;
            (if low(start, 1) == low(READ, 1) { Op::Read { var } } else { Op::Write { var } }, at)
        } else if low(start, 4) == ACQUIRE || low(start, 4) == RELEASE {
            let (lock, at) = self.lock(bytes, at + 4)?;
            let mode = Mode::Exclusive;
            let acquire = low(start, 4) == ACQUIRE;
            (if acquire { Op::Acquire { lock, mode } } else { Op::Release { lock, mode } }, at)
        } else {
            self.rare(start, thread, bytes, at)?
        };
        let at = expect(bytes, at, b'|')?;
        let (loc, at) = number(bytes, at).ok_or(Misfit::Grammar)?;
        let site = match self.direct.get(loc as usize) {
            Some(&site) if site != NO_SITE => site,
            _ => self.site(loc),
        };
        Ok((Event { thread, site, op }, at))
    }

    #[inline(never)]
    fn rare(&mut self, start: u64, me: ThreadId, bytes: &[u8], at: usize) -> Result<(Op, usize), Misfit> {
        if low(start, 5) == FORK || low(start, 5) == JOIN {
            let key = scan(bytes, at + 5).ok_or(Misfit::Grammar)?;
            let child = self.thread(key, bytes, at + 5)?;
            let at = expect(bytes, at + 5 + key.len, b')')?;
            return Ok((if low(start, 5) == FORK { Op::Fork { child } } else { Op::Join { child } }, at));
        }
        if low(start, 5) == BEGIN {
            let (block, at) = match self.block(bytes, at + 5)? {
                (Some(block), at) => (block, at),
                (None, at) => {
                    let key = scan(b"begin|", 0).ok_or(Misfit::Grammar)?;
                    (self.block_of(key, b"begin|", 0)?, at)
                }
            };
            self.open[me.index()].push(block);
            return Ok((Op::Begin { block }, at));
        }
        if low(start, 3) == END {
            let (block, at) = self.block(bytes, at + 3)?;
            let innermost = self.open[me.index()].pop();
            return match block.or(innermost) {
                Some(block) => Ok((Op::Finish { block }, at)),
                None => Err(Misfit::NoBlock),
            };
        }
        Err(Misfit::Grammar)
    }

    /// The block after `begin` or `end`, if it has a name, and where the `|` after it has to be.
    fn block(&mut self, bytes: &[u8], at: usize) -> Result<(Option<BlockId>, usize), Misfit> {
        match bytes.get(at) {
            Some(b'|') => Ok((None, at)),
            Some(b'(') => {
                let key = scan(bytes, at + 1).ok_or(Misfit::Grammar)?;
                let block = self.block_of(key, bytes, at + 1)?;
                Ok((Some(block), expect(bytes, at + 1 + key.len, b')')?))
            }
            _ => {
                let key = scan(bytes, at).ok_or(Misfit::Grammar)?;
                Ok((Some(self.block_of(key, bytes, at)?), at + key.len))
            }
        }
    }

    #[inline(always)]
    fn variable(&mut self, bytes: &[u8], at: usize) -> Result<(VarId, usize), Misfit> {
        let key = scan(bytes, at).ok_or(Misfit::Grammar)?;
        let var = match self.variables.get(key, bytes, at) {
            Some(id) => VarId(id),
            None => self.new_variable(key, bytes, at)?,
        };
        Ok((var, expect(bytes, at + key.len, b')')?))
    }

    #[inline(always)]
    fn lock(&mut self, bytes: &[u8], at: usize) -> Result<(LockId, usize), Misfit> {
        let key = scan(bytes, at).ok_or(Misfit::Grammar)?;
        let lock = match self.locks.get(key, bytes, at) {
            Some(id) => LockId(id),
            None => {
                let name = self.name(key, bytes, at)?;
                self.locks.add(key, &bytes[at..at + key.len]);
                self.symbols.locks.push(Lock::Named(name))
            }
        };
        Ok((lock, expect(bytes, at + key.len, b')')?))
    }

    #[inline(never)]
    fn thread(&mut self, key: Key, bytes: &[u8], at: usize) -> Result<ThreadId, Misfit> {
        if let Some(id) = self.threads.get(key, bytes, at) {
            return Ok(ThreadId(id));
        }
        let name = self.name(key, bytes, at)?;
        self.threads.add(key, &bytes[at..at + key.len]);
        self.open.push(Vec::new());
        Ok(self.symbols.threads.push(Thread { name }))
    }

    fn block_of(&mut self, key: Key, bytes: &[u8], at: usize) -> Result<BlockId, Misfit> {
        if let Some(id) = self.blocks.get(key, bytes, at) {
            return Ok(BlockId(id));
        }
        let name = self.name(key, bytes, at)?;
        self.blocks.add(key, &bytes[at..at + key.len]);
        Ok(self.symbols.blocks.push(Block { name }))
    }

    #[inline(never)]
    fn new_variable(&mut self, key: Key, bytes: &[u8], at: usize) -> Result<VarId, Misfit> {
        let name = self.name(key, bytes, at)?;
        let id = VarId(self.variables.add(key, &bytes[at..at + key.len]));
        let field = self.symbols.fields.push(Field { class: None, name, is_final: false });
        self.symbols.define_variable(id, Variable { object: None, slot: Slot::Field(field) });
        Ok(id)
    }

    /// A name that is new: the one place where it is looked at more closely.
    #[cold]
    fn name(&mut self, key: Key, bytes: &[u8], at: usize) -> Result<StrId, Misfit> {
        let name = std::str::from_utf8(&bytes[at..at + key.len]).map_err(|_| Misfit::Grammar)?;
        if name.is_empty() {
            return Err(Misfit::Grammar);
        }
        Ok(self.symbols.push_string(name.into()))
    }

    #[inline(never)]
    fn site(&mut self, loc: i32) -> SiteId {
        let site = Site { method: None, file: None, line: loc, caller: None };
        match usize::try_from(loc) {
            Ok(small) if small < DIRECT => {
                if self.direct.len() <= small {
                    let length = (small + 1).next_power_of_two();
                    self.direct.resize(length, NO_SITE);
                }
                self.direct[small] = self.symbols.sites.push(site);
                self.direct[small]
            }
            _ => *self.others.entry(loc).or_insert_with(|| self.symbols.sites.push(site)),
        }
    }
}

#[inline(always)]
fn expect(bytes: &[u8], at: usize, sign: u8) -> Result<usize, Misfit> {
    if bytes.get(at) == Some(&sign) { Ok(at + 1) } else { Err(Misfit::Grammar) }
}

/// The number that fills the rest of a line, and where the next line begins.
#[inline(always)]
fn number(bytes: &[u8], at: usize) -> Option<(i32, usize)> {
    let mut value: i64 = 0;
    let mut end = at;
    while let Some(&byte) = bytes.get(end) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        value = value * 10 + i64::from(digit);
        end += 1;
        if end - at > 10 {
            return long_number(bytes, at);
        }
    }
    if end > at && value <= i64::from(i32::MAX) && bytes.get(end) == Some(&b'\n') {
        return Some((value as i32, end + 1));
    }
    long_number(bytes, at)
}

/// The same for a number that is negative, has leading zeros, or stands in the last line.
#[cold]
fn long_number(bytes: &[u8], at: usize) -> Option<(i32, usize)> {
    let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
    let text = std::str::from_utf8(&bytes[at..end]).ok()?;
    if text.starts_with('+') {
        return None;
    }
    Some((text.parse().ok()?, (end + 1).min(bytes.len())))
}
