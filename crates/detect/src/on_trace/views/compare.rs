//! View consistency of a group of threads: section 3.2 of the paper, on sets of numbers.
//!
//! A group holds the views that are compared with each other: those under one lock, or all of them in the papers'
//! mode. For every maximal view of a thread, the overlaps of every other thread with it must form a chain. Views
//! that share nothing are never looked at together: an index by element leads from a maximal view to the views that
//! overlap with it, and each overlap is a mask of the maximal view's elements, so that the chain test is an inclusion
//! test for each pair of different ones, or a sort by size and a test for each neighbouring pair if they are many.
//!
//! Only if that fails, all pairs are looked at, for two reasons. The hand-over order may rule some of them out: a
//! block M with the maximal view can come between a block A and a later block B of the other thread only if M is not
//! ordered before A and B is not ordered before M. And the conflict is about all overlaps that diverge from another
//! one in this way, not about the pair that happened to be found first.
//!
//! By default two overlaps have to diverge in fields of one object, and what one of them has in another generation is not
//! missing from it.
//!
//! "Some A, some B": the first block of the one view and the last of the other are the best choice, because order is
//! inherited along a thread. For M both the first and the last block are tried; a block in the middle, when the first
//! is ordered before A and the last after B, is missed.

use super::elements::Elements;
use super::moments::{Moment, Moments};
use super::table::{Slots, hash};

/// Elements in a view at most.
pub(super) const VIEW_SIZE: usize = 256;

/// A subset of a view, by position.
pub(super) type Mask = [u64; VIEW_SIZE / 64];

const EMPTY: Mask = [0; VIEW_SIZE / 64];

fn size(mask: &Mask) -> u32 {
    mask.iter().map(|word| word.count_ones()).sum()
}

pub(super) fn within(a: &Mask, b: &Mask) -> bool {
    a.iter().zip(b).all(|(a, b)| a & !b == 0)
}

fn unite(a: &mut Mask, b: &Mask) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a |= b);
}

/// Whether the masks of some views are found to form a chain: of any two, one contains the other. Mostly they do, and a
/// few masks come again and again, so this spares sorting them. If there are many different ones, false tells nothing.
fn is_chain(views: &[u32], masks: &[Mask]) -> bool {
    const FEW: usize = 8;
    let (mut different, mut count) = ([EMPTY; FEW], 0);
    for &view in views {
        let mask = &masks[view as usize];
        if different[..count].contains(mask) {
            continue;
        }
        if count == FEW || !different[..count].iter().all(|other| within(mask, other) || within(other, mask))
        {
            return false;
        }
        different[count] = *mask;
        count += 1;
    }
    true
}

/// The members of a set that a mask selects.
pub(super) fn select<'a>(set: &'a [u32], mask: &'a Mask) -> impl Iterator<Item = u32> + 'a {
    set.iter().enumerate().filter(|&(i, _)| mask[i / 64] >> (i % 64) & 1 == 1).map(|(_, &element)| element)
}

/// How a view's elements were accessed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    /// The elements that were read, if nothing was written.
    Read,
    /// The elements that were written. What another thread writes apart is [`Set`](Self::Set).
    Write,
    /// All elements, however accessed.
    Any,
    /// The elements that were written and not read: what is counted up or taken out is done with by itself.
    Set,
}

impl Kind {
    /// Whether views of another thread are compared with a maximal view of this kind.
    fn meets(self, other: u32) -> bool {
        match self {
            Kind::Read => other == Kind::Set as u32,
            Kind::Write => other == Kind::Set as u32 || other == Kind::Read as u32,
            Kind::Any => true,
            Kind::Set => false,
        }
    }
}

/// A distinct view of a thread in a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) thread: u32,
    pub(super) kind: Kind,
    /// The table and the view in it that this was first seen as.
    pub(super) origin: (u32, u32),
    start: u32,
    len: u32,
    first: Moment,
    last: Moment,
}

/// What one thread has in common with a maximal view in one of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Overlap {
    size: u32,
    /// Which elements of the maximal view.
    pub(super) mask: Mask,
    /// A view of the thread that has them.
    pub(super) seen: u32,
}

/// A thread that is not compatible with a maximal view of another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Conflict {
    /// The maximal view.
    pub(super) maximal: u32,
    /// The overlaps that diverge from another one, each once, the smallest first.
    pub(super) overlaps: Vec<Overlap>,
    /// Two of them that diverge.
    pub(super) pair: (usize, usize),
    /// All of them together.
    pub(super) diverging: Mask,
}

/// Views that are compared with each other.
#[derive(Default)]
pub(super) struct Group {
    seen: Vec<Seen>,
    elements: Vec<u32>,
    slots: Slots,
}

/// Memory for comparing that is used again for the next group.
#[derive(Default)]
pub(super) struct Scratch {
    /// For each element of the trace its number in the group plus one.
    numbers: Vec<u32>,
    /// For each number where its views start in `entries`.
    starts: Vec<u32>,
    /// Views by element.
    entries: Vec<u32>,
    lanes: Vec<u32>,
    masks: Vec<Mask>,
    touched: Vec<u32>,
    overlaps: Vec<Overlap>,
}

impl Group {
    /// Empties the group for the next use.
    pub(super) fn clear(&mut self) {
        self.seen.clear();
        self.elements.clear();
        self.slots.clear();
    }

    /// A view of the group.
    pub(super) fn seen(&self, seen: u32) -> &Seen {
        &self.seen[seen as usize]
    }

    /// Its elements, sorted.
    pub(super) fn elements(&self, seen: &Seen) -> &[u32] {
        &self.elements[seen.start as usize..][..seen.len as usize]
    }

    /// Adds a view; `elements` are sorted. Threads and, for each, kinds must come in order.
    pub(super) fn add(
        &mut self,
        (thread, kind): (u32, Kind),
        elements: &[u32],
        (first, last): (Moment, Moment),
        origin: (u32, u32),
        moments: &Moments,
    ) {
        if elements.is_empty() {
            return;
        }
        let hash = hash([thread << 2 | kind as u32].into_iter().chain(elements.iter().copied()));
        let known = self.slots.find(hash, |number| {
            let seen = self.seen(number);
            seen.thread == thread && seen.kind == kind && self.elements(seen) == elements
        });
        if let Some(known) = known {
            let seen = &mut self.seen[known as usize];
            seen.first = moments.earlier(seen.first, first);
            seen.last = moments.later(seen.last, last);
            return;
        }
        let (start, len) = (self.elements.len() as u32, elements.len() as u32);
        self.elements.extend_from_slice(elements);
        self.seen.push(Seen { thread, kind, origin, start, len, first, last });
        self.slots.insert(hash, self.seen.len() as u32 - 1);
    }

    /// Finds all conflicts. `steps` is how much work may still be done; when it is used up, or when `found` says that
    /// it wants no more, the rest is left and the answer is false.
    pub(super) fn conflicts(
        &self,
        (moments, fields): (&Moments, Option<&Elements>),
        scratch: &mut Scratch,
        steps: &mut u64,
        mut found: impl FnMut(&Self, &Conflict) -> bool,
    ) -> bool {
        if self.seen.iter().all(|seen| seen.kind == Kind::Read) {
            return true;
        }
        self.index(scratch);
        let mut whole = true;
        for maximal in 0..self.seen.len() as u32 {
            // A single variable has no parts that could diverge.
            if self.seen(maximal).len < 2 || self.seen(maximal).kind == Kind::Set {
                continue;
            }
            let is_maximal = self.overlapping(maximal, scratch, steps);
            let touched = std::mem::take(&mut scratch.touched);
            let mut rest = &touched[..];
            while whole && is_maximal && !rest.is_empty() {
                let lane = scratch.lanes[rest[0] as usize];
                let n = rest.iter().take_while(|&&seen| scratch.lanes[seen as usize] == lane).count();
                let (same, others) = rest.split_at(n);
                rest = others;
                if n > 1 && lane != scratch.lanes[maximal as usize] && !is_chain(same, &scratch.masks) {
                    let overlaps = &mut scratch.overlaps;
                    overlaps.clear();
                    overlaps.extend(same.iter().map(|&seen| {
                        let mask = scratch.masks[seen as usize];
                        Overlap { size: size(&mask), mask, seen }
                    }));
                    if let Some(conflict) = self.incompatible(maximal, overlaps, (moments, fields), steps) {
                        whole = found(self, &conflict);
                    }
                }
            }
            for &seen in &touched {
                scratch.masks[seen as usize] = EMPTY;
            }
            scratch.touched = touched;
            if *steps == 0 || !whole {
                whole = false;
                break;
            }
        }
        for &element in &self.elements {
            scratch.numbers[element as usize] = 0;
        }
        whole
    }

    /// Sorts the views by element.
    fn index(&self, scratch: &mut Scratch) {
        let top = self.elements.iter().max().map_or(0, |&element| element as usize + 1);
        if scratch.numbers.len() < top {
            scratch.numbers.resize(top, 0);
        }
        scratch.starts.clear();
        scratch.starts.push(0);
        for &element in &self.elements {
            let number = &mut scratch.numbers[element as usize];
            if *number == 0 {
                *number = scratch.starts.len() as u32;
                scratch.starts.push(0);
            }
            scratch.starts[*number as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut scratch.starts {
            sum += *start;
            *start = sum - *start;
        }
        scratch.entries.clear();
        scratch.entries.resize(self.elements.len(), 0);
        // Filling moves each start to where the next one was.
        for (i, seen) in self.seen.iter().enumerate() {
            for &element in self.elements(seen) {
                let at = &mut scratch.starts[scratch.numbers[element as usize] as usize];
                scratch.entries[*at as usize] = i as u32;
                *at += 1;
            }
        }
        scratch.lanes.clear();
        scratch.lanes.extend(self.seen.iter().map(|seen| seen.thread << 2 | seen.kind as u32));
        scratch.masks.clear();
        scratch.masks.resize(self.seen.len(), EMPTY);
        scratch.touched.clear();
    }

    /// Leaves in `touched`, in order, the views that have something in common with a view and have to be compared
    /// with it. False if the view is not maximal.
    fn overlapping(&self, of: u32, scratch: &mut Scratch, steps: &mut u64) -> bool {
        let mine = scratch.lanes[of as usize];
        let kind = self.seen(of).kind;
        scratch.touched.clear();
        for (i, &element) in self.elements(self.seen(of)).iter().enumerate() {
            let number = scratch.numbers[element as usize] as usize;
            let range = scratch.starts[number - 1] as usize..scratch.starts[number] as usize;
            *steps = steps.saturating_sub(range.len() as u64);
            for &seen in &scratch.entries[range] {
                let lane = scratch.lanes[seen as usize];
                // Two reads do not disturb each other; of its own thread, only what could contain it counts.
                let compared =
                    if lane >> 2 == mine >> 2 { lane == mine && seen != of } else { kind.meets(lane & 3) };
                if compared {
                    let mask = &mut scratch.masks[seen as usize];
                    if *mask == EMPTY {
                        scratch.touched.push(seen);
                    }
                    mask[i / 64] |= 1 << (i % 64);
                }
            }
        }
        let len = self.seen(of).len;
        let contained =
            |&seen: &u32| scratch.lanes[seen as usize] == mine && size(&scratch.masks[seen as usize]) == len;
        if scratch.touched.iter().any(contained) {
            return false;
        }
        scratch.touched.sort_unstable();
        true
    }

    /// The conflict, if these overlaps of a thread with a maximal view do not form a chain.
    fn incompatible(
        &self,
        maximal: u32,
        overlaps: &mut [Overlap],
        (moments, fields): (&Moments, Option<&Elements>),
        steps: &mut u64,
    ) -> Option<Conflict> {
        overlaps.sort_unstable();
        if overlaps.windows(2).all(|pair| within(&pair[0].mask, &pair[1].mask)) {
            return None;
        }
        self.diverging(maximal, overlaps, (moments, fields), steps)
    }

    #[cold]
    fn diverging(
        &self,
        maximal: u32,
        overlaps: &[Overlap],
        (moments, fields): (&Moments, Option<&Elements>),
        steps: &mut u64,
    ) -> Option<Conflict> {
        let whole = self.seen(maximal);
        let other = self.seen(overlaps[0].seen).thread;
        // Equal overlaps are one, with the first and the last block of all of them.
        let mut distinct: Vec<(Overlap, Mask, Moment, Moment)> = Vec::new();
        for &overlap in overlaps {
            let seen = self.seen(overlap.seen);
            let more = fields.map_or(overlap.mask, |fields| self.with_generations(whole, &overlap, fields));
            let same = |known: &&mut (Overlap, Mask, Moment, Moment)| {
                known.0.mask == overlap.mask && known.1 == more
            };
            match distinct.iter_mut().rev().take_while(|known| known.0.mask == overlap.mask).find(same) {
                Some((_, _, first, last)) => {
                    *first = moments.earlier(*first, seen.first);
                    *last = moments.later(*last, seen.last);
                }
                None => distinct.push((overlap, more, seen.first, seen.last)),
            }
        }
        // Whether a block with the maximal view can come after `a` and before `b`.
        let between = |a: Moment, b: Moment| {
            [whole.first, whole.last]
                .into_iter()
                .any(|m| !moments.before(m, whole.thread, a) && !moments.before(b, other, m))
        };
        let mut pair = None;
        let mut guilty = vec![false; distinct.len()];
        for (i, (a, a_more, a_first, a_last)) in distinct.iter().enumerate() {
            *steps = steps.saturating_sub((distinct.len() - i) as u64);
            for (j, (b, b_more, b_first, b_last)) in distinct.iter().enumerate().skip(i + 1) {
                let fields_diverge = |fields| self.fields_diverge(whole, (a, a_more), (b, b_more), fields);
                if !within(&a.mask, &b.mask)
                    && fields.is_none_or(fields_diverge)
                    && (between(*a_first, *b_last) || between(*b_first, *a_last))
                {
                    pair = pair.or(Some((a.seen, b.seen)));
                    (guilty[i], guilty[j]) = (true, true);
                }
            }
        }
        let (a, b) = pair?;
        let overlaps: Vec<Overlap> = distinct
            .iter()
            .zip(guilty)
            .filter(|(_, guilty)| *guilty)
            .map(|((overlap, ..), _)| *overlap)
            .collect();
        let mut diverging = EMPTY;
        overlaps.iter().for_each(|overlap| unite(&mut diverging, &overlap.mask));
        let at = |seen| overlaps.iter().position(|overlap| overlap.seen == seen);
        let pair = (at(a)?, at(b)?);
        Some(Conflict { maximal, overlaps, pair, diverging })
    }

    /// What a view has of a maximal one, whatever the generation.
    fn with_generations(&self, whole: &Seen, overlap: &Overlap, fields: &Elements) -> Mask {
        let mut mask = overlap.mask;
        let mine = self.elements(self.seen(overlap.seen));
        for (i, &element) in self.elements(whole).iter().enumerate() {
            let wanted = fields.get(element);
            if mine.iter().any(|&has| fields.get(has).is_same_field(wanted)) {
                mask[i / 64] |= 1 << (i % 64);
            }
        }
        mask
    }

    /// Whether two overlaps, each with what it has of the maximal view in any generation, diverge in two fields that
    /// belong together.
    fn fields_diverge(
        &self,
        whole: &Seen,
        (a, a_more): (&Overlap, &Mask),
        (b, b_more): (&Overlap, &Mask),
        fields: &Elements,
    ) -> bool {
        let without = |one: &Mask, other: &Mask| {
            let mut rest = *one;
            rest.iter_mut().zip(other).for_each(|(rest, other)| *rest &= !other);
            rest
        };
        let all = self.elements(whole);
        let (only_a, only_b) = (without(&a.mask, b_more), without(&b.mask, a_more));
        select(all, &only_a).any(|x| select(all, &only_b).any(|y| fields.get(x).belongs_to(fields.get(y))))
    }
}
