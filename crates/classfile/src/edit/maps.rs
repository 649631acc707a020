//! The StackMapTable of the new code: old frames at their new places with the method's new locals added, and the frames
//! that widened branches and new handlers need.

use super::layout::Layout;
use crate::bytes::{Cursor, put_u2};
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

/// The table's new body when each frame stays what it is: only distances and the places of `new` change.
pub(super) fn moved_frames(body: &[u8], offset: usize, layout: &Layout) -> Result<Vec<u8>> {
    let mut cursor = Cursor::new(body, offset);
    let mut out = Vec::with_capacity(body.len() + body.len() / 2);
    let count = cursor.u2()?;
    put_u2(&mut out, count);
    let (mut next_pc, mut next_place) = (0u32, 0u32);
    for _ in 0..count {
        let kind = cursor.u1()?;
        let delta = match kind {
            0..=63 => u16::from(kind),
            64..=127 => u16::from(kind - 64),
            247..=255 => cursor.u2()?,
            _ => return cursor.malformed("no such kind of stack-map frame"),
        };
        let pc = next_pc + u32::from(delta);
        let place = layout.node(pc)?.label;
        // Places ascend as pcs do.
        let delta = place.saturating_sub(next_place) as u16;
        (next_pc, next_place) = (pc + 1, place + 1);
        match (kind, delta) {
            (0..=63 | 251, 0..64) => out.push(delta as u8),
            (64..=127 | 247, 0..64) => out.push(64 + delta as u8),
            _ => {
                out.push(match kind {
                    0..=63 => 251,
                    64..=127 => 247,
                    kind => kind,
                });
                put_u2(&mut out, delta);
            }
        }
        match kind {
            64..=127 | 247 => moved_values(&mut cursor, 1, &mut out, layout)?,
            252..=254 => moved_values(&mut cursor, u16::from(kind - 251), &mut out, layout)?,
            255 => {
                for _ in 0..2 {
                    let count = cursor.u2()?;
                    put_u2(&mut out, count);
                    moved_values(&mut cursor, count, &mut out, layout)?;
                }
            }
            _ => {}
        }
    }
    cursor.end("bytes follow the last stack-map frame")?;
    Ok(out)
}

fn moved_values(cursor: &mut Cursor<'_>, count: u16, out: &mut Vec<u8>, layout: &Layout) -> Result<()> {
    for _ in 0..count {
        let kind = cursor.u1()?;
        out.push(kind);
        match kind {
            0..=6 => {}
            7 => put_u2(out, cursor.u2()?),
            8 => put_u2(out, layout.node(u32::from(cursor.u2()?))?.real as u16),
            _ => return cursor.malformed("no such verification type"),
        }
    }
    Ok(())
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
