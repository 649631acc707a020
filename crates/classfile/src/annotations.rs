//! Annotations on classes, fields, methods and parameters, visible at run time or not. Type annotations stay bytes.

use crate::attributes::list;
use crate::bytes::Cursor;
use crate::class::{Attribute, Class};
use crate::error::Result;

/// An annotation with its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// Text constant of the annotation's type, as a descriptor.
    pub descriptor: u16,
    /// Names (text constants) and values.
    pub values: Vec<(u16, ElementValue)>,
}

/// What an annotation's element holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ElementValue {
    /// A primitive or string: its letter (`B C D F I J S Z s`) and constant.
    Constant(u8, u16),
    /// Text constants of the enum's descriptor and the constant's name.
    Enum(u16, u16),
    /// Text constant of a return descriptor.
    Class(u16),
    /// An annotation inside.
    Annotation(Annotation),
    /// Several.
    Array(Vec<ElementValue>),
}

/// Deeper nesting is refused; Java source nests a handful.
const DEEPEST: u32 = 64;

fn annotation(cursor: &mut Cursor<'_>, depth: u32) -> Result<Annotation> {
    let descriptor = cursor.u2()?;
    let values = list(cursor, 5, |entry| Ok((entry.u2()?, element(entry, depth)?)))?;
    Ok(Annotation { descriptor, values })
}

fn element(cursor: &mut Cursor<'_>, depth: u32) -> Result<ElementValue> {
    if depth == DEEPEST {
        return cursor.malformed("annotations are nested too deeply");
    }
    Ok(match cursor.u1()? {
        letter @ (b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's') => {
            ElementValue::Constant(letter, cursor.u2()?)
        }
        b'e' => ElementValue::Enum(cursor.u2()?, cursor.u2()?),
        b'c' => ElementValue::Class(cursor.u2()?),
        b'@' => ElementValue::Annotation(annotation(cursor, depth + 1)?),
        b'[' => ElementValue::Array(list(cursor, 3, |entry| element(entry, depth + 1))?),
        _ => return cursor.malformed("no such kind of annotation value"),
    })
}

/// The bytes of one element value; used to step over annotations whose content does not matter.
pub(crate) fn skip_annotation(cursor: &mut Cursor<'_>) -> Result<()> {
    annotation(cursor, 0).map(|_| ())
}

impl<'a> Class<'a> {
    fn annotation_bodies<'c>(
        &'c self,
        among: &'c [Attribute<'a>],
        names: [&'static [u8]; 2],
    ) -> impl Iterator<Item = Cursor<'c>> {
        among
            .iter()
            .filter(move |attribute| self.pool.utf8(attribute.name).is_ok_and(|name| names.contains(&name)))
            .map(|attribute| attribute.cursor())
    }

    /// All annotations among the attributes of a class, field, method or record component.
    pub fn annotations(&self, among: &[Attribute<'a>]) -> Result<Vec<Annotation>> {
        let mut found = Vec::new();
        let names: [&[u8]; 2] = [b"RuntimeVisibleAnnotations", b"RuntimeInvisibleAnnotations"];
        for mut cursor in self.annotation_bodies(among, names) {
            found.extend(list(&mut cursor, 4, |entry| annotation(entry, 0))?);
        }
        Ok(found)
    }

    /// The annotations of each parameter of a method. Compilers leave out synthetic parameters, so there may be fewer
    /// lists than the descriptor has parameters.
    pub fn parameter_annotations(&self, among: &[Attribute<'a>]) -> Result<Vec<Vec<Annotation>>> {
        let mut found: Vec<Vec<Annotation>> = Vec::new();
        let names: [&[u8]; 2] =
            [b"RuntimeVisibleParameterAnnotations", b"RuntimeInvisibleParameterAnnotations"];
        for mut cursor in self.annotation_bodies(among, names) {
            let count = usize::from(cursor.u1()?);
            found.resize_with(count.max(found.len()), Vec::new);
            for parameter in found.iter_mut().take(count) {
                parameter.extend(list(&mut cursor, 4, |entry| annotation(entry, 0))?);
            }
        }
        Ok(found)
    }

    /// Is there an annotation whose simple name is that (`GuardedBy` fits `javax.annotation.concurrent.GuardedBy`)?
    /// Annotations that cannot be read count as absent.
    pub fn has_annotation(&self, among: &[Attribute<'a>], simple_name: &[u8]) -> bool {
        self.annotations(among).is_ok_and(|all| {
            all.iter().any(|found| {
                self.pool.utf8(found.descriptor).is_ok_and(|text| {
                    let name = text.strip_suffix(b";").unwrap_or(text);
                    let simple = name.rsplit(|b| matches!(b, b'/' | b'$')).next().unwrap_or(name);
                    // A class without a package still has the descriptor's letter in front.
                    simple == simple_name
                        || (simple.len() == name.len() && simple.strip_prefix(b"L") == Some(simple_name))
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_kind_are_read() {
        let bytes = [
            0, 1, 0, 3, 0, 2, b'I', 0, 3, 0, 4, b'[', 0, 2, b'e', 0, 5, 0, 6, b'c', 0, 7, 0, 8, b'@', 0, 9,
            0, 0,
        ];
        let mut cursor = Cursor::new(&bytes, 0);
        let found = annotation(&mut cursor, 0).expect("valid");
        assert_eq!(found.descriptor, 1);
        assert_eq!(found.values[0], (2, ElementValue::Constant(b'I', 3)));
        let both = vec![ElementValue::Enum(5, 6), ElementValue::Class(7)];
        assert_eq!(found.values[1], (4, ElementValue::Array(both)));
        let inner = Annotation { descriptor: 9, values: Vec::new() };
        assert_eq!(found.values[2], (8, ElementValue::Annotation(inner)));
        assert_eq!(cursor.left(), 0);
    }

    #[test]
    fn endless_nesting_is_refused() {
        let deep = [b'[', 0, 1].repeat(100_000);
        assert!(element(&mut Cursor::new(&deep, 0), 0).is_err());
    }

    #[test]
    fn an_annotation_is_found_by_its_simple_name() {
        let small: &[u8] =
            &[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let mut class = Class::parse(small).expect("a class");
        let name = class.pool.add_utf8(b"RuntimeInvisibleAnnotations").expect("room");
        for (descriptor, fits) in [
            (&b"Lnet/jcip/GuardedBy;"[..], true),
            (b"LGuardedBy;", true),
            (b"La/B$GuardedBy;", true),
            (b"La/NotGuardedBy;", false),
            (b"La/LGuardedBy;", false),
        ] {
            let [high, low] = class.pool.add_utf8(descriptor).expect("room").to_be_bytes();
            let attributes = [Attribute::new(name, vec![0, 1, high, low, 0, 0])];
            assert_eq!(class.has_annotation(&attributes, b"GuardedBy"), fits);
        }
    }
}
