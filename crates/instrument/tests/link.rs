//! Woven whole, with the built-in models of the JDK that links them, classes of libraries and of java.base link under
//! full verification exactly as they do unwoven; broken on purpose they do not. By default a sample that is the same
//! every time, smaller on newer JDKs; `RADDLE_WHOLE_CORPUS=1` takes all classes. The probe is a stand-in, and classes of
//! java.base that a JVM needs before it can call one are left out: the agent's own tests have them.

mod support;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use events::models::{Models, Placement};
use instrument::{Blocks, Gap, Options, Scope, Site, Sites, weave};
use support::Nowhere;
use support::java::broken::WAYS;
use support::java::linked::{Outcomes, Unwoven, linked, outcomes};
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

/// How many methods a class has is not compared: weaving adds some.
fn compare(label: &str, names: &[&str], classes: &[&[u8]], plain: &Outcomes, woven: &Outcomes) {
    let different = Unwoven::new(plain, names, classes, true).differences(woven);
    println!("{label}: {} of {} classes link, {} differ", linked(plain), plain.len(), different.len());
    let some = &different[..different.len().min(10)];
    assert!(different.is_empty(), "{label}: weaving changed how classes link: {some:#?}");
}

fn link(runtime: &Runtime, label: &str, names: &[&str], classes: &[&[u8]], step: usize) -> Outcomes {
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

/// The classes of all libraries; of several of a name the first.
fn library_classes() -> Vec<Named> {
    let jars = java::jars();
    if jars.is_empty() {
        return Vec::new(); // which has been said
    }
    let mut all = java::jar_classes(&jars);
    let mut seen = BTreeSet::new();
    all.retain(|class| seen.insert(class.name.clone()));
    println!("{} classes of {} libraries", all.len(), jars.len());
    assert!(all.len() > 24_000, "{} classes of {jars:?}", all.len());
    all
}

#[test]
fn woven_libraries_link_as_they_do_unwoven() {
    let all = library_classes();
    if all.is_empty() {
        return;
    }
    let names: Vec<&str> = all.iter().map(|class| class.name.as_str()).collect();
    let bytes: Vec<&[u8]> = all.iter().map(|class| &class.bytes[..]).collect();
    for (number, runtime) in java::runtimes().iter().enumerate() {
        // What newer JDKs do differently shows in any class.
        let step = if java::whole() { 1 } else { 5 + 35 * number.min(1) };
        let label = format!("libraries on {}", runtime.name);
        let mut count = Count::default();
        let woven = woven(&all, step, &MOST, &support::models_of(runtime.version), &mut count);
        count.tell(&label);
        assert_eq!(count.classes, all.len().div_ceil(step));
        // The others are interfaces and the like, in which there is nothing to watch.
        assert!(count.woven * 100 > count.classes * 88 && count.left.is_empty(), "{count:?}");
        let woven: Vec<&[u8]> = woven.iter().map(Vec::as_slice).collect();
        let plain = link(runtime, "plain", &names, &bytes, step);
        // The others name libraries that are not there.
        assert!(plain.len() == count.classes && linked(&plain) * 100 > plain.len() * 97);
        compare(&label, &names, &bytes, &plain, &link(runtime, "woven", &names, &woven, step));
    }
}

#[test]
fn woven_libraries_that_are_broken_on_purpose_link_differently() {
    let all = library_classes();
    if all.is_empty() {
        return;
    }
    let runtime = java::installed();
    // Few, but of every library.
    let step = if java::whole() { 7 } else { 61 };
    let names: Vec<&str> = all.iter().map(|class| class.name.as_str()).collect();
    let bytes: Vec<&[u8]> = all.iter().map(|class| &class.bytes[..]).collect();
    let plain = link(&runtime, "unbroken", &names, &bytes, step);
    let unwoven = Unwoven::new(&plain, &names, &bytes, true);
    let woven = woven(&all, step, &MOST, &support::models_of(runtime.version), &mut Count::default());
    for (number, (way, break_it)) in WAYS.into_iter().enumerate() {
        let mut broken = woven.clone();
        let mut expected = BTreeSet::new();
        // Each class in one way, so that a broken one is not missed by another that is itself broken.
        for at in (0..all.len()).step_by(step).skip(number).step_by(WAYS.len()) {
            let name = names[at].replace('/', ".");
            let links = plain[&name].starts_with("ok ");
            if links && let Some(bytes) = break_it(&all[at].bytes, &woven[at]) {
                broken[at] = bytes;
                expected.insert(name);
            }
        }
        let broken: Vec<&[u8]> = broken.iter().map(Vec::as_slice).collect();
        let different = unwoven.differences(&link(&runtime, "broken", &names, &broken, step));
        let told: BTreeSet<String> =
            different.iter().filter_map(|line| Some(line.split_once(':')?.0.to_owned())).collect();
        let missed: Vec<&String> = expected.difference(&told).collect();
        println!("{way}: {} broken, {} differ", expected.len(), different.len());
        assert!(expected.len() > 20 && missed.is_empty(), "{way}: taken for unbroken: {missed:?}");
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
fn link_base(runtime: &Runtime, label: &str, names: &[&str], classes: &[(&str, &[u8])]) -> Outcomes {
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
    for (number, runtime) in java::runtimes().into_iter().enumerate() {
        let all = base_classes(&runtime);
        let early = early_classes(&runtime);
        let late: Vec<&Named> = all.iter().filter(|class| !early.contains(&class.name)).collect();
        assert!(late.len() > 4000, "{} of {}", late.len(), all.len());
        let models = support::models_of(runtime.version);
        // All of which the tables speak, since what they say of newer JDKs is about few, and a sample of the others.
        let held = models.lines().iter().filter(|line| line.placement != Placement::Call);
        let modelled: BTreeSet<String> = held.map(|line| line.class.replace('.', "/")).collect();
        let (mut sample, others): (Vec<&Named>, Vec<&Named>) =
            late.into_iter().partition(|class| modelled.contains(&class.name));
        assert!(sample.len() > 30, "{} of {}", sample.len(), modelled.len());
        sample.extend(java::sample(others, 8 + 32 * number.min(1)));
        // On the installed JDK all, since classes that are woven may be in the way of others; on newer ones the woven.
        let names: Vec<&str> = match number {
            0 => all.iter().map(|class| class.name.as_str()).collect(),
            _ => sample.iter().map(|class| class.name.as_str()).collect(),
        };
        let plain = link_base(&runtime, "plain", &names, &[]);
        assert!(linked(&plain) == names.len(), "{} of {}", linked(&plain), names.len());
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
            compare(&label, &names, &[], &plain, &link_base(&runtime, "woven", &names, &patched));
        }
    }
}
