//! What is added to classes of the JDK so that the probe can work: fields of `java.lang.Thread` that hold what a thread
//! records with, which have to be there before the first thread is, when nothing can be called yet; and the end of a
//! virtual thread, of which the JVM does not tell.

use classfile::{Border, Catch, Class, Edit, Kind as Moves, Order, Range, Snippet, flags, op};

use crate::{Failure, probe};

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

/// `java.lang.VirtualThread`, telling when a thread has ended: its `run(Runnable)` is left.
pub fn virtual_thread(bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut class = Class::parse(bytes)?;
    let run = class.methods.iter().position(|method| {
        class.member_name(method).is_ok_and(|known| known == (b"run", b"(Ljava/lang/Runnable;)V"))
    });
    let Some(mut edit) = run.map(|at| Edit::new(&class, at)).transpose()?.flatten() else {
        return Err(Failure::new("virtual threads do not run where they did"));
    };
    let mut ended = Snippet::new();
    ended.load(Moves::Reference, 0);
    ended.invoke_static(&mut class.pool, probe::CLASS, b"ended", b"(Ljava/lang/Thread;)V")?;
    edit.before_returns(&ended)?;
    let range = Range { start: 0, end: edit.code().bytes.len() as u32, border: Border::Inside };
    ended.plain(op::ATHROW)?;
    edit.handler(range, Catch::Any, Order::Outer, &ended)?;
    edit.apply(&mut class)?;
    Ok(class.write()?)
}
