//! `monitorenter` and `monitorexit`: told after the monitor was entered and before it is left.
//!
//! Compilers let the handler that gives a monitor up cover itself. If the stack overflowed in a probe call there, the
//! handler would be run again and again. So before the monitor is entered the probe makes sure that there is room on the
//! stack for its later calls from the same place: if there is none, the stack overflows then.

use classfile::{Kind as Moves, Result, Snippet, op};

use crate::class::Weaving;
use crate::method::Method;
use crate::probe::Probe;

impl<'a> Weaving<'_, 'a> {
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
        let (_, exit) = self.monitor_kinds();
        let site = self.site(method, exit, 0, "")?;
        let mut before = Snippet::new();
        before.plain(op::DUP)?;
        self.tell(&mut before, site, Probe::Exit)?;
        method.edit.before(method.pc, &before);
        Ok(())
    }
}
