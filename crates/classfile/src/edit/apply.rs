//! Puts an edit into effect: lays the code out, writes it, its exception table and its attributes. The parts are in
//! `layout.rs` (places and instructions), `bodies.rs` (new handlers), `maps.rs` (frames) and `tables.rs` (debug tables).

use super::kept::{covers, handler_frames};
use super::layout::{Insertion, Layout, Node, Place, emit, is_copied};
use super::maps::{Added, Extra, frame_table, moved_frames};
use super::{Border, Catch, Edit, Order, bodies, tables};
use crate::bytes::{put_u2, put_u4};
use crate::class::{Attribute, Class, write_attributes};
use crate::effect::effect;
use crate::error::{Error, Reason, Result};
use crate::op;
use crate::pool::Pool;
use crate::value::{Names, Value, initial_locals};

/// The new body of the Code attribute.
pub(super) fn new_body<'a>(mut edit: Edit<'a>, class: &mut Class<'a>) -> Result<Vec<u8>> {
    let mut insertions = std::mem::take(&mut edit.insertions);
    edit.covered.sort_unstable();
    edit.uncovered.sort_unstable();
    let mut layout = Layout::new(&edit.code, &mut insertions)?;
    let behind = bodies::length(&edit);
    layout.settle(&edit.code, &insertions, behind)?;
    let max_stack = stack_needed(&edit, &class.pool, &layout, &insertions)?;
    // The frames of widened branches and new handlers, while the class is still as it was.
    let has_frames = class.major >= 50;
    let mut names = Names::default();
    let mut extras = Vec::new();
    if has_frames {
        let caught;
        (names, caught) = branch_frames(&edit, class, &layout, &mut extras)?;
        handler_frames(&edit, class, &layout, &caught, &mut names, &mut extras)?;
    }

    let attributes_size: usize = edit.code.attributes.iter().map(|attribute| attribute.body.len() + 32).sum();
    let mut out =
        Vec::with_capacity(layout.length as usize + behind + edit.code.table.len() + attributes_size + 64);
    let max_locals = edit.next_local as u16;
    if edit.short_sizes {
        let small = |size: u16| {
            u8::try_from(size)
                .map_err(|_| Error { offset: 0, reason: Reason::TableTooLarge("stack places or locals") })
        };
        out.push(small(max_stack)?);
        out.push(small(max_locals)?);
        put_u2(&mut out, (layout.length as usize + behind) as u16);
    } else {
        put_u2(&mut out, max_stack);
        put_u2(&mut out, max_locals);
        put_u4(&mut out, layout.length + behind as u32);
    }
    write_code(&mut out, &edit, &layout, &insertions)?;
    write_handlers(&mut out, &edit, &layout)?;
    let attributes = new_attributes(&edit, class, &layout, has_frames, names, &extras)?;
    write_attributes(&mut out, &attributes)?;
    Ok(out)
}

/// The deepest the stack can get: no snippet starts deeper than the old maximum, and what some leave on the stack for
/// others is added as if it stayed for good.
fn stack_needed(edit: &Edit<'_>, pool: &Pool<'_>, layout: &Layout, insertions: &[Insertion]) -> Result<u16> {
    let (mut need, mut left_over) = (0i64, 0i64);
    let mut rest = insertions;
    while let Some(first) = rest.first() {
        let count = rest.iter().take_while(|insertion| insertion.pc == first.pc).count();
        let (here, after) = rest.split_at(count);
        rest = after;
        let mut depth = 0i64;
        let mut replaced = false;
        for insertion in here {
            need = need.max(depth + i64::from(insertion.peak));
            depth += i64::from(insertion.net);
            if insertion.place == Place::Replace && !replaced {
                replaced = true;
                let node = layout.node(first.pc)?;
                depth -= i64::from(effect(edit.code.bytes, node.pc, edit.code.offset, pool)?);
            }
        }
        left_over += depth.max(0);
    }
    let mut total = i64::from(edit.code.max_stack) + need + left_over;
    for handler in &edit.handlers {
        total = total.max(1 + i64::from(handler.peak));
    }
    u16::try_from(total)
        .map_err(|_| Error { offset: edit.code.offset, reason: Reason::TableTooLarge("stack places") })
}

fn write_code(out: &mut Vec<u8>, edit: &Edit<'_>, layout: &Layout, insertions: &[Insertion]) -> Result<()> {
    let base = out.len();
    let code = edit.code.bytes;
    let piece = |start: u32, length: u32| {
        edit.store.get(start as usize..start as usize + length as usize).unwrap_or_default()
    };
    let mut waiting = insertions.iter().peekable();
    // Instructions that stay as they are and follow each other are copied in one go.
    let mut copied = 0;
    let mut taken = Vec::new();
    let copy = |out: &mut Vec<u8>, from: u32, to: u32| {
        out.extend_from_slice(code.get(from as usize..to as usize).unwrap_or_default());
    };
    for node in &layout.nodes {
        let touched = waiting.peek().is_some_and(|next| next.pc == node.pc);
        if !touched && is_copied(node) {
            continue;
        }
        copy(out, copied, node.pc);
        copied = node.pc + node.length;
        while let Some(next) = waiting.next_if(|next| next.pc == node.pc && next.place < Place::Replace) {
            out.extend_from_slice(piece(next.start, next.length));
        }
        debug_assert_eq!(out.len() - base, node.real as usize);
        if is_copied(node) {
            copy(out, node.pc, copied);
        } else if !node.replaced {
            taken.clear();
            while let Some(next) = waiting.next_if(|next| next.pc == node.pc && next.place == Place::Taken) {
                taken.extend_from_slice(piece(next.start, next.length));
            }
            emit(out, code, layout, node, &taken)?;
        }
        while let Some(next) = waiting.next_if(|next| next.pc == node.pc && next.place == Place::Replace) {
            out.extend_from_slice(piece(next.start, next.length));
        }
        if node.replaced && out.len() - base == node.real as usize {
            out.push(op::NOP);
        }
        while let Some(next) = waiting.next_if(|next| next.pc == node.pc) {
            out.extend_from_slice(piece(next.start, next.length));
        }
    }
    copy(out, copied, code.len() as u32);
    bodies::write(out, edit, layout)
}

fn write_handlers(out: &mut Vec<u8>, edit: &Edit<'_>, layout: &Layout) -> Result<()> {
    let passed = bodies::passed_on(edit, layout)?;
    let new: usize = edit.handlers.iter().map(|handler| handler.ranges.len()).sum();
    let count = edit.code.handlers().len() + new + passed.len();
    let count = u16::try_from(count).map_err(|_| Error {
        offset: edit.code.offset,
        reason: Reason::TableTooLarge("exception handlers"),
    })?;
    put_u2(out, count);
    write_new_handlers(out, edit, layout, Order::Inner)?;
    for handler in edit.code.handlers() {
        if handler.start >= handler.end {
            let offset = edit.code.offset + usize::from(handler.start);
            return Err(Error::malformed(offset, "a handler covers nothing"));
        }
        let start = stretched(layout, u32::from(handler.start), &edit.covered)?;
        let end = stretched(layout, u32::from(handler.end), &edit.uncovered)?;
        put_u2(out, start as u16);
        put_u2(out, end as u16);
        put_u2(out, layout.node(u32::from(handler.target))?.label as u16);
        put_u2(out, handler.catch_type);
    }
    write_new_handlers(out, edit, layout, Order::Outer)?;
    for word in passed.into_iter().flatten() {
        put_u2(out, word);
    }
    Ok(())
}

/// A border of an existing range: behind what is inserted after the instruction before, or in front of it if the pc of
/// that instruction is `listed` (in ascending order).
fn stretched(layout: &Layout, pc: u32, listed: &[u32]) -> Result<u32> {
    let number = layout.number(pc)?;
    let node = layout.node(pc)?;
    let before = number.checked_sub(1).and_then(|before| layout.nodes.get(before));
    Ok(if before.is_some_and(|before| listed.binary_search(&before.pc).is_ok()) {
        node.edge
    } else {
        node.fall
    })
}

fn write_new_handlers(out: &mut Vec<u8>, edit: &Edit<'_>, layout: &Layout, order: Order) -> Result<()> {
    let bodies = bodies::places(edit, layout.length);
    let wanted = bodies.iter().filter(|body| body.handler.order == order);
    for (body, range) in wanted.flat_map(|body| body.handler.ranges.iter().map(move |range| (body, range))) {
        let (start, end) = (layout.node(range.start)?, layout.node(range.end)?);
        let (start, end) = match range.border {
            Border::Around => (start.fall, end.fall),
            Border::Inside => (start.real, end.edge),
        };
        put_u2(out, start as u16);
        put_u2(out, end as u16);
        put_u2(out, body.entry as u16);
        put_u2(
            out,
            match body.handler.catch {
                Catch::Any => 0,
                Catch::Class(index) => index,
            },
        );
    }
    Ok(())
}

/// The locals at the starts of the handlers to which chains pass on what they throw, by pc.
pub(super) type Caught = Vec<(u32, Vec<Value>)>;

/// A frame behind every conditional branch that became a jump over a wide jump; and what chains need to know.
fn branch_frames<'a>(
    edit: &Edit<'a>,
    class: &Class<'a>,
    layout: &Layout,
    extras: &mut Vec<Extra>,
) -> Result<(Names, Caught)> {
    let widened = |node: &Node| node.wide && op::inverted(node.opcode).is_some();
    // Pcs, and behind widened branches the place of the new frame.
    let mut wanted: Vec<(u32, Option<(u8, u32)>)> = Vec::new();
    for (node, behind) in layout.nodes.iter().zip(layout.nodes.iter().skip(1)) {
        if widened(node) {
            wanted.push((node.pc, Some((node.opcode, behind.edge))));
        }
    }
    for handler in edit.handlers.iter().filter(|handler| handler.chain.is_some()) {
        let covering = edit.code.handlers().filter(|other| covers(other, &handler.ranges));
        wanted.extend(covering.map(|other| (u32::from(other.target), None)));
    }
    let mut caught = Caught::new();
    if wanted.is_empty() {
        return Ok((Names::default(), caught));
    }
    wanted.sort_unstable();
    wanted.dedup();
    let mut flow = edit.flow(class)?;
    for (pc, branch) in wanted {
        // Code that is never reached has no types and, being valid, frames of its own.
        let Some(state) = flow.before(pc)? else { continue };
        let Some((opcode, at)) = branch else {
            caught.push((pc, state.locals().to_vec()));
            continue;
        };
        let operands = if matches!(opcode, op::IF_ICMPEQ..=op::IF_ACMPNE) { 2 } else { 1 };
        let stack = state.stack();
        extras.push(Extra {
            at,
            yields: true,
            locals: state.locals().iter().copied().filter(|value| *value != Value::Second).collect(),
            stack: stack.get(..stack.len().saturating_sub(operands)).unwrap_or_default().to_vec(),
        });
    }
    Ok((flow.into_names(), caught))
}

/// The attributes of the code, those that speak of pcs put right.
fn new_attributes<'a>(
    edit: &Edit<'a>,
    class: &mut Class<'a>,
    layout: &Layout,
    has_frames: bool,
    mut names: Names,
    extras: &[Extra],
) -> Result<Vec<Attribute<'a>>> {
    let inner = edit.handlers.iter().filter(|handler| handler.order == Order::Inner);
    let inner = inner.map(|handler| handler.ranges.len()).sum::<usize>() as u16;
    let mut attributes = Vec::with_capacity(edit.code.attributes.len() + 1);
    let mut frames = None;
    for attribute in &edit.code.attributes {
        let (body, offset) = (&*attribute.body, attribute.offset);
        let new = match class.pool.utf8(attribute.name)? {
            b"LineNumberTable" => tables::lines(body, offset, layout)?,
            b"LocalVariableTable" | b"LocalVariableTypeTable" => tables::variables(body, offset, layout)?,
            b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => {
                tables::type_annotations(body, offset, layout, inner)?
            }
            b"StackMapTable" if has_frames => {
                if frames.is_some() {
                    return Err(Error::malformed(offset, "code has two tables of stack-map frames"));
                }
                frames = Some((attributes.len(), attribute.name, (body, offset)));
                Vec::new()
            }
            _ => {
                attributes.push(attribute.clone());
                continue;
            }
        };
        attributes.push(Attribute::new(attribute.name, new));
    }
    if let (Some((at, name, (body, offset))), [], []) = (frames, &edit.method_locals[..], extras) {
        // No frame changes but in its place: by far the most frequent case.
        if let Some(place) = attributes.get_mut(at) {
            *place = Attribute::new(name, moved_frames(body, offset, layout)?);
        }
    } else if has_frames && (frames.is_some() || !extras.is_empty()) {
        let Some(method) = class.methods.get(edit.method) else { return Ok(attributes) };
        let initial = initial_locals(class, method, &mut names)?;
        let added = Added { locals: &edit.method_locals };
        let old = frames.map(|(_, _, old)| old);
        let table = frame_table(old, initial, extras, &added, layout, &names, &mut class.pool)?;
        match (frames, table) {
            (Some((at, name, _)), table) => {
                if let Some(place) = attributes.get_mut(at) {
                    *place = Attribute::new(name, table.unwrap_or_else(|| vec![0, 0]));
                }
            }
            (None, Some(table)) => {
                attributes.push(Attribute::new(class.pool.add_utf8(b"StackMapTable")?, table));
            }
            (None, None) => {}
        }
    }
    Ok(attributes)
}
