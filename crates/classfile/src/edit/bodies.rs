//! The bodies of new handlers, which stand behind the code: where each begins, and which further entries of the exception
//! table chains need. The frames at their starts are in `kept.rs`.
//!
//! A chain's bodies fall into each other, but no handler may begin where other code falls through: the JVM's compilers
//! give such methods up. So all but the first are entered by a jump that stands before the bodies.

use super::kept::{agree, covering, covers, covers_new};
use super::layout::Layout;
use super::{Catch, Edit, NewHandler, Order, Range};
use crate::class::Class;
use crate::error::{Error, Reason, Result};
use crate::op;
use crate::snippet::Snippet;
use crate::value::Value;

/// The length of a jump to a body.
const JUMP: u32 = 3;

/// Where a new handler stands.
pub(super) struct Body<'e> {
    /// Where the exception arrives.
    pub entry: u32,
    /// Its own code; where another body falls into it, not the same place.
    pub code: u32,
    pub handler: &'e NewHandler,
}

impl<'a> Edit<'a> {
    /// Catches everything that the ranges of each part throw, before all handlers that exist. The bodies stand in the order
    /// given, and each may fall into the next; the last must end in a throw or return. `held` are locals that hold these
    /// values at every instruction of every range, which the caller has to know. Every other handler must cover all of the
    /// chain's ranges or nothing of them ([`Edit::can_chain`]); those that do also cover the bodies.
    pub fn handler_chain(&mut self, parts: &[(Vec<Range>, Snippet)], held: &[(u16, Value)]) -> Result<()> {
        let offset = self.code.offset;
        if parts.last().is_none_or(|(_, body)| body.falls_through())
            || parts.iter().any(|(ranges, body)| ranges.is_empty() || body.is_empty())
        {
            return Err(Error::refused(offset, "a chain of handlers must end in a throw or return"));
        }
        for range in parts.iter().flat_map(|(ranges, _)| ranges) {
            self.check_range(*range)?;
        }
        let number = self.handlers.len() as u32;
        for (ranges, body) in parts {
            let (start, length) = self.keep(body);
            self.handlers.push(NewHandler {
                ranges: ranges.clone(),
                chain: Some((number, held.to_vec())),
                catch: Catch::Any,
                order: Order::Inner,
                start,
                length,
                peak: body.peak(),
            });
        }
        Ok(())
    }

    /// Can there be a chain over these ranges? Each handler of the code must cover all of them or nothing, and those that do
    /// must agree about the locals.
    pub fn can_chain(&self, class: &Class<'a>, ranges: &[Range]) -> Result<bool> {
        let Some(targets) = covering(self, ranges) else { return Ok(false) };
        if class.major < 50 || targets.len() < 2 {
            return Ok(true);
        }
        let mut flow = self.flow(class)?;
        let mut states = Vec::new();
        for target in targets {
            states.extend(flow.before(target)?.map(|state| state.locals().to_vec()));
        }
        let names = flow.into_names();
        let mut slots = Vec::new();
        Ok(states.iter().all(|locals| agree(&mut slots, locals, &names, &class.pool)))
    }
}

fn chain(handler: &NewHandler) -> Option<u32> {
    handler.chain.as_ref().map(|(number, _)| *number)
}

/// The handlers; those of one chain together.
fn groups(handlers: &[NewHandler]) -> impl Iterator<Item = &[NewHandler]> {
    handlers.chunk_by(|one, other| chain(one).is_some() && chain(one) == chain(other))
}

/// The length of all bodies.
pub(super) fn length(edit: &Edit<'_>) -> usize {
    let lengths = edit.handlers.iter().map(|handler| handler.length as usize).sum::<usize>();
    let jumps = groups(&edit.handlers).map(|group| group.len() - 1).sum::<usize>();
    lengths + jumps * JUMP as usize
}

/// Where each stands, in the order of the handlers; the code of the first begins at `at`.
pub(super) fn places<'e>(edit: &'e Edit<'_>, at: u32) -> Vec<Body<'e>> {
    let mut at = at;
    let mut bodies = Vec::with_capacity(edit.handlers.len());
    for group in groups(&edit.handlers) {
        let mut jump = at;
        at += JUMP * (group.len() as u32 - 1);
        for (number, handler) in group.iter().enumerate() {
            let entry = if number == 0 { at } else { jump };
            jump += if number == 0 { 0 } else { JUMP };
            bodies.push(Body { entry, code: at, handler });
            at += handler.length;
        }
    }
    bodies
}

/// Writes them.
pub(super) fn write(out: &mut Vec<u8>, edit: &Edit<'_>, layout: &Layout) -> Result<()> {
    let bodies = places(edit, layout.length);
    for group in bodies.chunk_by(|one, other| is_same_chain(one, other)) {
        for body in group.iter().skip(1) {
            let by = i16::try_from(body.code - body.entry)
                .map_err(|_| Error { offset: edit.code.offset, reason: Reason::MethodTooLarge })?;
            out.push(op::GOTO);
            out.extend_from_slice(&by.to_be_bytes());
        }
        for Body { handler, .. } in group {
            let (start, length) = (handler.start as usize, handler.length as usize);
            out.extend_from_slice(edit.store.get(start..start + length).unwrap_or_default());
        }
    }
    Ok(())
}

fn is_same_chain(one: &Body<'_>, other: &Body<'_>) -> bool {
    chain(one.handler).is_some() && chain(one.handler) == chain(other.handler)
}

/// Entries that send what a chain throws to the handlers that cover its region. They stand at the end, so that no existing
/// entry gets another number; no other entry covers a chain.
pub(super) fn passed_on(edit: &Edit<'_>, layout: &Layout) -> Result<Vec<[u16; 4]>> {
    let mut entries = Vec::new();
    let bodies = places(edit, layout.length);
    for group in bodies.chunk_by(|one, other| is_same_chain(one, other)) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        if chain(first.handler).is_none() {
            continue;
        }
        let start = group.iter().map(|body| body.entry).min().unwrap_or(first.entry) as u16;
        let end = (last.code + last.handler.length) as u16;
        let ranges = &first.handler.ranges;
        for handler in edit.code.handlers().filter(|handler| covers(handler, ranges)) {
            let target = layout.node(u32::from(handler.target))?.label as u16;
            entries.push([start, end, target, handler.catch_type]);
        }
        for body in bodies.iter().filter(|body| covers_new(body.handler, ranges)) {
            let catch = match body.handler.catch {
                Catch::Any => 0,
                Catch::Class(index) => index,
            };
            entries.push([start, end, body.entry as u16, catch]);
        }
    }
    Ok(entries)
}
