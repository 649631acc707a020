//! Variables, objects, locks and sites: from their ids to their spelling, the reverse of `names.rs`.

use std::fmt::Write as _;

use crate::symbols::show_elements;
use crate::{ClassId, FieldId, Lock, LockId, ObjectId, SiteId, Slot, Symbols, VarId};

/// Writes a name bare where the grammar allows it, in quotes elsewhere. `structure` are the signs that would be taken
/// for something else at this place.
pub(crate) fn name(out: &mut String, name: &str, structure: &[char]) {
    let bare = !name.is_empty()
        && !name.chars().any(|c| c.is_whitespace() || c.is_control() || c == '"' || structure.contains(&c))
        && !name.starts_with(['#', '!'])
        && !name.starts_with("//~")
        && !matches!(name, "@" | "<" | ">");
    if bare { out.push_str(name) } else { quoted(out, name) }
}

fn quoted(out: &mut String, name: &str) {
    out.push('"');
    for c in name.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{{{:x}}}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

const IN_A_NAME: &[char] = &['.', '@', '%', '(', ')', '[', ']'];
const IN_A_CLASS: &[char] = &['@', '%', '(', ')'];

fn class(out: &mut String, symbols: &Symbols, id: ClassId) {
    let class = symbols.classes.get(id);
    let text = symbols.str(class.name);
    if text.starts_with(['.', '[']) || text.ends_with('.') {
        quoted(out, text);
    } else {
        name(out, text, IN_A_CLASS);
    }
    if class.loader != 0 {
        let _ = write!(out, "%{}", class.loader);
    }
}

pub(crate) fn object(out: &mut String, symbols: &Symbols, id: ObjectId) {
    let object = symbols.objects().get(id);
    class(out, symbols, object.class);
    let _ = write!(out, "@{}", object.label);
}

pub(crate) fn field(out: &mut String, symbols: &Symbols, id: FieldId) {
    let field = symbols.fields.get(id);
    if let Some(declaring) = field.class {
        class(out, symbols, declaring);
        out.push('.');
    }
    field_alone(out, symbols, id);
}

/// A field without its class.
pub(crate) fn field_alone(out: &mut String, symbols: &Symbols, id: FieldId) {
    name(out, symbols.str(symbols.fields.get(id).name), IN_A_NAME);
}

pub(crate) fn variable(out: &mut String, symbols: &Symbols, id: VarId) {
    let variable = symbols.variables().get(id);
    if let Some(of) = variable.object {
        object(out, symbols, of);
    }
    match (variable.slot, variable.object) {
        (Slot::Field(id), None) => field(out, symbols, id),
        (Slot::Field(id), Some(of))
            if symbols.fields.get(id).class == Some(symbols.objects().get(of).class) =>
        {
            out.push('.');
            field_alone(out, symbols, id);
        }
        (Slot::Field(id), Some(_)) => {
            out.push_str(".(");
            field(out, symbols, id);
            out.push(')');
        }
        (Slot::Elements { first, count, step }, _) => show_elements(out, first, count, step),
    }
}

pub(crate) fn lock(out: &mut String, symbols: &Symbols, id: LockId) {
    match *symbols.locks.get(id) {
        Lock::Of(of) => object(out, symbols, of),
        Lock::Named(text) => name(out, symbols.str(text), &['@']),
    }
}

/// A site without its callers, and what is used there.
pub(crate) fn site(out: &mut String, symbols: &Symbols, id: SiteId) {
    spot(out, symbols, id);
    if let Some(of) = symbols.sites.get(id).of {
        out.push_str(" of ");
        name(out, symbols.str(of), &[]);
    }
}

fn spot(out: &mut String, symbols: &Symbols, id: SiteId) {
    let site = symbols.sites.get(id);
    let spot = |out: &mut String| {
        if let Some(file) = site.file {
            // An empty name in quotes is a file, nothing at all is none.
            name(out, symbols.str(file), &['(', ')']);
        }
        let _ = write!(out, ":{}", site.line);
    };
    let Some(method) = site.method else { return spot(out) };
    let method = symbols.methods.get(method);
    class(out, symbols, method.class);
    out.push('.');
    let text = symbols.str(method.name);
    let plain = text.split('(').next().unwrap_or(text);
    if plain.is_empty() || plain.contains(['.', '%', ')']) {
        quoted(out, text);
    } else {
        name(out, text, &[]);
    }
    out.push('(');
    spot(out);
    out.push(')');
}

/// A site with its callers.
pub(crate) fn place(out: &mut String, symbols: &Symbols, id: SiteId) {
    site(out, symbols, id);
    let mut caller = symbols.sites.get(id).caller;
    // A chain is never longer than the table: one that is runs in a circle.
    for _ in 0..symbols.sites.len() {
        let Some(id) = caller else { break };
        out.push_str(" < ");
        site(out, symbols, id);
        caller = symbols.sites.get(id).caller;
    }
}
