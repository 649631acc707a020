//! What becomes of findings before they are told: where their files lie, who owns them, what suppresses them, whether
//! a baseline knows them.
//!
//! Nothing is lost here but with `--new-only`: a finding that is suppressed or known carries who says so.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use findings::{Frame, Known, Owners, Report, Suppression, Witness, compare, suppress};

use crate::baseline;
use crate::cli::TellArgs;
use crate::error::Failure;
use crate::report_annotations::Classes;
use crate::report_sources::{Project, Roots};

/// What findings are judged by.
pub struct Judge {
    config: Option<PathBuf>,
    sources: Vec<PathBuf>,
    classes: Vec<PathBuf>,
    /// What the watched program was started with.
    class_path: Vec<PathBuf>,
    suppressions: Vec<Suppression>,
    baseline: Option<(String, Vec<Known>)>,
    new_only: bool,
}

/// Where the owners of files stand, as GitHub and GitLab look for them.
const OWNERS: [&str; 4] = [".github/CODEOWNERS", ".gitlab/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];

/// A source file that is larger is not quoted.
const LARGEST: u64 = 16 << 20;

impl Judge {
    /// Reads the flags and the files that they name.
    pub fn new(args: &TellArgs) -> Result<Self, Failure> {
        let baseline = match &args.baseline {
            Some(path) => Some((path.display().to_string(), baseline::read(path)?)),
            None => None,
        };
        if args.new_only && baseline.is_none() {
            return Err(Failure::with_help(
                "--new-only wants something to compare with",
                "add --baseline FILE; raddle baseline writes one",
            ));
        }
        for path in args.source.iter().chain(&args.classes) {
            if !path.exists() {
                return Err(Failure::new(format!("{}: no such file or folder", path.display())));
            }
        }
        Ok(Self {
            config: args.config.folder.clone(),
            sources: args.source.clone(),
            classes: args.classes.clone(),
            class_path: args.class_path.clone(),
            suppressions: args.config.suppressions.clone(),
            baseline,
            new_only: args.new_only,
        })
    }

    /// Judges all findings of a report.
    pub fn judge(&self, report: &mut Report) {
        if report.findings().next().is_some() {
            let project = Project::find(self.config.as_deref());
            let roots = match self.sources.as_slice() {
                [] => {
                    let mut roots = project.roots();
                    roots.beside(&self.classes);
                    roots.beside(&self.class_path);
                    roots
                }
                given => Roots::given(given),
            };
            let files = locate(report, &project, &roots);
            quote(report, &files);
            if let Some(owners) = owners(&project) {
                own(report, &owners);
            }
            let mut suppressions = self.suppressions.clone();
            let classes = match self.classes.as_slice() {
                [] => Classes::open(&[self.class_path.clone(), roots.classes()].concat()),
                given => Classes::open(given),
            };
            suppressions.extend(annotated(report, classes));
            self.suppress(report, &suppressions);
        } else {
            self.suppress(report, &self.suppressions);
        }
        if let Some((file, known)) = &self.baseline {
            compare(report, file, known.clone());
            if self.new_only {
                report.retain(|finding| !finding.baseline);
            }
        }
    }

    /// Without a suppression of our own, what a report that was read back says about them stays.
    fn suppress(&self, report: &mut Report, suppressions: &[Suppression]) {
        if !suppressions.is_empty() {
            suppress(report, suppressions);
        }
    }
}

/// Every place that a finding names.
fn frames(report: &Report) -> impl Iterator<Item = &Frame> {
    let witnesses = || report.findings().flat_map(|finding| &finding.witnesses);
    let steps = witnesses().flat_map(|witness| &witness.steps);
    witnesses().flat_map(Witness::places).chain(steps.flat_map(|step| &step.stack))
}

/// Notes where the source files lie; which file each source is.
fn locate(report: &mut Report, project: &Project, roots: &Roots) -> BTreeMap<String, PathBuf> {
    let mut files = BTreeMap::new();
    let wanted: BTreeSet<String> = frames(report).filter_map(Frame::source).collect();
    for source in wanted {
        if let Some(path) = roots.find(&source) {
            report.sources.insert(source.clone(), project.name(&path));
            files.insert(source, path);
        }
    }
    files
}

/// Keeps the lines of the source files that findings speak of. A file that cannot be read is one that is not quoted.
fn quote(report: &mut Report, files: &BTreeMap<String, PathBuf>) {
    let mut wanted: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    for frame in report.findings().flat_map(|finding| &finding.witnesses).flat_map(Witness::places) {
        if let (Some(source), Ok(line @ 1..)) = (frame.source(), u32::try_from(frame.line))
            && files.contains_key(&source)
        {
            wanted.entry(source).or_default().insert(line);
        }
    }
    for (source, lines) in wanted {
        let Some(path) = files.get(&source) else { continue };
        let small = std::fs::metadata(path).is_ok_and(|found| found.len() <= LARGEST);
        if let (true, Ok(bytes)) = (small, std::fs::read(path)) {
            report.excerpts.add(&source, &String::from_utf8_lossy(&bytes), &lines);
        }
    }
}

fn owners(project: &Project) -> Option<Owners> {
    let text = OWNERS.iter().find_map(|name| std::fs::read_to_string(project.root().join(name)).ok())?;
    Some(Owners::parse(&text))
}

/// Notes who owns the files in which a finding happens.
fn own(report: &mut Report, owners: &Owners) {
    let sources = report.sources.clone();
    for finding in report.findings_mut() {
        let mut all: Vec<String> = Vec::new();
        let steps = finding.witnesses.iter().flat_map(|witness| &witness.steps);
        for path in steps.filter_map(|step| sources.get(&step.place.source()?)) {
            for owner in owners.of(path) {
                if !all.contains(&owner) {
                    all.push(owner);
                }
            }
        }
        finding.owners = all;
    }
}

/// The annotations of the classes that findings speak of.
fn annotated(report: &Report, mut classes: Classes) -> Vec<Suppression> {
    let mut names: BTreeSet<&str> = report.findings().flat_map(findings::Finding::classes).collect();
    let steps = report.findings().flat_map(|finding| &finding.witnesses).flat_map(|witness| &witness.steps);
    names.extend(steps.map(|step| step.place.class.as_str()));
    names.into_iter().flat_map(|name| classes.suppressions(name)).collect()
}

/// Whether a name leads down and nowhere else: names come from the watched program.
pub fn leads_down(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    !name.is_empty()
        && !name.contains('\0')
        && parts.all(|part| matches!(part, std::path::Component::Normal(_)))
}
