//! Living with findings: `raddle.toml`, suppressions, baselines, sources and owners, as a project meets them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{RACY, Run, command, finish, folder};

/// A project with a trace that has two races, in a repository of its own.
fn project(config: &str) -> PathBuf {
    let folder = folder();
    fs::create_dir(folder.join(".git")).unwrap();
    let trace = "raddle text 1\nmain fork T1\n\
        main write a.A.x @ a.A.put(A.java:3)\nT1 write a.A.x @ a.A.put(A.java:3)\n\
        main write a.B.y @ a.B.get(B.java:4) < a.B.run(B.java:9)\nT1 write a.B.y @ a.B.get(B.java:4) < a.B.run(B.java:9)\n";
    fs::write(folder.join("racy.txt"), trace).unwrap();
    if !config.is_empty() {
        fs::write(folder.join("raddle.toml"), config).unwrap();
    }
    folder
}

#[track_caller]
fn raddle_in(folder: &Path, args: &[&str]) -> Run {
    finish(command().current_dir(folder).args(args).output().unwrap())
}

fn json_of(run: &Run) -> Value {
    serde_json::from_str(&run.out).unwrap()
}

/// Subjects of the findings that nothing suppresses and no baseline knows.
fn open(json: &Value) -> Vec<String> {
    let is_open = |finding: &&Value| finding["suppressed"].is_null() && finding["baseline"] == false;
    let all = json["findings"].as_array().unwrap().iter();
    all.filter(is_open).map(|finding| finding["subject"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn options_come_from_the_nearest_file_and_the_command_line_comes_first() {
    let folder = project("exit-zero = true\nformat = \"json\"\n[run]\nbudget = 64\n");
    let run = raddle_in(&folder, &["analyze", "racy.txt"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(open(&json_of(&run)), ["a.A.x", "a.B.y"]);
    let below = folder.join("deep/below");
    fs::create_dir_all(&below).unwrap();
    assert_eq!(raddle_in(&below, &["analyze", "../../racy.txt"]).out, run.out);
    let text = raddle_in(&below, &["analyze", "--format", "text", "--quiet", "../../racy.txt"]);
    assert!(text.out.starts_with("data race on a.A.x"), "{}", text.out);
    assert_eq!(raddle_in(&folder, &["analyze", "--no-config", "racy.txt"]).code, 1);
    fs::write(folder.join("other.toml"), "exit-zero = true\n").unwrap();
    assert_eq!(raddle_in(&folder, &["--config", "other.toml", "analyze", "racy.txt"]).code, 0);
    raddle_in(&folder, &["analyze", "--config", "none.toml", "racy.txt"])
        .fails_with(&["none.toml: No such file"]);
}

#[test]
fn a_table_of_a_subcommand_holds_for_it_alone() {
    let folder = project("exit-zero = false\n[analyze]\nexit-zero = true\noutput = [\"json=out.json\"]\n");
    assert_eq!(raddle_in(&folder, &["analyze", "racy.txt"]).code, 0);
    assert_eq!(raddle_in(&folder, &["report", "out.json"]).code, 1);
}

#[test]
fn paths_in_the_file_are_taken_from_its_folder() {
    let folder = project("output = [\"json=out/r.json\", \"sarif=out/r.sarif\"]\n");
    fs::create_dir_all(folder.join("out")).unwrap();
    fs::create_dir_all(folder.join("below")).unwrap();
    assert_eq!(raddle_in(&folder.join("below"), &["analyze", "../racy.txt"]).code, 1);
    assert!(folder.join("out/r.json").is_file() && folder.join("out/r.sarif").is_file());
}

#[test]
fn what_is_wrong_in_the_file_is_told_with_its_place() {
    for (text, parts) in [
        (
            "strict = true\nfial-on = \"high\"\n",
            &["raddle.toml:2:1: unknown key 'fial-on'", "did you mean fail-on?"][..],
        ),
        ("zebra = 1\n", &["unknown key 'zebra'", "raddle init"]),
        ("[run]\nbugdet = 5\n", &["raddle.toml:2:1", "did you mean budget?"]),
        ("[rum]\nbudget = 5\n", &["raddle.toml:1", "did you mean run?"]),
        ("fail-on = \"never\"\n", &["raddle.toml:1:11: invalid value 'never'"]),
        ("strict = \"yes\"\n", &["raddle.toml:1:10: 'strict' is true or false"]),
        ("format = [\"json\"]\n", &["'format' is one value"]),
        ("format = true\n", &["'format' is a text in quotes"]),
        ("rules = [\"data-race\", \"lock-ordr\"]\n", &["raddle.toml:1:23", "did you mean lock-order?"]),
        ("strict = \n", &["raddle.toml:1:"]),
        ("suppress = 1\n", &["[[suppress]]"]),
        ("[[suppress]]\nrule = \"data-race\"\n", &["raddle.toml:1", "without a reason"]),
        ("[[suppress]]\nreason = \"why not\"\n", &["names nothing"]),
        ("[[suppress]]\nreason = \"x\"\nclas = \"A\"\n", &["raddle.toml:3:1", "did you mean class?"]),
        (
            "[[suppress]]\nreason = \"x\"\nrule = \"data-rase\"\n",
            &["raddle.toml:3:8", "did you mean data-race?"],
        ),
    ] {
        let folder = project(text);
        raddle_in(&folder, &["analyze", "racy.txt"]).fails_with(parts);
        assert_eq!(
            raddle_in(&folder, &["explain", "data-race"]).code,
            0,
            "what needs no file works all the same"
        );
    }
}

#[test]
fn a_suppression_needs_a_reason_which_every_format_carries() {
    let folder = project(
        "[[suppress]]\nrule = \"data-race\"\nfield = \"a.A.x\"\nreason = \"an estimate is enough\"\n\n\
         [[suppress]]\nclass = \"gone.*\"\nreason = \"it was a bad day\"\n",
    );
    let run = raddle_in(&folder, &["analyze", "racy.txt"]);
    assert_eq!(run.code, 1);
    assert!(!run.says("data race on a.A.x") && run.says("data race on a.B.y"), "{}", run.out);
    assert!(run.says("nothing to suppress: class gone.* (raddle.toml:6)"), "{}", run.out);
    assert!(run.says("not counted: 1 suppressed"), "{}", run.out);
    let json = json_of(&raddle_in(&folder, &["analyze", "--format", "json", "racy.txt"]));
    let suppressed = &json["findings"][0]["suppressed"];
    assert_eq!(
        (&suppressed["reason"], &suppressed["by"]),
        (&"an estimate is enough".into(), &"raddle.toml:1".into())
    );
    let sarif = json_of(&raddle_in(&folder, &["analyze", "--format", "sarif", "racy.txt"]));
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let reasons: Vec<&Value> =
        results.iter().map(|result| &result["suppressions"][0]["justification"]).collect();
    assert!(reasons.contains(&&"an estimate is enough".into()), "{reasons:?}");
}

#[test]
fn what_suppresses_all_findings_makes_the_run_clean() {
    for (by, code) in [
        ("class = \"a.*\"", 0),
        ("method = [\"a.A.put\", \"a.B.get\"]", 0),
        ("frame = \"a.B.run\"", 1),
        ("rule = \"data-race\"", 0),
        ("rule = \"lock-order\"", 1),
    ] {
        let folder = project(&format!("[[suppress]]\n{by}\nreason = \"a test\"\n"));
        assert_eq!(raddle_in(&folder, &["analyze", "racy.txt"]).code, code, "{by}");
    }
}

#[test]
fn a_baseline_lets_only_new_findings_fail() {
    let folder = project("");
    fs::write(folder.join("old.txt"), RACY.replace("A.x", "a.A.x")).unwrap();
    raddle_in(&folder, &["analyze", "--output", "json=old.json", "old.txt"]);
    let run = raddle_in(&folder, &["baseline", "old.json"]);
    assert_eq!((run.code, run.out.as_str()), (0, "raddle.baseline: 1 finding; 1 new, 0 gone\n"));
    let written = fs::read_to_string(folder.join("raddle.baseline")).unwrap();
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!(lines[1..], ["# 1 finding: 1 data-race", "data-race b2e704756ade4d51 a.A.x"][..], "{written}");
    let with = ["analyze", "--baseline", "raddle.baseline"];
    assert_eq!(raddle_in(&folder, &[&with[..], &["old.txt"]].concat()).code, 0);
    let run = raddle_in(&folder, &[&with[..], &["racy.txt"]].concat());
    assert_eq!(run.code, 1);
    assert!(run.out.contains("data race on a.A.x  [high, known]\n"), "{}", run.out);
    assert!(run.out.contains("1 new finding: 1 data race\nnot counted: 1 known\n"), "{}", run.out);
    let run = raddle_in(&folder, &[&with[..], &["--new-only", "--format", "json", "racy.txt"]].concat());
    let json = json_of(&run);
    assert_eq!(json["findings"].as_array().unwrap().len(), 1);
    assert_eq!(open(&json), ["a.B.y"]);
    // The same by a format, and again when it is there already.
    raddle_in(
        &folder,
        &["analyze", "--output", "baseline=raddle.baseline", "--output", "json=new.json", "racy.txt"],
    );
    assert_eq!(raddle_in(&folder, &[&with[..], &["racy.txt"]].concat()).code, 0);
    let run = raddle_in(&folder, &["baseline", "old.json"]);
    assert_eq!(run.out, "raddle.baseline: 1 finding; 0 new, 1 gone\n");
    assert_eq!(raddle_in(&folder, &["baseline", "--to", "-", "old.json"]).out, written);
}

#[test]
fn a_baseline_that_cannot_be_read_is_an_error() {
    let folder = project("");
    let with = |file: &str| raddle_in(&folder, &["analyze", "--baseline", file, "racy.txt"]);
    with("none").fails_with(&["none: No such file"]);
    fs::write(folder.join("bad"), "# Raddle baseline 1\nno-rule 0 x\n").unwrap();
    with("bad").fails_with(&["bad:2: no rule is called 'no-rule'", "raddle baseline"]);
    raddle_in(&folder, &["analyze", "--new-only", "racy.txt"]).fails_with(&["--new-only", "--baseline FILE"]);
}

#[test]
fn a_report_is_told_again_as_it_was() {
    let folder = project("[[suppress]]\nfield = \"a.A.x\"\nreason = \"r\"\n");
    let first =
        raddle_in(&folder, &["analyze", "--output", "json=r.json", "--output", "sarif=r.sarif", "racy.txt"]);
    fs::remove_file(folder.join("raddle.toml")).unwrap();
    let again = raddle_in(&folder, &["report", "r.json"]);
    assert_eq!((again.code, again.out), (first.code, first.out));
    let sarif = raddle_in(&folder, &["report", "--format", "sarif", "r.json"]);
    assert_eq!(sarif.out, fs::read_to_string(folder.join("r.sarif")).unwrap());
    let twice = raddle_in(&folder, &["report", "--format", "json", "r.json", "r.json"]);
    assert_eq!(json_of(&twice)["coverage"]["events"], 10);
    assert_eq!(raddle_in(&folder, &["report", "--rules", "lock-order", "r.json"]).code, 0);
    assert_eq!(raddle_in(&folder, &["report", "--exit-zero", "r.json"]).code, 0);
}

#[test]
fn what_is_no_report_is_refused() {
    let folder = project("");
    for (text, part) in [
        ("{}", "not a report"),
        ("{\"schema\": 7}", "schema version 7"),
        ("{\"schema\": 1, \"findings\": [{\"subject\": \"\\ud800\"}]}", "not a report"),
        ("raddle text 1\n", "not a report"),
    ] {
        fs::write(folder.join("r.json"), text).unwrap();
        raddle_in(&folder, &["report", "r.json"]).fails_with(&["r.json", part, "--output json=FILE"]);
        raddle_in(&folder, &["baseline", "r.json"]).fails_with(&["r.json", part]);
    }
    fs::write(folder.join("r.json"), b"\xff\xfe").unwrap();
    raddle_in(&folder, &["report", "r.json"]).fails_with(&["no UTF-8"]);
}

#[test]
fn files_are_named_from_the_repository_and_owned() {
    let folder = project("");
    let java = folder.join("bank/src/main/java/a");
    fs::create_dir_all(&java).unwrap();
    fs::write(java.join("A.java"), "class A {}\n").unwrap();
    fs::create_dir(folder.join(".github")).unwrap();
    fs::write(folder.join(".github/CODEOWNERS"), "* @all\n/bank/ @bank @money\n").unwrap();
    for (from, trace) in [("", "racy.txt"), ("bank/src", "../../racy.txt")] {
        let run = raddle_in(&folder.join(from), &["analyze", "--format", "json", trace]);
        let json = json_of(&run);
        assert_eq!(json["sources"], serde_json::json!({"a/A.java": "bank/src/main/java/a/A.java"}));
        assert_eq!(json["findings"][0]["owners"], serde_json::json!(["@bank", "@money"]));
        assert!(json["findings"][1]["owners"].is_null(), "its file was not found");
    }
    let run = raddle_in(&folder, &["analyze", "racy.txt"]);
    assert!(run.out.contains("\n  owned by @bank, @money\n"), "{}", run.out);
    let run = raddle_in(&folder, &["analyze", "--format", "github", "racy.txt"]);
    assert!(run.out.starts_with("::error file=bank/src/main/java/a/A.java,line=3,title="), "{}", run.out);
    let run = raddle_in(&folder, &["analyze", "--source", "bank/src/main", "--format", "json", "racy.txt"]);
    assert!(json_of(&run)["sources"].is_null(), "only what was named is looked at");
    raddle_in(&folder, &["analyze", "--source", "nowhere", "racy.txt"]).fails_with(&["nowhere"]);
}

#[test]
fn init_writes_a_file_that_changes_nothing() {
    let folder = project("");
    let before = raddle_in(&folder, &["analyze", "racy.txt"]);
    let run = raddle_in(&folder, &["init"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let after = raddle_in(&folder, &["analyze", "racy.txt"]);
    assert_eq!((before.code, before.out), (after.code, after.out));
    raddle_in(&folder, &["init"]).fails_with(&["raddle.toml is there already"]);
}

#[test]
fn source_lines_are_quoted_wherever_they_are_found() {
    let source = "package a;\nclass A {\n    static void put() { x = 1; }\n    static int x;\n}\n";
    let quoted = |run: &Run, path: &str| {
        let line = "3 |     static void put() { x = 1; }\n";
        let place = format!("--> {path}:3:5\n");
        assert!(run.out.contains(line) && run.out.contains(&place), "{}", run.out);
    };
    let put = |folder: &Path, below: &str| {
        fs::create_dir_all(folder.join(below).join("a")).unwrap();
        fs::write(folder.join(below).join("a/A.java"), source).unwrap();
    };
    let folder = project("");
    assert!(!raddle_in(&folder, &["analyze", "racy.txt"]).out.contains("-->"), "there is no source");
    put(&folder, "elsewhere");
    quoted(&raddle_in(&folder, &["analyze", "--source", "elsewhere", "racy.txt"]), "elsewhere/a/A.java");
    // Beside compiled classes, in another project.
    let other = project("");
    put(&other, "src/main/java");
    fs::create_dir_all(other.join("target/classes")).unwrap();
    let classes = other.join("target/classes");
    let run = raddle_in(&folder, &["analyze", "--classes", classes.to_str().unwrap(), "racy.txt"]);
    let path = other.canonicalize().unwrap().join("src/main/java/a/A.java");
    quoted(&run, path.to_str().unwrap());
    // In the layout of Maven, and again from JSON.
    put(&folder, "app/src/main/java");
    quoted(&raddle_in(&folder, &["analyze", "racy.txt"]), "app/src/main/java/a/A.java");
    raddle_in(&folder, &["analyze", "--quiet", "--output", "json=out.json", "racy.txt"]);
    quoted(&raddle_in(&folder, &["report", "out.json"]), "app/src/main/java/a/A.java");
    // A file that is no text is not a reason to fail.
    fs::write(folder.join("app/src/main/java/a/A.java"), b"\xff\xfe\0\n\x1b[2J\n\x1b[31mred\n").unwrap();
    let run = raddle_in(&folder, &["analyze", "racy.txt"]);
    assert!(run.out.contains("\\u{1b}[31mred") && !run.out.contains('\x1b'), "{}", run.out);
}
