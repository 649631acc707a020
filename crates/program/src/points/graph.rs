//! The graph of a points-to analysis: nodes that hold sets of objects, edges along which they flow. Differences only are
//! passed on, and circles become one node. Knows nothing of programs: whoever uses it is told which objects are new in a
//! node that it watches.
//!
//! The lowest numbers are **crowds**: each stands for many objects. A filter makes another crowd of a crowd. Crowd 0
//! stands for all: where it is, no other crowd is needed. An object may be *replaced* by a crowd: it is so in every node
//! from then on, and all who watch the node are told of the crowd.

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::set::Set;

/// A node's number.
pub type Node = u32;

/// What passes an edge: everything, or what a cast to the class with this number lets pass.
pub type Filter = u32;

/// Everything passes.
pub const ALL: Filter = u32::MAX;

/// The crowd that stands for all.
const EVERYBODY: u32 = 0;

/// What casts make of crowds.
pub trait Casts {
    /// What is left of a crowd behind a filter.
    fn narrowed(&self, crowd: u32, filter: Filter) -> Option<u32>;
}

/// How many crowds a node holds before it holds the one that stands for all.
const MOST_CROWDS: usize = 24;

#[derive(Default)]
struct Place {
    objects: Set,
    /// Those that have not been passed on.
    fresh: Set,
    after: Vec<(Node, Filter)>,
    /// What waits for new objects here.
    watchers: Vec<u32>,
    queued: bool,
    /// How many edges there were when doubles were last taken out.
    single: u32,
    /// How many objects had been replaced when those here were last looked for.
    tidied: u32,
}

/// What was passed on.
pub struct Step {
    /// From which node.
    pub node: Node,
    /// Who is to be told.
    pub watchers: Vec<u32>,
    /// Of what, if it is not all that is new.
    pub told: Option<Set>,
    /// What is new in the node.
    pub fresh: Set,
}

/// What a filter lets pass.
#[derive(Default)]
struct Mask {
    objects: Set,
    /// Does it let those pass that pass every such filter?
    open: bool,
}

/// The graph.
pub struct Graph<C> {
    /// What casts make of crowds.
    pub casts: C,
    places: Vec<Place>,
    /// For a node that was joined to another, that one; else itself.
    same: Vec<Node>,
    edges: FxHashSet<(Node, Node, Filter)>,
    queue: VecDeque<Node>,
    /// How many nodes were taken from the queue since circles were last looked for.
    since: usize,
    /// How much work was done: words of sets that were passed on.
    pub steps: usize,
    /// Nodes that became part of another one, and that one, since somebody last took this list.
    pub merged: Vec<(Node, Node)>,
    /// Watchers that are to be told of objects since their node became part of another.
    pub told: Vec<(u32, Rc<Set>)>,
    masks: FxHashMap<Filter, Mask>,
    /// What passes all open filters.
    free: Set,
    narrowed: FxHashMap<(u32, Filter), Option<u32>>,
    /// Numbers below sixty-four times this are crowds.
    crowds: u32,
    replaced: Set,
    instead: FxHashMap<u32, u32>,
    /// The node that only crowds leave.
    closed: Option<Node>,
    /// Nodes that hold more objects than this are told of.
    limit: usize,
    /// Nodes that hold too many objects, since somebody last took this list.
    pub overfull: Vec<Node>,
}

impl<C: Casts> Graph<C> {
    /// A graph whose numbers below sixty-four times `crowds` are crowds.
    pub fn new(casts: C, crowds: u32) -> Graph<C> {
        Graph {
            casts,
            places: Vec::new(),
            same: Vec::new(),
            edges: FxHashSet::default(),
            queue: VecDeque::new(),
            since: 0,
            steps: 0,
            merged: Vec::new(),
            told: Vec::new(),
            masks: FxHashMap::default(),
            free: Set::default(),
            narrowed: FxHashMap::default(),
            crowds,
            replaced: Set::default(),
            instead: FxHashMap::default(),
            closed: None,
            limit: usize::MAX,
            overfull: Vec::new(),
        }
    }

    /// Makes room for so many nodes, so that they need not be moved.
    pub fn reserve(&mut self, count: usize) {
        self.places.reserve(count);
        self.same.reserve(count);
    }

    /// Adds nodes; returns the first.
    pub fn add(&mut self, count: u32) -> Node {
        let first = self.places.len() as Node;
        for number in first..first + count {
            self.places.push(Place::default());
            self.same.push(number);
        }
        first
    }

    /// The first number that is no crowd.
    pub fn first(&self) -> u32 {
        self.crowds * 64
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
        self.put_all(node, &Set::from_iter([object]));
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

    /// Says which objects a filter lets pass, and whether it is an open one.
    pub fn set_mask(&mut self, filter: Filter, objects: Set, open: bool) {
        self.masks.insert(filter, Mask { objects, open });
    }

    /// An object passes some filters, as far as these are known.
    pub fn let_pass(&mut self, object: u32, filters: impl Iterator<Item = Filter>) {
        for filter in filters {
            if let Some(mask) = self.masks.get_mut(&filter) {
                mask.objects.insert(object);
            }
        }
    }

    /// An object passes all open filters.
    pub fn let_free(&mut self, object: u32) {
        self.free.insert(object);
    }

    /// From now on nodes with more than so many objects are told of.
    pub fn limit(&mut self, most: usize) {
        self.limit = most;
        for number in 0..self.places.len() as Node {
            if self.places[number as usize].objects.len() > most {
                self.overfull.push(number);
            }
        }
    }

    /// What the crowd that stands for all stands for has changed: it is passed on and told of again.
    pub fn tell_again(&mut self) {
        self.narrowed.clear();
        for number in 0..self.places.len() as Node {
            let place = &mut self.places[number as usize];
            if place.objects.contains(EVERYBODY) && place.fresh.insert(EVERYBODY) {
                self.queue(number);
            }
        }
    }

    /// From now on a crowd stands in for an object.
    pub fn replace(&mut self, object: u32, crowd: u32) {
        self.replaced.insert(object);
        self.instead.insert(object, crowd);
    }

    /// Puts crowds in place of objects that were replaced.
    fn tidy(&mut self, node: Node) {
        let now = self.instead.len() as u32;
        let place = &mut self.places[node as usize];
        // Unless more were replaced since, only what is new here can be.
        let here = if place.tidied == now { &place.fresh } else { &place.objects };
        place.tidied = now;
        if !here.meets(&self.replaced) {
            return;
        }
        let gone = place.objects.common(&self.replaced);
        place.objects = place.objects.without(&gone);
        place.fresh = place.fresh.without(&gone);
        let crowds: Set = gone.iter().filter_map(|object| self.instead.get(&object).copied()).collect();
        self.pass(&crowds, node, ALL);
    }

    /// Puts crowds in place of replaced objects everywhere; was that nothing new to anybody?
    pub fn is_tidy(&mut self) -> bool {
        for node in 0..self.places.len() as Node {
            self.tidy(node);
        }
        self.queue.is_empty()
    }

    /// The sets: for each node the number of its own among those that differ.
    pub fn into_sets(mut self) -> (Vec<u32>, Vec<Set>) {
        let mut known: FxHashMap<Set, u32> = FxHashMap::default();
        let mut own: Vec<u32> = Vec::with_capacity(self.places.len());
        for place in &mut self.places {
            let objects = std::mem::take(&mut place.objects);
            let next = known.len() as u32;
            own.push(*known.entry(objects).or_insert(next));
        }
        let set_of = (0..own.len() as Node).map(|node| own[self.find(node) as usize]).collect();
        let mut sets = vec![Set::default(); known.len()];
        for (set, number) in known {
            sets[number as usize] = set;
        }
        (set_of, sets)
    }

    /// Lets what is in `from`, now and later, flow to `to`.
    pub fn flow(&mut self, from: Node, to: Node, filter: Filter) {
        let (from, to) = (self.find_short(from), self.find_short(to));
        if from == to || !self.edges.insert((from, to, filter)) {
            return;
        }
        self.places[from as usize].after.push((to, filter));
        if !self.places[from as usize].objects.is_empty() {
            self.tidy(from);
            let objects = std::mem::take(&mut self.places[from as usize].objects);
            if self.is_closed(from) {
                self.pass(&self.crowds_of(&objects), to, filter);
            } else {
                self.pass(&objects, to, filter);
            }
            self.places[from as usize].objects = objects;
        }
    }

    /// From now on nothing but crowds leaves the node.
    pub fn close(&mut self, node: Node) {
        self.closed = Some(node);
    }

    fn is_closed(&self, node: Node) -> bool {
        self.closed.is_some_and(|closed| self.find(closed) == node)
    }

    fn crowds_of(&self, objects: &Set) -> Set {
        objects.below(self.crowds)
    }

    fn pass(&mut self, objects: &Set, to: Node, filter: Filter) {
        let place = &mut self.places[to as usize];
        let before = place.objects.words();
        self.steps += 1 + objects.words();
        let crowded = place.objects.contains(EVERYBODY);
        if filter == ALL {
            let first = if crowded { self.crowds } else { 0 };
            place.objects.join_from(objects, first, &mut place.fresh);
        } else {
            if !crowded {
                for crowd in objects.iter_below(self.crowds) {
                    let casts = &self.casts;
                    let left = *self
                        .narrowed
                        .entry((crowd, filter))
                        .or_insert_with(|| casts.narrowed(crowd, filter));
                    if let Some(left) = left.filter(|left| place.objects.insert(*left)) {
                        place.fresh.insert(left);
                    }
                }
            }
            if let Some(mask) = self.masks.get(&filter) {
                place.objects.join_masked(objects, self.crowds, &mask.objects, &mut place.fresh);
                if mask.open {
                    place.objects.join_masked(objects, self.crowds, &self.free, &mut place.fresh);
                }
            }
        }
        if place.fresh.is_empty() {
            return;
        }
        if !crowded && place.objects.count_below(self.crowds) > 1 {
            let all = place.objects.contains(EVERYBODY);
            if all || place.objects.count_below(self.crowds) > MOST_CROWDS {
                place.objects.forget_below(self.crowds);
                place.fresh.forget_below(self.crowds);
                place.objects.insert(EVERYBODY);
                place.fresh.insert(EVERYBODY);
            }
        }
        let after = place.objects.words();
        if after > before && after * 64 > self.limit && place.objects.len() > self.limit {
            self.overfull.push(to);
        }
        self.queue(to);
    }

    /// Asks to be told of every object that is or comes here. Returns those that are here already.
    pub fn watch(&mut self, node: Node, watcher: u32) -> Set {
        let node = self.find_short(node);
        let place = &mut self.places[node as usize];
        place.watchers.push(watcher);
        if self.is_closed(node) {
            return self.crowds_of(&self.places[node as usize].objects);
        }
        self.places[node as usize].objects.clone()
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

    /// Passes on what is new in one node; `None` if nothing is new anywhere.
    pub fn step(&mut self) -> Option<Step> {
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
        self.tidy(node);
        self.since += 1;
        let fresh = std::mem::take(&mut self.places[node as usize].fresh);
        let after = std::mem::take(&mut self.places[node as usize].after);
        let kept_back = self.is_closed(node).then(|| self.crowds_of(&fresh));
        let passed = kept_back.as_ref().unwrap_or(&fresh);
        if !passed.is_empty() {
            for (to, filter) in &after {
                let to = self.find(*to);
                if to != node {
                    self.pass(passed, to, *filter);
                }
            }
        }
        let place = &mut self.places[node as usize];
        // Nothing was added meanwhile: passing on makes no edges.
        place.after = after;
        Some(Step { node, watchers: place.watchers.clone(), told: kept_back, fresh })
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
            let is_closed = self.is_closed(*first) || self.is_closed(*other);
            let mut one = std::mem::take(&mut self.places[*first as usize]);
            let two = std::mem::take(&mut self.places[*other as usize]);
            self.same[*other as usize] = *first;
            self.merged.push((*other, *first));
            // Edges and watchers of each have not seen what only the other had, nor what was new in their own.
            let mut ignored = Set::default();
            let (of_one, of_two) = match is_closed {
                true => (self.crowds_of(&one.objects), self.crowds_of(&two.objects)),
                false => (Set::default(), Set::default()),
            };
            let (all_one, all_two) =
                if is_closed { (&of_one, &of_two) } else { (&one.objects, &two.objects) };
            let mut for_one = all_two.without(all_one);
            for_one.join(&one.fresh, &mut ignored);
            let mut for_two = all_one.without(all_two);
            for_two.join(&two.fresh, &mut ignored);
            for (fresh, place) in [(for_one, &one), (for_two, &two)] {
                let mut fresh = if is_closed { self.crowds_of(&fresh) } else { fresh };
                // Where the crowd of all was, no other one is new.
                if place.objects.contains(EVERYBODY) && !place.fresh.contains(EVERYBODY) {
                    fresh.forget_below(self.crowds);
                }
                if fresh.is_empty() {
                    continue;
                }
                for (to, filter) in &place.after {
                    let to = self.find(*to);
                    if to != *first {
                        self.pass(&fresh, to, *filter);
                    }
                }
                let fresh = Rc::new(fresh);
                self.told.extend(place.watchers.iter().map(|watcher| (*watcher, Rc::clone(&fresh))));
            }
            one.objects.join(&two.objects, &mut ignored);
            if one.objects.contains(EVERYBODY) {
                one.objects.forget_below(self.crowds);
                one.objects.insert(EVERYBODY);
            }
            one.fresh = Set::default();
            // Both may have had new ones that are replaced.
            one.tidied = u32::MAX;
            one.after.extend(two.after);
            one.watchers.extend(two.watchers);
            one.queued = false;
            self.places[*first as usize] = one;
        }
        let mut after = std::mem::take(&mut self.places[*first as usize].after);
        if after.len() > 2 * self.places[*first as usize].single as usize + 16 {
            for (to, _) in &mut after {
                *to = self.find(*to);
            }
            after.sort_unstable();
            after.dedup();
            after.retain(|(to, filter)| *to != *first || *filter != ALL);
            self.places[*first as usize].single = after.len() as u32;
        }
        self.places[*first as usize].after = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Crowd 0 becomes crowd 1 behind filter 5, others get nowhere.
    struct Pairs;

    impl Casts for Pairs {
        fn narrowed(&self, crowd: u32, filter: Filter) -> Option<u32> {
            (crowd == 0 && filter == 5).then_some(1)
        }
    }

    struct NoCrowds;

    impl Casts for NoCrowds {
        fn narrowed(&self, _: u32, _: Filter) -> Option<u32> {
            None
        }
    }

    fn settle<C: Casts>(graph: &mut Graph<C>) -> Vec<(u32, u32)> {
        let mut told = Vec::new();
        loop {
            for (watcher, objects) in std::mem::take(&mut graph.told) {
                told.extend(objects.iter().map(|object| (watcher, object)));
            }
            let Some(step) = graph.step() else { return told };
            let objects = step.told.as_ref().unwrap_or(&step.fresh);
            for watcher in step.watchers {
                told.extend(objects.iter().map(|object| (watcher, object)));
            }
        }
    }

    #[test]
    fn objects_flow_along_edges_and_through_filters() {
        let mut graph = Graph::new(NoCrowds, 0);
        let first = graph.add(4);
        graph.set_mask(0, [10].into_iter().collect(), false);
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
        let mut graph = Graph::new(NoCrowds, 0);
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
    fn crowds_stand_in_for_objects_and_filters_narrow_them() {
        // Numbers below 64 are crowds.
        let mut graph = Graph::new(Pairs, 1);
        graph.add(4);
        graph.set_mask(5, [70].into_iter().collect(), false);
        graph.flow(0, 1, ALL);
        graph.flow(1, 2, 5);
        graph.watch(2, 9);
        graph.put(0, 70);
        graph.put(0, 71);
        assert_eq!(settle(&mut graph), [(9, 70)]);
        // The crowd of all comes in place of an object, and leaves as another crowd.
        graph.replace(71, 0);
        graph.put(0, 72);
        settle(&mut graph);
        assert!(graph.is_tidy());
        assert!(graph.objects(1).iter().eq([0, 70, 72]));
        assert!(graph.objects(2).iter().eq([1, 70]));
        // Where all are, no other crowd is kept; and nothing but crowds leaves a closed node.
        graph.put(1, 3);
        graph.close(1);
        graph.flow(1, 3, ALL);
        settle(&mut graph);
        assert!(graph.objects(1).iter().eq([0, 70, 72]));
        assert!(graph.objects(3).iter().eq([0]));
    }

    #[test]
    fn joined_nodes_tell_each_others_watchers_and_successors() {
        let mut graph = Graph::new(NoCrowds, 0);
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
