//! Which earlier operations an operation conflicts with.
//!
//! For each variable the last write and each thread's last read since then; for each lock the last exclusive release
//! and each thread's last read-mode release since then; for each channel each thread's last signal. Older ones have
//! a path to these, or to a later one of their thread, so they add nothing. Neither does a stamp that does not concern
//! the thread of a newer one: it is dropped wherever it is met, so that most variables never need a list.

use events::{Access, VarId};

use super::reach::{Reach, Stamp};
use crate::shared::vars::{Glance, PerVar, VarState};

/// In the place of a reader's thread: the number is that of a list of readers.
const LIST: u32 = u32::MAX;

/// What is kept of one variable.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Row {
    write: Stamp,
    read: Stamp,
}

const _: () = assert!(size_of::<Row>() == 32, "two rows a cache line");

impl Row {
    /// Whether nothing came before an access by `thread` that concerns it, so that its stamp can simply be put down.
    #[inline(always)]
    pub fn is_plain(&self, thread: u32, reach: &Reach) -> bool {
        !reach.concerns(self.write, thread) && self.has_no_other_reader(thread, reach)
    }

    #[inline(always)]
    fn has_no_other_reader(&self, thread: u32, reach: &Reach) -> bool {
        self.read.thread != LIST && !reach.concerns(self.read, thread)
    }

    /// Puts an access down where the row [is plain](Self::is_plain). A write leaves the read before it standing, which
    /// comes before whatever the write comes before: that saves a branch nobody can foretell.
    #[inline(always)]
    pub fn put(&mut self, stamp: Stamp, write: bool) {
        *(if write { &mut self.write } else { &mut self.read }) = stamp;
    }
}

/// Stamps of several threads, one each, in the order of the threads.
#[derive(Clone, Debug, Default)]
pub(super) struct Stamps(Vec<Stamp>);

impl Stamps {
    /// Puts a stamp in the place of its thread's last one. To make room, drops what has nothing to add to it.
    pub fn put(&mut self, stamp: Stamp, reach: &Reach) {
        match self.0.binary_search_by_key(&stamp.thread, |old| old.thread) {
            Ok(at) => self.0[at] = stamp,
            Err(_) => {
                if self.0.len() == self.0.capacity() {
                    self.0.retain(|&old| reach.concerns(old, stamp.thread));
                }
                let at = self.0.partition_point(|old| old.thread < stamp.thread);
                self.0.insert(at, stamp);
            }
        }
    }

    /// Adds to `sources` what matters for another thread.
    pub fn sources(&self, thread: u32, reach: &Reach, sources: &mut Vec<Stamp>) {
        sources.extend(self.0.iter().filter(|&&old| reach.concerns(old, thread)));
    }

    /// Drops all.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// What is kept of one lock.
#[derive(Clone, Debug)]
pub(super) struct Lock {
    pub alone: Stamp,
    pub readers: Stamps,
}

impl Lock {
    pub const FRESH: Lock = Lock { alone: Stamp::NONE, readers: Stamps(Vec::new()) };
}

impl Glance for Row {
    #[inline(always)]
    fn glance(&self) -> u32 {
        self.write.number
    }
}

/// What is kept of all variables.
pub(super) struct Vars {
    rows: PerVar<Row>,
    lists: Vec<Stamps>,
    spare: Vec<u32>,
}

impl Default for Vars {
    fn default() -> Self {
        let fresh = Row { write: Stamp::NONE, read: Stamp::NONE };
        Self { rows: PerVar::new(fresh), lists: Vec::new(), spare: Vec::new() }
    }
}

impl Vars {
    /// The row of a variable.
    #[inline(always)]
    pub fn at(&mut self, var: VarId) -> &mut Row {
        self.rows.at(var)
    }

    /// Adds to `sources` what comes before a read or write by `thread`.
    pub fn sources(&self, var: VarId, write: bool, thread: u32, reach: &Reach, sources: &mut Vec<Stamp>) {
        let row = self.rows.get(var);
        if reach.concerns(row.write, thread) {
            sources.push(row.write);
        }
        if write && row.read.thread == LIST {
            self.lists[row.read.number as usize].sources(thread, reach, sources);
        } else if write && reach.concerns(row.read, thread) {
            sources.push(row.read);
        }
    }

    /// Puts an access down.
    pub fn put(&mut self, var: VarId, write: bool, stamp: Stamp, reach: &Reach) {
        let row = self.rows.at(var);
        if write {
            if row.read.thread == LIST {
                self.lists[row.read.number as usize].clear();
                self.spare.push(row.read.number);
            }
            *row = Row { write: stamp, read: Stamp::NONE };
        } else if row.read.thread == LIST {
            self.lists[row.read.number as usize].put(stamp, reach);
        } else if row.has_no_other_reader(stamp.thread, reach) {
            row.read = stamp;
        } else {
            let other = row.read;
            let number = self.new_list();
            let list = &mut self.lists[number as usize];
            list.put(other, reach);
            list.put(stamp, reach);
            self.rows.at(var).read = Stamp { thread: LIST, number, ..Stamp::NONE };
        }
    }

    fn new_list(&mut self) -> u32 {
        self.spare.pop().unwrap_or_else(|| {
            self.lists.push(Stamps::default());
            self.lists.len() as u32 - 1
        })
    }
}

impl VarState for Vars {
    fn touch(&self, accesses: &[Access]) -> u32 {
        self.rows.touch(accesses)
    }

    fn grow(&mut self, n: usize) {
        self.rows.grow(n);
    }

    fn forget(&mut self, var: VarId) {
        let row = *self.rows.at(var);
        if row.read.thread == LIST {
            self.lists[row.read.number as usize].clear();
            self.spare.push(row.read.number);
        }
        self.rows.forget(var);
    }

    fn copy(&mut self, from: VarId, to: VarId) {
        self.forget(to);
        let mut row = *self.rows.at(from);
        if row.read.thread == LIST {
            let list = self.lists[row.read.number as usize].clone();
            row.read.number = self.new_list();
            self.lists[row.read.number as usize] = list;
        }
        *self.rows.at(to) = row;
    }
}
