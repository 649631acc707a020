//! Where each variable was used, for the report.
//!
//! A place is listed long before anybody asks for it, if ever. So it waits in a queue first: the rows of many variables,
//! asked for one right after the other, come from memory together, where one at a time would each be waited for.

use events::{Access, VarId};

use crate::shared::vars::{Glance, PerVar, VarState};

/// How many places of one variable are listed.
pub(super) const LISTED: usize = 12;
const NOWHERE: u32 = u32::MAX;

/// The places of one variable: a cache line, since a row that lies across two costs twice.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Listed {
    /// The generation of the variable in which it was used there.
    generation: u32,
    /// Whether there are more places than are listed.
    full: bool,
    /// Oldest first: twice the site, and one more if it was a write. [`NOWHERE`] fills the rest.
    places: [u32; LISTED],
}

const _: () = assert!(size_of::<Listed>() == 64);

impl Listed {
    const NONE: Listed = Listed { generation: 0, full: false, places: [NOWHERE; LISTED] };

    /// The places, oldest first: twice the site, and one more if it was a write.
    pub(super) fn places(&self) -> &[u32] {
        let count = self.places.iter().take_while(|&&place| place != NOWHERE).count();
        &self.places[..count]
    }

    /// Whether there are more.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    /// Adds a place. Whether there are more than are listed.
    #[inline(always)]
    fn add(&mut self, place: u32) -> bool {
        // All are looked at without a branch for each: which one it is cannot be foretold.
        let is_known = self.places.iter().fold(false, |is, &known| is | (known == place));
        if !is_known {
            let count = self.places.iter().map(|&known| usize::from(known != NOWHERE)).sum::<usize>();
            match self.places.get_mut(count) {
                Some(free) => *free = place,
                None => self.full = true,
            }
        }
        self.full
    }
}

impl Glance for Listed {
    #[inline(always)]
    fn glance(&self) -> u32 {
        self.generation
    }
}

/// A place that is not listed yet.
struct Waiting {
    var: VarId,
    place: u32,
    generation: u32,
}

/// Places that wait at most.
const QUEUE: usize = 64;

/// The places of all variables.
pub(super) struct Places {
    rows: PerVar<Listed>,
    queue: Vec<Waiting>,
    /// Variables that have got more places than are listed, and in which generation; whoever lists takes them.
    pub(super) full: Vec<(VarId, u32)>,
}

impl Default for Places {
    fn default() -> Self {
        Self { rows: PerVar::new(Listed::NONE), queue: Vec::new(), full: Vec::new() }
    }
}

impl Places {
    /// Lists a place at which a variable was used in one of its generations.
    #[inline(always)]
    pub(super) fn list(&mut self, var: VarId, place: u32, generation: u32) {
        self.queue.push(Waiting { var, place, generation });
        if self.queue.len() >= QUEUE {
            self.work_off();
        }
    }

    /// The places of a variable.
    pub(super) fn of(&mut self, var: VarId) -> Listed {
        self.work_off();
        *self.rows.get(var)
    }

    #[inline(never)]
    fn work_off(&mut self) {
        let touched = self.queue.iter().fold(0, |sum, waiting| sum ^ self.rows.get(waiting.var).glance());
        // Or the loads would be left out.
        std::hint::black_box(touched);
        for Waiting { var, place, generation } in self.queue.drain(..) {
            let row = self.rows.at(var);
            if row.generation != generation {
                *row = Listed { generation, ..Listed::NONE };
            }
            if row.add(place) {
                self.full.push((var, generation));
            }
        }
    }
}

impl VarState for Places {
    fn grow(&mut self, n: usize) {
        self.rows.grow(n);
    }

    fn forget(&mut self, var: VarId) {
        self.work_off();
        self.rows.forget(var);
    }

    fn copy(&mut self, from: VarId, to: VarId) {
        self.work_off();
        self.rows.copy(from, to);
    }

    /// Nothing: the queue sees to that.
    fn touch(&self, _accesses: &[Access]) -> u32 {
        0
    }
}
