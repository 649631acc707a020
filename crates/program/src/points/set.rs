//! A set of small numbers: sixty-four to a word, only words that hold some are kept. Made for joining: objects that flow
//! together were made close to each other, so that words are few.

use smallvec::SmallVec;

/// A set of numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Set {
    /// Word numbers, ascending, with their bits, which are never none.
    /// Most sets are of one word, which needs no memory of its own.
    words: SmallVec<[(u32, u64); 1]>,
}

impl Set {
    /// Nothing.
    pub const EMPTY: Set = Set { words: SmallVec::new_const() };

    /// Is nothing in it?
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How many words it takes.
    pub fn words(&self) -> usize {
        self.words.len()
    }

    /// How many are in it.
    pub fn len(&self) -> usize {
        self.words.iter().map(|(_, bits)| bits.count_ones() as usize).sum()
    }

    /// Is the number in it?
    pub fn contains(&self, number: u32) -> bool {
        let found = self.words.binary_search_by_key(&(number / 64), |(word, _)| *word);
        found.is_ok_and(|at| self.words[at].1 >> (number % 64) & 1 == 1)
    }

    /// Adds a number; was it new?
    pub fn insert(&mut self, number: u32) -> bool {
        let bit = 1 << (number % 64);
        match self.words.binary_search_by_key(&(number / 64), |(word, _)| *word) {
            Ok(at) => {
                let new = self.words[at].1 & bit == 0;
                self.words[at].1 |= bit;
                new
            }
            Err(at) => {
                self.words.insert(at, (number / 64, bit));
                true
            }
        }
    }

    /// Adds all of `other`, and to `fresh` those that are new.
    pub fn join(&mut self, other: &Set, fresh: &mut Set) {
        self.join_from(other, 0, fresh);
    }

    /// As `join`, for those of `other` from sixty-four times `first` on.
    pub fn join_from(&mut self, other: &Set, first: u32, fresh: &mut Set) {
        self.join_each(other.words_from(first).iter().copied(), fresh);
    }

    /// As `join_from`, for those of `other` that are in `mask` too.
    pub fn join_masked(&mut self, other: &Set, first: u32, mask: &Set, fresh: &mut Set) {
        let mut at = 0;
        let words = other.words_from(first).iter().filter_map(|(word, bits)| {
            at = mask.seek(at, *word);
            let (found, allowed) = mask.words.get(at)?;
            let bits = bits & allowed;
            (found == word && bits != 0).then_some((*word, bits))
        });
        self.join_each(words, fresh);
    }

    fn join_each(&mut self, words: impl Iterator<Item = (u32, u64)>, fresh: &mut Set) {
        let mut at = 0;
        for (word, bits) in words {
            at = self.seek(at, word);
            match self.words.get_mut(at) {
                Some((found, known)) if *found == word => {
                    let new = bits & !*known;
                    if new != 0 {
                        *known |= new;
                        fresh.add_word(word, new);
                    }
                }
                // Long sets are rarely lacking words, so that moving the rest is rare.
                _ => {
                    self.words.insert(at, (word, bits));
                    fresh.add_word(word, bits);
                }
            }
        }
    }

    /// The words from one on.
    fn words_from(&self, first: u32) -> &[(u32, u64)] {
        let start = if first == 0 { 0 } else { self.words.partition_point(|(word, _)| *word < first) };
        self.words.get(start..).unwrap_or_default()
    }

    /// The place of a word, or of the first one after it, from a place on: near places are found at once.
    fn seek(&self, from: usize, word: u32) -> usize {
        let mut step = 1;
        let mut low = from;
        while self.words.get(low + step - 1).is_some_and(|(found, _)| *found < word) {
            low += step;
            step *= 2;
        }
        let high = (low + step - 1).min(self.words.len());
        let rest = self.words.get(low..high).unwrap_or_default();
        low + rest.partition_point(|(found, _)| *found < word)
    }

    /// Is something in both?
    pub fn meets(&self, other: &Set) -> bool {
        if self.words.len() > other.words.len() {
            return other.meets(self);
        }
        let mut at = 0;
        self.words.iter().any(|(word, bits)| {
            at = other.seek(at, *word);
            other.words.get(at).is_some_and(|(there, found)| there == word && found & bits != 0)
        })
    }

    /// Those that are not in `other`.
    pub fn without(&self, other: &Set) -> Set {
        let mut found = Set::default();
        let mut at = 0;
        for (word, bits) in &self.words {
            at = other.seek(at, *word);
            let there = other.words.get(at).filter(|(there, _)| there == word).map_or(0, |(_, bits)| *bits);
            if bits & !there != 0 {
                found.words.push((*word, bits & !there));
            }
        }
        found
    }

    /// Those that are in both.
    pub fn common(&self, other: &Set) -> Set {
        let mut found = Set::default();
        let mut at = 0;
        for (word, bits) in &self.words {
            at = other.seek(at, *word);
            let there = other.words.get(at).filter(|(there, _)| there == word).map_or(0, |(_, bits)| *bits);
            if bits & there != 0 {
                found.words.push((*word, bits & there));
            }
        }
        found
    }

    /// Takes out those below sixty-four times `end`.
    pub fn forget_below(&mut self, end: u32) {
        let count = self.words.partition_point(|(word, _)| *word < end);
        self.words.drain(..count);
    }

    /// How many there are below sixty-four times `end`.
    pub fn count_below(&self, end: u32) -> usize {
        let low = self.words.iter().take_while(|(word, _)| *word < end);
        low.map(|(_, bits)| bits.count_ones() as usize).sum()
    }

    /// Those below sixty-four times `end`, as a set.
    pub fn below(&self, end: u32) -> Set {
        let count = self.words.partition_point(|(word, _)| *word < end);
        Set { words: SmallVec::from_slice(self.words.get(..count).unwrap_or_default()) }
    }

    /// Those below sixty-four times `end`, ascending.
    pub fn iter_below(&self, end: u32) -> impl Iterator<Item = u32> {
        self.iter().take_while(move |number| number / 64 < end)
    }

    fn add_word(&mut self, word: u32, bits: u64) {
        match self.words.last() {
            Some((last, _)) if *last >= word => match self.words.binary_search_by_key(&word, |(w, _)| *w) {
                Ok(at) => self.words[at].1 |= bits,
                Err(at) => self.words.insert(at, (word, bits)),
            },
            _ => self.words.push((word, bits)),
        }
    }

    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.words.iter().flat_map(|(word, bits)| {
            let mut rest = *bits;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                rest = rest.checked_sub(1).map(|less| rest & less)?;
                Some(word * 64 + bit)
            })
        })
    }
}

impl FromIterator<u32> for Set {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Set {
        let mut set = Set::default();
        for number in numbers {
            set.insert(number);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_gives_the_union_and_what_was_new() {
        let mut state = 7u64;
        let mut random = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % most) as u32
        };
        for _ in 0..200 {
            let one: Vec<u32> = (0..random(40)).map(|_| random(500)).collect();
            let two: Vec<u32> = (0..random(40)).map(|_| random(500)).collect();
            let mut set: Set = one.iter().copied().collect();
            let mut fresh = Set::default();
            set.join(&two.iter().copied().collect(), &mut fresh);
            let all: std::collections::BTreeSet<u32> = one.iter().chain(&two).copied().collect();
            assert!(set.iter().eq(all.iter().copied()));
            assert_eq!(set.len(), all.len());
            assert!(fresh.iter().eq(all.iter().copied().filter(|n| !one.contains(n))));
            assert!(all.iter().all(|n| set.contains(*n)) && !set.contains(1000));
            let mut masked: Set = one.iter().copied().collect();
            let mask: Set = (0..500).filter(|n| n % 3 == 0).collect();
            let mut fresh = Set::default();
            masked.join_masked(&two.iter().copied().collect(), 0, &mask, &mut fresh);
            assert!(fresh.iter().eq(all.iter().copied().filter(|n| !one.contains(n) && n % 3 == 0)));
            let both = set.common(&mask);
            assert!(both.iter().eq(all.iter().copied().filter(|n| n % 3 == 0)));
            assert_eq!(set.count_below(2), all.iter().filter(|n| **n < 128).count());
            assert!(set.below(2).iter().eq(set.iter_below(2)));
            assert!(set.iter_below(2).eq(all.iter().copied().filter(|n| *n < 128)));
            let mut upper = Set::default();
            upper.join_from(&set, 3, &mut Set::default());
            assert!(upper.iter().eq(all.iter().copied().filter(|n| *n >= 192)));
            let mut rest = set.clone();
            rest.forget_below(3);
            assert_eq!(rest, upper);
            assert_eq!(set.meets(&mask), all.iter().any(|n| n % 3 == 0));
            let left = set.without(&two.iter().copied().collect());
            assert!(left.iter().eq(all.iter().copied().filter(|n| !two.contains(n))));
        }
    }
}
