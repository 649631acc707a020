//! Variables, objects, locks and sites: from their spelling to their ids.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::line::{Fault, Token};
use crate::{
    Class, ClassId, Field, FieldId, Lender, Lock, LockId, Method, Object, ObjectId, Site, SiteId, Slot,
    StrId, Symbols, VarId, Variable,
};

/// Why a name gets no id.
#[derive(Debug)]
pub(super) enum Trouble {
    /// It is not written as the grammar wants.
    Fault(Fault),
    /// It belongs to an object that was freed in this batch: the line has to wait until the index may be used again.
    Freed,
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// The symbols of a text trace while it is read.
#[derive(Default)]
pub(super) struct Names {
    pub symbols: Lender<Symbols>,
    fields: FxHashMap<(Option<ClassId>, StrId), FieldId>,
    /// Freed in the current batch.
    freed: FxHashSet<ObjectId>,
}

/// A class as it is spelt.
struct ClassName<'a> {
    name: Cow<'a, str>,
    loader: u32,
}

/// An operand as it is spelt.
enum Spelling<'a> {
    Name(Cow<'a, str>),
    Static(ClassName<'a>, Cow<'a, str>),
    /// An object and what follows it.
    Object(ClassName<'a>, u64, Token<'a>),
    Elements(Token<'a>),
}

impl Names {
    pub(super) fn string(&mut self, token: Token<'_>) -> Result<StrId, Fault> {
        Ok(self.symbols.string(&token.name()?))
    }

    pub(super) fn variable(&mut self, token: Token<'_>) -> Result<VarId, Trouble> {
        let variable = match spelling(token)? {
            Spelling::Object(class, label, rest) => {
                let object = self.object_of(class, label)?;
                let slot = self.slot(object, rest)?;
                Variable { object: Some(object), slot }
            }
            Spelling::Elements(rest) => Variable { object: None, slot: elements(rest)? },
            spelling => Variable { object: None, slot: Slot::Field(self.field_of(spelling, token)?) },
        };
        Ok(self.symbols.variable(variable))
    }

    fn slot(&mut self, object: ObjectId, rest: Token<'_>) -> Result<Slot, Fault> {
        if rest.text.starts_with('[') {
            return elements(rest);
        }
        let Some(field) = rest.after(".") else {
            return Err(Fault::expected(rest.at, "`.field` or `[index]`", rest.text));
        };
        if let Some(inner) = field.after("(") {
            let Some(end) = inner.text.strip_suffix(')').map(str::len) else {
                return Err(Fault::expected(inner.at, "`Class.field)`", inner.text));
            };
            let inner = inner.split(end).0;
            return Ok(Slot::Field(self.field(inner)?));
        }
        let class = self.symbols.objects().get(object).class;
        let name = plain(field)?;
        Ok(Slot::Field(self.declared(Some(class), &name)))
    }

    /// A field by its full name, or a variable without class.
    pub(super) fn field(&mut self, token: Token<'_>) -> Result<FieldId, Fault> {
        let spelling = spelling(token)?;
        self.field_of(spelling, token)
    }

    fn field_of(&mut self, spelling: Spelling<'_>, token: Token<'_>) -> Result<FieldId, Fault> {
        match spelling {
            Spelling::Name(name) => Ok(self.declared(None, &name)),
            Spelling::Static(class, name) => {
                let class = self.class(class);
                Ok(self.declared(Some(class), &name))
            }
            _ => Err(Fault::expected(token.at, "a field, `Class.field`", token.text)),
        }
    }

    fn declared(&mut self, class: Option<ClassId>, name: &str) -> FieldId {
        let name = self.symbols.string(name);
        let fields = &mut self.symbols.fields;
        *self
            .fields
            .entry((class, name))
            .or_insert_with(|| fields.push(Field { class, name, is_final: false }))
    }

    /// Declares a field to be final, which has to come before its first mention.
    pub(super) fn declare_final(&mut self, token: Token<'_>) -> Result<(), Fault> {
        let (class, name) = match spelling(token)? {
            Spelling::Name(name) => (None, name),
            Spelling::Static(class, name) => (Some(self.class(class)), name),
            _ => return Err(Fault::expected(token.at, "a field, `Class.field`", token.text)),
        };
        let name = self.symbols.string(&name);
        match self.fields.entry((class, name)) {
            std::collections::hash_map::Entry::Occupied(_) => {
                Err(Fault::new(token.at, "`!final` has to come before the field's first mention, and once"))
            }
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(self.symbols.fields.push(Field { class, name, is_final: true }));
                Ok(())
            }
        }
    }

    fn class(&mut self, class: ClassName<'_>) -> ClassId {
        let name = self.symbols.string(&class.name);
        self.symbols.classes.intern(Class { name, loader: class.loader })
    }

    fn object_of(&mut self, class: ClassName<'_>, label: u64) -> Result<ObjectId, Trouble> {
        let class = self.class(class);
        let object = self.symbols.object(Object { class, label });
        if self.freed.contains(&object) { Err(Trouble::Freed) } else { Ok(object) }
    }

    pub(super) fn object(&mut self, token: Token<'_>) -> Result<ObjectId, Trouble> {
        match spelling(token)? {
            Spelling::Object(class, label, rest) if rest.text.is_empty() => self.object_of(class, label),
            _ => Err(Fault::expected(token.at, "an object, `Class@7`", token.text).into()),
        }
    }

    pub(super) fn lock(&mut self, token: Token<'_>) -> Result<LockId, Trouble> {
        let lock = if token.rfind_unquoted(b'@').is_some() {
            Lock::Of(self.object(token)?)
        } else {
            Lock::Named(self.string(token)?)
        };
        Ok(self.symbols.locks.intern(lock))
    }

    /// The object has died. Its index may be used again after the next [`recycle`](Self::recycle).
    pub(super) fn free(&mut self, object: ObjectId) {
        if self.freed.insert(object) {
            self.symbols.free(object);
        }
    }

    pub(super) fn recycle(&mut self) {
        self.freed.clear();
        self.symbols.recycle();
    }

    /// A site that was called from `caller`, and what is used there.
    pub(super) fn site(
        &mut self,
        token: Token<'_>,
        of: Option<Token<'_>>,
        caller: Option<SiteId>,
    ) -> Result<SiteId, Fault> {
        let of = of.map(|of| self.string(of)).transpose()?;
        let Some(open) = token.rfind_unquoted(b'(') else {
            let (file, line) = self.spot(token)?;
            return Ok(self.symbols.sites.intern(Site { method: None, file, line, caller, of }));
        };
        let (head, rest) = token.split(open);
        let Some(spot) = rest.after("(").filter(|spot| spot.text.ends_with(')')) else {
            return Err(Fault::expected(rest.at, "`(File.java:42)` at the end", rest.text));
        };
        let (file, line) = self.spot(spot.split(spot.text.len() - 1).0)?;
        let limit = head.text.find('(').unwrap_or(head.text.len());
        let (class, method) = member(head, limit)?;
        if method.text.is_empty() || method.text.starts_with('(') {
            return Err(Fault::expected(method.at, "a method's name", method.text));
        }
        let class = self.class(class);
        let name = self.string(method)?;
        let method = Some(self.symbols.methods.intern(Method { class, name }));
        Ok(self.symbols.sites.intern(Site { method, file, line, caller, of }))
    }

    fn spot(&mut self, token: Token<'_>) -> Result<(Option<StrId>, i32), Fault> {
        const WHAT: &str = "a place, `File.java:42` or `pkg.Class.method(File.java:42)`";
        let wrong = || Fault::expected(token.at, WHAT, token.text);
        let colon = token.rfind_unquoted(b':').ok_or_else(wrong)?;
        let (file, rest) = token.split(colon);
        let number = rest.after(":").ok_or_else(wrong)?;
        let negative = number.after("-");
        let digits: i64 = negative.unwrap_or(number).number()?;
        let line = i32::try_from(if negative.is_some() { -digits } else { digits });
        let line = line.map_err(|_| Fault::expected(number.at, "a smaller number", number.text))?;
        if !file.text.starts_with('"') && file.text.contains(['(', ')']) {
            return Err(wrong());
        }
        let file = if file.text.is_empty() { None } else { Some(self.string(file)?) };
        Ok((file, line))
    }
}

/// A bare name that holds no sign of structure, or a quoted one.
fn plain(token: Token<'_>) -> Result<Cow<'_, str>, Fault> {
    let name = token.name()?;
    if !token.text.starts_with('"') {
        if name.is_empty() {
            return Err(Fault::new(token.at, "expected a name, found nothing"));
        }
        if let Some(at) = name.find(['.', '@', '%', '(', ')', '[', ']']) {
            let sign = name[at..].chars().next().unwrap_or_default();
            let reason = format!(
                "`{sign}` in a name that is not quoted: write `\"{name}\"` if it belongs to the name"
            );
            return Err(Fault::new(token.at + at, reason));
        }
    }
    Ok(name)
}

/// A bare class name.
fn bare_class(token: Token<'_>) -> Result<Cow<'_, str>, Fault> {
    let name = token.text;
    if name.is_empty()
        || name.starts_with(['.', '['])
        || name.ends_with('.')
        || name.contains(['@', '%', '(', ')'])
    {
        return Err(Fault::expected(token.at, "a class", name));
    }
    Ok(Cow::Borrowed(name))
}

/// `%1`, if it is there.
fn loader(rest: Token<'_>) -> Result<(u32, Token<'_>), Fault> {
    let Some(rest) = rest.after("%") else { return Ok((0, rest)) };
    let digits = rest.text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = rest.split(digits);
    Ok((number.number()?, rest))
}

/// `Class.name`, divided at the last dot before `limit`; the name comes back as it is written.
fn member(token: Token<'_>, limit: usize) -> Result<(ClassName<'_>, Token<'_>), Fault> {
    let missing = || Fault::expected(token.at, "`Class.name`", token.text);
    let (name, rest) = match token.split_quoted()? {
        Some(quoted) => quoted,
        None => {
            let limit = token.text[..limit].find(['%', '"']).unwrap_or(limit);
            let end = match token.text.as_bytes().get(limit) {
                Some(b'%') => limit,
                _ => token.text[..limit].rfind('.').ok_or_else(missing)?,
            };
            let (class, rest) = token.split(end);
            (bare_class(class)?, rest)
        }
    };
    let (loader, rest) = loader(rest)?;
    Ok((ClassName { name, loader }, rest.after(".").ok_or_else(missing)?))
}

fn spelling(token: Token<'_>) -> Result<Spelling<'_>, Fault> {
    if token.text.starts_with('[') {
        return Ok(Spelling::Elements(token));
    }
    let quoted = token.split_quoted()?;
    let at = match &quoted {
        Some((_, rest)) => rest.at - token.at,
        None => token.text.find(['@', '%', '"']).unwrap_or(token.text.len()),
    };
    let (head, rest) = token.split(at);
    let (loader, after_class) = loader(rest)?;
    if let Some(label) = after_class.after("@") {
        let name = match quoted {
            Some((name, _)) => name,
            None => bare_class(head)?,
        };
        let digits = label.text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = label.split(digits);
        return Ok(Spelling::Object(ClassName { name, loader }, number.number()?, rest));
    }
    match quoted {
        Some((name, rest)) if rest.text.is_empty() => Ok(Spelling::Name(name)),
        None if rest.text.is_empty() && !head.text.contains('.') => Ok(Spelling::Name(plain(head)?)),
        _ => {
            let (class, field) = member(token, token.text.len())?;
            Ok(Spelling::Static(class, plain(field)?))
        }
    }
}

fn elements(token: Token<'_>) -> Result<Slot, Fault> {
    const WHAT: &str = "`[5]`, `[0..100]` or `[0..100:2]`, the end exclusive";
    let wrong = || Fault::expected(token.at, WHAT, token.text);
    let inner = token.after("[").filter(|inner| inner.text.ends_with(']')).ok_or_else(wrong)?;
    let inner = inner.split(inner.text.len() - 1).0;
    let Some(dots) = inner.text.find("..") else {
        return Ok(Slot::Elements { first: inner.number()?, count: 1, step: 1 });
    };
    let (first, rest) = inner.split(dots);
    let end = rest.after("..").ok_or_else(wrong)?;
    let (end, step): (_, u32) = match end.text.find(':') {
        Some(colon) => {
            let (end, step) = end.split(colon);
            (end, step.after(":").ok_or_else(wrong)?.number()?)
        }
        None => (end, 1),
    };
    let (first, end): (u32, u64) = (first.number()?, end.number()?);
    let length = end.checked_sub(u64::from(first)).filter(|_| step > 0);
    length
        .and_then(|length| u32::try_from(length.div_ceil(u64::from(step))).ok())
        .and_then(|count| Slot::elements(first, count, step))
        .ok_or_else(|| Fault::new(token.at, format!("no elements lie in `{}`, or too many", token.text)))
}
