//! Class files to register code. A pure function of the bytes: classes can be lowered at the same time, and in any order.
//!
//! A method goes through four steps: its code is cut into blocks (`blocks.rs`), the locals that need parameters at joins
//! are found (`liveness.rs`), locals and stack become registers as the blocks are walked in reverse postorder
//! (`build.rs`, `step.rs`), and parameters that turned out to be of one value are taken out again (`finish.rs`). That is
//! linear but for hostile code, for which there is a budget. Synchronized methods get `enter` and `exit` and the handler
//! that the JVM implies; subroutines (`jsr`) are copied for each call (`subroutines.rs`). A method that cannot be lowered is
//! a gap, with the reason.

mod blocks;
mod build;
mod constants;
mod finish;
mod liveness;
mod step;
mod subroutines;

use classfile::{Class as File, ElementValue, flags};

use crate::ir::{Annotation, Class, Code, Field, Method, TextId};
use constants::{Constants, decoded};

/// Why a method, or all of a class, could not be lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    /// The bytes are wrong.
    File(classfile::Error),
    /// The code is not what a verifier would let pass.
    Malformed(&'static str),
    /// It would take too long.
    TooComplex,
    /// It has subroutines that cannot be told apart.
    Subroutine,
}

impl From<classfile::Error> for Trouble {
    fn from(error: classfile::Error) -> Trouble {
        Trouble::File(error)
    }
}

impl Trouble {
    fn reason(self) -> String {
        match self {
            Trouble::File(error) => error.to_string(),
            Trouble::Malformed(what) => what.to_owned(),
            Trouble::TooComplex => "it would take too long to analyse".to_owned(),
            Trouble::Subroutine => {
                "its subroutines (jsr) are too many, or of a kind that no compiler made".to_owned()
            }
        }
    }
}

type Result<T> = std::result::Result<T, Trouble>;

/// Lowers a class. The error is for what is no class at all; methods that cannot be read are gaps in it.
pub fn lower(bytes: &[u8]) -> std::result::Result<Class, String> {
    let file = File::parse(bytes).map_err(|error| error.to_string())?;
    lower_file(&file, true).map_err(Trouble::reason)
}

/// A class without its methods' code, in a fraction of the time.
pub fn outline(bytes: &[u8]) -> std::result::Result<Class, String> {
    let file = File::parse(bytes).map_err(|error| error.to_string())?;
    lower_file(&file, false).map_err(Trouble::reason)
}

/// The flags that mean something here.
const CLASS_FLAGS: u16 = flags::PUBLIC
    | flags::FINAL
    | flags::INTERFACE
    | flags::ABSTRACT
    | flags::SYNTHETIC
    | flags::ANNOTATION
    | flags::ENUM
    | flags::MODULE;
const FIELD_FLAGS: u16 = 0x50df;
const METHOD_FLAGS: u16 = 0x1dff;

fn lower_file(file: &File<'_>, bodies: bool) -> Result<Class> {
    let mut constants = Constants::new(file);
    let this = constants.class(file.this_class)?;
    let superclass = match file.super_class {
        0 => None,
        index => Some(constants.class(index)?),
    };
    let mut interfaces = Vec::with_capacity(file.interfaces.len());
    for index in &file.interfaces {
        interfaces.push(constants.class(*index)?);
    }
    let source = match file.source_file() {
        Ok(Some(name)) => Some(constants.table.add_text(&decoded(name))),
        _ => None,
    };
    let annotations = annotations(file, &mut constants, &file.attributes);
    let mut fields = Vec::with_capacity(file.fields.len());
    for field in &file.fields {
        let (name, descriptor) = (constants.text(field.name)?, constants.text(field.descriptor)?);
        if crate::ir::kind_of(constants.table.text(descriptor)).is_none() {
            return Err(Trouble::Malformed("a field's descriptor cannot be read"));
        }
        let annotations = self::annotations(file, &mut constants, &field.attributes);
        fields.push(Field { access: field.access & FIELD_FLAGS, name, descriptor, annotations });
    }
    let mut methods = Vec::with_capacity(file.methods.len());
    let mut room = build::Room::default();
    for method in &file.methods {
        let (name, descriptor) = (constants.text(method.name)?, constants.text(method.descriptor)?);
        if classfile::MethodType::parse(constants.table.text(descriptor).as_bytes()).is_none() {
            return Err(Trouble::Malformed("a method's descriptor cannot be read"));
        }
        let annotations = self::annotations(file, &mut constants, &method.attributes);
        let code = if bodies {
            match build::body(file, method, descriptor, this, &mut constants, &mut room) {
                Ok(Some(body)) => Code::Body(Box::new(body)),
                Ok(None) => Code::Absent,
                Err(trouble) => Code::Gap(constants.table.add_text(&trouble.reason())),
            }
        } else if method.access & (flags::ABSTRACT | flags::NATIVE) != 0 {
            Code::Absent
        } else {
            Code::Unread
        };
        methods.push(Method { access: method.access & METHOD_FLAGS, name, descriptor, annotations, code });
    }
    let access = file.access & CLASS_FLAGS;
    let table = constants.table;
    Ok(Class { table, this, superclass, interfaces, access, source, annotations, fields, methods })
}

/// The annotations among some attributes. Those that cannot be read count as absent.
fn annotations(
    file: &File<'_>,
    constants: &mut Constants<'_>,
    among: &[classfile::Attribute<'_>],
) -> Vec<Annotation> {
    let mut found = Vec::new();
    if among.is_empty() {
        return found;
    }
    for annotation in file.annotations(among).unwrap_or_default() {
        let Ok(descriptor) = file.pool.utf8(annotation.descriptor) else { continue };
        let Some(name) = classfile::Type::parse(descriptor).and_then(classfile::Type::class_name) else {
            continue;
        };
        let mut values = Vec::new();
        for (name, value) in &annotation.values {
            let Ok(name) = constants.text(*name) else { continue };
            strings(constants, name, value, &mut values);
        }
        let name = decoded(name).into_owned();
        found.push(Annotation { class: constants.named_class(&name), values });
    }
    found
}

fn strings(
    constants: &mut Constants<'_>,
    name: TextId,
    value: &ElementValue,
    found: &mut Vec<(TextId, TextId)>,
) {
    match value {
        ElementValue::Constant(b's', index) => {
            if let Ok(text) = constants.text(*index) {
                found.push((name, text));
            }
        }
        ElementValue::Array(all) => {
            for value in all {
                strings(constants, name, value, found);
            }
        }
        _ => {}
    }
}
