//! Names of an STD trace to numbers, straight from the bytes of the line.
//!
//! Most names are shorter than eight bytes: their bytes are the key, and a lookup touches nothing but one row of the
//! table. For the others the key is a hash, and the bytes are compared as well.

use super::bytes::load;

/// The length from which on the key does not hold the whole name.
const LONG: usize = 8;

/// A name found in a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Key {
    bits: u64,
    pub len: usize,
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// The high bit of each byte that is `END`. Exact up to and including the first one.
#[inline(always)]
fn ends<const END: u8>(word: u64) -> u64 {
    let word = word ^ (ONES * END as u64);
    word.wrapping_sub(ONES) & !word & HIGHS
}

#[inline(always)]
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xd6e8_feb8_6659_fd93);
    (product >> 64) as u64 ^ product as u64
}

/// The name that begins at `at`, up to the next `END`; none if the bytes end first. Whether it is a proper name is seen
/// when it gets its number: one that is not never gets one.
#[inline(always)]
pub(super) fn scan<const END: u8>(bytes: &[u8], at: usize) -> Option<Key> {
    let word = load(bytes, at);
    let found = ends::<END>(word);
    if found != 0 {
        let bit = found.trailing_zeros() & !7;
        return Some(Key { bits: word & ((1 << bit) - 1), len: bit as usize / 8 });
    }
    scan_long::<END>(bytes, at, word)
}

#[inline(never)]
fn scan_long<const END: u8>(bytes: &[u8], at: usize, first: u64) -> Option<Key> {
    let mut bits = first;
    let mut len = LONG;
    while at + len < bytes.len() {
        let word = load(bytes, at + len);
        let found = ends::<END>(word);
        if found != 0 {
            let bit = found.trailing_zeros() & !7;
            bits = mix(bits, word & ((1 << bit) - 1));
            return Some(Key { bits, len: len + bit as usize / 8 });
        }
        bits = mix(bits, word);
        len += 8;
    }
    None
}

#[derive(Clone, Copy)]
struct Row {
    bits: u64,
    len: u32,
    id: u32,
}

const EMPTY: u32 = u32::MAX;

/// Names and their numbers: 0, 1, 2, … in the order of their first mention.
pub(super) struct Names {
    /// Open addressing, a power of two in length.
    rows: Vec<Row>,
    shift: u32,
    used: u32,
    /// The bytes of all long names, and where each begins.
    long: Vec<u8>,
    starts: Vec<usize>,
}

impl Default for Names {
    fn default() -> Self {
        let rows = vec![Row { bits: 0, len: 0, id: EMPTY }; 64];
        Self { rows, shift: 64 - 6, used: 0, long: Vec::new(), starts: Vec::new() }
    }
}

impl Names {
    /// The number of the name that stands at `at`, if it has one.
    #[inline(always)]
    pub(super) fn get(&self, key: Key, bytes: &[u8], at: usize) -> Option<u32> {
        let mask = self.rows.len() - 1;
        let mut i = self.home(key.bits, key.len) & mask;
        loop {
            let row = &self.rows[i];
            if row.bits == key.bits
                && row.len as usize == key.len
                && row.id != EMPTY
                && (key.len < LONG || self.is_same(row.id, &bytes[at..at + key.len]))
            {
                return Some(row.id);
            }
            if row.id == EMPTY {
                return None;
            }
            i = (i + 1) & mask;
        }
    }

    #[inline(always)]
    fn home(&self, bits: u64, len: usize) -> usize {
        (mix(bits, len as u64) >> self.shift) as usize
    }

    #[inline(never)]
    fn is_same(&self, id: u32, name: &[u8]) -> bool {
        let start = self.starts[id as usize];
        self.long.get(start..start + name.len()) == Some(name)
    }

    /// Gives a name that has no number the next one.
    pub(super) fn add(&mut self, key: Key, name: &[u8]) -> u32 {
        // At most half full: a second probe costs more than the larger table does.
        if (self.used as usize + 1) * 2 > self.rows.len() {
            self.grow();
        }
        let id = self.used;
        self.used += 1;
        self.starts.push(self.long.len());
        if key.len >= LONG {
            self.long.extend_from_slice(name);
        }
        self.put(Row { bits: key.bits, len: key.len as u32, id });
        id
    }

    fn put(&mut self, row: Row) {
        let mask = self.rows.len() - 1;
        let mut i = self.home(row.bits, row.len as usize) & mask;
        while self.rows[i].id != EMPTY {
            i = (i + 1) & mask;
        }
        self.rows[i] = row;
    }

    fn grow(&mut self) {
        let twice = vec![Row { bits: 0, len: 0, id: EMPTY }; self.rows.len() * 2];
        self.shift -= 1;
        for row in std::mem::replace(&mut self.rows, twice) {
            if row.id != EMPTY {
                self.put(row);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(names: &mut Names, name: &str) -> u32 {
        let line = format!("{name})|1\n");
        let key = scan::<b')'>(line.as_bytes(), 0).unwrap();
        assert_eq!(key.len, name.len());
        match names.get(key, line.as_bytes(), 0) {
            Some(id) => id,
            None => names.add(key, name.as_bytes()),
        }
    }

    #[test]
    fn every_name_keeps_its_own_number() {
        let mut names = Names::default();
        let all: Vec<String> = (0..5000)
            .flat_map(|i| [format!("V{i}"), format!("com.acme.Account@{i}.balance"), format!("eight{i:03}")])
            .chain(["\0".into(), "\0\0".into(), "12345678".into(), "1234567".into(), "é".into()])
            .collect();
        let mut distinct = all.clone();
        distinct.sort();
        distinct.dedup();
        let first: Vec<u32> = all.iter().map(|name| number(&mut names, name)).collect();
        let again: Vec<u32> = all.iter().map(|name| number(&mut names, name)).collect();
        assert_eq!(first, again);
        assert_eq!(names.used as usize, distinct.len());
    }

    #[test]
    fn a_name_ends_at_its_sign_wherever_that_stands() {
        for len in 0..30 {
            let mut line = vec![b'~'; len];
            line.extend_from_slice(b"|)|\n");
            assert_eq!(scan::<b'|'>(&line, 0).map(|key| key.len), Some(len));
            assert_eq!(scan::<b')'>(&line, 0).map(|key| key.len), Some(len + 1));
            line.truncate(len);
            assert_eq!(scan::<b'|'>(&line, 0), None);
        }
    }
}
