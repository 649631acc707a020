//! Numbers in as few bytes as they need: seven bits a byte, the lowest first.

/// Appends a number.
pub fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Bytes being read from the front.
#[derive(Clone, Copy)]
pub struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// The bytes end too early or hold a number that is too large.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Broken;

impl<'a> Bytes<'a> {
    /// Starts at an offset.
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// The offset of the next byte.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The next byte.
    #[inline(always)]
    pub fn byte(&mut self) -> Result<u8, Broken> {
        let byte = *self.bytes.get(self.at).ok_or(Broken)?;
        self.at += 1;
        Ok(byte)
    }

    /// The next `n` bytes.
    #[inline(always)]
    pub fn slice(&mut self, n: usize) -> Result<&'a [u8], Broken> {
        let end = self.at.checked_add(n).ok_or(Broken)?;
        let slice = self.bytes.get(self.at..end).ok_or(Broken)?;
        self.at = end;
        Ok(slice)
    }

    /// The next number.
    pub fn u64(&mut self) -> Result<u64, Broken> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            if shift == 63 && byte > 1 {
                return Err(Broken);
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Broken)
    }

    /// The next number, which must fit 32 bits.
    #[inline]
    pub fn u32(&mut self) -> Result<u32, Broken> {
        let first = self.byte()?;
        if first < 0x80 {
            return Ok(u32::from(first));
        }
        self.at -= 1;
        u32::try_from(self.u64()?).map_err(|_| Broken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for value in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            put(&mut bytes, value);
            assert_eq!(Bytes::new(&bytes, 0).u64(), Ok(value));
        }
    }

    #[test]
    fn a_number_that_never_ends_is_broken() {
        assert_eq!(Bytes::new(&[0xff; 12], 0).u64(), Err(Broken));
        assert_eq!(Bytes::new(&[0x80], 0).u64(), Err(Broken));
        assert_eq!(Bytes::new(&[0xff, 0xff, 0xff, 0xff, 0x7f], 0).u32(), Err(Broken));
    }
}
