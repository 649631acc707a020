//! Process compatibility and view consistency (MoTH, Definitions 5 to 9).
//!
//! The kinds of access are stripped before views are intersected: Definition 7 is empty otherwise. For each maximal read
//! view the write views of other processes must form a chain (compw), for each maximal write view their read views, unless
//! nothing depends on both (compr). A process that several threads run counts as two.
//!
//! By default, beyond the paper:
//! - only regions that may be under the same lock are compared;
//! - for compr, something must depend on two variables of which each is in one of the two views alone, and neither is
//!   written in the region that reads it: whoever reads a variable to write it anew is up to date with it;
//! - the two variables that show it must be fields of one class: what different objects hold under one lock seldom has to
//!   fit together;
//! - one of the two regions must come after the other in one pass through a method, with some object in common;
//! - writes apart (compw) count only if whoever reads them together makes something of both, and does not wait for them:
//!   who waits until one of several variables changes expects them to change one at a time;
//! - a lock that is only taken under a certain other one is left out: its regions are parts of the other one's. (An object
//!   that two owners share and each guards with its own lock is taken for guarded.)

use std::collections::BTreeMap;

use program::ClassId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::correlation::Correlation;
use crate::on_code::regions::groups::{Group, by_lock};
use crate::on_code::regions::sequence::Sequence;
use crate::on_code::regions::variables::VarId;
use crate::on_code::regions::{RegionId, Regions};

/// How variables are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Read.
    Read,
    /// Written.
    Write,
}

impl Kind {
    fn other(self) -> Kind {
        if self == Kind::Read { Kind::Write } else { Kind::Read }
    }
}

/// A maximal view of one process with which another one's views do not fit.
#[derive(Clone, Debug)]
pub struct Conflict {
    /// The process with the maximal view, and the region that has it.
    pub together: (usize, RegionId),
    /// How that region uses the variables.
    pub together_kind: Kind,
    /// The process that uses the variables apart, and two regions in which it does.
    pub apart: (usize, RegionId, RegionId),
    /// A variable that is in the first alone, and one that is in the second alone.
    pub pair: (VarId, VarId),
    /// How it uses them.
    pub apart_kind: Kind,
    /// All variables of overlaps that diverge.
    pub vars: Vec<VarId>,
}

/// Comparisons that are made before the rest is left out.
const MOST_STEPS: u64 = 4_000_000;
/// How many processes with the same maximal view are looked at where there is no time for all.
const FEW_RANKS: usize = 2;
/// How many comparisons judging two overlaps counts for.
const JUDGING: u64 = 40;
/// Pairs of regions with the same overlaps that are asked for something that depends on both.
const MOST_PAIRS: usize = 64;

/// Distinct views of one process, with the regions that have them.
#[derive(Default)]
struct Sets {
    all: Vec<(Vec<VarId>, Vec<RegionId>)>,
    /// By variable: the views that have it.
    with: FxHashMap<VarId, Vec<u32>>,
}

/// The processes that run regions under one lock, with their views: read, and written.
struct Lock {
    groups: Vec<Group>,
    views: Vec<[Sets; 2]>,
}

/// A maximal view of a process: the number of its group and of the view among its read or written ones.
#[derive(Clone, Copy)]
struct Top {
    group: usize,
    set: usize,
    apart_kind: Kind,
    /// Its number among those that differ.
    distinct: usize,
    /// How many processes before have the same maximal view.
    rank: usize,
}

/// The maximal views under one lock.
#[derive(Default)]
struct Tops {
    all: Vec<Top>,
    /// By distinct view: the groups whose views meet it, in order, and how many of each do.
    meeting: Vec<Vec<(u32, u32)>>,
}

impl Tops {
    /// What it costs to compare all of them.
    fn cost(&self) -> u64 {
        let costs: Vec<u64> = self
            .meeting
            .iter()
            .map(|counts| counts.iter().map(|(_, count)| u64::from(*count)).sum())
            .collect();
        let all = self.all.iter().filter_map(|top| costs.get(top.distinct));
        all.fold(0, |sum: u64, cost| sum.saturating_add(*cost))
    }

    /// The groups with several views that meet it, and how many.
    fn meeting(&self, top: &Top) -> impl Iterator<Item = (usize, usize)> {
        let counts = self.meeting.get(top.distinct).into_iter().flatten();
        counts.map(|(group, count)| (*group as usize, *count as usize)).filter(|(_, count)| *count > 1)
    }
}

impl Lock {
    fn sets(&self, group: usize, kind: Kind) -> Option<&Sets> {
        let [reads, writes] = self.views.get(group)?;
        Some(if kind == Kind::Read { reads } else { writes })
    }

    fn top(&self, top: &Top) -> Option<&(Vec<VarId>, Vec<RegionId>)> {
        self.sets(top.group, top.apart_kind.other())?.all.get(top.set)
    }

    /// By variable: the groups, and the numbers of their read or written views, that have it.
    fn with(&self, kind: Kind) -> FxHashMap<VarId, Vec<(u32, u32)>> {
        let mut found: FxHashMap<VarId, Vec<(u32, u32)>> = FxHashMap::default();
        for group in 0..self.groups.len() {
            for (var, sets) in self.sets(group, kind).into_iter().flat_map(|sets| &sets.with) {
                found.entry(*var).or_default().extend(sets.iter().map(|set| (group as u32, *set)));
            }
        }
        found
    }

    /// All maximal views. A lock may have many groups of which few use the same variables.
    fn tops(&self) -> Tops {
        let mut tops = Tops::default();
        let with = [Kind::Read, Kind::Write].map(|kind| self.with(kind));
        let meeting = |set: &[VarId], kind: Kind| {
            let [read, written] = &with;
            let with = if kind == Kind::Read { read } else { written };
            let mut met: Vec<(u32, u32)> =
                set.iter().filter_map(|var| with.get(var)).flatten().copied().collect();
            met.sort_unstable();
            met.dedup();
            met.chunk_by(|one, other| one.0 == other.0)
                .filter_map(|sets| Some((sets.first()?.0, sets.len() as u32)))
                .collect()
        };
        let mut known: FxHashMap<(Kind, &[VarId]), (usize, usize)> = FxHashMap::default();
        for (group, views) in self.views.iter().enumerate() {
            for (sets, apart_kind) in views.iter().zip([Kind::Write, Kind::Read]) {
                for (number, set) in sets.maximal() {
                    let (distinct, rank) = known.entry((apart_kind, set)).or_insert_with(|| {
                        tops.meeting.push(meeting(set, apart_kind));
                        (tops.meeting.len() - 1, 0)
                    });
                    let (distinct, before) = (*distinct, *rank);
                    *rank += 1;
                    tops.all.push(Top { group, set: number, apart_kind, distinct, rank: before });
                }
            }
        }
        tops
    }
}

/// Finds all conflicts; says how many comparisons were left out.
///
/// A library has a hundred thousand processes, but few different maximal views. Where there is no time for all pairs of
/// processes, each maximal view is compared for the first process that has it: which one it is seldom matters.
pub fn conflicts<'a, 'p>(
    regions: &'a Regions<'p>,
    correlation: &mut Correlation<'a, 'p>,
    paper: bool,
) -> (Vec<Conflict>, u64) {
    let mut found = Vec::new();
    let mut left_out = 0;
    let mut sequence = Sequence::new(regions);
    let outer = if paper { FxHashMap::default() } else { outer_locks(regions) };
    let locks: Vec<Lock> = by_lock(regions, paper)
        .into_iter()
        .filter(|groups| !is_protected(groups, &outer))
        .map(|groups| {
            let views = groups.iter().map(|group| sets(regions, &group.regions)).collect();
            Lock { groups, views }
        })
        .collect();
    let tops: Vec<Tops> = locks.iter().map(Lock::tops).collect();
    let all = tops.iter().fold(0, |sum: u64, tops| sum.saturating_add(tops.cost()));
    let (most_ranks, longest) = match all > MOST_STEPS {
        true => (FEW_RANKS, longest(&tops)),
        false => (usize::MAX, usize::MAX),
    };
    let mut steps = MOST_STEPS;
    for (lock, tops) in locks.iter().zip(&tops) {
        // Whether reads together lead to something may depend on who reads; of writes together nothing is asked.
        let skipped = |top: &&Top| top.rank >= most_ranks && top.apart_kind == Kind::Write;
        left_out += tops.all.iter().filter(skipped).count() as u64;
        for top in tops.all.iter().filter(|top| top.rank < most_ranks) {
            let (Some(one), Some((set, holders))) = (lock.groups.get(top.group), lock.top(top)) else {
                continue;
            };
            for (number, count) in tops.meeting(top) {
                let Some(other) = lock.groups.get(number) else { continue };
                if one.process == other.process && !one.many {
                    continue;
                }
                if steps < count as u64 || count > longest {
                    left_out += 1;
                    continue;
                }
                steps -= count as u64;
                let Some(apart) = lock.sets(number, top.apart_kind) else { continue };
                let meeting = apart.meeting(set);
                let meeting = meeting.iter().filter_map(|number| apart.all.get(*number as usize));
                let maximal =
                    Maximal { regions, process: one.process, set, holders, apart_kind: top.apart_kind };
                let mut judge = Judge { regions, correlation, sequence: &mut sequence, paper, left_out: 0 };
                found.extend(maximal.conflict(other.process, meeting, &mut judge, &mut steps));
                left_out += judge.left_out;
            }
        }
    }
    (found, left_out + sequence.left_out)
}

/// How many views of one process, as far as they meet a maximal one, can be compared with each other for all processes.
/// What a process shows that runs little is within what one shows that runs more, and says more clearly what is wrong.
fn longest(tops: &[Tops]) -> usize {
    let mut counts: BTreeMap<usize, u64> = BTreeMap::new();
    for tops in tops {
        for top in tops.all.iter().filter(|top| top.rank < FEW_RANKS) {
            for (_, count) in tops.meeting(top) {
                *counts.entry(count).or_default() += 1;
            }
        }
    }
    let mut left = MOST_STEPS;
    let mut longest = 0;
    for (length, count) in counts {
        // Not all of them diverge.
        let pairs = (length as u64).saturating_mul(length as u64) * JUDGING / 8;
        let Some(rest) = left.checked_sub(pairs.saturating_mul(count)) else { break };
        (left, longest) = (rest, length);
    }
    longest
}

/// The locks of the regions around each region, wherever it is run; its own is none.
fn outer_locks(regions: &Regions<'_>) -> FxHashMap<RegionId, FxHashSet<u32>> {
    let lock = |region: &RegionId| regions.variables.locks.get(region.index()).copied();
    let mut found: FxHashMap<RegionId, FxHashSet<u32>> = FxHashMap::default();
    for access in &regions.views.accesses {
        let open = regions.instances.open(access.instance, access.inst);
        for (depth, region) in open.iter().enumerate() {
            let own = lock(region);
            let around = open.iter().take(depth).filter_map(lock).filter(|outer| Some(*outer) != own);
            let around: FxHashSet<u32> = around.collect();
            match found.get_mut(region) {
                Some(known) => known.retain(|lock| around.contains(lock)),
                None => {
                    found.insert(*region, around);
                }
            }
        }
    }
    found
}

/// Are all regions under one lock under a certain other one, too?
fn is_protected(groups: &[Group], outer: &FxHashMap<RegionId, FxHashSet<u32>>) -> bool {
    let mut regions = groups.iter().flat_map(|group| &group.regions);
    let Some(first) = regions.next().and_then(|region| outer.get(region)) else { return false };
    let mut common = first.clone();
    for region in regions {
        common.retain(|lock| outer.get(region).is_some_and(|around| around.contains(lock)));
    }
    !common.is_empty()
}

/// Is a region in a method that waits at a lock?
fn waits(regions: &Regions<'_>, region: RegionId) -> bool {
    let Some(method) = regions.instances.regions.get(region.index()).map(|region| region.method) else {
        return false;
    };
    let mut instances = regions.instances.all.iter();
    instances
        .find(|instance| instance.method == method)
        .is_some_and(|instance| instance.code.regions.regions.iter().any(|local| local.instead_of.is_some()))
}

/// The distinct read and write views of some regions.
fn sets(regions: &Regions<'_>, of: &[RegionId]) -> [Sets; 2] {
    let mut found: [Sets; 2] = Default::default();
    let mut known: [FxHashMap<&[VarId], usize>; 2] = Default::default();
    for region in of {
        let view = regions.views.of(*region);
        for ((sets, known), set) in found.iter_mut().zip(&mut known).zip([&view.reads, &view.writes]) {
            if set.is_empty() {
                continue;
            }
            let number = *known.entry(set).or_insert_with(|| {
                for var in set {
                    sets.with.entry(*var).or_default().push(sets.all.len() as u32);
                }
                sets.all.push((set.clone(), Vec::new()));
                sets.all.len() - 1
            });
            if let Some((_, of)) = sets.all.get_mut(number) {
                of.push(*region);
            }
        }
    }
    found
}

impl Sets {
    /// Definition 6: the maximal views, with their numbers.
    fn maximal(&self) -> impl Iterator<Item = (usize, &[VarId])> {
        let is_maximal = |set: &[VarId]| {
            // Whatever holds all of it holds its first variable.
            let with = set.first().and_then(|first| self.with.get(first)).into_iter().flatten();
            let mut others = with.filter_map(|number| self.all.get(*number as usize));
            !others.any(|(other, _)| other.len() > set.len() && is_subset(set, other))
        };
        let sets = self.all.iter().enumerate().map(|(number, (set, _))| (number, set.as_slice()));
        sets.filter(move |(_, set)| set.len() > 1 && is_maximal(set))
    }

    /// The numbers of the views that have a variable in common with a set, in order.
    fn meeting(&self, set: &[VarId]) -> Vec<u32> {
        let mut found: Vec<u32> =
            set.iter().filter_map(|var| self.with.get(var)).flatten().copied().collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn is_subset(one: &[VarId], other: &[VarId]) -> bool {
    one.iter().all(|var| other.binary_search(var).is_ok())
}

fn difference<'v>(one: &'v [VarId], other: &'v [VarId]) -> impl Iterator<Item = VarId> + 'v {
    one.iter().copied().filter(|var| other.binary_search(var).is_err())
}

struct Judge<'j, 'a, 'p> {
    regions: &'a Regions<'p>,
    correlation: &'j mut Correlation<'a, 'p>,
    sequence: &'j mut Sequence<'a, 'p>,
    paper: bool,
    /// Pairs of overlaps of which not all regions were asked.
    left_out: u64,
}

struct Maximal<'v, 'p> {
    regions: &'v Regions<'p>,
    process: usize,
    set: &'v [VarId],
    holders: &'v [RegionId],
    apart_kind: Kind,
}

impl Maximal<'_, '_> {
    /// The class that declares a field.
    fn owner(&self, var: VarId) -> Option<ClassId> {
        let field = self.regions.variables.get(var)?.field?;
        Some(self.regions.given.program.field(field).owner)
    }

    /// Definitions 7 and 8 for one other process.
    fn conflict<'s>(
        &self,
        other: usize,
        apart: impl Iterator<Item = &'s (Vec<VarId>, Vec<RegionId>)>,
        judge: &mut Judge<'_, '_, '_>,
        steps: &mut u64,
    ) -> Option<Conflict> {
        let mut overlaps: Vec<(Vec<VarId>, Vec<RegionId>)> = Vec::new();
        for (set, of) in apart {
            let common: Vec<VarId> =
                set.iter().copied().filter(|var| self.set.binary_search(var).is_ok()).collect();
            match overlaps.iter_mut().find(|(known, _)| *known == common) {
                Some((_, regions)) => regions.extend(of),
                None => overlaps.push((common, of.clone())),
            }
        }
        let mut diverging: FxHashSet<VarId> = FxHashSet::default();
        let mut shown = None;
        for (number, one) in overlaps.iter().enumerate() {
            for two in overlaps.iter().skip(number + 1) {
                *steps = steps.saturating_sub(1);
                if is_subset(&one.0, &two.0) || is_subset(&two.0, &one.0) {
                    continue;
                }
                if *steps < JUDGING {
                    *steps = 0;
                    judge.left_out += 1;
                    break;
                }
                *steps -= JUDGING;
                if let Some((first, second, pair)) = self.judge(other, one, two, judge) {
                    let all = one.0.iter().chain(&two.0).copied();
                    let fits = |var: &VarId| judge.paper || self.owner(*var) == self.owner(pair.0);
                    diverging.extend(all.filter(fits));
                    shown.get_or_insert((first, second, pair));
                }
            }
        }
        let (first, second, pair) = shown?;
        let mut vars: Vec<VarId> = diverging.into_iter().collect();
        vars.sort_unstable();
        Some(Conflict {
            together: (self.process, self.holders.first().copied()?),
            together_kind: self.apart_kind.other(),
            apart: (other, first, second),
            pair,
            apart_kind: self.apart_kind,
            vars,
        })
    }

    /// Do two overlaps that diverge count? The regions that show it, in order, and a variable of each.
    fn judge(
        &self,
        other: usize,
        one: &(Vec<VarId>, Vec<RegionId>),
        two: &(Vec<VarId>, Vec<RegionId>),
        judge: &mut Judge<'_, '_, '_>,
    ) -> Option<(RegionId, RegionId, (VarId, VarId))> {
        let pairs = one.1.iter().flat_map(|first| two.1.iter().map(move |second| (*first, *second)));
        let vars: Vec<(VarId, VarId)> = match judge.paper {
            false => difference(&one.0, &two.0)
                .flat_map(|x| difference(&two.0, &one.0).map(move |y| (x, y)))
                .filter(|(x, y)| self.owner(*x).is_some() && self.owner(*x) == self.owner(*y))
                .take(MOST_PAIRS)
                .collect(),
            true => one
                .0
                .iter()
                .flat_map(|x| two.0.iter().map(move |y| (*x, *y)))
                .filter(|(x, y)| x != y)
                .take(MOST_PAIRS)
                .collect(),
        };
        for (first, second) in pairs.take(MOST_PAIRS) {
            // In the order in which they run; `turned` if that is not the order of the views.
            let (early, late, turned) = if judge.paper || judge.sequence.follows(other, first, second) {
                (first, second, false)
            } else if judge.sequence.follows(other, second, first) {
                (second, first, true)
            } else {
                continue;
            };
            let pair = vars.iter().find(|(x, y)| match self.apart_kind {
                Kind::Read => {
                    let renewed = |region: RegionId, var: &VarId| {
                        !judge.paper && judge.regions.views.of(region).writes.binary_search(var).is_ok()
                    };
                    !renewed(first, x)
                        && !renewed(second, y)
                        && judge.correlation.common(other, (first, *x), (second, *y))
                }
                Kind::Write if judge.paper => true,
                Kind::Write => {
                    let mut holders =
                        self.holders.iter().take(MOST_PAIRS).filter(|holder| !waits(judge.regions, **holder));
                    holders.any(|holder| judge.correlation.common(self.process, (*holder, *x), (*holder, *y)))
                }
            });
            if let Some((x, y)) = pair {
                return Some((early, late, if turned { (*y, *x) } else { (*x, *y) }));
            }
        }
        let asked = one.1.len().saturating_mul(two.1.len()) <= MOST_PAIRS && vars.len() < MOST_PAIRS;
        judge.left_out += u64::from(!asked);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_there_is_no_time_for_all_whoever_has_few_views_is_compared() {
        let top = |distinct, rank| Top { group: 0, set: 0, apart_kind: Kind::Read, distinct, rank };
        let tops = |all: Vec<Top>| Tops {
            all,
            meeting: vec![vec![(0, 1), (1, 2), (2, 3)], vec![(0, 2), (1, 2_000)]],
        };
        let two = tops(vec![top(0, 0), top(1, 0)]);
        assert_eq!((two.cost(), longest(&[two])), (2_008, 3));
        // A view that many processes have is compared for the first ones alone.
        let many = tops((0..10_000).map(|rank| top(0, rank)).collect());
        assert_eq!((many.cost(), longest(&[many])), (60_000, 3));
        assert_eq!(longest(&[]), 0);
    }
}
