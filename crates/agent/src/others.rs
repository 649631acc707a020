//! Accesses to fields of objects: what is known of them, as `Fields.java` reads it. Of those of other classes it is found
//! out when they are first run: only then is it known which class declares the field and whether it is volatile.

use std::ffi::CString;

use instrument::{Place, Spared, When};

use crate::classes::OtherField;
use crate::jvm::{Jni, class_name, jclass};
use crate::natives::identify;
use crate::{Agent, modes};

const VOLATILE: u16 = 0x0040;
const FINAL: u16 = 0x0010;

/// Where the parts of an answer begin: mode, first bit in the shadow word, number of the shadow word, site.
const SHIFT: u32 = 3;
const NUMBER: u32 = 8;
const SITE: u32 = 32;

/// The most shadow words that an answer has room for.
const MOST_WORDS: u32 = 1 << (SITE - NUMBER);

/// Of a field whose class keeps here what is known of it: mode, first bit and number of the word, as in an answer. None if
/// there are too many words.
pub fn known(place: Place, always: bool) -> Option<u32> {
    let mode = if always { modes::EACH } else { modes::WORD } as u32;
    match place {
        Place::Word { number, .. } if number >= MOST_WORDS => None,
        Place::Word { number, shift } => Some(mode | u32::from(shift) << SHIFT | number << NUMBER),
        Place::Frozen => Some(modes::FROZEN as u32),
    }
}

impl Agent {
    /// The class that declares the field which a site accesses in an object of this class; None if that cannot be found out.
    pub fn declaring(&self, jni: Jni, site: u32, of: jclass) -> Option<jclass> {
        let field = self.classes.other(site)?;
        let mut named = None;
        let mut class = Some(of);
        while let Some(each) = class {
            if class_name(&self.jvmti.signature(each)?) == &*field.owner {
                // Two of one name, by different loaders: there is no telling which is meant.
                if named.is_some() {
                    return None;
                }
                named = Some(each);
            }
            class = jni.superclass(each);
        }
        let (named, id) = (named?, CString::new(&*field.name).ok()?);
        let id = jni.field(named, &id, &CString::new(&*field.descriptor).ok()?)?;
        self.jvmti.field_declaring(named, id)
    }

    /// What is to be done at a site that accesses a field of an object of class `of`, declared there: see `Fields.java`. 0 if
    /// that cannot be found out.
    pub fn other(&self, jni: Jni, site: u32, of: jclass, declaring: jclass) -> i64 {
        self.look_up(jni, site, of, declaring).unwrap_or(0)
    }

    fn look_up(&self, jni: Jni, site: u32, of: jclass, declaring: jclass) -> Option<i64> {
        let OtherField { name, descriptor, when, .. } = self.classes.other(site)?;
        let id = jni.field(declaring, &CString::new(&*name).ok()?, &CString::new(&*descriptor).ok()?)?;
        let flags = self.jvmti.field_flags(declaring, id)?;
        let is_volatile = flags & VOLATILE != 0;
        let told = match when {
            When::Always => !is_volatile,
            When::Volatile => is_volatile,
            When::Watched => true,
            When::Kept | When::KeptIfBlank => {
                let least = if when == When::Kept { 1 } else { 2 };
                let kept = !is_volatile && !self.options.unfiltered && self.keeps(jni, of, least);
                if kept {
                    self.planned.spares(Spared::Kept, 1);
                }
                !kept
            }
        };
        if !told {
            return Some(modes::NOTHING);
        }
        let (loader, class) = identify(self, declaring)?;
        let place = self.classes.place(loader, &class, &name, &descriptor);
        let known = match (when, place) {
            (When::Always, _) => modes::ALWAYS,
            _ if is_volatile => modes::VOLATILE,
            (_, Some(place)) => known(place, false).map_or(modes::ANY, i64::from),
            (_, None) if flags & FINAL != 0 => {
                // Nobody can see it before its constructor has ended.
                self.planned.spares(Spared::Final, 1);
                return Some(modes::NOTHING);
            }
            _ => modes::ANY,
        };
        let site = self.link(site, loader, &class, name.into(), descriptor.into(), flags);
        Some(known | i64::from(site) << SITE)
    }

    /// Whether nobody sees a new object of exactly this class before its constructor has ended; where `least` is 2 the
    /// constructor also leaves all references in it null.
    fn keeps(&self, jni: Jni, of: jclass, least: i32) -> bool {
        let mut class = of;
        while let Some(above) = jni.superclass(class) {
            let Some(id) = jni.static_field(class, c"$raddle$keeps", c"I") else { return false };
            // Statics are inherited.
            let own = self.jvmti.field_declaring(class, id).is_some_and(|found| jni.same(found, class));
            if !own || jni.static_int(class, id) < least {
                return false;
            }
            class = above;
        }
        true
    }
}
