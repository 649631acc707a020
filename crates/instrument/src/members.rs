//! What is added to a class: the object's number, shadow words for its watched fields, and the accessors that look at the
//! shadow word and call the probe only when it is not up to date. Several fields share a word. Final fields have none:
//! if somebody may see one before its constructor has ended, a flag says when it has, and nothing is told from then on.
//! Deterministic: the same bytes give the same members.

use classfile::{Assembler, Class, Kind as Moves, Result, Snippet, Value, flags, op};
use rustc_hash::FxHashMap;

use crate::class::Weaving;
use crate::constructors::{self, Keeping};
use crate::names::{FROZEN, KEEPS, NUMBER, accessor_name, is_method_name, overloaded, shadow_name};
use crate::probe::{Probe, Probes};
use crate::{Failure, Scope};

/// The fields that the class declares.
#[derive(Default)]
pub(crate) struct Own {
    /// By name and descriptor.
    fields: FxHashMap<(Vec<u8>, Vec<u8>), OwnField>,
    /// The flag that says that the constructor has ended, if that is to be told.
    pub frozen: Option<u16>,
    /// Do the constructors keep `this` to themselves, and is there nobody else who sees a new object? 0: no; else
    /// [`KEEPING`] or [`BLANK`].
    pub keeping: i32,
    /// Is the end of a constructor told?
    pub freezes: bool,
    /// Does it say what happens to its dead objects?
    pub finalised: bool,
    /// Calls of accessors.
    pub calls: Vec<Snippet>,
}

/// A field of the class itself.
#[derive(Clone, Copy)]
pub(crate) struct OwnField {
    pub flags: u16,
    /// The calls of the accessors, if it has any: positions among [`Own::calls`] for reads and updates.
    pub accessors: Option<(usize, usize)>,
    /// The constant of the shadow word that the accessors look at, and where in it the field's bits are.
    pub word: Option<(u16, i32)>,
    /// Is nothing of it ever told?
    pub settled: bool,
}

impl Own {
    pub fn get(&self, name: &[u8], descriptor: &[u8]) -> Option<OwnField> {
        if self.fields.is_empty() {
            return None;
        }
        self.fields.get(&(name.to_vec(), descriptor.to_vec())).copied()
    }
}

/// The constructors of a class keep `this` to themselves.
pub(crate) const KEEPING: i32 = 1;
/// So they do, and leave the fields that hold references as they were: null.
pub(crate) const BLANK: i32 = 2;

/// How many fields share a shadow word: four bits each, below the forty of the token.
const FIELDS: usize = 6;
const BITS: usize = 4;

/// Is the field watched by accessors? Final statics are never watched, nor are those that a compiler or another agent
/// made for itself; volatile fields are told each time.
fn has_accessors(access: u16, name: &[u8]) -> bool {
    let constant = access & flags::STATIC != 0 && access & (flags::FINAL | flags::SYNTHETIC) != 0;
    !constant && access & flags::VOLATILE == 0 && is_method_name(name)
}

fn is_final(access: u16) -> bool {
    access & (flags::FINAL | flags::STATIC) == flags::FINAL
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
    let mut has_finals = false;
    for field in &class.fields {
        let (name, descriptor) = class.member_name(field)?;
        declared.push((field.access, name.to_vec(), descriptor.to_vec()));
        has_finals |= is_final(field.access);
    }
    let several = overloaded(declared.iter().map(|(_, name, _)| name.as_slice()));
    let mut changed = false;
    let numbered = class
        .super_name()?
        .is_some_and(|above| above != b"java/lang/Object" && weaving.world.is_woven(above));
    let hidden = flags::PUBLIC | flags::TRANSIENT | flags::SYNTHETIC;
    if !is_interface && !numbered {
        class.add_field(hidden, NUMBER, b"J")?;
        changed = true;
    }
    let whole = scope == Scope::Whole && !is_interface;
    let finals = weaving.options.finals;
    let keeping = if whole { constructors::keep_this(class) } else { Keeping::No };
    weaving.own.finalised = is_finalised(class)?;
    if whole {
        let keeps = keeping != Keeping::No && !weaving.own.finalised;
        let keeping = match keeps {
            true if constructors::leave_references(class)? => BLANK,
            true => KEEPING,
            false => 0,
        };
        if class.super_name()? == Some(b"java/lang/Object") {
            weaving.own.keeping = keeping;
        }
        class.add_constant(flags::PUBLIC | flags::SYNTHETIC, KEEPS, keeping)?;
        changed = true;
    }
    let settled = has_finals && !finals && (!whole || keeping == Keeping::Yes);
    weaving.own.freezes = has_finals && !settled;
    if weaving.own.freezes && !finals {
        class.add_field(hidden, FROZEN, b"Z")?;
        weaving.own.frozen = Some(class.pool.add_field_ref(&weaving.name, FROZEN, b"Z")?);
    }
    // Of objects and of the class: the word that is being filled, and how many fields it has.
    let mut words = [(0u16, 0usize, FIELDS); 2];
    for (access, name, descriptor) in &declared {
        let settled = settled && is_final(*access);
        let (mut accessors, mut word_of) = (None, None);
        if whole && !settled && has_accessors(*access, name) {
            let several = several.contains(name.as_slice());
            let is_static = access & flags::STATIC != 0;
            let guard = match weaving.own.frozen {
                Some(flag) if is_final(*access) => Guard::Frozen(flag),
                _ => {
                    let [of_objects, of_class] = &mut words;
                    let (word, number, used) = if is_static { of_class } else { of_objects };
                    if *used == FIELDS {
                        let shadow = shadow_name(*number, is_static);
                        class.add_field(hidden | access & flags::STATIC, &shadow, b"J")?;
                        (*word, *number, *used) =
                            (class.pool.add_field_ref(&weaving.name, &shadow, b"J")?, *number + 1, 0);
                    }
                    *used += 1;
                    let shift = ((*used - 1) * BITS) as i32;
                    word_of = Some((*word, shift));
                    Guard::Word { shadow: *word, shift }
                }
            };
            let mut add = |write: bool| {
                let name = accessor_name(write, name, descriptor, several);
                Accessor { guard, is_static, write, name }.add(class, &mut weaving.probes, &weaving.name)
            };
            let both = [add(false)?, add(true)?];
            let descriptor = accessor_descriptor(&weaving.name, is_static);
            for index in both {
                let mut call = Snippet::new();
                call.invoke_at(op::INVOKESTATIC, index, &descriptor)?;
                weaving.own.calls.push(call);
            }
            let made = weaving.own.calls.len();
            accessors = Some((made - 2, made - 1));
            changed = true;
        }
        let field = OwnField { flags: *access, accessors, word: word_of, settled };
        weaving.own.fields.insert((name.clone(), descriptor.clone()), field);
    }
    Ok(changed)
}

/// Does the class say what happens to its dead objects? Then another thread sees them.
fn is_finalised(class: &Class<'_>) -> Result<bool> {
    for method in &class.methods {
        if class.member_name(method)? == (b"finalize", b"()V") {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The descriptor of accessors: receiver and site; the site alone for statics.
fn accessor_descriptor(class: &[u8], is_static: bool) -> Vec<u8> {
    if is_static {
        return b"(I)V".to_vec();
    }
    [b"(L", class, b";I)V"].concat()
}

/// What an accessor looks at before it calls the probe.
#[derive(Clone, Copy)]
enum Guard {
    /// A shadow word's constant, and where in it the field's bits are.
    Word { shadow: u16, shift: i32 },
    /// The constant of the flag that says that final fields need not be told any more.
    Frozen(u16),
}

struct Accessor {
    name: Vec<u8>,
    guard: Guard,
    is_static: bool,
    write: bool,
}

impl Accessor {
    /// Adds the method and returns its constant. Less than 35 bytes: what both compilers inline whether it is hot or not.
    ///
    /// ```text
    /// if (o == null) return;                                                  if (o == null) return;
    /// long w = o.shadow;                                                      if (!o.frozen) Probe.readAny(o, site);
    /// if (!Probe.knowsRead(w, shift)) o.shadow = Probe.read(o, w, site, shift);
    /// ```
    fn add(&self, class: &mut Class<'_>, probes: &mut Probes, name: &[u8]) -> Result<u16> {
        let descriptor = accessor_descriptor(name, self.is_static);
        let mut method = Assembler::new();
        let end = method.label();
        if !self.is_static {
            let mut this = Snippet::new();
            this.load(Moves::Reference, 0);
            method.add(&this).branch(op::IFNULL, end)?;
        }
        match self.guard {
            Guard::Word { shadow, shift } => {
                let (site, word) = if self.is_static { (0, 1) } else { (1, 2) };
                let mut code = Snippet::new();
                if self.is_static {
                    code.field_at(op::GETSTATIC, shadow, b"J")?;
                } else {
                    code.load(Moves::Reference, 0).field_at(op::GETFIELD, shadow, b"J")?;
                }
                code.store(Moves::Long, word).load(Moves::Long, word).int(&mut class.pool, shift)?;
                let known = if self.write { Probe::KnowsWrite } else { Probe::KnowsRead };
                probes.call(&mut class.pool, &mut code, known)?;
                method.add(&code).branch(op::IFNE, end)?;
                let mut slow = Snippet::new();
                if self.is_static {
                    slow.plain(op::ACONST_NULL)?;
                } else {
                    slow.load(Moves::Reference, 0).load(Moves::Reference, 0);
                }
                slow.load(Moves::Long, word).load(Moves::Int, site).int(&mut class.pool, shift)?;
                probes.call(
                    &mut class.pool,
                    &mut slow,
                    if self.write { Probe::Write } else { Probe::Read },
                )?;
                slow.field_at(if self.is_static { op::PUTSTATIC } else { op::PUTFIELD }, shadow, b"J")?;
                method.add(&slow);
            }
            Guard::Frozen(flag) => {
                let mut code = Snippet::new();
                code.load(Moves::Reference, 0).field_at(op::GETFIELD, flag, b"Z")?;
                method.add(&code).branch(op::IFNE, end)?;
                let mut slow = Snippet::new();
                slow.load(Moves::Reference, 0).load(Moves::Int, 1);
                let told = if self.write { Probe::WriteAny } else { Probe::ReadAny };
                probes.call(&mut class.pool, &mut slow, told)?;
                method.add(&slow);
            }
        }
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
