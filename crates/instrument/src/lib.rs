//! Class bytes in, class bytes with probes out. A pure function of the bytes, the model tables, the options, the plan
//! and what the caller knows of the world; it starts nothing, loads nothing and keeps nothing.
//!
//! What is added to a class calls `raddle/rt/Probe`; [`probe`] lists every method of it that woven code calls. What the
//! probe does with a call is not decided here: a call carries a *site*, and the site says where it stands and what
//! happens there ([`Site`]). What gives order is told before its operation, what takes order after it.

#![forbid(unsafe_code)]

mod arrays;
mod blocks;
mod class;
mod constructors;
mod coverage;
mod error;
mod fields;
mod flows;
mod hide;
pub mod jdk;
mod kept;
mod links;
mod loops;
mod members;
mod method;
mod models;
mod monitors;
mod names;
pub mod probe;
mod references;
pub mod settled;
mod sites;
mod stack;
mod taken;
mod walk;

use classfile::Class;
use events::models::Models;
use events::plan::ClassFacts;

pub use error::Failure;
pub use events::session::Kind;
pub use hide::{REFLECTION, hide_members};
pub use names::{FROZEN, PREFIX, accessor_name, shadow_name};
pub use sites::{Called, Callee, EffectRef, Gap, Moment, OtherField, Place, Site, Sites, Spared, When};

/// How much of a class is woven.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scope {
    /// Everything: code of the program's own.
    Whole,
    /// Everything but plain accesses: code whose accesses the user does not want to see.
    SyncOnly,
    /// Only what body and inside lines of the model tables say: classes of the JDK. No members are added.
    ModelOnly,
    /// Nothing.
    Leave,
}

/// Which code is a block whose atomicity is checked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Blocks {
    /// Synchronized regions and methods, and methods annotated `@Atomic`.
    #[default]
    Synch,
    /// These, and all methods that are not private but for `main` and `run`.
    ExportSynch,
}

/// What is to be woven.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Options {
    /// How much of the class.
    pub scope: Scope,
    /// Which code is a block.
    pub blocks: Blocks,
    /// Are final fields watched like others, also once their constructor has ended?
    pub finals: bool,
    /// Are accesses told to what a method makes and keeps to itself?
    pub kept: bool,
}

/// What the caller knows of other classes. The answers for one class must be the same whenever it is woven again:
/// retransformation cannot change members.
pub trait World {
    /// Is that class, as seen by the loader of the woven one, woven itself, so that its objects have a number?
    fn is_woven(&self, class: &[u8]) -> bool;

    /// Are array accesses in loops told as ranges? Tests compare with the answer no.
    fn ranges_loops(&self) -> bool {
        true
    }

    /// The access flags of a field of another class, if they are known. `owner` is the class named by the
    /// instruction. Knowing them spares a probe that is only there to find out that it has nothing to do.
    fn field_flags(&self, owner: &[u8], name: &[u8], descriptor: &[u8]) -> Option<u16> {
        let _ = (owner, name, descriptor);
        None
    }

    /// What a plan says of the class that is woven: which of its accesses need not be told, which methods never run,
    /// which values have to be watched.
    fn facts(&self) -> Option<&ClassFacts> {
        None
    }

    /// Is the method known to be one of a woven class: declared with code in `owner`, or inherited by it from a woven
    /// class? Then it speaks for itself and no model line is asked for.
    fn is_woven_method(&self, owner: &[u8], name: &[u8], descriptor: &[u8]) -> bool {
        let _ = (owner, name, descriptor);
        false
    }
}

/// What a class is called by its own bytes, with slashes; none if they are of no class.
pub fn name_of(bytes: &[u8]) -> Option<Vec<u8>> {
    Class::parse(bytes).ok()?.name().ok().map(<[u8]>::to_vec)
}

/// Weaves a class. `None`: there is nothing to weave in it. An error: leave the class as it was. `models` hold for the
/// running Java only ([`Models::keep_jdk`]). A method that does not fit any more is left alone and told as a [`Gap`].
pub fn weave(
    bytes: &[u8],
    world: &dyn World,
    models: &Models,
    sites: &mut dyn Sites,
    options: &Options,
) -> Result<Option<Vec<u8>>, Failure> {
    if options.scope == Scope::Leave {
        return Ok(None);
    }
    let parsed = Class::parse(bytes)?;
    class::refuse_woven(&parsed, options.scope)?;
    match references::bridge(&parsed, world, models, options)? {
        Some((bytes, bridges)) => {
            let bridged = Class::parse(&bytes)?;
            class::Weaving::new(bridged, bridges, world, models, sites, options)?.run()
        }
        None => class::Weaving::new(parsed, Vec::new(), world, models, sites, options)?.run(),
    }
}
