//! Woven whole, with the built-in models, classes of libraries and of java.base link under full verification exactly as
//! they do unwoven. By default a sample that is the same every time, on the installed JDK; `RADDLE_WHOLE_CORPUS=1` takes
//! all classes and all JDKs at hand.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use events::models::Models;
use instrument::{Blocks, Gap, Options, Scope, Site, Sites, weave};
use support::Nowhere;
use support::java::{self, Named, Runtime};

const VERIFY: [&str; 3] =
    ["-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal", "-XX:+BytecodeVerificationRemote"];

/// As much as can be woven.
const MOST: Options =
    Options { scope: Scope::Whole, blocks: Blocks::ExportSynch, finals: false, kept: false };

#[derive(Default, Debug)]
struct Count {
    classes: usize,
    woven: usize,
    bytes: usize,
    more: usize,
    sites: usize,
    gaps: usize,
    left: Vec<String>,
    time: Duration,
}

impl Count {
    fn tell(&self, label: &str) {
        let speed = self.bytes as f64 / 1e6 / self.time.as_secs_f64();
        println!(
            "{label}: {} of {} classes woven, {} bytes, {:.2} times as many after, {} sites, {} gaps, {speed:.0} MB/s",
            self.woven,
            self.classes,
            self.bytes,
            self.more as f64 / self.bytes as f64,
            self.sites,
            self.gaps,
        );
        for left in &self.left {
            println!("left: {left}");
        }
    }
}

/// Gives numbers and keeps nothing but gaps.
#[derive(Default)]
struct Counted {
    numbers: u32,
    sites: usize,
    gaps: Vec<Gap>,
}

impl Counted {
    fn next(&mut self) -> u32 {
        self.numbers += 1;
        // As in a long run: most sites do not fit into a short constant.
        self.numbers + 100_000
    }
}

impl Sites for Counted {
    fn class(&mut self, _: &[u8], _: Option<&[u8]>) -> u32 {
        self.next()
    }

    fn method(&mut self, _: u32, _: &[u8], _: &[u8]) -> u32 {
        self.next()
    }

    fn field(&mut self, _: &[u8], _: &[u8], _: &[u8], _: Option<u16>) -> u32 {
        self.next()
    }

    fn site(&mut self, _: Site<'_>) -> Option<u32> {
        self.sites += 1;
        Some(self.next())
    }

    fn gap(&mut self, gap: Gap) {
        self.gaps.push(gap);
    }
}

/// Weaves one class in `step`; the others stay as they are.
fn woven(
    classes: &[Named],
    step: usize,
    options: &Options,
    models: &Models,
    count: &mut Count,
) -> Vec<Vec<u8>> {
    let mut out = Vec::with_capacity(classes.len());
    for (number, class) in classes.iter().enumerate() {
        if number % step != 0 {
            out.push(class.bytes.clone());
            continue;
        }
        let mut table = Counted::default();
        let start = Instant::now();
        let result = weave(&class.bytes, &Nowhere, models, &mut table, options);
        count.time += start.elapsed();
        count.classes += 1;
        count.bytes += class.bytes.len();
        count.sites += table.sites;
        count.gaps += table.gaps.len();
        for gap in &table.gaps {
            println!("{}: {}", gap.method, gap.why);
        }
        let bytes = match result {
            Ok(Some(bytes)) => {
                count.woven += 1;
                bytes
            }
            Ok(None) => class.bytes.clone(),
            Err(failure) => {
                count.left.push(format!("{}: {failure}", class.name));
                class.bytes.clone()
            }
        };
        count.more += bytes.len();
        out.push(bytes);
    }
    out
}

/// What became of each class when it was linked. How many methods it has is not compared: weaving adds some.
fn outcomes(path: &Path) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(path).expect("the helper's output");
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    // Nor is which of several missing classes is missed first: that depends on what the verifier looks at first.
    let plain = |outcome: &str| match outcome.split(' ').next() {
        Some(first @ ("ok" | "java.lang.NoClassDefFoundError")) => first.to_owned(),
        _ => outcome.to_owned(),
    };
    lines.map(|(name, outcome)| (name.to_owned(), plain(outcome))).collect()
}

fn compare(label: &str, plain: &BTreeMap<String, String>, woven: &BTreeMap<String, String>) {
    let different: Vec<_> =
        plain.iter().filter(|(name, outcome)| woven.get(*name) != Some(outcome)).collect();
    let linked = plain.values().filter(|outcome| *outcome == "ok").count();
    println!("{label}: {linked} of {} classes link, {} differ", plain.len(), different.len());
    for (name, outcome) in different.iter().take(10) {
        println!("{name}: {outcome} but woven {:?}", woven.get(*name));
    }
    assert!(different.is_empty(), "{label}: weaving changed how classes link");
    assert_eq!(plain.len(), woven.len());
}

fn runtimes() -> Vec<Runtime> {
    if java::whole() { java::runtimes() } else { vec![java::installed()] }
}

fn link(
    runtime: &Runtime,
    label: &str,
    names: &[&str],
    classes: &[&[u8]],
    step: usize,
) -> BTreeMap<String, String> {
    let folder = java::scratch(&format!("link-{label}-{}", std::process::id()));
    let (stream, out) = (folder.join("classes"), folder.join("outcome"));
    java::write_stream(&stream, names.iter().copied().zip(classes.iter().copied()));
    let boot = format!("-Xbootclasspath/a:{}", support::probe().display());
    let mut flags = VERIFY.to_vec();
    flags.extend([boot.as_str(), "-Draddle.verbose=1"]);
    let [stream, out_name] = [&stream, &out].map(|path| path.to_str().expect("a plain path"));
    java::corpus(runtime, &flags, &["link", stream, out_name, &step.to_string()]);
    let found = outcomes(&out);
    std::fs::remove_dir_all(&folder).expect("the folder just made");
    found
}

#[test]
fn woven_libraries_link_as_they_do_unwoven() {
    let jars = java::jars();
    if jars.is_empty() {
        return; // they are downloaded by scripts/prepare, which CI runs
    }
    let mut all = java::jar_classes(&jars);
    let mut seen = BTreeSet::new();
    all.retain(|class| seen.insert(class.name.clone()));
    let names: Vec<&str> = all.iter().map(|class| class.name.as_str()).collect();
    let bytes: Vec<&[u8]> = all.iter().map(|class| &class.bytes[..]).collect();
    let models = support::models();
    let step = if java::whole() { 1 } else { 5 };
    let mut count = Count::default();
    let woven = woven(&all, step, &MOST, &models, &mut count);
    count.tell("libraries");
    assert!(count.woven > 2000 && count.left.is_empty(), "{count:?}");
    let woven: Vec<&[u8]> = woven.iter().map(Vec::as_slice).collect();
    for runtime in runtimes() {
        let plain = link(&runtime, "plain", &names, &bytes, step);
        compare(
            &format!("libraries on {}", runtime.name),
            &plain,
            &link(&runtime, "woven", &names, &woven, step),
        );
    }
}

/// The classes of java.base that the runtime has.
fn base_classes(runtime: &Runtime) -> Vec<Named> {
    let mut all = java::jdk_classes(runtime, "java.base");
    all.retain(|class| !class.name.ends_with("module-info"));
    for class in &mut all {
        class.name = class.name.trim_start_matches("java.base/").to_owned();
    }
    all
}

/// The classes that a JVM loads before it runs a program: woven code of theirs would run without a probe.
fn early_classes(runtime: &Runtime) -> BTreeSet<String> {
    let folder = java::scratch(&format!("early-{}-{}", runtime.name, std::process::id()));
    let (list, out) = (folder.join("names"), folder.join("outcome"));
    std::fs::write(&list, "java.lang.Object\nno.such.Class\njava.util.zip.CRC32\n")
        .expect("room on the disk");
    let args = ["base", list.to_str().expect("a plain path"), out.to_str().expect("a plain path")];
    // Patched as it will be, since that takes some classes as well.
    let patch = format!("--patch-module=java.base={}", support::probe().display());
    let (text, _) = java::corpus(runtime, &["-Xshare:off", "-Xlog:class+load", &patch], &args);
    std::fs::remove_dir_all(&folder).expect("the folder just made");
    let words = text.lines().filter(|line| line.contains("jrt:/java.base"));
    let names = words.filter_map(|line| line.split_once("[class,load] ")?.1.split(' ').next());
    names.map(|name| name.replace('.', "/")).collect()
}

/// Starts a JVM whose java.base is patched with `classes` and links all classes named.
fn link_base(
    runtime: &Runtime,
    label: &str,
    names: &[&str],
    classes: &[(&str, &[u8])],
) -> BTreeMap<String, String> {
    let folder = java::scratch(&format!("base-{label}-{}-{}", runtime.name, std::process::id()));
    let (patch, list, out) = (folder.join("patch"), folder.join("names"), folder.join("outcome"));
    let probe = std::fs::read(support::probe().join("raddle/rt/Probe.class")).expect("the stand-in");
    for (name, bytes) in classes.iter().copied().chain([("raddle/rt/Probe", &probe[..])]) {
        let path = patch.join(format!("{name}.class"));
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("room on the disk");
        std::fs::write(path, bytes).expect("room on the disk");
    }
    let text: String = names.iter().map(|name| name.replace('/', ".") + "\n").collect();
    std::fs::write(&list, text).expect("room on the disk");
    let patch = format!("--patch-module=java.base={}", patch.display());
    let mut flags = VERIFY.to_vec();
    flags.extend([patch.as_str(), "-Draddle.verbose=1"]);
    let [list, out_name] = [&list, &out].map(|path| path.to_str().expect("a plain path"));
    java::corpus(runtime, &flags, &["base", list, out_name]);
    let found = outcomes(&out);
    std::fs::remove_dir_all(&folder).expect("the folder just made");
    found
}

#[test]
fn woven_java_base_links_as_it_does_unwoven() {
    for runtime in runtimes() {
        let all = base_classes(&runtime);
        let early = early_classes(&runtime);
        let late: Vec<&Named> = all.iter().filter(|class| !early.contains(&class.name)).collect();
        assert!(late.len() > 4000, "{} of {}", late.len(), all.len());
        let names: Vec<&str> = all.iter().map(|class| class.name.as_str()).collect();
        let plain = link_base(&runtime, "plain", &names, &[]);
        let models = support::models();
        let sample = java::sample(late, 8);
        for (label, scope) in [("whole", Scope::Whole), ("models", Scope::ModelOnly)] {
            let options = Options { scope, blocks: Blocks::ExportSynch, finals: false, kept: false };
            let mut count = Count::default();
            let mut classes = Vec::new();
            for class in &sample {
                let one = std::slice::from_ref(*class);
                if let Some(bytes) = woven(one, 1, &options, &models, &mut count).pop() {
                    classes.push((class.name.as_str(), bytes));
                }
            }
            let label = format!("java.base {label} on {}", runtime.name);
            count.tell(&label);
            assert!(count.left.is_empty(), "{count:?}");
            let patched: Vec<(&str, &[u8])> =
                classes.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
            compare(&label, &plain, &link_base(&runtime, "woven", &names, &patched));
        }
    }
}
