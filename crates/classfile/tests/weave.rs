//! Woven as heavily as can be, classes of libraries and of java.base link under full verification exactly as they do
//! unwoven; with frames left wrong they do not. By default a sample that is the same every time; `RADDLE_WHOLE_CORPUS=1`
//! takes all.

mod support;

use std::collections::BTreeSet;

use support::broken::with_old_frames;
use support::linked::{Outcomes, Unwoven, linked, outcomes};
use support::stress::{Count, Plan, probe_class, weave};
use support::{Named, Runtime};

const PROBE: &str = "raddle/Probe";
/// Must lie in a package that java.base exports.
const BASE_PROBE: &str = "java/lang/RaddleProbe";

const VERIFY: [&str; 3] =
    ["-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal", "-XX:+BytecodeVerificationRemote"];

/// Weaves one class in `step`; the others stay as they are.
fn woven(classes: &[Named], step: usize, plan: Plan, count: &mut Count) -> Vec<Vec<u8>> {
    let mut weave_one = |class: &Named| match weave(&class.bytes, plan, count) {
        Ok(woven) => woven.unwrap_or_else(|| class.bytes.clone()),
        Err(error) => panic!("{}: {error}", class.name),
    };
    let mut out = Vec::with_capacity(classes.len());
    for (number, class) in classes.iter().enumerate() {
        out.push(if number % step == 0 { weave_one(class) } else { class.bytes.clone() });
    }
    out
}

/// Links one class in `step`; all are there to be found.
fn link(runtime: &Runtime, label: &str, names: &[&str], classes: &[&[u8]], step: usize) -> Outcomes {
    let folder = support::scratch(&format!("link-{label}-{}", std::process::id()));
    let (stream, out) = (folder.join("classes"), folder.join("outcome"));
    let probe = probe_class(PROBE);
    let all = names.iter().copied().zip(classes.iter().copied()).chain([(PROBE, &probe[..])]);
    support::write_stream(&stream, all);
    let [stream, out_name] = [&stream, &out].map(|path| path.to_str().expect("a plain path"));
    let flags = [&VERIFY[..], &["-Draddle.verbose=1"]].concat();
    support::corpus(runtime, &flags, &["link", stream, out_name, &step.to_string()]);
    let found = outcomes(&out);
    std::fs::remove_dir_all(&folder).expect("the folder just made");
    found
}

/// The stress weaver adds no methods.
fn compare(label: &str, names: &[&str], classes: &[&[u8]], plain: &Outcomes, woven: &Outcomes) {
    let different = Unwoven::new(plain, names, classes, false).differences(woven);
    println!("{label}: {} of {} classes link, {} differ", linked(plain), plain.len(), different.len());
    assert!(
        different.is_empty(),
        "{label}: weaving changed how classes link: {:#?}",
        &different[..different.len().min(10)]
    );
}

fn library_classes() -> Vec<Named> {
    let jars = support::jars();
    if jars.is_empty() { Vec::new() } else { support::jar_classes(&jars) }
}

#[test]
fn woven_libraries_link_as_they_do_unwoven() {
    let all = library_classes();
    if all.is_empty() {
        return; // which has been said
    }
    let names: Vec<&str> = all.iter().map(|class| class.name.as_str()).collect();
    let bytes: Vec<&[u8]> = all.iter().map(|class| &class.bytes[..]).collect();
    for (number, runtime) in support::runtimes().iter().enumerate() {
        // In a sample the newer runtimes see fewer classes: what they do differently shows in any of them.
        for (label, stretch, few) in
            [("woven", false, 5 + 35 * number), ("stretched", true, 40 + 40 * number)]
        {
            let step = match (support::whole(), stretch) {
                (true, false) => 1,
                (true, true) => 8,
                (false, _) => few,
            };
            let mut count = Count::default();
            let woven = woven(&all, step, Plan { probe: Some(PROBE), stretch, cover: true }, &mut count);
            println!("{label} on {}: {count:?}", runtime.name);
            assert!(count.classes > 100, "{count:?}");
            let plain = link(runtime, "plain", &names, &bytes, step);
            let woven: Vec<&[u8]> = woven.iter().map(Vec::as_slice).collect();
            compare(label, &names, &bytes, &plain, &link(runtime, label, &names, &woven, step));
        }
    }
}

/// Class names for the boot loader, and the classes of java.base.
fn base_classes(runtime: &Runtime) -> Vec<Named> {
    let mut all = support::jdk_classes(runtime, "java.base");
    all.retain(|class| !class.name.ends_with("module-info"));
    for class in &mut all {
        class.name = class.name.trim_start_matches("java.base/").to_owned();
    }
    all
}

/// The classes that a JVM loads before it runs a program, and those the helper needs.
fn early_classes(runtime: &Runtime) -> BTreeSet<String> {
    let folder = support::scratch(&format!("early-{}", std::process::id()));
    let (list, out) = (folder.join("names"), folder.join("outcome"));
    std::fs::write(&list, "").expect("room on the disk");
    let args = ["base", list.to_str().expect("a plain path"), out.to_str().expect("a plain path")];
    let (text, _) = support::corpus(runtime, &["-Xshare:off", "-Xlog:class+load"], &args);
    std::fs::remove_dir_all(&folder).expect("the folder just made");
    let words = text.lines().filter(|line| line.contains("jrt:/java.base"));
    let names = words.filter_map(|line| line.split_once("[class,load] ")?.1.split(' ').next());
    let found: BTreeSet<String> = names.map(|name| name.replace('.', "/")).collect();
    assert!(found.contains("java/lang/Object") && found.len() > 200, "{text}");
    found
}

/// Starts a JVM whose java.base is patched with `classes` and links all classes named.
fn link_base(runtime: &Runtime, label: &str, names: &[&str], classes: &[(&str, &[u8])]) -> Outcomes {
    let folder = support::scratch(&format!("base-{label}-{}", std::process::id()));
    let (patch, list, out) = (folder.join("patch"), folder.join("names"), folder.join("outcome"));
    let probe = probe_class(BASE_PROBE);
    for (name, bytes) in classes.iter().copied().chain([(BASE_PROBE, &probe[..])]) {
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
    support::corpus(runtime, &flags, &["base", list, out_name]);
    let found = outcomes(&out);
    std::fs::remove_dir_all(&folder).expect("the folder just made");
    found
}

#[test]
fn woven_java_base_runs_and_links_as_it_does_unwoven() {
    for runtime in support::sample(support::runtimes(), 3) {
        weave_base(&runtime);
    }
}

fn weave_base(runtime: &Runtime) {
    let all = base_classes(runtime);
    let early = early_classes(runtime);
    for (label, stretch) in [("woven", false), ("stretched", true)] {
        let step = match (support::whole(), stretch) {
            (true, false) => 1,
            (true, true) => 16,
            (false, false) => 10,
            (false, true) => 80,
        };
        let names: Vec<&str> = all.iter().map(|class| class.name.as_str()).step_by(step).collect();
        let plain = link_base(runtime, "plain", &names, &[]);
        let mut count = Count::default();
        // While the JVM starts it cannot call methods of classes it does not know.
        let mut woven = Vec::new();
        // Object's constructor has to stay empty: it is called before the JVM can run any other code.
        for class in all.iter().step_by(step).filter(|class| class.name != "java/lang/Object") {
            let probe = if early.contains(&class.name) { None } else { Some(BASE_PROBE) };
            match weave(&class.bytes, Plan { probe, stretch, cover: true }, &mut count) {
                Ok(Some(bytes)) => woven.push((class.name.as_str(), bytes)),
                Ok(None) => {}
                Err(error) => panic!("{}: {error}", class.name),
            }
        }
        let patched: Vec<(&str, &[u8])> = woven.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
        println!("java.base of {} {label}: {count:?}", runtime.name);
        let woven = link_base(runtime, label, &names, &patched);
        compare(&format!("java.base {label}"), &names, &[], &plain, &woven);
    }
}

#[test]
fn classes_with_their_old_frames_do_not_link() {
    let runtime = support::installed();
    let all = base_classes(&runtime);
    // Classes that the JVM does not need to start.
    let sample: Vec<&Named> = all.iter().filter(|class| class.name.starts_with("java/time/")).collect();
    assert!(sample.len() > 50);
    let mut broken = Vec::new();
    for class in &sample {
        let woven = weave(
            &class.bytes,
            Plan { probe: Some(BASE_PROBE), stretch: false, cover: true },
            &mut Count::default(),
        );
        if let Some(bytes) =
            woven.expect("it can be woven").and_then(|woven| with_old_frames(&class.bytes, &woven))
        {
            broken.push((class.name.as_str(), bytes));
        }
    }
    let names: Vec<&str> = broken.iter().map(|(name, _)| *name).collect();
    let patched: Vec<(&str, &[u8])> = broken.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
    let outcome = link_base(&runtime, "broken", &names, &patched);
    let refused = outcome.values().filter(|outcome| outcome.starts_with("java.lang.VerifyError")).count();
    println!("{refused} of {} classes with old frames are refused", outcome.len());
    assert!(refused * 10 > outcome.len() * 9 && refused > 20, "{outcome:?}");
}
