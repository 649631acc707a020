//! A Java program that uses as much of the class file as it can says the same woven and unwoven, on every runtime.

mod support;

use support::stress::{Count, Plan, probe_class, weave};
use support::{Named, Runtime};

const PROBE: &str = "raddle/Probe";

fn compiled() -> Vec<Named> {
    let folder = support::scratch(&format!("programs-{}", std::process::id()));
    support::compile("17", &folder, &[support::java_file("Programs.java")]);
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

fn said(runtime: &Runtime, label: &str, classes: &[Named]) -> String {
    let folder = support::scratch(&format!("run-{label}-{}", std::process::id()));
    let stream = folder.join("classes");
    let probe = probe_class(PROBE);
    let all = classes.iter().map(|class| (class.name.as_str(), &class.bytes[..]));
    support::write_stream(&stream, all.chain([(PROBE, &probe[..])]));
    let (out, _) =
        support::corpus(runtime, &[], &["run", stream.to_str().expect("a plain path"), "Programs"]);
    std::fs::remove_dir_all(&folder).expect("the folder just made");
    out
}

#[test]
fn a_woven_program_says_what_it_said_before() {
    let classes = compiled();
    assert!(classes.len() > 15);
    for runtime in support::runtimes() {
        let plain = said(&runtime, "plain", &classes);
        assert!(plain.lines().count() > 35, "{plain}");
        for (label, stretch) in [("woven", false), ("stretched", true)] {
            let mut count = Count::default();
            let plan = Plan { probe: Some(PROBE), stretch };
            let woven: Vec<Named> = classes
                .iter()
                .map(|class| {
                    let bytes =
                        weave(&class.bytes, plan, &mut count).expect("it can be woven").expect("it fits");
                    Named { name: class.name.clone(), bytes }
                })
                .collect();
            assert_eq!(plain, said(&runtime, label, &woven), "{label} on {}", runtime.name);
            assert!(stretch == (count.stretched > 20), "{count:?}");
        }
    }
}
