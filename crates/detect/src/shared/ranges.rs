//! Array ranges to parts whose elements have all had the same history.
//!
//! A range is only an encoding: `a[0..100]` is a hundred variables. Detectors see *parts*: when a new range crosses
//! the border of an earlier one, that part is split and both halves keep its state, so no element ever takes over
//! the state of another. A range that is used again and again is one part and costs one look.
//!
//! Of an array through which a program goes in steps of two, the even and the odd elements are kept apart, as *colours*: each
//! part has elements of one colour, and every second element is one part again. With several steps there are as many colours as
//! their least common multiple; where that would be more than [`MOST_COLOURS`], the elements of such a range are parts of their own.

use events::{ObjectId, Slot, Symbols, VarId, Variable};
use rustc_hash::FxHashMap;

use super::parts::{Part, Parts, Place};
use super::vars::SPLIT_TOP;

/// Colours of one array: a range of neighbours is at least so many parts then.
const MOST_COLOURS: u32 = 32;

/// An array that has been accessed.
struct Array {
    /// Which colour an element has is its index modulo this.
    colours: u32,
    /// They do not overlap.
    parts: Parts,
    /// Goes up whenever parts change.
    version: u32,
}

/// Elements of one colour that follow one another in it: from and to, exclusive.
#[derive(Clone, Copy)]
struct Run {
    colour: u32,
    from: u64,
    to: u64,
}

/// The parts that a variable of the trace was when its array had this version.
struct Listed {
    version: u32,
    parts: Box<[VarId]>,
}

/// Of a variable that is not known to be one part.
const SEVERAL: VarId = VarId(u32::MAX);

/// What else there is of a variable of the trace, a bit each: it is the id of a part, or was before that was split; there is a
/// list of its parts; the part that has its id is not all of it any more.
const PART: u8 = 1;
const LIST: u8 = 2;
const REST: u8 = 4;

/// No array.
const NONE: u32 = u32::MAX;

/// All arrays that have been accessed. Small ones come and go by the hundred thousand: what is kept for one that is gone is
/// used for another, and nothing is hashed for one that nobody has split.
#[derive(Default)]
pub struct Ranges {
    /// For each object the number of its array.
    numbers: Vec<u32>,
    arrays: Vec<Array>,
    spare_arrays: Vec<u32>,
    /// For each variable of the trace the part that it is, if it is only one: itself, if it is no array range or one
    /// that nothing has split.
    only: Vec<VarId>,
    /// For each variable of the trace [`PART`], [`LIST`] and [`REST`].
    also: Vec<u8>,
    /// Of those that are several.
    lists: FxHashMap<VarId, Listed>,
    /// What parts are that have the id of a variable of the trace and are not all of it any more.
    rests: FxHashMap<VarId, Variable>,
    /// What the parts that are no variable of the trace are, by `SPLIT_TOP - id`.
    splits: Vec<Variable>,
    spare: Vec<VarId>,
    /// Room for parts that a run covers.
    covered: Vec<(u64, Part)>,
    looked_at: usize,
    /// Freed since the last look: their rows may say something else now.
    freed: Vec<VarId>,
    any: bool,
}

impl Array {
    fn new() -> Self {
        Self { colours: 1, parts: Parts::default(), version: 0 }
    }

    /// The runs that a range is, in the order of their first elements.
    fn runs(&self, first: u32, count: u32, step: u32) -> impl Iterator<Item = Run> + use<> {
        let colours = self.colours;
        // Every so many-th of them has the same colour, or else each is taken by itself.
        let (apart, size) =
            if count > 1 && colours.is_multiple_of(step) { (colours / step, 0) } else { (count, 1) };
        (0..apart.min(count)).map(move |number| {
            let index = u64::from(first) + u64::from(number) * u64::from(step);
            let from = index / u64::from(colours);
            let size = if size == 1 { 1 } else { (count - number).div_ceil(apart) };
            Run { colour: (index % u64::from(colours)) as u32, from, to: from + u64::from(size) }
        })
    }
}

impl Ranges {
    /// Looks at the variables that are new in the trace. Whether there is any array range at all.
    pub fn look(&mut self, symbols: &Symbols) -> bool {
        let rows = symbols.variables().rows();
        self.only.resize(rows.len(), SEVERAL);
        self.also.resize(rows.len(), 0);
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

    /// Whether nobody can have kept anything for a variable of the trace: a range that is nothing but other parts.
    pub fn is_mere_name(&self, var: VarId, symbols: &Symbols) -> bool {
        let several = matches!(symbols.variables().get(var).slot, Slot::Elements { count: 2.., .. });
        several && self.also[var.index()] & PART == 0
    }

    /// The variable that an id of a part stands for.
    pub fn variable(&self, var: VarId, symbols: &Symbols) -> Variable {
        if var.index() < symbols.variables().len() {
            let whole = *symbols.variables().get(var);
            let several = matches!(whole.slot, Slot::Elements { count: 2.., .. });
            if !several || self.also[var.index()] & REST == 0 {
                return whole;
            }
            self.rests.get(&var).copied().unwrap_or(whole)
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
        let (Some(object), Slot::Elements { first, count, step }) = (row.object, row.slot) else {
            parts.push(var);
            return;
        };
        if let Some(part) = self.only_part(var) {
            parts.push(part);
            return;
        }
        let number = self.number(object);
        let array = &self.arrays[number];
        if self.also[var.index()] & LIST != 0
            && let Some(listed) = self.lists.get(&var)
            && listed.version == array.version
        {
            parts.extend_from_slice(&listed.parts);
            return;
        }
        let (begun, version) = (parts.len(), array.version);
        if let Some(colours) = common(array.colours, step).filter(|&colours| colours != array.colours) {
            self.colour(object, number, colours, copy);
        }
        let mut runs = self.arrays[number].runs(first, count, step);
        match (runs.next(), runs.next()) {
            (Some(run), None) => self.run((object, number), run, Some(var), parts, copy),
            (one, two) => {
                for run in one.into_iter().chain(two).chain(runs) {
                    self.run((object, number), run, None, parts, copy);
                }
            }
        }
        // Of an array whose parts still change a list would soon be out of date.
        if self.only_part(var).is_none() && self.arrays[number].version == version {
            let parts = parts.get(begun..).unwrap_or_default().into();
            self.also[var.index()] |= LIST;
            self.lists.insert(var, Listed { version, parts });
        }
    }

    /// The number of an object's array.
    fn number(&mut self, object: ObjectId) -> usize {
        if self.numbers.len() <= object.index() {
            self.numbers.resize(object.index() + 1, NONE);
        }
        let number = &mut self.numbers[object.index()];
        if *number == NONE {
            *number = self.spare_arrays.pop().unwrap_or_else(|| {
                self.arrays.push(Array::new());
                self.arrays.len() as u32 - 1
            });
        }
        *number as usize
    }

    /// Appends the parts of a run, which is all of a variable of the trace if that is given.
    fn run(
        &mut self,
        (object, number): (ObjectId, usize),
        run: Run,
        whole: Option<VarId>,
        parts: &mut Vec<VarId>,
        copy: &mut dyn FnMut(VarId, VarId),
    ) {
        let Run { colour, from, to } = run;
        self.cut((object, number), (colour, from), copy);
        self.cut((object, number), (colour, to), copy);
        let array = &mut self.arrays[number];
        if let Some(var) = whole
            && let Some(part) = array.parts.get_mut((colour, from))
            && part.end == to
        {
            part.named = Some(var);
            self.only[var.index()] = part.var;
            parts.push(part.var);
            return;
        }
        let mut covered = std::mem::take(&mut self.covered);
        array.parts.between(colour, from, to, &mut covered);
        let mut at = from;
        let behind = (to, Part { end: to, var: SEVERAL, named: None });
        for &(start, part) in covered.iter().chain([&behind]) {
            if at < start {
                let named = whole.filter(|_| at == from && start == to);
                let new = named
                    .unwrap_or_else(|| self.new_split((object, number), Run { colour, from: at, to: start }));
                if let Some(var) = named {
                    self.only[var.index()] = var;
                    self.also[var.index()] |= PART;
                }
                self.insert(number, (colour, at), Part { end: start, var: new, named });
                parts.push(new);
            }
            if start < to {
                parts.push(part.var);
            }
            at = part.end;
        }
        covered.clear();
        self.covered = covered;
    }

    /// The array is gone; calls `forget` for each part that is no variable of the trace.
    pub fn free(&mut self, object: ObjectId, symbols: &Symbols, forget: &mut dyn FnMut(VarId)) {
        if let Some(number) = self.numbers.get_mut(object.index()).filter(|number| **number != NONE) {
            let at = std::mem::replace(number, NONE);
            let (array, spare) = (&mut self.arrays[at as usize], &mut self.spare);
            array.colours = 1;
            array.version = 0;
            array.parts.clear(|part| {
                if part.var.index() >= symbols.variables().len() {
                    forget(part.var);
                    spare.push(part.var);
                }
            });
            self.spare_arrays.push(at);
        }
        for &var in symbols.variables_of(object) {
            self.only[var.index()] = SEVERAL;
            let also = std::mem::take(&mut self.also[var.index()]);
            if also & LIST != 0 {
                self.lists.remove(&var);
            }
            if also & REST != 0 {
                self.rests.remove(&var);
            }
            self.freed.push(var);
        }
    }

    /// Gives an array more colours, a multiple of those it has: each part becomes one for each of its elements' colours.
    fn colour(&mut self, object: ObjectId, number: usize, colours: u32, copy: &mut dyn FnMut(VarId, VarId)) {
        let array = &mut self.arrays[number];
        let (before, times) = (array.colours, u64::from(colours / array.colours));
        array.colours = colours;
        array.version += 1;
        for ((colour, from), part) in array.parts.take() {
            self.lose_name(part);
            let mut first = true;
            for rest in 0..times {
                // Those of the part before which a multiple of `times` and `rest` come.
                let (from, to) = (from.saturating_sub(rest), part.end.saturating_sub(rest));
                let (from, to) = (from.div_ceil(times), to.div_ceil(times));
                if from == to {
                    continue;
                }
                let run = Run { colour: colour + rest as u32 * before, from, to };
                let var = if first { part.var } else { self.new_split((object, number), run) };
                if first {
                    self.is_now(var, (object, number), run);
                }
                self.insert(number, (run.colour, from), Part { end: to, var, named: None });
                if !first {
                    copy(part.var, var);
                }
                first = false;
            }
        }
    }

    /// Makes sure that no part reaches across a place.
    fn cut(
        &mut self,
        (object, number): (ObjectId, usize),
        (colour, at): Place,
        copy: &mut dyn FnMut(VarId, VarId),
    ) {
        let Some((place, part)) = self.arrays[number].parts.before((colour, at)) else { return };
        if part.end <= at {
            return;
        }
        self.lose_name(part);
        let right = self.new_split((object, number), Run { colour, from: at, to: part.end });
        self.is_now(part.var, (object, number), Run { colour, from: place.1, to: at });
        self.insert(number, place, Part { end: at, var: part.var, named: None });
        self.insert(number, (colour, at), Part { end: part.end, var: right, named: None });
        copy(part.var, right);
    }

    fn insert(&mut self, number: usize, place: Place, part: Part) {
        let array = &mut self.arrays[number];
        array.parts.insert(place, part);
        array.version += 1;
    }

    /// The part will not be what a variable of the trace is.
    fn lose_name(&mut self, part: Part) {
        if let Some(only) = part.named.and_then(|named| self.only.get_mut(named.index())) {
            *only = SEVERAL;
        }
    }

    /// A part has become smaller.
    fn is_now(&mut self, var: VarId, array: (ObjectId, usize), run: Run) {
        let variable = self.named(array, run);
        match SPLIT_TOP.checked_sub(var.0).and_then(|at| self.splits.get_mut(at as usize)) {
            Some(split) => *split = variable,
            None => {
                self.also[var.index()] |= REST;
                self.rests.insert(var, variable);
            }
        }
    }

    fn named(&self, (object, number): (ObjectId, usize), run: Run) -> Variable {
        let colours = self.arrays[number].colours;
        let first = (u64::from(colours) * run.from) as u32 + run.colour;
        let slot = Slot::elements(first, (run.to - run.from) as u32, colours);
        // All elements of a part are elements of a range of the trace.
        let slot = slot.unwrap_or(Slot::Elements { first, count: 1, step: 1 });
        Variable { object: Some(object), slot }
    }

    fn new_split(&mut self, array: (ObjectId, usize), run: Run) -> VarId {
        let variable = self.named(array, run);
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

/// The least common multiple, if an array may have so many colours.
fn common(colours: u32, step: u32) -> Option<u32> {
    let (mut a, mut b) = (colours, step);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    (colours / a).checked_mul(step).filter(|&all| all <= MOST_COLOURS)
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
            self.stepwise(first, count, 1)
        }

        fn stepwise(&mut self, first: u32, count: u32, step: u32) -> Vec<VarId> {
            let slot = Slot::elements(first, count, step).unwrap();
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
        let slot = Slot::elements(2, 4, 1).unwrap();
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

    #[test]
    fn every_second_element_is_one_part_and_neighbours_are_two() {
        let mut array = Array::new();
        let even = array.stepwise(0, 50, 2);
        let odd = array.stepwise(1, 50, 2);
        assert_eq!((even.len(), odd.len()), (1, 1));
        assert_eq!(array.parts(0, 100), [even[0], odd[0]]);
        assert_eq!(array.stepwise(0, 50, 2), even);
        assert!(array.copies.is_empty());
        assert_eq!(array.stepwise(2, 49, 2).len(), 1, "without the first");
        assert_eq!(array.stepwise(0, 50, 2).len(), 2, "that one and the rest");
        assert_eq!(array.stepwise(1, 50, 2), odd);
    }

    #[test]
    fn what_was_known_of_neighbours_is_kept_when_they_are_told_apart() {
        let mut array = Array::new();
        let all = array.parts(0, 100)[0];
        let odd = array.stepwise(1, 50, 2);
        assert_eq!(array.copies, [(all, odd[0])]);
        assert_eq!(array.parts(0, 100), [all, odd[0]]);
    }

    #[test]
    fn steps_with_too_many_colours_are_single_elements() {
        let mut array = Array::new();
        assert_eq!(array.stepwise(0, 10, MOST_COLOURS + 1).len(), 10);
        assert_eq!(array.stepwise(0, 10, 3).len(), 2, "the first one has a part of its own");
    }

    #[test]
    fn a_part_is_what_is_left_of_it() {
        let mut array = Array::new();
        let all = array.parts(0, 10)[0];
        array.parts(3, 1);
        let slot = |array: &Array, var| array.ranges.variable(var, &array.symbols).slot;
        assert_eq!(Some(slot(&array, all)), Slot::elements(0, 3, 1));
        let after = array.parts(4, 6)[0];
        array.stepwise(1, 5, 2);
        assert_eq!(Some(slot(&array, all)), Slot::elements(0, 2, 2));
        assert_eq!(Some(slot(&array, after)), Slot::elements(4, 3, 2));
        assert_eq!(array.stepwise(5, 3, 2).len(), 1);
    }

    /// Accesses to random ranges: what has happened to an element's part is what has happened to the element.
    #[test]
    fn every_part_has_the_history_of_each_of_its_elements() {
        const SIZE: u32 = 120;
        let mut random = 1_u64;
        let mut below = move |most: u32| {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (random >> 40) as u32 % most
        };
        let mut several = 0;
        for _ in 0..60 {
            let mut array = Array::new();
            let mut of_elements = vec![Vec::new(); SIZE as usize];
            let mut of_parts: FxHashMap<VarId, Vec<u32>> = FxHashMap::default();
            let steps = [1, 1, 2, 2, 3, 4, 7, 40];
            for time in 0..30 {
                let step = steps[below(2 + time.min(6)) as usize];
                let first = below(SIZE);
                let count = 1 + below((SIZE - 1 - first) / step + 1);
                let parts = array.stepwise(first, count, step);
                for (from, to) in array.copies.drain(..) {
                    let history = of_parts.get(&from).cloned().unwrap_or_default();
                    assert!(of_parts.insert(to, history).is_none(), "a part that there was before");
                }
                for part in &parts {
                    of_parts.entry(*part).or_default().push(time);
                }
                let accessed = (0..count).map(|number| first + number * step);
                accessed.for_each(|index| of_elements[index as usize].push(time));
                several += usize::from(parts.len() > 1 && parts.len() < count as usize);
                let known = &array.ranges.arrays[0];
                let mut covered = 0;
                for ((colour, from), part) in known.parts.all() {
                    for at in from..part.end {
                        let index = u64::from(colour) + u64::from(known.colours) * at;
                        assert_eq!(of_parts[&part.var], of_elements[index as usize], "{index} at {time}");
                        covered += 1;
                    }
                    let now = array.ranges.variable(part.var, &array.symbols).slot;
                    let first = u64::from(colour) + u64::from(known.colours) * from;
                    let expected = Slot::elements(first as u32, (part.end - from) as u32, known.colours);
                    assert_eq!(Some(now), expected, "at {time}");
                }
                assert_eq!(covered, of_elements.iter().filter(|history| !history.is_empty()).count());
            }
        }
        assert!(several > 200, "{several} accesses to several parts");
    }
}
