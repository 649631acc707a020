//! How one record is put into words.
//!
//! ```text
//! word 0   bits 0–3 form, bits 4–27 site, bits 28–63 operand
//! form 1   plain     nothing more
//! form 2   range     word 1: from (low half) and to (high half, exclusive); or a class number
//! form 3   stamped   word 1: stamp (low 40 bits), class of the operand (high 24)
//! form 4   extended  word 1 as in form 3, word 2: see `Extra`
//! form 5   defines   the site is the number of a region, the operand its length in words: the records that follow
//! form 6   known     the site is the number of a region, which happens again; word 1: its first stamp
//! form 7   steps     word 1: the first element (low half) and the one behind the last (high half), word 2: the step, two or
//!                    more; the last element is some steps after the first
//! ```
//! A region is what a thread does from entering a monitor, or several, until it is about to leave one: plain records,
//! ranges, and stamped ones. Its stamps follow one another. A number counts for its thread until it is defined again.
//!
//! No word of a whole record is zero, and word 0 is written last. A zero word is one that has not been written yet: this
//! is how a reader that copies a page while it is being written knows a whole record from a torn one.
//!
//! A thread makes sure that the whole record fits into its chunk *before* it takes the stamp, and takes a new chunk
//! otherwise: a thread that waits for a free chunk must not hold a stamp for which the reader waits.

/// Number of a record's form: plain.
pub const PLAIN: u8 = 1;
/// Number of a record's form: a range, or a class number.
pub const RANGE: u8 = 2;
/// Number of a record's form: stamped.
pub const STAMPED: u8 = 3;
/// Number of a record's form: stamped, with an extra word.
pub const EXTENDED: u8 = 4;
/// Number of a record's form: array elements that do not follow one another, each as far from the next.
pub const STEPS: u8 = 7;

/// Number of a record's form: a region follows that will be known.
pub const DEFINES: u8 = 5;
/// Number of a record's form: a known region.
pub const KNOWN: u8 = 6;
/// Words that a known region may have: more are an error, not memory.
pub const REGION_WORDS: u64 = 64;

/// Bits of a site number.
pub const SITE_BITS: u32 = 24;
/// Bits of an operand.
pub const OPERAND_BITS: u32 = 36;
/// Bits of a stamp.
pub const STAMP_BITS: u32 = 40;

/// How many words a record of this form has; none for a form that does not exist.
#[inline(always)]
pub const fn words(form: u8) -> Option<usize> {
    match form {
        PLAIN | DEFINES => Some(1),
        RANGE | STAMPED | KNOWN => Some(2),
        EXTENDED | STEPS => Some(3),
        _ => None,
    }
}

/// Word 0.
pub const fn first(form: u8, site: u32, operand: u64) -> u64 {
    form as u64 | (site as u64 & ((1 << SITE_BITS) - 1)) << 4 | operand << (4 + SITE_BITS)
}

/// The form in word 0.
#[inline(always)]
pub const fn form_of(first: u64) -> u8 {
    (first & 15) as u8
}

/// The site in word 0.
#[inline(always)]
pub const fn site_of(first: u64) -> u32 {
    (first >> 4 & ((1 << SITE_BITS) - 1)) as u32
}

/// The operand in word 0.
#[inline(always)]
pub const fn operand_of(first: u64) -> u64 {
    first >> (4 + SITE_BITS)
}

/// Word 1 of a range, which must not be empty.
pub const fn range(from: u32, to: u32) -> u64 {
    from as u64 | (to as u64) << 32
}

/// The elements of a record of steps, from its words 1 and 2, if these make sense: from, to and step.
pub fn elements(range: u64, step: u64) -> Option<(u32, u32, u32)> {
    let (from, to) = (range as u32, (range >> 32) as u32);
    let (step, length) = (u32::try_from(step).ok()?, to.checked_sub(1)?.checked_sub(from)?);
    (step > 1 && length % step == 0).then_some((from, to, step))
}

/// Word 1 of a stamped record.
pub const fn stamp(stamp: u64, class: u32) -> u64 {
    stamp & ((1 << STAMP_BITS) - 1) | (class as u64) << STAMP_BITS
}

/// The stamp in word 1.
#[inline(always)]
pub const fn stamp_of(word: u64) -> u64 {
    word & ((1 << STAMP_BITS) - 1)
}

/// The class number in word 1 of a stamped record, 0 for none.
#[inline(always)]
pub const fn class_of(word: u64) -> u32 {
    (word >> STAMP_BITS) as u32
}

/// How a lock is held, in the extra word of a conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Hold {
    /// Not at all.
    Not = 0,
    /// Alone.
    Exclusive = 1,
    /// Together with other readers.
    Read = 2,
}

/// Word 2 of an extended record. The highest byte says what it is and is never 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extra {
    /// An element of the operand, which is an array.
    Element(u32),
    /// A field of the operand, by its number; the operand is 0 for a static one.
    Field(u32),
    /// A conversion from one mode into another.
    Modes {
        /// How it was held.
        from: Hold,
        /// How it is held from now on.
        to: Hold,
    },
}

impl Extra {
    /// The word.
    pub const fn word(self) -> u64 {
        match self {
            Extra::Element(index) => 1 << 56 | index as u64,
            Extra::Field(field) => 2 << 56 | field as u64,
            Extra::Modes { from, to } => 3 << 56 | from as u64 | (to as u64) << 8,
        }
    }

    /// What a word means.
    pub const fn of(word: u64) -> Option<Extra> {
        let number = word as u32;
        match word >> 32 {
            0x0100_0000 => Some(Extra::Element(number)),
            0x0200_0000 => Some(Extra::Field(number)),
            0x0300_0000 => match (hold(number & 255), hold(number >> 8)) {
                (Some(from), Some(to)) => Some(Extra::Modes { from, to }),
                _ => None,
            },
            _ => None,
        }
    }
}

const fn hold(number: u32) -> Option<Hold> {
    match number {
        0 => Some(Hold::Not),
        1 => Some(Hold::Exclusive),
        2 => Some(Hold::Read),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hold_what_was_put_into_them() {
        let word = first(EXTENDED, 0xab_cdef, 0xf_1234_5678);
        assert_eq!((form_of(word), site_of(word), operand_of(word)), (4, 0xab_cdef, 0xf_1234_5678));
        let word = stamp(0xff_ffff_fff1, 0xff_fff2);
        assert_eq!((stamp_of(word), class_of(word)), (0xff_ffff_fff1, 0xff_fff2));
    }

    #[test]
    fn extra_words_come_back_and_others_are_refused() {
        let modes = Extra::Modes { from: Hold::Read, to: Hold::Exclusive };
        for extra in [Extra::Element(0), Extra::Element(u32::MAX), Extra::Field(7), modes] {
            assert_ne!(extra.word(), 0);
            assert_eq!(Extra::of(extra.word()), Some(extra));
        }
        for word in [0, 1, 4 << 56, 1 << 56 | 1 << 32, 3 << 56 | 3, 3 << 56 | 1 << 16] {
            assert_eq!(Extra::of(word), None, "{word:x}");
        }
    }
}
