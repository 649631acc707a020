//! The one way to read a trace, whatever its form.

use crate::{Event, Lender, Stretches, Symbols, TraceError};

/// Something that the trace does not hold although it happened, or that could not be read.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Gap {
    /// What is missing: `class org.foo.Bar`, `the end of app.trace`.
    pub what: String,
    /// Why.
    pub why: String,
    /// How many of it; how many events, where that is known.
    pub count: u64,
}

/// How far a source has been read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Bytes read.
    pub read: u64,
    /// Bytes in all, where the input is a file.
    pub total: Option<u64>,
}

/// A stream of events.
///
/// Whenever [`fill`](Source::fill) has returned, [`symbols`](Source::symbols) names every id in the batch. An index
/// that an [`Op::Free`](crate::Op::Free) in the batch gave back is not used again before the next `fill`.
pub trait Source {
    /// Replaces the contents of `batch` with the next events. `Ok(false)` at the end of the trace, with an empty batch.
    fn fill(&mut self, batch: &mut Vec<Event>) -> Result<bool, TraceError>;

    /// The same for an analysis. `room` is for sources that have to cut.
    fn fill_stretches(
        &mut self,
        stretches: &mut Stretches,
        room: &mut Vec<Event>,
    ) -> Result<bool, TraceError> {
        let more = self.fill(room)?;
        stretches.cut(room);
        Ok(more)
    }

    /// The names behind the ids.
    fn symbols(&self) -> &Symbols {
        self.lender()
    }

    /// The same, to be lent to another thread: the next `fill` waits for it where there is a new name.
    fn lender(&self) -> &Lender<Symbols>;

    /// What is known to be missing, complete once `fill` has returned `Ok(false)`.
    fn gaps(&self) -> &[Gap];

    /// How far the reading is.
    fn progress(&self) -> Progress;

    /// Damage that ended the trace early, if any: what came before it has been read in full and the rest is in
    /// [`gaps`](Source::gaps).
    fn damage(&self) -> Option<&TraceError> {
        None
    }
}
