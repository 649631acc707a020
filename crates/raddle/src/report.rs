//! What a command that makes findings was asked for, and how its report is written: `analyze` and `run` share it.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use detect::{Options, Spec};
use findings::{Confidence, Format, Gap, Report, Rule, plural, visible};

use crate::cli::{Level, ReportArgs};
use crate::error::{Failure, Outcome};
use crate::output::{Color, Stream, WholeFile, file_style};
use crate::select;

/// What was asked for.
pub struct Wanted {
    rules: Vec<Rule>,
    /// The detectors to run.
    pub specs: Vec<&'static Spec>,
    /// How they shall judge.
    pub options: Options,
    format: Format,
    outputs: Vec<(Format, PathBuf)>,
    color: Color,
    quiet: bool,
    strict: bool,
    exit_zero: bool,
    least: Confidence,
}

impl Wanted {
    /// Reads the flags. Whether the files can be written is tried now: an analysis may take long.
    pub fn new(args: &ReportArgs, color: Color) -> Result<Self, Failure> {
        let rules = select::rules(&args.rules)?;
        let specs = select::detectors(&args.detectors, &rules)?;
        let refinements = select::refinements(&args.refine)?;
        Ok(Self {
            rules,
            specs,
            options: Options { paper: args.paper, refinements, ..Options::default() },
            format: format(&args.format)?,
            outputs: outputs(&args.output)?,
            color,
            quiet: args.quiet,
            strict: args.strict,
            exit_zero: args.exit_zero,
            least: match args.fail_on {
                Level::Low => Confidence::Low,
                Level::Medium => Confidence::Medium,
                Level::High => Confidence::High,
            },
        })
    }

    /// Whether gaps count as findings do.
    pub fn is_strict(&self) -> bool {
        self.strict
    }

    /// Writes the report: to the files that were asked for, and to a stream. Findings that nobody asked for are dropped.
    pub fn tell(&self, report: &mut Report, stream: Stream) -> Result<(), Failure> {
        report.retain(|finding| self.rules.contains(&finding.rule));
        // One that cannot be written takes none of the others with it.
        let mut failed = None;
        for (format, path) in &self.outputs {
            if let Err(error) = self.write(*format, path, report) {
                failed.get_or_insert(error);
            }
        }
        let style = stream.style(self.color, self.quiet);
        stream.write(|out| self.format.renderer(style).render(report, out))?;
        failed.map_or(Ok(()), Err)
    }

    fn write(&self, format: Format, path: &Path, report: &Report) -> Result<(), Failure> {
        let mut file = WholeFile::create(path)?;
        format.renderer(file_style(self.quiet)).render(report, &mut file).map_err(|e| file.fail(&e))?;
        file.finish()
    }

    /// How the command ends after this report. Says which gaps make it fail.
    pub fn outcome(&self, report: &Report) -> Outcome {
        let gaps: Vec<Gap> = report.gaps().collect();
        let gaps_fail = self.strict && !gaps.is_empty();
        if gaps_fail {
            let what: Vec<&str> = gaps.iter().map(|gap| gap.what.as_str()).collect();
            let number = plural(gaps.len() as u64, "gap", "gaps");
            let text = format!("raddle: {number}, and --strict is on: {}", what.join(", "));
            let _ = std::io::stderr().write_all(format!("{}\n", visible(&text)).as_bytes());
        }
        let found = report.findings().any(|finding| finding.confidence >= self.least && !finding.baseline);
        if (found || gaps_fail) && !self.exit_zero { Outcome::Findings } else { Outcome::Clean }
    }
}

fn format(name: &str) -> Result<Format, Failure> {
    select::one("format", name, &Format::ALL, |format| format.name(), "raddle analyze --help tells more")
}

/// What `--output` asks for. Whether the files can be written is tried now: an analysis may take long.
fn outputs(given: &[String]) -> Result<Vec<(Format, PathBuf)>, Failure> {
    let mut outputs: Vec<(Format, PathBuf)> = Vec::new();
    for text in given {
        let Some((name, path)) = text.split_once('=').filter(|(_, path)| !path.is_empty()) else {
            return Err(Failure::with_help(
                format!("--output {text}: the file is missing"),
                "write --output FORMAT=FILE, such as --output json=report.json",
            ));
        };
        let path = PathBuf::from(path);
        if outputs.iter().any(|(_, other)| *other == path) {
            return Err(Failure::new(format!("--output writes {} twice", path.display())));
        }
        let format = format(name)?;
        WholeFile::try_out(&path)?;
        outputs.push((format, path));
    }
    Ok(outputs)
}
