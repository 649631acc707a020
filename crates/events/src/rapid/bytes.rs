//! Bytes of a line, eight at a time: words to compare, and the number at its end.

/// Eight bytes of a line, zeros where it has no more.
#[inline(always)]
pub(super) fn load(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..at + 8) {
        Some(&[a, b, c, d, e, f, g, h]) => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => load_end(bytes, at),
    }
}

#[cold]
fn load_end(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or(&[]);
    rest.iter().take(8).rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// The first bytes of a word, for comparing.
pub(super) const fn low(word: u64, bytes: u32) -> u64 {
    word & ((1 << (8 * bytes)) - 1)
}

/// A short text as the low bytes of a word.
pub(super) const fn word(text: &[u8]) -> u64 {
    let (mut word, mut i) = (0, 0);
    while i < text.len() {
        word |= (text[i] as u64) << (8 * i);
        i += 1;
    }
    word
}

/// The number that fills the rest of a line, and where the next line begins.
#[inline(always)]
pub(super) fn number(bytes: &[u8], at: usize) -> Option<(i32, usize)> {
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    let digits = load(bytes, at) ^ ZEROS;
    // The high bit of each byte that is no digit.
    let others = (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080;
    let bits = others.trailing_zeros() & !7;
    if bits == 0 || bits >= 64 || bytes.get(at + bits as usize / 8) != Some(&b'\n') {
        return other_number(bytes, at);
    }
    // Up to seven digits: moved to the end of the word, then added up in pairs, in fours, and all.
    let digits = digits << (64 - bits);
    let pairs = (digits.wrapping_mul(10).wrapping_add(digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100).wrapping_add(pairs >> 16)) & 0x0000_ffff_0000_ffff;
    let value = (fours.wrapping_mul(10_000).wrapping_add(fours >> 32)) & 0xffff_ffff;
    Some((value as i32, at + bits as usize / 8 + 1))
}

/// The same for a number that is negative, has more than seven digits, or stands in a last line without end.
#[cold]
fn other_number(bytes: &[u8], at: usize) -> Option<(i32, usize)> {
    let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
    let text = std::str::from_utf8(&bytes[at..end]).ok()?;
    if text.starts_with('+') {
        return None;
    }
    Some((text.parse().ok()?, (end + 1).min(bytes.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_any_length_is_what_the_digits_say() {
        for value in
            (0..31).flat_map(|bit| [(1_i32 << bit) - 1, 1 << bit, -(1 << bit)]).chain([i32::MAX, i32::MIN])
        {
            for zeros in ["", "0", "00000"] {
                let text = match value {
                    0.. => format!("{zeros}{value}"),
                    _ => format!("-{zeros}{}", value.unsigned_abs()),
                };
                let line = format!("{text}\nT1|r(x)|77\n");
                assert_eq!(number(line.as_bytes(), 0), Some((value, text.len() + 1)), "{line}");
                assert_eq!(number(text.as_bytes(), 0), Some((value, text.len())), "{text}");
            }
        }
    }

    #[test]
    fn what_is_no_number_of_32_bits_has_no_value() {
        for text in
            ["", "\n", "-", "+1", "1 ", " 1", "1x", "x1", "1\r\n", "2147483648", "-2147483649", "12345678901"]
        {
            assert_eq!(number(text.as_bytes(), 0), None, "{text}");
        }
    }
}
