//! Making a program: the inputs' classes lowered at the same time, the JDK's added as far as they are named, missing ones
//! stood in for.

use rustc_hash::FxHashSet;

use super::{ClassId, ClassInfo, Origin, Program};
use crate::Gap;
use crate::input::{Found, Jdk};
use crate::ir::{self, Class, ClassRef, Table, TextError};
use crate::lower::{lower, outline};
use crate::parallel::parallel;

impl Program {
    /// Makes a program of what was found.
    pub fn load(found: Found, jdk: Option<&Jdk>, threads: usize) -> Program {
        let mut program = Program { gaps: found.gaps, ..Program::default() };
        let classes = parallel(&found.classes, threads, || (), |(), class| lower(&class.bytes));
        for (class, input) in classes.into_iter().zip(&found.classes) {
            match class {
                Ok(class) => {
                    program.note_version(&class, &input.bytes);
                    program.add_input(class, &input.place);
                }
                Err(why) => program.gaps.push(Gap::new(input.place.clone(), why)),
            }
        }
        program.complete(jdk, threads);
        program
    }

    /// A program of classes in text form, for tests; those they name and that are not there are missing without a gap.
    /// Those of `java.…` count as the JDK's; instructions have the lines of the text.
    pub fn from_text(text: &str) -> Result<Program, TextError> {
        let mut program = Program::default();
        for class in ir::parse_numbered(text)? {
            if class.name().starts_with("java/") {
                program.add(class, "text", Origin::Jdk);
            } else {
                program.add_input(class, "text");
            }
        }
        program.complete(None, 1);
        program.gaps.clear();
        Ok(program)
    }

    fn note_version(&mut self, class: &Class, bytes: &[u8]) {
        let major = bytes.get(6..8).map_or(0, |two| u16::from_be_bytes([two[0], two[1]]));
        if major > classfile::NEWEST_TESTED {
            let why =
                format!("made for a Java that is newer than known (version {major}); read all the same");
            self.gaps.push(Gap::new(shown("class", class.name()), why));
        }
    }

    fn add_input(&mut self, class: Class, place: &str) {
        if let Some(first) = self.class_named(class.name()) {
            let why = format!("it is in {} and in {place}; the first is used", self.class(first).place);
            self.gaps.push(Gap::new(shown("class", class.name()), why));
            return;
        }
        for method in &class.methods {
            if let ir::Code::Gap(why) = method.code {
                let (name, types) = (class.table.text(method.name), class.table.text(method.descriptor));
                let what = format!("{}.{name}{types}", shown("method", class.name()));
                self.gaps.push(Gap::new(what, class.table.text(why)));
            }
        }
        self.add(class, place, Origin::Input);
    }

    fn add(&mut self, code: Class, place: &str, origin: Origin) -> ClassId {
        let id = ClassId(self.classes.len() as u32);
        self.names.insert(code.name().into(), id);
        self.classes.push(ClassInfo {
            code,
            origin,
            place: place.to_owned(),
            superclass: None,
            interfaces: Vec::new(),
            above: Vec::new(),
            below: Vec::new(),
            first_method: 0,
            first_field: 0,
            declared: Vec::new(),
            class_refs: Vec::new(),
            field_refs: Vec::new(),
            method_refs: Vec::new(),
        });
        id
    }

    /// Adds what is named and not there, then links everything.
    fn complete(&mut self, jdk: Option<&Jdk>, threads: usize) {
        let mut next = 0;
        while next < self.classes.len() || next == 0 {
            let mut wanted = Vec::new();
            let mut seen = FxHashSet::default();
            if next == 0 {
                wanted.push("java/lang/Object".to_owned());
            }
            for class in self.classes.get(next..).unwrap_or_default() {
                for name in named(class) {
                    if !self.names.contains_key(name) && seen.insert(name) {
                        wanted.push(name.to_owned());
                    }
                }
            }
            next = self.classes.len();
            if wanted.is_empty() {
                break;
            }
            let place = jdk.map_or(String::new(), |jdk| jdk.image.path().display().to_string());
            let found = parallel(&wanted, threads, || (), |(), name| read(jdk, name));
            for (name, class) in wanted.iter().zip(found) {
                match class {
                    Ok(Some(class)) if class.name() == name => {
                        self.add(class, &place, Origin::Jdk);
                    }
                    Ok(_) => self.add_missing(name, "it is not among the inputs and not in the JDK"),
                    Err(why) => self.add_missing(name, &why),
                }
            }
        }
        self.link();
        self.resolve(threads);
    }

    fn add_missing(&mut self, name: &str, why: &str) {
        if self.names.contains_key(name) {
            return;
        }
        self.gaps.push(Gap::new(shown("class", name), why));
        let mut table = Table::default();
        let text = table.add_text(name);
        table.classes.push(text);
        let is_object = name == "java/lang/Object";
        if !is_object {
            let object = table.add_text("java/lang/Object");
            table.classes.push(object);
        }
        let class = Class {
            table,
            this: ClassRef(0),
            superclass: (!is_object).then_some(ClassRef(1)),
            interfaces: Vec::new(),
            access: 0,
            source: None,
            annotations: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
        };
        self.add(class, "", Origin::Missing);
    }
}

/// A class as people write it, after a word.
pub(super) fn shown(word: &str, name: &str) -> String {
    format!("{word} {}", name.replace('/', "."))
}

fn read(jdk: Option<&Jdk>, name: &str) -> Result<Option<Class>, String> {
    let Some(jdk) = jdk else { return Ok(None) };
    jdk.image.class(name)?.map(|bytes| outline(&bytes)).transpose()
}

/// The classes that must be known for this one: those above it, and the owners of what its code uses.
fn named(class: &ClassInfo) -> impl Iterator<Item = &str> {
    let table = &class.code.table;
    let above = class.code.superclass.into_iter().chain(class.code.interfaces.iter().copied());
    let members = table.fields.iter().chain(&table.methods).map(|member| member.owner);
    let closures = table.closures.iter().flat_map(|made| [made.method.owner, made.body.member.owner]);
    let refs = above.chain(members).chain(closures).map(|owner| table.class(owner));
    refs.filter(|name| !name.starts_with('['))
}
