//! `monitorenter` and `monitorexit`: told after the monitor was entered and before it is left.
//!
//! Compilers give a monitor up in a handler that covers itself. A call there that throws, because the stack overflows, would
//! run the handler again and again; and the JVM's first compiler gives methods up in which that could happen. So what leaves
//! a region by an exception is caught before, told, and thrown on to that handler. Where a part of the region has handlers
//! of its own this cannot be done in one place: there the call stands in the handler after all.
//!
//! An exit that is not told would be a monitor that is held for ever. So before the monitor is entered the probe makes sure
//! that there is room on the stack for its later calls from the same place: if there is none, the stack overflows then.

use classfile::{Border, Class, ClassRef, Instruction, Kind as Moves, Range, Result, Snippet, Value, op};

use crate::class::Weaving;
use crate::method::Method;
use crate::probe::Probe;

/// A region whose handler needs no call.
pub(crate) struct Region {
    /// What its handler covers, but for itself.
    ranges: Vec<Range>,
    /// Where the handler gives the monitor up, and the local that holds it.
    exit: u32,
    monitor: u16,
}

/// The regions of a method that can be left in one place.
fn regions<'a>(class: &Class<'a>, method: &Method<'a>) -> Result<Vec<Region>> {
    let code = method.edit.code();
    let mut found: Vec<Region> = Vec::new();
    // The last two instructions.
    let mut before: [Option<(u32, Instruction<'_>)>; 2] = [None, None];
    let mut steps = code.instructions();
    loop {
        let pc = steps.next_pc();
        let Some(step) = steps.next() else { break };
        let (_, instruction) = step?;
        if let (
            [
                Some((handler, Instruction::Store { kind: Moves::Reference, .. })),
                Some((_, Instruction::Load { kind: Moves::Reference, local })),
            ],
            Instruction::Plain(op::MONITOREXIT),
        ) = (before, instruction)
        {
            let covers = |pc: u32, start: u16, end: u16| (u32::from(start)..u32::from(end)).contains(&pc);
            let ranges: Vec<Range> = code
                .handlers()
                .filter(|entry| u32::from(entry.target) == handler && entry.catch_type == 0)
                .filter(|entry| !covers(handler, entry.start, entry.end))
                .map(|entry| Range {
                    start: entry.start.into(),
                    end: entry.end.into(),
                    border: Border::Inside,
                })
                .collect();
            if !ranges.is_empty() && method.edit.can_chain(class, &ranges)? {
                found.push(Region { ranges, exit: pc, monitor: local });
            }
        }
        before = [before[1], Some((pc, instruction))];
    }
    Ok(found)
}

impl<'a> Weaving<'_, 'a> {
    /// Looks for the method's regions, once. Where loops are told as ranges there are handlers enough.
    fn find_regions(&self, method: &mut Method<'a>) -> Result<()> {
        if method.regions.is_none() {
            let none = !method.ranged.is_empty();
            method.regions = Some(if none { Vec::new() } else { regions(&self.class, method)? });
        }
        Ok(())
    }

    pub fn monitor_enter(&mut self, method: &mut Method<'a>) -> Result<()> {
        let (enter, _) = self.monitor_kinds();
        let site = self.site(method, enter, 0, "")?;
        let lock = method.spare(Moves::Reference, 0)?;
        let mut before = Snippet::new();
        before.plain(op::DUP)?.store(Moves::Reference, lock);
        self.probes.call(&mut self.class.pool, &mut before, Probe::Room)?;
        let mut after = Snippet::new();
        after.load(Moves::Reference, lock);
        self.tell(&mut after, site, Probe::Enter)?;
        method.edit.before(method.pc, &before);
        method.edit.after(method.pc, &after);
        // Outside the range of the handler that gives the monitor up, a call keeps the method from being compiled.
        method.edit.cover_after(method.pc);
        Ok(())
    }

    pub fn monitor_exit(&mut self, method: &mut Method<'a>) -> Result<()> {
        self.find_regions(method)?;
        let (_, exit) = self.monitor_kinds();
        let site = self.site(method, exit, 0, "")?;
        let pc = method.pc;
        let caught = method.regions.iter().flatten().find(|region| region.exit == pc);
        if let Some(Region { ranges, monitor, .. }) = caught {
            let (ranges, monitor) = (ranges.clone(), *monitor);
            let object = Value::Object(ClassRef::constant(self.class.pool.add_class(b"java/lang/Object")?));
            // What a call in the region is to tell when it throws comes first.
            let noted =
                |range: &Range| method.pending_calls.iter().any(|pc| (range.start..range.end).contains(pc));
            let mut body = match ranges.iter().any(noted) {
                true => self.noted(method)?,
                false => Snippet::new(),
            };
            body.load(Moves::Reference, monitor);
            self.tell(&mut body, site, Probe::Exit)?;
            body.plain(op::ATHROW)?;
            return method.edit.handler_chain(&[(ranges, body)], &[(monitor, object)]);
        }
        let mut before = Snippet::new();
        before.plain(op::DUP)?;
        self.tell(&mut before, site, Probe::Exit)?;
        method.edit.before(method.pc, &before);
        Ok(())
    }
}
