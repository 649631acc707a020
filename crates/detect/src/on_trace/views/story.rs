//! A conflict between views as evidence that a person can follow.

use events::{LockId, StrId, ThreadId};
use findings::{APART, Confidence, Role, Rule, TOGETHER, View};

use super::compare::{Conflict, Group, Kind, Mask, Overlap, Seen, select};
use super::elements::Elements;
use super::heard::Heard;
use super::table::{self, Table, code};
use crate::evidence::frame;
use crate::lock_names;
use crate::{At, Details, Evidence, Now, Out, StepAt, Subject, Target};

/// Names in a set, and sets in a note, at most.
const NAMES: usize = 12;

/// What is needed to tell about a conflict.
pub(super) struct Teller<'a> {
    pub(super) tables: &'a [Option<Table>],
    pub(super) elements: &'a Elements,
    pub(super) now: &'a Now<'a>,
}

impl Teller<'_> {
    /// Tells of the conflicts about some fields.
    pub(super) fn tell_all(
        &self,
        group: &Group,
        subject: &Subject,
        heard: &Heard,
        at: Option<At>,
        out: &mut Out,
    ) {
        for conflict in &heard.conflicts {
            if out.wants(Rule::HighLevelRace, subject, self.now)
                && let Some(evidence) = self.tell(group, conflict, subject.clone())
            {
                out.add_late(evidence, at, self.tests(group, conflict), self.now);
            }
        }
        // The others would only be counted, but for those of which there was nothing to tell.
        for _ in 0..heard.more {
            out.wants(Rule::HighLevelRace, subject, self.now);
        }
    }

    /// The whole evidence.
    fn tell(&self, group: &Group, conflict: &Conflict, subject: Subject) -> Option<Evidence> {
        let whole = group.seen(conflict.maximal);
        let all = group.elements(whole);
        let (a, b) = (&conflict.overlaps[conflict.pair.0], &conflict.overlaps[conflict.pair.1]);
        let (a_seen, b_seen) = (group.seen(a.seen), group.seen(b.seen));
        let only_a = select(all, &without(&a.mask, &b.mask)).next()?;
        let only_b = select(all, &without(&b.mask, &a.mask)).next()?;
        let (one, other) = (self.thread(whole), self.thread(a_seen));
        let set = |overlap: &Overlap| self.set(select(all, &overlap.mask));

        let mut steps = Vec::new();
        let together = self.set(select(all, &conflict.diverging));
        self.enter(whole, format!("uses {together} together in this block"), &mut steps)?;
        self.access(whole, only_a, &mut steps)?;
        self.access(whole, only_b, &mut steps)?;
        self.enter(a_seen, format!("of these, uses {} in this block", set(a)), &mut steps)?;
        self.access(a_seen, only_a, &mut steps)?;
        self.enter(
            b_seen,
            format!("of these, uses {} in this block, which is another one", set(b)),
            &mut steps,
        )?;
        self.access(b_seen, only_b, &mut steps)?;

        let mut apart: Vec<String> = conflict.overlaps.iter().take(NAMES).map(set).collect();
        apart.sort();
        if conflict.overlaps.len() > NAMES {
            apart.push(format!("{} more", conflict.overlaps.len() - NAMES));
        }
        let kind = |seen: &Seen, read, write, any| match seen.kind {
            Kind::Read => read,
            Kind::Write | Kind::Set => write,
            Kind::Any => any,
        };
        let advice = format!(
            "If the values have to fit together, use them in one block in {other} too; \
                 if not, {one} need not use them in one block"
        );
        let notes = vec![
            format!(
                "{one} {}{TOGETHER}{}",
                kind(whole, "reads", "writes", "uses"),
                self.set(all.iter().copied())
            ),
            format!("{other} {}{APART}{}", kind(a_seen, "reads", "writes", "uses"), apart.join(", ")),
            format!(
                "Between two such blocks of {other}, the block of {one} can run: {}",
                match (whole.kind, a_seen.kind) {
                    (Kind::Read, _) => format!("{one} then sees only a part of what {other} writes"),
                    (_, Kind::Read) => format!("{other} then has read old values together with new ones"),
                    _ => "the values then do not belong together".to_owned(),
                }
            ),
            advice.clone(),
        ];
        Some(Evidence {
            rule: Rule::HighLevelRace,
            message: self.message(&subject, &one, &other, [whole, a_seen, b_seen])?,
            subject,
            confidence: Confidence::Medium,
            steps,
            notes,
            details: Details { views: self.views(group, conflict), advice, ..Details::default() },
        })
    }

    /// The block that uses the variables together, then those of the other thread that do not; first the two that the
    /// steps show.
    fn views(&self, group: &Group, conflict: &Conflict) -> Vec<View> {
        let whole = group.seen(conflict.maximal);
        let all = group.elements(whole);
        let shown = [conflict.pair.0, conflict.pair.1];
        let others = (0..conflict.overlaps.len()).filter(|at| !shown.contains(at));
        let apart = shown.into_iter().chain(others).filter_map(|at| conflict.overlaps.get(at));
        let mut views = Vec::new();
        views.extend(self.view(whole, all.iter().copied()));
        for overlap in apart.take(NAMES) {
            views.extend(self.view(group.seen(overlap.seen), select(all, &overlap.mask)));
        }
        views
    }

    fn view(&self, seen: &Seen, elements: impl Iterator<Item = u32>) -> Option<View> {
        let (table, view) = self.origin(seen)?;
        let mut fields: Vec<String> = elements.map(|element| self.name(element)).collect();
        fields.sort();
        fields.dedup();
        let role = match seen.kind {
            Kind::Read => Role::Read,
            Kind::Write | Kind::Set => Role::Write,
            Kind::Any => Role::Use,
        };
        let (thread, lock) = (self.thread(seen), self.lock(table.lock));
        Some(View { thread, role, lock, at: frame(view.site, self.now.symbols), fields })
    }

    fn lock(&self, lock: LockId) -> String {
        lock_names::shown(lock, self.now.sets, self.now.symbols)
    }

    fn message(&self, subject: &Subject, one: &str, other: &str, seen: [&Seen; 3]) -> Option<String> {
        let what = match subject {
            Subject::Kinds(kinds) if kinds.len() == 1 => "{} of several objects",
            _ => "{}",
        };
        let lock = |seen: &Seen| Some(self.lock(self.origin(seen)?.0.lock));
        let [whole, a, b] = [lock(seen[0])?, lock(seen[1])?, lock(seen[2])?];
        Some(if a == whole && b == whole {
            format!(
                "{one} uses {what} together while it holds {whole}, but {other} uses them one after the other \
                 and gives {whole} up in between"
            )
        } else {
            format!(
                "{one} uses {what} together while it holds {whole}, but {other} uses them in separate blocks, \
                 holding {a} and {b}"
            )
        })
    }

    fn origin(&self, seen: &Seen) -> Option<(&Table, &table::View)> {
        let table = self.tables.get(seen.origin.0 as usize)?.as_ref()?;
        Some((table, table.views.get(seen.origin.1 as usize)?))
    }

    /// The tests in which the blocks of a conflict happened.
    fn tests(&self, group: &Group, conflict: &Conflict) -> Vec<StrId> {
        let pair = [conflict.pair.0, conflict.pair.1].map(|at| conflict.overlaps.get(at).map(|it| it.seen));
        let seen = pair.into_iter().flatten().chain([conflict.maximal]);
        seen.filter_map(|seen| self.origin(group.seen(seen))?.0.test).collect()
    }

    fn thread(&self, seen: &Seen) -> String {
        let symbols = self.now.symbols;
        symbols.str(symbols.threads.get(ThreadId(seen.thread)).name).to_owned()
    }

    /// The step that enters the block of a view.
    fn enter(&self, seen: &Seen, note: String, steps: &mut Vec<StepAt>) -> Option<()> {
        let (table, view) = self.origin(seen)?;
        let lock = Some(Target::Lock(table.lock));
        let step = StepAt::new(table.thread, view.site, Role::Acquire, lock, view.locks);
        steps.push(StepAt { note, taken: vec![(table.lock, view.site)], ..step });
        Some(())
    }

    /// The step that uses an element in it.
    fn access(&self, seen: &Seen, element: u32, steps: &mut Vec<StepAt>) -> Option<()> {
        let (table, view) = self.origin(seen)?;
        let read = || table.site(view, code(element, false)).map(|site| (site, Role::Read));
        let write = || table.site(view, code(element, true)).map(|site| (site, Role::Write));
        let found =
            if matches!(seen.kind, Kind::Write | Kind::Set) { write() } else { read().or_else(write) };
        // A part of an array range that was split later has no place of its own: the block's has to do.
        let role = if matches!(seen.kind, Kind::Write | Kind::Set) { Role::Write } else { Role::Read };
        let (site, role) = found.unwrap_or((view.site, role));
        let row = self.elements.get(element);
        let (target, note) = if row.freed {
            (None, self.name(element))
        } else {
            (Some(Target::Variable(row.var)), String::new())
        };
        let step = StepAt::new(table.thread, site, role, target, view.locks);
        steps.push(StepAt { note, taken: vec![(table.lock, view.site)], ..step });
        Some(())
    }

    fn name(&self, element: u32) -> String {
        let (row, symbols) = (self.elements.get(element), self.now.symbols);
        if !row.freed && row.var.index() < symbols.variables().len() {
            symbols.variable_name(row.var)
        } else {
            row.kind.name(symbols)
        }
    }

    /// `{x, y}`.
    fn set(&self, elements: impl Iterator<Item = u32>) -> String {
        let mut names: Vec<String> = elements.map(|element| self.name(element)).collect();
        names.sort();
        let more = names.len().saturating_sub(NAMES);
        names.truncate(NAMES);
        if more > 0 {
            names.push(format!("{more} more"));
        }
        format!("{{{}}}", names.join(", "))
    }
}

fn without(a: &Mask, b: &Mask) -> Mask {
    std::array::from_fn(|i| a[i] & !b[i])
}
