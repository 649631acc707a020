//! Everything one run of the command tells: findings merged by fingerprint, gaps, coverage.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Confidence, Finding, Gap, Rule, Witness};

/// What was looked at; zero where it does not apply to the road taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Coverage {
    /// Classes loaded.
    pub classes_seen: u64,
    /// Classes with probes.
    pub classes_woven: u64,
    /// Threads.
    pub threads: u64,
    /// Events.
    pub events: u64,
    /// Locks.
    pub locks: u64,
    /// Variables.
    pub variables: u64,
    /// Methods read by the code road.
    pub methods_analysed: u64,
}

/// Findings, gaps and coverage.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    findings: BTreeMap<(Rule, String), Finding>,
    gaps: BTreeMap<(String, String), u64>,
    /// What was looked at.
    pub coverage: Coverage,
}

/// Sixteen hexadecimal digits that stand for a rule and a subject: FNV-1a, which is stable and needs no seed.
pub fn fingerprint(rule: Rule, subject: &str) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in rule.name().bytes().chain([0]).chain(subject.bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    format!("{hash:016x}")
}

impl Report {
    /// At most this many witnesses are kept of one detector for one finding.
    pub const WITNESSES_PER_DETECTOR: usize = 3;

    /// An empty report.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds evidence. Evidence for the same rule and subject is one finding; the highest confidence and the message
    /// that came with it stay.
    pub fn add(
        &mut self,
        rule: Rule,
        subject: &str,
        confidence: Confidence,
        message: &str,
        witness: Witness,
    ) {
        let finding = self.findings.entry((rule, subject.to_owned())).or_insert_with(|| Finding {
            rule,
            fingerprint: fingerprint(rule, subject),
            confidence,
            subject: subject.to_owned(),
            message: message.to_owned(),
            detectors: Vec::new(),
            count: 0,
            baseline: false,
            witnesses: Vec::new(),
        });
        finding.count += 1;
        if confidence > finding.confidence {
            finding.confidence = confidence;
            message.clone_into(&mut finding.message);
        }
        if let Err(at) = finding.detectors.binary_search(&witness.detector) {
            finding.detectors.insert(at, witness.detector.clone());
        }
        let same = finding.witnesses.iter().filter(|w| w.detector == witness.detector).count();
        if same < Self::WITNESSES_PER_DETECTOR {
            finding.witnesses.push(witness);
        }
    }

    /// Counts one more sighting of a finding that is there already.
    pub fn count_again(&mut self, rule: Rule, subject: &str) {
        if let Some(finding) = self.findings.get_mut(&(rule, subject.to_owned())) {
            finding.count += 1;
        }
    }

    /// Adds a gap; equal ones are counted together.
    pub fn add_gap(&mut self, gap: Gap) {
        *self.gaps.entry((gap.what, gap.why)).or_default() += gap.count;
    }

    /// The findings, by rule and subject.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.values()
    }

    /// The gaps, by name.
    pub fn gaps(&self) -> impl Iterator<Item = Gap> {
        self.gaps.iter().map(|((what, why), &count)| Gap { what: what.clone(), why: why.clone(), count })
    }

    /// Keeps only the findings that `keep` says.
    pub fn retain(&mut self, mut keep: impl FnMut(&Finding) -> bool) {
        self.findings.retain(|_, finding| keep(finding));
    }
}
