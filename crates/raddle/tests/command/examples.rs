//! The bundled examples: what is found is what is marked, and the reports are those that stand beside them.
//! `BLESS=1 cargo test -p raddle examples` writes the reports anew.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use detect::{Analysis, Options, on_trace};
use events::{SiteId, Symbols, text};
use findings::Frame;

use super::{raddle, root};

/// The traces in the folder, by name.
fn examples() -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(root().join("examples"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "txt"))
        .collect();
    paths.sort();
    assert!(paths.len() >= 5);
    paths
}

#[test]
fn every_example_gives_the_report_beside_it() {
    for path in examples() {
        let name = format!("examples/{}", path.file_name().unwrap().to_str().unwrap());
        let run = raddle(&["analyze", &name]);
        assert_eq!(run.err, "");
        assert_eq!(run.code, i32::from(!run.out.starts_with("no findings")), "{name}");
        let golden = path.with_extension("report");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&golden, &run.out).unwrap();
        }
        let expected = fs::read_to_string(&golden).unwrap_or_default();
        assert!(
            run.out == expected,
            "{name}: if this is right, run again with BLESS=1\n{}\nbut the report beside it is\n{expected}",
            run.out
        );
    }
}

fn place(site: SiteId, symbols: &Symbols) -> Frame {
    let site = symbols.sites.get(site);
    let method = site.method.map(|method| *symbols.methods.get(method));
    Frame {
        class: method.map(|method| symbols.class_name(method.class).to_owned()).unwrap_or_default(),
        method: method.map(|method| symbols.str(method.name).to_owned()).unwrap_or_default(),
        file: site.file.map(|file| symbols.str(file).to_owned()).unwrap_or_default(),
        line: site.line,
    }
}

/// A finding belongs to a mark if it is of the mark's rule and one of its steps is at the mark's place, by its thread.
#[test]
fn every_mark_is_found_and_every_finding_is_marked() {
    let mut rules = BTreeSet::new();
    for path in examples() {
        let name = path.display().to_string();
        let trace = text::parse(&name, &fs::read_to_string(&path).unwrap()).unwrap();
        let mut analysis = Analysis::new(on_trace::ALL, &Options::default());
        analysis.batch(&trace.events, &trace.symbols).unwrap();
        let report = analysis.finish(&trace.symbols).unwrap();
        let marked: BTreeSet<(String, String, Frame)> = trace
            .marks
            .iter()
            .map(|mark| {
                let event = trace.events[mark.event as usize];
                let thread = trace.symbols.str(trace.symbols.threads.get(event.thread).name);
                (mark.rule.clone(), thread.to_owned(), place(event.site, &trace.symbols))
            })
            .collect();
        let mut found = BTreeSet::new();
        for finding in report.findings() {
            let steps = finding.witnesses.iter().flat_map(|witness| &witness.steps);
            let here: Vec<_> = steps
                .map(|step| (finding.rule.name().to_owned(), step.thread.clone(), step.place.clone()))
                .filter(|key| marked.contains(key))
                .collect();
            assert!(
                !here.is_empty(),
                "{name}: nothing marks the {} of {}",
                finding.rule.name(),
                finding.subject
            );
            found.extend(here);
            rules.insert(finding.rule);
        }
        assert_eq!(found, marked, "{name}: marks without a finding");
    }
    let on_traces: BTreeSet<_> = on_trace::ALL.iter().flat_map(|spec| spec.rules.iter().copied()).collect();
    assert_eq!(rules, on_traces, "there is an example for every rule");
}
