//! When blocks happened, as far as the hand-over order goes.
//!
//! Of a view only the first and the last block are remembered, each as a [`Moment`]: what its thread knew of the
//! others when the block began, and the thread's own time when it ended. What a thread knows is kept once for as
//! long as it does not change, and given back when no view needs it any more.

use std::rc::Rc;

/// What a thread knew: an index into [`Moments`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Knowledge(u32);

impl Knowledge {
    /// Nothing is known: what no order is kept for.
    pub(super) const NOTHING: Knowledge = Knowledge(0);
}

/// When a block happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Moment {
    /// What the thread knew at its beginning.
    pub(super) begin: Knowledge,
    /// The thread's time at its end.
    pub(super) end: u32,
}

struct Known {
    uses: u32,
    /// Counts up over all threads, so that of two moments of a thread the earlier one has the smaller number.
    number: u64,
    times: Rc<Vec<u32>>,
}

/// All that is kept of what threads knew.
pub(super) struct Moments {
    known: Vec<Known>,
    spare: Vec<u32>,
    number: u64,
    /// How many times are kept in all, and how many may be.
    kept: usize,
    room: usize,
    /// How often there was no room.
    pub(super) dropped: u64,
}

impl Moments {
    pub(super) fn new(room: usize) -> Self {
        let nothing = Known { uses: 1, number: 0, times: Rc::default() };
        Self { known: vec![nothing], spare: Vec::new(), number: 0, kept: 0, room, dropped: 0 }
    }

    /// Keeps what a thread knows now; the caller is its first user.
    pub(super) fn keep(&mut self, times: Rc<Vec<u32>>) -> Knowledge {
        if times.is_empty() {
            return Knowledge::NOTHING;
        }
        if self.kept + times.len() > self.room {
            self.dropped += 1;
            return Knowledge::NOTHING;
        }
        self.kept += times.len();
        self.number += 1;
        let known = Known { uses: 1, number: self.number, times };
        match self.spare.pop() {
            Some(at) => {
                self.known[at as usize] = known;
                Knowledge(at)
            }
            None => {
                self.known.push(known);
                Knowledge(self.known.len() as u32 - 1)
            }
        }
    }

    /// One more user.
    #[inline(always)]
    pub(super) fn share(&mut self, knowledge: Knowledge) -> Knowledge {
        if knowledge != Knowledge::NOTHING {
            self.known[knowledge.0 as usize].uses += 1;
        }
        knowledge
    }

    /// One user less.
    #[inline(always)]
    pub(super) fn release(&mut self, knowledge: Knowledge) {
        if knowledge == Knowledge::NOTHING {
            return;
        }
        let known = &mut self.known[knowledge.0 as usize];
        known.uses -= 1;
        if known.uses == 0 {
            self.kept -= known.times.len();
            known.times = Rc::default();
            self.spare.push(knowledge.0);
        }
    }

    fn key(&self, moment: Moment) -> (u32, u64) {
        (moment.end, self.known[moment.begin.0 as usize].number)
    }

    /// The earlier of two moments of one thread.
    pub(super) fn earlier(&self, a: Moment, b: Moment) -> Moment {
        if self.key(b) < self.key(a) { b } else { a }
    }

    /// The later of two moments of one thread.
    pub(super) fn later(&self, a: Moment, b: Moment) -> Moment {
        if self.key(b) > self.key(a) { b } else { a }
    }

    /// Whether a block of `thread` comes before a block of another thread.
    pub(super) fn before(&self, block: Moment, thread: u32, other: Moment) -> bool {
        let known = &self.known[other.begin.0 as usize].times;
        known.get(thread as usize).is_some_and(|&time| block.end <= time)
    }
}
