//! Class names, types and methods as a model table writes them: Java's way, with packages left out where they are known.

use rustc_hash::FxHashMap;

use super::line::{Method, Parameters};
use super::words::{Cursor, Wrong};
use crate::error::quote;

/// What names without a package mean at this place of the table.
#[derive(Default)]
pub(super) struct Names {
    /// The package of class and kind lines.
    pub package: String,
    /// Imported classes by their simple names.
    pub imports: FxHashMap<String, Box<str>>,
}

impl Names {
    pub fn class_names(&self, words: &mut Cursor) -> Result<Vec<Box<str>>, Wrong> {
        let mut found = Vec::new();
        loop {
            let class = name(words, "a class")?;
            found.push(match class.contains('.') || self.package.is_empty() {
                true => class.replace('.', "/").into(),
                false => format!("{}/{class}", self.package).into(),
            });
            if !words.take(",") {
                return Ok(found);
            }
        }
    }

    pub fn methods(&self, words: &mut Cursor) -> Result<Vec<Method>, Wrong> {
        let mut found = vec![self.method(words)?];
        while words.take(",") {
            found.push(self.method(words)?);
        }
        Ok(found)
    }

    /// `name(types)` or `type name(types)`.
    pub fn method(&self, words: &mut Cursor) -> Result<Method, Wrong> {
        let returns = self.return_type(words)?;
        let name = words.word("a method such as `put(Object, Object)`")?;
        check_method_name(name, words)?;
        let parameters = self.parameters(words)?;
        Ok(Method { name: name.into(), parameters, returns })
    }

    /// `Class.name(types)`.
    pub fn owned_method(&self, words: &mut Cursor) -> Result<(Box<str>, Method), Wrong> {
        let returns = self.return_type(words)?;
        let word = words.word("a class and method such as `Runnable.run()`")?;
        let Some((class, name)) =
            word.rsplit_once('.').filter(|(class, name)| !class.is_empty() && !name.is_empty())
        else {
            return Err(words.wrong_before("the call needs its class: write `Runnable.run()`, not `run()`"));
        };
        check_name(class, words, "a class and method such as `Runnable.run()`")?;
        check_method_name(name, words)?;
        let owner = self.class_of_type(class);
        let parameters = self.parameters(words)?;
        Ok((owner, Method { name: name.into(), parameters, returns }))
    }

    pub fn return_type(&self, words: &mut Cursor) -> Result<Option<Box<str>>, Wrong> {
        match words.peek_second() {
            // A word or `[` after the first: that one was a type.
            Some("(" | ")" | "]" | "," | ";" | ":") | None => Ok(None),
            Some(_) => Ok(Some(self.type_descriptor(words, true)?.into())),
        }
    }

    pub fn parameters(&self, words: &mut Cursor) -> Result<Parameters, Wrong> {
        words.expect("(", "a method's name")?;
        let mut descriptor = String::new();
        let (mut count, mut open) = (0u8, false);
        if words.take(")") {
            return Ok(Parameters { descriptor: "".into(), count, open });
        }
        loop {
            if words.take("*") {
                open = true;
                words.expect(")", "`*`, which stands for all other parameters")?;
                break;
            }
            descriptor.push_str(&self.type_descriptor(words, false)?);
            count = count.checked_add(1).ok_or_else(|| words.wrong("a method has at most 255 parameters"))?;
            if words.take(")") {
                break;
            }
            words.expect(",", "a parameter")?;
        }
        Ok(Parameters { descriptor: descriptor.into(), count, open })
    }

    /// A Java type. A class without a package is imported, or one of java.lang.
    pub fn type_descriptor(&self, words: &mut Cursor, void: bool) -> Result<String, Wrong> {
        let word = words.word("a type such as `int` or `Object`")?;
        let (word, mut dimensions) = match word.strip_suffix("...") {
            Some(element) => (element, 1),
            None => (word, 0),
        };
        while words.take("[") {
            words.expect("]", "`[`")?;
            dimensions += 1;
        }
        if dimensions > 255 {
            return Err(words.wrong("an array has at most 255 dimensions"));
        }
        let element = match word {
            "boolean" => "Z".to_owned(),
            "byte" => "B".to_owned(),
            "char" => "C".to_owned(),
            "short" => "S".to_owned(),
            "int" => "I".to_owned(),
            "long" => "J".to_owned(),
            "float" => "F".to_owned(),
            "double" => "D".to_owned(),
            "void" if void && dimensions == 0 => "V".to_owned(),
            other => {
                check_name(other, words, "a type such as `int` or `Object`")?;
                format!("L{};", self.class_of_type(other))
            }
        };
        Ok("[".repeat(dimensions) + &element)
    }

    pub fn class_of_type(&self, class: &str) -> Box<str> {
        if class.contains('.') {
            return class.replace('.', "/").into();
        }
        match self.imports.get(class) {
            Some(found) => found.clone(),
            None => format!("java/lang/{class}").into(),
        }
    }
}

/// A name with dots.
pub(super) fn name<'a>(words: &mut Cursor<'_, 'a>, what: &str) -> Result<&'a str, Wrong> {
    let word = words.word(what)?;
    check_name(word, words, what)?;
    Ok(word)
}

pub(super) fn check_name(word: &str, words: &Cursor, what: &str) -> Result<(), Wrong> {
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with(|c: char| c.is_ascii_digit())
            && part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
    };
    match word.split('.').all(part) {
        true => Ok(()),
        false => Err(words.wrong_before(format!("expected {what}, found {}", quote(word)))),
    }
}

pub(super) fn check_method_name(word: &str, words: &Cursor) -> Result<(), Wrong> {
    let plain = |word: &str| word.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
    match word == "<init>" || plain(word.strip_suffix('*').unwrap_or(word)) {
        true => Ok(()),
        false => Err(words.wrong_before(format!("expected a method's name, found {}", quote(word)))),
    }
}
