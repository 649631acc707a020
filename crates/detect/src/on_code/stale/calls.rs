//! What calls mean for the values of a method: what the summaries of all that may be called say, taken together. What is
//! called and has no code (a library's method) gives something computed from all that it gets; some print what they get.

use program::MethodId;
use program::ir::{List, MethodRef, Reg};

use super::flow::{Follow, Got, Source, Stage, State, UseKind, for_callers, in_terms_of_caller, old_by};
use super::summary::{MOST_TARGETS, Return, Summary, Written, add_all};
use super::waits::Wait;
use crate::on_code::locks::{Depth, Path};

impl Follow<'_, '_> {
    /// A call: what is written by it, what it gives.
    pub(super) fn call(
        &mut self,
        inst: u32,
        (named, arguments): (MethodRef, List),
        result: Reg,
        state: &mut State,
        depths: &[Depth],
    ) -> Vec<(u32, Stage)> {
        let arguments = self.body.list(arguments).to_vec();
        let paths: Vec<Path> = arguments.iter().map(|reg| self.paths.of(*reg)).collect();
        let mut given = Vec::new();
        let mut followed = false;
        let mut which = 1;
        let mut waits: Vec<Wait> = Vec::new();
        let summaries = self.summaries;
        let targets: Vec<MethodId> = self.code.points.targets(self.method, inst).collect();
        let is_wide = targets.len() > MOST_TARGETS;
        self.found.wide += usize::from(is_wide && self.gathering);
        let targets: Vec<&Summary> = match is_wide {
            true => Vec::new(),
            false => targets.into_iter().filter_map(|target| summaries.of(target)).collect(),
        };
        for summary in &targets {
            followed = true;
            for written in &summary.writes {
                self.call_writes(inst, written, &arguments, &paths, state, depths);
            }
            for wait in &summary.waits {
                add_all(&mut waits, &self.waits_of_callee(wait, &paths, depths));
            }
        }
        if !followed && self.prints(named) {
            self.printed(inst, &arguments, state, depths);
        }
        // What is passed through or was read before is older than what was waited for; what is returned says so itself.
        self.wait(&waits, state, depths);
        for summary in &targets {
            for param in &summary.passes {
                if let Some(reg) = arguments.get(*param as usize) {
                    given.extend(self.values(state, std::iter::once(*reg)));
                }
            }
            for found in &summary.returns {
                which += 1;
                let Some(got) = self.got(found, &paths, depths) else { continue };
                given.extend(self.read((inst, which), got, &[], depths));
            }
            for (variable, object) in &summary.overwrites {
                let object = object.as_ref().map(|object| in_terms_of_caller(object, &paths));
                if object != Some(None) {
                    self.taken(*variable, object.flatten().as_ref(), state);
                }
            }
        }
        if !followed && result.is_some() {
            given = self.values(state, arguments.iter().copied());
        }
        given
    }

    /// What a callee returns, in the terms of this method.
    fn got(&self, found: &Return, paths: &[Path], depths: &[Depth]) -> Option<Got> {
        let lock = match &found.lock {
            Some(lock) => Some(in_terms_of_caller(lock, paths)?),
            None => None,
        };
        let object = match &found.object {
            Some(object) => Some(in_terms_of_caller(object, paths)?),
            None => None,
        };
        let mut waited = Vec::new();
        for wait in &found.after {
            add_all(&mut waited, &self.waits_of_callee(wait, paths, depths));
        }
        Some(Got { variable: found.variable, object, place: found.place, lock, waited })
    }

    /// Does a method that has no code here print or log what it gets?
    fn prints(&self, named: MethodRef) -> bool {
        let table = &self.code.program.class(self.code.program.method(self.method).owner).code.table;
        let Some((owner, name, _)) = table.method(named).map(|member| table.names(member)) else {
            return false;
        };
        let class = owner.rsplit(['/', '$']).next().unwrap_or(owner);
        match class {
            "PrintStream" | "PrintWriter" | "Console" => {
                matches!(name, "print" | "println" | "printf" | "format" | "append" | "write")
            }
            "Logger" | "Log" => name != "<init>",
            _ => false,
        }
    }

    /// What is printed, but where.
    fn printed(&mut self, inst: u32, arguments: &[Reg], state: &State, depths: &[Depth]) {
        for reg in arguments.iter().skip(1) {
            let values = self.values(state, std::iter::once(*reg));
            for &(source, stage) in &values {
                let Some(Source::Read(read)) = self.found.sources.get(source as usize) else { continue };
                if stage.is_old() && !self.paper {
                    let always = state.is_always(read.variable, source, &values);
                    let waited = old_by(stage, state);
                    self.used(source, inst, UseKind::Printed, (*reg, always), waited, depths);
                }
            }
        }
    }

    fn call_writes(
        &mut self,
        inst: u32,
        written: &Written,
        arguments: &[Reg],
        paths: &[Path],
        state: &State,
        depths: &[Depth],
    ) {
        let Some(reg) = arguments.get(written.param as usize) else { return };
        let variable = written.variable;
        let object = match &written.object {
            None => None,
            Some(object) => match in_terms_of_caller(object, paths) {
                Some(object) => Some(object),
                None => return,
            },
        };
        let mut before: Vec<Wait> = Vec::new();
        for wait in &written.after {
            add_all(&mut before, &self.waits_of_callee(wait, paths, depths));
        }
        let is_checked = state.checked.iter().any(|(checked, _)| *checked == variable);
        let lock = written.lock.as_ref().and_then(|lock| in_terms_of_caller(lock, paths));
        let values = self.values(state, std::iter::once(*reg));
        for &(source, stage) in &values {
            let held = lock.clone().or_else(|| self.lock_here(depths));
            match self.found.sources.get(source as usize) {
                Some(Source::Param(number)) if !is_checked => {
                    let open = object.clone().filter(|path| !path.is_local());
                    if object.is_some() && open.is_none() || self.paper {
                        continue;
                    }
                    let (param, place) = (*number, written.place);
                    let mut after = state.waited.clone();
                    add_all(&mut after, &before);
                    let after = for_callers(&after);
                    let own = Written { param, variable, object: open, place, lock: held, after };
                    self.found.summary.written(own);
                }
                Some(Source::Read(read)) => {
                    // The callee may have waited before it wrote; what was checked before that is checked no more.
                    let aged =
                        stage != Stage::Taken && before.iter().any(|wait| self.ages(read, wait, depths));
                    if !aged && (!stage.is_old() || is_checked) {
                        continue;
                    }
                    let held = held.or_else(|| self.callers_lock());
                    let same_lock = read.lock.is_some() && read.lock == held;
                    let place = Some(written.place);
                    let kind = UseKind::Written { variable, object: object.clone(), place, same_lock };
                    let always = !aged && state.is_always(variable, source, &values);
                    let mut waited = old_by(stage, state);
                    if aged {
                        add_all(&mut waited, &before);
                    }
                    self.used(source, inst, kind, (*reg, always), waited, depths);
                }
                _ => {}
            }
        }
    }
}
