//! What can be reached from each node of a graph. A library has a hundred thousand roots that reach nearly the same, so
//! that nothing is kept for each of them: nodes that reach each other are one **part** (Tarjan's algorithm), parts are
//! numbered callees before callers, and the nodes that a part reaches are gathered when somebody asks for them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

/// Lists of numbers, one after the other.
#[derive(Default)]
pub struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Ends a list of what was added since the last one.
    pub fn push(&mut self, items: impl IntoIterator<Item = u32>) {
        self.starts.push(self.items.len() as u32);
        self.items.extend(items);
    }

    /// A list.
    pub fn of(&self, number: u32) -> &[u32] {
        let end = self.starts.get(number as usize + 1).map_or(self.items.len(), |end| *end as usize);
        let start = self.starts.get(number as usize).map(|start| *start as usize);
        start.and_then(|start| self.items.get(start..end)).unwrap_or_default()
    }

    /// How many lists there are.
    pub fn len(&self) -> u32 {
        self.starts.len() as u32
    }
}

/// The parts of a graph.
pub struct Reach {
    /// By node: its part.
    part: Vec<u32>,
    /// By part: its nodes.
    members: Lists,
    /// By part: those that it leads to, all of them lower numbers.
    next: Lists,
    words: usize,
    /// What parts reach, as far as anybody asked.
    known: RefCell<FxHashMap<u32, Rc<[u64]>>>,
    room: Cell<usize>,
    refused: Cell<u64>,
}

/// Words that all sets together may take.
const MOST_WORDS: usize = 64_000_000;
const UNSEEN: u32 = u32::MAX;
/// A part with at least this share of all nodes is gathered first: most others lead to it.
const LARGE_SHARE: usize = 16;

impl Reach {
    /// For a graph of so many nodes.
    pub fn new(graph: &Lists) -> Reach {
        let nodes = graph.len();
        let mut reach = Reach {
            part: vec![UNSEEN; nodes as usize],
            members: Lists::default(),
            next: Lists::default(),
            words: (nodes as usize).div_ceil(64),
            known: RefCell::default(),
            room: Cell::new(MOST_WORDS),
            refused: Cell::new(0),
        };
        let mut index = vec![UNSEEN; nodes as usize];
        let mut low = vec![0u32; nodes as usize];
        let mut open: Vec<u32> = Vec::new();
        let mut count = 0;
        let at = |list: &[u32], node: u32| list.get(node as usize).copied().unwrap_or_default();
        let set = |list: &mut [u32], node: u32, value: u32| {
            if let Some(place) = list.get_mut(node as usize) {
                *place = value;
            }
        };
        for start in 0..nodes {
            if at(&index, start) != UNSEEN {
                continue;
            }
            let mut stack: Vec<(u32, usize)> = vec![(start, 0)];
            while let Some((node, edge)) = stack.last_mut() {
                let (node, number) = (*node, *edge);
                *edge += 1;
                if number == 0 {
                    set(&mut index, node, count);
                    set(&mut low, node, count);
                    count += 1;
                    open.push(node);
                }
                if let Some(to) = graph.of(node).get(number).copied() {
                    if at(&index, to) == UNSEEN {
                        stack.push((to, 0));
                    } else if at(&reach.part, to) == UNSEEN {
                        let least = at(&low, node).min(at(&index, to));
                        set(&mut low, node, least);
                    }
                    continue;
                }
                stack.pop();
                let own = at(&low, node);
                if let Some((above, _)) = stack.last() {
                    let least = at(&low, *above).min(own);
                    set(&mut low, *above, least);
                }
                if own == at(&index, node) {
                    reach.close(node, &mut open, graph);
                }
            }
        }
        let is_large = |part: &u32| reach.members.of(*part).len() >= (nodes as usize / LARGE_SHARE).max(64);
        for part in (0..reach.members.len()).filter(is_large) {
            reach.of_part(part);
        }
        reach
    }

    /// Makes a part of the nodes that are open from this one on.
    fn close(&mut self, first: u32, open: &mut Vec<u32>, graph: &Lists) {
        let number = self.members.len();
        let start = open.iter().rposition(|node| *node == first).unwrap_or_default();
        let members = open.split_off(start);
        for member in &members {
            if let Some(part) = self.part.get_mut(*member as usize) {
                *part = number;
            }
        }
        let mut seen = FxHashSet::from_iter([number]);
        let edges = members.iter().flat_map(|member| graph.of(*member));
        let parts = edges.filter_map(|to| self.part.get(*to as usize)).copied();
        let next: Vec<u32> = parts.filter(|part| seen.insert(*part)).collect();
        self.next.push(next);
        self.members.push(members);
    }

    /// The part of a node.
    pub fn part(&self, node: u32) -> Option<u32> {
        self.part.get(node as usize).copied()
    }

    /// What is reached from a node, itself among it, as bits; `None` if too much was asked for already.
    pub fn of(&self, node: u32) -> Option<Rc<[u64]>> {
        self.of_part(self.part(node)?)
    }

    fn of_part(&self, part: u32) -> Option<Rc<[u64]>> {
        if let Some(known) = self.known.borrow().get(&part) {
            return Some(Rc::clone(known));
        }
        let Some(room) = self.room.get().checked_sub(self.words) else {
            self.refused.set(self.refused.get() + 1);
            return None;
        };
        self.room.set(room);
        let found: Rc<[u64]> = self.gather(vec![part]).into();
        self.known.borrow_mut().insert(part, Rc::clone(&found));
        Some(found)
    }

    /// How often somebody asked for too much.
    pub fn refused(&self) -> u64 {
        self.refused.get()
    }

    /// What is reached from some nodes, these among it, as bits.
    pub fn of_all(&self, nodes: &[u32]) -> Vec<u64> {
        self.gather(nodes.iter().filter_map(|node| self.part(*node)).collect())
    }

    fn gather(&self, mut work: Vec<u32>) -> Vec<u64> {
        let mut found = vec![0u64; self.words];
        let known = self.known.borrow();
        while let Some(part) = work.pop() {
            let members = self.members.of(part);
            if members.first().is_none_or(|member| contains(&found, *member)) {
                continue;
            }
            if let Some(known) = known.get(&part) {
                for (word, more) in found.iter_mut().zip(known.iter()) {
                    *word |= more;
                }
                continue;
            }
            for member in members {
                insert(&mut found, *member);
            }
            work.extend(self.next.of(part));
        }
        found
    }

    /// By part: the marks of all nodes that it reaches, sorted. Parts with the same marks share them. `None` for those for
    /// which there was no room.
    pub fn marks(&self, marks: &FxHashMap<u32, Vec<u32>>, count: usize) -> Vec<Option<Rc<[u32]>>> {
        let words = count.div_ceil(64);
        let mut sets: Vec<Rc<[u64]>> = Vec::new();
        let mut numbers: FxHashMap<Rc<[u64]>, u32> = FxHashMap::default();
        let mut of_part: Vec<u32> = Vec::new();
        let mut set = vec![0u64; words];
        for part in 0..self.members.len() {
            set.fill(0);
            let mut last = UNSEEN;
            let mut whole = true;
            for to in self.next.of(part) {
                let number = of_part.get(*to as usize).copied().unwrap_or(UNSEEN);
                whole &= number != UNSEEN;
                if number != last
                    && let Some(more) = sets.get(number as usize)
                {
                    for (word, more) in set.iter_mut().zip(more.iter()) {
                        *word |= more;
                    }
                }
                last = number;
            }
            for mark in self.members.of(part).iter().filter_map(|member| marks.get(member)).flatten() {
                insert(&mut set, *mark);
            }
            let known = numbers.get(set.as_slice()).copied();
            let has_room = (sets.len() + 1).saturating_mul(words) <= MOST_WORDS;
            of_part.push(match known {
                _ if !whole => UNSEEN,
                Some(known) => known,
                None if has_room => {
                    let new: Rc<[u64]> = set.as_slice().into();
                    numbers.insert(Rc::clone(&new), sets.len() as u32);
                    sets.push(new);
                    sets.len() as u32 - 1
                }
                None => UNSEEN,
            });
        }
        let lists: Vec<Rc<[u32]>> = sets.iter().map(|set| bits(set).collect()).collect();
        of_part.into_iter().map(|number| lists.get(number as usize).cloned()).collect()
    }

    /// By part: the first few of those that reach it, of walkers that start at nodes.
    pub fn first(&self, walkers: impl Iterator<Item = (u32, u32)>, most: usize) -> Vec<Vec<u32>> {
        let mut found: Vec<Vec<u32>> = vec![Vec::new(); self.members.len() as usize];
        let mut work = Vec::new();
        for (walker, node) in walkers {
            work.extend(self.part(node));
            while let Some(part) = work.pop() {
                // Whoever was here before has been wherever this part leads to.
                let place = found.get_mut(part as usize).filter(|met| met.len() < most);
                if let Some(met) = place.filter(|met| met.last() != Some(&walker)) {
                    met.push(walker);
                    work.extend(self.next.of(part));
                }
            }
        }
        found
    }
}

/// Is a number in a set of bits?
pub fn contains(set: &[u64], number: u32) -> bool {
    set.get(number as usize / 64).is_some_and(|bits| bits >> (number % 64) & 1 == 1)
}

/// Puts a number into a set of bits, as far as it is large enough.
pub fn insert(set: &mut [u64], number: u32) {
    if let Some(bits) = set.get_mut(number as usize / 64) {
        *bits |= 1 << (number % 64);
    }
}

/// The numbers in a set of bits, in order.
pub fn bits(set: &[u64]) -> impl Iterator<Item = u32> {
    (0u32..).zip(set).flat_map(|(at, word)| {
        let next = |rest: &u64| Some(rest & (rest - 1)).filter(|rest| *rest != 0);
        let first = Some(*word).filter(|word| *word != 0);
        std::iter::successors(first, next).map(move |rest| at * 64 + rest.trailing_zeros())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(graph: &[&[u32]]) -> Reach {
        let mut lists = Lists::default();
        for edges in graph {
            lists.push(edges.iter().copied());
        }
        Reach::new(&lists)
    }

    #[test]
    fn nodes_in_a_circle_reach_the_same_and_what_lies_below() {
        let reach = reach(&[&[1], &[2], &[1, 3], &[], &[0, 5], &[3]]);
        let set = |node| bits(&reach.of(node).expect("a node")).collect::<Vec<_>>();
        assert_eq!(set(0), [0, 1, 2, 3]);
        assert_eq!(set(1), [1, 2, 3]);
        assert_eq!(set(2), set(1));
        assert_eq!(set(3), [3]);
        assert_eq!(set(4), [0, 1, 2, 3, 4, 5]);
        assert!(reach.of(6).is_none());
        assert_eq!(bits(&reach.of_all(&[3, 5])).collect::<Vec<_>>(), [3, 5]);
    }

    #[test]
    fn what_was_asked_before_changes_no_answer() {
        let graph: [&[u32]; 5] = [&[1, 2], &[3], &[3, 4], &[1], &[]];
        for first in 0..5 {
            let reach = reach(&graph);
            let asked = reach.of(first).expect("a node");
            assert!(contains(&asked, first));
            assert_eq!(bits(&reach.of(0).expect("a node")).count(), 5);
        }
    }

    #[test]
    fn marks_come_up_from_all_that_is_reached_and_are_shared() {
        let reach = reach(&[&[1], &[2], &[1, 3], &[], &[3]]);
        let marks = FxHashMap::from_iter([(1, vec![70]), (3, vec![0, 5]), (4, vec![5])]);
        let found = reach.marks(&marks, 71);
        let of = |node| found[reach.part(node).expect("a node") as usize].clone().expect("room");
        assert_eq!(of(0)[..], [0, 5, 70]);
        assert!(Rc::ptr_eq(&of(0), &of(2)));
        assert!(Rc::ptr_eq(&of(3), &of(4)));
    }

    #[test]
    fn the_first_walkers_are_known_everywhere_below() {
        let reach = reach(&[&[2], &[2], &[3], &[], &[3]]);
        let walkers = [(0, 0), (1, 1), (2, 4), (3, 2)];
        let found = reach.first(walkers.into_iter(), 2);
        let of = |node| &found[reach.part(node).expect("a node") as usize];
        assert_eq!(of(2)[..], [0, 1]);
        assert_eq!(of(3)[..], [0, 1]);
        assert_eq!(of(4)[..], [2]);
    }
}
