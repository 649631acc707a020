//! The names of what weaving adds to a class. They depend on the class's own bytes only.

use std::collections::HashSet;

/// Everything that weaving adds to a class is named so.
pub const PREFIX: &str = "$raddle$";

/// The object's number.
pub(crate) const NUMBER: &[u8] = b"$raddle$id";

/// The descriptor without the characters that no name may have.
fn plain(descriptor: &[u8]) -> impl Iterator<Item = u8> {
    descriptor.iter().map(|byte| if matches!(byte, b'/' | b';' | b'[' | b'.') { b'_' } else { *byte })
}

fn name(letter: u8, field: &[u8], descriptor: &[u8], overloaded: bool) -> Vec<u8> {
    let mut made = PREFIX.as_bytes().to_vec();
    made.extend([letter, b'$']);
    made.extend_from_slice(field);
    if overloaded {
        made.extend_from_slice(PREFIX.as_bytes());
        made.extend(plain(descriptor));
    }
    made
}

/// A shadow word: `$raddle$w0`, `$raddle$w1`, …; of statics `$raddle$v0`, ….
pub fn shadow_name(number: usize, is_static: bool) -> Vec<u8> {
    format!("{PREFIX}{}{number}", if is_static { 'v' } else { 'w' }).into_bytes()
}

/// Says that the constructor of the class has ended.
pub const FROZEN: &[u8] = b"$raddle$frozen";

/// A static int: whether the constructors of the class keep `this` to themselves, and what they leave alone.
pub(crate) const KEEPS: &[u8] = b"$raddle$keeps";

/// The accessor that tells a read (`$raddle$r$NAME`) or an update (`$raddle$u$NAME`) of a field. Where a
/// class has several fields of one name (`overloaded`), the descriptor follows: `$raddle$r$NAME$raddle$DESCRIPTOR`, with
/// `_` for what no name may hold.
pub fn accessor_name(write: bool, field: &[u8], descriptor: &[u8], overloaded: bool) -> Vec<u8> {
    name(if write { b'u' } else { b'r' }, field, descriptor, overloaded)
}

/// May a method have the name? Fields may have more.
pub(crate) fn is_method_name(field: &[u8]) -> bool {
    !field.iter().any(|byte| matches!(byte, b'<' | b'>'))
}

/// The names that occur more than once.
pub(crate) fn overloaded<'n>(names: impl Iterator<Item = &'n [u8]>) -> HashSet<&'n [u8]> {
    let mut seen = HashSet::new();
    names.filter(|name| !seen.insert(*name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_fields_of_one_name_carry_their_descriptor() {
        assert_eq!(accessor_name(false, b"f", b"I", false), b"$raddle$r$f");
        assert_eq!(accessor_name(true, b"f", b"[La/B;", true), b"$raddle$u$f$raddle$_La_B_");
        let names: [&[u8]; 3] = [b"a", b"b", b"a"];
        assert!(overloaded(names.into_iter()).into_iter().eq([&b"a"[..]]));
    }
}
