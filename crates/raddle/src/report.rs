//! What a command that makes findings was asked for, and how its report is judged and written.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use detect::{Options, Spec};
use findings::{Confidence, Format, Gap, Report, Rule, plural, visible};

use crate::cli::{Level, ReportArgs, TellArgs};
use crate::error::{Failure, Outcome};
use crate::output::{Color, Stream, WholeFile, file_style};
use crate::report_judge::Judge;
use crate::select;

/// What was asked for: what to look for, and how to tell it.
pub struct Wanted {
    /// The detectors to run.
    pub specs: Vec<&'static Spec>,
    /// How they shall judge.
    pub options: Options,
    telling: Telling,
}

impl Wanted {
    /// Reads the flags. Whether the files can be written is tried now: an analysis may take long.
    pub fn new(args: &ReportArgs, color: Color) -> Result<Self, Failure> {
        let telling = Telling::new(&args.tell, color)?;
        let specs = select::on_trace(&args.detectors, &telling.rules)?;
        let refinements = select::refinements(&args.refine)?;
        let options = Options { paper: args.paper, refinements, ..Options::default() };
        Ok(Self { specs, options, telling })
    }

    /// The rules that were asked for.
    pub fn rules(&self) -> &[Rule] {
        &self.telling.rules
    }

    /// Whether gaps count as findings do.
    pub fn is_strict(&self) -> bool {
        self.telling.strict
    }

    /// Judges the report and writes it: to the files that were asked for, and to a stream.
    pub fn tell(&self, report: &mut Report, stream: Stream) -> Result<(), Failure> {
        self.telling.tell(report, stream)
    }

    /// How the command ends after this report. Says which gaps make it fail.
    pub fn outcome(&self, report: &Report) -> Outcome {
        self.telling.outcome(report)
    }
}

/// How findings are judged and told.
pub struct Telling {
    /// The rules that were asked for.
    pub rules: Vec<Rule>,
    judge: Judge,
    format: Format,
    outputs: Vec<(Format, PathBuf)>,
    color: Color,
    quiet: bool,
    strict: bool,
    exit_zero: bool,
    least: Confidence,
}

impl Telling {
    /// Reads the flags, and the files that they name. Whether the outputs can be written is tried too.
    pub fn new(args: &TellArgs, color: Color) -> Result<Self, Failure> {
        Ok(Self {
            rules: select::rules(&args.rules)?,
            judge: Judge::new(args)?,
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

    /// Judges the report and writes it: to the files that were asked for, and to a stream. Findings that nobody asked
    /// for are dropped.
    pub fn tell(&self, report: &mut Report, stream: Stream) -> Result<(), Failure> {
        report.retain(|finding| self.rules.contains(&finding.rule));
        self.judge.judge(report);
        // One that cannot be written takes none of the others with it.
        let mut failed = None;
        for (format, path) in &self.outputs {
            if let Err(error) = self.write(*format, path, report)
                && let Some(before) = failed.replace(error)
            {
                before.tell();
            }
        }
        if self.format.is_binary() && stream.is_terminal() {
            return Err(Failure::with_help(
                format!("{} is no text for a terminal", self.format.name()),
                format!("write it to a file: --output {}=FILE", self.format.name()),
            ));
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
        let found = report.findings().any(|finding| finding.confidence >= self.least && finding.is_open());
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
