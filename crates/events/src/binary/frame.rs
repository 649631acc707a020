//! The headers between the payloads.

/// Bytes of a header.
pub const HEADER: usize = 32;

/// No payload is longer than this: a broken length must not ask for all memory.
pub const LONGEST: usize = 64 << 20;

const FRAME: u32 = u32::from_le_bytes(*b"RFR\x01");
const END: u32 = u32::from_le_bytes(*b"REN\x01");

/// What a header says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Whether this is the end mark.
    pub end: bool,
    /// Bytes of the payload in the file.
    pub stored: u32,
    /// Bytes of the payload once decompressed.
    pub length: u32,
    /// Events in it.
    pub events: u32,
    /// The number of its first event in the trace, from 0; at the end mark the number of all events.
    pub first: u64,
    /// The check sum of the stored payload.
    pub crc: u32,
}

impl Header {
    /// The header as bytes.
    pub fn bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[0..4].copy_from_slice(&(if self.end { END } else { FRAME }).to_le_bytes());
        bytes[4..8].copy_from_slice(&self.stored.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.length.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.events.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.first.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.crc.to_le_bytes());
        let crc = crc32fast::hash(&bytes[..28]);
        bytes[28..32].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// The header that these bytes hold, if they hold one.
    pub fn parse(bytes: &[u8; HEADER]) -> Option<Header> {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let sync = word(0);
        if (sync != FRAME && sync != END) || word(28) != crc32fast::hash(&bytes[..28]) {
            return None;
        }
        let header = Header {
            end: sync == END,
            stored: word(4),
            length: word(8),
            events: word(12),
            first: u64::from(word(16)) | u64::from(word(20)) << 32,
            crc: word(24),
        };
        let sane = header.stored <= header.length
            && header.length as usize <= LONGEST
            && header.events <= header.length;
        sane.then_some(header)
    }
}
