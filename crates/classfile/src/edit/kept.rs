//! What a new handler may rely on: the frame at its start. The receiver and parameters are kept where nothing in the
//! method stores to them and no frame that holds within the range has forgotten them.

use super::apply::body_places;
use super::layout::Layout;
use super::maps::Extra;
use super::{Catch, Edit, Range, has_uninitialised_this};
use crate::bytes::Cursor;
use crate::class::Class;
use crate::error::{Error, Result};
use crate::frames::Frames;
use crate::instruction::{Instruction, Kind};
use crate::op;
use crate::value::{ClassRef, Names, Value, initial_locals};

/// The frame at the start of every new handler.
pub(super) fn handler_frames<'a>(
    edit: &Edit<'a>,
    class: &Class<'a>,
    layout: &Layout,
    names: &mut Names,
    extras: &mut Vec<Extra>,
) -> Result<()> {
    for (at, handler) in body_places(edit, layout) {
        let slots = kept_slots(edit, class, handler.range, names)?;
        // Where the first half of a long is gone, so is the second.
        let locals = slots.into_iter().filter(|value| *value != Value::Second).collect();
        let caught = match handler.catch {
            Catch::Any => names.refer(std::borrow::Cow::Borrowed(b"java/lang/Throwable")),
            Catch::Class(index) => ClassRef::constant(index),
        };
        extras.push(Extra { at, yields: false, locals, stack: vec![Value::Object(caught)] });
    }
    Ok(())
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
