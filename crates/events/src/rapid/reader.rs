//! Reads STD from a stream, as fast as memory allows: every line is parsed where it lies, eight bytes at a time.
//!
//! Variables are looked up in a second step, some hundred lines together: their table does not fit into the cache, and
//! lookups that stand close to each other overlap their waits for memory.
//!
//! A line that does not fit leaves the fast path at once; `explain.rs` then says what is wrong with it.

use std::io::Read;

use rustc_hash::FxHashMap;

use super::bytes::{load, low, number, word};
use super::explain::explain;
use super::names::{Key, Names, scan};
use crate::error::quote;
use crate::window::{Stuck, Window};
use crate::{
    Block, BlockId, Event, Field, Gap, Lender, Lock, LockId, Mode, Op, Place, Progress, Site, SiteId, Slot,
    Source, StrId, Symbols, Thread, ThreadId, TraceError, VarId, Variable,
};

/// About how many events a batch has.
const BATCH: usize = 4096;

/// Locations below this have their site in a plain table.
const DIRECT: usize = 1 << 20;

/// How many lines are taken together before their variables are looked up.
const GROUP: usize = 256;

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
    symbols: Lender<Symbols>,
    threads: Names,
    variables: Names,
    locks: Names,
    blocks: Names,
    /// The sites of small locations, and of the others.
    direct: Vec<SiteId>,
    others: FxHashMap<i32, SiteId>,
    last: Last,
    /// The accesses whose variables have not been looked up yet.
    pending: Vec<Pending>,
    /// For each thread the blocks it is in.
    open: Vec<Vec<BlockId>>,
}

/// The thread of the last line: its name and the `|` after it as a word, if they fit into one.
struct Last {
    word: u64,
    mask: u64,
    len: usize,
    thread: ThreadId,
}

/// A variable that has not been looked up yet.
struct Pending {
    key: Key,
    /// Where its name begins.
    at: usize,
    /// The event that accesses it, in the batch.
    event: usize,
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
            symbols: Lender::new(Symbols::new()),
            threads: Names::default(),
            variables: Names::default(),
            locks: Names::default(),
            blocks: Names::default(),
            direct: Vec::new(),
            others: FxHashMap::default(),
            last: Last { word: 1, mask: 0, len: 0, thread: ThreadId(0) },
            pending: Vec::with_capacity(GROUP),
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
    fn misfit(&self, misfit: &Misfit, line: &[u8], skipped: u64) -> TraceError {
        let end = memchr::memchr(b'\n', line).unwrap_or(line.len());
        let (column, reason) = match misfit {
            Misfit::Grammar => explain(&line[..end]),
            Misfit::NoBlock => {
                let thread = line.split(|&b| b == b'|').next().unwrap_or(&[]);
                let thread = quote(&String::from_utf8_lossy(thread));
                (0, format!("an `end` without a name of thread {thread}, which is in no block"))
            }
        };
        let place = Place::Line { line: self.lines + skipped + 1, column: column as u64 + 1 };
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
                let first = (at, batch.len());
                let misfit = self.content.group(lines, &mut at, batch);
                let looked_up = self.content.look_up(lines, batch);
                if let Err(event) = looked_up {
                    // The line of an access lies before whatever else is wrong.
                    let skipped = event - first.1;
                    let line = lines[first.0..].split(|&byte| byte == b'\n').nth(skipped).unwrap_or(&[]);
                    return Err(self.misfit(&Misfit::Grammar, line, skipped as u64));
                }
                let read = (batch.len() - first.1) as u64;
                if let Err(misfit) = misfit {
                    return Err(self.misfit(&misfit, &lines[at..], read));
                }
                self.lines += read;
            }
            self.window.consume(at);
        }
        Ok(!batch.is_empty())
    }

    fn lender(&self) -> &Lender<Symbols> {
        &self.content.symbols
    }

    fn gaps(&self) -> &[Gap] {
        &[]
    }

    fn progress(&self) -> Progress {
        Progress { read: self.window.consumed(), total: self.total }
    }
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
    /// The events of some lines from `at` on, but for their variables.
    #[inline(always)]
    fn group(&mut self, bytes: &[u8], at: &mut usize, batch: &mut Vec<Event>) -> Result<(), Misfit> {
        let end = (batch.len() + GROUP).min(BATCH);
        while *at < bytes.len() && batch.len() < end {
            match self.line(bytes, *at, batch.len()) {
                Ok((event, next)) => {
                    batch.push(event);
                    *at = next;
                }
                Err(misfit) => {
                    self.pending.retain(|access| access.event < batch.len());
                    return Err(misfit);
                }
            }
        }
        Ok(())
    }

    /// Looks up the variables of a group. The event whose variable has no proper name, if there is one.
    #[inline(always)]
    fn look_up(&mut self, bytes: &[u8], batch: &mut [Event]) -> Result<(), usize> {
        let mut pending = std::mem::take(&mut self.pending);
        for &Pending { key, at, event } in &pending {
            let id = match self.variables.get(key, bytes, at) {
                Some(id) => VarId(id),
                None => self.new_variable(key, bytes, at).map_err(|_| event)?,
            };
            if let Op::Read { var } | Op::Write { var } = &mut batch[event].op {
                *var = id;
            }
        }
        pending.clear();
        self.pending = pending;
        Ok(())
    }

    /// The event of the line that begins at `at`, and where the next line begins.
    #[inline(always)]
    fn line(&mut self, bytes: &[u8], at: usize, event: usize) -> Result<(Event, usize), Misfit> {
        let (thread, at) = if load(bytes, at) & self.last.mask == self.last.word {
            (self.last.thread, at + self.last.len)
        } else {
            self.other_thread(bytes, at)?
        };
        let start = load(bytes, at);
        let (op, at) = if low(start, 2) == READ || low(start, 2) == WRITE {
            let at = at + 2;
            let key = scan::<b')'>(bytes, at).ok_or(Misfit::Grammar)?;
            let next = at + key.len + 1;
            self.pending.push(Pending { key, at, event });
            let var = VarId(u32::MAX);
            (if low(start, 1) == low(READ, 1) { Op::Read { var } } else { Op::Write { var } }, next)
        } else if low(start, 4) == ACQUIRE || low(start, 4) == RELEASE {
            let (lock, at) = self.lock(bytes, at + 4)?;
            let mode = Mode::Exclusive;
            let acquire = low(start, 4) == ACQUIRE;
            (if acquire { Op::Acquire { lock, mode, tries: false } } else { Op::Release { lock, mode } }, at)
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
            let at = at + 5;
            let key = scan::<b')'>(bytes, at).ok_or(Misfit::Grammar)?;
            let child = self.thread(key, bytes, at)?;
            let at = at + key.len + 1;
            return Ok((if low(start, 5) == FORK { Op::Fork { child } } else { Op::Join { child } }, at));
        }
        if low(start, 5) == BEGIN {
            let (block, at) = match self.block(bytes, at + 5)? {
                (Some(block), at) => (block, at),
                (None, at) => {
                    let key = scan::<b'|'>(b"begin|", 0).ok_or(Misfit::Grammar)?;
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
                let at = at + 1;
                let key = scan::<b')'>(bytes, at).ok_or(Misfit::Grammar)?;
                Ok((Some(self.block_of(key, bytes, at)?), at + key.len + 1))
            }
            _ => {
                let key = scan::<b'|'>(bytes, at).ok_or(Misfit::Grammar)?;
                Ok((Some(self.block_of(key, bytes, at)?), at + key.len))
            }
        }
    }

    #[inline(always)]
    fn lock(&mut self, bytes: &[u8], at: usize) -> Result<(LockId, usize), Misfit> {
        let key = scan::<b')'>(bytes, at).ok_or(Misfit::Grammar)?;
        let lock = match self.locks.get(key, bytes, at) {
            Some(id) => LockId(id),
            None => {
                let name = self.name(key, bytes, at)?;
                self.locks.add(key, &bytes[at..at + key.len]);
                self.symbols.locks.push(Lock::Named(name))
            }
        };
        Ok((lock, at + key.len + 1))
    }

    /// The thread at the beginning of a line, if it is not that of the line before, and where the operation begins.
    #[inline(never)]
    fn other_thread(&mut self, bytes: &[u8], at: usize) -> Result<(ThreadId, usize), Misfit> {
        let key = scan::<b'|'>(bytes, at).ok_or(Misfit::Grammar)?;
        let next = at + key.len + 1;
        let thread = self.thread(key, bytes, at)?;
        let len = key.len + 1;
        // A word that nothing equals, unless the name and its end fit.
        self.last = Last { word: 1, mask: 0, len, thread };
        if len < 8 {
            self.last.mask = (1 << (8 * len)) - 1;
            self.last.word = load(bytes, at) & self.last.mask;
        }
        Ok((thread, next))
    }

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
        if name.is_empty() || name.contains(['|', '(', ')', '\n']) {
            return Err(Misfit::Grammar);
        }
        Ok(self.symbols.push_string(name.into()))
    }

    #[inline(never)]
    fn site(&mut self, loc: i32) -> SiteId {
        let site = Site { line: loc, ..Site::NOWHERE };
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
