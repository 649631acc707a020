//! What a verifier knows of a local or a stack place, and the names of classes behind it. Nothing is inferred here.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::class::{Class, Member};
use crate::descriptor::{MethodType, Type};
use crate::error::{Error, Result};
use crate::flags;
use crate::pool::Pool;

/// The type of a value as the verifier sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Nothing that may be used.
    Top,
    /// int, and everything narrower.
    Int,
    /// float
    Float,
    /// long; in locals the next slot is `Second`.
    Long,
    /// double; in locals the next slot is `Second`.
    Double,
    /// The second slot of a long or double local. Never on the stack, where a long is one value.
    Second,
    /// null
    Null,
    /// `this` in a constructor before `super(…)` or `this(…)` has been called.
    UninitializedThis,
    /// What the `new` at this pc made, before its constructor was called.
    Uninitialized(u16),
    /// An object or array of a known class.
    Object(ClassRef),
    /// An object or array: different classes met here.
    SomeObject,
    /// What `jsr` pushes: the pc of the subroutine.
    ReturnAddress(u16),
}

/// A class: one of the pool's, or one that only a descriptor names. Ask [`Names::name`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClassRef(u32);

/// The numbers above the pool's indices stand for names kept aside.
const ASIDE: u32 = 1 << 16;

impl ClassRef {
    /// The class constant with that index.
    pub fn constant(index: u16) -> ClassRef {
        ClassRef(u32::from(index))
    }
}

impl Value {
    /// Is it an object, an array, null, or an object whose constructor has not run?
    pub fn is_reference(self) -> bool {
        matches!(
            self,
            Value::Null
                | Value::UninitializedThis
                | Value::Uninitialized(_)
                | Value::Object(_)
                | Value::SomeObject
        )
    }

    /// Places it takes: two for long and double.
    pub fn slots(self) -> u16 {
        if self.is_wide() { 2 } else { 1 }
    }

    pub(crate) fn is_wide(self) -> bool {
        matches!(self, Value::Long | Value::Double)
    }
}

/// Names of classes that descriptors mention and the pool may not.
#[derive(Clone, Default)]
pub struct Names {
    names: Vec<Vec<u8>>,
    numbers: FxHashMap<Vec<u8>, u32>,
}

impl Names {
    /// The name behind a reference: `java/lang/String`, `[I`.
    pub fn name<'n>(&'n self, pool: &'n Pool<'_>, class: ClassRef) -> Result<&'n [u8]> {
        match u16::try_from(class.0) {
            Ok(index) => pool.class_name(index),
            Err(_) => Ok(self.names.get((class.0 - ASIDE) as usize).map(Vec::as_slice).unwrap_or_default()),
        }
    }

    /// Do both stand for the same class?
    pub(crate) fn same(&self, pool: &Pool<'_>, one: ClassRef, other: ClassRef) -> bool {
        one == other
            || matches!((self.name(pool, one), self.name(pool, other)), (Ok(one), Ok(other)) if one == other)
    }

    pub(crate) fn refer(&mut self, name: Cow<'_, [u8]>) -> ClassRef {
        if let Some(number) = self.numbers.get(&*name) {
            return ClassRef(ASIDE + number);
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_vec());
        self.numbers.insert(name.into_owned(), number);
        ClassRef(ASIDE + number)
    }

    /// The index of a class constant for it, added if need be.
    pub(crate) fn constant(&self, pool: &mut Pool<'_>, class: ClassRef) -> Result<u16> {
        match u16::try_from(class.0) {
            Ok(index) => Ok(index),
            Err(_) => pool
                .add_class(self.names.get((class.0 - ASIDE) as usize).map(Vec::as_slice).unwrap_or_default()),
        }
    }

    /// What a value of a descriptor's type is to the verifier.
    pub(crate) fn value(&mut self, of: Type<'_>) -> Value {
        match of {
            Type::Boolean | Type::Byte | Type::Char | Type::Short | Type::Int => Value::Int,
            Type::Long => Value::Long,
            Type::Float => Value::Float,
            Type::Double => Value::Double,
            Type::Object(name) | Type::Array(name) => Value::Object(self.refer(Cow::Borrowed(name))),
        }
    }
}

/// The locals a method starts with, a long being one value: the receiver, then the parameters.
pub(crate) fn initial_locals(
    class: &Class<'_>,
    method: &Member<'_>,
    names: &mut Names,
) -> Result<Vec<Value>> {
    let (name, descriptor) = class.member_name(method)?;
    let types =
        MethodType::parse(descriptor).ok_or(Error::malformed(0, "a method's descriptor cannot be read"))?;
    let mut locals = Vec::new();
    if method.access & flags::STATIC == 0 {
        // In Object's own constructor nothing is left to be called: the verifier takes `this` as it is.
        locals.push(if name == b"<init>" && class.super_class != 0 {
            Value::UninitializedThis
        } else {
            Value::Object(ClassRef::constant(class.this_class))
        });
    }
    for parameter in types.parameters() {
        locals.push(names.value(parameter));
    }
    Ok(locals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_once() {
        let mut names = Names::default();
        let one = names.refer(Cow::Borrowed(b"a/B"));
        assert_eq!(names.refer(Cow::Borrowed(b"a/B")), one);
        assert_eq!(names.name(&Pool::default(), one), Ok(&b"a/B"[..]));
        assert!(names.name(&Pool::default(), ClassRef::constant(3)).is_err());
        assert_eq!(names.value(Type::Char), Value::Int);
    }
}
