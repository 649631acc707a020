//! The data that the page is built from: JSON, with names and frames as numbers into tables.
//!
//! The page has to open quickly and stay below twenty megabytes. Findings come in the order of the list, and the later
//! ones with less once much is written: first the evidence of all but one witness goes, then all evidence, then the
//! finding itself. What is missing is said in `cut`, and the page says it too.

use std::cmp::Reverse;
use std::io::{self, Write};

use serde::Serialize;

use super::picture::{Drawn, drawn};
use super::safe::{Inert, quoted, shown};
use super::tables::{More, Name, Tables, Told};
use crate::render::rule_page::SILENCE;
use crate::render::{jsonl, plain, words};
use crate::{Coverage, DetectorDoc, Finding, Report, Rule, Step, Witness};

/// Bytes after which a finding comes with one witness, without evidence, not at all; and bytes of all names.
const ONE_WITNESS: usize = 16_500_000;
const NO_EVIDENCE: usize = 17_200_000;
const NOTHING: usize = 17_800_000;
const NAMES: usize = 12_000_000;
/// Bytes of gaps and the like.
const OTHERS: usize = 1 << 20;
/// Of one finding, witness or step: more than any detector tells and anybody reads.
const WITNESSES: usize = 12;
const STEPS: usize = 100;
const NOTES: usize = 50;

#[derive(Serialize)]
struct Row {
    rule: usize,
    fingerprint: Name,
    /// 0 low, 1 medium, 2 high.
    confidence: usize,
    state: &'static str,
    subject: Name,
    message: Name,
    detectors: Vec<Name>,
    /// Which roads led to it, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    roads: Option<&'static str>,
    count: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    owners: Vec<Name>,
    /// Reason, and where it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed: Option<(Name, Name)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tests: Vec<Name>,
    /// What silences it in `raddle.toml`.
    silence: (&'static str, Name),
    witnesses: Vec<Evidence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<Drawn>,
}

/// A witness.
#[derive(Serialize)]
struct Evidence {
    detector: Name,
    steps: Vec<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Name>,
    /// What to do: one of the notes.
    #[serde(skip_serializing_if = "is_none")]
    advice: Name,
    /// Where threads come from: thread, who started it, where, the calls that led there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    threads: Vec<(Name, Name, u32, u32)>,
    /// Steps that there was no room for.
    #[serde(skip_serializing_if = "is_zero")]
    more: usize,
}

fn is_none(name: &Name) -> bool {
    *name == 0
}

pub(super) fn is_zero(n: &usize) -> bool {
    *n == 0
}

#[derive(Serialize)]
struct RuleText {
    name: &'static str,
    title: &'static str,
    titles: &'static str,
    joins: &'static str,
    summary: &'static str,
    what: &'static str,
    why: &'static str,
    fix: &'static str,
    found: &'static str,
    bad: &'static str,
    good: &'static str,
}

/// What there was no room for.
#[derive(Serialize, Default)]
struct Cut {
    findings: u64,
    evidence: u64,
    witnesses: u64,
    names: u64,
    gaps: u64,
    others: u64,
}

/// What is said once.
#[derive(Serialize)]
struct Rest {
    version: &'static str,
    rules: [RuleText; Rule::ALL.len()],
    /// Name, and what it does.
    detectors: Vec<(&'static str, &'static str)>,
    silence: &'static str,
    coverage: Coverage,
    looked_at: String,
    /// What, why, how many.
    gaps: Vec<(String, String, u64)>,
    /// What it would suppress, and where it stands.
    stale: Vec<(String, String)>,
    baseline: Option<String>,
    /// Rule and subject of what the baseline knows and was not seen.
    gone: Vec<(&'static str, String)>,
    cut: Cut,
}

/// Writes all of it.
pub(super) fn write(report: &Report, detectors: &[DetectorDoc], out: &mut dyn Write) -> io::Result<()> {
    let mut out = Inert { out, written: 0 };
    let mut tables = Tables::new(report, NAMES, NOTHING);
    let mut cut = Cut::default();
    let mut findings: Vec<&Finding> = report.findings().collect();
    // As the list shows them: open ones first, then the surest; else by rule and subject.
    findings.sort_by_key(|finding| (!finding.is_open(), Reverse(finding.confidence)));
    out.write_all(b"{\"findings\":[")?;
    let mut first = true;
    for finding in findings {
        let so_far = out.written + tables.bytes;
        let witnesses = match so_far {
            _ if so_far > NOTHING => {
                cut.findings += 1;
                continue;
            }
            _ if so_far > NO_EVIDENCE => 0,
            _ if so_far > ONE_WITNESS => 1,
            _ => WITNESSES,
        };
        if witnesses < finding.witnesses.len() {
            *(if witnesses == 0 { &mut cut.evidence } else { &mut cut.witnesses }) += 1;
        }
        out.write_all(if first { b"\n" } else { b",\n" })?;
        first = false;
        plain::compact(&row(finding, witnesses, &mut tables), &mut out)?;
    }
    cut.names = tables.left_out;
    write!(out, "],\n\"names\":")?;
    plain::compact(&tables.names, &mut out)?;
    write!(out, ",\n\"frames\":")?;
    plain::compact(&tables.frames, &mut out)?;
    write!(out, ",\n\"stacks\":")?;
    plain::compact(&tables.stacks, &mut out)?;
    write!(out, ",\n\"steps\":")?;
    plain::compact(&tables.steps, &mut out)?;
    write!(out, ",\n\"sources\":")?;
    plain::compact(&tables.sources, &mut out)?;
    write!(out, ",\n\"rest\":")?;
    plain::compact(&rest(report, detectors, cut), &mut out)?;
    writeln!(out, "}}")
}

fn row(finding: &Finding, witnesses: usize, tables: &mut Tables<'_>) -> Row {
    let mut tests: Vec<&String> = finding.witnesses.iter().flat_map(|witness| &witness.tests).collect();
    tests.sort_unstable();
    tests.dedup();
    Row {
        rule: Rule::ALL.iter().position(|rule| *rule == finding.rule).unwrap_or(0),
        fingerprint: tables.name(&finding.fingerprint),
        confidence: finding.confidence as usize,
        state: jsonl::state(finding),
        subject: tables.name(&words::folded(&finding.subject)),
        message: tables.name(&words::message(finding)),
        detectors: tables.names(finding.detectors.iter().take(NOTES)),
        roads: finding.roads_in_words(),
        count: finding.count,
        owners: tables.names(finding.owners.iter().take(NOTES)),
        suppressed: finding.suppressed.as_ref().map(|by| (tables.name(&by.reason), tables.name(&by.by))),
        tests: tables.names(tests.into_iter().take(NOTES)),
        silence: silence(finding, tables),
        witnesses: finding
            .witnesses
            .iter()
            .take(witnesses)
            .map(|one| evidence(finding, one, tables))
            .collect(),
        picture: if witnesses == 0 { None } else { drawn(finding, tables) },
    }
}

fn evidence(finding: &Finding, witness: &Witness, tables: &mut Tables<'_>) -> Evidence {
    Evidence {
        detector: tables.name(&witness.detector),
        steps: witness.steps.iter().take(STEPS).map(|step| told(step, tables)).collect(),
        notes: witness
            .notes
            .iter()
            .take(NOTES)
            .map(|note| tables.name(&words::sentence(note, finding)))
            .collect(),
        threads: witness
            .threads
            .iter()
            .take(STEPS)
            .map(|origin| {
                let stack = tables.stack(&origin.stack);
                (tables.name(&origin.thread), tables.name(&origin.by), tables.frame(&origin.at), stack)
            })
            .collect(),
        advice: tables.name(&words::sentence(&witness.advice, finding)),
        more: witness.steps.len().saturating_sub(STEPS),
    }
}

fn told(step: &Step, tables: &mut Tables<'_>) -> u32 {
    let (does, remark) = words::does(step);
    // The target is shown as code.
    let does = does.strip_suffix(&step.target).unwrap_or(&does).trim_matches([' ', ':']);
    let stack = tables.stack(&step.stack);
    let taken = step.taken.iter().take(NOTES);
    let taken: Vec<_> = taken
        .map(|taken| (tables.name(&taken.lock), tables.frame(&taken.at), u8::from(taken.example)))
        .collect();
    let read = tables.names(step.read_locks.iter().take(NOTES));
    let more = More { read, taken, source: tables.quote(&step.place) };
    let more = (more != More::default()).then_some(more);
    let told = Told(
        tables.name(&step.thread),
        step.role,
        tables.name(does),
        tables.name(&step.target),
        tables.name(remark.unwrap_or_default()),
        tables.frame(&step.place),
        tables.names(step.locks.iter().take(NOTES)),
        stack,
        u8::from(step.stack_is_example),
        more,
    );
    tables.step(told)
}

/// What silences just this finding in `raddle.toml`: a key and its value, 0 where that is the subject or the fingerprint
/// in quotes. Several names, or one that is too long to be shown, are named by the fingerprint.
fn silence(finding: &Finding, tables: &mut Tables<'_>) -> (&'static str, Name) {
    let subject = quoted(&finding.subject);
    let is_whole = shown(&subject) == subject;
    let (key, value, given) = match finding.rule {
        Rule::DataRace | Rule::StaleValue if is_whole => ("field", subject, &finding.subject),
        Rule::NonAtomic if is_whole => ("method", subject, &finding.subject),
        _ => ("fingerprint", quoted(&finding.fingerprint), &finding.fingerprint),
    };
    let is_plain = value[1..value.len() - 1] == **given;
    (key, if is_plain { 0 } else { tables.name(&value) })
}

fn rest(report: &Report, detectors: &[DetectorDoc], mut cut: Cut) -> Rest {
    let mut room = OTHERS;
    // Whether there is still room for one more of what is listed.
    let mut fits = |texts: [&str; 2]| {
        let bytes = texts.iter().map(|text| shown(text).len() + 8).sum();
        room = room.saturating_sub(bytes);
        room > 0
    };
    let mut gaps = Vec::new();
    for gap in report.gaps() {
        if fits([&gap.what, &gap.why]) {
            gaps.push((shown(&gap.what).into_owned(), shown(&gap.why).into_owned(), gap.count));
        } else {
            cut.gaps += 1;
        }
    }
    let pair = |one: &str, two: &str| (shown(one).into_owned(), shown(two).into_owned());
    let stale: Vec<_> = report.stale.iter().filter(|stale| fits([&stale.what, &stale.by])).collect();
    let gone = report.baseline.iter().flat_map(|baseline| &baseline.gone);
    let gone: Vec<_> = gone.filter(|known| fits([&known.subject, ""])).collect();
    let all_gone = report.baseline.as_ref().map_or(0, |baseline| baseline.gone.len());
    cut.others = (report.stale.len() - stale.len() + all_gone - gone.len()) as u64;
    Rest {
        version: env!("CARGO_PKG_VERSION"),
        rules: Rule::ALL.map(rule_text),
        detectors: detectors.iter().map(|detector| (detector.name, detector.about)).collect(),
        silence: SILENCE,
        coverage: report.coverage.clone(),
        looked_at: words::looked_at(report),
        gaps,
        stale: stale.into_iter().map(|stale| pair(&stale.what, &stale.by)).collect(),
        baseline: report.baseline.as_ref().map(|baseline| shown(&baseline.file).into_owned()),
        gone: gone.into_iter().map(|known| (known.rule.name(), shown(&known.subject).into_owned())).collect(),
        cut,
    }
}

fn rule_text(rule: Rule) -> RuleText {
    let doc = rule.doc();
    RuleText {
        name: rule.name(),
        title: doc.title,
        titles: doc.titles,
        joins: doc.joins,
        summary: doc.summary,
        what: doc.what,
        why: doc.why,
        fix: doc.fix,
        found: doc.found,
        bad: doc.bad,
        good: doc.good,
    }
}
