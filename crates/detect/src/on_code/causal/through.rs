//! What a call gives back of what it is given: edges that lead past the callee, so that a path need not go into it. With
//! them a path that goes into a method by one call and out by another can be told apart (Horwitz, Reps and Binkley,
//! *Interprocedural slicing using dependence graphs*, 1990). Without `--paper` only; the paper does not tell calls apart.

use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Builder, Edge, Kind, Node};

/// Steps for each edge of the graph; then the rest is left out: paths through such calls are missed.
const STEPS_PER_EDGE: usize = 8;

/// A call's nodes in and out, merged over what it was built of.
#[derive(Default)]
struct Site {
    ins: Vec<(Node, Node, bool)>,
    outs: Vec<(Node, Node)>,
}

/// Adds the edges; false if some are missing.
pub fn add(builder: &mut Builder<'_, '_>) -> bool {
    let mut sites: FxHashMap<(u32, u32, u32), Site> = FxHashMap::default();
    for (inst, site) in builder.sites.drain(..) {
        let merged = sites.entry((site.caller, inst, site.callee)).or_default();
        merged.ins.extend(site.ins);
        merged.outs.extend(site.outs);
    }
    let mut callers: FxHashMap<u32, Vec<(u32, Site)>> = FxHashMap::default();
    let mut formals: FxHashMap<u32, (FxHashSet<Node>, FxHashSet<Node>)> = FxHashMap::default();
    let mut keys: Vec<(u32, u32, u32)> = sites.keys().copied().collect();
    keys.sort_unstable();
    for key in keys {
        let Some(site) = sites.remove(&key) else { continue };
        let (ins, outs) = formals.entry(key.2).or_default();
        ins.extend(site.ins.iter().map(|(_, formal, _)| *formal));
        outs.extend(site.outs.iter().map(|(formal, _)| *formal));
        callers.entry(key.2).or_default().push((key.0, site));
    }
    let mut next: Vec<Vec<(Node, bool)>> = vec![Vec::new(); builder.graph.len()];
    for (from, edge) in &builder.found {
        if let Some(list) = next.get_mut(*from as usize).filter(|_| edge.kind == Kind::Within) {
            list.push((edge.to, edge.control));
        }
    }
    // In which search a node was met last: without a condition, and with one.
    let mut met: Vec<[u32; 2]> = vec![[0; 2]; builder.graph.len()];
    let mut round = 0;
    let mut steps = builder.found.len().saturating_mul(STEPS_PER_EDGE).saturating_add(1_000_000);
    let mut known: FxHashSet<(Node, Node, bool)> = FxHashSet::default();
    let mut new: FxHashSet<(Node, Node, bool)> = FxHashSet::default();
    // Callees come after their callers: from the last one on.
    let mut work: Vec<u32> = formals.keys().copied().collect();
    work.sort_unstable();
    let mut waiting: FxHashSet<u32> = work.iter().copied().collect();
    while let Some(instance) = work.pop() {
        waiting.remove(&instance);
        let Some((ins, outs)) = formals.get(&instance) else { continue };
        let mut ins: Vec<Node> = ins.iter().copied().collect();
        ins.sort_unstable();
        let mut grown = Vec::new();
        for start in ins {
            round += 1;
            let mut stack = vec![(start, false)];
            while let Some((node, control)) = stack.pop() {
                if steps == 0 {
                    break;
                }
                steps -= 1;
                if outs.contains(&node) && known.insert((start, node, control)) {
                    grown.push((start, node, control));
                }
                for (to, by_control) in next.get(node as usize).into_iter().flatten() {
                    let control = control || *by_control;
                    let Some(met) = met.get_mut(*to as usize) else { continue };
                    // What is reached without a condition need not be looked at again with one.
                    if *to != start && met[0] != round && met[usize::from(control)] != round {
                        met[usize::from(control)] = round;
                        stack.push((*to, control));
                    }
                }
            }
        }
        if grown.is_empty() {
            continue;
        }
        for (caller, site) in callers.get(&instance).into_iter().flatten() {
            let mut more = false;
            for (given, formal, is_condition) in &site.ins {
                for (_, out, control) in grown.iter().filter(|(start, ..)| start == formal) {
                    for (_, got) in site.outs.iter().filter(|(formal, _)| formal == out) {
                        let edge = (*given, *got, *control || *is_condition);
                        if given != got && new.insert(edge) {
                            if let Some(list) = next.get_mut(edge.0 as usize) {
                                list.push((edge.1, edge.2));
                            }
                            more = true;
                        }
                    }
                }
            }
            if more && formals.contains_key(caller) && waiting.insert(*caller) {
                work.push(*caller);
            }
        }
    }
    builder.found.extend(
        new.into_iter().map(|(from, to, control)| (from, Edge { to, kind: Kind::Through, control, inst: 0 })),
    );
    steps > 0
}
