//! The binary form of a trace: less than three bytes an event on traces of forty thousand variables, decoded in about
//! ten nanoseconds an event.
//!
//! ```text
//! file   = magic, version u16, 0 u16, frame*, end
//! frame  = header (32 bytes), payload
//! header = sync u32, stored length u32, length u32, events u32, number of the first event u64, crc of payload u32,
//!          crc of the header so far u32                                       (all little-endian)
//! end    = a header with another sync word, no payload, and the number of all events as "first event"
//! ```
//! A payload is compressed (LZ4) where that makes it smaller: its stored length is less than its length then. It
//! holds the symbols that are new (`tables.rs`) and then the events (`code.rs`). Every frame builds on those before it,
//! so reading stops at the first one that is damaged; later headers still tell how many events are lost.
//!
//! This module does not check that the events make sense: see [`check`](crate::check).

mod code;
mod frame;
mod read;
mod tables;
pub(crate) mod varint;
mod write;

pub use read::Reader;
pub use write::Writer;

/// What every binary trace begins with. The first byte is no text, the last shows a transfer that changed line ends.
pub const MAGIC: [u8; 8] = *b"\x89RADDLE\n";

/// The version this code writes, and the only one it reads.
pub const VERSION: u16 = 2;
