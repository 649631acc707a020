//! What annotations say, whatever package they are from: `@GuardedBy`, `@ThreadSafe`, `@NotThreadSafe`, `@Immutable`.

use program::points::Part;
use program::{ClassId, FieldId, MethodId, Program, flags};

use crate::on_code::Code;
use crate::on_code::guarded_by::{Named, meaning, of_method, simple, texts};
use crate::on_code::locks::keys::{Guard, Key};
use crate::on_code::locks::{Base, Mode, Path};

/// What a class says of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Promise {
    /// Threads may share it.
    Safe,
    /// They may not, or it cannot be changed.
    Left,
    /// Nothing.
    None,
}

/// What a class promises.
pub fn promise(program: &Program, class: ClassId) -> Promise {
    let code = &program.class(class).code;
    let names = || code.annotations.iter().map(|found| simple(code.table.class(found.class)));
    if names().any(|name| matches!(name, "NotThreadSafe" | "Immutable")) {
        Promise::Left
    } else if names().any(|name| name == "ThreadSafe") {
        Promise::Safe
    } else {
        Promise::None
    }
}

/// The lock that a member says it is guarded by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declared {
    /// As it is written.
    pub text: String,
    /// What it means for an access.
    pub key: Key,
}

impl Declared {
    /// What a name means for who uses the member.
    pub fn new(code: &Code, text: String, named: Named) -> Declared {
        let path = code.locks.without_view(named.path);
        let key = if path.is_global() { Key::Global(path) } else { Key::Below(path.fields) };
        Declared { text, key }
    }
}

/// Why it is not known what `@GuardedBy` means for a field.
pub struct Unknown {
    /// As it is written.
    pub text: String,
    /// Why.
    pub why: &'static str,
}

/// What `@GuardedBy` says of a field: all these locks. Not known is what names no lock, or a field that no code locks and
/// that need not be a lock: objects that keep threads apart by methods of their own are not known as locks.
pub fn guarded_by(code: &Code, field: FieldId) -> Vec<Result<Declared, Unknown>> {
    let program = &code.program;
    let info = program.field(field);
    let class = &program.class(info.owner).code;
    let declared = info.index.and_then(|index| class.fields.get(index as usize));
    let texts = declared.map(|declared| texts(&class.table, &declared.annotations)).unwrap_or_default();
    let is_static = info.access & flags::STATIC != 0;
    let tell = |text: String| match meaning(program, info.owner, is_static, &text) {
        None => Err(Unknown { text, why: NOT_KNOWN }),
        Some(named) if named.field.is_some_and(|field| !may_be_lock(code, field)) => {
            Err(Unknown { text, why: NO_LOCK })
        }
        Some(named) => Ok(Declared::new(code, text, named)),
    };
    texts.into_iter().map(tell).collect()
}

/// What `@GuardedBy` says of a method, as of a field.
pub fn guarded_method(code: &Code, method: MethodId) -> Vec<Result<Declared, Unknown>> {
    let tell = |found: Result<(String, Named), String>| match found {
        Err(text) => Err(Unknown { text, why: NOT_KNOWN }),
        Ok((text, named)) if named.field.is_some_and(|field| !may_be_lock(code, field)) => {
            Err(Unknown { text, why: NO_LOCK })
        }
        Ok((text, named)) => Ok(Declared::new(code, text, named)),
    };
    of_method(&code.program, method).into_iter().map(tell).collect()
}

const NOT_KNOWN: &str = "what that names is not known here";
const NO_LOCK: &str = "no code locks that object itself: what it does to keep threads apart is not known";

/// Is what a field holds a lock by its type, or does some code lock it?
fn may_be_lock(code: &Code, field: FieldId) -> bool {
    const LOCKS: &str = "java/util/concurrent/locks/";
    let program = &code.program;
    let info = program.field(field);
    let class = &program.class(info.owner).code;
    let declared = info.index.and_then(|index| class.fields.get(index as usize));
    let descriptor = declared.map_or("", |declared| class.table.text(declared.descriptor));
    let name = descriptor.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
    let Some(name) = name.filter(|name| *name != "java/lang/Object" && !name.starts_with(LOCKS)) else {
        return true;
    };
    let is_lock = |above: &str| {
        let classes = program.class_named(name).zip(program.class_named(&format!("{LOCKS}{above}")));
        classes.is_some_and(|(class, above)| program.is_below(class, above))
    };
    ["Lock", "ReadWriteLock", "StampedLock"].into_iter().any(is_lock) || code.is_locked(field)
}

/// Is the lock among those held? A write needs it alone. Where it cannot be told which one is held, it counts as the one.
/// `objects`: those whose member is used.
pub fn is_held(code: &Code, declared: &Declared, write: bool, guards: &[Guard], objects: &[u32]) -> bool {
    let guards = || guards.iter().filter(|guard| guard.mode == Mode::Alone || !write);
    let meant = meant(code, declared, objects);
    let is_clear = |guard: &Guard| !matches!(guard.key, Key::Objects(_) | Key::Elsewhere(_));
    guards().any(|guard| match &guard.key {
        Key::Objects(held) => match &meant {
            Some(meant) => meant.iter().any(|object| held.contains(object)),
            None => !guards().any(is_clear),
        },
        Key::Unclear => true,
        Key::Elsewhere(held) => may_lead_there(&declared.key, held),
        key => *key == declared.key,
    })
}

/// A lock is held that was reached from somewhere else by these fields: may it be the declared one? The same field holds both,
/// and the ways there differ: an object that leads back to the one whose lock is held (`guard.monitor.lock` where
/// `this.lock` is held) is mostly made to do so. By the same way from another object, it is another lock.
fn may_lead_there(declared: &Key, held: &[FieldId]) -> bool {
    let Key::Below(fields) = declared else { return false };
    fields.len() != held.len() && fields.last().is_some_and(|last| held.last() == Some(last))
}

/// The objects that the declared lock may be, if they are known.
fn meant(code: &Code, declared: &Declared, objects: &[u32]) -> Option<Vec<u32>> {
    let (mut meant, fields): (Vec<u32>, &[FieldId]) = match &declared.key {
        Key::Below(fields) => (objects.to_vec(), fields),
        Key::Global(Path { base: Base::Static(field), fields }) => {
            (code.points.of_static(*field).into_iter().flat_map(|set| set.iter()).collect(), fields)
        }
        _ => return None,
    };
    for field in fields {
        let part = |object: &u32| code.points.part(*object, Part::Field(*field));
        meant = meant.iter().filter_map(part).flat_map(|set| set.iter()).collect();
        meant.sort_unstable();
        meant.dedup();
    }
    let is_known = !meant.is_empty() && !meant.iter().any(|object| code.points.is_anything(*object));
    is_known.then_some(meant)
}
