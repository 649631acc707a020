//! What annotations say, whatever package they are from: `@GuardedBy`, `@ThreadSafe`, `@NotThreadSafe`, `@Immutable`.

use program::ir::{Annotation, Table};
use program::{ClassId, FieldId, Program};

use crate::on_code::Code;
use crate::on_code::locks::keys::{Guard, Key};
use crate::on_code::locks::{Base, Path};

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

fn simple<'t>(table: &'t Table, annotation: &Annotation) -> &'t str {
    let name = table.class(annotation.class);
    name.rsplit(['/', '$']).next().unwrap_or(name)
}

/// What a class promises.
pub fn promise(program: &Program, class: ClassId) -> Promise {
    let code = &program.class(class).code;
    let names = || code.annotations.iter().map(|found| simple(&code.table, found));
    if names().any(|name| matches!(name, "NotThreadSafe" | "Immutable")) {
        Promise::Left
    } else if names().any(|name| name == "ThreadSafe") {
        Promise::Safe
    } else {
        Promise::None
    }
}

/// The lock that a field says it is guarded by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declared {
    /// As it is written.
    pub text: String,
    /// What it means for an access.
    pub key: Key,
}

/// What `@GuardedBy` says of a field, as far as it can be understood; an error if it names a field that no code locks and
/// that need not be a lock: objects that keep threads apart by methods of their own are not known as locks.
pub fn guarded_by(code: &Code, field: FieldId) -> Option<Result<Declared, String>> {
    let program = &code.program;
    let info = program.field(field);
    let class = &program.class(info.owner).code;
    let declared = class.fields.get(info.index? as usize)?;
    let found = declared.annotations.iter().find(|found| simple(&class.table, found) == "GuardedBy")?;
    let (_, text) = found.values.iter().find(|(name, _)| class.table.text(*name) == "value")?;
    let text = class.table.text(*text).to_owned();
    let (key, guard) = meaning(program, info.owner, &text)?;
    match guard.is_some_and(|guard| !may_be_lock(code, guard)) {
        true => Some(Err(text)),
        false => Some(Ok(Declared { text, key })),
    }
}

/// What the text means for an access, and the field that it names.
fn meaning(program: &Program, owner: ClassId, text: &str) -> Option<(Key, Option<FieldId>)> {
    let own = program.class(owner).name();
    let short = own.rsplit(['/', '$']).next().unwrap_or(own);
    let text = text.trim();
    if text == "this" || text.strip_suffix(".this") == Some(short) {
        return Some((Key::Below(Vec::new()), None));
    }
    if let Some(class) = text.strip_suffix(".class") {
        let name = if class == short { own.to_owned() } else { class.replace('.', "/") };
        return Some((Key::Global(Path { base: Base::Class(name.into()), fields: Vec::new() }), None));
    }
    let name = text.strip_prefix("this.").or_else(|| text.strip_prefix(&format!("{short}."))).unwrap_or(text);
    let field = program
        .chain(owner)
        .find_map(|class| program.class(class).fields().find(|field| &*program.field(*field).name == name))?;
    let key = match program.field(field).access & program::flags::STATIC != 0 {
        true => Key::Global(Path { base: Base::Static(field), fields: Vec::new() }),
        false => Key::Below(vec![field]),
    };
    Some((key, Some(field)))
}

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

/// Is the lock among those held? Where it cannot be told which ones are held, it counts as one of them.
pub fn is_held(declared: &Declared, guards: &[Guard]) -> bool {
    let is_clear = |guard: &Guard| !matches!(guard.key, Key::Objects(_));
    guards.iter().any(|guard| guard.key == declared.key) || !guards.is_empty() && !guards.iter().any(is_clear)
}
