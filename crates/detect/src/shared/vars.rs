//! State that a detector keeps for each variable.

use events::{Access, VarId};

/// What the analysis does to such state when variables come, go and split.
pub trait VarState {
    /// Makes room for variables `0..n`.
    fn grow(&mut self, n: usize);
    /// The variable is gone; its index may come again for another one.
    fn forget(&mut self, var: VarId);
    /// `to` is split off `from`: until now they had the same history.
    fn copy(&mut self, from: VarId, to: VarId);
    /// Brings the rows of variables of the trace into the cache. What it returns means nothing.
    fn touch(&self, accesses: &[Access]) -> u32;
}

/// A row of which a bit can be read for no other reason than to have it in the cache.
pub trait Glance {
    /// Any part of it.
    fn glance(&self) -> u32;
}

/// The first id that [`Ranges`](super::ranges::Ranges) gives to a part of a split array range; those count downwards
/// from the top, so that the ids of the trace stay plain indices. The one above it is nobody's.
pub const SPLIT_TOP: u32 = u32::MAX - 1;

/// Bytes up to which there is room for four times what is needed.
const MOST_AHEAD: usize = 1 << 28;

/// A value for each variable.
pub struct PerVar<T> {
    rows: Vec<T>,
    split: Vec<T>,
    fresh: T,
}

impl<T: Clone> PerVar<T> {
    /// Nothing but `fresh` values.
    pub fn new(fresh: T) -> Self {
        Self { rows: Vec::new(), split: Vec::new(), fresh }
    }

    /// The value of a variable.
    #[inline(always)]
    pub fn at(&mut self, var: VarId) -> &mut T {
        let i = var.index();
        if i < self.rows.len() { &mut self.rows[i] } else { self.split_at(i) }
    }

    /// The value of a variable, to look at.
    #[inline(always)]
    pub fn get(&self, var: VarId) -> &T {
        match self.rows.get(var.index()) {
            Some(row) => row,
            None => self.get_split(var.index()),
        }
    }

    #[cold]
    fn get_split(&self, i: usize) -> &T {
        self.split.get(SPLIT_TOP as usize - i).unwrap_or(&self.fresh)
    }

    #[cold]
    fn split_at(&mut self, i: usize) -> &mut T {
        let i = SPLIT_TOP as usize - i;
        if i >= self.split.len() {
            self.split.resize(i + 1, self.fresh.clone());
        }
        &mut self.split[i]
    }
}

impl<T> PerVar<T> {
    /// Makes room for `n` rows and many more: rows that lie on cache lines are copied whenever their table grows, and
    /// memory that is not used yet costs nothing.
    #[cold]
    fn make_room(&mut self, n: usize) {
        let many = MOST_AHEAD / size_of::<T>().max(1);
        let ahead = (3 * n).min(many).max(n);
        self.rows.reserve_exact(n + ahead - self.rows.len());
    }
}

impl<T: Clone + Glance> VarState for PerVar<T> {
    fn grow(&mut self, n: usize) {
        if self.rows.capacity() < n {
            self.make_room(n);
        }
        if self.rows.len() < n {
            self.rows.resize(n, self.fresh.clone());
        }
    }

    fn forget(&mut self, var: VarId) {
        *self.at(var) = self.fresh.clone();
    }

    fn copy(&mut self, from: VarId, to: VarId) {
        *self.at(to) = self.at(from).clone();
    }

    /// Loads that do not wait for each other: many are under way at once, where an analysis that meets one variable
    /// after the other waits for each.
    fn touch(&self, accesses: &[Access]) -> u32 {
        let row = |access: &Access| self.rows.get(access.var.index()).map_or(0, Glance::glance);
        accesses.iter().fold(0, |sum, access| sum ^ row(access))
    }
}
