//! Numbers of sites, methods and effects, and the table of sites that the probe reads: eight bytes each, kind, class, and
//! either an effect or where objects keep what is known of a field; filled while weaving. Sites are never given back.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use events::session::Kind;
use events::session::record::SITE_BITS;

/// Sites that every session has, in the order of their numbers from 1.
pub const COMMON: [Kind; 6] = [Kind::Start, Kind::End, Kind::Uses, Kind::Free, Kind::Wait, Kind::Woken];

/// The table of sites and the counters of what else is numbered.
pub struct Sites {
    table: *mut AtomicU64,
    next: AtomicU32,
    methods: AtomicU32,
}

// SAFETY: the table is a mapping that lives as long as the process and is written atomically.
unsafe impl Send for Sites {}
// SAFETY: as above.
unsafe impl Sync for Sites {}

const MOST: u32 = 1 << SITE_BITS;

impl Sites {
    /// Room for all sites there can be; memory is taken as they come.
    pub fn new() -> Option<Self> {
        // SAFETY: a fresh private mapping; errors are checked.
        let table = unsafe {
            libc::mmap(
                null_mut(),
                MOST as usize * 8,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        (table != libc::MAP_FAILED).then(|| Self {
            table: table.cast(),
            next: AtomicU32::new(COMMON.len() as u32 + 1),
            methods: AtomicU32::new(1),
        })
    }

    /// Where the table is.
    pub fn address(&self) -> i64 {
        self.table as i64
    }

    /// A new site; None if there are too many.
    pub fn add(&self, kind: Kind, class: u32, effect: u32) -> Option<u32> {
        let site = self.next.fetch_add(1, Ordering::Relaxed);
        if site >= MOST {
            self.next.store(MOST, Ordering::Relaxed);
            return None;
        }
        self.set(site, kind, class, effect);
        Some(site)
    }

    /// Says anew what a site does.
    pub fn set(&self, site: u32, kind: Kind, class: u32, effect: u32) {
        if site < MOST {
            let entry =
                u64::from(kind.number()) | u64::from(class & 0xff_ffff) << 8 | u64::from(effect) << 32;
            // SAFETY: within the table.
            unsafe { (*self.table.add(site as usize)).store(entry, Ordering::Release) };
        }
    }

    /// Says which choice is made at a site, or where objects keep what is known of the field that it accesses.
    pub fn choose(&self, site: u32, choice: u32) {
        if site < MOST {
            // SAFETY: within the table.
            unsafe { (*self.table.add(site as usize)).fetch_or(u64::from(choice) << 32, Ordering::Release) };
        }
    }

    /// The number of the kind of a site.
    pub fn kind(&self, site: u32) -> u8 {
        if site >= MOST {
            return 0;
        }
        // SAFETY: within the table.
        unsafe { (*self.table.add(site as usize)).load(Ordering::Acquire) as u8 }
    }

    /// The number of the choice that is made at a site.
    pub fn choice(&self, site: u32) -> u32 {
        if site >= MOST {
            return 0;
        }
        // SAFETY: within the table.
        unsafe { ((*self.table.add(site as usize)).load(Ordering::Acquire) >> 32) as u32 }
    }

    /// A new number for a method.
    pub fn method(&self) -> u32 {
        self.methods.fetch_add(1, Ordering::Relaxed)
    }
}
