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

impl Method<'_> {
    /// Does the plan want the read at the current instruction to be told each time?
    pub fn is_told_always_here(&self) -> bool {
        self.flows.told.binary_search(&self.pc).is_ok()
    }
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

    /// Tells which watched values the current instruction is about to use: before it tells what it does.
    pub fn flow_uses(&mut self, method: &mut Method<'a>, instruction: &Instruction<'_>) -> Result<()> {
        let told = self.tell_flows(&method.flows.uses, method.pc, instruction)?;
        if !told.is_empty() {
            method.edit.before(method.pc, &told);
        }
        Ok(())
    }

    /// Tells that a watched value has arrived, after what else is told of the current instruction: its read among it.
    pub fn flow_reads(&mut self, method: &mut Method<'a>, instruction: &Instruction<'_>) -> Result<()> {
        if method.is_told_always_here()
            && let Instruction::Field { opcode: opcode @ (op::GETFIELD | op::GETSTATIC), member } =
                *instruction
        {
            self.read_always(method, opcode == op::GETSTATIC, member)?;
        }
        let told = self.tell_flows(&method.flows.reads, method.pc, instruction)?;
        if !told.is_empty() {
            method.edit.after(method.pc, &told);
        }
        Ok(())
    }

    fn tell_flows(&mut self, sites: &[(u32, i32)], pc: u32, at: &Instruction<'_>) -> Result<Snippet> {
        let probe = if matches!(at, Instruction::Invoke { .. }) { Probe::FlowNow } else { Probe::Flow };
        let from = sites.partition_point(|(other, _)| *other < pc);
        let mut snippet = Snippet::new();
        for (_, site) in sites.iter().skip(from).take_while(|(other, _)| *other == pc) {
            self.tell(&mut snippet, *site, probe)?;
        }
        Ok(snippet)
    }
}
