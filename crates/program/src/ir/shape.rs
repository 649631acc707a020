//! The shape of a body's graph: who leads to a block, what dominates it, on which branches it depends. Exceptions count
//! as edges where the caller wants them to.

use super::body::{Block, BlockId, Body};

/// Which edges are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edges {
    /// Normal edges and those of exceptions.
    All,
    /// Normal edges only.
    Normal,
}

/// Blocks that lead to blocks: lists behind one another.
#[derive(Clone, Debug, Default)]
struct Graph {
    starts: Vec<u32>,
    ends: Vec<u32>,
}

impl Graph {
    fn of(&self, block: u32) -> &[u32] {
        let at = |index: usize| self.starts.get(index).copied().unwrap_or_default() as usize;
        self.ends.get(at(block as usize)..at(block as usize + 1)).unwrap_or_default()
    }

    fn new(count: usize, pairs: &[(u32, u32)]) -> Graph {
        let mut starts = vec![0u32; count + 1];
        for (from, _) in pairs {
            if let Some(start) = starts.get_mut(*from as usize + 1) {
                *start += 1;
            }
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut next = starts.clone();
        let mut ends = vec![0u32; pairs.len()];
        for (from, to) in pairs {
            if let Some(place) = next.get_mut(*from as usize) {
                if let Some(end) = ends.get_mut(*place as usize) {
                    *end = *to;
                }
                *place += 1;
            }
        }
        Graph { starts, ends }
    }
}

/// Nothing dominates it: the root, or what cannot be reached.
const NONE: u32 = u32::MAX;

/// Predecessors and dominators of a body's blocks.
#[derive(Clone, Debug)]
pub struct Shape {
    before: Graph,
    above: Vec<u32>,
}

fn edges_of<'b>(body: &'b Body, block: &'b Block, which: Edges) -> impl Iterator<Item = u32> + 'b {
    let catches = match which {
        Edges::All => body.catches(block),
        Edges::Normal => &[],
    };
    body.edges(block).iter().chain(catches).map(|edge| edge.target.0)
}

impl Shape {
    /// Looks at a body.
    pub fn new(body: &Body, which: Edges) -> Shape {
        let count = body.blocks.len();
        let mut pairs = Vec::with_capacity(body.edges.len());
        for (id, block) in body.blocks() {
            pairs.extend(edges_of(body, block, which).map(|to| (id.0, to)));
        }
        pairs.retain(|(_, to)| (*to as usize) < count);
        let after = Graph::new(count, &pairs);
        for pair in &mut pairs {
            *pair = (pair.1, pair.0);
        }
        let before = Graph::new(count, &pairs);
        let above = dominators(count, 0, &after, &before);
        Shape { before, above }
    }

    /// The blocks with an edge to this one, as often as they have one.
    pub fn predecessors(&self, block: BlockId) -> impl ExactSizeIterator<Item = BlockId> {
        self.before.of(block.0).iter().map(|number| BlockId(*number))
    }

    /// The closest block through which every path to this one leads; `None` for the entry and what is not reached.
    pub fn dominator(&self, block: BlockId) -> Option<BlockId> {
        self.above.get(block.index()).copied().filter(|above| *above != NONE).map(BlockId)
    }

    /// Is the block reached at all?
    pub fn is_reached(&self, block: BlockId) -> bool {
        block == BlockId::ENTRY || self.dominator(block).is_some()
    }

    /// Does every path to `below` lead through `above` (or are they the same)? Takes as long as the tree is deep; see
    /// [`Shape::intervals`] for many questions.
    pub fn dominates(&self, above: BlockId, below: BlockId) -> bool {
        let mut at = Some(below);
        while let Some(block) = at {
            if block == above {
                return true;
            }
            at = self.dominator(block);
        }
        false
    }

    /// For each block when a walk of the dominator tree enters and leaves it: `a` dominates `b` if `a` was entered
    /// before and left after it.
    pub fn intervals(&self) -> Vec<(u32, u32)> {
        let count = self.above.len();
        let pairs: Vec<(u32, u32)> =
            (0u32..).zip(&self.above).filter(|(_, above)| **above != NONE).map(|(n, a)| (*a, n)).collect();
        let children = Graph::new(count, &pairs);
        let mut found = vec![(0, 0); count];
        let mut time = 0;
        let mut stack = vec![(0u32, 0usize)];
        while let Some((block, next)) = stack.last_mut() {
            let (number, at) = (*block, *next);
            *next += 1;
            if at == 0
                && let Some(place) = found.get_mut(number as usize)
            {
                time += 1;
                place.0 = time;
            }
            match children.of(number).get(at) {
                Some(child) => stack.push((*child, 0)),
                None => {
                    time += 1;
                    if let Some(place) = found.get_mut(number as usize) {
                        place.1 = time;
                    }
                    stack.pop();
                }
            }
        }
        found
    }
}

/// The closest dominator of each node (Cooper, Harvey, Kennedy: A simple, fast dominance algorithm).
fn dominators(count: usize, root: u32, after: &Graph, before: &Graph) -> Vec<u32> {
    let mut order = Vec::with_capacity(count);
    let mut number = vec![NONE; count];
    let mut seen = vec![false; count];
    let mut stack = vec![(root, 0usize)];
    if let Some(seen) = seen.get_mut(root as usize) {
        *seen = true;
    }
    while let Some((node, next)) = stack.last_mut() {
        match after.of(*node).get(*next) {
            Some(child) => {
                *next += 1;
                if let Some(seen) = seen.get_mut(*child as usize).filter(|seen| !**seen) {
                    *seen = true;
                    stack.push((*child, 0));
                }
            }
            None => {
                order.push(*node);
                stack.pop();
            }
        }
    }
    order.reverse();
    for (position, node) in (0u32..).zip(&order) {
        number[*node as usize] = position;
    }
    // By position in reverse postorder.
    let mut above = vec![NONE; order.len()];
    if let Some(first) = above.first_mut() {
        *first = 0;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for position in 1..order.len() {
            let mut best = NONE;
            for from in before.of(order[position]) {
                let mut other = number[*from as usize];
                if other == NONE || above[other as usize] == NONE {
                    continue;
                }
                if best == NONE {
                    best = other;
                    continue;
                }
                while best != other {
                    while other > best {
                        other = above[other as usize];
                    }
                    while best > other {
                        best = above[best as usize];
                    }
                }
            }
            if above[position] != best {
                above[position] = best;
                changed = true;
            }
        }
    }
    let mut found = vec![NONE; count];
    for position in 1..order.len() {
        found[order[position] as usize] = order[above[position] as usize];
    }
    found
}

/// On which branches each block depends (Ferrante, Ottenstein, Warren).
#[derive(Clone, Debug)]
pub struct Control {
    graph: Graph,
}

impl Control {
    /// Looks at a body.
    pub fn new(body: &Body, which: Edges) -> Control {
        let count = body.blocks.len();
        let exit = count as u32;
        let mut forward = Vec::with_capacity(body.edges.len());
        for (id, block) in body.blocks() {
            let before = forward.len();
            forward.extend(edges_of(body, block, which).map(|to| (id.0, to)).filter(|(_, to)| *to < exit));
            if forward.len() == before {
                forward.push((id.0, exit));
            }
        }
        // A loop without a way out has none to the exit either: it is given one from its first block.
        let mut backward = reversed(&forward);
        for start in unreached(count, exit, &backward) {
            forward.push((start, exit));
        }
        backward = reversed(&forward);
        let after = Graph::new(count + 1, &forward);
        let back = Graph::new(count + 1, &backward);
        let post = dominators(count + 1, exit, &back, &after);
        let mut pairs = Vec::new();
        for (from, to) in &forward {
            if after.of(*from).len() < 2 {
                continue;
            }
            let end = post.get(*from as usize).copied().unwrap_or(NONE);
            let mut at = *to;
            while at != end && at != NONE && at != exit {
                pairs.push((at, *from));
                at = post.get(at as usize).copied().unwrap_or(NONE);
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        Control { graph: Graph::new(count, &pairs) }
    }

    /// The blocks whose end decides directly whether this one runs.
    pub fn of(&self, block: BlockId) -> impl ExactSizeIterator<Item = BlockId> {
        self.graph.of(block.0).iter().map(|number| BlockId(*number))
    }
}

fn reversed(pairs: &[(u32, u32)]) -> Vec<(u32, u32)> {
    pairs.iter().map(|(from, to)| (*to, *from)).collect()
}

/// One block of every part from which the exit cannot be reached.
fn unreached(count: usize, exit: u32, backward: &[(u32, u32)]) -> Vec<u32> {
    let graph = Graph::new(count + 1, backward);
    let mut seen = vec![false; count + 1];
    let mut found = Vec::new();
    let mut stack = vec![exit];
    // From the last block on: the block of a loop that is closest to a way out comes late.
    for next in (0..=exit).rev() {
        if next != exit {
            if seen[next as usize] {
                continue;
            }
            found.push(next);
            stack.push(next);
        }
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut seen[node as usize], true) {
                continue;
            }
            stack.extend(graph.of(node));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse_class;

    fn body(text: &str) -> Body {
        let class = parse_class(&format!("class A {{ method static void f(int x) {{ {text} }} }}"));
        class.expect("a class").method("f").and_then(|m| m.body()).expect("a body").clone()
    }

    const LOOP: &str = "jump head
        head: if x == 0 then out else inside
        inside: if x < 0 then left else right
        left: jump last
        right: jump last
        last: jump head
        out: return";

    #[test]
    fn dominators_are_found_in_a_loop() {
        let body = body(LOOP);
        let shape = Shape::new(&body, Edges::All);
        let above: Vec<_> = (0..7).map(|n| shape.dominator(BlockId(n)).map(|b| b.0)).collect();
        assert_eq!(above, [None, Some(0), Some(1), Some(2), Some(2), Some(2), Some(1)]);
        assert!(shape.dominates(BlockId(1), BlockId(5)) && !shape.dominates(BlockId(3), BlockId(5)));
        let intervals = shape.intervals();
        for above in 0..7 {
            for below in 0..7 {
                let (a, b) = (intervals[above as usize], intervals[below as usize]);
                let inside = a.0 <= b.0 && b.1 <= a.1;
                assert_eq!(inside, shape.dominates(BlockId(above), BlockId(below)));
            }
        }
    }

    #[test]
    fn a_block_depends_on_the_branches_that_decide_it() {
        let body = body(LOOP);
        let control = Control::new(&body, Edges::All);
        let of = |n| control.of(BlockId(n)).map(|b| b.0).collect::<Vec<_>>();
        assert_eq!(of(0), []);
        assert_eq!(of(1), [1]);
        assert_eq!(of(2), [1]);
        assert_eq!(of(3), [2]);
        assert_eq!(of(5), [1]);
        assert_eq!(of(6), []);
    }

    #[test]
    fn a_loop_without_a_way_out_has_control_dependence_too() {
        let body = body("jump head  head: if x == 0 then a else b  a: jump head  b: jump head");
        let control = Control::new(&body, Edges::All);
        assert_eq!(control.of(BlockId(2)).map(|b| b.0).collect::<Vec<_>>(), [1]);
    }
}
