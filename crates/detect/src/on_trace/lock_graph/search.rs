//! Cycles in the lock graph: shortest first, one for each smallest set of locks, within a budget.
//!
//! A cycle of length n is n nests of n different threads; each holds a lock that the one before it wants, at least
//! one of the two alone (two readers do not block each other). All are pairwise without a common gate and pairwise
//! concurrent. A set of locks that contains the locks of a shorter cycle is left out: where many locks are taken in any
//! order, the pairs say it all, and there would be thousands of longer cycles made from them. Only locks of one
//! strongly connected component can be on a cycle, so those are found first.
//!
//! The search is depth first from the smallest lock of the cycle, for one length after another, and goes only where
//! the way back is short enough. Every nest and moment it looks at costs one step of the budget.

use std::collections::{BTreeSet, VecDeque};

use events::{LockId, Mode};
use rustc_hash::FxHashMap;

use super::nests::{Nest, Nests, is_dead};

/// Cycles of more locks than this are not looked for.
pub(super) const LONGEST: usize = 8;
const STEPS: u64 = 20_000_000;

/// One edge of a cycle that was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Link {
    /// The nest.
    pub nest: u32,
    /// Which of its moments.
    moment: usize,
    /// The lock it holds.
    pub from: LockId,
}

/// The state that lasts from one search to the next.
pub(super) struct Search {
    /// What is left of the budget.
    steps: u64,
}

impl Default for Search {
    fn default() -> Self {
        Self { steps: STEPS }
    }
}

/// The cycles found by one search.
#[derive(Default)]
struct Found {
    cycles: Vec<Vec<Link>>,
    /// For each lock those held where it is wanted: asked for again and again, so kept.
    outer: FxHashMap<LockId, Vec<LockId>>,
    /// For each lock the cycles it is on.
    on: FxHashMap<LockId, Vec<u32>>,
}

impl Found {
    fn add(&mut self, cycle: &[Link]) {
        for link in cycle {
            self.on.entry(link.from).or_default().push(self.cycles.len() as u32);
        }
        self.cycles.push(cycle.to_vec());
    }

    /// The cycles that a lock is on.
    fn on(&self, lock: LockId) -> &[u32] {
        self.on.get(&lock).map_or(&[], Vec::as_slice)
    }

    /// Whether one of them has no locks but this one and those of the path.
    fn any_within(&self, path: &[Link], lock: LockId) -> bool {
        let within = |link: &Link| link.from == lock || path.iter().any(|other| other.from == link.from);
        self.on(lock).iter().any(|&cycle| self.cycles[cycle as usize].iter().all(within))
    }
}

impl Search {
    /// Whether the budget is used up: there may be cycles that were not found.
    pub fn gave_up(&self) -> bool {
        self.steps == 0
    }

    fn pay(&mut self, steps: u64) {
        self.steps = self.steps.saturating_sub(steps);
    }

    /// The lock is about to go: the cycles through it.
    pub fn through(&mut self, nests: &Nests, lock: LockId) -> Vec<Vec<Link>> {
        let mut found = Found::default();
        for length in 2..=LONGEST {
            self.from(nests, lock, length, &|lock| !is_dead(lock), &mut found);
        }
        found.cycles
    }

    /// All cycles. The second result: the strongly connected components that have more locks than [`LONGEST`], or
    /// nests with moments left out, and where nothing was found.
    pub fn all(&mut self, nests: &Nests) -> (Vec<Vec<Link>>, u64) {
        let locks = nests.inner_locks();
        let component = components(nests, &locks);
        let mut found = Found::default();
        for length in 2..=LONGEST {
            for &root in &locks {
                let home = component.get(&root).copied();
                let inside = |lock: LockId| lock > root && component.get(&lock).copied() == home;
                if home.is_some() {
                    self.from(nests, root, length, &inside, &mut found);
                }
            }
        }
        let mut doubtful: BTreeSet<u32> = BTreeSet::new();
        let mut size: FxHashMap<u32, usize> = FxHashMap::default();
        for &lock in &locks {
            let Some(&home) = component.get(&lock) else { continue };
            let locks_here = size.entry(home).or_default();
            *locks_here += 1;
            if *locks_here > LONGEST || nests.holding(lock).any(|(_, nest)| nest.thinned) {
                doubtful.insert(home);
            }
        }
        for link in found.cycles.iter().flatten() {
            component.get(&link.from).map(|home| doubtful.remove(home));
        }
        (found.cycles, doubtful.len() as u64)
    }

    /// The cycles of one length whose first lock is `root` and whose other locks are `inside`.
    fn from(
        &mut self,
        nests: &Nests,
        root: LockId,
        length: usize,
        inside: &dyn Fn(LockId) -> bool,
        found: &mut Found,
    ) {
        let way_back = self.distances(nests, root, length, inside, &mut found.outer);
        let mut walk = Walk { nests, root, length, way_back, path: Vec::new(), search: self, found };
        walk.go_on(root);
    }

    /// For each lock how many edges it is from there back to `root`, if fewer than `length`.
    fn distances(
        &mut self,
        nests: &Nests,
        root: LockId,
        length: usize,
        inside: &dyn Fn(LockId) -> bool,
        outer: &mut FxHashMap<LockId, Vec<LockId>>,
    ) -> FxHashMap<LockId, usize> {
        let mut distance = FxHashMap::from_iter([(root, 0)]);
        let mut queue = VecDeque::from([root]);
        while let Some(lock) = queue.pop_front() {
            let next = distance[&lock] + 1;
            if next >= length || self.gave_up() {
                break;
            }
            let outer = outer.entry(lock).or_insert_with(|| {
                let held = nests.wanting(lock).flat_map(|(_, nest)| &nest.held).map(|held| held.lock);
                let mut outer: Vec<LockId> = held.collect();
                outer.sort_unstable();
                outer.dedup();
                outer
            });
            self.pay(outer.len() as u64);
            for &held in outer.iter().filter(|&&lock| inside(lock)) {
                distance.entry(held).or_insert_with(|| {
                    queue.push_back(held);
                    next
                });
            }
        }
        distance
    }
}

struct Walk<'a> {
    nests: &'a Nests,
    root: LockId,
    length: usize,
    way_back: FxHashMap<LockId, usize>,
    path: Vec<Link>,
    search: &'a mut Search,
    found: &'a mut Found,
}

impl Walk<'_> {
    /// Tries every nest that holds `at`.
    fn go_on(&mut self, at: LockId) {
        let last = self.path.len() + 1 == self.length;
        self.search.pay(self.found.on(at).len() as u64);
        if self.found.any_within(&self.path, at) {
            return;
        }
        let nests = self.nests;
        for (number, nest) in nests.holding(at) {
            if self.search.gave_up() {
                return;
            }
            self.search.pay(1);
            if !self.leads_on(nest.wants, at, last) || !self.fits(nest, at, last) {
                continue;
            }
            for moment in 0..nest.moments.len() {
                self.search.pay(1);
                if !self.concurrent(nest, moment) {
                    continue;
                }
                self.path.push(Link { nest: number, moment, from: at });
                if last {
                    self.found.add(&self.path);
                } else {
                    self.go_on(nest.wants);
                }
                self.path.pop();
                if last {
                    return;
                }
            }
        }
    }

    fn leads_on(&self, to: LockId, at: LockId, last: bool) -> bool {
        if last {
            return to == self.root;
        }
        let left = self.length - self.path.len() - 1;
        to != at
            && to != self.root
            && self.way_back.get(&to).is_some_and(|&edges| edges <= left)
            && self.path.iter().all(|link| link.from != to)
    }

    /// Whether a nest blocks the one before it (and is blocked by the first, if it is the last), in another thread
    /// than all of them and without a common gate.
    fn fits(&self, nest: &Nest, at: LockId, last: bool) -> bool {
        let blocks = |waiting: &Nest, holder: &Nest, lock: LockId| {
            waiting.mode == Mode::Exclusive
                || holder.holds(lock).is_some_and(|held| held.mode == Mode::Exclusive)
        };
        let before = |link: &Link| self.nests.get(link.nest);
        self.path.last().and_then(before).is_none_or(|previous| blocks(previous, nest, at))
            && (!last
                || self.path.first().and_then(before).is_some_and(|first| blocks(nest, first, self.root)))
            && self
                .path
                .iter()
                .filter_map(before)
                .all(|other| other.thread != nest.thread && other.meets(nest))
    }

    fn concurrent(&self, nest: &Nest, moment: usize) -> bool {
        self.path.iter().all(|link| {
            self.nests.get(link.nest).is_some_and(|other| {
                nest.concurrent(&nest.moments[moment], other, &other.moments[link.moment])
            })
        })
    }
}

/// The strongly connected component of each lock that shares one with another lock (Tarjan, without recursion).
fn components(nests: &Nests, locks: &[LockId]) -> FxHashMap<LockId, u32> {
    struct Visit {
        lock: LockId,
        next: Vec<LockId>,
        low: u32,
    }
    let inner: BTreeSet<LockId> = locks.iter().copied().collect();
    let next_of = |lock: LockId| {
        let mut next: Vec<LockId> =
            nests.holding(lock).map(|(_, nest)| nest.wants).filter(|to| inner.contains(to)).collect();
        next.sort_unstable();
        next.dedup();
        next
    };
    let mut number: FxHashMap<LockId, u32> = FxHashMap::default();
    let mut component: FxHashMap<LockId, u32> = FxHashMap::default();
    let mut single: BTreeSet<LockId> = BTreeSet::new();
    let mut open: Vec<LockId> = Vec::new();
    for &start in locks {
        if number.contains_key(&start) {
            continue;
        }
        let mut visits: Vec<Visit> = Vec::new();
        let mut enter = Some(start);
        loop {
            if let Some(lock) = enter.take() {
                let low = number.len() as u32;
                number.insert(lock, low);
                open.push(lock);
                visits.push(Visit { lock, next: next_of(lock), low });
            }
            let Some(visit) = visits.last_mut() else { break };
            if let Some(to) = visit.next.pop() {
                match number.get(&to) {
                    None => enter = Some(to),
                    Some(&seen) if !component.contains_key(&to) && !single.contains(&to) => {
                        visit.low = visit.low.min(seen);
                    }
                    Some(_) => {}
                }
                continue;
            }
            let (lock, low) = (visit.lock, visit.low);
            visits.pop();
            if let Some(parent) = visits.last_mut() {
                parent.low = parent.low.min(low);
            }
            if low == number[&lock] {
                let at = open.iter().rposition(|&other| other == lock).unwrap_or(0);
                let members = open.split_off(at);
                if members.len() == 1 {
                    single.insert(lock);
                } else {
                    component.extend(members.into_iter().map(|member| (member, low)));
                }
            }
        }
    }
    component
}
