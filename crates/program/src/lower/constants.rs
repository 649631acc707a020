//! The constant pool of a class file to the tables of register code, each entry when it is first met. Dynamic call sites
//! are told apart here: closures, concatenations, others.

use classfile::{BootstrapMethod, Class as File, Constant, MethodType, Type, text};

use super::{Result, Trouble};
use crate::ir::{
    Argument, ClassRef, Closure, ClosureRef, FieldRef, Handle, HandleKind, HandleRef, Kind, Member,
    MethodRef, Op, Site, SiteRef, Table, TextId,
};

/// How deep dynamic constants may be nested; a class can make them go in circles.
const DEEPEST: u32 = 4;

const UNKNOWN: u32 = u32::MAX;

/// What an `invokedynamic` makes.
#[derive(Clone, Copy)]
pub enum Dynamic {
    Closure(ClosureRef),
    Concat(TextId),
    Site(SiteRef),
}

/// What a method needs to be called: kinds are looked up once for each constant.
#[derive(Clone)]
pub struct Signature {
    /// The parameters' kinds, without the receiver.
    pub parameters: Vec<Kind>,
    pub result: Option<Kind>,
}

pub struct Constants<'f> {
    file: &'f File<'f>,
    pub table: Table,
    texts: Vec<u32>,
    classes: Vec<u32>,
    fields: Vec<u32>,
    methods: Vec<u32>,
    /// By method, as in the table.
    signatures: Vec<Signature>,
    /// By field, as in the table.
    kinds: Vec<Kind>,
    bootstraps: Option<Vec<BootstrapMethod>>,
}

/// A constant's text. What is no text (lone surrogates) gets a spelling of its own, so that names stay different.
pub fn decoded(raw: &[u8]) -> std::borrow::Cow<'_, str> {
    text::decode(raw).unwrap_or_else(|| {
        let digits: String = raw.iter().map(|byte| format!("{byte:02x}")).collect();
        std::borrow::Cow::Owned(format!("\u{fffd}{digits}"))
    })
}

fn malformed<T>(what: &'static str) -> Result<T> {
    Err(Trouble::Malformed(what))
}

impl<'f> Constants<'f> {
    pub fn new(file: &'f File<'f>) -> Constants<'f> {
        let none = vec![UNKNOWN; usize::from(file.pool.count())];
        Constants {
            file,
            table: Table::default(),
            texts: none.clone(),
            classes: none.clone(),
            fields: none.clone(),
            methods: none,
            signatures: Vec::new(),
            kinds: Vec::new(),
            bootstraps: None,
        }
    }

    /// A text constant.
    pub fn text(&mut self, index: u16) -> Result<TextId> {
        if let Some(known) = self.texts.get(usize::from(index)).filter(|known| **known != UNKNOWN) {
            return Ok(TextId(*known));
        }
        let id = self.table.add_text(&decoded(self.file.pool.utf8(index)?));
        if let Some(place) = self.texts.get_mut(usize::from(index)) {
            *place = id.0;
        }
        Ok(id)
    }

    /// A class constant.
    pub fn class(&mut self, index: u16) -> Result<ClassRef> {
        if let Some(known) = self.classes.get(usize::from(index)).filter(|known| **known != UNKNOWN) {
            return Ok(ClassRef(*known));
        }
        let Constant::Class { name } = self.file.pool.get(index)? else {
            return malformed("not a class constant");
        };
        let name = self.text(name)?;
        let found = self.new_class(name);
        if let Some(place) = self.classes.get_mut(usize::from(index)) {
            *place = found.0;
        }
        Ok(found)
    }

    fn new_class(&mut self, name: TextId) -> ClassRef {
        self.table.classes.push(name);
        ClassRef(self.table.classes.len() as u32 - 1)
    }

    /// A class that no constant names.
    pub fn named_class(&mut self, internal: &str) -> ClassRef {
        let name = self.table.add_text(internal);
        self.new_class(name)
    }

    /// The class of arrays whose elements are of that class constant.
    pub fn array_of(&mut self, index: u16) -> Result<ClassRef> {
        let element = self.class(index)?;
        let name = self.table.class(element);
        let array = if name.starts_with('[') { format!("[{name}") } else { format!("[L{name};") };
        Ok(self.named_class(&array))
    }

    /// Owner, name and descriptor of a member constant.
    fn member(&mut self, index: u16) -> Result<Member> {
        let (class, name_and_type) = match self.file.pool.get(index)? {
            Constant::FieldRef { class, name_and_type }
            | Constant::MethodRef { class, name_and_type }
            | Constant::InterfaceMethodRef { class, name_and_type } => (class, name_and_type),
            _ => return malformed("not a field or method"),
        };
        let (name, descriptor) = self.name_and_type(name_and_type)?;
        Ok(Member { owner: self.class(class)?, name, descriptor })
    }

    fn name_and_type(&mut self, index: u16) -> Result<(TextId, TextId)> {
        let Constant::NameAndType { name, descriptor } = self.file.pool.get(index)? else {
            return malformed("not a name with a type");
        };
        Ok((self.text(name)?, self.text(descriptor)?))
    }

    /// A field and the kind of its values.
    pub fn field(&mut self, index: u16) -> Result<(FieldRef, Kind)> {
        if let Some(known) = self.fields.get(usize::from(index)).filter(|known| **known != UNKNOWN) {
            let kind = self.kinds.get(*known as usize).copied().unwrap_or(Kind::Ref);
            return Ok((FieldRef(*known), kind));
        }
        let member = self.member(index)?;
        let Some(of) = Type::parse(self.table.text(member.descriptor).as_bytes()) else {
            return malformed("a field's descriptor cannot be read");
        };
        let kind = Kind::of(of);
        let found = self.table.fields.len() as u32;
        self.table.fields.push(member);
        self.kinds.push(kind);
        if let Some(place) = self.fields.get_mut(usize::from(index)) {
            *place = found;
        }
        Ok((FieldRef(found), kind))
    }

    /// A method.
    pub fn method(&mut self, index: u16) -> Result<MethodRef> {
        if let Some(known) = self.methods.get(usize::from(index)).filter(|known| **known != UNKNOWN) {
            return Ok(MethodRef(*known));
        }
        let member = self.member(index)?;
        let signature = signature(self.table.text(member.descriptor))?;
        let found = self.table.methods.len() as u32;
        self.table.methods.push(member);
        self.signatures.push(signature);
        if let Some(place) = self.methods.get_mut(usize::from(index)) {
            *place = found;
        }
        Ok(MethodRef(found))
    }

    /// What a method takes and gives.
    pub fn signature(&self, method: MethodRef) -> Option<&Signature> {
        self.signatures.get(method.index())
    }

    /// A method handle constant.
    fn handle(&mut self, index: u16) -> Result<Handle> {
        let Constant::MethodHandle { kind, reference } = self.file.pool.get(index)? else {
            return malformed("not a method handle");
        };
        let Some(kind) = HandleKind::of(kind) else { return malformed("no such kind of method handle") };
        let member = self.member(reference)?;
        let descriptor = self.table.text(member.descriptor).as_bytes();
        let readable = match kind.is_field() {
            true => Type::parse(descriptor).is_some(),
            false => MethodType::parse(descriptor).is_some(),
        };
        if readable { Ok(Handle { kind, member }) } else { malformed("a descriptor cannot be read") }
    }

    fn handle_ref(&mut self, index: u16) -> Result<HandleRef> {
        let handle = self.handle(index)?;
        self.table.handles.push(handle);
        Ok(HandleRef(self.table.handles.len() as u32 - 1))
    }

    /// What `ldc` loads.
    pub fn loaded(&mut self, index: u16) -> Result<(Op, Kind)> {
        Ok(match self.file.pool.get(index)? {
            Constant::Integer(value) => (Op::Int(value), Kind::Int),
            Constant::Float(value) => (Op::Float(value.to_bits()), Kind::Float),
            Constant::Long(value) => (Op::Long(value), Kind::Long),
            Constant::Double(value) => (Op::Double(value.to_bits()), Kind::Double),
            Constant::String { text } => (Op::Text(self.text(text)?), Kind::Ref),
            Constant::Class { .. } => (Op::Class(self.class(index)?), Kind::Ref),
            Constant::MethodHandle { .. } => (Op::Handle(self.handle_ref(index)?), Kind::Ref),
            Constant::MethodType { descriptor } => (Op::MethodType(self.text(descriptor)?), Kind::Ref),
            Constant::Dynamic { bootstrap, name_and_type } => {
                let site = self.site(bootstrap, name_and_type, 0)?;
                let descriptor = self.table.text(site.descriptor).as_bytes();
                let Some(kind) = Type::parse(descriptor).map(Kind::of) else {
                    return malformed("the type of a dynamic constant cannot be read");
                };
                let arguments = crate::ir::List::default();
                (Op::Dynamic { site: self.add_site(site), arguments }, kind)
            }
            _ => return malformed("this constant cannot be loaded"),
        })
    }

    fn add_site(&mut self, site: Site) -> SiteRef {
        self.table.sites.push(site);
        SiteRef(self.table.sites.len() as u32 - 1)
    }

    fn bootstrap(&mut self, number: u16) -> Result<BootstrapMethod> {
        if self.bootstraps.is_none() {
            self.bootstraps = Some(self.file.bootstrap_methods()?);
        }
        let found = self.bootstraps.as_ref().and_then(|all| all.get(usize::from(number)));
        found.cloned().map_or_else(|| malformed("no such bootstrap method"), Ok)
    }

    fn site(&mut self, bootstrap: u16, name_and_type: u16, depth: u32) -> Result<Site> {
        if depth > DEEPEST {
            return malformed("dynamic constants are nested too deeply");
        }
        let (name, descriptor) = self.name_and_type(name_and_type)?;
        let found = self.bootstrap(bootstrap)?;
        let bootstrap = self.handle(found.method)?;
        let mut arguments = Vec::with_capacity(found.arguments.len());
        for index in found.arguments {
            arguments.push(match self.file.pool.get(index)? {
                Constant::Dynamic { bootstrap, name_and_type } => {
                    let site = self.site(bootstrap, name_and_type, depth + 1)?;
                    Argument::Site(self.add_site(site))
                }
                _ => match self.loaded(index)?.0 {
                    Op::Int(value) => Argument::Int(value),
                    Op::Long(value) => Argument::Long(value),
                    Op::Float(bits) => Argument::Float(bits),
                    Op::Double(bits) => Argument::Double(bits),
                    Op::Text(text) => Argument::Text(text),
                    Op::Class(class) => Argument::Class(class),
                    Op::Handle(handle) => Argument::Handle(handle),
                    Op::MethodType(text) => Argument::MethodType(text),
                    _ => return malformed("a bootstrap method has an argument that is no constant"),
                },
            });
        }
        Ok(Site { name, descriptor, bootstrap, arguments })
    }

    /// What an `invokedynamic` means, takes and gives.
    pub fn dynamic(&mut self, index: u16) -> Result<(Dynamic, Signature)> {
        let Constant::InvokeDynamic { bootstrap, name_and_type } = self.file.pool.get(index)? else {
            return malformed("not a dynamic call site");
        };
        let site = self.site(bootstrap, name_and_type, 0)?;
        let signature = signature(self.table.text(site.descriptor))?;
        let (owner, name, _) = self.table.names(site.bootstrap.member);
        let made = match (owner, name) {
            ("java/lang/invoke/LambdaMetafactory", "metafactory" | "altMetafactory") => {
                self.closure(&site).map(Dynamic::Closure)
            }
            ("java/lang/invoke/StringConcatFactory", "makeConcatWithConstants") => {
                match site.arguments.first() {
                    Some(Argument::Text(recipe)) => Some(Dynamic::Concat(*recipe)),
                    _ => None,
                }
            }
            ("java/lang/invoke/StringConcatFactory", "makeConcat") => {
                let recipe = "\u{1}".repeat(signature.parameters.len());
                Some(Dynamic::Concat(self.table.add_text(&recipe)))
            }
            _ => None,
        };
        let is_object = signature.result == Some(Kind::Ref);
        match made.filter(|_| is_object) {
            Some(made) => Ok((made, signature)),
            None => Ok((Dynamic::Site(self.add_site(site)), signature)),
        }
    }

    /// The closure that a call of the lambda factory makes, if its arguments are as they must be.
    fn closure(&mut self, site: &Site) -> Option<ClosureRef> {
        let [Argument::MethodType(erased), Argument::Handle(body), ..] = site.arguments[..] else {
            return None;
        };
        let types = MethodType::parse(self.table.text(site.descriptor).as_bytes())?;
        let interface = types.result()?.class_name()?;
        let interface = String::from_utf8_lossy(interface).into_owned();
        MethodType::parse(self.table.text(erased).as_bytes())?;
        let body = *self.table.handles.get(body.index())?;
        // What is captured must be among what the body takes.
        let takes = MethodType::parse(self.table.text(body.member.descriptor).as_bytes())?;
        let receiver = usize::from(!matches!(body.kind, HandleKind::Static | HandleKind::New));
        let takes: Vec<Kind> =
            std::iter::repeat_n(Kind::Ref, receiver).chain(takes.parameters().map(Kind::of)).collect();
        let captured: Vec<Kind> = types.parameters().map(Kind::of).collect();
        if body.kind.is_field() || !takes.starts_with(&captured) {
            return None;
        }
        let owner = self.named_class(&interface);
        let method = Member { owner, name: site.name, descriptor: erased };
        self.table.closures.push(Closure { method, body });
        Some(ClosureRef(self.table.closures.len() as u32 - 1))
    }
}

fn signature(descriptor: &str) -> Result<Signature> {
    let Some(types) = MethodType::parse(descriptor.as_bytes()) else {
        return malformed("a method's descriptor cannot be read");
    };
    Ok(Signature {
        parameters: types.parameters().map(Kind::of).collect(),
        result: types.result().map(Kind::of),
    })
}
