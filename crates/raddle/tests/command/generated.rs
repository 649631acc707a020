//! What is made from the command's own definition: schemas, completions, manual pages; and every format on every stream.

use std::fs;

use super::{RACY, file, folder, raddle};

#[test]
fn the_schema_describes_what_is_written() {
    let racy = file("racy.txt", RACY);
    for (of, lines) in [("json", false), ("jsonl", true)] {
        let schema = raddle(&["schema", of]);
        assert_eq!(schema.code, 0);
        let validator = jsonschema::validator_for(&serde_json::from_str(&schema.out).unwrap()).unwrap();
        let run = raddle(&["analyze", "--format", of, &racy]);
        let documents: Vec<&str> = if lines { run.out.lines().collect() } else { vec![&run.out] };
        assert!(!documents.is_empty());
        for document in documents {
            assert!(validator.is_valid(&serde_json::from_str(document).unwrap()), "{document}");
        }
    }
    assert_eq!(raddle(&["schema"]).out, raddle(&["schema", "json"]).out);
}

#[test]
fn every_format_can_be_asked_for_and_is_in_the_help() {
    let racy = file("racy.txt", RACY);
    let help = raddle(&["analyze", "--help"]).out.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut args = vec!["analyze".to_owned()];
    for format in findings::Format::ALL {
        assert!(
            help.contains(&format!("{},", format.name())) || help.contains(&format!(", {}", format.name()))
        );
        args.extend(["--output".to_owned(), format!("{0}={racy}.{0}", format.name())]);
    }
    args.push(racy.clone());
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let run = raddle(&args);
    assert_eq!(run.code, 1, "{}", run.err);
    for format in findings::Format::ALL {
        assert!(fs::metadata(format!("{racy}.{}", format.name())).unwrap().len() > 0);
        // A full disk is an error whatever the format.
        let to = format!("{}=/dev/full", format.name());
        raddle(&["analyze", "--output", &to, &racy]).fails_with(&["/dev/full: No space left"]);
    }
}

#[test]
fn completions_and_manual_pages_name_every_subcommand() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = raddle(&["completions", shell]);
        assert_eq!((run.code, run.err.as_str()), (0, ""));
        for word in ["analyze", "baseline", "explain", "fail-on"] {
            assert!(run.out.contains(word), "{shell}: {word}");
        }
    }
    raddle(&["completions", "tcsh"]).fails_with(&["tcsh"]);
    let page = raddle(&["man"]);
    assert!(page.says(".TH raddle 1"), "{}", page.out);
    let folder = folder().join("man1");
    assert_eq!(raddle(&["man", "--to", folder.to_str().unwrap()]).code, 0);
    for name in ["raddle.1", "raddle-run.1", "raddle-trace-convert.1", "raddle-report.1"] {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        assert!(text.contains(".SH SYNOPSIS"), "{name}");
    }
}
