//! What the weaver tells about the places it weaves, and to whom. Numbers are given by the caller.

use crate::Kind;

/// A place in woven code together with what it does there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Site<'s> {
    /// The method, as numbered by [`Sites::method`].
    pub method: u32,
    /// The source line; 0 if it is not known.
    pub line: u16,
    /// What happens. Where several model lines may hold (`effects`), what the first of them says.
    pub kind: Kind,
    /// The field, as numbered by [`Sites::field`]; 0 for none.
    pub operand: u32,
    /// The array's type as far as the instruction tells it (`[I`; `[L` for objects); of a channel what it is for.
    pub text: &'s str,
    /// The field from which the code takes the array, the receiver or the monitor (`a.b.C.field`, `a.b.C.field[]` for an
    /// element); empty where it does not tell.
    pub of: &'s str,
    /// Of a model's call: the lines that may hold, decided at run time by the receiver's class unless `called` says
    /// that they hold. The probe call carries the same target and value for all of them.
    pub effects: &'s [EffectRef],
    /// How a model's line is chosen.
    pub called: Called<'s>,
    /// Are accesses wanted? False in code whose accesses are left out: synchronisation by models is still told.
    pub watched: bool,
}

/// One effect of a model line at a call site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EffectRef {
    /// Which line: an index into `Models::lines`.
    pub line: u32,
    /// Which of its effects.
    pub effect: u16,
    /// When it is told. The same effect may be told before and after a call.
    pub moment: Moment,
    /// What it is at this moment.
    pub kind: Kind,
}

/// When a probe call stands, seen from the call or body it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Moment {
    /// Before the call; at the entry of a body.
    Before,
    /// After it has returned.
    After,
    /// When it was left by an exception.
    Thrown,
}

/// How it is decided whether a model line holds for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Called<'s> {
    /// It holds; the probe call passes null for the receiver.
    Certain,
    /// By the receiver's run-time class: `Models::call_on`.
    Virtual(Callee<'s>),
    /// A call of `super`: by the class that the call names, which is above the receiver's.
    Special(Callee<'s>),
}

/// The method that a call names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Callee<'s> {
    /// Its class.
    pub owner: &'s [u8],
    /// Its name.
    pub name: &'s [u8],
    /// Its descriptor.
    pub descriptor: &'s [u8],
}

/// Something in a class that is not watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The method: `a.b.C.name(I)V`.
    pub method: String,
    /// Why.
    pub why: String,
}

/// Why an access is not told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spared {
    /// The plan says that no two threads can reach what it touches.
    Plan,
    /// Its object never leaves the method that made it.
    Kept,
    /// Its field is final, and nobody sees the object before the constructor has ended.
    Final,
}

impl Spared {
    /// All of them, by number.
    pub const ALL: [Spared; 3] = [Spared::Plan, Spared::Kept, Spared::Final];
}

/// When an access to a field of another class is to be told, once it is known which field that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// As often as tells anything.
    Watched,
    /// If it is volatile.
    Volatile,
    /// As [`When::Watched`], but not if its constructors keep the object to themselves: it is of exactly the named class,
    /// and the method that makes it has given it to nobody else.
    Kept,
    /// The same if they also leave all references in it null.
    KeptIfBlank,
    /// Each time, unless it is volatile.
    Always,
}

/// A field of another class, as an instruction names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherField<'s> {
    /// The class that is named, which may have inherited the field.
    pub owner: &'s [u8],
    /// The field's name.
    pub name: &'s [u8],
    /// Its descriptor.
    pub descriptor: &'s [u8],
    /// When its accesses are told.
    pub when: When,
}

/// Where an object keeps what is known of one of its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A shadow word, by its number, and the first of the field's bits in it.
    Word {
        /// Which word: see [`shadow_name`](crate::shadow_name).
        number: u32,
        /// The first bit.
        shift: u8,
    },
    /// The flag that says that the constructor has ended ([`FROZEN`](crate::FROZEN)).
    Frozen,
}

/// Gives numbers to classes, methods, fields and sites. The number 0 stands for none.
pub trait Sites {
    /// A class by its internal name, with its source file.
    fn class(&mut self, name: &[u8], source: Option<&[u8]>) -> u32;

    /// A method of a class.
    fn method(&mut self, class: u32, name: &[u8], descriptor: &[u8]) -> u32;

    /// A field by the class that the instruction names; with its access flags if they are known.
    fn field(&mut self, owner: &[u8], name: &[u8], descriptor: &[u8], flags: Option<u16>) -> u32;

    /// A place. `None`: there are no more numbers; the method is left as it was.
    fn site(&mut self, site: Site<'_>) -> Option<u32>;

    /// The site accesses a field of objects of the woven class: where an object keeps what is known of it. Is the access told
    /// each time, whatever is known?
    fn own(&mut self, site: u32, place: Place, always: bool) {
        let _ = (site, place, always);
    }

    /// The site accesses a field of objects of another class: which one that is, and what is to be told of it, is only known when it
    /// is run.
    fn other(&mut self, site: u32, field: OtherField<'_>) {
        let _ = (site, field);
    }

    /// Where objects of the woven class keep what is known of a field that the class declares. Fields of objects for which
    /// nothing is told here are never told; nor are any if the class turns out to stay as it was.
    fn place(&mut self, name: &[u8], descriptor: &[u8], place: Place) {
        let _ = (name, descriptor, place);
    }

    /// Tells what is not watched.
    fn gap(&mut self, gap: Gap);

    /// Tells how many accesses of a method have no probe, and why. Those to other classes come when they are first run.
    fn spared(&mut self, why: Spared, count: u32) {
        let _ = (why, count);
    }
}
