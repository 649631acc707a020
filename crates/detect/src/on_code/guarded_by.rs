//! What the text of `@GuardedBy` means, on a field or on a method: `this`, `Outer.this`, `lock`, `this.lock`, `holder.lock`,
//! `Other.LOCK`, `Other.class`, `lock()`; names of classes as code of that class may write them, with or without package.
//! A class file does not have the imports; a simple name that is no class of the package is that of the only class of the
//! inputs with that name. What cannot be told (`itself`, methods that do more than to hand out a field) has no meaning
//! here, which is the caller's to report.

use program::ir::{Annotation, Op, Table};
use program::{ClassId, FieldId, MethodId, Origin, Program, flags};

use super::locks::{Base, Path};

/// A lock that an annotation names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    /// The way there from the object whose member is annotated, which is parameter 0; or one that is the same everywhere.
    pub path: Path,
    /// The field that holds it, if one does.
    pub field: Option<FieldId>,
}

/// The texts of all annotations of that name.
pub fn texts(table: &Table, annotations: &[Annotation]) -> Vec<String> {
    let is_it = |found: &&Annotation| simple(table.class(found.class)) == "GuardedBy";
    let values = annotations.iter().filter(is_it).flat_map(|found| &found.values);
    values
        .filter(|(name, _)| table.text(*name) == "value")
        .map(|(_, text)| table.text(*text).to_owned())
        .collect()
}

/// The last part of a class's name.
pub fn simple(name: &str) -> &str {
    name.rsplit(['/', '$']).next().unwrap_or(name)
}

/// What the annotation of a method names; an error with its text where that cannot be told.
pub fn of_method(program: &Program, method: MethodId) -> Vec<Result<(String, Named), String>> {
    let info = program.method(method);
    let table = &program.class(info.owner).code.table;
    let tell = |text: String| match meaning(program, info.owner, info.access & flags::STATIC != 0, &text) {
        Some(named) => Ok((text, named)),
        None => Err(text),
    };
    texts(table, &program.code(method).annotations).into_iter().map(tell).collect()
}

/// What a text means for a member of a class.
pub fn meaning(program: &Program, owner: ClassId, is_static: bool, text: &str) -> Option<Named> {
    let words: Vec<&str> = text.split('.').map(str::trim).collect();
    let (last, before) = words.split_last()?;
    if *last == "class" {
        let class = class(program, owner, before)?;
        let name = program.class(class).name().into();
        return Some(Named { path: Path { base: Base::Class(name), fields: Vec::new() }, field: None });
    }
    let this = Path { base: Base::Param(0), fields: Vec::new() };
    // What comes before the members: an object, or a class.
    let (start, members) = match words.iter().position(|word| *word == "this") {
        Some(_) if is_static => return None,
        Some(0) => (Start::Object(this, owner), words.get(1..)?),
        Some(at) => (outer(program, owner, class(program, owner, words.get(..at)?)?)?, words.get(at + 1..)?),
        None => {
            let first = words.first()?;
            match scope(program, owner, is_static, first) {
                Some(start) => (start, words.as_slice()),
                None => {
                    let known =
                        |count: &usize| class(program, owner, words.get(..*count).unwrap_or_default());
                    let count = (1..words.len()).rev().find(|count| known(count).is_some())?;
                    (Start::Class(known(&count)?), words.get(count..)?)
                }
            }
        }
    };
    follow(program, start, members)
}

enum Start {
    Object(Path, ClassId),
    Class(ClassId),
}

/// Follows members from where they start.
fn follow(program: &Program, start: Start, members: &[&str]) -> Option<Named> {
    let (mut path, mut class) = match start {
        Start::Object(path, class) => (Some(path), class),
        Start::Class(class) => (None, class),
    };
    let mut field = None;
    for (word, number) in members.iter().zip(1..) {
        let found = member(program, class, word)?;
        let info = program.field(found);
        path = Some(match (info.access & flags::STATIC != 0, path) {
            (true, _) => Path { base: Base::Static(found), fields: Vec::new() },
            (false, Some(mut path)) => {
                path.fields.push(found);
                path
            }
            (false, None) => return None,
        });
        field = Some(found);
        if number < members.len() {
            class = program.class_named(info.descriptor.strip_prefix('L')?.strip_suffix(';')?)?;
        }
    }
    Some(Named { path: path?, field })
}

/// The field of that name, or the one that the method of that name hands out.
fn member(program: &Program, class: ClassId, word: &str) -> Option<FieldId> {
    let Some(name) = word.strip_suffix("()") else {
        let of =
            |class: ClassId| program.class(class).fields().find(|field| &*program.field(*field).name == word);
        return program.chain(class).find_map(of);
    };
    let is_it = |method: &MethodId| {
        let (named, descriptor) = program.names_of(*method);
        named == name && descriptor.starts_with("()")
    };
    let method = program.chain(class).find_map(|class| program.class(class).methods().find(is_it))?;
    let body = program.body(method)?;
    let [read, end] = body.insts.as_slice() else { return None };
    let named = match (read.op, end.op) {
        (Op::Get { field, object }, Op::Return { value }) if body.params().first() == Some(&object) => {
            (value == read.result).then_some(field)
        }
        (Op::GetStatic { field }, Op::Return { value }) => (value == read.result).then_some(field),
        _ => None,
    };
    program.field_of(program.method(method).owner, named?)
}

/// Where a name that stands alone is found: in the class, in one around it.
fn scope(program: &Program, owner: ClassId, is_static: bool, word: &str) -> Option<Start> {
    let mut path = (!is_static).then(|| Path { base: Base::Param(0), fields: Vec::new() });
    let mut class = owner;
    loop {
        if member(program, class, word).is_some() {
            return Some(path.map_or(Start::Class(class), |path| Start::Object(path, class)));
        }
        let (way, next) = around(program, class)?;
        path = path.zip(way).map(|(mut path, field)| {
            path.fields.push(field);
            path
        });
        class = next;
    }
}

/// The object of a class around.
fn outer(program: &Program, owner: ClassId, wanted: ClassId) -> Option<Start> {
    let mut path = Path { base: Base::Param(0), fields: Vec::new() };
    let mut class = owner;
    while class != wanted {
        let (way, next) = around(program, class)?;
        path.fields.push(way?);
        class = next;
    }
    Some(Start::Object(path, class))
}

/// The class around one, and the field that holds its object, if there is any.
fn around(program: &Program, class: ClassId) -> Option<(Option<FieldId>, ClassId)> {
    let info = program.class(class);
    let field = info.fields().find(|field| program.field(*field).name.starts_with("this$"));
    let (name, _) = info.name().rsplit_once('$')?;
    Some((field, program.class_named(name)?))
}

/// The class that a name means in the code of a class.
fn class(program: &Program, owner: ClassId, words: &[&str]) -> Option<ClassId> {
    let (first, rest) = words.split_first()?;
    let own = program.class(owner).name();
    let nested = words.join("$");
    let mut around = Some(own);
    while let Some(name) = around {
        if simple(name) == *first {
            let whole = rest.iter().fold(name.to_owned(), |name, word| format!("{name}${word}"));
            if let Some(class) = program.class_named(&whole) {
                return Some(class);
            }
        }
        if let Some(class) = program.class_named(&format!("{name}${nested}")) {
            return Some(class);
        }
        around = name.rsplit_once('$').map(|(outer, _)| outer);
    }
    let beside = own.rsplit_once('/').map_or(nested.clone(), |(package, _)| format!("{package}/{nested}"));
    let whole = (1..words.len()).map(|count| {
        let (package, names) = words.split_at(count);
        format!("{}/{}", package.join("/"), names.join("$"))
    });
    let known = std::iter::once(beside).chain(whole).chain([format!("java/lang/{nested}")]);
    let mut known = known.filter_map(|name| program.class_named(&name));
    let inputs = program.classes().filter(|(_, class)| class.origin == Origin::Input);
    let mut alike = inputs.filter(|(_, class)| {
        class
            .name()
            .strip_suffix(&nested)
            .is_some_and(|before| before.is_empty() || before.ends_with(['/', '$']))
    });
    let is_there = |class: &ClassId| program.class(*class).origin != Origin::Missing;
    let only = || match (alike.next(), alike.next()) {
        (Some((class, _)), None) => Some(class),
        _ => None,
    };
    known.find(is_there).or_else(only)
}
