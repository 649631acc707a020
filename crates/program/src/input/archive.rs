//! Jars: their classes, those for the version of Java that is asked for, and the jars in them. Unpacked by several
//! threads. Whatever is broken in a jar costs only itself; what unpacks to far more than it should is not unpacked.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use zip::ZipArchive;

use super::{ClassBytes, Found, Options};
use crate::Gap;
use crate::parallel::parallel;

/// Jars in jars in jars …
const DEEPEST: u32 = 4;
/// What a jar may unpack to, however small it is.
const LEAST_ROOM: u64 = 256 << 20;

type Jar = ZipArchive<Cursor<Arc<[u8]>>>;

pub fn is_jar(ending: &str) -> bool {
    ["jar", "war", "ear", "zip", "jmod"].iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// Reads a jar; false if it is none.
pub fn read(place: &str, bytes: Vec<u8>, options: &Options, found: &mut Found) -> bool {
    let room = AtomicU64::new((bytes.len() as u64).saturating_mul(options.ratio).max(LEAST_ROOM));
    read_at(place, bytes, options, found, &room, 0)
}

/// An entry that is to be read.
struct Wanted {
    index: usize,
    name: String,
    is_class: bool,
}

fn read_at(
    place: &str,
    bytes: Vec<u8>,
    options: &Options,
    found: &mut Found,
    room: &AtomicU64,
    depth: u32,
) -> bool {
    // What stands before the zip (a launcher, the head of a jmod) does not matter to the reader.
    let Ok(jar) = Jar::new(Cursor::new(Arc::from(bytes))) else { return false };
    let wanted = wanted(&jar, options);
    let done = unpack(&jar, &wanted, options, room);
    for (entry, result) in wanted.iter().zip(done) {
        let place = format!("{place}!/{}", entry.name);
        match result {
            Err(why) => found.gaps.push(Gap::new(place, why)),
            Ok(bytes) if entry.is_class => found.classes.push(ClassBytes { place, bytes }),
            Ok(_) if depth >= DEEPEST => found.gaps.push(Gap::new(place, "jars are nested too deeply")),
            Ok(bytes) => {
                if !read_at(&place, bytes, options, found, room, depth + 1) {
                    found.gaps.push(Gap::new(place, "not a jar"));
                }
            }
        }
    }
    true
}

/// The entries to read, in the jar's order: of several versions of a class the newest that is not too new.
fn wanted(jar: &Jar, options: &Options) -> Vec<Wanted> {
    let versions = is_multi_release(jar);
    let mut chosen: BTreeMap<String, (u16, usize)> = BTreeMap::new();
    let mut found = Vec::new();
    for index in 0..jar.len() {
        let Some(Ok(name)) = jar.name_for_index(index) else { continue };
        let name = name.as_ref();
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        if ending == "class" {
            let (plain, version) = match name.strip_prefix("META-INF/versions/") {
                Some(rest) => match rest.split_once('/') {
                    Some((version, plain)) => (plain, version.parse::<u16>().unwrap_or(u16::MAX)),
                    None => continue,
                },
                None => (name, 0),
            };
            if version > options.java || (version > 0 && !versions) || plain.ends_with("module-info.class") {
                continue;
            }
            let best = chosen.entry(plain.to_owned()).or_insert((version, index));
            if version >= best.0 {
                *best = (version, index);
            }
        } else if is_jar(ending) {
            found.push(Wanted { index, name: name.to_owned(), is_class: false });
        }
    }
    for (_, index) in chosen.into_values() {
        let Some(Ok(name)) = jar.name_for_index(index) else { continue };
        found.push(Wanted { index, name: name.into_owned(), is_class: true });
    }
    found.sort_by_key(|entry| entry.index);
    found
}

/// Does the manifest say that there are classes for several versions?
fn is_multi_release(jar: &Jar) -> bool {
    let mut jar = jar.clone();
    let Ok(entry) = jar.by_name("META-INF/MANIFEST.MF") else { return false };
    let mut text = Vec::new();
    if entry.take(1 << 20).read_to_end(&mut text).is_err() {
        return false;
    }
    String::from_utf8_lossy(&text).lines().any(|line| {
        line.split_once(':').is_some_and(|(name, value)| {
            name.eq_ignore_ascii_case("Multi-Release") && value.trim().eq_ignore_ascii_case("true")
        })
    })
}

type Unpacked = Result<Vec<u8>, String>;

/// Unpacks entries on several threads; the results are in the order of the entries.
fn unpack(jar: &Jar, wanted: &[Wanted], options: &Options, room: &AtomicU64) -> Vec<Unpacked> {
    let made = || jar.clone();
    let each = |jar: &mut Jar, entry: &Wanted| one(jar, entry, options, room);
    parallel(wanted, options.threads, made, each)
}

/// Unpacks one entry. Whatever is unpacked counts, also what turns out to be more than there may be: the size that an
/// entry claims to have may be wrong, and there may be many such entries.
fn one(jar: &mut Jar, wanted: &Wanted, options: &Options, room: &AtomicU64) -> Unpacked {
    let entry = jar.by_index(wanted.index).map_err(|error| error.to_string())?;
    let most = if wanted.is_class { options.most_class } else { u64::MAX };
    let left = room.load(Ordering::Relaxed).min(most);
    if left == 0 || entry.size() > left {
        return Err(too_large(left));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(entry.size()).unwrap_or_default());
    let read = entry.take(left + 1).read_to_end(&mut bytes);
    let size = bytes.len() as u64;
    let take = |left: u64| Some(left.saturating_sub(size));
    let before = room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).unwrap_or_default();
    read.map_err(|error| error.to_string())?;
    if size > left || size > before { Err(too_large(left)) } else { Ok(bytes) }
}

fn too_large(left: u64) -> String {
    format!("it unpacks to more than the {left} bytes that are left for it")
}
