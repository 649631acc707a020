//! The class file's own text encoding ("modified UTF-8"): zero is two bytes, what lies beyond U+FFFF is two surrogates
//! of three bytes each, and surrogates may stand alone. Constants stay raw bytes; this is for people and for literals.

use std::borrow::Cow;

/// The code units (UTF-16) of a constant: exactly what a Java `String` made of it holds. Bytes that are no modified
/// UTF-8 are an error at that byte.
pub fn decode_units(raw: &[u8]) -> Result<Vec<u16>, usize> {
    let mut units = Vec::with_capacity(raw.len());
    let mut at = 0;
    while let Some(&first) = raw.get(at) {
        let follow = |n: usize| raw.get(at + n).filter(|b| **b & 0xc0 == 0x80).map(|b| u16::from(b & 0x3f));
        let first16 = u16::from(first);
        let (unit, length) = match first {
            0x01..=0x7f => (first16, 1),
            0xc0..=0xdf => ((first16 & 0x1f) << 6 | follow(1).ok_or(at)?, 2),
            0xe0..=0xef => ((first16 & 0x0f) << 12 | follow(1).ok_or(at)? << 6 | follow(2).ok_or(at)?, 3),
            _ => return Err(at),
        };
        units.push(unit);
        at += length;
    }
    Ok(units)
}

/// The text when it can be written as Rust text: `None` for lone surrogates and for bytes that are no text.
pub fn decode(raw: &[u8]) -> Option<Cow<'_, str>> {
    if raw.is_ascii() && !raw.contains(&0) {
        return std::str::from_utf8(raw).ok().map(Cow::Borrowed);
    }
    String::from_utf16(&decode_units(raw).ok()?).ok().map(Cow::Owned)
}

/// The text for people: what cannot be shown becomes U+FFFD.
pub fn to_str(raw: &[u8]) -> Cow<'_, str> {
    match decode(raw) {
        Some(text) => text,
        None => match decode_units(raw) {
            Ok(units) => Cow::Owned(String::from_utf16_lossy(&units)),
            Err(_) => Cow::Owned(String::from_utf8_lossy(raw).into_owned()),
        },
    }
}

/// Text as a constant holds it.
pub fn encode(text: &str) -> Cow<'_, [u8]> {
    if text.bytes().all(|b| (1..0x80).contains(&b)) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut out = Vec::with_capacity(text.len() + 8);
    for unit in text.encode_utf16() {
        match unit {
            0x01..=0x7f => out.push(unit as u8),
            0 | 0x80..=0x7ff => out.extend([0xc0 | (unit >> 6) as u8, 0x80 | (unit & 0x3f) as u8]),
            _ => out.extend([
                0xe0 | (unit >> 12) as u8,
                0x80 | (unit >> 6 & 0x3f) as u8,
                0x80 | (unit & 0x3f) as u8,
            ]),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_survives_encoding_and_decoding() {
        for text in ["", "plain", "nul\0inside", "Grüße", "日本", "😀 beyond"] {
            assert_eq!(decode(&encode(text)).as_deref(), Some(text), "{text:?}");
        }
        assert_eq!(&*encode("\0"), [0xc0, 0x80]);
        assert_eq!(encode("😀").len(), 6);
    }

    #[test]
    fn a_lone_surrogate_is_kept_as_a_unit_and_shown_as_a_question() {
        let raw = [0xed, 0xa0, 0x80];
        assert_eq!(decode_units(&raw), Ok(vec![0xd800]));
        assert_eq!(decode(&raw), None);
        assert_eq!(to_str(&raw), "\u{fffd}");
    }

    #[test]
    fn bytes_that_are_no_text_are_found() {
        assert_eq!(decode_units(b"ab\xff"), Err(2));
        assert_eq!(decode_units(&[0]), Err(0));
        assert_eq!(decode_units(&[0xe1, 0x80]), Err(0));
        assert_eq!(to_str(b"ab\xff"), "ab\u{fffd}");
    }
}
