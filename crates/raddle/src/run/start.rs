//! How a command is started so that its JVMs load the agent: an argument where the command is `java` itself, and the
//! variable `JAVA_TOOL_OPTIONS` where it is anything else.
//!
//! A JVM that reads the variable says so on standard error, which is not how the program behaves alone: hence the
//! argument. The JVMs that `java` starts itself have to read it; the agent puts it into their environment.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cli::{Blocks, RunArgs};
use crate::error::Failure;

/// The library that the JVM loads.
const LIBRARY: &str = if cfg!(target_os = "macos") { "libraddle_agent.dylib" } else { "libraddle_agent.so" };
/// Where it is, if not in one of the usual places.
const VARIABLE: &str = "RADDLE_AGENT";
/// Options that every JVM reads.
const JVM_OPTIONS: &str = "JAVA_TOOL_OPTIONS";
/// Options of Gradle's own JVM. A daemon would start the JVMs of tests with the environment that it was itself started
/// with, so that one that is there already would not be watched, and one that stays would not forget that it was.
const GRADLE_OPTIONS: &str = "GRADLE_OPTS";
const NO_DAEMON: &str = "-Dorg.gradle.daemon=false";
/// The same for JVMs that a JVM starts; read by the agent.
const FOR_CHILDREN: &str = "RADDLE_CHILDREN";

/// Finds the agent: where the user says, beside this executable, or in `../lib`.
pub fn agent() -> Result<PathBuf, Failure> {
    if let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        let path = PathBuf::from(path);
        return path
            .canonicalize()
            .map_err(|error| Failure::new(format!("{VARIABLE}={}: {error}", path.display())));
    }
    let executable = std::env::current_exe().ok();
    let folder = executable.as_deref().and_then(Path::parent).unwrap_or(Path::new("."));
    let places = [folder.join(LIBRARY), folder.join("../lib").join(LIBRARY)];
    places.iter().find_map(|place| place.canonicalize().ok()).ok_or_else(|| {
        Failure::with_help(
            format!("{}: the library that the JVM has to load is not there", places[0].display()),
            format!("{VARIABLE} may say where it is"),
        )
    })
}

/// The class path that a command gives to `java`, as far as its own arguments tell: near it there may be sources.
pub fn class_path(command: &[OsString]) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let mut words = command.iter();
    while let Some(word) = words.next() {
        let word = word.to_string_lossy();
        let value = match word.as_ref() {
            "-cp" | "-classpath" | "--class-path" | "-jar" => words.next().cloned(),
            other => other.strip_prefix("--class-path=").map(OsString::from),
        };
        for path in value.iter().flat_map(std::env::split_paths) {
            // `lib/*` means the jars in it.
            let all = path.file_name().is_some_and(|name| name == "*");
            paths.push(if all { path.parent().map(Path::to_owned).unwrap_or_default() } else { path });
        }
    }
    paths
}

/// The command, not started yet.
pub fn command(
    args: &RunArgs,
    agent: &Path,
    session: &Path,
    plan: Option<&Path>,
) -> Result<Command, Failure> {
    let (program, rest) = args.command.split_first().ok_or_else(|| Failure::new("no command"))?;
    let mut option = option(args, agent, session)?;
    if let Some(plan) = plan {
        option.push(",plan=");
        option.push(escaped(plan.as_os_str())?);
    }
    let mut command = Command::new(program);
    let before = std::env::var_os(JVM_OPTIONS).filter(|value| !value.is_empty());
    let all = appended(before, &option)?;
    if Path::new(program).file_name().is_some_and(|name| name == "java") {
        command.arg(option).args(rest).env(FOR_CHILDREN, all);
    } else {
        command.args(rest).env(JVM_OPTIONS, all);
        let mut gradle = std::env::var_os(GRADLE_OPTIONS).unwrap_or_default();
        if !gradle.is_empty() {
            gradle.push(" ");
        }
        gradle.push(NO_DAEMON);
        command.env(GRADLE_OPTIONS, gradle);
    }
    Ok(command)
}

/// `-agentpath:LIBRARY=key=value,…`.
fn option(args: &RunArgs, agent: &Path, session: &Path) -> Result<OsString, Failure> {
    let mut option = OsString::from("-agentpath:");
    option.push(agent);
    option.push("=session=");
    option.push(escaped(session.as_os_str())?);
    option.push(format!(",reader={},budget={}", std::process::id(), args.budget));
    if args.report.paper {
        // The papers watch final fields like all others.
        option.push(",finals=all");
    }
    if args.blocks == Blocks::Export {
        option.push(",blocks=export");
    }
    if args.unfiltered {
        option.push(",filter=off,ranges=off");
    }
    let patterns = [("include", &args.include), ("exclude", &args.exclude), ("leave", &args.leave)];
    for (key, patterns) in patterns {
        for pattern in patterns {
            option.push(format!(",{key}="));
            option.push(escaped(OsStr::new(pattern))?);
        }
    }
    for models in &args.models {
        let path = models
            .canonicalize()
            .map_err(|error| Failure::new(format!("--models {}: {error}", models.display())))?;
        option.push(",models=");
        option.push(escaped(path.as_os_str())?);
    }
    Ok(option)
}

/// A value as the agent reads it.
fn escaped(value: &OsStr) -> Result<String, Failure> {
    let text = value
        .to_str()
        .ok_or_else(|| Failure::new(format!("{}: the JVM takes only UTF-8", value.display())))?;
    Ok(text.replace('%', "%25").replace(',', "%2C"))
}

/// Options that were there before, and one more. White space divides options, quotes keep it together.
fn appended(before: Option<OsString>, option: &OsStr) -> Result<OsString, Failure> {
    let text = option.to_str().ok_or_else(|| Failure::new("the agent's path: the JVM takes only UTF-8"))?;
    let quoted = match (text.contains(char::is_whitespace), text.contains('"'), text.contains('\'')) {
        (false, false, false) => text.to_owned(),
        (_, false, _) => format!("\"{text}\""),
        (_, true, false) => format!("'{text}'"),
        (_, true, true) => {
            return Err(Failure::new("a path or pattern holds both kinds of quotes, which no JVM takes"));
        }
    };
    let mut options = before.unwrap_or_default();
    if !options.is_empty() {
        options.push(" ");
    }
    options.push(quoted);
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(before: Option<&str>, option: &str) -> String {
        let all = appended(before.map(OsString::from), OsStr::new(option)).unwrap();
        all.into_string().unwrap()
    }

    #[test]
    fn the_class_path_is_read_from_the_arguments_of_java() {
        let paths = |words: &[&str]| -> Vec<String> {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            class_path(&words).iter().map(|path| path.display().to_string()).collect()
        };
        assert_eq!(paths(&["java", "-cp", "target/classes:lib/*", "Main"]), ["target/classes", "lib"]);
        assert_eq!(paths(&["java", "--class-path=a.jar", "-jar", "b.jar"]), ["a.jar", "b.jar"]);
        assert_eq!(paths(&["mvn", "test"]), [""; 0]);
        assert_eq!(paths(&["java", "-cp"]), [""; 0]);
    }

    #[test]
    fn options_of_the_user_stay() {
        assert_eq!(with(None, "-agentpath:a.so=x"), "-agentpath:a.so=x");
        assert_eq!(with(Some("-Xmx1g"), "-agentpath:a.so=x"), "-Xmx1g -agentpath:a.so=x");
    }

    #[test]
    fn white_space_and_quotes_are_quoted() {
        assert_eq!(with(None, "-agentpath:/my lib/a.so"), "\"-agentpath:/my lib/a.so\"");
        assert_eq!(with(None, "-agentpath:/a\"b/a.so"), "'-agentpath:/a\"b/a.so'");
        assert!(appended(None, OsStr::new("a\"b'c")).is_err());
    }

    #[test]
    fn commas_do_not_divide_values() {
        assert_eq!(escaped(OsStr::new("a,b%c")).unwrap(), "a%2Cb%25c");
    }
}
