//! What is added to a class of the JDK so that the probe can work: fields of `java.lang.Thread` that hold what a thread
//! records with. They have to be there before the first thread is, when nothing can be called yet.

use classfile::{Class, flags};

use crate::Failure;

/// The fields: the thread's token, what it records with, and its number.
const FIELDS: [(&[u8], &[u8]); 3] =
    [(b"$raddle$token", b"J"), (b"$raddle$state", b"Ljava/lang/Object;"), (b"$raddle$number", b"I")];

/// `java.lang.Thread` with the fields, which it may have already.
pub fn thread(bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut class = Class::parse(bytes)?;
    for (name, descriptor) in FIELDS {
        let mut there = class.fields.iter();
        if there.any(|field| class.member_name(field).is_ok_and(|known| known == (name, descriptor))) {
            continue;
        }
        class.add_field(flags::SYNTHETIC | flags::TRANSIENT, name, descriptor)?;
    }
    Ok(class.write()?)
}
