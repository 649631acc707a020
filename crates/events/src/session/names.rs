//! The names log: what the numbers in the records stand for, appended while the JVM runs.
//!
//! An entry is its length (u32, little-endian, of what follows), its type (one byte), and its fields: numbers in groups
//! of seven bits, lowest first (LEB128), strings as length and bytes (UTF-8; what is none is replaced). It is written by one
//! `write` before anything refers to it, so a reader may find an unfinished entry at the end and nowhere else.
//! Numbers of all tables begin at 1. A later entry of the same number replaces an earlier one (a thread is renamed, or
//! gets its first chunk). This file does not say what the numbers mean to the reader: that is the reader's business.

use crate::binary::varint::{Broken, Bytes, put};

/// The longest entry that is believed; a longer one is damage.
pub const LONGEST: usize = 1 << 20;

/// The count of classes that the JVM has loaded.
pub const CLASSES_SEEN: &str = "classes seen";
/// The count of classes that were given probes.
pub const CLASSES_WOVEN: &str = "classes woven";

/// A call of a [`Entry::Stack`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The class's full name.
    pub class: String,
    /// The method's name, with the descriptor if it is known.
    pub method: String,
    /// The source file; empty where it is not known.
    pub file: String,
    /// The line; 0 where it is not known.
    pub line: u32,
}

/// An entry of the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// A class. Classes of one name and different loaders have different numbers.
    Class {
        /// Its number.
        number: u32,
        /// Its full name, with dots; `int[]` for arrays.
        name: String,
        /// The source file; empty where it is not known.
        file: String,
    },
    /// A method.
    Method {
        /// Its number.
        number: u32,
        /// Its class.
        class: u32,
        /// Its name.
        name: String,
        /// Its descriptor.
        descriptor: String,
    },
    /// A field declaration.
    Field {
        /// Its number.
        number: u32,
        /// The declaring class.
        class: u32,
        /// Its name.
        name: String,
        /// Its descriptor.
        descriptor: String,
        /// See [`STATIC`], [`FINAL`], [`VOLATILE`].
        flags: u32,
    },
    /// A site.
    Site {
        /// Its number, at most 24 bits.
        number: u32,
        /// Its method.
        method: u32,
        /// The line; 0 where it is not known.
        line: u32,
        /// The number of its [`Kind`](super::Kind).
        kind: u8,
        /// The field, or 0.
        operand: u32,
        /// What else there is to say: the purpose of a channel, the type of an array.
        text: String,
        /// The field from which the code takes what it uses; empty where it does not tell.
        of: String,
    },
    /// A thread. Its entry comes before the fork that starts it; the first chunk may be told later.
    Thread {
        /// Its number.
        number: u32,
        /// Its name in the program.
        name: String,
        /// The page of its first chunk; 0: it has none yet.
        page: u32,
        /// The thread that created it; 0: not known.
        creator: u32,
    },
    /// An example of how a thread reaches a site; of the place where it is started, how whoever starts it got there.
    Stack {
        /// Its number.
        number: u32,
        /// The thread.
        thread: u32,
        /// The site.
        site: u32,
        /// The calls that led there, innermost first, without the site itself.
        frames: Vec<Frame>,
    },
    /// A string that records refer to.
    String {
        /// Its number.
        number: u32,
        /// The text.
        text: String,
    },
    /// Something that is not watched.
    Gap {
        /// What.
        what: String,
        /// Why.
        why: String,
        /// How many of it; counts of equal gaps add up.
        count: u64,
    },
    /// How many there are of something; a later count of the same replaces an earlier one.
    Count {
        /// What is counted: [`CLASSES_SEEN`], [`CLASSES_WOVEN`], or anything else.
        what: String,
        /// How many.
        number: u64,
    },
    /// An object that is the `Class` object of a class: its lock is that of static synchronized methods.
    ClassObject {
        /// The object's number.
        object: u64,
        /// The class.
        class: u32,
    },
}

/// Flag of a static field.
pub const STATIC: u32 = 1;
/// Flag of a final field.
pub const FINAL: u32 = 2;
/// Flag of a volatile field.
pub const VOLATILE: u32 = 4;

impl Entry {
    /// Appends the entry as it stands in the log, its length included.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend([0; 4]);
        match self {
            Entry::Class { number, name, file } => {
                out.push(1);
                numbers(out, &[*number]);
                texts(out, &[name, file]);
            }
            Entry::Method { number, class, name, descriptor } => {
                out.push(2);
                numbers(out, &[*number, *class]);
                texts(out, &[name, descriptor]);
            }
            Entry::Field { number, class, name, descriptor, flags } => {
                out.push(3);
                numbers(out, &[*number, *class]);
                texts(out, &[name, descriptor]);
                numbers(out, &[*flags]);
            }
            Entry::Site { number, method, line, kind, operand, text, of } => {
                out.push(4);
                numbers(out, &[*number, *method, *line]);
                out.push(*kind);
                numbers(out, &[*operand]);
                texts(out, &[text, of]);
            }
            Entry::Thread { number, name, page, creator } => {
                out.push(5);
                numbers(out, &[*number]);
                texts(out, &[name]);
                numbers(out, &[*page, *creator]);
            }
            Entry::Stack { number, thread, site, frames } => {
                out.push(6);
                numbers(out, &[*number, *thread, *site]);
                put(out, frames.len() as u64);
                for frame in frames {
                    texts(out, &[&frame.class, &frame.method, &frame.file]);
                    numbers(out, &[frame.line]);
                }
            }
            Entry::String { number, text } => {
                out.push(7);
                numbers(out, &[*number]);
                texts(out, &[text]);
            }
            Entry::Gap { what, why, count } => {
                out.push(8);
                texts(out, &[what, why]);
                put(out, *count);
            }
            Entry::Count { what, number } => {
                out.push(9);
                texts(out, &[what]);
                put(out, *number);
            }
            Entry::ClassObject { object, class } => {
                out.push(10);
                put(out, *object);
                numbers(out, &[*class]);
            }
        }
        let length = (out.len() - start - 4) as u32;
        if let Some(place) = out.get_mut(start..start + 4) {
            place.copy_from_slice(&length.to_le_bytes());
        }
    }

    /// The first entry of these bytes and its whole length; `Ok(None)` if there is only a part of one.
    pub fn decode(bytes: &[u8]) -> Result<Option<(Entry, usize)>, String> {
        let Some((length, rest)) = bytes.split_first_chunk::<4>() else { return Ok(None) };
        let length = u32::from_le_bytes(*length) as usize;
        if length == 0 || length > LONGEST {
            return Err(format!("an entry of {length} bytes: there are none"));
        }
        let Some(body) = rest.get(..length) else { return Ok(None) };
        let mut from = From(Bytes::new(body, 0));
        let number = body.first().copied().unwrap_or_default();
        let entry = from.entry().map_err(|Broken| format!("an entry of type {number} makes no sense"))?;
        if from.0.at() != length {
            return Err(format!("an entry of type {number} is longer than what it holds"));
        }
        Ok(Some((entry, 4 + length)))
    }
}

fn numbers(out: &mut Vec<u8>, numbers: &[u32]) {
    numbers.iter().for_each(|&number| put(out, u64::from(number)));
}

fn texts(out: &mut Vec<u8>, texts: &[&str]) {
    for text in texts {
        put(out, text.len() as u64);
        out.extend_from_slice(text.as_bytes());
    }
}

/// Fields being read.
struct From<'a>(Bytes<'a>);

impl From<'_> {
    fn entry(&mut self) -> Result<Entry, Broken> {
        Ok(match self.0.byte()? {
            1 => Entry::Class { number: self.number()?, name: self.text()?, file: self.text()? },
            2 => Entry::Method {
                number: self.number()?,
                class: self.number()?,
                name: self.text()?,
                descriptor: self.text()?,
            },
            3 => Entry::Field {
                number: self.number()?,
                class: self.number()?,
                name: self.text()?,
                descriptor: self.text()?,
                flags: self.number()?,
            },
            4 => Entry::Site {
                number: self.number()?,
                method: self.number()?,
                line: self.number()?,
                kind: self.0.byte()?,
                operand: self.number()?,
                text: self.text()?,
                of: self.text()?,
            },
            5 => Entry::Thread {
                number: self.number()?,
                name: self.text()?,
                page: self.number()?,
                creator: self.number()?,
            },
            6 => {
                let (number, thread, site) = (self.number()?, self.number()?, self.number()?);
                let count = self.number()?;
                // Not with_capacity: the number may promise more than there is.
                let frames = (0..count).map(|_| self.frame()).collect::<Result<_, _>>()?;
                Entry::Stack { number, thread, site, frames }
            }
            7 => Entry::String { number: self.number()?, text: self.text()? },
            8 => Entry::Gap { what: self.text()?, why: self.text()?, count: self.0.u64()? },
            9 => Entry::Count { what: self.text()?, number: self.0.u64()? },
            10 => Entry::ClassObject { object: self.0.u64()?, class: self.number()? },
            _ => return Err(Broken),
        })
    }

    fn number(&mut self) -> Result<u32, Broken> {
        self.0.u32()
    }

    fn text(&mut self) -> Result<String, Broken> {
        let length = self.number()? as usize;
        Ok(String::from_utf8_lossy(self.0.slice(length)?).into_owned())
    }

    fn frame(&mut self) -> Result<Frame, Broken> {
        Ok(Frame { class: self.text()?, method: self.text()?, file: self.text()?, line: self.number()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn examples() -> Vec<Entry> {
        let text = || "com.acme.Konto".to_owned();
        let frame = Frame { class: text(), method: "run()V".into(), file: String::new(), line: 300 };
        vec![
            Entry::Class { number: 1, name: text(), file: "Konto.java".into() },
            Entry::Method { number: 1, class: 1, name: "run".into(), descriptor: "()V".into() },
            Entry::Field { number: 2, class: 1, name: "é".into(), descriptor: "I".into(), flags: FINAL },
            Entry::Site {
                number: 1 << 23,
                method: 1,
                line: 12,
                kind: 3,
                operand: 2,
                text: "int[]".into(),
                of: text(),
            },
            Entry::Thread { number: 4, name: "main".into(), page: 17, creator: 0 },
            Entry::Stack { number: 1, thread: 4, site: 1, frames: vec![frame.clone(), frame] },
            Entry::String { number: 1, text: String::new() },
            Entry::Gap { what: "class A".into(), why: "too large".into(), count: u64::MAX },
            Entry::Count { what: CLASSES_SEEN.into(), number: 812 },
            Entry::ClassObject { object: 1 << 35, class: 1 },
        ]
    }

    #[test]
    fn entries_come_back_one_after_the_other() {
        let mut log = Vec::new();
        examples().iter().for_each(|entry| entry.encode(&mut log));
        let mut rest = &log[..];
        for entry in examples() {
            let (found, length) = Entry::decode(rest).unwrap().unwrap();
            assert_eq!(found, entry);
            rest = &rest[length..];
        }
        assert_eq!(Entry::decode(rest), Ok(None));
    }

    #[test]
    fn a_part_of_an_entry_is_no_entry_yet() {
        for entry in examples() {
            let mut log = Vec::new();
            entry.encode(&mut log);
            for length in 0..log.len() {
                assert_eq!(Entry::decode(&log[..length]), Ok(None), "{entry:?} {length}");
            }
        }
    }

    #[test]
    fn any_bytes_are_an_entry_or_an_error() {
        let mut seed = 7u64;
        let mut errors = 0;
        for entry in examples() {
            let mut log = Vec::new();
            entry.encode(&mut log);
            for _ in 0..5_000 {
                let mut bytes = log.clone();
                for _ in 0..3 {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let at = 4 + (seed >> 33) as usize % (bytes.len() - 4);
                    bytes[at] = (seed >> 20) as u8;
                }
                errors += usize::from(Entry::decode(&bytes).is_err());
            }
        }
        assert!(errors > 1_000, "{errors}");
        assert!(Entry::decode(&[0; 8]).is_err());
        assert!(Entry::decode(&[255; 8]).is_err());
    }
}
