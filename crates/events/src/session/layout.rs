//! Where everything lies in a `chunks` file. Constants only; the agent and the reader use the same ones.
//!
//! ```text
//! page 0       magic, version, page size, then each in a cache line of its own: stamp counter, state and pages in use,
//!              head and tail of the ring
//! pages 1–16   the ring: page numbers of chunks that were given back, as u32
//! pages 17–152 which arrays are gone that one thread alone has accessed: rows of a word that says for which block of object
//!              numbers it is, one more than the block's, and a bit for each of them
//! from page 153 chunks
//! ```
//! All numbers are little-endian. A chunk that was given back is zero from its first byte to its last.

/// How the files are called that say which tool's JVM was left alone, before its process number.
pub const TOOL: &str = "tool-";
/// Name of the file with the records.
pub const CHUNKS: &str = "chunks";
/// Name of the file with the names.
pub const NAMES: &str = "names";

/// The first eight bytes.
pub const MAGIC: [u8; 8] = *b"RADDLE\0\x01";
/// Offset of the version, u32.
pub const VERSION_AT: u64 = 8;
/// The version this code writes and reads.
pub const VERSION: u32 = 6;
/// Offset of the page size, u32.
pub const PAGE_SIZE_AT: u64 = 12;
/// Bytes of a page.
pub const PAGE: u64 = 4096;

/// Offset of the stamp counter, u64: the stamp that will be given next.
pub const STAMP_AT: u64 = 64;
/// The first stamp. Not 0, so that no word of a whole record is zero.
pub const FIRST_STAMP: u64 = 1;
/// Offset of the state, u32.
pub const STATE_AT: u64 = 128;
/// State of a JVM that runs, or that was killed.
pub const RUNNING: u32 = 0;
/// State of a JVM that has ended; nothing is written any more.
pub const ENDED: u32 = 1;
/// Offset of the number of pages that have ever been in use, u64.
pub const PAGES_AT: u64 = 136;
/// Offset of the ring's head, u64: how many chunks the reader has ever given back, as [`head_word`] puts it.
pub const HEAD_AT: u64 = 192;
/// Offset of the ring's tail, u64: how many of them the agent has taken.
pub const TAIL_AT: u64 = 256;

/// Offset of the reader's state, u32, written by the reader: 0 until there is one.
pub const READER_AT: u64 = 320;
/// There is a reader, and it gives chunks back.
pub const READING: u32 = 1;
/// The reader has left: no chunk will be given back, so nobody may wait for one.
pub const LEFT: u32 = 2;
/// Offset of the reader's process number, u32: a reader that was killed cannot say that it has left.
pub const READER_PID_AT: u64 = 324;

/// Offset of the stamp at which watching ended before the JVM did, u64; 0: it has not. Written before anything is left out,
/// so what has a smaller stamp is whole, and what has not may lack something.
pub const CUT_AT: u64 = 384;
/// Offset of why, u32: the system's number of the error.
pub const CUT_WHY_AT: u64 = 392;

/// The first page of the ring.
pub const RING_PAGE: u64 = 1;
/// Entries of the ring, u32 each: entry `i` is at `RING_PAGE * PAGE + 4 * (i % RING)`.
pub const RING: u64 = 16384;
/// The first page that may belong to a chunk.
pub const FIRST_CHUNK: u32 = 153;

/// The first page of what is gone.
pub const GONE_PAGE: u64 = 17;
/// Numbers of a block.
pub const GONE_BLOCK: u64 = 1024;
/// Bytes of a row, and how many rows there are: block `i` may be in row `i % GONE_ROWS`.
pub const GONE_ROW: u64 = 8 + GONE_BLOCK / 8;
/// Rows.
pub const GONE_ROWS: u64 = 4096;

/// Pages of a thread's first chunk.
pub const SMALL: u32 = 1;
/// Pages of all other chunks.
pub const LARGE: u32 = 16;

/// Bytes of a chunk's header; records begin after it.
pub const CHUNK_HEADER: u64 = 64;
/// Offset in a chunk of the thread's number, u32.
pub const CHUNK_THREAD_AT: u64 = 0;
/// Offset in a chunk of its number of pages, u32.
pub const CHUNK_PAGES_AT: u64 = 4;
/// Offset in a chunk of the page of the thread's next chunk, u32; 0: this is the last so far. Set after the last record
/// of this chunk was written.
pub const CHUNK_NEXT_AT: u64 = 8;
/// Offset in a chunk of the closing mark, u32; 1: the thread has ended, nothing follows. Set after the last record.
pub const CHUNK_CLOSED_AT: u64 = 12;

/// Offset in a chunk of where the first record is that the thread withholds, u32: an offset in the chunk.
pub const CHUNK_WITHHELD_AT: u64 = 16;
/// Offset in a chunk of that record's first word, u64; 0: there is none, or not yet. Holds as long as the word there is 0.
pub const CHUNK_WITHHELD: u64 = 24;

/// The head as it is written: its lower half twice. The reader does not write it at once, and somebody who sees two
/// different halves knows.
pub const fn head_word(head: u64) -> u64 {
    head & 0xffff_ffff | head << 32
}

/// The head after `taken`, as far as it can be told.
pub const fn head_of(word: u64, taken: u64) -> u64 {
    if word as u32 != (word >> 32) as u32 {
        return taken;
    }
    taken + (word as u32).wrapping_sub(taken as u32) as u64
}

const _: () = assert!(RING * 4 == (GONE_PAGE - RING_PAGE) * PAGE, "the ring fills its pages");
const _: () = assert!(GONE_ROWS * GONE_ROW == (FIRST_CHUNK as u64 - GONE_PAGE) * PAGE, "and so do the rows");
