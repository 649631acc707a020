//! How names, types and flags are spelled. One place for both directions; tokens are the lexer's business.

use std::fmt::Write;

use classfile::flags;
use classfile::{MethodType, Type};

/// Words of the flags of classes.
pub const CLASS_FLAGS: &[(u16, &str)] = &[
    (flags::PUBLIC, "public"),
    (flags::FINAL, "final"),
    (flags::ABSTRACT, "abstract"),
    (flags::SYNTHETIC, "synthetic"),
    (flags::ANNOTATION, "annotation"),
    (flags::ENUM, "enum"),
    (flags::MODULE, "module"),
];

/// Words of the flags of fields.
pub const FIELD_FLAGS: &[(u16, &str)] = &[
    (flags::PUBLIC, "public"),
    (flags::PRIVATE, "private"),
    (flags::PROTECTED, "protected"),
    (flags::STATIC, "static"),
    (flags::FINAL, "final"),
    (flags::VOLATILE, "volatile"),
    (flags::TRANSIENT, "transient"),
    (flags::SYNTHETIC, "synthetic"),
    (flags::ENUM, "enum"),
];

/// Words of the flags of methods.
pub const METHOD_FLAGS: &[(u16, &str)] = &[
    (flags::PUBLIC, "public"),
    (flags::PRIVATE, "private"),
    (flags::PROTECTED, "protected"),
    (flags::STATIC, "static"),
    (flags::FINAL, "final"),
    (flags::SYNCHRONIZED, "synchronized"),
    (flags::BRIDGE, "bridge"),
    (flags::VARARGS, "varargs"),
    (flags::NATIVE, "native"),
    (flags::ABSTRACT, "abstract"),
    (flags::STRICT, "strict"),
    (flags::SYNTHETIC, "synthetic"),
];

/// The flags' words, each followed by a space.
pub fn put_flags(out: &mut String, access: u16, words: &[(u16, &str)]) {
    for (flag, word) in words {
        if access & flag != 0 {
            out.push_str(word);
            out.push(' ');
        }
    }
}

/// May this character stand in a plain name?
pub fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_plain) && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// Text between quotes of a sort.
pub fn put_quoted(out: &mut String, quote: char, text: &str) {
    out.push(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => {
                let _ = write!(out, "\\u{{{:x}}}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push(quote);
}

/// A member's name.
pub fn put_name(out: &mut String, name: &str) {
    if is_plain_name(name) || matches!(name, "<init>" | "<clinit>") {
        out.push_str(name);
    } else {
        put_quoted(out, '`', name);
    }
}

/// A class by its internal name. An array class too: only types have brackets.
pub fn put_class(out: &mut String, internal: &str) {
    let plain = internal.split('/').all(is_plain_name) && primitive(internal).is_none() && internal != "void";
    if plain {
        out.extend(internal.chars().map(|c| if c == '/' { '.' } else { c }));
    } else {
        put_quoted(out, '`', internal);
    }
}

/// The letter of a primitive type.
pub fn primitive(word: &str) -> Option<char> {
    Some(match word {
        "boolean" => 'Z',
        "byte" => 'B',
        "char" => 'C',
        "short" => 'S',
        "int" => 'I',
        "long" => 'J',
        "float" => 'F',
        "double" => 'D',
        _ => return None,
    })
}

fn put_type_of(out: &mut String, of: Type<'_>) {
    let word = match of {
        Type::Boolean => "boolean",
        Type::Byte => "byte",
        Type::Char => "char",
        Type::Short => "short",
        Type::Int => "int",
        Type::Long => "long",
        Type::Float => "float",
        Type::Double => "double",
        Type::Object(name) => return put_class(out, &String::from_utf8_lossy(name)),
        Type::Array(text) => {
            let depth = text.iter().take_while(|b| **b == b'[').count();
            if let Some(element) = text.get(depth..).and_then(Type::parse) {
                put_type_of(out, element);
            }
            for _ in 0..depth {
                out.push_str("[]");
            }
            return;
        }
    };
    out.push_str(word);
}

/// A type by its descriptor; one that cannot be read is shown as it is.
pub fn put_type(out: &mut String, descriptor: &str) {
    match Type::parse(descriptor.as_bytes()) {
        Some(found) => put_type_of(out, found),
        None => put_quoted(out, '`', descriptor),
    }
}

/// A class as a type: arrays with brackets.
pub fn put_class_type(out: &mut String, internal: &str) {
    if internal.starts_with('[') { put_type(out, internal) } else { put_class(out, internal) }
}

/// The types of a method's parameters with what `after` adds to each, between parentheses.
pub fn put_parameters(out: &mut String, of: MethodType<'_>, mut after: impl FnMut(&mut String, usize)) {
    out.push('(');
    for (number, parameter) in of.parameters().enumerate() {
        if number > 0 {
            out.push_str(", ");
        }
        put_type_of(out, parameter);
        after(out, number);
    }
    out.push(')');
}

/// What a method returns.
pub fn put_result(out: &mut String, of: MethodType<'_>) {
    match of.result() {
        Some(result) => put_type_of(out, result),
        None => out.push_str("void"),
    }
}
