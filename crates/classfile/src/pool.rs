//! The constant pool: reading its entries, by index. Adding entries is in `intern.rs`. Entries are never moved, changed
//! or removed. References between entries are checked when they are followed, not when the class is parsed.

use crate::bytes::{Cursor, put_u2, u2_at, u4_at};
use crate::error::{Error, Reason, Result};
use crate::intern::Index;

/// No entry: index 0, and the second half of a long or double.
const NONE: u32 = u32::MAX;

/// The constants of a class: those of the file, borrowed, and those added. Clone it to read while adding.
#[derive(Clone)]
pub struct Pool<'a> {
    /// The file's entries as they stand.
    pub(crate) raw: &'a [u8],
    /// Where `raw` starts in the file.
    base: usize,
    /// For each index, where its entry starts in `raw` followed by `added`.
    pub(crate) starts: Vec<u32>,
    /// Entries added since, in the file's form.
    pub(crate) added: Vec<u8>,
    /// Finds an entry by its bytes; made when the first entry is added.
    pub(crate) index: Option<Index>,
}

/// One entry, its numbers decoded and its references as indices.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // the fields' names are the format's own
pub enum Constant<'p> {
    Utf8(&'p [u8]),
    Integer(i32),
    Float(f32),
    Long(i64),
    Double(f64),
    Class { name: u16 },
    String { text: u16 },
    FieldRef { class: u16, name_and_type: u16 },
    MethodRef { class: u16, name_and_type: u16 },
    InterfaceMethodRef { class: u16, name_and_type: u16 },
    NameAndType { name: u16, descriptor: u16 },
    MethodHandle { kind: u8, reference: u16 },
    MethodType { descriptor: u16 },
    Dynamic { bootstrap: u16, name_and_type: u16 },
    InvokeDynamic { bootstrap: u16, name_and_type: u16 },
    Module { name: u16 },
    Package { name: u16 },
}

/// A field or method named by an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberRef<'p> {
    /// The class named in the instruction: `java/lang/String`, or `[I` for an array's methods.
    pub owner: &'p [u8],
    /// The member's name.
    pub name: &'p [u8],
    /// Its type: `I`, `(J)V`.
    pub descriptor: &'p [u8],
}

/// A dynamic constant or call site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DynamicRef<'p> {
    /// Index in the BootstrapMethods attribute.
    pub bootstrap: u16,
    /// The name given to the bootstrap method.
    pub name: &'p [u8],
    /// The type of the constant, or of the call.
    pub descriptor: &'p [u8],
}

/// The numbers by which the file tells entries apart.
pub(crate) mod tag {
    pub const UTF8: u8 = 1;
    pub const INTEGER: u8 = 3;
    pub const FLOAT: u8 = 4;
    pub const LONG: u8 = 5;
    pub const DOUBLE: u8 = 6;
    pub const CLASS: u8 = 7;
    pub const STRING: u8 = 8;
    pub const FIELD_REF: u8 = 9;
    pub const METHOD_REF: u8 = 10;
    pub const INTERFACE_METHOD_REF: u8 = 11;
    pub const NAME_AND_TYPE: u8 = 12;
    pub const METHOD_HANDLE: u8 = 15;
    pub const METHOD_TYPE: u8 = 16;
    pub const DYNAMIC: u8 = 17;
    pub const INVOKE_DYNAMIC: u8 = 18;
    pub const MODULE: u8 = 19;
    pub const PACKAGE: u8 = 20;
}

impl<'a> Pool<'a> {
    /// A pool without entries.
    pub fn new() -> Pool<'a> {
        Pool { raw: &[], base: 10, starts: vec![NONE], added: Vec::new(), index: None }
    }

    /// Reads count and entries.
    pub(crate) fn parse(cursor: &mut Cursor<'a>) -> Result<Pool<'a>> {
        let count = usize::from(cursor.u2()?);
        if count == 0 {
            return cursor.malformed("the constant pool has no room for entry 0");
        }
        let base = cursor.offset();
        let mut rest = *cursor;
        let whole = rest.take(rest.left())?;
        let mut starts = Vec::with_capacity(cursor.room_for(count, 2) + 2);
        starts.push(NONE);
        let mut at = 0;
        while starts.len() < count {
            let Some(&tag) = whole.get(at) else {
                return Err(Error { offset: base + at.min(whole.len()), reason: Reason::Cut });
            };
            starts.push(at as u32);
            at += match tag {
                tag::UTF8 => match u2_at(whole, at + 1) {
                    Some(length) => 3 + usize::from(length),
                    None => return Err(Error { offset: base + at, reason: Reason::Cut }),
                },
                tag::CLASS | tag::STRING | tag::METHOD_TYPE | tag::MODULE | tag::PACKAGE => 3,
                tag::METHOD_HANDLE => 4,
                tag::INTEGER
                | tag::FLOAT
                | tag::FIELD_REF
                | tag::METHOD_REF
                | tag::INTERFACE_METHOD_REF
                | tag::NAME_AND_TYPE
                | tag::DYNAMIC
                | tag::INVOKE_DYNAMIC => 5,
                tag::LONG | tag::DOUBLE => {
                    if starts.len() == count {
                        return Err(Error::malformed(base + at, "a long constant has no second entry"));
                    }
                    starts.push(NONE);
                    9
                }
                _ => return Err(Error::malformed(base + at, "no such kind of constant")),
            };
        }
        let raw = cursor.take(at)?;
        Ok(Pool { raw, base, starts, added: Vec::new(), index: None })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        put_u2(out, self.starts.len() as u16);
        out.extend_from_slice(self.raw);
        out.extend_from_slice(&self.added);
    }

    /// Bytes that `write` makes.
    pub(crate) fn size(&self) -> usize {
        2 + self.raw.len() + self.added.len()
    }

    /// One more than the highest index.
    pub fn count(&self) -> u16 {
        self.starts.len() as u16
    }

    /// Have entries been added?
    pub fn is_changed(&self) -> bool {
        !self.added.is_empty()
    }

    /// The bytes from the entry's tag on (and beyond its end).
    pub(crate) fn entry(&self, index: u16) -> Option<&[u8]> {
        let start = *self.starts.get(usize::from(index))?;
        if start == NONE {
            return None;
        }
        let start = start as usize;
        match start.checked_sub(self.raw.len()) {
            None => self.raw.get(start..),
            Some(start) => self.added.get(start..),
        }
    }

    /// Where the entry stands in the file; the pool itself for what is not there.
    fn offset(&self, index: u16) -> usize {
        match self.starts.get(usize::from(index)) {
            Some(&start) if start != NONE => self.base + start as usize,
            _ => self.base.saturating_sub(2),
        }
    }

    fn wrong<T>(&self, index: u16, what: &'static str) -> Result<T> {
        Err(Error::malformed(self.offset(index), what))
    }

    /// The entry, decoded.
    pub fn get(&self, index: u16) -> Result<Constant<'_>> {
        let Some(entry) = self.entry(index) else { return self.wrong(index, "no such constant") };
        self.decode(entry).map_or_else(|| self.wrong(index, "a constant is cut"), Ok)
    }

    fn decode<'p>(&self, entry: &'p [u8]) -> Option<Constant<'p>> {
        let two = || Some((u2_at(entry, 1)?, u2_at(entry, 3)?));
        let eight = || Some(u64::from_be_bytes(*entry.get(1..)?.first_chunk()?));
        Some(match *entry.first()? {
            tag::UTF8 => Constant::Utf8(entry.get(3..3 + usize::from(u2_at(entry, 1)?))?),
            tag::INTEGER => Constant::Integer(u4_at(entry, 1)? as i32),
            tag::FLOAT => Constant::Float(f32::from_bits(u4_at(entry, 1)?)),
            tag::LONG => Constant::Long(eight()? as i64),
            tag::DOUBLE => Constant::Double(f64::from_bits(eight()?)),
            tag::CLASS => Constant::Class { name: u2_at(entry, 1)? },
            tag::STRING => Constant::String { text: u2_at(entry, 1)? },
            tag::METHOD_TYPE => Constant::MethodType { descriptor: u2_at(entry, 1)? },
            tag::MODULE => Constant::Module { name: u2_at(entry, 1)? },
            tag::PACKAGE => Constant::Package { name: u2_at(entry, 1)? },
            tag::METHOD_HANDLE => {
                Constant::MethodHandle { kind: *entry.get(1)?, reference: u2_at(entry, 2)? }
            }
            tag => {
                let (first, second) = two()?;
                match tag {
                    tag::FIELD_REF => Constant::FieldRef { class: first, name_and_type: second },
                    tag::METHOD_REF => Constant::MethodRef { class: first, name_and_type: second },
                    tag::INTERFACE_METHOD_REF => {
                        Constant::InterfaceMethodRef { class: first, name_and_type: second }
                    }
                    tag::NAME_AND_TYPE => Constant::NameAndType { name: first, descriptor: second },
                    tag::DYNAMIC => Constant::Dynamic { bootstrap: first, name_and_type: second },
                    tag::INVOKE_DYNAMIC => {
                        Constant::InvokeDynamic { bootstrap: first, name_and_type: second }
                    }
                    _ => return None,
                }
            }
        })
    }

    /// Every entry with its index.
    pub fn iter(&self) -> impl Iterator<Item = (u16, Constant<'_>)> {
        (1..self.count()).filter_map(|index| Some((index, self.decode(self.entry(index)?)?)))
    }

    /// The bytes of a text constant.
    #[inline]
    pub fn utf8(&self, index: u16) -> Result<&[u8]> {
        let text = self.entry(index).filter(|entry| entry.first() == Some(&tag::UTF8)).and_then(|entry| {
            let length = usize::from(u2_at(entry, 1)?);
            entry.get(3..3 + length)
        });
        text.map_or_else(|| self.wrong(index, "not a text constant"), Ok)
    }

    /// The name behind a class constant: `java/lang/Object`, or `[I` for an array class.
    pub fn class_name(&self, index: u16) -> Result<&[u8]> {
        match self.entry(index) {
            Some(entry) if entry.first() == Some(&tag::CLASS) => {
                self.utf8(u2_at(entry, 1).unwrap_or_default())
            }
            _ => self.wrong(index, "not a class constant"),
        }
    }

    /// The bytes of a string literal.
    pub fn string(&self, index: u16) -> Result<&[u8]> {
        match self.get(index)? {
            Constant::String { text } => self.utf8(text),
            _ => self.wrong(index, "not a string constant"),
        }
    }

    /// Name and descriptor.
    pub fn name_and_type(&self, index: u16) -> Result<(&[u8], &[u8])> {
        match self.get(index)? {
            Constant::NameAndType { name, descriptor } => Ok((self.utf8(name)?, self.utf8(descriptor)?)),
            _ => self.wrong(index, "not a name with a type"),
        }
    }

    /// The field, method or interface method behind an instruction's operand.
    pub fn member_ref(&self, index: u16) -> Result<MemberRef<'_>> {
        match self.get(index)? {
            Constant::FieldRef { class, name_and_type }
            | Constant::MethodRef { class, name_and_type }
            | Constant::InterfaceMethodRef { class, name_and_type } => {
                let (name, descriptor) = self.name_and_type(name_and_type)?;
                Ok(MemberRef { owner: self.class_name(class)?, name, descriptor })
            }
            _ => self.wrong(index, "not a field or method"),
        }
    }

    /// The dynamic constant or call site behind an instruction's operand.
    pub fn dynamic_ref(&self, index: u16) -> Result<DynamicRef<'_>> {
        match self.get(index)? {
            Constant::Dynamic { bootstrap, name_and_type }
            | Constant::InvokeDynamic { bootstrap, name_and_type } => {
                let (name, descriptor) = self.name_and_type(name_and_type)?;
                Ok(DynamicRef { bootstrap, name, descriptor })
            }
            _ => self.wrong(index, "not a dynamic constant"),
        }
    }

    /// Kind (1 to 9, the format's numbers) and target of a method handle.
    pub fn method_handle(&self, index: u16) -> Result<(u8, MemberRef<'_>)> {
        match self.get(index)? {
            Constant::MethodHandle { kind, reference } => Ok((kind, self.member_ref(reference)?)),
            _ => self.wrong(index, "not a method handle"),
        }
    }

    /// The descriptor of a member reference or a dynamic constant: what the stack effect depends on.
    pub fn descriptor_of(&self, index: u16) -> Result<&[u8]> {
        let name_and_type = match self.get(index)? {
            Constant::FieldRef { name_and_type, .. }
            | Constant::MethodRef { name_and_type, .. }
            | Constant::InterfaceMethodRef { name_and_type, .. }
            | Constant::Dynamic { name_and_type, .. }
            | Constant::InvokeDynamic { name_and_type, .. } => name_and_type,
            _ => return self.wrong(index, "not a field, method or dynamic constant"),
        };
        Ok(self.name_and_type(name_and_type)?.1)
    }
}

impl Default for Pool<'_> {
    fn default() -> Self {
        Pool::new()
    }
}
