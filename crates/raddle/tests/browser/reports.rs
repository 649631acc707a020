//! The reports that the browser is shown, written by the command itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use findings::{Confidence, Format, Frame, Gap, Report, Role, Rule, Stale, Step, Style, Suppressed, Witness};

/// Writes all of them into a folder.
pub fn write(folder: &Path) {
    if folder.exists() {
        fs::remove_dir_all(folder).expect("an old folder goes away");
    }
    let sources = folder.join("project/src/main/java/com/acme");
    fs::create_dir_all(&sources).expect("a folder");
    fs::create_dir(folder.join("project/.git")).expect("a folder");
    for (name, deepest) in [("Account", 40), ("Teller", 50)] {
        let line = |i: i32| format!("\tint line{i} = {i}; // <b>{name}</b> & co\n");
        let text: String = (1..=deepest).map(line).collect();
        fs::write(sources.join(format!("{name}.java")), text).expect("a source file");
    }
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../findings/tests/golden/corpus.json");
    let copy = folder.join("corpus.json");
    fs::copy(corpus, &copy).expect("the corpus");
    render(folder, "corpus", &copy);
    for (name, report) in [("clean", clean()), ("many", many()), ("hostile", hostile()), ("deep", deep())] {
        let path = folder.join(format!("{name}.json"));
        let mut out = fs::File::create(&path).expect("a file");
        Format::Json.renderer(Style::default()).render(&report, &mut out).expect("a report");
        render(folder, name, &path);
    }
}

fn render(folder: &Path, name: &str, json: &Path) {
    let page: PathBuf = folder.join(format!("{name}.html"));
    let output = Command::new(env!("CARGO_BIN_EXE_raddle"))
        .current_dir(folder.join("project"))
        .args(["report", "--exit-zero", "--quiet", "--output"])
        .arg(format!("html={}", page.display()))
        .arg(json)
        .output()
        .expect("raddle runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Nothing wrong.
fn clean() -> Report {
    let mut report = Report::new();
    report.coverage.events = 1_234_567;
    report.coverage.threads = 9;
    report
}

fn step(thread: &str, role: Role, class: &str, line: i32) -> Step {
    let place = Frame { class: class.into(), method: "run()V".into(), file: "Code.java".into(), line };
    let target = format!("{class}@7.value");
    let locks = vec![format!("{class}@7")];
    Step { thread: thread.into(), role, target, place, locks, ..Step::default() }
}

/// More findings than anybody wants, of every rule, confidence and state.
fn many() -> Report {
    let mut report = Report::new();
    for i in 0..10_000 {
        let class = format!("com.acme.module{}.Class{i:05}", i % 50);
        let rule = Rule::ALL[i % Rule::ALL.len()];
        let witness = Witness {
            detector: ["racer", "fasttrack"][i % 2].into(),
            steps: vec![
                step("worker-1", Role::Write, &class, 10),
                step("worker-2", Role::Read, &class, 20 + i as i32),
            ],
            notes: vec!["Hold one lock at both places.".into()],
            ..Witness::default()
        };
        report.add(
            rule,
            &format!("{class}.value"),
            Confidence::ALL[i % 3],
            "used by two threads at once",
            witness,
        );
    }
    report
}

/// One finding with deep stacks, most of it in libraries.
fn deep() -> Report {
    let mut report = Report::new();
    let mut one = step("pool-1-thread-1", Role::Write, "com.acme.Job", 12);
    for i in 0..60 {
        let class = if i % 6 == 0 { "com.acme.Job" } else { "java.util.concurrent.ThreadPoolExecutor" };
        let method = format!("call{i}()V");
        one.stack.push(Frame { class: class.into(), method, file: "File.java".into(), line: i });
    }
    let other = step("main", Role::Read, "com.acme.Job", 13);
    let witness = Witness { detector: "racer".into(), steps: vec![one, other], ..Witness::default() };
    report.add(
        Rule::DataRace,
        "com.acme.Job.value",
        Confidence::High,
        "used by two threads at once",
        witness,
    );
    report
}

/// Names that would like to be more than names. What runs would set `window.harmed`.
fn hostile() -> Report {
    const NAMES: [&str; 10] = [
        "</script><script>window.harmed=1</script>",
        "<img src=x onerror=window.harmed=1>",
        "<!--<script>",
        "\"><svg onload=window.harmed=1>",
        "javascript:window.harmed=1",
        "{{data}}{{script}}",
        "__proto__",
        "constructor",
        "\u{202e}evil\u{0}\u{2028}'\"`${window.harmed=1}",
        "https://evil.example/x.png",
    ];
    let mut report = Report::new();
    for (i, name) in NAMES.into_iter().enumerate() {
        for rule in Rule::ALL {
            let roles = match rule {
                Rule::LockOrder => [Role::Holds, Role::Wants, Role::Holds, Role::Wants],
                Rule::NonAtomic => [Role::BlockEntered, Role::Commit, Role::Interference, Role::Violation],
                Rule::StaleValue => [Role::Read, Role::Interference, Role::Use, Role::Release],
                _ => [Role::Acquire, Role::Write, Role::Acquire, Role::Read],
            };
            let steps = roles.into_iter().enumerate().map(|(n, role)| Step {
                thread: format!("{name}{}", if rule == Rule::LockOrder { n / 2 } else { n % 2 }),
                role,
                target: format!("{name}{}", [0, 1, 1, 0][n]),
                place: Frame { class: name.into(), method: name.into(), file: name.into(), line: n as i32 },
                locks: vec![name.into()],
                stack: vec![Frame { class: name.into(), method: name.into(), ..Frame::default() }],
                note: name.into(),
                ..Step::default()
            });
            let witness = Witness {
                detector: name.into(),
                steps: steps.collect(),
                notes: vec![name.into()],
                advice: name.into(),
                tests: vec![name.into()],
                ..Witness::default()
            };
            let second = Witness { detector: format!("{name}2"), ..witness.clone() };
            report.add(rule, name, Confidence::ALL[i % 3], name, witness);
            report.add(rule, name, Confidence::ALL[i % 3], name, second);
        }
        report.add_gap(Gap { what: name.into(), why: name.into(), count: 1 });
        report.stale.push(Stale { what: name.into(), by: name.into() });
    }
    for (i, finding) in report.findings_mut().enumerate() {
        let name = NAMES[i % NAMES.len()];
        finding.owners = vec![name.into()];
        finding.fingerprint = format!("{name}{i}");
        if i % 7 == 0 {
            finding.suppressed = Some(Suppressed { reason: name.into(), by: name.into(), in_source: false });
        }
    }
    report
}
