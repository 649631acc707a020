//! Values that a plan wants to be watched: the reads they come from are told each time, and it is told where a value has
//! arrived and where it is about to be used. What may be wrong with them is not decided here.

use classfile::{Instruction, Result, Snippet, op};
use events::plan::MethodFacts;

use crate::Kind;
use crate::class::Weaving;
use crate::method::Method;
use crate::probe::Probe;

/// The watched values of a method: pcs, ascending, with the sites that are told there.
#[derive(Default)]
pub(crate) struct Flows {
    told: Vec<u32>,
    reads: Vec<(u32, i32)>,
    uses: Vec<(u32, i32)>,
}

impl<'a> Weaving<'_, 'a> {
    /// Gives the watched values of a method their sites: where one is read before where it is used.
    pub fn begin_flows(&mut self, method: &mut Method<'a>, facts: &MethodFacts) -> Result<()> {
        let mut flows =
            Flows { told: facts.told.iter().map(|pc| u32::from(*pc)).collect(), ..Flows::default() };
        for flow in &facts.flows {
            method.pc = u32::from(flow.read);
            let read = self.site(method, Kind::FlowRead, 0, flow.kind.word())?;
            flows.reads.push((method.pc, read));
            for used in &flow.uses {
                method.pc = u32::from(*used);
                let site = self.site(method, Kind::FlowUse, read as u32, "")?;
                flows.uses.push((method.pc, site));
            }
        }
        flows.reads.sort_unstable();
        flows.uses.sort_unstable();
        method.flows = flows;
        Ok(())
    }

    /// Tells what the current instruction has to do with watched values. Comes after what else is told there: a value
    /// arrives when its read has been told.
    pub fn flows(&mut self, method: &mut Method<'a>, instruction: &Instruction<'_>) -> Result<()> {
        let pc = method.pc;
        if method.flows.told.binary_search(&pc).is_ok()
            && let Instruction::Field { opcode: opcode @ (op::GETFIELD | op::GETSTATIC), member } =
                *instruction
        {
            self.read_always(method, opcode == op::GETSTATIC, member)?;
        }
        for (at, after) in [(&method.flows.reads, true), (&method.flows.uses, false)] {
            let from = at.partition_point(|(other, _)| *other < pc);
            let here = at.get(from..).unwrap_or_default().iter().take_while(|(other, _)| *other == pc);
            let mut snippet = Snippet::new();
            for (_, site) in here {
                snippet.int(&mut self.class.pool, *site)?;
                self.probes.call(&mut self.class.pool, &mut snippet, Probe::Flow)?;
            }
            if snippet.is_empty() {
                continue;
            }
            match after {
                true => method.edit.after(pc, &snippet),
                false => method.edit.before(pc, &snippet),
            }
        }
        Ok(())
    }
}
