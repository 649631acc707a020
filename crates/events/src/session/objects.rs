//! Object numbers of a session to ids: objects, their variables, their locks.
//!
//! Agents number objects one after the other and never use a number again, so what is known of an object lies at its
//! number, in pages of 64, and not in a hash table: accesses to objects that were made together find their rows together.
//! A page goes when all its objects have been freed. Ids of freed objects and variables are handed out again, those of
//! locks are not.

use rustc_hash::FxHashMap;

use super::elements::Elements;
use crate::{ClassId, FieldId, Lender, LockId, Object, ObjectId, Slot, Symbols, VarId, Variable};

/// Objects of a page.
const PAGE: usize = 64;
/// Fields whose variables lie in the object's row.
const INLINE: usize = 4;
/// No id.
const NONE: u32 = u32::MAX;
/// Entries of the small table in front of the map; a power of two.
const FRONT: usize = 1024;
/// Pages that are found without hashing: those of the first billion objects.
const DIRECT: u64 = 1 << 24;

/// What is known of an object.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Its id; [`NONE`] before it is met.
    object: u32,
    /// Its monitor.
    lock: u32,
    /// The fields of its first variables, sixteen bits each, and these.
    fields: u64,
    vars: [u32; INLINE],
}

/// No field.
pub(super) const NO_FIELD: u16 = u16::MAX;

/// A one in each of the sixteen bits of a field.
const EACH: u64 = 0x0001_0001_0001_0001;

impl Row {
    /// At which place a field stands: the first that is equal, found without a loop. A lane that is zero borrows from
    /// its highest bit; a wrong sign can only come after a right one.
    #[inline(always)]
    fn place(&self, field: u16) -> Option<usize> {
        let other = self.fields ^ (EACH * u64::from(field));
        let zero = other.wrapping_sub(EACH) & !other & (EACH << 15);
        if zero == 0 { None } else { Some(zero.trailing_zeros() as usize / 16) }
    }

    fn put(&mut self, at: usize, field: u16, var: VarId) {
        let shift = 16 * at;
        self.fields = self.fields & !(0xffff << shift) | u64::from(field) << shift;
        self.vars[at] = var.0;
    }
}

/// The number of a field in a row. The few that have none there are found in the map.
#[inline(always)]
pub(super) fn short(field: FieldId) -> Option<u16> {
    match field {
        WHOLE => Some(NO_FIELD - 1),
        FieldId(number) if number < u32::from(NO_FIELD - 1) => Some(number as u16),
        _ => None,
    }
}

const _: () = assert!(size_of::<Row>() == 32, "two rows a cache line");

const NO_ROW: Row = Row { object: NONE, lock: NONE, fields: u64::MAX, vars: [NONE; INLINE] };

/// What part of an object a variable is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Part {
    Field(FieldId),
    /// From and to, exclusive and just behind the last, and how far each is from the next: 1 of a single one.
    Elements(u32, u32, u32),
}

/// Stands for the object as one variable. No field has this number.
pub(super) const WHOLE: FieldId = FieldId(NONE - 1);

/// All live objects.
pub(super) struct Objects {
    /// Page after page.
    rows: Vec<Row>,
    /// How many objects of each page live.
    live: Vec<u32>,
    /// Where each page is.
    direct: Vec<u32>,
    far: FxHashMap<u64, u32>,
    spare_pages: Vec<u32>,
    singles: Elements,
    /// Variables that do not lie in a row: array ranges, and fields beyond the fourth.
    others: FxHashMap<(u64, Part), VarId>,
    front_others: Box<[(u64, Part, u32); FRONT]>,
    statics: Vec<u32>,
    /// Locks that are no monitors, and monitors of objects that have such a lock too.
    locks: FxHashMap<u64, LockId>,
    /// Whether the class of an object (by id) was told by a record and not only guessed from a site.
    sure: Vec<bool>,
    spare_objects: Vec<ObjectId>,
    spare_variables: Vec<VarId>,
    /// Given back at the next batch.
    freed_objects: Vec<ObjectId>,
    freed_variables: Vec<VarId>,
}

impl Default for Objects {
    fn default() -> Self {
        let nothing = Part::Elements(0, 0, 1);
        Self {
            rows: Vec::new(),
            live: Vec::new(),
            direct: Vec::new(),
            far: FxHashMap::default(),
            spare_pages: Vec::new(),
            singles: Elements::default(),
            others: FxHashMap::default(),
            front_others: Box::new([(0, nothing, 0); FRONT]),
            statics: Vec::new(),
            locks: FxHashMap::default(),
            sure: Vec::new(),
            spare_objects: Vec::new(),
            spare_variables: Vec::new(),
            freed_objects: Vec::new(),
            freed_variables: Vec::new(),
        }
    }
}

/// Which of the locks that may belong to one object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Which {
    Monitor,
    Other,
}

impl Objects {
    /// A batch has been worked off: what it freed may be used again.
    pub(super) fn recycle(&mut self) {
        self.spare_objects.append(&mut self.freed_objects);
        self.spare_variables.append(&mut self.freed_variables);
    }

    /// The variable of a field, 0 standing for the class; none if it has not been met.
    #[inline(always)]
    pub(super) fn field(&mut self, number: u64, field: FieldId) -> Option<VarId> {
        if number == 0 {
            return self.of_class(field);
        }
        let row = self.row(number)?;
        let wanted = short(field);
        if let Some(at) = wanted.and_then(|wanted| row.place(wanted)) {
            return row.vars.get(at).map(|&var| VarId(var));
        }
        let all_here = row.place(NO_FIELD).is_some() && wanted.is_some();
        if all_here { None } else { self.beyond(number, Part::Field(field)) }
    }

    /// The same for a field by its [`short`] number, if it lies in the object's row: what most accesses need.
    #[inline(always)]
    pub(super) fn in_row(&self, number: u64, field: u16) -> Option<VarId> {
        let row = self.row(number)?;
        let at = row.place(field)?;
        row.vars.get(at).map(|&var| VarId(var))
    }

    /// The variable of a static field, if it has been met.
    #[inline(always)]
    pub(super) fn of_class(&self, field: FieldId) -> Option<VarId> {
        self.statics.get(field.index()).filter(|&&var| var != NONE).map(|&var| VarId(var))
    }

    /// Looks at an object's row, so that it is in the cache when it is needed. The result means nothing.
    #[inline(always)]
    pub(super) fn touch(&self, number: u64) -> u32 {
        self.row(number).map_or(0, |row| row.object)
    }

    /// The variable of array elements.
    #[inline(always)]
    pub(super) fn elements(&mut self, number: u64, from: u32, to: u32, step: u32) -> Option<VarId> {
        if to == from.saturating_add(1) {
            return self.singles.get(number, from);
        }
        self.beyond(number, Part::Elements(from, to, step))
    }

    #[inline(always)]
    fn beyond(&mut self, number: u64, part: Part) -> Option<VarId> {
        let at = front_of(number, part);
        let (known, of, var) = self.front_others[at];
        if known == number && of == part {
            return Some(VarId(var));
        }
        let var = *self.others.get(&(number, part))?;
        self.front_others[at] = (number, part, var.0);
        Some(var)
    }

    /// The variable of a part, which is new. `field` is what the [`WHOLE`] object is called, `class` what the object's
    /// class is if nothing better is known.
    #[cold]
    pub(super) fn define(
        &mut self,
        number: u64,
        part: Part,
        field: FieldId,
        class: ClassId,
        symbols: &mut Lender<Symbols>,
    ) -> VarId {
        let object = if number == 0 { None } else { Some(self.object(number, class, false, symbols)) };
        let slot = match part {
            Part::Field(WHOLE) => Slot::Field(field),
            Part::Field(field) => Slot::Field(field),
            Part::Elements(from, to, step) => {
                let count = to.saturating_sub(from).div_ceil(step.max(1)).max(1);
                Slot::elements(from, count, step).unwrap_or(Slot::Elements { first: from, count: 1, step: 1 })
            }
        };
        let var = self.spare_variables.pop().unwrap_or(VarId(symbols.variables().len() as u32));
        symbols.define_variable(var, Variable { object, slot });
        match part {
            // Something that is nobody's: one variable for all of them would be worse than none.
            Part::Field(WHOLE) if number == 0 => {}
            Part::Field(field) if number == 0 => {
                if self.statics.len() <= field.index() {
                    self.statics.resize(field.index() + 1, NONE);
                }
                if let Some(place) = self.statics.get_mut(field.index()) {
                    *place = var.0;
                }
            }
            Part::Field(field) => {
                let row = self.row_mut(number);
                match (short(field), row.place(NO_FIELD)) {
                    (Some(field), Some(at)) => row.put(at, field, var),
                    _ => {
                        self.others.insert((number, part), var);
                    }
                }
            }
            Part::Elements(from, to, _) if to == from.saturating_add(1) => {
                self.singles.put(number, from, var);
            }
            Part::Elements(..) => {
                self.others.insert((number, part), var);
            }
        }
        var
    }

    /// The object of a number. A class that is `sure` replaces one that was not.
    pub(super) fn object(
        &mut self,
        number: u64,
        class: ClassId,
        sure: bool,
        symbols: &mut Lender<Symbols>,
    ) -> ObjectId {
        let row = self.row_mut(number);
        let known = (row.object != NONE).then_some(ObjectId(row.object));
        match known {
            Some(id) if !sure || self.sure.get(id.index()).copied().unwrap_or(true) => return id,
            _ => {}
        }
        let id =
            known.or_else(|| self.spare_objects.pop()).unwrap_or(ObjectId(symbols.objects().len() as u32));
        if self.sure.len() <= id.index() {
            self.sure.resize(id.index() + 1, false);
        }
        if let Some(place) = self.sure.get_mut(id.index()) {
            *place = sure;
        }
        if known.is_none() || symbols.objects().get(id).class != class {
            symbols.define_object(id, Object { class, label: number });
        }
        if known.is_none() {
            self.row_mut(number).object = id.0;
            let page = self.page(number / PAGE as u64);
            if let Some(live) = self.live.get_mut(page as usize) {
                *live += 1;
            }
        }
        id
    }

    /// The monitor of an object, if it has been met.
    #[inline(always)]
    pub(super) fn monitor(&self, number: u64) -> Option<LockId> {
        self.row(number).filter(|row| row.lock != NONE).map(|row| LockId(row.lock))
    }

    /// The lock of an object.
    pub(super) fn lock(
        &mut self,
        number: u64,
        which: Which,
        class: ClassId,
        symbols: &mut Lender<Symbols>,
    ) -> LockId {
        let known = match which {
            Which::Monitor => self.monitor(number),
            Which::Other => self.locks.get(&number).copied(),
        };
        if let Some(lock) = known {
            return lock;
        }
        let object = self.object(number, class, true, symbols);
        let taken = match which {
            Which::Monitor => self.locks.contains_key(&number),
            Which::Other => self.monitor(number).is_some(),
        };
        // Somebody synchronizes on a java.util.concurrent lock: two locks of one object.
        let object = if taken {
            let other = if which == Which::Monitor { "monitor" } else { "lock" };
            let name = format!("{}.{other}", symbols.class_name(symbols.objects().get(object).class));
            let class = symbols.class(&name);
            let id = ObjectId(symbols.objects().len() as u32);
            symbols.define_object(id, Object { class, label: number });
            id
        } else {
            object
        };
        let lock = symbols.locks.push(crate::Lock::Of(object));
        match which {
            Which::Monitor => self.row_mut(number).lock = lock.0,
            Which::Other => {
                self.locks.insert(number, lock);
            }
        }
        lock
    }

    /// The object of a number, if it has been met.
    pub(super) fn known(&self, number: u64) -> Option<ObjectId> {
        self.row(number).filter(|row| row.object != NONE).map(|row| ObjectId(row.object))
    }

    /// Forgets an object that nobody can reach any more. Its event must come in this batch.
    pub(super) fn free(&mut self, number: u64, symbols: &mut Lender<Symbols>) -> Option<ObjectId> {
        let id = self.known(number)?;
        let has_lock = self.monitor(number).is_some() || self.locks.remove(&number).is_some();
        for &var in symbols.variables_of(id) {
            let part = match symbols.variables().get(var).slot {
                Slot::Field(field) => Part::Field(field),
                Slot::Elements { first, count, step } => {
                    let behind = first.saturating_add((count - 1).saturating_mul(step)).saturating_add(1);
                    Part::Elements(first, behind, step)
                }
            };
            if let Part::Elements(from, ..) = part {
                self.singles.forget(number, from);
            }
            for part in [part, Part::Field(WHOLE)] {
                if self.others.remove(&(number, part)).is_none() {
                    continue;
                }
                let place = &mut self.front_others[front_of(number, part)];
                if place.0 == number && place.1 == part {
                    *place = (0, Part::Elements(0, 0, 1), 0);
                }
            }
            self.freed_variables.push(var);
        }
        symbols.free(id);
        // A lock must not come to mean another object.
        if !has_lock {
            self.freed_objects.push(id);
        }
        *self.row_mut(number) = NO_ROW;
        let page = number / PAGE as u64;
        let at = self.page(page);
        if let Some(live) = self.live.get_mut(at as usize) {
            *live = live.saturating_sub(1);
            if *live == 0 {
                self.spare_pages.push(at);
                match self.direct.get_mut(page as usize) {
                    Some(place) if page < DIRECT => *place = NONE,
                    _ => drop(self.far.remove(&page)),
                }
            }
        }
        Some(id)
    }

    /// Where a page is; [`NONE`], where nothing can be, if there is none.
    #[inline(always)]
    fn page(&self, page: u64) -> u32 {
        match self.direct.get(page as usize) {
            Some(&at) => at,
            None => self.far_page(page),
        }
    }

    #[cold]
    fn far_page(&self, page: u64) -> u32 {
        if page < DIRECT { NONE } else { self.far.get(&page).copied().unwrap_or(NONE) }
    }

    #[inline(always)]
    fn row(&self, number: u64) -> Option<&Row> {
        let at = self.page(number / PAGE as u64) as usize;
        self.rows.get(at * PAGE + number as usize % PAGE)
    }

    fn row_mut(&mut self, number: u64) -> &mut Row {
        let page = number / PAGE as u64;
        let mut at = self.page(page);
        if at == NONE {
            at = self.spare_pages.pop().unwrap_or(self.live.len() as u32);
            if at as usize == self.live.len() {
                self.live.push(0);
                self.rows.resize(self.live.len() * PAGE, NO_ROW);
            }
            if page < DIRECT {
                if self.direct.len() <= page as usize {
                    self.direct.resize(page as usize + 1, NONE);
                }
                self.direct[page as usize] = at;
            } else {
                self.far.insert(page, at);
            }
        }
        // A page that is not in use has no row in use.
        &mut self.rows[at as usize * PAGE + number as usize % PAGE]
    }
}

fn front_of(number: u64, part: Part) -> usize {
    let part = match part {
        Part::Field(field) => u64::from(field.0),
        Part::Elements(from, to, step) => {
            u64::from(from) ^ u64::from(to).rotate_left(20) ^ u64::from(step).rotate_left(40)
        }
    };
    let mixed = (number.rotate_left(32) ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 54) as usize % FRONT
}
