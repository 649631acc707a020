//! Processes by lock: only regions that may be under the same lock are compared with each other, unless all shall be.

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
    let mut found: FxHashMap<u32, Vec<Group>> = FxHashMap::default();
    for (number, process) in regions.processes.iter().enumerate() {
        let mut by_lock: FxHashMap<u32, Vec<RegionId>> = FxHashMap::default();
        for region in &process.regions {
            let lock = regions.variables.locks.get(region.index()).copied().unwrap_or_default();
            let view = regions.views.of(*region);
            if !view.reads.is_empty() || !view.writes.is_empty() {
                by_lock.entry(if together { 0 } else { lock }).or_default().push(*region);
            }
        }
        for (lock, of) in by_lock {
            let groups = found.entry(lock).or_default();
            // Processes that run the same regions are as one that several threads run.
            match groups.iter_mut().find(|known| known.regions == of) {
                Some(known) => known.many = true,
                None => groups.push(Group { process: number, many: process.many, regions: of }),
            }
        }
    }
    let mut found: Vec<(u32, Vec<Group>)> = found.into_iter().collect();
    found.sort_unstable_by_key(|(lock, _)| *lock);
    found.into_iter().map(|(_, groups)| groups).collect()
}
