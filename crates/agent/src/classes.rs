//! Numbers of classes and of their fields. A class is known by its name and its loader, the loader by a tag that the JVM
//! keeps with it.
//!
//! Whoever gets a number may write it down at once, so its name must be in the log before: entries for what is new are
//! kept until anybody writes to the log, and go first.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use events::session::Entry;
use instrument::{Place, When};
use rustc_hash::FxHashMap;

use crate::jvm::{Jvmti, jobject};
use crate::natives::for_people;

/// What is known of one class.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Its number.
    pub number: u32,
    /// Whether it was woven when it was loaded: only then may it have our members when it is changed.
    pub woven: bool,
    /// Whether its objects have a place for their number.
    pub has_numbers: bool,
    /// Its fields by name and descriptor.
    pub fields: FxHashMap<(Box<str>, Box<str>), u32>,
    /// Where its objects keep what is known of fields that it declares; nowhere if that is not certain.
    places: Places,
}

/// Where the objects of a class keep what is known of its fields, by name and descriptor.
pub type Places = FxHashMap<(Box<str>, Box<str>), Place>;

/// A field of another class that a site accesses, as the instruction names it.
#[derive(Clone, Debug)]
pub struct OtherField {
    /// `com/acme/Account`.
    pub owner: Box<str>,
    pub name: Box<str>,
    pub descriptor: Box<str>,
    pub when: When,
}

/// All classes.
#[derive(Default)]
pub struct Classes {
    all: Mutex<All>,
    loaders: AtomicI64,
    /// The last number of a field.
    fields: AtomicU32,
    /// Method and line of each site that uses a field.
    sites: Mutex<FxHashMap<u32, (u32, u32)>>,
    /// What sites access in objects of other classes.
    others: Mutex<FxHashMap<u32, OtherField>>,
}

#[derive(Default)]
struct All {
    by_name: FxHashMap<(i64, Box<str>), Known>,
    last: u32,
    /// Entries for the log of names that have not been written.
    fresh: Vec<u8>,
}

impl Classes {
    /// The number of a loader; 0 is the boot loader.
    pub fn loader(&self, jvmti: Jvmti, loader: jobject) -> i64 {
        if loader.is_null() {
            return 0;
        }
        match jvmti.tag(loader) {
            0 => {
                let tag = self.loaders.fetch_add(1, Ordering::Relaxed) + 1;
                jvmti.set_tag(loader, tag);
                // Another thread may have been quicker.
                jvmti.tag(loader)
            }
            tag => tag,
        }
    }

    /// Keeps where a site is: its field may turn out to be another one when it is linked.
    pub fn note_site(&self, site: u32, method: u32, line: u32) {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner).insert(site, (method, line));
    }

    /// Method and line of a site.
    pub fn site(&self, site: u32) -> Option<(u32, u32)> {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner).get(&site).copied()
    }

    /// Keeps what a site accesses in objects of another class.
    pub fn note_other(&self, site: u32, field: OtherField) {
        self.others.lock().unwrap_or_else(PoisonError::into_inner).insert(site, field);
    }

    /// What a site accesses in objects of another class.
    pub fn other(&self, site: u32) -> Option<OtherField> {
        self.others.lock().unwrap_or_else(PoisonError::into_inner).get(&site).cloned()
    }

    /// A class was woven: where its objects keep what is known of its fields. A name may stand for several classes if
    /// they are hidden; where these differ, nothing is certain.
    pub fn has_places(&self, loader: i64, name: &str, places: Places) {
        self.with(loader, name, |known, _| {
            if !known.woven {
                known.places = places;
            } else if known.places != places {
                known.places = Places::default();
            }
        });
    }

    /// Where objects of a class keep what is known of a field that the class declares.
    pub fn place(&self, loader: i64, of: &str, name: &str, descriptor: &str) -> Option<Place> {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.by_name.get(&(loader, Box::from(of)))?;
        known.places.get(&(Box::from(name), Box::from(descriptor))).copied()
    }

    /// Looks at a class, or changes it; what is new goes to the log with the next entries.
    pub fn with<T>(&self, loader: i64, name: &str, look: impl FnOnce(&mut Known, &mut Vec<u8>) -> T) -> T {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let All { by_name, last, fresh } = &mut *all;
        let known = by_name.entry((loader, name.into())).or_insert_with(|| {
            *last += 1;
            Entry::Class { number: *last, name: for_people(name), file: String::new() }.encode(fresh);
            Known { number: *last, ..Known::default() }
        });
        look(known, fresh)
    }

    /// The number of a class.
    pub fn number(&self, loader: i64, name: &str) -> u32 {
        self.with(loader, name, |known, _| known.number)
    }

    /// The number of a field by the class that declares it, and whether it is new; then it goes to the log too.
    pub fn field(&self, loader: i64, of: &str, name: &str, descriptor: &str, flags: u32) -> (u32, u32, bool) {
        self.with(loader, of, |known, fresh| {
            let (mut new, class) = (false, known.number);
            let number = *known.fields.entry((name.into(), descriptor.into())).or_insert_with(|| {
                new = true;
                let number = self.fields.fetch_add(1, Ordering::Relaxed) + 1;
                let (name, descriptor) = (name.to_owned(), descriptor.to_owned());
                Entry::Field { number, class, name, descriptor, flags }.encode(fresh);
                number
            });
            (class, number, new)
        })
    }

    /// Writes down what is new, and whatever else there is.
    pub fn write(&self, entries: &[u8], write: impl FnOnce(&[u8])) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if all.fresh.is_empty() {
            if !entries.is_empty() {
                write(entries);
            }
            return;
        }
        // Held until it is written: nobody else may write what refers to it before.
        all.fresh.extend_from_slice(entries);
        write(&all.fresh);
        all.fresh.clear();
    }

    /// Whether a class of this loader was woven with a place for numbers.
    pub fn has_numbers(&self, loader: i64, name: &str) -> bool {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.by_name.get(&(loader, Box::from(name))).is_some_and(|known| known.has_numbers)
    }
}
