//! A program and a library of somebody else's: with the library's jar among the inputs its code is followed like the
//! program's own (locks that it takes, threads on which it runs what it was given); without it, what is missing is a gap.

use std::path::{Path, PathBuf};
use std::process::Command;

use detect::Options;
use detect::on_code::{ALL, Code, CodeSpec, ON_REQUEST, check};
use events::models::Models;
use findings::Report;
use program::Program;
use program::input::{self, Jdk};
use program::points::World;

const LIBRARY: &str = "package lib;
    public class Kit {
        private static final Object LOCK = new Object();
        public static void later(Runnable task) { new Thread(task).start(); }
        public static void inside(Runnable task) { synchronized (LOCK) { task.run(); } }
        public static void under() { synchronized (LOCK) { LOCK.hashCode(); } }
    }";

const PROGRAM: &str = "import lib.Kit;
    public class App {
        static int raced;
        static int guarded;
        static final Object OWN = new Object();
        public static void main(String[] args) {
            Kit.later(() -> { raced++; Kit.inside(() -> guarded++);
                Kit.inside(() -> { synchronized (OWN) { OWN.hashCode(); } }); });
            Kit.later(() -> { raced++; Kit.inside(() -> guarded++); synchronized (OWN) { Kit.under(); } });
        }
    }";

fn compiled() -> PathBuf {
    let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("third-party-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&to);
    for (folder, name, text) in [("lib-src/lib", "Kit.java", LIBRARY), ("app-src", "App.java", PROGRAM)] {
        std::fs::create_dir_all(to.join(folder)).expect("a folder under target");
        std::fs::write(to.join(folder).join(name), text).expect("room");
    }
    for (out, source) in [("lib", "lib-src/lib/Kit.java"), ("app", "app-src/App.java")] {
        let output = Command::new("javac")
            .args(["--release", "17", "-g", "-cp"])
            .arg(to.join("lib"))
            .arg("-d")
            .arg(to.join(out))
            .arg(to.join(source))
            .output()
            .expect("javac: a JDK is needed for this test");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    to
}

fn report(inputs: &[PathBuf]) -> Report {
    let specs: Vec<&'static CodeSpec> =
        ALL.iter().copied().filter(|spec| !ON_REQUEST.contains(&spec.name)).collect();
    let found = input::read(inputs, &input::Options::default()).expect("readable");
    let jdk = Jdk::find(None).expect("readable").expect("a JDK is installed");
    let program = Program::load(found, Some(&jdk), 1);
    let code = Code::new(program, Models::builtin().expect("they parse"), World::Guess);
    check(&code, &specs, &Options::default(), 1, |_| ())
}

#[test]
fn the_code_of_a_library_that_is_given_is_followed_and_one_that_is_missing_is_a_gap() {
    let folder = compiled();
    let subjects = |report: &Report| -> Vec<String> {
        report.findings().map(|found| format!("{} {}", found.rule.name(), found.subject)).collect()
    };
    let both = report(&[folder.join("app"), folder.join("lib")]);
    let found = subjects(&both);
    assert!(found.contains(&"data-race App.raced".into()), "{found:?}");
    assert!(!found.iter().any(|subject| subject.contains("guarded")), "{found:?}");
    assert!(found.iter().any(|subject| subject.starts_with("lock-order ")), "{found:?}");
    assert!(both.gaps().all(|gap| !gap.what.contains("lib.Kit")), "{:?}", both.gaps().collect::<Vec<_>>());
    let alone = report(&[folder.join("app")]);
    let gaps: Vec<String> = alone.gaps().map(|gap| format!("{}: {}", gap.what, gap.why)).collect();
    assert!(gaps.iter().any(|gap| gap.contains("lib.Kit") || gap.contains("lib/Kit")), "{gaps:?}");
    let found = subjects(&alone);
    assert!(!found.iter().any(|subject| subject.starts_with("lock-order ")), "{found:?}");
    std::fs::remove_dir_all(&folder).expect("ours");
}
