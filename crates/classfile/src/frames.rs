//! The StackMapTable, frame by frame: reading each as what it changes, writing each in its shortest form. Locals here
//! are values, not slots: a long is one. Where frames must stand is the business of `edit` and `flow`.

use crate::bytes::{Cursor, patch_u2, put_u2};
use crate::error::{Error, Reason, Result};
use crate::pool::Pool;
use crate::value::{ClassRef, Names, Value};

/// A frame may not make the table larger than this: what a valid method needs is far below, and hostile frames could
/// otherwise ask for gigabytes.
const LARGEST: usize = 16 << 20;

/// How a frame was told in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The locals stay.
    Same,
    /// The last few locals are gone.
    Chop(u8),
    /// Some locals are new; they are the last of [`Frames::locals`].
    Append(u8),
    /// All locals are told anew.
    Full,
}

/// Reads frames in order. `locals` and `stack` are those of the frame read last; at first, those of the method's start.
pub(crate) struct Frames<'a> {
    cursor: Cursor<'a>,
    left: u16,
    next_pc: u32,
    pub locals: Vec<Value>,
    pub stack: Vec<Value>,
}

impl<'a> Frames<'a> {
    pub fn new(mut cursor: Cursor<'a>, initial: Vec<Value>) -> Result<Self> {
        let left = cursor.u2()?;
        Ok(Frames { cursor, left, next_pc: 0, locals: initial, stack: Vec::new() })
    }

    /// A table without frames.
    pub fn none(initial: Vec<Value>) -> Frames<'static> {
        Frames { cursor: Cursor::new(&[], 0), left: 0, next_pc: 0, locals: initial, stack: Vec::new() }
    }

    /// The next frame's pc and how its locals were told.
    pub fn next(&mut self) -> Result<Option<(u32, Change)>> {
        if self.left == 0 {
            return self.cursor.end("bytes follow the last stack-map frame").map(|()| None);
        }
        self.left -= 1;
        self.stack.clear();
        let cursor = &mut self.cursor;
        let kind = cursor.u1()?;
        let delta = match kind {
            0..=63 => u16::from(kind),
            64..=127 => u16::from(kind - 64),
            247..=255 => cursor.u2()?,
            _ => return cursor.malformed("no such kind of stack-map frame"),
        };
        let change = match kind {
            64..=127 | 247 => {
                self.stack.push(value(cursor)?);
                Change::Same
            }
            0..=63 | 251 => Change::Same,
            248..=250 => {
                let gone = 251 - kind;
                let Some(kept) = self.locals.len().checked_sub(usize::from(gone)) else {
                    return cursor.malformed("a stack-map frame removes locals that are not there");
                };
                self.locals.truncate(kept);
                Change::Chop(gone)
            }
            252..=254 => {
                for _ in 251..kind {
                    self.locals.push(value(cursor)?);
                }
                Change::Append(kind - 251)
            }
            _ => {
                self.locals.clear();
                for _ in 0..cursor.u2()? {
                    self.locals.push(value(cursor)?);
                }
                for _ in 0..cursor.u2()? {
                    self.stack.push(value(cursor)?);
                }
                Change::Full
            }
        };
        let pc = self.next_pc + u32::from(delta);
        self.next_pc = pc + 1;
        Ok(Some((pc, change)))
    }
}

fn value(cursor: &mut Cursor<'_>) -> Result<Value> {
    Ok(match cursor.u1()? {
        0 => Value::Top,
        1 => Value::Int,
        2 => Value::Float,
        3 => Value::Double,
        4 => Value::Long,
        5 => Value::Null,
        6 => Value::UninitializedThis,
        7 => Value::Object(ClassRef::constant(cursor.u2()?)),
        8 => Value::Uninitialized(cursor.u2()?),
        _ => return cursor.malformed("no such verification type"),
    })
}

/// Writes frames in order, each in the shortest form.
pub(crate) struct FrameWriter {
    out: Vec<u8>,
    count: usize,
    next_pc: u32,
    locals: Vec<Value>,
}

impl FrameWriter {
    /// `initial` are the locals the method starts with.
    pub fn new(initial: Vec<Value>) -> Self {
        FrameWriter { out: vec![0, 0], count: 0, next_pc: 0, locals: initial }
    }

    /// The distance to the frame before, as the file counts it.
    fn advance(&mut self, pc: u32) -> Result<u16> {
        let delta = pc.checked_sub(self.next_pc).and_then(|delta| u16::try_from(delta).ok());
        self.count += 1;
        self.next_pc = pc + 1;
        delta.ok_or(Error::malformed(pc as usize, "stack-map frames are not in order"))
    }

    /// Writes a frame whose locals are those of the frame before.
    pub fn write_same(&mut self, pc: u32, stack: &[Value], names: &Names, pool: &mut Pool<'_>) -> Result<()> {
        if stack.len() > 1 {
            let locals = std::mem::take(&mut self.locals);
            let written = self.write(pc, &locals, stack, locals.len(), names, pool);
            self.locals = locals;
            return written;
        }
        let delta = self.advance(pc)?;
        let out = &mut self.out;
        match (stack.first(), delta) {
            (None, 0..64) => out.push(delta as u8),
            (None, _) => {
                out.push(251);
                put_u2(out, delta);
            }
            (Some(_), 0..64) => out.push(64 + delta as u8),
            (Some(_), _) => {
                out.push(247);
                put_u2(out, delta);
            }
        }
        stack.iter().try_for_each(|one| put_value(out, *one, names, pool))
    }

    /// Writes a frame; the caller knows that the first `known` locals are those of the frame before.
    pub fn write(
        &mut self,
        pc: u32,
        locals: &[Value],
        stack: &[Value],
        known: usize,
        names: &Names,
        pool: &mut Pool<'_>,
    ) -> Result<()> {
        let known = known.min(locals.len()).min(self.locals.len());
        let pairs = self.locals.iter().zip(locals).skip(known);
        let common = known + pairs.take_while(|(one, other)| same(**one, **other, names, pool)).count();
        let (gone, new) = (self.locals.len() - common, locals.len() - common);
        if gone == 0 && new == 0 && stack.len() < 2 {
            return self.write_same(pc, stack, names, pool);
        }
        let delta = self.advance(pc)?;
        let out = &mut self.out;
        match (stack, gone, new) {
            ([], gone @ 1..=3, 0) => {
                out.push(251 - gone as u8);
                put_u2(out, delta);
            }
            ([], 0, new @ 1..=3) => {
                out.push(251 + new as u8);
                put_u2(out, delta);
                for local in locals.iter().skip(common) {
                    put_value(out, *local, names, pool)?;
                }
            }
            _ => {
                out.push(255);
                put_u2(out, delta);
                for values in [locals, stack] {
                    let count = u16::try_from(values.len()).map_err(|_| Error {
                        offset: pc as usize,
                        reason: Reason::TableTooLarge("locals"),
                    })?;
                    put_u2(out, count);
                    for one in values {
                        put_value(out, *one, names, pool)?;
                    }
                }
            }
        }
        if self.out.len() > LARGEST {
            return Err(Error { offset: pc as usize, reason: Reason::TableTooLarge("stack-map frames") });
        }
        self.locals.truncate(common);
        self.locals.extend(locals.iter().skip(common));
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The attribute's body.
    pub fn finish(mut self) -> Result<Vec<u8>> {
        let count = u16::try_from(self.count)
            .map_err(|_| Error { offset: 0, reason: Reason::TableTooLarge("stack-map frames") })?;
        patch_u2(&mut self.out, 0, count);
        Ok(self.out)
    }
}

fn same(one: Value, other: Value, names: &Names, pool: &Pool<'_>) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => names.same(pool, one, other),
        _ => one == other,
    }
}

fn put_value(out: &mut Vec<u8>, value: Value, names: &Names, pool: &mut Pool<'_>) -> Result<()> {
    let number = match value {
        Value::Top | Value::Second | Value::ReturnAddress(_) => 0,
        Value::Int => 1,
        Value::Float => 2,
        Value::Double => 3,
        Value::Long => 4,
        Value::Null => 5,
        Value::UninitializedThis => 6,
        Value::Object(_) | Value::SomeObject => 7,
        Value::Uninitialized(_) => 8,
    };
    out.push(number);
    match value {
        Value::Object(class) => put_u2(out, names.constant(pool, class)?),
        Value::SomeObject => put_u2(out, pool.add_class(b"java/lang/Object")?),
        Value::Uninitialized(pc) => put_u2(out, pc),
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(table: &[u8], initial: &[Value]) -> Vec<u8> {
        let mut frames = Frames::new(Cursor::new(table, 0), initial.to_vec()).expect("a table");
        let mut writer = FrameWriter::new(initial.to_vec());
        let (names, mut pool) = (Names::default(), Pool::default());
        while let Some((pc, change)) = frames.next().expect("a frame") {
            match change {
                Change::Same => writer.write_same(pc, &frames.stack, &names, &mut pool),
                _ => writer.write(pc, &frames.locals, &frames.stack, 0, &names, &mut pool),
            }
            .expect("room");
        }
        writer.finish().expect("room")
    }

    #[test]
    fn frames_in_their_shortest_form_stay_as_they_are() {
        let table = [
            0, 8, 5, 64, 1, 251, 0, 64, 247, 0, 99, 4, 252, 0, 0, 1, 254, 0, 1, 3, 7, 0, 2, 8, 0, 5, 249, 0,
            9, 255, 0, 1, 0, 1, 6, 0, 2, 5, 5,
        ];
        assert_eq!(round(&table, &[Value::Int]), table);
    }

    #[test]
    fn a_full_frame_is_shortened() {
        let table = [0, 1, 255, 0, 3, 0, 2, 1, 4, 0, 0];
        assert_eq!(round(&table, &[Value::Int]), [0, 1, 252, 0, 3, 4]);
        assert_eq!(round(&table, &[Value::Int, Value::Long, Value::Int]), [0, 1, 250, 0, 3]);
        assert_eq!(round(&table, &[Value::Int, Value::Long]), [0, 1, 3]);
    }

    #[test]
    fn malformed_frames_are_errors() {
        for table in [
            &[0, 1][..],
            &[0, 1, 128],
            &[0, 1, 250, 0, 0],
            &[0, 1, 64, 9],
            &[0, 0, 1],
            &[0, 1, 255, 0, 0, 9, 9],
        ] {
            let mut frames = Frames::new(Cursor::new(table, 0), Vec::new()).expect("a count");
            assert!(frames.next().is_err(), "{table:?}");
        }
    }
}
