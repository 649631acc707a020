//! A cursor over big-endian bytes that cannot run over their end, and the matching writers. Knows no class file.

use crate::error::{Error, Reason, Result};

/// Reads forward; every read is checked. `base` is where `bytes` starts in the class file, for error offsets.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    base: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8], base: usize) -> Self {
        Cursor { bytes, at: 0, base }
    }

    /// Position from the start of the bytes given.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Offset in the class file.
    pub fn offset(&self) -> usize {
        self.base + self.at
    }

    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    #[inline]
    pub fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        match self.bytes.get(self.at..).and_then(|rest| rest.get(..length)) {
            Some(found) => {
                self.at += length;
                Ok(found)
            }
            None => Err(Error { offset: self.offset(), reason: Reason::Cut }),
        }
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        match self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<N>()) {
            Some(found) => {
                self.at += N;
                Ok(*found)
            }
            None => Err(Error { offset: self.offset(), reason: Reason::Cut }),
        }
    }

    #[inline]
    pub fn u1(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    #[inline]
    pub fn u2(&mut self) -> Result<u16> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    #[inline]
    pub fn u4(&mut self) -> Result<u32> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    /// A count of things that take at least `size` bytes each: what the bytes left can hold at most, so that a
    /// vector made for it is never larger than the input.
    pub fn room_for(&self, count: usize, size: usize) -> usize {
        count.min(self.left() / size.max(1))
    }

    pub fn malformed<T>(&self, what: &'static str) -> Result<T> {
        Err(Error::malformed(self.offset(), what))
    }

    /// Everything must have been read.
    pub fn end(&self, what: &'static str) -> Result<()> {
        if self.left() == 0 { Ok(()) } else { self.malformed(what) }
    }
}

/// The two bytes at `at`, if there are two.
#[inline]
pub(crate) fn u2_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk::<2>().map(|two| u16::from_be_bytes(*two))
}

/// The four bytes at `at`, if there are four.
#[inline]
pub(crate) fn u4_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk::<4>().map(|four| u32::from_be_bytes(*four))
}

#[inline]
pub(crate) fn put_u2(out: &mut Vec<u8>, value: u16) {
    out.extend_from_slice(&value.to_be_bytes());
}

#[inline]
pub(crate) fn put_u4(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_be_bytes());
}

/// Overwrites two bytes written earlier.
pub(crate) fn patch_u2(out: &mut [u8], at: usize, value: u16) {
    if let Some(place) = out.get_mut(at..at + 2) {
        place.copy_from_slice(&value.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_over_the_end_is_an_error_with_its_offset() {
        let mut cursor = Cursor::new(&[1, 2, 3], 10);
        assert_eq!(cursor.u2(), Ok(0x102));
        assert_eq!(cursor.u2(), Err(Error { offset: 12, reason: Reason::Cut }));
        assert_eq!(cursor.take(usize::MAX).map(<[u8]>::len), Err(Error { offset: 12, reason: Reason::Cut }));
        assert_eq!(cursor.room_for(1000, 2), 0);
    }
}
