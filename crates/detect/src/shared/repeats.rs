//! Who need not look at what a thread does once more, just as it did before.
//!
//! Some sources know of [regions that repeat](events::Repeat): from taking locks until all are given up, the same accesses
//! at the same places. To a detector that goes by the history of accesses, such a region tells nothing
//!
//! - if it told nothing the last time: no access was [news](super::found::Found), and nobody had anything to report;
//! - and the thread's time in the hand-over order is still the same, so that nothing it does can be ordered otherwise, and
//!   everything it does is in the history already, just so;
//! - and nothing has happened since to a variable of any such region that could make news of an access, nor to it or to
//!   a lock that could change how it moves: those who know count such [changes](super::history::History::change);
//! - and the thread begins it without a lock and outside of any block, so that nothing reaches beyond it;
//! - and no thread waits, since who does learns from those who take locks.
//!
//! Detectors for which that holds say so ([`Uses::once`](crate::Uses::once)). To all others everything is shown.

use events::Repeat;

/// What was so when a region last told nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Told {
    version: u32,
    time: u32,
    changes: u64,
}

/// What is known of the regions that repeat.
#[derive(Default)]
pub struct Repeats {
    /// By their numbers. Nothing was told of those that have version 0, which there is not.
    rows: Vec<Told>,
    /// The region that is being looked at, what was so at its beginning, and how often somebody had something to report.
    looked_at: Option<(u32, Told, u64)>,
    /// Whether it is left out.
    skips: bool,
}

impl Repeats {
    /// A region begins. `alone` says that its thread holds no lock and is in no block; `now` is the thread's time, the
    /// changes so far, and how often there was something to report.
    pub fn begin(&mut self, repeat: &Repeat, alone: bool, now: (u32, u64, u64)) {
        let (time, changes, asked) = now;
        let told = Told { version: repeat.version, time, changes };
        self.skips = alone && self.rows.get(repeat.number as usize) == Some(&told);
        self.looked_at = (alone && !self.skips).then_some((repeat.number, told, asked));
    }

    /// It is over. Everything of it was shown if it was not left out.
    pub fn end(&mut self, now: (u32, u64, u64)) {
        self.skips = false;
        let Some((number, told, asked)) = self.looked_at.take() else { return };
        if self.rows.len() <= number as usize {
            self.rows.resize(number as usize + 1, Told::default());
        }
        let nothing_new = (told.time, told.changes, asked) == now;
        self.rows[number as usize] = if nothing_new { told } else { Told::default() };
    }

    /// Whether the current stretch belongs to a region that is left out.
    #[inline(always)]
    pub fn skips(&self) -> bool {
        self.skips
    }

    /// Whether the current stretch belongs to a region that may be left out the next time.
    #[inline(always)]
    pub fn looks(&self) -> bool {
        self.looked_at.is_some()
    }

    /// Something was new in it.
    #[inline(always)]
    pub fn found_news(&mut self) {
        if let Some((_, told, _)) = &mut self.looked_at {
            // Nothing is ever so again.
            told.version = 0;
        }
    }
}
