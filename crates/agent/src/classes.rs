//! Numbers of classes and of their fields. A class is known by its name and its loader, the loader by a tag that the JVM
//! keeps with it.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::jvm::{Jvmti, jobject};

/// What is known of one class.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Its number.
    pub number: u32,
    /// Whether its objects have a place for their number.
    pub has_numbers: bool,
    /// Its fields by name and descriptor.
    pub fields: FxHashMap<(Box<str>, Box<str>), u32>,
}

/// All classes.
#[derive(Default)]
pub struct Classes {
    all: Mutex<All>,
    loaders: AtomicI64,
    /// Method and line of each site that uses a field.
    sites: Mutex<FxHashMap<u32, (u32, u32)>>,
}

#[derive(Default)]
struct All {
    by_name: FxHashMap<(i64, Box<str>), Known>,
    last: u32,
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

    /// Looks at a class, or changes it; whether it is new is told.
    pub fn with<T>(&self, loader: i64, name: &str, look: impl FnOnce(&mut Known, bool) -> T) -> T {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let All { by_name, last } = &mut *all;
        let mut new = false;
        let known = by_name.entry((loader, name.into())).or_insert_with(|| {
            new = true;
            *last += 1;
            Known { number: *last, ..Known::default() }
        });
        look(known, new)
    }

    /// Whether a class of this loader was woven with a place for numbers.
    pub fn has_numbers(&self, loader: i64, name: &str) -> bool {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.by_name.get(&(loader, Box::from(name))).is_some_and(|known| known.has_numbers)
    }
}
