//! Array accesses in counted loops: told once, as a range, when the loop is left, instead of one by one. With no call in
//! the loop the JVM can make of it what it would make of it unwatched.
//!
//! This moves the accesses to the end of the loop. A loop is taken only if it is *quiet*: it computes with locals, arrays,
//! plain fields of its own class and `Math`, and does nothing that gives or takes order. So the order in which the trace
//! has the accesses is one of those in which they may have happened. A loop that never ends tells nothing; one without a
//! way out is not taken.
//!
//! An access is told as a range if every iteration does it exactly once, its array is the same in all of them (a local
//! that the loop does not store to, or a final field of `this`), and its index is a counter plus a constant. A counter
//! is a local whose only change in the loop is one `iinc`, which every iteration does once; if that is not by 1 or -1, the
//! step is told too. All other accesses are told one by one, as everywhere.
//!
//! The range follows from the counter's value when the loop was entered, its value when it is left, and from what the
//! last, unfinished iteration has done by then: `ways.rs` finds that out for each way out. Exceptions are ways out too:
//! handlers tell what was done and throw on to whoever would have caught it. What is told is what was done: the access
//! that throws is not told. All indexes that were accessed lie in the array, so that nothing can overflow but the one that
//! would come next, and what is computed from that is right all the same.
//!
//! A final field of `this` that the head of such a loop reads (as bounds often are) is told once, when the loop is
//! entered, and not in the loop: a call there would keep the JVM from compiling the loop well. Elsewhere a field is told
//! up to twice before it is passed over; a final one has nothing to tell the second time.
//!
//! Only one level of nested loops is taken, the innermost that can be.

mod plan;
#[cfg(test)]
mod tests;
mod values;
mod ways;

use classfile::{Border, ClassRef, Flow, Kind as Moves, Range, Result, Snippet, Value, flags, op};

use crate::Kind;
use crate::arrays::array_type;
use crate::class::Weaving;
use crate::members::OwnTold;
use crate::method::Method;
use crate::probe::Probe;
use plan::{About, Access, Deed, Field, Ranged, Spot};
pub(crate) use values::Base;

/// A loop in the making: what it is, the locals that keep its counters' first values, and its accesses' sites.
struct Making<'r> {
    ranged: &'r Ranged,
    firsts: &'r [u16],
    sites: Vec<i32>,
}

/// An int that is a local and a constant.
type Sum = (u16, i32);

impl Making<'_> {
    fn is_done(&self, deed: Deed, done: usize) -> bool {
        self.ranged.deeds.iter().take(done).any(|other| *other == deed)
    }

    /// The first index that was accessed and the one that would come next, when so many deeds of the iteration are done. Of
    /// a counter that goes down by one, the lowest index that was accessed and the one behind the highest.
    fn range(&self, number: usize, access: &Access, done: usize) -> Option<(Sum, Sum)> {
        let counter = self.ranged.counters.get(access.counter)?;
        let first = *self.firsts.get(access.counter)?;
        let (local, now) = self.now(access, done)?;
        let accessed = self.is_done(Deed::Access(number), done);
        let next = if accessed { now.wrapping_add(counter.step) } else { now };
        Some(if counter.step == -1 {
            ((local, next.wrapping_add(1)), (first, access.more.wrapping_add(1)))
        } else {
            ((first, access.more), (local, next))
        })
    }

    /// The index in the iteration that is not finished.
    fn now(&self, access: &Access, done: usize) -> Option<Sum> {
        let counter = self.ranged.counters.get(access.counter)?;
        let gone = if self.is_done(Deed::Increment(access.counter), done) { counter.step } else { 0 };
        Some((counter.local, access.more.wrapping_sub(gone)))
    }
}

impl<'a> Weaving<'_, 'a> {
    /// Has the method's loops told as ranges, and notes which accesses need not be told one by one.
    pub fn range_loops(&mut self, method: &mut Method<'a>) -> Result<()> {
        let has_this = !method.is_static() && !method.is_constructor();
        let field = |member: u16| self.field_in_loop(member);
        let (kept, planned) = (std::mem::take(&mut method.kept), std::mem::take(&mut method.planned));
        let untold = |pc: u32| kept.has(pc) || planned.binary_search(&pc).is_ok();
        let about = About { pool: &self.class.pool, has_this, untold: &untold, field: &field };
        let mut found = plan::find(method.edit.code(), &about)?;
        (method.kept, method.planned) = (kept, planned);
        if found.is_empty() {
            return Ok(());
        }
        if has_this && method.is_stored(0)? {
            for ranged in &mut found {
                ranged.head_reads.clear();
                ranged.further_reads.clear();
            }
            found
                .retain(|ranged| ranged.accesses.iter().all(|access| matches!(access.array, Base::Local(_))));
        }
        let from = method.initialised_from(&self.class)?;
        found.retain(|ranged| {
            from.is_some_and(|from| ranged.start >= from && ranged.thrown.iter().all(|part| part.1 >= from))
        });
        let mut kept = Vec::with_capacity(found.len());
        for ranged in found {
            let ranges: Vec<Range> =
                ranged.thrown.iter().map(|(_, start, end)| around(*start, *end)).collect();
            if method.edit.can_chain(&self.class, &ranges)? && self.holds_at_exits(method, &ranged)? {
                kept.push(ranged);
            }
        }
        let counters = kept.iter().map(|ranged| ranged.counters.len()).max().unwrap_or(0);
        let mut firsts = Vec::with_capacity(counters);
        let mut entry = Snippet::new();
        for _ in 0..counters {
            let local = method.edit.method_local(Value::Int)?;
            entry.int(&mut self.class.pool, 0)?.store(Moves::Int, local);
            firsts.push(local);
        }
        method.edit.entry(&entry);
        // All exits first: where one loop is left and another entered, the locals still belong to the first.
        for ranged in &kept {
            self.tell_loop(method, ranged, &firsts)?;
        }
        for ranged in &kept {
            let mut save = Snippet::new();
            for (counter, first) in ranged.counters.iter().zip(&firsts) {
                save.load(Moves::Int, counter.local).store(Moves::Int, *first);
            }
            let mut members = Vec::new();
            for (pc, member) in &ranged.head_reads {
                if self.tell_read(method, &mut save, *pc, *member)? {
                    members.push(*member);
                    method.ranged.push(*pc);
                }
            }
            for spot in &ranged.entries {
                insert(method, *spot, &save);
            }
            method.ranged.extend(ranged.accesses.iter().map(|access| access.pc));
            if members.len() == ranged.head_reads.len() {
                method.ranged.extend(&ranged.further_reads);
            }
        }
        method.ranged.sort_unstable();
        Ok(())
    }

    fn field_in_loop(&self, member: u16) -> Field {
        let Ok(found) = self.class.pool.member_ref(member) else { return Field::Other };
        let own = if found.owner == self.name { self.own.get(found.name, found.descriptor) } else { None };
        match own {
            Some(own) if own.flags & (flags::STATIC | flags::VOLATILE) != 0 => Field::Other,
            Some(own) if own.flags & flags::FINAL != 0 => Field::Final,
            Some(_) => Field::Plain,
            None => Field::Other,
        }
    }

    /// Tells the read of a field of `this`, if its objects keep what is known of it.
    fn tell_read(&mut self, method: &mut Method<'a>, to: &mut Snippet, pc: u32, member: u16) -> Result<bool> {
        let found = self.class.pool.member_ref(member)?;
        let Some(own) = self.own.get(found.name, found.descriptor) else { return Ok(false) };
        let OwnTold::Place(place) = own.told else { return Ok(false) };
        let number = self.sites.field(found.owner, found.name, found.descriptor, Some(own.flags));
        method.pc = pc;
        let site = self.site(method, Kind::Read, number, "")?;
        self.sites.own(site as u32, place, false);
        to.load(Moves::Reference, 0);
        self.tell(to, site, Probe::ReadField)?;
        Ok(true)
    }

    /// Do the loop's locals still hold something where it is left by a switch? Elsewhere they do: its header needs them.
    fn holds_at_exits(&self, method: &Method<'a>, ranged: &Ranged) -> Result<bool> {
        let mut pcs: Vec<u32> = ranged.exits.iter().filter_map(|(spot, _)| before(*spot)).collect();
        pcs.sort_unstable();
        if pcs.is_empty() {
            return Ok(true);
        }
        let Some(member) = self.class.methods.get(method.index) else { return Ok(false) };
        let Some(mut flow) = Flow::new(&self.class, member)? else { return Ok(false) };
        for pc in pcs {
            let Some(state) = flow.before(pc)? else { return Ok(false) };
            let holds = |local: u16, int: bool| match state.local(local) {
                Value::Int => int,
                Value::Object(_) | Value::SomeObject | Value::Null => !int,
                _ => false,
            };
            let arrays = ranged.accesses.iter().map(|access| base_local(access.array));
            if !ranged.counters.iter().all(|counter| holds(counter.local, true))
                || !arrays.into_iter().all(|local| holds(local, false))
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Tells the ranges wherever the loop is left.
    fn tell_loop(&mut self, method: &mut Method<'a>, ranged: &Ranged, firsts: &[u16]) -> Result<()> {
        let mut making = Making { ranged, firsts, sites: Vec::new() };
        for access in &ranged.accesses {
            method.pc = access.pc;
            let kind = if access.opcode <= op::SALOAD { Kind::ArrayRead } else { Kind::ArrayWrite };
            let site = self.site(method, kind, 0, array_type(access.opcode))?;
            making.sites.push(site);
        }
        for (spot, done) in &ranged.exits {
            let mut code = Snippet::new();
            self.tell_ranges(&mut code, &making, *done)?;
            insert(method, *spot, &code);
        }
        let mut held = Vec::new();
        for access in &ranged.accesses {
            let local = base_local(access.array);
            let class = match access.array {
                Base::Local(_) => self.class.pool.add_class(b"java/lang/Object")?,
                Base::Field(_) => self.class.this_class,
            };
            held.push((local, Value::Object(ClassRef::constant(class))));
        }
        held.extend(ranged.counters.iter().map(|counter| (counter.local, Value::Int)));
        for chain in chains(ranged) {
            let mut parts: Vec<(Vec<Range>, Snippet)> = Vec::new();
            for (number, done) in chain.iter().enumerate() {
                let mut code = Snippet::new();
                match chain.get(number + 1) {
                    // What has been done since the state of the body that follows.
                    Some(before) => self.tell_elements(&mut code, &making, *before, *done)?,
                    None => {
                        self.tell_ranges(&mut code, &making, *done)?;
                        code.plain(op::ATHROW)?;
                    }
                }
                let places = ranged.thrown.iter().filter(|(state, ..)| state == done);
                parts.push((places.map(|(_, start, end)| around(*start, *end)).collect(), code));
            }
            method.edit.handler_chain(&parts, &held)?;
        }
        Ok(())
    }

    /// Tells all of the loop's accesses when so many deeds of the iteration are done.
    fn tell_ranges(&mut self, to: &mut Snippet, making: &Making<'_>, done: usize) -> Result<()> {
        for (number, access) in making.ranged.accesses.iter().enumerate() {
            if let Some(range) = making.range(number, access, done) {
                let step = making.ranged.counters.get(access.counter).map_or(1, |counter| counter.step);
                self.tell_range(to, making, number, range, step)?;
            }
        }
        Ok(())
    }

    /// Tells the elements that one iteration has accessed since `before` deeds were done.
    fn tell_elements(
        &mut self,
        to: &mut Snippet,
        making: &Making<'_>,
        before: usize,
        done: usize,
    ) -> Result<()> {
        for deed in making.ranged.deeds.iter().take(done).skip(before) {
            if let Deed::Access(number) = deed
                && let Some(access) = making.ranged.accesses.get(*number)
                && let Some(now) = making.now(access, done)
            {
                self.tell_range(to, making, *number, (now, (now.0, now.1.wrapping_add(1))), 1)?;
            }
        }
        Ok(())
    }

    fn tell_range(
        &mut self,
        to: &mut Snippet,
        making: &Making<'_>,
        number: usize,
        (from, until): (Sum, Sum),
        step: i32,
    ) -> Result<()> {
        let (Some(access), Some(site)) = (making.ranged.accesses.get(number), making.sites.get(number))
        else {
            return Ok(());
        };
        match access.array {
            Base::Local(local) => to.load(Moves::Reference, local),
            Base::Field(member) => {
                let descriptor = self.class.pool.member_ref(member)?.descriptor;
                to.load(Moves::Reference, 0).field_at(op::GETFIELD, member, descriptor)?
            }
        };
        for (local, more) in [from, until] {
            to.load(Moves::Int, local);
            if more != 0 {
                to.int(&mut self.class.pool, more)?.plain(op::IADD)?;
            }
        }
        if matches!(step, 1 | -1) {
            return self.tell(to, *site, Probe::ArrayRange);
        }
        to.int(&mut self.class.pool, step)?;
        self.tell(to, *site, Probe::ArraySteps)
    }
}

/// The local that must hold something for the array to be had.
fn base_local(array: Base) -> u16 {
    match array {
        Base::Local(local) => local,
        Base::Field(_) => 0,
    }
}

fn around(start: u32, end: u32) -> Range {
    Range { start, end, border: Border::Around }
}

fn before(spot: Spot) -> Option<u32> {
    match spot {
        Spot::Before(pc) => Some(pc),
        Spot::Fall(_) | Spot::Taken(_) => None,
    }
}

fn insert(method: &mut Method<'_>, spot: Spot, code: &Snippet) {
    match spot {
        Spot::Before(pc) => method.edit.before(pc, code),
        Spot::Fall(pc) => method.edit.before_fall(pc, code),
        Spot::Taken(pc) => method.edit.taken(pc, code),
    }
}

/// The states in which something may be thrown, latest first; those between two increments together, since the code for
/// them may follow one another: what it takes for the counter is the same.
fn chains(ranged: &Ranged) -> Vec<Vec<usize>> {
    let mut states: Vec<usize> = ranged.thrown.iter().map(|(done, ..)| *done).collect();
    states.sort_unstable();
    states.dedup();
    let increments = |done: usize| {
        let done = ranged.deeds.iter().take(done);
        done.filter(|deed| matches!(deed, Deed::Increment(_))).count()
    };
    let groups = states.chunk_by(|one, other| increments(*one) == increments(*other));
    groups.map(|group| group.iter().rev().copied().collect()).collect()
}
