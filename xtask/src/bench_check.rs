//! `cargo xtask bench check`: what reading code costs. Each run is a process of its own, cold (without the command's
//! cache), with all checks that run by default: the papers' small programs, single libraries, java.base, and a series of
//! libraries together that grows from one thousand to some twenty thousand classes. Reading and lowering are measured by
//! themselves on one core. Jars are those that `scripts/prepare-java` (and `prepare-java loads`) fetches; what is not there
//! is left out and said so.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use findings::{Format, Report, Style, read_json};
use program::input::{self, Options};

use crate::bench::{build, place, run, text};
use crate::models::jdks::cache;

/// Libraries by folder of the cache, in the order in which the series takes them.
const JARS: [(&str, &str); 24] = [
    ("jars", "h2"),
    ("jars", "kotlin-stdlib"),
    ("jars", "guava"),
    ("jars", "scala-library"),
    ("jars", "clojure"),
    ("jars", "groovy"),
    ("jars", "commons-collections"),
    ("jars", "hsqldb"),
    ("junit5-jars", "junit-platform-console-standalone"),
    ("testng-jars", "testng"),
    ("load-jars", "derby"),
    ("load-jars", "lucene-core"),
    ("load-jars", "netty-common"),
    ("load-jars", "netty-buffer"),
    ("load-jars", "netty-transport"),
    ("load-jars", "netty-codec"),
    ("load-jars", "netty-codec-http"),
    ("load-jars", "netty-handler"),
    ("load-jars", "jetty-util"),
    ("load-jars", "jetty-io"),
    ("load-jars", "jetty-http"),
    ("load-jars", "jetty-server"),
    ("load-jars", "log4j-core"),
    ("load-jars", "commons-pool2"),
];

/// No run may take longer.
const LONGEST: Duration = Duration::from_secs(600);
const ROUNDS: usize = 5;
/// What each part is measured against, on two cores that do nothing else.
const ONE_JAR: &str = "at most 10 s for a large one such as h2";
const MANY_JARS: &str = "at most 120 s and 6144 MB for 20 000 classes, and nearly linear: together not much more than \
                         the same libraries one by one";

/// Runs all of it, or the parts that are named.
pub fn bench(args: &[&str]) -> Result<(), String> {
    let parts = ["papers", "libraries", "series", "jdk", "lower", "cache"];
    if let Some(other) = args.iter().find(|arg| !parts.contains(arg)) {
        return Err(format!("{other}: no such part of bench check; there are {}", parts.join(", ")));
    }
    let wanted = |part: &str| args.is_empty() || args.contains(&part);
    let raddle = build()?;
    let place = place()?.join("check");
    std::fs::create_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
    let jars = jars()?;
    let bench = Bench { raddle, place };
    if wanted("papers") {
        bench.papers()?;
    }
    if wanted("libraries") {
        bench.table("libraries, as programs where they have a main", ONE_JAR);
        for (name, jar) in &jars {
            bench.row(name, std::slice::from_ref(jar), &["--no-cache"])?;
        }
        bench.table("libraries, called by any thread", ONE_JAR);
        for (name, jar) in &jars {
            bench.row(name, std::slice::from_ref(jar), &["--no-cache", "--library"])?;
        }
    }
    if wanted("series") {
        bench.series(&jars)?;
    }
    if wanted("jdk") {
        bench.table("java.base", "it ends, with its findings and gaps counted");
        let classes = bench.java_base()?;
        bench.row("java.base", &[classes], &["--no-cache", "--library"])?;
    }
    if wanted("cache") {
        bench.again(&jars)?;
    }
    if wanted("lower") {
        lower(&jars)?;
    }
    Ok(())
}

/// The libraries that are there, with their names.
fn jars() -> Result<Vec<(String, PathBuf)>, String> {
    let cache = cache()?;
    let mut found = Vec::new();
    for (folder, name) in JARS {
        let entries = std::fs::read_dir(cache.join(folder)).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        let fits = |path: &PathBuf| {
            let file = path.file_name().and_then(|file| file.to_str()).unwrap_or_default();
            file.strip_prefix(name).is_some_and(|rest| rest.starts_with('-')) && file.ends_with(".jar")
        };
        match paths.into_iter().find(fits) {
            Some(path) => found.push((name.to_owned(), path)),
            None => eprintln!("xtask: {folder}/{name} is not there; scripts/prepare-java [loads] fetches it"),
        }
    }
    if found.is_empty() { Err("no libraries to check".into()) } else { Ok(found) }
}

struct Bench {
    raddle: PathBuf,
    place: PathBuf,
}

/// What a run took and told.
struct Ran {
    seconds: f64,
    /// Of all processors.
    busy: f64,
    peak_mb: f64,
    report: Report,
}

impl Bench {
    fn table(&self, what: &str, target: &str) {
        println!("\n## {what}\n\nTarget: {target}.\n");
        println!(
            "| input | classes | methods | seconds | ms a class | peak, MB | findings: data races, high-level races, \
             stale values, lock order | gaps |"
        );
        println!("|---|---|---|---|---|---|---|---|");
    }

    fn row(&self, name: &str, paths: &[PathBuf], options: &[&str]) -> Result<(), String> {
        let ran = self.check(paths, options)?;
        let count = |rule: &str| ran.report.findings().filter(|found| found.rule.name() == rule).count();
        let counts =
            ["data-race", "high-level-race", "stale-value", "lock-order"].map(|r| count(r).to_string());
        let classes = ran.report.coverage.classes_seen;
        println!(
            "| {name} | {classes} | {} | {:.2} | {:.2} | {:.0} | {}: {} | {} |",
            ran.report.coverage.methods_analysed,
            ran.seconds,
            ran.seconds * 1e3 / classes.max(1) as f64,
            ran.peak_mb,
            ran.report.findings().count(),
            counts.join(", "),
            ran.report.gaps().count(),
        );
        Ok(())
    }

    fn check(&self, paths: &[PathBuf], options: &[&str]) -> Result<Ran, String> {
        let json = self.place.join("report.json");
        let mut command = Command::new("timeout");
        command.arg(LONGEST.as_secs().to_string()).arg(&self.raddle);
        command.args(["--no-config", "check", "--exit-zero", "--stats", "--no-progress", "--format", "json"]);
        command.args(["--output", &format!("json={}", text(&json))]).args(options).args(paths);
        command.env("RADDLE_CACHE", self.place.join("kept"));
        let start = Instant::now();
        let said = run(&mut command)?;
        let seconds = start.elapsed().as_secs_f64();
        let line = said.lines().find_map(|line| line.strip_prefix("stats: ")).unwrap_or_default();
        let number =
            |name: &str| line.split(' ').find_map(|word| word.strip_prefix(name)?.parse::<f64>().ok());
        let (peak, busy) = (number("peak_kb="), number("cpu_seconds="));
        let text = std::fs::read_to_string(&json).map_err(|e| format!("{}: {e}", json.display()))?;
        let report = read_json(&text).map_err(|e| format!("{}: {e}", json.display()))?;
        Ok(Ran {
            seconds,
            busy: busy.unwrap_or_default(),
            peak_mb: peak.unwrap_or_default() / 1024.0,
            report,
        })
    }

    /// One library more in each row. Libraries differ: a class of one costs ten times what a class of another costs. So
    /// each row is held against the same libraries checked one by one: as long as the cost is linear, the last column
    /// is one, whatever the order. Processor time is measured, which other work on the machine disturbs least.
    fn series(&self, jars: &[(String, PathBuf)]) -> Result<(), String> {
        println!("\n## a growing series, called by any thread\n\nTarget: {MANY_JARS}.\n");
        println!(
            "| input | classes | methods | seconds | CPU s | CPU ms a class | CPU µs a method | peak, MB | findings | gaps \
             | CPU s one by one | together / one by one |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
        let mut apart = 0.0;
        for (count, (name, jar)) in (1..).zip(jars) {
            let paths: Vec<PathBuf> = jars.iter().take(count).map(|(_, jar)| jar.clone()).collect();
            let options = ["--no-cache", "--library"];
            let ran = self.check(&paths, &options)?;
            apart += match count {
                1 => ran.busy,
                _ => self.check(std::slice::from_ref(jar), &options)?.busy,
            };
            let (classes, methods) = (ran.report.coverage.classes_seen, ran.report.coverage.methods_analysed);
            println!(
                "| … {name} | {classes} | {methods} | {:.2} | {:.2} | {:.2} | {:.0} | {:.0} | {} | {} | {apart:.2} | {:.2} |",
                ran.seconds,
                ran.busy,
                ran.busy * 1e3 / classes.max(1) as f64,
                ran.busy * 1e6 / methods.max(1) as f64,
                ran.peak_mb,
                ran.report.findings().count(),
                ran.report.gaps().count(),
                ran.busy / apart,
            );
        }
        Ok(())
    }

    /// The small programs of the papers, each compiled by itself.
    fn papers(&self) -> Result<(), String> {
        self.table("the papers' small programs", "at most 0.5 s each");
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/papers/moth");
        let entries = std::fs::read_dir(&sources).map_err(|e| format!("{}: {e}", sources.display()))?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|ending| ending == "java"));
        files.sort();
        for file in files {
            let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            let classes = self.place.join("papers").join(&name);
            std::fs::create_dir_all(&classes).map_err(|e| format!("{}: {e}", classes.display()))?;
            let mut compile = Command::new("javac");
            compile.args(["-nowarn", "-g", "-sourcepath", &text(&sources), "-d", &text(&classes)]);
            run(compile.arg(&file))?;
            self.row(&name, &[classes], &["--no-cache"])?;
        }
        Ok(())
    }

    /// The classes of java.base in a folder.
    fn java_base(&self) -> Result<PathBuf, String> {
        let folder = self.place.join("jdk");
        let base = folder.join("java.base");
        if !base.join("java/lang/Object.class").exists() {
            let home = crate::models::jdks::on_path()?;
            let image = home.join("lib/modules");
            let mut command = Command::new(home.join("bin/jimage"));
            run(command
                .args(["extract", "--dir", &text(&folder), "--include", "/java.base/**"])
                .arg(&image))?;
        }
        Ok(base)
    }

    /// The whole series twice: the second run finds what the first one kept.
    fn again(&self, jars: &[(String, PathBuf)]) -> Result<(), String> {
        println!("\n## the same inputs again\n");
        let paths: Vec<PathBuf> = jars.iter().map(|(_, jar)| jar.clone()).collect();
        let _ = std::fs::remove_dir_all(self.place.join("kept"));
        let first = self.check(&paths, &["--library"])?;
        let second = self.check(&paths, &["--library"])?;
        let whole = |report: &Report| -> Result<Vec<u8>, String> {
            let mut text = Vec::new();
            let written = Format::Json.renderer(Style::default()).render(report, &mut text);
            written.map_err(|e| e.to_string()).map(|()| text)
        };
        let same = whole(&first.report)? == whole(&second.report)?;
        println!(
            "{} classes: {:.2} s, then {:.2} s: {:.0} times as fast (target: at least 10), {} report",
            first.report.coverage.classes_seen,
            first.seconds,
            second.seconds,
            first.seconds / second.seconds,
            if same { "the same" } else { "OTHER" }
        );
        Ok(())
    }
}

/// Parsing and lowering on one core.
fn lower(jars: &[(String, PathBuf)]) -> Result<(), String> {
    println!("\n## parsing and lowering, one core\n\nTarget: at least 30 MB/s.\n");
    println!("| input | classes | MB | MB/s |");
    println!("|---|---|---|---|");
    for (name, jar) in jars {
        let found = input::read(std::slice::from_ref(jar), &Options::default()).map_err(|e| e.to_string())?;
        let size: usize = found.classes.iter().map(|class| class.bytes.len()).sum();
        let mut best = f64::MAX;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            let methods: usize = found
                .classes
                .iter()
                .filter_map(|class| program::lower::lower(&class.bytes).ok())
                .map(|class| class.methods.len())
                .sum();
            std::hint::black_box(methods);
            best = best.min(start.elapsed().as_secs_f64());
        }
        let size = size as f64 / 1e6;
        println!("| {name} | {} | {size:.1} | {:.1} |", found.classes.len(), size / best);
    }
    Ok(())
}
