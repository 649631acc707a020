//! What can be reached from each node of a graph, as sets of bits: one set for each strongly connected part, callees before
//! callers (Tarjan's algorithm). A library has thousands of roots that reach nearly the same.

use std::rc::Rc;

/// The sets.
pub struct Reach {
    part: Vec<u32>,
    sets: Vec<Rc<[u64]>>,
}

/// Words that all sets together may take.
const MOST_WORDS: usize = 64_000_000;
const UNSEEN: u32 = u32::MAX;

impl Reach {
    /// For a graph of so many nodes; only those below `kept` are in the sets. `None` if it would be too large.
    pub fn new<'g>(nodes: u32, kept: u32, next: impl Fn(u32) -> &'g [u32]) -> Option<Reach> {
        let words = (kept as usize).div_ceil(64);
        let mut reach = Reach { part: vec![UNSEEN; nodes as usize], sets: Vec::new() };
        let mut index = vec![UNSEEN; nodes as usize];
        let mut low = vec![0u32; nodes as usize];
        let mut open: Vec<u32> = Vec::new();
        let mut count = 0;
        for start in 0..nodes {
            if index.get(start as usize) != Some(&UNSEEN) {
                continue;
            }
            let mut stack: Vec<(u32, usize)> = vec![(start, 0)];
            while let Some((node, at)) = stack.last_mut() {
                let (node, edge) = (*node, *at);
                *at += 1;
                if edge == 0 {
                    *index.get_mut(node as usize)? = count;
                    *low.get_mut(node as usize)? = count;
                    count += 1;
                    open.push(node);
                }
                if let Some(to) = next(node).get(edge).copied() {
                    if *index.get(to as usize)? == UNSEEN {
                        stack.push((to, 0));
                    } else if *reach.part.get(to as usize)? == UNSEEN {
                        let other = *index.get(to as usize)?;
                        let own = low.get_mut(node as usize)?;
                        *own = other.min(*own);
                    }
                    continue;
                }
                stack.pop();
                let own = *low.get(node as usize)?;
                if let Some((above, _)) = stack.last() {
                    let above = low.get_mut(*above as usize)?;
                    *above = own.min(*above);
                }
                if own == *index.get(node as usize)? {
                    if (reach.sets.len() + 1).saturating_mul(words) > MOST_WORDS {
                        return None;
                    }
                    reach.close(node, kept, words, &mut open, &next)?;
                }
            }
        }
        Some(reach)
    }

    /// Makes a part of the nodes that are open from this one on.
    fn close<'g>(
        &mut self,
        first: u32,
        kept: u32,
        words: usize,
        open: &mut Vec<u32>,
        next: &impl Fn(u32) -> &'g [u32],
    ) -> Option<()> {
        let number = self.sets.len() as u32;
        let start = open.iter().rposition(|node| *node == first)?;
        let members = open.split_off(start);
        let mut set = vec![0u64; words];
        for member in &members {
            *self.part.get_mut(*member as usize)? = number;
            if *member < kept {
                *set.get_mut(*member as usize / 64)? |= 1 << (member % 64);
            }
        }
        let mut seen = rustc_hash::FxHashSet::from_iter([number]);
        for to in members.iter().flat_map(|member| next(*member)) {
            let part = *self.part.get(*to as usize)?;
            if seen.insert(part) {
                for (word, more) in set.iter_mut().zip(self.sets.get(part as usize)?.iter()) {
                    *word |= more;
                }
            }
        }
        self.sets.push(set.into());
        Some(())
    }

    /// What is reached from a node, itself among it.
    pub fn of(&self, node: u32) -> Option<Rc<[u64]>> {
        self.sets.get(*self.part.get(node as usize)? as usize).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_in_a_circle_reach_the_same_and_what_lies_below() {
        let graph: [&[u32]; 6] = [&[1], &[2], &[1, 3], &[], &[0, 5], &[3]];
        let reach = Reach::new(6, 5, |node| graph[node as usize]).expect("small");
        let set = |node| reach.of(node).expect("a node")[0];
        assert_eq!([0, 1, 2, 3].map(set), [0b01111, 0b01110, 0b01110, 0b01000]);
        // Node 5 is not kept, but leads on.
        assert_eq!([4, 5].map(set), [0b11111, 0b01000]);
        assert!(reach.of(6).is_none());
    }
}
