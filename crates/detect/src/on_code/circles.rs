//! What leads to itself in a circle, all by their calls or locks by their order: the strongly connected parts of a
//! graph, each after those it leads to (Tarjan 1972, with a stack of its own instead of recursion).

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Each of some alone, or together with those that it leads to and that lead back.
pub fn of<T: Copy + Ord + Hash>(all: &[T], next: &FxHashMap<T, Vec<T>>) -> Vec<Vec<T>> {
    let mut search = Search { next, numbers: FxHashMap::default(), stack: Vec::new(), found: Vec::new() };
    for one in all {
        if !search.numbers.contains_key(one) {
            search.from(*one);
        }
    }
    search.found
}

struct Number {
    own: u32,
    /// The smallest number that is known to be reached.
    least: u32,
    is_open: bool,
}

struct Search<'c, T> {
    next: &'c FxHashMap<T, Vec<T>>,
    numbers: FxHashMap<T, Number>,
    stack: Vec<T>,
    found: Vec<Vec<T>>,
}

impl<T: Copy + Ord + Hash> Search<'_, T> {
    fn enter(&mut self, one: T) {
        let own = self.numbers.len() as u32;
        self.numbers.insert(one, Number { own, least: own, is_open: true });
        self.stack.push(one);
    }

    fn from(&mut self, start: T) {
        let next = self.next;
        let of = |one: T| next.get(&one).map(Vec::as_slice).unwrap_or_default();
        self.enter(start);
        let mut way = vec![(start, of(start).iter())];
        while let Some((one, rest)) = way.last_mut() {
            let one = *one;
            match rest.next() {
                Some(other) => match self.numbers.get(other) {
                    None => {
                        self.enter(*other);
                        way.push((*other, of(*other).iter()));
                    }
                    Some(number) if number.is_open => {
                        let own = number.own;
                        self.reaches(one, own);
                    }
                    Some(_) => {}
                },
                None => {
                    way.pop();
                    let Some(number) = self.numbers.get(&one) else { continue };
                    let (own, least) = (number.own, number.least);
                    if let Some((before, _)) = way.last() {
                        self.reaches(*before, least);
                    }
                    if own == least {
                        self.close(one);
                    }
                }
            }
        }
    }

    fn reaches(&mut self, one: T, number: u32) {
        if let Some(known) = self.numbers.get_mut(&one) {
            known.least = known.least.min(number);
        }
    }

    fn close(&mut self, first: T) {
        let mut circle = Vec::new();
        while let Some(one) = self.stack.pop() {
            if let Some(number) = self.numbers.get_mut(&one) {
                number.is_open = false;
            }
            circle.push(one);
            if one == first {
                break;
            }
        }
        circle.sort_unstable();
        self.found.push(circle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(calls: &[(u32, u32)], methods: u32) -> Vec<Vec<u32>> {
        let mut callees: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (caller, callee) in calls {
            callees.entry(*caller).or_default().push(*callee);
        }
        let methods: Vec<u32> = (0..methods).collect();
        of(&methods, &callees)
    }

    #[test]
    fn callees_come_before_callers_and_circles_are_one() {
        assert_eq!(found(&[(0, 1), (1, 2)], 3), [vec![2], vec![1], vec![0]]);
        assert_eq!(found(&[(0, 1), (1, 0), (1, 2)], 3), [vec![2], vec![0, 1]]);
        assert_eq!(found(&[(0, 0)], 2), [vec![0], vec![1]]);
        assert_eq!(found(&[(0, 1), (1, 2), (2, 1), (2, 3), (3, 0)], 5), [vec![0, 1, 2, 3], vec![4]]);
        assert_eq!(found(&[(0, 1), (0, 2), (1, 3), (2, 3), (3, 1)], 4), [vec![1, 3], vec![2], vec![0]]);
    }

    #[test]
    fn a_long_chain_needs_no_deep_stack() {
        let calls: Vec<(u32, u32)> = (0..100_000).map(|n| (n, n + 1)).collect();
        let found = found(&calls, 100_001);
        assert_eq!((found.len(), found[0][0], found[100_000][0]), (100_001, 100_000, 0));
    }
}
