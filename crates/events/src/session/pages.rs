//! The `chunks` file as the reader uses it: bytes are copied out with `read_at` while the JVM writes into its mapping of
//! the same pages, and chunks that have been read are zeroed and given back through the ring.
//!
//! Copying is not atomic, not even for a single word: it may be interrupted between two bytes. So what the JVM may be
//! writing at the moment is read until it reads the same twice, and what the JVM reads is written twice.
//!
//! Knows nothing of records. Nothing is written to the file of a JVM that does not run any more.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::layout::{
    CHUNK_CLOSED_AT, CHUNK_HEADER, CHUNK_NEXT_AT, CHUNK_PAGES_AT, CHUNK_THREAD_AT, CHUNK_WITHHELD,
    CHUNK_WITHHELD_AT, CHUNKS, CUT_AT, CUT_WHY_AT, ENDED, FIRST_CHUNK, HEAD_AT, LARGE, LEFT, MAGIC, PAGE,
    PAGE_SIZE_AT, READER_AT, READER_PID_AT, READING, RING, RING_PAGE, SMALL, STAMP_AT, STATE_AT, TAIL_AT,
    VERSION, VERSION_AT, head_word,
};
use crate::{Place, TraceError};

/// The header of a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Chunk {
    pub(super) thread: u32,
    pub(super) pages: u32,
    /// The page of the next chunk, 0 for none yet.
    pub(super) next: u32,
    pub(super) closed: bool,
    /// Where in it a record's first word is withheld, and that word, 0 for none.
    pub(super) withheld_at: u64,
    pub(super) withheld: u64,
}

/// The file.
pub(super) struct Pages {
    name: String,
    file: File,
    /// Whether chunks are given back.
    live: bool,
    /// How many chunks were given back.
    head: u64,
    /// Zeroed, and waiting for room in the ring.
    spare: VecDeque<u32>,
    zeros: Vec<u8>,
}

impl Pages {
    /// Opens the file in a session folder. None if the agent has not finished its first page yet.
    pub(super) fn open(folder: &Path, live: bool) -> Result<Option<Self>, TraceError> {
        let path = folder.join(CHUNKS);
        let name = path.display().to_string();
        let file = match File::options().read(true).write(live).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound && live => return Ok(None),
            Err(error) => return Err(TraceError::io(name, Place::File, &error)),
        };
        let pages = Self {
            name,
            file,
            live,
            head: 0,
            spare: VecDeque::new(),
            zeros: vec![0; (u64::from(LARGE) * PAGE) as usize],
        };
        let mut magic = [0; 8];
        let got = pages.read(0, &mut magic)?;
        if live && (got < magic.len() || magic == [0; 8]) {
            return Ok(None);
        }
        if magic != MAGIC {
            return Err(pages.wrong(0, "not a session: the first bytes are others"));
        }
        let version = pages.u32(VERSION_AT)?;
        if version != VERSION {
            let reason =
                format!("version {version} of the session format is not known; this command reads {VERSION}");
            return Err(pages.wrong(VERSION_AT, reason));
        }
        let size = pages.u32(PAGE_SIZE_AT)?;
        if u64::from(size) != PAGE {
            return Err(pages.wrong(PAGE_SIZE_AT, format!("pages of {size} bytes; {PAGE} are expected")));
        }
        if pages.u64(HEAD_AT)? != 0 {
            let reason = "parts of this session have been read and given back already";
            return Err(pages.wrong(HEAD_AT, reason));
        }
        if live {
            pages.write(READER_PID_AT, &std::process::id().to_le_bytes())?;
            pages.write(READER_AT, &READING.to_le_bytes())?;
        }
        Ok(Some(pages))
    }

    /// An error at a byte of the file.
    #[cold]
    pub(super) fn wrong(&self, at: u64, reason: impl Into<String>) -> TraceError {
        TraceError::new(&self.name, Place::Byte(at), reason)
    }

    /// Reads as many bytes as there are, and says how many.
    pub(super) fn read(&self, at: u64, bytes: &mut [u8]) -> Result<usize, TraceError> {
        let mut got = 0;
        while let Some(rest) = bytes.get_mut(got..).filter(|rest| !rest.is_empty()) {
            match self.file.read_at(rest, at + got as u64) {
                Ok(0) => break,
                Ok(n) => got += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(TraceError::io(&self.name, Place::Byte(at + got as u64), &error)),
            }
        }
        Ok(got)
    }

    fn exactly<const N: usize>(&self, at: u64) -> Result<[u8; N], TraceError> {
        let mut bytes = [0; N];
        match self.read(at, &mut bytes)? {
            n if n == N => Ok(bytes),
            _ => Err(self.wrong(at, "the file ends too early")),
        }
    }

    /// The same bytes in two readings: each word of them was then whole in the first.
    pub(super) fn steady<const N: usize>(&self, at: u64) -> Result<[u8; N], TraceError> {
        let mut bytes = self.exactly(at)?;
        loop {
            let again = self.exactly(at)?;
            if again == bytes {
                return Ok(bytes);
            }
            bytes = again;
        }
    }

    fn u32(&self, at: u64) -> Result<u32, TraceError> {
        self.steady(at).map(u32::from_le_bytes)
    }

    fn u64(&self, at: u64) -> Result<u64, TraceError> {
        self.steady(at).map(u64::from_le_bytes)
    }

    fn write(&self, at: u64, bytes: &[u8]) -> Result<(), TraceError> {
        self.file.write_all_at(bytes, at).map_err(|error| TraceError::io(&self.name, Place::Byte(at), &error))
    }

    /// The stamp that will be given next.
    pub(super) fn stamps(&self) -> Result<u64, TraceError> {
        self.u64(STAMP_AT)
    }

    /// Whether the JVM has said that nothing follows.
    pub(super) fn has_ended(&self) -> Result<bool, TraceError> {
        Ok(self.u32(STATE_AT)? == ENDED)
    }

    /// The stamp at which watching ended before the JVM did, if it has.
    pub(super) fn cut(&self) -> Result<Option<u64>, TraceError> {
        // Looked for often, and almost never there: one reading is enough to see nothing.
        if self.exactly::<8>(CUT_AT)? == [0; 8] {
            return Ok(None);
        }
        self.u64(CUT_AT).map(Some)
    }

    /// Why it has.
    pub(super) fn why_cut(&self) -> Result<io::Error, TraceError> {
        self.u32(CUT_WHY_AT).map(|number| io::Error::from_raw_os_error(number as i32))
    }

    /// The header of the chunk that begins at a page. `from` is where the page number stands, for messages.
    pub(super) fn chunk(&self, page: u32, thread: u32, from: &str) -> Result<Chunk, TraceError> {
        let at = u64::from(page) * PAGE;
        let bytes: [u8; 32] = self.steady(at)?;
        let word = |at: u64| {
            let word = bytes.get(at as usize..).and_then(<[u8]>::first_chunk);
            u32::from_le_bytes(word.copied().unwrap_or_default())
        };
        let chunk = Chunk {
            thread: word(CHUNK_THREAD_AT),
            pages: word(CHUNK_PAGES_AT),
            next: word(CHUNK_NEXT_AT),
            closed: word(CHUNK_CLOSED_AT) == 1,
            withheld_at: u64::from(word(CHUNK_WITHHELD_AT)),
            withheld: u64::from(word(CHUNK_WITHHELD)) | u64::from(word(CHUNK_WITHHELD + 4)) << 32,
        };
        if page < FIRST_CHUNK {
            return Err(self.wrong(at, format!("{from} names page {page}, which holds no chunk")));
        }
        if chunk.thread != thread {
            let reason =
                format!("{from} should be a chunk of thread {thread}, it is one of {}", chunk.thread);
            return Err(self.wrong(at + CHUNK_THREAD_AT, reason));
        }
        if chunk.pages != SMALL && chunk.pages != LARGE {
            let reason = format!("a chunk of {} pages; there are chunks of {SMALL} and {LARGE}", chunk.pages);
            return Err(self.wrong(at + CHUNK_PAGES_AT, reason));
        }
        Ok(chunk)
    }

    /// Gives a chunk back that has been read to its end.
    pub(super) fn give_back(&mut self, page: u32, pages: u32) -> Result<(), TraceError> {
        if !self.live {
            return Ok(());
        }
        // Records first: a chunk is free once its number is in the ring, so the order does not matter to the agent, but
        // a header without records would be easier to understand after a crash than records without a header.
        let length = (u64::from(pages) * PAGE) as usize;
        let (at, header) = (u64::from(page) * PAGE, CHUNK_HEADER as usize);
        if let Some(zeros) = self.zeros.get(header..length) {
            self.write(at + CHUNK_HEADER, zeros)?;
        }
        self.write(at, self.zeros.get(..header).unwrap_or_default())?;
        self.spare.push_back(page);
        self.fill_ring()
    }

    /// Puts waiting chunks into the ring, as far as there is room.
    pub(super) fn fill_ring(&mut self) -> Result<(), TraceError> {
        if self.spare.is_empty() || !self.live {
            return Ok(());
        }
        let tail = self.u64(TAIL_AT)?;
        let mut head = self.head;
        while head.wrapping_sub(tail) < RING
            && let Some(page) = self.spare.pop_front()
        {
            self.write(RING_PAGE * PAGE + 4 * (head % RING), &page.to_le_bytes())?;
            head += 1;
        }
        if head != self.head {
            self.head = head;
            self.write(HEAD_AT, &head_word(head).to_le_bytes())?;
        }
        Ok(())
    }

    /// The JVM does not run any more: nobody needs chunks back.
    pub(super) fn nobody_writes(&mut self) {
        self.live = false;
    }
}

impl Drop for Pages {
    /// Whoever waits for a free chunk has to know that none will come.
    fn drop(&mut self) {
        if self.live {
            let _ = self.write(READER_AT, &LEFT.to_le_bytes());
        }
    }
}
