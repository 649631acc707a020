//! A whole program: classes by name, who extends whom, what a name in code refers to, which method a call runs. Classes of
//! the inputs have their code; those of the JDK are known by outline; those that are nowhere are stood in for, and
//! are gaps. All numbers follow from the inputs' order alone, whatever the threads do.

mod link;
mod load;
mod resolve;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

use crate::Gap;
use crate::ir::{self, Body, ClassRef, FieldRef, MethodRef};

macro_rules! ids {
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

ids! {
    /// A class of the program.
    ClassId,
    /// A method that some class declares.
    MethodId,
    /// A field that some class declares.
    FieldId,
    /// A method's name with its descriptor.
    Selector,
}

/// Not found.
const NONE: u32 = u32::MAX;

/// Where a class comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// From what is analysed: its code is known.
    Input,
    /// From the JDK: its outline is known.
    Jdk,
    /// From nowhere: only its name is known.
    Missing,
}

/// A class.
#[derive(Clone, Debug)]
pub struct ClassInfo {
    /// Its members and names.
    pub code: ir::Class,
    /// Where it comes from.
    pub origin: Origin,
    /// The file it was found in.
    pub place: String,
    /// Its superclass.
    pub superclass: Option<ClassId>,
    /// Its interfaces.
    pub interfaces: Vec<ClassId>,
    /// Itself and all classes and interfaces above it, sorted.
    above: Vec<ClassId>,
    /// Itself and all below it, sorted.
    below: Vec<ClassId>,
    first_method: u32,
    first_field: u32,
    /// What it declares: selectors (sorted) with their methods.
    declared: Vec<(Selector, MethodId)>,
    /// What the references in its code mean, by their number.
    class_refs: Vec<u32>,
    field_refs: Vec<u32>,
    method_refs: Vec<u32>,
}

/// A method.
#[derive(Clone, Copy, Debug)]
pub struct MethodInfo {
    /// The class that declares it.
    pub owner: ClassId,
    /// Its place among that class's methods.
    pub index: u32,
    /// Name and descriptor.
    pub selector: Selector,
    /// See `classfile::flags`.
    pub access: u16,
}

/// A field.
#[derive(Clone, Debug)]
pub struct FieldInfo {
    /// The class that declares it (or would, if it were there).
    pub owner: ClassId,
    /// See `classfile::flags`.
    pub access: u16,
    /// Its name.
    pub name: Box<str>,
    /// Its type.
    pub descriptor: Box<str>,
    /// Its place among the class's fields; `None` if the class does not declare it.
    pub index: Option<u32>,
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    classes: Vec<ClassInfo>,
    names: FxHashMap<Box<str>, ClassId>,
    methods: Vec<MethodInfo>,
    fields: Vec<FieldInfo>,
    selectors: FxHashMap<(Box<str>, Box<str>), Selector>,
    selector_names: Vec<(Box<str>, Box<str>)>,
    gaps: Vec<Gap>,
}

impl ClassInfo {
    /// Its name: `java/lang/String`.
    pub fn name(&self) -> &str {
        self.code.name()
    }

    /// Is it an interface?
    pub fn is_interface(&self) -> bool {
        self.code.access & classfile::flags::INTERFACE != 0
    }

    /// The methods it declares.
    pub fn methods(&self) -> impl ExactSizeIterator<Item = MethodId> + use<> {
        let first = self.first_method;
        (0..self.code.methods.len() as u32).map(move |index| MethodId(first + index))
    }

    /// The fields it declares.
    pub fn fields(&self) -> impl ExactSizeIterator<Item = FieldId> + use<> {
        let first = self.first_field;
        (0..self.code.fields.len() as u32).map(move |index| FieldId(first + index))
    }

    /// Itself and everything above it.
    pub fn above(&self) -> &[ClassId] {
        &self.above
    }

    /// Itself and everything below it.
    pub fn below(&self) -> &[ClassId] {
        &self.below
    }
}

impl Program {
    /// All classes.
    pub fn classes(&self) -> impl ExactSizeIterator<Item = (ClassId, &ClassInfo)> {
        self.classes.iter().enumerate().map(|(number, class)| (ClassId(number as u32), class))
    }

    /// How many classes there are.
    pub fn class_count(&self) -> usize {
        self.classes.len()
    }

    /// How many methods there are.
    pub fn method_count(&self) -> usize {
        self.methods.len()
    }

    /// How many fields there are.
    pub fn field_count(&self) -> usize {
        self.fields.len()
    }

    /// What could not be read.
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// A class. Ids are never made up, so that this is always there.
    pub fn class(&self, id: ClassId) -> &ClassInfo {
        &self.classes[id.index()]
    }

    /// A method.
    pub fn method(&self, id: MethodId) -> &MethodInfo {
        &self.methods[id.index()]
    }

    /// A field.
    pub fn field(&self, id: FieldId) -> &FieldInfo {
        &self.fields[id.index()]
    }

    /// The class of that name.
    pub fn class_named(&self, name: &str) -> Option<ClassId> {
        self.names.get(name).copied()
    }

    /// The method that a class declares, by name and descriptor.
    pub fn method_named(&self, class: &str, name: &str, descriptor: &str) -> Option<MethodId> {
        self.declared(self.class_named(class)?, self.selector(name, descriptor)?)
    }

    /// The field that a class declares, by name.
    pub fn field_named(&self, class: &str, name: &str) -> Option<FieldId> {
        let class = self.class(self.class_named(class)?);
        class.fields().find(|field| &*self.field(*field).name == name)
    }

    /// A method as its class has it.
    pub fn code(&self, id: MethodId) -> &ir::Method {
        let MethodInfo { owner, index, .. } = *self.method(id);
        &self.class(owner).code.methods[index as usize]
    }

    /// The body of a method, if there is one.
    pub fn body(&self, id: MethodId) -> Option<&Body> {
        self.code(id).body()
    }

    /// Name and descriptor of a method.
    pub fn names_of(&self, id: MethodId) -> (&str, &str) {
        let (name, descriptor) = &self.selector_names[self.method(id).selector.index()];
        (name, descriptor)
    }

    /// All methods of the inputs' classes.
    pub fn input_methods(&self) -> impl Iterator<Item = MethodId> {
        self.classes.iter().filter(|class| class.origin == Origin::Input).flat_map(ClassInfo::methods)
    }

    /// Is `below` the class `above` or one below it?
    pub fn is_below(&self, below: ClassId, above: ClassId) -> bool {
        self.class(below).above.binary_search(&above).is_ok()
    }

    /// The class that a class's code names; `None` for arrays, and for annotations that are nowhere.
    pub fn class_of(&self, class: ClassId, named: ClassRef) -> Option<ClassId> {
        some(&self.class(class).class_refs, named.index()).map(ClassId)
    }

    /// The field that a class's code names.
    pub fn field_of(&self, class: ClassId, named: FieldRef) -> Option<FieldId> {
        some(&self.class(class).field_refs, named.index()).map(FieldId)
    }

    /// The method that a class's code names, before the receiver's class has its say; `None` if there is none.
    pub fn method_of(&self, class: ClassId, named: MethodRef) -> Option<MethodId> {
        some(&self.class(class).method_refs, named.index()).map(MethodId)
    }
}

fn some(all: &[u32], at: usize) -> Option<u32> {
    all.get(at).copied().filter(|found| *found != NONE)
}
