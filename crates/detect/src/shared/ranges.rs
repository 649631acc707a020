//! Array ranges to parts whose elements have all had the same history.
//!
//! A range is only an encoding: `a[0..100]` is a hundred variables. Detectors see *parts*: when a new range crosses
//! the border of an earlier one, that part is split and both halves keep its state, so no element ever takes over
//! the state of another. A range that is used again and again is one part and costs one look.

use std::collections::BTreeMap;

use events::{ObjectId, Slot, Symbols, VarId, Variable};
use rustc_hash::FxHashMap;

use super::vars::SPLIT_TOP;

#[derive(Clone, Copy)]
struct Part {
    end: u64,
    var: VarId,
    /// The variable of the trace that is exactly this part, if one is known to be.
    named: Option<VarId>,
}

/// Of a variable that is not known to be one part.
const SEVERAL: VarId = VarId(u32::MAX);

/// All arrays that have been accessed.
#[derive(Default)]
pub struct Ranges {
    /// For each array its parts by their first index; they do not overlap.
    arrays: FxHashMap<ObjectId, BTreeMap<u64, Part>>,
    /// For each variable of the trace the part that it is, if it is only one: itself, if it is no array range or one
    /// that nothing has split.
    only: Vec<VarId>,
    /// What the parts that are no variable of the trace are, by `SPLIT_TOP - id`.
    splits: Vec<Variable>,
    spare: Vec<VarId>,
    looked_at: usize,
    /// Freed since the last look: their rows may say something else now.
    freed: Vec<VarId>,
    any: bool,
}

impl Ranges {
    /// Looks at the variables that are new in the trace. Whether there is any array range at all.
    pub fn look(&mut self, symbols: &Symbols) -> bool {
        let rows = symbols.variables().rows();
        self.only.resize(rows.len(), SEVERAL);
        let again = std::mem::take(&mut self.freed);
        for i in again.into_iter().map(VarId::index).chain(self.looked_at..rows.len()) {
            let range = matches!(rows[i].slot, Slot::Elements { .. });
            self.only[i] = if range { SEVERAL } else { VarId(i as u32) };
            self.any |= range;
        }
        self.looked_at = rows.len();
        self.any
    }

    /// Whether a variable of the trace is its own and only part.
    #[inline(always)]
    pub fn is_whole(&self, var: VarId) -> bool {
        self.only[var.index()] == var
    }

    /// The part that a variable of the trace is, if it is known to be only one, so that [`parts`](Self::parts) has
    /// nothing to do.
    #[inline(always)]
    pub fn only_part(&self, var: VarId) -> Option<VarId> {
        Some(self.only[var.index()]).filter(|&part| part != SEVERAL)
    }

    /// The variable that an id of a part stands for.
    pub fn variable(&self, var: VarId, symbols: &Symbols) -> Variable {
        if var.index() < symbols.variables().len() {
            *symbols.variables().get(var)
        } else {
            self.splits[(SPLIT_TOP - var.0) as usize]
        }
    }

    /// Appends the parts that a variable of the trace consists of. `copy` is told of every split: (from, to).
    pub fn parts(
        &mut self,
        var: VarId,
        symbols: &Symbols,
        parts: &mut Vec<VarId>,
        copy: &mut dyn FnMut(VarId, VarId),
    ) {
        let row = symbols.variables().get(var);
        let (Some(object), Slot::Elements { first, count }) = (row.object, row.slot) else {
            parts.push(var);
            return;
        };
        if let Some(part) = self.only_part(var) {
            parts.push(part);
            return;
        }
        let (first, end) = (u64::from(first), u64::from(first) + u64::from(count));
        self.cut(object, first, copy);
        self.cut(object, end, copy);
        let covered: Vec<(u64, Part)> =
            self.arrays.entry(object).or_default().range(first..end).map(|(&at, &part)| (at, part)).collect();
        let mut at = first;
        if let &[(start, part)] = covered.as_slice()
            && (start, part.end) == (first, end)
        {
            self.arrays.entry(object).or_default().insert(start, Part { named: Some(var), ..part });
            self.only[var.index()] = part.var;
        }
        for &(start, part) in covered.iter().chain([&(end, Part { end, var, named: None })]) {
            if at < start {
                let untouched = at == first && start == end;
                let part = if untouched { var } else { self.new_split(object, at, start) };
                if untouched {
                    self.only[var.index()] = var;
                }
                let named = untouched.then_some(var);
                self.arrays.entry(object).or_default().insert(at, Part { end: start, var: part, named });
                parts.push(part);
            }
            if start < end {
                parts.push(part.var);
            }
            at = part.end;
        }
    }

    /// The array is gone; calls `forget` for each part that is no variable of the trace.
    pub fn free(&mut self, object: ObjectId, symbols: &Symbols, forget: &mut dyn FnMut(VarId)) {
        for part in self.arrays.remove(&object).unwrap_or_default().into_values() {
            if part.var.index() >= symbols.variables().len() {
                forget(part.var);
                self.spare.push(part.var);
            }
        }
        for &var in symbols.variables_of(object) {
            self.only[var.index()] = SEVERAL;
            self.freed.push(var);
        }
    }

    /// Makes sure that no part reaches across `at`.
    fn cut(&mut self, object: ObjectId, at: u64, copy: &mut dyn FnMut(VarId, VarId)) {
        let array = self.arrays.entry(object).or_default();
        let Some((&start, &part)) = array.range(..at).next_back() else { return };
        if part.end <= at {
            return;
        }
        if let Some(only) = part.named.and_then(|named| self.only.get_mut(named.index())) {
            *only = SEVERAL;
        }
        let right = self.new_split(object, at, part.end);
        let array = self.arrays.entry(object).or_default();
        array.insert(start, Part { end: at, var: part.var, named: None });
        array.insert(at, Part { end: part.end, var: right, named: None });
        copy(part.var, right);
    }

    fn new_split(&mut self, object: ObjectId, first: u64, end: u64) -> VarId {
        let slot = Slot::Elements { first: first as u32, count: (end - first) as u32 };
        let variable = Variable { object: Some(object), slot };
        match self.spare.pop() {
            Some(var) => {
                self.splits[(SPLIT_TOP - var.0) as usize] = variable;
                var
            }
            None => {
                self.splits.push(variable);
                VarId(SPLIT_TOP - (self.splits.len() as u32 - 1))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::Object;

    struct Array {
        symbols: Symbols,
        object: ObjectId,
        ranges: Ranges,
        copies: Vec<(VarId, VarId)>,
    }

    impl Array {
        fn new() -> Self {
            let mut symbols = Symbols::new();
            let class = symbols.class("int[]");
            let object = symbols.object(Object { class, label: 1 });
            Self { symbols, object, ranges: Ranges::default(), copies: Vec::new() }
        }

        fn parts(&mut self, first: u32, count: u32) -> Vec<VarId> {
            let slot = Slot::Elements { first, count };
            let var = self.symbols.variable(Variable { object: Some(self.object), slot });
            self.ranges.look(&self.symbols);
            let mut parts = Vec::new();
            let copies = &mut self.copies;
            self.ranges.parts(var, &self.symbols, &mut parts, &mut |from, to| copies.push((from, to)));
            parts
        }
    }

    #[test]
    fn a_range_used_again_is_one_part() {
        let mut array = Array::new();
        let first = array.parts(0, 100);
        assert_eq!(first.len(), 1);
        assert_eq!(array.parts(0, 100), first);
        assert!(array.copies.is_empty());
    }

    #[test]
    fn a_crossing_range_splits_and_copies_the_state() {
        let mut array = Array::new();
        let old = array.parts(0, 100)[0];
        let new = array.parts(50, 100);
        assert_eq!(new.len(), 2, "the second half of the old part, and what is new");
        assert_eq!(array.copies, [(old, new[0])]);
        assert_eq!(array.parts(0, 100), [old, new[0]], "the old range is two parts now");
        assert_eq!(array.parts(100, 50), [new[1]]);
    }

    #[test]
    fn a_part_of_a_split_range_is_found_at_once_until_it_is_split_itself() {
        let mut array = Array::new();
        array.parts(0, 10);
        let part = array.parts(2, 4)[0];
        let slot = Slot::Elements { first: 2, count: 4 };
        let var = array.symbols.variable(Variable { object: Some(array.object), slot });
        assert_eq!(array.ranges.only_part(var), Some(part));
        array.parts(3, 1);
        assert_eq!(array.ranges.only_part(var), None);
        assert_eq!(array.parts(2, 4).len(), 3);
    }

    #[test]
    fn elements_never_share_a_part_with_a_different_history() {
        let mut array = Array::new();
        let all = array.parts(0, 10)[0];
        let three = array.parts(3, 1)[0];
        assert_ne!(all, three);
        let parts = array.parts(0, 10);
        assert_eq!(parts.len(), 3);
        assert_eq!(parts[1], three);
    }
}
