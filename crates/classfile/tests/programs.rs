//! A Java program that uses as much of the class file as it can says the same woven and unwoven, on every runtime.

mod support;

use support::stress::{Count, Plan, probe_class, weave};
use support::{Named, Runtime};

const PROBE: &str = "raddle/Probe";

fn compiled(source: &str) -> Vec<Named> {
    let folder = support::scratch(&format!("{source}-{}", std::process::id()));
    support::compile("17", &folder, &[support::java_file(source)]);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("the folder just made") {
        let path = entry.expect("a file").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        found.push(Named { name, bytes: std::fs::read(&path).expect("a class") });
    }
    std::fs::remove_dir_all(&folder).expect("the folder just made");
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

fn said(runtime: &Runtime, label: &str, flags: &[&str], main: &str, classes: &[Named]) -> String {
    let folder = support::scratch(&format!("run-{label}-{}", std::process::id()));
    let stream = folder.join("classes");
    let probe = probe_class(PROBE);
    let all = classes.iter().map(|class| (class.name.as_str(), &class.bytes[..]));
    support::write_stream(&stream, all.chain([(PROBE, &probe[..])]));
    let (out, _) = support::corpus(runtime, flags, &["run", stream.to_str().expect("a plain path"), main]);
    std::fs::remove_dir_all(&folder).expect("the folder just made");
    out
}

fn woven(classes: &[Named], plan: Plan, count: &mut Count) -> Vec<Named> {
    let mut weave_one = |class: &Named| {
        let bytes = weave(&class.bytes, plan, count).expect("it can be woven").expect("it fits");
        Named { name: class.name.clone(), bytes }
    };
    classes.iter().map(&mut weave_one).collect()
}

#[test]
fn a_woven_program_says_what_it_said_before() {
    let classes = compiled("Programs.java");
    assert!(classes.len() > 15);
    for runtime in support::runtimes() {
        let plain = said(&runtime, "plain", &[], "Programs", &classes);
        assert!(plain.lines().count() > 35, "{plain}");
        for (label, stretch) in [("woven", false), ("stretched", true)] {
            let mut count = Count::default();
            let plan = Plan { probe: Some(PROBE), stretch, cover: true };
            let woven = woven(&classes, plan, &mut count);
            assert_eq!(plain, said(&runtime, label, &[], "Programs", &woven), "{label} on {}", runtime.name);
            assert!(stretch == (count.stretched > 20), "{count:?}");
        }
    }
}

/// The lines in which the second compiler speaks of the method with the synchronized block.
fn compiler_lines(classes: &[Named], cover: bool) -> Vec<String> {
    let plan = Plan { probe: Some(PROBE), stretch: false, cover };
    let woven = woven(classes, plan, &mut Count::default());
    // The helper chooses the first compiler alone; the last word counts.
    let flags = ["-XX:TieredStopAtLevel=4", "-XX:-TieredCompilation", "-XX:+PrintCompilation", "-Xbatch"];
    let text = said(&support::installed(), "hot", &flags, "Hot", &woven);
    assert!(text.contains("sum 200000"), "{text}");
    text.lines().filter(|line| line.contains("Hot::locked")).map(str::to_owned).collect()
}

#[test]
fn a_woven_synchronized_block_is_compiled_if_its_handler_covers_the_call() {
    let classes = compiled("Hot.java");
    let covered = compiler_lines(&classes, true);
    assert!(
        !covered.is_empty() && covered.iter().all(|line| !line.contains("COMPILE SKIPPED")),
        "{covered:?}"
    );
    let bare = compiler_lines(&classes, false);
    assert!(bare.iter().any(|line| line.contains("COMPILE SKIPPED")), "{bare:?}");
}
