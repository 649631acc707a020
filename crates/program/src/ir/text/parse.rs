//! Text to classes: headers, members, names, types. Bodies are in `parse_body.rs`. What is read still has to be verified.

use std::borrow::Cow;

use classfile::flags;
use rustc_hash::FxHashMap;

use super::lexer::{Lexer, Result, TextError, Token};
use super::names::{CLASS_FLAGS, FIELD_FLAGS, METHOD_FLAGS, primitive};
use super::parse_body::parse_body;
use crate::ir::{
    Annotation, Class, ClassRef, Closure, ClosureRef, Code, Field, FieldRef, Handle, HandleKind, HandleRef,
    Member, Method, MethodRef, Site, SiteRef, Table, TextId,
};

/// All classes of a text.
pub fn parse(text: &str) -> std::result::Result<Vec<Class>, TextError> {
    parse_all(Lexer::new(text)?)
}

/// All classes of a text; instructions whose line it does not say have the one in which they stand.
pub fn parse_numbered(text: &str) -> std::result::Result<Vec<Class>, TextError> {
    let mut lexer = Lexer::new(text)?;
    lexer.numbered = true;
    parse_all(lexer)
}

fn parse_all(mut lexer: Lexer<'_>) -> std::result::Result<Vec<Class>, TextError> {
    let mut classes = Vec::new();
    while *lexer.peek() != Token::End {
        classes.push(class(&mut lexer)?);
    }
    Ok(classes)
}

/// The one class of a text.
pub fn parse_class(text: &str) -> std::result::Result<Class, TextError> {
    let mut classes = parse(text)?;
    match classes.pop() {
        Some(class) if classes.is_empty() => Ok(class),
        _ => Err(TextError { line: 1, reason: "expected one class".to_owned() }),
    }
}

/// A table that says everything once.
#[derive(Default)]
pub struct Tables {
    pub table: Table,
    texts: FxHashMap<String, TextId>,
    classes: FxHashMap<TextId, ClassRef>,
    fields: FxHashMap<Member, FieldRef>,
    methods: FxHashMap<Member, MethodRef>,
    handles: FxHashMap<Handle, HandleRef>,
    closures: FxHashMap<Closure, ClosureRef>,
    sites: FxHashMap<Site, SiteRef>,
}

/// The index of `value` in `all`, where it is added if need be.
macro_rules! intern {
    ($self:ident, $map:ident, $make:path, $value:expr) => {{
        let value = $value;
        let next = $make($self.table.$map.len() as u32);
        match $self.$map.get(&value) {
            Some(found) => *found,
            None => {
                $self.table.$map.push(value.clone());
                $self.$map.insert(value, next);
                next
            }
        }
    }};
}

impl Tables {
    pub fn text(&mut self, text: &str) -> TextId {
        if let Some(found) = self.texts.get(text) {
            return *found;
        }
        let id = self.table.add_text(text);
        self.texts.insert(text.to_owned(), id);
        id
    }

    pub fn class(&mut self, internal: &str) -> ClassRef {
        let name = self.text(internal);
        intern!(self, classes, ClassRef, name)
    }

    pub fn field(&mut self, member: Member) -> FieldRef {
        intern!(self, fields, FieldRef, member)
    }

    pub fn method(&mut self, member: Member) -> MethodRef {
        intern!(self, methods, MethodRef, member)
    }

    pub fn handle(&mut self, handle: Handle) -> HandleRef {
        intern!(self, handles, HandleRef, handle)
    }

    pub fn closure(&mut self, closure: Closure) -> ClosureRef {
        intern!(self, closures, ClosureRef, closure)
    }

    pub fn site(&mut self, site: Site) -> SiteRef {
        intern!(self, sites, SiteRef, site)
    }
}

/// Names with dots between them; the flag says whether the last was in backquotes.
fn path<'t>(lexer: &mut Lexer<'t>, what: &str) -> Result<Vec<(Cow<'t, str>, bool)>> {
    let mut parts = vec![lexer.name(what)?];
    while lexer.take(".")? {
        parts.push(lexer.name(what)?);
    }
    Ok(parts)
}

fn internal(parts: &[(Cow<'_, str>, bool)]) -> String {
    parts.iter().map(|(part, _)| part.as_ref()).collect::<Vec<_>>().join("/")
}

/// A class's internal name.
pub fn class_name(lexer: &mut Lexer<'_>) -> Result<String> {
    Ok(internal(&path(lexer, "a class's name")?))
}

/// A type's descriptor; `V` for void.
pub fn descriptor(lexer: &mut Lexer<'_>) -> Result<String> {
    let parts = path(lexer, "a type")?;
    let mut found = match parts.as_slice() {
        [(word, false)] if word == "void" => "V".to_owned(),
        [(word, false)] if primitive(word).is_some() => primitive(word).into_iter().collect(),
        // Quoted, it may be an array class.
        [(name, true)] if name.starts_with('[') => name.to_string(),
        parts => format!("L{};", internal(parts)),
    };
    while lexer.take("[]")? {
        found.insert(0, '[');
    }
    Ok(found)
}

/// A type as a class: `int[]` is `[I`, `a.B` is `a/B`.
pub fn class_type(lexer: &mut Lexer<'_>) -> Result<String> {
    let found = descriptor(lexer)?;
    match found.strip_prefix('L').and_then(|rest| rest.strip_suffix(';')) {
        Some(name) => Ok(name.to_owned()),
        None if found.starts_with('[') => Ok(found),
        None => lexer.wrong("expected a class or array, found a primitive type"),
    }
}

/// Owner and name of a member.
fn owner_and_name(lexer: &mut Lexer<'_>, tables: &mut Tables) -> Result<(ClassRef, TextId)> {
    let mut parts = path(lexer, "a class with a member")?;
    match parts.pop() {
        Some((name, _)) if !parts.is_empty() => Ok((tables.class(&internal(&parts)), tables.text(&name))),
        _ => lexer.wrong("expected class and member, as in `a.B.name`"),
    }
}

/// A field: type, class and name.
pub fn field(lexer: &mut Lexer<'_>, tables: &mut Tables) -> Result<Member> {
    let descriptor = descriptor(lexer)?;
    let (owner, name) = owner_and_name(lexer, tables)?;
    Ok(Member { owner, name, descriptor: tables.text(&descriptor) })
}

/// A method: result, class, name, parameters.
pub fn method(lexer: &mut Lexer<'_>, tables: &mut Tables) -> Result<Member> {
    let result = descriptor(lexer)?;
    let (owner, name) = owner_and_name(lexer, tables)?;
    let mut types = String::from("(");
    lexer.listed("(", ")", |lexer| {
        types.push_str(&descriptor(lexer)?);
        Ok(())
    })?;
    types.push(')');
    types.push_str(&result);
    Ok(Member { owner, name, descriptor: tables.text(&types) })
}

/// A method handle.
pub fn handle(lexer: &mut Lexer<'_>, tables: &mut Tables) -> Result<Handle> {
    let word = lexer.word("a kind of method handle")?;
    match HandleKind::from_word(word) {
        Some(kind) if kind.is_field() => Ok(Handle { kind, member: field(lexer, tables)? }),
        Some(kind) => Ok(Handle { kind, member: method(lexer, tables)? }),
        None => lexer.wrong(format!("`{word}` is no kind of method handle")),
    }
}

fn annotations(lexer: &mut Lexer<'_>, tables: &mut Tables) -> Result<Vec<Annotation>> {
    let mut found = Vec::new();
    while lexer.take("@")? {
        let class = class_name(lexer)?;
        let class = tables.class(&class);
        let mut values = Vec::new();
        if *lexer.peek() == Token::Sign("(") {
            lexer.listed("(", ")", |lexer| {
                let name = lexer.name("a value's name")?.0;
                lexer.expect("=")?;
                values.push((tables.text(&name), tables.text(&lexer.text("the value")?)));
                Ok(())
            })?;
        }
        found.push(Annotation { class, values });
    }
    Ok(found)
}

fn access(lexer: &mut Lexer<'_>, words: &[(u16, &str)]) -> Result<u16> {
    let mut access = 0;
    while let Some((flag, _)) = words.iter().find(|(_, word)| lexer.peek_word() == Some(word)) {
        access |= flag;
        lexer.advance()?;
    }
    Ok(access)
}

fn class(lexer: &mut Lexer<'_>) -> Result<Class> {
    let mut tables = Tables::default();
    let class_annotations = annotations(lexer, &mut tables)?;
    let mut class_access = access(lexer, CLASS_FLAGS)?;
    if lexer.take("interface")? {
        class_access |= flags::INTERFACE;
    } else {
        lexer.expect("class")?;
    }
    let name = class_name(lexer)?;
    let this = tables.class(&name);
    let superclass = if lexer.take("extends")? {
        match class_name(lexer)?.as_str() {
            "nothing" => None,
            name => Some(tables.class(name)),
        }
    } else {
        Some(tables.class("java/lang/Object"))
    };
    let mut interfaces = Vec::new();
    if lexer.take("implements")? {
        loop {
            let name = class_name(lexer)?;
            interfaces.push(tables.class(&name));
            if !lexer.take(",")? {
                break;
            }
        }
    }
    let source = if lexer.take("source")? { Some(tables.text(&lexer.text("a file's name")?)) } else { None };
    let mut class = Class {
        table: Table::default(),
        this,
        superclass,
        interfaces,
        access: class_access,
        source,
        annotations: class_annotations,
        fields: Vec::new(),
        methods: Vec::new(),
    };
    lexer.expect("{")?;
    while !lexer.take("}")? {
        let annotations = annotations(lexer, &mut tables)?;
        if lexer.take("field")? {
            let access = access(lexer, FIELD_FLAGS)?;
            let descriptor = descriptor(lexer)?;
            let descriptor = tables.text(&descriptor);
            let name = lexer.name("the field's name")?.0;
            class.fields.push(Field { access, name: tables.text(&name), descriptor, annotations });
        } else if lexer.take("method")? {
            class.methods.push(method_of(lexer, &mut tables, annotations)?);
        } else {
            return lexer.unexpected("`field`, `method` or `}`");
        }
    }
    class.table = tables.table;
    Ok(class)
}

fn method_of(lexer: &mut Lexer<'_>, tables: &mut Tables, annotations: Vec<Annotation>) -> Result<Method> {
    let access = access(lexer, METHOD_FLAGS)?;
    let result = descriptor(lexer)?;
    let name = lexer.name("the method's name")?.0;
    let name = tables.text(&name);
    let mut types = String::from("(");
    let mut params: Vec<(String, String)> = Vec::new();
    if access & flags::STATIC == 0 {
        params.push(("Ljava/lang/Object;".to_owned(), "this".to_owned()));
    }
    lexer.listed("(", ")", |lexer| {
        let found = descriptor(lexer)?;
        types.push_str(&found);
        let name = match lexer.peek_word() {
            Some(word) => {
                lexer.advance()?;
                word.to_owned()
            }
            None => format!("`{}", params.len()),
        };
        params.push((found, name));
        Ok(())
    })?;
    types.push(')');
    types.push_str(&result);
    let descriptor = tables.text(&types);
    let code = if lexer.take("{")? {
        Code::Body(Box::new(parse_body(lexer, tables, &params)?))
    } else if lexer.take("unread")? {
        Code::Unread
    } else if lexer.take("gap")? {
        let why = lexer.text("the reason")?;
        Code::Gap(tables.text(&why))
    } else {
        Code::Absent
    };
    Ok(Method { access, name, descriptor, annotations, code })
}
