//! The page as a whole: whether it stands alone, whether names can do anything to it, how large it gets.

use std::time::Instant;

use serde_json::Value;

use super::safe::hash;
use super::{SCRIPT, STYLE};
use crate::render::text::tests::sample;
use crate::{Confidence, Format, Frame, Gap, Report, Role, Rule, Step, Style, Suppressed, Witness};

fn page(report: &Report) -> String {
    let mut out = Vec::new();
    Format::Html.renderer(Style::default()).render(report, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// What stands between the first `from` and the next `to`.
#[track_caller]
fn between<'a>(page: &'a str, from: &str, to: &str) -> &'a str {
    page.split_once(from).and_then(|(_, rest)| rest.split_once(to)).unwrap_or_else(|| panic!("no {from}")).0
}

fn data(page: &str) -> Value {
    let text = between(page, "<script type=\"application/json\" id=\"report\">", "</script>");
    serde_json::from_str(text).unwrap()
}

/// A race with nothing special about it, of which each has names of its own.
fn race(i: usize, name: &dyn Fn(&str) -> String) -> (String, Witness) {
    let frame = |class: &str, method: &str, line: i32| Frame {
        class: name(&format!("com.acme.module{}.{class}{i}", i % 97)),
        method: name(&format!("{method}(Ljava/lang/String;I)V")),
        file: name(&format!("{class}{i}.java")),
        line,
    };
    let step = |thread: usize, role| Step {
        thread: name(&format!("pool-{}-thread-{thread}", i % 31)),
        role,
        target: name(&format!("com.acme.module{}.Account{i}@{}.balance", i % 97, i * 7)),
        place: frame("Account", "deposit", 40 + thread as i32),
        locks: (0..thread).map(|n| name(&format!("com.acme.Lock@{n}"))).collect(),
        stack: (0..12).map(|n| frame("Caller", "run", 100 + n)).collect(),
        note: String::new(),
        ..Step::default()
    };
    let witness = Witness {
        detector: "racer".into(),
        steps: vec![step(0, Role::Write), step(1, Role::Read), step(2, Role::Write)],
        notes: vec![name("No lock is held at both places."), name("Guard every access with the same lock.")],
        ..Witness::default()
    };
    (name(&format!("com.acme.module{}.Account{i}.balance", i % 97)), witness)
}

fn races(count: usize, name: &dyn Fn(&str) -> String) -> Report {
    let mut report = Report::new();
    for i in 0..count {
        let (subject, witness) = race(i, name);
        for detector in ["racer", "eraser", "fasttrack"] {
            let witness = Witness { detector: detector.into(), ..witness.clone() };
            let rule = Rule::ALL[i % Rule::ALL.len()];
            report.add(rule, &subject, Confidence::ALL[i % 3], "two threads use it at once", witness);
        }
    }
    report
}

#[test]
fn the_policy_names_the_hashes_of_the_very_script_and_style() {
    let page = page(&sample());
    let policy = between(&page, "Content-Security-Policy\" content=\"", "\"");
    let style = between(&page, "<style>", "</style>");
    let script = between(&page, "<script>", "</script>");
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");
    assert!(policy.contains(&format!("style-src 'sha256-{}'", hash(style))), "{policy}");
    assert!(policy.contains(&format!("script-src 'sha256-{}'", hash(script))), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
}

#[test]
fn the_page_names_nothing_outside_itself() {
    let page = page(&sample());
    let lower = page.to_lowercase();
    for word in
        ["http:", "https:", "src=", "@import", "url(", "fetch(", "xmlhttprequest", "websocket", "import("]
    {
        // The name of a kind of element is no address that anybody goes to.
        let rest = lower.replace("http://www.w3.org/2000/svg", "");
        assert!(!rest.contains(word), "{word}");
    }
    assert_eq!(page.matches("<link").count(), 0);
    assert_eq!(page.matches("<script").count(), 2);
}

#[test]
fn no_part_of_the_script_makes_markup_or_code_out_of_text() {
    for part in SCRIPT {
        for word in [
            "innerHTML",
            "outerHTML",
            "insertAdjacent",
            "document.write",
            "eval(",
            "Function(",
            "srcdoc",
            "DOMParser",
        ] {
            assert!(!part.contains(word), "{word}");
        }
    }
    assert!(STYLE.iter().chain(SCRIPT).all(|part| !part.contains("</")));
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    assert_eq!(page(&sample()), page(&sample()));
    assert_eq!(page(&races(50, &str::to_owned)), page(&races(50, &str::to_owned)));
}

#[test]
fn no_name_leaves_the_data() {
    let evil = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>]]>\u{202e}\u{0}'\"&";
    let mut report = races(20, &|name| format!("{name}{evil}"));
    report.add_gap(Gap { what: evil.into(), why: evil.into(), count: 1 });
    for finding in report.findings_mut() {
        finding.owners = vec![evil.into()];
        finding.fingerprint.push_str(evil);
        finding.detectors.push(evil.into());
    }
    let page = page(&report);
    assert_eq!(page.matches("<script").count(), 2, "the data and the script");
    assert_eq!(page.matches("</script").count(), 2);
    assert_eq!((page.matches("<!--").count(), page.matches("<img").count()), (0, 0));
    assert!(!page.contains(['\u{202e}', '\0']));
    let data = data(&page);
    let names = data["names"].as_array().unwrap();
    assert!(names.iter().any(|name| name.as_str().unwrap().contains("</script><script>alert(1)")));
}

#[test]
fn every_finding_and_state_and_gap_is_there() {
    let mut report = races(30, &str::to_owned);
    for (i, finding) in report.findings_mut().enumerate() {
        finding.baseline = i % 3 == 1;
        let by = Suppressed { reason: "so it is".into(), by: "raddle.toml:3".into(), in_source: false };
        finding.suppressed = (i % 3 == 2).then_some(by);
    }
    report.add_gap(Gap { what: "class A".into(), why: "it is native".into(), count: 2 });
    let page = page(&report);
    let data = data(&page);
    let rows = data["findings"].as_array().unwrap();
    assert_eq!(rows.len(), 30);
    for state in ["open", "known", "suppressed"] {
        assert_eq!(rows.iter().filter(|row| row["state"] == state).count(), 10);
    }
    assert_eq!(data["rest"]["gaps"], serde_json::json!([["class A", "it is native", 2]]));
    let list = between(&page, "<noscript>", "</noscript>");
    assert_eq!(list.matches("<li><p><strong>").count(), 10, "the open ones");
    assert!(list.contains("class A: it is native (2)"), "{list}");
    assert!(list.contains("20 known or suppressed"), "{list}");
}

#[test]
fn ten_thousand_findings_stay_below_twenty_megabytes_with_all_their_evidence() {
    let report = races(10_000, &str::to_owned);
    let start = Instant::now();
    let page = page(&report);
    let took = start.elapsed();
    assert!(page.len() < 20_000_000, "{}", page.len());
    let data = data(&page);
    assert_eq!(data["findings"].as_array().unwrap().len(), 10_000);
    let cut = &data["rest"]["cut"];
    assert!(cut.as_object().unwrap().values().all(|n| n == 0), "{cut}");
    // A release build is several times faster; this is only against something quadratic.
    assert!(took.as_secs() < 20, "{took:?}");
}

#[test]
fn what_is_too_much_for_a_page_is_cut_and_told() {
    // Every name is long and there is no second one like it.
    let long = "x".repeat(1_900);
    let mut report = races(1_200, &|name| format!("{name}{long}"));
    // One has more witnesses, steps and calls than the whole page could hold.
    let (subject, mut witness) = race(1, &str::to_owned);
    for step in &mut witness.steps {
        let line = |line| Frame { class: "com.acme.Deep".into(), line, ..Frame::default() };
        step.stack = (0..1_000).map(line).collect();
    }
    witness.steps = witness.steps.iter().cycle().take(300).cloned().collect();
    for i in 0..100 {
        let witness = Witness { detector: format!("detector{i}"), ..witness.clone() };
        report.add(Rule::DataRace, &subject, Confidence::High, "", witness);
    }
    // And many more of which there is little to tell.
    for i in 0..150_000 {
        let witness = Witness { detector: "racer".into(), ..Witness::default() };
        report.add(Rule::DataRace, &format!("com.acme.Account{i}.balance"), Confidence::Low, "", witness);
    }
    for i in 0..5_000 {
        report.add_gap(Gap { what: format!("class A{i}{long}"), why: "it is native".into(), count: 1 });
    }
    let page = page(&report);
    assert!(page.len() < 20_000_000, "{}", page.len());
    let data = data(&page);
    let cut = &data["rest"]["cut"];
    let count = |key: &str| cut[key].as_u64().unwrap();
    assert!(count("names") > 0 && count("gaps") > 0 && count("findings") > 0, "{cut}");
    let rows = data["findings"].as_array().unwrap().len() as u64;
    assert_eq!(rows + count("findings"), report.findings().count() as u64, "{cut}");
    // What was reckoned with is what came out.
    assert!(page.len() > 17_000_000, "{}", page.len());
    let gaps = data["rest"]["gaps"].as_array().unwrap().len() as u64;
    assert_eq!(gaps + count("gaps"), 5_000);
}
