//! Keeps what weaving adds out of reflection: `jdk/internal/reflect/Reflection` drops our members from what it gives
//! out, by a call of the probe before its two filters return. Serialisation's default version numbers and everything
//! else that looks at a class from inside Java asks these filters.

use classfile::{Class, Edit, Kind as Moves, Snippet, op};

use crate::{Failure, probe};

/// The class to which this is done.
pub const REFLECTION: &[u8] = b"jdk/internal/reflect/Reflection";

/// Weaves `jdk/internal/reflect/Reflection`: `Probe.fields(Class, Field[])` and `Probe.methods(Class, Method[])` see
/// what its filters return, and return what is to be seen instead.
pub fn hide_members(bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut class = Class::parse(bytes)?;
    let mut found = 0;
    for (name, call, element) in [
        ("filterFields", "fields", "java/lang/reflect/Field"),
        ("filterMethods", "methods", "java/lang/reflect/Method"),
    ] {
        let descriptor = format!("(Ljava/lang/Class;[L{element};)[L{element};");
        let position = class
            .methods
            .iter()
            .position(|method| class.member_name(method) == Ok((name.as_bytes(), descriptor.as_bytes())));
        let Some(mut edit) = position.map(|at| Edit::new(&class, at)).transpose()?.flatten() else {
            continue;
        };
        let mut snippet = Snippet::new();
        snippet.load(Moves::Reference, 0).plain(op::SWAP)?;
        snippet.invoke_static(&mut class.pool, probe::CLASS, call.as_bytes(), descriptor.as_bytes())?;
        edit.before_returns(&snippet)?;
        edit.apply(&mut class)?;
        found += 1;
    }
    if found != 2 {
        return Err(Failure::new("the filters of reflection are not where they were"));
    }
    Ok(class.write()?)
}
