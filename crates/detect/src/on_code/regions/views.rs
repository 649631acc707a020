//! What regions read and write. A view is the set of variables that a region reads, or that it writes; an access belongs
//! to every region that is open around it. By default constants, volatile variables, what one thread alone can reach, and
//! objects that are being made are in no view; with `--paper` every field of the program is.

use program::ir::{Inst, Op, Reg};
use program::{MethodId, flags};
use rustc_hash::FxHashSet;

use super::instances::Code;
use super::variables::{Use, VarId};
use super::{Given, RegionId, Regions};

/// A use of a variable that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The instance.
    pub instance: u32,
    /// The instruction.
    pub inst: u32,
    /// The variable.
    pub var: VarId,
    /// Does it write?
    pub write: bool,
}

/// What a region reads and writes; both sorted.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Read.
    pub reads: Vec<VarId>,
    /// Written.
    pub writes: Vec<VarId>,
}

/// All accesses and views.
pub struct Views {
    /// All accesses that count, in regions or not.
    pub accesses: Vec<Access>,
    /// By region.
    pub views: Vec<View>,
}

impl Views {
    /// Gathers them.
    pub fn new(regions: &Regions<'_>, paper: bool) -> Views {
        let Regions { given, instances, variables, .. } = regions;
        let mut accesses = Vec::new();
        for (number, instance) in (0u32..).zip(&instances.all) {
            let code = &instance.code;
            for (at, inst) in (0u32..).zip(&code.body.insts) {
                let Some((var, how)) = variables.at(instance.method, at, &inst.op) else { continue };
                let known = variables.get(var).is_some_and(|variable| variable.counts);
                if how == Use::Both || !known {
                    continue;
                }
                let is_shared =
                    || given.sharing.maybe_shared(given.program, given.points, instance.method, at);
                if !paper && (is_fresh(given, instance.method, code, inst) || !is_shared()) {
                    continue;
                }
                accesses.push(Access { instance: number, inst: at, var, write: how == Use::Write });
            }
        }
        if !paper {
            // What nobody writes while others run never changes.
            let written: FxHashSet<VarId> = accesses
                .iter()
                .filter(|access| access.write)
                .filter(|access| regions.runners(access.instance, access.inst).next().is_some())
                .map(|access| access.var)
                .collect();
            accesses.retain(|access| written.contains(&access.var));
        }
        let mut views: Vec<View> = vec![View::default(); instances.regions.len()];
        for access in &accesses {
            let is_volatile = variables.get(access.var).is_some_and(|variable| variable.is_volatile);
            if is_volatile && !paper {
                continue;
            }
            for RegionId(region) in instances.open(access.instance, access.inst) {
                if let Some(view) = views.get_mut(*region as usize) {
                    let set = if access.write { &mut view.writes } else { &mut view.reads };
                    set.push(access.var);
                }
            }
        }
        for view in &mut views {
            for set in [&mut view.reads, &mut view.writes] {
                set.sort_unstable();
                set.dedup();
            }
        }
        Views { accesses, views }
    }

    /// The view of a region.
    pub fn of(&self, region: RegionId) -> &View {
        static NONE: View = View { reads: Vec::new(), writes: Vec::new() };
        self.views.get(region.index()).unwrap_or(&NONE)
    }
}

/// Is it an access to an object that nobody else can have: in its constructor, or just made?
fn is_fresh(given: &Given<'_>, method: MethodId, code: &Code<'_>, inst: &Inst) -> bool {
    let name = given.program.names_of(method).0;
    let base = match inst.op {
        Op::Get { object, .. } | Op::Put { object, .. } => object,
        Op::Load { array, .. } | Op::Store { array, .. } => array,
        Op::GetStatic { .. } | Op::PutStatic { .. } => return name == "<clinit>",
        _ => return false,
    };
    let is_static = given.program.method(method).access & flags::STATIC != 0;
    if name == "<init>" && !is_static && code.values.same(base, Reg(0)) {
        return true;
    }
    let made = code.defs.inst(code.body, code.values.of(base));
    made.is_some_and(|made| matches!(made.op, Op::New(_) | Op::NewArray { .. } | Op::NewArrays { .. }))
}
