//! What is done at an access to a field of another class, once it is known which field that is: numbers that Java and Rust
//! agree on. The build script writes them into a Java file.

#![allow(dead_code)] // the build script needs the list, the agent the numbers

/// Nothing: its object is kept by the method that makes it, or its field is final, or it was only to be told if volatile.
pub const NOTHING: i64 = 1;
/// It is told unless a shadow word says that it need not be.
pub const WORD: i64 = 2;
/// It is told until the constructor has ended.
pub const FROZEN: i64 = 3;
/// The field is volatile.
pub const VOLATILE: i64 = 4;
/// It is told each time: the object has no place for what is known.
pub const ANY: i64 = 5;
/// It is told each time, as the plan wants it.
pub const ALWAYS: i64 = 6;

/// It is told each time, as the plan wants it, and its shadow word learns of it.
pub const EACH: i64 = 7;

/// All of them with their names in Java.
pub const ALL: [(&str, i64); 7] = [
    ("TELL_NOTHING", NOTHING),
    ("TELL_WORD", WORD),
    ("TELL_FROZEN", FROZEN),
    ("TELL_VOLATILE", VOLATILE),
    ("TELL_ANY", ANY),
    ("TELL_ALWAYS", ALWAYS),
    ("TELL_EACH", EACH),
];
