//! The graph of a points-to analysis: nodes that hold sets of objects, edges along which they flow. Differences only are
//! passed on, and circles become one node. Knows nothing of programs: whoever uses it is told which objects are new in a
//! node that it watches.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::set::Set;

/// A node's number.
pub type Node = u32;

/// What passes an edge: everything, or what a cast to the class with this number lets pass.
pub type Filter = u32;

/// Everything passes.
pub const ALL: Filter = u32::MAX;

#[derive(Default)]
struct Place {
    objects: Set,
    /// Those that have not been passed on.
    fresh: Set,
    after: Vec<(Node, Filter)>,
    /// What waits for new objects here.
    watchers: Vec<u32>,
    queued: bool,
}

/// The graph.
#[derive(Default)]
pub struct Graph {
    places: Vec<Place>,
    /// For a node that was joined to another, that one; else itself.
    same: Vec<Node>,
    edges: FxHashSet<(Node, Node, Filter)>,
    queue: VecDeque<Node>,
    /// How many nodes were taken from the queue since circles were last looked for.
    since: usize,
    /// How many in all.
    pub steps: usize,
    /// Nodes that became part of another one, and that one, since somebody last took this list.
    pub merged: Vec<(Node, Node)>,
    /// Watchers that are to be told of objects since their node became part of another.
    pub told: Vec<(u32, Set)>,
    /// What each filter lets pass.
    masks: FxHashMap<Filter, Set>,
}

impl Graph {
    /// Adds nodes; returns the first.
    pub fn add(&mut self, count: u32) -> Node {
        let first = self.places.len() as Node;
        for number in first..first + count {
            self.places.push(Place::default());
            self.same.push(number);
        }
        first
    }

    /// How many edges there are.
    pub fn size(&self) -> usize {
        self.edges.len()
    }

    /// The node that now stands for this one.
    pub fn find(&self, mut node: Node) -> Node {
        while self.same[node as usize] != node {
            node = self.same[node as usize];
        }
        node
    }

    fn find_short(&mut self, node: Node) -> Node {
        let found = self.find(node);
        self.same[node as usize] = found;
        found
    }

    /// The objects in a node.
    pub fn objects(&self, node: Node) -> &Set {
        &self.places[self.find(node) as usize].objects
    }

    fn queue(&mut self, node: Node) {
        let place = &mut self.places[node as usize];
        if !std::mem::replace(&mut place.queued, true) {
            self.queue.push_back(node);
        }
    }

    /// Puts an object into a node.
    pub fn put(&mut self, node: Node, object: u32) {
        let node = self.find_short(node);
        let place = &mut self.places[node as usize];
        if place.objects.insert(object) {
            place.fresh.insert(object);
            self.queue(node);
        }
    }

    /// Puts objects into a node.
    pub fn put_all(&mut self, node: Node, objects: &Set) {
        let node = self.find_short(node);
        self.pass(objects, node, ALL);
    }

    /// Is it known what the filter lets pass?
    pub fn has_mask(&self, filter: Filter) -> bool {
        self.masks.contains_key(&filter)
    }

    /// Says what a filter lets pass.
    pub fn set_mask(&mut self, filter: Filter, mask: Set) {
        self.masks.insert(filter, mask);
    }

    /// A new object passes those filters that it should.
    pub fn add_to_masks(&mut self, object: u32, passes: impl Fn(Filter) -> bool) {
        for (filter, mask) in &mut self.masks {
            if passes(*filter) {
                mask.insert(object);
            }
        }
    }

    /// Lets what is in `from`, now and later, flow to `to`.
    pub fn flow(&mut self, from: Node, to: Node, filter: Filter) {
        let (from, to) = (self.find_short(from), self.find_short(to));
        if from == to || !self.edges.insert((from, to, filter)) {
            return;
        }
        self.places[from as usize].after.push((to, filter));
        if !self.places[from as usize].objects.is_empty() {
            let objects = std::mem::take(&mut self.places[from as usize].objects);
            self.pass(&objects, to, filter);
            self.places[from as usize].objects = objects;
        }
    }

    fn pass(&mut self, objects: &Set, to: Node, filter: Filter) {
        let place = &mut self.places[to as usize];
        let before = place.fresh.is_empty();
        if filter == ALL {
            place.objects.join(objects, &mut place.fresh);
        } else if let Some(mask) = self.masks.get(&filter) {
            place.objects.join_masked(objects, mask, &mut place.fresh);
        }
        if before && !self.places[to as usize].fresh.is_empty() {
            self.queue(to);
        }
    }

    /// Asks to be told of every object that is or comes here. Returns those that are here already.
    pub fn watch(&mut self, node: Node, watcher: u32) -> Set {
        let node = self.find_short(node);
        let place = &mut self.places[node as usize];
        place.watchers.push(watcher);
        place.objects.clone()
    }

    /// Makes two nodes one, which stands for both from now on; gives that one.
    pub fn unify(&mut self, one: Node, other: Node) -> Node {
        let (one, other) = (self.find_short(one), self.find_short(other));
        if one == other {
            return one;
        }
        let size = |node: Node| {
            let place = &self.places[node as usize];
            place.after.len() + place.watchers.len()
        };
        let (first, second) = if size(one) < size(other) { (other, one) } else { (one, other) };
        self.join(&[first, second]);
        first
    }

    /// Passes on what is new in one node; `None` if nothing is new anywhere. Gives the node, the watchers there and the
    /// objects.
    pub fn step(&mut self) -> Option<(Node, Vec<u32>, Set)> {
        if self.since > 20_000.max(self.places.len()) {
            self.since = 0;
            self.join_circles();
        }
        let node = loop {
            let node = self.queue.pop_front()?;
            self.places[node as usize].queued = false;
            if self.same[node as usize] == node {
                break node;
            }
        };
        self.since += 1;
        self.steps += 1;
        let fresh = std::mem::take(&mut self.places[node as usize].fresh);
        let after = std::mem::take(&mut self.places[node as usize].after);
        for (to, filter) in &after {
            let to = self.find(*to);
            if to != node {
                self.pass(&fresh, to, *filter);
            }
        }
        let place = &mut self.places[node as usize];
        // Nothing was added meanwhile: passing on makes no edges.
        place.after = after;
        Some((node, place.watchers.clone(), fresh))
    }

    /// Makes each circle of edges that let everything pass one node (Tarjan's components, without recursion).
    fn join_circles(&mut self) {
        let count = self.places.len();
        let (mut index, mut low) = (vec![0u32; count], vec![0u32; count]);
        let mut on_path = vec![false; count];
        let (mut next, mut path, mut calls) = (0, Vec::new(), Vec::new());
        let mut found: Vec<Vec<Node>> = Vec::new();
        for root in 0..count as Node {
            if index[root as usize] != 0 || self.same[root as usize] != root {
                continue;
            }
            calls.push((root, 0usize));
            while let Some((node, at)) = calls.last_mut() {
                let (node, edge) = (*node, *at);
                *at += 1;
                if edge == 0 {
                    next += 1;
                    index[node as usize] = next;
                    low[node as usize] = next;
                    path.push(node);
                    on_path[node as usize] = true;
                }
                match self.places[node as usize].after.get(edge) {
                    Some((_, filter)) if *filter != ALL => {}
                    Some((to, _)) => {
                        let to = self.find(*to);
                        if index[to as usize] == 0 {
                            calls.push((to, 0));
                        } else if on_path[to as usize] {
                            low[node as usize] = low[node as usize].min(index[to as usize]);
                        }
                    }
                    None => {
                        calls.pop();
                        if let Some((above, _)) = calls.last() {
                            low[*above as usize] = low[*above as usize].min(low[node as usize]);
                        }
                        if low[node as usize] == index[node as usize] {
                            let start = path.iter().rposition(|other| *other == node).unwrap_or(0);
                            let circle = path.split_off(start);
                            for member in &circle {
                                on_path[*member as usize] = false;
                            }
                            if circle.len() > 1 {
                                found.push(circle);
                            }
                        }
                    }
                }
            }
        }
        for circle in found {
            self.join(&circle);
        }
    }

    fn join(&mut self, circle: &[Node]) {
        let Some((first, others)) = circle.split_first() else { return };
        for other in others {
            let mut one = std::mem::take(&mut self.places[*first as usize]);
            let two = std::mem::take(&mut self.places[*other as usize]);
            self.same[*other as usize] = *first;
            self.merged.push((*other, *first));
            // Edges and watchers of each have not seen what only the other had, nor what was new in their own.
            let mut ignored = Set::default();
            let mut for_one = two.objects.without(&one.objects);
            for_one.join(&one.fresh, &mut ignored);
            let mut for_two = one.objects.without(&two.objects);
            for_two.join(&two.fresh, &mut ignored);
            for (fresh, place) in [(&for_one, &one), (&for_two, &two)] {
                if fresh.is_empty() {
                    continue;
                }
                for (to, filter) in &place.after {
                    let to = self.find(*to);
                    if to != *first {
                        self.pass(fresh, to, *filter);
                    }
                }
                self.told.extend(place.watchers.iter().map(|watcher| (*watcher, fresh.clone())));
            }
            one.objects.join(&two.objects, &mut ignored);
            one.fresh = Set::default();
            one.after.extend(two.after);
            one.watchers.extend(two.watchers);
            one.queued = false;
            self.places[*first as usize] = one;
        }
        let mut after = std::mem::take(&mut self.places[*first as usize].after);
        if others.len() > 1 || after.len() > 64 {
            for (to, _) in &mut after {
                *to = self.find(*to);
            }
            after.sort_unstable();
            after.dedup();
        }
        after.retain(|(to, filter)| *to != *first || *filter != ALL);
        self.places[*first as usize].after = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settle(graph: &mut Graph) -> Vec<(u32, u32)> {
        let mut told = Vec::new();
        loop {
            for (watcher, objects) in std::mem::take(&mut graph.told) {
                told.extend(objects.iter().map(|object| (watcher, object)));
            }
            let Some((_, watchers, objects)) = graph.step() else { return told };
            for watcher in watchers {
                told.extend(objects.iter().map(|object| (watcher, object)));
            }
        }
    }

    #[test]
    fn objects_flow_along_edges_and_through_filters() {
        let mut graph = Graph::default();
        let first = graph.add(4);
        graph.set_mask(0, [10].into_iter().collect());
        graph.put(first, 10);
        graph.flow(first, first + 1, ALL);
        graph.flow(first + 1, first + 2, 0);
        graph.put(first + 1, 11);
        // What is there already is told at once, and may be told again.
        assert!(graph.watch(first + 2, 7).iter().eq([10]));
        let told = settle(&mut graph);
        assert_eq!(told, [(7, 10)]);
        assert!(graph.objects(first + 1).iter().eq([10, 11]));
        assert!(graph.objects(first + 2).iter().eq([10]));
        assert!(graph.objects(first + 3).is_empty());
    }

    #[test]
    fn circles_become_one_node_and_nothing_is_lost() {
        let mut graph = Graph::default();
        graph.add(6);
        for (from, to) in [(0, 1), (1, 2), (2, 0), (2, 3), (4, 1)] {
            graph.flow(from, to, ALL);
        }
        graph.watch(1, 5);
        graph.put(0, 1);
        settle(&mut graph);
        graph.join_circles();
        assert_eq!(graph.find(0), graph.find(2));
        assert_ne!(graph.find(0), graph.find(3));
        graph.put(4, 2);
        let told = settle(&mut graph);
        assert!(told.contains(&(5, 2)));
        for node in [0, 1, 2, 3] {
            assert!(graph.objects(node).iter().eq([1, 2]), "{node}");
        }
    }

    #[test]
    fn joined_nodes_tell_each_others_watchers_and_successors() {
        let mut graph = Graph::default();
        graph.add(4);
        graph.put(0, 1);
        graph.put(1, 2);
        graph.watch(0, 7);
        graph.watch(1, 8);
        graph.flow(0, 2, ALL);
        graph.flow(1, 3, ALL);
        settle(&mut graph);
        let node = graph.unify(0, 1);
        let mut told = settle(&mut graph);
        told.sort_unstable();
        assert_eq!(told, [(7, 2), (8, 1)]);
        for node in [node, 2, 3] {
            assert!(graph.objects(node).iter().eq([1, 2]), "{node}");
        }
    }
}
