//! The StackMapTable of the new code: old frames at their new places with the method's new locals added, and the frames
//! that widened branches and new handlers need.

use super::layout::Layout;
use crate::bytes::Cursor;
use crate::error::{Error, Result};
use crate::frames::{Change, FrameWriter, Frames};
use crate::pool::Pool;
use crate::value::{Names, Value};

/// A frame that was not there before. Its values still speak of old pcs.
pub(super) struct Extra {
    /// The place in the new code.
    pub at: u32,
    /// Where there already is a frame, that of the old code holds.
    pub yields: bool,
    pub locals: Vec<Value>,
    pub stack: Vec<Value>,
}

/// What is added to the locals of every frame.
pub(super) struct Added<'e> {
    /// Slots in ascending order with what they hold.
    pub locals: &'e [(u16, Value)],
}

impl Added<'_> {
    /// Appends the new locals, padded so that they stand in their slots.
    fn append_to(&self, locals: &mut Vec<Value>) {
        let mut slot: u32 = locals.iter().map(|value| u32::from(value.slots())).sum();
        for (at, value) in self.locals {
            while slot < u32::from(*at) {
                locals.push(Value::Top);
                slot += 1;
            }
            locals.push(*value);
            slot += u32::from(value.slots());
        }
    }
}

/// The table's new body; `None` if no frame is needed. `extras` are in ascending order.
pub(super) fn frame_table(
    old: Option<(&[u8], usize)>,
    initial: Vec<Value>,
    extras: &[Extra],
    added: &Added<'_>,
    layout: &Layout,
    names: &Names,
    pool: &mut Pool<'_>,
) -> Result<Option<Vec<u8>>> {
    let mut frames = match old {
        Some((body, offset)) => Frames::new(Cursor::new(body, offset), initial.clone())?,
        None => Frames::none(initial.clone()),
    };
    let mut writer = FrameWriter::new(initial);
    let mut extras = extras.iter().peekable();
    let mut locals = frames.locals.clone();
    let mut stack = Vec::new();
    // Are the writer's locals those of the table's frame before?
    let mut in_step = true;
    let mut first = true;
    loop {
        let next = frames.next()?;
        let at = match next {
            Some((pc, _)) => layout.node(pc)?.label,
            None => u32::MAX,
        };
        while let Some(extra) = extras.next_if(|extra| extra.at <= at) {
            if extra.at == at && extra.yields {
                continue;
            }
            let mut own: Vec<Value> = Vec::new();
            translate(&extra.locals, &mut own, layout)?;
            while own.last() == Some(&Value::Top) {
                own.pop();
            }
            added.append_to(&mut own);
            translate(&extra.stack, &mut stack, layout)?;
            writer.write(extra.at, &own, &stack, 0, names, pool)?;
            in_step = false;
        }
        let Some((_, change)) = next else { break };
        translate(&frames.stack, &mut stack, layout)?;
        // How many of the locals are surely those of the frame before.
        let known = match change {
            Change::Same => frames.locals.len(),
            Change::Chop(_) => frames.locals.len(),
            Change::Append(new) => frames.locals.len() - usize::from(new),
            Change::Full => 0,
        };
        if change == Change::Same && in_step && (!first || added.locals.is_empty()) {
            writer.write_same(at, &stack, names, pool)?;
        } else {
            let kept = known.min(locals.len());
            locals.truncate(kept);
            for value in frames.locals.iter().skip(kept) {
                locals.push(moved(*value, layout)?);
            }
            let known = if in_step { known } else { 0 };
            if added.locals.is_empty() {
                writer.write(at, &locals, &stack, known, names, pool)?;
            } else {
                let length = locals.len();
                added.append_to(&mut locals);
                writer.write(at, &locals, &stack, known, names, pool)?;
                locals.truncate(length);
            }
        }
        in_step = true;
        first = false;
    }
    if writer.is_empty() { Ok(None) } else { writer.finish().map(Some) }
}

/// An object that is not initialised yet is known by its `new`, which has moved.
fn moved(value: Value, layout: &Layout) -> Result<Value> {
    match value {
        Value::Uninitialized(pc) => {
            let place = layout.node(u32::from(pc))?.real;
            u16::try_from(place)
                .map(Value::Uninitialized)
                .map_err(|_| Error::malformed(usize::from(pc), "no new at the place an object was made"))
        }
        _ => Ok(value),
    }
}

fn translate(from: &[Value], to: &mut Vec<Value>, layout: &Layout) -> Result<()> {
    to.clear();
    for value in from {
        to.push(moved(*value, layout)?);
    }
    Ok(())
}
