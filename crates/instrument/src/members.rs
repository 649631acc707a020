//! What is added to a class: the object's number, a shadow word for each watched field, and the accessors that look
//! at the shadow word and call the probe only when it is not up to date. Deterministic: the same bytes give the same
//! members.

use classfile::{Assembler, Class, Kind as Moves, Result, Snippet, Value, flags, op};
use rustc_hash::FxHashMap;

use crate::class::Weaving;
use crate::names::{NUMBER, accessor_name, is_method_name, overloaded, shadow_name};
use crate::probe::{Probe, Probes};
use crate::{Failure, Scope};

/// The fields that the class declares.
#[derive(Default)]
pub(crate) struct Own {
    /// By name and descriptor.
    fields: FxHashMap<(Vec<u8>, Vec<u8>), OwnField>,
    /// Has it final instance fields?
    pub has_finals: bool,
    /// Calls of accessors.
    pub calls: Vec<Snippet>,
}

/// A field of the class itself.
#[derive(Clone, Copy)]
pub(crate) struct OwnField {
    pub flags: u16,
    /// The calls of the accessors, if it has a shadow word: positions among [`Own::calls`] for reads and updates.
    pub accessors: Option<(usize, usize)>,
}

impl Own {
    pub fn get(&self, name: &[u8], descriptor: &[u8]) -> Option<OwnField> {
        if self.fields.is_empty() {
            return None;
        }
        self.fields.get(&(name.to_vec(), descriptor.to_vec())).copied()
    }
}

/// Has the field a shadow word? Final statics are never watched, nor are those that a compiler or another agent made
/// for itself; volatile fields are told each time.
fn has_shadow(access: u16, name: &[u8]) -> bool {
    let constant = access & flags::STATIC != 0 && access & (flags::FINAL | flags::SYNTHETIC) != 0;
    !constant && access & flags::VOLATILE == 0 && is_method_name(name)
}

/// Adds the members. Says whether there are any.
pub(crate) fn add(weaving: &mut Weaving<'_, '_>) -> std::result::Result<bool, Failure> {
    let scope = weaving.options.scope;
    if scope == Scope::ModelOnly {
        return Ok(false);
    }
    let class = &mut weaving.class;
    let is_interface = class.access & flags::INTERFACE != 0;
    let mut declared = Vec::with_capacity(class.fields.len());
    for field in &class.fields {
        let (name, descriptor) = class.member_name(field)?;
        declared.push((field.access, name.to_vec(), descriptor.to_vec()));
        weaving.own.has_finals |= field.access & (flags::FINAL | flags::STATIC) == flags::FINAL;
    }
    let several = overloaded(declared.iter().map(|(_, name, _)| name.as_slice()));
    let mut changed = false;
    let numbered = class
        .super_name()?
        .is_some_and(|above| above != b"java/lang/Object" && weaving.world.is_woven(above));
    if !is_interface && !numbered {
        class.add_field(flags::PUBLIC | flags::TRANSIENT | flags::SYNTHETIC, NUMBER, b"J")?;
        changed = true;
    }
    for (access, name, descriptor) in &declared {
        let mut accessors = None;
        if scope == Scope::Whole && !is_interface && has_shadow(*access, name) {
            let several = several.contains(name.as_slice());
            let shadow = shadow_name(name, descriptor, several);
            let is_static = access & flags::STATIC;
            let flags = flags::PUBLIC | flags::TRANSIENT | flags::SYNTHETIC | is_static;
            class.add_field(flags, &shadow, b"J")?;
            let shadow = class.pool.add_field_ref(&weaving.name, &shadow, b"J")?;
            let mut add = |write: bool| {
                let accessor = Accessor {
                    shadow,
                    is_static: is_static != 0,
                    write,
                    name: accessor_name(write, name, descriptor, several),
                };
                accessor.add(class, &mut weaving.probes, &weaving.name)
            };
            let both = [add(false)?, add(true)?];
            let descriptor = accessor_descriptor(&weaving.name, is_static != 0);
            for index in both {
                let mut call = Snippet::new();
                call.invoke_at(op::INVOKESTATIC, index, &descriptor)?;
                weaving.own.calls.push(call);
            }
            let made = weaving.own.calls.len();
            accessors = Some((made - 2, made - 1));
            changed = true;
        }
        weaving.own.fields.insert((name.clone(), descriptor.clone()), OwnField { flags: *access, accessors });
    }
    Ok(changed)
}

/// The descriptor of accessors: receiver and site; the site alone for statics.
fn accessor_descriptor(class: &[u8], is_static: bool) -> Vec<u8> {
    if is_static {
        return b"(I)V".to_vec();
    }
    [b"(L", class, b";I)V"].concat()
}

struct Accessor {
    name: Vec<u8>,
    /// The shadow word's constant.
    shadow: u16,
    is_static: bool,
    write: bool,
}

impl Accessor {
    /// Adds the method and returns its constant. Less than 35 bytes: what both compilers inline whether it is hot or not.
    ///
    /// ```text
    /// if (o == null) return;
    /// long w = o.shadow;
    /// if (!Probe.knowsRead(w)) o.shadow = Probe.read(o, w, site);
    /// ```
    fn add(&self, class: &mut Class<'_>, probes: &mut Probes, name: &[u8]) -> Result<u16> {
        let descriptor = accessor_descriptor(name, self.is_static);
        let (site, word) = if self.is_static { (0, 1) } else { (1, 2) };
        let mut method = Assembler::new();
        let end = method.label();
        let mut code = Snippet::new();
        if self.is_static {
            code.field_at(op::GETSTATIC, self.shadow, b"J")?;
        } else {
            let mut this = Snippet::new();
            this.load(Moves::Reference, 0);
            method.add(&this).branch(op::IFNULL, end)?;
            code.load(Moves::Reference, 0).field_at(op::GETFIELD, self.shadow, b"J")?;
        }
        code.store(Moves::Long, word).load(Moves::Long, word);
        let known = if self.write { Probe::KnowsWrite } else { Probe::KnowsRead };
        probes.call(&mut class.pool, &mut code, known)?;
        method.add(&code).branch(op::IFNE, end)?;
        let mut slow = Snippet::new();
        if self.is_static {
            slow.plain(op::ACONST_NULL)?;
        } else {
            slow.load(Moves::Reference, 0).load(Moves::Reference, 0);
        }
        slow.load(Moves::Long, word).load(Moves::Int, site);
        probes.call(&mut class.pool, &mut slow, if self.write { Probe::Write } else { Probe::Read })?;
        slow.field_at(if self.is_static { op::PUTSTATIC } else { op::PUTFIELD }, self.shadow, b"J")?;
        method.add(&slow);
        let this = Value::Object(classfile::ClassRef::constant(class.this_class));
        let locals: &[Value] = if self.is_static { &[Value::Int] } else { &[this, Value::Int] };
        method.bind_frame(end, locals, &[])?;
        let mut done = Snippet::new();
        done.plain(op::RETURN)?;
        method.add(&done);
        let access = flags::PUBLIC | flags::STATIC | flags::SYNTHETIC;
        method.finish(class, access, &self.name, &descriptor)?;
        class.pool.add_method_ref(name, &self.name, &descriptor)
    }
}
