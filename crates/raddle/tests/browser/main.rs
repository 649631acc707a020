//! HTML reports in a real browser: Chromium without a window, driven by Playwright. What is checked stands in
//! `checks.py`; here the reports are made and each check becomes a test. One browser serves all of them.

mod reports;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// A test for each check, and the list of all of them.
macro_rules! checks {
    ($($name:ident,)*) => {
        const CHECKS: &[&str] = &[$(stringify!($name)),*];

        $(#[test]
        fn $name() {
            judge(stringify!($name));
        })*
    };
}

checks! {
    a_choice_narrows_the_list_and_stands_in_the_address,
    a_search_finds_names_and_places,
    a_finding_opens_and_the_list_is_as_it_was_afterwards,
    a_finding_can_be_linked,
    the_keyboard_is_enough,
    the_theme_follows_the_system_and_the_switch,
    every_rule_has_its_pictures,
    source_is_quoted_and_its_line_is_marked,
    calls_in_libraries_are_folded_and_can_be_unfolded,
    what_else_was_seen_can_be_looked_at,
    known_and_suppressed_findings_are_there_and_say_why,
    gaps_are_never_hidden,
    a_clean_report_says_so,
    ten_thousand_findings_can_be_scrolled_and_searched,
    hostile_names_do_nothing,
    a_narrow_window_shows_everything,
    text_has_contrast_and_controls_have_names,
    on_paper_every_finding_and_every_fold_is_there,
    without_javascript_there_is_a_list,
}

/// What became of each check: nothing, or what was wrong.
static FOUND: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser");
    reports::write(&folder);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/checks.py");
    let output = Command::new("python3")
        .arg(script)
        .arg(&folder)
        .env("PYTHONPATH", playwright())
        .output()
        .expect("python3 can be started");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(
        output.status.success(),
        "the browser did not run; scripts/prepare-browser installs it\n{out}{err}"
    );
    let line =
        |line: &str| line.split_once('\t').map(|(name, what)| (name.to_owned(), what.replace('\u{1}', "\n")));
    out.lines().filter_map(line).collect()
});

/// Where `scripts/prepare-browser` keeps Playwright.
fn playwright() -> PathBuf {
    let cache = std::env::var_os("RADDLE_CACHE").map(PathBuf::from).unwrap_or_else(|| {
        let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache");
        std::env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from).join("raddle")
    });
    let version = Command::new("python3")
        .args(["-c", "import sys; print('%d.%d' % sys.version_info[:2])"])
        .output()
        .expect("python3 can be started: scripts/prepare-browser installs it");
    let folder = cache.join(format!("playwright-{}", String::from_utf8_lossy(&version.stdout).trim()));
    assert!(folder.is_dir(), "{} is missing: run scripts/prepare-browser", folder.display());
    folder
}

#[track_caller]
fn judge(name: &str) {
    let wrong = FOUND.get(name).unwrap_or_else(|| panic!("checks.py has no {name}"));
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_check_is_a_test() {
    let mut named: Vec<&str> = CHECKS.to_vec();
    named.sort_unstable();
    assert_eq!(FOUND.keys().map(String::as_str).collect::<Vec<_>>(), named);
}
