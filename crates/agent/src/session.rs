//! The files that a watched JVM shares with whoever reads it: chunks of records, mapped into memory, and the log of
//! names. Layout and meaning are those of `events::session`; this is the writing side.
//!
//! Backpressure: first the file grows up to its budget, then a thread that needs a chunk waits until the reader gives
//! one back. If the reader has died there is nobody to wait for, and recording ends.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use events::session::layout as at;

/// Pages that are allocated on disk at once.
const STEP: u32 = 4096;

/// The shared files of this JVM.
pub struct Session {
    base: *mut u8,
    file: File,
    /// Pages that may be used in all.
    budget: u32,
    /// The process that reads; 0: a thread of this one.
    reader: u32,
    pages: Mutex<Pages>,
    names: Mutex<File>,
    over: AtomicBool,
    folder: PathBuf,
}

// SAFETY: `base` points to a mapping that lives as long as the process; what is shared in it is accessed atomically, or
// by the one thread that owns a chunk.
unsafe impl Send for Session {}
// SAFETY: as above.
unsafe impl Sync for Session {}

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
        let length = u64::from(budget) * at::PAGE;
        allocate(&file, 0, STEP)?;
        let length = usize::try_from(length).map_err(io::Error::other)?;
        // SAFETY: a fresh shared mapping of a file that we have just made and sized; errors are checked.
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
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let session = Self {
            base: base.cast(),
            names: Mutex::new(open(at::NAMES)?),
            file,
            budget,
            reader,
            pages: Mutex::new(Pages {
                next: at::FIRST_CHUNK,
                allocated: STEP,
                small: Vec::new(),
                large: Vec::new(),
                taken: 0,
                sizes: vec![0; STEP as usize],
            }),
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

    fn word(&self, offset: u64) -> &AtomicU64 {
        // SAFETY: callers pass offsets of aligned words within the mapping, which lives for ever.
        unsafe { &*self.base.add(offset as usize).cast::<AtomicU64>() }
    }

    fn word32(&self, offset: u64) -> &AtomicU32 {
        // SAFETY: as above.
        unsafe { &*self.base.add(offset as usize).cast::<AtomicU32>() }
    }

    /// Where the counter of stamps is.
    pub fn stamp_address(&self) -> i64 {
        self.word(at::STAMP_AT).as_ptr() as i64
    }

    /// The first chunk of a thread: its address and page. None if nothing is recorded any more.
    pub fn open(&self, thread: u32) -> Option<(i64, u32)> {
        let page = self.chunk(thread, at::SMALL)?;
        Some((self.address(page), page))
    }

    /// The chunk that follows another one of a thread.
    pub fn next(&self, chunk: i64, thread: u32) -> Option<i64> {
        let old = self.offset(chunk)?;
        let page = self.chunk(thread, at::LARGE)?;
        self.word32(old + at::CHUNK_NEXT_AT).store(page, Ordering::Release);
        Some(self.address(page))
    }

    /// Where in the file the chunk at an address is; a thread that records nothing any more has none.
    fn offset(&self, chunk: i64) -> Option<u64> {
        let offset = (chunk as u64).wrapping_sub(self.base as u64);
        (offset < u64::from(self.budget) * at::PAGE).then_some(offset)
    }

    /// Nothing comes after this chunk.
    pub fn close(&self, chunk: i64) {
        if let Some(offset) = self.offset(chunk) {
            self.word32(offset + at::CHUNK_CLOSED_AT).store(1, Ordering::Release);
        }
    }

    /// Writes entries of the log of names, which must come before whatever refers to them.
    pub fn names(&self, entries: &[u8]) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(why) = names.write_all(entries) {
            // Without names nothing that follows could be read.
            self.stop(&format!("the session cannot be written any more: {why}"));
        }
    }

    /// The JVM ends as it should.
    pub fn end(&self) {
        self.word32(at::STATE_AT).store(at::ENDED, Ordering::Release);
        if self.reader != 0 && !self.reader_lives() {
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

    /// Nothing is recorded any more, which is said once; the program goes on.
    fn stop(&self, why: &str) {
        if !self.over.swap(true, Ordering::Relaxed) {
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
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        let pages = &mut *pages;
        let given = at::head_of(self.word(at::HEAD_AT).load(Ordering::Acquire), pages.taken);
        while pages.taken < given {
            let entry = at::RING_PAGE * at::PAGE + 4 * (pages.taken % at::RING);
            let page = self.word32(entry).load(Ordering::Relaxed);
            pages.taken += 1;
            match pages.sizes.get(page as usize) {
                Some(1) => pages.small.push(page),
                Some(0) | None => {}
                Some(_) => pages.large.push(page),
            }
        }
        self.word(at::TAIL_AT).store(pages.taken, Ordering::Release);
        let free = if size == 1 { pages.small.pop() } else { pages.large.pop() };
        if free.is_some() {
            return free;
        }
        let page = pages.next;
        let end = page.checked_add(size).filter(|&end| end <= self.budget)?;
        if end > pages.allocated {
            let more = STEP.min(self.budget - pages.allocated).max(end - pages.allocated);
            if !self.reader_lives() {
                self.abandon();
                return None;
            }
            // A full disk: wait for the reader, as if the budget were used up.
            allocate(&self.file, pages.allocated, more).ok()?;
            pages.allocated += more;
            pages.sizes.resize(pages.allocated as usize, 0);
        }
        self.populate(page, size);
        pages.next = end;
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

    fn reader_lives(&self) -> bool {
        // SAFETY: signal 0 only asks whether the process is there.
        self.reader == 0
            || unsafe { libc::kill(self.reader as i32, 0) == 0 || *libc::__errno_location() == libc::EPERM }
    }
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
fn start_time() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The second field is in brackets and may hold anything.
    let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
    after.split_whitespace().nth(19).and_then(|ticks| ticks.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

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
