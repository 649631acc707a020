//! The class file as a structure: header, pool, fields, methods, attributes; parsing and writing. Attribute bodies stay
//! bytes here, borrowed from the input; `attributes.rs`, `code.rs` and `annotations.rs` read them.

use std::borrow::Cow;

use crate::bytes::{Cursor, put_u2, put_u4};
use crate::error::{Error, Reason, Result};
use crate::flags;
use crate::pool::Pool;

/// The newest major version this crate was tested with (Java 25). Newer ones are read all the same.
pub const NEWEST_TESTED: u16 = 69;

/// A whole class file.
#[derive(Clone)]
pub struct Class<'a> {
    /// Minor version; 65535 marks preview features from version 56 on.
    pub minor: u16,
    /// Major version: 45 is Java 1.1, 52 is Java 8, 61 is Java 17.
    pub major: u16,
    /// The constants.
    pub pool: Pool<'a>,
    /// See [`crate::flags`].
    pub access: u16,
    /// Class constant of this class.
    pub this_class: u16,
    /// Class constant of the superclass; 0 for `java/lang/Object` and modules.
    pub super_class: u16,
    /// Class constants of the interfaces.
    pub interfaces: Vec<u16>,
    /// The fields, in order.
    pub fields: Vec<Member<'a>>,
    /// The methods, in order.
    pub methods: Vec<Member<'a>>,
    /// The class's attributes, in order.
    pub attributes: Vec<Attribute<'a>>,
}

/// A field or a method.
#[derive(Clone, Debug)]
pub struct Member<'a> {
    /// See [`crate::flags`].
    pub access: u16,
    /// Text constant of the name.
    pub name: u16,
    /// Text constant of the descriptor.
    pub descriptor: u16,
    /// The attributes, in order.
    pub attributes: Vec<Attribute<'a>>,
}

/// A named piece of bytes.
#[derive(Clone, Debug)]
pub struct Attribute<'a> {
    /// Text constant of the name.
    pub name: u16,
    /// The content, without name and length.
    pub body: Cow<'a, [u8]>,
    /// Where the body stands in the file; 0 for one that was made.
    pub offset: usize,
}

impl<'a> Attribute<'a> {
    /// A new attribute.
    pub fn new(name: u16, body: Vec<u8>) -> Self {
        Attribute { name, body: Cow::Owned(body), offset: 0 }
    }

    pub(crate) fn cursor(&self) -> Cursor<'_> {
        Cursor::new(&self.body, self.offset)
    }
}

impl<'a> Class<'a> {
    /// A class without members.
    pub fn new(major: u16, access: u16, name: &[u8], super_name: &[u8]) -> Result<Class<'a>> {
        let mut pool = Pool::new();
        Ok(Class {
            minor: 0,
            major,
            access,
            this_class: pool.add_class(name)?,
            super_class: pool.add_class(super_name)?,
            pool,
            interfaces: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
            attributes: Vec::new(),
        })
    }

    /// Reads a class file. Versions newer than known are read as well; see [`Class::is_tested_version`].
    pub fn parse(bytes: &'a [u8]) -> Result<Class<'a>> {
        let mut cursor = Cursor::new(bytes, 0);
        if cursor.u4()? != 0xcafe_babe {
            return Err(Error::malformed(0, "not a class file"));
        }
        let minor = cursor.u2()?;
        let major = cursor.u2()?;
        if major < 45 {
            return Err(Error::malformed(6, "no class file has a version below 45"));
        }
        let pool = Pool::parse(&mut cursor)?;
        let access = cursor.u2()?;
        let this_class = cursor.u2()?;
        let super_class = cursor.u2()?;
        let count = usize::from(cursor.u2()?);
        let mut interfaces = Vec::with_capacity(cursor.room_for(count, 2));
        for _ in 0..count {
            interfaces.push(cursor.u2()?);
        }
        let fields = members(&mut cursor)?;
        let methods = members(&mut cursor)?;
        let attributes = attributes(&mut cursor)?;
        cursor.end("bytes follow the end of the class")?;
        Ok(Class {
            minor,
            major,
            pool,
            access,
            this_class,
            super_class,
            interfaces,
            fields,
            methods,
            attributes,
        })
    }

    /// The class as bytes: those it was parsed from if nothing was changed.
    pub fn write(&self) -> Result<Vec<u8>> {
        let size = 24
            + self.pool.size()
            + 2 * self.interfaces.len()
            + self
                .fields
                .iter()
                .chain(&self.methods)
                .map(|m| 8 + attributes_size(&m.attributes))
                .sum::<usize>()
            + attributes_size(&self.attributes);
        let mut out = Vec::with_capacity(size);
        put_u4(&mut out, 0xcafe_babe);
        put_u2(&mut out, self.minor);
        put_u2(&mut out, self.major);
        self.pool.write(&mut out);
        for word in [self.access, self.this_class, self.super_class] {
            put_u2(&mut out, word);
        }
        put_u2(&mut out, count_of(self.interfaces.len(), "interfaces")?);
        for interface in &self.interfaces {
            put_u2(&mut out, *interface);
        }
        write_members(&mut out, &self.fields, "fields")?;
        write_members(&mut out, &self.methods, "methods")?;
        write_attributes(&mut out, &self.attributes)?;
        Ok(out)
    }

    /// Is the version one that this crate was tested with?
    pub fn is_tested_version(&self) -> bool {
        self.major <= NEWEST_TESTED
    }

    /// This class's internal name.
    pub fn name(&self) -> Result<&[u8]> {
        self.pool.class_name(self.this_class)
    }

    /// The superclass's internal name, if there is one.
    pub fn super_name(&self) -> Result<Option<&[u8]>> {
        if self.super_class == 0 { Ok(None) } else { self.pool.class_name(self.super_class).map(Some) }
    }

    /// Name and descriptor of a field or method of this class.
    pub fn member_name(&self, member: &Member<'_>) -> Result<(&[u8], &[u8])> {
        Ok((self.pool.utf8(member.name)?, self.pool.utf8(member.descriptor)?))
    }

    /// The first attribute of that name.
    pub fn attribute<'c>(&self, among: &'c [Attribute<'a>], name: &[u8]) -> Option<&'c Attribute<'a>> {
        among.iter().find(|attribute| self.pool.utf8(attribute.name) == Ok(name))
    }

    /// Adds a field without attributes and returns its position.
    pub fn add_field(&mut self, access: u16, name: &[u8], descriptor: &[u8]) -> Result<usize> {
        if self.fields.len() >= usize::from(u16::MAX) {
            return Err(Error { offset: 0, reason: Reason::TableTooLarge("fields") });
        }
        let (name, descriptor) = (self.pool.add_utf8(name)?, self.pool.add_utf8(descriptor)?);
        self.fields.push(Member { access, name, descriptor, attributes: Vec::new() });
        Ok(self.fields.len() - 1)
    }

    /// Adds a static int field with that value and returns its position.
    pub fn add_constant(&mut self, access: u16, name: &[u8], value: i32) -> Result<usize> {
        let value = self.pool.add_integer(value)?;
        let attribute = Attribute::new(self.pool.add_utf8(b"ConstantValue")?, value.to_be_bytes().to_vec());
        let position = self.add_field(access | flags::STATIC | flags::FINAL, name, b"I")?;
        if let Some(field) = self.fields.get_mut(position) {
            field.attributes.push(attribute);
        }
        Ok(position)
    }

    /// Adds a method (`code` is the body of its Code attribute, none if abstract or native); returns its position.
    pub fn add_method(
        &mut self,
        access: u16,
        name: &[u8],
        descriptor: &[u8],
        code: Option<Vec<u8>>,
    ) -> Result<usize> {
        if self.methods.len() >= usize::from(u16::MAX) {
            return Err(Error { offset: 0, reason: Reason::TableTooLarge("methods") });
        }
        let (name, descriptor) = (self.pool.add_utf8(name)?, self.pool.add_utf8(descriptor)?);
        let mut attributes = Vec::new();
        if let Some(code) = code {
            attributes.push(Attribute::new(self.pool.add_utf8(b"Code")?, code));
        }
        self.methods.push(Member { access, name, descriptor, attributes });
        Ok(self.methods.len() - 1)
    }
}

fn members<'a>(cursor: &mut Cursor<'a>) -> Result<Vec<Member<'a>>> {
    let count = usize::from(cursor.u2()?);
    let mut found = Vec::with_capacity(cursor.room_for(count, 8));
    for _ in 0..count {
        let access = cursor.u2()?;
        let name = cursor.u2()?;
        let descriptor = cursor.u2()?;
        found.push(Member { access, name, descriptor, attributes: attributes(cursor)? });
    }
    Ok(found)
}

/// A count and as many attributes.
pub(crate) fn attributes<'a>(cursor: &mut Cursor<'a>) -> Result<Vec<Attribute<'a>>> {
    let count = usize::from(cursor.u2()?);
    let mut found = Vec::with_capacity(cursor.room_for(count, 6));
    for _ in 0..count {
        let name = cursor.u2()?;
        let length = cursor.u4()? as usize;
        let offset = cursor.offset();
        found.push(Attribute { name, body: Cow::Borrowed(cursor.take(length)?), offset });
    }
    Ok(found)
}

fn attributes_size(attributes: &[Attribute<'_>]) -> usize {
    attributes.iter().map(|attribute| 6 + attribute.body.len()).sum()
}

fn count_of(length: usize, what: &'static str) -> Result<u16> {
    u16::try_from(length).map_err(|_| Error { offset: 0, reason: Reason::TableTooLarge(what) })
}

fn write_members(out: &mut Vec<u8>, members: &[Member<'_>], what: &'static str) -> Result<()> {
    put_u2(out, count_of(members.len(), what)?);
    for member in members {
        for word in [member.access, member.name, member.descriptor] {
            put_u2(out, word);
        }
        write_attributes(out, &member.attributes)?;
    }
    Ok(())
}

/// Writes a count and the attributes.
pub(crate) fn write_attributes(out: &mut Vec<u8>, attributes: &[Attribute<'_>]) -> Result<()> {
    put_u2(out, count_of(attributes.len(), "attributes")?);
    for attribute in attributes {
        put_u2(out, attribute.name);
        let length = u32::try_from(attribute.body.len())
            .map_err(|_| Error { offset: attribute.offset, reason: Reason::TableTooLarge("bytes") })?;
        put_u4(out, length);
        out.extend_from_slice(&attribute.body);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `class A extends Object` with one interface, no members.
    pub const SMALL: &[u8] = &[
        0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0, 5, 1, 0, 1, b'A', 7, 0, 1, 1, 0, 1, b'O', 7, 0, 3, 0, 0x21,
        0, 2, 0, 4, 0, 1, 0, 4, 0, 0, 0, 0, 0, 0,
    ];

    #[test]
    fn a_class_is_written_as_it_was_read() {
        let class = Class::parse(SMALL).expect("a class");
        assert_eq!(class.name(), Ok(&b"A"[..]));
        assert_eq!(class.super_name(), Ok(Some(&b"O"[..])));
        assert_eq!(class.write().expect("bytes"), SMALL);
    }

    #[test]
    fn every_cut_is_an_error_at_or_before_the_cut() {
        for length in 0..SMALL.len() {
            let error = Class::parse(&SMALL[..length]).err().expect("an error");
            assert!(error.offset <= length, "{error}");
        }
    }

    #[test]
    fn bytes_after_the_end_are_an_error() {
        let mut bytes = SMALL.to_vec();
        bytes.push(0);
        assert_eq!(Class::parse(&bytes).err().map(|e| e.offset), Some(SMALL.len()));
    }

    #[test]
    fn a_future_version_is_read_and_told() {
        let mut bytes = SMALL.to_vec();
        bytes[6] = 1;
        let class = Class::parse(&bytes).expect("a class");
        assert!(!class.is_tested_version());
        assert_eq!(class.write().expect("bytes"), bytes);
    }

    #[test]
    fn added_members_are_found_again() {
        let mut class = Class::parse(SMALL).expect("a class");
        class.add_field(0x1000, b"extra", b"J").expect("room");
        class.add_method(0x0400, b"run", b"()V", None).expect("room");
        let bytes = class.write().expect("bytes");
        let again = Class::parse(&bytes).expect("a class");
        assert_eq!(again.member_name(&again.fields[0]), Ok((&b"extra"[..], &b"J"[..])));
        assert_eq!(again.member_name(&again.methods[0]), Ok((&b"run"[..], &b"()V"[..])));
    }
}
