//! The files that a watched JVM shares with whoever reads it: chunks of records, mapped into memory, and the log of
//! names. Layout and meaning are those of `events::session`; this is the writing side.
//!
//! Backpressure: first the file grows up to its budget, then a thread that needs a chunk waits until the reader gives
//! one back. The reader gives back every chunk but those in which live threads go on writing; so if there are no others,
//! nobody is waited for, and the file grows beyond its budget by what these threads need. If it cannot, because the disk
//! is full, or if the reader has died, recording ends, and the program goes on.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use events::session::alive::has_ended;
use events::session::layout as at;

/// Pages that are allocated on disk at once.
const STEP: u32 = 4096;
/// The same beyond the budget.
const SMALL_STEP: u32 = 256;
/// Addresses that are kept free behind the budget, in bytes: room for a quarter of a million threads.
const BEYOND: u64 = 16 << 30;

/// The shared files of this JVM.
pub struct Session {
    base: *mut u8,
    file: File,
    /// Pages that are used before threads wait, and those for which there are addresses.
    budget: u32,
    most: u32,
    /// The process that reads; 0: a thread of this one.
    reader: u32,
    pages: Mutex<Pages>,
    names: Mutex<Names>,
    gone: Mutex<()>,
    over: AtomicBool,
    folder: PathBuf,
}

// SAFETY: `base` points to a mapping that lives as long as the process; what is shared in it is accessed atomically, or
// by the one thread that owns a chunk.
unsafe impl Send for Session {}
// SAFETY: as above.
unsafe impl Sync for Session {}

struct Names {
    file: File,
    /// Whether an entry could not be written, so that none must follow.
    broken: bool,
}

struct Pages {
    /// The first page that was never used, and the first that is not allocated on disk.
    next: u32,
    allocated: u32,
    small: Vec<u32>,
    large: Vec<u32>,
    /// How many entries of the ring have been taken.
    taken: u64,
    /// The size of the chunk that begins at each page.
    sizes: Vec<u8>,
    /// Chunks that have not come back, and threads that go on writing: each has one of them that cannot come back yet.
    out: u32,
    threads: u32,
}

impl Session {
    /// Makes the folder of this JVM in `within` and its files; also says where it is.
    pub fn create(within: &Path, budget_bytes: u64, reader: u32) -> io::Result<(Self, PathBuf)> {
        let folder = within.join(format!("{}-{}", std::process::id(), start_time()));
        DirBuilder::new().mode(0o700).create(&folder)?;
        let open = |name: &str| {
            OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(folder.join(name))
        };
        let mut budget = u32::try_from(budget_bytes / at::PAGE).unwrap_or(u32::MAX).max(2 * STEP);
        let file = open(at::CHUNKS)?;
        // Files may be limited in size; then there is less room, and threads wait sooner.
        while let Err(error) = file.set_len(u64::from(budget) * at::PAGE) {
            if error.raw_os_error() != Some(libc::EFBIG) || budget <= STEP {
                return Err(error);
            }
            budget = (budget / 2).max(STEP);
        }
        allocate(&file, 0, STEP)?;
        let length = u64::from(budget) * at::PAGE;
        // Addresses may be limited too.
        let (base, length) = match map(&file, length + BEYOND) {
            Ok(base) => (base, length + BEYOND),
            Err(_) => (map(&file, length)?, length),
        };
        let session = Self {
            base,
            names: Mutex::new(Names { file: open(at::NAMES)?, broken: false }),
            file,
            budget,
            most: u32::try_from(length / at::PAGE).unwrap_or(u32::MAX),
            reader,
            pages: Mutex::new(Pages {
                next: at::FIRST_CHUNK,
                allocated: STEP,
                small: Vec::new(),
                large: Vec::new(),
                taken: 0,
                sizes: vec![0; STEP as usize],
                out: 0,
                threads: 0,
            }),
            gone: Mutex::new(()),
            over: AtomicBool::new(false),
            folder: folder.clone(),
        };
        session.word32(at::VERSION_AT).store(at::VERSION, Ordering::Relaxed);
        session.word32(at::PAGE_SIZE_AT).store(at::PAGE as u32, Ordering::Relaxed);
        session.word(at::STAMP_AT).store(at::FIRST_STAMP, Ordering::Relaxed);
        // The magic goes last: whoever sees it sees the rest.
        session.word(0).store(u64::from_le_bytes(at::MAGIC), Ordering::Release);
        Ok((session, folder))
    }

    /// Another process has begun to read; 0: a thread of this one.
    pub fn is_read_by(&mut self, process: u32) {
        self.reader = process;
    }

    fn word(&self, offset: u64) -> &AtomicU64 {
        // SAFETY: callers pass offsets of aligned words within the mapping, which lives for ever.
        unsafe { &*self.base.add(offset as usize).cast::<AtomicU64>() }
    }

    fn word32(&self, offset: u64) -> &AtomicU32 {
        // SAFETY: as above.
        unsafe { &*self.base.add(offset as usize).cast::<AtomicU32>() }
    }

    /// An array has died that one thread alone has ever accessed: the reader may pass over what it has not read of it. Only
    /// the latest are kept.
    pub fn gone(&self, number: u64) {
        let _alone = self.gone.lock().unwrap_or_else(PoisonError::into_inner);
        let (block, bit) = (number / at::GONE_BLOCK, number % at::GONE_BLOCK);
        let row = at::GONE_PAGE * at::PAGE + block % at::GONE_ROWS * at::GONE_ROW;
        let owner = self.word(row);
        match owner.load(Ordering::Relaxed) {
            known if known == block + 1 => {}
            later if later > block + 1 => return,
            _ => {
                // Nobody's, until nothing is left of the block before.
                owner.store(0, Ordering::SeqCst);
                (8..at::GONE_ROW).step_by(8).for_each(|at| self.word(row + at).store(0, Ordering::SeqCst));
                owner.store(block + 1, Ordering::SeqCst);
            }
        }
        self.word(row + 8 + bit / 64 * 8).fetch_or(1 << (bit % 64), Ordering::SeqCst);
    }

    /// Where the counter of stamps is.
    pub fn stamp_address(&self) -> i64 {
        self.word(at::STAMP_AT).as_ptr() as i64
    }

    /// The first chunk of a thread: its address and page. None if nothing is recorded any more.
    pub fn open(&self, thread: u32) -> Option<(i64, u32)> {
        let page = self.chunk(thread, at::SMALL)?;
        self.lock().threads += 1;
        Some((self.address(page), page))
    }

    /// The chunk that follows another one of a thread.
    pub fn next(&self, chunk: i64, thread: u32) -> Option<i64> {
        let old = self.offset(chunk)?;
        let page = self.chunk(thread, at::LARGE)?;
        // Once it has a successor the reader may give it back at any time, and its header is gone.
        let pages = self.word32(old + at::CHUNK_PAGES_AT).load(Ordering::Relaxed);
        self.word32(old + at::CHUNK_NEXT_AT).store(page, Ordering::Release);
        self.unmap(chunk, pages);
        Some(self.address(page))
    }

    /// Where in the file the chunk at an address is; a thread that records nothing any more has none.
    fn offset(&self, chunk: i64) -> Option<u64> {
        let offset = (chunk as u64).wrapping_sub(self.base as u64);
        (offset < u64::from(self.most) * at::PAGE).then_some(offset)
    }

    /// Nothing comes after this chunk.
    pub fn close(&self, chunk: i64) {
        if let Some(offset) = self.offset(chunk) {
            let size = self.word32(offset + at::CHUNK_PAGES_AT).load(Ordering::Relaxed);
            self.word32(offset + at::CHUNK_CLOSED_AT).store(1, Ordering::Release);
            self.unmap(chunk, size);
            let mut pages = self.lock();
            pages.threads = pages.threads.saturating_sub(1);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many bytes the chunks take beyond their budget.
    pub fn beyond(&self) -> u64 {
        u64::from(self.lock().next.saturating_sub(self.budget)) * at::PAGE
    }

    /// Writes entries of the log of names, which must come before whatever refers to them.
    pub fn names(&self, entries: &[u8]) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if names.broken {
            return;
        }
        if let Err(why) = names.file.write_all(entries) {
            // Without names nothing that follows could be read.
            names.broken = true;
            self.no_room(&why);
        }
    }

    /// The JVM ends as it should.
    pub fn end(&self) {
        // Asked before: whoever sees the end may end too. One that has left has said why.
        let killed = self.word32(at::READER_AT).load(Ordering::Acquire) != at::LEFT && !self.reader_lives();
        self.word32(at::STATE_AT).store(at::ENDED, Ordering::Release);
        if killed {
            self.abandon();
        }
    }

    /// Whoever read has been killed: there is nobody to wait for, and nobody to clear up.
    fn abandon(&self) {
        self.stop("nobody reads the session any more");
        let _ = std::fs::remove_dir_all(&self.folder);
        if let Some(within) = self.folder.parent() {
            // Unless other JVMs have their sessions there.
            let _ = std::fs::remove_dir(within);
        }
    }

    /// The disk takes no more of the session. The reader learns from when on something may be missing, which has to be
    /// written before anything is: a thread that does not tell any more what it gives up would make others look wrong.
    fn no_room(&self, why: &io::Error) {
        let number = why.raw_os_error().unwrap_or(libc::EIO);
        self.word32(at::CUT_WHY_AT).store(number as u32, Ordering::Release);
        let stamp = self.word(at::STAMP_AT).load(Ordering::SeqCst);
        let cut = self.word(at::CUT_AT);
        let _ = cut.compare_exchange(0, stamp, Ordering::SeqCst, Ordering::SeqCst);
        self.stop(&format!("the session has no room to grow: {why}"));
    }

    /// Nothing is recorded any more, which is said once; the program goes on.
    fn stop(&self, why: &str) {
        if !self.over.swap(true, Ordering::SeqCst) {
            crate::say(&format!("{why}; the program goes on and is not watched from here on"));
        }
    }

    fn address(&self, page: u32) -> i64 {
        self.base as i64 + i64::from(page) * at::PAGE as i64
    }

    fn chunk(&self, thread: u32, size: u32) -> Option<u32> {
        let page = self.take(size)?;
        let start = u64::from(page) * at::PAGE;
        self.word32(start + at::CHUNK_THREAD_AT).store(thread, Ordering::Relaxed);
        self.word32(start + at::CHUNK_PAGES_AT).store(size, Ordering::Release);
        Some(page)
    }

    fn take(&self, size: u32) -> Option<u32> {
        let mut waited = 0u32;
        loop {
            if self.over.load(Ordering::Relaxed)
                || self.word32(at::READER_AT).load(Ordering::Acquire) == at::LEFT
            {
                return None;
            }
            if let Some(page) = self.try_take(size) {
                return Some(page);
            }
            std::thread::sleep(Duration::from_micros(500));
            waited += 1;
            if waited.is_multiple_of(200) && !self.reader_lives() {
                self.abandon();
            }
        }
    }

    fn try_take(&self, size: u32) -> Option<u32> {
        let mut pages = self.lock();
        let pages = &mut *pages;
        let given = at::head_of(self.word(at::HEAD_AT).load(Ordering::Acquire), pages.taken);
        while pages.taken < given {
            let entry = at::RING_PAGE * at::PAGE + 4 * (pages.taken % at::RING);
            let page = self.word32(entry).load(Ordering::Relaxed);
            pages.taken += 1;
            pages.out = pages.out.saturating_sub(1);
            match pages.sizes.get(page as usize) {
                Some(1) => pages.small.push(page),
                Some(0) | None => {}
                Some(_) => pages.large.push(page),
            }
        }
        self.word(at::TAIL_AT).store(pages.taken, Ordering::Release);
        let free = if size == 1 { pages.small.pop() } else { pages.large.pop() };
        if let Some(page) = free {
            pages.out += 1;
            self.populate(page, size);
            return free;
        }
        // Whether nothing that is out can come back: every chunk is one that a thread goes on writing to.
        let stuck = pages.out <= pages.threads;
        let page = pages.next;
        let end = page.checked_add(size)?;
        if end > self.budget && !stuck {
            return None;
        }
        if end > pages.allocated {
            let more = match self.budget.checked_sub(pages.allocated) {
                None | Some(0) => SMALL_STEP,
                Some(left) => STEP.min(left),
            };
            let more = more.max(end - pages.allocated);
            if !self.reader_lives() {
                self.abandon();
                return None;
            }
            let grown = match end <= self.most {
                true => allocate(&self.file, pages.allocated, more),
                false => Err(io::Error::from_raw_os_error(libc::ENOMEM)),
            };
            if let Err(why) = grown {
                // A full disk: wait for the reader, as if the budget were used up, if that helps.
                if stuck {
                    self.no_room(&why);
                }
                return None;
            }
            pages.allocated += more;
            pages.sizes.resize(pages.allocated as usize, 0);
        }
        self.populate(page, size);
        pages.next = end;
        pages.out += 1;
        pages.sizes[page as usize] = size as u8;
        self.word(at::PAGES_AT).store(u64::from(end), Ordering::Release);
        Some(page)
    }

    /// Maps the pages at once: one call is cheaper than a fault for each page.
    fn populate(&self, page: u32, pages: u32) {
        let start = self.address(page) as *mut libc::c_void;
        // SAFETY: the pages are part of the mapping; an older kernel refuses, and then they are mapped when used.
        unsafe { libc::madvise(start, pages as usize * at::PAGE as usize, libc::MADV_POPULATE_WRITE) };
    }

    /// A chunk that was written: what waits for the reader is not to count as the program's memory. The pages stay in
    /// the file, whoever has them by then.
    fn unmap(&self, chunk: i64, pages: u32) {
        let bytes = pages.min(at::LARGE) as usize * at::PAGE as usize;
        // SAFETY: the pages are part of the mapping, which is shared: nothing is lost, and whoever touches one maps it again.
        unsafe { libc::madvise(chunk as *mut libc::c_void, bytes, libc::MADV_DONTNEED) };
    }

    fn reader_lives(&self) -> bool {
        self.reader == 0 || lives(self.reader)
    }
}

/// Whether a process runs.
pub fn lives(process: u32) -> bool {
    // SAFETY: signal 0 only asks whether the process is there.
    let there = unsafe { libc::kill(process as i32, 0) == 0 || *libc::__errno_location() == libc::EPERM };
    there && !has_ended(process)
}

/// Maps a file, which may grow up to the length later.
fn map(file: &File, length: u64) -> io::Result<*mut u8> {
    let length = usize::try_from(length).map_err(io::Error::other)?;
    // SAFETY: a fresh shared mapping of a file that we hold, of which only what is allocated is used; errors are checked.
    let base = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            length,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_NORESERVE,
            file.as_raw_fd(),
            0,
        )
    };
    if base == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(base.cast()) }
}

/// Makes sure that the disk holds these pages: a full disk must be an error here and not a signal later.
fn allocate(file: &File, page: u32, pages: u32) -> io::Result<()> {
    let bytes = |pages: u32| i64::from(pages) * at::PAGE as i64;
    // SAFETY: a plain system call on a file that we hold.
    match unsafe { libc::posix_fallocate(file.as_raw_fd(), bytes(page), bytes(pages)) } {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

/// When this process started, in the system's ticks: with the process number it names a JVM once and for all.
pub fn start_time() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The second field is in brackets and may hold anything.
    let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
    after.split_whitespace().nth(19).and_then(|ticks| ticks.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs something that waits for ever if it is wrong.
    fn in_time(run: impl FnOnce() + Send + 'static) {
        let (done, ended) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            run();
            let _ = done.send(());
        });
        let limit = Duration::from_secs(60);
        assert!(ended.recv_timeout(limit).is_ok(), "it failed, or waits for a chunk that does not come");
    }

    #[test]
    fn where_every_chunk_is_one_that_a_live_thread_writes_to_the_budget_is_exceeded() {
        in_time(crowded);
    }

    fn crowded() {
        let within = std::env::temp_dir().join(format!("raddle-test-budget-{}", std::process::id()));
        std::fs::create_dir_all(&within).unwrap();
        let (session, _) = Session::create(&within, 1, 0).unwrap();
        let chunks: Vec<i64> = (1..=900).map(|thread| session.open(thread).unwrap().0).collect();
        // Nobody reads: what is behind a thread does not come back, so that one of these may grow and the next has to wait.
        let room = (session.budget - at::FIRST_CHUNK - 900) / at::LARGE;
        let in_budget: Vec<i64> =
            (0..room as usize).map(|i| session.next(chunks[i], i as u32 + 1).unwrap()).collect();
        assert_eq!(session.beyond(), 0);
        assert_eq!(session.try_take(at::LARGE), None, "the reader has chunks to give back");
        // As if it had read them.
        {
            let mut pages = session.lock();
            pages.out -= room;
        }
        let beyond = session.next(chunks[room as usize], room + 1).unwrap();
        assert!(session.beyond() > 0 && !in_budget.contains(&beyond));
        assert!(session.offset(beyond).is_some());
        assert_eq!(session.try_take(at::LARGE), None, "its old one comes back");
        std::fs::remove_dir_all(&within).unwrap();
    }

    /// How many of the pages from an address on this process has mapped.
    fn mapped(address: i64, pages: u32) -> usize {
        use std::os::unix::fs::FileExt;
        let map = File::open("/proc/self/pagemap").unwrap();
        let mut entries = vec![0; pages as usize * 8];
        map.read_exact_at(&mut entries, address as u64 / at::PAGE * 8).unwrap();
        // The uppermost bit of an entry says that the page is there.
        entries.chunks(8).filter(|entry| entry[7] & 0x80 != 0).count()
    }

    #[test]
    fn a_chunk_that_was_written_takes_no_memory_of_the_program_and_is_still_there_to_be_read() {
        let within = std::env::temp_dir().join(format!("raddle-test-written-{}", std::process::id()));
        std::fs::create_dir_all(&within).unwrap();
        let (session, _) = Session::create(&within, 1 << 26, 0).unwrap();
        let first = session.open(1).unwrap().0;
        let second = session.next(first, 1).unwrap();
        let words: Vec<u64> = (at::CHUNK_HEADER / 8..u64::from(at::LARGE) * at::PAGE / 8).collect();
        let start = session.offset(second).unwrap();
        for &word in &words {
            session.word(start + 8 * word).store(word, Ordering::Relaxed);
        }
        assert_eq!(mapped(second, at::LARGE), at::LARGE as usize);
        let third = session.next(second, 1).unwrap();
        assert_eq!((mapped(first, at::SMALL), mapped(second, at::LARGE)), (0, 0));
        session.close(third);
        assert_eq!(mapped(third, at::LARGE), 0);
        assert!(words.iter().all(|&word| session.word(start + 8 * word).load(Ordering::Relaxed) == word));
        std::fs::remove_dir_all(&within).unwrap();
    }

    #[test]
    fn a_thread_without_a_chunk_has_nothing_to_close_or_go_on_from() {
        let within = std::env::temp_dir().join(format!("raddle-test-agent-{}", std::process::id()));
        std::fs::create_dir_all(&within).unwrap();
        let (session, _) = Session::create(&within, 1 << 26, 0).unwrap();
        session.close(0);
        assert_eq!(session.next(0, 1), None);
        let (chunk, _) = session.open(1).unwrap();
        assert!(session.next(chunk, 1).is_some_and(|next| next != chunk));
        session.close(chunk);
        std::fs::remove_dir_all(&within).unwrap();
    }
}
