//! A session written without a JVM: plays the agent, for tests and measurements. Records are made visible when
//! [`Player::flush`] says so, so that any interleaving of writing and reading can be played.
//!
//! Not made for speed or for several writers: the agent maps the file and does this from many threads.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::layout::{
    CHUNK_CLOSED_AT, CHUNK_HEADER, CHUNK_NEXT_AT, CHUNK_WITHHELD, CHUNK_WITHHELD_AT, CHUNKS, CUT_AT,
    CUT_WHY_AT, ENDED, FIRST_CHUNK, FIRST_STAMP, GONE_BLOCK, GONE_PAGE, GONE_ROW, GONE_ROWS, HEAD_AT, LARGE,
    MAGIC, NAMES, PAGE, PAGE_SIZE_AT, PAGES_AT, RING, RING_PAGE, SMALL, STAMP_AT, STATE_AT, TAIL_AT, VERSION,
    VERSION_AT, head_of,
};
use super::names::Entry;
use super::record::{DEFINES, EXTENDED, Extra, KNOWN, PLAIN, RANGE, STAMPED, STEPS, first, stamp};

/// A thread that writes.
#[derive(Default)]
struct Writer {
    number: u32,
    page: u32,
    pages: u32,
    /// The offset in its chunk where `pending` begins.
    at: u64,
    /// Records that are not visible yet.
    pending: Vec<u8>,
}

/// Plays the agent.
pub struct Player {
    chunks: File,
    names: File,
    stamps: u64,
    pages: u64,
    /// Pages that the file may have.
    budget: u64,
    tail: u64,
    sizes: HashMap<u32, u32>,
    free: Vec<u32>,
    threads: HashMap<u32, Writer>,
}

impl Player {
    /// Begins a session in a folder, which is made.
    pub fn new(folder: &Path, budget: u64) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let names = File::create(folder.join(NAMES))?;
        let options = File::options().read(true).write(true).create(true).truncate(true).to_owned();
        let chunks = options.open(folder.join(CHUNKS))?;
        let pages = u64::from(FIRST_CHUNK);
        chunks.set_len(pages * PAGE)?;
        chunks.write_all_at(&VERSION.to_le_bytes(), VERSION_AT)?;
        chunks.write_all_at(&(PAGE as u32).to_le_bytes(), PAGE_SIZE_AT)?;
        chunks.write_all_at(&FIRST_STAMP.to_le_bytes(), STAMP_AT)?;
        chunks.write_all_at(&MAGIC, 0)?;
        Ok(Self {
            chunks,
            names,
            stamps: FIRST_STAMP,
            pages,
            budget,
            tail: 0,
            sizes: HashMap::new(),
            free: Vec::new(),
            threads: HashMap::new(),
        })
    }

    /// Appends to the names log.
    pub fn name(&mut self, entry: &Entry) -> io::Result<()> {
        let mut bytes = Vec::new();
        entry.encode(&mut bytes);
        self.names.write_all(&bytes)
    }

    /// A thread gets its first chunk. [`ErrorKind::WouldBlock`] if there is none: try again when some were given back.
    pub fn thread(&mut self, number: u32, name: &str) -> io::Result<()> {
        let page = self.chunk(number, SMALL)?;
        let writer = Writer { number, page, pages: SMALL, at: CHUNK_HEADER, pending: Vec::new() };
        self.threads.insert(number, writer);
        self.name(&Entry::Thread { number, name: name.to_owned(), page, creator: 0 })
    }

    /// A record of one word.
    pub fn plain(&mut self, thread: u32, site: u32, operand: u64) -> io::Result<()> {
        self.put(thread, &[first(PLAIN, site, operand)], None).map(drop)
    }

    /// A record with a range or a class number.
    pub fn range(&mut self, thread: u32, site: u32, operand: u64, second: u64) -> io::Result<()> {
        self.put(thread, &[first(RANGE, site, operand), second], None).map(drop)
    }

    /// A record of elements that do not follow one another.
    pub fn steps(&mut self, thread: u32, site: u32, operand: u64, range: u64, step: u64) -> io::Result<()> {
        self.put(thread, &[first(STEPS, site, operand), range, step], None).map(drop)
    }

    /// A stamped record; its stamp.
    pub fn stamped(&mut self, thread: u32, site: u32, operand: u64, class: u32) -> io::Result<u64> {
        self.put(thread, &[first(STAMPED, site, operand), 0], Some(class))
    }

    /// A stamped record with an extra word; its stamp.
    pub fn extended(
        &mut self,
        thread: u32,
        site: u32,
        operand: u64,
        class: u32,
        extra: Extra,
    ) -> io::Result<u64> {
        self.put(thread, &[first(EXTENDED, site, operand), 0, extra.word()], Some(class))
    }

    /// The next so many words are a region of this number.
    pub fn defines(&mut self, thread: u32, number: u32, words: u64) -> io::Result<()> {
        self.put(thread, &[first(DEFINES, number, words)], None).map(drop)
    }

    /// A region that was defined happens again, which takes so many stamps; the first of them.
    pub fn known(&mut self, thread: u32, number: u32, stamps: u64) -> io::Result<u64> {
        let given = self.put(thread, &[first(KNOWN, number, 0), 0], Some(0))?;
        self.stamps = given + stamps;
        self.chunks.write_all_at(&self.stamps.to_le_bytes(), STAMP_AT)?;
        Ok(given)
    }

    /// The thread is in a region: a record that enters a monitor, without a stamp.
    pub fn enters(&mut self, thread: u32, site: u32, operand: u64, class: u32) -> io::Result<()> {
        self.put(thread, &[first(STAMPED, site, operand), stamp(0, class)], None).map(drop)
    }

    /// What is not visible yet is there, but for its first word, which stands in the chunk's header.
    pub fn withhold(&mut self, thread: u32) -> io::Result<()> {
        let Some(writer) = self.threads.get(&thread) else { return Ok(()) };
        let page = u64::from(writer.page) * PAGE;
        if let Some((head, rest)) = writer.pending.split_at_checked(8) {
            self.chunks.write_all_at(rest, page + writer.at + 8)?;
            self.chunks.write_all_at(&(writer.at as u32).to_le_bytes(), page + CHUNK_WITHHELD_AT)?;
            self.chunks.write_all_at(head, page + CHUNK_WITHHELD)?;
        }
        Ok(())
    }

    /// Makes all records of a thread visible.
    pub fn flush(&mut self, thread: u32) -> io::Result<()> {
        let Some(writer) = self.threads.get_mut(&thread) else { return Ok(()) };
        let at = u64::from(writer.page) * PAGE + writer.at;
        // The first word comes last: with it the rest appears.
        if let Some((head, rest)) = writer.pending.split_at_checked(8) {
            self.chunks.write_all_at(rest, at + 8)?;
            self.chunks.write_all_at(head, at)?;
        }
        writer.at += writer.pending.len() as u64;
        writer.pending.clear();
        Ok(())
    }

    /// The first bytes of what is not visible yet appear, as when a thread is stopped in the middle.
    pub fn tear(&mut self, thread: u32, bytes: usize) -> io::Result<()> {
        let Some(writer) = self.threads.get_mut(&thread) else { return Ok(()) };
        let at = u64::from(writer.page) * PAGE + writer.at;
        let bytes = writer.pending.get(..bytes).unwrap_or(&writer.pending);
        self.chunks.write_all_at(bytes, at)
    }

    /// The thread has ended.
    pub fn close(&mut self, thread: u32) -> io::Result<()> {
        self.flush(thread)?;
        let Some(writer) = self.threads.remove(&thread) else { return Ok(()) };
        self.chunks.write_all_at(&1u32.to_le_bytes(), u64::from(writer.page) * PAGE + CHUNK_CLOSED_AT)
    }

    /// The JVM has ended. Everything becomes visible.
    pub fn end(mut self) -> io::Result<()> {
        let threads: Vec<u32> = self.threads.keys().copied().collect();
        threads.into_iter().try_for_each(|thread| self.flush(thread))?;
        self.chunks.write_all_at(&ENDED.to_le_bytes(), STATE_AT)
    }

    /// There is no more room, for which the system has this number: what comes from now on may lack something.
    pub fn cut(&mut self, why: u32) -> io::Result<()> {
        self.chunks.write_all_at(&why.to_le_bytes(), CUT_WHY_AT)?;
        self.chunks.write_all_at(&self.stamps.to_le_bytes(), CUT_AT)
    }

    /// An array has died that one thread alone has accessed.
    pub fn gone(&mut self, number: u64) -> io::Result<()> {
        let (block, bit) = (number / GONE_BLOCK, number % GONE_BLOCK);
        let at = GONE_PAGE * PAGE + block % GONE_ROWS * GONE_ROW;
        let mut row = [0; GONE_ROW as usize];
        self.chunks.read_exact_at(&mut row, at)?;
        if !row.starts_with(&(block + 1).to_le_bytes()) {
            row.fill(0);
            row[..8].copy_from_slice(&(block + 1).to_le_bytes());
        }
        row[8 + bit as usize / 8] |= 1 << (bit % 8);
        self.chunks.write_all_at(&row, at)
    }

    /// How many pages the file has.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    fn put(&mut self, thread: u32, words: &[u64], class: Option<u32>) -> io::Result<u64> {
        let missing = || io::Error::new(ErrorKind::NotFound, "no such thread");
        let writer = self.threads.get(&thread).ok_or_else(missing)?;
        let end = writer.at + (writer.pending.len() + words.len() * 8) as u64;
        // Room first, the stamp afterwards.
        if end > u64::from(writer.pages) * PAGE {
            let page = self.chunk(writer.number, LARGE)?;
            self.flush(thread)?;
            let writer = self.threads.get_mut(&thread).ok_or_else(missing)?;
            let next_at = u64::from(writer.page) * PAGE + CHUNK_NEXT_AT;
            self.chunks.write_all_at(&page.to_le_bytes(), next_at)?;
            (writer.page, writer.pages, writer.at) = (page, LARGE, CHUNK_HEADER);
        }
        let mut given = 0;
        let mut words = words.to_vec();
        if let (Some(class), Some(second)) = (class, words.get_mut(1)) {
            given = self.stamps;
            self.stamps += 1;
            self.chunks.write_all_at(&self.stamps.to_le_bytes(), STAMP_AT)?;
            *second = stamp(given, class);
        }
        let writer = self.threads.get_mut(&thread).ok_or_else(missing)?;
        words.iter().for_each(|word| writer.pending.extend(word.to_le_bytes()));
        Ok(given)
    }

    /// A chunk: one that was given back, or a new one.
    fn chunk(&mut self, thread: u32, pages: u32) -> io::Result<u32> {
        let mut word = [0; 8];
        self.chunks.read_exact_at(&mut word, HEAD_AT)?;
        let head = head_of(u64::from_le_bytes(word), self.tail);
        while self.tail < head {
            let mut page = [0; 4];
            self.chunks.read_exact_at(&mut page, RING_PAGE * PAGE + 4 * (self.tail % RING))?;
            self.free.push(u32::from_le_bytes(page));
            self.tail += 1;
        }
        self.chunks.write_all_at(&self.tail.to_le_bytes(), TAIL_AT)?;
        let page = match self.free.iter().position(|page| self.sizes.get(page) == Some(&pages)) {
            Some(at) => self.free.swap_remove(at),
            None if self.pages + u64::from(pages) > self.budget => return Err(ErrorKind::WouldBlock.into()),
            None => {
                let page = self.pages as u32;
                self.pages += u64::from(pages);
                self.chunks.set_len(self.pages * PAGE)?;
                self.chunks.write_all_at(&self.pages.to_le_bytes(), PAGES_AT)?;
                page
            }
        };
        self.sizes.insert(page, pages);
        let mut header = [0; 8];
        header[..4].copy_from_slice(&thread.to_le_bytes());
        header[4..].copy_from_slice(&pages.to_le_bytes());
        self.chunks.write_all_at(&header, u64::from(page) * PAGE)?;
        Ok(page)
    }
}
