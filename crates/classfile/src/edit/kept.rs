//! What a new handler may rely on: the frame at its start. The receiver and parameters are kept where nothing in the
//! method stores to them and no frame that holds within the range has forgotten them. A chain relies on what its maker
//! knows, and on what the handlers rely on to which it passes on what it throws.

use super::apply::Caught;
use super::bodies;
use super::layout::Layout;
use super::maps::Extra;
use super::{Catch, Edit, NewHandler, Order, Range, has_uninitialised_this};
use crate::bytes::Cursor;
use crate::class::Class;
use crate::code::Handler;
use crate::error::{Error, Result};
use crate::frames::Frames;
use crate::instruction::{Instruction, Kind};
use crate::op;
use crate::pool::Pool;
use crate::value::{ClassRef, Names, Value, initial_locals};

/// The frame at the start of every new handler.
pub(super) fn handler_frames<'a>(
    edit: &Edit<'a>,
    class: &Class<'a>,
    layout: &Layout,
    caught: &Caught,
    names: &mut Names,
    extras: &mut Vec<Extra>,
) -> Result<()> {
    let from = extras.len();
    for body in bodies::places(edit, layout.length) {
        let handler = body.handler;
        let Some(range) = handler.ranges.first() else { continue };
        let slots = match &handler.chain {
            Some((_, held)) => chain_slots(edit, class, handler, held, caught, names)?,
            None => kept_slots(edit, class, *range, names)?,
        };
        // Where the first half of a long is gone, so is the second.
        let locals: Vec<Value> = slots.into_iter().filter(|value| *value != Value::Second).collect();
        let caught = match handler.catch {
            Catch::Any => names.refer(std::borrow::Cow::Borrowed(b"java/lang/Throwable")),
            Catch::Class(index) => ClassRef::constant(index),
        };
        let stack = vec![Value::Object(caught)];
        if body.entry != body.code {
            let (locals, stack) = (locals.clone(), stack.clone());
            extras.push(Extra { at: body.entry, yields: false, locals, stack });
        }
        extras.push(Extra { at: body.code, yields: false, locals, stack });
    }
    // Jumps to bodies stand before them.
    if let Some(new) = extras.get_mut(from..) {
        new.sort_by_key(|extra| extra.at);
    }
    Ok(())
}

/// Does an existing handler cover all of the ranges?
pub(super) fn covers(handler: &Handler, ranges: &[Range]) -> bool {
    let (start, end) = (u32::from(handler.start), u32::from(handler.end));
    ranges.iter().all(|range| start <= range.start && range.end <= end)
}

/// Does a new handler that is asked last cover all of the ranges?
pub(super) fn covers_new(handler: &NewHandler, ranges: &[Range]) -> bool {
    let inside = |range: &Range| {
        handler.ranges.iter().any(|other| other.start <= range.start && range.end <= other.end)
    };
    handler.order == Order::Outer && ranges.iter().all(inside)
}

/// The starts of the existing handlers that cover all of the ranges, ascending; `None` if one covers but a part.
pub(super) fn covering(edit: &Edit<'_>, ranges: &[Range]) -> Option<Vec<u32>> {
    let mut targets = Vec::new();
    for handler in edit.code.handlers() {
        let (start, end) = (u32::from(handler.start), u32::from(handler.end));
        if covers(&handler, ranges) {
            targets.push(u32::from(handler.target));
        } else if ranges.iter().any(|range| start < range.end && range.start < end) {
            return None;
        }
    }
    targets.sort_unstable();
    targets.dedup();
    Some(targets)
}

/// What the slots hold where a chain's body begins.
fn chain_slots<'a>(
    edit: &Edit<'a>,
    class: &Class<'a>,
    handler: &NewHandler,
    held: &[(u16, Value)],
    caught: &Caught,
    names: &mut Names,
) -> Result<Vec<Value>> {
    let offset = edit.code.offset;
    let disagree = Error::refused(offset, "handlers around a chain do not agree about its locals");
    let Some(targets) = covering(edit, &handler.ranges) else { return Err(disagree) };
    let mut slots = Vec::new();
    for (_, locals) in caught.iter().filter(|(pc, _)| targets.binary_search(pc).is_ok()) {
        if !agree(&mut slots, locals, names, &class.pool) {
            return Err(disagree);
        }
    }
    for outer in edit.handlers.iter().filter(|outer| covers_new(outer, &handler.ranges)) {
        let Some(range) = outer.ranges.first() else { continue };
        let kept = kept_slots(edit, class, *range, names)?;
        if !agree(&mut slots, &kept, names, &class.pool) {
            return Err(disagree);
        }
    }
    for (slot, value) in held {
        let slot = usize::from(*slot);
        if slots.len() <= slot {
            slots.resize(slot + 1, Value::Top);
        }
        if let Some(place @ Value::Top) = slots.get_mut(slot) {
            *place = *value;
        }
    }
    Ok(slots)
}

/// Both `slots` and `locals` hold at a place: `slots` become what is known then. False if nothing can be both.
pub(super) fn agree(slots: &mut Vec<Value>, locals: &[Value], names: &Names, pool: &Pool<'_>) -> bool {
    let any = |value: Value| match value {
        Value::SomeObject => true,
        Value::Object(class) => names.name(pool, class) == Ok(b"java/lang/Object"),
        _ => false,
    };
    if slots.len() < locals.len() {
        slots.resize(locals.len(), Value::Top);
    }
    for (mine, other) in slots.iter_mut().zip(locals) {
        match (*mine, *other) {
            (_, Value::Top) => {}
            (Value::Top, other) => *mine = other,
            (one, other) if one == other => {}
            (Value::Object(one), Value::Object(other)) if names.same(pool, one, other) => {}
            (one, other) if any(one) && other.is_reference() => *mine = other,
            (one, other) if any(other) && one.is_reference() => {}
            _ => return false,
        }
    }
    true
}

/// What the slots of receiver and parameters hold in all of a range; `Top` where that is not known.
pub(super) fn kept_slots<'a>(
    edit: &Edit<'a>,
    class: &Class<'a>,
    range: Range,
    names: &mut Names,
) -> Result<Vec<Value>> {
    let Some(method) = class.methods.get(edit.method) else { return Ok(Vec::new()) };
    let initial = initial_locals(class, method, names)?;
    let mut slots = spread(&initial, usize::MAX);
    let this = Value::Object(ClassRef::constant(class.this_class));
    let is_constructor = slots.first() == Some(&Value::UninitializedThis);
    if is_constructor && !range_is_uninitialised(edit, class, range)? {
        slots.splice(..1, [this]);
    }
    for slot in stored_locals(edit)? {
        forget(&mut slots, slot);
    }
    let table = edit.code.attribute(&class.pool, b"StackMapTable").filter(|_| class.major >= 50);
    if let Some(attribute) = table {
        let mut frames = Frames::new(Cursor::new(&attribute.body, attribute.offset), initial)?;
        let mut next = frames.next()?;
        while let Some((pc, _)) = next {
            let found = spread(&frames.locals, slots.len());
            next = frames.next()?;
            // It holds from its pc to the next frame.
            let holds_until = next.map_or(u32::MAX, |(pc, _)| pc);
            if pc >= range.end || holds_until <= range.start {
                continue;
            }
            for slot in 0..slots.len() {
                let (Some(&wanted), found) = (slots.get(slot), found.get(slot).copied()) else { continue };
                let same = match (wanted, found) {
                    // Before the range begins the constructor of the superclass may not have been called.
                    (Value::Object(_), Some(Value::UninitializedThis)) => slot == 0 && is_constructor,
                    (Value::Object(one), Some(Value::Object(other))) => names.same(&class.pool, one, other),
                    (wanted, found) => Some(wanted) == found,
                };
                if !same {
                    forget(&mut slots, slot);
                }
            }
        }
    }
    Ok(slots)
}

/// A slot and its other half, if it is part of a long, hold nothing.
fn forget(slots: &mut [Value], slot: usize) {
    let first = if slots.get(slot) == Some(&Value::Second) { slot.saturating_sub(1) } else { slot };
    let wide = slots.get(first).is_some_and(|value| value.is_wide());
    for value in slots.iter_mut().skip(first).take(1 + usize::from(wide)) {
        *value = Value::Top;
    }
}

/// Values to slots, as far as wanted.
fn spread(values: &[Value], most: usize) -> Vec<Value> {
    let mut slots = Vec::new();
    for value in values {
        if slots.len() >= most {
            break;
        }
        slots.push(*value);
        if value.is_wide() {
            slots.push(Value::Second);
        }
    }
    slots
}

/// The local slots some instruction of the old code stores to.
fn stored_locals(edit: &Edit<'_>) -> Result<Vec<usize>> {
    let mut stored = Vec::new();
    for step in edit.code.opcodes() {
        let (pc, opcode) = step?;
        if !matches!(opcode, op::ISTORE..=op::ASTORE_3 | op::WIDE) {
            continue;
        }
        if let (Instruction::Store { kind, local }, _) = edit.code.instruction_at(pc)? {
            stored.push(usize::from(local));
            if matches!(kind, Kind::Long | Kind::Double) {
                stored.push(usize::from(local) + 1);
            }
        }
    }
    Ok(stored)
}

/// Is `this` still uninitialised in all of the range? It must be so in all of it or nowhere.
fn range_is_uninitialised<'a>(edit: &Edit<'a>, class: &Class<'a>, range: Range) -> Result<bool> {
    if edit.initialised_from(class)?.is_some_and(|from| range.start >= from) {
        return Ok(false);
    }
    let mut flow = edit.flow(class)?;
    let (mut before, mut after) = (false, false);
    while let Some(step) = flow.next()? {
        if (range.start..range.end).contains(&step.pc)
            && let Some(state) = step.state
        {
            let uninitialised = has_uninitialised_this(state.locals(), state.stack());
            before |= uninitialised;
            after |= !uninitialised;
        }
    }
    if before && after {
        let offset = edit.code.offset + range.start as usize;
        return Err(Error::refused(offset, "a handler's range holds the constructor's call of super"));
    }
    Ok(before)
}
