//! What views are made of: variables, each in one of its generations.
//!
//! A variable whose history starts afresh (see [`History`](crate::shared::history::History)) is a new element, so that
//! views from before and after have nothing in common. When an array range is split, its element becomes the
//! parent of two new ones: views from before contain both halves, views from afterwards only what they used.

use events::{Access, ClassId, VarId};

use crate::shared::vars::{Glance, PerVar, VarState};
use crate::{Now, VariableKind};

/// No element.
const NONE: u32 = u32::MAX;

/// The low bits of [`Row::mark`]: read in this block, written in this block, and once and for all [`WRITTEN`].
const WRITTEN: u64 = 0b100;
const STAMP_SHIFT: u32 = 3;

/// What is kept for each variable: sixteen bytes, looked at by every access under a lock.
#[derive(Clone, Copy)]
struct Row {
    /// The stamp under which the variable was last noted, how it was used since, and whether it is known to be
    /// written while shared.
    mark: u64,
    element: u32,
    generation: u32,
}

const FRESH: Row = Row { mark: 0, element: NONE, generation: 0 };

/// One variable in one generation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    /// The variable's id, which means something else once the object is gone.
    pub(super) var: VarId,
    /// What never means something else.
    pub(super) kind: VariableKind,
    /// Whose field it is; nobody's, if it is an element of an array.
    owner: Option<Owner>,
    /// Whether it was written after two threads had used it.
    pub(super) written: bool,
    /// Whether the object is gone.
    pub(super) freed: bool,
    /// The element that stands for the first half, once this one was split; the next one is the second half.
    halves: u32,
}

/// Whose field something is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Owner {
    /// An object's, by its label, which never means another one.
    Object(u64),
    /// A class's.
    Class(Option<ClassId>),
}

impl Element {
    /// Whether two are fields of one object, or static fields of one class: what has to fit together mostly is.
    pub(super) fn belongs_to(&self, other: &Element) -> bool {
        self.owner.is_some() && self.owner == other.owner
    }

    /// Whether two are the same field of the same object, perhaps in different generations.
    pub(super) fn is_same_field(&self, other: &Element) -> bool {
        self.belongs_to(other) && self.kind == other.kind
    }
}

impl Glance for Row {
    #[inline(always)]
    fn glance(&self) -> u32 {
        self.generation
    }
}

/// All elements, and which of them each variable is now.
pub(super) struct Elements {
    rows: PerVar<Row>,
    all: Vec<Element>,
}

impl Default for Elements {
    fn default() -> Self {
        Self { rows: PerVar::new(FRESH), all: Vec::new() }
    }
}

impl Elements {
    /// Notes an access under `stamp`, a number above 0 that changes whenever the access would have to be noted
    /// again. The element, unless the same use of it was noted under this stamp already.
    #[inline(always)]
    pub(super) fn note(&mut self, var: VarId, write: bool, stamp: u64, now: &Now<'_>) -> Option<u32> {
        let row = self.rows.at(var);
        let bit = 1 << u32::from(write);
        if row.mark >> STAMP_SHIFT == stamp && row.mark & bit != 0 {
            // Known in this block; but another thread may have come since, so that this write is no initialisation.
            if write && row.mark & WRITTEN == 0 {
                self.wrote(var, now);
            }
            return None;
        }
        let generation = now.history.generation(var);
        if row.generation != generation {
            row.mark = stamp << STAMP_SHIFT | bit;
            return Some(self.begin(var, generation, now));
        }
        let known = if row.mark >> STAMP_SHIFT == stamp { row.mark } else { row.mark & WRITTEN };
        row.mark = stamp << STAMP_SHIFT | known | bit;
        if write && row.mark & WRITTEN == 0 && now.history.written_while_shared(var) {
            row.mark |= WRITTEN;
            self.all[row.element as usize].written = true;
        }
        Some(row.element)
    }

    /// If the variable has started afresh, it has to be noted again.
    #[inline(always)]
    pub(super) fn renew(&mut self, var: VarId, now: &Now<'_>) {
        let row = self.rows.at(var);
        if row.generation != now.history.generation(var) {
            row.mark = 0;
        }
    }

    /// Sees a write that belongs to no block: it may be the one after which the variable is no constant.
    #[inline(always)]
    pub(super) fn wrote(&mut self, var: VarId, now: &Now<'_>) {
        // The history was brought up to date just now, so this costs little; most variables are nobody else's.
        if !now.history.written_while_shared(var) {
            return;
        }
        let row = self.rows.at(var);
        if row.mark & WRITTEN == 0 && row.generation == now.history.generation(var) {
            row.mark |= WRITTEN;
            self.all[row.element as usize].written = true;
        }
    }

    #[cold]
    fn begin(&mut self, var: VarId, generation: u32, now: &Now<'_>) -> u32 {
        let row = self.rows.at(var);
        let written = now.history.written_while_shared(var);
        row.generation = generation;
        row.element = self.all.len() as u32;
        row.mark |= if written { WRITTEN } else { 0 };
        let kind = VariableKind::of(var, now);
        let owner = match (kind, now.variable(var).object) {
            (VariableKind::Elements(_), _) => None,
            (_, Some(object)) => Some(Owner::Object(now.symbols.objects().get(object).label)),
            (VariableKind::Field(field), None) => Some(Owner::Class(now.symbols.fields.get(field).class)),
        };
        self.all.push(Element { var, kind, owner, written, freed: false, halves: NONE });
        row.element
    }

    /// An element.
    pub(super) fn get(&self, element: u32) -> &Element {
        &self.all[element as usize]
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Appends what an element of an earlier view consists of now.
    pub(super) fn parts(&self, element: u32, parts: &mut Vec<u32>) {
        let mut rest = vec![element];
        while let Some(element) = rest.pop() {
            match self.get(element).halves {
                NONE => parts.push(element),
                first => rest.extend([first + 1, first]),
            }
        }
    }

    /// Whether an element has been split.
    #[inline(always)]
    pub(super) fn is_split(&self, element: u32) -> bool {
        self.get(element).halves != NONE
    }
}

impl VarState for Elements {
    fn touch(&self, accesses: &[Access]) -> u32 {
        self.rows.touch(accesses)
    }

    fn grow(&mut self, n: usize) {
        self.rows.grow(n);
    }

    fn forget(&mut self, var: VarId) {
        let element = self.rows.get(var).element;
        if element != NONE {
            self.all[element as usize].freed = true;
        }
        self.rows.forget(var);
    }

    fn copy(&mut self, from: VarId, to: VarId) {
        let row = *self.rows.get(from);
        if row.element == NONE {
            self.rows.forget(to);
            return;
        }
        let first = self.all.len() as u32;
        let whole = &mut self.all[row.element as usize];
        whole.halves = first;
        let half = Element { halves: NONE, ..*whole };
        self.all.extend([Element { var: from, ..half }, Element { var: to, ..half }]);
        // The stamp goes: the halves have to be noted under their own numbers.
        let mark = row.mark & WRITTEN;
        *self.rows.at(from) = Row { mark, element: first, ..row };
        *self.rows.at(to) = Row { mark, element: first + 1, ..row };
    }
}
