//! Adding constants: an entry that is already there is found instead. Only ever appends; see `pool.rs` for reading.

use std::hash::Hasher;

use crate::bytes::put_u2;
use crate::error::{Error, Reason, Result};
use crate::pool::{Pool, tag};

/// Entries by their bytes: open addressing over entry indices. A search gives up after [`PROBES`] steps, so that names
/// made to collide cost a duplicate entry and never time.
#[derive(Clone)]
pub(crate) struct Index {
    slots: Vec<u16>,
    used: usize,
}

const PROBES: usize = 64;

fn hash(bytes: &[u8]) -> usize {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(bytes);
    // The best bits of this hash are its high ones.
    (hasher.finish() >> 20) as usize
}

impl Index {
    fn with_room(entries: usize) -> Index {
        Index { slots: vec![0; (entries * 2).next_power_of_two().max(64)], used: 0 }
    }

    fn put(&mut self, hash: usize, entry: u16) {
        let mask = self.slots.len() - 1;
        for probe in 0..PROBES {
            if let Some(slot) = self.slots.get_mut((hash + probe) & mask).filter(|slot| **slot == 0) {
                *slot = entry;
                self.used += 1;
                return;
            }
        }
    }
}

/// The bytes of the entry that starts `bytes`.
fn entry_bytes(bytes: &[u8]) -> Option<&[u8]> {
    let length = match *bytes.first()? {
        tag::UTF8 => 3 + usize::from(crate::bytes::u2_at(bytes, 1)?),
        tag::CLASS | tag::STRING | tag::METHOD_TYPE | tag::MODULE | tag::PACKAGE => 3,
        tag::METHOD_HANDLE => 4,
        tag::LONG | tag::DOUBLE => 9,
        _ => 5,
    };
    bytes.get(..length)
}

impl Pool<'_> {
    fn rebuild_index(&mut self) {
        let mut index = Index::with_room(self.starts.len() + 32);
        for entry in 1..self.count() {
            if let Some(bytes) = self.entry(entry).and_then(entry_bytes) {
                index.put(hash(bytes), entry);
            }
        }
        self.index = Some(index);
    }

    fn find(&self, hash: usize, wanted: &[&[u8]]) -> Option<u16> {
        let index = self.index.as_ref()?;
        let mask = index.slots.len() - 1;
        for probe in 0..PROBES {
            let entry = *index.slots.get((hash + probe) & mask)?;
            if entry == 0 {
                return None;
            }
            let mut rest = self.entry(entry)?;
            let same = wanted.iter().all(|part| match rest.strip_prefix(*part) {
                Some(after) => {
                    rest = after;
                    true
                }
                None => false,
            });
            if same {
                return Some(entry);
            }
        }
        None
    }

    /// The index of the entry with these bytes (in two parts), added if there is none.
    fn intern(&mut self, head: &[u8], body: &[u8]) -> Result<u16> {
        let grown = self.index.as_ref().is_none_or(|index| (index.used + 1) * 2 > index.slots.len());
        if grown {
            self.rebuild_index();
        }
        let start = self.added.len();
        // The bytes are hashed in one piece, as `rebuild_index` does.
        self.added.extend_from_slice(head);
        self.added.extend_from_slice(body);
        let hash = hash(self.added.get(start..).unwrap_or_default());
        if let Some(found) = self.find(hash, &[head, body]) {
            self.added.truncate(start);
            return Ok(found);
        }
        let long = matches!(head.first(), Some(&(tag::LONG | tag::DOUBLE)));
        if self.starts.len() + 1 + usize::from(long) > usize::from(u16::MAX) {
            self.added.truncate(start);
            return Err(Error { offset: 8, reason: Reason::PoolFull });
        }
        let entry = self.starts.len() as u16;
        self.starts.push((self.raw.len() + start) as u32);
        if long {
            self.starts.push(u32::MAX);
        }
        if let Some(index) = &mut self.index {
            index.put(hash, entry);
        }
        Ok(entry)
    }

    fn intern_one(&mut self, tag: u8, index: u16) -> Result<u16> {
        let [high, low] = index.to_be_bytes();
        self.intern(&[tag, high, low], &[])
    }

    fn intern_two(&mut self, tag: u8, first: u16, second: u16) -> Result<u16> {
        let ([a, b], [c, d]) = (first.to_be_bytes(), second.to_be_bytes());
        self.intern(&[tag, a, b, c, d], &[])
    }

    /// Text, given as the raw bytes of modified UTF-8 (see [`crate::text::encode`]).
    pub fn add_utf8(&mut self, text: &[u8]) -> Result<u16> {
        let Ok(length) = u16::try_from(text.len()) else {
            return Err(Error { offset: 8, reason: Reason::TextTooLong });
        };
        let mut head = Vec::with_capacity(3);
        head.push(tag::UTF8);
        put_u2(&mut head, length);
        self.intern(&head, text)
    }

    /// A class by its internal name.
    pub fn add_class(&mut self, name: &[u8]) -> Result<u16> {
        let name = self.add_utf8(name)?;
        self.intern_one(tag::CLASS, name)
    }

    /// A string literal, as raw modified UTF-8.
    pub fn add_string(&mut self, text: &[u8]) -> Result<u16> {
        let text = self.add_utf8(text)?;
        self.intern_one(tag::STRING, text)
    }

    /// An int.
    pub fn add_integer(&mut self, value: i32) -> Result<u16> {
        self.intern(&[tag::INTEGER], &value.to_be_bytes())
    }

    /// A float; its bits are kept.
    pub fn add_float(&mut self, value: f32) -> Result<u16> {
        self.intern(&[tag::FLOAT], &value.to_bits().to_be_bytes())
    }

    /// A long.
    pub fn add_long(&mut self, value: i64) -> Result<u16> {
        self.intern(&[tag::LONG], &value.to_be_bytes())
    }

    /// A double; its bits are kept.
    pub fn add_double(&mut self, value: f64) -> Result<u16> {
        self.intern(&[tag::DOUBLE], &value.to_bits().to_be_bytes())
    }

    /// A name and a descriptor.
    pub fn add_name_and_type(&mut self, name: &[u8], descriptor: &[u8]) -> Result<u16> {
        let name = self.add_utf8(name)?;
        let descriptor = self.add_utf8(descriptor)?;
        self.intern_two(tag::NAME_AND_TYPE, name, descriptor)
    }

    fn add_member(&mut self, tag: u8, owner: &[u8], name: &[u8], descriptor: &[u8]) -> Result<u16> {
        let class = self.add_class(owner)?;
        let name_and_type = self.add_name_and_type(name, descriptor)?;
        self.intern_two(tag, class, name_and_type)
    }

    /// A field.
    pub fn add_field_ref(&mut self, owner: &[u8], name: &[u8], descriptor: &[u8]) -> Result<u16> {
        self.add_member(tag::FIELD_REF, owner, name, descriptor)
    }

    /// A method of a class.
    pub fn add_method_ref(&mut self, owner: &[u8], name: &[u8], descriptor: &[u8]) -> Result<u16> {
        self.add_member(tag::METHOD_REF, owner, name, descriptor)
    }

    /// A method of an interface.
    pub fn add_interface_method_ref(&mut self, owner: &[u8], name: &[u8], descriptor: &[u8]) -> Result<u16> {
        self.add_member(tag::INTERFACE_METHOD_REF, owner, name, descriptor)
    }

    /// A method type.
    pub fn add_method_type(&mut self, descriptor: &[u8]) -> Result<u16> {
        let descriptor = self.add_utf8(descriptor)?;
        self.intern_one(tag::METHOD_TYPE, descriptor)
    }

    /// A method handle: kind (1 to 9) and the index of the member it stands for.
    pub fn add_method_handle(&mut self, kind: u8, reference: u16) -> Result<u16> {
        let [high, low] = reference.to_be_bytes();
        self.intern(&[tag::METHOD_HANDLE, kind, high, low], &[])
    }

    /// A dynamic constant.
    pub fn add_dynamic(&mut self, bootstrap: u16, name: &[u8], descriptor: &[u8]) -> Result<u16> {
        let name_and_type = self.add_name_and_type(name, descriptor)?;
        self.intern_two(tag::DYNAMIC, bootstrap, name_and_type)
    }

    /// A dynamic call site.
    pub fn add_invoke_dynamic(&mut self, bootstrap: u16, name: &[u8], descriptor: &[u8]) -> Result<u16> {
        let name_and_type = self.add_name_and_type(name, descriptor)?;
        self.intern_two(tag::INVOKE_DYNAMIC, bootstrap, name_and_type)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Cursor;
    use crate::pool::Constant;

    fn pool_of(bytes: &[u8]) -> Pool<'_> {
        Pool::parse(&mut Cursor::new(bytes, 8)).expect("a pool")
    }

    #[test]
    fn an_entry_of_the_file_is_found_instead_of_added() {
        let mut pool = pool_of(&[0, 3, 1, 0, 1, b'A', 7, 0, 1]);
        assert_eq!(pool.add_utf8(b"A"), Ok(1));
        assert_eq!(pool.add_class(b"A"), Ok(2));
        assert!(!pool.is_changed());
        assert_eq!(pool.add_class(b"B"), Ok(4));
        assert_eq!(pool.class_name(4), Ok(&b"B"[..]));
        assert!(pool.is_changed());
    }

    #[test]
    fn long_constants_take_two_indices() {
        let mut pool = pool_of(&[0, 1]);
        assert_eq!(pool.add_long(-2), Ok(1));
        assert_eq!(pool.add_integer(7), Ok(3));
        assert_eq!(pool.add_double(0.5), Ok(4));
        assert_eq!(pool.add_long(-2), Ok(1));
        assert_eq!(pool.get(1), Ok(Constant::Long(-2)));
        assert!(pool.get(2).is_err());
        assert_eq!(pool.get(4), Ok(Constant::Double(0.5)));
        let mut out = Vec::new();
        pool.write(&mut out);
        assert_eq!(pool_of(&out).get(3), Ok(Constant::Integer(7)));
        assert_eq!(out.len(), pool.size());
    }

    #[test]
    fn members_are_read_back_as_they_were_added() {
        let mut pool = pool_of(&[0, 1]);
        let method = pool.add_method_ref(b"a/B", b"run", b"(J)V").expect("room");
        let found = pool.member_ref(method).expect("a member");
        assert_eq!((found.owner, found.name, found.descriptor), (&b"a/B"[..], &b"run"[..], &b"(J)V"[..]));
        let site = pool.add_invoke_dynamic(3, b"go", b"()V").expect("room");
        assert_eq!(pool.dynamic_ref(site).map(|site| (site.bootstrap, site.name)), Ok((3, &b"go"[..])));
        let handle = pool.add_method_handle(6, method).expect("room");
        assert_eq!(
            pool.method_handle(handle).map(|(kind, member)| (kind, member.name)),
            Ok((6, &b"run"[..]))
        );
    }

    #[test]
    fn a_full_pool_says_so_and_stays_as_it_was() {
        let mut pool = pool_of(&[0, 1]);
        for number in 0..65534 {
            assert!(pool.add_integer(number).is_ok());
        }
        assert_eq!(pool.count(), 65535);
        assert_eq!(pool.add_integer(65534).map_err(|e| e.reason), Err(Reason::PoolFull));
        assert_eq!(pool.add_integer(65533), Ok(65534));
        let mut out = Vec::new();
        pool.write(&mut out);
        assert_eq!(pool_of(&out).get(65534), Ok(Constant::Integer(65533)));
    }

    #[test]
    fn a_text_that_is_too_long_is_refused() {
        let mut pool = pool_of(&[0, 1]);
        assert_eq!(pool.add_utf8(&[b'x'; 65536]).map_err(|e| e.reason), Err(Reason::TextTooLong));
        assert_eq!(pool.add_utf8(&[b'x'; 65535]), Ok(1));
    }
}
