//! Finding a JDK and its version. Nothing is run: the folder is looked at.

use std::path::{Path, PathBuf};

use super::{Image, InputError, error};

/// A JDK whose classes can be read.
pub struct Jdk {
    /// Its folder.
    pub home: PathBuf,
    /// Its version: 17, 21, ….
    pub version: u16,
    /// Its classes.
    pub image: Image,
}

impl Jdk {
    /// The JDK in a folder.
    pub fn open(home: &Path) -> Result<Jdk, InputError> {
        let modules = home.join("lib/modules");
        if !modules.exists() {
            let old = ["jre/lib/rt.jar", "lib/rt.jar"].iter().any(|jar| home.join(jar).exists());
            let reason = match old {
                true => "Java 8 and older keep their classes in rt.jar: name that as an input",
                false => "no JDK: there is no lib/modules in it",
            };
            return Err(error(home, reason));
        }
        let image = Image::open(&modules)?;
        let release = std::fs::read_to_string(home.join("release")).unwrap_or_default();
        let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=")).and_then(version);
        match version {
            Some(version) => Ok(Jdk { home: home.to_owned(), version, image }),
            None => Err(error(home, "its `release` file does not say which version it is")),
        }
    }

    /// The JDK that is named, or that of JAVA_HOME, or the one whose `java` is on the path; `None` if there is none.
    pub fn find(named: Option<&Path>) -> Result<Option<Jdk>, InputError> {
        if let Some(home) = named {
            return Jdk::open(home).map(Some);
        }
        let from_home = std::env::var_os("JAVA_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let on_path = std::env::split_paths(&path).filter_map(|folder| {
            let java = std::fs::canonicalize(folder.join("java")).ok()?;
            Some(java.parent()?.parent()?.to_owned())
        });
        let mut homes = from_home.into_iter().chain(on_path);
        homes.find(|home| home.join("lib/modules").exists()).map(|home| Jdk::open(&home)).transpose()
    }
}

/// 17 of `"17.0.15"`, 8 of `"1.8.0_302"`.
fn version(text: &str) -> Option<u16> {
    let mut numbers = text.trim_matches('"').split(['.', '_', '-', '+']).map(str::parse::<u16>);
    match numbers.next()?.ok()? {
        1 => numbers.next()?.ok(),
        version => Some(version),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_the_release_file() {
        for (text, expected) in [
            ("\"17.0.15\"", Some(17)),
            ("\"25\"", Some(25)),
            ("\"1.8.0_302\"", Some(8)),
            ("\"26-ea\"", Some(26)),
            ("\"\"", None),
        ] {
            assert_eq!(version(text), expected, "{text}");
        }
    }
}
