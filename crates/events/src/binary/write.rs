//! Writing a binary trace.

use std::io::{self, Write};

use super::code::{self, Memory};
use super::frame::Header;
use super::tables::{Written, put_new};
use super::{MAGIC, VERSION};
use crate::{Event, Gap, ObjectId, Symbols, VarId};

/// Events in a full frame: enough to compress well, few enough that a killed writer loses little.
const FULL: usize = 1 << 15;

/// Bytes of symbols after which a frame is written, full or not.
const LONG: usize = 4 << 20;

/// Writes a trace to a file or pipe, frame by frame.
pub struct Writer<W: Write> {
    out: W,
    memory: Memory,
    written: Written,
    /// The symbols and events of the frame that is being filled.
    symbols: Vec<u8>,
    events: Vec<Event>,
    gaps: Vec<Gap>,
    first: u64,
}

impl<W: Write> Writer<W> {
    /// Begins a trace.
    pub fn new(mut out: W) -> io::Result<Self> {
        out.write_all(&MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&[0; 2])?;
        Ok(Self {
            out,
            memory: Memory::default(),
            written: Written::default(),
            symbols: Vec::new(),
            events: Vec::new(),
            gaps: Vec::new(),
            first: 0,
        })
    }

    /// Adds a batch of a source, with the symbols as the source has them at that moment.
    pub fn batch(&mut self, events: &[Event], symbols: &Symbols) -> io::Result<()> {
        let (objects, variables) = symbols.replaced();
        if !objects.is_empty() || !variables.is_empty() {
            // What took the place of freed rows must not be seen by the events before.
            self.flush()?;
        }
        self.symbols(symbols, (objects, variables))?;
        self.events.extend_from_slice(events);
        if self.events.len() >= FULL { self.flush() } else { Ok(()) }
    }

    /// Adds something that is missing.
    pub fn gap(&mut self, gap: Gap) {
        self.gaps.push(gap);
    }

    /// Writes what there is, although the frame is not full: whoever reads the file sees it.
    pub fn settle(&mut self) -> io::Result<()> {
        if !self.events.is_empty() {
            self.flush()?;
        }
        self.out.flush()
    }

    /// Ends the trace.
    pub fn finish(mut self, symbols: &Symbols) -> io::Result<W> {
        self.symbols(symbols, (&[], &[]))?;
        self.flush()?;
        let end = Header { end: true, stored: 0, length: 0, events: 0, first: self.first, crc: 0 };
        self.out.write_all(&end.bytes())?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Adds what is new in the tables to the frame. A frame may hold several such lists: each ends with a marker.
    fn symbols(&mut self, symbols: &Symbols, replaced: (&[ObjectId], &[VarId])) -> io::Result<()> {
        self.memory.grow(symbols);
        let gaps = std::mem::take(&mut self.gaps);
        loop {
            let complete = put_new(&mut self.symbols, symbols, replaced, &mut self.written, &gaps);
            self.symbols.push(1);
            if self.symbols.len() > LONG {
                self.flush()?;
            }
            if complete {
                return Ok(());
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.symbols.is_empty() {
            return Ok(());
        }
        let mut payload = std::mem::take(&mut self.symbols);
        payload.insert(0, 1);
        // The marker after the last list says that no other follows.
        if let Some(last) = payload.last_mut() {
            *last = 0;
        }
        let widths = code::Widths::of(&self.events);
        payload.extend([widths.variable, widths.site, widths.thread]);
        code::encode(&mut payload, &self.events, widths, &mut self.memory);
        let packed = lz4_flex::block::compress(&payload);
        let stored = if packed.len() < payload.len() - payload.len() / 16 { &packed } else { &payload };
        let header = Header {
            end: false,
            stored: stored.len() as u32,
            length: payload.len() as u32,
            events: self.events.len() as u32,
            first: self.first,
            crc: crc32fast::hash(stored),
        };
        self.out.write_all(&header.bytes())?;
        self.out.write_all(stored)?;
        self.first += self.events.len() as u64;
        self.events.clear();
        Ok(())
    }
}
