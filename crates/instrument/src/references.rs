//! Method references to methods of which model lines speak (`lock::unlock`, `list::add`). The class that Java makes for
//! one while the program runs is not woven, so the reference is given a method of our own that makes the call, and that
//! one is woven like any other. Sites show the method and line that hold the reference.
//!
//! References that are serialised are left alone: they are found again by the name of what they call. So are
//! references to constructors.

use classfile::{
    Assembler, Attribute, BootstrapMethod, Class, Constant, Instruction, MethodType, Result, Snippet, flags,
    op,
};
use events::models::Models;
use rustc_hash::FxHashMap;

use crate::method::moves;
use crate::models::plan_call;
use crate::{Options, PREFIX, Scope, World};

const INVOKE_VIRTUAL: u8 = 5;
const INVOKE_STATIC: u8 = 6;
const INVOKE_INTERFACE: u8 = 9;

/// A method that stands in for what a method reference names.
pub(crate) struct Bridge {
    pub name: Vec<u8>,
    /// Name and descriptor of the method that holds the reference.
    pub holder: (Vec<u8>, Vec<u8>),
    /// Its line there.
    pub line: u16,
}

/// What the reference names, if a model speaks of it: how it is called, and its constant.
fn named(
    class: &Class<'_>,
    world: &dyn World,
    models: &Models,
    options: &Options,
    entry: &BootstrapMethod,
) -> Result<Option<(u8, u16)>> {
    let reference = |index: u16| match class.pool.get(index) {
        Ok(Constant::MethodHandle { kind, reference }) => Some((kind, reference)),
        _ => None,
    };
    let Some((_, factory)) = reference(entry.method) else { return Ok(None) };
    let factory = class.pool.member_ref(factory)?;
    if factory.owner != b"java/lang/invoke/LambdaMetafactory" || factory.name != b"metafactory" {
        return Ok(None);
    }
    let Some((kind, member)) = entry.arguments.get(1).and_then(|index| reference(*index)) else {
        return Ok(None);
    };
    let opcode = match kind {
        INVOKE_VIRTUAL => op::INVOKEVIRTUAL,
        INVOKE_STATIC => op::INVOKESTATIC,
        INVOKE_INTERFACE => op::INVOKEINTERFACE,
        _ => return Ok(None),
    };
    let plan = plan_call(class, world, models, opcode, member)?;
    let accesses = options.scope == Scope::Whole;
    let told = plan.is_some_and(|plan| plan.parts.iter().any(|part| accesses || !part.is_access));
    Ok(told.then_some((opcode, member)))
}

/// Where an entry of the BootstrapMethods attribute is used.
struct Holder {
    /// The first use: method and pc.
    method: usize,
    pc: u32,
    /// What is captured there: the method that stands in has to take exactly these types. None if uses differ.
    captured: Option<Vec<u8>>,
}

/// The uses of all entries.
fn holders(class: &Class<'_>) -> Result<FxHashMap<u16, Holder>> {
    let mut found: FxHashMap<u16, Holder> = FxHashMap::default();
    for (number, method) in class.methods.iter().enumerate() {
        let Some(code) = class.code(method)? else { continue };
        for step in code.instructions() {
            if let (pc, Instruction::Invoke { opcode: op::INVOKEDYNAMIC, member }) = step? {
                let used = class.pool.dynamic_ref(member)?;
                let captured = used.descriptor.split(|&byte| byte == b')').next().unwrap_or_default();
                let captured = captured.get(1..).unwrap_or_default();
                let holder = found.entry(used.bootstrap).or_insert_with(|| Holder {
                    method: number,
                    pc,
                    captured: Some(captured.to_vec()),
                });
                holder.captured.take_if(|known| known != captured);
            }
        }
    }
    Ok(found)
}

/// The class with methods that stand in for method references; `None` if it has none that matter.
pub(crate) fn bridge(
    class: &Class<'_>,
    world: &dyn World,
    models: &Models,
    options: &Options,
) -> Result<Option<(Vec<u8>, Vec<Bridge>)>> {
    if options.scope == Scope::ModelOnly || class.major < 52 {
        return Ok(None);
    }
    let mut entries = class.bootstrap_methods()?;
    let mut wanted = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        if let Some((opcode, member)) = named(class, world, models, options, entry)? {
            wanted.push((number, opcode, member));
        }
    }
    if wanted.is_empty() {
        return Ok(None);
    }
    let holders = holders(class)?;
    let mut class = class.clone();
    let mut bridges = Vec::new();
    for (number, opcode, member) in wanted {
        let Some(Holder { method, pc, captured: Some(captured) }) = holders.get(&(number as u16)) else {
            continue;
        };
        let Some(method) = class.methods.get(*method) else { continue };
        let (name, descriptor) = class.member_name(method)?;
        let holder = (name.to_vec(), descriptor.to_vec());
        let line = class.code(method)?.and_then(|code| code.line_of(&class.pool, *pc)).unwrap_or(0);
        let name = format!("{PREFIX}m${}", bridges.len()).into_bytes();
        let handle = add(&mut class, &name, opcode, member, captured)?;
        if let Some(place) = entries.get_mut(number).and_then(|entry| entry.arguments.get_mut(1)) {
            *place = handle;
        }
        bridges.push(Bridge { name, holder, line });
    }
    write(&mut class, &entries);
    Ok(Some((class.write()?, bridges)))
}

/// Adds the method that makes the call; a handle to it. `captured`: types of leading parameters, perhaps below those of
/// the method called.
fn add(class: &mut Class<'_>, name: &[u8], opcode: u8, member: u16, captured: &[u8]) -> Result<u16> {
    let found = class.pool.member_ref(member)?;
    let called = found.descriptor.to_vec();
    let mut descriptor = b"(".to_vec();
    if opcode == op::INVOKESTATIC {
        descriptor.extend_from_slice(called.get(1..).unwrap_or_default());
    } else {
        // Nothing but the receiver can be captured.
        let receiver = [b"L", found.owner, b";"].concat();
        descriptor.extend_from_slice(if captured.is_empty() { &receiver } else { captured });
        descriptor.extend_from_slice(called.get(1..).unwrap_or_default());
    }
    let mut code = Snippet::new();
    let mut end = op::RETURN;
    if let Some(types) = MethodType::parse(&descriptor) {
        let mut local = 0;
        for parameter in types.parameters() {
            code.load(moves(parameter), local);
            local += parameter.slots();
        }
        if let Some(result) = types.result() {
            end = op::IRETURN + moves(result) as u8;
        }
    }
    code.invoke_at(opcode, member, &called)?.plain(end)?;
    let mut method = Assembler::new();
    method.add(&code);
    let access = flags::PRIVATE | flags::STATIC | flags::SYNTHETIC;
    method.finish(class, access, name, &descriptor)?;
    let owner = class.name()?.to_vec();
    let made = if class.access & flags::INTERFACE != 0 {
        class.pool.add_interface_method_ref(&owner, name, &descriptor)?
    } else {
        class.pool.add_method_ref(&owner, name, &descriptor)?
    };
    class.pool.add_method_handle(INVOKE_STATIC, made)
}

/// Writes the BootstrapMethods attribute anew.
fn write(class: &mut Class<'_>, entries: &[BootstrapMethod]) {
    let mut body = (entries.len() as u16).to_be_bytes().to_vec();
    for entry in entries {
        body.extend(entry.method.to_be_bytes());
        body.extend((entry.arguments.len() as u16).to_be_bytes());
        body.extend(entry.arguments.iter().flat_map(|argument| argument.to_be_bytes()));
    }
    let Class { pool, attributes, .. } = class;
    let mut all = attributes.iter_mut();
    if let Some(attribute) = all.find(|attribute| pool.utf8(attribute.name) == Ok(b"BootstrapMethods")) {
        *attribute = Attribute::new(attribute.name, body);
    }
}
