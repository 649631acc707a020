//! The accesses that are remembered of one variable, sixteen bytes each.
//!
//! Of a shared variable they are sorted by thread, and none is there that a later one of its thread makes superfluous.
//! Putting an access into such a list means reading it, which mostly means waiting for memory. So there is a second way
//! for accesses that are all under the same locks as those in the list: they are put down at the end, **late**, without
//! a look at what is there, and sorted in when somebody reads the list.
//!
//! **Not** here: which accesses are put down, and what they mean. That is the history's.

use events::{SiteId, ThreadId};

use super::lockset::{LockSet, LockSets};
use super::order::Epoch;

/// Accesses of one thread under different locks that are remembered of one variable.
pub const KEPT: usize = 64;

/// How many accesses there is room for at first; then there is room for four times as many.
const MORE: usize = 4;

/// One remembered access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Past {
    /// When.
    pub epoch: Epoch,
    /// Where.
    pub site: SiteId,
    /// The locks that protected it.
    pub locks: LockSet,
    /// Whether it wrote.
    pub write: bool,
}

impl Past {
    /// Whether a later access of the same thread makes this one superfluous.
    pub fn yields_to(&self, later: &Past, sets: &LockSets) -> bool {
        (later.write || !self.write) && sets.is_within(later.locks, self.locks)
    }

    /// The same for an access under the same locks.
    fn yields_under_same_locks(&self, later: &Past) -> bool {
        later.write || !self.write
    }

    /// Whether this access tells all that one of the same thread at the same time and under the same locks would.
    fn includes_under_same_locks(&self, other: &Past) -> bool {
        self.epoch == other.epoch && (self.write || !other.write)
    }
}

/// A remembered access as it is kept.
#[derive(Clone, Copy, Debug)]
struct Kept {
    thread: u32,
    time: u32,
    /// Twice the site, and one more for a write.
    place: u32,
    /// The lock set, and [`LATE`].
    locks: u32,
}

/// Put down at the end and not sorted in yet. There are never so many lock sets that one would need this bit.
const LATE: u32 = 1 << 31;

const _: () = assert!(size_of::<Kept>() == 16);

impl Kept {
    fn new(past: &Past) -> Self {
        Self {
            thread: past.epoch.thread.0,
            time: past.epoch.time,
            place: past.site.0 << 1 | u32::from(past.write),
            locks: past.locks.0,
        }
    }

    #[inline(always)]
    fn past(self) -> Past {
        Past {
            epoch: Epoch { thread: ThreadId(self.thread), time: self.time },
            site: SiteId(self.place >> 1),
            locks: LockSet(self.locks & !LATE),
            write: self.place & 1 != 0,
        }
    }
}

/// What an access is to those of its thread that are remembered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Among {
    /// One of them tells all that it would: at the same time, with no lock that it has not, and a write if it is one.
    Known,
    /// Something new.
    New {
        /// How many they are.
        count: usize,
        /// Whether it makes some of them superfluous.
        replaces: bool,
    },
}

/// The accesses of one variable. Unless a function says otherwise, none may be late when it is called.
#[derive(Clone, Debug, Default)]
pub struct Pasts(Vec<Kept>);

impl Pasts {
    /// None.
    pub const NONE: Pasts = Pasts(Vec::new());

    /// All of them; some may be late.
    pub fn all(&self) -> Vec<Past> {
        if self.0.last().is_none_or(|kept| kept.locks & LATE == 0) {
            return self.iter().collect();
        }
        let mut sorted = self.clone();
        sorted.sort_in();
        sorted.iter().collect()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Past> {
        self.0.iter().map(|kept| kept.past())
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// One of them.
    pub fn get(&self, at: usize) -> Option<Past> {
        self.0.get(at).map(|kept| kept.past())
    }

    /// Adds one at the end.
    pub fn push(&mut self, past: &Past) {
        self.0.push(Kept::new(past));
    }

    /// Drops the first one.
    pub fn remove_first(&mut self) {
        self.0.remove(0);
    }

    /// Drops all but some.
    pub fn retain(&mut self, mut keep: impl FnMut(&Past) -> bool) {
        self.0.retain(|kept| keep(&kept.past()));
    }

    /// Where in a sorted list those of a thread begin, or would. `guess` is where they perhaps do.
    #[inline(always)]
    pub fn start(&self, thread: ThreadId, guess: usize) -> usize {
        let is_mine = |at: usize| self.0.get(at).is_some_and(|old| old.thread == thread.0);
        let is_right = is_mine(guess) && (guess == 0 || !is_mine(guess - 1));
        if is_right { guess } else { self.0.partition_point(|old| old.thread < thread.0) }
    }

    fn of(&self, thread: ThreadId) -> (usize, usize) {
        let first = self.start(thread, usize::MAX);
        (first, self.0[first..].partition_point(|old| old.thread == thread.0))
    }

    fn some(&self, first: usize, count: usize) -> impl Iterator<Item = Past> {
        self.0.iter().skip(first).take(count).map(|kept| kept.past())
    }

    /// What an access is to those of its thread, which begin at `first`. A program with nested locks uses a variable
    /// under many sets, and nearly all of them neither hold nor are held by another; but soon all have been there.
    pub fn compare(&self, access: &Past, first: usize, sets: &LockSets) -> Among {
        let all = self.0.get(first..).unwrap_or_default();
        let same = |kept: &Kept| {
            (kept.locks == access.locks.0)
                & (kept.time == access.epoch.time)
                & (kept.thread == access.epoch.thread.0)
                & (kept.place & 1 >= u32::from(access.write))
        };
        if all.iter().take(KEPT).any(same) {
            return Among::Known;
        }
        let mine = sets.sign(access.locks);
        let (mut count, mut replaces) = (0, false);
        for kept in all {
            let old = kept.past();
            if old.epoch.thread != access.epoch.thread {
                break;
            }
            count += 1;
            let sign = sets.sign(old.locks);
            if (sign & !mine == 0) | (mine & !sign == 0) {
                if old.epoch.time == access.epoch.time && access.yields_to(&old, sets) {
                    return Among::Known;
                }
                replaces |= old.yields_to(access, sets);
            }
        }
        Among::New { count, replaces }
    }

    /// Puts an access among the `count` of its thread that begin at `first`, in place of what it makes superfluous, if
    /// it `replaces` any.
    pub fn insert(&mut self, access: Past, first: usize, count: usize, replaces: bool, sets: &LockSets) {
        if replaces {
            self.insert_over(access, first, count, |old, access| old.yields_to(access, sets));
        } else if count >= KEPT {
            // The oldest goes.
            let last = first + count - 1;
            self.0.copy_within(first + 1..=last, first);
            self.0[last] = Kept::new(&access);
        } else {
            self.0.insert(first + count, Kept::new(&access));
        }
    }

    fn insert_over(
        &mut self,
        access: Past,
        first: usize,
        count: usize,
        mut yields: impl FnMut(&Past, &Past) -> bool,
    ) {
        let (mut at, mut end) = (first, first + count);
        while at < end {
            if !yields(&self.0[at].past(), &access) {
                at += 1;
            } else if end == at + 1 {
                self.0[at] = Kept::new(&access);
                return;
            } else {
                self.0.remove(at);
                end -= 1;
            }
        }
        if end - first >= KEPT {
            self.0.remove(first);
            end -= 1;
        }
        self.0.insert(end, Kept::new(&access));
    }

    /// Puts down an access to a shared variable that is under the same locks as all in the list; some may be late.
    #[inline(always)]
    pub fn put_late(&mut self, access: &Past) {
        if self.0.len() == self.0.capacity() {
            self.make_room();
        }
        let kept = Kept::new(access);
        self.0.push(Kept { locks: kept.locks | LATE, ..kept });
    }

    /// A long list is sorted first: perhaps it need not grow. There are never many late ones, since the history puts
    /// down what it has not noted yet.
    #[cold]
    fn make_room(&mut self) {
        if self.0.len() >= KEPT {
            self.sort_in();
        }
        // What several threads use will soon be used by more of them: growing is slow.
        self.0.reserve(if self.0.len() == MORE { 3 * MORE } else { 1 });
    }

    /// Sorts in what is late.
    #[inline(always)]
    pub fn sort_in(&mut self) {
        if self.0.last().is_some_and(|kept| kept.locks & LATE != 0) {
            self.sort_late_in();
        }
    }

    #[inline(never)]
    fn sort_late_in(&mut self) {
        let sorted = self.0.iter().take_while(|kept| kept.locks & LATE == 0).count();
        let late: Vec<Kept> = self.0.drain(sorted..).collect();
        for access in late.into_iter().map(Kept::past) {
            let (first, count) = self.of(access.epoch.thread);
            if !self.some(first, count).any(|old| old.includes_under_same_locks(&access)) {
                self.insert_over(access, first, count, Past::yields_under_same_locks);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::LockId;

    fn access(thread: u32, time: u32, site: u32, write: bool) -> Past {
        let epoch = Epoch { thread: ThreadId(thread), time };
        Past { epoch, site: SiteId(site), locks: LockSet(3), write }
    }

    #[test]
    fn what_is_put_down_late_is_found_as_if_it_had_been_sorted_in_at_once() {
        let mut sets = LockSets::default();
        for lock in 0..3 {
            sets.intern(&[LockId(lock)]);
        }
        let (mut late, mut sorted) = (Pasts::NONE, Pasts::NONE);
        // Every kind of access of three threads at two times, in an order without any.
        for site in 0..200 {
            let number = site * 7919 % 101;
            let access = access(number % 3, 1 + site / 100, site, number % 5 == 0);
            late.put_late(&access);
            let first = sorted.start(access.epoch.thread, 1);
            if let Among::New { count, replaces } = sorted.compare(&access, first, &sets) {
                sorted.insert(access, first, count, replaces, &sets);
            }
            assert_eq!(late.all(), sorted.all(), "after {site}");
        }
        late.sort_in();
        assert_eq!(late.iter().collect::<Vec<_>>(), sorted.all());
        assert_eq!(late.count(), 3);
    }
}
