//! What `wait()` and `Condition.await()` mean for values: whoever waits gives the lock up meanwhile, so that what was read
//! under it before is old afterwards. A method may wait for a lock that its callers took.
//!
//! A lock that is waited for is held, else waiting throws. So a lock that a method waits for without having taken it is
//! one of its callers', and was held since the method began. A condition belongs to the `java.util.concurrent` locks that
//! the method holds, or else to those of its callers. Which of them is not known; and since a lock may be taken by a method
//! that is called for that alone, a caller counts only if it is known to hold one. A lock that cannot be named in the terms of the caller is taken for
//! another one than the caller's.

use super::flow::{Follow, Read, Source, Stage, State, in_terms_of_caller};
use super::summary::add_all;
use crate::on_code::locks::{Change, Depth, Fact, Known, Path};

/// Something that is waited for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Wait {
    /// The lock; none for the condition of a lock that some caller took.
    pub lock: Option<Path>,
    /// Was it taken by the method that waits, or by one between that and this one?
    pub own: bool,
    /// Of a condition: is it another method that waits?
    pub far: bool,
}

impl Wait {
    /// In the terms of a caller; `None` if it means nothing there.
    pub fn in_terms_of_caller(&self, arguments: &[Path]) -> Option<Wait> {
        let lock = match &self.lock {
            Some(path) => Some(in_terms_of_caller(path, arguments)?),
            None => None,
        };
        Some(Wait { lock, own: self.own, far: true })
    }

    /// Whether a caller can make something of it.
    pub fn is_for_callers(&self) -> bool {
        !self.lock.as_ref().is_some_and(Path::is_local)
    }

    /// Takes away what is no longer held all the time if this was waited for.
    pub fn take_from(&self, facts: &mut Vec<Fact>) {
        facts.retain(|fact| match (&fact.lock, &self.lock) {
            (Known::Path(path), Some(waited)) => path != waited,
            (Known::Path(_), None) => fact.monitor,
            // Which of them it is cannot be told.
            (Known::Objects(_), _) => false,
        });
    }
}

impl Follow<'_, '_> {
    /// What an instruction of the method itself waits for.
    pub(super) fn waits_here(&self, inst: u32, depths: &[Depth]) -> Vec<Wait> {
        let Some(locks) = self.locks else { return Vec::new() };
        match locks.ops.get(&inst) {
            Some((Change::Wait, Some(slot))) => {
                let lock = locks.slots.get(*slot).map(|slot| slot.path.clone());
                vec![Wait { lock, own: depths.get(*slot).is_some_and(|depth| depth.most > 0), far: false }]
            }
            Some((Change::Wait, None)) => self.of_condition(depths, false),
            _ => Vec::new(),
        }
    }

    /// A condition is waited for: of one of the locks of this method, or else of a caller's.
    fn of_condition(&self, depths: &[Depth], far: bool) -> Vec<Wait> {
        let slots = self.locks.map(|locks| locks.slots.as_slice()).unwrap_or_default();
        let held = slots.iter().zip(depths).filter(|(slot, depth)| !slot.monitor && depth.most > 0);
        let own: Vec<Wait> =
            held.map(|(slot, _)| Wait { lock: Some(slot.path.clone()), own: true, far }).collect();
        if own.is_empty() { vec![Wait { lock: None, own: false, far }] } else { own }
    }

    /// What a callee waits for, in the terms of this method.
    pub(super) fn waits_of_callee(&self, wait: &Wait, arguments: &[Path], depths: &[Depth]) -> Vec<Wait> {
        let Some(mut wait) = wait.in_terms_of_caller(arguments) else { return Vec::new() };
        if wait.lock.is_none() {
            return self.of_condition(depths, true);
        }
        wait.own |= self.slot_of(wait.lock.as_ref(), depths).is_some();
        vec![wait]
    }

    /// The lock of this method that is held and has this path.
    fn slot_of(&self, path: Option<&Path>, depths: &[Depth]) -> Option<usize> {
        let slots = &self.locks?.slots;
        let is_it = |(slot, depth): (&crate::on_code::locks::Slot, &Depth)| {
            Some(&slot.path) == path && depth.most > 0
        };
        slots.iter().zip(depths).position(is_it)
    }

    /// Is a value old once this was waited for?
    pub(super) fn ages(&self, read: &Read, wait: &Wait, depths: &[Depth]) -> bool {
        let slots = self.locks.map(|locks| locks.slots.as_slice()).unwrap_or_default();
        let path = read.block.and_then(|block| slots.get(block)).map(|slot| &slot.path);
        match (path, &wait.lock) {
            (Some(_), None) => false,
            (Some(own), Some(waited)) => own == waited,
            (None, None) => {
                let entry = self.code.locks.entry(self.method);
                entry.is_empty() && !wait.far || entry.iter().any(|fact| !fact.monitor)
            }
            (None, Some(waited)) => {
                let callers = !wait.own && self.slot_of(Some(waited), depths).is_none();
                callers || read.lock.as_ref() == Some(waited)
            }
        }
    }

    /// Something is waited for: what was read before under that lock is old.
    pub(super) fn wait(&mut self, waits: &[Wait], state: &mut State, depths: &[Depth]) {
        if waits.is_empty() {
            return;
        }
        for wait in waits {
            let slot = self.slot_of(wait.lock.as_ref(), depths);
            let ended = |checked: usize| match slot {
                Some(slot) => checked == slot,
                None => checked == super::flow::CALLERS,
            };
            state.checked.retain(|(_, block)| !ended(*block));
            state.perhaps_checked.retain(|(_, block)| !ended(*block));
            for (source, stage) in state.values.values_mut().flatten() {
                let Some(Source::Read(read)) = self.found.sources.get(*source as usize) else { continue };
                if *stage != Stage::Taken && self.ages(read, wait, depths) {
                    *stage = Stage::Waited;
                }
            }
        }
        for values in state.values.values_mut() {
            values.sort_unstable();
            values.dedup();
        }
        add_all(&mut state.waited, waits);
        state.waited.sort_unstable();
        let for_callers: Vec<Wait> = waits.iter().filter(|wait| wait.is_for_callers()).cloned().collect();
        add_all(&mut self.found.summary.waits, &for_callers);
    }
}
