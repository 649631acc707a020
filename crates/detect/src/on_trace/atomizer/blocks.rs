//! The open blocks of a thread and their phases (Figures 8 and 14).
//!
//! Every open block has its own phase. An operation that commits one block commits all that have not committed yet,
//! and a block that opens later starts before its commit: so the stack is always
//! `[reported…, committed…, not committed…]`, and two numbers tell where each part ends. Whatever happens to a thread
//! costs O(1) for each block whose phase changes.

use std::ops::Range;

use events::{BlockId, Op, SiteId};

use crate::shared::lockset::LockSet;

/// The operation with which a block has taken effect.
#[derive(Clone, Copy, Debug)]
pub(super) struct Commit {
    /// What.
    pub(super) op: Op,
    /// Where.
    pub(super) site: SiteId,
    /// The locks held.
    pub(super) locks: LockSet,
    /// When, in signals and ends of threads.
    pub(super) tick: u64,
    /// The number of the object whose variable was accessed: it may die before the block ends.
    pub(super) label: Option<u64>,
}

/// A block that has been entered and not left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    /// Which.
    pub(super) block: BlockId,
    /// Where it was entered.
    pub(super) site: SiteId,
    /// The locks held then.
    pub(super) locks: LockSet,
    /// Whether it has waited: then only what came after counts.
    pub(super) waited: bool,
    /// Its commit, if it is in the phase after it.
    pub(super) commit: Option<Commit>,
    /// Whether what broke it was about something else than its commit: then it may still be broken for surer.
    pub(super) doubted: bool,
}

/// The open blocks of one thread, outermost first.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    open: Vec<Open>,
    /// How many of them have committed.
    committed: usize,
    /// How many of those have been reported in this execution.
    reported: usize,
    /// How many of those with doubts.
    doubted: usize,
}

impl Blocks {
    /// Whether some open block has not committed yet.
    #[inline(always)]
    pub(super) fn can_commit(&self) -> bool {
        self.committed < self.open.len()
    }

    /// Whether some open block has committed and not been reported.
    #[inline(always)]
    pub(super) fn can_violate(&self) -> bool {
        self.reported < self.committed
    }

    /// Enters a block.
    pub(super) fn begin(&mut self, block: BlockId, site: SiteId, locks: LockSet) {
        self.open.push(Open { block, site, locks, waited: false, commit: None, doubted: false });
    }

    /// Leaves a block, and whatever was left open in it.
    pub(super) fn finish(&mut self, block: BlockId) {
        if let Some(at) = self.open.iter().rposition(|open| open.block == block) {
            self.open.truncate(at);
            self.committed = self.committed.min(at);
            self.reported = self.reported.min(at);
            if self.doubted > 0 {
                self.doubted = self.open.iter().filter(|open| open.doubted).count();
            }
        }
    }

    /// All blocks that have not committed do so.
    pub(super) fn commit(&mut self, commit: Commit) {
        for open in &mut self.open[self.committed..] {
            open.commit = Some(commit);
        }
        self.committed = self.open.len();
    }

    /// The blocks that an operation breaks which cannot move to the left of what happened at `tick`: those that have
    /// committed before it. They are not to be reported again.
    pub(super) fn violate(&mut self, tick: u64) -> Range<usize> {
        let from = self.reported;
        // An outer block has not committed later than an inner one.
        while self.reported < self.committed
            && self.open[self.reported].commit.is_some_and(|commit| commit.tick < tick)
        {
            self.reported += 1;
        }
        from..self.reported
    }

    /// Whether some block was reported with doubts.
    #[inline(always)]
    pub(super) fn has_doubts(&self) -> bool {
        self.doubted > 0
    }

    /// A block was reported with doubts.
    pub(super) fn doubt(&mut self, at: usize) {
        self.open[at].doubted = true;
        self.doubted += 1;
    }

    /// How many blocks were reported, with doubts or without: the first ones.
    pub(super) fn reported(&self) -> usize {
        self.reported
    }

    /// There are no doubts any more.
    pub(super) fn is_certain(&mut self, at: usize) {
        self.open[at].doubted = false;
        self.doubted -= 1;
    }

    /// One of the open blocks.
    pub(super) fn get(&self, at: usize) -> Open {
        self.open[at]
    }

    /// The thread waits: every block ends, and begins anew when it is woken.
    pub(super) fn wait(&mut self) {
        for open in &mut self.open {
            open.commit = None;
            open.waited = true;
            open.doubted = false;
        }
        self.doubted = 0;
        self.committed = 0;
        self.reported = 0;
    }
}
