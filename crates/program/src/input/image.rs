//! A JDK's own classes out of its image, `lib/modules` (the jimage format, since Java 9). The index is read once, each
//! class when it is asked for. Compressed images (made by `jlink --compress`) are refused.
//!
//! The file, in the byte order of its machine: magic, version, flags, number of resources, length of the hash table, size
//! of the locations, size of the strings (four bytes each); the redirect table; the offsets of the locations; the
//! locations (attributes of one to eight bytes each, the value's first byte first); the strings, each ended by a zero; the
//! resources. A resource is found by a hash of `/module/package/Name.class`; in which module a package is, the resource
//! `/packages/name` says.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::{InputError, error};

const MAGIC: u32 = 0xcafe_dada;
const HEAD: usize = 28;
/// The index of a JDK takes about two megabytes.
const LARGEST_INDEX: u64 = 1 << 28;
const LARGEST_RESOURCE: u64 = 1 << 28;
const SEED: u32 = 0x0100_0193;

/// An open image.
pub struct Image {
    file: File,
    path: PathBuf,
    length: u64,
    big_endian: bool,
    /// How many places the hash table has.
    places: usize,
    /// Redirects, offsets, locations, strings.
    index: Vec<u8>,
    locations: usize,
    strings: usize,
}

/// Where a resource is.
#[derive(Default)]
struct Location {
    /// By kind: end, module, parent, base, extension, offset, compressed, uncompressed.
    values: [u64; 8],
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(not(unix))]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> std::io::Result<()> {
    use std::io::{Read, Seek};
    // A handle of its own, so that threads do not move each other's place.
    let mut file = file.try_clone()?;
    file.seek(std::io::SeekFrom::Start(offset))?;
    file.read_exact(bytes)
}

fn hash(text: impl Iterator<Item = u8>, seed: u32) -> u32 {
    text.fold(seed, |hash, byte| hash.wrapping_mul(SEED) ^ u32::from(byte)) & 0x7fff_ffff
}

impl Image {
    /// Opens an image and reads its index.
    pub fn open(path: &Path) -> Result<Image, InputError> {
        let wrong = |why: &str| error(path, why);
        let file = File::open(path).map_err(|cause| error(path, cause.to_string()))?;
        let length = file.metadata().map_err(|cause| error(path, cause.to_string()))?.len();
        let mut head = [0; HEAD];
        read_at(&file, &mut head, 0).map_err(|_| wrong("too short for an image of a JDK"))?;
        let big_endian = match word(&head, 0, false) {
            Some(MAGIC) => false,
            Some(found) if found.swap_bytes() == MAGIC => true,
            _ => return Err(wrong("not an image of a JDK (lib/modules)")),
        };
        let at = |place: usize| word(&head, place * 4, big_endian).unwrap_or_default();
        if at(1) >> 16 != 1 {
            return Err(wrong("an image of a version that is not known"));
        }
        let [places, locations, strings] = [4, 5, 6].map(|place| u64::from(at(place)));
        let size = places * 8 + locations + strings;
        if places == 0 || size > LARGEST_INDEX || HEAD as u64 + size > length {
            return Err(wrong("the index of the image is broken"));
        }
        let mut index = vec![0; size as usize];
        read_at(&file, &mut index, HEAD as u64).map_err(|cause| error(path, cause.to_string()))?;
        let (places, start) = (places as usize, places as usize * 8);
        Ok(Image {
            file,
            path: path.to_owned(),
            length,
            big_endian,
            places,
            index,
            locations: start,
            strings: start + locations as usize,
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes of a class (`java/lang/String`); `None` if there is none of that name.
    pub fn class(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        let package = name.rsplit_once('/').map_or("", |(package, _)| package);
        let Some(module) = self.module(package)? else { return Ok(None) };
        match self.find(&format!("/{module}/{name}.class")) {
            Some(location) => self.resource(&location).map(Some),
            None => Ok(None),
        }
    }

    /// The names of all classes of a module, or of all modules.
    pub fn classes(&self, module: Option<&str>) -> Vec<String> {
        let mut found: Vec<String> = (0..self.places)
            .filter_map(|place| {
                let location = self.location(self.entry(self.places + place)?)?;
                let of = self.string(location.values[1])?;
                let fits = module.is_none_or(|module| of == module.as_bytes());
                if !fits || self.string(location.values[4])? != b"class" {
                    return None;
                }
                let parent = std::str::from_utf8(self.string(location.values[2])?).ok()?;
                let base = std::str::from_utf8(self.string(location.values[3])?).ok()?;
                (!parent.is_empty()).then(|| format!("{parent}/{base}"))
            })
            .collect();
        found.sort();
        found.dedup();
        found
    }

    /// The module that a package is in.
    fn module(&self, package: &str) -> Result<Option<&str>, String> {
        let Some(location) = self.find(&format!("/packages/{}", package.replace('/', "."))) else {
            return Ok(None);
        };
        let list = self.resource(&location)?;
        for entry in list.chunks_exact(8) {
            let (empty, name) = (word(entry, 0, self.big_endian), word(entry, 4, self.big_endian));
            if let (Some(0), Some(name)) = (empty, name) {
                let name = self.string(u64::from(name)).unwrap_or_default();
                return Ok(std::str::from_utf8(name).ok());
            }
        }
        Ok(None)
    }

    /// A word of the index.
    fn entry(&self, place: usize) -> Option<u32> {
        word(&self.index, place * 4, self.big_endian)
    }

    fn find(&self, name: &str) -> Option<Location> {
        let bytes = || name.bytes();
        let redirect = self.entry(hash(bytes(), SEED) as usize % self.places)? as i32;
        let place = match redirect {
            0 => return None,
            1.. => hash(bytes(), redirect as u32) as usize % self.places,
            _ => usize::try_from(-1i64 - i64::from(redirect)).ok()?,
        };
        if place >= self.places {
            return None;
        }
        let location = self.location(self.entry(self.places + place)?)?;
        self.is_named(&location, name.as_bytes()).then_some(location)
    }

    /// Is that the location's name: `/module/parent/base.extension`?
    fn is_named(&self, location: &Location, name: &[u8]) -> bool {
        let part = |kind: usize| self.string(location.values[kind]).unwrap_or_default();
        let mut rest = name;
        let mut take = |before: &[u8], part: &[u8], after: &[u8]| {
            if part.is_empty() {
                return true;
            }
            let left = rest.strip_prefix(before).and_then(|left| left.strip_prefix(part));
            match left.and_then(|left| left.strip_prefix(after)) {
                Some(left) => {
                    rest = left;
                    true
                }
                None => false,
            }
        };
        take(b"/", part(1), b"/")
            && take(b"", part(2), b"/")
            && take(b"", part(3), b"")
            && take(b".", part(4), b"")
            && rest.is_empty()
    }

    fn location(&self, offset: u32) -> Option<Location> {
        let all = self.index.get(self.locations..self.strings)?;
        let mut rest = all.get(offset as usize..)?;
        let mut found = Location::default();
        loop {
            let (first, after) = rest.split_first()?;
            let (kind, size) = (usize::from(first >> 3), usize::from(first & 7) + 1);
            if kind == 0 {
                return Some(found);
            }
            let value = after.get(..size)?.iter().fold(0, |value, byte| value << 8 | u64::from(*byte));
            *found.values.get_mut(kind)? = value;
            rest = after.get(size..)?;
        }
    }

    fn string(&self, offset: u64) -> Option<&[u8]> {
        let all = self.index.get(self.strings..)?.get(usize::try_from(offset).ok()?..)?;
        all.get(..all.iter().position(|byte| *byte == 0)?)
    }

    fn resource(&self, location: &Location) -> Result<Vec<u8>, String> {
        let [offset, compressed, size] = [5, 6, 7].map(|kind| location.values[kind]);
        if compressed != 0 {
            let path = self.path.display();
            return Err(format!("{path} is compressed; name a JDK that was not made by `jlink --compress`"));
        }
        let start = (HEAD + self.index.len()) as u64;
        let start = start.checked_add(offset).filter(|start| {
            size <= LARGEST_RESOURCE && start.checked_add(size).is_some_and(|end| end <= self.length)
        });
        let Some(start) = start else { return Err("the image of the JDK is broken".to_owned()) };
        let mut bytes = vec![0; size as usize];
        read_at(&self.file, &mut bytes, start).map_err(|cause| cause.to_string())?;
        Ok(bytes)
    }
}

fn word(bytes: &[u8], at: usize, big_endian: bool) -> Option<u32> {
    let found = *bytes.get(at..)?.first_chunk()?;
    Some(if big_endian { u32::from_be_bytes(found) } else { u32::from_le_bytes(found) })
}
