//! What is added to a class: the object's number, shadow words for its watched fields, and for static ones the accessors that
//! look at the shadow word and call the probe only when it is not up to date. Several fields share a word. Final fields have none:
//! if somebody may see one before its constructor has ended, a flag says when it has, and nothing is told from then on.
//! Deterministic: the same bytes give the same members.

use classfile::{Assembler, Class, Kind as Moves, Result, Snippet, Value, flags, op};
use rustc_hash::FxHashMap;

use crate::class::Weaving;
use crate::constructors::{self, Keeping};
use crate::names::{FROZEN, KEEPS, NUMBER, accessor_name, is_method_name, overloaded, shadow_name};
use crate::probe::{Probe, Probes};
use crate::{Failure, Place, Scope};

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
    /// How its accesses are told.
    pub told: OwnTold,
    /// Is nothing of it ever told?
    pub settled: bool,
}

/// How accesses to a plain field of the class itself are told.
#[derive(Clone, Copy)]
pub(crate) enum OwnTold {
    /// Of a static field, by accessors.
    Accessors(Accessors),
    /// By the probe, which looks here: of a field of objects.
    Place(Place),
    /// Each time.
    Any,
}

/// What tells the accesses to a static field.
#[derive(Clone, Copy)]
pub(crate) struct Accessors {
    /// The calls: positions among [`Own::calls`].
    pub read: usize,
    pub update: usize,
    /// The constant of the shadow word that they look at, and where in it the field's bits are.
    pub shadow: u16,
    pub shift: i32,
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

/// How the members of objects are made that the program is not to see.
const HIDDEN: u16 = flags::PUBLIC | flags::TRANSIENT | flags::SYNTHETIC;

/// Is there a shadow word or flag for the field? Final statics are never watched, nor are those that a compiler or another
/// agent made for itself; volatile fields are told each time.
fn is_watched(access: u16) -> bool {
    let constant = access & flags::STATIC != 0 && access & (flags::FINAL | flags::SYNTHETIC) != 0;
    !constant && access & flags::VOLATILE == 0
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
    if !is_interface && !numbered {
        class.add_field(HIDDEN, NUMBER, b"J")?;
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
        class.add_field(HIDDEN, FROZEN, b"Z")?;
        weaving.own.frozen = Some(class.pool.add_field_ref(&weaving.name, FROZEN, b"Z")?);
    }
    let mut words = [Words::default(), Words { of_class: true, ..Words::default() }];
    for (access, name, descriptor) in &declared {
        let settled = settled && is_final(*access);
        let is_static = access & flags::STATIC != 0;
        let mut told = OwnTold::Any;
        if whole && !settled && is_watched(*access) {
            let [of_objects, of_class] = &mut words;
            if !is_static {
                let place = match weaving.own.frozen {
                    Some(_) if is_final(*access) => Place::Frozen,
                    _ => of_objects.next(class, &weaving.name)?.0,
                };
                weaving.sites.place(name, descriptor, place);
                told = OwnTold::Place(place);
            } else if is_method_name(name) {
                let (place, shadow) = of_class.next(class, &weaving.name)?;
                let shift = if let Place::Word { shift, .. } = place { i32::from(shift) } else { 0 };
                let overloaded = several.contains(name.as_slice());
                let mut add = |write: bool| -> Result<Snippet> {
                    let name = accessor_name(write, name, descriptor, overloaded);
                    let index = Accessor { shadow, shift, write, name }.add(
                        class,
                        &mut weaving.probes,
                        &weaving.name,
                    )?;
                    let mut call = Snippet::new();
                    call.invoke_at(op::INVOKESTATIC, index, ACCESSOR)?;
                    Ok(call)
                };
                let both = [add(false)?, add(true)?];
                let made = weaving.own.calls.len();
                weaving.own.calls.extend(both);
                told = OwnTold::Accessors(Accessors { read: made, update: made + 1, shadow, shift });
            }
            changed = true;
        }
        let field = OwnField { flags: *access, told, settled };
        weaving.own.fields.insert((name.clone(), descriptor.clone()), field);
    }
    Ok(changed)
}

/// Shadow words as they are filled.
#[derive(Default)]
struct Words {
    of_class: bool,
    /// The constant of the last one.
    last: u16,
    /// How many there are, and how many fields all of them have.
    count: usize,
    fields: usize,
}

impl Words {
    /// The place for another field, and the word's constant.
    fn next(&mut self, class: &mut Class<'_>, name: &[u8]) -> Result<(Place, u16)> {
        if self.fields == self.count * FIELDS {
            let shadow = shadow_name(self.count, self.of_class);
            let of_class = if self.of_class { flags::STATIC } else { 0 };
            class.add_field(HIDDEN | of_class, &shadow, b"J")?;
            self.last = class.pool.add_field_ref(name, &shadow, b"J")?;
            self.count += 1;
        }
        let shift = self.fields % FIELDS * BITS;
        self.fields += 1;
        Ok((Place::Word { number: self.count as u32 - 1, shift: shift as u8 }, self.last))
    }
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

/// The descriptor of accessors: they are told the site.
const ACCESSOR: &[u8] = b"(I)V";

/// A static method that tells an access to a static field, unless the shadow word says that it need not be told.
struct Accessor {
    name: Vec<u8>,
    /// The shadow word's constant, and where in it the field's bits are.
    shadow: u16,
    shift: i32,
    write: bool,
}

impl Accessor {
    /// Adds the method and returns its constant. Less than 35 bytes: what both compilers inline whether it is hot or not.
    ///
    /// ```text
    /// long w = shadow;
    /// if (!Probe.knowsRead(w, shift)) shadow = Probe.read(null, w, site, shift);
    /// ```
    fn add(&self, class: &mut Class<'_>, probes: &mut Probes, name: &[u8]) -> Result<u16> {
        let (site, word) = (0, 1);
        let mut method = Assembler::new();
        let end = method.label();
        let mut code = Snippet::new();
        code.field_at(op::GETSTATIC, self.shadow, b"J")?;
        code.store(Moves::Long, word).load(Moves::Long, word).int(&mut class.pool, self.shift)?;
        let known = if self.write { Probe::KnowsWrite } else { Probe::KnowsRead };
        probes.call(&mut class.pool, &mut code, known)?;
        method.add(&code).branch(op::IFNE, end)?;
        let mut slow = Snippet::new();
        slow.plain(op::ACONST_NULL)?;
        slow.load(Moves::Long, word).load(Moves::Int, site).int(&mut class.pool, self.shift)?;
        probes.call(&mut class.pool, &mut slow, if self.write { Probe::Write } else { Probe::Read })?;
        slow.field_at(op::PUTSTATIC, self.shadow, b"J")?;
        method.add(&slow);
        method.bind_frame(end, &[Value::Int], &[])?;
        let mut done = Snippet::new();
        done.plain(op::RETURN)?;
        method.add(&done);
        let access = flags::PUBLIC | flags::STATIC | flags::SYNTHETIC;
        method.finish(class, access, &self.name, ACCESSOR)?;
        class.pool.add_method_ref(name, &self.name, ACCESSOR)
    }
}
