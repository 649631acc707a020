//! What the history has found out about the accesses of the current stretch: which of them somebody has to look at.
//!
//! Accesses are named by their place in the stretch. Most stretches have nothing new for anybody.

/// Numbers that are put down without a branch.
#[derive(Debug, Default)]
pub struct List {
    /// Longer than what counts.
    room: Vec<u32>,
    len: usize,
}

impl List {
    /// Holds those of the numbers from 0 on that are wanted, one answer each.
    #[inline(always)]
    pub fn fill(&mut self, wanted: impl ExactSizeIterator<Item = bool>) {
        if self.room.len() < wanted.len() {
            self.room.resize(wanted.len(), 0);
        }
        let room = &mut self.room[..];
        let mut len = 0;
        for (number, wanted) in (0..).zip(wanted) {
            // The next number takes its place unless it is wanted.
            room[len] = number;
            len += usize::from(wanted);
        }
        self.len = len;
    }

    /// Adds a number.
    pub fn push(&mut self, number: u32) {
        self.room.truncate(self.len);
        self.room.push(number);
        self.len += 1;
    }

    /// Empties it.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Whether there is no number.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The numbers.
    #[inline(always)]
    pub fn get(&self) -> &[u32] {
        self.room.get(..self.len).unwrap_or_default()
    }
}

/// The accesses of the current stretch that are worth a look.
#[derive(Debug, Default)]
pub struct Found {
    /// All that follow, and whatever else is not known to be like an earlier one of the same thread.
    pub unknown: List,
    /// Those that are not known to be like an earlier one, and those to shared variables, unless somebody has
    /// [laid it to rest](super::history::History::lay_to_rest).
    pub awake: List,
    /// Those from which a lock-set detector can learn. It can not from an access just like an earlier one of the same
    /// thread; nor, once two threads have used the variable and one has written it since, from one under all the
    /// locks that were held at every access since the second thread came, if one was held at every access at all.
    pub news: List,
    /// The news, and those accesses besides that are at a place from which the variable was not accessed yet. (If all
    /// are under the very same locks, some places may be taken for others: there are sixteen bits for them.)
    pub new_places: List,
}

impl Found {
    /// Nothing is found any more.
    #[inline(always)]
    pub fn clear(&mut self) {
        for list in [&mut self.unknown, &mut self.awake, &mut self.news, &mut self.new_places] {
            list.clear();
        }
    }
}
