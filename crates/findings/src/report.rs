//! Everything one run of the command tells: findings merged by fingerprint, gaps, coverage.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{Confidence, Excerpts, Finding, Gap, Known, Road, Rule, Stale, Witness};

/// What was looked at; zero where it does not apply to the road taken.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Coverage {
    /// Classes loaded.
    pub classes_seen: u64,
    /// Classes whose accesses were watched.
    pub classes_woven: u64,
    /// Why the other classes were not, and how many each reason left out.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<String, u64>,
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

impl Coverage {
    /// Adds what was looked at elsewhere.
    pub fn add(&mut self, other: Coverage) {
        self.classes_seen += other.classes_seen;
        self.classes_woven += other.classes_woven;
        for (why, classes) in other.left_out {
            *self.left_out.entry(why).or_default() += classes;
        }
        self.threads += other.threads;
        self.events += other.events;
        self.locks += other.locks;
        self.variables += other.variables;
        self.methods_analysed += other.methods_analysed;
    }
}

/// What comparing with a baseline showed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Compared {
    /// The baseline's file, as it was named.
    pub file: String,
    /// What the baseline knows and this run did not show.
    #[serde(default)]
    pub gone: Vec<Known>,
}

/// Findings, gaps and coverage.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    findings: BTreeMap<(Rule, String), Finding>,
    gaps: BTreeMap<(String, String), u64>,
    /// What was looked at.
    pub coverage: Coverage,
    /// Where source files lie in the project: `com/acme/Account.java` to `src/main/java/com/acme/Account.java`.
    pub sources: BTreeMap<String, String>,
    /// Lines of those files, where the command could read them; no part of what is written for programs.
    pub excerpts: Excerpts,
    /// Suppressions that suppressed nothing.
    pub stale: Vec<Stale>,
    /// The comparison with a baseline, if there was one.
    pub baseline: Option<Compared>,
}

/// Sixteen hexadecimal digits that stand for a rule and a subject: FNV-1a, which is stable and needs no seed.
pub fn fingerprint(rule: Rule, subject: &str) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in rule.name().bytes().chain([0]).chain(subject.bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    format!("{hash:016x}")
}

/// Keeps a witness, unless enough of its detector are kept. The evidence that the confidence and the message rest on
/// comes first.
fn witnessed(finding: &mut Finding, witness: Witness, first: bool) {
    if let Err(at) = finding.detectors.binary_search(&witness.detector) {
        finding.detectors.insert(at, witness.detector.clone());
    }
    let same = |w: &Witness| w.detector == witness.detector;
    if finding.witnesses.iter().filter(|w| same(w)).count() >= Report::WITNESSES_PER_DETECTOR {
        match finding.witnesses.iter().rposition(same) {
            Some(last) if first => drop(finding.witnesses.remove(last)),
            _ => return,
        }
    }
    let at = if first { 0 } else { finding.witnesses.len() };
    finding.witnesses.insert(at, witness);
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
        self.add_counted(rule, subject, confidence, message, witness);
        self.count_again(rule, subject);
    }

    /// The same for a sighting that has been counted.
    pub fn add_counted(
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
            suppressed: None,
            owners: Vec::new(),
            roads: Vec::new(),
            witnesses: Vec::new(),
        });
        let surer = confidence > finding.confidence;
        if surer {
            finding.confidence = confidence;
            message.clone_into(&mut finding.message);
        }
        witnessed(finding, witness, surer);
    }

    /// Adds a whole finding, with its count and all its evidence.
    pub fn insert(&mut self, mut finding: Finding) {
        let key = (finding.rule, finding.subject.clone());
        let Some(known) = self.findings.get_mut(&key) else {
            self.findings.insert(key, finding);
            return;
        };
        known.count += finding.count;
        known.baseline &= finding.baseline;
        known.suppressed = known.suppressed.take().filter(|_| finding.suppressed.is_some());
        for owner in finding.owners {
            if !known.owners.contains(&owner) {
                known.owners.push(owner);
            }
        }
        let surer = finding.confidence > known.confidence;
        if surer {
            known.confidence = finding.confidence;
            known.message = finding.message;
            finding.witnesses.reverse();
        }
        finding.witnesses.into_iter().for_each(|witness| witnessed(known, witness, surer));
    }

    /// Adds all that another report tells, such as that of a second trace.
    pub fn merge(&mut self, other: Report) {
        other.findings.into_values().for_each(|finding| self.insert(finding));
        for ((what, why), count) in other.gaps {
            self.add_gap(Gap { what, why, count });
        }
        self.coverage.add(other.coverage);
        self.sources.extend(other.sources);
        // What is stale or gone in one run only was there in the other.
        self.stale.retain(|stale| other.stale.contains(stale));
        match (&mut self.baseline, other.baseline) {
            (Some(mine), Some(theirs)) => mine.gone.retain(|known| theirs.gone.contains(known)),
            (mine @ None, theirs) => *mine = theirs,
            (Some(_), None) => {}
        }
    }

    /// Adds what other detectors have found in the same trace, as if all had found it side by side. `rank` is the place
    /// of a detector among all of them.
    pub fn join(&mut self, other: Report, rank: impl Fn(&str) -> usize) {
        let first = |finding: &Finding| finding.witnesses.first().map(|w| (w.event, rank(&w.detector)));
        for mut finding in other.findings.into_values() {
            let key = (finding.rule, finding.subject.clone());
            if let Some(known) = self.findings.get_mut(&key)
                && (finding.confidence, Reverse(first(&finding))) > (known.confidence, Reverse(first(known)))
            {
                std::mem::swap(known, &mut finding);
            }
            self.insert(finding);
        }
        for ((what, why), count) in other.gaps {
            self.add_gap(Gap { what, why, count });
        }
        self.coverage.add(other.coverage);
        self.sources.extend(other.sources);
        self.settle(rank);
    }

    /// Puts the witnesses of each finding in the order in which they came, but the first one, on which its confidence and
    /// message rest, stays the first.
    pub fn settle(&mut self, rank: impl Fn(&str) -> usize) {
        for finding in self.findings.values_mut() {
            if let Some((_, rest)) = finding.witnesses.split_first_mut() {
                rest.sort_by_key(|witness| (witness.event, rank(&witness.detector)));
            }
        }
    }

    /// Makes one finding of a set of fields that is used apart and of the larger sets that hold all of it: who uses the
    /// larger ones together and apart does so with the smaller one. Of several the largest that it holds takes it in.
    pub fn gather_sets(&mut self) {
        let fields = |subject: &str| subject.split(", ").map(str::to_owned).collect::<BTreeSet<String>>();
        let of_sets = self.findings.keys().filter(|(rule, _)| *rule == Rule::HighLevelRace);
        let mut sets: Vec<_> = of_sets.map(|(_, subject)| (fields(subject), subject.clone())).collect();
        sets.sort_by_key(|(fields, _)| fields.len());
        let mut smallest: Vec<(BTreeSet<String>, String)> = Vec::new();
        for (fields, subject) in sets {
            let Some((_, within)) = smallest.iter().rev().find(|(part, _)| part.is_subset(&fields)) else {
                smallest.push((fields, subject));
                continue;
            };
            if let Some(mut larger) = self.findings.remove(&(Rule::HighLevelRace, subject)) {
                larger.subject.clone_from(within);
                self.insert(larger);
            }
        }
    }

    /// Says of each finding which roads led to it. `road` is the one that a detector goes.
    pub fn tell_roads(&mut self, road: impl Fn(&str) -> Road) {
        for finding in self.findings.values_mut() {
            finding.roads = finding.detectors.iter().map(|detector| road(detector)).collect();
            finding.roads.sort_unstable();
            finding.roads.dedup();
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

    /// The event of the trace at which the last of the findings was seen for the first time, if any was seen in a trace.
    pub fn last_news(&self) -> Option<u64> {
        let first = |finding: &Finding| finding.witnesses.iter().map(|witness| witness.event).min();
        self.findings.values().filter_map(first).filter(|&event| event != u64::MAX).max()
    }

    /// The findings, to be judged: what they are about must stay.
    pub fn findings_mut(&mut self) -> impl Iterator<Item = &mut Finding> {
        self.findings.values_mut()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn witness(detector: &str, note: &str) -> Witness {
        Witness {
            detector: detector.into(),
            steps: Vec::new(),
            notes: vec![note.into()],
            tests: Vec::new(),
            event: 0,
            ..Witness::default()
        }
    }

    #[test]
    fn larger_sets_of_fields_go_into_the_smaller_ones_that_they_hold() {
        let mut report = Report::new();
        let subjects = ["A.x, A.y", "A.x, A.y, A.z", "A.z, B.q", "A.x, A.y, A.z, B.q", "A.x2, A.y"];
        for (i, subject) in subjects.into_iter().enumerate() {
            let confidence = if i == 1 { Confidence::High } else { Confidence::Medium };
            report.add(Rule::HighLevelRace, subject, confidence, subject, witness("views", subject));
        }
        report.add(Rule::DataRace, "A.x, A.y, A.z", Confidence::Low, "", witness("racer", ""));
        report.gather_sets();
        let found: Vec<_> = report.findings().map(|f| (f.rule, f.subject.as_str(), f.count)).collect();
        let expected = [
            (Rule::DataRace, "A.x, A.y, A.z", 1),
            (Rule::HighLevelRace, "A.x, A.y", 2),
            (Rule::HighLevelRace, "A.x2, A.y", 1),
            (Rule::HighLevelRace, "A.z, B.q", 2),
        ];
        assert_eq!(found, expected);
        let first = report.findings().nth(1).expect("there are four");
        assert_eq!((first.confidence, first.message.as_str()), (Confidence::High, "A.x, A.y, A.z"));
        assert_eq!(first.fingerprint, fingerprint(Rule::HighLevelRace, "A.x, A.y"));
    }

    #[test]
    fn what_two_detectors_find_is_one_finding_that_leads_with_the_surer_one() {
        let mut report = Report::new();
        report.add(Rule::DataRace, "A.x", Confidence::Medium, "perhaps", witness("racer", "1"));
        report.add(Rule::DataRace, "A.x", Confidence::High, "certainly", witness("fasttrack", "2"));
        report.add(Rule::DataRace, "A.x", Confidence::Medium, "perhaps", witness("eraser", "3"));
        let finding = report.findings().next().unwrap();
        assert_eq!(report.findings().count(), 1);
        assert_eq!(
            (finding.message.as_str(), finding.confidence, finding.count),
            ("certainly", Confidence::High, 3)
        );
        assert_eq!(finding.detectors, ["eraser", "fasttrack", "racer"]);
        assert_eq!(finding.witnesses[0].detector, "fasttrack");
    }

    #[test]
    fn merged_reports_add_up() {
        let mut one = Report::new();
        one.add(Rule::DataRace, "A.x", Confidence::Medium, "perhaps", witness("racer", "1"));
        one.add_gap(Gap { what: "class B".into(), why: "native".into(), count: 2 });
        one.coverage.events = 10;
        let mut two = Report::new();
        for note in ["2", "3", "4"] {
            two.add(Rule::DataRace, "A.x", Confidence::High, "certainly", witness("racer", note));
        }
        two.add(Rule::LockOrder, "A, B", Confidence::Low, "cycle", witness("lock-graph", "5"));
        two.add_gap(Gap { what: "class B".into(), why: "native".into(), count: 1 });
        two.coverage.events = 5;
        one.merge(two);
        let all: Vec<&Finding> = one.findings().collect();
        assert_eq!(all.len(), 2);
        assert_eq!((all[0].count, all[0].message.as_str()), (4, "certainly"));
        assert_eq!(all[0].witnesses.len(), Report::WITNESSES_PER_DETECTOR);
        assert_eq!(one.gaps().next().unwrap().count, 3);
        assert_eq!(one.coverage.events, 15);
    }

    #[test]
    fn a_fingerprint_is_made_of_names_only_and_never_changes() {
        assert_eq!(fingerprint(Rule::DataRace, "com.acme.Account.balance"), "e92589b9b3d3714f");
        assert_ne!(fingerprint(Rule::DataRace, "a"), fingerprint(Rule::LockOrder, "a"));
    }
}
