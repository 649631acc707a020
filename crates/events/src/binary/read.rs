//! Reading a binary trace from a file or pipe.

use std::io::{ErrorKind, Read};

use super::code::{self, Memory, PADDING, SLACK, Widths};
use super::frame::{HEADER, Header};
use super::tables::take_new;
use super::varint::{Broken, Bytes};
use super::{MAGIC, VERSION};
use crate::{Event, Gap, Lender, Place, Progress, Source, Stretches, Symbols, TraceError};

/// Events handed out at once, about: eight or twenty bytes each, so that a batch stays in the first-level cache.
const BATCH: usize = 4096;

/// A binary trace being read.
pub struct Reader {
    name: String,
    stream: Box<dyn Read>,
    total: Option<u64>,
    /// Bytes read so far.
    read: u64,
    symbols: Lender<Symbols>,
    gaps: Vec<Gap>,
    damage: Option<TraceError>,
    memory: Memory,
    stored: Vec<u8>,
    payload: Vec<u8>,
    /// Kept for its room.
    stretches: Stretches,
    /// Where in the payload the next record is, how many events are left in it, and the widths of their numbers.
    at: usize,
    left: usize,
    widths: Widths,
    /// The events of all frames up to the current one.
    events: u64,
    ended: bool,
}

/// What reading a number of bytes came to.
enum Got {
    All,
    /// The stream ended after so many.
    Some(usize),
}

impl Reader {
    /// Reads the beginning of a trace. `name` is for messages; `total` is the size where it is known.
    pub fn new(name: String, mut stream: Box<dyn Read>, total: Option<u64>) -> Result<Self, TraceError> {
        let mut head = [0; 12];
        let got = read(&mut stream, &mut head).map_err(|e| TraceError::io(&name, Place::Byte(0), &e))?;
        if !matches!(got, Got::All) || head[..8] != MAGIC {
            return Err(TraceError::new(
                name,
                Place::Byte(0),
                "not a binary trace: the first bytes are others",
            ));
        }
        let version = u16::from_le_bytes([head[8], head[9]]);
        if version != VERSION {
            let reason = format!(
                "version {version} of the trace format is not known; this command reads version {VERSION}: \
                 use the version of raddle that wrote the trace"
            );
            return Err(TraceError::new(name, Place::Byte(8), reason));
        }
        if head[10..] != [0; 2] {
            let reason = "the trace is damaged: two bytes that are always 0 are not";
            return Err(TraceError::new(name, Place::Byte(10), reason));
        }
        Ok(Self {
            name,
            stream,
            total,
            read: head.len() as u64,
            symbols: Lender::new(Symbols::new()),
            gaps: Vec::new(),
            damage: None,
            memory: Memory::default(),
            stored: Vec::new(),
            payload: Vec::new(),
            stretches: Stretches::default(),
            at: 0,
            left: 0,
            widths: Widths::of(&[]),
            events: 0,
            ended: false,
        })
    }

    /// Reads the next frame. False at the end of the trace or of its readable part.
    fn next_frame(&mut self) -> Result<bool, TraceError> {
        let start = self.read;
        let mut bytes = [0; HEADER];
        match self.get(&mut bytes)? {
            Got::All => {}
            Got::Some(0) => return Ok(self.cut_off(start, "the trace ends without its end mark", &[])),
            Got::Some(n) => return Ok(self.cut_off(start, "the trace ends inside a frame", &bytes[..n])),
        }
        let Some(header) = Header::parse(&bytes) else {
            return Ok(self.cut_off(start, "a frame's header is damaged", &bytes));
        };
        if header.end {
            self.ended = true;
            if header.first != self.events {
                let why =
                    format!("the end mark counts {} events, but {} were read", header.first, self.events);
                return Ok(self.cut_off(start, &why, &bytes));
            }
            return Ok(false);
        }
        if header.first != self.events {
            return Ok(self.cut_off(start, "a frame is missing before this one", &bytes));
        }
        let mut stored = std::mem::take(&mut self.stored);
        stored.clear();
        // Not all at once: a header may promise more than there is.
        let wanted = u64::from(header.stored);
        let got = self.stream.by_ref().take(wanted).read_to_end(&mut stored);
        self.stored = stored;
        let got = got.map_err(|e| TraceError::io(&self.name, Place::Byte(self.read), &e))? as u64;
        self.read += got;
        if got < wanted {
            return Ok(self.cut_off(start, "the trace ends inside a frame", &bytes));
        }
        if crc32fast::hash(&self.stored) != header.crc {
            return Ok(self.cut_off(start, "a frame is damaged: its check sum is wrong", &bytes));
        }
        if self.open_frame(&header).is_err() {
            return Ok(self.cut_off(start, "a frame makes no sense although its check sum is right", &bytes));
        }
        self.events += u64::from(header.events);
        Ok(true)
    }

    fn open_frame(&mut self, header: &Header) -> Result<(), Broken> {
        let length = header.length as usize;
        if header.stored == header.length {
            std::mem::swap(&mut self.payload, &mut self.stored);
        } else {
            self.payload.resize(length, 0);
            let n = lz4_flex::block::decompress_into(&self.stored, &mut self.payload[..length]);
            if !n.is_ok_and(|n| n == length) {
                return Err(Broken);
            }
        }
        let mut bytes = Bytes::new(&self.payload[..length], 0);
        while bytes.byte()? == 1 {
            take_new(&mut bytes, &mut self.symbols, &mut self.gaps)?;
        }
        self.widths = Widths { variable: bytes.byte()?, site: bytes.byte()?, thread: bytes.byte()? };
        self.at = bytes.at();
        self.payload.truncate(length);
        self.payload.resize(length + PADDING, 0);
        self.left = header.events as usize;
        self.memory.grow(&self.symbols);
        Ok(())
    }

    fn get(&mut self, bytes: &mut [u8]) -> Result<Got, TraceError> {
        let got = read(&mut self.stream, bytes)
            .map_err(|e| TraceError::io(&self.name, Place::Byte(self.read), &e))?;
        self.read += match got {
            Got::All => bytes.len() as u64,
            Got::Some(n) => n as u64,
        };
        Ok(got)
    }

    /// The trace cannot be read on from `start`, where `seen` has been read already. Looks at what follows for
    /// headers that tell how many events are lost. Always false.
    #[cold]
    fn cut_off(&mut self, start: u64, why: &str, seen: &[u8]) -> bool {
        self.ended = true;
        self.left = 0;
        let mut known = self.events;
        let mut window: Vec<u8> = seen.to_vec();
        let mut chunk = vec![0; 1 << 16];
        loop {
            let mut at = 0;
            while let Some(bytes) = window[at..].first_chunk::<HEADER>() {
                if let Some(header) = Header::parse(bytes) {
                    known = known.max(header.first.saturating_add(u64::from(header.events)));
                }
                at += 1;
            }
            window.drain(..at);
            match self.stream.read(&mut chunk) {
                Ok(0) => break,
                Ok(n) => {
                    self.read += n as u64;
                    window.extend_from_slice(&chunk[..n]);
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        let lost = known - self.events;
        let how_many =
            if lost > 0 { format!("at least {lost} events") } else { "an unknown number of events".into() };
        let bytes = self.total.map_or(self.read, |total| total.max(self.read)).saturating_sub(start);
        let reason =
            format!("{why}; read up to event {}, {how_many} and {bytes} bytes are lost", self.events);
        self.gaps.push(Gap {
            what: format!("the end of {}", self.name),
            why: reason.clone(),
            count: lost.max(1),
        });
        self.damage = Some(TraceError::new(&self.name, Place::Byte(start), reason));
        false
    }
}

fn read(stream: &mut impl Read, bytes: &mut [u8]) -> std::io::Result<Got> {
    let mut at = 0;
    while at < bytes.len() {
        match stream.read(&mut bytes[at..]) {
            Ok(0) => return Ok(Got::Some(at)),
            Ok(n) => at += n,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(Got::All)
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
        if self.symbols.has_to_let_go() {
            self.symbols.let_go();
        }
        while self.left == 0 {
            if self.ended || !self.next_frame()? {
                stretches.clear();
                return Ok(false);
            }
        }
        let mut room = stretches.room(BATCH + SLACK);
        let (memory, symbols) = (&mut self.memory, &self.symbols);
        let wanted = self.left.min(BATCH);
        let decoded =
            code::decode(&self.payload, &mut self.at, self.widths, memory, symbols, &mut room, wanted);
        let (taken, accesses) = (room.stretches, room.filled);
        // A frame ends with its last record.
        let end = self.payload.len() - PADDING;
        let left = decoded
            .ok()
            .and_then(|count| Some((count, self.left.checked_sub(count)?)))
            .filter(|&(_, left)| if left == 0 { self.at == end } else { self.at < end });
        let Some((count, left)) = left else {
            stretches.clear();
            let start = self.read;
            self.cut_off(start, "a frame makes no sense although its check sum is right", &[]);
            return Ok(false);
        };
        self.left = left;
        stretches.keep(taken, accesses, count);
        for object in self.memory.freed.drain(..) {
            self.symbols.free(object);
        }
        Ok(true)
    }

    fn lender(&self) -> &Lender<Symbols> {
        &self.symbols
    }

    fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    fn progress(&self) -> Progress {
        Progress { read: self.read, total: self.total }
    }

    fn damage(&self) -> Option<&TraceError> {
        self.damage.as_ref()
    }
}
