//! The one place that merges the threads of a session into one order.
//!
//! Stamped records come in the order of their stamps, which have no holes; plain ones stay where their thread wrote them
//! between its stamped ones. A thread is read on until its next stamp is not the next one; it waits then, with its chunks
//! unread, until the stamp's turn has come. What a thread does after a stamp is read as soon as it is there, whether its
//! chunk is full or not.
//!
//! # Why this cannot block for ever
//! A thread makes room for a record before it takes the record's stamp (`record.rs`), so whoever waits for a free chunk
//! holds no stamp: every stamp that was given is in the file or about to be written by a thread that waits for nobody. So
//! the next stamp always comes, and with it sooner or later every record, and the chunks come back. Should a thread die
//! between taking a stamp and writing it, the stamp is given up after [`PATIENCE`] and counted as a gap.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use super::alive::alive;
use super::gone::Gone;
use super::layout::FIRST_STAMP;
use super::objects::Objects;
use super::pages::Pages;
use super::record::{form_of, words as words_of};
use super::regions::Numbers;
use super::rules::{Out, Rules};
use super::stream::{Got, Stream};
use super::tables::{Begun, Tables};
use crate::{
    ChannelId, ClassId, Event, FieldId, Gap, Lender, Op, Place, Progress, SiteId, Source, Stretches, Symbols,
    ThreadId, TraceError,
};

/// Events of a batch, about: enough to share the cost of a call, few enough to stay in a cache.
pub(super) const BATCH: usize = 4096;

/// How long a stamp is waited for while nothing else happens.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// The shortest and the longest sleep while there is nothing to read.
const NAP: Duration = Duration::from_micros(200);
const LONG_NAP: Duration = Duration::from_millis(5);

/// What a look at a session came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Poll {
    /// There are events.
    Events,
    /// Nothing now.
    Nothing,
    /// Nothing any more.
    End,
}

/// Why the reading of a thread stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// The batch is full.
    Full,
    /// There is no whole record.
    Hungry,
    /// The next record's stamp is not the next one.
    Early(u64),
}

/// Reads the session of one JVM.
pub struct Reader {
    name: String,
    folder: PathBuf,
    pub(super) pages: Pages,
    pub(super) tables: Tables,
    pub(super) objects: Objects,
    pub(super) gone: Gone,
    pub(super) rules: Rules,
    pub(super) regions: Numbers,
    pub(super) streams: Vec<Option<Stream>>,
    /// The thread of each stream, and the stream of each thread.
    pub(super) threads: Vec<ThreadId>,
    streams_of: FxHashMap<ThreadId, usize>,
    /// Streams with records in memory, those without, and those whose next stamp is known.
    ready: Vec<usize>,
    hungry: Vec<usize>,
    early: BinaryHeap<Reverse<(u64, usize)>>,
    /// The next stamp.
    pub(super) next: u64,
    /// The first stamp that is not read: from there on something may be missing.
    pub(super) cut: u64,
    pub(super) channels: FxHashMap<(u64, u32), ChannelId>,
    pub(super) initialised: FxHashMap<ClassId, ChannelId>,
    pub(super) whole: FxHashMap<ClassId, FieldId>,
    /// Objects that have died, with the stamp of the news: told once every thread has been read so far.
    pub(super) dead: Vec<(u64, u64, SiteId)>,
    /// Chunks that were read, where none is used again.
    seen: FxHashSet<u32>,
    live: bool,
    /// Whether the JVM was found to have ended; everything it wrote is visible since then.
    over: bool,
    /// Whether what threads withheld at the end has been looked for.
    salvaged: bool,
    finished: bool,
    waited: Duration,
    rounds: u64,
    lost: u64,
    pub(super) late: u64,
    gaps: Vec<Gap>,
    damage: Option<TraceError>,
    stretches: Stretches,
    read: u64,
}

impl Out for Stretches {
    #[inline(always)]
    fn event(&mut self, event: Event) {
        self.begin(event.thread, event.site, Some(event.op));
    }
}

impl Reader {
    /// Opens the session of a JVM that may still run. None if the JVM has not got so far as to write anything; try again.
    pub fn live(folder: &Path) -> Result<Option<Self>, TraceError> {
        Self::start(folder, true)
    }

    /// Opens the session of a JVM that does not run any more. The files are not changed.
    pub fn finished(folder: &Path) -> Result<Self, TraceError> {
        let name = folder.display().to_string();
        let none = || TraceError::new(name, Place::File, "not a session: there are no names in it");
        Self::start(folder, false)?.ok_or_else(none)
    }

    fn start(folder: &Path, live: bool) -> Result<Option<Self>, TraceError> {
        let Some(tables) = Tables::open(folder)? else { return Ok(None) };
        let Some(pages) = Pages::open(folder, live)? else { return Ok(None) };
        Ok(Some(Self {
            name: folder.display().to_string(),
            folder: folder.to_owned(),
            pages,
            tables,
            objects: Objects::default(),
            gone: Gone::default(),
            rules: Rules::default(),
            regions: Numbers::default(),
            streams: Vec::new(),
            threads: Vec::new(),
            streams_of: FxHashMap::default(),
            ready: Vec::new(),
            hungry: Vec::new(),
            early: BinaryHeap::new(),
            next: FIRST_STAMP,
            cut: u64::MAX,
            channels: FxHashMap::default(),
            initialised: FxHashMap::default(),
            whole: FxHashMap::default(),
            dead: Vec::new(),
            seen: FxHashSet::default(),
            live,
            over: false,
            salvaged: false,
            finished: false,
            waited: Duration::ZERO,
            rounds: 0,
            lost: 0,
            late: 0,
            gaps: Vec::new(),
            damage: None,
            stretches: Stretches::default(),
            read: 0,
        }))
    }

    /// What the agent counted, by name: classes seen and woven, and whatever else.
    pub fn counts(&self) -> &[(String, u64)] {
        &self.tables.counts
    }

    /// Replaces `stretches` with what there is. Never waits.
    pub fn poll(&mut self, stretches: &mut Stretches) -> Result<Poll, TraceError> {
        stretches.clear();
        if self.tables.symbols.has_to_let_go() {
            self.tables.symbols.let_go();
        }
        self.objects.recycle();
        if self.finished {
            return Ok(Poll::End);
        }
        match self.merge(stretches) {
            Ok(poll) => {
                stretches.close();
                if poll == Poll::Events {
                    self.waited = Duration::ZERO;
                }
                Ok(poll)
            }
            Err(damage) => {
                // What was merged before the damage is told; the next look ends the trace.
                stretches.close();
                self.damaged(damage);
                Ok(if stretches.is_empty() { Poll::End } else { Poll::Events })
            }
        }
    }

    /// Sleeps a little: for whoever polls and found nothing.
    pub fn nap(&mut self) {
        // Many threads take long to look at: no more than a fifth of the time goes into looking.
        let threads = self.hungry.len() as u32;
        let nap = (NAP + Duration::from_micros(2) * threads).min(LONG_NAP);
        let nap = if self.waited > LONG_NAP { nap.max(NAP * 5) } else { nap };
        std::thread::sleep(nap);
        self.waited += nap;
    }

    fn merge(&mut self, out: &mut Stretches) -> Result<Poll, TraceError> {
        loop {
            while let Some(at) = self.ready.pop() {
                match self.run(at, out)? {
                    Stop::Full => {
                        self.ready.push(at);
                        self.bury(out);
                        return Ok(Poll::Events);
                    }
                    Stop::Hungry => self.hungry.push(at),
                    Stop::Early(stamp) => self.early.push(Reverse((stamp, at))),
                }
                self.take_early();
            }
            if self.take_early() || self.feed()? {
                continue;
            }
            self.bury(out);
            if !out.is_empty() {
                return Ok(Poll::Events);
            }
            if self.live && !self.over && self.next < self.cut {
                // Everything that it has written is visible now, and is looked at once more.
                self.over = self.pages.has_ended()? || self.waited >= LONG_NAP && !alive(&self.folder);
                if self.over {
                    self.pages.nobody_writes();
                    continue;
                }
                if self.waited < PATIENCE || self.early.is_empty() {
                    return Ok(Poll::Nothing);
                }
                self.waited = Duration::ZERO;
            }
            // The next stamp will never come.
            match self.early.peek() {
                Some(&Reverse((stamp, _))) if stamp < self.cut => {
                    self.lost += stamp - self.next;
                    self.next = stamp;
                }
                _ if self.cut < u64::MAX => {
                    self.finish()?;
                    return Ok(Poll::End);
                }
                _ if !self.salvaged => self.salvage()?,
                _ => {
                    self.finish()?;
                    return Ok(Poll::End);
                }
            }
        }
    }

    /// Looks for what threads withheld when the JVM ended: nothing comes after it.
    fn salvage(&mut self) -> Result<(), TraceError> {
        self.salvaged = true;
        for at in std::mem::take(&mut self.hungry) {
            let Some(stream) = self.streams.get_mut(at).and_then(Option::as_mut) else { continue };
            let list = if stream.salvage(&self.pages)? { &mut self.ready } else { &mut self.hungry };
            list.push(at);
        }
        Ok(())
    }

    /// Makes the stream ready whose turn it is. Whether there is one.
    #[inline(always)]
    fn take_early(&mut self) -> bool {
        match self.early.peek() {
            Some(&Reverse((stamp, at))) if stamp <= self.next && stamp < self.cut => {
                self.early.pop();
                self.ready.push(at);
                true
            }
            _ => false,
        }
    }

    /// Reads on where there is nothing left in memory. Whether anything came.
    fn feed(&mut self) -> Result<bool, TraceError> {
        self.rounds += 1;
        let all = self.rounds.is_multiple_of(64);
        // First those that had something lately: of ten thousand threads most are asleep.
        if !all && self.feed_from(false)? {
            // What was read may refer to names, or have a stack, that were written before it.
            self.tables.read()?;
            return Ok(true);
        }
        let mut any = self.feed_from(true)?;
        self.tables.read()?;
        for begun in std::mem::take(&mut self.tables.begun) {
            self.begun(begun)?;
            any = true;
        }
        self.pages.fill_ring()?;
        Ok(any)
    }

    fn feed_from(&mut self, all: bool) -> Result<bool, TraceError> {
        const LATELY: u32 = 8;
        let mut any = false;
        let mut hungry = std::mem::take(&mut self.hungry);
        let mut kept = 0;
        let mut result = Ok(());
        for i in 0..hungry.len() {
            let at = hungry[i];
            let Some(stream) = self.streams.get(at).and_then(Option::as_ref) else { continue };
            let mut stays = true;
            if result.is_ok() && (all || stream.idle < LATELY) {
                match self.read_on(at) {
                    Ok(Got::Words) => {
                        self.ready.push(at);
                        (any, stays) = (true, false);
                    }
                    Ok(Got::Nothing) => {}
                    Ok(Got::End) => stays = false,
                    Err(error) => result = Err(error),
                }
            }
            if stays {
                hungry[kept] = at;
                kept += 1;
            }
        }
        hungry.truncate(kept);
        self.hungry = hungry;
        result.map(|()| any)
    }

    /// Reads on in the file of a thread.
    pub(super) fn read_on(&mut self, at: usize) -> Result<Got, TraceError> {
        let Some(stream) = self.streams.get_mut(at).and_then(Option::as_mut) else { return Ok(Got::End) };
        let page = stream.page();
        let mut got = stream.refill(&mut self.pages)?;
        if got == Got::Words && is_torn(stream) {
            got = Got::Nothing;
        }
        if stream.page() != page && !self.live && !self.seen.insert(stream.page()) {
            return Err(self.pages.wrong(stream.place(), "this chunk was read before: they go round"));
        }
        match got {
            // After it was read and before it is told: whatever may lack something was written after the cut was.
            Got::Words if self.cut == u64::MAX => self.cut = self.pages.cut()?.unwrap_or(u64::MAX),
            Got::Words => {}
            Got::Nothing if stream.withholds => {}
            Got::Nothing => stream.passed = self.next,
            Got::End => {
                self.read += stream.read;
                self.regions.give_back(stream);
                self.streams[at] = None;
            }
        }
        Ok(got)
    }

    /// The stream of a thread.
    pub(super) fn stream_of(&self, thread: ThreadId) -> Option<usize> {
        self.streams_of.get(&thread).copied()
    }

    fn begun(&mut self, begun: Begun) -> Result<(), TraceError> {
        let Some(thread) = self.tables.thread(u64::from(begun.number)) else { return Ok(()) };
        let stream = Stream::new(begun.number, begun.page, &self.pages)?;
        if !self.live && !self.seen.insert(begun.page) {
            return Err(self.pages.wrong(stream.place(), "this chunk belongs to two threads"));
        }
        self.hungry.push(self.streams.len());
        self.streams_of.insert(thread, self.streams.len());
        self.streams.push(Some(stream));
        self.threads.push(thread);
        Ok(())
    }

    /// Tells of objects that have died, as far as nobody can have a record of them that was not read yet: such a record
    /// was written before the news and its thread took its last stamp before that.
    fn bury(&mut self, out: &mut Stretches) {
        const ENOUGH: usize = 256;
        if self.dead.is_empty() || (self.dead.len() < ENOUGH && !out.is_empty()) {
            return;
        }
        let passed = self.streams.iter().flatten().map(|stream| stream.passed).min().unwrap_or(self.next);
        let Some(thread) = out
            .last_thread()
            .filter(|&thread| self.rules.is_running(thread))
            .or_else(|| self.rules.any_running())
        else {
            return;
        };
        let mut dead = std::mem::take(&mut self.dead);
        dead.retain(|&(stamp, number, site)| {
            if stamp >= passed {
                return true;
            }
            if let Some(object) = self.objects.free(number, &mut self.tables.symbols) {
                out.event(Event { thread, site, op: Op::Free { object } });
            }
            false
        });
        self.dead = dead;
    }

    /// Everything that will ever come has been read.
    fn finish(&mut self) -> Result<(), TraceError> {
        self.finished = true;
        self.lost += self.pages.stamps()?.min(self.cut).saturating_sub(self.next);
        let torn = self.streams.iter().flatten().filter(|stream| is_torn(stream)).count() as u64;
        let mut gap = |what: &str, why: String, count: u64| {
            if count > 0 {
                self.gaps.push(Gap { what: what.to_owned(), why, count });
            }
        };
        if self.cut < u64::MAX {
            let why = format!(
                "there was no room for what the JVM reported ({}); the program went on and was not watched",
                self.pages.why_cut()?
            );
            gap("the rest of the run", why, 1);
            gap("stamped records", "their threads were stopped while writing them".to_owned(), self.lost);
        } else if !self.pages.has_ended()? {
            let why = format!(
                "the JVM of {} was killed; what it had reported was read, {} records were lost",
                self.name,
                self.lost + torn
            );
            gap("the end of the run", why, (self.lost + torn).max(1));
        } else {
            gap("stamped records", "their threads were stopped while writing them".to_owned(), self.lost);
        }
        gap("stamped records", "they came too late to be put in order".to_owned(), self.late);
        self.close_gaps();
        Ok(())
    }

    fn close_gaps(&mut self) {
        self.gaps.extend(self.rules.gaps());
        self.gaps.append(&mut self.tables.gaps);
    }

    #[cold]
    fn damaged(&mut self, damage: TraceError) {
        self.finished = true;
        let why = format!("{damage}; what came before was read");
        self.gaps.push(Gap { what: format!("the end of {}", self.name), why, count: 1 });
        self.close_gaps();
        self.damage = Some(damage);
    }
}

/// Whether the stream begins with a record of which only a part is there.
fn is_torn(stream: &Stream) -> bool {
    let words = stream.words();
    let Some(&first) = words.first_chunk::<8>() else { return false };
    let first = u64::from_le_bytes(first);
    let wanted = words_of(form_of(first)).unwrap_or(1);
    let whole = words.chunks_exact(8).take(wanted).filter(|word| **word != [0; 8]).count() == wanted;
    first != 0 && !whole
}

impl Source for Reader {
    fn fill(&mut self, batch: &mut Vec<Event>) -> Result<bool, TraceError> {
        let mut stretches = std::mem::take(&mut self.stretches);
        let more = self.fill_stretches(&mut stretches, batch);
        batch.clear();
        stretches.uncut(batch);
        self.stretches = stretches;
        more
    }

    fn fill_stretches(
        &mut self,
        stretches: &mut Stretches,
        _room: &mut Vec<Event>,
    ) -> Result<bool, TraceError> {
        loop {
            match self.poll(stretches)? {
                Poll::Events => return Ok(true),
                Poll::Nothing => self.nap(),
                Poll::End => return Ok(false),
            }
        }
    }

    fn lender(&self) -> &Lender<Symbols> {
        &self.tables.symbols
    }

    fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    fn progress(&self) -> Progress {
        let read = self.read + self.streams.iter().flatten().map(|stream| stream.read).sum::<u64>();
        Progress { read, total: None }
    }

    fn damage(&self) -> Option<&TraceError> {
        self.damage.as_ref()
    }
}
