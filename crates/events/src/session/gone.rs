//! Which arrays are gone that only one thread has ever accessed: what is told of their elements tells no detector anything.
//!
//! Programs make arrays by the hundred thousand, use them and drop them. The agent says so in a table of bits, a row for each
//! block of numbers, of which the latest rows are kept; and a reader that comes late to their records can pass over
//! them. Where it comes early, or the row is another block's by now, it tells them: nothing depends on it but time.

use super::layout::{GONE_BLOCK, GONE_PAGE, GONE_ROW, GONE_ROWS, PAGE};
use super::pages::Pages;
use crate::TraceError;

/// So many questions are answered from one look at a row.
const ASKED: u64 = 4096;

/// What was seen of a row: which block it is for, one more than its number, and a bit for each number of the block.
#[derive(Clone, Copy)]
struct Row {
    block: u64,
    bits: [u64; GONE_BLOCK as usize / 64],
    /// In which round it was seen.
    seen: u64,
}

/// The table as far as it was looked at.
#[derive(Default)]
pub(super) struct Gone {
    rows: Vec<Row>,
    asked: u64,
}

impl Gone {
    /// Whether an array is gone and only one thread has accessed it.
    #[inline]
    pub(super) fn has(&mut self, array: u64, pages: &Pages) -> Result<bool, TraceError> {
        self.asked += 1;
        // Nothing was seen in round 0.
        let round = self.asked / ASKED + 1;
        let (block, number) = (array / GONE_BLOCK, array % GONE_BLOCK);
        let at = (block % GONE_ROWS) as usize;
        if self.rows.get(at).is_none_or(|row| row.seen != round) {
            self.look(at, round, pages)?;
        }
        let Some(row) = self.rows.get(at).filter(|row| row.block == block + 1) else { return Ok(false) };
        Ok(row.bits.get(number as usize / 64).is_some_and(|bits| bits >> (number % 64) & 1 != 0))
    }

    /// Looks at a row. A row changes hands in steps: it is nobody's, its bits are cleared, it is for another block; so what is
    /// the same in two readings belongs together.
    #[inline(never)]
    fn look(&mut self, at: usize, round: u64, pages: &Pages) -> Result<(), TraceError> {
        if self.rows.is_empty() {
            let nothing = Row { block: 0, bits: [0; GONE_BLOCK as usize / 64], seen: 0 };
            self.rows = vec![nothing; GONE_ROWS as usize];
        }
        let bytes: [u8; GONE_ROW as usize] = pages.steady(GONE_PAGE * PAGE + at as u64 * GONE_ROW)?;
        let (words, _) = bytes.as_chunks::<8>();
        let mut words = words.iter().map(|word| u64::from_le_bytes(*word));
        if let Some(row) = self.rows.get_mut(at) {
            row.seen = round;
            row.block = words.next().unwrap_or(0);
            row.bits.iter_mut().zip(words).for_each(|(bits, word)| *bits = word);
        }
        Ok(())
    }
}
