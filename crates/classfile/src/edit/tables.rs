//! The tables of the code that speak of pcs, put right: line numbers, local variables, type annotations. Frames are in
//! `maps.rs`, the exception table in `apply.rs`.

use super::layout::Layout;
use crate::annotations::skip_annotation;
use crate::bytes::{Cursor, patch_u2};
use crate::error::Result;

/// The new body of a LineNumberTable. Inserted code belongs to the line of its instruction.
pub(super) fn lines(body: &[u8], offset: usize, layout: &Layout) -> Result<Vec<u8>> {
    let mut cursor = Cursor::new(body, offset);
    let mut out = body.to_vec();
    for _ in 0..cursor.u2()? {
        let at = cursor.at();
        let pc = u32::from(cursor.u2()?);
        cursor.u2()?;
        // What runs on entry belongs to the first line.
        let place = if pc == 0 { 0 } else { layout.node_near(pc)?.fall };
        patch_u2(&mut out, at, place as u16);
    }
    cursor.end("a line-number table is longer than its content")?;
    Ok(out)
}

/// Start and length of a variable's range at `at` in `out`.
fn variable_range(cursor: &mut Cursor<'_>, out: &mut [u8], layout: &Layout) -> Result<()> {
    let at = cursor.at();
    let start = u32::from(cursor.u2()?);
    let end = start + u32::from(cursor.u2()?);
    // Parameters are there from the first inserted instruction on.
    let new_start = if start == 0 { 0 } else { layout.node_near(start)?.label };
    let new_end = if end == start { new_start } else { layout.node_near(end)?.fall };
    patch_u2(out, at, new_start as u16);
    patch_u2(out, at + 2, new_end.saturating_sub(new_start) as u16);
    Ok(())
}

/// The new body of a LocalVariableTable or LocalVariableTypeTable.
pub(super) fn variables(body: &[u8], offset: usize, layout: &Layout) -> Result<Vec<u8>> {
    let mut cursor = Cursor::new(body, offset);
    let mut out = body.to_vec();
    for _ in 0..cursor.u2()? {
        variable_range(&mut cursor, &mut out, layout)?;
        cursor.take(6)?;
    }
    cursor.end("a table of local variables is longer than its content")?;
    Ok(out)
}

/// The new body of a Runtime(In)VisibleTypeAnnotations attribute of the code, with `inner` handlers put before the
/// existing ones.
pub(super) fn type_annotations(body: &[u8], offset: usize, layout: &Layout, inner: u16) -> Result<Vec<u8>> {
    let mut cursor = Cursor::new(body, offset);
    let mut out = body.to_vec();
    for _ in 0..cursor.u2()? {
        match cursor.u1()? {
            // Variables, and resources of a try.
            0x40 | 0x41 => {
                for _ in 0..cursor.u2()? {
                    variable_range(&mut cursor, &mut out, layout)?;
                    cursor.u2()?;
                }
            }
            // The parameter of a catch: its entry in the exception table.
            0x42 => {
                let at = cursor.at();
                let number = cursor.u2()?;
                patch_u2(&mut out, at, number.saturating_add(inner));
            }
            // instanceof, new, method references; casts and type arguments also have a number.
            kind @ 0x43..=0x4b => {
                let at = cursor.at();
                let pc = u32::from(cursor.u2()?);
                patch_u2(&mut out, at, layout.node_near(pc)?.real as u16);
                if kind >= 0x47 {
                    cursor.u1()?;
                }
            }
            _ => return cursor.malformed("no such target of a type annotation in code"),
        }
        let path = usize::from(cursor.u1()?);
        cursor.take(2 * path)?;
        skip_annotation(&mut cursor)?;
    }
    cursor.end("type annotations are longer than their content")?;
    Ok(out)
}
