//! Array elements: told before they are read or written. A null array or an index outside of it is for the program's
//! own instruction to find. Those that `loops/` tells as ranges are left out.

use classfile::{Kind as Moves, Result, Snippet, op};

use crate::Kind;
use crate::class::Weaving;
use crate::method::Method;
use crate::probe::Probe;

/// The array's type as far as the instruction tells it.
pub(crate) fn array_type(opcode: u8) -> &'static str {
    match opcode {
        op::IALOAD | op::IASTORE => "[I",
        op::LALOAD | op::LASTORE => "[J",
        op::FALOAD | op::FASTORE => "[F",
        op::DALOAD | op::DASTORE => "[D",
        op::AALOAD | op::AASTORE => "[L",
        op::BALOAD | op::BASTORE => "[B",
        op::CALOAD | op::CASTORE => "[C",
        _ => "[S",
    }
}

fn stored(opcode: u8) -> Moves {
    match opcode {
        op::LASTORE => Moves::Long,
        op::FASTORE => Moves::Float,
        op::DASTORE => Moves::Double,
        op::AASTORE => Moves::Reference,
        _ => Moves::Int,
    }
}

impl<'a> Weaving<'_, 'a> {
    pub fn element(&mut self, method: &mut Method<'a>, opcode: u8) -> Result<()> {
        let mut before = Snippet::new();
        if opcode <= op::SALOAD {
            let site = self.site(method, Kind::ArrayRead, 0, array_type(opcode))?;
            before.plain(op::DUP2)?;
            self.tell(&mut before, site, Probe::ArrayRead)?;
        } else {
            let site = self.site(method, Kind::ArrayWrite, 0, array_type(opcode))?;
            let moves = stored(opcode);
            let value = method.spare(moves, 0)?;
            before.store(moves, value).plain(op::DUP2)?;
            self.tell(&mut before, site, Probe::ArrayWrite)?;
            before.load(moves, value);
        }
        method.edit.before(method.pc, &before);
        Ok(())
    }
}
