//! The records of one thread: a chain of chunks, read in steps.
//!
//! Hands out words; what they mean is decided in `merge.rs`. At most one step is in memory, so a thread that is far ahead
//! of the others costs no more than any other: its further chunks stay in the file.

use super::layout::{CHUNK_HEADER, PAGE};
use super::pages::Pages;
use super::regions::Region;
use crate::TraceError;

/// The smallest step.
const STEP: usize = 1 << 12;
/// What is read of a thread that has been idle, to see whether it still is.
const PROBE: usize = 256;
/// Who had nothing so often in a row gives its room back: of ten thousand threads most are asleep.
const ASLEEP: u32 = 8;
/// The largest: a whole chunk.
const LARGEST: usize = 1 << 16;

/// What a refill came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Got {
    /// There are words to read.
    Words,
    /// None yet.
    Nothing,
    /// There will never be any more.
    End,
}

/// The records of one thread.
pub(super) struct Stream {
    /// The thread's number in the session.
    pub(super) number: u32,
    /// The chunk being read.
    page: u32,
    pages: u32,
    /// The offset in it of the first byte in `bytes`.
    start: u64,
    /// Never cleared: that would cost as much as reading.
    bytes: Vec<u8>,
    /// The same, read again.
    again: Vec<u8>,
    /// Whether the thread has left the chunk: then nothing in it changes any more.
    left: bool,
    /// How many of them were read.
    filled: usize,
    /// The next word in `bytes`.
    at: usize,
    /// Words that come before those, and the next of them: a known region, written out.
    inserted: Vec<u8>,
    inserted_at: usize,
    /// The regions that the thread has defined, by their numbers from 1 on.
    pub(super) regions: Vec<Region>,
    /// Whether the thread has records that it withholds.
    pub(super) withholds: bool,
    step: usize,
    /// Every record before this stamp has been read.
    pub(super) passed: u64,
    /// How often in a row there was nothing.
    pub(super) idle: u32,
    pub(super) read: u64,
}

impl Stream {
    /// The records that begin in a chunk.
    pub(super) fn new(number: u32, page: u32, pages: &Pages) -> Result<Self, TraceError> {
        let from = format!("the first page of thread {number}");
        let chunk = pages.chunk(page, number, &from)?;
        let none = Self::of(std::iter::empty());
        Ok(Self { number, page, pages: chunk.pages, start: CHUNK_HEADER, left: false, ..none })
    }

    /// Nothing but these records, of no chunk.
    pub(super) fn of(words: impl Iterator<Item = u64>) -> Self {
        let mut stream = Self {
            number: 0,
            page: 0,
            pages: 0,
            start: 0,
            bytes: Vec::new(),
            again: Vec::new(),
            left: true,
            filled: 0,
            at: 0,
            inserted: Vec::new(),
            inserted_at: 0,
            regions: Vec::new(),
            withholds: false,
            step: STEP,
            passed: 0,
            idle: 0,
            read: 0,
        };
        stream.insert(words);
        stream
    }

    /// The next words that are in memory.
    #[inline(always)]
    pub(super) fn words(&self) -> &[u8] {
        match self.inserted.get(self.inserted_at..) {
            Some(inserted) if !inserted.is_empty() => inserted,
            _ => self.bytes.get(self.at..self.filled).unwrap_or_default(),
        }
    }

    /// So many bytes of [`words`](Self::words) have been dealt with.
    #[inline(always)]
    pub(super) fn consume(&mut self, bytes: usize) {
        if self.inserted_at < self.inserted.len() {
            self.inserted_at += bytes;
        } else {
            self.at += bytes;
        }
    }

    /// Puts whole records in front of what comes next. There are none already: a known region is no part of another.
    pub(super) fn insert(&mut self, words: impl Iterator<Item = u64>) {
        self.inserted.clear();
        self.inserted.extend(words.flat_map(u64::to_le_bytes));
        self.inserted_at = 0;
    }

    /// Where the next word is in the file.
    pub(super) fn place(&self) -> u64 {
        u64::from(self.page) * PAGE + self.start + self.at as u64
    }

    /// The page of the chunk being read.
    pub(super) fn page(&self) -> u32 {
        self.page
    }

    /// Reads on from the next word, which is not in memory or was not whole.
    pub(super) fn refill(&mut self, pages: &mut Pages) -> Result<Got, TraceError> {
        if self.load(pages)? {
            return Ok(Got::Words);
        }
        // The header is set after the last record, so what was not there before may be there now.
        let chunk = pages.chunk(self.page, self.number, "the chunk being read")?;
        self.withholds = chunk.withheld_at == self.start;
        if chunk.next == 0 && !chunk.closed {
            self.idle = self.idle.saturating_add(1);
            if self.idle == ASLEEP {
                (self.bytes, self.again) = (Vec::new(), Vec::new());
            }
            return Ok(Got::Nothing);
        }
        self.left = true;
        if self.load(pages)? {
            return Ok(Got::Words);
        }
        let old = (self.page, self.pages);
        if chunk.next == 0 {
            (self.bytes, self.filled, self.at) = (Vec::new(), 0, 0);
            pages.give_back(old.0, old.1)?;
            return Ok(Got::End);
        }
        let next = pages.chunk(chunk.next, self.number, "the next chunk")?;
        (self.page, self.pages) = (chunk.next, next.pages);
        (self.start, self.at, self.filled) = (CHUNK_HEADER, 0, 0);
        self.left = next.next != 0 || next.closed;
        pages.give_back(old.0, old.1)?;
        if self.load(pages)? {
            return Ok(Got::Words);
        }
        Ok(Got::Nothing)
    }

    /// What the thread withheld when its JVM ended, as far as it got. Whether there is anything.
    pub(super) fn salvage(&mut self, pages: &Pages) -> Result<bool, TraceError> {
        let chunk = pages.chunk(self.page, self.number, "the chunk being read")?;
        if chunk.withheld == 0 || chunk.withheld_at != self.start || self.at < self.filled {
            return Ok(false);
        }
        let length = (u64::from(self.pages) * PAGE).saturating_sub(self.start) as usize;
        (self.bytes, self.at) = (vec![0; length], 0);
        self.filled = pages.read(u64::from(self.page) * PAGE + self.start, &mut self.bytes)? & !7;
        let Some(first) = self.bytes.get_mut(..self.filled).and_then(<[u8]>::first_chunk_mut) else {
            return Ok(false);
        };
        if *first == [0; 8] {
            *first = chunk.withheld.to_le_bytes();
        }
        Ok(true)
    }

    /// Whether there is a word at the place reached.
    fn load(&mut self, pages: &Pages) -> Result<bool, TraceError> {
        // Threads that write much are read in large steps, the many others in small ones.
        if self.filled == self.step && self.at + 16 >= self.step {
            self.step = (self.step * 2).min(LARGEST);
        }
        self.read += self.at as u64;
        self.start += self.at as u64;
        (self.at, self.filled) = (0, 0);
        let end = u64::from(self.pages) * PAGE;
        let step = if self.idle > 1 { PROBE } else { self.step };
        let length = (end.saturating_sub(self.start) as usize).min(step);
        if self.bytes.len() < length {
            self.bytes.resize(length, 0);
        }
        let Some(room) = self.bytes.get_mut(..length) else { return Ok(false) };
        let got = pages.read(u64::from(self.page) * PAGE + self.start, room)? & !7;
        let first = self.bytes.get(..got).and_then(<[u8]>::first_chunk::<8>);
        if first.is_none_or(|word| u64::from_le_bytes(*word) == 0) {
            return Ok(false);
        }
        let whole = if self.left { got } else { self.whole(got, pages)? };
        if whole > 0 {
            (self.filled, self.idle) = (whole, 0);
        }
        Ok(whole > 0)
    }

    /// How many of the bytes just read are sure to be whole words: a copy may be interrupted within a word that is being
    /// written, and then has half of it. What reads the same again was whole.
    fn whole(&mut self, got: usize, pages: &Pages) -> Result<usize, TraceError> {
        let there = self.bytes.get(..got).unwrap_or_default();
        let (words, _) = there.as_chunks::<8>();
        // Most of it has not been written yet, and need not be read again.
        let unwritten = words.iter().rev().take_while(|word| **word == [0; 8]).count();
        let written = (words.len() - unwritten) * 8;
        self.again.resize(written, 0);
        let again = pages.read(u64::from(self.page) * PAGE + self.start, &mut self.again)?;
        let again = self.again.get(..again).unwrap_or_default().as_chunks::<8>().0;
        Ok(words.iter().zip(again).take_while(|(first, second)| first == second).count() * 8)
    }
}
