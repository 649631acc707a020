//! The Code attribute: sizes, instructions, exception table, and the debug tables inside it. Reading only; `edit`
//! changes it.

use crate::bytes::{Cursor, u2_at};
use crate::class::{Attribute, Class, Member, attributes};
use crate::error::{Error, Result};
use crate::instruction::{Instruction, decode, length_at};
use crate::op;
use crate::pool::Pool;

/// A method's code, borrowed from its attribute.
#[derive(Clone)]
pub struct Code<'a> {
    /// How deep the operand stack may get.
    pub max_stack: u16,
    /// How many local slots there are.
    pub max_locals: u16,
    /// The instructions' bytes.
    pub bytes: &'a [u8],
    /// Where the instructions start in the file.
    pub offset: usize,
    /// The exception table as bytes, eight an entry; [`Code::handlers`] reads it.
    pub(crate) table: &'a [u8],
    /// The attributes of the code.
    pub attributes: Vec<Attribute<'a>>,
}

/// An entry of the exception table, in pcs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    /// The first pc covered.
    pub start: u16,
    /// One past the last pc covered.
    pub end: u16,
    /// Where the handler starts.
    pub target: u16,
    /// Class constant of what is caught; 0 for everything.
    pub catch_type: u16,
}

/// An entry of the LocalVariableTable or LocalVariableTypeTable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalVariable {
    /// First pc where the variable has a value.
    pub start: u16,
    /// For how many bytes of code.
    pub length: u16,
    /// Text constant of the name.
    pub name: u16,
    /// Text constant of the descriptor (or generic signature).
    pub descriptor: u16,
    /// The local slot.
    pub local: u16,
}

/// Before version 45.3 the sizes in a Code attribute are shorter.
pub(crate) fn has_short_sizes(major: u16, minor: u16) -> bool {
    major == 45 && minor < 3
}

impl<'a> Code<'a> {
    /// Reads the body of a Code attribute that starts at `offset` in the file.
    pub(crate) fn parse(body: &'a [u8], offset: usize, short_sizes: bool) -> Result<Code<'a>> {
        let mut cursor = Cursor::new(body, offset);
        let (max_stack, max_locals, length) = if short_sizes {
            (u16::from(cursor.u1()?), u16::from(cursor.u1()?), usize::from(cursor.u2()?))
        } else {
            (cursor.u2()?, cursor.u2()?, cursor.u4()? as usize)
        };
        let offset = cursor.offset();
        if length == 0 || length > usize::from(u16::MAX) {
            return cursor.malformed("code has 1 to 65535 bytes");
        }
        let bytes = cursor.take(length)?;
        let handlers = usize::from(cursor.u2()?);
        let table = cursor.take(handlers * 8)?;
        let attributes = attributes(&mut cursor)?;
        cursor.end("bytes follow the end of the code")?;
        Ok(Code { max_stack, max_locals, bytes, offset, table, attributes })
    }

    /// The instructions from pc 0 on. Ends after the first error.
    pub fn instructions(&self) -> Instructions<'a> {
        Instructions { code: self.bytes, pc: 0, offset: self.offset }
    }

    /// Pcs and opcodes only: several times as fast as [`Code::instructions`] for those who want few of them. (`wide` is
    /// an opcode here.)
    pub fn opcodes(&self) -> Opcodes<'a> {
        Opcodes { code: self.bytes, pc: 0, offset: self.offset }
    }

    /// The instruction at a pc and its length in bytes.
    pub fn instruction_at(&self, pc: u32) -> Result<(Instruction<'a>, u32)> {
        decode(self.bytes, pc as usize, self.offset).map(|(found, length)| (found, length as u32))
    }

    /// The exception table, in the order in which it is searched.
    pub fn handlers(&self) -> impl ExactSizeIterator<Item = Handler> + use<'a> {
        self.table.chunks_exact(8).map(|entry| {
            let word = |at| u2_at(entry, at).unwrap_or_default();
            Handler { start: word(0), end: word(2), target: word(4), catch_type: word(6) }
        })
    }

    /// Pcs and source lines, in the file's order. Malformed tables give nothing.
    pub fn lines(&self, pool: &Pool<'_>) -> impl Iterator<Item = (u16, u16)> {
        self.rows(pool, b"LineNumberTable", 4)
            .map(|row| (u2_at(row, 0).unwrap_or_default(), u2_at(row, 2).unwrap_or_default()))
    }

    /// The source line of a pc, if it is known.
    pub fn line_of(&self, pool: &Pool<'_>, pc: u32) -> Option<u16> {
        // Tables need not be sorted; of two entries for one pc the later holds, as in stack traces.
        let before = self.lines(pool).filter(|(start, _)| u32::from(*start) <= pc);
        before.max_by_key(|(start, _)| *start).map(|(_, line)| line)
    }

    /// The LocalVariableTable.
    pub fn local_variables(&self, pool: &Pool<'_>) -> impl Iterator<Item = LocalVariable> {
        self.rows(pool, b"LocalVariableTable", 10).map(|row| {
            let word = |at| u2_at(row, at).unwrap_or_default();
            LocalVariable {
                start: word(0),
                length: word(2),
                name: word(4),
                descriptor: word(6),
                local: word(8),
            }
        })
    }

    /// The rows of all tables of that name.
    fn rows(&self, pool: &Pool<'_>, name: &'static [u8], size: usize) -> impl Iterator<Item = &[u8]> {
        let tables: Vec<&[u8]> = self
            .attributes
            .iter()
            .filter(|attribute| pool.utf8(attribute.name) == Ok(name))
            .filter_map(|attribute| {
                let count = usize::from(u2_at(&attribute.body, 0)?);
                attribute.body.get(2..2 + count * size)
            })
            .collect();
        tables.into_iter().flat_map(move |table| table.chunks_exact(size))
    }

    /// The first attribute of the code with that name.
    pub fn attribute(&self, pool: &Pool<'_>, name: &[u8]) -> Option<&Attribute<'a>> {
        self.attributes.iter().find(|attribute| pool.utf8(attribute.name) == Ok(name))
    }
}

/// Instructions in order, each with its pc.
#[derive(Clone)]
pub struct Instructions<'a> {
    code: &'a [u8],
    pc: usize,
    offset: usize,
}

impl Instructions<'_> {
    /// The pc of the instruction that comes next: the end of the one handed out last.
    pub fn next_pc(&self) -> u32 {
        self.pc as u32
    }
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<(u32, Instruction<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.pc >= self.code.len() {
            return None;
        }
        let pc = self.pc;
        match decode(self.code, pc, self.offset) {
            Ok((instruction, length)) => {
                self.pc += length;
                Some(Ok((pc as u32, instruction)))
            }
            Err(error) => {
                self.pc = self.code.len();
                Some(Err(error))
            }
        }
    }
}

/// Pcs and opcodes in order; see [`Code::opcodes`].
#[derive(Clone)]
pub struct Opcodes<'a> {
    code: &'a [u8],
    pc: usize,
    offset: usize,
}

impl Iterator for Opcodes<'_> {
    type Item = Result<(u32, u8)>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let pc = self.pc;
        let opcode = *self.code.get(pc)?;
        let length = match op::LENGTH[usize::from(opcode)] {
            0 => length_at(self.code, pc).unwrap_or(usize::MAX),
            length => usize::from(length),
        };
        if length > self.code.len() - pc {
            self.pc = self.code.len();
            return Some(Err(Error::malformed(self.offset + pc, "an instruction is malformed")));
        }
        self.pc = pc + length;
        Some(Ok((pc as u32, opcode)))
    }
}

impl<'a> Class<'a> {
    /// The code of a method of this class; `None` if it is abstract or native.
    pub fn code<'m>(&self, method: &'m Member<'a>) -> Result<Option<Code<'m>>> {
        match self.attribute(&method.attributes, b"Code") {
            Some(attribute) => {
                let short = has_short_sizes(self.major, self.minor);
                Code::parse(&attribute.body, attribute.offset, short).map(Some)
            }
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op;

    const BODY: &[u8] =
        &[0, 1, 0, 2, 0, 0, 0, 2, op::ICONST_1, op::IRETURN, 0, 1, 0, 0, 0, 1, 0, 1, 0, 9, 0, 0];

    #[test]
    fn code_gives_its_instructions_and_handlers() {
        let code = Code::parse(BODY, 50, false).expect("code");
        assert_eq!((code.max_stack, code.max_locals, code.offset), (1, 2, 58));
        let all: Vec<_> = code.instructions().collect::<Result<_>>().expect("valid");
        assert_eq!(all, [(0, Instruction::Int(1)), (1, Instruction::Plain(op::IRETURN))]);
        let handlers: Vec<_> = code.handlers().collect();
        assert_eq!(handlers, [Handler { start: 0, end: 1, target: 1, catch_type: 9 }]);
    }

    #[test]
    fn the_oldest_class_files_have_shorter_sizes() {
        let body = [1, 2, 0, 1, op::RETURN, 0, 0, 0, 0];
        let code = Code::parse(&body, 0, true).expect("code");
        assert_eq!((code.max_stack, code.max_locals, code.bytes), (1, 2, &[op::RETURN][..]));
        assert!(has_short_sizes(45, 2) && !has_short_sizes(45, 3) && !has_short_sizes(46, 0));
    }

    #[test]
    fn cut_code_is_an_error() {
        for length in 0..BODY.len() {
            assert!(Code::parse(&BODY[..length], 0, false).is_err(), "{length}");
        }
        let mut empty = BODY.to_vec();
        empty[7] = 0;
        assert!(Code::parse(&empty, 0, false).is_err());
    }

    #[test]
    fn instructions_end_after_an_error() {
        let mut body = BODY.to_vec();
        body[8] = 0xfe;
        let code = Code::parse(&body, 0, false).expect("code");
        let mut all = code.instructions();
        assert!(all.next().is_some_and(|first| first.is_err()));
        assert!(all.next().is_none());
        let mut all = code.opcodes();
        assert!(all.next().is_some_and(|first| first.is_err()));
        assert!(all.next().is_none());
    }

    #[test]
    fn opcodes_are_those_of_the_instructions() {
        let code = [op::NOP, op::WIDE, op::IINC, 0, 1, 0, 1, op::BIPUSH, 7, op::RETURN];
        let body = [&[0, 1, 0, 2, 0, 0, 0, 10][..], &code, &[0, 0, 0, 0]].concat();
        let code = Code::parse(&body, 0, false).expect("code");
        let all: Vec<_> = code.opcodes().collect::<Result<_>>().expect("valid");
        assert_eq!(all, [(0, op::NOP), (1, op::WIDE), (7, op::BIPUSH), (9, op::RETURN)]);
        let pcs: Vec<_> =
            code.instructions().map(|step| step.map(|(pc, _)| pc)).collect::<Result<_>>().expect("valid");
        assert_eq!(pcs, [0, 1, 7, 9]);
    }
}
