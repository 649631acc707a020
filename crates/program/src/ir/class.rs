//! A class with its members, and the tables behind the references in its methods. A class stands alone: it knows others
//! by name only, so that classes can be read at the same time. Names are as in class files: `java/lang/String`, `[I`.

use super::body::{Body, Code};
use super::words::HandleKind;

/// References into the tables of a class.
macro_rules! refs {
    ($($(#[$doc:meta])* $name:ident,)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// Its index, for vectors.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )+};
}

refs! {
    /// A name or literal.
    TextId,
    /// A class named in this one.
    ClassRef,
    /// A field named in this class.
    FieldRef,
    /// A method named in this class.
    MethodRef,
    /// A method handle in this class.
    HandleRef,
    /// What a lambda or method reference of this class makes.
    ClosureRef,
    /// A dynamic call site or constant of this class.
    SiteRef,
}

/// A field or method as an instruction names it: the owner may be a subclass of the one that declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// The class it was asked of.
    pub owner: ClassRef,
    /// Its name.
    pub name: TextId,
    /// Its type.
    pub descriptor: TextId,
}

/// A method handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Handle {
    /// What it does.
    pub kind: HandleKind,
    /// With which field or method.
    pub member: Member,
}

/// What a lambda or method reference makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Closure {
    /// The interface's method that it implements.
    pub method: Member,
    /// What runs when that is called: captured values first, then the arguments.
    pub body: Handle,
}

/// A dynamic call site or constant that is neither a closure nor a concatenation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    /// The name given to the bootstrap method.
    pub name: TextId,
    /// The type of the call (`(…)…`) or of the constant.
    pub descriptor: TextId,
    /// The bootstrap method.
    pub bootstrap: Handle,
    /// Its constant arguments.
    pub arguments: Vec<Argument>,
}

/// A constant given to a bootstrap method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the format's own words; floats by their bits
pub enum Argument {
    Int(i32),
    Long(i64),
    Float(u32),
    Double(u64),
    Text(TextId),
    Class(ClassRef),
    Handle(HandleRef),
    MethodType(TextId),
    Site(SiteRef),
}

/// The names and references of a class.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Table {
    texts: String,
    ends: Vec<u32>,
    /// The classes, by name.
    pub classes: Vec<TextId>,
    /// The fields.
    pub fields: Vec<Member>,
    /// The methods.
    pub methods: Vec<Member>,
    /// The method handles.
    pub handles: Vec<Handle>,
    /// The closures.
    pub closures: Vec<Closure>,
    /// Other dynamic call sites and constants.
    pub sites: Vec<Site>,
}

impl Table {
    /// A name or literal.
    pub fn text(&self, id: TextId) -> &str {
        let start = match id.index().checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or_default(),
            None => 0,
        };
        let end = self.ends.get(id.index()).copied().unwrap_or_default();
        self.texts.get(start as usize..end as usize).unwrap_or_default()
    }

    /// How many texts there are.
    pub fn text_count(&self) -> usize {
        self.ends.len()
    }

    /// The name of a class.
    pub fn class(&self, class: ClassRef) -> &str {
        self.classes.get(class.index()).map_or("", |name| self.text(*name))
    }

    /// A field named here.
    pub fn field(&self, field: FieldRef) -> Option<Member> {
        self.fields.get(field.index()).copied()
    }

    /// A method named here.
    pub fn method(&self, method: MethodRef) -> Option<Member> {
        self.methods.get(method.index()).copied()
    }

    /// Owner, name and descriptor of a member as text.
    pub fn names(&self, member: Member) -> (&str, &str, &str) {
        (self.class(member.owner), self.text(member.name), self.text(member.descriptor))
    }

    /// Adds a text, even if there is the same one.
    pub fn add_text(&mut self, text: &str) -> TextId {
        self.texts.push_str(text);
        self.ends.push(self.texts.len() as u32);
        TextId(self.ends.len() as u32 - 1)
    }
}

/// A class or interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Its names and references.
    pub table: Table,
    /// Itself.
    pub this: ClassRef,
    /// Its superclass.
    pub superclass: Option<ClassRef>,
    /// Its interfaces.
    pub interfaces: Vec<ClassRef>,
    /// See `classfile::flags`.
    pub access: u16,
    /// The source file.
    pub source: Option<TextId>,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
    /// Its fields.
    pub fields: Vec<Field>,
    /// Its methods.
    pub methods: Vec<Method>,
}

/// A field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// See `classfile::flags`.
    pub access: u16,
    /// Its name.
    pub name: TextId,
    /// Its type.
    pub descriptor: TextId,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
}

/// A method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method {
    /// See `classfile::flags`. A synchronized method's body has `enter` and `exit` all the same.
    pub access: u16,
    /// Its name.
    pub name: TextId,
    /// Its type.
    pub descriptor: TextId,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
    /// What it does.
    pub code: Code,
}

impl Method {
    /// Its body, if there is one.
    pub fn body(&self) -> Option<&Body> {
        match &self.code {
            Code::Body(body) => Some(body),
            _ => None,
        }
    }

    /// Is it called without a receiver?
    pub fn is_static(&self) -> bool {
        self.access & classfile::flags::STATIC != 0
    }
}

/// An annotation: its class, and those of its values that are strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// The annotation's class.
    pub class: ClassRef,
    /// Names and strings; of several strings each has the name.
    pub values: Vec<(TextId, TextId)>,
}

impl Class {
    /// Its name.
    pub fn name(&self) -> &str {
        self.table.class(self.this)
    }

    /// The first method of that name, for tests and tools.
    pub fn method(&self, name: &str) -> Option<&Method> {
        self.methods.iter().find(|method| self.table.text(method.name) == name)
    }
}
