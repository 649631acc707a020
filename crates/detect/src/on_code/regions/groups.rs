//! Processes by lock: only regions that may be under the same lock are compared with each other, unless all shall be.

use std::collections::hash_map::Entry;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::{RegionId, Regions};

/// A process with the regions that it runs under one lock.
pub struct Group {
    /// The process; the first of several that run just these regions.
    pub process: usize,
    /// Do several threads run them?
    pub many: bool,
    /// The regions that read or write something.
    pub regions: Vec<RegionId>,
}

/// All processes, for each lock in turn. With `together` all locks count as one.
pub fn by_lock(regions: &Regions<'_>, together: bool) -> Vec<Vec<Group>> {
    // Processes that run the same regions are as one that several threads run.
    let mut known: FxHashMap<*const [u32], usize> = FxHashMap::default();
    let mut distinct: Vec<(usize, bool, &[u32])> = Vec::new();
    for (number, process) in regions.processes.all.iter().enumerate() {
        match known.entry(Rc::as_ptr(&process.regions)) {
            Entry::Occupied(first) => {
                if let Some((_, many, _)) = distinct.get_mut(*first.get()) {
                    *many = true;
                }
            }
            Entry::Vacant(place) => {
                place.insert(distinct.len());
                distinct.push((number, process.many, &process.regions));
            }
        }
    }
    let mut found: FxHashMap<u32, Vec<Group>> = FxHashMap::default();
    let mut groups: FxHashMap<(u32, Vec<RegionId>), usize> = FxHashMap::default();
    for (process, many, of) in distinct {
        let mut by_lock: FxHashMap<u32, Vec<RegionId>> = FxHashMap::default();
        for region in of.iter().copied().map(RegionId) {
            let lock = regions.variables.locks.get(region.index()).copied().unwrap_or_default();
            let view = regions.views.of(region);
            if !view.reads.is_empty() || !view.writes.is_empty() {
                by_lock.entry(if together { 0 } else { lock }).or_default().push(region);
            }
        }
        for (lock, of) in by_lock {
            let all = found.entry(lock).or_default();
            match groups.entry((lock, of)) {
                Entry::Occupied(known) => {
                    if let Some(known) = all.get_mut(*known.get()) {
                        known.many = true;
                    }
                }
                Entry::Vacant(place) => {
                    all.push(Group { process, many, regions: place.key().1.clone() });
                    place.insert(all.len() - 1);
                }
            }
        }
    }
    let mut found: Vec<(u32, Vec<Group>)> = found.into_iter().collect();
    found.sort_unstable_by_key(|(lock, _)| *lock);
    found.into_iter().map(|(_, groups)| groups).collect()
}
