//! The attributes both users read, decoded: source file, inner classes, bootstrap methods, signatures, records, nests.
//! All others (modules among them) stay bytes. Annotations are in `annotations.rs`, code in `code.rs`.

use crate::bytes::Cursor;
use crate::class::{Attribute, Class, Member, attributes};
use crate::error::Result;

/// An entry of InnerClasses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InnerClass {
    /// Class constant of the inner class.
    pub inner: u16,
    /// Class constant of the class it is a member of; 0 for local and anonymous classes.
    pub outer: u16,
    /// Text constant of its simple name; 0 for anonymous classes.
    pub name: u16,
    /// Its flags as the source has them.
    pub access: u16,
}

/// An entry of BootstrapMethods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootstrapMethod {
    /// The method handle's index.
    pub method: u16,
    /// Indices of the constant arguments.
    pub arguments: Vec<u16>,
}

/// A component of a record.
#[derive(Clone, Debug)]
pub struct RecordComponent<'a> {
    /// Text constant of the name.
    pub name: u16,
    /// Text constant of the descriptor.
    pub descriptor: u16,
    /// Its attributes (signature, annotations).
    pub attributes: Vec<Attribute<'a>>,
}

/// A count and as many things, each of at least `size` bytes.
pub(crate) fn list<'a, T>(
    cursor: &mut Cursor<'a>,
    size: usize,
    mut read: impl FnMut(&mut Cursor<'a>) -> Result<T>,
) -> Result<Vec<T>> {
    let count = usize::from(cursor.u2()?);
    let mut found = Vec::with_capacity(cursor.room_for(count, size).min(256));
    for _ in 0..count {
        found.push(read(cursor)?);
    }
    Ok(found)
}

impl<'a> Class<'a> {
    /// Reads one attribute with `read`, all of it; the default when there is none.
    fn read<'c, T: Default>(
        &self,
        among: &'c [Attribute<'a>],
        name: &[u8],
        read: impl FnOnce(&mut Cursor<'c>) -> Result<T>,
    ) -> Result<T> {
        let Some(attribute) = self.attribute(among, name) else { return Ok(T::default()) };
        let mut cursor = attribute.cursor();
        let found = read(&mut cursor)?;
        cursor.end("an attribute is longer than its content")?;
        Ok(found)
    }

    fn index_in(&self, among: &[Attribute<'a>], name: &[u8]) -> Result<Option<u16>> {
        self.read(among, name, |cursor| cursor.u2().map(Some))
    }

    fn text_in(&self, among: &[Attribute<'a>], name: &[u8]) -> Result<Option<&[u8]>> {
        self.index_in(among, name)?.map(|index| self.pool.utf8(index)).transpose()
    }

    /// The source file's name.
    pub fn source_file(&self) -> Result<Option<&[u8]>> {
        self.text_in(&self.attributes, b"SourceFile")
    }

    /// The generic signature in a class's, field's, method's or record component's attributes.
    pub fn signature(&self, among: &[Attribute<'a>]) -> Result<Option<&[u8]>> {
        self.text_in(among, b"Signature")
    }

    /// The constant a static field starts with: an index of a number or string.
    pub fn constant_value(&self, field: &Member<'a>) -> Result<Option<u16>> {
        self.index_in(&field.attributes, b"ConstantValue")
    }

    /// Class constants of the exceptions a method declares.
    pub fn exceptions(&self, method: &Member<'a>) -> Result<Vec<u16>> {
        self.read(&method.attributes, b"Exceptions", |cursor| list(cursor, 2, Cursor::u2))
    }

    /// The InnerClasses table.
    pub fn inner_classes(&self) -> Result<Vec<InnerClass>> {
        self.read(&self.attributes, b"InnerClasses", |cursor| {
            list(cursor, 8, |entry| {
                Ok(InnerClass {
                    inner: entry.u2()?,
                    outer: entry.u2()?,
                    name: entry.u2()?,
                    access: entry.u2()?,
                })
            })
        })
    }

    /// Class constant of the enclosing class and the name-and-type of the enclosing method (0 for none).
    pub fn enclosing_method(&self) -> Result<Option<(u16, u16)>> {
        self.read(&self.attributes, b"EnclosingMethod", |cursor| Ok(Some((cursor.u2()?, cursor.u2()?))))
    }

    /// The BootstrapMethods table, which dynamic constants point into.
    pub fn bootstrap_methods(&self) -> Result<Vec<BootstrapMethod>> {
        self.read(&self.attributes, b"BootstrapMethods", |cursor| {
            list(cursor, 4, |entry| {
                Ok(BootstrapMethod { method: entry.u2()?, arguments: list(entry, 2, Cursor::u2)? })
            })
        })
    }

    /// The components if the class is a record.
    pub fn record_components(&self) -> Result<Option<Vec<RecordComponent<'_>>>> {
        self.read(&self.attributes, b"Record", |cursor| {
            let components = list(cursor, 6, |entry| {
                let (name, descriptor) = (entry.u2()?, entry.u2()?);
                Ok(RecordComponent { name, descriptor, attributes: attributes(entry)? })
            })?;
            Ok(Some(components))
        })
    }

    /// Class constant of the host of this class's nest, if it is not the host itself.
    pub fn nest_host(&self) -> Result<Option<u16>> {
        self.index_in(&self.attributes, b"NestHost")
    }

    /// Class constants of the nest's other members, in its host.
    pub fn nest_members(&self) -> Result<Vec<u16>> {
        self.read(&self.attributes, b"NestMembers", |cursor| list(cursor, 2, Cursor::u2))
    }

    /// Class constants of the classes a sealed class permits.
    pub fn permitted_subclasses(&self) -> Result<Vec<u16>> {
        self.read(&self.attributes, b"PermittedSubclasses", |cursor| list(cursor, 2, Cursor::u2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class_with(name: &[u8], body: Vec<u8>) -> Class<'static> {
        let mut class = Class::new(61, 0, b"A", b"B").expect("room");
        let name = class.pool.add_utf8(name).expect("room");
        class.pool.add_utf8(b"text").expect("room");
        class.attributes.push(Attribute::new(name, body));
        class
    }

    #[test]
    fn tables_are_read_entry_by_entry() {
        let class = class_with(b"BootstrapMethods", vec![0, 1, 0, 9, 0, 2, 0, 3, 0, 4]);
        let expected = BootstrapMethod { method: 9, arguments: vec![3, 4] };
        assert_eq!(class.bootstrap_methods(), Ok(vec![expected]));
        let class = class_with(b"InnerClasses", vec![0, 1, 0, 1, 0, 2, 0, 3, 0, 4]);
        assert_eq!(class.inner_classes(), Ok(vec![InnerClass { inner: 1, outer: 2, name: 3, access: 4 }]));
        let class = class_with(b"SourceFile", vec![0, 6]);
        assert_eq!(class.source_file(), Ok(Some(&b"text"[..])));
        assert_eq!(class.nest_host(), Ok(None));
        let class = class_with(b"Record", vec![0, 1, 0, 1, 0, 2, 0, 1, 0, 2, 0, 0, 0, 0]);
        let components = class.record_components().expect("valid").expect("a record");
        assert_eq!((components.len(), components[0].attributes.len()), (1, 1));
    }

    #[test]
    fn a_count_that_promises_too_much_is_an_error() {
        let class = class_with(b"NestMembers", vec![0xff, 0xff, 0, 1]);
        assert!(class.nest_members().is_err());
        let class = class_with(b"SourceFile", vec![0, 2, 9]);
        assert!(class.source_file().is_err());
    }
}
