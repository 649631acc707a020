//! A method as blocks and edges, which block comes before which in every run (dominators), and its loops. Methods with
//! subroutines, with cycles that have two entries, or with very many blocks are given up: `None`.

use classfile::{Code, Instruction, Result, op};

/// Handlers that one method may have: each is looked at for each block.
const MOST_HANDLERS: usize = 200;
/// Edges that one method may have.
const MOST_EDGES: usize = 20_000;
/// Loops that one method may have.
const MOST_LOOPS: usize = 200;
const NONE: usize = usize::MAX;

/// How control goes along an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// On to the next instruction.
    Fall,
    /// The condition at the block's end jumps.
    Taken,
    /// The block ends in a `goto`.
    Goto,
    /// By the switch at the block's end.
    Switch,
    /// By an exception.
    Thrown,
}

/// From block to block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub from: usize,
    pub to: usize,
    pub way: Way,
}

/// Instructions that are run one after the other; all of them are covered by the same handlers.
#[derive(Debug)]
pub(crate) struct Block {
    /// The first pc, and the first behind it.
    pub start: u32,
    pub end: u32,
    /// Its instructions: positions in [`Graph::steps`].
    pub first: usize,
    pub behind: usize,
    pub out: Vec<Edge>,
    pub into: Vec<Edge>,
    /// When it was met in a walk over the tree of dominators, first and last.
    met: (usize, usize),
    /// Its place in an order in which edges lead forward but for those of loops; `NONE` if it is never reached.
    place: usize,
}

/// A method's code.
pub(crate) struct Graph<'c> {
    pub steps: Vec<(u32, Instruction<'c>)>,
    pub blocks: Vec<Block>,
    /// The blocks that can be reached, by their places.
    order: Vec<usize>,
}

/// A loop: all that is run between two visits of its header.
#[derive(Debug)]
pub(crate) struct Loop {
    pub header: usize,
    /// Ascending, the header too.
    pub blocks: Vec<usize>,
    /// The blocks from which it starts again.
    pub latches: Vec<usize>,
}

impl Loop {
    pub fn has(&self, block: usize) -> bool {
        self.blocks.binary_search(&block).is_ok()
    }
}

impl<'c> Graph<'c> {
    pub fn new(code: &Code<'c>) -> Result<Option<Graph<'c>>> {
        if code.handlers().len() > MOST_HANDLERS {
            return Ok(None);
        }
        let steps = code.instructions().collect::<Result<Vec<_>>>()?;
        let length = code.bytes.len();
        let mut starts = vec![false; length + 1];
        let mut mark = |pc: u32| {
            if let Some(place) = starts.get_mut(pc as usize) {
                *place = true;
            }
        };
        mark(0);
        let behind = |at: usize| steps.get(at + 1).map_or(length as u32, |(pc, _)| *pc);
        for (at, (_, instruction)) in steps.iter().enumerate() {
            match instruction {
                Instruction::Ret { .. } | Instruction::Branch { opcode: op::JSR, .. } => return Ok(None),
                Instruction::Branch { target, .. } => {
                    mark(*target);
                    mark(behind(at));
                }
                Instruction::Switch(switch) => {
                    switch.targets().for_each(&mut mark);
                    mark(behind(at));
                }
                Instruction::Plain(opcode) if !op::falls_through(*opcode) => mark(behind(at)),
                _ => {}
            }
        }
        for handler in code.handlers() {
            [handler.start, handler.end, handler.target].map(u32::from).into_iter().for_each(&mut mark);
        }
        let mut graph = Graph { steps, blocks: Vec::new(), order: Vec::new() };
        for at in 0..graph.steps.len() {
            let Some((pc, _)) = graph.steps.get(at) else { break };
            let pc = *pc;
            if starts.get(pc as usize) == Some(&true) {
                graph.blocks.push(Block {
                    start: pc,
                    end: pc,
                    first: at,
                    behind: at,
                    out: Vec::new(),
                    into: Vec::new(),
                    met: (0, 0),
                    place: NONE,
                });
            }
            if let Some(block) = graph.blocks.last_mut() {
                block.behind = at + 1;
                block.end = graph.steps.get(at + 1).map_or(length as u32, |(pc, _)| *pc);
            }
        }
        if !graph.connect(code) {
            return Ok(None);
        }
        graph.order();
        graph.dominators();
        Ok(Some(graph))
    }

    /// The block that starts at a pc.
    pub fn block_at(&self, pc: u32) -> Option<usize> {
        self.blocks.binary_search_by_key(&pc, |block| block.start).ok()
    }

    /// The block's last instruction.
    pub fn last(&self, block: usize) -> Option<(u32, Instruction<'c>)> {
        let block = self.blocks.get(block)?;
        self.steps.get(block.behind.checked_sub(1)?).copied()
    }

    /// Adds the edges; false if something is wrong or there are too many.
    fn connect(&mut self, code: &Code<'c>) -> bool {
        let mut edges = Vec::new();
        for from in 0..self.blocks.len() {
            let (Some(block), Some((_, last))) = (self.blocks.get(from), self.last(from)) else {
                return false;
            };
            let mut add = |to: u32, way: Way| match self.block_at(to) {
                Some(to) => {
                    edges.push(Edge { from, to, way });
                    true
                }
                None => false,
            };
            let fine = match last {
                Instruction::Branch { opcode: op::GOTO, target } => add(target, Way::Goto),
                Instruction::Branch { target, .. } => add(target, Way::Taken) && add(block.end, Way::Fall),
                Instruction::Switch(switch) => {
                    let mut targets: Vec<u32> = switch.targets().collect();
                    targets.sort_unstable();
                    targets.dedup();
                    targets.into_iter().all(|target| add(target, Way::Switch))
                }
                Instruction::Plain(opcode) if !op::falls_through(opcode) => true,
                _ => add(block.end, Way::Fall),
            };
            let mut handlers: Vec<u32> = Vec::new();
            for handler in code.handlers() {
                if (u32::from(handler.start)..u32::from(handler.end)).contains(&block.start)
                    && !handlers.contains(&u32::from(handler.target))
                {
                    handlers.push(u32::from(handler.target));
                }
            }
            if !fine
                || !handlers.into_iter().all(|target| add(target, Way::Thrown))
                || edges.len() > MOST_EDGES
            {
                return false;
            }
        }
        for edge in edges {
            if let Some(block) = self.blocks.get_mut(edge.from) {
                block.out.push(edge);
            }
            if let Some(block) = self.blocks.get_mut(edge.to) {
                block.into.push(edge);
            }
        }
        true
    }

    /// Gives each block that is reached its place.
    fn order(&mut self) {
        let mut seen = vec![false; self.blocks.len()];
        let mut path = vec![(0, 0)];
        let mut done = Vec::new();
        if let Some(place) = seen.first_mut() {
            *place = true;
        }
        while let Some((block, next)) = path.last_mut() {
            let edge = self.blocks.get(*block).and_then(|found| found.out.get(*next)).copied();
            *next += 1;
            match edge {
                Some(edge) => {
                    if let Some(place @ false) = seen.get_mut(edge.to) {
                        *place = true;
                        path.push((edge.to, 0));
                    }
                }
                None => {
                    done.push(*block);
                    path.pop();
                }
            }
        }
        done.reverse();
        for (place, block) in done.iter().enumerate() {
            if let Some(block) = self.blocks.get_mut(*block) {
                block.place = place;
            }
        }
        self.order = done;
    }

    /// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm".
    fn dominators(&mut self) {
        // In places of the order.
        let mut above = vec![NONE; self.order.len()];
        if let Some(first) = above.first_mut() {
            *first = 0;
        }
        let at = |above: &[usize], place: usize| above.get(place).copied().unwrap_or(NONE);
        let mut changed = true;
        while changed {
            changed = false;
            for place in 1..self.order.len() {
                let Some(block) = self.order.get(place).and_then(|block| self.blocks.get(*block)) else {
                    break;
                };
                let mut found = NONE;
                for edge in &block.into {
                    let mut other = self.place(edge.from);
                    if at(&above, other) == NONE {
                        continue;
                    }
                    if found == NONE {
                        found = other;
                        continue;
                    }
                    while found != other {
                        if found > other {
                            found = at(&above, found);
                        } else {
                            other = at(&above, other);
                        }
                    }
                }
                if let Some(known) = above.get_mut(place)
                    && *known != found
                {
                    *known = found;
                    changed = true;
                }
            }
        }
        // The tree of these, walked to answer questions by two comparisons.
        let mut below = vec![Vec::new(); above.len()];
        for (place, parent) in above.iter().enumerate().skip(1) {
            if let Some(children) = below.get_mut(*parent) {
                children.push(place);
            }
        }
        let mut clock = 0;
        let mut path = vec![(0, 0)];
        while let Some((place, next)) = path.last_mut() {
            clock += 1;
            let block = self.order.get(*place).copied().unwrap_or(NONE);
            if let Some(block) = self.blocks.get_mut(block) {
                if *next == 0 {
                    block.met.0 = clock;
                }
                block.met.1 = clock;
            }
            let child = below.get(*place).and_then(|children| children.get(*next)).copied();
            *next += 1;
            match child {
                Some(child) => path.push((child, 0)),
                None => {
                    path.pop();
                }
            }
        }
    }

    /// The block's place in the order; [`usize::MAX`] if it is never reached.
    pub fn place(&self, block: usize) -> usize {
        self.blocks.get(block).map_or(NONE, |block| block.place)
    }

    /// Is `one` run before `other` whenever that is run? A block comes before itself.
    pub fn dominates(&self, one: usize, other: usize) -> bool {
        let (Some(one), Some(other)) = (self.blocks.get(one), self.blocks.get(other)) else { return false };
        one.place != NONE && other.place != NONE && one.met.0 <= other.met.0 && other.met.1 <= one.met.1
    }

    /// The loops, inner ones before those around them; `None` if there is a cycle with two entries.
    pub fn loops(&self) -> Option<Vec<Loop>> {
        let mut loops: Vec<Loop> = Vec::new();
        for (from, block) in self.blocks.iter().enumerate() {
            for edge in
                block.out.iter().filter(|edge| block.place != NONE && self.place(edge.to) <= block.place)
            {
                if !self.dominates(edge.to, from) {
                    return None;
                }
                match loops.iter_mut().find(|known| known.header == edge.to) {
                    Some(known) => known.latches.push(from),
                    None => {
                        loops.push(Loop { header: edge.to, blocks: Vec::new(), latches: vec![from] });
                    }
                }
                if loops.len() > MOST_LOOPS {
                    return None;
                }
            }
        }
        for found in &mut loops {
            let mut inside = vec![false; self.blocks.len()];
            let mut todo = found.latches.clone();
            if let Some(place) = inside.get_mut(found.header) {
                *place = true;
            }
            while let Some(block) = todo.pop() {
                if let Some(place @ false) = inside.get_mut(block) {
                    *place = true;
                    let into = self.blocks.get(block).map(|block| block.into.as_slice()).unwrap_or_default();
                    todo.extend(into.iter().map(|edge| edge.from).filter(|from| self.place(*from) != NONE));
                }
            }
            found.blocks = (0..inside.len()).filter(|block| inside.get(*block) == Some(&true)).collect();
        }
        loops.sort_by_key(|found| (found.blocks.len(), found.header));
        Some(loops)
    }
}
